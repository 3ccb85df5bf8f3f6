"""Wrong variants of whole networks, and right ones that sum in another order.

rights_of() and faults_of() give functions of the same inputs by name.
"""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from fault_networks import Quantized
from fault_ways import BF16, F16, F32, F64, in_threads, rounded_to_tf32, wide, without_mkldnn

# Right


def split_sums(module):
    """Products as sums of four parts of K, then rounded."""
    def linear(x, w, b=None):
        parts = zip(wide(x).chunk(4, -1), wide(w).chunk(4, -1))
        total = sum(p @ q.transpose(-1, -2) for p, q in parts)
        return (total if b is None else total + wide(b)).to(x.dtype)
    return replaced(module, linear)


def permuted_sums(module):
    def linear(x, w, b=None):
        order = torch.randperm(x.shape[-1], generator=torch.Generator().manual_seed(5))
        total = wide(x)[..., order] @ wide(w)[:, order].transpose(-1, -2)
        return (total if b is None else total + wide(b)).to(x.dtype)
    return replaced(module, linear)


def replaced(module, linear):
    """The module with another F.linear."""
    def compute(*args):
        before = F.linear
        F.linear = linear
        try:
            return module(*args)
        finally:
            F.linear = before
    return compute


def in_f64(module):
    double = copy.deepcopy(module).double()
    return lambda *args: double(*[a.double() if a.is_floating_point() else a for a in args])


def of_f64(module):
    dtype, exact = next(module.parameters()).dtype, in_f64(module)
    return lambda *args: [r.to(dtype) for r in first_of(exact(*args))]


def channels_last(module):
    last = copy.deepcopy(module).to(memory_format=torch.channels_last)
    return lambda x: last(x.to(memory_format=torch.channels_last))


def executorch(module, inputs, backend):
    """The runtime on the same program: portable kernels, or XNNPACK's."""
    from executorch.exir import to_edge, to_edge_transform_and_lower
    from executorch.extension.pybindings import portable_lib
    exported = torch.export.export(module, tuple(inputs))
    if backend == "xnnpack":
        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        lowered = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    else:
        lowered = to_edge(exported)
    data = lowered.to_executorch().buffer
    runtime = portable_lib._load_for_executorch_from_buffer(data)

    def compute(*args, program=data):  # the runtime reads from it, and does not own it
        results = runtime.run_method("forward", [a.contiguous() for a in args])
        return [r.clone() for r in results]
    return compute


def rights_of(module, inputs, network):
    rights = {
        "eager": module, "two threads": in_threads(module), "no MKLDNN": without_mkldnn(module),
        "split K": split_sums(module), "permuted K": permuted_sums(module),
    }
    if network.name != "quantized":
        rights["f64"] = of_f64(module)
    if any(isinstance(part, nn.Conv2d) for part in module.modules()):
        rights["channels last"] = channels_last(module)
    dtype = next(module.parameters()).dtype
    if dtype == F32:
        for backend in ("xnnpack",) if network.name == "quantized" else ("portable", "xnnpack"):
            try:
                runtime = executorch(module, inputs, backend)
                runtime(*inputs)
                rights[backend] = runtime
            except Exception as error:
                print(f"not made: {network.name}: {backend}: {str(error).strip()[:150]}")
    return rights


# Faults


def rounding_of(legs):
    """Of each output, how far right results of all calls are from exact ones: one call of ten
    elements may be lucky."""
    every = zip(*[[(r.double() - e.double()).abs().flatten() for r, e in zip(right, exact)
                   if r.is_floating_point()] for _, right, exact in legs])
    return [torch.cat(errors) for errors in every]


def matters(wrong, exact, rounding):
    """Whether a fault is clearly more than what rounding does to right results, all
    together or in one element. Few elements tell less of rounding."""
    if any(w.shape != e.shape or not w.is_floating_point() for w, e in zip(wrong, exact)):
        return True
    for w, e, rounded in zip(wrong, exact, rounding):
        times = 20 if e.numel() <= 500 else 10
        error = (w.double() - e.double()).abs()
        if error.square().mean().sqrt() > times * rounded.square().mean().sqrt():
            return True
        if error.max() > times * rounded.max():
            return True
    return False


def altered(module, change):
    wrong = copy.deepcopy(module)
    change(wrong)
    return wrong


def set_eps(kinds, eps):
    def change(wrong):
        for part in wrong.modules():
            if isinstance(part, kinds):
                for name in ("eps", "variance_epsilon"):
                    if hasattr(part, name):
                        setattr(part, name, eps)
    return change


def matrices(wrong):
    return [p for n, p in wrong.named_parameters() if p.dim() >= 2 and "embed" not in n
            and "wte" not in n and "wpe" not in n and "shared" not in n and "bias" not in n]


