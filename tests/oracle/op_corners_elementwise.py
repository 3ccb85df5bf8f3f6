"""Elementwise calls that torch's samples leave out: every pair of types, numbers beside
tensors, casts, and what quantizes."""
import itertools

import torch

aten = torch.ops.aten
DTYPES = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
          torch.float16, torch.bfloat16, torch.float32, torch.float64)
FLOATS = DTYPES[6:]
NAN, INF = float("nan"), float("inf")


def some(dtype, *shape):
    x = torch.randint(-9, 10, shape).to(torch.float64) * (0.37 if dtype.is_floating_point
                                                          else 1)
    if dtype in (torch.uint8, torch.bool):
        x = x.abs()
    return x.to(dtype)


def not_zero(x):
    return torch.where(x == 0, torch.ones_like(x), x)


def pairs(call):
    for a, b in itertools.product(DTYPES, DTYPES):
        for left, right in (((3, 4), (4,)), ((3,), ()), ((), (2, 1)), ((), ())):
            x, y = some(a, *left), not_zero(some(b, *right))
            names = ["add", "mul", "div", "eq", "lt", "maximum", "where"]
            if torch.bool not in (a, b):
                names += ["sub", "remainder", "floor_divide", "fmod"]
            if not a.is_floating_point and not b.is_floating_point:
                names += ["bitwise_xor", "__and__", "__or__"]
            for name in names:
                packet = getattr(aten, name)
                label = f"{name} {a} {b}"
                if name == "where":
                    mask = some(torch.bool, *left)
                    call(packet.self, (mask, x, y), {}, label)
                elif "Tensor" in packet.overloads():
                    call(packet.Tensor, (x, y), {}, label)
                else:
                    call(packet.default, (x, y), {}, label)


def numbers(call):
    for dtype in DTYPES:
        x = some(dtype, 5, 3)
        for n in (True, 2, 300, -1, 0.3, 2.5, -7.25, 1e10):
            label = f"number {n} {dtype}"
            for name in ("add", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "sub",
                         "rsub", "remainder", "fmod", "floor_divide", "greater", "less",
                         "greater_equal", "less_equal", "not_equal", "multiply", "divide",
                         "subtract", "true_divide"):
                packet = getattr(aten, name)
                if "Scalar" in packet.overloads():
                    call(packet.Scalar, (x, n), {}, f"{name} {label}")
            for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "__and__", "__or__",
                         "__xor__"):
                if isinstance(n, int) and not dtype.is_floating_point:
                    call(getattr(aten, name).Scalar, (x, n), {}, f"{name} {label}")
                    if name[0] == "b":
                        call(getattr(aten, name).Scalar_Tensor, (n, x), {}, label)
            mask = some(torch.bool, 5, 3)
            call(aten.where.ScalarOther, (mask, x, n), {}, label)
            call(aten.where.ScalarSelf, (mask, n, x), {}, label)
            call(aten.where.Scalar, (mask, n, 3.5), {}, label)
            call(aten.masked_fill.Scalar, (x, mask, n), {}, label)
            call(aten.clamp.default, (x, -1, n), {}, label)
            call(aten.clamp_max.default, (x, n), {}, label)
            call(aten.clamp_min.default, (x, n), {}, label)
            call(aten.clip.default, (x, None, n), {}, label)
            call(aten.add.Tensor, (x, x), {"alpha": n}, label)
            call(aten.remainder.Scalar_Tensor, (n, not_zero(x)), {}, label)
            call(aten.fill.Scalar, (x, n), {}, label)
            call(aten.fill.Tensor, (x, torch.tensor(n)), {}, label)
            call(aten.full_like.default, (x, n), {}, label)
            call(aten.full.default, ([2], n), {"dtype": dtype}, label)
            call(aten.scalar_tensor.default, (n,), {"dtype": dtype}, label)
            call(aten.hardtanh.default, (x, -1, n), {}, label)
            call(aten.threshold.default, (x, n, 7), {}, label)
            for mode in ("trunc", "floor"):
                call(aten.div.Scalar_mode, (x, n), {"rounding_mode": mode}, label)
                call(aten.divide.Scalar_mode, (x, n), {"rounding_mode": mode}, label)


