"""Calls of reductions, orders, pools and resampling that torch's samples leave out."""
import itertools

import torch

aten = torch.ops.aten
NAN, INF = float("nan"), float("inf")
FLOATS = torch.float32, torch.float64, torch.float16, torch.bfloat16


def record(call):
    torch.manual_seed(1)
    for dtype in FLOATS:
        norms(call, dtype)
        distances(call, dtype)
        windows(call, dtype)
        gradients(call, dtype)
        resampling(call, dtype)
        grids(call, dtype)
        orders(call, dtype)
    truths(call)
    nearest_indices(call)


def norms(call, dtype):
    x = torch.randn(3, 4, 5).to(dtype)
    x[0, 0, 0] = NAN
    for p in (0, 1, 2, 3, 0.5, -1, INF, -INF):
        call(aten.linalg_vector_norm.default, (x, p, [1]), {}, f"norm {p} {dtype}")
        call(aten.norm.ScalarOpt_dim, (x, p, [0, 2], True), {}, f"norm dims {p} {dtype}")
    call(aten.linalg_norm.default, (x,), {}, f"linalg norm {dtype}")
    call(aten.linalg_norm.default, (x, 3, [1], True), {}, f"linalg norm {dtype}")
    call(aten.linalg_norm.default, (x[1], None, [0, 1]), {}, f"linalg norm {dtype}")
    call(aten.norm.ScalarOpt_dtype, (x, 2), {"dtype": torch.float64}, f"norm {dtype}")
    call(aten.norm.ScalarOpt_dim_dtype, (x, 2, [1], False), {"dtype": torch.float64},
         f"norm {dtype}")
    call(aten.frobenius_norm.dim, (x, [0, 1]), {}, f"frobenius {dtype}")
    rows = torch.tensor([[INF, 1, 2], [-INF, -INF, -INF], [NAN, 0, 1], [-INF, 1, 700]])
    call(aten.logsumexp.default, (rows.to(dtype), [1]), {}, f"logsumexp {dtype}")
    call(aten.logsumexp.default, (torch.zeros(2, 0).to(dtype), [1]), {}, "logsumexp empty")
    for func in (aten.logcumsumexp.default, aten._logcumsumexp.default):
        call(func, (rows.to(dtype), 1), {}, f"logcumsumexp {dtype}")
    for func in (aten.nansum.default, aten.nanmean.default, aten.sum.dim_IntList,
                 aten.mean.dim, aten.var.correction, aten.std_mean.correction):
        call(func, (x.transpose(0, 2), [0, 1]), {}, f"strided {func} {dtype}")
        call(func, (x.transpose(0, 2), [1]), {"keepdim": True}, f"strided {func} {dtype}")
        call(func, (torch.zeros(2, 0).to(dtype), [1]), {}, f"empty {func} {dtype}")
    for correction in (0, 1, 2.5, 5, 6):
        call(aten.var.correction, (x, [2]), {"correction": correction}, "var correction")


def distances(call, dtype):
    a, b = torch.randn(2, 5, 7).to(dtype), torch.randn(2, 3, 7).to(dtype)
    for p in (0, 1, 2, 3, INF):
        call(aten._cdist_forward.default, (a, b, float(p), 2), {}, f"cdist {p} {dtype}")
        call(aten.cdist.default, (a, b, float(p), 2), {}, f"cdist {p} {dtype}")
        call(aten._pdist_forward.default, (a[0], float(p)), {}, f"pdist {p} {dtype}")
        call(aten.dist.default, (a[0], b[0, :1], p), {}, f"dist {p} {dtype}")
    call(aten.cosine_similarity.default, (a[:, :3], b, -1), {}, f"cosine {dtype}")
    call(aten.trace.default, (a[0],), {}, f"trace {dtype}")


