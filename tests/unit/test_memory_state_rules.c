/* Rules about memory that methods keep, and about arenas of which little is used. */
#include "unit/rules.h"

#include <stdio.h>

#include "base/hash.h"

static void second_method(void)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'decode', 'pte', NULL, NULL);"
          "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
          "INSERT INTO arena VALUES (1, 2, 64, 'cpu'), (2, 0, 0, 'cpu'),"
          " (2, 1, 4096, 'cpu'), (2, 2, 64, 'cpu')");
}

START_TEST(memory_mutable_planned_or_named_reports_a_buffer_with_neither)
{
    tensor(0, 0, 32);
    unplanned(1, NULL);
    goes_in(0);
    call_op("aten::copy_", "0", "1", "");
    expect("memory/mutable-planned-or-named",
           "error op_0 writes value 1, a buffer that has neither planned memory nor a"
           " name\n");
    expect("memory/intermediate-unplanned", "");
}

START_TEST(memory_mutable_exclusive_accepts_neighbours_and_views)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    tensor(3, 64, 32);
    given("UPDATE value SET name = 'b' WHERE id = 2");
    goes_in(0);
    call("0 2", "3");
    call_op("aten::index_put_", "", "1", "1");
    comes_out(3);
    expect("memory/mutable-exclusive", "");
}

START_TEST(memory_mutable_exclusive_reports_what_shares_bytes_with_a_buffer)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 48, 32);
    given("UPDATE value SET name = 'b' WHERE id = 2");
    goes_in(0);
    call("0", "2");
    call_op("aten::copy_", "2", "1", "");
    expect("memory/mutable-exclusive",
           "error buffer value 1, bytes 32..64 of arena 1, shares bytes with value 2,"
           " bytes 48..80\n");
}

START_TEST(memory_mutable_exclusive_reports_two_buffers_in_one_place)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    goes_in(0);
    call("0 1 2", "0");
    call_op("aten::copy_", "0", "1", "");
    call_op("aten::copy_", "0", "2", "");
    expect("memory/mutable-exclusive",
           "error buffer value 1, bytes 32..64 of arena 1, shares bytes with value 2,"
           " bytes 32..64\n");
}

static void shared_buffer(int offset)
{
    second_method();
    given("INSERT INTO value (id, graph_id, idx, name, kind, dtype, storage, mem_id,"
          " mem_offset, nbytes) VALUES"
          " (1, 1, 0, 'k', 'tensor', 'f32', 'planned', 2, 0, 16),"
          " (2, 2, 0, 'k', 'tensor', 'f32', 'planned', 2, 0, 16)");
    if (offset)
        given("UPDATE value SET mem_offset = 32 WHERE id = 2");
}

START_TEST(memory_mutable_shared_consistent_accepts_one_place)
{
    shared_buffer(0);
    expect("memory/mutable-shared-consistent", "");
}

START_TEST(memory_mutable_shared_consistent_reports_two_places)
{
    shared_buffer(32);
    expect("memory/mutable-shared-consistent",
           "error buffer k is 16 bytes of f32 at byte 32 of arena 2; in method forward"
           " it is 16 bytes of f32 at byte 0 of arena 2\n");
    given("UPDATE arena SET size_bytes = 96 WHERE method_id = 2 AND idx = 2");
    expect(
        "memory/mutable-shared-consistent",
        "warning buffer k is 16 bytes of f32 at byte 32 of arena 2; in method forward"
        " it is 16 bytes of f32 at byte 0 of arena 2\n");
    given("UPDATE value SET mem_id = 1");
    expect("memory/mutable-shared-consistent", "");
}

static void starts_with(const char *digest)
{
    given_format("UPDATE value SET storage = 'mutable', data_index = id;"
                 "INSERT INTO constant (id, artifact_id, idx, kind, xxh3) VALUES"
                 " (1, 1, 0, 'mutable', NULL), (2, 1, 1, 'mutable', 'aa'),"
                 " (3, 1, 2, 'mutable', '%s')",
                 digest);
}

START_TEST(memory_mutable_shared_consistent_accepts_one_beginning)
{
    shared_buffer(0);
    starts_with("aa");
    expect("memory/mutable-shared-consistent", "");
}

START_TEST(memory_mutable_shared_consistent_reports_two_beginnings)
{
    shared_buffer(0);
    starts_with("bb");
    expect("memory/mutable-shared-consistent",
           "error buffer k begins with other bytes than in method forward\n");
}

/* Another FreeCall of value 0. */
static void freed(void)
{
    given("INSERT INTO node (id, graph_id, idx, name, kind) SELECT"
          " coalesce(max(id), 0) + 1, 1, coalesce(max(id), 0), 'op_0', 'free_call'"
          " FROM node;"
          "INSERT INTO operand SELECT max(id), 0, 0, 1, 'read' FROM node");
}

START_TEST(memory_free_target_accepts_an_unbounded_tensor)
{
    unplanned(0, NULL);
    given("UPDATE value SET dynamism = 'unbounded'");
    freed();
    expect("memory/free-target", "");
}

