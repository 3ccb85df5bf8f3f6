/* Machines: what is written through views, by out arguments, under several names. */
#include "unit/small_program.h"

#include <stdio.h>
#include <string.h>

#include "exec/run.h"
#include "exec/slice.h"

static const int64_t two[] = {2};

#define OUT(x, y, out)                                                                 \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"other\",\"tensor\":\"" y    \
    "\"},{\"name\":\"out\",\"tensor\":\"" out "\"}]"
#define SELECT(x)                                                                      \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"dim\",\"int\":0},"          \
    "{\"name\":\"index\",\"int\":1}]"

/* What it gives is what `weight` held before this call wrote. */
static void given_reading_first(const char *spec, const char *weight, const char *shape,
                                const char *args)
{
    const float x[] = {1, 2};

    program_begin();
    given_weight("b", spec, "f32", "[2,2]", 0, 16);
    if (strcmp(weight, "b"))
        given_weight(weight, spec, "f32", shape, 0, 16);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "before", "aten::clone.default", args, weight);
    give_floats(strcmp(weight, "b") ? 2 : 1, 1, two, x);
}

static void return_before(void)
{
    given_output(1, ONE("before"), "before");
    given_signature("output", "before", "user_output", NULL);
}

static void expect_calls(const char *first, const char *second, const char *third)
{
    open_program(DG_PRECISION_WIDE);
    run_program();
    expect_output(0, first);
    run_program();
    expect_output(0, second);
    run_program();
    expect_output(0, third);
    program_end();
}

START_TEST(what_is_written_through_a_view_of_a_view_is_there_in_the_next_call)
{
    static const char *const specs[] = {"buffer", "parameter", "constant_tensor"};

    given_reading_first(specs[_i], "b", NULL, SELF("b"));
    given_call(1, "t", "aten::t.default", SELF("b"), "b");
    given_call(1, "v", "aten::select.int", SELECT("t"), "t");
    given_call(1, "y", "aten::add_.Tensor", TWO("v", "x"), "v x");
    return_before();
    expect_calls("f64 [2,2] 0.5 1.5 2.5 3.5", "f64 [2,2] 0.5 2.5 2.5 5.5",
                 "f64 [2,2] 0.5 3.5 2.5 7.5");
}

START_TEST(what_an_out_argument_takes_is_there_in_the_next_call)
{
    given_reading_first("buffer", "b", NULL, SELF("b"));
    given_call(1, "v", "aten::select.int", SELECT("b"), "b");
    given_call(1, "y", "aten::add.out", OUT("v", "x", "v"), "v x v");
    return_before();
    expect_calls("f64 [2,2] 0.5 1.5 2.5 3.5", "f64 [2,2] 0.5 1.5 3.5 5.5",
                 "f64 [2,2] 0.5 1.5 4.5 7.5");
}

START_TEST(an_out_argument_of_another_shape_is_resized)
{
    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_input(1, "o", "f32", "[0]");
    given_call(1, "y", "aten::add.out", OUT("x", "x", "o"), "x x o");
    given_output(1, ONE("o"), "o");
    given_signature("output", "o", "user_output", NULL);
    give_floats(0, 1, two, program_file);
    give_floats(1, 1, (int64_t[]){0}, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] 1 3");
    program_end();
}

START_TEST(several_names_of_one_storage_see_what_one_of_them_writes)
{
    given_reading_first("buffer", "a", "[4]", SELF("a"));
    given_call(1, "v", "aten::select.int", SELECT("b"), "b");
    given_call(1, "y", "aten::add_.Tensor", TWO("v", "x"), "v x");
    return_before();
    expect_calls("f64 [4] 0.5 1.5 2.5 3.5", "f64 [4] 0.5 1.5 3.5 5.5",
                 "f64 [4] 0.5 1.5 4.5 7.5");
}

START_TEST(weights_that_nothing_writes_are_let_go_behind_their_last_reader)
{
    program_begin();
    given_weight("w", "buffer", "f32", "[2,2]", 0, 16);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "t", "aten::t.default", SELF("w"), "w");
    given_call(1, "y", "aten::add.Tensor", TWO("t", "x"), "t x");
    given_call(1, "z", "aten::add_.Tensor", TWO("y", "x"), "y x");
    given_output(1, ONE("z"), "z");
    given_signature("output", "z", "user_output", NULL);
    give_floats(1, 1, two, program_file);
    open_program(DG_PRECISION_WIDE);
    run_program();
    ck_assert_int_eq(program_machine.slots[slot_called("w")].kind, DG_ARG_NONE);
    program_end();
}

/* Steps with what stands behind their results, as a run keeps it. */
static struct dg_slice cone_behind(const char *name)
{
    struct dg_arena memory = {0};
    struct dg_slice **slices = dg_slices_new(&program_plan, &memory);
    struct dg_slice_step before = {0};
    struct dg_slice slice;
    uint32_t next;

    ck_assert(!dg_machine_begin(&program_machine, program_inputs, &rules_err));
    for (uint32_t i = 0; i < program_plan.n_steps; i++) {
        dg_slice_before(&before, &program_plan.steps[i], &program_machine, slices);
        ck_assert(!dg_machine_step(&program_machine, i, &next, &rules_err));
        dg_slice_after(slices, &program_plan.steps[i], &program_machine, &before);
    }
    slice = *slices[slot_called(name)];
    dg_slice_step_clear(&before);
    dg_arena_clear(&memory);
    return slice;
}

