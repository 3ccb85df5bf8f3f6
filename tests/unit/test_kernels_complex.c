/* Complex numbers and transforms that the samples of torch do not have. Numbers that
 * are written here have no imaginary part. */
#include "unit/kernel_case.h"

START_TEST(a_transform_takes_each_dimension_once)
{
    EXPECT_REFUSED("aten::fft_fftn",
                   ARGS(TENSOR(F32, DIMS(4, 3), 1), INTS(8, 4), INTS(0, 0)),
                   DG_ERR_FORMAT, "dimension 0 is transformed twice");
    EXPECT_REFUSED("aten::_fft_c2r",
                   ARGS(TENSOR(C64, DIMS(8, 3), 1), INTS(0, -2), INT(0), INT(4)),
                   DG_ERR_FORMAT, "dimension 0 is transformed twice");
}

START_TEST(a_transform_of_no_elements_costs_nothing)
{
    EXPECT_REFUSED("aten::fft_fft", ARGS(TENSOR(F32, DIMS(), 1), INT(INT64_MAX / 4)),
                   DG_ERR_FORMAT, "a single number");
    EXPECT("aten::fft_irfft", ARGS(TENSOR(C64, DIMS(0, 4), ), INT(1 << 30)),
           TENSOR(F32, DIMS(0, 1 << 30), ));
    EXPECT_REFUSED("aten::fft_fft", ARGS(TENSOR(F32, DIMS(2, 0), ), NOTHING, INT(1)),
                   DG_ERR_FORMAT, "0 points");
}

START_TEST(a_signal_is_found_again_in_what_its_transform_makes)
{
    EXPECT_NEAR("aten::fft_irfft", ARGS(TENSOR(C64, DIMS(3), 10, -2, -2)), 1e-6,
                TENSOR(F32, DIMS(4), 1, 3, 3, 3)); /* 10 + 2 (-2) + -2 = 4 */
    EXPECT_NEAR("aten::fft_fft", ARGS(TENSOR(F32, DIMS(3), 1, 1, 1)), 1e-6,
                TENSOR(C64, DIMS(3), 3, 0, 0));
}

START_TEST(products_of_real_factors_are_no_complex_ones)
{
    EXPECT_REFUSED("aten::addmm",
                   ARGS(TENSOR(C64, DIMS(2, 2), 1), TENSOR(F32, DIMS(2, 2), 1),
                        TENSOR(F32, DIMS(2, 2), 1)),
                   DG_ERR_DEVICE, "complex numbers");
    EXPECT_REFUSED("aten::linear",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1), TENSOR(F32, DIMS(2, 2), 1),
                        TENSOR(C64, DIMS(2), 1)),
                   DG_ERR_DEVICE, "complex numbers");
}

START_TEST(of_beta_0_what_is_added_to_does_not_count)
{
    EXPECT("aten::addmm",
           ARGS(TENSOR(C64, DIMS(1, 1), NAN), TENSOR(C64, DIMS(1, 2), 1, 2),
                TENSOR(C64, DIMS(2, 1), 3, 4), INT(0), INT(2)),
           TENSOR(C64, DIMS(1, 1), 22));
    EXPECT("aten::addmm",
           ARGS(TENSOR(C64, DIMS(1, 1), INFINITY), TENSOR(C64, DIMS(1, 1), 1),
                TENSOR(C64, DIMS(1, 1), 3)),
           TENSOR(C64, DIMS(1, 1), INFINITY));
}

START_TEST(kernels_of_real_numbers_refuse_complex_ones)
{
    EXPECT_REFUSED("aten::max", ARGS(TENSOR(C64, DIMS(2), 1)), DG_ERR_DEVICE,
                   "complex numbers");
    EXPECT("aten::sym_size.int", ARGS(TENSOR(C64, DIMS(2, 3), 1), INT(1)), INT(3));
    EXPECT("aten::real", ARGS(TENSOR(C64, DIMS(2), 1, 2)), TENSOR(F32, DIMS(2), 1, 2));
    EXPECT_REFUSED("aten::imag", ARGS(TENSOR(F32, DIMS(2), 1)), DG_ERR_FORMAT,
                   "no imaginary part");
}

