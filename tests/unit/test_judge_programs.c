/* Judging floats by what functions, grids and the sums of a program explain. */
#include <math.h>
#include <string.h>

#include "unit/evaluations.h"
#include "unit/suite.h"

START_TEST(functions_may_be_some_ulp_off_and_cancel_near_zero)
{
    double a[] = {1, 1e-6}, near[] = {1 + 0x1p-21, 1e-6 + 0x1p-25};
    double far[] = {1.00001, 1e-6};
    struct values values = {DG_TYPE_F32, 2, a, near, a, a};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_PASS);
    values.tested = far;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_FAIL);
    values.type = DG_TYPE_F64;
    values.tested = near;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_FAIL);
}

START_TEST(functions_of_f16_may_give_zero_for_subnormals_among_larger_values)
{
    double a[] = {1, 0x1.fp-15}, zero[] = {1, 0}, far[] = {1, 0x1.fp-15 + 0x1.1p-14};
    double small[] = {0x1.fp-15, 0x1.fp-15}, zeros[] = {0, 0x1.fp-15};
    struct values values = {DG_TYPE_F16, 2, a, zero, a, a};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_ROUNDED, 0), DG_VERDICT_FAIL);
    values.tested = far;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_FAIL);
    values = (struct values){DG_TYPE_F16, 2, small, zeros, small, small};
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_FUNCTION, 0), DG_VERDICT_FAIL);
}

/* What TF32 in one layer does, or an epsilon. */
START_TEST(ten_outputs_of_a_deep_network_are_held_to_their_own_sums)
{
    double wide[10], own[10], right[10], wrong[10];
    struct values values = {DG_TYPE_F32, 10, right, right, wide, own};
    struct dg_evidence evidence = {
        .tolerance = DG_TOLERANCE_CONTRACTION, .n_steps = 60, .longest_sum = 4608};
    struct random random = {9};

    for (int i = 0; i < 10; i++) {
        wide[i] = normal(&random);
        right[i] = rounded(DG_TYPE_F32, wide[i] * (1 + 1e-6));
        own[i] = rounded(DG_TYPE_F32, wide[i] * (1 - 1e-6));
        wrong[i] = rounded(DG_TYPE_F32, wide[i] * (1 + 5e-5));
    }
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_PASS);
    values.tested = wrong;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_FAIL);
}

/* Of n codes the first is `tested`, where 100 is right; the evaluation on another grid
 * has `n_own` that are a step off. */
static enum dg_verdict verdict_of_codes(int64_t n, double tested, int64_t n_own)
{
    double right[1000], got[1000], own[1000];
    struct values values = {DG_TYPE_I8, n, right, got, right, own};

    for (int64_t i = 0; i < n; i++) {
        right[i] = got[i] = 100;
        own[i] = i < n_own ? 101 : 100;
    }
    got[0] = tested;
    return judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                                .n_steps = 3,
                                                .other_grid = true})
        .verdict;
}

START_TEST(codes_on_another_grid_may_be_as_far_off_as_its_evaluation_is)
{
    ck_assert_int_eq(verdict_of_codes(1000, 101, 0), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_codes(1000, 102, 0), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_codes(1000, 103, 20), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_codes(1000, 106, 20), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_codes(8, 104, 0), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_codes(8, 106, 0), DG_VERDICT_FAIL);
}

START_TEST(floats_made_of_codes_may_be_a_step_off_where_these_may)
{
    double right[200], got[200];
    struct values values = {DG_TYPE_F32, 200, right, got, right, right};
    struct dg_evidence evidence = {
        .tolerance = DG_TOLERANCE_CONTRACTION, .n_steps = 3, .other_grid = true};

    for (int i = 0; i < 200; i++)
        right[i] = got[i] = 1;
    got[7] = 1.01;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_FAIL);
    evidence.grid_step = 0.01;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_PASS);
    got[7] = 1.03;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_FAIL);
}

/* Of ten equal probabilities a tenth of a step of a logit is left in its own. */
START_TEST(a_softmax_of_codes_moves_by_as_much_as_it_lets_through)
{
    double right[10], got[10];
    struct values values = {DG_TYPE_F32, 10, right, got, right, right};
    struct dg_evidence evidence = {.tolerance = DG_TOLERANCE_CONTRACTION,
                                   .n_steps = 3,
                                   .other_grid = true,
                                   .grid_step = 0.01};

    for (int i = 0; i < 10; i++)
        right[i] = got[i] = 0.1;
    got[3] = 0.11;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_PASS);
    evidence.grid_softmax = true;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_FAIL);
    got[3] = 0.102;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_PASS);
}

