/* Special functions: held to 30 digits of mpmath, and to torch in the corners. */
#include "unit/kernel_case.h"

#define NEAR 2e-15
#define AT_3(op, ...) EXPECT_NEAR(op, ARGS(D3(0.5, 3, 30)), NEAR, __VA_ARGS__)
#define D3(...) TENSOR(F64, DIMS(3), __VA_ARGS__)
#define F3(...) TENSOR(F32, DIMS(3), __VA_ARGS__)

START_TEST(modified_bessel_functions_are_near_the_last_digit)
{
    AT_3("aten::i0", D3(1.0634833707413236, 4.8807925858650245, 781672297823.9775));
    AT_3("aten::special_i1",
         D3(0.2578943053908963, 3.9533702174026093, 768532038938.957));
    AT_3("aten::special_i0e",
         D3(0.6450352704491501, 0.2430003541618254, 0.0731459464822373));
    AT_3("aten::special_modified_bessel_k0",
         D3(0.9244190712276659, 0.03473950438627925, 2.1324774964630563e-14));
    AT_3("aten::special_modified_bessel_k1",
         D3(1.656441120003301, 0.040156431128194184, 2.1677320018915495e-14));
    AT_3("aten::special_scaled_modified_bessel_k1",
         D3(2.731009708211786, 0.8065634801287869, 0.2316541293777118));
}

START_TEST(modified_bessel_functions_overflow_where_exp_does)
{
    EXPECT("aten::i0", ARGS(F3(89, INFINITY, -89)), F3(INFINITY, NAN, INFINITY));
    EXPECT("aten::special_i1", ARGS(F3(-89, -INFINITY, 0)), F3(-INFINITY, NAN, 0));
    EXPECT("aten::special_i1e", ARGS(F3(INFINITY, NAN, 0)), F3(0, NAN, 0));
    EXPECT("aten::special_modified_bessel_k0", ARGS(F3(0, -1, INFINITY)),
           F3(INFINITY, NAN, 0));
}

START_TEST(bessel_functions_have_the_phase_that_torch_rounds)
{
    AT_3("aten::special_bessel_j0",
         D3(0.9384698072408129, -0.26005195490193345, -0.08636798358104021));
    AT_3("aten::special_bessel_y1",
         D3(-1.471472392670243, 0.3246744247918, 0.08442557066174723));
    /* Of the phase that f32 has; exactly it is 0.000331. */
    EXPECT_NEAR("aten::special_bessel_j0", ARGS(TENSOR(F32, DIMS(1), 1e6)), 1e-8,
                TENSOR(F32, DIMS(1), 0.00031124879));
    EXPECT("aten::special_bessel_y0", ARGS(F3(0, -1, INFINITY)),
           F3(-INFINITY, NAN, NAN));
    EXPECT("aten::special_spherical_bessel_j0", ARGS(F3(0, INFINITY, NAN)),
           F3(1, 0, NAN));
}

START_TEST(airy_joins_its_three_parts)
{
    AT_3("aten::special_airy_ai",
         D3(0.23169360648083348, 0.006591139357460719, 3.2082175915504954e-49));
    EXPECT_NEAR("aten::special_airy_ai", ARGS(D3(-0.5, -3, -30)), 2e-14,
                D3(0.4757280916105396, -0.37881429367765806, -0.08796818845684216));
    EXPECT("aten::special_airy_ai", ARGS(F3(104, INFINITY, NAN)), F3(0, NAN, NAN));
}

START_TEST(shares_of_the_normal_distribution_keep_their_tails)
{
    AT_3("aten::special_erfcx",
         D3(0.6156903441929259, 0.17900115118138996, 0.01879588886141675));
    EXPECT_NEAR("aten::special_log_ndtr", ARGS(D3(-0.5, -3, -30)), NEAR,
                D3(-1.1759117615936185, -6.607726221510349, -454.3212439563432));
    EXPECT_NEAR("aten::special_ndtri", ARGS(D3(1e-20, 0.25, 0.75)), NEAR,
                D3(-9.262340089798407, -0.6744897501960817, 0.6744897501960817));
    EXPECT("aten::special_ndtri", ARGS(F3(0, 1, -0.5)), F3(-INFINITY, INFINITY, NAN));
    EXPECT("aten::special_ndtr", ARGS(F3(0, INFINITY, -10)), F3(0.5, 1, 0));
    EXPECT("aten::special_entr", ARGS(F3(0, -1, NAN)), F3(0, -INFINITY, NAN));
}

START_TEST(zeta_is_right_at_both_sides_of_zero)
{
    EXPECT_NEAR("aten::special_zeta", ARGS(D3(2, 3, 1.5), D3(1, 0.5, 40)), NEAR,
                D3(1.6449340668482264, 8.41439832211716, 0.3182165410760752));
    EXPECT_NEAR("aten::special_zeta.self_scalar",
                ARGS(INT(3), TENSOR(F64, DIMS(1), -1.5)), NEAR,
                TENSOR(F64, DIMS(1), 0.1181020258208637));
    EXPECT("aten::special_zeta", ARGS(F3(1, 0.5, 2.5), F3(2, 2, -0.5)),
           F3(INFINITY, NAN, NAN));
    EXPECT_NEAR("aten::polygamma", ARGS(INT(2), TENSOR(F64, DIMS(1), -2.5)), NEAR,
                TENSOR(F64, DIMS(1), -0.1082040516417274));
    /* Of 16 bits torch adds -32 and 32 in f32: right were -0.000904. */
    EXPECT("aten::polygamma", ARGS(INT(4), TENSOR(BF16, DIMS(1), -8.5)),
           TENSOR(BF16, DIMS(1), -0.00092315673828125));
    EXPECT_REFUSED("aten::polygamma", ARGS(INT(-1), TENSOR(F64, DIMS(1), 2)),
                   DG_ERR_FORMAT, "must not be below 0");
}

