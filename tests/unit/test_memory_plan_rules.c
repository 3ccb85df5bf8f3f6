#include "unit/rules.h"

#include <stdio.h>

#include "base/hash.h"

START_TEST(memory_id_range_accepts_the_last_arena)
{
    tensor(0, 0, 32);
    expect("memory/id-range", "");
}

START_TEST(memory_id_range_reports_arena_zero_and_one_too_many)
{
    tensor(0, 0, 32);
    tensor(1, 0, 32);
    given("UPDATE value SET mem_id = 2 * idx");
    expect("memory/id-range",
           "error value 0 lies in arena 0; the method has arenas 1..1\n"
           "error value 1 lies in arena 2; the method has arenas 1..1\n");
}

START_TEST(memory_offset_64_accepts_offsets_of_32_bits)
{
    tensor(0, 0, 32);
    given("UPDATE value SET mem_offset = 4294967295");
    expect("memory/offset-64", "");
}

START_TEST(memory_offset_64_warns_where_the_arena_is_smaller)
{
    tensor(0, 0, 32);
    given("UPDATE value SET mem_offset = 4294967296");
    expect("memory/offset-64",
           "warning 1 of the tensors in arena 1 (4096 bytes) begin at 4 GiB or behind;"
           " the first is value 0 at byte 4294967296\n");
    given("UPDATE arena SET size_bytes = 5000000000");
    expect("memory/offset-64",
           "note 1 of the tensors in arena 1 (5000000000 bytes) begin at 4 GiB or"
           " behind; the first is value 0 at byte 4294967296\n");
}

START_TEST(memory_alignment_accepts_multiples_of_16)
{
    tensor(0, 48, 32);
    expect("memory/alignment", "");
}

START_TEST(memory_alignment_reports_each_arena_once)
{
    tensor(0, 48, 32);
    tensor(1, 84, 4);
    tensor(2, 88, 4);
    expect("memory/alignment", "warning 2 of the tensors in arena 1 (4096 bytes) begin "
                               "at a byte that is no multiple of"
                               " 16; the first is value 1 at byte 84\n");
}

START_TEST(memory_hop_device_arena_accepts_branches_in_an_arena_of_the_host)
{
    given("INSERT INTO arena VALUES (1, 2, 64, 'cuda:0')");
    tensor(0, 0, 32);
    jump(0, 1);
    expect("memory/hop-device-arena", "");
}

START_TEST(memory_hop_device_arena_reports_branches_in_an_arena_of_a_device)
{
    given("UPDATE arena SET device = 'cuda:0' WHERE idx = 1");
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    call("0", "1");
    expect("memory/hop-device-arena", "");
    jump(0, 2);
    expect("memory/hop-device-arena",
           "error arena 1 is on cuda:0, and 2 tensors of the host lie in it; the first"
           " is value 0\n");
}

START_TEST(memory_intermediate_unplanned_accepts_ends_handles_and_named_buffers)
{
    unplanned(0, NULL);
    unplanned(1, NULL);
    unplanned(2, NULL);
    unplanned(3, "b");
    unplanned(4, NULL);
    goes_in(0);
    move(0, 1);
    call("1 3", "2");
    comes_out(2);
    expect("memory/intermediate-unplanned", "");
    expect("memory/mutable-planned-or-named", "");
}

START_TEST(memory_intermediate_unplanned_reports_a_tensor_between)
{
    unplanned(0, NULL);
    unplanned(1, NULL);
    unplanned(2, NULL);
    goes_in(0);
    call("0", "1");
    call("1", "2");
    comes_out(2);
    expect(
        "memory/intermediate-unplanned",
        "error op_0 writes value 1, which has no memory: it is not planned, and it is"
        " neither input nor output\n");
    expect("memory/mutable-planned-or-named", "");
}

START_TEST(memory_buffer_from_caller_accepts_planned_buffers_and_named_inputs)
{
    tensor(0, 0, 32);
    given("UPDATE value SET name = 'b' WHERE id = 1");
    unplanned(1, "b");
    goes_in(1);
    unplanned(2, NULL);
    comes_out(2);
    expect("memory/buffer-from-caller", "");
}

