#include "unit/rules.h"

#include "formats/line_search.h"

/* A .pte and the program that it was made from, whose nodes have traces 1, 2, ... */
static int n_nodes, n_traces;

static void open_pair(void)
{
    n_nodes = n_traces = 0;
    rules_open_pte();
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        " VALUES (2, 'a.pt2', 'pt2', 4096, '{}', 1, 'program');"
        "INSERT INTO method VALUES (2, 2, 0, 'forward', 'edge', NULL, NULL);"
        "INSERT INTO \"graph\" VALUES (2, 2, '', 'method')");
}

static void add_node(int graph, const char *kind, const char *op)
{
    n_nodes++;
    given_format("INSERT INTO op (id, name, namespace, flags)"
                 " VALUES (%d, '%s', 'aten', 0);"
                 "INSERT INTO node (id, graph_id, idx, name, kind, op_id)"
                 " VALUES (%d, %d, %d, 'n', '%s', %d)",
                 n_nodes, op, n_nodes, graph, n_nodes, kind, n_nodes);
}

static void add_result(int graph, const char *shape, const char *dynamism)
{
    given_format("INSERT INTO value (id, graph_id, idx, kind, dtype, shape, dynamism)"
                 " VALUES (%d, %d, %d, 'tensor', 'f32', '%s', '%s')",
                 n_nodes, graph, n_nodes, shape, dynamism);
}

static void instruction_of(const char *op, const char *shape, const char *dynamism)
{
    add_node(1, "kernel_call", op);
    add_result(1, shape, dynamism);
    given_format("INSERT INTO operand VALUES (%d, 0, %d, %d, 'write'),"
                 " (%d, 1, %d, %d, 'write')",
                 n_nodes, n_nodes, n_nodes, n_nodes, n_nodes, n_nodes);
}

static void instruction(const char *op)
{
    instruction_of(op, "[2]", "static");
}

static void give_trace(void)
{
    n_traces++;
    given_format("INSERT INTO trace VALUES (%d, 't'); UPDATE node SET trace_id = %d"
                 " WHERE id = %d",
                 n_traces, n_traces, n_nodes);
}

static void call_of(const char *op, const char *shape)
{
    add_node(2, "call_function", op);
    add_result(2, shape, "static");
    given_format("UPDATE node SET value_id = %d WHERE id = %d", n_nodes, n_nodes);
    give_trace();
}

static void call_to(const char *op)
{
    call_of(op, "[2]");
}

static void delegate_call(int graph, const char *kind)
{
    add_node(graph, kind, "higher_order::executorch_call_delegate");
    given_format("INSERT INTO delegate (id, method_id, idx, backend)"
                 " VALUES (%d, %d, 0, 'Xnn');"
                 "UPDATE node SET delegate_id = %d WHERE id = %d",
                 n_nodes, graph, n_nodes, n_nodes);
}

/* The trace of each instruction. */
static void expect_traces(const char *want)
{
    struct dg_rows rows;

    ck_assert_msg(!dg_find_lines(rules_store, 1, 2, &rules_err), "%s", rules_err.text);
    rows = dg_rows_all(rules_store,
                       "SELECT group_concat(coalesce(trace_id, '-'), ' ') FROM"
                       " (SELECT trace_id FROM node WHERE graph_id = 1 ORDER BY id)",
                       &rules_err);
    ck_assert(dg_rows_next(&rows));
    ck_assert_str_eq(dg_rows_text(&rows, 0), want);
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
}

START_TEST(as_many_calls_of_one_operator_are_each_other_in_their_order)
{
    instruction("aten::add.out");
    instruction("aten::mul.out");
    instruction("aten::add.out");
    call_to("aten::add.Tensor");
    call_to("aten::mul.Tensor");
    call_to("aten::add.Tensor");
    expect_traces("1 2 3");
}
END_TEST

START_TEST(other_numbers_of_calls_say_nothing_about_those_alone)
{
    instruction("aten::add.out");
    instruction("aten::mul.out");
    call_to("aten::add.Tensor");
    call_to("aten::mul.Tensor");
    call_to("aten::add.Tensor");
    expect_traces("- 2");
}
END_TEST

START_TEST(results_of_another_shape_are_other_calls)
{
    instruction_of("aten::add.out", "[3]", "static");
    instruction_of("aten::add.out", "[2]", "static");
    call_of("aten::add.Tensor", "[2]");
    call_of("aten::add.Tensor", "[3]");
    call_of("aten::add.Tensor", "[4]");
    expect_traces("2 1");
}
END_TEST

START_TEST(a_symbolic_shape_is_that_of_a_tensor_that_can_be_resized)
{
    instruction_of("aten::add.out", "[8,2]", "bounded");
    instruction_of("aten::add.out", "[8,2]", "static");
    call_of("aten::add.Tensor", "[8,2]");
    call_of("aten::add.Tensor", "[\"s0\",2]");
    expect_traces("2 1");
}
END_TEST

