/* Machines: evaluations, writes in place, errors, parts. */
#include "unit/small_program.h"

#include <string.h>

static const int64_t two[] = {2};

static void return_value(const char *name)
{
    given_signature("output", name, "user_output", NULL);
}

/* y = x + w, where w is 0.5 1.5 in the file. */
static void given_sum(void)
{
    const float x[] = {1, 2};

    program_begin();
    given_weight("w", "parameter", "f32", "[2]", 0, 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::add.Tensor", TWO("x", "w"), "x w");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_floats(1, 1, two, x);
}

START_TEST(a_program_computes_in_its_own_types)
{
    given_sum();
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] 1.5 3.5");
    program_end();
}

START_TEST(a_wide_run_keeps_floats_as_f64)
{
    given_sum();
    open_program(DG_PRECISION_WIDE);
    run_program();
    expect_output(0, "f64 [2] 1.5 3.5");
    run_program();
    expect_output(0, "f64 [2] 1.5 3.5");
    program_end();
}

static struct dg_tensor *in_f64(struct dg_tensor *tensor)
{
    struct dg_tensor *wide = dg_tensor_new(&dg_host_memory, DG_TYPE_F64, tensor->rank,
                                           tensor->sizes, &rules_err);

    for (int64_t i = 0; i < dg_tensor_count(tensor); i++)
        ((double *)dg_tensor_data(wide))[i] =
            (double)((float *)dg_tensor_data(tensor))[i];
    dg_tensor_drop(tensor);
    return wide;
}

/* The RMS norm, with the epsilon of its type, of numbers that are next to nothing
 * beside that of f32: `x` itself, or what is computed of it. */
static double norm_of(const char *dtype, bool computed)
{
    const float x[] = {0x1p-20F, 0x1p-20F};
    struct dg_arg value;
    double norm;

    program_begin();
    given_input(1, "x", computed ? "f32" : dtype, "[2]");
    given_call(1, "a", "aten::to.dtype",
               "[{\"name\":\"self\",\"tensor\":\"x\"},"
               "{\"name\":\"dtype\",\"scalar_type\":8}]",
               "x");
    given_format("UPDATE value SET dtype = '%s' WHERE name = 'a'", dtype);
    given_call(1, "y", "aten::rms_norm.default",
               computed ? "[{\"name\":\"input\",\"tensor\":\"a\"},"
                          "{\"name\":\"normalized_shape\",\"ints\":[2]}]"
                        : "[{\"name\":\"input\",\"tensor\":\"x\"},"
                          "{\"name\":\"normalized_shape\",\"ints\":[2]}]",
               computed ? "a" : "x");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_floats(0, 1, two, x);
    if (!computed && !strcmp(dtype, "f64"))
        program_inputs[0].as.tensor = in_f64(program_inputs[0].as.tensor);
    open_program(DG_PRECISION_WIDE);
    run_program();
    ck_assert(!dg_machine_output(&program_machine, 0, &value, &rules_err));
    norm = *(double *)dg_tensor_data(value.as.tensor);
    dg_arg_drop(&value);
    program_end();
    return norm;
}

START_TEST(a_wide_run_has_the_epsilon_of_the_type_in_the_program)
{
    ck_assert_double_eq_tol(norm_of("f64", false), 1, 1e-3);
    ck_assert_double_eq_tol(norm_of("f64", true), 1, 1e-3);
    ck_assert_double_eq_tol(norm_of("f32", false), 0.00276, 1e-5);
    ck_assert_double_eq_tol(norm_of("f32", true), 0.00276, 1e-5);
}

START_TEST(a_view_outlives_the_weight_that_it_shows)
{
    program_begin();
    given_weight("w", "parameter", "f32", "[2,2]", 0, 16);
    given_call(1, "t", "aten::t.default", SELF("w"), "w");
    given_call(1, "a", "aten::neg.default", SELF("t"), "t");
    given_call(1, "y", "aten::add.Tensor", TWO("t", "a"), "t a");
    given_output(1, ONE("t"), "t");
    return_value("t");
    open_program(DG_PRECISION_WIDE);
    run_program();
    expect_output(0, "f64 [2,2] 0.5 2.5 1.5 3.5");
    program_end();
}

