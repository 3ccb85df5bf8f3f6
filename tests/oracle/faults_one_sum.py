"""Reductions, contractions, attention and scans, with the smallest wrong results that matter
and right results of other summation orders.
"""

import math

import torch
import torch.nn.functional as F

from fault_ways import (
    ALL, BF16, F16, F32, F64, NARROW, case, first_wrong, halves, in_bf16, in_threads, inputs,
    largest_lost, of_f64, on, one_by_one, one_by_one_sum, permuted, roll, split_in_four,
    sums_in_the_dtype, wide, with_tf32, without_mkldnn)

# Reductions


def softmax_by_parts(x):
    top = wide(x).amax(-1, keepdim=True)
    powers = (wide(x) - top).exp()
    return (powers / halves(powers).unsqueeze(-1)).to(x.dtype)


def layer_norm(eps, scale=1.0):
    return lambda x, w: F.layer_norm(x, x.shape[-1:], w, None, eps)


def layer_norm_by_parts(x, w):
    x32 = wide(x)
    n = x.shape[-1]
    mean = halves(x32).unsqueeze(-1) / n
    variance = halves((x32 - mean) ** 2).unsqueeze(-1) / n
    return ((x32 - mean) * (variance + 1e-5).rsqrt() * wide(w)).to(x.dtype)


def unbiased(x, w):
    x64 = x.double()
    scaled = (x64 - x64.mean(-1, keepdim=True)) / (x64.var(-1, keepdim=True) + 1e-5).sqrt()
    return (scaled * w.double()).to(x.dtype)


def rms_norm(eps):
    return lambda x, w: F.rms_norm(x, x.shape[-1:], w, eps)


def batch_norm(eps):
    return lambda x, m, v, w, b: F.batch_norm(x, m, v.abs(), w, b, eps=eps)


case("reduction", "sum", lambda x: x.sum(-1), inputs((96, 1000)), faults={
    "last term lost": on(ALL, lambda x: x[:, :-1].sum(-1)),
    "wrong axis": on(ALL, lambda x: x.view(1000, 96).sum(0)),
    "sums in the dtype": on(NARROW, lambda x: sums_in_the_dtype(
        x, torch.ones(1000, 1, dtype=x.dtype))[:, 0]),
    "tf32": on((F32,), with_tf32(lambda x: x.sum(-1))),
    "off by one": on(ALL, roll(lambda x: x.sum(-1)))}, rights={
    "sum of sums": on(ALL, lambda x: halves(x).to(x.dtype)),
    "one by one": on(ALL, one_by_one_sum),
    "backwards": on(ALL, lambda x: one_by_one_sum(x.flip(-1))),
    "f64": on(ALL, of_f64(lambda x: x.sum(-1)))})
case("reduction", "mean of large", lambda x: x.mean((-1, -2)), inputs(
        (8, 32, 14, 14), shift=3), faults={
    "n - 1": on((F32, F16, F64), lambda x: x.double().sum((-1, -2)).div(195).to(x.dtype)),
    "wrong axis": on(ALL, lambda x: x.mean((-1, 0)).repeat(
        3, 1)[:8, :14].repeat(1, 3)[:, :32])}, rights={
    "f64": on(ALL, of_f64(lambda x: x.mean((-1, -2)))),
    "one by one": on(ALL, lambda x: (wide(x).flatten(2).cumsum(-1)[..., -1] / 196).to(x.dtype))})
case("reduction", "variance", lambda x: x.var(-1), inputs((80, 200)), faults={
    "biased": on((F32, F16, F64), lambda x: x.var(-1, correction=0)),
    "deviation": on(ALL, lambda x: x.std(-1))}, rights={
    "f64": on(ALL, of_f64(lambda x: x.var(-1)))})
case("reduction", "softmax", lambda x: x.softmax(-1), inputs((40, 40)), faults={
    "wrong axis": on(ALL, lambda x: x.softmax(0)),
    "no exp": on(ALL, lambda x: x / x.sum(-1, keepdim=True)),
    "last term lost": on(ALL, lambda x: (
        x.double() - x[:, :-1].double().logsumexp(-1, keepdim=True)).exp().to(x.dtype)),
    "exp in f16": on((F32,), lambda x: x.to(F16).softmax(-1).to(x.dtype)),
    "exp in bf16": on((F32, F16), lambda x: x.to(BF16).softmax(-1).to(x.dtype)),
    "tf32": on((F32,), with_tf32(lambda x: x.softmax(-1)))}, rights={
    "by parts": on(ALL, softmax_by_parts), "f64": on(ALL, of_f64(lambda x: x.softmax(-1)))})
