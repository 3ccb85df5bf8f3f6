/* Rules about limits, against a small program. */
#include "unit/small_plan.h"

#include <stdio.h>

/* A kernel, a delegate of 48 bytes in and out, a copy from the host, a sum of sizes. */
static void given_program(void)
{
    rules_open_pte();
    tensor(0, 0, 24);
    tensor(1, 24, 24);
    tensor(2, 48, 16);
    call_op("aten::add.out", "0", "", "1");
    call_op("et_copy::_h2d_copy.out", "1", "", "2");
    call_op("executorch_prim::add.Scalar", "", "", "");
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'CudaBackend');"
          "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id) VALUES"
          " (4, 1, 3, 'op_3', 'delegate_call', 1);"
          "INSERT INTO operand VALUES (4, 0, 0, 1, 'read'), (4, 1, 1, 2, 'write')");
}

static void given_limit(const char *name, const char *number)
{
    char sql[160];

    snprintf(sql, sizeof(sql), "INSERT INTO setting VALUES ('limit.%s', '%s')", name,
             number);
    given(sql);
}

START_TEST(budget_rules_need_a_limit)
{
    expect_not_checked("budget/delegated-share",
                       "no limit is given (--limit delegated-share=NUMBER)");
    expect_not_checked("budget/partition-count",
                       "no limit is given (--limit partition-count=NUMBER)");
    expect_not_checked("budget/boundary-bytes",
                       "no limit is given (--limit boundary-bytes=NUMBER)");
    expect_not_checked("budget/file-size",
                       "no limit is given (--limit file-size=NUMBER)");
    expect_not_checked("budget/peak-memory",
                       "no limit is given (--limit peak-memory=NUMBER)");
    expect_not_checked("budget/host-ops",
                       "no limit is given (--limit host-ops=NUMBER)");
    expect_not_checked("budget/delegated-flops",
                       "no limit is given (--limit delegated-flops=NUMBER)");
    expect_not_checked("budget/delegated-ops",
                       "no limit is given (--limit delegated-ops=NUMBER)");
    expect_not_checked("budget/delegated-bytes",
                       "no limit is given (--limit delegated-bytes=NUMBER)");
    expect_not_checked("budget/copies", "no limit is given (--limit copies=NUMBER)");
    expect_not_checked("budget/planned-memory",
                       "no limit is given (--limit planned-memory=NUMBER)");
    expect_not_checked("budget/host-calls",
                       "no limit is given (--limit host-calls=NUMBER)");
}

START_TEST(budget_delegated_share_counts_calls)
{
    given_limit("delegated-share", "0.25");
    expect("budget/delegated-share", "");
    given_limit("delegated-share", "0.5");
    expect("budget/delegated-share", "error 1 of 4 calls are delegated, a share of"
                                     " 0.25; the least is 0.5. A call of a delegate"
                                     " counts as one, whatever it computes:"
                                     " delegated-ops counts operators\n");
}

START_TEST(budget_delegated_share_counts_tags_of_a_plan)
{
    rules_close();
    plan_open();
    plan_program_chains();
    given_limit("delegated-share", "0.75");
    plan_tag("tag0", "a b c");
    expect("budget/delegated-share", "");
    given("DELETE FROM partition_node WHERE pos = 0");
    expect("budget/delegated-share", "error 2 of 4 calls are delegated, a share of"
                                     " 0.5; the least is 0.75\n");
    given("DELETE FROM part_run");
    expect_not_checked("budget/delegated-share", "the program is not lowered");
}

/* The program of the .pte has four operators; its one kernel is the host's. */
START_TEST(budget_delegated_share_counts_operators_of_the_program)
{
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        " VALUES (2, 'x.pt2', 'pt2', 9, '{}', 1, 'program');"
        "INSERT INTO method (id, artifact_id, idx, name, ir)"
        " VALUES (2, 2, 0, 'forward', 'edge');"
        "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
        "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
        " (21, 2, 0, 'a', 'call_function'), (22, 2, 1, 'b', 'call_function'),"
        " (23, 2, 2, 'c', 'call_function'), (24, 2, 3, 'd', 'call_function'),"
        " (25, 2, 4, 'e', 'call_function'), (26, 2, 5, 'f', 'call_function');"
        "INSERT INTO cost (node_id) VALUES"
        " (1), (2), (3), (4), (21), (22), (23), (24), (25), (26)");
    given_limit("delegated-share", "0.5");
    expect("budget/delegated-share", "");
    given_limit("delegated-share", "0.9");
    expect(
        "budget/delegated-share",
        "error the limit of 0.9 cannot be judged: x.pt2 tells only that at least 3 of"
        " 6 ops are delegated, a share of 0.5; that takes exir.save() of the lowered"
        " program (--program LOWERED.pt2)\n");
}

