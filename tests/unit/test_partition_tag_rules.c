/* What the partitions of a plan consist of: right and wrong plans for each rule. */
#include "unit/small_plan.h"

START_TEST(getitem_only_warns_of_views_and_accepts_what_computes)
{
    plan_program_tuple();
    plan_call("aten::view.default", "view", "relu", NULL);
    plan_tag("A", "getitem");
    plan_tag("B", "relu");
    plan_tag("C", "view");
    expect("partition/getitem-only",
           "warning all calls of A are getitem: a delegate that computes nothing\n"
           "warning all calls of C are views or getitem: a delegate that computes"
           " nothing\n");
}

START_TEST(tag_used_warns_of_a_delegate_without_calls)
{
    plan_program_loop();
    plan_tag("A", "relu sin cos add");
    expect("partition/tag-used", "");
    plan_tag("C", "");
    expect("partition/tag-used",
           "warning no call is tagged C: no delegate comes of it\n");
}

START_TEST(has_output_reports_what_nothing_reads)
{
    plan_program_loop();
    plan_call("aten::_assert_scalar.default", "check", "add", NULL);
    plan_tag("A", "relu sin cos add");
    expect("partition/has-output", "");
    plan_tag("B", "check");
    expect("partition/has-output",
           "error nothing outside of B reads any node of it; lowering fails with"
           " \"Cannot determine insertion point\"\n");
    given("UPDATE partition_node SET partition_id = 1, pos = 9 WHERE partition_id = 2");
    expect("partition/has-output", "");
}

START_TEST(has_output_reports_an_unused_constant_alone)
{
    plan_program_loop();
    plan_input("k", "buffer");
    plan_tag("A", "k relu sin cos add");
    expect("partition/has-output", "");
    given("DELETE FROM partition_node");
    plan_tag("A", "k");
    expect("partition/has-output",
           "error nothing outside of A reads any node of it; lowering fails with"
           " \"Cannot determine insertion point\"\n");
    expect("partition/tag-used", "");
}

/* x -> size -> mul -> view, which reads relu of x */
static void given_sizes(void)
{
    plan_input("x", "user_input");
    plan_call("aten::sym_size.int", "size", "x", NULL);
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("_operator.mul", "mul", "size", NULL);
    plan_call("aten::view.default", "view", "relu mul", NULL);
    plan_output("view");
    given("INSERT INTO value (graph_id, idx, kind) VALUES (1, 0, 'sym_int');"
          "UPDATE node SET value_id = (SELECT max(id) FROM value)"
          "  WHERE name IN ('size', 'mul')");
}

START_TEST(boundary_kinds_accepts_numbers_that_stay_on_one_side)
{
    given_sizes();
    plan_tag("A", "size relu mul view");
    expect("partition/boundary-kinds", "");
    given("DELETE FROM partition_node");
    plan_tag("A", "relu");
    expect("partition/boundary-kinds", "");
}

START_TEST(boundary_kinds_reports_a_number_as_the_only_result)
{
    given_sizes();
    plan_tag("A", "size mul");
    expect("partition/boundary-kinds",
           "error all that A returns is mul, a number: lowering forgets to take it out"
           " of the delegate's list of results, and to_backend() or to_executorch()"
           " fails\n");
}

START_TEST(boundary_kinds_warns_of_numbers_among_results_and_inputs)
{
    given_sizes();
    plan_tag("A", "size relu");
    plan_tag("B", "view mul");
    expect("partition/boundary-kinds",
           "warning A returns the number size: few backends return anything but"
           " tensors\n"
           "warning B is given the number size: CudaBackend may take tensors only\n");
    given("DELETE FROM partition_node");
    plan_tag("B", "view");
    given("UPDATE partition SET backend = 'XnnpackBackend'");
    expect("partition/boundary-kinds",
           "note B is given the number mul: some backends may take tensors only\n");
}

START_TEST(qdq_split_warns_of_a_dequantize_in_another_partition)
{
    plan_input("x", "user_input");
    plan_call("quantized_decomposed::quantize_per_tensor.default", "q", "x", NULL);
    plan_call("quantized_decomposed::dequantize_per_tensor.default", "dq", "q", NULL);
    plan_call("aten::conv2d.default", "conv", "dq", NULL);
    plan_output("conv");
    plan_tag("A", "q");
    plan_tag("B", "dq conv");
    expect("partition/qdq-split", "");
    given("DELETE FROM partition_node");
    plan_tag("A", "q dq");
    plan_tag("B", "conv");
    expect("partition/qdq-split",
           "warning conv (B) reads dq (A): its backend cannot see that they are one"
           " quantized operation, and computes it in floating point\n");
}

