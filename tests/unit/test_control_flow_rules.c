/* Each rule about control flow against programs that keep it, and that break it. */
#include "unit/small_plan.h"

/* x and w go through a cond; graphs 2 and 3 are its branches. */
static void given_cond(void)
{
    plan_input("w", "parameter");
    plan_input("x", "user_input");
    plan_call("aten::gt.Scalar", "gt", "x", NULL);
    plan_attr("yes");
    plan_attr("no");
    plan_call("higher_order::cond", "cond", "gt @yes @no", "x w");
    plan_call("_operator.getitem", "getitem", "cond", NULL);
    plan_output("getitem");
}

static void given_branches(void)
{
    plan_graph(2, "yes");
    plan_input("x", NULL);
    plan_input("w", NULL);
    plan_call("aten::mul.Tensor", "mul", "x w", NULL);
    plan_call("aten::sin.default", "sin", "x", NULL);
    plan_output("mul");
    plan_graph(3, "no");
    plan_input("x", NULL);
    plan_input("w", NULL);
    plan_output("x");
}

START_TEST(a_graph_goes_with_the_call_that_runs_it)
{
    given_cond();
    plan_tag("A", "gt yes no cond getitem");
    given_branches();
    expect("control-flow/branch-attr-tag", "");
    expect("control-flow/branch-attr-shared", "");
}

START_TEST(an_untagged_graph_of_a_tagged_call_is_an_error)
{
    given_cond();
    plan_tag("A", "yes cond getitem");
    given_branches();
    expect("control-flow/branch-attr-tag",
           "error no (no tag) is a graph that cond (A) runs: lowering fails, as a graph"
           " cannot be passed to a delegate\n");
    expect_witness("[\"no\",\"cond\"]");
}

START_TEST(a_tagged_graph_of_an_untagged_call_is_an_error)
{
    given_cond();
    plan_tag("A", "gt yes");
    given_branches();
    expect(
        "control-flow/branch-attr-tag",
        "error yes (A) is a graph that cond (no tag) runs: lowering fails, as a graph"
        " cannot be passed to a delegate\n");
}

START_TEST(a_tag_without_a_delegate_is_none)
{
    given_cond();
    plan_tag("A", "gt yes");
    given_branches();
    given("UPDATE partition SET declared = 0");
    expect("control-flow/branch-attr-tag", "");
}

START_TEST(a_get_attr_that_two_partitions_need_is_a_warning)
{
    plan_input("x", "user_input");
    plan_attr("yes");
    plan_call("higher_order::map_impl", "map", "@yes", "x");
    plan_call("higher_order::map_impl", "map_1", "@yes", "x");
    plan_output("map map_1");
    plan_tag("A", "yes map");
    plan_tag("B", "map_1");
    plan_graph(2, "yes");
    plan_input("x", NULL);
    plan_output("x");
    expect("control-flow/branch-attr-shared",
           "warning map (A) and map_1 (B) run yes, which has one tag only\n");
}

static void given_loop(const char *op)
{
    plan_input("x", "user_input");
    plan_attr("test");
    plan_attr("body");
    plan_call(op, "loop", "@test @body", "x");
    plan_output("loop");
}

static void given_tagged_body(void)
{
    plan_graph(2, "body");
    plan_input("x", NULL);
    plan_call("aten::sin.default", "sin", "x", NULL);
    plan_attr("inner");
    plan_call("higher_order::cond", "cond", "sin @inner", "x");
    plan_output("sin");
    plan_tag("A", "sin");
    plan_graph(3, "body.inner");
    plan_input("x", NULL);
    plan_call("aten::sin.default", "sin", "x", NULL);
    plan_call("aten::cos.default", "cos", "x", NULL);
    plan_output("sin");
    plan_tag("B", "sin cos");
}

START_TEST(lowering_does_not_look_into_loops)
{
    given_loop("higher_order::while_loop");
    given_tagged_body();
    expect("control-flow/tag-in-loop-body",
           "warning 1 node is tagged A, but lowering does not look into the graphs"
           " that loop runs\n"
           "warning 2 nodes are tagged B, but lowering does not look into the graphs"
           " that loop runs\n");
    expect("control-flow/tag-in-delegated-branch", "");
}

START_TEST(lowering_looks_into_branches)
{
    given_loop("higher_order::cond");
    given_tagged_body();
    expect("control-flow/tag-in-loop-body", "");
    expect("control-flow/tag-in-delegated-branch", "");
}

START_TEST(a_delegated_call_takes_its_branches_as_a_whole)
{
    given_loop("higher_order::cond");
    plan_tag("C", "test body loop");
    given_tagged_body();
    expect(
        "control-flow/tag-in-delegated-branch",
        "warning 1 node is tagged A, but loop, which runs the graph, goes to C as a"
        " whole\n"
        "warning 2 nodes are tagged B, but loop, which runs the graph, goes to C as a"
        " whole\n");
    expect("control-flow/tag-in-loop-body", "");
}

