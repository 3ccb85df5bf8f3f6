#include "unit/rules.h"

#include <string.h>

START_TEST(a_plain_chain_breaks_no_rule_about_graphs)
{
    static const char *const rules[] = {
        "graph/acyclic",        "graph/topological-order", "graph/name-unique",
        "graph/arg-resolves",   "graph/single-output",     "graph/attr-resolves",
        "graph/attr-type",      "graph/no-call-module",    "graph/op-kind",
        "graph/op-functional",  "graph/op-opaque",         "graph/edge-dialect-op",
        "graph/dim-order-mode", "graph/aten-contiguous",   "graph/meta-val",
        "graph/shape-bounded",  "graph/dead-node",
    };

    given_chain();
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        expect(rules[i], "");
}

START_TEST(graph_acyclic_reports_the_nodes_of_a_cycle)
{
    given_chain();
    given("INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
          " (4, 1, 3, 'late', 'call_function');"
          "INSERT INTO edge VALUES (2, 1, 4, NULL), (4, 0, 2, NULL), (4, 1, 3, NULL)");
    expect("graph/acyclic", "error a cycle of 2 nodes\n");
    expect_witness("[\"relu\",\"late\"]");
}

START_TEST(graph_acyclic_reports_a_node_that_reads_itself)
{
    given_chain();
    given("INSERT INTO edge VALUES (2, 1, 2, NULL)");
    expect("graph/acyclic", "error a cycle of 1 nodes\n");
    expect_witness("[\"relu\"]");
}

START_TEST(graph_topological_order_reports_a_use_before_its_definition)
{
    given_chain();
    given("INSERT INTO edge VALUES (2, 1, 3, NULL)");
    expect("graph/topological-order", "error reads output, which comes later\n");
    expect_witness("[\"output\",\"relu\"]");
}

START_TEST(graph_name_unique_reports_the_later_node)
{
    given_chain();
    given("UPDATE node SET name = 'x' WHERE id = 2");
    expect("graph/name-unique", "error an earlier node is named x, too\n");
}

START_TEST(graph_name_unique_lets_graphs_use_the_same_names)
{
    given_chain();
    given("INSERT INTO \"graph\" VALUES (2, 1, 'true_graph_0', 'branch');"
          "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
          " (4, 2, 0, 'x', 'placeholder')");
    expect("graph/name-unique", "");
}

START_TEST(graph_arg_resolves_reports_a_name_of_nothing)
{
    given_chain();
    given("INSERT INTO dangling VALUES (2, 1, 'ghost')");
    expect("graph/arg-resolves",
           "error argument 1 is ghost, which names nothing in this graph\n");
}

START_TEST(graph_single_output_reports_none_two_and_one_that_is_not_last)
{
    given_chain();
    given("UPDATE node SET kind = 'placeholder' WHERE id = 3");
    expect("graph/single-output", "error the graph has no output\n");
    given("UPDATE node SET kind = 'output' WHERE id IN (2, 3)");
    expect("graph/single-output", "error the graph has 2 outputs\n");
    given("UPDATE node SET kind = 'call_function' WHERE id = 3");
    expect("graph/single-output", "error nodes follow the output relu\n");
}

START_TEST(graph_attr_resolves_reports_a_graph_that_is_missing)
{
    given_chain();
    given("INSERT INTO node (id, graph_id, idx, name, kind, target) VALUES"
          " (4, 1, 3, 'true_graph_0', 'get_attr', 'true_graph_0')");
    expect("graph/attr-resolves", "error nothing is stored under true_graph_0\n");
    given("INSERT INTO \"graph\" VALUES (2, 1, 'true_graph_0', 'branch')");
    expect("graph/attr-resolves", "");
}

START_TEST(graph_attr_type_reports_a_lowered_module_without_backend)
{
    given_chain();
    given("INSERT INTO delegate (id, method_id, idx, name, backend, blob_bytes) VALUES"
          " (1, 1, 0, 'lowered_module_0', 'B', 4), (2, 1, 1, 'lowered_module_1', NULL,"
          " 4), (3, 1, 2, 'lowered_module_2', 'B', NULL)");
    expect("graph/attr-type", "error lowered module lowered_module_1 has no backend\n"
                              "error lowered module lowered_module_2 has no blob\n");
}

