/* Rules about what a run gives: remarks about results, and what is found of them. */
#include "unit/suite.h"

#include <math.h>
#include <stdio.h>

#include "exec/run_remarks.h"
#include "unit/rules.h"

static struct dg_numeric_result results[2];
static size_t ends[] = {0, 2};
static struct dg_numeric_answer answer;

/* Two outputs of a method, values 1 and 2, each made by an instruction; they pass. */
static void given_run(void)
{
    rules_open_pte();
    tensor(0, 0, 24);
    tensor(1, 24, 24);
    tensor(2, 48, 24);
    goes_in(0);
    comes_out(1);
    comes_out(2);
    call_op("aten::add.out", "0", "", "1");
    call_op("aten::mul.out", "1", "", "2");
    given("INSERT INTO setting VALUES ('numerics', '')");
    for (size_t i = 0; i < 2; i++)
        results[i] = (struct dg_numeric_result){
            .step = UINT32_MAX,
            .output = i,
            .tested = i,
            .name = i ? "output 1" : "add",
            .counted = true,
            .judgement.metrics = {.count = 4,
                                  .snr_db = 24.25,
                                  .max_abs = 0.5,
                                  .worst = 3,
                                  .worst_ref = 1,
                                  .worst_got = 1.5},
        };
    answer = (struct dg_numeric_answer){.results = results,
                                        .n_results = 2,
                                        .first_of_call = ends,
                                        .n_calls = 1,
                                        .counts = {2, 0, 0},
                                        .culprit = SIZE_MAX};
}

static void judged(size_t i, enum dg_verdict verdict, const char *why)
{
    struct dg_judgement *judgement = &results[i].judgement;

    answer.counts[judgement->verdict]--;
    answer.counts[verdict]++;
    judgement->verdict = verdict;
    snprintf(judgement->why, sizeof(judgement->why), "%s", why);
}

/* What the rule finds when such a run ended. */
static void expect_of_run(const char *rule, const char *want)
{
    struct dg_numeric_place place = {rules_store, "forward", "right.pt2"};

    ck_assert_int_eq(dg_numeric_remark_results(&place, &answer, true, &rules_err),
                     DG_OK);
    ck_assert_int_eq(dg_numeric_place_remarks(rules_store, &rules_err), DG_OK);
    expect(rule, want);
    given("DELETE FROM remark");
}

START_TEST(numerics_rules_need_a_run)
{
    given("DELETE FROM setting");
    expect_not_checked("numerics/refused", "--numerics is not given");
    expect_not_checked("numerics/output", "--numerics is not given");
    expect_not_checked("numerics/unstable", "--numerics is not given");
    expect_not_checked("numerics/compared", "--numerics is not given");
    expect_not_checked("numerics/skipped", "--numerics is not given");
}

START_TEST(numerics_refused_accepts_a_run_that_ends)
{
    expect_of_run("numerics/refused", "");
}

START_TEST(numerics_refused_reports_what_stopped_a_run)
{
    struct dg_numeric_place place = {rules_store, "forward", "right.pt2"};

    dg_numeric_remark(&place, "numerics/refused", DG_NO_OUTPUT,
                      dg_text("the result is [2,4], but value 4 is static: [2,6]"),
                      &rules_err);
    expect("numerics/refused",
           "error the result is [2,4], but value 4 is static: [2,6]\n");
}

START_TEST(numerics_output_accepts_outputs_that_pass)
{
    expect_of_run("numerics/output", "");
}

START_TEST(numerics_output_reports_an_output_that_fails_and_where)
{
    judged(0, DG_VERDICT_FAIL, "SNR 24.2 dB is below 100.0 dB");
    expect_of_run("numerics/output",
                  "error output add: SNR 24.2 dB is below 100.0 dB (max abs"
                  " 5.00e-01 at element 3: 1.5, expected 1); held to right.pt2\n");
}

/* A key of a file that the program has no output for. */
START_TEST(numerics_output_reports_what_is_no_output)
{
    results[1] = (struct dg_numeric_result){.tested = SIZE_MAX,
                                            .name = "out7",
                                            .counted = true,
                                            .judgement.verdict = DG_VERDICT_FAIL,
                                            .judgement.why = "there is none"};
    expect_of_run("numerics/output",
                  "error output out7: there is none; held to right.pt2\n");
}

START_TEST(an_output_that_fails_is_at_the_instruction_that_wrote_it_last)
{
    struct dg_numeric_place place = {rules_store, "forward", "right.pt2"};
    int64_t n = 0;

    call_op("aten::relu.out", "0", "", "1");
    judged(0, DG_VERDICT_FAIL, "it is off");
    dg_numeric_remark_results(&place, &answer, true, &rules_err);
    dg_numeric_place_remarks(rules_store, &rules_err);
    dg_store_int(rules_store,
                 "SELECT count(*) FROM remark JOIN node ON node.id = node_id"
                 " WHERE idx = 2 AND remark.method_id = 1",
                 0, &n, &rules_err);
    ck_assert_int_eq(n, 1);
}