START_TEST(a_partition_in_a_branch_gets_weights_as_operands)
{
    given_cond();
    plan_graph(2, "yes");
    plan_input("x", NULL);
    plan_input("w", NULL);
    plan_call("aten::mul.Tensor", "mul", "x w", NULL);
    plan_output("mul");
    plan_tag("A", "mul");
    plan_graph(3, "no");
    expect("control-flow/branch-weights",
           "note A gets w as an operand of cond: no delegate in a branch owns"
           " constants\n");
}

START_TEST(a_partition_in_a_branch_may_read_no_weights)
{
    given_cond();
    plan_graph(2, "yes");
    plan_input("x", NULL);
    plan_input("w", NULL);
    plan_call("aten::sin.default", "sin", "x", NULL);
    plan_output("sin");
    plan_tag("A", "sin");
    plan_graph(3, "no");
    expect("control-flow/branch-weights", "");
}

static void given_edge_program(const char *op)
{
    given_loop(op);
    given("UPDATE method SET ir = 'edge'; DELETE FROM part_run");
}

START_TEST(a_loop_of_an_edge_program_is_not_emitted)
{
    given_edge_program("higher_order::while_loop");
    expect(
        "control-flow/op-emittable",
        "warning higher_order::while_loop is no control flow that ExecuTorch runs\n");
    given("UPDATE method SET ir = 'aten'");
    expect("control-flow/op-emittable", "");
}

START_TEST(a_cond_of_an_edge_program_is_emitted)
{
    given_edge_program("higher_order::cond");
    expect("control-flow/op-emittable", "");
}

START_TEST(a_loop_that_a_delegate_was_made_from_is_not_the_hosts)
{
    given_edge_program("higher_order::while_loop");
    given("UPDATE \"graph\" SET kind = 'lowered', path = 'lowered_module_0'");
    expect("control-flow/op-emittable", "");
}

START_TEST(a_map_goes_over_one_tensor)
{
    plan_input("x", "user_input");
    plan_input("y", "user_input");
    plan_attr("body");
    plan_call("higher_order::map_impl", "map", "@body", "x");
    plan_call("higher_order::map_impl", "map_1", "@body", "x y");
    plan_output("map map_1");
    given("UPDATE method SET ir = 'edge'; DELETE FROM part_run");
    expect("control-flow/map-arity", "warning map_1 goes over 2 tensors\n");
}

START_TEST(branches_take_and_give_as_many_values)
{
    given_cond();
    given_branches();
    expect("control-flow/branch-signature", "");
    given("UPDATE node SET kind = 'call_function' WHERE graph_id = 3 AND name = 'w'");
    expect("control-flow/branch-signature",
           "error one branch takes 2 inputs and gives 1, the other takes 1 and gives"
           " 1\n"
           "error passes 2 operands to no, which takes 1\n");
}

START_TEST(control_flow_branch_signature_accepts_operands_that_branches_take)
{
    given_cond();
    given_branches();
    given("UPDATE node SET args = '[{},{},{},{\"tensors\":[\"x\",\"w\"]}]'"
          " WHERE name = 'cond';"
          "UPDATE value SET dtype = 'f32'");
    expect("control-flow/branch-signature", "");
}

START_TEST(control_flow_branch_signature_reports_types_and_operands_that_differ)
{
    given_cond();
    given_branches();
    given("UPDATE node SET args = '[{},{},{},{\"tensors\":[\"x\",\"w\",\"w\"]}]'"
          " WHERE name = 'cond';"
          "UPDATE value SET dtype = 'f32';"
          "UPDATE value SET dtype = 'i64' WHERE graph_id = 3 AND name = 'w'");
    expect("control-flow/branch-signature",
           "error input 1 of one branch is f32, of the other i64\n"
           "error passes 3 operands to yes, which takes 2\n"
           "error passes 3 operands to no, which takes 2\n"
           "error passes w, which is f32, to no, which takes i64 there\n");
}

START_TEST(a_cond_decides_by_a_bool)
{
    given_cond();
    given("INSERT INTO value (id, graph_id, idx, name, kind, dtype) VALUES"
          " (90, 1, 9, 'gt', 'tensor', 'bool');"
          "UPDATE node SET value_id = 90 WHERE name = 'gt'");
    expect("control-flow/predicate-type", "");
    given("UPDATE value SET dtype = 'f32' WHERE id = 90");
    expect("control-flow/predicate-type",
           "error decides by gt, which is a tensor of f32\n");
}

