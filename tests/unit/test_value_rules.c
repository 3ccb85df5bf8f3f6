/* Rules about operands, inputs, outputs and uses of values, against small methods. */
#include "unit/rules.h"

/* Instruction 0 adds value 0 to itself into value 1; value 0 goes in, 1 comes out. */
static void given_method(void)
{
    rules_open_pte();
    tensor(0, 0, 96);
    tensor(1, 96, 96);
    goes_in(0);
    comes_out(1);
    call_op("aten::add.out", "0", "", "1");
    given("UPDATE value SET shape = '[2,3,2,2]', dim_order = '[0,1,2,3]',"
          " dynamism = 'static', layout = 'strided', storage_offset = 0;"
          "UPDATE op SET flags = 4");
}

START_TEST(value_rules_accept_a_sound_method)
{
    expect("value/arg-index", "");
    expect("value/move-jump-free-index", "");
    expect("value/input-index", "");
    expect("value/output-index", "");
    expect("value/input-not-constant", "");
    expect("value/input-unique", "");
    expect("value/primitive-input", "");
    expect("value/dynamic-input-static-out", "");
    expect("value/unused", "");
}

START_TEST(value_arg_index_reports_an_operand_out_of_range)
{
    given("UPDATE operand SET value_idx = 9, value_id = NULL WHERE pos = 0");
    expect("value/arg-index", "error operand 0 is value 9; the method has 2 values\n");
    expect("value/move-jump-free-index", "");
}

START_TEST(value_move_jump_free_index_accepts_moves_and_jumps)
{
    move(0, 1);
    jump(1, 0);
    expect("value/move-jump-free-index", "");
}

START_TEST(value_move_jump_free_index_reports_a_move_to_nowhere)
{
    move(0, 1);
    given("UPDATE operand SET value_idx = -1, value_id = NULL"
          " WHERE node_id = 2 AND pos = 1");
    expect("value/move-jump-free-index",
           "error operand 1 is value -1; the method has 2 values\n");
    expect("value/arg-index", "");
}

START_TEST(value_input_index_reports_what_is_no_input)
{
    given("INSERT INTO value (id, graph_id, idx, kind) VALUES (3, 1, 2, 'int_list');"
          "INSERT INTO signature (graph_id, direction, pos, kind, value_id, value_idx)"
          " VALUES (1, 'input', 1, 'int_list', 3, 2),"
          " (1, 'input', 2, 'unknown', NULL, 4294967295)");
    expect("value/input-index",
           "error input 1 is value 2, an int list; expected a tensor, a number, a bool,"
           " a string or null\n"
           "error input 2 is value -1; the method has 3 values\n");
    expect("value/output-index", "");
}

START_TEST(value_output_index_reports_what_is_no_output)
{
    given("UPDATE signature SET value_idx = 7, value_id = NULL"
          " WHERE direction = 'output'");
    expect("value/output-index",
           "error output 0 is value 7; the method has 2 values\n");
    expect("value/input-index", "");
}

START_TEST(value_input_not_constant_accepts_memory_of_the_caller)
{
    given("UPDATE value SET storage = 'runtime' WHERE idx = 0");
    expect("value/input-not-constant", "");
}

START_TEST(value_input_not_constant_reports_a_constant_input)
{
    given("UPDATE value SET storage = 'constant' WHERE idx = 0");
    expect("value/input-not-constant",
           "error input 0 is value 0, which is a constant of the file\n");
}

START_TEST(value_constant_not_written_accepts_constants_that_are_read)
{
    given("UPDATE value SET storage = 'constant' WHERE idx = 0");
    expect("value/constant-not-written", "");
}

/* Nothing is written into what has no bytes. */
START_TEST(value_constant_not_written_accepts_a_constant_without_elements)
{
    given("UPDATE value SET storage = 'constant', nbytes = 0 WHERE idx = 1");
    expect("value/constant-not-written", "");
}

START_TEST(value_constant_not_written_reports_a_kernel_that_writes_one)
{
    given("UPDATE value SET storage = 'external' WHERE idx = 1");
    expect("value/constant-not-written",
           "error operand 1, which it writes, is value 1, a constant of the named data\n");
}

START_TEST(value_output_not_external_accepts_a_constant_of_the_file)
{
    given("UPDATE value SET storage = 'constant' WHERE idx = 1");
    expect("value/output-not-external", "");
}

