"""Calls of operators that torch's samples leave out: corners, and composed operators."""
import torch

import op_corners_complex
import op_corners_contraction
import op_corners_elementwise
import op_corners_index
import op_corners_reduction
import op_corners_special
import op_corners_statistics

aten = torch.ops.aten
NAN, INF = float("nan"), float("inf")


def corner_values(dtype):
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 1e-3, 88.0, -88.0,
              1e4, -1e4, NAN, INF, -INF, 1e-40, 65504.0]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def unary():
    for name in ("relu", "sign", "sgn", "sqrt", "rsqrt", "exp", "log", "sin", "cos", "tanh",
                 "sigmoid", "gelu", "silu", "mish", "hardswish", "hardsigmoid", "relu6",
                 "abs", "neg", "floor", "ceil", "round", "trunc", "reciprocal", "erf",
                 "isnan", "isinf", "logical_not", "expm1", "log1p", "elu", "softplus",
                 "square", "exp2", "log2", "log10", "atan", "leaky_relu", "hardtanh"):
        yield name


def record(recorder, call):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x = corner_values(dtype)
        for name in unary():
            func = getattr(getattr(aten, name), "default")
            call(func, (x,), {}, f"corner {name} {dtype}")
        a, b = x.repeat_interleave(len(x)), x.repeat(len(x))
        for name in ("add", "sub", "mul", "div", "maximum", "minimum", "fmod", "remainder",
                     "pow", "atan2", "floor_divide", "eq", "lt", "ge", "fmax", "hypot"):
            packet = getattr(aten, name)
            func = getattr(packet, "Tensor_Tensor" if name == "pow" else
                           "Tensor" if "Tensor" in packet.overloads() else "default")
            if name == "pow":
                func = packet.Tensor_Tensor
            call(func, (a, b), {}, f"corner {name} {dtype}")
    reductions(call)
    op_corners_complex.record(call)
    op_corners_contraction.record(call)
    op_corners_elementwise.record(call)
    op_corners_index.record(call)
    op_corners_reduction.record(call)
    op_corners_special.record(call)
    op_corners_statistics.record(call)


def reductions(call):
    for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool):
        empty = torch.zeros(2, 0, 3).to(dtype)
        for func in (aten.sum.default, aten.prod.default, aten.any.default, aten.all.default):
            call(func, (empty,), {}, f"empty {func} {dtype}")
        call(aten.sum.dim_IntList, (empty, [1]), {}, f"empty sum dim {dtype}")
    row = torch.tensor([[1.0, NAN, 3.0, NAN], [2.0, 2.0, -0.0, 0.0]])
    for func in (aten.max.dim, aten.min.dim, aten.argmax.default, aten.argmin.default,
                 aten.cumsum.default, aten.softmax.int, aten.log_softmax.int):
        call(func, (row, 1), {}, f"corner {func}")
    for func in (aten.sort.default, aten.amax.default, aten.amin.default):
        call(func, (row,), {}, f"corner {func}")
    masked = torch.full((2, 4), -INF)
    for func in (aten.softmax.int, aten.log_softmax.int, aten._safe_softmax.default):
        call(func, (masked, 1), {}, f"masked {func}")
