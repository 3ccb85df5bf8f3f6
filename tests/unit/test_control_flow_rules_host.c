/* Rules about control flow that the host runs: jumps over numbers, calls that are not
 * emitted, predicates of CUDA delegates; and sizes without a bound. */
#include "unit/small_plan.h"

/* Value 0 is what the jump reads, 1 a number that starts with 0. */
static void given_numbers(void)
{
    rules_close();
    rules_open_pte();
    given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
          " (1, 1, 0, 'bool', NULL), (2, 1, 1, 'int', 0), (3, 1, 2, 'int', 0)");
    goes_in(0);
}

START_TEST(control_flow_jump_forward_shape_accepts_a_number_of_both_ways)
{
    given_numbers();
    given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
          " (4, 1, 3, 'bool', 0)");
    jump(0, 3);
    call_op("executorch_prim::add.Scalar", "2", "", "1");
    jump(3, 4);
    call_op("executorch_prim::sub.Scalar", "2", "", "1");
    call_op("executorch_prim::mul.Scalar", "1", "", "2");
    expect("control-flow/jump-forward-shape", "");
}

START_TEST(control_flow_jump_forward_shape_reports_a_number_of_one_way)
{
    given_numbers();
    jump(0, 2);
    call_op("executorch_prim::add.Scalar", "2", "", "1");
    call_op("executorch_prim::mul.Scalar", "1", "", "2");
    expect("control-flow/jump-forward-shape",
           "error op_2 reads value 1, which op_1 writes; op_0 jumps over that\n");
    expect_witness("[\"op_0\",\"op_1\",\"op_2\"]");
}

START_TEST(control_flow_jump_forward_shape_reports_a_number_that_a_list_holds)
{
    given_numbers();
    given("INSERT INTO value (id, graph_id, idx, kind, items) VALUES"
          " (4, 1, 3, 'int_list', '[2,1]')");
    jump(0, 2);
    call_op("executorch_prim::add.Scalar", "2", "", "1");
    call_op("aten::view_copy.out", "3", "", "");
    expect("control-flow/jump-forward-shape",
           "error op_2 reads value 1, which op_1 writes; op_0 jumps over that\n");
}

START_TEST(control_flow_jump_forward_shape_accepts_the_counter_of_a_loop)
{
    given_numbers();
    call_op("executorch_prim::mul.Scalar", "1", "", "2");
    call_op("executorch_prim::add.Scalar", "1", "", "1");
    jump(0, 0);
    call_op("executorch_prim::sub.Scalar", "1", "", "1");
    expect("control-flow/jump-forward-shape", "");
}

START_TEST(control_flow_jump_forward_shape_leaves_tensors_to_memory)
{
    given_numbers();
    given("UPDATE value SET kind = 'tensor' WHERE id > 1");
    jump(0, 2);
    call("2", "1");
    call("1", "2");
    expect("control-flow/jump-forward-shape", "");
}

START_TEST(control_flow_single_chain_notes_what_the_reader_counted)
{
    given_numbers();
    expect("control-flow/single-chain", "");
    given("INSERT INTO remark (artifact_id, rule, method_id, text) VALUES"
          " (1, 'control-flow/single-chain', 1, 'the method has 2 chains')");
    expect("control-flow/single-chain", "note the method has 2 chains\n");
}

static void given_loop(const char *ir)
{
    plan_input("x", "user_input");
    plan_attr("body");
    plan_call("higher_order::while_loop", "loop", "@body x", NULL);
    plan_output("loop");
    given("DELETE FROM part_run");
    dg_store_set(rules_store, "ir", dg_text(ir), &rules_err);
    given("UPDATE method SET ir = (SELECT value FROM setting); DELETE FROM setting");
}

START_TEST(control_flow_op_emittable_accepts_an_aten_program_that_is_not_lowered)
{
    given_loop("aten");
    expect("control-flow/op-emittable", "");
}

START_TEST(control_flow_op_emittable_reports_a_loop_that_is_about_to_be_lowered)
{
    given_loop("aten");
    given("INSERT INTO setting VALUES ('for', 'executorch')");
    expect("control-flow/op-emittable",
           "error higher_order::while_loop is no control flow that ExecuTorch runs\n");
    given("UPDATE op SET name = 'higher_order::associative_scan'"
          " WHERE name = 'higher_order::while_loop'");
    expect("control-flow/op-emittable", "");
}

START_TEST(control_flow_map_arity_reports_a_map_that_is_about_to_be_lowered)
{
    given_loop("aten");
    given("UPDATE op SET name = 'higher_order::map_impl'"
          " WHERE name = 'higher_order::while_loop';"
          "UPDATE node SET args = '[{\"name\":\"\",\"graph\":\"body\"},"
          "{\"name\":\"\",\"tensors\":[\"x\",\"y\"]}]' WHERE name = 'loop'");
    expect("control-flow/map-arity", "");
    given("INSERT INTO setting VALUES ('for', 'executorch')");
    expect("control-flow/map-arity", "error loop goes over 2 tensors\n");
}

