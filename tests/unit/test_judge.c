/* Verdicts: what passes, what fails, and what nobody can tell. */
#include <math.h>
#include <string.h>

#include "kernels/xnnpack.h"
#include "unit/evaluations.h"
#include "unit/suite.h"

static struct dg_judgement judged_args(struct dg_arg *reference, struct dg_arg *tested)
{
    struct dg_judgement judgement;

    dg_judge(&judgement,
             &(struct dg_evidence){.reference = reference, .tested = tested});
    return judgement;
}

START_TEST(another_dtype_fails_and_both_are_named)
{
    struct dg_arg a = {DG_ARG_TENSOR,
                       {.tensor = tensor_of(DG_TYPE_F32, (double[]){1}, 1)}};
    struct dg_arg b = {DG_ARG_TENSOR,
                       {.tensor = tensor_of(DG_TYPE_F64, (double[]){1}, 1)}};
    struct dg_judgement judgement = judged_args(&a, &b);

    ck_assert_int_eq(judgement.verdict, DG_VERDICT_FAIL);
    ck_assert_str_eq(judgement.why, "dtype is f64, expected f32");
    dg_arg_drop(&a);
    dg_arg_drop(&b);
}

START_TEST(a_longer_tensor_fails_and_is_not_cut)
{
    struct dg_arg a = {DG_ARG_TENSOR,
                       {.tensor = tensor_of(DG_TYPE_F32, (double[]){1, 2}, 2)}};
    struct dg_arg b = {DG_ARG_TENSOR,
                       {.tensor = tensor_of(DG_TYPE_F32, (double[]){1, 2, 3}, 3)}};

    ck_assert_str_eq(judged_args(&a, &b).why, "shape is [3], expected [2]");
    dg_arg_drop(&a);
    dg_arg_drop(&b);
}

START_TEST(a_missing_value_fails)
{
    struct dg_arg a = {DG_ARG_INT, {.integer = 3}}, none = {0};

    ck_assert_str_eq(judged_args(&a, &none).why, "is None, expected an int");
    ck_assert_int_eq(judged_args(&none, &none).verdict, DG_VERDICT_PASS);
}

START_TEST(scalars_and_strings_must_be_equal)
{
    struct dg_arg three = {DG_ARG_INT, {.integer = 3}},
                  four = {DG_ARG_INT, {.integer = 4}};
    struct dg_arg a = {DG_ARG_STRING, {.string = "a"}};
    struct dg_arg b = {DG_ARG_STRING, {.string = "b"}};

    ck_assert_int_eq(judged_args(&three, &three).verdict, DG_VERDICT_PASS);
    ck_assert_str_eq(judged_args(&three, &four).why, "is 4, expected 3");
    ck_assert_str_eq(judged_args(&a, &b).why, "is \"b\", expected \"a\"");
    ck_assert_int_eq(judged_args(&a, &a).verdict, DG_VERDICT_PASS);
}