def powers(call):
    for dtype in DTYPES:
        x = some(dtype, 7)
        for n in (0, 1, 2, 3, -1, 0.5, -0.5, 2.5, -2.0, NAN):
            call(aten.pow.Tensor_Scalar, (x, n), {}, f"pow {n} {dtype}")
            call(aten.pow.Scalar, (n, x), {}, f"pow {n} {dtype}")
            call(aten.float_power.Tensor_Scalar, (x, n), {}, f"pow {n} {dtype}")
            call(aten.float_power.Scalar, (n, x), {}, f"pow {n} {dtype}")
        for other in DTYPES:
            call(aten.pow.Tensor_Tensor, (x, some(other, 7)), {}, f"pow {dtype} {other}")
        special = torch.tensor([0.0, -0.0, 1.0, INF, -INF, NAN, -2.0])
        if dtype.is_floating_point:
            for n in (0.5, -0.5, 0, NAN, INF, 2, 3):
                call(aten.pow.Tensor_Scalar, (special.to(dtype), n), {}, "pow corners")


def shifts(call):
    for dtype in DTYPES[1:6]:
        x = some(dtype, 6)
        by = torch.tensor([0, 1, 7, 8, 40, 64]).to(dtype)
        for name in ("bitwise_left_shift", "bitwise_right_shift"):
            packet = getattr(aten, name)
            call(packet.Tensor, (x, by), {}, f"shift {dtype}")
            call(packet.Tensor, (x, -by), {}, f"shift {dtype}")
            call(packet.Tensor_Scalar, (x, 3), {}, f"shift {dtype}")
            call(packet.Scalar_Tensor, (3, by), {}, f"shift {dtype}")
        for name in ("__lshift__", "__rshift__"):
            call(getattr(aten, name).Scalar, (x, 2), {}, f"shift {dtype}")
            call(getattr(aten, name).Tensor, (x, by.clamp(0, 3)), {}, f"shift {dtype}")


def casts(call):
    for a, b in itertools.product(DTYPES, DTYPES):
        x = some(a, 4, 3)
        if a.is_floating_point and b.is_floating_point:
            x = torch.cat([x.flatten(), torch.tensor(
                [NAN, INF, -INF, -0.0, 1e-8, 65519.0, 65520.0, 3e38, 1 + 2**-9 + 2**-12,
                 1 + 2**-11 + 2**-30, 1e-40]).to(a)])
        if b == torch.bool and a.is_floating_point:
            x = torch.cat([x.flatten(), torch.tensor([NAN, -0.0, 1e-30]).to(a)])
        label = f"{a} to {b}"
        call(aten._to_copy.default, (x,), {"dtype": b}, label)
        call(aten.to.dtype, (x, b), {}, label)
        call(aten.to.dtype_layout, (x,), {"dtype": b}, label)
        call(aten.type_as.default, (x, some(b, 1)), {}, label)
        call(aten.to.other, (x, some(b, 1)), {}, label)
        call(aten.copy.default, (some(b, 2, *x.shape), x), {}, label)
    x = torch.tensor([16777217, 2**53 + 1, -(2**62), 65519, 65520, 3 * 2**24 + 1])
    for b in FLOATS:
        call(aten._to_copy.default, (x,), {"dtype": b}, f"large to {b}")
        call(aten.eq.Tensor, (x, x.to(b)), {}, f"large eq {b}")
        call(aten.add.Tensor, (x, torch.tensor([1.0]).to(b)), {}, f"large add {b}")
        call(aten.eq.Scalar, (x, 16777216.0), {}, "large eq")
    for func in (aten.clone.default, aten.lift_fresh_copy.default, aten.contiguous.default,
                 aten.zero.default, aten.positive.default):
        call(func, (some(torch.float32, 3, 4).t(),), {}, f"{func}")
    for func in (aten.dropout.default, aten.alpha_dropout.default,
                 aten.feature_dropout.default, aten.feature_alpha_dropout.default):
        call(func, (some(torch.float32, 3, 4), 0.5, False), {}, f"{func}")
    call(aten.native_dropout.default, (some(torch.float32, 3, 4), 0.5, False), {}, "dropout")