/* Of 1000 codes every `each`th is a step off, all to one side or to both; the
 * evaluation on another grid has as many, to both. */
static enum dg_verdict verdict_of_shift(int each, bool to_both)
{
    double right[1000], got[1000], own[1000];
    struct values values = {DG_TYPE_I8, 1000, right, got, right, own};

    for (int i = 0; i < 1000; i++) {
        int off = i % each ? 0 : 1;

        right[i] = i % 50;
        got[i] = right[i] + (to_both && i / each % 2 ? -off : off);
        own[i] = right[i] + (i / each % 2 ? off : -off);
    }
    return judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                                .n_steps = 3,
                                                .other_grid = true})
        .verdict;
}

START_TEST(codes_are_not_all_off_to_one_side)
{
    ck_assert_int_eq(verdict_of_shift(1, true), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_shift(1, false), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_shift(2, false), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_shift(10, false), DG_VERDICT_PASS);
}

/* Three times its evaluation, of few elements, too. */
START_TEST(few_floats_on_another_grid_have_no_wider_bound)
{
    double right[8], got[8], own[8];
    struct values values = {DG_TYPE_F32, 8, right, got, right, own};
    struct dg_evidence evidence = {
        .tolerance = DG_TOLERANCE_CONTRACTION, .n_steps = 3, .other_grid = true};

    for (int i = 0; i < 8; i++) {
        right[i] = 1;
        got[i] = i % 2 ? 1.025 : 0.975;
        own[i] = i % 2 ? 0.99 : 1.01;
    }
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_PASS);
    for (int i = 0; i < 8; i++)
        got[i] = i % 2 ? 1.05 : 0.95;
    ck_assert_int_eq(judged(&values, evidence).verdict, DG_VERDICT_FAIL);
}

/* Of f16 values whose every element is off by `part` of it, some up, some down. */
static enum dg_verdict verdict_of_exp(double part, bool exponential, int64_t half_sum)
{
    double right[200], got[200];
    struct values values = {DG_TYPE_F16, 200, right, got, right, right};

    for (int i = 0; i < 200; i++) {
        right[i] = 64 + i % 64;
        got[i] = right[i] * (i % 2 ? 1 + part : 1 - part);
    }
    return judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_FUNCTION,
                                                .n_steps = 2,
                                                .exponential = exponential,
                                                .half_sum = half_sum})
        .verdict;
}

START_TEST(exp_of_f16_in_a_program_may_be_as_far_off_as_alone)
{
    ck_assert_int_eq(verdict_of_exp(0.0028, true, 0), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_exp(0.0028, false, 0), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_exp(0.0042, true, 0), DG_VERDICT_FAIL);
}

START_TEST(softmax_of_f16_may_err_by_its_sum_in_f16)
{
    ck_assert_int_eq(verdict_of_exp(0.0042, true, 64), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_exp(0.0042, true, 512), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_exp(0.01, true, 512), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_exp(0.01, false, 512), DG_VERDICT_FAIL);
}

/* Of four values own sums on one grid happen to be right, on another one not. */
static enum dg_verdict verdict_on_grids(double error, double error_of_grid)
{
    double right[] = {1, 2, 3, 4}, got[4], own[4], other[4];
    struct values values = {DG_TYPE_F32, 4, right, got, right, own};
    struct dg_arg grid = {DG_ARG_TENSOR, {0}};
    enum dg_verdict verdict;

    for (int i = 0; i < 4; i++) {
        got[i] = right[i] + (i % 2 ? error : -error);
        own[i] = right[i] + (i % 2 ? -0.001 : 0.001);
        other[i] = right[i] + (i % 2 ? error_of_grid : -error_of_grid);
    }
    grid.as.tensor = tensor_of(DG_TYPE_F32, other, 4);
    verdict =
        judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                             .n_steps = 3,
                                             .other_grid = true,
                                             .grids = {&grid}})
            .verdict;
    dg_arg_drop(&grid);
    return verdict;
}

START_TEST(few_floats_may_be_as_far_off_as_on_the_worst_of_several_grids)
{
    ck_assert_int_eq(verdict_on_grids(0.0029, 0.001), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_on_grids(0.0031, 0.001), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_on_grids(0.0119, 0.004), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_on_grids(0.0099, 0.004), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_on_grids(0.0121, 0.008), DG_VERDICT_PASS);
}

