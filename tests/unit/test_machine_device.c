/* Machines on a device: what stays there, what passes the host. */
#include "unit/small_device.h"
#include "unit/small_program.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec/inputs.h"
#include "exec/run.h"
#include "formats/input.h"

static const int64_t two[] = {2};

#define SELECT(x)                                                                      \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"dim\",\"int\":0},"          \
    "{\"name\":\"index\",\"int\":1}]"
#define EXPAND(x)                                                                      \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"size\",\"ints\":[2]}]"

static void open_there(void)
{
    plan_program();
    small_device_begin(&program_plan);
    ck_assert(!dg_machine_open(&program_machine, &program_plan, &small_device,
                               DG_PRECISION_EXACT_SUMS, 1, &rules_err));
}

static void expect_transfers(int uploads, int downloads)
{
    ck_assert_int_eq(small_uploads, uploads);
    ck_assert_int_eq(small_downloads, downloads);
    ck_assert_uint_eq(program_machine.fallbacks, 0);
    small_uploads = small_downloads = 0;
}

static void give_x(size_t input)
{
    const float x[] = {1, 2};

    give_floats(input, 1, two, x);
}

static void return_value(const char *name)
{
    given_signature("output", name, "user_output", NULL);
}

START_TEST(what_is_written_through_a_view_does_not_leave_the_device)
{
    program_begin();
    given_weight("b", "buffer", "f32", "[2,2]", 0, 16);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "t", "aten::t.default", SELF("b"), "b");
    given_call(1, "v", "aten::select.int", SELECT("t"), "t");
    given_call(1, "y", "aten::add_.Tensor", TWO("v", "x"), "v x");
    given_output(1, ONE("b"), "b");
    return_value("b");
    give_x(1);
    open_there();
    run_program();
    expect_transfers(2, 0);
    run_program();
    expect_transfers(1, 0);
    expect_output(0, "f32 [2,2] 0.5 3.5 2.5 7.5");
    ck_assert_float_eq(program_file[1], 1.5f);
    program_end();
}

START_TEST(a_buffer_takes_its_new_value_on_the_device)
{
    program_begin();
    given_weight("total", "buffer", "f32", "[2]", 0, 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::add.Tensor", TWO("total", "x"), "total x");
    given_output(1, ONE("y"), "y");
    given_signature("output", "y", "buffer_mutation", "total");
    give_x(1);
    open_there();
    run_program();
    expect_transfers(2, 0);
    run_program();
    expect_transfers(1, 0);
    expect_output(0, "f32 [2] 2.5 5.5");
    program_end();
}

START_TEST(copies_of_views_are_made_on_the_device)
{
    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::expand_copy.default", EXPAND("x"), "x");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_x(0);
    open_there();
    run_program();
    expect_transfers(1, 0);
    expect_output(0, "f32 [2] 1 2");
    program_end();
}

START_TEST(a_shape_that_strides_do_not_allow_is_copied_on_the_device)
{
    program_begin();
    given_input(1, "x", "f32", "[2,2]");
    given_call(1, "t", "aten::t.default", SELF("x"), "x");
    given_call(1, "y", "aten::reshape.default",
               "[{\"name\":\"self\",\"tensor\":\"t\"},"
               "{\"name\":\"shape\",\"ints\":[4]}]",
               "t");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_floats(0, 2, (const int64_t[]){2, 2}, program_file);
    open_there();
    run_program();
    expect_transfers(1, 0);
    expect_output(0, "f32 [4] 0.5 2.5 1.5 3.5");
    program_end();
}

/* Threads of a device write in any order. */
START_TEST(elements_that_lie_on_each_other_are_written_on_the_host)
{
    program_begin();
    given_weight("b", "buffer", "f32", "[1]", 0, 4);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "v", "aten::expand.default", EXPAND("b"), "b");
    given_call(1, "y", "aten::add_.Tensor", TWO("v", "x"), "v x");
    given_output(1, ONE("b"), "b");
    return_value("b");
    give_x(1);
    open_there();
    run_program();
    ck_assert_int_eq(small_downloads, 2);
    expect_output(0, "f32 [1] 2.5");
    program_end();
}

