/* Plans in the store, as rules and reports read them. */
#include "unit/small_plan.h"

#include "partition/partitioned.h"

/* x (parameter w) -> split -> getitem, cond; a second graph is a branch of cond. */
static void given_program(void)
{
    given_pt2();
    given(
        "INSERT INTO op VALUES (1, 'aten::split.Tensor', 'aten', NULL, NULL, 0),"
        " (2, '_operator.getitem', '_operator', NULL, NULL, 0),"
        " (3, 'higher_order::cond', 'higher_order', NULL, NULL, 0),"
        " (4, 'higher_order::executorch_call_delegate', 'higher_order', NULL, NULL, 0);"
        "INSERT INTO value (id, graph_id, idx, kind, nbytes) VALUES"
        " (1, 1, 0, 'tensor', 8), (2, 1, 1, 'tensor', 24);"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id, args) VALUES"
        " (1, 1, 0, 'w', 'placeholder', NULL, 1, NULL),"
        " (2, 1, 1, 'split', 'call_function', 1, NULL, '[]'),"
        " (3, 1, 2, 'getitem', 'call_function', 2, 2, '[]'),"
        " (4, 1, 3, 'branch', 'get_attr', NULL, NULL, NULL),"
        " (5, 1, 4, 'cond', 'call_function', 3, NULL, '[]'),"
        " (6, 1, 5, 'call', 'call_function', 4, NULL, '[]'),"
        " (7, 1, 6, 'getitem_1', 'call_function', 2, NULL,"
        "  '[{\"name\":\"\",\"tensor\":\"call\"},{\"name\":\"\",\"int\":0}]'),"
        " (8, 1, 7, 'output', 'output', NULL, NULL, NULL);"
        "INSERT INTO edge VALUES (2, 0, 1, NULL), (3, 0, 2, NULL), (5, 0, 4, NULL),"
        " (7, 0, 6, NULL), (8, 0, 3, NULL);"
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target)"
        " VALUES (1, 'input', 0, 'w', 'tensor', 'buffer', 'm.w'),"
        "  (1, 'output', 0, 'getitem', 'tensor', 'buffer_mutation', 'm.w')");
}

static struct dg_nodes nodes;

static void load_nodes(void)
{
    ck_assert_msg(!dg_nodes_load(&nodes, rules_store, 1, &rules_err), "%s",
                  rules_err.text);
}

START_TEST(nodes_are_marked_by_what_they_are)
{
    static const uint16_t want[] = {
        DG_MARK_PLACEHOLDER | DG_MARK_CONSTANT | DG_MARK_MUTATED,
        DG_MARK_CALL,
        DG_MARK_CALL | DG_MARK_GETITEM | DG_MARK_TRANSPARENT,
        DG_MARK_GET_ATTR,
        DG_MARK_CALL | DG_MARK_CONTROL,
        DG_MARK_CALL | DG_MARK_DELEGATE,
        DG_MARK_CALL | DG_MARK_GETITEM | DG_MARK_TRANSPARENT | DG_MARK_DELEGATE_ITEM,
        DG_MARK_OUTPUT,
    };

    rules_open();
    given_program();
    load_nodes();
    ck_assert_uint_eq(nodes.graph.n_nodes, 8);
    for (size_t i = 0; i < 8; i++)
        ck_assert_uint_eq(nodes.marks[i], want[i]);
    ck_assert(dg_text_is(nodes.names[4], "cond"));
    ck_assert(dg_text_is(dg_nodes_op(&nodes, 1), "aten::split.Tensor"));
    ck_assert_ptr_null(dg_nodes_op(&nodes, 0).data);
    ck_assert(dg_text_is(nodes.method, "forward"));
    dg_nodes_clear(&nodes);
    rules_close();
}
END_TEST

START_TEST(a_tuple_is_as_large_as_the_items_taken_out_of_it)
{
    rules_open();
    given_program();
    load_nodes();
    ck_assert_int_eq(nodes.nbytes[0], 8);
    ck_assert_int_eq(nodes.nbytes[1], 24);
    ck_assert_int_eq(nodes.nbytes[5], -1);
    dg_nodes_clear(&nodes);
    rules_close();
}
END_TEST

static int64_t add_tag(struct dg_new_plan *plan, int64_t pos, const char *name,
                       int64_t declared)
{
    struct dg_new_tag tag = {.graph = 1,
                             .pos = pos,
                             .number = -1,
                             .declared = declared,
                             .name = dg_text(name)};
    int64_t id = 0;

    ck_assert(!dg_plan_add_tag(plan, rules_store, &tag, &id, &rules_err));
    return id;
}