def aliases(call):
    x = torch.rand(3, 5) * 0.9 + 0.05
    for name in ("absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh",
                 "fix", "negative", "special_digamma", "special_psi", "special_erf",
                 "special_erfc", "special_erfinv", "special_exp2", "special_expit",
                 "special_expm1", "special_gammaln", "special_log1p", "special_sinc",
                 "special_round", "special_logit", "sgn", "isneginf", "isposinf"):
        for dtype in FLOATS:
            y = (x + 1 if name == "arccosh" else x).to(dtype)
            call(getattr(aten, name).default, (y,), {}, f"{name} {dtype}")
    for dtype in FLOATS:
        y = torch.tensor([0.0, -0.0, 1.0, NAN, INF, 0.5]).to(dtype)
        z = torch.tensor([0.0, NAN, 0.0, 1.0, 0.0, -2.0]).to(dtype)
        for name in ("xlogy", "special_xlogy", "special_xlog1py"):
            packet = getattr(aten, name)
            for overload in packet.overloads():
                if "out" in overload.lower():
                    continue
                args = ((y, 0.5) if overload.lower().endswith("other") or
                        overload == "other_scalar" else
                        (0.5, z) if "elf" in overload else (y, z))
                call(getattr(packet, overload), args, {}, f"{name} {dtype}")
        call(aten.arctan2.default, (y, z), {}, f"arctan2 {dtype}")
        for eps in (None, 1e-3):
            call(aten.logit.default, (x.to(dtype), eps), {}, f"logit {dtype}")
        call(aten.erfinv.default, (torch.linspace(-1, 1, 101).to(dtype),), {}, "erfinv")
        call(aten.round.decimals, (torch.tensor([0.15, 2.675, -1.005, 1234.5]).to(dtype),),
             {"decimals": 2}, f"round {dtype}")
        call(aten.round.decimals, (torch.tensor([15.0, 25.0, -1250.0, 1234.5]).to(dtype),),
             {"decimals": -1}, f"round {dtype}")
        for func in (aten.hardshrink, aten.softshrink, aten.hardsigmoid, aten.threshold,
                     aten.log_sigmoid, aten.celu, aten.selu, aten.heaviside, aten.lgamma,
                     aten.digamma, aten.nan_to_num, aten.frac, aten.signbit, aten.tan):
            args = {aten.threshold: (0.5, 7), aten.heaviside: (z,)}.get(func, ())
            call(func.default, (y, *args), {}, f"corner {func} {dtype}")


def makers(call):
    for args in ((5,), (2.5,), (0,), (1, 6, 2.5), (1, 6), (-3, 3.5), (5, 0, -2), (0, 1, 0.1),
                 (1, 1), (2.0, 7, 2)):
        func = (aten.arange.default, aten.arange.start, aten.arange.start_step)[len(args) - 1]
        for dtype in (None, torch.int64, torch.int32, torch.float32, torch.bfloat16,
                      torch.float64):
            call(func, args, {"dtype": dtype}, f"arange {args} {dtype}")
    for args in ((0, 1, 5), (-2, 10, 7), (3, 3, 1), (1, 0, 0), (0.1, 0.7, 100)):
        for dtype in (None, torch.float64, torch.float16, torch.int64):
            call(aten.linspace.default, args, {"dtype": dtype}, f"linspace {args} {dtype}")
    for rows, columns in ((3, 3), (2, 4), (4, 2), (0, 3), (1, 1)):
        call(aten.eye.default, (rows,), {}, "eye")
        call(aten.eye.m, (rows, columns), {"dtype": torch.int64}, "eye")
        for diagonal in (0, 1, -1, 5, -5):
            for func in (aten.tril, aten.triu):
                call(func.default, (some(torch.float32, 2, rows, columns), diagonal), {},
                     f"{func}")
            for func in (aten.tril_indices, aten.triu_indices):
                call(func.default, (rows, columns, diagonal), {}, f"{func}")
    grid = [torch.arange(3), torch.arange(2), torch.tensor(7)]
    call(aten.meshgrid.default, (grid,), {}, "meshgrid")
    for indexing in ("ij", "xy"):
        call(aten.meshgrid.indexing, (grid,), {"indexing": indexing}, "meshgrid")
    call(aten.one_hot.default, (torch.tensor([[0, 2], [1, 1]]), 4), {}, "one_hot")
    for n in (3, 2.5, True):
        call(aten.full.default, ([2, 2], n), {}, "full")
        call(aten.scalar_tensor.default, (n,), {}, "scalar_tensor")
        call(aten.new_full.default, (some(torch.bfloat16, 1), [2], n), {}, "new_full")
    for func in (aten.zeros, aten.ones, aten.new_zeros, aten.new_ones):
        first = () if func in (aten.zeros, aten.ones) else (some(torch.int16, 1),)
        call(func.default, (*first, [2, 3]), {}, f"{func}")
        call(func.default, (*first, []), {"dtype": torch.bool}, f"{func}")


