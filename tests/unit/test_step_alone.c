/* Bisection: steps that are looked at alone leave a run as it is. */
#include "unit/small_device.h"
#include "unit/small_program.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec/inputs.h"
#include "exec/run.h"
#include "formats/input.h"

static const int64_t two[] = {2};

/* Off by a millionth, which is no more than is told from rounding. */
static enum dg_status negate_nearly(struct dg_call *call)
{
    struct dg_tensor *x = dg_arg_tensor(call, 0);
    struct dg_tensor *y = dg_result(call, 0, x->type, x->rank, x->sizes);

    for (int64_t i = 0; i < dg_tensor_count(x); i++)
        ((float *)dg_tensor_data(y))[i] = -1.000001F * ((float *)dg_tensor_data(x))[i];
    return DG_OK;
}

static void given_cancelling(const float *x)
{
    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "a", "aten::neg.default", SELF("x"), "x");
    given_call(1, "y", "aten::add.Tensor", TWO("a", "x"), "a x");
    given_output(1, ONE("y"), "y");
    given_signature("output", "y", "user_output", NULL);
    give_floats(0, 1, two, x);
    plan_program();
}

/* What a run tells of a program in which `y` cancels what is large, and so shows by how
 * much `a` is off. */
struct outcome {
    size_t culprit;
    bool confirmed;
    int64_t n_failing;
    float y;
};

static struct outcome run_cancelling(bool bisect)
{
    const float x[] = {1e6F, 2e6F};
    struct dg_inputs inputs = {.values = program_inputs, .n_values = 1};
    struct dg_numeric_call call = {.inputs = &inputs};
    struct dg_numeric_request request = {.store = rules_store,
                                         .schedule = &program_plan,
                                         .device = &small_device,
                                         .n_threads = 1,
                                         .bisect = bisect,
                                         .seed = -1};
    struct dg_numeric_answer answer;
    struct dg_kernel nearly;
    struct outcome outcome;

    given_cancelling(x);
    small_device_begin(&program_plan);
    nearly = *program_plan.steps[0].kernel;
    nearly.cuda = negate_nearly;
    nearly.tolerance = DG_TOLERANCE_FUNCTION;
    program_plan.steps[0].kernel = &nearly;
    ck_assert_msg(!dg_numeric_run(&answer, &request, &call, 1, &rules_err), "%s",
                  rules_err.text);
    outcome = (struct outcome){answer.culprit, answer.confirmed,
                               answer.counts[DG_VERDICT_FAIL],
                               *(float *)dg_tensor_data(answer.outputs[0].as.tensor)};
    dg_numeric_clear(&answer);
    program_end();
    return outcome;
}

START_TEST(a_step_that_is_looked_at_alone_leaves_the_outputs_as_they_are)
{
    struct outcome plain = run_cancelling(false), bisected = run_cancelling(true);

    ck_assert_uint_eq(bisected.culprit, 1);
    ck_assert(!bisected.confirmed);
    ck_assert_int_eq(plain.n_failing, 1);
    ck_assert_int_eq(bisected.n_failing, 1);
    ck_assert_float_eq(bisected.y, plain.y);
}

/* What is written and the index of it lie on the same bytes: fed one after the other,
 * the index is no index. */
static void run_overlapping(struct dg_numeric_answer *answer, bool bisect, bool isolate)
{
    struct dg_schedule_files files = {0};
    struct dg_schedule schedule;
    struct dg_inputs inputs;
    struct dg_input input;
    struct dg_numeric_call call = {.inputs = &inputs};
    struct dg_numeric_request request = {.schedule = &schedule,
                                         .n_threads = 1,
                                         .isolate = isolate,
                                         .bisect = bisect,
                                         .seed = -1};
    struct dg_error err = {0};
    char path[512];

    snprintf(path, sizeof(path),
             "%s/tests/data/mutants/memory_no-live-overlap__two_in_one_place.pte",
             getenv("top_srcdir"));
    ck_assert(!dg_input_open(&input, path, DG_HASH_NONE, &err));
    files.file = input.file;
    request.store = input.store;
    dg_schedule_pte(&schedule, input.store, &files, 1, &err);
    dg_inputs_random(&inputs, &schedule, 0, &err);
    ck_assert_str_eq(err.text, "");
    dg_numeric_run(answer, &request, &call, 1, &err);
    ck_assert_str_eq(err.text, "");
    dg_inputs_clear(&inputs);
    dg_schedule_clear(&schedule);
    dg_input_close(&input);
}