def windows(call, dtype):
    x = torch.randn(2, 3, 11, 9).to(dtype)
    x[0, 0, 2, 2:4] = NAN
    x[0, 1] = -INF
    sizes = itertools.product((2, 3), (1, 2, 3), (0, 1), (1, 2), (False, True))
    for kernel, stride, padding, dilation, ceil in sizes:
        args = [kernel], [stride], [padding]
        label = f"{kernel} {stride} {padding} {dilation} {ceil} {dtype}"
        if dilation == 1:
            for count in (False, True):
                call(aten.avg_pool1d.default, (x[0], *args, ceil, count), {}, label)
                call(aten.avg_pool2d.default, (x, *args, ceil, count), {}, label)
                call(aten.avg_pool3d.default, (x, *args, ceil, count), {}, label)
        call(aten.max_pool1d.default, (x[0], *args, [dilation], ceil), {}, label)
        call(aten.max_pool1d_with_indices.default, (x[0], *args, [dilation], ceil), {}, label)
        call(aten.max_pool2d.default, (x, *args, [dilation], ceil), {}, label)
        call(aten.max_pool2d_with_indices.default, (x, *args, [dilation], ceil), {}, label)
        call(aten.max_pool3d_with_indices.default,
             (x, [1, kernel, kernel], [stride], [0, padding, padding], [dilation], ceil), {},
             label)
    call(aten.avg_pool2d.default, (x, [3, 2], [], [1, 0], True, False, 5), {}, "divisor")
    call(aten.max_pool2d_with_indices.default,
         (x.to(memory_format=torch.channels_last), [3, 3], [2, 2], [1, 1]), {}, "last")
    for out in ([1, 1], [3, 4], [11, 9], [13, 20]):
        call(aten.adaptive_avg_pool2d.default, (x, out), {}, f"adaptive {out}")
        call(aten._adaptive_avg_pool2d.default, (x, out), {}, f"adaptive {out}")
        call(aten.adaptive_max_pool2d.default, (x, out), {}, f"adaptive {out}")
        call(aten.adaptive_max_pool1d.default, (x[0], out[:1]), {}, f"adaptive {out}")
        call(aten.adaptive_avg_pool3d.default, (x, [2, *out]), {}, f"adaptive {out}")
        call(aten.adaptive_max_pool3d.default, (x, [2, *out]), {}, f"adaptive {out}")


def gradients(call, dtype):
    x = torch.randn(2, 3, 9, 7).to(dtype)
    for stride, padding, ceil in itertools.product((1, 2, 3), (0, 1), (False, True)):
        args = [3, 2], [stride], [padding]
        label = f"gradient {stride} {padding} {ceil} {dtype}"
        for count, divisor in ((False, None), (True, None), (True, 3)):
            grad = torch.randn_like(aten.avg_pool2d(x, *args, ceil))
            call(aten.avg_pool2d_backward.default,
                 (grad, x, *args, ceil, count, divisor), {}, label)
        grad, indices = aten.max_pool2d_with_indices(x, *args, [1], ceil)
        call(aten.max_pool2d_with_indices_backward.default,
             (grad, x, *args, [1], ceil, indices), {}, label)
    for out in ([1, 1], [3, 4], [13, 20]):
        call(aten._adaptive_avg_pool2d_backward.default,
             (torch.randn(2, 3, *out).to(dtype), x), {}, f"gradient {out} {dtype}")


RESAMPLED = (("linear1d", 1), ("bilinear2d", 2), ("trilinear3d", 3), ("bicubic2d", 2))


def resampling(call, dtype):
    x = torch.randn(1, 2, 7, 6).to(dtype)
    for name, rank in RESAMPLED:
        packet = getattr(aten, f"upsample_{name}")
        part = torch.randn(1, 2, *(5, 7, 6)[3 - rank:]).to(dtype)
        for align, factor in itertools.product((False, True), (0.4, 1.0, 1.7, 2.0, 3.3)):
            label = f"{name} {align} {factor} {dtype}"
            out = [int(n * factor) for n in part.shape[2:]]
            call(packet.vec, (part, None, align, [factor] * rank), {}, label)
            call(packet.vec, (part, out, align, None), {}, label)
            call(packet.default, (part, out, align), {}, label)
    for name in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        packet = getattr(aten, name)
        for align, out in itertools.product((False, True), ([3, 2], [7, 6], [15, 11], [1, 1])):
            call(packet.default, (x, out, align), {}, f"{name} {align} {out} {dtype}")
            call(packet.vec, (x, None, align, [0.5, 0.7]), {}, f"{name} {align} {dtype}")


def nearest_indices(call):
    for size in (5, 6, 7, 10, 49):
        x = torch.arange(size * 2, dtype=torch.float32).reshape(1, 2, size)
        for out in range(1, 3 * size, 4):
            for name in ("upsample_nearest", "_upsample_nearest_exact"):
                call(getattr(aten, name + "1d").default, (x, [out]), {}, f"{name} {out}")
                call(getattr(aten, name + "1d").default, (x.double(), [out]), {}, f"{name}")
                call(getattr(aten, name + "2d").default, (x[None], [3, out]), {}, f"{name}")
        for factor in (0.3, 0.7, 1.1, 1.5, 2.0, 2.3, 3.0, 3.7):
            for name in ("upsample_nearest", "_upsample_nearest_exact"):
                call(getattr(aten, name + "1d").vec, (x, None, [factor]), {}, f"{name} {factor}")
                call(getattr(aten, name + "2d").vec, (x[None], None, [1.0, factor]), {}, name)
                call(getattr(aten, name + "3d").vec, (x[None, None], None, [2, 1, factor]), {},
                     name)