def quantizers(call):
    try:
        import torch.ao.quantization.fx._decomposed  # noqa: F401  registers them
    except ImportError:
        return
    ops = torch.ops.quantized_decomposed
    x = torch.cat([torch.randn(4, 6) * 3, torch.tensor(
        [[0.15, 0.35, 0.25, -0.25, 1e6, -1e6], [0.05, -0.05, 12.7, 12.75, 0.0, -0.0]])])
    for dtype, low, high in ((torch.int8, -128, 127), (torch.uint8, 0, 255),
                             (torch.int16, -32768, 32767), (torch.int32, -2**31, 2**20),
                             (torch.int8, -8, 7)):
        for scale, zero in ((0.1, 3), (0.5, 0), (0.037, -2)):
            for half in (torch.float32, torch.bfloat16, torch.float16):
                q_args = (scale, zero, low, high, dtype)
                call(ops.quantize_per_tensor.default, (x.to(half), *q_args), {}, "q")
            q = ops.quantize_per_tensor(x, *q_args)
            for out in (None, torch.float32, torch.float16, torch.bfloat16):
                call(ops.dequantize_per_tensor.default, (q, *q_args),
                     {"out_dtype": out}, "dq")
            t_args = (torch.tensor([scale]), torch.tensor([zero]), low, high, dtype)
            call(ops.quantize_per_tensor.tensor, (x, *t_args), {}, "q")
            call(ops.dequantize_per_tensor.tensor, (q, *t_args), {}, "dq")
            b_args = (*t_args[:2], torch.tensor(low), torch.tensor(high), dtype)
            call(ops.quantize_per_tensor.tensor2, (x, *b_args), {}, "q")
            call(ops.dequantize_per_tensor.tensor2, (q, *b_args), {}, "dq")
            call(aten.fake_quantize_per_tensor_affine.default, (x, scale, max(zero, low),
                 low, high), {}, "fq")
            call(aten.fake_quantize_per_tensor_affine.tensor_qparams,
                 (x, torch.tensor(scale), torch.tensor(max(zero, low), dtype=torch.int32),
                  torch.tensor([1]) if False else low, high), {}, "fq")
        for axis, kind in itertools.product((0, 1, -1), (torch.float32, torch.float64)):
            n = x.shape[axis]
            scales = (torch.rand(n) + 0.05).to(kind)
            zeros = torch.randint(max(low, -5), 5, (n,))
            c_args = (scales, zeros, axis, low, high, dtype)
            call(ops.quantize_per_channel.default, (x, *c_args), {}, "qc")
            q = ops.quantize_per_channel(x, *c_args)
            call(ops.dequantize_per_channel.default, (q, *c_args), {}, "dqc")
            call(ops.dequantize_per_channel.default, (q, scales, None, *c_args[2:]), {}, "dqc")
            if axis >= 0 and kind == torch.float32:
                f_args = (scales, zeros.to(torch.int32), axis, low, high)
                call(aten.fake_quantize_per_channel_affine.default, (x, *f_args), {}, "fqc")
        for kind in (torch.float32, torch.float64):
            scales, zeros = (torch.rand(6, 1) + .05).to(kind), torch.randint(0, 5, (6, 1))
            for half in (torch.float32, torch.bfloat16):
                t_args = (scales, zeros, low, high, dtype)
                call(ops.quantize_per_token.default, (x.to(half), *t_args), {}, "qt")
            q = ops.quantize_per_token(x, *t_args)
            call(ops.dequantize_per_token.default, (q, *t_args, torch.float32), {}, "dqt")
            scales, zeros = (torch.rand(6, 2) + .05).to(kind), torch.randint(0, 5, (6, 2))
            g_args = (scales, zeros, low, high, dtype, 3)
            call(ops.quantize_per_channel_group.default, (x, *g_args), {}, "qg")
            q = ops.quantize_per_channel_group(x, *g_args)
            call(ops.dequantize_per_channel_group.default, (q, *g_args, torch.float32), {},
                 "dqg")
    for half in (torch.float32, torch.float16, torch.bfloat16):
        for y in (x, x[:4], x[:4].abs(), -x[:4].abs(), torch.zeros(2, 3)):
            y = y.to(half)
            for dtype, low, high in ((torch.int8, -128, 127), (torch.uint8, 0, 255)):
                for func in (ops.choose_qparams.tensor, ops.choose_qparams_symmetric.tensor):
                    call(func, (y, low, high, 1e-6, dtype), {}, "choose")
            call(ops.choose_qparams_per_token.default, (y, torch.int8), {}, "choose token")
            for name in ("choose_qparams_per_token_asymmetric",
                         "_choose_qparams_per_token_asymmetric_impl"):
                call(getattr(ops, name).default, (y, torch.int8), {}, "choose token")
    tables(call, ops)
    blockwise(call)


