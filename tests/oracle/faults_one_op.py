"""Operators that move, round once, put in order or quantise, with the smallest wrong results
that matter and right results of another order of work.
"""

import torch
import torch.ao.quantization.fx._decomposed
import torch.nn.functional as F

from fault_ways import (
    ALL, BF16, F16, F32, F64, case, first_wrong, inputs, largest_lost, normal, of_f64, on,
    with_tf32)

# No arithmetic

case("exact", "permute", lambda x: x.permute(1, 0, 2).contiguous(), inputs((5, 6, 7)), faults={
    "wrong axis": on(ALL, lambda x: x.permute(2, 0, 1).reshape(6, 5, 7).contiguous()),
    "one ulp": on(ALL, lambda x: torch.nextafter(x, x + 1).permute(1, 0, 2).contiguous()),
    "lost element": on(ALL, largest_lost(lambda x: x.permute(1, 0, 2)))})
case("exact", "square transpose", lambda x: x.t().contiguous(), inputs((16, 16)), faults={
    "not transposed": on(ALL, lambda x: x.clone())})
case("exact", "slice", lambda x: x[:, 2:9], inputs((6, 12)), faults={
    "off by one": on(ALL, lambda x: x[:, 3:10]),
    "off by one row": on(ALL, lambda x: x.roll(1, 0)[:, 2:9])})
case("exact", "embedding", lambda w, i: F.embedding(i, w), lambda g, d: [
    normal(g, d, 50, 8), torch.randint(0, 49, (3, 7), generator=g)], faults={
    "index off by one": on(ALL, lambda w, i: F.embedding(i + 1, w)),
    "bf16 weights": on((F32, F16, F64), lambda w, i: F.embedding(i, w.to(BF16).to(w.dtype)))})
case("exact", "gather", lambda x, i: x.gather(1, i), lambda g, d: [
    normal(g, d, 6, 20), torch.randint(0, 19, (6, 5), generator=g)], faults={
    "index off by one": on(ALL, lambda x, i: x.gather(1, i + 1)),
    "one index off by one": on(ALL, lambda x, i: x.gather(1, i + (torch.arange(5) == 4)))})
case("exact", "cat", lambda x, y: torch.cat([x, y], 1), inputs((4, 5), (4, 5)), faults={
    "swapped": on(ALL, lambda x, y: torch.cat([y, x], 1)),
    "wrong axis": on(ALL, lambda x, y: torch.cat([x, y], 0).view(4, 10))})
case("exact", "pad", lambda x: F.pad(x, (1, 2)), inputs((4, 5)), faults={
    "on the other side": on(ALL, lambda x: F.pad(x, (2, 1))),
    "with ones": on(ALL, lambda x: F.pad(x, (1, 2), value=1.0))})
case("exact", "where", lambda x, y: torch.where(x > 0, x, y), inputs((9, 9), (9, 9)), faults={
    "the other way": on(ALL, lambda x, y: torch.where(x > 0, y, x))})
case("exact", "compare", lambda x, y: x > y, inputs((40, 10), (40, 10)), faults={
    "less": on(ALL, lambda x, y: x < y),
    "one bit": on(ALL, lambda x, y: (x > y) ^ (torch.arange(400) == 77).view(40, 10))})
case("exact", "max pool", lambda x: F.max_pool2d(x, 3, 2, 1), inputs((2, 3, 9, 9)), faults={
    "no padding": on(ALL, lambda x: F.max_pool2d(F.pad(x, (0, 2, 0, 2), value=-1e4), 3, 2)),
    "smaller window": on(ALL, lambda x: F.max_pool2d(x, 2, 2, 1))})

# One rounding

case("rounded", "add", torch.add, inputs((33, 65), (33, 65)), faults={
    "two ulp": on(ALL, lambda x, y: torch.nextafter(torch.nextafter(x + y, x + y + 1), x + y + 1)),
    "of bf16": on((F32, F16, F64), lambda x, y: (x.to(BF16) + y.to(BF16)).to(x.dtype)),
    "tf32": on((F32,), with_tf32(torch.add)),
    "lost element": on(ALL, largest_lost(torch.add)),
    "one element": on(ALL, first_wrong(torch.add))}, rights={"f64": on(ALL, of_f64(torch.add))})
case("rounded", "broadcast mul", torch.mul, inputs((7, 7), (7, 1)), faults={
    "wrong axis": on(ALL, lambda x, y: x * y.t())}, rights={"f64": on(ALL, of_f64(torch.mul))})
case("rounded", "relu", torch.relu, inputs((33, 65)), faults={
    "leaky": on(ALL, lambda x: F.leaky_relu(x, 1e-3)), "of abs": on(ALL, torch.abs)})

# Functions

case("function", "gelu", F.gelu, inputs((65, 65)), faults={
    "tanh": on(ALL, lambda x: F.gelu(x, approximate="tanh")),
    "sigmoid": on(ALL, lambda x: x * torch.sigmoid(1.702 * x)),
    "tf32": on((F32,), with_tf32(F.gelu))}, rights={"f64": on(ALL, of_f64(F.gelu))})
