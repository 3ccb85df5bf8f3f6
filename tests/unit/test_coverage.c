/* What can be run is known before the run. */
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/coverage.h"
#include "exec/runnable.h"
#include "formats/input.h"
#include "graph/runnable.h"

static struct dg_input input;
static struct dg_schedule schedule;
static struct dg_coverage coverage;
static struct dg_error err;

/* The first method of a program. */
static void cover(const char *name)
{
    static char path[512];
    const struct dg_schedule_files *files;

    err = (struct dg_error){0};
    snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("top_srcdir"), name);
    dg_input_open(&input, path, DG_HASH_NONE, &err);
    ck_assert_str_eq(err.text, "");
    files = &(struct dg_schedule_files){.file = input.file};
    if (strstr(name, ".pte"))
        dg_schedule_pte(&schedule, input.store, files, 1, &err);
    else
        dg_schedule_fx(&schedule, input.store, input.file, 1, &err);
    ck_assert_str_eq(err.text, "");
    dg_coverage_of(&coverage, &schedule, input.store, &err);
    ck_assert_str_eq(err.text, "");
}

static void finish(void)
{
    dg_coverage_clear(&coverage);
    dg_schedule_clear(&schedule);
    dg_input_close(&input);
}

/* The row of the node that cannot be run. */
static const struct dg_coverage_row *row_of(const char *node)
{
    for (size_t i = 0; i < coverage.n_rows; i++) {
        if (!strcmp(coverage.rows[i].node, node))
            return &coverage.rows[i];
    }
    ck_abort_msg("no row begins with %s", node);
    return NULL;
}

START_TEST(of_a_program_that_runs_whole_every_node_and_output_is_known)
{
    cover("llama.pt2");
    ck_assert_uint_eq(coverage.n_nodes, 115);
    ck_assert_uint_eq(coverage.n_cpu, coverage.n_nodes);
    ck_assert_uint_eq(coverage.n_known, coverage.n_outputs);
    ck_assert(!row_of("repeat_interleave")->on_cuda);
    ck_assert(row_of("embedding")->on_cuda);
    finish();
}
END_TEST

START_TEST(an_output_that_rests_on_a_custom_operator_is_not_known)
{
    cover("custom_ops.pt2");
    ck_assert_str_eq(row_of("scale_rows")->why, "a custom operator");
    ck_assert_uint_eq(coverage.n_cpu, coverage.n_nodes - 2);
    ck_assert_uint_eq(coverage.n_known, 0);
    finish();
}
END_TEST

START_TEST(nodes_inside_of_a_delegate_are_counted_where_the_runtime_merges_them_too)
{
    cover("mobilenet_v3_xnnpack.pte");
    ck_assert_uint_eq(coverage.n_inside, 155);
    ck_assert_uint_eq(coverage.n_cpu, 173);
    ck_assert_uint_eq(coverage.n_cuda, 18);
    finish();
}
END_TEST

START_TEST(a_delegate_that_cannot_be_opened_is_a_node_that_cannot_be_run)
{
    cover("vulkan.pte");
    ck_assert_uint_eq(row_of("op_0")->n_nodes, 2);
    ck_assert_ptr_nonnull(row_of("op_0")->why);
    ck_assert_uint_eq(coverage.n_known, 0);
    finish();
}
END_TEST

START_TEST(branches_and_loops_are_counted_once)
{
    cover("control_flow_scan.pte");
    ck_assert_uint_eq(coverage.n_cpu, coverage.n_nodes);
    ck_assert_uint_eq(coverage.n_known, coverage.n_outputs);
    finish();
    cover("nested_cond.pt2");
    ck_assert_uint_eq(coverage.n_nodes, 18);
    ck_assert_uint_eq(coverage.n_known, 1);
    finish();
}
END_TEST

START_TEST(what_reads_weights_that_are_elsewhere_cannot_be_run)
{
    cover("external.pte");
    ck_assert_ptr_nonnull(strstr(row_of("op_0")->why, "a .ptd is needed"));
    ck_assert_uint_eq(coverage.n_known, 0);
    finish();
}
END_TEST