START_TEST(the_newest_plan_is_the_one_that_is_read)
{
    const struct dg_partitioned_graphs *list;
    struct dg_new_plan first = {.source = "custom", .artifact = 1};
    struct dg_new_plan second = {.source = "plan", .artifact = 1};

    rules_open();
    given_program();
    ck_assert(!dg_plan_begin(&first, rules_store, &rules_err));
    ck_assert_int_eq(add_tag(&first, 0, "old", -1), 1);
    ck_assert(!dg_partitioned_read(&list, rules_store, &rules_err));
    ck_assert_uint_eq(list->n_items, 1);
    ck_assert(dg_text_is(list->items[0].tags[0].name, "old"));
    ck_assert(list->items[0].tags[0].known);

    ck_assert(!dg_plan_begin(&second, rules_store, &rules_err));
    ck_assert_int_eq(add_tag(&second, 1, "b", 0), 2);
    ck_assert_int_eq(add_tag(&second, 0, "a", 1), 3);
    given("INSERT INTO partition_node VALUES (3, 0, 2), (2, 0, 5)");
    ck_assert(!dg_partitioned_read(&list, rules_store, &rules_err));
    ck_assert_uint_eq(list->n_items, 1);
    ck_assert_uint_eq(list->items[0].n_tags, 2);
    ck_assert(dg_text_is(list->items[0].tags[0].name, "a"));
    ck_assert(!list->items[0].tags[1].known);
    ck_assert_uint_eq(list->items[0].tag_of[0], DG_UNTAGGED);
    ck_assert_uint_eq(list->items[0].tag_of[1], 0);
    ck_assert_uint_eq(list->items[0].tag_of[4], 1);
    rules_close();
}
END_TEST

START_TEST(a_program_without_a_plan_has_no_tagged_graph)
{
    const struct dg_partitioned_graphs *list;

    rules_open();
    given_program();
    ck_assert(!dg_partitioned_read(&list, rules_store, &rules_err));
    ck_assert_uint_eq(list->n_items, 0);
    rules_close();
}
END_TEST

/* cond(p, true_graph_0), and sin in that branch, each with a tag of its own. */
static void given_tagged_branch(const char *tagged)
{
    plan_open();
    plan_input("p", "user_input");
    plan_attr("true_graph_0");
    plan_call("higher_order::cond", "cond", "p @true_graph_0", NULL);
    plan_call("aten::relu.default", "relu", "cond", NULL);
    plan_output("relu");
    plan_tag("tag0", tagged);
    plan_graph(2, "true_graph_0");
    plan_input("x", NULL);
    plan_call("aten::sin.default", "sin", "x", NULL);
    plan_output("sin");
    plan_tag("tag1", "sin");
}

static void expect_inside(bool inside)
{
    const struct dg_partitioned_graphs *list;

    ck_assert(!dg_partitioned_read(&list, rules_store, &rules_err));
    ck_assert_uint_eq(list->n_items, 2);
    ck_assert(!list->items[0].inside);
    ck_assert(list->items[1].inside == inside);
    rules_close();
}

START_TEST(a_branch_of_a_tagged_call_is_inside_its_delegate)
{
    given_tagged_branch("true_graph_0 cond");
    expect_inside(true);
}

START_TEST(a_branch_of_a_call_on_the_host_is_inside_no_delegate)
{
    given_tagged_branch("relu");
    expect_inside(false);
}

START_TEST(a_tag_without_delegate_takes_no_branch_inside)
{
    given_tagged_branch("true_graph_0 cond");
    given("UPDATE partition SET declared = 0 WHERE tag = 'tag0'");
    expect_inside(false);
}

/* A plan that tags sin in a graph that `op` runs, and nothing in the method's own. */
static void expect_visited(const char *op, bool visited)
{
    const struct dg_partitioned_graphs *list;

    plan_open();
    plan_input("p", "user_input");
    plan_attr("body");
    plan_call(op, "call", "@body p", NULL);
    plan_output("call");
    plan_graph(2, "body");
    plan_input("x", NULL);
    plan_call("aten::sin.default", "sin", "x", NULL);
    plan_output("sin");
    plan_tag("tag0", "sin");
    ck_assert(!dg_partitioned_read(&list, rules_store, &rules_err));
    ck_assert_uint_eq(list->n_items, 1);
    ck_assert(!list->items[0].inside);
    ck_assert(list->items[0].visited == visited);
    rules_close();
}

START_TEST(lowering_visits_what_a_map_runs_and_not_what_a_while_loop_runs)
{
    expect_visited("higher_order::map_impl", true);
    expect_visited("higher_order::while_loop", false);
}

