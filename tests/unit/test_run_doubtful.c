/* Steps that may be held to the wrong one of the other program. */
#include "exec/run_parts.h"
#include "unit/suite.h"

enum { STEPS = 3 };

/* A call of three steps, each of which reads what the one before it gives. */
static struct call {
    struct dg_schedule schedule, other;
    struct dg_step steps[STEPS];
    struct dg_operand args[STEPS];
    uint32_t results[STEPS], made_by[STEPS + 1];
    bool doubtful[STEPS];
    struct dg_numeric_request request;
    struct dg_numeric_result judged[STEPS], output;
    struct dg_numeric_answer answer;
    struct dg_comparison comparison;
} call;

static void add_step(uint32_t i, enum dg_verdict verdict)
{
    call.args[i] = (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = i};
    call.results[i] = i + 1;
    call.made_by[i + 1] = i;
    call.steps[i] = (struct dg_step){.kind = DG_STEP_CALL,
                                     .op = "aten::tanh",
                                     .args = &call.args[i],
                                     .n_args = 1,
                                     .results = &call.results[i],
                                     .n_results = 1};
    call.judged[i] =
        (struct dg_numeric_result){.step = i, .judgement.verdict = verdict};
}

/* The search for the culprit ended at the first step that fails, which fails alone. */
static void begin(const enum dg_verdict verdicts[STEPS], enum dg_verdict output)
{
    call = (struct call){0};
    call.made_by[0] = DG_NO_STEP;
    for (uint32_t i = 0; i < STEPS; i++)
        add_step(i, verdicts[i]);
    call.schedule = (struct dg_schedule){
        .steps = call.steps, .n_steps = STEPS, .n_slots = STEPS + 1};
    call.request.against = &call.other;
    call.output =
        (struct dg_numeric_result){.counted = true, .judgement.verdict = output};
    call.answer = (struct dg_numeric_answer){.results = &call.output,
                                             .n_results = 1,
                                             .steps = call.judged,
                                             .n_steps = STEPS,
                                             .culprit = 0,
                                             .confirmed = true};
    while (call.judged[call.answer.culprit].judgement.verdict != DG_VERDICT_FAIL)
        call.answer.culprit++;
    call.comparison = (struct dg_comparison){.request = &call.request,
                                             .answer = &call.answer,
                                             .schedule = &call.schedule,
                                             .made_by = call.made_by,
                                             .matching.doubtful = call.doubtful};
}

static void end(void)
{
    dg_arena_clear(&call.answer.memory);
    dg_arena_clear(&call.comparison.memory);
}

static const enum dg_verdict first_two_fail[] = {DG_VERDICT_FAIL, DG_VERDICT_FAIL,
                                                 DG_VERDICT_PASS};
static const enum dg_verdict first_fails[] = {DG_VERDICT_FAIL, DG_VERDICT_PASS,
                                              DG_VERDICT_PASS};

START_TEST(a_doubtful_step_is_excused_where_the_outputs_pass)
{
    begin(first_fails, DG_VERDICT_PASS);
    call.doubtful[0] = true;
    dg_comparison_excuse_doubtful(&call.comparison, 0);
    ck_assert_int_eq(call.judged[0].judgement.verdict, DG_VERDICT_SKIP);
    ck_assert_uint_eq(call.answer.culprit, SIZE_MAX);
    end();
}

START_TEST(a_doubtful_step_is_not_excused_where_an_output_fails)
{
    begin(first_fails, DG_VERDICT_FAIL);
    call.doubtful[0] = true;
    dg_comparison_excuse_doubtful(&call.comparison, 0);
    ck_assert_int_eq(call.judged[0].judgement.verdict, DG_VERDICT_FAIL);
    ck_assert_uint_eq(call.answer.culprit, 0);
    end();
}

START_TEST(the_next_step_that_fails_is_the_culprit_where_the_first_is_excused)
{
    begin(first_two_fail, DG_VERDICT_PASS);
    call.doubtful[0] = true;
    dg_comparison_excuse_doubtful(&call.comparison, 0);
    ck_assert_uint_eq(call.answer.culprit, 1);
    ck_assert(!call.answer.confirmed);
    ck_assert_int_eq(call.answer.alone.verdict, DG_VERDICT_SKIP);
    ck_assert_uint_eq(call.answer.n_candidates, 1);
    ck_assert_uint_eq(call.answer.candidates[0], 0);
    end();
}

START_TEST(a_culprit_that_is_sure_stays)
{
    begin(first_two_fail, DG_VERDICT_PASS);
    call.doubtful[1] = true;
    dg_comparison_excuse_doubtful(&call.comparison, 0);
    ck_assert_int_eq(call.judged[1].judgement.verdict, DG_VERDICT_SKIP);
    ck_assert_uint_eq(call.answer.culprit, 0);
    ck_assert(call.answer.confirmed);
    end();
}

Suite *run_doubtful_suite(void)
{
    Suite *suite = suite_create("run doubtful");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_doubtful_step_is_excused_where_the_outputs_pass);
    tcase_add_test(all, a_doubtful_step_is_not_excused_where_an_output_fails);
    tcase_add_test(all,
                   the_next_step_that_fails_is_the_culprit_where_the_first_is_excused);
    tcase_add_test(all, a_culprit_that_is_sure_stays);
    suite_add_tcase(suite, all);
    return suite;
}
