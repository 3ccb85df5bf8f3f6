/* Rules about planned memory where branches and loops share it. */
#include "unit/rules.h"

#include <stdio.h>
#include <stdlib.h>

/* if c: v1 = f(v0); v3 = v1 else: v2 = f(v0); v3 = v2. Values 1 and 2 share bytes. */
static void branches(void)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 48, 32);
    tensor(3, 96, 32);
    tensor(4, 128, 32);
    given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
          " (6, 1, 5, 'bool', NULL), (7, 1, 6, 'bool', 0)");
    goes_in(0);
    goes_in(5);
    jump(5, 4);
    call("0", "1");
    move(1, 3);
    jump(6, 6);
    call("0", "2");
    move(2, 3);
    call("3", "4");
    comes_out(4);
}

START_TEST(memory_no_live_overlap_lets_branches_share_bytes)
{
    branches();
    expect("memory/no-live-overlap", "");
    expect("memory/use-before-def", "");
}

START_TEST(memory_hop_escape_reports_a_write_over_what_branches_return)
{
    branches();
    given("UPDATE value SET mem_offset = 40 WHERE id = 5");
    expect("memory/hop-escape",
           "error op_6 writes value 4, bytes 40..72 of arena 1, over value 1 (moved to"
           " value 3), bytes 32..64, which is live from op_6 to op_6\n"
           "error op_6 writes value 4, bytes 40..72 of arena 1, over value 2 (moved to"
           " value 3), bytes 48..80, which is live from op_6 to op_6\n");
    expect("memory/no-live-overlap", "");
}

START_TEST(memory_hop_escape_accepts_branches_that_share_bytes)
{
    branches();
    expect("memory/hop-escape", "");
}

/* if c: v1 = f(v0); v2 = v1; then v3 = g(v0), and v4 = h(v2, v3). */
START_TEST(memory_hop_escape_reports_the_next_branch_over_a_result_that_is_needed)
{
    given("INSERT INTO value (id, graph_id, idx, kind) VALUES (6, 1, 5, 'bool')");
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 160, 32);
    tensor(3, 32, 32);
    tensor(4, 96, 32);
    goes_in(0);
    goes_in(5);
    call("0", "1");
    move(1, 2);
    jump(5, 4);
    call("0", "3");
    call("0 2", "4");
    comes_out(4);
    expect("memory/hop-escape",
           "error op_3 writes value 3, bytes 32..64 of arena 1, over value 1 (moved to"
           " value 2), bytes 32..64, which is live from op_3 to op_3\n");
}

/* do { v1 = f(v0); v2 = g(v1) } while (!c); out = v2 */
static void loop(void)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 32);
    given("INSERT INTO value (id, graph_id, idx, kind) VALUES (4, 1, 3, 'bool')");
    goes_in(0);
    goes_in(3);
    call("0", "1");
    call("1", "2");
    jump(3, 0);
    comes_out(2);
}

START_TEST(memory_no_live_overlap_accepts_reuse_inside_of_a_loop)
{
    loop();
    expect("memory/no-live-overlap", "");
}

START_TEST(memory_no_live_overlap_keeps_alive_what_the_next_round_reads)
{
    loop();
    given("UPDATE value SET mem_offset = 8 WHERE id = 3");
    expect("memory/no-live-overlap",
           "error op_1 writes value 2, bytes 8..40 of arena 1, over value 0, bytes"
           " 0..32, which is live from op_0 to op_2\n"
           "error op_1 writes value 2, bytes 8..40 of arena 1, over value 1, bytes"
           " 32..64, which is live from op_0 to op_1\n");
}

START_TEST(memory_use_before_def_reports_what_only_one_branch_writes)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 32);
    given("INSERT INTO value (id, graph_id, idx, kind) VALUES (4, 1, 3, 'bool')");
    goes_in(0);
    goes_in(3);
    jump(3, 2);
    call("0", "1");
    call("1", "2");
    comes_out(2);
    expect("memory/use-before-def", "error op_2 reads value 1, bytes 32..64 of arena 1,"
                                    " which nothing has written on a way there\n");
    expect_witness("[\"op_0\",\"op_2\"]");
}

START_TEST(memory_output_defined_reports_what_only_one_branch_writes)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    given("INSERT INTO value (id, graph_id, idx, kind) VALUES (3, 1, 2, 'bool')");
    goes_in(0);
    goes_in(2);
    jump(2, 2);
    call("0", "1");
    comes_out(1);
    expect("memory/output-defined", "error value 1 is returned, and nothing has written"
                                    " it on a way to the end, op_0\n");
}

Suite *memory_control_rules_suite(void)
{
    Suite *suite = suite_create("memory control rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open_pte, rules_close);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, memory_no_live_overlap_lets_branches_share_bytes);
    tcase_add_test(all, memory_hop_escape_reports_a_write_over_what_branches_return);
    tcase_add_test(all, memory_hop_escape_accepts_branches_that_share_bytes);
    tcase_add_test(
        all, memory_hop_escape_reports_the_next_branch_over_a_result_that_is_needed);
    tcase_add_test(all, memory_no_live_overlap_accepts_reuse_inside_of_a_loop);
    tcase_add_test(all, memory_no_live_overlap_keeps_alive_what_the_next_round_reads);
    tcase_add_test(all, memory_use_before_def_reports_what_only_one_branch_writes);
    tcase_add_test(all, memory_output_defined_reports_what_only_one_branch_writes);
    suite_add_tcase(suite, all);
    return suite;
}
