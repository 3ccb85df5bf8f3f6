/* Pooling and resampling in the corners. */
#include "unit/kernel_case.h"

START_TEST(a_maximum_of_nan_is_the_last_one_and_of_equals_the_first)
{
    EXPECT_ALL(
        "aten::max_pool2d_with_indices",
        ARGS(TENSOR(F32, DIMS(1, 1, 6), NAN, 1, NAN, 2, 2, 1), INTS(1, 3)),
        ARGS(TENSOR(F32, DIMS(1, 1, 2), NAN, 2), TENSOR(I64, DIMS(1, 1, 2), 2, 3)));
    EXPECT_ALL("aten::max_pool1d_with_indices",
               ARGS(TENSOR(F32, DIMS(1, 2), -INFINITY, -INFINITY), INTS(2)),
               ARGS(TENSOR(F32, DIMS(1, 1), -INFINITY), TENSOR(I64, DIMS(1, 1), 0)));
}
END_TEST

START_TEST(padding_is_not_in_a_maximum)
{
    EXPECT("aten::max_pool2d",
           ARGS(TENSOR(F32, DIMS(1, 2, 2), -1, -2, -3, -4), INTS(2), INTS(2), INT(1)),
           TENSOR(F32, DIMS(1, 2, 2), -1, -2, -3, -4));
    EXPECT("aten::max_pool2d",
           ARGS(BIG_INTEGERS(DIMS(1, 1, 2), 1LL << 62, (1LL << 62) + 1), INTS(1, 2)),
           BIG_INTEGERS(DIMS(1, 1, 1), (1LL << 62) + 1));
}
END_TEST

START_TEST(windows_of_a_row_overlap_and_reach_into_the_padding)
{
    EXPECT("aten::max_pool2d",
           ARGS(TENSOR(F32, DIMS(1, 4, 5), 1, 2, 3, 4, 5, 6, NAN, 8, 9, 10, -1, -2, -3,
                       -4, -5, 20, 0, 7, 1, 2),
                INTS(2, 3), INTS(1, 2), INTS(0, 1), INTS(2, 1)),
           TENSOR(F32, DIMS(1, 2, 3), 2, 4, 5, NAN, NAN, 10));
    EXPECT("aten::max_pool1d", ARGS(TENSOR(F32, DIMS(1, 2), -INFINITY, -1), INTS(1)),
           TENSOR(F32, DIMS(1, 2), -INFINITY, -1));
}
END_TEST

START_TEST(ceil_mode_clips_the_last_window_before_it_is_divided)
{
    EXPECT("aten::avg_pool1d",
           ARGS(TENSOR(F32, DIMS(1, 5), 1, 2, 3, 4, 5), INTS(2), INTS(2), INTS(0),
                TRUTH(true)),
           TENSOR(F32, DIMS(1, 3), 1.5, 3.5, 5));
    EXPECT("aten::avg_pool1d",
           ARGS(TENSOR(F32, DIMS(1, 4), 3, 3, 3, 3), INTS(3), INTS(2), INTS(1),
                TRUTH(true), TRUTH(true)),
           TENSOR(F32, DIMS(1, 3), 2, 3, 1.5));
    EXPECT("aten::avg_pool1d",
           ARGS(TENSOR(F32, DIMS(1, 4), 3, 3, 3, 3), INTS(3), INTS(2), INTS(1),
                TRUTH(true), TRUTH(false)),
           TENSOR(F32, DIMS(1, 3), 3, 3, 3));
}
END_TEST

START_TEST(a_divisor_may_be_given)
{
    EXPECT("aten::avg_pool2d",
           ARGS(TENSOR(F32, DIMS(1, 2, 2), 1, 2, 3, 4), INTS(2, 2), INTS(), INTS(0, 0),
                TRUTH(false), TRUTH(true), INT(5)),
           TENSOR(F32, DIMS(1, 1, 1), 2));
    EXPECT_REFUSED("aten::avg_pool2d",
                   ARGS(TENSOR(F32, DIMS(1, 2, 2), 1), INTS(2, 2), INTS(), INTS(0, 0),
                        TRUTH(false), TRUTH(true), INT(0)),
                   DG_ERR_FORMAT, "divisor");
}
END_TEST

