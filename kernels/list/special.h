/* Special functions, and the parts of floats. */
KERNEL("aten::i0", i0, none, POWER, ANY, "torch._refs.i0")
KERNEL("aten::special_i0", i0, none, POWER, ANY, "torch._refs.i0")
KERNEL("aten::special_i0e", i0e, none, POWER, ANY, "torch._refs.special.i0e")
KERNEL("aten::special_i1", i1, none, POWER, ANY, "torch._refs.special.i1")
KERNEL("aten::special_i1e", i1e, none, POWER, ANY, "torch._refs.special.i1e")
KERNEL("aten::special_modified_bessel_i0", i0, none, POWER, ANY, "torch._refs.i0")
KERNEL("aten::special_modified_bessel_i1", i1, none, POWER, ANY,
       "torch._refs.special.i1")
KERNEL("aten::special_modified_bessel_k0", modified_bessel_k0, none, POWER, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_modified_bessel_k1", modified_bessel_k1, none, POWER, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_scaled_modified_bessel_k0", scaled_modified_bessel_k0, none,
       POWER, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_scaled_modified_bessel_k1", scaled_modified_bessel_k1, none,
       POWER, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_bessel_j0", bessel_j0, none, POWER, ANY,
       "torch._refs.special.bessel_j0")
KERNEL("aten::special_bessel_j1", bessel_j1, none, POWER, ANY,
       "torch._refs.special.bessel_j1")
KERNEL("aten::special_bessel_y0", bessel_y0, none, POWER, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_bessel_y1", bessel_y1, none, POWER, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_spherical_bessel_j0", spherical_bessel_j0, none, POWER, ANY,
       "torch._refs.special.spherical_bessel_j0")
KERNEL("aten::special_airy_ai", airy_ai, none, POWER, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_erfcx", erfcx, none, POWER, ANY, "torch._refs.special.erfcx")
KERNEL("aten::special_log_ndtr", log_ndtr, none, POWER, ANY,
       "torch._refs.special.log_ndtr")
KERNEL("aten::special_ndtr", ndtr, none, POWER, ANY, "torch._refs.special.ndtr")
KERNEL("aten::special_ndtri", ndtri, none, POWER, ANY, "torch._refs.special.ndtri")
KERNEL("aten::special_entr", entr, none, FUNCTION, ANY, "torch._refs.special.entr")
KERNEL("aten::special_zeta", zeta, none, POWER, ANY, "torch._refs.special.zeta")
KERNEL("aten::special_zeta.other_scalar", zeta, none, POWER, ANY,
       "torch._refs.special.zeta")
KERNEL("aten::special_zeta.self_scalar", zeta, none, POWER, ANY,
       "torch._refs.special.zeta")
KERNEL("aten::polygamma", polygamma, none, POWER, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_polygamma", polygamma, none, POWER, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::igamma", igamma, none, POWER, FLOAT, "torch._refs.igamma")
KERNEL("aten::special_gammainc", igamma, none, POWER, FLOAT, "torch._refs.igamma")
KERNEL("aten::igammac", igammac, none, POWER, FLOAT, "torch._refs.igammac")
KERNEL("aten::special_gammaincc", igammac, none, POWER, FLOAT, "torch._refs.igammac")
KERNEL("aten::mvlgamma", mvlgamma, none, POWER, ANY, "torch._refs.special.multigammaln")
KERNEL("aten::special_multigammaln", mvlgamma, none, POWER, ANY,
       "torch._refs.special.multigammaln")
KERNEL("aten::special_chebyshev_polynomial_t", chebyshev_t, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_t.x_scalar", chebyshev_t, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_t.n_scalar", chebyshev_t, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_t", shifted_chebyshev_t, none, SCAN,
       ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_t.x_scalar", shifted_chebyshev_t,
       none, SCAN, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_t.n_scalar", shifted_chebyshev_t,
       none, SCAN, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_u", chebyshev_u, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_u.x_scalar", chebyshev_u, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_u.n_scalar", chebyshev_u, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_u", shifted_chebyshev_u, none, SCAN,
       ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_u.x_scalar", shifted_chebyshev_u,
       none, SCAN, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_u.n_scalar", shifted_chebyshev_u,
       none, SCAN, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_v", chebyshev_v, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_v.x_scalar", chebyshev_v, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_v.n_scalar", chebyshev_v, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_v", shifted_chebyshev_v, none, SCAN,
       ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_v.x_scalar", shifted_chebyshev_v,
       none, SCAN, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_v.n_scalar", shifted_chebyshev_v,
       none, SCAN, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_w", chebyshev_w, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_w.x_scalar", chebyshev_w, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_chebyshev_polynomial_w.n_scalar", chebyshev_w, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_w", shifted_chebyshev_w, none, SCAN,
       ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_w.x_scalar", shifted_chebyshev_w,
       none, SCAN, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_shifted_chebyshev_polynomial_w.n_scalar", shifted_chebyshev_w,
       none, SCAN, ANY, "aten/src/ATen/native/Math.h")
KERNEL("aten::special_hermite_polynomial_h", hermite_h, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_hermite_polynomial_h.x_scalar", hermite_h, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_hermite_polynomial_h.n_scalar", hermite_h, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_hermite_polynomial_he", hermite_he, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_hermite_polynomial_he.x_scalar", hermite_he, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_hermite_polynomial_he.n_scalar", hermite_he, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_laguerre_polynomial_l", laguerre_l, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_laguerre_polynomial_l.x_scalar", laguerre_l, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_laguerre_polynomial_l.n_scalar", laguerre_l, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_legendre_polynomial_p", legendre_p, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_legendre_polynomial_p.x_scalar", legendre_p, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::special_legendre_polynomial_p.n_scalar", legendre_p, none, SCAN, ANY,
       "aten/src/ATen/native/Math.h")
KERNEL("aten::ldexp.Tensor", ldexp, none, POWER, ANY,
       "aten/src/ATen/native/BinaryOps.cpp")
KERNEL("aten::frexp.Tensor", frexp, none, EXACT, FLOAT, "torch._refs.frexp")
KERNEL("aten::nextafter", nextafter, none, EXACT, FLOAT, "torch._refs.nextafter")