START_TEST(memory_free_target_reports_planned_tensors_outputs_and_the_second_time)
{
    unplanned(0, NULL);
    given("UPDATE value SET dynamism = 'unbounded'");
    freed();
    freed();
    expect("memory/free-target", "warning value 0 is freed, and it is freed before\n");
    given("UPDATE value SET dynamism = 'static'; DELETE FROM node WHERE id = 2");
    expect("memory/free-target", "error value 0 is freed, and it is of static shape:"
                                 " its memory is not its own\n");
    given("UPDATE value SET kind = 'int'");
    expect("memory/free-target", "error value 0 is freed, and it is of kind int\n");
    given("UPDATE value SET kind = 'tensor', dynamism = 'unbounded'");
    comes_out(0);
    expect("memory/free-target",
           "error value 0 is freed, and it is an output of the method\n");
}

static void delegate_reads(int offset)
{
    tensor(0, offset, 32);
    tensor(1, 0, 32);
    goes_in(0);
    call("0", "1");
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'XnnpackBackend');"
          "UPDATE node SET kind = 'delegate_call', delegate_id = 1, op_id = NULL");
}

/* A delegate alone reads value 1, which a copy updates; value 2 is computed before. */
static void delegate_reads_state(int offset)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, offset, 32);
    tensor(3, 96, 32);
    goes_in(0);
    call("0", "2");
    call("1 2", "3");
    call_op("aten::copy_", "3", "1", "");
    comes_out(3);
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'XnnpackBackend');"
          "UPDATE node SET kind = 'delegate_call', delegate_id = 1, op_id = NULL"
          " WHERE id = 2");
}

START_TEST(memory_mutable_exclusive_accepts_state_that_a_delegate_reads)
{
    delegate_reads_state(64);
    expect("memory/mutable-exclusive", "");
    expect("memory/no-live-overlap", "");
}

START_TEST(memory_mutable_exclusive_reports_what_shares_bytes_with_it)
{
    delegate_reads_state(48);
    expect("memory/mutable-exclusive",
           "error buffer value 1, bytes 32..64 of arena 1, shares bytes with value 2,"
           " bytes 48..80\n");
}

START_TEST(memory_xnnpack_padding_accepts_64_bytes)
{
    delegate_reads(4000);
    expect("memory/xnnpack-padding", "");
}

START_TEST(memory_xnnpack_padding_notes_less)
{
    delegate_reads(4016);
    expect("memory/xnnpack-padding", "note value 0 ends at byte 4048 of arena 1, which"
                                     " has 4096 bytes: 48 of 64 are left behind it\n");
}

START_TEST(memory_slack_accepts_padding)
{
    tensor(0, 3984, 32);
    expect("memory/slack", "");
}

START_TEST(memory_slack_notes_a_tail_that_nothing_uses)
{
    tensor(0, 32, 32);
    expect("memory/slack", "note arena 1 has 4096 bytes, and its tensors end at byte"
                           " 64: 4032 bytes are never used\n");
}

START_TEST(memory_slack_accepts_what_another_method_uses_of_a_shared_arena)
{
    second_method();
    tensor(0, 4000, 32);
    given("INSERT INTO value (id, graph_id, idx, kind, storage, mem_id, mem_offset,"
          " nbytes) VALUES (2, 2, 0, 'tensor', 'planned', 1, 4000, 32),"
          " (3, 2, 1, 'tensor', 'planned', 2, 0, 64)");
    expect("memory/slack", "");
}

static void two_steps(int size)
{
    given("UPDATE arena SET size_bytes = 20000 WHERE idx = 1");
    tensor(0, 0, size);
    tensor(1, size, size);
    tensor(2, 2 * size, size);
    goes_in(0);
    call("0", "1");
    call("1", "2");
    comes_out(2);
}

START_TEST(memory_peak_accepts_an_arena_that_is_full_once)
{
    two_steps(8000);
    expect("memory/peak", "");
}

START_TEST(memory_peak_notes_an_arena_that_is_never_full)
{
    two_steps(5000);
    expect(
        "memory/peak",
        "note arena 1 has 20000 bytes, and never more than 10000 of them matter at a"
        " time: 50.0 percent are lost; most matter at op_0, of 2 tensors, the largest"
        " value 0 of 5000 bytes\n");
}

/* The cache at bytes 0..10000 is dead between two calls, and never free. */
START_TEST(memory_peak_accepts_an_arena_that_is_full_with_state)
{
    given("UPDATE arena SET size_bytes = 20000 WHERE idx = 1");
    tensor(0, 0, 10000);
    tensor(1, 10000, 5000);
    tensor(2, 15000, 5000);
    call("0", "1");
    call("1", "2");
    call_op("aten::copy_", "2", "0", "");
    call("0", "1");
    comes_out(1);
    expect("memory/peak", "");
}

