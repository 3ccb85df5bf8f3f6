/* Runs of partitioners over small programs: tags, borders, reasons, prior plans. */
#include "unit/small_plan.h"

#include <string.h>

#include "base/text.h"
#include "partition/run.h"

static struct dg_run run;
static struct dg_run_request request;

static void begin(enum dg_run_mode mode)
{
    request = (struct dg_run_request){.mode = mode, .artifact = 1};
}

static void given_unsupported(const char *ops)
{
    struct dg_support *support;

    ck_assert_msg(!dg_support_from_list(&support, ops, true, &rules_err), "%s",
                  rules_err.text);
    request.support = support;
}

static void start(void)
{
    ck_assert_msg(!dg_run(&run, &request, rules_store, &rules_err), "%s",
                  rules_err.text);
}

static void end(void)
{
    dg_run_clear(&run);
    dg_text_set_clear(&request.non_compute);
    dg_support_free((struct dg_support *)request.support);
    rules_close();
}

/* "tag: node node | inputs outputs bytes unknown" line by line. */
static void expect_parts(const struct dg_run_plan *plan, const char *want)
{
    const struct dg_run_graph *graph = &run.graphs[0];
    struct dg_writer got = {0};

    for (uint32_t i = 0; i < plan->partitions.n_parts; i++) {
        const struct dg_part *part = &plan->partitions.parts[i];
        const struct dg_run_part *facts = &plan->parts[i];

        dg_print(&got, "%s:", facts->tag.data);
        for (uint32_t k = part->begin; k < part->end; k++)
            dg_print(&got, " %s", graph->nodes.names[plan->partitions.nodes[k]].data);
        dg_print(&got, " | %u %u %d %u\n", facts->inputs, facts->outputs,
                 (int)facts->boundary_bytes, facts->unknown_sizes);
    }
    ck_assert_str_eq(got.data ? got.data : "", want);
    dg_writer_clear(&got);
}

static void expect_tag(const char *node, const char *want)
{
    const struct dg_run_graph *graph = &run.graphs[0];
    uint32_t i = 0;

    while (i < graph->nodes.graph.n_nodes && !dg_text_is(graph->nodes.names[i], node))
        i++;
    ck_assert_msg(i < graph->nodes.graph.n_nodes, "no node %s", node);
    i = graph->reference.tag_of[i];
    ck_assert_str_eq(i == DG_NO_PART ? "-" : graph->reference.parts[i].tag.data, want);
}

static void expect_rejects(const char *want)
{
    const struct dg_run_graph *graph = &run.graphs[0];
    struct dg_writer got = {0};

    for (size_t i = 0; i < graph->n_rejects; i++)
        dg_print(&got, "%d %s\n", (int)graph->rejects[i].node,
                 graph->rejects[i].reason);
    ck_assert_str_eq(got.data ? got.data : "", want);
    dg_writer_clear(&got);
}

/* The one text that a query gives. */
static void expect_text(const char *sql, const char *want)
{
    struct dg_rows rows;

    ck_assert(!dg_rows_open(&rows, rules_store, sql, &rules_err));
    ck_assert(dg_rows_next(&rows));
    ck_assert_str_eq(dg_rows_text(&rows, 0), want);
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
}

/* relu and mul read the weight; sigmoid lies between them. */
static void given_chain_with_gap(void)
{
    plan_open();
    plan_input("w", "parameter");
    plan_input("unused", "buffer");
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "w x", NULL);
    plan_call("aten::sigmoid.default", "sigmoid", "relu", NULL);
    plan_call("aten::mul.Tensor", "mul", "sigmoid w x", NULL);
    plan_output("mul");
}

START_TEST(borders_count_values_once_and_constants_not)
{
    begin(DG_RUN_TORCH);
    given_chain_with_gap();
    given_unsupported("aten::sigmoid");
    start();
    expect_parts(&run.graphs[0].reference,
                 "tag0: mul | 2 1 12 2\ntag1: relu | 1 1 12 1\n");
    ck_assert_uint_eq(run.graphs[0].bound.length, 2);
    expect_tag("w", "tag0");
    expect_tag("unused", "-");
    expect_rejects("5 op\n");
    end();
}
END_TEST

