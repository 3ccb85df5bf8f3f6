"""Calls of statistics, signals and windows that torch's samples leave out."""
import torch

aten = torch.ops.aten
NAN, INF = float("nan"), float("inf")
FLOATS = torch.float32, torch.float64, torch.float16, torch.bfloat16
WHOLE = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64


def record(call):
    torch.manual_seed(2)
    for dtype in FLOATS:
        windows(call, dtype)
        histograms(call, dtype)
        segments(call, dtype)
        pools(call, dtype)
    for dtype in FLOATS + WHOLE:
        spaces(call, dtype)
        memberships(call, dtype)
        gradients(call, dtype)
        integrals(call, dtype)
    for dtype in FLOATS + WHOLE + (torch.bool,):
        hashes(call, dtype)
        masked(call, dtype)
        chunks(call, dtype)
    images(call)
    for dtype in (torch.float32, torch.float64):
        quantiles(call, dtype)
        transforms(call, dtype)


def windows(call, dtype):
    kind = {"dtype": dtype}
    for n in (0, 1, 2, 5, 16, 33, 400):
        for name in ("bartlett", "blackman", "hann", "hamming", "kaiser"):
            packet = getattr(aten, f"{name}_window")
            if name == "kaiser" and dtype is torch.float16:
                continue
            call(packet.default, (n,), kind, f"{name} {n} {dtype}")
            for periodic in (False, True):
                call(packet.periodic, (n, periodic), kind, f"{name} {n} {periodic} {dtype}")
        call(aten.hamming_window.periodic_alpha, (n, True, 0.6), kind, f"hamming {n} {dtype}")
        call(aten.hamming_window.periodic_alpha_beta, (n, False, 0.6, 0.3), kind,
             f"hamming {n} {dtype}")
        if dtype is not torch.float16:
            for beta in (0.0, 3.5, 14.0):
                call(aten.kaiser_window.beta, (n, True, beta), kind, f"kaiser {beta} {dtype}")
    call(aten.hann_window.default, (7,), {}, "hann")


def spaces(call, dtype):
    kind = {"dtype": dtype}
    for start, end in ((0, 10), (0.5, 9.7), (3, 1), (2, 2)):
        for steps in (0, 1, 2, 5, 6, 51):
            call(aten.linspace.default, (start, end, steps), kind, f"linspace {dtype}")
            call(aten.linspace.Tensor_Scalar, (torch.tensor(start), end, steps), kind,
                 f"linspace {dtype}")
            call(aten.logspace.default, (start / 5, end / 5, steps), kind, f"logspace {dtype}")
            call(aten.logspace.Scalar_Tensor, (start, torch.tensor(end), steps, 2.0 if end < 5 else 1.5),
                 kind, f"logspace {dtype}")
    call(aten.linspace.default, (-1, 1, 3), {}, "linspace")


def histograms(call, dtype):
    x = torch.randn(40).to(dtype)
    x[3] = x[4]
    for bins in (1, 3, 10):
        call(aten.histc.default, (x, bins), {}, f"histc {bins} {dtype}")
        call(aten.histc.default, (x, bins, -1, 1.5), {}, f"histc {bins} {dtype}")
    holes = x.clone()
    holes[5], holes[6] = NAN, INF
    call(aten.histc.default, (holes, 4, -2, 2), {}, f"histc nan {dtype}")
    call(aten.histc.default, (torch.full((3,), 2.0).to(dtype), 4), {}, f"histc same {dtype}")
    call(aten.histc.default, (torch.zeros(0).to(dtype), 4), {}, f"histc empty {dtype}")
    edges = torch.tensor([-2.0, -0.5, 0.0, 0.5, 3.0]).to(dtype)
    for density in (False, True):
        call(aten.histogram.bins_tensor, (holes, edges), {"density": density},
             f"histogram {dtype}")
        call(aten.histogram.bins_tensor, (x, edges), {"weight": x.abs(), "density": density},
             f"histogram weight {dtype}")
    if dtype not in (torch.float32, torch.float64):
        return
    call(aten.histogram.bin_ct, (x, 7), {}, f"histogram {dtype}")
    call(aten.histogram.bin_ct, (x, 7), {"range": [-1.0, 2.0], "density": True},
         f"histogram range {dtype}")
    points = torch.randn(30, 2).to(dtype)
    call(aten.histogramdd.int_bins, (points, 3), {}, f"histogramdd {dtype}")
    call(aten.histogramdd.default, (points, [3, 4]), {"range": [-1.0, 1.0, -2.0, 2.0]},
         f"histogramdd {dtype}")
    call(aten._histogramdd_bin_edges.default, (points, [3, 4]), {}, f"edges {dtype}")
    call(aten._histogramdd_from_bin_cts.default, (points, [3, 4]), {"density": True},
         f"histogramdd {dtype}")


