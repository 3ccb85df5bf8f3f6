/* Plans of .pte programs, and what a machine makes of them. */
#include "unit/pte_schedule.h"

START_TEST(instructions_become_steps_of_functional_kernels)
{
    open_file("tiny.pte");
    make_plan();
    ck_assert_uint_eq(schedule.n_steps, 3);
    ck_assert_str_eq(schedule.steps[0].op, "aten::add.out");
    ck_assert_str_eq(schedule.steps[0].kernel->op, "aten::add.Tensor");
    ck_assert_int_eq(schedule.steps[0].variant, DG_VARIANT_OUT);
    ck_assert_uint_eq(schedule.steps[0].n_args, 3);
    ck_assert_int_eq(schedule.steps[0].args[2].kind, DG_OPERAND_LITERAL);
    ck_assert_uint_eq(schedule.steps[0].results[0], 2);
    ck_assert_uint_eq(schedule.n_inputs, 2);
    ck_assert_str_eq(schedule.outputs[1].spec, "user_output");
    end();
}

START_TEST(inputs_that_are_written_are_no_outputs_of_the_user)
{
    open_file("mutated_inputs.pte");
    make_plan();
    ck_assert_uint_eq(schedule.n_outputs, 3);
    ck_assert_str_eq(schedule.outputs[0].spec, "user_input_mutation");
    ck_assert_str_eq(schedule.outputs[1].spec, "user_input_mutation");
    ck_assert_str_eq(schedule.outputs[2].spec, "user_output");
    end();
}

START_TEST(an_input_that_is_returned_as_it_came_is_an_output_of_the_user)
{
    open_file("mutated_inputs.pte");
    spoil("DELETE FROM operand WHERE node_id IN (SELECT n.id FROM node n JOIN op o ON "
          "o.id = n.op_id WHERE o.name = 'aten::copy_')");
    make_plan();
    for (size_t i = 0; i < schedule.n_outputs; i++)
        ck_assert_str_eq(schedule.outputs[i].spec, "user_output");
    end();
}

/* Its memory is there: a runtime reads nothing of it. */
START_TEST(a_tensor_without_elements_may_be_read_before_it_is_written)
{
    struct dg_arg value;

    open_file("tiny.pte");
    spoil(
        "UPDATE value SET shape = '[0]', dim_order = '[0]', strides = '[1]', nbytes = 0"
        " WHERE kind = 'tensor';"
        "UPDATE operand SET value_idx = 4, value_id = 5 WHERE node_id = 1 AND pos = 0");
    make_plan();
    dg_machine_open(&machine, &schedule, NULL, DG_PRECISION_EXACT_SUMS, 1, &err);
    dg_inputs_random(&inputs, &schedule, 1, &err);
    ck_assert(!dg_machine_begin(&machine, inputs.values, &err));
    ck_assert_msg(!dg_machine_run(&machine, &err), "%s", err.text);
    ck_assert(!dg_machine_output(&machine, 1, &value, &err));
    ck_assert_int_eq(value.kind, DG_ARG_TENSOR);
    ck_assert_int_eq(dg_tensor_count(value.as.tensor), 0);
    dg_arg_drop(&value);
    end();
}

START_TEST(loops_end_where_their_counter_says)
{
    double all[12];

    open_program("control_flow_map.pte", DG_PRECISION_WIDE);
    run();
    ck_assert_int_eq(read_output(0, all), 12);
    run();
    end();
}

START_TEST(tensors_take_the_size_of_what_they_hold)
{
    struct dg_arg x;
    const int64_t sizes[] = {2, 6};
    double rows[35 * 3];

    open_program("dynamic_rows.pte", DG_PRECISION_EXACT_SUMS);
    run();
    ck_assert_int_eq(read_output(0, rows), 35 * 3);
    x = (struct dg_arg){DG_ARG_TENSOR,
                        {.tensor = dg_tensor_over(DG_TYPE_F32, 2, sizes, given(0))}};
    ck_assert_int_eq(dg_machine_begin(&machine, &x, &err), DG_OK);
    ck_assert_int_eq(dg_machine_run(&machine, &err), DG_OK);
    ck_assert_int_eq(read_output(0, rows), 7 * 3);
    dg_arg_drop(&x);
    end();
}