START_TEST(python_floats_are_judged_as_numbers)
{
    struct dg_arg a = {DG_ARG_FLOAT, {.real = 1}}, b = {DG_ARG_FLOAT, {.real = 1.5}};

    ck_assert_int_eq(judged_args(&a, &a).verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(judged_args(&a, &b).verdict, DG_VERDICT_FAIL);
}

START_TEST(what_could_not_run_is_skipped_and_never_passes)
{
    struct dg_arg a = {DG_ARG_INT, {.integer = 3}}, unknown = {DG_ARG_UNKNOWN, {0}};

    ck_assert_int_eq(judged_args(&a, &unknown).verdict, DG_VERDICT_SKIP);
    ck_assert_int_eq(judged_args(&unknown, &unknown).verdict, DG_VERDICT_SKIP);
}

START_TEST(random_numbers_are_skipped_with_a_reason)
{
    double a[] = {1, 2};
    struct values values = {DG_TYPE_F32, 2, a, a, a, a};
    struct dg_judgement judgement = judged(
        &values, (struct dg_evidence){.tolerance = DG_TOLERANCE_RANDOM, .alone = true});

    ck_assert_int_eq(judgement.verdict, DG_VERDICT_SKIP);
    ck_assert_str_eq(judgement.why, "depends on random numbers");
}

START_TEST(equal_bits_pass_in_every_class)
{
    double a[] = {1, 2}, wide[] = {3, 4};
    struct values values = {DG_TYPE_F32, 2, a, a, wide, a};
    struct dg_arg item = {DG_ARG_INT, {.integer = 3}};
    struct dg_arg list = {DG_ARG_LIST, {.list = {&item, 1}}};

    for (int class = DG_TOLERANCE_EXACT; class <= DG_TOLERANCE_RANDOM; class ++)
        ck_assert_int_eq(verdict_of(&values, class, 8), DG_VERDICT_PASS);
    ck_assert_int_eq(judged_args(&list, &list).verdict, DG_VERDICT_PASS);
}

START_TEST(what_the_user_allows_decides_instead_of_the_policy)
{
    double a[] = {1, 2}, near[] = {1.001, 2};
    struct values values = {DG_TYPE_F32, 2, a, near, a, a};
    struct dg_limits loose = {-1, 0.01, -1}, tight = {1e-4, -1, -1}, snr = {-1, -1, 60};
    struct dg_judgement judgement;

    for (int class = DG_TOLERANCE_EXACT; class <= DG_TOLERANCE_RANDOM; class ++) {
        struct dg_evidence evidence = {.tolerance = class, .given = &loose};

        ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_PASS);
        evidence.given = &tight;
        ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_FAIL);
        evidence.given = &snr;
        ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_PASS);
    }
    snr.min_snr = 70;
    judgement = judged(&values, (struct dg_evidence){.given = &snr});
    ck_assert_str_eq(judgement.why, "SNR 67.0 dB is below 70 dB");
    ck_assert_double_eq(judgement.snr_limit, 70);
}

START_TEST(moves_must_be_exact)
{
    double a[] = {1, 2}, b[] = {1, 2 + 0x1p-22};
    struct values values = {DG_TYPE_F32, 2, a, b, a, a};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_EXACT, 0), DG_VERDICT_FAIL);
    values.tested = a;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_EXACT, 0), DG_VERDICT_PASS);
}

START_TEST(one_rounding_may_be_one_ulp_off_and_not_two)
{
    double a[] = {1, 2}, one[] = {1 + 0x1p-23, 2}, two[] = {1 + 0x1p-22, 2};
    struct values values = {DG_TYPE_F32, 2, a, one, a, a};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_ROUNDED, 0), DG_VERDICT_PASS);
    values.tested = two;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_ROUNDED, 0), DG_VERDICT_FAIL);
}

START_TEST(functions_of_sixteen_bits_cancel_in_f32)
{
    double a[] = {1, -0.0036}, near[] = {1, -0.0036 + 0x1p-22};
    double tanh_form[] = {1, -0.0040};
    struct values values = {DG_TYPE_F16, 2, a, near, a, a};

    for (int type = 0; type < 2; type++) {
        values.type = type ? DG_TYPE_BF16 : DG_TYPE_F16;
        values.tested = near;
        ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0),
                         DG_VERDICT_PASS);
        values.tested = tanh_form;
        ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0),
                         DG_VERDICT_FAIL);
    }
}

/* Measured of e^88 in f32: 62 ulp. */
START_TEST(exponentials_of_xnnpack_may_err_by_their_argument)
{
    double a[] = {1.65e38, 1}, near[] = {1.65e38 * (1 + 3.8e-6), 1},
           off[] = {1.65e38 * (1 + 2e-5), 1};
    struct values values = {DG_TYPE_F32, 2, a, near, a, a};
    enum dg_tolerance own = dg_kernel_find("aten::exp")->tolerance,
                      its = dg_xnn_kernel(dg_text("Exp"))->kernel.tolerance;

    ck_assert_int_eq(verdict_of(&values, its, 0), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of(&values, own, 0), DG_VERDICT_FAIL);
    values.tested = off;
    ck_assert_int_eq(verdict_of(&values, its, 0), DG_VERDICT_FAIL);
}