static void given_flag(int persistent)
{
    plan_input("flag", "buffer");
    plan_input("x", "user_input");
    plan_attr("yes");
    plan_attr("no");
    plan_call("higher_order::cond", "cond", "flag @yes @no", "x");
    plan_output("cond");
    given(persistent ? "UPDATE signature SET persistent = 1, target = 'flag'"
                     : "UPDATE signature SET persistent = 0, target = 'flag'");
}

START_TEST(control_flow_predicate_device_accepts_a_buffer_that_is_moved)
{
    given_flag(0);
    plan_tag("A", "yes no cond");
    expect("control-flow/predicate-device", "");
}

START_TEST(control_flow_predicate_device_notes_a_buffer_that_stays)
{
    given_flag(1);
    expect("control-flow/predicate-device", "");
    plan_tag("A", "yes no cond");
    expect("control-flow/predicate-device",
           "note cond decides by flag, a buffer of the state dict (flag)\n");
    expect_witness("[\"flag\",\"cond\"]");
    given("DELETE FROM partition_node;"
          "INSERT INTO delegate (id, method_id, idx, backend, graph_id) VALUES"
          " (1, 1, 0, 'CudaBackend', 1)");
    expect("control-flow/predicate-device",
           "note cond decides by flag, a buffer of the state dict (flag)\n");
}

static void given_symbol(const char *insert)
{
    plan_input("x", "user_input");
    plan_output("x");
    given("DELETE FROM part_run; UPDATE method SET ir = 'edge'");
    given(insert);
}

START_TEST(graph_shape_bounded_warns_of_inputs_that_are_planned_for_the_example)
{
    given_symbol("UPDATE value SET shape = '[\"s0\",3]';"
                 "INSERT INTO range_constraint VALUES (1, 's0', 2, NULL)");
    expect("graph/shape-bounded",
           "warning s0 has no upper bound: memory is planned for the example, larger"
           " inputs are refused\n");
    given("UPDATE method SET ir = 'aten'");
    expect("graph/shape-bounded", "");
    given("UPDATE range_constraint SET max = 64; UPDATE method SET ir = 'edge'");
    expect("graph/shape-bounded", "");
}

START_TEST(graph_shape_bounded_reports_sizes_of_data_that_need_memory)
{
    given_symbol("UPDATE value SET shape = '[\"2*u1\",3]', kind = 'tensor';"
                 "INSERT INTO range_constraint VALUES (1, 'u1', 0, NULL),"
                 " (1, 'u11', 0, NULL)");
    expect("graph/shape-bounded",
           "error u1 has no upper bound, and a tensor of shape [\"2*u1\",3] needs"
           " memory\n");
    given("UPDATE value SET shape = '[\"Min(4, u1)\"]'");
    expect("graph/shape-bounded", "");
}

START_TEST(signature_custom_obj_lowerable_reports_what_is_about_to_be_lowered)
{
    given_symbol("UPDATE signature SET spec = 'custom_obj', target = 'o'"
                 " WHERE direction = 'input'; UPDATE method SET ir = 'aten'");
    expect("signature/custom-obj-lowerable", "");
    given("INSERT INTO setting VALUES ('for', 'executorch')");
    expect("signature/custom-obj-lowerable",
           "error custom object o (input x) cannot become part of a .pte\n");
}

static TCase *jumps(void)
{
    TCase *all = tcase_create("jumps");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, control_flow_jump_forward_shape_accepts_a_number_of_both_ways);
    tcase_add_test(all, control_flow_jump_forward_shape_reports_a_number_of_one_way);
    tcase_add_test(all,
                   control_flow_jump_forward_shape_reports_a_number_that_a_list_holds);
    tcase_add_test(all, control_flow_jump_forward_shape_accepts_the_counter_of_a_loop);
    tcase_add_test(all, control_flow_jump_forward_shape_leaves_tensors_to_memory);
    tcase_add_test(all, control_flow_single_chain_notes_what_the_reader_counted);
    return all;
}

Suite *control_flow_rules_host_suite(void)
{
    Suite *suite = suite_create("control flow rules host");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(
        all, control_flow_op_emittable_accepts_an_aten_program_that_is_not_lowered);
    tcase_add_test(
        all, control_flow_op_emittable_reports_a_loop_that_is_about_to_be_lowered);
    tcase_add_test(all,
                   control_flow_map_arity_reports_a_map_that_is_about_to_be_lowered);
    tcase_add_test(all, control_flow_predicate_device_accepts_a_buffer_that_is_moved);
    tcase_add_test(all, control_flow_predicate_device_notes_a_buffer_that_stays);
    tcase_add_test(
        all, graph_shape_bounded_warns_of_inputs_that_are_planned_for_the_example);
    tcase_add_test(all, graph_shape_bounded_reports_sizes_of_data_that_need_memory);
    tcase_add_test(all,
                   signature_custom_obj_lowerable_reports_what_is_about_to_be_lowered);
    suite_add_tcase(suite, jumps());
    suite_add_tcase(suite, all);
    return suite;
}
