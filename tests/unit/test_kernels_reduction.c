/* Reductions, orders and scans in the corners. */
#include "unit/kernel_case.h"

START_TEST(sums_of_integers_and_bools_are_i64_and_wrap)
{
    EXPECT("aten::sum", ARGS(TENSOR(U8, DIMS(3), 200, 200, 200)),
           TENSOR(I64, DIMS(), 600));
    EXPECT("aten::sum", ARGS(TENSOR(BOOL, DIMS(3), 1, 1, 0)), TENSOR(I64, DIMS(), 2));
    EXPECT("aten::sum", ARGS(BIG_INTEGERS(DIMS(2), INT64_MAX, 1)),
           BIG_INTEGERS(DIMS(), INT64_MIN));
    EXPECT("aten::prod", ARGS(TENSOR(I32, DIMS(3), 100000, 100000, -2)),
           TENSOR(I64, DIMS(), -2e10));
}
END_TEST

START_TEST(a_sum_over_dimensions_drops_or_keeps_them)
{
    EXPECT("aten::sum.dim_IntList",
           ARGS(TENSOR(F32, DIMS(2, 3), 1, 2, 3, 4, 5, 6), INTS(-1), TRUTH(true)),
           TENSOR(F32, DIMS(2, 1), 6, 15));
    EXPECT("aten::sum.dim_IntList",
           ARGS(swapped(TENSOR(F32, DIMS(2, 3), 1, 2, 3, 4, 5, 6), 0, 1), INTS(0)),
           TENSOR(F32, DIMS(2), 6, 15));
    EXPECT("aten::sum.dim_IntList",
           ARGS(spread(TENSOR(F16, DIMS(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8)), INTS(0, 2)),
           TENSOR(F16, DIMS(2), 14, 22));
}
END_TEST

START_TEST(an_empty_list_of_dimensions_is_all_of_them_but_none_to_any)
{
    EXPECT("aten::sum.dim_IntList", ARGS(TENSOR(F32, DIMS(2), 1, 2), INTS()),
           TENSOR(F32, DIMS(), 3));
    EXPECT("aten::any.dims", ARGS(TENSOR(F32, DIMS(2), 1, 0), INTS()),
           TENSOR(BOOL, DIMS(2), 1, 0));
    EXPECT("aten::any.dims", ARGS(TENSOR(F32, DIMS(2), 1, 0), NOTHING),
           TENSOR(BOOL, DIMS(), 1));
}
END_TEST

START_TEST(a_sum_takes_its_elements_in_the_type_of_the_result)
{
    EXPECT("aten::sum", ARGS(TENSOR(F32, DIMS(2), 1.7, 2.7), DTYPE(I64)),
           TENSOR(I64, DIMS(), 3));
    EXPECT("aten::sum", ARGS(TENSOR(I64, DIMS(2), 1, 2), DTYPE(F16)),
           TENSOR(F16, DIMS(), 3));
}
END_TEST

START_TEST(exact_sums_round_once_and_own_sums_at_every_step)
{
    struct dg_arg big = TENSOR(F32, DIMS(4), 16777216, 1, 1, 1);

    EXPECT("aten::sum", ARGS(big), TENSOR(F32, DIMS(), 16777220));
    case_precision = DG_PRECISION_OWN_SUMS;
    EXPECT("aten::sum", ARGS(TENSOR(F32, DIMS(4), 16777216, 1, 1, 1)),
           TENSOR(F32, DIMS(), 16777216));
    case_precision = DG_PRECISION_WIDE;
    EXPECT("aten::sum", ARGS(TENSOR(F64, DIMS(2), 16777216, 1)),
           TENSOR(F64, DIMS(), 16777217));
    case_precision = DG_PRECISION_EXACT_SUMS;
}
END_TEST

START_TEST(reductions_of_nothing_have_their_neutral_element)
{
    EXPECT("aten::sum", ARGS(TENSOR(F32, DIMS(0))), TENSOR(F32, DIMS(), 0));
    EXPECT("aten::prod", ARGS(TENSOR(F32, DIMS(0))), TENSOR(F32, DIMS(), 1));
    EXPECT("aten::mean", ARGS(TENSOR(F32, DIMS(0))), TENSOR(F32, DIMS(), NAN));
    EXPECT("aten::any", ARGS(TENSOR(F32, DIMS(0))), TENSOR(BOOL, DIMS(), 0));
    EXPECT("aten::all", ARGS(TENSOR(F32, DIMS(0))), TENSOR(BOOL, DIMS(), 1));
    EXPECT("aten::logsumexp", ARGS(TENSOR(F32, DIMS(1, 0)), INTS(1)),
           TENSOR(F32, DIMS(1), -INFINITY));
    EXPECT("aten::argmax", ARGS(TENSOR(F32, DIMS(2, 0)), INT(0)), TENSOR(I64, DIMS(0)));
}
END_TEST

START_TEST(of_no_elements_none_is_the_largest)
{
    EXPECT_REFUSED("aten::amax", ARGS(TENSOR(F32, DIMS(2, 0)), INTS(1)), DG_ERR_FORMAT,
                   "no elements");
    EXPECT_REFUSED("aten::argmin", ARGS(TENSOR(F32, DIMS(0))), DG_ERR_FORMAT,
                   "no elements");
    EXPECT_REFUSED("aten::median.dim", ARGS(TENSOR(F32, DIMS(2, 0)), INT(1)),
                   DG_ERR_FORMAT, "no elements");
}
END_TEST

START_TEST(any_and_all_of_u8_are_u8_and_nan_is_true)
{
    EXPECT("aten::any", ARGS(TENSOR(U8, DIMS(2), 0, 5)), TENSOR(U8, DIMS(), 1));
    EXPECT("aten::any", ARGS(TENSOR(F32, DIMS(2), NAN, 0)), TENSOR(BOOL, DIMS(), 1));
    EXPECT("aten::any.dim", ARGS(TENSOR(F32, DIMS(2), -0.0, 0), INT(0)),
           TENSOR(BOOL, DIMS(), 0));
    EXPECT("aten::count_nonzero", ARGS(TENSOR(F32, DIMS(3), NAN, -0.0, 2)),
           TENSOR(I64, DIMS(), 2));
}
END_TEST

START_TEST(the_variance_divides_by_the_count_less_the_correction)
{
    EXPECT("aten::var.correction", ARGS(TENSOR(F32, DIMS(3), 1, 2, 6)),
           TENSOR(F32, DIMS(), 7));
    EXPECT("aten::var.correction",
           ARGS(TENSOR(F32, DIMS(3), 1, 2, 6), NOTHING, FLOAT(0.5)),
           TENSOR(F32, DIMS(), 5.6));
    EXPECT("aten::var.correction", ARGS(TENSOR(F32, DIMS(2), 1, 3), NOTHING, INT(2)),
           TENSOR(F32, DIMS(), INFINITY));
    EXPECT("aten::var", ARGS(TENSOR(F32, DIMS(1), 4)), TENSOR(F32, DIMS(), NAN));
    EXPECT_ALL("aten::std_mean.correction",
               ARGS(TENSOR(F32, DIMS(2, 2), 1, 3, 5, 5), INTS(1), INT(0), TRUTH(true)),
               ARGS(TENSOR(F32, DIMS(2, 1), 1, 0), TENSOR(F32, DIMS(2, 1), 2, 5)));
    EXPECT_REFUSED("aten::var", ARGS(TENSOR(I64, DIMS(2), 1, 2)), DG_ERR_FORMAT, "i64");
}
END_TEST

START_TEST(nan_is_the_extreme_and_the_first_one_counts)
{
    EXPECT_ALL("aten::max.dim", ARGS(TENSOR(F32, DIMS(4), 1, NAN, 3, NAN), INT(0)),
               ARGS(TENSOR(F32, DIMS(), NAN), TENSOR(I64, DIMS(), 1)));
    EXPECT_ALL("aten::min.dim", ARGS(TENSOR(F32, DIMS(4), 1, NAN, 3, NAN), INT(0)),
               ARGS(TENSOR(F32, DIMS(), NAN), TENSOR(I64, DIMS(), 1)));
    EXPECT("aten::argmax", ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 2, 0)),
           TENSOR(I64, DIMS(), 1));
    EXPECT("aten::amax", ARGS(TENSOR(F32, DIMS(2), -0.0, 0)),
           TENSOR(F32, DIMS(), -0.0));
    EXPECT_ALL("aten::aminmax", ARGS(TENSOR(I8, DIMS(3), 3, -4, 5)),
               ARGS(TENSOR(I8, DIMS(), -4), TENSOR(I8, DIMS(), 5)));
    EXPECT("aten::max", ARGS(BIG_INTEGERS(DIMS(2), 1LL << 62, (1LL << 62) + 1)),
           BIG_INTEGERS(DIMS(), (1LL << 62) + 1));
}
END_TEST