/* gelu of -3 and below alone, as oneDNN has it: 11 ulp of 1 times x / 2. Own sums round
 * what x / 2 is multiplied by. */
START_TEST(what_is_left_of_two_terms_near_one_may_be_ulp_of_these_off)
{
    double a[] = {-0.0036, -1e-5}, own[] = {-0.0036 + 2.7e-8, -1e-5 - 2.7e-8};
    double near[] = {-0.0036 + 1.2e-6, -1e-5 - 1.2e-6}, tanh_form[] = {-0.0040, -1e-5};
    struct values values = {DG_TYPE_F32, 2, a, near, a, own};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_DIFFERENCE, 0), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_FAIL);
    values.type = DG_TYPE_BF16;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_DIFFERENCE, 0), DG_VERDICT_PASS);
    values.tested = tanh_form;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_DIFFERENCE, 0), DG_VERDICT_FAIL);
    values.type = DG_TYPE_F32;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_DIFFERENCE, 0), DG_VERDICT_FAIL);
}

START_TEST(small_multiples_of_a_term_near_one_are_told_from_zero)
{
    double a[] = {-1e-6, -2e-6}, own[] = {-1e-6 - 3e-14, -2e-6 + 5e-14}, zero[2] = {0};
    struct values values = {DG_TYPE_F32, 2, a, zero, a, own};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_DIFFERENCE, 0), DG_VERDICT_FAIL);
    values.type = DG_TYPE_BF16;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_DIFFERENCE, 0), DG_VERDICT_FAIL);
}

START_TEST(functions_of_f16_may_be_as_far_off_as_those_of_xnnpack)
{
    double a[] = {1, 0.5}, five[] = {1, 0.5 + 5 * 0x1p-11};
    double six[] = {1, 0.5 + 6 * 0x1p-11};
    struct values values = {DG_TYPE_F16, 2, a, five, a, a};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_PASS);
    values.tested = six;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_FAIL);
}

START_TEST(one_wrong_element_among_many_fails)
{
    static double wide[100000], right[100000], wrong[100000];
    struct values values = {DG_TYPE_BF16, 100000, right, wrong, wide, right};
    struct random random = {5};
    struct dg_judgement judgement;

    for (int i = 0; i < 100000; i++) {
        wide[i] = normal(&random);
        right[i] = wrong[i] = rounded(DG_TYPE_BF16, wide[i]);
    }
    wrong[777] = 0;
    wide[777] = right[777] = 1;
    judgement =
        judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                             .n_steps = 1,
                                             .longest_sum = 64});
    ck_assert_int_eq(judgement.verdict, DG_VERDICT_FAIL);
    ck_assert_msg(strstr(judgement.why, "its element 777 is 0, in f64 1:"), "%s",
                  judgement.why);
}

START_TEST(a_dropped_nan_fails_in_every_class)
{
    double a[] = {1, NAN, 3}, b[] = {1, 0, 3};
    struct values values = {DG_TYPE_F32, 3, a, b, a, a};

    for (int class = DG_TOLERANCE_EXACT; class < DG_TOLERANCE_RANDOM; class ++) {
        values.tested = b;
        ck_assert_int_eq(verdict_of(&values, class, 8), DG_VERDICT_FAIL);
        values.tested = a;
        ck_assert_int_eq(verdict_of(&values, class, 8), DG_VERDICT_PASS);
    }
}

START_TEST(a_sign_of_infinity_matters)
{
    double a[] = {1, INFINITY}, b[] = {1, -INFINITY};
    struct values values = {DG_TYPE_F32, 2, a, b, a, a};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_REDUCTION, 8), DG_VERDICT_FAIL);
}