START_TEST(a_product_of_nothing_is_1)
{
    EXPECT("aten::prod", ARGS(TENSOR(C64, DIMS(0), )), TENSOR(C64, DIMS(), 1));
    EXPECT("aten::prod.dim_int", ARGS(TENSOR(C64, DIMS(2, 0), ), INT(1), TRUTH(true)),
           TENSOR(C64, DIMS(2, 1), 1));
    EXPECT("aten::cumprod", ARGS(TENSOR(C64, DIMS(0, 3), ), INT(0)),
           TENSOR(C64, DIMS(0, 3), ));
    EXPECT("aten::prod", ARGS(TENSOR(F32, DIMS(3), 2, 3, 4), DTYPE(C64)),
           TENSOR(C64, DIMS(), 24));
}

START_TEST(logarithms_of_sums_know_infinite_terms)
{
    EXPECT("aten::logaddexp",
           ARGS(TENSOR(C64, DIMS(2), -INFINITY, 3),
                TENSOR(C64, DIMS(2), -INFINITY, -INFINITY)),
           TENSOR(C64, DIMS(2), -INFINITY, 3));
    EXPECT("aten::logsumexp", ARGS(TENSOR(C64, DIMS(2), -INFINITY, -INFINITY), INTS(0)),
           TENSOR(C64, DIMS(), -INFINITY));
    EXPECT("aten::logsumexp", ARGS(TENSOR(C64, DIMS(0, 2), ), INTS(0)),
           TENSOR(C64, DIMS(2), -INFINITY));
}

START_TEST(the_log_of_a_sum_of_zeros_has_an_angle_of_zero)
{
    struct case_args given = ARGS(TENSOR(C64, DIMS(2), -INFINITY, -INFINITY), INTS(0));
    struct case_run run = case_run("aten::logsumexp", given);
    const float *log = dg_tensor_data(run.results[0].as.tensor);

    ck_assert(log[0] == -INFINITY && log[1] == 0);
    case_drop(&run);
    case_drop_args(given);
}

START_TEST(a_bias_is_added_once)
{
    EXPECT("aten::conv1d",
           ARGS(TENSOR(C64, DIMS(1, 1, 2), 1, 2), TENSOR(C64, DIMS(1, 1, 1), 3),
                TENSOR(C64, DIMS(1), 10)),
           TENSOR(C64, DIMS(1, 1, 2), 13, 16));
    EXPECT_REFUSED("aten::conv1d",
                   ARGS(TENSOR(C64, DIMS(1, 1, 2), 1), TENSOR(F32, DIMS(1, 1, 1), 3),
                        TENSOR(C64, DIMS(1), 10)),
                   DG_ERR_DEVICE, "complex numbers");
}

START_TEST(what_is_asked_for_as_a_real_number_is_one)
{
    EXPECT("aten::prod", ARGS(TENSOR(C64, DIMS(3), 2, 3, 4), DTYPE(F32)),
           TENSOR(F32, DIMS(), 24));
    EXPECT("aten::cumprod", ARGS(TENSOR(C64, DIMS(3), 2, 3, 4), INT(0), DTYPE(I64)),
           TENSOR(I64, DIMS(3), 2, 6, 24));
    EXPECT("aten::sum", ARGS(TENSOR(C64, DIMS(3), 2, 3, 4), DTYPE(F64)),
           TENSOR(F64, DIMS(), 9));
}

START_TEST(operands_of_one_call_may_be_of_two_types)
{
    EXPECT("aten::outer", ARGS(TENSOR(C64, DIMS(2), 1, 2), TENSOR(I64, DIMS(2), 3, 4)),
           TENSOR(C64, DIMS(2, 2), 3, 4, 6, 8));
    EXPECT("aten::outer", ARGS(TENSOR(F32, DIMS(2), 1, 2), TENSOR(F64, DIMS(2), 3, 4)),
           TENSOR(F64, DIMS(2, 2), 3, 4, 6, 8));
    EXPECT("aten::diff",
           ARGS(TENSOR(F32, DIMS(2), 1, 3), INT(1), INT(-1), NOTHING,
                TENSOR(C64, DIMS(1), 7)),
           TENSOR(C64, DIMS(2), 2, 4));
    EXPECT_REFUSED("aten::index_add",
                   ARGS(TENSOR(C64, DIMS(2), 1), INT(0), TENSOR(I64, DIMS(1), 0),
                        TENSOR(F32, DIMS(1), 1)),
                   DG_ERR_FORMAT, "values of f32 go into c64");
}