/* 0: writes 0; 1: jumps over 2 by value 0; 2, 3: calls. */
static void given_jump(int target)
{
    rules_close();
    rules_open_pte();
    tensor(0, 0, 1);
    tensor(1, 16, 16);
    given("UPDATE value SET dtype = 'bool', kind = 'bool' WHERE idx = 0");
    call("", "0");
    jump(0, target);
    call("", "1");
    call("", "1");
}

START_TEST(a_jump_reads_a_bool)
{
    given_jump(3);
    expect("control-flow/predicate-type", "");
    given("UPDATE value SET dtype = 'f32', kind = 'tensor' WHERE idx = 0");
    expect("control-flow/predicate-type",
           "error jumps by value 0, which is a tensor of f32\n");
    given("UPDATE value SET kind = 'int' WHERE idx = 0");
    expect("control-flow/predicate-type", "error jumps by value 0, which is a int\n");
}

/* 0: aten::sym_size, or another operator, writes value 2; 1: makes value 3 of it; 2: a
 * jump by that. */
static void given_symbolic_jump(const char *first, const char *second)
{
    rules_close();
    rules_open_pte();
    tensor(0, 0, 1);
    for (int i = 1; i < 4; i++)
        given_format("INSERT INTO value (id, graph_id, idx, kind) VALUES"
                     " (%d, 1, %d, 'int')",
                     i + 1, i);
    call_op(first, "0 1", "", "2");
    call_op(second, "2 1", "", "3");
    jump(3, 3);
}

START_TEST(control_flow_predicate_type_accepts_an_int_that_a_comparison_makes_a_bool)
{
    given_symbolic_jump("aten::sym_size.int", "executorch_prim::gt.Scalar");
    expect("control-flow/predicate-type", "");
    given_symbolic_jump("executorch_prim::eq.Scalar",
                        "executorch_prim::sym_not.Scalar");
    expect("control-flow/predicate-type", "");
}

START_TEST(control_flow_predicate_type_reports_an_int_that_stays_one)
{
    given_symbolic_jump("executorch_prim::gt.Scalar", "executorch_prim::add.Scalar");
    expect("control-flow/predicate-type", "error jumps by value 3, which is a int\n");
}

START_TEST(control_flow_predicate_type_reports_a_bool_that_arithmetic_makes_a_number)
{
    given_symbolic_jump("aten::sym_size.int", "executorch_prim::add.Scalar");
    given("UPDATE value SET kind = 'bool' WHERE idx = 3");
    expect("control-flow/predicate-type",
           "error jumps by value 3, which is a number when it is read\n");
    given_symbolic_jump("aten::sym_size.int", "executorch_prim::eq.Scalar");
    given("UPDATE value SET kind = 'bool' WHERE idx = 3");
    expect("control-flow/predicate-type", "");
}

START_TEST(control_flow_predicate_type_reports_a_comparison_behind_the_jump)
{
    given_symbolic_jump("aten::sym_size.int", "executorch_prim::add.Scalar");
    call_op("executorch_prim::gt.Scalar", "2 1", "", "3");
    expect("control-flow/predicate-type", "error jumps by value 3, which is a int\n");
}

START_TEST(control_flow_predicate_type_looks_at_the_tensor_of_an_item)
{
    given_symbolic_jump("aten::sym_size.int", "aten::_local_scalar_dense");
    given("UPDATE value SET kind = 'tensor', dtype = 'bool' WHERE idx = 2");
    expect("control-flow/predicate-type", "");
    given("UPDATE value SET dtype = 'i64' WHERE idx = 2");
    expect("control-flow/predicate-type", "error jumps by value 3, which is a int\n");
}

START_TEST(a_jump_may_lead_behind_the_last_instruction)
{
    given_jump(4);
    expect("control-flow/jump-target-range", "");
    given_jump(5);
    expect("control-flow/jump-target-range", "error jumps to instruction 5 of 4\n");
    given_jump(-1);
    expect("control-flow/jump-target-range", "error jumps to instruction -1 of 4\n");
}

START_TEST(every_instruction_is_reached)
{
    given_jump(3);
    expect("control-flow/unreachable", "");
}

START_TEST(what_a_constant_condition_skips_is_not_reached)
{
    given_jump(3);
    given("DELETE FROM operand WHERE access = 'write' AND value_idx = 0;"
          "UPDATE value SET scalar = 0 WHERE idx = 0");
    expect("control-flow/unreachable",
           "warning no way from the first instruction leads to this one\n");
}

START_TEST(a_loop_writes_what_ends_it)
{
    given_jump(0);
    expect("control-flow/loop-terminates", "");
    given_jump(1);
    expect("control-flow/loop-terminates",
           "warning jumps back to instruction 1 while value 0 is false, and nothing"
           " between them writes it\n");
    given_jump(3);
    expect("control-flow/loop-terminates", "");
}