START_TEST(value_output_not_external_reports_a_constant_of_the_named_data)
{
    given("UPDATE value SET storage = 'external' WHERE idx = 1");
    expect("value/output-not-external",
           "error output 0 is value 1, which is a constant of the named data\n");
}

static void given_moved_constant(void)
{
    for (int i = 2; i < 5; i++)
        tensor(i, 96 * i, 96);
    given("UPDATE value SET storage = 'constant' WHERE idx = 2");
    move(2, 3);
}

START_TEST(value_move_from_constant_accepts_one_that_is_only_read)
{
    given_moved_constant();
    call("3", "4");
    expect("value/move-from-constant", "");
}

START_TEST(value_move_from_constant_reports_one_whose_place_is_written)
{
    given_moved_constant();
    call("4", "3");
    expect("value/move-from-constant",
           "error moves value 2, a constant, to value 3, which op_2 writes\n");
}

START_TEST(value_move_from_constant_accepts_a_place_that_was_written_before)
{
    given_moved_constant();
    given("DELETE FROM operand WHERE node_id = 2; DELETE FROM node WHERE id = 2");
    call("4", "3");
    move(2, 3);
    expect("value/move-from-constant", "");
}

START_TEST(value_move_from_constant_reports_each_move_before_the_last_writer)
{
    given_moved_constant();
    call("4", "3");
    move(2, 3);
    call("4", "3");
    move(2, 3);
    expect("value/move-from-constant",
           "error moves value 2, a constant, to value 3, which op_4 writes\n"
           "error moves value 2, a constant, to value 3, which op_4 writes\n");
}

START_TEST(value_input_unique_reports_an_input_that_comes_twice)
{
    goes_in(0);
    expect("value/input-unique", "warning inputs 0, 1 are all value 0\n");
}

START_TEST(value_input_unique_counts_the_places_behind_the_first_five)
{
    for (int i = 0; i < 6; i++)
        goes_in(0);
    expect("value/input-unique",
           "warning inputs 0, 1, 2, 3, 4 and 2 more are all value 0\n");
}

START_TEST(value_primitive_input_accepts_none)
{
    given("INSERT INTO value (id, graph_id, idx, kind) VALUES (3, 1, 2, 'null')");
    goes_in(2);
    expect("value/primitive-input", "");
}

START_TEST(value_primitive_input_reports_numbers)
{
    given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
          " (3, 1, 2, 'int', 3), (4, 1, 3, 'bool', 1), (5, 1, 4, 'string', 'a')");
    goes_in(2);
    goes_in(3);
    goes_in(4);
    expect("value/primitive-input", "note input 1 is value 2, an int: 3; and 2 more\n");
    given("DELETE FROM signature WHERE value_id IN (3, 4)");
    expect("value/primitive-input", "note input 3 is value 4, a string: \"a\"\n");
}

START_TEST(value_input_layout_accepts_sizes_whose_layouts_are_the_same)
{
    given("UPDATE value SET shape = '[2,1,4,4]', dim_order = '[0,2,3,1]'");
    expect("value/input-layout", "");
    given("UPDATE value SET shape = '[2,3,1,1]'");
    expect("value/input-layout", "");
    given("UPDATE value SET shape = '[2,3,4]', dim_order = '[0,1,2]'");
    expect("value/input-layout", "");
}

START_TEST(value_input_layout_warns_of_what_is_not_in_default_order)
{
    expect("value/input-layout", "");
    given("UPDATE value SET shape = '[2,3,4]', dim_order = '[0,2,1]'");
    expect("value/input-layout", "warning input 0, sizes [2,3,4], must come in"
                                 " dim_order [0,2,1]\n");
    given("UPDATE value SET shape = '[2,3,2,2]', dim_order = '[0,2,3,1]'");
    expect("value/input-layout", "warning input 0, sizes [2,3,2,2], must come in"
                                 " dim_order [0,2,3,1], channels last\n");
}

START_TEST(value_dynamic_input_static_out_accepts_results_that_follow)
{
    given("UPDATE value SET dynamism = 'bounded'");
    expect("value/dynamic-input-static-out", "");
}

