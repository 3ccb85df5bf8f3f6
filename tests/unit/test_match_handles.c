/* Nodes inside of delegates by their debug handles, and lists that get shorter. */
#include "unit/match_chain.h"

START_TEST(handles_number_the_steps_of_the_program)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_op("aten::sigmoid");
    add_node("Sigmoid", 1);
    add_node("Tanh", 2);
    add_node("Sigmoid", 3);
    expect("012");
}

START_TEST(steps_that_lowering_left_out_have_no_number)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::clone");
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_node("Tanh", 2);
    expect("0-1");
}

START_TEST(an_activation_that_became_bounds_is_what_its_node_gives)
{
    begin_both();
    add_op("aten::linear");
    add_op("aten::relu");
    add_op("aten::tanh");
    add_node("FullyConnected", 1)->least = 0;
    add_node("Tanh", 3);
    expect("-01");
}

START_TEST(an_activation_is_taken_once)
{
    begin_both();
    add_op("aten::linear");
    add_op("aten::relu");
    add_op("aten::clamp");
    add_op("aten::tanh");
    add_node("FullyConnected", 1)->least = 0;
    add_node("Tanh", 4);
    expect("-0-1");
}

START_TEST(an_activation_that_another_node_stands_for_is_not_taken)
{
    begin_both();
    add_op("aten::linear");
    add_op("aten::relu");
    add_node("FullyConnected", 1)->least = 0;
    add_node("Clamp", 2)->least = 0;
    expect("-1");
}

START_TEST(a_check_of_a_value_has_a_number_and_one_of_a_tensor_has_none)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::clone");
    program.steps[1].kernel = NULL;
    program.steps[1].op = "aten::_assert_tensor_metadata.default";
    add_op("aten::clone");
    program.steps[2].kernel = NULL;
    program.steps[2].op = "aten::_assert_scalar.default";
    add_op("aten::tanh");
    program.args[2].slot = program.args[3].slot = 1;
    add_node("Sigmoid", 1);
    add_node("Tanh", 3);
    expect("0--1");
}

START_TEST(equal_weights_tell_which_step_is_gone)
{
    static const float weights[] = {1, 2, 3};

    begin_both();
    add_op("aten::linear");
    add_op("aten::linear");
    add_op("aten::linear");
    add_node("FullyConnected", 1);
    add_node("FullyConnected", 2);
    for (size_t i = 0; i < 3; i++)
        add_weight(&program, i, &weights[i]);
    add_weight(&lowered, 0, &weights[0]);
    add_weight(&lowered, 1, &weights[2]);
    expect("0-1");
    drop_weights(&program);
    drop_weights(&lowered);
}

START_TEST(an_activation_of_its_own_is_not_taken_up)
{
    begin_both();
    add_op("aten::linear");
    add_op("aten::relu");
    add_node("FullyConnected", 1);
    add_node("Clamp", 2)->least = 0;
    expect("01");
}

START_TEST(bounds_of_an_activation_that_is_not_found_are_held_to_nothing)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::tanh");
    add_node("Conv2d", 1)->least = 0;
    add_node("Tanh", 2);
    expect("-1");
}

START_TEST(what_may_go_on_outside_is_not_matched)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::silu");
    add_node("Tanh", 1);
    add_node("Sigmoid", 2);
    add_call(&lowered, "aten::mul.Tensor");
    expect("0-");
}

START_TEST(a_node_without_a_number_is_found_by_what_it_reads)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::batch_norm");
    add_op("aten::sigmoid");
    add_node("Tanh", 1);
    add_node("StaticTranspose", 0);
    add_node("DepthwiseConv2d", 0);
    add_node("Sigmoid", 3);
    expect("023");
}