/* total += x in place. */
static void given_counter(const char *spec)
{
    const float x[] = {1, 2};

    program_begin();
    given_weight("total", spec, "f32", "[2]", 0, 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::add_.Tensor", TWO("total", "x"), "total x");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_floats(1, 1, two, x);
}

START_TEST(what_is_written_into_a_buffer_stays_from_call_to_call)
{
    given_counter("buffer");
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] 1.5 3.5");
    run_program();
    expect_output(0, "f32 [2] 2.5 5.5");
    ck_assert_float_eq(program_file[0], 0.5f);
    program_end();
}

START_TEST(each_machine_has_buffers_of_its_own)
{
    struct dg_machine other;
    struct dg_error err = {0};

    given_counter("buffer");
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    run_program();
    ck_assert(
        !dg_machine_open(&other, &program_plan, NULL, DG_PRECISION_WIDE, 1, &err));
    ck_assert(!dg_machine_begin(&other, program_inputs, &err));
    ck_assert(!dg_machine_run(&other, &err));
    expect_output(0, "f32 [2] 2.5 5.5");
    dg_machine_close(&other);
    program_end();
}

START_TEST(a_parameter_that_is_written_keeps_what_was_written)
{
    given_counter("parameter");
    open_program(DG_PRECISION_WIDE);
    run_program();
    run_program();
    expect_output(0, "f64 [2] 2.5 5.5");
    program_end();
}

START_TEST(a_mutated_buffer_takes_its_output_behind_the_last_step)
{
    const float x[] = {1, 2};

    program_begin();
    given_weight("total", "buffer", "f32", "[2]", 0, 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::add.Tensor", TWO("total", "x"), "total x");
    given_output(1, ONE("y"), "y");
    given_signature("output", "y", "buffer_mutation", "total");
    give_floats(1, 1, two, x);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    run_program();
    expect_output(0, "f32 [2] 2.5 5.5");
    program_end();
}

START_TEST(the_callers_input_is_never_written)
{
    const float x[] = {1, 2};
    const float *given_bytes;

    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::mul_.Tensor", TWO("x", "x"), "x x");
    given_output(1, ONE("x"), "x");
    return_value("x");
    give_floats(0, 1, two, x);
    given_bytes = dg_tensor_data(program_inputs[0].as.tensor);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] 1 4");
    ck_assert_float_eq(given_bytes[1], 2);
    program_end();
}

START_TEST(squeeze_in_place_gives_the_tensor_itself_another_shape)
{
    const int64_t sizes[] = {1, 2};
    const float x[] = {1, 2};

    program_begin();
    given_input(1, "x", "f32", "[1,2]");
    given_call(1, "y", "aten::squeeze_.dim",
               "[{\"name\":\"self\",\"tensor\":\"x\"},{\"name\":\"dim\",\"int\":0}]",
               "x");
    given_output(1, ONE("x"), "x");
    return_value("x");
    give_floats(0, 2, sizes, x);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] 1 2");
    program_end();
}

START_TEST(an_impossible_shape_is_an_error_that_names_node_and_operator)
{
    const int64_t three[] = {3};

    given_sum();
    open_program(DG_PRECISION_EXACT_SUMS);
    program_plan.slots[slot_called("x")].initial.as.tensor->sizes[0] = 3;
    give_floats(1, 1, three, program_file);
    rules_err = (struct dg_error){0};
    ck_assert(!dg_machine_begin(&program_machine, program_inputs, &rules_err));
    ck_assert_int_eq(dg_machine_run(&program_machine, &rules_err), DG_ERR_FORMAT);
    ck_assert_msg(!strncmp(rules_err.text, "node y (aten::add.Tensor): ", 27), "%s",
                  rules_err.text);
    program_end();
}

START_TEST(an_input_that_does_not_fit_is_refused_with_both_shapes)
{
    const int64_t three[] = {3};

    given_sum();
    open_program(DG_PRECISION_EXACT_SUMS);
    give_floats(1, 1, three, program_file);
    expect_failure("input x is f32 [2]; f32 [3] was given");
    dg_arg_drop(&program_inputs[1]);
    expect_failure("input x is f32 [2]; nothing was given");
    program_end();
}

