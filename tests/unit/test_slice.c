/* What stands behind the results of a graph that is called: each by what leads to it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "exec/run.h"
#include "exec/slice.h"
#include "formats/tensor_file.h"
#include "unit/evaluations.h"
#include "unit/small_program.h"

#define GRAPH(name) "{\"name\":\"\",\"graph\":\"" name "\"}"
#define ITEM(list, i)                                                                  \
    "[{\"name\":\"\",\"tensor\":\"" list "\"},{\"name\":\"\",\"int\":" i "}]"

/* A body that gives the eigenvalues of a matrix, its vectors, and these doubled. */
static void given_body(void)
{
    given_input(2, "a", "f32", "[2,2]");
    given_tuple(2, "eigh", "aten::linalg_eigh.default", SELF("a"), "a");
    given_call(2, "values", "_operator.getitem", ITEM("eigh", "0"), "eigh");
    given_call(2, "vectors", "_operator.getitem", ITEM("eigh", "1"), "eigh");
    given_call(2, "twice", "aten::mul.Tensor", BY("vectors", "2"), "vectors");
    given_output(2,
                 "[{\"name\":\"\",\"tensor\":\"values\"},{\"name\":\"\",\"tensor\":"
                 "\"vectors\"},{\"name\":\"\",\"tensor\":\"twice\"}]",
                 "values vectors twice");
}

static void begin(void)
{
    program_begin();
    program_branch(2, "body");
    given_input(1, "x", "f32", "[2,2]");
    given_get_attr(1, "body");
}

/* What stands behind item `i` of the list that node `list` gives. */
static enum dg_tolerance behind(const char *list, int64_t i)
{
    struct dg_arena memory = {0};
    struct dg_slice *slices =
                        dg_alloc(&memory, program_plan.n_slots + 1, sizeof(*slices)),
                    item;

    dg_slices_of_schedule(slices, &program_plan);
    dg_slice_item(&item, &slices[slot_called(list)], i);
    dg_arena_clear(&memory);
    return item.tolerance;
}

START_TEST(what_a_body_gives_without_its_vectors_is_compared)
{
    begin();
    given_tuple(1, "call", "higher_order::invoke_subgraph",
                "[" GRAPH("body") ",{\"name\":\"\",\"string\":\"body\"},"
                                  "{\"name\":\"\",\"tensor\":\"x\"}]",
                "body x");
    given_output(1, "[]", "");
    given_body();
    plan_program();
    ck_assert_uint_eq(step_called("call")->n_schedules, 1);
    ck_assert_int_eq(behind("call", 0), DG_TOLERANCE_FACTORIZATION);
    ck_assert_int_eq(behind("call", 1), DG_TOLERANCE_VECTORS);
    ck_assert_int_eq(behind("call", 2), DG_TOLERANCE_VECTORS);
    ck_assert_int_eq(behind("call", 3), DG_TOLERANCE_VECTORS);
    program_end();
}

START_TEST(what_a_loop_carries_may_rest_on_vectors_of_an_earlier_turn)
{
    begin();
    program_branch(3, "test");
    given_get_attr(1, "test");
    given_tuple(
        1, "loop", "higher_order::while_loop",
        "[" GRAPH("test") "," GRAPH(
            "body") ",{\"name\":\"\",\"tensors\":[\"x\"]},{\"name\":\"\",\"tensors\":"
                    "[]}]",
        "test body x");
    given_output(1, "[]", "");
    given_body();
    given_input(3, "b", "f32", "[2,2]");
    given_call(3, "more", "aten::any.default", SELF("b"), "b");
    given_output(3, ONE("more"), "more");
    plan_program();
    ck_assert_uint_eq(step_called("loop")->n_schedules, 2);
    ck_assert_int_eq(behind("loop", 0), DG_TOLERANCE_VECTORS);
    program_end();
}

#define TO(from, type)                                                                 \
    "[{\"name\":\"self\",\"tensor\":\"" from "\"},"                                    \
    "{\"name\":\"dtype\",\"scalar_type\":" type "}]"

