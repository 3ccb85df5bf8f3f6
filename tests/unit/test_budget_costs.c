/* Limits of what delegates compute and move, by the costs of the program that a .pte
 * was made from. */
#include "unit/rules.h"

#include <string.h>

/* A kernel and a delegate. */
static void given_program(void)
{
    rules_open_pte();
    tensor(0, 0, 24);
    call_op("aten::add.out", "0", "", "0");
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'CudaBackend');"
          "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id) VALUES"
          " (2, 1, 1, 'op_1', 'delegate_call', 1)");
}

static void given_limit(const char *name, const char *number)
{
    given_format("INSERT INTO setting VALUES ('limit.%s', '%s')", name, number);
}

/* A program of two graphs: 30 FLOPs and 300 bytes of its own, and in a delegate, where
 * it is lowered, 70 and 100. */
static void given_costs(const char *role, const char *kind)
{
    given_format(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        " VALUES (2, 'x.pt2', 'pt2', 9, '{}', %s);"
        "INSERT INTO method (id, artifact_id, idx, name, ir)"
        " VALUES (2, 2, 0, 'forward', 'edge');"
        "INSERT INTO \"graph\" VALUES (2, 2, '', 'method'), (3, 2, 'm0', '%s');"
        "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
        " (21, 2, 0, 'a', 'call_function'), (22, 2, 1, 'b', 'call_function'),"
        " (23, 3, 0, 'c', 'call_function');"
        "INSERT INTO cost VALUES (1, 5, 50), (2, NULL, NULL), (21, 10, 200),"
        " (22, 20, 100), (23, 70, 100)",
        role, kind);
    if (!strcmp(kind, "lowered"))
        given("INSERT INTO delegate (id, method_id, idx, backend, graph_id)"
              " SELECT count(*) + 1, 2, 0, 'CudaBackend', 3 FROM delegate");
}

START_TEST(budget_delegated_flops_counts_what_delegates_compute)
{
    given_costs("1, 'program'", "lowered");
    given_limit("delegated-flops", "0.7");
    expect("budget/delegated-flops", "");
    given_limit("delegated-flops", "71%");
    expect("budget/delegated-flops", "error 70 of 100 FLOPs of x.pt2 are delegated, a"
                                     " share of 0.7; the least is 0.71 (71%)\n");
}

START_TEST(budget_delegated_bytes_counts_what_delegates_read_and_write)
{
    given_costs("1, 'program'", "lowered");
    given_limit("delegated-bytes", "0.25");
    expect("budget/delegated-bytes", "");
    given_limit("delegated-bytes", "26%");
    expect("budget/delegated-bytes",
           "error 100 of 400 bytes of memory traffic of x.pt2 are delegated, a share of"
           " 0.25; the least is 0.26 (26%)\n");
}

START_TEST(budget_delegated_flops_of_a_lowered_program_takes_no_other)
{
    rules_close();
    rules_open();
    given_costs("NULL, NULL", "lowered");
    given_limit("delegated-flops", "0.7");
    given_limit("delegated-bytes", "0.26");
    expect("budget/delegated-flops", "");
    expect(
        "budget/delegated-bytes",
        "error 100 of 400 bytes of memory traffic are delegated, a share of 0.25; the"
        " least is 0.26\n");
}

START_TEST(budget_delegated_flops_that_are_not_known_are_errors)
{
    given_limit("delegated-flops", "0");
    given_limit("delegated-bytes", "0");
    expect(
        "budget/delegated-flops",
        "error the limit of 0 cannot be judged: that takes a lowered .pt2, or one with"
        " a plan (--plan FILE), or that a .pte was made from (--program"
        " LOWERED.pt2)\n");
    given_costs("1, 'program'", "lowered");
    expect("budget/delegated-flops", "");
    given("UPDATE cost SET flops = NULL WHERE node_id = 22");
    expect("budget/delegated-flops",
           "error the limit of 0 cannot be judged: the FLOPs of"
           " 1 of 3 calls are not known\n");
    expect("budget/delegated-bytes", "");
    given("UPDATE cost SET bytes = NULL WHERE node_id = 21");
    expect(
        "budget/delegated-bytes",
        "error the limit of 0 cannot be judged: the bytes of memory traffic of 1 of 3"
        " calls are not known\n");
    given("UPDATE method SET name = 'backward' WHERE id = 2;"
          "INSERT INTO method (id, artifact_id, idx, name, ir)"
          " VALUES (3, 2, 1, 'sideways', 'edge')");
    expect("budget/delegated-flops",
           "error the limit of 0 cannot be judged: a method of it is not in the program"
           " that it was made from\n");
}