START_TEST(partition_qdq_split_accepts_a_partition_that_begins_with_a_dequantize)
{
    plan_input("x", "user_input");
    plan_call("torchao::quantize_affine.default", "q", "x", NULL);
    plan_call("torchao::dequantize_affine.default", "dq", "q", NULL);
    plan_call("aten::conv2d.default", "conv", "dq", NULL);
    plan_output("conv");
    plan_tag("A", "dq conv");
    expect("partition/qdq-split", "");
}

START_TEST(partition_qdq_split_warns_of_a_dequantize_that_the_host_keeps)
{
    plan_input("x", "user_input");
    plan_call("quantized_decomposed::dequantize_per_tensor.default", "dq", "x", NULL);
    plan_call("aten::conv2d.default", "conv", "dq", NULL);
    plan_output("conv");
    plan_tag("A", "conv");
    expect(
        "partition/qdq-split",
        "warning conv (A) reads dq (no tag): its backend cannot see that they are one"
        " quantized operation, and computes it in floating point\n");
}

START_TEST(maximal_notes_neighbours_that_only_an_edge_joins)
{
    plan_program_loop();
    plan_tag("A", "relu sin");
    plan_tag("B", "cos add");
    expect("partition/maximal",
           "note A and B could be one partition of CudaBackend: add reads relu, and no"
           " other path leads from one to the other; that saves a delegate call\n");
}

START_TEST(maximal_accepts_neighbours_with_a_path_around_or_two_backends)
{
    plan_program_loop();
    plan_tag("A", "relu");
    plan_tag("B", "cos add");
    expect("partition/maximal", "");
    plan_tag("A", "sin");
    given("UPDATE partition SET backend = 'XnnpackBackend' WHERE tag = 'B'");
    expect("partition/maximal", "");
}

START_TEST(maximal_looks_for_paths_where_levels_do_not_tell)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "a", "x", NULL);
    plan_call("aten::sin.default", "h1", "x", NULL);
    plan_call("aten::sin.default", "h2", "h1", NULL);
    plan_call("aten::sin.default", "h3", "h2", NULL);
    plan_call("aten::add.Tensor", "b", "a h3", NULL);
    plan_output("b");
    plan_tag("A", "a");
    plan_tag("B", "b");
    expect("partition/maximal",
           "note A and B could be one partition of CudaBackend: b reads a, and no other"
           " path leads from one to the other; that saves a delegate call\n");
}

START_TEST(weakly_connected_notes_pieces_and_lets_constants_join)
{
    plan_program_chains();
    plan_tag("A", "a b c d");
    expect(
        "partition/weakly-connected",
        "note A is 2 pieces that no edge joins, beginning at a, c; some backends take"
        " only one\n");
    rules_close();
    plan_open();
    plan_program_loop();
    plan_tag("A", "w relu sin cos add");
    expect("partition/weakly-connected", "");
}

START_TEST(has_spec_reports_a_delegate_without_backend)
{
    plan_program_loop();
    plan_tag("A", "relu");
    plan_tag("B", "sin");
    expect("partition/has-spec", "");
    given("UPDATE partition SET backend = NULL WHERE tag = 'B'");
    expect("partition/has-spec",
           "error B has no backend; to_backend() looks for one by its name\n");
}

START_TEST(has_spec_does_not_ask_where_no_delegate_has_a_backend)
{
    plan_program_loop();
    plan_tag("A", "relu");
    plan_tag("B", "sin");
    given("UPDATE partition SET backend = NULL");
    expect_not_checked("partition/has-spec", "the plan names no backend");
}

START_TEST(backend_known_warns_of_a_slip_and_notes_names_of_ones_own)
{
    plan_program_loop();
    plan_tag("A", "relu");
    plan_tag("B", "sin");
    given("UPDATE partition SET backend = 'DemoBackend' WHERE tag = 'B'");
    expect("partition/backend-known",
           "note B is for \"DemoBackend\", which is not known here\n");
    given("UPDATE partition SET backend = 'XnnpakBackend' WHERE tag = 'A';"
          "UPDATE partition SET backend = 'CudaBackned' WHERE tag = 'B'");
    expect(
        "partition/backend-known",
        "warning A is for \"XnnpakBackend\", which is no backend of ExecuTorch; did"
        " you mean \"XnnpackBackend\"?\n"
        "warning B is for \"CudaBackned\", which is no backend of ExecuTorch; did you"
        " mean \"CudaBackend\"?\n");
}

