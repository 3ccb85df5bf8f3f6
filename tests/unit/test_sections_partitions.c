/* Who runs what, and what crosses the borders between them. */
#include "unit/section_case.h"

#include "partition/run.h"

/* x -> relu -> cumsum -> relu_1 -> output, and relu -> relu_1; 32 bytes each. */
static void given_detour(void)
{
    given_pt2();
    given(
        "INSERT INTO op VALUES (1, 'aten::relu.default', 'aten', NULL, NULL, 4),"
        " (2, 'aten::cumsum.default', 'aten', NULL, NULL, 0);"
        "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, nbytes) VALUES"
        " (1, 1, 0, 'tensor', 'f32', '[8]', 32), (2, 1, 1, 'tensor', 'f32', '[8]', 32),"
        " (3, 1, 2, 'tensor', 'f32', '[8]', 32), (4, 1, 3, 'tensor', 'f32', '[8]', 32);"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id) VALUES"
        " (1, 1, 0, 'x', 'placeholder', NULL, 1),"
        " (2, 1, 1, 'relu', 'call_function', 1, 2),"
        " (3, 1, 2, 'cumsum', 'call_function', 2, 3),"
        " (4, 1, 3, 'relu_1', 'call_function', 1, 4),"
        " (5, 1, 4, 'output', 'output', NULL, NULL);"
        "INSERT INTO edge VALUES (2, 0, 1, 1), (3, 0, 2, 2), (4, 0, 3, 3),"
        " (4, 1, 2, 2), (5, 0, 4, 4)");
}

static void given_plan(void)
{
    given_detour();
    given("INSERT INTO part_run VALUES (1, 1, 'plan', NULL, NULL);"
          "INSERT INTO partition VALUES (1, 1, 1, 0, NULL, 'tag0', 1, 'B'),"
          " (2, 1, 1, 1, NULL, 'tag1', 1, 'B');"
          "INSERT INTO partition_node VALUES (1, 0, 2), (2, 0, 4)");
}

START_TEST(without_delegates_and_plan_the_commands_are_told)
{
    given_detour();
    expect_section(&dg_section_partitions, DG_FORM_TEXT,
                   "say No delegate runs any of it, and no plan was given (--plan). To "
                   "see what a backend would take, and what keeps the rest on the "
                   "host:\n"
                   "$ delegraph explain a.file --backend xnnpack\n"
                   "$ delegraph partition a.file --backend xnnpack\n"
                   "say This is " DG_ATEN_CAVEAT ".\n");
    given("UPDATE method SET ir = 'edge'");
    expect_section(&dg_section_partitions, DG_FORM_TEXT,
                   "say No delegate runs any of it, and no plan was given (--plan). To "
                   "see what a backend would take, and what keeps the rest on the "
                   "host:\n"
                   "$ delegraph explain a.file --backend xnnpack\n"
                   "$ delegraph partition a.file --backend xnnpack\n");
    expect_section(&dg_section_partitions, DG_FORM_MARKDOWN, "");
}
END_TEST

START_TEST(data_without_a_program_has_no_partitions)
{
    given("INSERT INTO artifact (id, path, kind, size_bytes, version)"
          " VALUES (1, 'a.ptd', 'ptd', 64, '{}')");
    expect_section(&dg_section_partitions, DG_FORM_TEXT, "");
}
END_TEST

START_TEST(shares_count_what_the_plan_gives_to_backends)
{
    given_plan();
    expect_in_section(&dg_section_partitions, DG_FORM_MARKDOWN,
                      "fact Ops delegated = 66.7 % of 3 [66.7 %]\n");
    expect_in_section(&dg_section_partitions, DG_FORM_HTML, "\n  B | 2 | 66.6667 |");
    expect_in_section(&dg_section_partitions, DG_FORM_HTML, "\n  (host) | 1 | 33.3333");
}
END_TEST

START_TEST(a_partition_takes_and_gives_each_value_once)
{
    given_plan();
    expect_in_section(&dg_section_partitions, DG_FORM_HTML,
                      "table partition-list: Tag | Method | Nodes | Ops | FLOPs | In | "
                      "Out | Constants\n"
                      "  tag0 | forward | 1 | 1 | 8 | 32 | 32 | 0\n"
                      "  tag1 | forward | 1 | 1 | 8 | 64 | 32 | 0\n");
}
END_TEST