START_TEST(norms_of_every_order)
{
    EXPECT("aten::linalg_vector_norm", ARGS(TENSOR(F32, DIMS(3), 3, -4, 0)),
           TENSOR(F32, DIMS(), 5));
    EXPECT("aten::linalg_vector_norm", ARGS(TENSOR(F32, DIMS(3), 3, -4, 0), FLOAT(0)),
           TENSOR(F32, DIMS(), 2));
    EXPECT("aten::linalg_vector_norm",
           ARGS(TENSOR(F32, DIMS(3), 3, -4, 0), FLOAT(INFINITY)),
           TENSOR(F32, DIMS(), 4));
    EXPECT("aten::linalg_vector_norm",
           ARGS(TENSOR(F32, DIMS(3), 3, NAN, 0), FLOAT(-INFINITY)),
           TENSOR(F32, DIMS(), NAN));
    EXPECT_REFUSED("aten::linalg_vector_norm",
                   ARGS(TENSOR(F32, DIMS(0)), FLOAT(INFINITY)), DG_ERR_FORMAT, "inf");
}
END_TEST

START_TEST(logsumexp_does_not_overflow)
{
    EXPECT("aten::logsumexp", ARGS(TENSOR(F32, DIMS(2), 1000, -1000), INTS(0)),
           TENSOR(F32, DIMS(), 1000));
    EXPECT("aten::logsumexp", ARGS(TENSOR(F32, DIMS(2), INFINITY, 1), INTS(0)),
           TENSOR(F32, DIMS(), INFINITY));
    EXPECT("aten::logsumexp", ARGS(TENSOR(F32, DIMS(2), -INFINITY, -INFINITY), INTS(0)),
           TENSOR(F32, DIMS(), -INFINITY));
}
END_TEST

