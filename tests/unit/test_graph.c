#include "unit/rules.h"

#include "graph/graph.h"

static struct dg_graph graph;

static void load(const char *edges)
{
    given_pt2();
    given(
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 6)"
        " INSERT INTO node (id, graph_id, idx, name, kind)"
        " SELECT i, 1, i - 1, 'n' || i, 'placeholder' FROM n");
    if (*edges)
        given(edges);
    ck_assert_msg(!dg_graph_load(&graph, rules_store, 1, &rules_err), "%s",
                  rules_err.text);
}

START_TEST(a_graph_lists_inputs_and_users_in_stored_order)
{
    load("INSERT INTO edge VALUES (3, 0, 2, NULL), (3, 1, 1, NULL), (4, 0, 1, NULL),"
         " (4, 1, 1, NULL)");
    ck_assert_int_eq(graph.n_nodes, 6);
    ck_assert_int_eq(graph.n_edges, 4);
    ck_assert_int_eq(graph.inputs[graph.input_of[2]], 1);
    ck_assert_int_eq(graph.inputs[graph.input_of[2] + 1], 0);
    ck_assert_int_eq(graph.input_of[4] - graph.input_of[3], 2);
    ck_assert_int_eq(graph.user_of[1] - graph.user_of[0], 3);
    ck_assert_int_eq(graph.users[graph.user_of[0]], 2);
    ck_assert_int_eq(graph.users[graph.user_of[0] + 2], 3);
    dg_graph_clear(&graph);
}

START_TEST(a_graph_without_edges_loads)
{
    size_t length;

    load("");
    ck_assert_int_eq(graph.n_edges, 0);
    ck_assert_ptr_null(dg_graph_cycle(&graph, &length));
    dg_graph_clear(&graph);
}

START_TEST(a_cycle_is_the_shortest_through_its_node)
{
    size_t length;
    const uint32_t *cycle;

    load("INSERT INTO edge VALUES (2, 0, 1, NULL), (3, 0, 2, NULL), (4, 0, 3, NULL),"
         " (2, 1, 4, NULL), (2, 2, 3, NULL)");
    cycle = dg_graph_cycle(&graph, &length);
    ck_assert_int_eq(length, 2);
    ck_assert_int_eq(cycle[0] + cycle[1], 1 + 2);
    dg_graph_clear(&graph);
}

START_TEST(reaching_goes_through_users_and_around_cycles)
{
    const bool mark[6] = {[3] = true};
    bool reaches[6];

    load("INSERT INTO edge VALUES (2, 0, 1, NULL), (3, 0, 2, NULL), (2, 1, 3, NULL),"
         " (4, 0, 3, NULL), (5, 0, 4, NULL)");
    dg_graph_reaching(&graph, mark, reaches);
    ck_assert(reaches[0] && reaches[1] && reaches[2] && reaches[3]);
    ck_assert(!reaches[4] && !reaches[5]);
    dg_graph_clear(&graph);
}

Suite *graph_suite(void)
{
    Suite *suite = suite_create("graph");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, a_graph_lists_inputs_and_users_in_stored_order);
    tcase_add_test(all, a_graph_without_edges_loads);
    tcase_add_test(all, a_cycle_is_the_shortest_through_its_node);
    tcase_add_test(all, reaching_goes_through_users_and_around_cycles);
    suite_add_tcase(suite, all);
    return suite;
}