START_TEST(graph_no_call_module_reports_one)
{
    given_chain();
    given("UPDATE node SET kind = 'call_module', target = 'layers.0' WHERE id = 2");
    expect("graph/no-call-module", "error is a call_module of layers.0\n");
}

START_TEST(graph_op_kind_reports_an_overload_that_aten_does_not_have)
{
    given_chain();
    given("UPDATE op SET name = 'aten::relu.out_of_this_world', args = NULL");
    expect("graph/op-kind", "error aten::relu.out_of_this_world is no operator of"
                            " PyTorch 2.13; 1 call\n");
}

START_TEST(graph_op_kind_only_warns_where_another_torch_wrote_the_file)
{
    given_chain();
    given("UPDATE op SET name = 'aten::new_thing', args = NULL;"
          "UPDATE artifact SET version = '{\"torch\":\"2.15.0\"}'");
    expect("graph/op-kind",
           "warning aten::new_thing is no operator of PyTorch 2.13; 1 call\n");
}

START_TEST(graph_op_kind_warns_of_a_primitive_that_the_runtime_does_not_have)
{
    given_chain();
    given("UPDATE op SET name = 'executorch_prim::et_view.default',"
          " namespace = 'executorch_prim', args = NULL");
    expect("graph/op-kind", "");
    given("UPDATE op SET name = 'executorch_prim::ad.Scalar'");
    expect("graph/op-kind", "warning executorch_prim::ad.Scalar is no operator of "
                            "ExecuTorch 1.5; 1 call\n");
}

START_TEST(graph_op_kind_reports_python_functions_but_those_that_torch_allows)
{
    given_chain();
    given("UPDATE op SET name = '_operator.getitem', namespace = '_operator'");
    expect("graph/op-kind", "");
    given("UPDATE op SET name = 'builtins.print', namespace = 'builtins'");
    expect("graph/op-kind", "error builtins.print is a Python function; 1 call\n");
}

START_TEST(graph_op_kind_reports_a_call_without_target)
{
    given_chain();
    given("UPDATE node SET op_id = NULL");
    expect("graph/op-kind", "error 1 call has no target\n");
}

START_TEST(graph_op_functional_tells_of_an_operator_that_writes)
{
    given_chain();
    given("UPDATE op SET name = 'aten::relu_', flags = 32");
    expect("graph/op-functional", "note aten::relu_ writes one of its arguments\n");
}

START_TEST(graph_op_functional_accepts_a_write_to_what_nothing_else_reads)
{
    given_chain();
    given("INSERT INTO op VALUES (2, 'aten::add_.Tensor', 'aten',"
          "  'Tensor(a!) self, Tensor other', 'Tensor(a!)', 32);"
          "DELETE FROM edge; UPDATE node SET idx = 3, id = 4 WHERE id = 3;"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (3, 1, 2, 'add_', 'call_function', 2);"
          "INSERT INTO edge VALUES (2, 0, 1, NULL), (3, 0, 2, NULL),"
          " (4, 0, 3, NULL)");
    expect("graph/op-functional", "");
    given("UPDATE edge SET src = 1 WHERE dst = 3");
    expect("graph/op-functional",
           "note aten::add_.Tensor writes one of its arguments\n");
    given("UPDATE edge SET src = 2 WHERE dst = 3; INSERT INTO edge VALUES"
          " (4, 1, 2, NULL)");
    expect("graph/op-functional",
           "note aten::add_.Tensor writes one of its arguments\n");
    given("DELETE FROM edge WHERE pos = 1; UPDATE op SET flags = 2 WHERE id = 1");
    expect("graph/op-functional",
           "note aten::add_.Tensor writes one of its arguments\n");
}

START_TEST(graph_op_opaque_tells_of_a_custom_operator)
{
    given_chain();
    given("UPDATE op SET name = 'demo::f', namespace = 'demo', args = NULL");
    expect("graph/op-opaque", "note demo::f has no schema here: its call is opaque\n");
    expect("graph/op-kind", "");
}