START_TEST(adaptive_windows_share_the_input_evenly)
{
    EXPECT("aten::adaptive_avg_pool2d",
           ARGS(TENSOR(F32, DIMS(1, 1, 5), 1, 2, 3, 4, 5), INTS(1, 3)),
           TENSOR(F32, DIMS(1, 1, 3), 1.5, 3, 4.5));
    EXPECT_ALL("aten::adaptive_max_pool1d",
               ARGS(TENSOR(F32, DIMS(1, 3), 1, 5, 2), INTS(2)),
               ARGS(TENSOR(F32, DIMS(1, 2), 5, 5), TENSOR(I64, DIMS(1, 2), 1, 1)));
    EXPECT("aten::_adaptive_avg_pool2d",
           ARGS(TENSOR(F32, DIMS(0, 1, 2, 2)), INTS(1, 1)),
           TENSOR(F32, DIMS(0, 1, 1, 1)));
}
END_TEST

START_TEST(windows_that_do_not_fit_are_refused)
{
    EXPECT_REFUSED("aten::max_pool2d", ARGS(TENSOR(F32, DIMS(1, 2, 2), 1), INTS(3, 3)),
                   DG_ERR_FORMAT, "no window of 3 fits into a dimension of size 2");
    EXPECT_REFUSED("aten::max_pool2d",
                   ARGS(TENSOR(F32, DIMS(1, 9, 9), 1), INTS(3, 3), INTS(1), INTS(2)),
                   DG_ERR_FORMAT, "padding of 2 is more than half of a window of 3");
    EXPECT_REFUSED("aten::avg_pool2d", ARGS(TENSOR(F32, DIMS(4, 4), 1), INTS(2)),
                   DG_ERR_FORMAT, "the rank is 2");
    EXPECT_REFUSED("aten::avg_pool2d",
                   ARGS(TENSOR(F32, DIMS(1, 4, 4), 1), INTS(0), INTS()), DG_ERR_FORMAT,
                   "argument 1 is 0");
    EXPECT_REFUSED("aten::max_pool2d", ARGS(NOTHING, INTS(2)), DG_ERR_FORMAT,
                   "not a tensor");
}
END_TEST

START_TEST(a_volume_beyond_int64_is_refused)
{
    EXPECT_REFUSED("aten::upsample_nearest3d.vec",
                   ARGS(TENSOR(F32, DIMS(1, 1, 1, 1, 1), 1),
                        INTS(2147483647, 2147483647, 2147483647), NOTHING),
                   DG_ERR_FORMAT, "[1,1,2147483647,2147483647,2147483647]");
}
END_TEST

START_TEST(a_given_factor_decides_the_nearest_element)
{
    EXPECT("aten::upsample_nearest1d.vec",
           ARGS(TENSOR(F32, DIMS(1, 1, 5), 0, 1, 2, 3, 4), NOTHING, LIST(FLOAT(1.1))),
           TENSOR(F32, DIMS(1, 1, 5), 0, 0, 1, 2, 3));
    EXPECT("aten::upsample_nearest1d.vec",
           ARGS(TENSOR(F32, DIMS(1, 1, 5), 0, 1, 2, 3, 4), INTS(5), NOTHING),
           TENSOR(F32, DIMS(1, 1, 5), 0, 1, 2, 3, 4));
    EXPECT("aten::upsample_nearest2d.vec",
           ARGS(TENSOR(U8, DIMS(1, 1, 1, 5), 0, 1, 2, 3, 4), NOTHING,
                LIST(FLOAT(1), FLOAT(1.1))),
           TENSOR(U8, DIMS(1, 1, 1, 5), 0, 1, 2, 3, 4));
    EXPECT("aten::_upsample_nearest_exact1d",
           ARGS(TENSOR(F32, DIMS(1, 1, 4), 0, 1, 2, 3), INTS(2)),
           TENSOR(F32, DIMS(1, 1, 2), 1, 3));
}
END_TEST

