#include "unit/rules.h"

#include "base/text.h"

static void open_plan(void)
{
    rules_open_pte();
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    tensor(3, 64, 32);
    tensor(4, 32, 32);
    goes_in(0);
}

START_TEST(memory_live_alias_accepts_views_of_one_base_and_reuse_behind_them)
{
    call("0", "1");
    call("2", "3");
    call("1 2 3", "0");
    call("0", "4");
    call("4", "0");
    comes_out(0);
    expect("memory/live-alias", "");
}

START_TEST(memory_live_alias_notes_a_result_over_a_view_that_is_read_later)
{
    call("0", "1");
    call("2", "3");
    call("0", "4");
    call("2 3 4", "0");
    comes_out(0);
    expect("memory/no-live-overlap", "");
    expect("memory/live-alias",
           "note op_2 writes value 4 over value 2, bytes 32..64 of arena 1, which op_1"
           " reads before and op_3 behind it\n");
    expect_witness("[\"op_1\",\"op_2\",\"op_3\"]");
}

START_TEST(memory_live_alias_accepts_a_base_that_is_updated_in_place)
{
    call("0", "1");
    call("2", "3");
    call_op("aten::add_", "3", "1", "4");
    call("2 3 4", "0");
    comes_out(0);
    expect("memory/live-alias", "");
}

START_TEST(memory_live_alias_accepts_a_view_of_an_input)
{
    tensor(5, 0, 32);
    call("0 5", "3");
    call("5 3", "1");
    comes_out(1);
    expect("memory/live-alias", "");
}

START_TEST(memory_live_alias_notes_what_lies_on_bytes_of_another_type)
{
    call("0", "1");
    call("2", "3");
    comes_out(3);
    given("UPDATE value SET dtype = iif(idx = 2, 'i64', 'f32')");
    expect("memory/live-alias",
           "note op_1 reads value 2, bytes 32..64 of arena 1, i64, which no instruction"
           " writes; value 1, f32, lies there\n");
}

/* Each value names the bytes of all those before it. */
static void hand_on(int n)
{
    for (int i = 5; i < n; i++)
        tensor(i, 96 + i % 8 * 32, 32);
    for (int i = 0; i + 1 < n; i++)
        move(i, i + 1);
    comes_out(n - 1);
}

START_TEST(memory_no_live_overlap_follows_a_chain_of_moves)
{
    hand_on(200);
    expect("memory/no-live-overlap", "");
}

START_TEST(memory_no_live_overlap_gives_up_where_moves_and_values_multiply)
{
    hand_on(2500);
    expect("memory/no-live-overlap",
           "note the method has too many jumps and values to be checked\n");
}

START_TEST(memory_dead_store_accepts_results_of_which_one_is_read)
{
    call("0", "1 3");
    call("3", "0");
    comes_out(0);
    expect("memory/dead-store", "");
}

START_TEST(memory_dead_store_accepts_what_a_view_shows_and_what_stays)
{
    call("0", "1");
    call("2", "3");
    call_op("aten::add_", "0", "3", "4");
    comes_out(3);
    expect("memory/dead-store", "");
    given("UPDATE value SET storage = 'mutable' WHERE idx = 3");
    expect("memory/dead-store", "");
}

START_TEST(memory_dead_store_accepts_what_may_do_more_than_it_says)
{
    call_op("custom::print", "0", "", "1");
    given("UPDATE op SET args = NULL");
    expect("memory/dead-store", "");
}

START_TEST(memory_dead_store_notes_once_what_nothing_reads)
{
    call("0", "1");
    call("0", "0");
    call("0", "3");
    comes_out(0);
    expect("memory/dead-store",
           "note op_0 writes value 1, and nothing reads what it writes; and 1 more\n");
    expect_witness("[\"op_0\",\"op_2\"]");
}

START_TEST(memory_single_assignment_accepts_results_updates_and_copies)
{
    call_op("aten::add.out", "0 0", "", "1 1");
    call_op("aten::add_", "0", "1", "2");
    call_op("aten::copy_", "1", "0", "");
    call("1", "3");
    comes_out(3);
    expect("memory/single-assignment", "");
}

/* As the write-back of a buffer that the caller passes. */
START_TEST(memory_single_assignment_accepts_what_gives_back_what_it_updates)
{
    call("0", "1");
    call_op("aten::copy_", "1", "0", "0");
    call_op("aten::add_", "1", "3", "3");
    call_op("aten::add_", "1", "3", "3");
    comes_out(0);
    expect("memory/single-assignment", "");
}

START_TEST(memory_single_assignment_accepts_moves_from_branches)
{
    jump(0, 3);
    call("0", "1");
    move(1, 3);
    call("0", "2");
    move(2, 3);
    comes_out(3);
    expect("memory/single-assignment", "");
}