START_TEST(graph_edge_dialect_op_warns_of_what_is_not_core)
{
    given_chain();
    given("UPDATE method SET ir = 'edge'");
    expect("graph/edge-dialect-op", "");
    given("UPDATE op SET flags = 4");
    expect("graph/edge-dialect-op",
           "warning aten::relu.default is not in the core set; 1 call\n");
}

START_TEST(graph_edge_dialect_op_leaves_to_its_backend_what_a_plan_gives_away)
{
    given_chain();
    given("UPDATE method SET ir = 'edge'; UPDATE op SET flags = 4;"
          "INSERT INTO part_run VALUES (1, 1, 'plan', NULL, NULL);"
          "INSERT INTO partition VALUES (1, 1, 1, 0, NULL, 't', 1, 'XnnpackBackend');"
          "INSERT INTO partition_node VALUES (1, 0, 2)");
    expect("graph/edge-dialect-op", "");
    given("UPDATE partition_node SET node_id = 1");
    expect("graph/edge-dialect-op",
           "warning aten::relu.default is not in the core set; 1 call\n");
    given("UPDATE partition_node SET node_id = 2;"
          "INSERT INTO part_run VALUES (2, 1, 'plan', NULL, NULL)");
    expect("graph/edge-dialect-op",
           "warning aten::relu.default is not in the core set; 1 call\n");
}

START_TEST(graph_dim_order_mode_warns_of_both_in_one_graph)
{
    given_chain();
    given("UPDATE method SET ir = 'edge';"
          "UPDATE op SET name = 'aten::clone.default'");
    expect("graph/dim-order-mode", "");
    given("INSERT INTO op VALUES (2, 'dim_order_ops::_clone_dim_order.default',"
          " 'dim_order_ops', '', '', 0);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (4, 1, 3, 'c', 'call_function', 2)");
    expect("graph/dim-order-mode", "warning aten::clone.default stands beside operators"
                                   " of dim_order_ops; 1 call\n");
}

static void given_strides(const char *strides)
{
    char sql[256] = "UPDATE value SET strides = '";

    given_chain();
    given("INSERT INTO value (id, graph_id, idx, kind, shape) VALUES"
          " (1, 1, 0, 'tensor', '[2,1,3]'); UPDATE node SET value_id = 1 WHERE id = 1");
    strcat(strcat(sql, strides), "'");
    given(sql);
}

START_TEST(graph_aten_contiguous_accepts_any_stride_of_a_single_row)
{
    given_strides("[3,77,1]");
    expect("graph/aten-contiguous", "");
}

START_TEST(graph_aten_contiguous_warns_of_a_transposed_placeholder)
{
    given_strides("[1,2,2]");
    expect("graph/aten-contiguous",
           "warning its shape is [2,1,3] and its strides are [1,2,2]\n");
}

START_TEST(graph_meta_val_reports_a_tensor_without_type)
{
    given_chain();
    given("INSERT INTO value (id, graph_id, idx, kind, dtype, shape) VALUES"
          " (1, 1, 0, 'tensor', 'f32', '[2]');"
          "UPDATE node SET value_id = 1 WHERE id = 2");
    expect("graph/meta-val", "");
    given("UPDATE value SET dtype = NULL, shape = NULL");
    expect("graph/meta-val", "error the file has no type and shape for its result\n");
}

START_TEST(graph_meta_val_reports_what_the_reader_missed)
{
    given_chain();
    given("INSERT INTO remark VALUES (1, 1, 'graph/meta-val', 1, 1, 2, NULL, 'gone')");
    expect("graph/meta-val", "error gone\n");
}

START_TEST(graph_shape_bounded_reports_an_empty_range_and_accepts_an_open_one)
{
    given_chain();
    given("INSERT INTO range_constraint VALUES (1, 's0', 2, 2), (1, 's1', 5, 4),"
          " (1, 's2', 0, NULL)");
    expect("graph/shape-bounded", "error s1 lies between 5 and 4: no size does\n");
}