START_TEST(a_step_without_a_kernel_for_the_device_runs_on_the_host)
{
    struct dg_kernel row;

    program_begin();
    given_weight("total", "buffer", "f32", "[2]", 0, 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::add_.Tensor", TWO("total", "x"), "total x");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_x(1);
    open_there();
    row = *program_plan.steps[0].kernel;
    row.cuda = NULL;
    program_plan.steps[0].kernel = &row;
    run_program();
    run_program();
    expect_output(0, "f32 [2] 2.5 5.5");
    ck_assert_uint_eq(program_machine.fallbacks, 1);
    program_end();
}

static enum dg_status write_behind(struct dg_call *call)
{
    struct dg_tensor *x = dg_arg_tensor(call, 0);
    struct dg_tensor *y = dg_result(call, 0, x->type, x->rank, x->sizes);

    ((float *)dg_tensor_data(y))[2] = 0;
    return DG_OK;
}

/* By the kernel of the device, and by that of the host that stands in for it. */
START_TEST(a_kernel_that_writes_outside_of_its_memory_is_an_internal_error)
{
    struct dg_kernel wrong = {
        .op = "aten::neg", .cpu = write_behind, .cuda = _i ? NULL : write_behind};

    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::neg.default", SELF("x"), "x");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_x(0);
    open_there();
    program_plan.steps[0].kernel = &wrong;
    expect_failure("node y (aten::neg.default): internal error: the kernel wrote"
                   " outside of its memory");
    program_end();
    dg_host_memory.damaged = 0;
}

static enum dg_status cannot_be_asked(const struct dg_device *device, const void *bytes,
                                      size_t size, bool *hold, struct dg_error *err)
{
    return dg_fail(err, DG_ERR_DEVICE, "an illegal memory access was encountered");
}

START_TEST(views_are_not_waited_for)
{
    program_begin();
    given_input(1, "x", "f32", "[2,2]");
    given_call(1, "a", "aten::neg.default", SELF("x"), "x");
    given_call(1, "t", "aten::t.default", SELF("a"), "a");
    given_call(1, "y", "aten::select.int", SELECT("t"), "t");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_floats(0, 2, (const int64_t[]){2, 2}, program_file);
    open_there();
    run_program();
    ck_assert_int_eq(small_checks, 1);
    expect_output(0, "f32 [2] -1.5 -3.5");
    program_end();
}

START_TEST(a_kernel_that_the_device_stops_is_an_internal_error)
{
    struct dg_device device = small_device;

    device.guards = cannot_be_asked;
    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "y", "aten::neg.default", SELF("x"), "x");
    given_output(1, ONE("y"), "y");
    return_value("y");
    give_x(0);
    plan_program();
    small_device_begin(&program_plan);
    ck_assert(!dg_machine_open(&program_machine, &program_plan, &device,
                               DG_PRECISION_EXACT_SUMS, 1, &rules_err));
    expect_failure("node y (aten::neg.default): internal error: the kernel failed: an"
                   " illegal memory access was encountered");
    program_end();
}

/* Outputs of two calls on `device`, behind each other; how many. */
static size_t run_file(const char *name, const struct dg_device *device,
                       struct dg_arg *values)
{
    struct dg_schedule_files files = {0};
    struct dg_schedule schedule;
    struct dg_machine machine;
    struct dg_inputs inputs;
    struct dg_input input;
    struct dg_error err = {0};
    char path[512];
    size_t n = 0;

    snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("top_srcdir"), name);
    ck_assert(!dg_input_open(&input, path, DG_HASH_NONE, &err));
    files.file = input.file;
    dg_schedule_pte(&schedule, input.store, &files, 1, &err);
    small_device_begin(&schedule);
    dg_machine_open(&machine, &schedule, device, DG_PRECISION_EXACT_SUMS, 1, &err);
    dg_inputs_random(&inputs, &schedule, 1, &err);
    for (int calls = 0; calls < 2; calls++) {
        dg_machine_begin(&machine, inputs.values, &err);
        dg_machine_run(&machine, &err);
        for (size_t i = 0; i < schedule.n_outputs; i++)
            dg_machine_output(&machine, i, &values[n++], &err);
    }
    ck_assert_str_eq(err.text, "");
    dg_inputs_clear(&inputs);
    dg_machine_close(&machine);
    dg_schedule_clear(&schedule);
    dg_input_close(&input);
    return n;
}

START_TEST(planned_memory_is_that_of_the_device)
{
    static const char *const files[] = {"tiny.pte", "kept_views.pte",
                                        "initial_state.pte"};
    struct dg_arg host[16] = {{0}}, there[16] = {{0}};
    size_t n = run_file(files[_i], NULL, host);

    ck_assert_uint_eq(run_file(files[_i], &small_device, there), n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(host[i].kind, DG_ARG_TENSOR);
        ck_assert(dg_same_bits(&host[i], &there[i]));
        dg_arg_drop(&host[i]);
        dg_arg_drop(&there[i]);
    }
    ck_assert_uint_eq(small_device.memory->used, 0);
}

Suite *machine_device_suite(void)
{
    Suite *suite = suite_create("machine_device");
    TCase *tc = tcase_create("machine_device");

    tcase_add_test(tc, what_is_written_through_a_view_does_not_leave_the_device);
    tcase_add_test(tc, a_buffer_takes_its_new_value_on_the_device);
    tcase_add_test(tc, copies_of_views_are_made_on_the_device);
    tcase_add_test(tc, a_shape_that_strides_do_not_allow_is_copied_on_the_device);
    tcase_add_test(tc, elements_that_lie_on_each_other_are_written_on_the_host);
    tcase_add_test(tc, a_step_without_a_kernel_for_the_device_runs_on_the_host);
    tcase_add_loop_test(
        tc, a_kernel_that_writes_outside_of_its_memory_is_an_internal_error, 0, 2);
    tcase_add_test(tc, views_are_not_waited_for);
    tcase_add_test(tc, a_kernel_that_the_device_stops_is_an_internal_error);
    tcase_add_loop_test(tc, planned_memory_is_that_of_the_device, 0, 3);
    suite_add_tcase(suite, tc);
    return suite;
}