START_TEST(sorting_is_stable_with_nan_the_greatest)
{
    EXPECT_ALL("aten::sort",
               ARGS(TENSOR(F32, DIMS(6), NAN, 0, -0.0, INFINITY, NAN, -1)),
               ARGS(TENSOR(F32, DIMS(6), -1, 0, -0.0, INFINITY, NAN, NAN),
                    TENSOR(I64, DIMS(6), 5, 1, 2, 3, 0, 4)));
    EXPECT_ALL(
        "aten::sort.stable",
        ARGS(TENSOR(I32, DIMS(2, 2), 1, 2, 3, 2), TRUTH(true), INT(0), TRUTH(true)),
        ARGS(TENSOR(I32, DIMS(2, 2), 3, 2, 1, 2), TENSOR(I64, DIMS(2, 2), 1, 0, 0, 1)));
    EXPECT_ALL("aten::sort", ARGS(TENSOR(F32, DIMS(), 3)),
               ARGS(TENSOR(F32, DIMS(), 3), TENSOR(I64, DIMS(), 0)));
}
END_TEST

START_TEST(topk_gives_the_first_of_the_order)
{
    EXPECT_ALL("aten::topk", ARGS(TENSOR(F32, DIMS(5), 1, NAN, 3, NAN, 2), INT(3)),
               ARGS(TENSOR(F32, DIMS(3), NAN, NAN, 3), TENSOR(I64, DIMS(3), 1, 3, 2)));
    EXPECT_ALL("aten::topk",
               ARGS(TENSOR(F32, DIMS(3), 1, NAN, 3), INT(3), INT(0), TRUTH(false)),
               ARGS(TENSOR(F32, DIMS(3), 1, 3, NAN), TENSOR(I64, DIMS(3), 0, 2, 1)));
    EXPECT_REFUSED("aten::topk", ARGS(TENSOR(F32, DIMS(2), 1, 2), INT(3)),
                   DG_ERR_FORMAT, "3 elements of dimension 0 of size 2");
}
END_TEST

