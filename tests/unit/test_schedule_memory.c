/* Steps of a .pte and the planned memory that its values lie on. */
#include "unit/pte_schedule.h"

static bool near(double a, double b)
{
    return a - b < 1e-5 && b - a < 1e-5;
}

/* a = x + y; b = a * y; outputs b + x and a, which lies where x was. */
static void expect_two_adds(void)
{
    double sum[6], a[6];

    run();
    ck_assert_int_eq(read_output(0, sum), 6);
    read_output(1, a);
    for (int i = 0; i < 6; i++) {
        double x = (double)given(0)[i], y = (double)given(1)[i];

        ck_assert(near(a[i], x + y));
        ck_assert(near(sum[i], (x + y) * y + x));
    }
}

START_TEST(values_share_planned_memory_as_the_plan_says)
{
    open_program("tiny.pte", DG_PRECISION_EXACT_SUMS);
    expect_two_adds();
    expect_two_adds();
    end();
}

START_TEST(a_wide_run_has_room_for_f64_in_each_place)
{
    open_program("tiny.pte", DG_PRECISION_WIDE);
    expect_two_adds();
    end();
}

START_TEST(an_input_and_its_views_lie_on_the_same_bytes_in_wide_runs_too)
{
    double wide[64], narrow[64];
    int64_t count;

    for (size_t i = 0; i < 3; i++) {
        open_program("kept_views.pte", DG_PRECISION_WIDE);
        run();
        count = read_output(i, wide);
        end();
        open_program("kept_views.pte", DG_PRECISION_EXACT_SUMS);
        run();
        ck_assert_int_eq(read_output(i, narrow), count);
        end();
        for (int64_t k = 0; k < count; k++)
            ck_assert(near(wide[k], narrow[k]));
    }
}

START_TEST(buffers_begin_as_the_file_says_and_keep_what_is_written)
{
    double first[3], second[3], third[3];

    open_program("initial_state.pte", DG_PRECISION_EXACT_SUMS);
    run();
    read_output(0, first);
    given(0)[0] += 1;
    run();
    read_output(0, second);
    run();
    read_output(0, third);
    ck_assert(!near(first[0], second[0]));
    ck_assert(near(second[0], third[0]));
    end();
}

/* Buffers that begin with zeros are planned like what is computed. */
START_TEST(references_keep_buffers_that_are_planned_like_other_values)
{
    struct dg_schedule apart;
    double first[3], second[3];

    open_file("initial_state.pte");
    spoil("UPDATE value SET storage = 'planned', data_index = 0 WHERE idx = 0");
    make_plan();
    dg_schedule_apart(&apart, &schedule);
    dg_machine_open(&machine, &apart, NULL, DG_PRECISION_WIDE, 1, &err);
    dg_inputs_random(&inputs, &schedule, 1, &err);
    run();
    read_output(0, first);
    ((int64_t *)dg_tensor_data(inputs.values[1].as.tensor))[0] = 1;
    run();
    read_output(0, second);
    for (int i = 0; i < 3; i++)
        ck_assert(near(second[i], 2 * first[i]));
    dg_machine_close(&machine);
    machine = (struct dg_machine){0};
    dg_schedule_clear(&apart);
    end();
}

START_TEST(a_result_larger_than_its_memory_is_an_error_with_both_shapes)
{
    open_file("tiny.pte");
    spoil("UPDATE value SET shape = '[1,3]', nbytes = 12 WHERE idx = 2");
    start(DG_PRECISION_EXACT_SUMS);
    ck_assert_int_eq(call(), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, "op_0 (aten::add.out)") != NULL, "%s", err.text);
    ck_assert_msg(strstr(err.text, "[2,3]") && strstr(err.text, "[1,3]"), "%s",
                  err.text);
    end();
}

START_TEST(what_lies_on_unknown_bytes_is_unknown)
{
    struct dg_arg value;

    open_program("custom_ops_portable.pte", DG_PRECISION_EXACT_SUMS);
    run();
    ck_assert_uint_ge(machine.n_unknowns, 2);
    ck_assert_str_eq(machine.unknowns[0].why, "a custom operator");
    dg_machine_output(&machine, 0, &value, &err);
    ck_assert_int_eq(value.kind, DG_ARG_UNKNOWN);
    run();
    end();
}

START_TEST(planned_memory_that_is_too_small_is_not_used)
{
    open_file("tiny.pte");
    spoil("UPDATE value SET mem_offset = 120 WHERE idx = 2");
    make_plan();
    ck_assert_int_eq(schedule.steps[0].kind, DG_STEP_OPAQUE);
    ck_assert_str_eq(schedule.steps[0].why,
                     "value 2: 24 bytes at offset 120 of the 128 bytes of arena 1");
    end();
}

START_TEST(planned_memory_that_is_not_aligned_is_not_used)
{
    open_file("tiny.pte");
    spoil("UPDATE value SET mem_offset = 62 WHERE idx = 2");
    make_plan();
    ck_assert_str_eq(schedule.steps[0].why, "value 2: offset 62 is not aligned to f32");
    end();
}

START_TEST(an_arena_larger_than_memory_is_an_error_with_its_size)
{
    open_file("tiny.pte");
    spoil("UPDATE arena SET size_bytes = 1 << 62 WHERE idx = 1");
    make_plan();
    ck_assert_int_ne(
        dg_machine_open(&machine, &schedule, NULL, DG_PRECISION_EXACT_SUMS, 1, &err),
        DG_OK);
    ck_assert_msg(strstr(err.text, "4611686018427387904") != NULL, "%s", err.text);
    end();
}

START_TEST(an_arena_takes_no_more_memory_than_its_tensors)
{
    open_file("tiny.pte");
    spoil("UPDATE arena SET size_bytes = 1 << 28 WHERE idx = 1");
    make_plan();
    ck_assert_int_eq(
        dg_machine_open(&machine, &schedule, NULL, DG_PRECISION_EXACT_SUMS, 1, &err),
        DG_OK);
    ck_assert_uint_lt(dg_host_memory.used, 1 << 20);
    end();
}

Suite *schedule_memory_suite(void)
{
    Suite *suite = suite_create("schedule_memory");
    TCase *tests = tcase_create("plans");
    tcase_add_test(tests, values_share_planned_memory_as_the_plan_says);
    tcase_add_test(tests, a_wide_run_has_room_for_f64_in_each_place);
    tcase_add_test(tests,
                   an_input_and_its_views_lie_on_the_same_bytes_in_wide_runs_too);
    tcase_add_test(tests, buffers_begin_as_the_file_says_and_keep_what_is_written);
    tcase_add_test(tests, references_keep_buffers_that_are_planned_like_other_values);
    tcase_add_test(tests, a_result_larger_than_its_memory_is_an_error_with_both_shapes);
    tcase_add_test(tests, what_lies_on_unknown_bytes_is_unknown);
    tcase_add_test(tests, planned_memory_that_is_too_small_is_not_used);
    tcase_add_test(tests, planned_memory_that_is_not_aligned_is_not_used);
    tcase_add_test(tests, an_arena_larger_than_memory_is_an_error_with_its_size);
    tcase_add_test(tests, an_arena_takes_no_more_memory_than_its_tensors);
    suite_add_tcase(suite, tests);
    return suite;
}