START_TEST(where_all_is_zero_elements_must_be_nearly_so)
{
    double zero[64] = {0}, near[64] = {1e-7}, far[64] = {1e-5};
    struct values values = {DG_TYPE_F32, 64, zero, near, zero, zero};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_REDUCTION, 8), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_ROUNDED, 8), DG_VERDICT_FAIL);
    values.tested = far;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_REDUCTION, 8), DG_VERDICT_FAIL);
}

START_TEST(a_program_of_zeros_fails_where_something_else_is_expected)
{
    double zero[64] = {0}, other[64] = {1.05}, near[64] = {1e-7};
    struct values values = {DG_TYPE_F32, 64, other, zero, zero, zero};

    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_REDUCTION, 8), DG_VERDICT_FAIL);
    values.wide = NULL;
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_REDUCTION, 8), DG_VERDICT_FAIL);
    values = (struct values){DG_TYPE_F32, 64, near, zero, zero, zero};
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_REDUCTION, 8), DG_VERDICT_PASS);
}

START_TEST(expected_values_far_from_f64_fail_though_the_run_is_right)
{
    double a[200], wrong[200];
    struct values values = {DG_TYPE_F32, 200, wrong, a, a, a};
    struct random random = {1};

    for (int i = 0; i < 200; i++) {
        a[i] = rounded(DG_TYPE_F32, normal(&random));
        wrong[i] = rounded(DG_TYPE_F32, a[i] * (1 + 2e-6));
    }
    ck_assert_int_eq(verdict_of(&values, DG_TOLERANCE_CONTRACTION, 64),
                     DG_VERDICT_FAIL);
}

/* An output of `n_steps` products whose references are so far apart. */
static struct dg_judgement judged_apart(double error, size_t n_steps)
{
    double wide[100], own[100];
    struct values values = {DG_TYPE_F32, 100, own, own, wide, own};
    struct random random = {1};

    for (int i = 0; i < 100; i++) {
        wide[i] = normal(&random);
        own[i] = wide[i] + error * normal(&random);
    }
    return judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                                .n_steps = n_steps,
                                                .longest_sum = 64,
                                                .alone = true});
}

START_TEST(an_output_is_unstable_where_references_differ_more_than_its_steps_explain)
{
    ck_assert_int_eq(judged_apart(0.3, 1000 * 1000).verdict, DG_VERDICT_SKIP);
    ck_assert_int_eq(judged_apart(1e-4, 10).verdict, DG_VERDICT_SKIP);
    ck_assert_int_eq(strncmp(judged_apart(1e-4, 10).why, "unstable: ", 10), 0);
    ck_assert_int_eq(judged_apart(1e-5, 100).verdict, DG_VERDICT_PASS);
}

/* Expected values, where own sums lead elsewhere than f64. */
static enum dg_verdict verdict_of_unstable(double off, bool expects)
{
    double wide[100], own[100], expected[100];
    struct values values = {DG_TYPE_F32, 100, expected, wide, wide, own};
    struct random random = {1};

    for (int i = 0; i < 100; i++) {
        wide[i] = (float)normal(&random);
        own[i] = expected[i] = (float)(wide[i] + 0.3 * normal(&random));
    }
    expected[99] += off;
    return judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                                .n_steps = 10,
                                                .longest_sum = 64,
                                                .expects = expects})
        .verdict;
}

START_TEST(an_unstable_output_passes_where_it_is_that_of_own_sums_bit_for_bit)
{
    ck_assert_int_eq(verdict_of_unstable(0, true), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_unstable(0.5, true), DG_VERDICT_SKIP);
}

/* That the reference is bit for bit what own sums are, too, says nothing of others. */
START_TEST(an_unstable_output_is_not_excused_by_our_own_values)
{
    ck_assert_int_eq(verdict_of_unstable(0, false), DG_VERDICT_SKIP);
}

/* Both near f64, though own sums are not; one element of the expected ones is not, by
 * so much. */
static enum dg_verdict verdict_of_near(double error, double one_off, bool alone)
{
    double wide[100], own[100], expected[100], tested[100];
    struct values values = {DG_TYPE_F32, 100, expected, tested, wide, own};
    struct random random = {1};

    for (int i = 0; i < 100; i++) {
        wide[i] = normal(&random);
        own[i] = wide[i] + 1e-3 * normal(&random);
        tested[i] = (float)wide[i];
        expected[i] = (float)(wide[i] + error * normal(&random));
    }
    expected[99] += one_off;
    return judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_REDUCTION,
                                                .n_steps = 1,
                                                .longest_sum = 64,
                                                .alone = alone,
                                                .expects = !alone})
        .verdict;
}