START_TEST(names_that_lowering_changes_are_one)
{
    instruction("aten::view_copy.out");
    instruction("aten::relu.out");
    instruction("executorch_prim::mul.Scalar");
    instruction("aten::_softmax.out");
    call_to("aten::view.default");
    call_to("aten::relu_.default");
    call_to("_operator.mul");
    call_to("aten::softmax.int");
    expect_traces("1 2 3 -");
}
END_TEST

START_TEST(a_trace_that_a_pte_has_stays)
{
    instruction("aten::add.out");
    give_trace();
    call_to("aten::add.Tensor");
    expect_traces("1");
}
END_TEST

START_TEST(a_node_without_a_trace_gives_none)
{
    instruction("aten::add.out");
    call_to("aten::add.Tensor");
    given("UPDATE node SET trace_id = NULL");
    expect_traces("-");
}
END_TEST

START_TEST(what_delegates_may_have_moved_has_a_line_where_all_agree)
{
    delegate_call(1, "delegate_call");
    instruction("aten::add.out");
    instruction("aten::add.out");
    instruction("aten::mul.out");
    call_to("aten::add.Tensor");
    call_to("aten::add.Tensor");
    call_to("aten::mul.Tensor");
    expect_traces("- - - 3");
    given("UPDATE node SET trace_id = 1 WHERE graph_id = 2");
    expect_traces("- 1 1 3");
}
END_TEST

START_TEST(a_program_with_the_delegates_has_the_order_of_the_pte)
{
    delegate_call(1, "delegate_call");
    instruction("aten::add.out");
    instruction("aten::add.out");
    delegate_call(2, "call_function");
    give_trace();
    call_to("aten::add.Tensor");
    call_to("aten::add.Tensor");
    expect_traces("1 2 3");
}
END_TEST

START_TEST(calls_in_several_branches_have_a_line_where_all_agree)
{
    instruction("aten::add.out");
    instruction("aten::add.out");
    call_to("aten::add.Tensor");
    call_to("aten::add.Tensor");
    given_format("INSERT INTO \"graph\" VALUES (3, 2, 'true', 'branch');"
                 "UPDATE node SET graph_id = 3 WHERE id = %d",
                 n_nodes);
    expect_traces("- -");
    given("UPDATE node SET trace_id = 1 WHERE graph_id > 1");
    expect_traces("1 1");
}
END_TEST

START_TEST(as_many_delegates_on_both_sides_are_the_same_ones)
{
    delegate_call(1, "delegate_call");
    delegate_call(1, "delegate_call");
    instruction("aten::add.out");
    instruction("aten::add.out");
    delegate_call(2, "call_function");
    call_to("aten::add.Tensor");
    call_to("aten::add.Tensor");
    expect_traces("- - - -");
    delegate_call(2, "call_function");
    expect_traces("- - 1 2");
}
END_TEST

START_TEST(a_program_that_is_decomposed_later_gives_no_lines)
{
    instruction("aten::addmm.out");
    call_to("aten::addmm.default");
    given("UPDATE method SET ir = 'aten' WHERE id = 2");
    expect_traces("-");
}
END_TEST

START_TEST(methods_are_apart)
{
    instruction("aten::add.out");
    call_to("aten::add.Tensor");
    given("UPDATE method SET name = 'encode' WHERE id = 2");
    expect_traces("-");
}
END_TEST

START_TEST(what_a_delegate_was_lowered_from_is_no_call_of_the_host)
{
    instruction("aten::add.out");
    call_to("aten::add.Tensor");
    given("UPDATE \"graph\" SET kind = 'lowered' WHERE id = 2");
    expect_traces("-");
}
END_TEST

Suite *line_search_suite(void)
{
    Suite *suite = suite_create("line_search");
    TCase *all = tcase_create("lines of a .pte");

    tcase_add_checked_fixture(all, open_pair, rules_close);
    tcase_add_test(all, as_many_calls_of_one_operator_are_each_other_in_their_order);
    tcase_add_test(all, other_numbers_of_calls_say_nothing_about_those_alone);
    tcase_add_test(all, results_of_another_shape_are_other_calls);
    tcase_add_test(all, a_symbolic_shape_is_that_of_a_tensor_that_can_be_resized);
    tcase_add_test(all, names_that_lowering_changes_are_one);
    tcase_add_test(all, a_trace_that_a_pte_has_stays);
    tcase_add_test(all, a_node_without_a_trace_gives_none);
    tcase_add_test(all, what_delegates_may_have_moved_has_a_line_where_all_agree);
    tcase_add_test(all, a_program_with_the_delegates_has_the_order_of_the_pte);
    tcase_add_test(all, calls_in_several_branches_have_a_line_where_all_agree);
    tcase_add_test(all, as_many_delegates_on_both_sides_are_the_same_ones);
    tcase_add_test(all, a_program_that_is_decomposed_later_gives_no_lines);
    tcase_add_test(all, methods_are_apart);
    tcase_add_test(all, what_a_delegate_was_lowered_from_is_no_call_of_the_host);
    suite_add_tcase(suite, all);
    return suite;
}