START_TEST(nan_alone_is_not_compared_and_infinity_alone_is)
{
    double nan[] = {NAN, NAN}, mask[] = {-INFINITY, -INFINITY};
    struct values values = {DG_TYPE_F32, 2, nan, nan, nan, nan};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 8), DG_VERDICT_SKIP);
    values = (struct values){DG_TYPE_F32, 2, mask, mask, mask, mask};
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 8), DG_VERDICT_PASS);
}

START_TEST(overflow_of_a_narrow_dtype_passes_with_a_note)
{
    double narrow[] = {1, INFINITY}, wide[] = {1, 70000};
    struct values values = {DG_TYPE_F16, 2, narrow, narrow, wide, narrow};
    struct dg_judgement judgement =
        judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                             .n_steps = 1});

    ck_assert_int_eq(judgement.verdict, DG_VERDICT_PASS);
    ck_assert_msg(strstr(judgement.why, "overflow-in-dtype"), "%s", judgement.why);
}

START_TEST(a_result_of_nothing_but_nan_is_not_compared)
{
    double none[] = {NAN, NAN}, wide[] = {1, 70000};
    struct values values = {DG_TYPE_F32, 2, none, none, wide, none};
    struct dg_judgement judgement =
        judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                             .n_steps = 1});

    ck_assert_int_eq(judgement.verdict, DG_VERDICT_SKIP);
    ck_assert_msg(strstr(judgement.why, "no element is finite"), "%s", judgement.why);
    values.wide = none;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_CONTRACTION, 8), DG_VERDICT_SKIP);
}

START_TEST(integers_that_no_float_touched_must_be_equal)
{
    double a[] = {1, 2}, b[] = {1, 3};
    struct values values = {DG_TYPE_I64, 2, a, b, NULL, NULL};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_EXACT, 0), DG_VERDICT_FAIL);
}

START_TEST(a_comparison_that_rounding_decides_is_skipped_with_a_count)
{
    double a[] = {0, 1, 1, 0}, b[] = {0, 1, 0, 0};
    struct values values = {DG_TYPE_BOOL, 4, a, b, b, a};
    struct dg_judgement judgement =
        judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION});

    ck_assert_int_eq(judgement.verdict, DG_VERDICT_SKIP);
    ck_assert_str_eq(judgement.why, "decided by rounding: 1 elements differ, and the "
                                    "f64 reference disagrees with bool on 1");
}

START_TEST(a_comparison_on_which_all_legs_agree_fails_where_it_differs)
{
    double a[] = {0, 1, 1, 0}, b[] = {0, 1, 0, 0};
    struct values values = {DG_TYPE_BOOL, 4, a, b, a, a};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_CONTRACTION, 0), DG_VERDICT_FAIL);
}

START_TEST(quantised_values_may_be_one_step_apart_in_few_places)
{
    double a[400], few[400], floors[400], far[400];
    struct values values = {DG_TYPE_I8, 400, a, few, a, a};

    for (int i = 0; i < 400; i++) {
        a[i] = i % 100;
        few[i] = a[i] + (i % 150 == 7);
        floors[i] = a[i] - i % 2;
        far[i] = a[i] + (i == 7 ? 2 : 0);
    }
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_QUANTIZE, 0), DG_VERDICT_PASS);
    values.tested = floors;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_QUANTIZE, 0), DG_VERDICT_FAIL);
    values.tested = far;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_QUANTIZE, 0), DG_VERDICT_FAIL);
}

/* Indices of the largest three of five keys. */
static struct dg_judgement judged_indices(const double *tested, double keys_error,
                                          bool stable)
{
    struct dg_tensor *keys = tensor_of(DG_TYPE_F32, (double[]){5, 1, 5, 4.0001, 4}, 5);
    double reference[] = {0, 2, 3};
    struct values values = {DG_TYPE_I64, 3, reference, tested, reference, reference};
    struct dg_judgement judgement =
        judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_ORDER,
                                             .n_steps = 1,
                                             .keys = keys,
                                             .keys_error = keys_error,
                                             .stable = stable});

    dg_tensor_drop(keys);
    return judgement;
}