/* By operator, without a schedule. */
START_TEST(rows_of_a_store_count_the_same_nodes)
{
    static const char *const names[] = {
        "llama.pt2",           "custom_ops.pt2",
        "vulkan.pte",          "mobilenet_v3_xnnpack.pte",
        "shared_blob.pte",     "nested_cond.pt2",
        "control_flow_map.pte"};
    struct dg_runnable_sums sums;
    struct dg_runnable runnable;

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        cover(names[i]);
        ck_assert_msg(!dg_runnable_store(input.store, &err), "%s", err.text);
        runnable = dg_runnable(input.store, 1);
        sums = dg_runnable_sums(&runnable);
        ck_assert_int_eq(sums.nodes, (int64_t)coverage.n_nodes);
        ck_assert_int_eq(sums.cpu, (int64_t)coverage.n_cpu);
        ck_assert_int_eq(sums.cuda, (int64_t)coverage.n_cuda);
        finish();
    }
}
END_TEST

/* Each of `n` methods calls one delegate, whose graph has `n` operators. */
static void share_a_delegate(int n)
{
    char sql[1400];

    ck_assert(!dg_store_create(&input.store, &err));
    snprintf(
        sql, sizeof(sql),
        "CREATE TEMP TABLE number AS WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL"
        "  SELECT n + 1 FROM up WHERE n < %d) SELECT n FROM up;"
        "INSERT INTO artifact (id, path, kind, size_bytes, version)"
        "  VALUES (1, 'shared.pte', 'pte', 0, '{}');"
        "INSERT INTO method SELECT n, 1, n - 1, 'm' || n, 'pte', NULL, NULL FROM "
        "number;"
        "INSERT INTO graph SELECT n, n, '', 'method' FROM number;"
        "INSERT INTO delegate_graph VALUES (1, 1, 'delegate_0', 'delegate', 'xnnpack',"
        "  NULL);"
        "INSERT INTO delegate_node (id, graph_id, idx, name, op, args, flags)"
        "  SELECT n, 1, n - 1, 'n' || n, 'node<' || n || '>', '{}', 0 FROM number;"
        "INSERT INTO delegate (id, method_id, idx, inside_id)"
        "  SELECT n, n, 0, 1 FROM number;"
        "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id)"
        "  SELECT n, n, 0, 'op_0', 'delegate_call', n FROM number",
        n);
    ck_assert_msg(!dg_store_exec(input.store, sql, &err), "%s", err.text);
}

START_TEST(methods_may_share_a_delegate)
{
    struct dg_runnable_sums sums;
    struct dg_runnable runnable;

    share_a_delegate(100);
    ck_assert_msg(!dg_runnable_store(input.store, &err), "%s", err.text);
    for (int64_t method = 1; method <= 100; method++) {
        runnable = dg_runnable(input.store, method);
        sums = dg_runnable_sums(&runnable);
        ck_assert_uint_eq(runnable.n_ops, 100);
        ck_assert_int_eq(sums.nodes, 100);
    }
    dg_input_close(&input);
}
END_TEST

START_TEST(methods_that_share_too_much_are_not_counted)
{
    share_a_delegate(4000);
    ck_assert_int_eq(dg_runnable_store(input.store, &err), DG_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.text, "methods call 16000000 operators"));
    dg_input_close(&input);
}
END_TEST

Suite *coverage_suite(void)
{
    Suite *suite = suite_create("coverage");
    TCase *nodes = tcase_create("nodes");

    tcase_add_test(nodes, of_a_program_that_runs_whole_every_node_and_output_is_known);
    tcase_add_test(nodes, an_output_that_rests_on_a_custom_operator_is_not_known);
    tcase_add_test(
        nodes,
        nodes_inside_of_a_delegate_are_counted_where_the_runtime_merges_them_too);
    tcase_add_test(nodes,
                   a_delegate_that_cannot_be_opened_is_a_node_that_cannot_be_run);
    tcase_add_test(nodes, branches_and_loops_are_counted_once);
    tcase_add_test(nodes, what_reads_weights_that_are_elsewhere_cannot_be_run);
    tcase_add_test(nodes, rows_of_a_store_count_the_same_nodes);
    tcase_add_test(nodes, methods_may_share_a_delegate);
    tcase_add_test(nodes, methods_that_share_too_much_are_not_counted);
    suite_add_tcase(suite, nodes);
    return suite;
}
