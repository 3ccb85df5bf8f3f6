#include "unit/rules.h"

#include <stdio.h>
#include <stdlib.h>

START_TEST(memory_extent_accepts_a_tensor_that_ends_with_its_arena)
{
    tensor(0, 4064, 32);
    expect("memory/extent", "");
}

START_TEST(memory_extent_reports_a_tensor_past_the_end)
{
    tensor(0, 4064, 33);
    expect(
        "memory/extent",
        "error value 0 has 33 bytes at byte 4064 of arena 1, which has 4096 bytes\n");
}

START_TEST(memory_extent_reports_the_least_size_that_a_file_can_say)
{
    tensor(0, 0, 32);
    given("UPDATE arena SET size_bytes = -9223372036854775807 - 1 WHERE idx = 1");
    expect("memory/extent", "error value 0 has 32 bytes at byte 0 of arena 1, which has"
                            " -9223372036854775808 bytes\n");
    expect("memory/slack", "");
    expect("memory/peak", "");
}

START_TEST(memory_use_before_def_accepts_inputs_constants_and_results)
{
    tensor(0, 0, 32);
    tensor(2, 32, 32);
    given("INSERT INTO value (id, graph_id, idx, kind, storage) VALUES"
          " (2, 1, 1, 'tensor', 'constant')");
    goes_in(0);
    call("0 1", "2");
    call("2", "0");
    expect("memory/use-before-def", "");
}

START_TEST(memory_use_before_def_reports_what_nothing_wrote)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 32);
    goes_in(0);
    call("0 1", "2");
    comes_out(2);
    expect("memory/use-before-def", "error op_0 reads value 1, bytes 32..64 of arena 1,"
                                    " which nothing has written on a way there\n");
    expect_witness("[\"op_0\"]");
}

/* Delegate 0 is called with 0 and 1, and gives 2; nothing writes value 1. Its blob has
 * these two values and one node that reads the first, or both. */
static void call_delegate(const char *format)
{
    for (int i = 0; i < 3; i++)
        tensor(i, 32 * i, 32);
    goes_in(0);
    call("0 1", "2");
    comes_out(2);
    given(
        "INSERT INTO delegate_graph (id, method_id, path, kind, format) VALUES"
        " (1, 1, 'delegate_0', 'delegate', 'xnnpack');"
        "INSERT INTO delegate (id, method_id, idx, backend, inside_id) VALUES"
        " (1, 1, 0, 'XnnpackBackend', 1);"
        "INSERT INTO delegate_value (id, graph_id, idx, datatype, flags, external_id)"
        " VALUES (1, 1, 0, 'fp32', 1, 0), (2, 1, 1, 'fp32', 1, 1);"
        "INSERT INTO delegate_node (id, graph_id, idx, name, op, args, flags) VALUES"
        " (1, 1, 0, 'Add_0', 'Add', '{}', 0);"
        "INSERT INTO delegate_operand (node_id, pos, name, value_idx, value_id, access)"
        " VALUES (1, 0, 'input1', 0, 1, 'read');"
        "UPDATE node SET kind = 'delegate_call', delegate_id = 1, op_id = NULL");
    given_format("UPDATE delegate_graph SET format = '%s'", format);
}

START_TEST(memory_use_before_def_accepts_what_a_delegate_may_not_look_at)
{
    call_delegate("xnnpack");
    expect("memory/use-before-def", "");
}

START_TEST(memory_use_before_def_accepts_what_an_unknown_blob_may_not_look_at)
{
    call_delegate("other");
    given(
        "INSERT INTO delegate_operand (node_id, pos, name, value_idx, value_id, access)"
        " VALUES (1, 1, 'input2', 1, 2, 'read')");
    expect("memory/use-before-def", "");
}