START_TEST(values_near_f64_pass_however_far_rounding_could_lead)
{
    ck_assert_int_eq(verdict_of_near(1e-6, 0, false), DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_near(1e-6, 1e-5, false), DG_VERDICT_SKIP);
    ck_assert_int_eq(verdict_of_near(3e-6, 0, false), DG_VERDICT_SKIP);
    ck_assert_int_eq(verdict_of_near(1e-6, 0, true), DG_VERDICT_SKIP);
}

/* Of `n` values own sums are no guide, and something else gave the negative ones. */
static enum dg_verdict verdict_of_negative(int64_t n, double own_error)
{
    double wide[100], own[100], negative[100];
    struct values values = {DG_TYPE_F16, n, negative, wide, wide, own};
    struct random random = {1};

    for (int i = 0; i < 100; i++) {
        wide[i] = rounded(DG_TYPE_F16, normal(&random));
        own[i] = wide[i] * (1 - own_error);
        negative[i] = -wide[i];
    }
    return verdict_of(&values, DG_TOLERANCE_REDUCTION, 64);
}

START_TEST(few_values_do_not_pass_where_own_sums_lose_them)
{
    ck_assert_int_eq(verdict_of_negative(20, 0.9), DG_VERDICT_SKIP);
    ck_assert_int_eq(verdict_of_negative(20, 0.01), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_negative(100, 0.9), DG_VERDICT_SKIP);
}

/* A buffer that nobody wrote looks the same. */
START_TEST(zeros_do_not_pass_because_own_sums_underflow)
{
    double wide[100], zero[100] = {0};
    struct values values = {DG_TYPE_F16, 100, zero, wide, wide, zero};

    for (int i = 0; i < 100; i++)
        wide[i] = 1 + i;
    ck_assert_int_eq(
        judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_REDUCTION,
                                             .n_steps = 1,
                                             .longest_sum = 64,
                                             .expects = true})
            .verdict,
        DG_VERDICT_SKIP);
}

/* In bf16, of a class and an error of own sums: expected values that err by so many
 * times as much. */
static enum dg_verdict verdict_of_steps(enum dg_tolerance class, double own_error,
                                        double times)
{
    double wide[2000], own[2000], expected[2000];
    struct values values = {DG_TYPE_BF16, 2000, expected, wide, wide, own};
    struct random random = {1};

    for (int i = 0; i < 2000; i++) {
        wide[i] = rounded(DG_TYPE_BF16, normal(&random));
        own[i] = wide[i] + own_error * (i % 2 ? 1 : -1);
        expected[i] = wide[i] + own_error * times * (i % 2 ? 1 : -1);
    }
    return verdict_of(&values, class, 64);
}

START_TEST(steps_that_lead_far_bound_what_they_lead_to)
{
    ck_assert_int_eq(verdict_of_steps(DG_TOLERANCE_STEPWISE, 0.02, 1.5),
                     DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_steps(DG_TOLERANCE_STEPWISE, 0.02, 4), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_steps(DG_TOLERANCE_REDUCTION, 0.02, 4),
                     DG_VERDICT_SKIP);
    ck_assert_int_eq(verdict_of_steps(DG_TOLERANCE_STEPWISE, 0.002, 2.9),
                     DG_VERDICT_FAIL);
}

/* The same of f16 where own sums err by a hundredth of `chaos`: every `each`th element
 * is off by so many times as much. */
static struct dg_judgement judged_off(double times, int each, double chaos)
{
    double wide[200], own[200], expected[200];
    struct values values = {DG_TYPE_F16, 200, expected, wide, wide, own};
    struct random random = {1};

    for (int i = 0; i < 200; i++) {
        wide[i] = rounded(DG_TYPE_F16, normal(&random));
        own[i] = wide[i] + 0.01 * chaos * (i % 2 ? 1 : -1);
        expected[i] = wide[i] + (i % each ? 0 : 0.01 * chaos * times);
    }
    return judged(&values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                                .n_steps = 10,
                                                .longest_sum = 64});
}