START_TEST(an_item_that_the_list_does_not_have_is_an_error)
{
    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_tuple(1, "s", "aten::sort.default", SELF("x"), "x");
    given_call(1, "y", "_operator.getitem",
               "[{\"name\":\"\",\"tensor\":\"s\"},{\"name\":\"\",\"int\":2}]", "s");
    given_output(1, ONE("y"), "y");
    give_floats(0, 1, two, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    expect_failure("node y (_operator.getitem): item 2 of a list of 2");
    program_end();
}

START_TEST(outputs_do_not_change_when_later_calls_write)
{
    struct dg_arg first;
    const float *kept;

    given_counter("buffer");
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    ck_assert(!dg_machine_output(&program_machine, 0, &first, &rules_err));
    kept = dg_tensor_data(first.as.tensor);
    run_program();
    ck_assert_float_eq(kept[0], 1.5f);
    dg_arg_drop(&first);
    program_end();
}

START_TEST(a_part_runs_on_values_that_are_written_into_it)
{
    const bool chosen[] = {false, true};
    struct dg_schedule part;
    struct dg_machine machine;
    struct dg_arg fed, got;

    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "a", "aten::neg.default", SELF("x"), "x");
    given_call(1, "b", "aten::mul.Tensor", BY("a", "3"), "a");
    given_output(1, ONE("b"), "b");
    return_value("b");
    give_floats(0, 1, two, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    ck_assert(!dg_schedule_part(&part, &program_plan, chosen, &rules_err));
    ck_assert(
        !dg_machine_open(&machine, &part, NULL, DG_PRECISION_WIDE, 1, &rules_err));
    dg_arg_set(&fed, &program_inputs[0]);
    ck_assert(!dg_machine_begin(&machine, &fed, &rules_err));
    ck_assert(!dg_machine_run(&machine, &rules_err));
    ck_assert(!dg_machine_output(&machine, 0, &got, &rules_err));
    ck_assert_double_eq(((double *)dg_tensor_data(got.as.tensor))[1], 4.5);
    dg_arg_drop(&fed);
    dg_arg_drop(&got);
    dg_machine_close(&machine);
    dg_schedule_clear(&part);
    program_end();
}

static enum dg_status write_behind(struct dg_call *call)
{
    struct dg_tensor *x = dg_arg_tensor(call, 0);
    struct dg_tensor *y = dg_result(call, 0, x->type, x->rank, x->sizes);

    ((float *)dg_tensor_data(y))[2] = 0;
    return DG_OK;
}

START_TEST(a_kernel_that_writes_outside_of_its_memory_is_an_internal_error)
{
    struct dg_kernel wrong = {.op = "aten::neg", .cpu = write_behind};

    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::neg.default", SELF("x"), "x");
    given_output(1, ONE("y"), "y");
    give_floats(0, 1, two, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    program_plan.steps[0].kernel = &wrong;
    expect_failure("node y (aten::neg.default): internal error: the kernel wrote"
                   " outside of its memory");
    program_end();
    dg_host_memory.damaged = 0;
}

Suite *machine_suite(void)
{
    Suite *suite = suite_create("machine");
    TCase *tc = tcase_create("machine");

    tcase_add_test(tc, a_program_computes_in_its_own_types);
    tcase_add_test(tc, a_wide_run_keeps_floats_as_f64);
    tcase_add_test(tc, a_wide_run_has_the_epsilon_of_the_type_in_the_program);
    tcase_add_test(tc, a_view_outlives_the_weight_that_it_shows);
    tcase_add_test(tc, what_is_written_into_a_buffer_stays_from_call_to_call);
    tcase_add_test(tc, each_machine_has_buffers_of_its_own);
    tcase_add_test(tc, a_parameter_that_is_written_keeps_what_was_written);
    tcase_add_test(tc, a_mutated_buffer_takes_its_output_behind_the_last_step);
    tcase_add_test(tc, the_callers_input_is_never_written);
    tcase_add_test(tc, squeeze_in_place_gives_the_tensor_itself_another_shape);
    tcase_add_test(tc, an_impossible_shape_is_an_error_that_names_node_and_operator);
    tcase_add_test(tc, an_input_that_does_not_fit_is_refused_with_both_shapes);
    tcase_add_test(tc, an_item_that_the_list_does_not_have_is_an_error);
    tcase_add_test(tc, outputs_do_not_change_when_later_calls_write);
    tcase_add_test(tc, a_part_runs_on_values_that_are_written_into_it);
    tcase_add_test(tc, a_kernel_that_writes_outside_of_its_memory_is_an_internal_error);
    suite_add_tcase(suite, tc);
    return suite;
}