START_TEST(graph_shape_bounded_accepts_a_symbol_that_no_size_has)
{
    given_chain();
    given("UPDATE method SET ir = 'edge';"
          "INSERT INTO range_constraint VALUES (1, 's2', 0, NULL)");
    expect("graph/shape-bounded", "");
    given("INSERT INTO value (id, graph_id, idx, name, kind, shape) VALUES"
          " (1, 1, 0, 'x', 'tensor', '[\"s2\",4]')");
    expect("graph/shape-bounded",
           "warning s2 has no upper bound: memory is planned for the example, larger"
           " inputs are refused\n");
}

START_TEST(graph_dead_node_notes_what_reaches_no_output)
{
    given_chain();
    given("INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (4, 1, 3, 'waste', 'call_function', 1);"
          "INSERT INTO edge VALUES (4, 0, 1, NULL)");
    expect("graph/dead-node",
           "note its result reaches no output and it has no effect\n");
}

START_TEST(graph_dead_node_lets_calls_with_an_effect_be)
{
    given_chain();
    given("INSERT INTO op VALUES (2, 'aten::_assert_async.msg', 'aten', 'Tensor self',"
          " '', 0);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (4, 1, 3, 'check', 'call_function', 2);"
          "INSERT INTO edge VALUES (4, 0, 1, NULL)");
    expect("graph/dead-node", "");
}

Suite *graph_rules_suite(void)
{
    Suite *suite = suite_create("graph rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, a_plain_chain_breaks_no_rule_about_graphs);
    tcase_add_test(all, graph_acyclic_reports_the_nodes_of_a_cycle);
    tcase_add_test(all, graph_acyclic_reports_a_node_that_reads_itself);
    tcase_add_test(all, graph_topological_order_reports_a_use_before_its_definition);
    tcase_add_test(all, graph_name_unique_reports_the_later_node);
    tcase_add_test(all, graph_name_unique_lets_graphs_use_the_same_names);
    tcase_add_test(all, graph_arg_resolves_reports_a_name_of_nothing);
    tcase_add_test(all, graph_single_output_reports_none_two_and_one_that_is_not_last);
    tcase_add_test(all, graph_attr_resolves_reports_a_graph_that_is_missing);
    tcase_add_test(all, graph_attr_type_reports_a_lowered_module_without_backend);
    tcase_add_test(all, graph_no_call_module_reports_one);
    tcase_add_test(all, graph_op_kind_reports_an_overload_that_aten_does_not_have);
    tcase_add_test(all, graph_op_kind_only_warns_where_another_torch_wrote_the_file);
    tcase_add_test(all,
                   graph_op_kind_warns_of_a_primitive_that_the_runtime_does_not_have);
    tcase_add_test(all,
                   graph_op_kind_reports_python_functions_but_those_that_torch_allows);
    tcase_add_test(all, graph_op_kind_reports_a_call_without_target);
    tcase_add_test(all, graph_op_functional_tells_of_an_operator_that_writes);
    tcase_add_test(all, graph_op_functional_accepts_a_write_to_what_nothing_else_reads);
    tcase_add_test(all, graph_op_opaque_tells_of_a_custom_operator);
    tcase_add_test(all, graph_edge_dialect_op_warns_of_what_is_not_core);
    tcase_add_test(all,
                   graph_edge_dialect_op_leaves_to_its_backend_what_a_plan_gives_away);
    tcase_add_test(all, graph_dim_order_mode_warns_of_both_in_one_graph);
    tcase_add_test(all, graph_aten_contiguous_accepts_any_stride_of_a_single_row);
    tcase_add_test(all, graph_aten_contiguous_warns_of_a_transposed_placeholder);
    tcase_add_test(all, graph_meta_val_reports_a_tensor_without_type);
    tcase_add_test(all, graph_meta_val_reports_what_the_reader_missed);
    tcase_add_test(all,
                   graph_shape_bounded_reports_an_empty_range_and_accepts_an_open_one);
    tcase_add_test(all, graph_shape_bounded_accepts_a_symbol_that_no_size_has);
    tcase_add_test(all, graph_dead_node_notes_what_reaches_no_output);
    tcase_add_test(all, graph_dead_node_lets_calls_with_an_effect_be);
    suite_add_tcase(suite, all);
    return suite;
}