START_TEST(the_median_is_the_lower_of_the_middle_or_nan)
{
    EXPECT("aten::median", ARGS(TENSOR(F32, DIMS(4), 4, 1, 3, 2)),
           TENSOR(F32, DIMS(), 2));
    EXPECT_ALL("aten::median.dim", ARGS(TENSOR(F32, DIMS(3), 3, NAN, 1), INT(0)),
               ARGS(TENSOR(F32, DIMS(), NAN), TENSOR(I64, DIMS(), 1)));
    EXPECT("aten::nanmedian", ARGS(TENSOR(F32, DIMS(4), 3, NAN, 4, NAN)),
           TENSOR(F32, DIMS(), 3));
    EXPECT_ALL("aten::mode", ARGS(TENSOR(I64, DIMS(5), 3, 1, 3, 1, 2)),
               ARGS(TENSOR(I64, DIMS(), 1), TENSOR(I64, DIMS(), 3)));
    EXPECT_REFUSED("aten::kthvalue", ARGS(TENSOR(F32, DIMS(2), 1, 2), INT(0)),
                   DG_ERR_FORMAT, "element 0");
}
END_TEST

START_TEST(scans_carry_on_over_long_lines)
{
    struct dg_arg ones = TENSOR(F32, DIMS(2, 3000), 1);
    struct case_run run = case_run("aten::cumsum", ARGS(ones, INT(1)));
    const float *sums = dg_tensor_data(run.results[0].as.tensor);

    ck_assert_double_eq((double)sums[2999], 3000);
    ck_assert_double_eq((double)sums[3000], 1);
    ck_assert_double_eq((double)sums[5999], 3000);
    case_drop(&run);
    case_drop_args(ARGS(ones));
    EXPECT("aten::cumsum", ARGS(TENSOR(BOOL, DIMS(2, 2), 1, 0, 1, 1), INT(0)),
           TENSOR(I64, DIMS(2, 2), 1, 0, 2, 1));
    EXPECT("aten::cumprod", ARGS(TENSOR(F32, DIMS(3), 2, NAN, 3), INT(0)),
           TENSOR(F32, DIMS(3), 2, NAN, NAN));
}
END_TEST

START_TEST(running_extremes_take_the_last_of_equals)
{
    EXPECT_ALL("aten::cummax", ARGS(TENSOR(F32, DIMS(5), 1, 3, 3, NAN, 2), INT(0)),
               ARGS(TENSOR(F32, DIMS(5), 1, 3, 3, NAN, NAN),
                    TENSOR(I64, DIMS(5), 0, 1, 2, 3, 3)));
}
END_TEST

START_TEST(dimensions_that_cannot_be_are_refused)
{
    EXPECT_REFUSED("aten::sum.dim_IntList",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1), INTS(0, -2)), DG_ERR_FORMAT,
                   "dimension 0 is listed more than once");
    EXPECT_REFUSED("aten::sort", ARGS(TENSOR(F32, DIMS(2), 1, 2), INT(1)),
                   DG_ERR_FORMAT, "dimension 1 of a tensor of rank 1");
    EXPECT_REFUSED("aten::cumsum", ARGS(NOTHING, INT(1)), DG_ERR_FORMAT,
                   "not a tensor");
    EXPECT_REFUSED("aten::sort", ARGS(NOTHING), DG_ERR_FORMAT, "not a tensor");
}
END_TEST

START_TEST(distances_broadcast_their_rows)
{
    EXPECT("aten::_cdist_forward",
           ARGS(TENSOR(F32, DIMS(2, 2), 0, 0, 3, 4), TENSOR(F32, DIMS(1, 2), 0, 0),
                FLOAT(2), NOTHING),
           TENSOR(F32, DIMS(2, 1), 0, 5));
    EXPECT("aten::_pdist_forward", ARGS(TENSOR(F32, DIMS(3, 1), 1, 2, 4), FLOAT(1)),
           TENSOR(F32, DIMS(3), 1, 3, 2));
    EXPECT("aten::cosine_similarity",
           ARGS(TENSOR(F32, DIMS(1, 2), 3, 4), TENSOR(F32, DIMS(2, 2), 6, 8, 0, 0)),
           TENSOR(F32, DIMS(2), 1, 0));
}
END_TEST