START_TEST(memory_use_before_def_reports_what_a_node_of_the_blob_reads)
{
    call_delegate("xnnpack");
    given(
        "INSERT INTO delegate_operand (node_id, pos, name, value_idx, value_id, access)"
        " VALUES (1, 1, 'input2', 1, 2, 'read')");
    expect("memory/use-before-def", "error op_0 reads value 1, bytes 32..64 of arena 1,"
                                    " which nothing has written on a way there\n");
}

START_TEST(memory_no_live_overlap_reports_an_input_over_what_a_delegate_reads_first)
{
    call_delegate("xnnpack");
    given(
        "INSERT INTO delegate_operand (node_id, pos, name, value_idx, value_id, access)"
        " VALUES (1, 1, 'input2', 1, 2, 'read')");
    call_op("aten::copy_", "2", "1", "");
    expect("memory/use-before-def", "");
    expect("memory/no-live-overlap", "");
    given("UPDATE value SET mem_offset = 32 WHERE idx = 0");
    expect(
        "memory/no-live-overlap",
        "error value 1, bytes 32..64 of arena 1, and value 0, bytes 32..64 share bytes,"
        " and both hold data before the first instruction\n");
}

START_TEST(memory_dead_store_notes_a_delegate_whose_blob_only_computes)
{
    call_delegate("xnnpack");
    given(
        "INSERT INTO delegate_operand (node_id, pos, name, value_idx, value_id, access)"
        " VALUES (1, 1, 'input2', 1, 2, 'read');"
        "DELETE FROM signature WHERE direction = 'output'");
    expect("memory/dead-store",
           "note op_0 writes value 2, and nothing reads what it writes\n");
    given("UPDATE delegate_graph SET format = 'other'");
    expect("memory/dead-store", "");
}

START_TEST(memory_use_before_def_takes_what_is_written_later_for_a_buffer)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 32);
    goes_in(0);
    call("0 1", "2");
    call_op("aten::copy_", "2", "1", "");
    comes_out(2);
    expect("memory/use-before-def", "");
}

START_TEST(memory_use_before_def_reports_a_result_that_is_read_too_early)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 32);
    goes_in(0);
    call("0 1", "2");
    call("0", "1");
    comes_out(2);
    expect("memory/use-before-def", "error op_0 reads value 1, bytes 32..64 of arena 1,"
                                    " which nothing has written on a way there\n");
    expect("memory/mutable-exclusive", "");
}

START_TEST(memory_use_before_def_accepts_what_another_method_leaves_in_an_arena)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'update', 'pte', NULL, NULL);"
          "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
          "INSERT INTO arena VALUES (1, 2, 32, 'cpu'), (2, 0, 0, 'cpu'),"
          " (2, 1, 4096, 'cpu'), (2, 2, 32, 'cpu')");
    tensor(0, 0, 32);
    tensor(1, 0, 32);
    call("1", "0");
    comes_out(0);
    given("UPDATE value SET mem_id = 2 WHERE id = 2;"
          "INSERT INTO value (id, graph_id, idx, kind, storage, mem_id, mem_offset,"
          " nbytes) VALUES (3, 2, 0, 'tensor', 'planned', 2, 0, 32);"
          "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
          " (2, 2, 0, 'op_0', 'kernel_call');"
          "INSERT INTO operand VALUES (2, 0, 0, 3, 'write')");
    expect("memory/use-before-def", "");
    given("UPDATE value SET mem_offset = 16 WHERE id = 3");
    expect("memory/use-before-def", "error op_0 reads value 1, bytes 0..32 of arena 2,"
                                    " which nothing has written on a way there\n");
}

START_TEST(memory_use_before_def_accepts_a_view_of_a_buffer_that_is_written_back)
{
    tensor(0, 0, 32);
    tensor(1, 0, 32);
    tensor(2, 32, 32);
    call("1", "2");
    call_op("aten::copy_", "2", "0", "");
    comes_out(2);
    expect("memory/use-before-def", "");
    expect("memory/no-live-overlap", "");
    expect("memory/mutable-exclusive", "");
}