case("reduction", "log_softmax", lambda x: x.log_softmax(-1), inputs((40, 40)), faults={
    "softmax": on(ALL, lambda x: x.softmax(-1)), "wrong axis": on(ALL, lambda x: x.log_softmax(0)),
    "of bf16": on((F32, F16), lambda x: x.to(BF16).log_softmax(-1).to(x.dtype))}, rights={
    "f64": on(ALL, of_f64(lambda x: x.log_softmax(-1)))})
case("reduction", "layer_norm", layer_norm(1e-5), inputs((32, 64), (64,)), faults={
    "eps 1e-6": on((F32, F64), layer_norm(1e-6)), "eps 1e-12": on((F32, F64), layer_norm(1e-12)),
    "eps 1e-3": on((F32, F16, F64), layer_norm(1e-3)),
    "unbiased": on((F32, F16, F64), unbiased),
    "no weight": on(ALL, lambda x, w: F.layer_norm(x, (64,), None, None, 1e-5)),
    "no mean": on(ALL, rms_norm(1e-5)),
    "wrong axis": on(ALL, lambda x, w: F.layer_norm(
        x.t().contiguous(), (32,), None, None, 1e-5).t() * w),
    "tf32": on((F32,), with_tf32(layer_norm(1e-5)))}, rights={
    "by parts": on(ALL, layer_norm_by_parts), "f64": on(ALL, of_f64(layer_norm(1e-5)))})
case("reduction", "layer_norm of small", layer_norm(1e-5), inputs(
        (32, 64), (64,), scale=3e-3), faults={
    "eps 1e-6": on(ALL, layer_norm(1e-6)), "eps 1e-12": on(ALL, layer_norm(1e-12)),
    "eps 1.1e-5": on((F32, F16, F64), layer_norm(1.1e-5))}, rights={
    "by parts": on(ALL, layer_norm_by_parts), "f64": on(ALL, of_f64(layer_norm(1e-5)))})
case("reduction", "rms_norm", rms_norm(1e-6), inputs((32, 64), (64,)), faults={
    "eps 1e-5": on((F32, F64), rms_norm(1e-5)),
    "layer_norm": on(ALL, lambda x, w: F.layer_norm(x, (64,), w, None, 1e-6)),
    "weight in bf16": on((F32, F16), in_bf16(rms_norm(1e-6)))}, rights={
    "f64": on((F32, F64), of_f64(rms_norm(1e-6)))})
case("reduction", "batch_norm", batch_norm(1e-5), inputs(
        (2, 8, 6, 6), (8,), (8,), (8,), (8,)), faults={
    "eps 1e-3": on((F32, F16, F64), batch_norm(1e-3)), "eps 1e-6": on((F32, F64), batch_norm(1e-6)),
    "no bias": on(ALL, lambda x, m, v, w, b: batch_norm(1e-5)(x, m, v, w, 0 * b)),
    "statistics of the batch": on(ALL, lambda x, m, v, w, b: F.batch_norm(
        x, None, None, w, b, True)),
    "standard deviation": on(ALL, lambda x, m, v, w, b: batch_norm(1e-5)(x, m, v * v, w, b)),
    "wrong axis": on(ALL, lambda x, m, v, w, b: batch_norm(1e-5)(
        x.roll(1, 1), m, v, w, b).roll(-1, 1))},
    rights={"f64": on(ALL, of_f64(batch_norm(1e-5)))})
case("reduction", "group_norm", lambda x: F.group_norm(x, 4), inputs((2, 8, 6, 6)), faults={
    "two groups": on(ALL, lambda x: F.group_norm(x, 2)),
    "of each": on(ALL, lambda x: F.instance_norm(x)),
    "eps 1e-6": on((F32, F64), lambda x: F.group_norm(x, 4, eps=1e-6))}, rights={
    "f64": on(ALL, of_f64(lambda x: F.group_norm(x, 4)))})
case("reduction", "avg pool", lambda x: F.avg_pool2d(x, 3, 2, 1), inputs((2, 3, 9, 9)), faults={
    "padding not counted": on(ALL, lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)),
    "off by one": on(ALL, lambda x: F.avg_pool2d(x.roll(1, -1), 3, 2, 1))}, rights={
    "f64": on(ALL, of_f64(lambda x: F.avg_pool2d(x, 3, 2, 1)))})

# Contractions


def conv(x, w):
    return F.conv2d(x, w, None, 1, 1)