START_TEST(a_method_that_the_store_lacks_leaves_the_remark_to_the_program)
{
    struct dg_numeric_place place = {rules_store, "backward", "right.pt2"};

    judged(1, DG_VERDICT_FAIL, "it is off");
    ck_assert_int_eq(dg_numeric_remark_results(&place, &answer, true, &rules_err),
                     DG_OK);
    expect("numerics/output", "error output 1: it is off (SNR 24.2 dB, max abs 5.00e-01"
                              " at element 3: 1.5, expected 1); held to right.pt2\n");
}

START_TEST(outputs_of_several_calls_are_told_with_their_call)
{
    static size_t two[] = {0, 1, 2};

    answer.first_of_call = two;
    answer.n_calls = 2;
    judged(1, DG_VERDICT_FAIL, "it is off");
    results[1].judgement.metrics.count = 0;
    expect_of_run("numerics/output",
                  "error call 1: output 1: it is off; held to right.pt2\n");
}

START_TEST(numerics_unstable_accepts_an_output_skipped_for_another_reason)
{
    judged(0, DG_VERDICT_SKIP, "depends on random numbers");
    expect_of_run("numerics/unstable", "");
}

START_TEST(numerics_unstable_reports_what_rounding_decides)
{
    judged(0, DG_VERDICT_SKIP, "unstable: too far");
    results[0].judgement.unstable = true;
    expect_of_run("numerics/unstable",
                  "warning output add: unstable: too far; held to right.pt2\n");
}

START_TEST(numerics_compared_accepts_one_output_of_two)
{
    judged(0, DG_VERDICT_SKIP, "rests on op_0: no kernel");
    expect_of_run("numerics/compared", "");
}

START_TEST(numerics_compared_reports_a_run_without_a_verdict)
{
    judged(0, DG_VERDICT_SKIP, "rests on op_0: no kernel");
    judged(1, DG_VERDICT_SKIP, "rests on op_0: no kernel");
    expect_of_run("numerics/compared",
                  "error none of 2 outputs is compared; the first: rests on op_0: no"
                  " kernel; held to right.pt2\n");
}

START_TEST(numerics_compared_reports_a_method_without_outputs)
{
    answer.n_results = 0;
    answer.counts[DG_VERDICT_PASS] = 0;
    expect_of_run("numerics/compared", "error it has no output that can be compared;"
                                       " held to right.pt2\n");
}

START_TEST(numerics_skipped_accepts_a_run_where_all_is_compared)
{
    judged(1, DG_VERDICT_FAIL, "it is off");
    expect_of_run("numerics/skipped", "");
}

START_TEST(numerics_skipped_reports_an_output_that_is_not_compared)
{
    judged(0, DG_VERDICT_SKIP, "rests on op_0: no kernel");
    expect_of_run("numerics/skipped",
                  "warning output add was not compared: rests on op_0: no kernel; held"
                  " to right.pt2\n");
}

/* None is no value that could be compared. */
START_TEST(numerics_skipped_accepts_an_output_that_counts_nothing)
{
    judged(0, DG_VERDICT_SKIP, "is None");
    results[0].counted = false;
    expect_of_run("numerics/skipped", "");
}

Suite *numerics_rules_suite(void)
{
    Suite *suite = suite_create("numerics_rules");
    TCase *tcase = tcase_create("numerics_rules");

    tcase_add_checked_fixture(tcase, given_run, rules_close);
    tcase_add_test(tcase, numerics_rules_need_a_run);
    tcase_add_test(tcase, numerics_refused_accepts_a_run_that_ends);
    tcase_add_test(tcase, numerics_refused_reports_what_stopped_a_run);
    tcase_add_test(tcase, numerics_output_accepts_outputs_that_pass);
    tcase_add_test(tcase, numerics_output_reports_an_output_that_fails_and_where);
    tcase_add_test(tcase, numerics_output_reports_what_is_no_output);
    tcase_add_test(tcase,
                   an_output_that_fails_is_at_the_instruction_that_wrote_it_last);
    tcase_add_test(tcase,
                   a_method_that_the_store_lacks_leaves_the_remark_to_the_program);
    tcase_add_test(tcase, outputs_of_several_calls_are_told_with_their_call);
    tcase_add_test(tcase,
                   numerics_unstable_accepts_an_output_skipped_for_another_reason);
    tcase_add_test(tcase, numerics_unstable_reports_what_rounding_decides);
    tcase_add_test(tcase, numerics_compared_accepts_one_output_of_two);
    tcase_add_test(tcase, numerics_compared_reports_a_run_without_a_verdict);
    tcase_add_test(tcase, numerics_compared_reports_a_method_without_outputs);
    tcase_add_test(tcase, numerics_skipped_accepts_a_run_where_all_is_compared);
    tcase_add_test(tcase, numerics_skipped_reports_an_output_that_is_not_compared);
    tcase_add_test(tcase, numerics_skipped_accepts_an_output_that_counts_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