def blockwise(call):
    try:
        import torchao.quantization.quant_primitives  # noqa: F401  registers them
    except ImportError:
        return
    ops = torch.ops.torchao
    x = torch.cat([torch.randn(4, 6) * 3, torch.tensor(
        [[0.15, 0.35, 0.25, -0.25, 1e4, -1e4], [0.05, -0.05, 12.7, 12.75, 0.0, -0.0]])])
    plans = (([1, 6], x), ([6, 6], x), ([1, 3], x), ([2, 1], x), ([3, 2], x), ([1, 1], x), ([0, 6], x[:0]),
             ([1, 2, 3], x.view(3, 2, 6)), ([6, 6], torch.zeros(6, 6)), ([1, 6], x.abs()),
             ([1, 6], -x.abs()), ([3, 6], x.t().contiguous().t()))
    grids = ((torch.int8, -128, 127), (torch.uint8, 0, 255), (torch.int8, -8, 7),
             (torch.int16, None, None), (torch.int32, -2**31, 2**20), (torch.uint8, 1, 14))
    mappings = ("ASYMMETRIC", "SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR")
    for (block, y), (dtype, low, high), half in itertools.product(
            plans, grids, (torch.float32, torch.float16, torch.bfloat16)):
        y = y.to(half)
        for mapping in mappings:
            if mapping == "SYMMETRIC_NO_CLIPPING_ERR" and low == 0:
                continue
            args = (y, mapping, block, dtype, low, high)
            for rest in ((), (1e-5, torch.float32, torch.int8, True), (None, torch.float64, torch.int64)):
                call(ops.choose_qparams_affine.default, (*args, *rest), {}, "choose affine")
        try:
            scale, zero = ops.choose_qparams_affine(y, "ASYMMETRIC", block, dtype, low, high)
            codes = ops.quantize_affine(y, block, scale, zero, dtype, low, high)
        except (RuntimeError, IndexError):
            continue
        for zeros in (zero, zero.to(torch.int64), zero.to(torch.float32)):
            call(ops.quantize_affine.default, (y, block, scale, zeros, dtype, low, high), {}, "qa")
            for out in (torch.float32, half):
                call(ops.dequantize_affine.default, (codes, block, scale, zeros, dtype, low, high, out), {}, "dqa")
        call(ops.dequantize_affine.default, (codes, block, scale, None, dtype, low, high), {}, "dqa")


def tables(call, ops):
    try:
        import executorch.exir.passes._quant_patterns_and_replacements  # noqa: F401
    except ImportError:
        return
    rows = torch.tensor([[0, 3], [3, 1]])
    for bits, name in ((8, "embedding_byte"), (4, "embedding_4bit"), (2, "embedding_2bit")):
        packed = torch.randint(0, 256, (4, 8 * bits // 8)).to(torch.uint8)
        if bits == 8:
            packed = packed.view(torch.int8)
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        for groups, kind in itertools.product((None, 1, 2), (torch.float32, torch.float16)):
            shape = (4,) if groups is None else (4, groups)
            scales = (torch.rand(shape) + 0.1).to(kind)
            for zeros in (None, torch.randint(-2, 2, shape).to(kind)):
                args = (packed, scales, zeros, low, high, rows)
                call(getattr(ops, name).default, args, {}, name)
                call(getattr(ops, name).dtype, args, {"dtype": torch.float32}, name)


def record(call):
    for part in (pairs, numbers, powers, shifts, casts, aliases, makers, quantizers):
        part(call)
