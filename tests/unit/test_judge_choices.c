/* Verdicts where an operator leaves a choice open, or libraries round in two ways. */
#include <math.h>

#include "unit/evaluations.h"
#include "unit/suite.h"

enum { N_KEYS = 4 };

/* The index of one of four whole keys, of which index 1 was expected. */
static struct dg_judgement judged_pick(int64_t keys[N_KEYS], double picked,
                                       bool any_of_equal)
{
    struct dg_tensor *tensor =
        dg_tensor_over(DG_TYPE_I64, 1, (int64_t[]){N_KEYS}, keys);
    struct values values = {DG_TYPE_I64, 1, (double[]){1}, &picked, NULL, NULL};
    struct dg_judgement judgement =
        judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_EXACT,
                                             .n_steps = 0,
                                             .keys = tensor,
                                             .any_of_equal = any_of_equal});

    dg_tensor_drop(tensor);
    return judgement;
}

START_TEST(any_index_of_equal_integers_passes_where_the_operator_leaves_it_open)
{
    int64_t keys[N_KEYS] = {7, 3, 3, INT64_MIN};

    ck_assert_int_eq(judged_pick(keys, 2, true).verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(judged_pick(keys, 2, false).verdict, DG_VERDICT_FAIL);
    ck_assert_int_eq(judged_pick(keys, 3, true).verdict, DG_VERDICT_FAIL);
    ck_assert_str_eq(judged_pick(keys, 0, true).why,
                     "element 0 is index 0 of value 7, expected 1 of value 3");
    ck_assert_str_eq(judged_pick(keys, -1, true).why,
                     "element 0 is index -1, expected 1, of 4");
}

START_TEST(integers_that_f64_takes_for_equal_are_not)
{
    int64_t keys[N_KEYS] = {(1LL << 53) + 1, 1LL << 53, 1LL << 53, 0};

    ck_assert_int_eq(judged_pick(keys, 2, true).verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(judged_pick(keys, 0, true).verdict, DG_VERDICT_FAIL);
}

/* One bf16 near 1, of which two ways of rounding give 1 and 1.03125, four ulp on. */
static enum dg_verdict verdict_on(double reference, double tested, double other_way)
{
    struct values values = {DG_TYPE_BF16,  1,         &reference, &tested,
                            (double[]){1}, &other_way};

    return verdict_of(&values, DG_TOLERANCE_ROUNDED, 0);
}

START_TEST(each_side_may_have_gone_one_of_two_ways_of_rounding)
{
    const double far = 1.03125, ulp = 0.0078125;

    ck_assert_int_eq(verdict_on(far, 1, far), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_on(1, far + ulp, far), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_on(far, 1, 1), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_on(far, 1 + 2 * ulp, far), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_on(far, far + 2 * ulp, far), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_on(1 - ulp, 1 + ulp, 1 + ulp), DG_VERDICT_FAIL);
}

/* Where one of four elements of expected values is not 0, as f64 and the tested are. */
static enum dg_verdict verdict_beside_zero(double expected, double own)
{
    double reference[] = {0, expected, 0, 0}, own_sums[] = {0, 0, own, 0};
    double zeros[4] = {0};
    struct values values = {DG_TYPE_F16, 4, reference, zeros, zeros, own_sums};

    return verdict_of(&values, DG_TOLERANCE_REDUCTION, 4);
}

START_TEST(beside_zero_everywhere_a_few_times_what_own_sums_leave_passes)
{
    ck_assert_int_eq(verdict_beside_zero(0.003, 0.001), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_beside_zero(0.005, 0.001), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_beside_zero(1, 0.001), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_beside_zero(0.003, 0), DG_VERDICT_FAIL);
}

Suite *judge_choices_suite(void)
{
    Suite *suite = suite_create("judge_choices");
    TCase *indices = tcase_create("indices"), *rounding = tcase_create("rounding");

    tcase_add_test(
        indices, any_index_of_equal_integers_passes_where_the_operator_leaves_it_open);
    tcase_add_test(indices, integers_that_f64_takes_for_equal_are_not);
    tcase_add_test(rounding, each_side_may_have_gone_one_of_two_ways_of_rounding);
    tcase_add_test(rounding,
                   beside_zero_everywhere_a_few_times_what_own_sums_leave_passes);
    suite_add_tcase(suite, indices);
    suite_add_tcase(suite, rounding);
    return suite;
}