START_TEST(per_method_spec_warns_of_a_missing_and_a_wrong_method_name)
{
    plan_program_loop();
    plan_tag("A", "relu");
    expect("partition/per-method-spec",
           "warning A for CudaBackend has no method_name among its compile specs; its"
           " method is forward\n");
    given("INSERT INTO partition_spec SELECT id, 0, 'method_name', 'prefill'"
          " FROM partition");
    expect("partition/per-method-spec",
           "warning A for CudaBackend is told method_name \"prefill\"; its method is"
           " forward\n");
    given("UPDATE partition_spec SET value = 'forward'");
    expect("partition/per-method-spec", "");
}

START_TEST(stale_tag_warns_of_tags_in_what_was_lowered)
{
    plan_program_delegate();
    plan_tag("A", "relu");
    plan_graph(2, "lowered_module_0");
    given("UPDATE \"graph\" SET kind = 'lowered' WHERE id = 2");
    plan_input("y", NULL);
    plan_call("aten::sin.default", "sin_1", "y", NULL);
    plan_output("sin_1");
    expect("partition/stale-tag", "");
    plan_tag("A", "sin_1 output");
    expect(
        "partition/stale-tag",
        "warning a delegate was made of lowered_module_0 already, and nodes of it are"
        " tagged A (2)\n");
    expect("partition/output-untagged", "");
}

START_TEST(node_known_and_tag_known_tell_what_the_plan_reader_saw)
{
    plan_program_loop();
    plan_tag("A", "relu");
    expect("partition/node-known", "");
    expect("partition/tag-known", "");
    given("INSERT INTO remark (id, artifact_id, rule, text) VALUES"
          " (1, 1, 'partition/node-known', 'no such node'),"
          " (2, 1, 'partition/tag-known', 'no such tag')");
    expect("partition/node-known", "error no such node\n");
    expect("partition/tag-known", "warning no such tag\n");
}

Suite *partition_tag_rules_suite(void)
{
    Suite *suite = suite_create("partition tag rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, getitem_only_warns_of_views_and_accepts_what_computes);
    tcase_add_test(all, tag_used_warns_of_a_delegate_without_calls);
    tcase_add_test(all, has_output_reports_what_nothing_reads);
    tcase_add_test(all, has_output_reports_an_unused_constant_alone);
    tcase_add_test(all, boundary_kinds_accepts_numbers_that_stay_on_one_side);
    tcase_add_test(all, boundary_kinds_reports_a_number_as_the_only_result);
    tcase_add_test(all, boundary_kinds_warns_of_numbers_among_results_and_inputs);
    tcase_add_test(all, qdq_split_warns_of_a_dequantize_in_another_partition);
    tcase_add_test(
        all, partition_qdq_split_accepts_a_partition_that_begins_with_a_dequantize);
    tcase_add_test(all, partition_qdq_split_warns_of_a_dequantize_that_the_host_keeps);
    tcase_add_test(all, maximal_notes_neighbours_that_only_an_edge_joins);
    tcase_add_test(all, maximal_accepts_neighbours_with_a_path_around_or_two_backends);
    tcase_add_test(all, maximal_looks_for_paths_where_levels_do_not_tell);
    tcase_add_test(all, weakly_connected_notes_pieces_and_lets_constants_join);
    tcase_add_test(all, has_spec_reports_a_delegate_without_backend);
    tcase_add_test(all, has_spec_does_not_ask_where_no_delegate_has_a_backend);
    tcase_add_test(all, backend_known_warns_of_a_slip_and_notes_names_of_ones_own);
    tcase_add_test(all, per_method_spec_warns_of_a_missing_and_a_wrong_method_name);
    tcase_add_test(all, stale_tag_warns_of_tags_in_what_was_lowered);
    tcase_add_test(all, node_known_and_tag_known_tell_what_the_plan_reader_saw);
    suite_add_tcase(suite, all);
    return suite;
}