static void buffer_program(const char *setting)
{
    rules_close();
    rules_open();
    given_pt2();
    given(setting);
    given("INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target)"
          " VALUES (1, 'output', 0, 'add', 'tensor', 'buffer_mutation', 'count');"
          "INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, dtype,"
          " nbytes, xxh3) VALUES (1, 1, 1, 0, 'count', 'buffer', 'i64', 8, 'other')");
}

START_TEST(memory_mutable_initial_state_warns_of_a_buffer_that_is_lost)
{
    buffer_program("INSERT INTO setting VALUES ('for', 'executorch')");
    expect("memory/mutable-initial-state",
           "warning buffer count is changed and begins with other bytes than zeros\n");
}

START_TEST(memory_mutable_initial_state_accepts_zeros)
{
    struct dg_arena memory = {0};
    char sql[128];

    buffer_program("INSERT INTO setting VALUES ('for', 'executorch')");
    snprintf(sql, sizeof(sql), "UPDATE constant SET xxh3 = '%s'",
             dg_xxh3((struct dg_bytes){(const uint8_t[8]){0}, 8}, &memory).data);
    given(sql);
    dg_arena_clear(&memory);
    expect("memory/mutable-initial-state", "");
}

START_TEST(memory_mutable_initial_state_needs_to_know_that_the_program_is_lowered)
{
    buffer_program("SELECT 1");
    expect_not_checked("memory/mutable-initial-state",
                       "the program is not said to be lowered (--for executorch)");
    rules_close();
    rules_open_pte();
    expect_not_checked("memory/mutable-initial-state",
                       "the program it was made from is not given (--program FILE)");
}

START_TEST(memory_mutable_initial_state_holds_a_pte_to_its_program)
{
    buffer_program("UPDATE artifact SET companion_of = 2, role = 'program';"
                   "INSERT INTO artifact (id, path, kind, size_bytes, version) VALUES"
                   " (2, 'a.pte', 'pte', 64, '{}');"
                   "INSERT INTO method VALUES (2, 2, 0, 'forward', 'pte', NULL, NULL);"
                   "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
                   "INSERT INTO value (id, graph_id, idx, kind, dtype, nbytes, storage)"
                   " VALUES (1, 2, 0, 'tensor', 'i64', 8, 'planned');"
                   "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
                   " (1, 2, 0, 'op_0', 'kernel_call');"
                   "INSERT INTO operand VALUES (1, 0, 0, 1, 'both')");
    expect("memory/mutable-initial-state",
           "warning buffer count begins with other bytes than zeros in the program, and"
           " the method keeps none of them\n");
    given("UPDATE value SET storage = 'mutable'");
    expect("memory/mutable-initial-state", "");
}

Suite *memory_state_rules_suite(void)
{
    Suite *suite = suite_create("memory state rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open_pte, rules_close);
    tcase_add_test(all, memory_mutable_planned_or_named_reports_a_buffer_with_neither);
    tcase_add_test(all, memory_mutable_exclusive_accepts_neighbours_and_views);
    tcase_add_test(all,
                   memory_mutable_exclusive_reports_what_shares_bytes_with_a_buffer);
    tcase_add_test(all, memory_mutable_exclusive_reports_two_buffers_in_one_place);
    tcase_add_test(all, memory_mutable_shared_consistent_accepts_one_place);
    tcase_add_test(all, memory_mutable_shared_consistent_reports_two_places);
    tcase_add_test(all, memory_mutable_shared_consistent_accepts_one_beginning);
    tcase_add_test(all, memory_mutable_shared_consistent_reports_two_beginnings);
    tcase_add_test(all, memory_free_target_accepts_an_unbounded_tensor);
    tcase_add_test(
        all, memory_free_target_reports_planned_tensors_outputs_and_the_second_time);
    tcase_add_test(all, memory_xnnpack_padding_accepts_64_bytes);
    tcase_add_test(all, memory_xnnpack_padding_notes_less);
    tcase_add_test(all, memory_slack_accepts_padding);
    tcase_add_test(all, memory_slack_notes_a_tail_that_nothing_uses);
    tcase_add_test(all,
                   memory_slack_accepts_what_another_method_uses_of_a_shared_arena);
    tcase_add_test(all, memory_peak_accepts_an_arena_that_is_full_once);
    tcase_add_test(all, memory_peak_notes_an_arena_that_is_never_full);
    tcase_add_test(all, memory_peak_accepts_an_arena_that_is_full_with_state);
    tcase_add_test(all, memory_mutable_initial_state_warns_of_a_buffer_that_is_lost);
    tcase_add_test(all, memory_mutable_initial_state_accepts_zeros);
    tcase_add_test(all, memory_mutable_exclusive_accepts_state_that_a_delegate_reads);
    tcase_add_test(all, memory_mutable_exclusive_reports_what_shares_bytes_with_it);
    tcase_add_test(
        all, memory_mutable_initial_state_needs_to_know_that_the_program_is_lowered);
    tcase_add_test(all, memory_mutable_initial_state_holds_a_pte_to_its_program);
    suite_add_tcase(suite, all);
    return suite;
}