def quantiles(call, dtype):
    x = torch.randn(4, 5, 6).to(dtype)
    holes = x.clone()
    holes[0, 1, 2], holes[1] = NAN, NAN
    q = torch.tensor([0.0, 0.1, 0.5, 0.73, 1.0]).to(dtype)
    for how in ("linear", "lower", "higher", "midpoint", "nearest"):
        for func in (aten.quantile, aten.nanquantile):
            for keepdim in (False, True):
                call(func.default, (holes, q, 1, keepdim), {"interpolation": how},
                     f"{func} {how} {dtype}")
            call(func.scalar, (x, 0.3), {"interpolation": how}, f"{func} {how} {dtype}")
            call(func.scalar, (x, 0.3, None, True), {"interpolation": how}, f"{func} {how}")
            call(func.default, (x.transpose(0, 2), q[1], -1), {"interpolation": how}, f"{func}")
    infinite = torch.tensor([-INF, 1.0, INF, INF]).to(dtype)
    call(aten.quantile.default, (infinite, q), {}, f"quantile inf {dtype}")


def integrals(call, dtype):
    y = torch.randint(0, 9, (3, 4)).to(dtype)
    x = torch.tensor([1, 2, 4, 7]).to(dtype)
    for func in (aten.trapezoid, aten.trapz, aten.cumulative_trapezoid):
        call(func.dx, (y,), {}, f"{func} {dtype}")
        call(func.dx, (y,), {"dx": 0.25, "dim": 0}, f"{func} {dtype}")
        call(func.x, (y, x), {}, f"{func} {dtype}")
        call(func.x, (y, x[:3]), {"dim": 0}, f"{func} {dtype}")
        call(func.x, (y, y + x), {"dim": 0}, f"{func} {dtype}")
        call(func.dx, (y[:, :1],), {}, f"{func} {dtype}")
        call(func.x, (y, x), {"dim": -1}, f"{func} {dtype}")
    call(aten.trapezoid.dx, (y[:, :0],), {}, f"trapezoid empty {dtype}")


def gradients(call, dtype):
    if dtype is torch.uint8:
        return
    x = torch.randint(0, 50, (4, 5)).to(dtype)
    at = torch.tensor([0, 1, 3, 7, 12]).to(dtype)
    for order in (1, 2):
        edge = {"edge_order": order}
        call(aten.gradient.scalarint, (x,), {"spacing": 0.5, "dim": 1, **edge}, f"gradient {dtype}")
        call(aten.gradient.scalarint, (x,), edge, f"gradient {dtype}")
        call(aten.gradient.array, (x,), {"dim": [1, 0], **edge}, f"gradient {dtype}")
        call(aten.gradient.scalararray, (x,), {"spacing": 3, "dim": [0, -1], **edge},
             f"gradient {dtype}")
        call(aten.gradient.scalarrayint, (x,), {"spacing": [2, 0.1], **edge}, f"gradient {dtype}")
        call(aten.gradient.scalarrayarray, (x,), {"spacing": [2.0, 3], "dim": [1, 0], **edge},
             f"gradient {dtype}")
        call(aten.gradient.tensorarrayint, (x,), {"spacing": [at], "dim": 1, **edge},
             f"gradient {dtype}")
        call(aten.gradient.tensorarray, (x,), {"spacing": [at, at[:4]], "dim": [1, 0], **edge},
             f"gradient {dtype}")
    call(aten.gradient.scalarint, (x[0, :2],), {}, f"gradient of 2 {dtype}")