def grids(call, dtype):
    x = torch.randn(2, 3, 5, 6).to(dtype)
    grid = (torch.rand(2, 4, 4, 2) * 3 - 1.5).to(dtype)
    if dtype.itemsize > 2:  # 16 bits make an index of them that is no rule
        grid[0, 0, 0] = NAN
        grid[0, 0, 1] = INF
    for mode, padding, align in itertools.product(range(3), range(3), (False, True)):
        call(aten.grid_sampler_2d.default, (x, grid, mode, padding, align), {},
             f"grid {mode} {padding} {align} {dtype}")
        if mode < 2:
            deep = torch.cat([grid, grid[..., :1]], -1)[:, None]
            call(aten.grid_sampler_3d.default, (x[:, :, None], deep, mode, padding, align), {},
                 f"grid 3d {mode} {padding} {align} {dtype}")
    for align in (False, True):
        call(aten.affine_grid_generator.default,
             (torch.randn(2, 2, 3).to(dtype), [2, 3, 4, 5], align), {}, f"affine {dtype}")
        call(aten.affine_grid_generator.default,
             (torch.randn(2, 3, 4).to(dtype), [2, 3, 1, 4, 5], align), {}, f"affine {dtype}")


def orders(call, dtype):
    x = torch.tensor([[3, NAN, -0.0, 0.0, INF, NAN, -INF, 1], [2, 2, 1, 7, -1, 5, 4, 3]])
    x = x.to(dtype)
    for descending in (False, True):
        call(aten.sort.stable, (x,), {"stable": True, "dim": 1, "descending": descending},
             f"sort {dtype}")
        call(aten.sort.stable, (x,), {"stable": True, "dim": 0, "descending": descending},
             f"sort {dtype}")
        call(aten.argsort.stable, (x,), {"stable": True, "descending": descending},
             f"argsort {dtype}")
        call(aten.topk.default, (x, 3, 1, descending), {}, f"topk {dtype}")
    call(aten.msort.default, (x,), {}, f"msort {dtype}")
    for func in (aten.cummax.default, aten.cummin.default, aten.max.dim, aten.min.dim,
                 aten.median.dim, aten.nanmedian.dim, aten.cumsum.default,
                 aten.cumprod.default):
        call(func, (x, 1), {}, f"{func} {dtype}")
        call(func, (x, 0), {}, f"{func} {dtype}")
        call(func, (x[0, 0], 0), {}, f"scalar {func} {dtype}")
    for func in (aten.max.default, aten.min.default, aten.median.default, aten.aminmax.default,
                 aten.nanmedian.default, aten.argmax.default, aten.argmin.default,
                 aten._aminmax.default):
        call(func, (x,), {}, f"{func} {dtype}")
    call(aten._aminmax.dim, (x, 1, True), {}, f"aminmax {dtype}")
    for k in (1, 4, 8):
        call(aten.kthvalue.default, (x, k, 1), {}, f"kthvalue {dtype}")
    call(aten.median.default, (x[:0],), {}, f"median {dtype}")


def truths(call):
    x = torch.tensor([[True, False], [True, True]])
    for dtype in (torch.bool, torch.uint8, torch.float32, torch.int64):
        for packet in (aten.any, aten.all):
            for dims in (None, [], [0], [0, 1]):
                call(packet.dims, (x.to(dtype), dims), {}, f"{packet} {dims}")
            call(packet.dim, (x.to(dtype), 1, True), {}, f"{packet}")
    call(aten._is_all_true.default, (x,), {}, "all")
    call(aten._is_any_true.default, (x,), {}, "any")
    big = torch.tensor([2**62, 2**62 + 1, -(2**62), 5])
    for func in (aten.max.default, aten.sum.default, aten.prod.default, aten.argmax.default,
                 aten.median.default):
        call(func, (big,), {}, f"{func} large")
    call(aten.sum.dim_IntList, (torch.tensor([1.7, 2.7]), [0]), {"dtype": torch.int64}, "cast")
    call(aten.sum.default, (big.int(),), {"dtype": torch.float16}, "cast")
    call(aten.cumsum.default, (torch.tensor([1.7, 2.7]), 0), {"dtype": torch.int64}, "cast")
    call(aten.cumsum.default, (x, 0), {}, "cumsum bool")
