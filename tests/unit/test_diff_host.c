/* What a comparison tells of the instructions and values of a .pte. */
#include <stdio.h>

#include "base/text.h"
#include "unit/small_diff.h"

START_TEST(diff_tells_other_scalars_of_instructions)
{
    build_both_instructions();
    expect_diff("no difference\n");
    given("UPDATE value SET scalar = 3 WHERE id = 3");
    expect_diff("1 op changed\nop changed arguments op_0: #2=2 -> #2=3\n");
}
END_TEST

/* A hundred calls name one list, which differs. */
START_TEST(diff_says_that_lists_with_too_many_items_are_not_compared)
{
    build_both_instructions();
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format(
            "INSERT INTO value (id, graph_id, idx, kind, items) VALUES (6, 1, 5,"
            " 'double_list', '[%d' || printf('%%.*c', 70000, '0') || ']');"
            "WITH n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 109)"
            " INSERT INTO operand SELECT 1, i, 5, 6, 'read' FROM n",
            s + 1);
    }
    diff_bytes[1][1] = 2; /* not one file */
    expect_diff("no difference in what could be compared\n");
    ck_assert_int_eq(diff_result, DG_DIFF_UNKNOWN);
}
END_TEST

/* The relu, which read the product, reads the input. */
START_TEST(diff_tells_an_instruction_that_is_gone_and_no_more)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_SIZES;
    given(
        "DELETE FROM operand WHERE node_id = 1; DELETE FROM node WHERE id = 1;"
        "UPDATE operand SET value_idx = 0, value_id = 1 WHERE node_id = 2 AND pos = 0");
    expect_diff("1 op removed\n"
                "op removed aten::mul.out op_0: f32 [2]\n"
                "flops changed FLOPs of kernel calls: 4 -> 2\n");
}
END_TEST

START_TEST(diff_tells_what_a_method_keeps)
{
    build_both_instructions();
    given("DELETE FROM signature WHERE direction = 'input'");
    expect_diff("1 op changed, other signature, 1 mutable buffer changed\n"
                "op changed arguments op_0: #0=input 0 -> #0=state\n"
                "signature removed type input 0: f32 [2]\n"
                "state added buffer -> f32 [2]\n");
}
END_TEST

START_TEST(diff_tells_what_the_host_hands_over)
{
    build_both_instructions();
    given("UPDATE node SET kind = 'delegate_call', op_id = NULL WHERE id = 2");
    expect_diff(
        "1 op added, 1 removed\n"
        "op removed aten::relu.out op_1: f32 [2]\n"
        "op added delegate_call op_1 -> f32 [2]\n"
        "delegate moved calls: 2 kernel calls, 0 of delegates -> 1 kernel calls,"
        " 1 of delegates\n"
        "flops changed FLOPs of kernel calls: 4 -> 2\n");
}
END_TEST

START_TEST(diff_tells_which_value_an_output_is)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO signature (graph_id, direction, pos, kind, value_id) VALUES"
              " (1, 'output', 1, 'tensor', 4)");
    }
    expect_diff("no difference\n");
    given("UPDATE signature SET value_id = 5 - pos WHERE direction = 'output';"
          "UPDATE signature SET value_id = 9 - value_id WHERE direction = 'output'");
    expect_diff("other signature\n"
                "signature changed reads output 0: aten::relu.out op_1 ->"
                " aten::mul.out op_0\n"
                "signature changed reads output 1: aten::mul.out op_0 ->"
                " aten::relu.out op_1\n");
    given("UPDATE signature SET value_id = 5 - pos WHERE direction = 'output';"
          "UPDATE signature SET value_id = 1 WHERE direction = 'output' AND pos = 1");
    expect_diff("other signature\n"
                "signature changed value output 1: @ -> input 0\n");
}
END_TEST

/* The product goes into one of two buffers. */
START_TEST(diff_tells_which_tensor_is_written)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO value (id, graph_id, idx, kind, dtype, shape, storage, name)"
              " VALUES (6, 1, 5, 'tensor', 'f32', '[2]', 'mutable', 'a'),"
              " (7, 1, 6, 'tensor', 'f32', '[2]', 'mutable', 'b');"
              "UPDATE operand SET value_id = value_id + 2, value_idx = value_idx + 2"
              " WHERE access = 'write'; UPDATE signature SET value_id = 7"
              " WHERE direction = 'output'");
    }
    expect_diff("no difference\n");
    given("UPDATE operand SET value_id = 13 - value_id, value_idx = 11 - value_idx"
          " WHERE access = 'write'; UPDATE signature SET value_id = 6"
          " WHERE direction = 'output'");
    expect_diff("2 ops changed\n"
                "op changed uses op_0: state a -> state b\n"
                "op changed uses op_1: state b -> state a\n");
    given("UPDATE operand SET value_id = 13 - value_id, value_idx = 11 - value_idx"
          " WHERE access = 'write'; UPDATE signature SET value_id = 7"
          " WHERE direction = 'output';"
          "UPDATE operand SET value_id = 1, value_idx = 0"
          " WHERE access = 'write' AND node_id = 1");
    expect_diff("1 op changed\n"
                "op changed arguments op_0: #3=> state -> #3=> input 0\n");
}
END_TEST