START_TEST(indices_are_judged_by_the_values_that_they_name)
{
    double ties[] = {2, 0, 3}, near[] = {0, 2, 4}, wrong[] = {0, 2, 1};
    double twice[] = {0, 0, 3}, outside[] = {0, 2, 5};

    ck_assert_int_eq(judged_indices(ties, 0, false).verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(judged_indices(ties, 0, true).verdict, DG_VERDICT_FAIL);
    ck_assert_int_eq(judged_indices(near, 0, false).verdict, DG_VERDICT_FAIL);
    ck_assert_int_eq(judged_indices(near, 1e-4, false).verdict, DG_VERDICT_PASS);
    ck_assert_int_eq(judged_indices(wrong, 1e-4, false).verdict, DG_VERDICT_FAIL);
    ck_assert_int_eq(judged_indices(twice, 1e-4, false).verdict, DG_VERDICT_FAIL);
    ck_assert_str_eq(judged_indices(outside, 1e-4, false).why,
                     "element 2 is index 5, expected 3, of 5");
}

Suite *judge_suite(void)
{
    Suite *suite = suite_create("judge");
    TCase *verdicts = tcase_create("verdicts");

    tcase_add_test(verdicts, another_dtype_fails_and_both_are_named);
    tcase_add_test(verdicts, a_longer_tensor_fails_and_is_not_cut);
    tcase_add_test(verdicts, a_missing_value_fails);
    tcase_add_test(verdicts, scalars_and_strings_must_be_equal);
    tcase_add_test(verdicts, python_floats_are_judged_as_numbers);
    tcase_add_test(verdicts, what_could_not_run_is_skipped_and_never_passes);
    tcase_add_test(verdicts, random_numbers_are_skipped_with_a_reason);
    tcase_add_test(verdicts, moves_must_be_exact);
    tcase_add_test(verdicts, one_rounding_may_be_one_ulp_off_and_not_two);
    tcase_add_test(verdicts, functions_of_sixteen_bits_cancel_in_f32);
    tcase_add_test(verdicts, exponentials_of_xnnpack_may_err_by_their_argument);
    tcase_add_test(verdicts, small_multiples_of_a_term_near_one_are_told_from_zero);
    tcase_add_test(verdicts,
                   what_is_left_of_two_terms_near_one_may_be_ulp_of_these_off);
    tcase_add_test(verdicts, functions_of_f16_may_be_as_far_off_as_those_of_xnnpack);
    tcase_add_test(verdicts, one_wrong_element_among_many_fails);
    tcase_add_test(verdicts, a_dropped_nan_fails_in_every_class);
    tcase_add_test(verdicts, a_sign_of_infinity_matters);
    tcase_add_test(verdicts, nan_alone_is_not_compared_and_infinity_alone_is);
    tcase_add_test(verdicts, overflow_of_a_narrow_dtype_passes_with_a_note);
    tcase_add_test(verdicts, a_result_of_nothing_but_nan_is_not_compared);
    tcase_add_test(verdicts, integers_that_no_float_touched_must_be_equal);
    tcase_add_test(verdicts,
                   a_comparison_that_rounding_decides_is_skipped_with_a_count);
    tcase_add_test(verdicts,
                   a_comparison_on_which_all_legs_agree_fails_where_it_differs);
    tcase_add_test(verdicts, quantised_values_may_be_one_step_apart_in_few_places);
    tcase_add_test(verdicts, indices_are_judged_by_the_values_that_they_name);
    tcase_add_test(verdicts, equal_bits_pass_in_every_class);
    tcase_add_test(verdicts, what_the_user_allows_decides_instead_of_the_policy);
    suite_add_tcase(suite, verdicts);
    return suite;
}