START_TEST(an_unstable_output_fails_where_many_elements_are_far_beyond_own_sums)
{
    struct dg_judgement judgement = judged_off(12, 1, 1);

    ck_assert_int_eq(judgement.verdict, DG_VERDICT_FAIL);
    ck_assert_msg(strstr(judgement.why, "the expected values' elements: 200 of 200"),
                  "%s", judgement.why);
    ck_assert_int_eq(judged_off(12, 6, 1).verdict, DG_VERDICT_FAIL);
    ck_assert_int_eq(judged_off(12, 10, 1).verdict, DG_VERDICT_SKIP);
    ck_assert_int_eq(judged_off(8, 1, 1).verdict, DG_VERDICT_SKIP);
    ck_assert_int_eq(judged_off(12, 1, 20).verdict, DG_VERDICT_SKIP);
}

static enum dg_verdict verdict_after(const struct values *values, size_t n_steps)
{
    return judged(values, (struct dg_evidence){.tolerance = DG_TOLERANCE_CONTRACTION,
                                               .n_steps = n_steps,
                                               .longest_sum = 64})
        .verdict;
}

/* Twenty steps of f16, in 400 elements: own sums err by half an ulp. */
START_TEST(sixteen_bits_are_held_to_what_their_sums_lose_not_to_twenty_times_it)
{
    double wide[400], own[400], wrong[400], right[400];
    struct values values = {DG_TYPE_F16, 400, own, wrong, wide, own};
    struct random random = {1};
    const double half = 0x1p-11;

    for (int i = 0; i < 400; i++) {
        wide[i] = 1;
        own[i] = 1 + half * normal(&random);
        right[i] = 1 + 3 * half * normal(&random);
        wrong[i] = 1 + 14 * half * normal(&random);
    }
    for (int i = 0; i < 400; i++) {
        own[i] = rounded(DG_TYPE_F16, own[i]);
        right[i] = rounded(DG_TYPE_F16, right[i]);
        wrong[i] = rounded(DG_TYPE_F16, wrong[i]);
    }
    ck_assert_int_eq(verdict_after(&values, 20), DG_VERDICT_FAIL);
    values.tested = right;
    ck_assert_int_eq(verdict_after(&values, 20), DG_VERDICT_PASS);
}

Suite *judge_programs_suite(void)
{
    Suite *suite = suite_create("judge_programs");
    TCase *verdicts = tcase_create("verdicts");
    tcase_add_test(verdicts, functions_may_be_some_ulp_off_and_cancel_near_zero);
    tcase_add_test(verdicts,
                   functions_of_f16_may_give_zero_for_subnormals_among_larger_values);
    tcase_add_test(verdicts, ten_outputs_of_a_deep_network_are_held_to_their_own_sums);
    tcase_add_test(verdicts,
                   codes_on_another_grid_may_be_as_far_off_as_its_evaluation_is);
    tcase_add_test(verdicts, codes_are_not_all_off_to_one_side);
    tcase_add_test(verdicts, few_floats_on_another_grid_have_no_wider_bound);
    tcase_add_test(verdicts, exp_of_f16_in_a_program_may_be_as_far_off_as_alone);
    tcase_add_test(verdicts, softmax_of_f16_may_err_by_its_sum_in_f16);
    tcase_add_test(verdicts,
                   few_floats_may_be_as_far_off_as_on_the_worst_of_several_grids);
    tcase_add_test(verdicts, floats_made_of_codes_may_be_a_step_off_where_these_may);
    tcase_add_test(verdicts, a_softmax_of_codes_moves_by_as_much_as_it_lets_through);
    tcase_add_test(verdicts, where_all_is_zero_elements_must_be_nearly_so);
    tcase_add_test(verdicts, expected_values_far_from_f64_fail_though_the_run_is_right);
    tcase_add_test(verdicts,
                   an_unstable_output_passes_where_it_is_that_of_own_sums_bit_for_bit);
    tcase_add_test(verdicts, values_near_f64_pass_however_far_rounding_could_lead);
    tcase_add_test(verdicts, few_values_do_not_pass_where_own_sums_lose_them);
    tcase_add_test(verdicts, zeros_do_not_pass_because_own_sums_underflow);
    tcase_add_test(verdicts, steps_that_lead_far_bound_what_they_lead_to);
    tcase_add_test(verdicts, an_unstable_output_is_not_excused_by_our_own_values);
    tcase_add_test(
        verdicts, an_unstable_output_fails_where_many_elements_are_far_beyond_own_sums);
    tcase_add_test(
        verdicts,
        an_output_is_unstable_where_references_differ_more_than_its_steps_explain);
    tcase_add_test(
        verdicts, sixteen_bits_are_held_to_what_their_sums_lose_not_to_twenty_times_it);
    tcase_add_test(verdicts, a_program_of_zeros_fails_where_something_else_is_expected);
    suite_add_tcase(suite, verdicts);
    return suite;
}