def segments(call, dtype):
    x = torch.randn(2, 7, 3).to(dtype)
    holes = x.clone()
    holes[0, 2, 1] = NAN
    lengths = torch.tensor([[2, 0, 5], [1, 3, 3]])
    offsets = torch.tensor([[0, 2, 2, 7], [0, 1, 4, 7]], dtype=torch.int32)
    for reduce in ("sum", "mean", "max", "min", "prod"):
        for initial in (None, 2, 0.5):
            more = {"axis": 1, "initial": initial}
            call(aten.segment_reduce.default, (holes, reduce), {"lengths": lengths, **more},
                 f"segments {reduce} {dtype}")
            call(aten.segment_reduce.default, (x, reduce), {"offsets": offsets, **more},
                 f"segments {reduce} {dtype}")
        call(aten.segment_reduce.default, (x[0], reduce),
             {"lengths": torch.tensor([3, 1]), "unsafe": True}, f"segments {reduce} {dtype}")


def memberships(call, dtype):
    x = torch.randint(0, 20, (5, 6)).to(dtype)
    tests = torch.tensor([3, 7, 7, 11]).to(dtype)
    for invert in (False, True):
        call(aten.isin.Tensor_Tensor, (x, tests), {"invert": invert}, f"isin {dtype}")
        call(aten.isin.Tensor_Tensor, (x, torch.arange(0, 19, 3.0)), {"invert": invert},
             f"isin {dtype}")
        call(aten.isin.Tensor_Scalar, (x, 7), {"invert": invert}, f"isin {dtype}")
        call(aten.isin.Tensor_Scalar, (x, 7.5), {"invert": invert}, f"isin {dtype}")
        call(aten.isin.Scalar_Tensor, (7, tests), {"invert": invert}, f"isin {dtype}")
        call(aten.isin.Scalar_Tensor, (7.5, tests), {"invert": invert}, f"isin {dtype}")
    call(aten.isin.Tensor_Tensor, (x, tests[:0]), {}, f"isin of none {dtype}")
    if dtype.is_floating_point:
        holes = torch.tensor([NAN, 1.0, -0.0, INF]).to(dtype)
        call(aten.isin.Tensor_Tensor, (holes, holes), {}, f"isin nan {dtype}")
        call(aten.isin.Tensor_Tensor, (holes, holes.repeat(30)), {}, f"isin nan {dtype}")


def hashes(call, dtype):
    x = torch.randint(-9, 9, (3, 4)).to(dtype)
    call(aten.hash_tensor.default, (x,), {}, f"hash {dtype}")
    call(aten.hash_tensor.default, (x, [0]), {"keepdim": True}, f"hash {dtype}")
    call(aten.hash_tensor.default, (x.t(), [0]), {}, f"hash {dtype}")


def masked(call, dtype):
    x = torch.randint(0, 9, (4, 5)).to(dtype)
    mask = torch.tensor([True, False, True])
    rows, columns = torch.tensor([0, 99, 3]), torch.tensor([4, -70, -1])
    call(aten._unsafe_masked_index.default, (x, mask, [rows, columns], 1), {},
         f"masked index {dtype}")
    call(aten._unsafe_masked_index_put_accumulate.default,
         (x, mask, [rows, columns], torch.tensor([1, 1, 1]).to(dtype)), {},
         f"masked index {dtype}")