START_TEST(memory_single_assignment_reports_a_result_that_is_written_again)
{
    call("0", "1");
    call("1", "3");
    call("3", "1");
    comes_out(1);
    expect("memory/single-assignment",
           "warning value 1 is the result of op_0, and of op_2\n");
    expect_witness("[\"op_0\",\"op_2\"]");
}

START_TEST(memory_single_assignment_reports_an_input_that_is_a_result)
{
    call("0", "1");
    call("1", "0");
    comes_out(1);
    expect("memory/single-assignment",
           "warning value 0 is an input, and the result of op_1\n");
}

/* One of them is returned, and nothing looks at the other. */
START_TEST(memory_no_live_overlap_reports_inputs_that_no_instruction_reads)
{
    goes_in(1);
    goes_in(2);
    comes_out(1);
    expect(
        "memory/no-live-overlap",
        "error two inputs share bytes: value 2, bytes 32..64 of arena 1, and value 1,"
        " bytes 32..64; the one that is set last is seen\n");
}

START_TEST(memory_no_live_overlap_names_a_few_inputs_and_counts_the_rest)
{
    struct dg_writer want = {0};

    given("DELETE FROM signature");
    for (int i = 5; i < 30; i++) {
        tensor(i, 200, 32);
        goes_in(i);
    }
    for (int i = 6; i < 26; i++)
        dg_print(
            &want,
            "error two inputs share bytes: value %d, bytes 200..232 of arena 1, and"
            " value 5, bytes 200..232; the one that is set last is seen\n",
            i);
    dg_print(&want, "error 4 more inputs share bytes\n");
    expect("memory/no-live-overlap", want.data);
    dg_writer_clear(&want);
}

START_TEST(memory_no_live_overlap_reports_an_input_over_a_buffer)
{
    goes_in(1);
    given("UPDATE value SET name = 'cache' WHERE idx = 2");
    call("1", "3");
    comes_out(3);
    expect(
        "memory/no-live-overlap",
        "error value 2, bytes 32..64 of arena 1, and value 1, bytes 32..64 share bytes,"
        " and both hold data before the first instruction\n");
}

START_TEST(memory_single_assignment_names_a_few_and_counts_the_rest)
{
    struct dg_writer want = {0};

    for (int i = 0; i < 24; i++) {
        call("0", "1");
        if (i > 0 && i <= 20)
            dg_print(&want, "warning value 1 is the result of op_%d, and of op_%d\n",
                     i - 1, i);
    }
    dg_print(&want, "warning 3 more results are written again\n");
    comes_out(1);
    expect("memory/single-assignment", want.data);
    dg_writer_clear(&want);
}

START_TEST(memory_no_live_overlap_accepts_a_result_over_an_input_that_nothing_reads)
{
    goes_in(1);
    call("0", "2");
    comes_out(2);
    expect("memory/no-live-overlap", "");
}

Suite *memory_alias_rules_suite(void)
{
    Suite *suite = suite_create("memory alias rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_plan, rules_close);
    tcase_add_test(all,
                   memory_live_alias_accepts_views_of_one_base_and_reuse_behind_them);
    tcase_add_test(all,
                   memory_live_alias_notes_a_result_over_a_view_that_is_read_later);
    tcase_add_test(all, memory_live_alias_accepts_a_base_that_is_updated_in_place);
    tcase_add_test(all, memory_live_alias_accepts_a_view_of_an_input);
    tcase_add_test(all, memory_live_alias_notes_what_lies_on_bytes_of_another_type);
    tcase_add_test(all, memory_no_live_overlap_follows_a_chain_of_moves);
    tcase_add_test(all,
                   memory_no_live_overlap_gives_up_where_moves_and_values_multiply);
    tcase_add_test(all, memory_dead_store_accepts_results_of_which_one_is_read);
    tcase_add_test(all, memory_dead_store_accepts_what_a_view_shows_and_what_stays);
    tcase_add_test(all, memory_dead_store_accepts_what_may_do_more_than_it_says);
    tcase_add_test(all, memory_dead_store_notes_once_what_nothing_reads);
    tcase_add_test(all, memory_single_assignment_accepts_results_updates_and_copies);
    tcase_add_test(all,
                   memory_single_assignment_accepts_what_gives_back_what_it_updates);
    tcase_add_test(all, memory_single_assignment_accepts_moves_from_branches);
    tcase_add_test(all,
                   memory_single_assignment_reports_a_result_that_is_written_again);
    tcase_add_test(all, memory_single_assignment_reports_an_input_that_is_a_result);
    tcase_add_test(all, memory_single_assignment_names_a_few_and_counts_the_rest);
    tcase_add_test(all, memory_no_live_overlap_names_a_few_inputs_and_counts_the_rest);
    tcase_add_test(all, memory_no_live_overlap_reports_an_input_over_a_buffer);
    tcase_add_test(all,
                   memory_no_live_overlap_reports_inputs_that_no_instruction_reads);
    tcase_add_test(
        all, memory_no_live_overlap_accepts_a_result_over_an_input_that_nothing_reads);
    suite_add_tcase(suite, all);
    return suite;
}