START_TEST(what_is_written_through_a_view_rounds_in_its_base)
{
    program_begin();
    given_weight("b", "buffer", "f32", "[2,2]", 0, 16);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "v", "aten::select.int", SELECT("b"), "b");
    given_call(1, "e", "aten::exp.default", SELF("x"), "x");
    given_call(1, "y", "aten::add_.Tensor", TWO("v", "e"), "v e");
    given_call(1, "after", "aten::clone.default", SELF("b"), "b");
    given_output(1, ONE("after"), "after");
    give_floats(1, 1, two, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    ck_assert_int_eq(cone_behind("b").tolerance, DG_TOLERANCE_FUNCTION);
    ck_assert_int_eq(cone_behind("after").depth, 2);
    ck_assert_int_eq(cone_behind("x").depth, 0);
    program_end();
}

/* x, cast in some way and added to, and x as it is. */
static void given_cast(const char *op, const char *args, const char *dtype)
{
    const float x[] = {1, 2};

    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "c", op, args, strstr(op, "type_as") ? "x x" : "x");
    given_format("UPDATE value SET dtype = '%s' WHERE name = 'c'", dtype);
    given_call(1, "y", "aten::add_.Tensor", TWO("c", "c"), "c c");
    given_call(1, "after", "aten::clone.default", SELF("x"), "x");
    given_output(1, ONE("after"), "after");
    given_signature("output", "after", "user_output", NULL);
    give_floats(0, 1, two, x);
}

#define TO(type, more)                                                                 \
    "[{\"name\":\"self\",\"tensor\":\"x\"},{\"name\":\"dtype\",\"scalar_type\":" type  \
    "}" more "]"
#define COPY ",{\"name\":\"copy\",\"bool\":true}"

START_TEST(a_cast_to_another_dtype_is_another_tensor_in_f64_too)
{
    static const struct {
        const char *op, *args, *dtype, *want;
    } casts[] = {
        {"aten::to.dtype", TO("13", ""), "bf16", "1 2"},
        {"aten::to.dtype", TO("8", ""), "f64", "1 2"},
        {"aten::to.dtype", TO("7", COPY), "f32", "1 2"},
        {"aten::to.dtype", TO("7", ""), "f32", "2 4"},
        {"aten::type_as.default", TWO("x", "x"), "f32", "2 4"},
    };
    static const enum dg_precision precisions[] = {DG_PRECISION_WIDE,
                                                   DG_PRECISION_EXACT_SUMS};
    bool wide = _i % 2 == 0;
    char want[40];

    given_cast(casts[_i / 2].op, casts[_i / 2].args, casts[_i / 2].dtype);
    open_program(precisions[_i % 2]);
    run_program();
    snprintf(want, sizeof(want), "%s [2] %s", wide ? "f64" : "f32", casts[_i / 2].want);
    expect_output(0, want);
    program_end();
}

START_TEST(isolated_steps_read_what_was_written_through_a_view_of_a_buffer)
{
    struct dg_numeric_request request = {
        .schedule = &program_plan, .n_threads = 1, .isolate = true, .n_repeats = 1};
    struct dg_inputs inputs = {.values = program_inputs, .n_values = 1};
    struct dg_numeric_answer answer = {0};

    program_begin();
    given_weight("b", "buffer", "f32", "[2]", 0, 8);
    given_call(1, "view", "aten::alias.default", SELF("b"), "b");
    given_call(1, "more", "aten::add_.Tensor", BY("view", "1"), "view");
    given_call(1, "y", "aten::sum.default", SELF("b"), "b");
    given_output(1, ONE("y"), "y");
    given_signature("output", "y", "user_output", NULL);
    open_program(DG_PRECISION_EXACT_SUMS);
    ck_assert_int_eq(dg_numeric_run(&answer, &request,
                                    &(struct dg_numeric_call){.inputs = &inputs}, 1,
                                    &rules_err),
                     DG_OK);
    ck_assert_uint_eq(answer.n_steps, 3);
    for (size_t i = 0; i < answer.n_steps; i++)
        ck_assert_msg(answer.steps[i].judgement.verdict == DG_VERDICT_PASS, "%s: %s",
                      answer.steps[i].name, answer.steps[i].judgement.why);
    dg_numeric_clear(&answer);
    program_end();
}

Suite *machine_views_suite(void)
{
    Suite *suite = suite_create("machine_views");
    TCase *tc = tcase_create("machine_views");

    tcase_add_loop_test(
        tc, what_is_written_through_a_view_of_a_view_is_there_in_the_next_call, 0, 3);
    tcase_add_test(tc, what_an_out_argument_takes_is_there_in_the_next_call);
    tcase_add_test(tc, an_out_argument_of_another_shape_is_resized);
    tcase_add_test(tc, several_names_of_one_storage_see_what_one_of_them_writes);
    tcase_add_test(tc, weights_that_nothing_writes_are_let_go_behind_their_last_reader);
    tcase_add_test(tc, what_is_written_through_a_view_rounds_in_its_base);
    tcase_add_loop_test(tc, a_cast_to_another_dtype_is_another_tensor_in_f64_too, 0,
                        10);
    tcase_add_test(tc, isolated_steps_read_what_was_written_through_a_view_of_a_buffer);
    suite_add_tcase(suite, tc);
    return suite;
}
