/* Why calls stay on the host, and what would change it. */
#include "unit/rules.h"

#include <stdlib.h>

#include "partition/explain.h"

static struct dg_explanation explained;
static struct dg_support *support;

/* x -> relu -> cumsum -> relu_1, and relu -> relu_1; each result has 32 bytes. */
static void given_detour(void)
{
    given_pt2();
    given(
        "INSERT INTO op VALUES (1, 'aten::relu.default', 'aten', NULL, NULL, 4),"
        " (2, 'aten::cumsum.default', 'aten', NULL, NULL, 0),"
        " (3, 'aten::sort.default', 'aten', NULL, NULL, 0);"
        "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, nbytes) VALUES"
        " (1, 1, 0, 'tensor', 'f32', '[8]', 32), (2, 1, 1, 'tensor', 'f32', '[8]', 32),"
        " (3, 1, 2, 'tensor', 'f32', '[8]', 32), (4, 1, 3, 'tensor', 'f32', '[8]', 32);"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id) VALUES"
        " (1, 1, 0, 'x', 'placeholder', NULL, 1),"
        " (2, 1, 1, 'relu', 'call_function', 1, 2),"
        " (3, 1, 2, 'cumsum', 'call_function', 2, 3),"
        " (4, 1, 3, 'relu_1', 'call_function', 1, 4),"
        " (5, 1, 4, 'output', 'output', NULL, NULL);"
        "INSERT INTO edge VALUES (2, 0, 1, 1), (3, 0, 2, 2), (4, 0, 3, 3), (4, 1, 2, "
        "2),"
        " (5, 0, 4, 4)");
}

static void explain(const char *unsupported)
{
    struct dg_run_request run = {.artifact = 1};
    struct dg_explain_request request = {.artifact = 1, .run = &run};

    if (unsupported)
        ck_assert(!dg_support_from_list(&support, unsupported, true, &rules_err));
    run.support = support;
    ck_assert_msg(!dg_explain(&explained, &request, rules_store, &rules_err), "%s",
                  rules_err.text);
}

static void explain_plan(void)
{
    struct dg_explain_request request = {.artifact = 1};

    ck_assert_msg(!dg_explain(&explained, &request, rules_store, &rules_err), "%s",
                  rules_err.text);
}

static void clear(void)
{
    dg_explanation_clear(&explained);
    dg_support_free(support);
    support = NULL;
}

START_TEST(a_call_that_no_list_takes_has_the_reason_op)
{
    const struct dg_explained *graph;

    given_detour();
    explain("aten::cumsum");
    graph = &explained.graphs[0];
    ck_assert_int_eq(graph->part_of[2], DG_NO_PART);
    ck_assert_str_eq(graph->whys[graph->first_why[2]].reason, "op");
    ck_assert_int_eq(graph->first_why[1], DG_NO_WHY);
    clear();
}

START_TEST(totals_count_partitions_crossing_values_and_costs)
{
    struct dg_plan_totals totals;

    given_detour();
    explain("aten::cumsum");
    dg_plan_totals(&totals, &explained);
    ck_assert_int_eq(totals.partitions, 2);
    ck_assert_int_eq(totals.calls, 2);
    /* x and relu out of the first; cumsum, relu and relu_1 of the second */
    ck_assert_int_eq(totals.boundary_values, 5);
    ck_assert_int_eq(totals.boundary_bytes, 160);
    ck_assert_int_eq(totals.ops, 3);
    ck_assert_int_eq(totals.delegated_ops, 2);
    ck_assert_int_eq(totals.flops, 24);
    ck_assert_int_eq(totals.delegated_flops, 16);
    clear();
}

START_TEST(what_if_counts_the_plan_with_the_operator_supported)
{
    struct dg_plan_totals totals;

    given_detour();
    explain("aten::cumsum");
    ck_assert(!dg_what_if(&totals, &explained, "aten::cumsum", &rules_err));
    ck_assert_int_eq(totals.partitions, 1);
    ck_assert_int_eq(totals.boundary_values, 2);
    ck_assert_int_eq(totals.delegated_ops, 3);
    clear();
}