START_TEST(threads_do_not_change_a_result)
{
    struct dg_arg values = TENSOR(F32, DIMS(64, 900), 0.1);
    float *in = dg_tensor_data(values.as.tensor), *one, *three;
    struct case_run runs[2];

    for (int i = 0; i < 64 * 900; i++)
        in[i] = 1 / (float)(i + 1);
    for (int i = 0; i < 2; i++) {
        case_threads = 1 + 2 * i;
        runs[i] = case_run("aten::logsumexp", ARGS(values, INT(1)));
    }
    case_threads = 1;
    one = dg_tensor_data(runs[0].results[0].as.tensor);
    three = dg_tensor_data(runs[1].results[0].as.tensor);
    ck_assert_mem_eq(one, three, 64 * sizeof(float));
    case_drop(&runs[0]);
    case_drop(&runs[1]);
    case_drop_args(ARGS(values));
}
END_TEST

START_TEST(group_counts_beyond_all_channels_end_at_once)
{
    EXPECT("aten::group_norm", ARGS(TENSOR(F32, DIMS(2, 0, 3)), INT(INT64_C(1) << 40)),
           TENSOR(F32, DIMS(2, 0, 3)));
    EXPECT_REFUSED("aten::group_norm", ARGS(TENSOR(F32, DIMS(4, 0, 3)), INT(INT64_MAX)),
                   DG_ERR_FORMAT, "0 channels in 9223372036854775807 groups");
    EXPECT_REFUSED("aten::group_norm",
                   ARGS(TENSOR(F32, DIMS(2, 4), 1), INT(INT64_C(1) << 40)),
                   DG_ERR_FORMAT, "4 channels in 1099511627776 groups");
}

Suite *kernels_reduction_suite(void)
{
    Suite *suite = suite_create("kernels_reduction");
    TCase *reductions = tcase_create("reductions"), *orders = tcase_create("orders");

    tcase_add_test(reductions, sums_of_integers_and_bools_are_i64_and_wrap);
    tcase_add_test(reductions, a_sum_over_dimensions_drops_or_keeps_them);
    tcase_add_test(reductions,
                   an_empty_list_of_dimensions_is_all_of_them_but_none_to_any);
    tcase_add_test(reductions, a_sum_takes_its_elements_in_the_type_of_the_result);
    tcase_add_test(reductions, exact_sums_round_once_and_own_sums_at_every_step);
    tcase_add_test(reductions, reductions_of_nothing_have_their_neutral_element);
    tcase_add_test(reductions, of_no_elements_none_is_the_largest);
    tcase_add_test(reductions, any_and_all_of_u8_are_u8_and_nan_is_true);
    tcase_add_test(reductions, the_variance_divides_by_the_count_less_the_correction);
    tcase_add_test(reductions, nan_is_the_extreme_and_the_first_one_counts);
    tcase_add_test(reductions, norms_of_every_order);
    tcase_add_test(reductions, logsumexp_does_not_overflow);
    tcase_add_test(reductions, dimensions_that_cannot_be_are_refused);
    tcase_add_test(reductions, distances_broadcast_their_rows);
    tcase_add_test(reductions, threads_do_not_change_a_result);
    tcase_add_test(reductions, group_counts_beyond_all_channels_end_at_once);
    suite_add_tcase(suite, reductions);
    tcase_add_test(orders, sorting_is_stable_with_nan_the_greatest);
    tcase_add_test(orders, topk_gives_the_first_of_the_order);
    tcase_add_test(orders, the_median_is_the_lower_of_the_middle_or_nan);
    tcase_add_test(orders, scans_carry_on_over_long_lines);
    tcase_add_test(orders, running_extremes_take_the_last_of_equals);
    suite_add_tcase(suite, orders);
    return suite;
}