START_TEST(values_for_one_element_merge_by_products_and_means)
{
    EXPECT("aten::scatter_reduce.two",
           ARGS(TENSOR(C64, DIMS(2), 2, 9), INT(0), TENSOR(I64, DIMS(3), 0, 0, 1),
                TENSOR(C64, DIMS(3), 3, 5, 7), TEXT("prod"), TRUTH(false)),
           TENSOR(C64, DIMS(2), 15, 7));
    EXPECT("aten::scatter_reduce.two",
           ARGS(TENSOR(C128, DIMS(2), 2, 9), INT(0), TENSOR(I64, DIMS(3), 0, 0, 1),
                TENSOR(C128, DIMS(3), 3, 4, 7), TEXT("mean")),
           TENSOR(C128, DIMS(2), 3, 8));
    EXPECT("aten::scatter_add",
           ARGS(TENSOR(C64, DIMS(1), 1), INT(0), TENSOR(I64, DIMS(1), 0),
                TENSOR(C64, DIMS(1), INFINITY)),
           TENSOR(C64, DIMS(1), INFINITY));
    EXPECT_REFUSED("aten::scatter_reduce.two",
                   ARGS(TENSOR(C64, DIMS(2), 2), INT(0), TENSOR(I64, DIMS(1), 0),
                        TENSOR(C64, DIMS(1), 3), TEXT("amax")),
                   DG_ERR_FORMAT, "an order of complex numbers");
}

START_TEST(what_is_added_has_a_factor_that_the_sums_hold)
{
    EXPECT("aten::index_add",
           ARGS(TENSOR(C64, DIMS(2), 1, 2), INT(0), TENSOR(I64, DIMS(1), 1),
                TENSOR(C64, DIMS(1), 4), FLOAT(0.5)),
           TENSOR(C64, DIMS(2), 1, 4));
    EXPECT("aten::index_add",
           ARGS(TENSOR(I64, DIMS(1), 1), INT(0), TENSOR(I64, DIMS(1), 0),
                TENSOR(I64, DIMS(1), 1), INT(INT64_MAX)),
           BIG_INTEGERS(DIMS(1), INT64_MIN));
    EXPECT_REFUSED("aten::index_add",
                   ARGS(TENSOR(I64, DIMS(1), 1), INT(0), TENSOR(I64, DIMS(1), 0),
                        TENSOR(I64, DIMS(1), 1), FLOAT(1e30)),
                   DG_ERR_FORMAT, "an alpha that i64 does not hold");
}

START_TEST(softmax_is_of_the_real_part_or_of_none)
{
    EXPECT("aten::softmax.int", ARGS(TENSOR(C64, DIMS(2), 3), INT(0), DTYPE(F64)),
           TENSOR(F64, DIMS(2), 0.5));
    EXPECT_REFUSED("aten::softmax.int", ARGS(TENSOR(C64, DIMS(2), 3), INT(0)),
                   DG_ERR_FORMAT, "softmax of complex numbers");
}

START_TEST(subscripts_multiply_complex_numbers)
{
    EXPECT("aten::einsum",
           ARGS(TEXT("ij,j->i"),
                LIST(TENSOR(C64, DIMS(2, 2), 1, 2, 3, 4), TENSOR(C64, DIMS(2), 5, 6))),
           TENSOR(C64, DIMS(2), 17, 39));
    EXPECT("aten::einsum",
           ARGS(TEXT("ij->j"), LIST(TENSOR(C64, DIMS(2, 2), 1, 2, 3, 4))),
           TENSOR(C64, DIMS(2), 4, 6));
    EXPECT_REFUSED("aten::einsum",
                   ARGS(TEXT("ij,j->i"),
                        LIST(TENSOR(C64, DIMS(2, 2), 1), TENSOR(C64, DIMS(3), 5))),
                   DG_ERR_FORMAT, "");
}