def unfolded(x, w):
    columns = F.unfold(wide(x), 3, padding=1)
    product = permuted(wide(w).flatten(1), columns)
    return product.view(x.shape[0], w.shape[0], *x.shape[2:]).to(x.dtype)


def channels_last(x, w):
    last = torch.channels_last
    return conv(x.to(memory_format=last), w.to(memory_format=last)).contiguous()


def small_at(row, of):
    """One element of a matrix wrong by as much as elements are large."""
    def change(x, w):
        w = w.clone()
        w[3, 5] = -w[3, 5] - torch.sign(w[3, 5]) * 0.5
        return of(x, w)
    return change


PRODUCTS = {
    "permuted K": on(ALL, permuted), "split K": on(ALL, split_in_four),
    "one by one": on(ALL, one_by_one), "f64": on(ALL, of_f64(torch.matmul)),
    "two threads": on(ALL, in_threads(torch.matmul)),
    "no MKLDNN": on(ALL, without_mkldnn(torch.matmul)),
}
for size in (16, 128, 1024):
    case("contraction", f"mm K={size}", torch.matmul, inputs((48, size), (size, 40)), faults={
        "tf32": on((F32,), with_tf32(torch.matmul)),
        "sums in the dtype": on(NARROW if size > 16 else (), sums_in_the_dtype),
        "bf16 weights": on((F32, F16, F64), in_bf16(torch.matmul)),
        "f16 weights": on((F32, F64), lambda x, w: x @ w.to(F16).to(w.dtype)),
        "last term lost": on(ALL, lambda x, w: x[:, :-1] @ w[:-1]),
        "one wrong weight": on(ALL, small_at(3, torch.matmul)),
        "one wrong element": on(ALL, first_wrong(torch.matmul)),
        "lost element": on(ALL, largest_lost(torch.matmul)),
        "off by one row": on(ALL, roll(torch.matmul, dim=0))}, rights=PRODUCTS)
case("contraction", "large mm", torch.matmul, inputs((512, 64), (64, 512)), faults={
    "one wrong element": on(ALL, first_wrong(torch.matmul)),
    "one wrong weight": on(ALL, small_at(3, torch.matmul)),
    "last row lost": on(ALL, lambda x, w: torch.cat([
        (x @ w)[:-1], torch.zeros(1, 512, dtype=x.dtype)])),
    "sums in the dtype": on((F16,), sums_in_the_dtype)}, rights={
    name: right for name, right in PRODUCTS.items() if name != "one by one"})
case("contraction", "square linear", F.linear, inputs((24, 32), (32, 32)), faults={
    "weight transposed": on(ALL, lambda x, w: F.linear(x, w.t())),
    "tf32": on((F32,), with_tf32(F.linear))}, rights={
    "permuted": on(ALL, lambda x, w: permuted(x, w.t())), "f64": on(ALL, of_f64(F.linear))})
case("contraction", "addmm", torch.addmm, inputs((30,), (24, 32), (32, 30)), faults={
    "no bias": on(ALL, lambda b, x, w: x @ w),
    "bias off by one": on(ALL, lambda b, x, w: torch.addmm(b.roll(1), x, w)),
    "tf32": on((F32,), with_tf32(torch.addmm))}, rights={
    "bias last": on((F32, F64), lambda b, x, w: permuted(x, w) + b),
    "f64": on(ALL, of_f64(torch.addmm))})
case("contraction", "conv2d", conv, inputs((2, 8, 12, 12), (16, 8, 3, 3)), faults={
    "flipped": on(ALL, lambda x, w: conv(x, w.flip(-1, -2))),
    "padding on one side": on(ALL, lambda x, w: F.conv2d(F.pad(x, (2, 0, 2, 0)), w)),
    "no padding": on(ALL, lambda x, w: F.pad(F.conv2d(x, w), (1, 1, 1, 1))),
    "tf32": on((F32,), with_tf32(conv)), "bf16 weights": on((F32, F16, F64), in_bf16(conv)),
    "channels off by one": on(ALL, lambda x, w: conv(x.roll(1, 1), w)),
    "one wrong element": on(ALL, first_wrong(conv))}, rights={
    "unfolded, permuted": on(ALL, unfolded), "channels last": on(ALL, channels_last),
    "no MKLDNN": on(ALL, without_mkldnn(conv)), "f64": on(ALL, of_f64(conv)),
    "two threads": on(ALL, in_threads(conv))})