START_TEST(values_at_the_borders_say_from_where_to_where)
{
    given_plan();
    expect_in_section(&dg_section_partitions, DG_FORM_HTML,
                      "  x | - | (host) | tag0 | 32\n"
                      "  relu | aten::relu.default | tag0 | tag1 and 1 more | 32\n"
                      "  cumsum | aten::cumsum.default | (host) | tag1 | 32\n"
                      "  relu_1 | aten::relu.default | tag1 | (host) | 32\n");
}
END_TEST

START_TEST(reasons_come_with_what_their_fall_would_save)
{
    given_plan();
    expect_in_section(&dg_section_partitions, DG_FORM_TEXT,
                      " | aten::cumsum.default | 1 |");
    expect_in_section(
        &dg_section_partitions, DG_FORM_TEXT,
        "say Were aten::cumsum.default delegated: 1 delegate call fewer.\n"
        "$ delegraph explain a.file --what-if aten::cumsum.default\n");
}
END_TEST

/* Delegate, add, delegate, add, delegate, add. */
static void given_breaks(void)
{
    given_pte();
    given("INSERT INTO op VALUES (1, 'aten::add.out', 'aten', NULL, NULL, 4);"
          "INSERT INTO delegate (id, method_id, idx, backend) VALUES (1, 1, 0, 'B');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, delegate_id) VALUES"
          " (1, 1, 0, 'op_0', 'delegate_call', NULL, 1),"
          " (2, 1, 1, 'op_1', 'kernel_call', 1, NULL),"
          " (3, 1, 2, 'op_2', 'delegate_call', NULL, 1),"
          " (4, 1, 3, 'op_3', 'kernel_call', 1, NULL),"
          " (5, 1, 4, 'op_4', 'delegate_call', NULL, 1),"
          " (6, 1, 5, 'op_5', 'kernel_call', 1, NULL)");
}

START_TEST(equal_graph_breaks_are_one_row)
{
    given_breaks();
    expect_in_section(
        &dg_section_partitions, DG_FORM_TEXT,
        "fact Graph breaks = 2 stretches between delegates, 2 calls on "
        "the host\n"
        "table graph-breaks: Operators | Method | Places | Calls | FLOPs | "
        "First | After | Before\n"
        "  aten::add.out | forward | 2 | 2 | 0 | op_1 | op_0 | op_2\n");
}

/* SQLite's own sum() would end the query. */
START_TEST(flops_of_graph_breaks_end_at_the_largest_integer)
{
    given_breaks();
    given("INSERT INTO cost SELECT id, 9223372036854775807, 0 FROM node"
          " WHERE kind = 'kernel_call'");
    expect_in_section(&dg_section_partitions, DG_FORM_TEXT,
                      "  aten::add.out | forward | 2 | 2 | 9.22337e+18 | op_1 | "
                      "op_0 | op_2\n");
}
END_TEST

START_TEST(calls_of_a_pte_have_no_share_as_delegates_may_compute_anything)
{
    given_breaks();
    expect_in_section(&dg_section_partitions, DG_FORM_TEXT,
                      "fact What runs = 1 delegate; 3 host calls\n"
                      "table backends: Backend | Calls\n  B | 3\n  (host) | 3\n");
    expect_not_in_section(&dg_section_partitions, DG_FORM_TEXT, " delegated");
    section_input.fail_on = "error";
    expect_in_section(&dg_section_verdict, DG_FORM_TEXT, "fact Host calls = 3\n");
    expect_not_in_section(&dg_section_verdict, DG_FORM_TEXT, "%");
}
END_TEST

START_TEST(host_calls_of_a_pte_that_cast_scalars_are_named)
{
    given_breaks();
    given("UPDATE op SET name = 'dim_order_ops::_to_dim_order_copy.out';"
          "INSERT INTO value (id, graph_id, idx, kind, dtype, shape) VALUES"
          " (1, 1, 0, 'tensor', 'f32', '[]'), (2, 1, 1, 'tensor', 'f32', '[3]');"
          "INSERT INTO operand VALUES (2, 0, 0, 1, 'write'), (4, 0, 1, 2, 'write'),"
          " (6, 0, 0, 1, 'write')");
    expect_in_section(&dg_section_partitions, DG_FORM_TEXT,
                      "= 1 delegate; 3 host calls, 2 of them casts of scalars\n");
    given("UPDATE value SET shape = '[]'");
    expect_in_section(&dg_section_partitions, DG_FORM_TEXT,
                      "= 1 delegate; 3 host calls are casts of scalars\n");
}
END_TEST

