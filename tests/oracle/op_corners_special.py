"""Special functions at the ends of their domains, and spread over them."""
import torch

aten = torch.ops.aten
NAN, INF = float("nan"), float("inf")
ONE = ("i0", "special_i0", "special_i0e", "special_i1", "special_i1e", "special_entr",
       "special_ndtr", "special_erfcx", "special_ndtri", "special_log_ndtr", "special_bessel_j0",
       "special_bessel_j1", "special_bessel_y0", "special_bessel_y1",
       "special_modified_bessel_i0", "special_modified_bessel_i1",
       "special_modified_bessel_k0", "special_modified_bessel_k1",
       "special_scaled_modified_bessel_k0", "special_scaled_modified_bessel_k1",
       "special_spherical_bessel_j0", "special_airy_ai")
NARROW = ONE[:7]  # torch has the others of f32 and f64 only
POLYNOMIALS = tuple(f"special_{name}" for name in (
    "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
    "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "hermite_polynomial_h",
    "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"))
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.bool, torch.uint8, torch.int32, torch.int64)
CORNERS = [0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 90.0, -90.0, 3e38, INF, -INF, NAN, 0.5, -2.5]


def spread(dtype):
    near = torch.rand(40, dtype=torch.float64) * 2 - 1
    return [x.to(dtype) for x in (near.abs(), near * 9, near * 60, near.abs() * 30 + 1)]


def grid(values):
    return values.repeat_interleave(len(values)), values.repeat(len(values))


def functions(call):
    for name in ONE:
        func = getattr(aten, name).default
        for dtype in FLOATS if name in NARROW else FLOATS[2:]:
            for x in [*spread(dtype), torch.tensor(CORNERS).to(dtype)]:
                call(func, (x,), {}, f"{name} {dtype}")
        for dtype in INTEGERS:
            call(func, (torch.tensor([0, 1, 3, 7]).to(dtype),), {}, f"{name} {dtype}")


def gammas(call):
    for dtype in FLOATS:
        for x in [*spread(dtype), torch.tensor([*CORNERS, -1.5, -2.0]).to(dtype)]:
            for n in (0, 1, 2, 3, 7):
                call(aten.polygamma.default, (n, x), {}, f"polygamma {n} {dtype}")
                call(aten.special_polygamma.default, (n, x), {}, f"polygamma {n} {dtype}")
            for n in (1, 2, 5):
                for func in (aten.mvlgamma, aten.special_multigammaln):
                    call(func.default, (x.abs() + n, n), {}, f"mvlgamma {n} {dtype}")
        corners = torch.tensor([INF, NAN, 0.0, 1.0, -1.0, 3.0, 0.5, 40.0, 1e4]).to(dtype)
        pairs = [grid(corners)]
        for scale in (1, 10, 100, 3000):
            a, by = torch.rand(2, 40, dtype=torch.float64)
            pairs.append((a * scale, a * scale * (0.3 + 1.4 * by)))
            pairs.append((a * scale, (1 - by) * scale))
        for name in ("igamma", "igammac", "special_gammainc", "special_gammaincc"):
            for a, x in pairs:
                call(getattr(aten, name).default, (a.to(dtype), x.to(dtype)), {},
                     f"{name} {dtype}")
    for dtype in FLOATS[2:]:
        x = torch.rand(6, 1, dtype=torch.float64).to(dtype) * 12 + 1.01
        q = (torch.rand(1, 9, dtype=torch.float64) * 20).to(dtype) + 1e-3
        ends = grid(torch.tensor([*CORNERS, 2.0, 3.0, 4.0]).to(dtype))
        for args in ((x, q), ends, (x.round() + 1, -q)):
            call(aten.special_zeta.default, args, {}, f"zeta {dtype}")
        call(aten.special_zeta.other_scalar, (x, 2.5), {}, f"zeta {dtype}")
        call(aten.special_zeta.self_scalar, (3, q), {}, f"zeta {dtype}")
    call(aten.special_zeta.default, (torch.arange(2, 6), torch.arange(1, 5)), {}, "zeta")


def polynomials(call):
    for name in POLYNOMIALS:
        packet = getattr(aten, name)
        for dtype in FLOATS[2:]:
            x = torch.cat([torch.rand(1, 12, dtype=torch.float64) * 2 - 1, torch.tensor(
                [[1.0, -1.0, 0.0, 0.25, 3.5, -2.5, 8.0]])], 1).to(dtype)
            n = torch.tensor([-2.0, -0.5, 0.0, 1.0, 2.0, 3.7, 5.0, 9.0, 14.0]).to(dtype)
            call(packet.default, (x, n[:, None]), {}, f"{name} {dtype}")
            call(packet.n_scalar, (x, 7), {}, f"{name} {dtype}")
            call(packet.n_scalar, (x, 40), {}, f"{name} {dtype}")
            call(packet.x_scalar, (0.3, n), {}, f"{name} {dtype}")
        call(packet.default, (torch.arange(-3, 4), torch.arange(7)), {}, f"{name} i64")


def parts(call):
    for dtype in FLOATS:
        x = torch.tensor([*CORNERS, 3.0, 1e-40, 6e-8, -7.25, 65504.0]).to(dtype)
        call(aten.frexp.Tensor, (x,), {}, f"frexp {dtype}")
        call(aten.nextafter.default, (x[:, None], x[None]), {}, f"nextafter {dtype}")
        for by in (*INTEGERS[1:], *FLOATS):
            e = torch.tensor([0, 1, -1, 5, -30, 140, 200, -160]).to(by)
            call(aten.ldexp.Tensor, (x[:, None], e), {}, f"ldexp {dtype} {by}")


def record(call):
    torch.manual_seed(2)
    for part in (functions, gammas, polynomials, parts):
        part(call)