START_TEST(memory_buffer_from_caller_notes_a_named_buffer_without_memory)
{
    unplanned(0, "b");
    call_op("aten::copy_", "0", "0", "");
    expect("memory/buffer-from-caller",
           "note buffer 'b', value 0, has a name and no memory: the caller must give it"
           " 32 bytes\n");
}

/* A constant of a .ptd that is not said to be one any more. */
START_TEST(memory_buffer_from_caller_reports_one_that_nothing_writes)
{
    unplanned(0, "b");
    tensor(1, 0, 32);
    call_op("aten::sin.out", "0", "", "1");
    expect("memory/buffer-from-caller",
           "error buffer 'b', value 0, has a name and no memory, and is read and never"
           " written: the caller must give it 32 bytes\n");
}

START_TEST(memory_io_all_or_none_accepts_planned_inputs_and_unplanned_outputs)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    unplanned(2, NULL);
    goes_in(0);
    goes_in(1);
    comes_out(2);
    comes_out(0);
    expect("memory/io-all-or-none", "");
    expect("memory/planned-output", "");
}

START_TEST(memory_io_all_or_none_reports_one_planned_input_of_two)
{
    tensor(0, 0, 32);
    unplanned(1, NULL);
    goes_in(0);
    goes_in(1);
    expect("memory/io-all-or-none",
           "warning 1 of 2 tensor inputs have planned memory (0); 1 has none\n");
}

START_TEST(memory_io_all_or_none_reports_an_output_that_is_an_unplanned_input)
{
    unplanned(0, NULL);
    goes_in(0);
    comes_out(0);
    expect("memory/io-all-or-none",
           "warning output 0 is input 0, value 0, and has no planned memory: a buffer"
           " handed in for the one replaces that of the other\n");
}

START_TEST(memory_io_all_or_none_says_once_of_an_output_that_several_inputs_are)
{
    unplanned(0, NULL);
    goes_in(0);
    goes_in(0);
    comes_out(0);
    expect("memory/io-all-or-none",
           "warning output 0 is input 0, value 0, and has no planned memory: a buffer"
           " handed in for the one replaces that of the other\n");
}

START_TEST(memory_planned_output_notes_a_caller_who_gives_inputs_only)
{
    unplanned(0, NULL);
    tensor(1, 32, 32);
    goes_in(0);
    comes_out(1);
    expect("memory/planned-output",
           "note the caller gives memory to 1 inputs, and the plan to 1 outputs\n");
}

Suite *memory_plan_rules_suite(void)
{
    Suite *suite = suite_create("memory plan rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open_pte, rules_close);
    tcase_add_test(all, memory_id_range_accepts_the_last_arena);
    tcase_add_test(all, memory_id_range_reports_arena_zero_and_one_too_many);
    tcase_add_test(all, memory_offset_64_accepts_offsets_of_32_bits);
    tcase_add_test(all, memory_offset_64_warns_where_the_arena_is_smaller);
    tcase_add_test(all, memory_alignment_accepts_multiples_of_16);
    tcase_add_test(all, memory_alignment_reports_each_arena_once);
    tcase_add_test(all,
                   memory_hop_device_arena_accepts_branches_in_an_arena_of_the_host);
    tcase_add_test(all,
                   memory_hop_device_arena_reports_branches_in_an_arena_of_a_device);
    tcase_add_test(
        all, memory_intermediate_unplanned_accepts_ends_handles_and_named_buffers);
    tcase_add_test(all, memory_intermediate_unplanned_reports_a_tensor_between);
    tcase_add_test(all,
                   memory_buffer_from_caller_accepts_planned_buffers_and_named_inputs);
    tcase_add_test(all, memory_buffer_from_caller_notes_a_named_buffer_without_memory);
    tcase_add_test(all, memory_buffer_from_caller_reports_one_that_nothing_writes);
    tcase_add_test(all,
                   memory_io_all_or_none_accepts_planned_inputs_and_unplanned_outputs);
    tcase_add_test(all, memory_io_all_or_none_reports_one_planned_input_of_two);
    tcase_add_test(all,
                   memory_io_all_or_none_reports_an_output_that_is_an_unplanned_input);
    tcase_add_test(
        all, memory_io_all_or_none_says_once_of_an_output_that_several_inputs_are);
    tcase_add_test(all, memory_planned_output_notes_a_caller_who_gives_inputs_only);
    suite_add_tcase(suite, all);
    return suite;
}