START_TEST(diff_tells_which_number_of_the_caller_is_read)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
              " (6, 1, 5, 'int', 2);"
              "INSERT INTO signature (graph_id, direction, pos, kind, value_id) VALUES"
              " (1, 'input', 1, 'int', 3), (1, 'input', 2, 'int', 6)");
    }
    expect_diff("no difference\n");
    given("UPDATE operand SET value_id = 6, value_idx = 5 WHERE value_id = 3");
    expect_diff("1 op changed\n"
                "op changed arguments op_0: #2=input 1=2 -> #2=input 2=2\n");
}
END_TEST

START_TEST(diff_tells_where_a_jump_goes)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO node (id, graph_id, idx, name, kind, jump) VALUES"
              " (3, 1, 2, 'op_2', 'jump_false_call', 0)");
    }
    expect_diff("no difference\n");
    given("UPDATE node SET jump = 1 WHERE id = 3");
    expect_diff("1 op changed\n"
                "op changed reads op_2: aten::mul.out op_0 -> aten::relu.out op_1\n");
    given("UPDATE node SET jump = 3 WHERE id = 3");
    expect_diff("1 op changed\n"
                "op changed arguments op_2: #0=to @ -> #0=to the end\n");
}
END_TEST

/* One reads x, the other changes it; last or first. */
static void build_writer(int side, bool last)
{
    dg_store_close(diff_programs[side]);
    program_begin();
    diff_programs[side] = rules_store;
    given_input(1, "x", "f32", "[2]");
    if (!last)
        given_call(1, "add_", "aten::add_.Tensor", BY("x", "1"), "x");
    given_call(1, "relu", "aten::relu.default", SELF("x"), "x");
    if (last)
        given_call(1, "add_", "aten::add_.Tensor", BY("x", "1"), "x");
    given_call(1, "mul", "aten::mul.Tensor", TWO("relu", "add_"), "relu add_");
    given_output(1, ONE("mul"), "mul");
    given_signature("output", "mul", "user_output", NULL);
}

START_TEST(diff_tells_another_order_of_what_writes_and_reads)
{
    build_writer(0, false);
    build_writer(1, false);
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    expect_diff("no difference\n");
    build_writer(1, true);
    expect_diff("1 op changed\n"
                "op changed order add_: before relu -> behind it\n");
}
END_TEST

/* Neither changes x. */
START_TEST(diff_accepts_another_order_of_what_only_reads)
{
    for (int s = 0; s < 2; s++) {
        build_writer(s, s == 1);
        given(
            "UPDATE op SET name = 'aten::add.Tensor' WHERE name = 'aten::add_.Tensor'");
    }
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_other_layouts_of_values)
{
    given("UPDATE value SET device = 'cuda:0' WHERE name = 'mul'");
    rules_store = diff_programs[0];
    given("UPDATE value SET device = 'cpu' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed layout mul: cpu -> cuda:0\n");
}
END_TEST

Suite *diff_host_suite(void)
{
    Suite *suite = suite_create("diff_host");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, diff_open, diff_close);
    tcase_add_test(all, diff_tells_other_scalars_of_instructions);
    tcase_add_test(all, diff_says_that_lists_with_too_many_items_are_not_compared);
    tcase_add_test(all, diff_tells_an_instruction_that_is_gone_and_no_more);
    tcase_add_test(all, diff_tells_what_a_method_keeps);
    tcase_add_test(all, diff_tells_what_the_host_hands_over);
    tcase_add_test(all, diff_tells_which_value_an_output_is);
    tcase_add_test(all, diff_tells_which_tensor_is_written);
    tcase_add_test(all, diff_tells_which_number_of_the_caller_is_read);
    tcase_add_test(all, diff_tells_where_a_jump_goes);
    tcase_add_test(all, diff_tells_another_order_of_what_writes_and_reads);
    tcase_add_test(all, diff_accepts_another_order_of_what_only_reads);
    tcase_add_test(all, diff_tells_other_layouts_of_values);
    suite_add_tcase(suite, all);
    return suite;
}