# Attention


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def by_hand(q, k, v, scale=None, diagonal=0):
    scores = wide(q) @ wide(k).transpose(-1, -2) * (scale or 1 / math.sqrt(q.shape[-1]))
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(diagonal).logical_not()
    weights = scores.masked_fill(hidden, -1e30).softmax(-1)
    return (weights @ wide(v)).to(q.dtype)


def keys_permuted(q, k, v):
    """The same without a mask, in another order of keys: here behind the mask by hand."""
    order = torch.randperm(k.shape[-2], generator=torch.Generator().manual_seed(3))
    scores = wide(q) @ wide(k)[..., order, :].transpose(-1, -2) / math.sqrt(q.shape[-1])
    hidden = torch.ones(k.shape[-2], k.shape[-2], dtype=torch.bool).tril().logical_not()[:, order]
    return (scores.masked_fill(hidden, -1e30).softmax(-1) @ wide(v)[..., order, :]).to(q.dtype)


def weights_in_the_dtype(q, k, v):
    """Scores and weights rounded to the dtype between: what eager code without a fused
    kernel does."""
    scores = (q @ k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).tril().logical_not()
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v


case("attention", "causal", attention, inputs(*[(2, 2, 24, 16)] * 3), faults={
    "no scale": on(ALL, lambda q, k, v: by_hand(q, k, v, 1.0)),
    "scale of d": on(ALL, lambda q, k, v: by_hand(q, k, v, 1 / 16)),
    "scale 1 % off": on((F32, F16, F64), lambda q, k, v: by_hand(q, k, v, 1.01 / 4)),
    "mask off by one": on(ALL, lambda q, k, v: by_hand(q, k, v, diagonal=1)),
    "no mask": on(ALL, F.scaled_dot_product_attention),
    "heads swapped": on(ALL, lambda q, k, v: attention(q, k, v.flip(1))),
    "tf32": on((F32,), with_tf32(attention)),
    "one wrong element": on(ALL, first_wrong(attention)),
    "keys off by one": on(ALL, lambda q, k, v: attention(q, k.roll(1, -2), v))}, rights={
    "by hand": on(ALL, by_hand), "keys permuted": on(ALL, keys_permuted),
    "rounded between": on(ALL, weights_in_the_dtype), "f64": on(ALL, of_f64(attention))})

# Scans


def lstm(x, w, u):
    b = torch.zeros(24, dtype=x.dtype)
    h = torch.zeros(1, x.shape[1], 6, dtype=x.dtype)
    return torch.lstm(x, (h, h), (w, u, b, b), True, 1, 0.0, False, False, False)[0]


case("scan", "cumsum", lambda x: x.cumsum(-1), inputs((8, 500)), faults={
    "exclusive": on(ALL, lambda x: x.cumsum(-1) - x),
    "wrong axis": on(ALL, lambda x: x.cumsum(0)),
    "backwards": on(ALL, lambda x: x.flip(-1).cumsum(-1).flip(-1)),
    "tf32": on((F32,), with_tf32(lambda x: x.cumsum(-1))),
    "first lost": on(ALL, lambda x: x.cumsum(-1) - x[:, :1])}, rights={
    "f64": on(ALL, of_f64(lambda x: x.cumsum(-1))),
    "in blocks": on(ALL, lambda x: torch.cat([
        wide(x)[:, a:a + 100].cumsum(-1) + wide(x)[:, :a].sum(-1, keepdim=True)
        for a in range(0, 500, 100)], -1).to(x.dtype))})
case("scan", "cumprod", lambda x: x.cumprod(-1), inputs((8, 60), scale=0.1, shift=1.0), faults={
    "exclusive": on(ALL, lambda x: x.cumprod(-1) / x), "cumsum": on(ALL, lambda x: x.cumsum(-1)),
    "tf32": on((F32,), with_tf32(lambda x: x.cumprod(-1)))}, rights={
    "f64": on(ALL, of_f64(lambda x: x.cumprod(-1)))})
case("scan", "lstm", lstm, inputs((9, 5, 4), (24, 4), (24, 6)), dtypes=(F32,), faults={
    "gates swapped": on((F32,), lambda x, w, u: lstm(x, w.roll(6, 0), u.roll(6, 0))),
    "tf32": on((F32,), with_tf32(lstm)),
    "backwards": on((F32,), lambda x, w, u: lstm(x.flip(0), w, u).flip(0)),
    "bf16 weights": on((F32,), in_bf16(lstm))}, rights={
    "f64": on((F32,), of_f64(lambda x, w, u: lstm(x, w, u))),
    "no MKLDNN": on((F32,), without_mkldnn(lstm))})