/* The .pte of given_breaks() was made from ten relus that are not lowered. */
static void given_program(void)
{
    given_breaks();
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of,"
        " role) VALUES (2, 'a.pt2', 'pt2', 64, '{}', 1, 'program');"
        "INSERT INTO method (id, artifact_id, idx, name, ir)"
        " VALUES (2, 2, 0, 'm', 'edge');"
        "INSERT INTO graph (id, method_id, path, kind) VALUES (2, 2, '', 'method');"
        "INSERT INTO op VALUES (2, 'aten::relu.default', 'aten', NULL, NULL, 4);"
        "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 9)"
        "INSERT INTO node (graph_id, idx, name, kind, op_id) SELECT 2, i, 'relu_' || i,"
        " 'call_function', 2 FROM n;"
        "DELETE FROM cost;"
        "INSERT INTO cost SELECT id, iif(graph_id = 1, 10, 100), 0 FROM node"
        " WHERE kind <> 'delegate_call';"
        "INSERT INTO cost SELECT id, NULL, 0 FROM node WHERE kind = 'delegate_call'");
}

START_TEST(the_program_of_a_pte_says_which_share_its_delegates_run)
{
    given_program();
    expect_in_section(&dg_section_partitions, DG_FORM_TEXT,
                      "fact Ops delegated = at least 70.0 % of 10 ops of a.pt2 [70 %]\n"
                      "fact FLOPs delegated = about 97.0 % of 1.0 k FLOPs [97 %]\n");
    section_input.fail_on = "error";
    expect_in_section(&dg_section_verdict, DG_FORM_TEXT,
                      "fact Ops delegated (of 10 ops of a.pt2) = at least 70.0 %");
}
END_TEST

START_TEST(a_lowered_program_of_a_pte_says_it_exactly)
{
    given_program();
    given("INSERT INTO graph (id, method_id, path, kind) VALUES"
          " (3, 2, 'lowered_module_0', 'lowered');"
          "INSERT INTO delegate (id, method_id, idx, backend, graph_id)"
          " VALUES (2, 2, 0, 'B', 3);"
          "UPDATE node SET graph_id = 3 WHERE graph_id = 2 AND idx < 4");
    expect_in_section(&dg_section_partitions, DG_FORM_TEXT,
                      "fact Ops delegated = 40.0 % of 10 ops of a.pt2 [40 %]\n"
                      "fact FLOPs delegated = 40.0 % of 1.0 k FLOPs [40 %]\n");
}
END_TEST

Suite *sections_partitions_suite(void)
{
    Suite *suite = suite_create("sections_partitions");
    TCase *tcase = tcase_create("partitions");

    tcase_add_checked_fixture(tcase, rules_open, rules_close);
    tcase_add_test(tcase, without_delegates_and_plan_the_commands_are_told);
    tcase_add_test(tcase, data_without_a_program_has_no_partitions);
    tcase_add_test(tcase, shares_count_what_the_plan_gives_to_backends);
    tcase_add_test(tcase, a_partition_takes_and_gives_each_value_once);
    tcase_add_test(tcase, values_at_the_borders_say_from_where_to_where);
    tcase_add_test(tcase, reasons_come_with_what_their_fall_would_save);
    tcase_add_test(tcase, equal_graph_breaks_are_one_row);
    tcase_add_test(tcase, flops_of_graph_breaks_end_at_the_largest_integer);
    tcase_add_test(tcase,
                   calls_of_a_pte_have_no_share_as_delegates_may_compute_anything);
    tcase_add_test(tcase, host_calls_of_a_pte_that_cast_scalars_are_named);
    tcase_add_test(tcase, the_program_of_a_pte_says_which_share_its_delegates_run);
    tcase_add_test(tcase, a_lowered_program_of_a_pte_says_it_exactly);
    suite_add_tcase(suite, tcase);
    return suite;
}
