/* Codes that steps give, and nodes whose floats these become. */
#include "unit/match_chain.h"

START_TEST(codes_are_not_held_to_floats)
{
    begin_both();
    add_op("aten::tanh");
    add_op("aten::sigmoid");
    add_node("Tanh", 1);
    lowered.operands[0].quantized = DG_XNN_BY_TENSOR;
    add_node("Sigmoid", 2);
    expect("-1");
}

/* Two that read the same codes make their own floats of them. */
START_TEST(codes_with_several_readers_are_held_to_those_that_a_node_makes_floats_of)
{
    begin_both();
    add_op_of("aten::linear", 1);
    add_quantize(1);
    add_dequantize(1);
    add_dequantize(1);
    program.args[3].slot = 2;
    add_op_of("aten::sin", 2);
    add_codes("FullyConnected", 1);
    add_node("Convert", 1);
    add_node("Sin", 2);
    expect("-0--2");
}

/* The node that makes floats of them is of the activation that the sum took up. */
START_TEST(codes_are_not_those_of_a_node_that_makes_floats_of_them)
{
    begin_both();
    add_op_of("aten::linear", 1);
    add_op_of("aten::relu", 2);
    add_quantize(2);
    add_dequantize(2);
    add_op_of("aten::sin", 3);
    add_codes("FullyConnected", 1);
    add_node("Convert", 2);
    add_node("Sin", 3);
    expect("--012");
}

START_TEST(codes_on_another_grid_than_those_of_the_program_are_not_held_to_them)
{
    begin_both();
    add_op_of("aten::linear", 1);
    add_quantize(1);
    add_dequantize(1);
    add_codes("FullyConnected", 1);
    lowered.operands[0].zero_point = 4;
    add_node("Convert", 1);
    expect("--1");
}

Suite *match_codes_suite(void)
{
    Suite *suite = suite_create("match codes");
    TCase *all = tcase_create("all");
    tcase_add_test(all, codes_are_not_held_to_floats);
    tcase_add_test(
        all, codes_with_several_readers_are_held_to_those_that_a_node_makes_floats_of);
    tcase_add_test(all, codes_are_not_those_of_a_node_that_makes_floats_of_them);
    tcase_add_test(
        all, codes_on_another_grid_than_those_of_the_program_are_not_held_to_them);
    suite_add_tcase(suite, all);
    return suite;
}