START_TEST(budget_delegated_flops_are_known_where_the_host_has_none)
{
    given_costs("1, 'program'", "branch");
    given_limit("delegated-flops", "0.5");
    expect(
        "budget/delegated-flops",
        "error the limit of 0.5 cannot be judged: x.pt2 is not lowered and tells only"
        " that about 95.0 % of its FLOPs are delegated; that takes exir.save() of the"
        " lowered program (--program LOWERED.pt2)\n");
    given("UPDATE cost SET flops = 0 WHERE node_id = 1");
    given_limit("delegated-flops", "1");
    expect("budget/delegated-flops", "");
}

/* The delegate's blob says that it computes three operators; one node is a constant. */
static void given_open_delegate(void)
{
    given("INSERT INTO delegate_graph VALUES (1, 1, 'delegate_0', 'delegate', 'tosa', "
          "'{}');"
          "UPDATE delegate SET inside_id = 1;"
          "INSERT INTO delegate_node VALUES (1, 1, 0, 'ADD_0', 'ADD', '{}', 0, NULL, "
          "NULL,"
          "  NULL), (2, 1, 1, 'CONST_1', 'CONST', '{}', 0, NULL, NULL, NULL),"
          " (3, 1, 2, 'MUL_2', 'MUL', '{}', 0, NULL, NULL, NULL),"
          " (4, 1, 3, 'ABS_3', 'ABS', '{}', 0, NULL, NULL, NULL)");
}

static void given_known_costs(void)
{
    given("INSERT OR REPLACE INTO cost VALUES (1, 5, 50), (2, 70, 100)");
}

START_TEST(budget_delegated_ops_counts_operators_inside_of_delegates)
{
    given_open_delegate();
    given_known_costs();
    given_limit("delegated-ops", "0.75");
    expect("budget/delegated-ops", "");
    given_limit("delegated-ops", "76%");
    expect("budget/delegated-ops",
           "error 3 of 4 ops are delegated, a share of 0.75; the"
           " least is 0.76 (76%)\n");
}

START_TEST(budget_delegated_ops_of_a_closed_delegate_takes_its_program)
{
    given_limit("delegated-ops", "0.5");
    expect("budget/delegated-ops",
           "error the limit of 0.5 cannot be judged: that takes a lowered .pt2, or one"
           " with a plan (--plan FILE), or that a .pte was made from (--program"
           " LOWERED.pt2)\n");
    given_costs("1, 'program'", "lowered");
    expect("budget/delegated-ops", "error 1 of 3 ops of x.pt2 are delegated, a share of"
                                   " 0.3333; the least is 0.5\n");
}

START_TEST(budget_costs_of_open_delegates_take_no_lowered_program)
{
    given_open_delegate();
    given_costs("1, 'program'", "branch");
    given_known_costs();
    given_limit("delegated-flops", "0.94");
    expect("budget/delegated-flops", "error 70 of 75 FLOPs are delegated, a share of"
                                     " 0.9333; the least is 0.94\n");
    given_limit("delegated-bytes", "0.67");
    expect("budget/delegated-bytes",
           "error 100 of 150 bytes of memory traffic are delegated, a share of 0.6667;"
           " the least is 0.67\n");
    given("UPDATE cost SET flops = NULL WHERE node_id = 2");
    expect("budget/delegated-flops",
           "error the limit of 0.94 cannot be judged: x.pt2 is not lowered and tells"
           " only that about 95.0 % of its FLOPs are delegated; that takes exir.save()"
           " of the lowered program (--program LOWERED.pt2)\n");
}

START_TEST(budget_costs_of_a_lowered_program_count_where_delegates_are_open)
{
    given_open_delegate();
    given_costs("1, 'program'", "lowered");
    given_known_costs();
    given_limit("delegated-flops", "71%");
    expect("budget/delegated-flops", "error 70 of 100 FLOPs of x.pt2 are delegated, a"
                                     " share of 0.7; the least is 0.71 (71%)\n");
}

Suite *budget_costs_suite(void)
{
    Suite *suite = suite_create("budget costs");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, given_program, rules_close);
    tcase_add_test(all, budget_delegated_flops_counts_what_delegates_compute);
    tcase_add_test(all, budget_delegated_bytes_counts_what_delegates_read_and_write);
    tcase_add_test(all, budget_delegated_flops_of_a_lowered_program_takes_no_other);
    tcase_add_test(all, budget_delegated_flops_that_are_not_known_are_errors);
    tcase_add_test(all, budget_delegated_flops_are_known_where_the_host_has_none);
    tcase_add_test(all, budget_delegated_ops_counts_operators_inside_of_delegates);
    tcase_add_test(all, budget_delegated_ops_of_a_closed_delegate_takes_its_program);
    tcase_add_test(all, budget_costs_of_open_delegates_take_no_lowered_program);
    tcase_add_test(all,
                   budget_costs_of_a_lowered_program_count_where_delegates_are_open);
    suite_add_tcase(suite, all);
    return suite;
}
