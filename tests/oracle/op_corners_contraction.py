"""Calls of contractions, norms and recurrent nets that torch's samples leave out."""
import itertools

import torch

aten = torch.ops.aten
NAN, INF = float("nan"), float("inf")
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def record(call):
    for dtype in FLOATS:
        def x(*shape):
            return torch.randn(shape, dtype=torch.float64).to(dtype)
        products(call, x)
        convolutions(call, x)
        attention(call, x)
        norms(call, x)
        recurrent(call, x)
        losses(call, x)
        if dtype != torch.float64:
            weights_of_few_bits(call, x)
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        a, b = torch.randint(0, 100, (5, 7)), torch.randint(0, 100, (7, 4))
        call(aten.mm.default, (a.to(dtype), b.to(dtype)), {}, f"mm wraps {dtype}")
        call(aten.matmul.default, (a.to(dtype), b.to(dtype)), {}, f"matmul wraps {dtype}")
        call(aten.addmm.default, (torch.ones(4).to(dtype), a.to(dtype), b.to(dtype)),
             {"beta": 3, "alpha": 2}, f"addmm wraps {dtype}")
    a, b = (torch.randint(-128, 128, s).to(torch.int8) for s in ((18, 16), (16, 24)))
    call(aten._int_mm.default, (a, b), {}, "int_mm")


