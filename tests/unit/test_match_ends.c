/* What a program and its .pte take apart in other ways, and where both meet. */
#include "unit/match_chain.h"

START_TEST(what_an_operator_was_taken_apart_into_ends_with_its_last_node)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::silu");
    add_op("aten::tanh");
    add_node("Tanh", 1);
    add_node("Sigmoid", 2);
    add_node("Multiply", 2);
    add_node("Tanh", 3);
    expect("023");
}

START_TEST(floats_of_codes_are_not_held_to_what_was_not_rounded)
{
    begin_both();
    add_quantize(1);
    add_dequantize(1);
    add_op_of("aten::linear", 2);
    add_op_of("aten::sin", 3);
    add_codes("Convert", 1);
    add_codes("FullyConnected", 2);
    add_node("Convert", 2);
    expect("0---");
}

START_TEST(what_both_sides_took_apart_meets_at_its_end)
{
    begin_both();
    add_op_of("aten::sigmoid", 1);
    add_op_of("aten::mul.Tensor", 1);
    add_node("Sigmoid", 1);
    add_node("Multiply", 1);
    expect("-1");
}

/* A linear layer of many dimensions. */
static void add_linear_in_pieces(void)
{
    begin_both();
    add_op_of("aten::sin", 1);
    add_op_of("aten::expand", 2);
    add_op_of("dim_order_ops::_clone_dim_order", 2);
    add_op_of("aten::bmm", 2);
    add_op_of("aten::add.Tensor", 2);
    add_op_of("aten::cos", 3);
    add_node("Sin", 1);
    add_node("FullyConnected", 2);
}

START_TEST(what_no_step_is_like_meets_at_the_end_of_its_place)
{
    add_linear_in_pieces();
    add_node("Cos", 3);
    expect("0---12");
}

START_TEST(what_no_step_is_like_is_held_to_none_that_only_brings_it_to_a_grid)
{
    begin_both();
    add_op_of("aten::sin", 1);
    add_op_of("aten::gt.Scalar", 2);
    add_quantize(2);
    add_dequantize(2);
    add_op_of("aten::cos", 3);
    add_node("Sin", 1);
    add_node("PReLU", 2);
    add_node("Cos", 3);
    expect("01--2");
}

START_TEST(what_no_step_is_like_is_not_compared_where_its_end_is_not_known)
{
    add_linear_in_pieces();
    expect("0-----");
}

/* A linear layer of many dimensions, as the edge dialect has it. */
static void add_batched_linear(uint32_t origin)
{
    add_op_of("aten::expand", origin);
    add_op_of("aten::view", origin);
    add_op_of("aten::bmm", origin);
    add_op_of("aten::view", origin);
    add_op_of("aten::add.Tensor", origin);
}

START_TEST(a_layer_in_pieces_of_other_kinds_meets_at_the_end_of_its_place)
{
    begin_both();
    add_batched_linear(1);
    add_op_of("aten::cos", 2);
    add_node("FullyConnected", 1);
    add_node("Cos", 2);
    expect("----01");
}

START_TEST(pieces_of_other_kinds_that_sum_no_products_are_no_layer)
{
    begin_both();
    add_op_of("aten::view", 1);
    add_op_of("aten::add.Tensor", 1);
    add_op_of("aten::cos", 2);
    add_node("FullyConnected", 1);
    add_node("Cos", 2);
    expect("--1");
}

/* Attention, which ends with another layout of what its second product gives. */
static void add_attention_in_pieces(void)
{
    begin_both();
    add_op_of("aten::sin", 1);
    add_op_of("aten::bmm", 2);
    add_op_of("aten::_softmax", 2);
    add_op_of("aten::bmm", 2);
    add_op_of("aten::view", 2);
    add_op_of("aten::permute", 2);
    add_op_of("aten::cos", 3);
    add_node("Sin", 1);
    add_node("BatchMatrixMultiply", 2);
    add_node("Softmax", 2);
    add_node("BatchMatrixMultiply", 2);
    add_node("StaticReshape", 2);
    add_node("StaticTranspose", 2);
}

START_TEST(what_ends_with_moves_meets_at_the_end_of_its_place)
{
    add_attention_in_pieces();
    add_node("Cos", 3);
    expect("0----56");
    expect_doubts("=----!=");
}

START_TEST(what_ends_with_moves_is_sure_where_one_step_is_only_brought_to_a_grid)
{
    begin_both();
    add_op_of("aten::sin", 1);
    add_op_of("aten::conv1d", 2);
    add_quantize(2);
    add_dequantize(2);
    add_op_of("aten::cos", 3);
    add_node("Sin", 1);
    add_node("StaticReshape", 2);
    add_node("Conv2d", 2);
    add_node("StaticReshape", 2);
    add_node("Cos", 3);
    expect("03--4");
    expect_doubts("==--=");
}

START_TEST(what_ends_with_moves_is_not_compared_where_its_end_is_not_known)
{
    add_attention_in_pieces();
    expect("0------");
}

START_TEST(a_product_whose_shape_is_said_anew_is_one_with_that)
{
    begin_both();
    add_op_of("aten::addmm", 1);
    add_op_of("aten::view", 1);
    add_op_of("aten::view", 2);
    add_node("FullyConnected", 1);
    expect("-0-");
}