START_TEST(bilinear_weights_follow_the_corners)
{
    EXPECT("aten::upsample_bilinear2d.vec",
           ARGS(TENSOR(F32, DIMS(1, 1, 1, 2), 0, 4), INTS(1, 4), TRUTH(false), NOTHING),
           TENSOR(F32, DIMS(1, 1, 1, 4), 0, 1, 3, 4));
    EXPECT("aten::upsample_bilinear2d.vec",
           ARGS(TENSOR(F32, DIMS(1, 1, 1, 2), 0, 3), INTS(1, 4), TRUTH(true), NOTHING),
           TENSOR(F32, DIMS(1, 1, 1, 4), 0, 1, 2, 3));
    EXPECT("aten::upsample_linear1d",
           ARGS(TENSOR(F32, DIMS(1, 1, 3), 7, 8, 9), INTS(1), TRUTH(true)),
           TENSOR(F32, DIMS(1, 1, 1), 7));
}
END_TEST

START_TEST(an_infinity_stays_one_in_lines_and_planes)
{
    EXPECT("aten::upsample_linear1d",
           ARGS(TENSOR(F32, DIMS(1, 1, 2), INFINITY, 4), INTS(4), TRUTH(false)),
           TENSOR(F32, DIMS(1, 1, 4), INFINITY, INFINITY, INFINITY, 4));
    EXPECT("aten::upsample_bicubic2d",
           ARGS(TENSOR(F32, DIMS(1, 1, 1, 1), INFINITY), INTS(1, 1), TRUTH(true)),
           TENSOR(F32, DIMS(1, 1, 1, 1), NAN));
}
END_TEST

/* Between the numbers 0, 1, 2... a value is its position. */
static double position_of(enum dg_precision precision, int64_t o)
{
    struct case_args args = ARGS(TENSOR(F32, DIMS(1, 1, 4), 0, 1, 2, 3), NOTHING,
                                 TRUTH(false), LIST(FLOAT(1.7)));
    struct case_run run;
    const struct dg_tensor *tensor;
    double value;

    case_precision = precision;
    run = case_run("aten::upsample_linear1d.vec", args);
    case_precision = DG_PRECISION_EXACT_SUMS;
    ck_assert_int_eq(run.status, DG_OK);
    tensor = run.results[0].as.tensor;
    value = tensor->type == DG_TYPE_F64 ? ((const double *)dg_tensor_data(tensor))[o]
                                        : ((const float *)dg_tensor_data(tensor))[o];
    case_drop(&run);
    case_drop_args(args);
    return value;
}

START_TEST(f64_has_exact_positions_and_own_sums_are_off_as_f32_may_be)
{
    double own = 0, reference = 0;

    for (int64_t o = 1; o < 5; o++) {
        double exact = ((double)o + 0.5) / 1.7 - 0.5;

        ck_assert(fabs(position_of(DG_PRECISION_WIDE, o) - exact) < 1e-14);
        ck_assert(fabs(position_of(DG_PRECISION_OWN_SUMS, o) - exact) < 6e-7);
        own += fabs(position_of(DG_PRECISION_OWN_SUMS, o) - exact);
        reference += fabs(position_of(DG_PRECISION_EXACT_SUMS, o) - exact);
    }
    ck_assert(own >= reference);
    ck_assert(own > 4 * 0x1p-25);
}

START_TEST(own_sums_have_the_positions_that_f32_has_exactly)
{
    case_precision = DG_PRECISION_OWN_SUMS;
    EXPECT("aten::upsample_bilinear2d.vec",
           ARGS(TENSOR(F32, DIMS(1, 1, 1, 2), 0, 4), NOTHING, TRUTH(false),
                LIST(FLOAT(1), FLOAT(2))),
           TENSOR(F32, DIMS(1, 1, 1, 4), 0, 1, 3, 4));
    case_precision = DG_PRECISION_EXACT_SUMS;
}