/* Linear, then a product, in codes: the sum stays inside, the product comes out. */
START_TEST(what_came_from_one_node_has_one_number)
{
    begin_both();
    add_quantize(1);
    add_dequantize(1);
    add_op_of("aten::linear", 2);
    add_quantize(2);
    add_dequantize(2);
    add_op_of("aten::mul.Tensor", 3);
    add_quantize(3);
    add_dequantize(3);
    add_codes("Convert", 1);
    add_codes("FullyConnected", 2);
    add_codes("Multiply", 3);
    add_node("Convert", 3);
    expect("0--1--23");
}

/* Lowered from another export, which had three nodes where this one had one. */
START_TEST(steps_have_numbers_of_their_own_where_that_fits_better)
{
    static const float first = 2, second = 3;

    begin_both();
    add_op_of("aten::tanh", 1);
    add_op_of("aten::tanh", 1);
    add_op_of("aten::tanh", 1);
    add_op_of("aten::linear", 2);
    add_op_of("aten::linear", 3);
    add_node("Tanh", 1);
    add_node("Tanh", 2);
    add_node("Tanh", 3);
    add_node("FullyConnected", 4);
    add_node("FullyConnected", 5);
    add_weight(&program, 3, &first);
    add_weight(&program, 4, &second);
    add_weight(&lowered, 3, &first);
    add_weight(&lowered, 4, &second);
    expect("01234");
    drop_weights(&program);
    drop_weights(&lowered);
}

/* A size that lowering asks for, and gives a number to. */
static void add_size(struct chain *chain)
{
    struct dg_step *step = add(chain);

    step->name = step->op = "aten::sym_size.int";
    step->kernel = dg_kernel_find(step->op);
    step->kind = DG_STEP_CALL;
}

START_TEST(sizes_that_lowering_added_have_the_first_numbers)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_size(&lowered);
    add_node("Sigmoid", 2);
    add_node("Tanh", 3);
    expect("12");
}

START_TEST(sizes_that_lowering_added_have_numbers_between_others)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_size(&lowered);
    add_node("Tanh", 3);
    expect("02");
}

START_TEST(sizes_that_the_program_asks_for_shift_no_number)
{
    begin_both();
    add_op("aten::sigmoid");
    add_size(&program);
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_size(&lowered);
    add_node("Tanh", 3);
    expect("012");
}

START_TEST(two_numbers_never_stand_for_one_step)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::tanh");
    add_node("Sigmoid", 1);
    add_size(&lowered);
    add_node("Sigmoid", 2);
    expect("0-");
}

Suite *match_handles_suite(void)
{
    Suite *suite = suite_create("match handles");
    TCase *all = tcase_create("all");

    tcase_add_test(all, handles_number_the_steps_of_the_program);
    tcase_add_test(all, steps_that_lowering_left_out_have_no_number);
    tcase_add_test(all, an_activation_that_became_bounds_is_what_its_node_gives);
    tcase_add_test(all, an_activation_is_taken_once);
    tcase_add_test(all, an_activation_that_another_node_stands_for_is_not_taken);
    tcase_add_test(all, a_check_of_a_value_has_a_number_and_one_of_a_tensor_has_none);
    tcase_add_test(all, equal_weights_tell_which_step_is_gone);
    tcase_add_test(all, an_activation_of_its_own_is_not_taken_up);
    tcase_add_test(all, bounds_of_an_activation_that_is_not_found_are_held_to_nothing);
    tcase_add_test(all, what_may_go_on_outside_is_not_matched);
    tcase_add_test(all, a_node_without_a_number_is_found_by_what_it_reads);
    tcase_add_test(all, what_came_from_one_node_has_one_number);
    tcase_add_test(all, steps_have_numbers_of_their_own_where_that_fits_better);
    tcase_add_test(all, sizes_that_lowering_added_have_the_first_numbers);
    tcase_add_test(all, sizes_that_lowering_added_have_numbers_between_others);
    tcase_add_test(all, sizes_that_the_program_asks_for_shift_no_number);
    tcase_add_test(all, two_numbers_never_stand_for_one_step);
    suite_add_tcase(suite, all);
    return suite;
}