START_TEST(points_of_a_complex_dtype_are_complex)
{
    EXPECT("aten::linspace", ARGS(INT(1), INT(3), INT(3), DTYPE(C64)),
           TENSOR(C64, DIMS(3), 1, 2, 3));
    EXPECT_NEAR("aten::logspace", ARGS(INT(0), INT(2), INT(3), INT(3), DTYPE(C128)),
                1e-15, TENSOR(C128, DIMS(3), 1, 3, 9));
    EXPECT_REFUSED("aten::linspace",
                   ARGS(TENSOR(C64, DIMS(), 1), INT(3), INT(3), DTYPE(F32)),
                   DG_ERR_FORMAT, "complex points as f32");
    EXPECT_REFUSED("aten::linspace",
                   ARGS(TENSOR(C64, DIMS(1), 1), INT(3), INT(3), DTYPE(C64)),
                   DG_ERR_FORMAT, "a tensor of rank 1");
}

START_TEST(a_norm_is_over_the_dimensions_that_it_names)
{
    EXPECT_NEAR("aten::rms_norm",
                ARGS(TENSOR(C128, DIMS(1, 2), 3, 3), INTS(2), NOTHING, FLOAT(0)), 1e-15,
                TENSOR(C128, DIMS(1, 2), 1));
    EXPECT_REFUSED("aten::rms_norm",
                   ARGS(TENSOR(C128, DIMS(1, 2), 3), INTS(3), NOTHING, FLOAT(0)),
                   DG_ERR_FORMAT, "1 dimensions of 2 are normalized");
}

START_TEST(columns_are_put_back_part_by_part)
{
    EXPECT("aten::col2im",
           ARGS(TENSOR(C64, DIMS(1, 2, 2), 1, 2, 3, 4), INTS(1, 3), INTS(1, 2),
                INTS(1, 1), INTS(0, 0), INTS(1, 1)),
           TENSOR(C64, DIMS(1, 1, 1, 3), 1, 5, 4));
}

Suite *kernels_complex_suite(void)
{
    Suite *suite = suite_create("kernels_complex");
    TCase *tests = tcase_create("complex");

    tcase_add_test(tests, a_transform_takes_each_dimension_once);
    tcase_add_test(tests, a_transform_of_no_elements_costs_nothing);
    tcase_add_test(tests, a_signal_is_found_again_in_what_its_transform_makes);
    tcase_add_test(tests, products_of_real_factors_are_no_complex_ones);
    tcase_add_test(tests, of_beta_0_what_is_added_to_does_not_count);
    tcase_add_test(tests, kernels_of_real_numbers_refuse_complex_ones);
    tcase_add_test(tests, a_product_of_nothing_is_1);
    tcase_add_test(tests, logarithms_of_sums_know_infinite_terms);
    tcase_add_test(tests, the_log_of_a_sum_of_zeros_has_an_angle_of_zero);
    tcase_add_test(tests, a_bias_is_added_once);
    tcase_add_test(tests, what_is_asked_for_as_a_real_number_is_one);
    tcase_add_test(tests, operands_of_one_call_may_be_of_two_types);
    tcase_add_test(tests, columns_are_put_back_part_by_part);
    tcase_add_test(tests, values_for_one_element_merge_by_products_and_means);
    tcase_add_test(tests, what_is_added_has_a_factor_that_the_sums_hold);
    tcase_add_test(tests, softmax_is_of_the_real_part_or_of_none);
    tcase_add_test(tests, subscripts_multiply_complex_numbers);
    tcase_add_test(tests, points_of_a_complex_dtype_are_complex);
    tcase_add_test(tests, a_norm_is_over_the_dimensions_that_it_names);
    suite_add_tcase(suite, tests);
    return suite;
}