START_TEST(incomplete_gamma_functions_are_right_for_small_and_large_orders)
{
    EXPECT_NEAR("aten::igamma", ARGS(D3(0.5, 3, 60), D3(0.25, 4, 50)), NEAR,
                D3(0.5204998778130465, 0.7618966944464557, 0.09226505195893311));
    EXPECT_NEAR("aten::igammac", ARGS(D3(1e-10, 3, 1e4), D3(0.5, 4, 10010)), NEAR,
                D3(5.597735948054988e-11, 0.23810330555354434, 0.45886253710749003));
    EXPECT("aten::igamma", ARGS(F3(0, -1, INFINITY), F3(1, 1, 1)), F3(1, NAN, 0));
    EXPECT("aten::igammac", ARGS(F3(0, 2, INFINITY), F3(0, 0, INFINITY)),
           F3(NAN, 1, NAN));
    EXPECT_NEAR("aten::mvlgamma", ARGS(TENSOR(F64, DIMS(1), 5), INT(3)), NEAR,
                TENSOR(F64, DIMS(1), 9.140644699192544));
    EXPECT_REFUSED("aten::mvlgamma", ARGS(TENSOR(F64, DIMS(1), 5), INT(1001)),
                   DG_ERR_DEVICE, "1001 variables");
}

/* By 40 digits: beside a pole, and beside two of its zeros. */
START_TEST(the_logarithm_of_gamma_keeps_its_digits_below_zero)
{
    EXPECT_NEAR("aten::lgamma", ARGS(D3(-1 + 0x1p-20, -2.5, -3.5)), NEAR,
                D3(13.862944014398671, -0.05624371649767405, -1.3090066849930421));
}

START_TEST(polynomials_take_their_degree_from_a_tensor)
{
    EXPECT("aten::special_chebyshev_polynomial_t", ARGS(F3(0.25, -1, 9), F3(3, 7, -1)),
           F3(-0.6875, -1, 0));
    EXPECT_NEAR("aten::special_chebyshev_polynomial_u.n_scalar",
                ARGS(TENSOR(F64, DIMS(1), 0.3), INT(20)), 1e-14,
                TENSOR(F64, DIMS(1), 1.0413172668589776));
    EXPECT("aten::special_hermite_polynomial_h", ARGS(F3(0.5, 1, 2), F3(4, 129, NAN)),
           F3(1, NAN, 0));
    EXPECT("aten::special_laguerre_polynomial_l.n_scalar", ARGS(F3(0, 2, 1), INT(1)),
           F3(1, -1, 0));
    EXPECT("aten::special_legendre_polynomial_p.x_scalar",
           ARGS(FLOAT(0.5), TENSOR(I64, DIMS(3), 4, 0, 1)), F3(-0.2890625, 1, 0.5));
    EXPECT_REFUSED("aten::special_legendre_polynomial_p",
                   ARGS(F3(0.5), TENSOR(I64, DIMS(3), 2, 1000000, 3)), DG_ERR_DEVICE,
                   "degree 1e+06");
    /* x^n in f32 is beyond its range, and what is taken off it, too. */
    EXPECT("aten::special_chebyshev_polynomial_t", ARGS(F3(1e20, 1e20, 2), F3(2, 3, 2)),
           F3(INFINITY, INFINITY, 7));
}

START_TEST(parts_of_floats_are_those_of_their_type)
{
    EXPECT_ALL("aten::frexp.Tensor", ARGS(F3(-7, INFINITY, 0x1p-149)),
               ARGS(F3(-0.875, INFINITY, 0.5), TENSOR(I32, DIMS(3), 3, 0, -148)));
    EXPECT(
        "aten::nextafter",
        ARGS(TENSOR(BF16, DIMS(4), 1, -1, 0, 1), TENSOR(BF16, DIMS(4), 2, 0, -1, NAN)),
        TENSOR(BF16, DIMS(4), 1.0078125, -0.99609375, -0x1p-133, NAN));
    EXPECT("aten::nextafter", ARGS(F3(1, 0, 2), F3(0, 1, 2)),
           F3(1 - 0x1p-24, 0x1p-149, 2));
    EXPECT("aten::ldexp.Tensor",
           ARGS(TENSOR(F16, DIMS(3), 1, 0, -1), TENSOR(I64, DIMS(3), 15, 200, -2)),
           TENSOR(F16, DIMS(3), 32768, 0, -0.25));
    /* A power of its own type overflows before it is multiplied. */
    EXPECT("aten::ldexp.Tensor", ARGS(F3(1, 0, 0x1p-100), F3(-1, 200, 128)),
           F3(0.5, NAN, INFINITY));
}

Suite *kernels_special_suite(void)
{
    Suite *suite = suite_create("kernels_special");
    TCase *all = tcase_create("all");

    tcase_add_test(all, the_logarithm_of_gamma_keeps_its_digits_below_zero);
    tcase_add_test(all, modified_bessel_functions_are_near_the_last_digit);
    tcase_add_test(all, modified_bessel_functions_overflow_where_exp_does);
    tcase_add_test(all, bessel_functions_have_the_phase_that_torch_rounds);
    tcase_add_test(all, airy_joins_its_three_parts);
    tcase_add_test(all, shares_of_the_normal_distribution_keep_their_tails);
    tcase_add_test(all, zeta_is_right_at_both_sides_of_zero);
    tcase_add_test(all,
                   incomplete_gamma_functions_are_right_for_small_and_large_orders);
    tcase_add_test(all, polynomials_take_their_degree_from_a_tensor);
    tcase_add_test(all, parts_of_floats_are_those_of_their_type);
    suite_add_tcase(suite, all);
    return suite;
}