START_TEST(delegates_are_named_where_they_are_not_run)
{
    open_program("two_backends.pte", DG_PRECISION_EXACT_SUMS);
    run();
    ck_assert_str_eq(machine.unknowns[0].why, "delegate DemoBackend");
    end();
}

/* All was compared, and output 0 is those, bit for bit. */
static void expect_first_output(const double *wanted, int64_t n)
{
    double got[8];

    ck_assert_uint_eq(machine.n_unknowns, 0);
    ck_assert_int_eq(read_output(0, got), n);
    for (int64_t i = 0; i < n; i++)
        ck_assert(wanted[i] == got[i]);
}

START_TEST(channels_of_a_delegate_have_a_scale_each_however_many_it_says)
{
    double before[8];
    int64_t n;

    open_program("xnnpack_channels.pte", DG_PRECISION_EXACT_SUMS);
    run();
    n = read_output(0, before);
    end();
    open_file("xnnpack_channels.pte");
    spoil("UPDATE delegate_value SET quantization = json_set(quantization,"
          " '$.num_scales', 99) WHERE quantization LIKE '%num_scales%'");
    start(DG_PRECISION_EXACT_SUMS);
    run();
    expect_first_output(before, n);
    end();
}

/* An image whose elements tell where they are, however it lies. */
static void give_image(void)
{
    const struct dg_tensor *image = inputs.values[0].as.tensor;
    int64_t at[4] = {0};

    ck_assert_int_eq(image->rank, 4);
    for (int64_t i = 0, n = dg_tensor_count(image); i < n; i++) {
        int64_t left = i, place = 0;

        for (int dim = 3; dim >= 0; dim--) {
            at[dim] = left % image->sizes[dim];
            left /= image->sizes[dim];
            place += at[dim] * image->strides[dim];
        }
        given(0)[place] = (float)(i % 7) - 3;
    }
}

/* The graph turns images itself, or is handed them as it wants them. */
START_TEST(a_delegate_sees_operands_as_they_lie)
{
    double before[8];
    int64_t n;

    open_program("squeeze_xnnpack.pte", DG_PRECISION_EXACT_SUMS);
    give_image();
    run();
    n = read_output(0, before);
    end();
    open_file("squeeze_xnnpack.pte");
    spoil("UPDATE value SET dim_order = '[0,2,3,1]' WHERE id IN (3, 4);"
          "UPDATE delegate_node SET args = json_set(args, '$.perm', json('[0,1,2,3]'))"
          " WHERE op = 'StaticTranspose'");
    start(DG_PRECISION_EXACT_SUMS);
    give_image();
    run();
    expect_first_output(before, n);
    end();
}

/* The graph still turns what is turned already: what it gives has another shape. */
START_TEST(a_delegate_that_is_handed_another_order_than_it_wants_is_not_run)
{
    open_file("squeeze_xnnpack.pte");
    spoil("UPDATE value SET dim_order = '[0,2,3,1]' WHERE id = 3");
    start(DG_PRECISION_EXACT_SUMS);
    call();
    ck_assert(err.text[0] || machine.n_unknowns);
    end();
}

/* Why the delegate is not run once `sql` was said. */
static void expect_why(const char *sql, const char *why)
{
    open_file("xnnpack_channels.pte");
    spoil(sql);
    make_plan();
    ck_assert_str_eq(schedule.steps[0].why, why);
    end();
}

START_TEST(scales_that_do_not_fit_are_told_from_scales_that_no_file_has)
{
    expect_why("UPDATE delegate_value SET quantization = json_set(quantization,"
               " '$.scale_constant', 8) WHERE shape = '[8,4]'",
               "delegate XnnpackBackend: scales of it have too few bytes");
    expect_why("UPDATE delegate_value SET quantization = json_set(quantization,"
               " '$.channel_dim', 2) WHERE shape = '[8,4]'",
               "delegate XnnpackBackend: a value of it has scales of a dimension that "
               "it lacks");
    expect_why(
        "UPDATE delegate_value SET quantization = json_set(quantization,"
        " '$.scale_constant', 99) WHERE shape = '[8,4]'",
        "delegate XnnpackBackend: scales of it are not in the files: a .ptd is needed");
}

START_TEST(a_weight_that_no_file_has_is_named)
{
    open_program("external.pte", DG_PRECISION_EXACT_SUMS);
    ck_assert_int_eq(call(), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, "up.weight has no bytes in the files") != NULL, "%s",
                  err.text);
    end();
}