START_TEST(memory_output_defined_accepts_results_inputs_and_constants)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    given("INSERT INTO value (id, graph_id, idx, kind, storage, nbytes) VALUES"
          " (3, 1, 2, 'tensor', 'constant', 8), (4, 1, 3, 'tensor', 'runtime', 8)");
    goes_in(0);
    call("0", "1");
    call("0", "3");
    comes_out(0);
    comes_out(1);
    comes_out(2);
    comes_out(3);
    expect("memory/output-defined", "");
}

START_TEST(memory_output_defined_accepts_a_view_whose_base_is_written_last)
{
    tensor(0, 64, 32);
    tensor(1, 0, 32);
    tensor(2, 0, 48);
    goes_in(0);
    call("0", "2");
    call("2", "1");
    tensor(3, 0, 32);
    comes_out(3);
    expect("memory/output-defined", "");
}

START_TEST(memory_output_defined_reports_an_output_that_begins_with_a_larger_value)
{
    const char *missing = "error value 3 is returned, and nothing has written it on a"
                          " way to the end, op_1\n";

    tensor(0, 64, 32);
    tensor(1, 128, 32);
    tensor(2, 0, 48);
    goes_in(0);
    call("0", "2");
    call("2", "1");
    tensor(3, 0, 32);
    comes_out(3);
    expect("memory/output-defined", missing);
    given("UPDATE value SET mem_offset = 0 WHERE idx = 1;"
          "UPDATE value SET nbytes = 32 WHERE idx = 2;"
          "UPDATE value SET nbytes = 16 WHERE idx = 1");
    expect("memory/output-defined", missing);
}

START_TEST(memory_output_defined_reports_an_output_of_a_method_without_instructions)
{
    tensor(0, 0, 32);
    comes_out(0);
    expect("memory/output-defined",
           "error value 0 is returned, and there is no instruction to write it\n");
}

START_TEST(memory_view_alias_accepts_a_view_of_its_size)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    goes_in(0);
    call("0", "1");
    call("2", "0");
    comes_out(0);
    expect("memory/view-alias", "");
}

START_TEST(memory_view_alias_reports_views_of_other_sizes)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 96);
    goes_in(0);
    call("0", "1");
    call("2", "0");
    comes_out(0);
    expect("memory/view-alias",
           "error value 2 is a view of value 1: it has 96 bytes, its base 32\n");
    given("UPDATE value SET nbytes = 16 WHERE id = 3");
    expect("memory/view-alias",
           "warning value 2 is a view of value 1: it has 16 bytes, its base 32\n");
}

START_TEST(memory_inplace_alias_accepts_an_operator_that_gives_back_its_value)
{
    tensor(0, 0, 32);
    tensor(1, 0, 32);
    tensor(2, 32, 32);
    goes_in(0);
    call_op("aten::index_put_", "", "0", "0");
    call("0", "2");
    call_op("aten::index_put_", "2", "0", "1");
    call("1", "2");
    comes_out(2);
    expect("memory/inplace-alias", "");
}

START_TEST(memory_inplace_alias_reports_another_place_and_a_later_reader)
{
    tensor(0, 0, 32);
    tensor(1, 64, 32);
    tensor(2, 32, 32);
    goes_in(0);
    call_op("aten::index_put_", "", "0", "1");
    call("0 1", "2");
    comes_out(2);
    expect(
        "memory/inplace-alias",
        "warning op_0 works in place on value 0, bytes 0..32 of arena 1, and gives it"
        " back as value 1, bytes 64..96 of arena 1\n"
        "error op_1 reads value 0, which op_0 has updated in place and given back as"
        " value 1\n");
    expect_witness("[]");
}

/* Values are numbered as emission comes to them: 1 is a view of 0, and 4 what op_1
 * makes, which works in place. */