START_TEST(aoti_mode_tags_unused_constants_and_says_cuda)
{
    begin(DG_RUN_AOTI);
    given_chain_with_gap();
    given_unsupported("aten::sigmoid");
    start();
    expect_tag("unused", "aoti_0");
    expect_tag("x", "-");
    ck_assert(!dg_run_store(&run, rules_store, &rules_err));
    expect_text("SELECT group_concat(backend || ' ' || key || '=' || value)"
                " FROM partition JOIN partition_spec"
                " ON partition_id = partition.id WHERE tag = 'aoti_0'",
                "CudaBackend method_name=forward,CudaBackend target_device=cuda:0");
    expect_text("SELECT group_concat(name) FROM (SELECT name FROM partition"
                " JOIN partition_node ON partition_id = partition.id"
                " JOIN node ON node.id = node_id WHERE tag = 'aoti_0'"
                " ORDER BY partition_node.pos)",
                "mul,w,unused");
    expect_text("SELECT reason || ' ' || node_id FROM reject", "op 5");
    end();
}
END_TEST

START_TEST(partitions_of_one_node_can_be_dropped_with_the_reason)
{
    begin(DG_RUN_TORCH);
    request.no_single = true;
    given_chain_with_gap();
    given_unsupported("aten::sigmoid");
    start();
    expect_parts(&run.graphs[0].reference, "");
    expect_rejects("4 single-node\n5 op\n6 single-node\n");
    end();
}
END_TEST

START_TEST(lowering_copies_constants_of_two_tags)
{
    begin(DG_RUN_TORCH);
    request.lower = true;
    given_chain_with_gap();
    given_unsupported("aten::sigmoid");
    start();
    ck_assert_uint_eq(run.graphs[0].n_duplicates, 1);
    ck_assert_uint_eq(run.graphs[0].duplicates[0].constant, 0);
    ck_assert_uint_eq(run.graphs[0].duplicates[0].user, 5);
    end();
}
END_TEST

/* sin, cos, exp, tanh, add, mul as in the counterexample to GroupBasedPartitioner. */
static void given_crossing(void)
{
    plan_open();
    plan_input("x", "user_input");
    plan_call("aten::sin.default", "sin", "x", NULL);
    plan_call("aten::cos.default", "cos", "x", NULL);
    plan_call("aten::exp.default", "exp", "sin", NULL);
    plan_call("aten::tanh.default", "tanh", "exp", NULL);
    plan_call("aten::add.Tensor", "add", "cos exp", NULL);
    plan_call("aten::mul.Tensor", "mul", "cos tanh", NULL);
    plan_output("add mul");
}

START_TEST(a_cyclic_result_stands_beside_a_valid_one)
{
    struct dg_group_member members[] = {{.node = dg_text("exp")},
                                        {.node = dg_text("add")}};
    struct dg_group_list groups = {"groups.json", members, 2, 1, {0}};

    begin(DG_RUN_GROUP);
    request.groups = &groups;
    given_crossing();
    start();
    expect_parts(&run.graphs[0].reference,
                 "tag0: cos tanh mul | 2 2 12 3\ntag1: sin exp add | 2 2 12 3\n");
    ck_assert(!run.graphs[0].acyclic);
    ck_assert_uint_ge(run.graphs[0].n_cycle, 4);
    ck_assert_uint_eq(run.graphs[0].valid.partitions.n_parts, 1);
    ck_assert_ptr_eq(dg_run_chosen(&run, &run.graphs[0]), &run.graphs[0].valid);
    end();
}
END_TEST