START_TEST(operands_that_name_no_value_make_a_step_opaque)
{
    open_file("tiny.pte");
    spoil("UPDATE operand SET value_idx = 999, value_id = NULL"
          " WHERE node_id = 1 AND pos = 1");
    start(DG_PRECISION_EXACT_SUMS);
    ck_assert_str_eq(schedule.steps[0].why, "an operand names no value");
    run();
    ck_assert_uint_eq(machine.n_unknowns, 3);
    end();
}

/* Behind the values of the method are those of its delegates. */
START_TEST(an_input_behind_the_last_value_is_none)
{
    open_file("xnnpack.pte");
    spoil("UPDATE signature SET value_idx = 10, value_id = NULL"
          " WHERE direction = 'input'");
    make_plan();
    ck_assert_uint_gt(schedule.n_slots, 10);
    ck_assert_uint_eq(schedule.inputs[0].slot, DG_IO_LITERAL);
    end();
}

START_TEST(a_list_that_holds_itself_holds_nothing)
{
    size_t n_lists = 0;

    open_file("dtypes_portable.pte");
    spoil("UPDATE value SET items = '[' || idx || ']' WHERE kind = 'int_list'");
    start(DG_PRECISION_EXACT_SUMS);
    for (size_t i = 0; i < schedule.n_slots; i++) {
        if (!schedule.slots[i].list)
            continue;
        n_lists++;
        ck_assert_int_eq(schedule.slots[i].list->items[0].kind, DG_OPERAND_LITERAL);
    }
    ck_assert_uint_gt(n_lists, 0);
    call();
    end();
}

START_TEST(missing_operands_make_a_step_opaque)
{
    open_file("tiny.pte");
    spoil("DELETE FROM operand WHERE node_id = 1 AND pos > 1");
    make_plan();
    ck_assert_str_eq(schedule.steps[0].why,
                     "fewer operands than its schema has arguments");
    end();
}

START_TEST(a_jump_behind_the_end_is_opaque)
{
    open_file("control_flow_map.pte");
    spoil("UPDATE node SET jump = 1000 WHERE jump IS NOT NULL");
    make_plan();
    ck_assert_str_eq(schedule.steps[9].why, "a jump to nowhere");
    end();
}

START_TEST(upper_bounds_are_ranges_of_the_inputs)
{
    open_file("dynamic_rows.pte");
    make_plan();
    ck_assert_uint_eq(schedule.n_ranges, 2);
    ck_assert_int_eq(schedule.ranges[0].most, 9);
    ck_assert(schedule.ranges[0].symbol == NULL);
    end();
}

Suite *schedule_pte_suite(void)
{
    Suite *suite = suite_create("schedule_pte");
    TCase *tests = tcase_create("plans");

    tcase_add_test(tests, instructions_become_steps_of_functional_kernels);
    tcase_add_test(tests, inputs_that_are_written_are_no_outputs_of_the_user);
    tcase_add_test(tests,
                   an_input_that_is_returned_as_it_came_is_an_output_of_the_user);
    tcase_add_test(tests, a_tensor_without_elements_may_be_read_before_it_is_written);
    tcase_add_test(tests, loops_end_where_their_counter_says);
    tcase_add_test(tests, tensors_take_the_size_of_what_they_hold);
    tcase_add_test(tests, delegates_are_named_where_they_are_not_run);
    tcase_add_test(tests,
                   channels_of_a_delegate_have_a_scale_each_however_many_it_says);
    tcase_add_test(tests, a_delegate_sees_operands_as_they_lie);
    tcase_add_test(tests,
                   a_delegate_that_is_handed_another_order_than_it_wants_is_not_run);
    tcase_add_test(tests, scales_that_do_not_fit_are_told_from_scales_that_no_file_has);
    tcase_add_test(tests, a_weight_that_no_file_has_is_named);
    tcase_add_test(tests, operands_that_name_no_value_make_a_step_opaque);
    tcase_add_test(tests, an_input_behind_the_last_value_is_none);
    tcase_add_test(tests, a_list_that_holds_itself_holds_nothing);
    tcase_add_test(tests, missing_operands_make_a_step_opaque);
    tcase_add_test(tests, a_jump_behind_the_end_is_opaque);
    tcase_add_test(tests, upper_bounds_are_ranges_of_the_inputs);
    suite_add_tcase(suite, tests);
    return suite;
}