static void given_update_in_place(const char *reads, int result)
{
    char made[8];

    tensor(0, 0, 32);
    tensor(1, 0, 32);
    tensor(2, 32, 32);
    tensor(3, 64, 32);
    tensor(4, 96, 32);
    tensor(5, 0, 32);
    tensor(6, 128, 32);
    goes_in(3);
    call("3", "0");
    call_op("aten::index_put_", "4 3", "0", "0");
    snprintf(made, sizeof(made), "%d", result);
    call(reads, made);
    comes_out(result);
}

START_TEST(memory_inplace_alias_accepts_readers_of_the_new_value)
{
    given_update_in_place("0 5", 6);
    expect("memory/inplace-alias", "");
}

START_TEST(memory_inplace_alias_reports_a_reader_of_a_view_of_the_old_value)
{
    given_update_in_place("1", 6);
    expect("memory/inplace-alias", "error op_2 reads value 1, a view from before op_1"
                                   " has updated its base in place\n");
    expect_witness("[\"op_1\",\"op_2\"]");
}

START_TEST(memory_inplace_alias_reports_a_reader_that_was_emitted_before)
{
    given_update_in_place("0", 2);
    expect("memory/inplace-alias", "error op_2 reads value 0, and was emitted before"
                                   " op_1 has updated it in place\n");
}

Suite *memory_rules_suite(void)
{
    Suite *suite = suite_create("memory rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open_pte, rules_close);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, memory_extent_accepts_a_tensor_that_ends_with_its_arena);
    tcase_add_test(all, memory_extent_reports_a_tensor_past_the_end);
    tcase_add_test(all, memory_extent_reports_the_least_size_that_a_file_can_say);
    tcase_add_test(all, memory_use_before_def_accepts_inputs_constants_and_results);
    tcase_add_test(all, memory_use_before_def_reports_what_nothing_wrote);
    tcase_add_test(all, memory_use_before_def_accepts_what_a_delegate_may_not_look_at);
    tcase_add_test(all,
                   memory_use_before_def_accepts_what_an_unknown_blob_may_not_look_at);
    tcase_add_test(all, memory_use_before_def_reports_what_a_node_of_the_blob_reads);
    tcase_add_test(
        all, memory_no_live_overlap_reports_an_input_over_what_a_delegate_reads_first);
    tcase_add_test(all, memory_dead_store_notes_a_delegate_whose_blob_only_computes);
    tcase_add_test(all, memory_use_before_def_takes_what_is_written_later_for_a_buffer);
    tcase_add_test(all, memory_use_before_def_reports_a_result_that_is_read_too_early);
    tcase_add_test(
        all, memory_use_before_def_accepts_what_another_method_leaves_in_an_arena);
    tcase_add_test(
        all, memory_use_before_def_accepts_a_view_of_a_buffer_that_is_written_back);
    tcase_add_test(all, memory_output_defined_accepts_results_inputs_and_constants);
    tcase_add_test(all,
                   memory_output_defined_accepts_a_view_whose_base_is_written_last);
    tcase_add_test(
        all, memory_output_defined_reports_an_output_that_begins_with_a_larger_value);
    tcase_add_test(
        all, memory_output_defined_reports_an_output_of_a_method_without_instructions);
    tcase_add_test(all, memory_view_alias_accepts_a_view_of_its_size);
    tcase_add_test(all, memory_view_alias_reports_views_of_other_sizes);
    tcase_add_test(all,
                   memory_inplace_alias_accepts_an_operator_that_gives_back_its_value);
    tcase_add_test(all, memory_inplace_alias_reports_another_place_and_a_later_reader);
    tcase_add_test(all, memory_inplace_alias_accepts_readers_of_the_new_value);
    tcase_add_test(all,
                   memory_inplace_alias_reports_a_reader_of_a_view_of_the_old_value);
    tcase_add_test(all, memory_inplace_alias_reports_a_reader_that_was_emitted_before);
    suite_add_tcase(suite, all);
    return suite;
}