def chunks(call, dtype):
    parts = [torch.randint(0, 9, (2, n)).to(dtype) for n in (4, 5, 1)]
    call(aten._chunk_cat.default, (parts, 1, 3), {}, f"chunks {dtype}")
    call(aten._chunk_cat.default, (parts, 0, 2), {}, f"chunks {dtype}")
    call(aten._chunk_cat.default, ([parts[0], parts[1][..., None]], 0, 3), {}, f"chunks {dtype}")


def images(call):
    """Bytes, which torch resamples in whole numbers."""
    for channels in (1, 3, 5):
        x = torch.randint(0, 256, (2, channels, 9, 11)).to(torch.uint8)
        for sizes in ([9, 11], [5, 11], [9, 30], [4, 3], [20, 23], [1, 2]):
            for aligned in (False, True):
                for name in ("upsample_bilinear2d", "upsample_bicubic2d",
                             "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
                    call(getattr(aten, name).default, (x, sizes, aligned), {},
                         f"{name} {channels} {sizes}")
                    call(getattr(aten, name).vec, (x, None, aligned, [1.7, 0.6]), {},
                         f"{name} {channels}")


def pools(call, dtype):
    x = torch.randn(2, 3, 6, 7).to(dtype)
    _, at = aten.max_pool2d_with_indices.default(x, [2, 2], [2, 2])
    small = x[:, :, ::2, :6:2]
    call(aten.max_unpool2d.default, (small, at, [6, 7]), {}, f"unpool {dtype}")
    call(aten.max_unpool2d.default, (small[0], at[0], [7, 8]), {}, f"unpool {dtype}")
    samples = torch.rand(2, 3, 2).to(dtype)
    call(aten.fractional_max_pool2d.default, (x, [2, 3], [4, 3], samples), {}, f"fractional {dtype}")
    x[0, 1, 2, 3] = NAN
    call(aten.fractional_max_pool2d.default, (x[0], [2, 2], [5, 4], samples), {},
         f"fractional {dtype}")
    volume = torch.randn(2, 3, 5, 6, 7).to(dtype)
    call(aten.fractional_max_pool3d.default,
         (volume, [2, 2, 3], [3, 4, 2], torch.rand(2, 3, 3).to(dtype)), {}, f"fractional {dtype}")


def transforms(call, dtype):
    x = torch.randn(2, 40).to(dtype)
    window = torch.hann_window(8, dtype=dtype)
    for whole in (None, False):
        for normalized in (False, True):
            how = {"normalized": normalized, "onesided": whole, "return_complex": True}
            call(aten.stft.default, (x, 8, 3, 8, window), how, f"stft {dtype}")
            spectra = aten.stft.center(x, 8, 3, 8, window, **how)
            call(aten.stft.center, (x, 8, 3, 8, window), how, f"stft {dtype}")
            back = {"normalized": normalized, "onesided": whole}
            call(aten.istft.default, (spectra, 8, 3, 8, window), back, f"istft {dtype}")
            call(aten.istft.default, (spectra[0], 8, 3, 8, window), {"length": 50, **back},
                 f"istft {dtype}")
    for mode in ("constant", "reflect", "replicate", "circular"):
        call(aten.stft.center, (x[0], 12, 4, 7), {"pad_mode": mode, "return_complex": True},
             f"stft {mode} {dtype}")
    call(aten.stft.default, (x, 9, 4, 5), {"return_complex": False}, f"stft pairs {dtype}")
    call(aten.stft.default, (x, 9, 4, 5), {"return_complex": True, "align_to_window": True},
         f"stft aligned {dtype}")
    both = torch.complex(x, x.flip(1))
    call(aten.stft.default, (both, 8, 2, 8, window), {}, f"stft complex {dtype}")
    spectra = aten.stft.center(both, 7, 2)
    call(aten.istft.default, (spectra, 7, 2), {"return_complex": True}, f"istft complex {dtype}")
    call(aten.istft.default, (spectra, 7, 2), {"center": False}, f"istft whole {dtype}")