START_TEST(what_if_refuses_an_operator_that_no_node_calls)
{
    struct dg_plan_totals totals;

    given_detour();
    explain("aten::cumsum");
    ck_assert_int_eq(dg_what_if(&totals, &explained, "aten::cumsun", &rules_err),
                     DG_ERR_USAGE);
    ck_assert_msg(strstr(rules_err.text, "did you mean aten::cumsum.default?"), "%s",
                  rules_err.text);
    ck_assert_int_eq(dg_what_if(&totals, &explained, ",", &rules_err), DG_ERR_USAGE);
    clear();
}

START_TEST(what_if_finds_an_operator_whose_namespace_is_left_out)
{
    struct dg_plan_totals totals;

    given_detour();
    explain("aten::cumsum");
    ck_assert_int_eq(dg_what_if(&totals, &explained, "cumsum", &rules_err),
                     DG_ERR_USAGE);
    ck_assert_msg(strstr(rules_err.text, "did you mean aten::cumsum.default?"), "%s",
                  rules_err.text);
    clear();
}
END_TEST

/* relu -> sort -> getitem -> relu_1 */
static void given_items(void)
{
    given_detour();
    given("UPDATE node SET name = 'sort', op_id = 3, idx = 2 WHERE id = 3;"
          "INSERT INTO op VALUES (4, '_operator.getitem', '_operator', NULL, NULL, 0);"
          "DELETE FROM edge; DELETE FROM node WHERE id > 3;"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id) VALUES"
          " (4, 1, 3, 'getitem', 'call_function', 4, 3),"
          " (5, 1, 4, 'relu_1', 'call_function', 1, 4),"
          " (6, 1, 5, 'output', 'output', NULL, NULL);"
          "INSERT INTO edge VALUES (2, 0, 1, 1), (3, 0, 2, 2), (4, 0, 3, NULL),"
          " (5, 0, 4, 3), (6, 0, 5, 4)");
}

START_TEST(what_if_takes_items_of_a_result_with_the_operator)
{
    struct dg_plan_totals totals;

    given_items();
    explain("aten::sort,_operator.getitem");
    ck_assert(!dg_what_if(&totals, &explained, "aten::sort", &rules_err));
    ck_assert_int_eq(totals.partitions, 1);
    clear();
}
END_TEST

START_TEST(reasons_are_grouped_with_the_calls_that_they_cost)
{
    struct dg_reason_group *groups;

    given_detour();
    explain("aten::cumsum");
    ck_assert_int_eq(dg_reason_groups(&groups, &explained, 1), 1);
    ck_assert_int_eq(groups[0].ops, 1);
    ck_assert_int_eq(groups[0].flops, 8);
    ck_assert(groups[0].simulated);
    ck_assert_int_eq(groups[0].calls_saved, 1);
    free(groups);
    clear();
}

/* Two reasons of one operator, each of which alone saves nothing. */
START_TEST(calls_saved_are_those_of_the_operator_whatever_its_reasons)
{
    struct dg_reason_group *groups;
    struct dg_plan_totals after;
    size_t n;

    given_detour();
    explain("aten::cumsum");
    explained.graphs[0].whys[explained.graphs[0].first_why[2]].next = 1;
    *DG_APPEND(explained.graphs[0].whys, explained.graphs[0].n_whys) =
        (struct dg_why){"rank", dg_text("too few"), DG_NO_WHY};
    n = dg_reason_groups(&groups, &explained, 2);
    ck_assert(!dg_what_if(&after, &explained, "aten::cumsum", &rules_err));
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(groups[0].calls_saved, 2 - after.calls);
    ck_assert_int_eq(groups[1].calls_saved, 2 - after.calls);
    ck_assert_int_eq(after.calls, 1);
    free(groups);
    clear();
}

START_TEST(a_neighbour_that_cannot_be_merged_names_the_cycle)
{
    struct dg_neighbour neighbours[DG_NEIGHBOURS];
    struct dg_arena memory = {0};

    given_detour();
    explain("aten::cumsum");
    ck_assert_int_eq(dg_neighbours(neighbours, &memory, &explained.graphs[0], 3), 1);
    ck_assert_int_eq(neighbours[0].n_cycle, 3);
    dg_arena_clear(&memory);
    clear();
}