def one_wrong_weight(wrong):
    largest = max(matrices(wrong)[-3:], key=lambda p: p.numel())
    with torch.no_grad():
        flat = largest.view(-1)
        flat[flat.numel() // 3] += 8 * largest.float().std().to(largest.dtype)


def transpose_square(wrong):
    square = [p for p in matrices(wrong) if p.dim() == 2 and p.shape[0] == p.shape[1]]
    with torch.no_grad():
        square[0].copy_(square[0].t().clone())


def to_bf16_and_back(wrong):
    for p in wrong.parameters():
        p.data = p.data.to(BF16).to(p.dtype)


def use_tanh(wrong):
    for part in wrong.modules():
        if isinstance(part, nn.GELU):
            part.approximate = "tanh"


def tf32_products(module):
    linear = F.linear
    return replaced(module, lambda x, w, b=None: linear(rounded_to_tf32(x), rounded_to_tf32(w), b))


def patched(module, name, function):
    """With another function of torch.nn.functional."""
    def compute(*args):
        before = getattr(F, name)
        setattr(F, name, function)
        try:
            return module(*args)
        finally:
            setattr(F, name, before)
    return compute


def attention_variant(scale_by=1.0, diagonal=None):
    real = F.scaled_dot_product_attention

    def compute(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, **rest):
        scale = (scale or 1 / math.sqrt(q.shape[-1])) * scale_by
        if diagonal is not None and is_causal:
            seen = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool)
            attn_mask, is_causal = seen.tril(diagonal), False
        return real(q, k, v, attn_mask, dropout_p, is_causal, scale=scale, **rest)
    return compute


def first_of(results):
    return [results] if isinstance(results, torch.Tensor) else list(results)


def on_results(module, change):
    return lambda *args: change(first_of(module(*args)))


def one_element(results):
    wrong = results[0].clone().contiguous()
    wrong.view(-1)[wrong.numel() // 2] += results[0].float().std().to(wrong.dtype)
    return [wrong, *results[1:]]


def rolled(results):
    return [results[0].roll(1, -1), *results[1:]]


def norm_faults(module):
    norms = nn.LayerNorm, nn.BatchNorm2d
    kinds = [p for p in module.modules() if isinstance(p, norms) or hasattr(p, "variance_epsilon")]
    if not kinds:
        return
    now = getattr(kinds[0], "eps", None) or kinds[0].variance_epsilon
    kind = tuple({type(p) for p in kinds})
    for eps in (1e-3, 1e-5, 1e-6, 1e-12):
        if not math.isclose(eps, now, rel_tol=0.1):
            yield f"eps {eps}", altered(module, set_eps(kind, eps))


def faults_of(module, network):
    dtype = next(module.parameters()).dtype
    name = network.name
    yield "one wrong weight", altered(module, one_wrong_weight)
    yield "one wrong element", on_results(module, one_element)
    yield "off by one", on_results(module, rolled)
    yield from norm_faults(module)
    if dtype in (F32, F16, F64):
        yield "bf16 weights", altered(module, to_bf16_and_back)
    if dtype == F32 and name != "quantized":
        yield "f16 throughout", lambda *args: [
            r.to(F32) for r in first_of(copy.deepcopy(module).half()(
                *[a.half() if a.is_floating_point() else a for a in args]))]
        if any(isinstance(part, nn.Linear) for part in module.modules()):
            yield "tf32 products", tf32_products(module)
    if name == "two heads":
        yield "outputs swapped", on_results(module, lambda r: r[::-1])
        yield "softmax over the wrong axis", on_results(
            module, lambda results: [x.log().softmax(0) for x in results])
    if name == "mlp":
        yield "gelu tanh", altered(module, use_tanh)
    if name in ("bert", "attention", "two heads", "llama", "whisper"):
        yield "square weight transposed", altered(module, transpose_square)
    if name in ("attention", "bert", "llama", "gpt2"):
        yield "scale missing", patched(module, "scaled_dot_product_attention", attention_variant(4))
    if name == "attention":
        yield "mask off by one", patched(
            module, "scaled_dot_product_attention", attention_variant(1, 1))
    if name in ("resnet", "mobilenet_v2"):
        yield "padding", altered(module, lambda wrong: setattr(
            next(p for p in wrong.modules() if isinstance(p, nn.Conv2d)),
            "padding_mode", "reflect"))
        yield "no bias of a norm", altered(module, lambda wrong: nn.init.zeros_(
            [p for p in wrong.modules() if isinstance(p, nn.BatchNorm2d)][-1].bias))
    if name == "quantized":
        for what, options in (("zero point", {"shift": 1}), ("scale", {"factor": 1.01}),
                              ("floor", {"floor": True})):
            wrong = Quantized(**options).eval()
            wrong.load_state_dict(module.state_dict())
            yield what, wrong