/* Of x = 1.1, 2.3, 3.7, or of twice that, as f8e4m3fn, where `expected` is said to be.
 */
static enum dg_verdict verdict_of_codes(bool doubled, const double *expected)
{
    const char *from = doubled ? "twice" : "x";
    struct dg_numeric_request request = {.n_threads = 1, .seed = -1};
    struct dg_inputs inputs = {.values = program_inputs, .n_values = 1};
    struct dg_named_value named = {
        "out0", {DG_ARG_TENSOR, {.tensor = tensor_of(DG_TYPE_F32, expected, 3)}}, true};
    struct dg_value_set set = {.values = &named, .n_values = 1};
    struct dg_numeric_call call = {.inputs = &inputs, .expected = &set};
    struct dg_numeric_answer answer;
    struct dg_error err = {0};
    enum dg_verdict verdict;

    program_begin();
    given_input(1, "x", "f32", "[3]");
    given_call(1, "twice", "aten::mul.Tensor", BY("x", "2"), "x");
    given_call(1, "codes", "aten::to.dtype",
               doubled ? TO("twice", "29") : TO("x", "29"), from);
    given_call(1, "y", "aten::to.dtype", TO("codes", "7"), "codes");
    given_output(1, "[]", "");
    given_signature("output", "y", "user_output", NULL);
    plan_program();
    give_floats(0, 1, (int64_t[]){3}, (float[]){1.1F, 2.3F, 3.7F});
    request.store = rules_store;
    request.schedule = &program_plan;
    ck_assert_msg(!dg_numeric_run(&answer, &request, &call, 1, &err), "%s", err.text);
    verdict = answer.counts[DG_VERDICT_PASS]   ? DG_VERDICT_PASS
              : answer.counts[DG_VERDICT_FAIL] ? DG_VERDICT_FAIL
                                               : DG_VERDICT_SKIP;
    dg_numeric_clear(&answer);
    dg_arg_drop(&named.value);
    program_end();
    return verdict;
}

START_TEST(codes_of_8_bits_are_no_excuse_where_nothing_errs_before_them)
{
    ck_assert_int_eq(verdict_of_codes(false, (double[]){1.125, 2.25, 3.75}),
                     DG_VERDICT_PASS);
    ck_assert_int_eq(verdict_of_codes(false, (double[]){1.15, 2.25, 3.75}),
                     DG_VERDICT_FAIL);
    ck_assert_int_eq(verdict_of_codes(true, (double[]){2.25, 4.5, 7}), DG_VERDICT_PASS);
}

START_TEST(exp_is_known_of_what_rests_on_it_and_of_nothing_else)
{
    struct dg_arena memory = {0};
    struct dg_slice *slices;

    program_begin();
    given_input(1, "x", "f16", "[2]");
    given_call(1, "a", "aten::exp.default", SELF("x"), "x");
    given_call(1, "y", "aten::neg.default", SELF("a"), "a");
    given_call(1, "z", "aten::expm1.default", SELF("x"), "x");
    given_output(1, "[]", "");
    plan_program();
    slices = dg_alloc(&memory, program_plan.n_slots + 1, sizeof(*slices));
    dg_slices_of_schedule(slices, &program_plan);
    ck_assert(slices[slot_called("y")].exponential);
    ck_assert(!slices[slot_called("z")].exponential);
    ck_assert_int_eq(slices[slot_called("y")].half_sum, 0);
    dg_arena_clear(&memory);
    program_end();
}

