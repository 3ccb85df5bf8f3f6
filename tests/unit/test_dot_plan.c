/* Pictures of plans: clusters, borders, offenders. */
#include <cgraph.h>
#include <stdlib.h>
#include <string.h>

#include "unit/pictures.h"
#include "unit/small_plan.h"

#define OFFENCE "#b84a00"

/* x -> linear -> relu (tagged) -> sin (host) -> add(relu, sin) (tagged) */
static void given_detour(void)
{
    plan_open();
    plan_input("x", "user_input");
    plan_input("weight", "parameter");
    plan_call("aten::linear.default", "linear", "x weight", NULL);
    plan_call("aten::relu.default", "relu", "linear", NULL);
    plan_call("aten::sin.default", "sin", "relu", NULL);
    plan_call("aten::add.Tensor", "add", "relu sin", NULL);
    plan_output("add");
    plan_tag("tag0", "weight linear relu add");
}

static Agraph_t *drawn(const struct dg_view_options *options)
{
    struct dg_writer text = {0};
    Agraph_t *graph;

    ck_assert_msg(!write_graph(&text, rules_store, options, &rules_err), "%s",
                  rules_err.text);
    graph = agmemread(text.data);
    ck_assert_msg(graph != NULL, "not Graphviz text: %s", text.data);
    dg_writer_clear(&text);
    return graph;
}

static Agraph_t *drawn_whole(void)
{
    return drawn(&(struct dg_view_options){0});
}

static void close_picture(Agraph_t *graph)
{
    agclose(graph);
    rules_close();
}

static Agraph_t *cluster(Agraph_t *graph, const char *label)
{
    for (Agraph_t *sub = agfstsubg(graph); sub; sub = agnxtsubg(sub))
        if (!strcmp(agget(sub, (char *)"label"), label))
            return sub;
    return NULL;
}

static bool holds(Agraph_t *graph, const char *node)
{
    return graph && agnode(graph, (char *)node, 0);
}

static const char *of_node(Agraph_t *graph, const char *node, const char *name)
{
    Agnode_t *found = agnode(graph, (char *)node, 0);

    ck_assert_msg(found != NULL, "no box %s", node);
    return agget(found, (char *)name);
}

static const char *of_edge(Agraph_t *graph, const char *from, const char *to,
                           const char *name)
{
    Agedge_t *found = agedge(graph, agnode(graph, (char *)from, 0),
                             agnode(graph, (char *)to, 0), NULL, 0);
    const char *value;

    ck_assert_msg(found != NULL, "no arrow from %s to %s", from, to);
    value = agget(found, (char *)name);
    return value ? value : "";
}

START_TEST(a_partition_is_a_cluster_with_its_tag_and_backend)
{
    Agraph_t *graph, *part;

    given_detour();
    graph = drawn_whole();
    part = cluster(graph, "tag0: CudaBackend");
    ck_assert(holds(part, "n3"));
    ck_assert(holds(part, "n4"));
    ck_assert(holds(part, "n6"));
    ck_assert(!holds(part, "n5"));
    ck_assert(!holds(part, "n1"));
    close_picture(graph);
}

START_TEST(each_partition_has_its_own_cluster)
{
    Agraph_t *graph;

    given_detour();
    plan_tag("tag1", "sin");
    graph = drawn_whole();
    ck_assert(holds(cluster(graph, "tag0: CudaBackend"), "n3"));
    ck_assert(holds(cluster(graph, "tag1: CudaBackend"), "n5"));
    close_picture(graph);
}

START_TEST(modules_are_clusters_inside_of_partitions)
{
    Agraph_t *graph, *part;

    given_detour();
    given("INSERT INTO module VALUES (1, 'up', 'Linear');"
          "UPDATE node SET module_id = 1 WHERE id IN (3, 4, 5)");
    graph = drawn_whole();
    part = cluster(graph, "tag0: CudaBackend");
    ck_assert(holds(cluster(part, "up"), "n3"));
    ck_assert(holds(cluster(part, "up"), "n4"));
    ck_assert(!holds(cluster(part, "up"), "n5"));
    ck_assert_ptr_null(cluster(graph, "up"));
    close_picture(graph);
}

START_TEST(a_tag_without_delegate_says_so)
{
    Agraph_t *graph;

    given_detour();
    given("UPDATE partition SET declared = 0, backend = NULL");
    graph = drawn_whole();
    ck_assert(holds(cluster(graph, "tag0: the plan has no such delegate"), "n3"));
    close_picture(graph);
}

START_TEST(a_hostile_tag_stays_text)
{
    Agraph_t *graph;

    given_detour();
    given("UPDATE partition SET tag = 'a\"b\\N<b>', backend = NULL");
    graph = drawn_whole();
    ck_assert(holds(cluster(graph, "a\"b\\\\N<b>"), "n3"));
    close_picture(graph);
}