START_TEST(smooth_weights_leave_a_dimension_that_keeps_its_size)
{
    EXPECT("aten::_upsample_bilinear2d_aa.vec",
           ARGS(TENSOR(F32, DIMS(1, 1, 1, 3), 1, 5, 2), NOTHING, TRUTH(false),
                LIST(FLOAT(1), FLOAT(1.3))),
           TENSOR(F32, DIMS(1, 1, 1, 3), 1, 5, 2));
}

START_TEST(an_output_needs_a_size_or_a_factor)
{
    EXPECT_REFUSED(
        "aten::upsample_bilinear2d.vec",
        ARGS(TENSOR(F32, DIMS(1, 1, 2, 2), 1), NOTHING, TRUTH(false), NOTHING),
        DG_ERR_FORMAT, "a dimension of size 2 cannot become one of 0");
    EXPECT_REFUSED("aten::upsample_nearest2d",
                   ARGS(TENSOR(F32, DIMS(1, 1, 2, 2), 1), INTS(1, 2, 3)), DG_ERR_FORMAT,
                   "3 sizes for 2 dimensions");
}
END_TEST

START_TEST(a_grid_samples_between_elements_and_outside)
{
    EXPECT("aten::grid_sampler_2d",
           ARGS(TENSOR(F32, DIMS(1, 1, 1, 2), 1, 3),
                TENSOR(F32, DIMS(1, 1, 3, 2), 0, 0, -3, 0, NAN, 0), INT(0), INT(0),
                TRUTH(true)),
           TENSOR(F32, DIMS(1, 1, 1, 3), 2, 0, NAN));
    EXPECT("aten::grid_sampler_2d",
           ARGS(TENSOR(F32, DIMS(1, 1, 1, 2), 1, 3),
                TENSOR(F32, DIMS(1, 1, 3, 2), 0, 0, 3, 0, NAN, 0), INT(1), INT(1),
                TRUTH(true)),
           TENSOR(F32, DIMS(1, 1, 1, 3), 1, 3, 1));
    EXPECT_REFUSED(
        "aten::grid_sampler_2d",
        ARGS(TENSOR(F32, DIMS(2, 1, 1, 2), 1), TENSOR(F32, DIMS(1, 1, 1, 2), 0), INT(0),
             INT(0), TRUTH(true)),
        DG_ERR_FORMAT,
        "a grid of shape [1,1,1,2] does not fit an input of shape [2,1,1,2]");
}
END_TEST

Suite *kernels_pool_suite(void)
{
    Suite *suite = suite_create("kernels_pool");
    TCase *pools = tcase_create("pools"), *resampling = tcase_create("resampling");

    tcase_add_test(pools, windows_of_a_row_overlap_and_reach_into_the_padding);
    tcase_add_test(pools, a_maximum_of_nan_is_the_last_one_and_of_equals_the_first);
    tcase_add_test(pools, padding_is_not_in_a_maximum);
    tcase_add_test(pools, ceil_mode_clips_the_last_window_before_it_is_divided);
    tcase_add_test(pools, a_divisor_may_be_given);
    tcase_add_test(pools, adaptive_windows_share_the_input_evenly);
    tcase_add_test(pools, windows_that_do_not_fit_are_refused);
    suite_add_tcase(suite, pools);
    tcase_add_test(resampling, a_volume_beyond_int64_is_refused);
    tcase_add_test(resampling, a_given_factor_decides_the_nearest_element);
    tcase_add_test(resampling, bilinear_weights_follow_the_corners);
    tcase_add_test(resampling,
                   f64_has_exact_positions_and_own_sums_are_off_as_f32_may_be);
    tcase_add_test(resampling, an_infinity_stays_one_in_lines_and_planes);
    tcase_add_test(resampling, own_sums_have_the_positions_that_f32_has_exactly);
    tcase_add_test(resampling, smooth_weights_leave_a_dimension_that_keeps_its_size);
    tcase_add_test(resampling, an_output_needs_a_size_or_a_factor);
    tcase_add_test(resampling, a_grid_samples_between_elements_and_outside);
    suite_add_tcase(suite, resampling);
    return suite;
}