/* Ends with a jump back to `target` by value 0, which `call` makes of value 1; the
 * instruction before that makes value 1 of values 2 and 3. */
static void given_way_back(const char *op, const char *first, int target)
{
    rules_close();
    rules_open_pte();
    for (int i = 0; i < 4; i++)
        tensor(i, 16 * i, 16);
    given("UPDATE value SET dtype = 'bool', kind = 'bool' WHERE idx = 0");
    call("3", "2");
    call("2 3", first);
    call_op(op, "1", "", "0");
    jump(0, target);
}

START_TEST(control_flow_loop_terminates_accepts_a_loop_that_goes_on_from_what_it_made)
{
    given_way_back("aten::sin.out", "3", 1);
    given("UPDATE operand SET value_idx = 3, value_id = 4"
          " WHERE value_idx = 1 AND access = 'read'");
    expect("control-flow/loop-terminates", "");
    given_way_back("aten::sin.out", "1", 0);
    given("UPDATE operand SET value_idx = 1, value_id = 2"
          " WHERE node_id = 1 AND access = 'read'");
    expect("control-flow/loop-terminates", "");
}

START_TEST(control_flow_loop_terminates_warns_of_a_loop_that_computes_the_same)
{
    given_way_back("aten::sin.out", "1", 0);
    expect("control-flow/loop-terminates",
           "warning jumps back to instruction 0 while value 0 is false, and what it is"
           " computed from is the same each time\n");
}

START_TEST(control_flow_loop_terminates_reports_a_constant_condition)
{
    given_way_back("aten::sin.out", "1", 0);
    given("DELETE FROM operand WHERE access = 'write' AND value_idx = 0;"
          "UPDATE value SET scalar = 0 WHERE idx = 0");
    expect("control-flow/loop-terminates",
           "error jumps back to instruction 0 while value 0 is false, which it always"
           " is\n");
    given("UPDATE value SET scalar = 1 WHERE idx = 0");
    expect("control-flow/loop-terminates", "");
}

Suite *control_flow_rules_suite(void)
{
    Suite *suite = suite_create("control flow rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, a_graph_goes_with_the_call_that_runs_it);
    tcase_add_test(all, an_untagged_graph_of_a_tagged_call_is_an_error);
    tcase_add_test(all, a_tagged_graph_of_an_untagged_call_is_an_error);
    tcase_add_test(all, a_tag_without_a_delegate_is_none);
    tcase_add_test(all, a_get_attr_that_two_partitions_need_is_a_warning);
    tcase_add_test(all, lowering_does_not_look_into_loops);
    tcase_add_test(all, lowering_looks_into_branches);
    tcase_add_test(all, a_delegated_call_takes_its_branches_as_a_whole);
    tcase_add_test(all, a_partition_in_a_branch_gets_weights_as_operands);
    tcase_add_test(all, a_partition_in_a_branch_may_read_no_weights);
    tcase_add_test(all, a_loop_of_an_edge_program_is_not_emitted);
    tcase_add_test(all, a_cond_of_an_edge_program_is_emitted);
    tcase_add_test(all, a_loop_that_a_delegate_was_made_from_is_not_the_hosts);
    tcase_add_test(all, a_map_goes_over_one_tensor);
    tcase_add_test(all, branches_take_and_give_as_many_values);
    tcase_add_test(all,
                   control_flow_branch_signature_accepts_operands_that_branches_take);
    tcase_add_test(
        all, control_flow_branch_signature_reports_types_and_operands_that_differ);
    tcase_add_test(all, a_cond_decides_by_a_bool);
    tcase_add_test(all, a_jump_reads_a_bool);
    tcase_add_test(
        all, control_flow_predicate_type_accepts_an_int_that_a_comparison_makes_a_bool);
    tcase_add_test(all, control_flow_predicate_type_reports_an_int_that_stays_one);
    tcase_add_test(
        all, control_flow_predicate_type_reports_a_bool_that_arithmetic_makes_a_number);
    tcase_add_test(all,
                   control_flow_predicate_type_reports_a_comparison_behind_the_jump);
    tcase_add_test(all, control_flow_predicate_type_looks_at_the_tensor_of_an_item);
    tcase_add_test(all, a_jump_may_lead_behind_the_last_instruction);
    tcase_add_test(all, every_instruction_is_reached);
    tcase_add_test(all, what_a_constant_condition_skips_is_not_reached);
    tcase_add_test(all, a_loop_writes_what_ends_it);
    tcase_add_test(
        all,
        control_flow_loop_terminates_accepts_a_loop_that_goes_on_from_what_it_made);
    tcase_add_test(all,
                   control_flow_loop_terminates_warns_of_a_loop_that_computes_the_same);
    tcase_add_test(all, control_flow_loop_terminates_reports_a_constant_condition);
    suite_add_tcase(suite, all);
    return suite;
}