START_TEST(an_arrow_over_a_border_is_heavy_and_tells_its_bytes)
{
    Agraph_t *graph;

    given_detour();
    graph = drawn_whole();
    ck_assert_str_eq(of_edge(graph, "n1", "n3", "penwidth"), "2.5");
    ck_assert_str_eq(of_edge(graph, "n1", "n3", "label"), " 12 B");
    ck_assert_str_eq(of_edge(graph, "n4", "n5", "penwidth"), "2.5");
    ck_assert_str_eq(of_edge(graph, "n3", "n4", "penwidth"), "");
    ck_assert_str_eq(of_edge(graph, "n3", "n4", "label"), "");
    close_picture(graph);
}

START_TEST(no_partitions_are_drawn_when_told_so)
{
    Agraph_t *graph;

    given_detour();
    graph = drawn(&(struct dg_view_options){.no_plan = true});
    ck_assert_ptr_null(cluster(graph, "tag0: CudaBackend"));
    ck_assert_str_eq(of_edge(graph, "n1", "n3", "penwidth"), "");
    close_picture(graph);
}

static void given_finding(const char *node, const char *witness)
{
    struct dg_writer text = {0};

    dg_print(&text,
             "INSERT INTO finding VALUES (NULL, 1, 'partition/convex', 'error', 1, 1,"
             " %s, NULL, 'goes out and comes back', '%s', 'f')",
             node, witness);
    given(text.data);
    dg_writer_clear(&text);
}

START_TEST(an_offender_has_another_shape_and_colour)
{
    Agraph_t *graph;

    given_detour();
    given_finding("5", "[]");
    graph = drawn_whole();
    ck_assert_str_eq(of_node(graph, "n5", "shape"), "octagon");
    ck_assert_str_eq(of_node(graph, "n5", "color"), OFFENCE);
    ck_assert_ptr_nonnull(strstr(of_node(graph, "n5", "label"), "partition/convex"));
    ck_assert_str_eq(of_node(graph, "n4", "shape"), "box");
    ck_assert_ptr_nonnull(
        strstr(agget(graph, (char *)"label"), "goes out and comes back"));
    close_picture(graph);
}

START_TEST(the_steps_of_a_witness_are_double)
{
    Agraph_t *graph;

    given_detour();
    given_finding("NULL", "[\"relu\", \"sin\", \"add\", \"no such node\"]");
    graph = drawn_whole();
    ck_assert_str_eq(of_node(graph, "n4", "shape"), "octagon");
    ck_assert_str_eq(of_node(graph, "n6", "shape"), "octagon");
    ck_assert_str_eq(of_edge(graph, "n4", "n5", "color"), OFFENCE ":#ffffff:" OFFENCE);
    ck_assert_str_eq(of_edge(graph, "n5", "n6", "color"), OFFENCE ":#ffffff:" OFFENCE);
    ck_assert_str_ne(of_edge(graph, "n1", "n3", "color"), OFFENCE ":#ffffff:" OFFENCE);
    close_picture(graph);
}

START_TEST(warnings_and_other_families_colour_nothing)
{
    Agraph_t *graph;

    given_detour();
    given_finding("5", "[]");
    given("UPDATE finding SET severity = 'warning'");
    given_finding("4", "[]");
    given("UPDATE finding SET rule = 'graph/acyclic' WHERE node_id = 4");
    graph = drawn_whole();
    ck_assert_str_eq(of_node(graph, "n5", "shape"), "box");
    ck_assert_str_eq(of_node(graph, "n4", "shape"), "box");
    close_picture(graph);
}

START_TEST(a_weight_that_offends_gets_a_box)
{
    Agraph_t *graph;

    given_detour();
    given("UPDATE signature SET value_id = 2 WHERE name = 'weight'");
    graph = drawn_whole();
    ck_assert(!holds(graph, "n2"));
    agclose(graph);
    given_finding("2", "[]");
    graph = drawn_whole();
    ck_assert_str_eq(of_node(graph, "n2", "shape"), "octagon");
    close_picture(graph);
}

START_TEST(a_getitem_away_from_its_producer_gets_a_box)
{
    Agraph_t *graph;

    plan_open();
    plan_input("x", "user_input");
    plan_call("aten::split.Tensor", "split", "x", NULL);
    plan_call("_operator.getitem", "near", "split", NULL);
    plan_call("_operator.getitem", "far", "split", NULL);
    plan_output("near far");
    plan_tag("tag0", "split near");
    graph = drawn_whole();
    ck_assert(!holds(graph, "n3"));
    ck_assert(holds(graph, "n4"));
    ck_assert_str_eq(of_edge(graph, "n2", "n4", "penwidth"), "2.5");
    close_picture(graph);
}