/* As a scan stacks its results. */
START_TEST(value_dynamic_input_static_out_accepts_a_tensor_filled_by_rows)
{
    tensor(2, 192, 16);
    tensor(3, 256, 16);
    given("UPDATE value SET dynamism = 'bounded' WHERE idx = 2");
    call_op("executorch_prim::et_copy_index.tensor", "", "2", "");
    call_op("aten::add.out", "2", "", "3");
    given("UPDATE op SET flags = 4 WHERE name LIKE 'aten::add%'");
    expect("value/dynamic-input-static-out", "");
}

START_TEST(value_dynamic_input_static_out_accepts_a_sum)
{
    given("UPDATE value SET dynamism = 'bounded' WHERE idx = 0;"
          "UPDATE op SET name = 'aten::sum.IntList_out', flags = 0");
    expect("value/dynamic-input-static-out", "");
}

START_TEST(value_dynamic_input_static_out_knows_kernels_by_their_functional_twins)
{
    given("UPDATE value SET dynamism = 'bounded' WHERE idx = 0;"
          "UPDATE op SET name = 'aten::gelu.out', flags = 0");
    expect("value/dynamic-input-static-out",
           "warning reads value 0, sizes [2,3,2,2] at most, and writes value 1, whose"
           " sizes [2,3,2,2] are static\n");
    given("UPDATE op SET name = 'aten::_softmax.out'");
    expect("value/dynamic-input-static-out",
           "warning reads value 0, sizes [2,3,2,2] at most, and writes value 1, whose"
           " sizes [2,3,2,2] are static\n");
}

START_TEST(value_dynamic_input_static_out_reports_a_static_result)
{
    given("UPDATE value SET dynamism = 'bounded' WHERE idx = 0");
    expect("value/dynamic-input-static-out",
           "warning reads value 0, sizes [2,3,2,2] at most, and writes"
           " value 1, whose sizes [2,3,2,2] are static\n");
}

START_TEST(value_dynamic_input_static_out_reports_a_static_view_of_a_dynamic_tensor)
{
    given("UPDATE value SET dynamism = 'bounded' WHERE idx = 0;"
          "UPDATE op SET name = 'aten::view_copy.out', flags = 0");
    expect("value/dynamic-input-static-out",
           "warning reads value 0, sizes [2,3,2,2] at most, and writes"
           " value 1, whose sizes [2,3,2,2] are static\n");
}

START_TEST(value_dynamic_input_static_out_accepts_a_dynamic_tensor_that_is_no_index)
{
    given("UPDATE value SET dynamism = 'bounded' WHERE idx = 0;"
          "UPDATE op SET name = 'aten::embedding.out', flags = 0");
    expect("value/dynamic-input-static-out", "");
}

START_TEST(value_dynamic_input_static_out_reports_a_node_of_an_edge_program)
{
    rules_close();
    rules_open();
    given_chain();
    given("UPDATE method SET ir = 'edge';"
          "INSERT INTO range_constraint VALUES (1, 's0', 2, 8);"
          "INSERT INTO value (id, graph_id, idx, name, kind, shape) VALUES"
          " (1, 1, 0, 'x', 'tensor', '[\"s0\",4]'),"
          " (2, 1, 1, 'relu', 'tensor', '[\"s0\",4]');"
          "UPDATE edge SET value_id = src;"
          "UPDATE node SET value_id = id WHERE id < 3");
    expect("value/dynamic-input-static-out", "");
    given("UPDATE value SET shape = '[8,4]' WHERE id = 2");
    expect("value/dynamic-input-static-out",
           "warning reads x, sizes [\"s0\",4], and gives sizes"
           " [8,4]\n");
}

START_TEST(value_dynamic_input_static_out_reports_a_view_of_an_edge_program)
{
    rules_close();
    rules_open();
    given_chain();
    given("UPDATE method SET ir = 'edge';"
          "UPDATE op SET name = 'aten::view_copy.default', flags = 0;"
          "INSERT INTO range_constraint VALUES (1, 's0', 2, 8);"
          "INSERT INTO value (id, graph_id, idx, name, kind, shape) VALUES"
          " (1, 1, 0, 'x', 'tensor', '[\"s0\",4]'),"
          " (2, 1, 1, 'relu', 'tensor', '[\"4*s0\"]');"
          "UPDATE edge SET value_id = src;"
          "UPDATE node SET value_id = id WHERE id < 3");
    expect("value/dynamic-input-static-out", "");
    given("UPDATE value SET shape = '[32]' WHERE id = 2");
    expect("value/dynamic-input-static-out",
           "warning reads x, sizes [\"s0\",4], and gives sizes [32]\n");
}