/* The same program, lowered: its delegate took four of the six. */
START_TEST(budget_delegated_share_of_a_lowered_program_is_exact)
{
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        " VALUES (2, 'x.pt2', 'pt2', 9, '{}', 1, 'program');"
        "INSERT INTO method (id, artifact_id, idx, name, ir)"
        " VALUES (2, 2, 0, 'forward', 'edge');"
        "INSERT INTO \"graph\" VALUES (2, 2, '', 'method'), (3, 2, 'm0', 'lowered');"
        "INSERT INTO delegate (id, method_id, idx, backend, graph_id) VALUES"
        " (2, 2, 0, 'CudaBackend', 3);"
        "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
        " (21, 2, 0, 'a', 'call_function'), (22, 2, 1, 'b', 'call_function'),"
        " (23, 3, 0, 'c', 'call_function'), (24, 3, 1, 'd', 'call_function'),"
        " (25, 3, 2, 'e', 'call_function'), (26, 3, 3, 'f', 'call_function');"
        "INSERT INTO cost (node_id) VALUES (1), (2), (3), (4), (21), (22), (23), (24),"
        " (25), (26)");
    given_limit("delegated-share", "0.66");
    expect("budget/delegated-share", "");
    given_limit("delegated-share", "0.9");
    expect("budget/delegated-share",
           "error 4 of 6 ops of x.pt2 are delegated, a share of 0.6667; the least is"
           " 0.9\n");
}

static void expect_unjudged(const char *name, const char *why, const char *needs)
{
    char rule[64], want[160];
    struct dg_rows rows;

    given_limit(name, "0.7");
    snprintf(rule, sizeof(rule), "budget/%s", name);
    snprintf(want, sizeof(want), "the limit of 0.7 cannot be judged: that takes %s",
             needs);
    expect_not_checked(rule, why);
    ck_assert(!dg_rows_open(&rows, rules_store,
                            "SELECT message FROM finding WHERE severity = 'error'"
                            " ORDER BY id DESC LIMIT 1",
                            &rules_err));
    ck_assert(dg_rows_next(&rows));
    ck_assert_str_eq(dg_rows_text(&rows, 0), want);
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
}

START_TEST(budget_limits_that_the_file_cannot_show_are_errors)
{
    static const char plan[] = "a lowered program, or one with a plan (--plan FILE)";

    rules_close();
    rules_open();
    given_pt2();
    expect_unjudged("peak-memory", "is about pte files", "a .pte");
    expect_unjudged("host-ops", "is about pte files", "a .pte");
    expect_unjudged("boundary-bytes", "the program is not lowered",
                    "a lowered program");
    expect_unjudged("delegated-share", "the program is not lowered", plan);
    given_limit("partition-count", "7");
    expect("budget/partition-count", "error the limit of 7 cannot be judged: that takes"
                                     " a lowered program, or one with a plan (--plan"
                                     " FILE)\n");
    given_limit("file-size", "7000");
    expect("budget/file-size", "");
}

START_TEST(budget_partition_count_counts_delegates)
{
    given_limit("partition-count", "1");
    expect("budget/partition-count", "");
    given_limit("partition-count", "0");
    expect("budget/partition-count",
           "error 1 delegate (CudaBackend 1); the most is 0\n");
}

START_TEST(budget_boundary_bytes_counts_operands_and_copies)
{
    given_limit("boundary-bytes", "64");
    expect("budget/boundary-bytes", "");
    given_limit("boundary-bytes", "63");
    expect("budget/boundary-bytes",
           "error 48 bytes go into and out of delegates and 16 are copied between"
           " devices, 64 in all; the most is 63\n");
}

START_TEST(budget_boundary_bytes_counts_what_calls_of_modules_pass)
{
    rules_close();
    plan_open();
    plan_program_delegate();
    given("UPDATE edge SET value_id = (SELECT value_id FROM node WHERE id = src);"
          "INSERT INTO value (id, graph_id, idx, kind, nbytes) VALUES"
          " (100, 1, 99, 'tensor', 12);"
          "UPDATE node SET value_id = 100 WHERE name = 'getitem'");
    given_limit("boundary-bytes", "23");
    expect_not_checked("budget/boundary-bytes", "the program is not lowered");
    given("INSERT INTO delegate (id, method_id, idx) VALUES (1, 1, 0)");
    expect("budget/boundary-bytes",
           "error 24 bytes go into and out of delegates and 0 are copied between"
           " devices, 24 in all; the most is 23\n");
}

START_TEST(budget_boundary_bytes_of_unknown_size_only_break_limits)
{
    given("UPDATE value SET nbytes = NULL WHERE idx = 1");
    given_limit("boundary-bytes", "23");
    expect("budget/boundary-bytes",
           "error at least 24 bytes go into and out of delegates and 16 are copied"
           " between devices, 40 in all; the most is 23\n");
    given_limit("boundary-bytes", "1000");
    expect(
        "budget/boundary-bytes",
        "error the limit of 1000 cannot be judged: 1 tensor that goes between host and"
        " delegates has no bounded size; that takes the .pte, which has upper"
        " bounds\n");
}