START_TEST(a_neighbour_that_can_be_merged_has_no_cycle)
{
    struct dg_neighbour neighbours[DG_NEIGHBOURS];
    struct dg_arena memory = {0};

    given_detour();
    given("INSERT INTO part_run VALUES (1, 1, 'custom', NULL, NULL);"
          "INSERT INTO partition (id, part_run_id, graph_id, pos, tag) VALUES"
          " (1, 1, 1, 0, 'a'), (2, 1, 1, 1, 'b');"
          "INSERT INTO partition_node VALUES (1, 0, 2), (1, 1, 3), (2, 0, 4)");
    explain_plan();
    ck_assert_int_eq(dg_neighbours(neighbours, &memory, &explained.graphs[0], 3), 1);
    ck_assert_int_eq(neighbours[0].part, 0);
    ck_assert_int_eq(neighbours[0].n_cycle, 0);
    dg_arena_clear(&memory);
    clear();
}

START_TEST(a_call_that_a_plan_leaves_out_has_the_reason_plan)
{
    const struct dg_explained *graph;

    given_detour();
    given("INSERT INTO part_run VALUES (1, 1, 'custom', NULL, NULL);"
          "INSERT INTO partition (id, part_run_id, graph_id, pos, tag) VALUES"
          " (1, 1, 1, 0, 'a');"
          "INSERT INTO partition_node VALUES (1, 0, 2)");
    explain_plan();
    graph = &explained.graphs[0];
    ck_assert_str_eq(explained.source.data, "custom");
    ck_assert_str_eq(graph->whys[graph->first_why[2]].reason, "plan");
    ck_assert_int_eq(graph->first_why[1], DG_NO_WHY);
    clear();
}

START_TEST(a_branch_goes_where_its_operator_goes)
{
    struct dg_plan_totals totals;

    given_pt2();
    given("INSERT INTO \"graph\" VALUES (2, 1, 'true_graph_0', 'branch');"
          "INSERT INTO op VALUES (1, 'aten::relu.default', 'aten', NULL, NULL, 4),"
          " (2, 'higher_order::cond', 'higher_order', NULL, NULL, 0);"
          "INSERT INTO value (id, graph_id, idx, kind, dtype, shape) VALUES"
          " (1, 2, 0, 'tensor', 'f32', '[8]');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, target, value_id)"
          " VALUES (1, 1, 0, 'true_graph_0', 'get_attr', NULL, 'true_graph_0', NULL),"
          " (2, 1, 1, 'cond', 'call_function', 2, NULL, NULL),"
          " (3, 1, 2, 'output', 'output', NULL, NULL, NULL),"
          " (4, 2, 0, 'relu', 'call_function', 1, NULL, 1);"
          "INSERT INTO edge VALUES (2, 0, 1, NULL), (3, 0, 2, NULL)");
    explain(NULL);
    dg_plan_totals(&totals, &explained);
    ck_assert_int_eq(totals.ops, 2);
    ck_assert_int_eq(totals.delegated_ops, 2);
    ck_assert_int_eq(totals.delegated_flops, 8);
    clear();
    explain("higher_order::cond");
    dg_plan_totals(&totals, &explained);
    ck_assert_int_eq(totals.ops, 2);
    ck_assert_int_eq(totals.delegated_ops, 0);
    clear();
}

Suite *explain_suite(void)
{
    Suite *suite = suite_create("explain");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, a_call_that_no_list_takes_has_the_reason_op);
    tcase_add_test(all, totals_count_partitions_crossing_values_and_costs);
    tcase_add_test(all, what_if_counts_the_plan_with_the_operator_supported);
    tcase_add_test(all, what_if_refuses_an_operator_that_no_node_calls);
    tcase_add_test(all, what_if_finds_an_operator_whose_namespace_is_left_out);
    tcase_add_test(all, what_if_takes_items_of_a_result_with_the_operator);
    tcase_add_test(all, reasons_are_grouped_with_the_calls_that_they_cost);
    tcase_add_test(all, calls_saved_are_those_of_the_operator_whatever_its_reasons);
    tcase_add_test(all, a_neighbour_that_cannot_be_merged_names_the_cycle);
    tcase_add_test(all, a_neighbour_that_can_be_merged_has_no_cycle);
    tcase_add_test(all, a_call_that_a_plan_leaves_out_has_the_reason_plan);
    tcase_add_test(all, a_branch_goes_where_its_operator_goes);
    suite_add_tcase(suite, all);
    return suite;
}