START_TEST(what_the_program_took_apart_into_other_operators_ends_with_the_last)
{
    begin_both();
    add_op_of("aten::sigmoid", 1);
    add_op_of("aten::gt.Scalar", 2);
    add_op_of("aten::where.self", 2);
    add_op_of("aten::tanh", 3);
    add_node("Sigmoid", 1);
    add_node("PReLU", 2);
    add_node("Tanh", 3);
    expect("0-12");
}

START_TEST(of_several_nodes_that_move_elements_none_is_the_step)
{
    begin_both();
    add_op_of("aten::slice.Tensor", 1);
    add_node("StaticSlice", 1);
    expect("0");
    begin_both();
    add_op_of("aten::sigmoid", 1);
    add_op_of("aten::slice.Tensor", 2);
    add_op_of("aten::tanh", 3);
    add_node("StaticSlice", 2);
    add_node("StaticSlice", 2);
    add_node("Tanh", 3);
    expect("--2");
}

/* A list of up to 4 items, into which one is put. */
static int64_t length_after(int64_t index, bool fixed)
{
    static const int64_t list[] = {4, 1}, item[] = {1};
    static const float number = 7;
    struct dg_operand args[] = {
        {.kind = DG_OPERAND_SLOT, .slot = 0},
        {.kind = DG_OPERAND_SLOT, .slot = 1},
        {.kind = DG_OPERAND_LITERAL, .literal = {DG_ARG_INT, {.integer = index}}}};
    struct dg_slot slots[2] = {
        {.kind = DG_SLOT_COMPUTED, .name = "list", .arena = -1, .zeros = true},
        {.kind = DG_SLOT_CONSTANT, .name = "item", .arena = -1}};
    struct dg_step step = {.kind = DG_STEP_CALL,
                           .name = "op_0",
                           .op = "executorch_prim::et_copy_index.tensor",
                           .args = args,
                           .n_args = 3};
    struct dg_schedule schedule = {.is_pte = true,
                                   .slots = slots,
                                   .n_slots = 2,
                                   .steps = &step,
                                   .n_steps = 1,
                                   .n_schedules = 1};
    struct dg_machine machine;
    struct dg_arg value = {0};
    struct dg_error err = {0};
    int64_t length;

    step.kernel = dg_resolve(step.op).kernel;
    slots[0].fixed = fixed;
    slots[0].initial = (struct dg_arg){
        DG_ARG_TENSOR, {.tensor = dg_tensor_over(DG_TYPE_F32, 2, list, NULL)}};
    slots[1].initial = (struct dg_arg){
        DG_ARG_TENSOR, {.tensor = dg_tensor_over(DG_TYPE_F32, 1, item, &number)}};
    ck_assert_msg(
        !dg_machine_open(&machine, &schedule, NULL, DG_PRECISION_EXACT_SUMS, 1, &err) &&
            !dg_machine_begin(&machine, NULL, &err) &&
            !dg_machine_run(&machine, &err) &&
            !dg_machine_read(&machine, 0, &value, &err),
        "%s", err.text);
    length = value.as.tensor->sizes[0];
    dg_arg_drop(&value);
    dg_machine_close(&machine);
    dg_arg_drop(&slots[0].initial);
    dg_arg_drop(&slots[1].initial);
    return length;
}

START_TEST(a_list_of_no_static_size_ends_with_the_item_put_into_it)
{
    ck_assert_int_eq(length_after(1, false), 2);
    ck_assert_int_eq(length_after(0, false), 1);
    ck_assert_int_eq(length_after(1, true), 4);
}

Suite *match_ends_suite(void)
{
    Suite *suite = suite_create("match ends");
    TCase *all = tcase_create("all");
    tcase_add_test(all, what_an_operator_was_taken_apart_into_ends_with_its_last_node);
    tcase_add_test(all, floats_of_codes_are_not_held_to_what_was_not_rounded);
    tcase_add_test(all, what_both_sides_took_apart_meets_at_its_end);
    tcase_add_test(all, what_no_step_is_like_meets_at_the_end_of_its_place);
    tcase_add_test(all,
                   what_no_step_is_like_is_held_to_none_that_only_brings_it_to_a_grid);
    tcase_add_test(all,
                   what_no_step_is_like_is_not_compared_where_its_end_is_not_known);
    tcase_add_test(all, a_layer_in_pieces_of_other_kinds_meets_at_the_end_of_its_place);
    tcase_add_test(all, pieces_of_other_kinds_that_sum_no_products_are_no_layer);
    tcase_add_test(all, what_ends_with_moves_meets_at_the_end_of_its_place);
    tcase_add_test(
        all, what_ends_with_moves_is_sure_where_one_step_is_only_brought_to_a_grid);
    tcase_add_test(all,
                   what_ends_with_moves_is_not_compared_where_its_end_is_not_known);
    tcase_add_test(all, a_product_whose_shape_is_said_anew_is_one_with_that);
    tcase_add_test(all,
                   what_the_program_took_apart_into_other_operators_ends_with_the_last);
    tcase_add_test(all, of_several_nodes_that_move_elements_none_is_the_step);
    tcase_add_test(all, a_list_of_no_static_size_ends_with_the_item_put_into_it);
    suite_add_tcase(suite, all);
    return suite;
}