/* The bound of a result that is judged by itself, in roundings of its own size. */
static double roundings_allowed(const char *op, int64_t n)
{
    struct dg_numeric_request request = {.n_threads = 1, .seed = -1};
    struct dg_inputs inputs = {.values = program_inputs, .n_values = 1};
    struct dg_numeric_call call = {.inputs = &inputs};
    float *values = dg_zeroed((size_t)(n * n), sizeof(*values));
    const struct dg_judgement *judgement;
    struct dg_numeric_answer answer;
    struct dg_error err = {0};
    char shape[40];
    double allowed;

    snprintf(shape, sizeof(shape), "[%d,%d]", (int)n, (int)n);
    for (int64_t i = 0; i < n; i++)
        values[i * n + i] = 1;
    program_begin();
    given_input(1, "x", "f32", shape);
    given_call(1, "y", op, SELF("x"), "x");
    given_output(1, "[]", "");
    given_signature("output", "y", "user_output", NULL);
    plan_program();
    give_floats(0, 2, (int64_t[]){n, n}, values);
    request.store = rules_store;
    request.schedule = &program_plan;
    ck_assert_msg(!dg_numeric_run(&answer, &request, &call, 1, &err), "%s", err.text);
    ck_assert_int_eq(answer.counts[DG_VERDICT_PASS], 1);
    judgement = &answer.results[0].judgement;
    allowed = judgement->allowed / judgement->metrics.rms * 0x1p24;
    dg_numeric_clear(&answer);
    free(values);
    program_end();
    return allowed;
}

START_TEST(a_factorization_rounds_once_for_each_of_its_columns)
{
    double few = roundings_allowed("aten::inverse.default", 40);
    double many = roundings_allowed("aten::inverse.default", 160);
    double product = roundings_allowed("aten::matrix_exp.default", 160);

    ck_assert_double_gt(many, 1.5 * few);
    ck_assert_double_gt(many, 5 * product);
}

START_TEST(what_is_written_into_a_list_of_a_pte_errs_as_what_was_read)
{
    enum { READ, LIST, ITEM_OF_IT, N_SLOTS };
    struct dg_operand item = {.kind = DG_OPERAND_SLOT, .slot = ITEM_OF_IT};
    struct dg_operand list = {.kind = DG_OPERAND_LIST, .items = &item, .n_items = 1};
    struct dg_operand argument = {.kind = DG_OPERAND_SLOT, .slot = READ};
    struct dg_slot slots[N_SLOTS] = {[LIST] = {.list = &list}};
    struct dg_arg values[N_SLOTS] = {0};
    uint32_t result = LIST;
    struct dg_step step = {.kind = DG_STEP_CALL,
                           .kernel = dg_kernel_find("aten::clone"),
                           .args = &argument,
                           .n_args = 1,
                           .results = &result,
                           .n_results = 1};
    struct dg_schedule schedule = {.is_pte = true,
                                   .steps = &step,
                                   .n_steps = 1,
                                   .slots = slots,
                                   .n_slots = N_SLOTS};
    struct dg_machine machine = {.schedule = &schedule, .slots = values};
    struct dg_slice_step before = {0};
    struct dg_arena memory = {0};
    struct dg_slice **slices = dg_slices_new(&schedule, &memory);

    ck_assert(step.kernel != NULL);
    slices[READ]->tolerance = DG_TOLERANCE_FUNCTION;
    dg_slice_before(&before, &step, &machine, slices);
    dg_slice_after(slices, &step, &machine, &before);
    ck_assert_int_eq(slices[ITEM_OF_IT]->tolerance, DG_TOLERANCE_FUNCTION);
    dg_slice_step_clear(&before);
    dg_arena_clear(&memory);
}

Suite *slice_suite(void)
{
    Suite *suite = suite_create("slice");
    TCase *calls = tcase_create("calls");

    tcase_add_test(calls, what_a_body_gives_without_its_vectors_is_compared);
    tcase_add_test(calls, what_a_loop_carries_may_rest_on_vectors_of_an_earlier_turn);
    tcase_add_test(calls, codes_of_8_bits_are_no_excuse_where_nothing_errs_before_them);
    tcase_add_test(calls, what_is_written_into_a_list_of_a_pte_errs_as_what_was_read);
    tcase_add_test(calls, exp_is_known_of_what_rests_on_it_and_of_nothing_else);
    tcase_add_test(calls, a_factorization_rounds_once_for_each_of_its_columns);
    suite_add_tcase(suite, calls);
    return suite;
}