START_TEST(budget_file_size_counts_data_beside_the_program)
{
    given_limit("file-size", "4096");
    expect("budget/file-size", "");
    given("INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of,"
          " role) VALUES (2, 'a.ptd', 'ptd', 100, '{}', 1, 'data')");
    expect("budget/file-size",
           "error 4196 bytes, 100 of them beside the program; the most is 4096\n");
}

START_TEST(budget_peak_memory_counts_arenas)
{
    given("INSERT INTO arena VALUES (1, 2, 1000, 'cuda:0')");
    given_limit("peak-memory", "5096");
    expect("budget/peak-memory", "");
    given_limit("peak-memory", "5000");
    expect("budget/peak-memory", "error 5096 bytes of memory are planned (cpu 4096,"
                                 " cuda:0 1000); the most is 5000\n");
}

START_TEST(budget_host_ops_counts_kinds_of_kernels)
{
    given_limit("host-ops", "1");
    expect("budget/host-ops", "");
    given_limit("host-ops", "0");
    expect("budget/host-ops",
           "error 1 kind of operator runs on the host (aten::add.out); the most is"
           " 0\n");
}

START_TEST(budget_host_calls_counts_calls_of_kernels)
{
    given("UPDATE node SET op_id = 1 WHERE id = 3");
    given_limit("host-calls", "2");
    expect("budget/host-calls", "");
    given_limit("host-calls", "1");
    expect("budget/host-calls",
           "error 2 calls of kernels on the host (aten::add.out 2); the most is 1\n");
}

START_TEST(budget_copies_counts_copies_between_devices)
{
    given_limit("copies", "1");
    expect("budget/copies", "");
    given_limit("copies", "0");
    expect("budget/copies",
           "error 1 copy between devices (et_copy::_h2d_copy.out 1); the most is 0\n");
}

START_TEST(budget_planned_memory_holds_on_each_device)
{
    given("INSERT INTO arena VALUES (1, 2, 1000, 'cuda:0'), (1, 3, 1000, 'cuda:1'),"
          " (1, 4, 24, 'cuda:1')");
    given_limit("planned-memory", "4096");
    expect("budget/planned-memory", "");
    given_limit("planned-memory", "1001");
    expect("budget/planned-memory",
           "error 4096 bytes of memory are planned on cpu; the most is 1001\n"
           "error 1024 bytes of memory are planned on cuda:1; the most is 1001\n");
}

START_TEST(budget_planned_memory_of_a_device_goes_before_that_of_each)
{
    given("INSERT INTO arena VALUES (1, 2, 1000, 'cuda:0'), (1, 3, 1000, 'cuda:1')");
    given_limit("planned-memory.cuda", "999");
    expect("budget/planned-memory",
           "error 1000 bytes of memory are planned on cuda:0; the most is 999\n"
           "error 1000 bytes of memory are planned on cuda:1; the most is 999\n");
    given_limit("planned-memory.cuda:0", "1000");
    given_limit("planned-memory", "0");
    expect("budget/planned-memory",
           "error 4096 bytes of memory are planned on cpu; the most is 0\n"
           "error 1000 bytes of memory are planned on cuda:1; the most is 999\n");
    given_limit("planned-memory.cpu", "1MiB");
    given_limit("planned-memory.cuda", "1kB");
    expect("budget/planned-memory", "");
}

Suite *budget_rules_suite(void)
{
    Suite *suite = suite_create("budget rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, given_program, rules_close);
    tcase_add_test(all, budget_rules_need_a_limit);
    tcase_add_test(all, budget_delegated_share_counts_calls);
    tcase_add_test(all, budget_delegated_share_counts_tags_of_a_plan);
    tcase_add_test(all, budget_delegated_share_counts_operators_of_the_program);
    tcase_add_test(all, budget_delegated_share_of_a_lowered_program_is_exact);
    tcase_add_test(all, budget_limits_that_the_file_cannot_show_are_errors);
    tcase_add_test(all, budget_partition_count_counts_delegates);
    tcase_add_test(all, budget_boundary_bytes_counts_operands_and_copies);
    tcase_add_test(all, budget_boundary_bytes_counts_what_calls_of_modules_pass);
    tcase_add_test(all, budget_boundary_bytes_of_unknown_size_only_break_limits);
    tcase_add_test(all, budget_file_size_counts_data_beside_the_program);
    tcase_add_test(all, budget_peak_memory_counts_arenas);
    tcase_add_test(all, budget_host_ops_counts_kinds_of_kernels);
    tcase_add_test(all, budget_host_calls_counts_calls_of_kernels);
    tcase_add_test(all, budget_copies_counts_copies_between_devices);
    tcase_add_test(all, budget_planned_memory_holds_on_each_device);
    tcase_add_test(all, budget_planned_memory_of_a_device_goes_before_that_of_each);
    suite_add_tcase(suite, all);
    return suite;
}
