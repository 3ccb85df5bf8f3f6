/* Calls that may be other ones. */
#include "unit/match_chain.h"

START_TEST(calls_whose_arguments_are_one_are_one)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::sum");
    add_call(&lowered, "aten::sigmoid");
    add_call(&lowered, "aten::sum");
    expect_doubts("==");
}

START_TEST(calls_that_only_their_order_matches_are_doubtful_and_so_are_their_readers)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::sum");
    add_op("aten::sum");
    add_op("aten::sigmoid");
    add_call(&lowered, "aten::relu");
    add_call(&lowered, "aten::sum");
    add_call(&lowered, "aten::sum");
    add_call(&lowered, "aten::sigmoid");
    expect_doubts("-!!!");
}

START_TEST(calls_with_the_same_weight_are_one)
{
    static const float weight = 2;

    begin_both();
    add_op("aten::tanh");
    add_op("aten::linear");
    add_call(&lowered, "aten::relu");
    add_call(&lowered, "aten::linear");
    add_weight(&program, 1, &weight);
    add_weight(&lowered, 1, &weight);
    expect_doubts("-=");
    drop_weights(&program);
    drop_weights(&lowered);
}

START_TEST(nodes_that_a_number_names_are_not_doubtful)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_node("Tanh", 2);
    expect_doubts("==");
}

/* A failing step beside an output with that verdict: what becomes of it. */
static enum dg_verdict verdict_beside(enum dg_verdict output, bool is_doubtful)
{
    struct dg_numeric_result result = {.counted = true}, step = {.step = 0};
    struct dg_numeric_answer answer = {
        .results = &result, .n_results = 1, .steps = &step, .n_steps = 1};
    struct dg_numeric_request request = {.against = &lowered.schedule};
    struct dg_comparison comparison = {
        .request = &request, .answer = &answer, .matching = {.doubtful = &is_doubtful}};

    result.judgement.verdict = output;
    step.judgement.verdict = DG_VERDICT_FAIL;
    dg_comparison_excuse_doubtful(&comparison, 0);
    ck_assert_int_eq(answer.culprit == SIZE_MAX,
                     step.judgement.verdict == DG_VERDICT_SKIP);
    return step.judgement.verdict;
}

START_TEST(a_doubtful_step_fails_only_where_an_output_does_not_pass)
{
    ck_assert_int_eq(verdict_beside(DG_VERDICT_PASS, true), DG_VERDICT_SKIP);
    ck_assert_int_eq(verdict_beside(DG_VERDICT_PASS, false), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_beside(DG_VERDICT_FAIL, true), DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_beside(DG_VERDICT_SKIP, true), DG_VERDICT_FAIL);
}

Suite *match_doubt_suite(void)
{
    Suite *suite = suite_create("match doubt");
    TCase *all = tcase_create("all");
    tcase_add_test(all, calls_whose_arguments_are_one_are_one);
    tcase_add_test(
        all, calls_that_only_their_order_matches_are_doubtful_and_so_are_their_readers);
    tcase_add_test(all, calls_with_the_same_weight_are_one);
    tcase_add_test(all, nodes_that_a_number_names_are_not_doubtful);
    tcase_add_test(all, a_doubtful_step_fails_only_where_an_output_does_not_pass);
    suite_add_tcase(suite, all);
    return suite;
}