def weights_of_few_bits(call, x):
    for n, k, group in ((64, 64, 32), (16, 32, 32), (80, 128, 64), (48, 256, 128), (192, 64, 64)):
        codes = torch.randint(0, 16, (n, k), dtype=torch.int32)
        packed = aten._convert_weight_to_int4pack_for_cpu(codes, 1)
        call(aten._convert_weight_to_int4pack_for_cpu.default, (codes, 1), {}, f"int4 pack {n} {k}")
        for m in (1, 5):
            call(aten._weight_int4pack_mm_for_cpu.default,
                 (x(m, k), packed, group, x(k // group, n, 2)), {}, f"int4 {m} {n} {k}")
            call(aten._weight_int8pack_mm.default,
                 (x(m, k), torch.randint(-128, 128, (n, k), dtype=torch.int8), x(n)), {},
                 f"int8 {m} {n} {k}")


def products(call, x):
    for m, n, k in ((1, 1, 1), (3, 5, 0), (7, 17, 300), (1, 40, 9), (40, 1, 9), (13, 33, 2)):
        call(aten.mm.default, (x(m, k), x(k, n)), {}, f"mm {m} {n} {k}")
        call(aten.mm.default, (x(k, m).t(), x(n, k).t()), {}, f"mm turned {m} {n} {k}")
        call(aten.linear.default, (x(2, m, k), x(n, k), x(n)), {}, f"linear {m} {n} {k}")
    bad = torch.full_like(x(3, 3), NAN)
    call(aten.addmm.default, (bad, x(3, 4), x(4, 3)), {"beta": 0}, "addmm beta 0")
    call(aten.linalg_vecdot.default, (x(3, 4, 5), x(3, 4, 5)), {"dim": 0}, "vecdot")
    call(aten.linalg_vecdot.default, (x(3, 4, 5), x(4, 5)), {}, "vecdot spread")
    call(aten.addmm.default, (x(3), x(3, 4), x(4, 3)), {"alpha": 0.5, "beta": 2}, "addmm row")
    call(aten.addmm.default, (x(3, 1), x(3, 4), x(4, 3)), {}, "addmm column")
    call(aten.baddbmm.default, (x(1, 3), x(2, 3, 4), x(2, 4, 3)), {"beta": 0.5}, "baddbmm")
    call(aten.linear.default, (x(3), x(3)), {}, "linear of vectors")
    call(aten.linear.default, (x(3, 4, 5).transpose(0, 1), x(2, 5)), {}, "linear turned")
    for a, b in (((3,), (3,)), ((3,), (2, 3, 4)), ((2, 4, 3), (3,)), ((2, 1, 4, 3), (5, 3, 2)),
                 ((0, 3), (3, 2)), ((2, 3, 4), (4, 5))):
        call(aten.matmul.default, (x(*a), x(*b)), {}, f"matmul {a} {b}")
    shapes = {"i": 2, "j": 3, "k": 4, "l": 5, "b": 2}
    for equation in ("ij,jk->ik", "ij,jk", "bij,bjk->bik", "ij->ji", "ij->", "ii->i",
                     "ij,kl->ijkl",
                     "bij,bjk->ikb", "ij,ij->", "...ij,...jk->...ik", "i,i", "ij,jk,kl->il",
                     "b i j , j k -> b i k", "ij,j->i", "ii", "bij,kj->b", "ijk->k"):
        left = equation.split("->")[0].replace(" ", "")
        tensors = [x(*[shapes[c] for c in term.replace("...", "b")]) for term in left.split(",")]
        if equation.startswith("ii"):
            tensors = [x(3, 3)]
        call(aten.einsum.default, (equation, tensors), {}, f"einsum {equation}")
    call(aten.einsum.default, ("ij,jk->ik", [x(1, 3), x(3, 2)]), {}, "einsum of size 1")
    call(aten.einsum.default, ("bij,bjk->bik", [x(1, 3, 2), x(4, 2, 2)]), {}, "einsum spread")


def convolutions(call, x):
    for n, groups, stride, padding, dilation in itertools.product(
            (1, 2, 3), (1, 2, 4), (1, 2), (0, 2), (1, 2)):
        size = (9, 7, 6)[:n]
        kernel = (3, 2, 3)[:n]
        rest = ([stride] * n, [padding] * n, [dilation] * n)
        label = f"conv {n} {groups} {stride} {padding} {dilation}"
        image, weight = x(2, 4, *size), x(8, 4 // groups, *kernel)
        args = (*rest, False, [0] * n, groups)
        call(aten.convolution.default, (image, weight, x(8), *args), {}, label)
        result = aten.convolution(image, weight, None, *args)
        call(aten.convolution_backward.default,
             (torch.randn_like(result), image, weight, [8], *args, [True, True, True]), {}, label)
        weight = x(4, 8 // groups, *kernel)
        args = (*rest, True, [stride - 1] * n, groups)
        call(aten.convolution.default, (image, weight, x(8), *args), {}, f"transposed {label}")
        result = aten.convolution(image, weight, None, *args)
        call(aten.convolution_backward.default,
             (torch.randn_like(result), image, weight, [8], *args, [True, True, True]), {},
             f"transposed {label}")
    call(aten.conv2d.default, (x(3, 6, 5), x(4, 3, 1, 1)), {}, "conv2d of one sample")
    call(aten.conv2d.default, (x(2, 3, 6, 5).contiguous(memory_format=torch.channels_last),
                               x(4, 3, 3, 3)), {}, "conv2d channels last")
    call(aten.conv2d.padding, (x(1, 2, 6, 7), x(2, 2, 4, 2), None, [1, 1], "same", [1, 2]), {},
         "conv2d same")
    call(aten.conv2d.default, (x(0, 3, 6, 5), x(4, 3, 3, 3)), {}, "conv2d of nothing")


def attention(call, x):
    q, k, v = x(2, 4, 5, 8), x(2, 4, 7, 8), x(2, 4, 7, 6)
    seen = torch.rand(2, 1, 5, 7) > 0.5
    seen[0, 0, 1] = False
    sdpa = aten.scaled_dot_product_attention.default
    call(sdpa, (q, k, v), {}, "attention")
    call(sdpa, (q, k, v, seen), {}, "attention masked")
    call(sdpa, (q, k, v, x(5, 7)), {}, "attention biased")
    call(sdpa, (q, k, v, None, 0.0, True), {}, "attention causal")
    call(sdpa, (k, q, x(2, 4, 5, 6), None, 0.0, True), {}, "attention causal, more queries")
    call(sdpa, (q, k, v), {"scale": 0.3}, "attention scaled")
    call(sdpa, (q, k[:, :2], v[:, :2]), {"enable_gqa": True}, "attention of shared heads")
    call(sdpa, (q, k[:, :2], v[:, :2], seen), {"enable_gqa": True}, "shared heads masked")
    call(sdpa, (q[0, 0], k[0, 0], v[0, 0]), {}, "attention of rank 2")
    call(sdpa, (x(1, 2, 300, 4), x(1, 2, 300, 4), x(1, 2, 300, 4)), {}, "attention of blocks")
    flash = aten._scaled_dot_product_flash_attention_for_cpu.default
    v = x(2, 4, 7, 8)
    call(flash, (q, k, v), {}, "flash")
    call(flash, (q, k, v, 0.0, True), {}, "flash causal")
    call(flash, (q, k, v), {"attn_mask": x(2, 1, 5, 7), "scale": 0.2}, "flash biased")
    math = aten._scaled_dot_product_attention_math.default
    call(math, (q, k, v, seen), {}, "math masked")
    call(math, (q, k[:, :1], v[:, :1]), {"enable_gqa": True}, "math shared")


def norms(call, x):
    image, c = x(3, 4, 5, 2), 4
    mean, var = x(c), x(c).abs() + 0.1
    w, b = x(c), x(c)
    call(aten.batch_norm.default, (image, w, b, mean, var, False, 0.1, 1e-5, True), {}, "eval")
    call(aten.batch_norm.default, (image, None, None, None, None, True, 0.1, 1e-3, True), {},
         "batch norm training")
    call(aten._native_batch_norm_legit_no_training.default,
         (image, w, b, mean, var, 0.1, 1e-5), {}, "batch norm no training")
    call(aten._native_batch_norm_legit_functional.default,
         (image, w, b, mean, var, True, 0.1, 1e-5), {}, "batch norm functional")
    call(aten._batch_norm_no_update.default, (image, w, b, mean, var, 0.1, 1e-5), {}, "no update")
    call(aten.native_batch_norm.default, (x(3, 4), w, b, mean, var, False, 0.1, 1e-5), {}, "rows")
    if image.dtype == torch.bfloat16:
        f = [t.float() for t in (w, b, mean, var)]
        call(aten._native_batch_norm_legit_no_training.default, (image, *f, 0.1, 1e-5), {},
             "batch norm mixed")
        call(aten.native_layer_norm.default, (x(3, 4), [4], f[0], f[1], 1e-5), {}, "layer mixed")
        call(aten.native_group_norm.default, (image, f[0], f[1], 3, 4, 10, 2, 1e-5), {},
             "group mixed")
    call(aten.instance_norm.default, (image, w, b, None, None, True, 0.1, 1e-5, True), {}, "inst")
    call(aten.instance_norm.default, (image, w, b, mean, var, False, 0.1, 1e-5, True), {},
         "instance norm by running statistics")
    call(aten.layer_norm.default, (image, [5, 2], x(5, 2), x(5, 2)), {}, "layer norm of two")
    call(aten.layer_norm.default, (image.transpose(1, 3), [5, 4]), {}, "layer norm turned")
    call(aten.native_layer_norm.default, (x(2, 0), [0], None, None, 1e-5), {}, "layer of nothing")
    for eps in (None, 1e-3):
        call(aten.rms_norm.default, (image, [2], x(2), eps), {}, f"rms {eps}")
        call(aten._fused_rms_norm.default, (x(3, 6) * 1e-3, [6], x(6), eps), {}, f"rms {eps}")
    for dim in (0, 1, -1):
        call(aten.softmax.int, (image * 40, dim), {}, f"softmax {dim}")
        call(aten.log_softmax.int, (image * 40, dim), {}, f"log_softmax {dim}")
    call(aten.softmax.int, (x(), 0), {}, "softmax of a scalar")
    call(aten.softmax.int, (image, 1, torch.float32), {}, "softmax to f32")
    call(aten._safe_softmax.default, (torch.full_like(x(2, 3), -INF), -1), {}, "safe")
    call(aten.softmax.int, (torch.tensor([[1, INF], [NAN, 1]]).to(image.dtype), 1), {}, "inf")
    call(aten.softmax.int, (torch.zeros(2, 0).to(image.dtype), 1), {}, "softmax of nothing")


def losses(call, x):
    rows, picture = x(6, 5), x(2, 5, 3, 4)
    classes = torch.tensor([0, 4, -100, 2, 1, 1])
    pixels = torch.randint(0, 5, (2, 3, 4))
    pixels[0, 0, 0] = -100
    weight = x(5).abs()
    for reduction, w in itertools.product((0, 1, 2), (None, weight)):
        for name in ("nll_loss", "nll_loss_nd", "nll_loss_forward"):
            call(getattr(aten, name).default, (rows, classes, w, reduction, -100), {}, name)
        for name in ("nll_loss2d", "nll_loss_nd", "nll_loss2d_forward"):
            call(getattr(aten, name).default, (picture, pixels, w, reduction, -100), {}, name)
        for smoothing in (0.0, 0.3):
            rest = (w, reduction, -100, smoothing)
            call(aten.cross_entropy_loss.default, (rows, classes, *rest), {}, "classes")
            call(aten.cross_entropy_loss.default, (picture, pixels, *rest), {}, "pixels")
            call(aten.cross_entropy_loss.default, (rows, x(6, 5).softmax(1), *rest), {}, "shares")
            call(aten.cross_entropy_loss.default, (x(5), torch.tensor(3), *rest), {}, "one row")
        call(aten.binary_cross_entropy.default,
             (rows.sigmoid(), x(6, 5).sigmoid(), None if w is None else x(5).abs(), reduction),
             {}, "entropy")
        call(aten.binary_cross_entropy_with_logits.default,
             (rows * 20, x(6, 5).sigmoid(), w, w, reduction), {}, "entropy of logits")
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
            call(getattr(aten, name).default, (rows, x(6, 5), reduction), {}, name)
        for logarithms in (False, True):
            call(aten.kl_div.default, (rows, x(6, 5).abs(), reduction), {"log_target": logarithms},
                 "divergence")
    edges = torch.tensor([0.0, 1.0]).to(rows.dtype)
    call(aten.binary_cross_entropy.default, (edges, 1 - edges), {}, "entropy of certainty")
    call(aten.nll_loss.default, (rows, torch.full((6,), -100)), {}, "all ignored")
    call(aten.smooth_l1_loss.default, (rows, x(6, 5), 1, 0.0), {}, "smooth with beta 0")


def recurrent(call, x):
    gates = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
    for name, layers, two, first, biases in itertools.product(
            gates, (1, 2), (False, True), (False, True), (False, True)):
        n, width, directions = gates[name], 4, 1 + two
        params = []
        for layer in range(layers):
            for _ in range(directions):
                params += [x(n * width, directions * width if layer else 3), x(n * width, width)]
                params += [x(n * width), x(n * width)] if biases else []
        state = x(layers * directions, 2, width)
        data = x(2, 5, 3) if first else x(5, 2, 3)
        call(getattr(aten, name).input,
             (data, [state, state.neg()] if name == "lstm" else state, params, biases, layers,
              0.0, False, two, first), {}, f"{name} {layers} {two} {first} {biases}")
    params = [x(16, 3), x(16, 2), x(16), x(16), x(2, 4)]
    call(aten.lstm.input, (x(5, 2, 3), [x(1, 2, 2), x(1, 2, 4)], params, True, 1, 0.0, False,
                           False, False), {}, "lstm projected")
    for name, n in gates.items():
        state = x(2, 4)
        for biases in ((), (x(n * 4), x(n * 4))):
            call(getattr(aten, f"{name}_cell").default,
                 (x(2, 3), [state, x(2, 4)] if name == "lstm" else state, x(n * 4, 3),
                  x(n * 4, 4), *biases), {}, f"{name}_cell")
    if x(1).dtype == torch.float32:
        for reverse in (False, True):
            call(aten.mkldnn_rnn_layer.default,
                 (x(5, 2, 3), x(16, 3), x(16, 4), x(16), x(16), x(1, 2, 4), x(1, 2, 4), reverse,
                  [], 2, 4, 1, True, False, False, False), {}, f"mkldnn lstm {reverse}")