for name, function, other in (
    ("exp", torch.exp, torch.exp2), ("tanh", torch.tanh, F.hardtanh),
    ("sigmoid", torch.sigmoid, F.hardsigmoid), ("silu", F.silu, F.hardswish),
    ("erf", torch.erf, torch.tanh),
    ("log", lambda x: torch.log(x.abs() + 1), lambda x: torch.log1p(x.abs() + 1)),
    ("rsqrt", lambda x: torch.rsqrt(x.abs() + 1), lambda x: torch.rsqrt(x.abs() + 1 + 2e-2)),
):
    case("function", name, function, inputs((65, 65)), faults={
        "another": on(ALL, other),
        "in bf16": on((F32, F16, F64), lambda x, f=function: f(x.to(BF16)).to(x.dtype)),
        "in f16": on((F32, F64), lambda x, f=function: f(x.to(F16)).to(x.dtype)),
        "one element": on(ALL, first_wrong(function))},
        rights={"f64": on(ALL, of_f64(function))} if name != "log" and name != "rsqrt" else {})
case("function", "div", torch.div, inputs((33, 65), (33, 65)), faults={
    "tf32": on((F32,), with_tf32(torch.div)),
    "inverse": on(ALL, lambda x, y: y / x)}, rights={
    "f64": on(ALL, of_f64(torch.div)),
    "by reciprocal": on((F32, F64), lambda x, y: x * (1 / y))})

# Powers

case("power", "pow", lambda x, y: torch.pow(x.abs(), y), inputs((33, 65), (33, 65)), faults={
    "in f16": on((F32, F64), lambda x, y: torch.pow(x.abs().to(F16), y.to(F16)).to(x.dtype)),
    "tf32": on((F32,), with_tf32(lambda x, y: torch.pow(x.abs(), y))),
    "exponent": on(ALL, lambda x, y: torch.pow(x.abs(), y + 0.05))})
case("power", "sin of large", torch.sin, inputs((33, 65), scale=1e3), faults={
    "cos": on(ALL, torch.cos),
    "pi of few digits": on((F32, F64), lambda x: torch.sin(
        x - (x / 6.2831853).round() * 6.283185))},
    rights={"f64": on((F32, BF16), of_f64(torch.sin))})

# Order


def other_ties(x):
    return torch.stack([torch.argsort(row, descending=True, stable=True)[:3] for row in x])


case("order", "topk", lambda x: x.topk(3)[1], inputs((9, 40)), faults={
    "smallest": on(ALL, lambda x: x.topk(3, largest=False)[1]),
    "wrong axis": on(ALL, lambda x: x.roll(1, 0).topk(3)[1]),
    "off by one": on(ALL, lambda x: (x.topk(3)[1] + 1) % 40),
    "unsorted": on(ALL, lambda x: x.topk(3)[1].flip(-1)),
    "twice the best": on(ALL, lambda x: x.topk(3)[1][:, [0, 0, 2]])}, rights={
    "ties": on(ALL, other_ties)})
case("order", "argmax", lambda x: x.argmax(-1), inputs((50, 40)), faults={
    "argmin": on(ALL, lambda x: x.argmin(-1)),
    "second": on((F32, F64), lambda x: x.topk(2)[1][:, 1]),
    "off by one": on(ALL, lambda x: (x.argmax(-1) + 1) % 40)})
case("order", "sort values", lambda x: x.sort(-1)[0], inputs((9, 40)), faults={
    "descending": on(ALL, lambda x: x.sort(-1, descending=True)[0]),
    "wrong axis": on(ALL, lambda x: x.sort(0)[0]),
    "two out of order": on(ALL, lambda x: x.sort(-1)[0][:, [1, 0, *range(2, 40)]])})

# Quantised

quantize = torch.ops.quantized_decomposed.quantize_per_tensor


def quantized(x, scale=0.03, zero=3, low=-128, high=127):
    return quantize(x, scale, zero, low, high, torch.int8)


def on_grid(steps):
    return torch.clamp(steps + 3, -128, 127).to(torch.int8)


def truncated(x):
    return on_grid((x / 0.03).floor())


case("quantize", "quantize", quantized, inputs((64, 64)), dtypes=(F32,), faults={
    "rounds down": on((F32,), truncated),
    "zero point": on((F32,), lambda x: quantized(x, zero=4)),
    "scale": on((F32,), lambda x: quantized(x, scale=0.0303)),
    "range": on((F32,), lambda x: quantized(x, low=-100)),
    "half away from zero": on((F32,), lambda x: quantized(x.abs()))}, rights={
    "by reciprocal": on((F32,), lambda x: on_grid((x * (1 / 0.03)).round())),
    "by quotient": on((F32,), lambda x: on_grid((x / 0.03).round())),
    "f64": on((F32,), lambda x: on_grid((x.double() / 0.03).round()))})
