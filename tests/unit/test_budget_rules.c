/* Rules about limits, against a small program. */
#include "unit/small_plan.h"

#include <stdio.h>

/* A kernel, a delegate of 48 bytes in and out, a copy from the host, a sum of sizes. */
static void given_program(void)
{
    rules_open();
    given_pte();
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
}

START_TEST(budget_delegated_share_counts_calls)
{
    given_limit("delegated-share", "0.25");
    expect("budget/delegated-share", "");
    given_limit("delegated-share", "0.5");
    expect("budget/delegated-share", "error 1 of 4 calls are delegated, a share of"
                                     " 0.25; the least is 0.5. A call of a delegate"
                                     " counts as one, whatever it computes\n");
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

Suite *budget_rules_suite(void)
{
    Suite *suite = suite_create("budget rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, given_program, rules_close);
    tcase_add_test(all, budget_rules_need_a_limit);
    tcase_add_test(all, budget_delegated_share_counts_calls);
    tcase_add_test(all, budget_delegated_share_counts_tags_of_a_plan);
    tcase_add_test(all, budget_partition_count_counts_delegates);
    tcase_add_test(all, budget_boundary_bytes_counts_operands_and_copies);
    tcase_add_test(all, budget_boundary_bytes_counts_what_calls_of_modules_pass);
    tcase_add_test(all, budget_file_size_counts_data_beside_the_program);
    tcase_add_test(all, budget_peak_memory_counts_arenas);
    tcase_add_test(all, budget_host_ops_counts_kinds_of_kernels);
    suite_add_tcase(suite, all);
    return suite;
}