/* split has an item that nobody reads, and that only the file has. */
static void given_unused(void)
{
    rules_open();
    given_program();
    given("INSERT INTO node (id, graph_id, idx, name, kind, op_id, args) VALUES"
          " (9, 1, 8, 'split_unused_1', 'call_function', 2, '[]');"
          "INSERT INTO edge VALUES (9, 0, 2, NULL)");
    load_nodes();
}

START_TEST(skipping_unused_items_leaves_the_nodes_of_others_as_they_are)
{
    struct dg_nodes skipped;

    given_unused();
    dg_nodes_share(&skipped, &nodes);
    dg_nodes_skip_unused(&skipped);
    ck_assert_uint_eq(skipped.n_unused, 1);
    ck_assert_uint_eq(skipped.graph.n_edges, nodes.graph.n_edges - 1);
    ck_assert_uint_eq(skipped.marks[8], 0);
    for (int again = 0; again < 2; again++) {
        ck_assert(nodes.marks[8] & DG_MARK_GETITEM);
        ck_assert_uint_eq(nodes.graph.user_of[2] - nodes.graph.user_of[1], 2);
        ck_assert_uint_eq(nodes.graph.inputs[nodes.graph.input_of[8]], 1);
        dg_nodes_clear(&nodes);
        load_nodes();
    }
    dg_nodes_clear(&skipped);
    dg_nodes_clear(&nodes);
    rules_close();
}

START_TEST(a_new_plan_leaves_nodes_that_were_loaded)
{
    struct dg_new_plan plan = {
        .source = "plan", .path = dg_text("p"), .options = dg_text(""), .artifact = 1};

    given_unused();
    ck_assert(!dg_plan_begin(&plan, rules_store, &rules_err));
    ck_assert(dg_text_is(nodes.names[8], "split_unused_1"));
    ck_assert_uint_eq(nodes.graph.inputs[nodes.graph.input_of[8]], 1);
    dg_nodes_clear(&nodes);
    rules_close();
}

static void expect_first_name(const char *name)
{
    load_nodes();
    ck_assert(dg_text_is(nodes.names[0], name));
    dg_nodes_clear(&nodes);
}

static void expect_first_tagged_name(const char *name)
{
    const struct dg_partitioned_graphs *list;

    ck_assert(!dg_partitioned_read(&list, rules_store, &rules_err));
    ck_assert_uint_eq(list->n_items, 1);
    ck_assert(dg_text_is(list->items[0].nodes.names[0], name));
}

START_TEST(nodes_are_read_anew_when_the_store_forgets_or_drops_them)
{
    static void (*const ways[])(struct dg_store *) = {dg_store_forget,
                                                      dg_partitioned_drop};
    struct dg_new_plan plan = {.source = "custom", .artifact = 1};

    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        rules_open();
        given_program();
        ck_assert(!dg_plan_begin(&plan, rules_store, &rules_err));
        add_tag(&plan, 0, "a", -1);
        expect_first_name("w");
        expect_first_tagged_name("w");
        ck_assert(!dg_store_exec(rules_store, "UPDATE node SET name = 'v' WHERE id = 1",
                                 &rules_err));
        expect_first_name("w");
        ways[i](rules_store);
        expect_first_name("v");
        expect_first_tagged_name("v");
        rules_close();
    }
}

Suite *partitioned_suite(void)
{
    Suite *suite = suite_create("partitioned");
    TCase *tests = tcase_create("plans");

    tcase_add_test(tests, nodes_are_marked_by_what_they_are);
    tcase_add_test(tests, a_tuple_is_as_large_as_the_items_taken_out_of_it);
    tcase_add_test(tests, the_newest_plan_is_the_one_that_is_read);
    tcase_add_test(tests, a_program_without_a_plan_has_no_tagged_graph);
    tcase_add_test(tests, a_branch_of_a_tagged_call_is_inside_its_delegate);
    tcase_add_test(tests, a_branch_of_a_call_on_the_host_is_inside_no_delegate);
    tcase_add_test(tests, a_tag_without_delegate_takes_no_branch_inside);
    tcase_add_test(tests,
                   lowering_visits_what_a_map_runs_and_not_what_a_while_loop_runs);
    tcase_add_test(tests, skipping_unused_items_leaves_the_nodes_of_others_as_they_are);
    tcase_add_test(tests, a_new_plan_leaves_nodes_that_were_loaded);
    tcase_add_test(tests, nodes_are_read_anew_when_the_store_forgets_or_drops_them);
    suite_add_tcase(suite, tests);
    return suite;
}