START_TEST(value_unused_accepts_items_of_lists)
{
    tensor(2, 192, 16);
    given("INSERT INTO value (id, graph_id, idx, kind, items) VALUES"
          " (4, 1, 3, 'tensor_list', '[2]')");
    call("3", "1");
    expect("value/unused", "");
}

START_TEST(value_unused_accepts_small_constants)
{
    tensor(2, 192, 16);
    given("UPDATE value SET storage = 'constant', nbytes = 1023 WHERE idx = 2");
    expect("value/unused", "");
    given("UPDATE value SET nbytes = 1024 WHERE idx = 2");
    expect("value/unused", "note nothing uses values 2: 1 of 3\n");
}

START_TEST(value_unused_reports_what_nothing_names)
{
    tensor(2, 192, 16);
    tensor(3, 192, 16);
    expect("value/unused", "note nothing uses values 2, 3: 2 of 4\n");
}

Suite *value_rules_suite(void)
{
    Suite *suite = suite_create("value rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, given_method, rules_close);
    tcase_add_test(all, value_rules_accept_a_sound_method);
    tcase_add_test(all, value_arg_index_reports_an_operand_out_of_range);
    tcase_add_test(all, value_move_jump_free_index_accepts_moves_and_jumps);
    tcase_add_test(all, value_move_jump_free_index_reports_a_move_to_nowhere);
    tcase_add_test(all, value_input_index_reports_what_is_no_input);
    tcase_add_test(all, value_output_index_reports_what_is_no_output);
    tcase_add_test(all, value_input_not_constant_accepts_memory_of_the_caller);
    tcase_add_test(all, value_input_not_constant_reports_a_constant_input);
    tcase_add_test(all, value_constant_not_written_accepts_constants_that_are_read);
    tcase_add_test(all, value_constant_not_written_accepts_a_constant_without_elements);
    tcase_add_test(all, value_constant_not_written_reports_a_kernel_that_writes_one);
    tcase_add_test(all, value_output_not_external_accepts_a_constant_of_the_file);
    tcase_add_test(all, value_output_not_external_reports_a_constant_of_the_named_data);
    tcase_add_test(all, value_move_from_constant_accepts_one_that_is_only_read);
    tcase_add_test(all, value_move_from_constant_reports_one_whose_place_is_written);
    tcase_add_test(all,
                   value_move_from_constant_accepts_a_place_that_was_written_before);
    tcase_add_test(all,
                   value_move_from_constant_reports_each_move_before_the_last_writer);
    tcase_add_test(all, value_input_unique_counts_the_places_behind_the_first_five);
    tcase_add_test(all, value_input_unique_reports_an_input_that_comes_twice);
    tcase_add_test(all, value_primitive_input_accepts_none);
    tcase_add_test(all, value_primitive_input_reports_numbers);
    tcase_add_test(all, value_input_layout_accepts_sizes_whose_layouts_are_the_same);
    tcase_add_test(all, value_input_layout_warns_of_what_is_not_in_default_order);
    tcase_add_test(all, value_dynamic_input_static_out_accepts_results_that_follow);
    tcase_add_test(all, value_dynamic_input_static_out_accepts_a_tensor_filled_by_rows);
    tcase_add_test(all, value_dynamic_input_static_out_accepts_a_sum);
    tcase_add_test(
        all, value_dynamic_input_static_out_knows_kernels_by_their_functional_twins);
    tcase_add_test(all, value_dynamic_input_static_out_reports_a_static_result);
    tcase_add_test(
        all, value_dynamic_input_static_out_reports_a_static_view_of_a_dynamic_tensor);
    tcase_add_test(
        all, value_dynamic_input_static_out_accepts_a_dynamic_tensor_that_is_no_index);
    tcase_add_test(all,
                   value_dynamic_input_static_out_reports_a_node_of_an_edge_program);
    tcase_add_test(all,
                   value_dynamic_input_static_out_reports_a_view_of_an_edge_program);
    tcase_add_test(all, value_unused_accepts_items_of_lists);
    tcase_add_test(all, value_unused_accepts_small_constants);
    tcase_add_test(all, value_unused_reports_what_nothing_names);
    suite_add_tcase(suite, all);
    return suite;
}