START_TEST(groups_name_nodes_that_are_there_once)
{
    struct dg_group_member members[] = {{.node = dg_text("exq")},
                                        {.node = dg_text("add")}};
    struct dg_group_list groups = {"groups.json", members, 2, 1, {0}};

    begin(DG_RUN_GROUP);
    request.groups = &groups;
    given_crossing();
    ck_assert_int_eq(dg_run(&run, &request, rules_store, &rules_err), DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, "did you mean \"exp\"?"), "%s",
                  rules_err.text);
    dg_run_clear(&run);
    members[0] = (struct dg_group_member){.node = dg_text("add"), .group = 1};
    ck_assert_int_eq(dg_run(&run, &request, rules_store, &rules_err), DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, "groups 1 and 0"), "%s", rules_err.text);
    end();
}
END_TEST

/* What lowering tag a leaves: w_copy_0 w x lowered_module call getitem sigmoid mul
 * output. */
START_TEST(a_prior_plan_becomes_a_delegate_that_is_no_candidate)
{
    static const int64_t priors[] = {1};

    begin(DG_RUN_AOTI);
    request.priors = priors;
    request.n_priors = 1;
    given_chain_with_gap();
    plan_tag("a", "relu w");
    start();
    expect_parts(&run.graphs[0].reference, "aoti_1: sigmoid mul | 2 1 12 2\n");
    expect_tag("w_copy_0", "aoti_1");
    expect_tag("executorch_call_delegate(a)", "-");
    expect_tag("getitem(a, 0)", "-");
    expect_rejects("4 prior-delegate\n");
    ck_assert(!dg_run_store(&run, rules_store, &rules_err));
    expect_text("SELECT group_concat(name) FROM partition_node"
                " JOIN node ON node.id = node_id WHERE partition_id ="
                " (SELECT max(id) FROM partition)",
                "sigmoid,mul,unused");
    end();
}
END_TEST

START_TEST(a_prior_plan_that_cannot_be_lowered_is_refused)
{
    static const int64_t priors[] = {1};

    begin(DG_RUN_TORCH);
    request.priors = priors;
    request.n_priors = 1;
    given_chain_with_gap();
    plan_tag("a", "relu mul");
    ck_assert_int_eq(dg_run(&run, &request, rules_store, &rules_err), DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, "closes a cycle"), "%s", rules_err.text);
    end();
}
END_TEST

START_TEST(a_graph_with_a_cycle_is_refused)
{
    begin(DG_RUN_TORCH);
    given_crossing();
    given("INSERT INTO edge VALUES (2, 9, 4, NULL)");
    ck_assert_int_eq(dg_run(&run, &request, rules_store, &rules_err), DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, "has a cycle of 2 nodes"), "%s",
                  rules_err.text);
    end();
}
END_TEST

START_TEST(an_empty_graph_has_no_partitions)
{
    begin((enum dg_run_mode)_i);
    plan_open();
    start();
    expect_parts(&run.graphs[0].reference, "");
    ck_assert(run.graphs[0].acyclic);
    ck_assert(!dg_run_store(&run, rules_store, &rules_err));
    end();
}
END_TEST

Suite *run_suite(void)
{
    Suite *suite = suite_create("run");
    TCase *tcase = tcase_create("run");

    tcase_add_test(tcase, borders_count_values_once_and_constants_not);
    tcase_add_test(tcase, aoti_mode_tags_unused_constants_and_says_cuda);
    tcase_add_test(tcase, partitions_of_one_node_can_be_dropped_with_the_reason);
    tcase_add_test(tcase, lowering_copies_constants_of_two_tags);
    tcase_add_test(tcase, a_cyclic_result_stands_beside_a_valid_one);
    tcase_add_test(tcase, groups_name_nodes_that_are_there_once);
    tcase_add_test(tcase, a_prior_plan_becomes_a_delegate_that_is_no_candidate);
    tcase_add_test(tcase, a_prior_plan_that_cannot_be_lowered_is_refused);
    tcase_add_test(tcase, a_graph_with_a_cycle_is_refused);
    tcase_add_loop_test(tcase, an_empty_graph_has_no_partitions, DG_RUN_TORCH,
                        DG_RUN_GROUP + 1);
    suite_add_tcase(suite, tcase);
    return suite;
}