START_TEST(a_step_that_cannot_run_alone_does_not_end_the_run)
{
    struct dg_numeric_answer plain, bisected;

    run_overlapping(&plain, false, false);
    run_overlapping(&bisected, true, false);
    ck_assert_uint_eq(bisected.culprit, 0);
    ck_assert(!bisected.confirmed);
    ck_assert_int_eq(bisected.alone.verdict, DG_VERDICT_SKIP);
    ck_assert_int_eq(bisected.counts[DG_VERDICT_FAIL], 1);
    ck_assert(dg_same_bits(&plain.outputs[0], &bisected.outputs[0]));
    dg_numeric_clear(&plain);
    dg_numeric_clear(&bisected);
}

START_TEST(steps_that_cannot_run_isolated_are_counted)
{
    struct dg_numeric_answer answer;

    run_overlapping(&answer, false, true);
    ck_assert_uint_gt(answer.n_not_fed[DG_FED_NOT_RUN], 0);
    ck_assert_int_eq(answer.counts[DG_VERDICT_FAIL], 1);
    dg_numeric_clear(&answer);
}

/* What is added to a buffer, held to itself; the sum may be what the buffer becomes. */
static size_t count_state_of_sum(bool writes)
{
    const float x[] = {1, 2};
    struct dg_inputs inputs = {.values = program_inputs, .n_values = 1};
    struct dg_numeric_call call = {.inputs = &inputs};
    struct dg_numeric_request request = {.store = rules_store,
                                         .schedule = &program_plan,
                                         .against = &program_plan,
                                         .n_threads = 1,
                                         .isolate = true,
                                         .seed = -1};
    struct dg_numeric_answer answer;
    size_t n;

    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_weight("b", "buffer", "f32", "[2]", 0, 8);
    given_call(1, "y", "aten::add.Tensor", TWO("x", "b"), "x b");
    given_output(1, ONE("y"), "y");
    if (writes)
        given_signature("output", "y", "buffer_mutation", "b");
    given_signature("output", "y", "user_output", NULL);
    give_floats(0, 1, two, x);
    plan_program();
    ck_assert_msg(!dg_numeric_run(&answer, &request, &call, 1, &rules_err), "%s",
                  rules_err.text);
    n = answer.n_not_fed[DG_FED_NOT_STATE];
    ck_assert_uint_eq(answer.n_steps + n, 1);
    dg_numeric_clear(&answer);
    program_end();
    return n;
}

START_TEST(a_buffer_is_kept_between_calls_where_something_writes_it)
{
    ck_assert_uint_eq(count_state_of_sum(true), 1);
    ck_assert_uint_eq(count_state_of_sum(false), 0);
}

Suite *step_alone_suite(void)
{
    Suite *suite = suite_create("step_alone");
    TCase *tc = tcase_create("step_alone");

    tcase_add_test(tc, a_step_that_is_looked_at_alone_leaves_the_outputs_as_they_are);
    tcase_add_test(tc, a_step_that_cannot_run_alone_does_not_end_the_run);
    tcase_add_test(tc, steps_that_cannot_run_isolated_are_counted);
    tcase_add_test(tc, a_buffer_is_kept_between_calls_where_something_writes_it);
    suite_add_tcase(suite, tc);
    return suite;
}