START_TEST(a_plan_for_another_graph_leaves_this_one_alone)
{
    Agraph_t *graph;

    plan_open();
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_output("relu");
    plan_graph(2, "true_graph_0");
    plan_input("x", NULL);
    plan_call("aten::sin.default", "sin", "x", NULL);
    plan_output("sin");
    plan_tag("tag0", "sin");
    graph = drawn(&(struct dg_view_options){.graph = ""});
    ck_assert(holds(graph, "n2"));
    agclose(graph);
    graph = drawn(&(struct dg_view_options){.graph = "true_graph_0"});
    ck_assert(holds(graph, "n5"));
    ck_assert(!holds(graph, "n2"));
    close_picture(graph);
}

static void given_many(int n_nodes, int per_part)
{
    struct dg_writer text = {0};

    rules_open();
    given_pt2();
    dg_print(&text,
             "CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"
             " SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n;"
             "INSERT INTO op VALUES (1, 'aten::relu.default', 'aten', NULL, NULL, 5);"
             "INSERT INTO node (id, graph_id, idx, name, kind, op_id, args)"
             " SELECT i + 1, 1, i, 'relu_' || i, 'call_function', 1, '[]' FROM n;"
             "INSERT INTO edge SELECT i + 1, 0, i, NULL FROM n WHERE i > 0;"
             "INSERT INTO part_run VALUES (1, 1, 'plan', NULL, NULL);"
             "INSERT INTO partition (id, part_run_id, graph_id, pos, tag)"
             " SELECT i + 1, 1, 1, i, 'tag' || i FROM n WHERE i <= %d / %d;"
             "INSERT INTO partition_node SELECT i / %d + 1, i, i + 1 FROM n"
             " WHERE i %% 7 <> 0",
             n_nodes - 1, n_nodes, per_part, per_part);
    given(text.data);
    dg_writer_clear(&text);
}

static void check_many(int n_nodes, int per_part, int max_boxes)
{
    Agraph_t *graph;

    given_many(n_nodes, per_part);
    given_finding("500", "[\"relu_499\", \"relu_500\"]");
    graph = drawn(&(struct dg_view_options){.max_boxes = max_boxes});
    ck_assert_int_le(agnnodes(graph), max_boxes ? max_boxes : 300);
    ck_assert_int_ge(agnnodes(graph), 8);
    close_picture(graph);
}

START_TEST(many_partitions_fit_into_300_boxes)
{
    check_many(20000, 20000, 0);
    check_many(20000, 40, 0);
    check_many(20000, 1, 0);
    check_many(2000, 3, 20);
}

START_TEST(more_than_sixteen_partitions_are_a_box_each)
{
    Agraph_t *graph;

    given_many(100, 5);
    graph = drawn(&(struct dg_view_options){0});
    ck_assert_int_le(agnnodes(graph), 40);
    close_picture(graph);
    given_many(100, 5);
    graph = drawn(&(struct dg_view_options){.no_fold = true});
    ck_assert_int_ge(agnnodes(graph), 100);
    close_picture(graph);
}
END_TEST

START_TEST(a_folder_that_hides_an_offender_offends)
{
    Agraph_t *graph;
    bool found = false;

    given_many(2000, 50);
    given_finding("500", "[]");
    graph = drawn(&(struct dg_view_options){.max_boxes = 40});
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node))
        found |=
            *agnameof(node) == 'b' && !strcmp(agget(node, (char *)"color"), OFFENCE);
    ck_assert(found);
    close_picture(graph);
}

Suite *dot_plan_suite(void)
{
    Suite *suite = suite_create("dot_plan");
    TCase *tests = tcase_create("dot_plan");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_partition_is_a_cluster_with_its_tag_and_backend);
    tcase_add_test(tests, each_partition_has_its_own_cluster);
    tcase_add_test(tests, modules_are_clusters_inside_of_partitions);
    tcase_add_test(tests, a_tag_without_delegate_says_so);
    tcase_add_test(tests, a_hostile_tag_stays_text);
    tcase_add_test(tests, an_arrow_over_a_border_is_heavy_and_tells_its_bytes);
    tcase_add_test(tests, no_partitions_are_drawn_when_told_so);
    tcase_add_test(tests, an_offender_has_another_shape_and_colour);
    tcase_add_test(tests, the_steps_of_a_witness_are_double);
    tcase_add_test(tests, warnings_and_other_families_colour_nothing);
    tcase_add_test(tests, a_weight_that_offends_gets_a_box);
    tcase_add_test(tests, a_getitem_away_from_its_producer_gets_a_box);
    tcase_add_test(tests, a_plan_for_another_graph_leaves_this_one_alone);
    tcase_add_test(tests, many_partitions_fit_into_300_boxes);
    tcase_add_test(tests, more_than_sixteen_partitions_are_a_box_each);
    tcase_add_test(tests, a_folder_that_hides_an_offender_offends);
    suite_add_tcase(suite, tests);
    return suite;
}
