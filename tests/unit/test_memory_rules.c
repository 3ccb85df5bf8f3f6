#include "unit/rules.h"

#include <stdio.h>
#include <stdlib.h>

static void open_plan(void)
{
    rules_open();
    given_pte();
}

static void expect_overlaps(int want)
{
    const char *rule = "memory/no-live-overlap";
    const struct dg_selection selection = {.select = &rule, .n_select = 1};
    int64_t got;

    ck_assert(!dg_verify(rules_store, &selection, NULL, NULL, &rules_err));
    ck_assert(!dg_store_int(rules_store, "SELECT count(*) FROM finding", 0, &got,
                            &rules_err));
    ck_assert_int_eq(got, want > 20 ? 21 : want);
}

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

START_TEST(memory_no_live_overlap_accepts_reuse_after_death)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 0, 32);
    goes_in(0);
    call("0", "1");
    call("1", "2");
    comes_out(2);
    expect("memory/no-live-overlap", "");
}

START_TEST(memory_no_live_overlap_reports_a_write_over_what_is_read_later)
{
    tensor(0, 0, 32);
    tensor(1, 16, 32);
    tensor(2, 64, 32);
    goes_in(0);
    call("0", "2");
    call("2", "1");
    call("0 1", "2");
    comes_out(2);
    expect("memory/no-live-overlap",
           "error op_1 writes value 1, bytes 16..48 of arena 1, over value 0, bytes"
           " 0..32, which is live from op_0 to op_2\n");
    expect_witness("[\"op_0\",\"op_1\",\"op_2\"]");
}

START_TEST(memory_no_live_overlap_reports_a_result_over_an_operand)
{
    tensor(0, 0, 32);
    tensor(1, 0, 32);
    goes_in(0);
    call("0", "1");
    comes_out(1);
    expect("memory/no-live-overlap",
           "error op_0 writes value 1, bytes 0..32 of arena 1, over value 0, bytes"
           " 0..32, which is live from op_0 to op_0\n");
}

START_TEST(memory_no_live_overlap_accepts_an_operator_in_place)
{
    tensor(0, 0, 32);
    tensor(1, 0, 32);
    goes_in(0);
    tensor(2, 32, 32);
    call_op("aten::index_put_", "", "0", "1");
    call("0 1", "2");
    comes_out(2);
    expect("memory/no-live-overlap", "");
}

/* Two halves of value 0, taken without a copy and joined without one. */
START_TEST(memory_no_live_overlap_accepts_copies_that_copy_nothing)
{
    tensor(0, 0, 32);
    tensor(1, 0, 16);
    tensor(2, 16, 16);
    tensor(3, 0, 32);
    goes_in(0);
    call_op("aten::_slice_copy_nop.Tensor_out", "0", "", "1");
    call_op("aten::_slice_copy_nop.Tensor_out", "0", "", "2");
    call_op("aten::_cat_nop.out", "1 2", "", "3");
    comes_out(3);
    expect("memory/no-live-overlap", "");
    expect("memory/use-before-def", "");
}

START_TEST(memory_no_live_overlap_reports_a_write_over_such_a_slice)
{
    tensor(0, 0, 32);
    tensor(1, 16, 16);
    tensor(2, 16, 16);
    tensor(3, 32, 16);
    goes_in(0);
    call_op("aten::_slice_copy_nop.Tensor_out", "0", "", "1");
    call("", "2");
    call("1 2", "3");
    expect("memory/no-live-overlap",
           "error op_1 writes value 2, bytes 16..32 of arena 1, over value 1, bytes"
           " 16..32, which is live from op_0 to op_2\n");
}

START_TEST(memory_no_live_overlap_reports_two_results_that_share_bytes)
{
    tensor(0, 0, 32);
    tensor(1, 64, 32);
    tensor(2, 80, 32);
    goes_in(0);
    call("0", "1 2");
    comes_out(1);
    comes_out(2);
    expect("memory/no-live-overlap",
           "error op_0 writes value 2, bytes 80..112 of arena 1, over value 1, bytes"
           " 64..96, which is live from op_0 to op_0\n");
}

START_TEST(memory_no_live_overlap_reports_inputs_that_share_bytes)
{
    tensor(0, 0, 32);
    tensor(1, 16, 32);
    tensor(2, 64, 32);
    goes_in(0);
    goes_in(1);
    call("0 1", "2");
    comes_out(2);
    expect("memory/no-live-overlap",
           "error op_0 writes value 1, bytes 16..48 of arena 1, over value 0, bytes"
           " 0..32, which is live from op_0 to op_0\n");
}

/* Behind a buffer that the first instruction writes, too. */
START_TEST(memory_no_live_overlap_reports_inputs_that_share_bytes_beside_a_buffer)
{
    for (int i = 0; i < 3; i++)
        tensor(i, i == 2 ? 80 : 64 * i, 32);
    goes_in(1);
    goes_in(2);
    call_op("aten::index_put_", "1 2", "0", "");
    expect("memory/no-live-overlap",
           "error op_0 writes value 2, bytes 80..112 of arena 1, over value 1, bytes"
           " 64..96, which is live from op_0 to op_0\n");
}

/* The last instruction is pointwise, and what it may write over if it reads it for the
 * last time is looked at by the caller. */
START_TEST(memory_no_live_overlap_reports_a_last_result_over_another_output)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    goes_in(0);
    call_op("aten::relu.out", "0", "", "1");
    call_op("aten::add.out", "0 1", "", "2");
    comes_out(1);
    comes_out(2);
    expect("memory/no-live-overlap",
           "error op_1 writes value 2, bytes 32..64 of arena 1, over value 1, bytes"
           " 32..64, which is live from op_0 to op_1\n");
}

START_TEST(memory_no_live_overlap_accepts_a_view_of_its_base)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    tensor(3, 64, 32);
    goes_in(0);
    call("0", "1");
    call("2", "3");
    call("1 2 3", "0");
    comes_out(0);
    expect("memory/no-live-overlap", "");
    expect("memory/use-before-def", "");
}

START_TEST(memory_no_live_overlap_reports_a_write_over_a_view_that_is_read_later)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    tensor(3, 48, 32);
    goes_in(0);
    call("0", "1");
    call("0", "3");
    call("2", "0");
    comes_out(0);
    expect("memory/no-live-overlap",
           "error op_1 writes value 3, bytes 48..80 of arena 1, over value 2, bytes"
           " 32..64, which is live from op_0 to op_2\n");
}

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

START_TEST(memory_no_live_overlap_keeps_mutable_buffers_alive)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 40, 32);
    given("UPDATE value SET storage = 'mutable' WHERE id = 2");
    goes_in(0);
    call("0 1", "2");
    comes_out(2);
    expect("memory/no-live-overlap",
           "error op_0 writes value 2, bytes 40..72 of arena 1, over value 1, bytes"
           " 32..64, which is live from op_0 to op_0\n");
}

START_TEST(memory_no_live_overlap_lists_a_few_and_counts_the_rest)
{
    char number[16];
    int64_t last;

    tensor(0, 0, 4096);
    goes_in(0);
    for (int i = 1; i <= 25; i++) {
        tensor(i, 16 * i, 16);
        snprintf(number, sizeof(number), "%d", i);
        call("0", number);
    }
    expect_overlaps(25);
    ck_assert(!dg_store_int(rules_store,
                            "SELECT message = '5 more overlaps in arena 1' FROM finding"
                            " ORDER BY id DESC",
                            0, &last, &rules_err));
    ck_assert_int_eq(last, 1);
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

START_TEST(memory_no_live_overlap_follows_what_is_given_back_in_place)
{
    tensor(0, 0, 32);
    tensor(1, 64, 32);
    tensor(2, 0, 32);
    tensor(3, 32, 32);
    goes_in(0);
    call_op("aten::index_put_", "", "0", "1");
    call("", "2");
    call("1 2", "3");
    comes_out(3);
    expect("memory/no-live-overlap",
           "error op_1 writes value 2, bytes 0..32 of arena 1, over value 0 (also value"
           " 1), bytes 0..32, which is live from op_0 to op_2\n");
}

/* What each value holds, byte by byte and node by node: slow and plain. */
struct model {
    int n_values, n_calls;
    int offset[8], size[8], reads[12][2], writes[12];
};

static bool needed_later(const struct model *model, int value, int call)
{
    for (int i = call + 1; i < model->n_calls; i++) {
        if (model->reads[i][0] == value || model->reads[i][1] == value)
            return true;
        if (model->writes[i] == value)
            return false;
    }
    return false;
}

static bool written_before(const struct model *model, int value, int call)
{
    if (value == 0)
        return true;
    while (call-- > 0) {
        if (model->writes[call] == value)
            return true;
    }
    return false;
}

static bool share(const struct model *model, int a, int b)
{
    return model->offset[a] < model->offset[b] + model->size[b] &&
           model->offset[b] < model->offset[a] + model->size[a];
}

static int count_overlaps(const struct model *model)
{
    int count = 0;

    for (int i = 0; i < model->n_calls; i++) {
        int writer = model->writes[i];

        for (int v = 0; v < model->n_values; v++) {
            bool read = model->reads[i][0] == v || model->reads[i][1] == v;

            count += v != writer && share(model, v, writer) &&
                     written_before(model, v, i) && (read || needed_later(model, v, i));
        }
    }
    return count;
}

/* Straight code in which nothing is read that was not written. */
static void invent(struct model *model)
{
    *model = (struct model){.n_values = 8, .n_calls = 12};
    for (int v = 0; v < 8; v++) {
        /* No two values begin at one byte: that may be a view. */
        model->offset[v] = 16 * (rand() % 12) + v;
        model->size[v] = 1 + rand() % 24;
    }
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 2; k++) {
            do {
                model->reads[i][k] = rand() % 8;
            } while (!written_before(model, model->reads[i][k], i));
        }
        do {
            model->writes[i] = 1 + rand() % 7;
        } while (model->writes[i] == model->reads[i][0] ||
                 model->writes[i] == model->reads[i][1]);
    }
}

static void enter_model(const struct model *model)
{
    char reads[16], writes[8];

    for (int v = 0; v < model->n_values; v++)
        tensor(v, model->offset[v], model->size[v]);
    goes_in(0);
    for (int i = 0; i < model->n_calls; i++) {
        snprintf(reads, sizeof(reads), "%d %d", model->reads[i][0], model->reads[i][1]);
        snprintf(writes, sizeof(writes), "%d", model->writes[i]);
        call(reads, writes);
    }
}

START_TEST(memory_no_live_overlap_agrees_with_a_plain_count_on_random_plans)
{
    struct model model;

    srand(7);
    for (int i = 0; i < 100; i++) {
        rules_close();
        open_plan();
        invent(&model);
        enter_model(&model);
        expect_overlaps(count_overlaps(&model));
    }
}

Suite *memory_rules_suite(void)
{
    Suite *suite = suite_create("memory rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_plan, rules_close);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, memory_extent_accepts_a_tensor_that_ends_with_its_arena);
    tcase_add_test(all, memory_extent_reports_a_tensor_past_the_end);
    tcase_add_test(all, memory_extent_reports_the_least_size_that_a_file_can_say);
    tcase_add_test(all, memory_no_live_overlap_accepts_reuse_after_death);
    tcase_add_test(all, memory_no_live_overlap_reports_a_write_over_what_is_read_later);
    tcase_add_test(all, memory_no_live_overlap_reports_a_result_over_an_operand);
    tcase_add_test(all, memory_no_live_overlap_accepts_an_operator_in_place);
    tcase_add_test(all, memory_no_live_overlap_accepts_copies_that_copy_nothing);
    tcase_add_test(all, memory_no_live_overlap_reports_a_write_over_such_a_slice);
    tcase_add_test(all, memory_no_live_overlap_reports_two_results_that_share_bytes);
    tcase_add_test(all, memory_no_live_overlap_reports_inputs_that_share_bytes);
    tcase_add_test(
        all, memory_no_live_overlap_reports_inputs_that_share_bytes_beside_a_buffer);
    tcase_add_test(all,
                   memory_no_live_overlap_reports_a_last_result_over_another_output);
    tcase_add_test(all, memory_no_live_overlap_accepts_a_view_of_its_base);
    tcase_add_test(
        all, memory_no_live_overlap_reports_a_write_over_a_view_that_is_read_later);
    tcase_add_test(all, memory_no_live_overlap_lets_branches_share_bytes);
    tcase_add_test(all, memory_hop_escape_reports_a_write_over_what_branches_return);
    tcase_add_test(all, memory_hop_escape_accepts_branches_that_share_bytes);
    tcase_add_test(
        all, memory_hop_escape_reports_the_next_branch_over_a_result_that_is_needed);
    tcase_add_test(all, memory_no_live_overlap_accepts_reuse_inside_of_a_loop);
    tcase_add_test(all, memory_no_live_overlap_keeps_alive_what_the_next_round_reads);
    tcase_add_test(all, memory_no_live_overlap_keeps_mutable_buffers_alive);
    tcase_add_test(all, memory_no_live_overlap_lists_a_few_and_counts_the_rest);
    tcase_add_test(all,
                   memory_no_live_overlap_agrees_with_a_plain_count_on_random_plans);
    tcase_add_test(all, memory_use_before_def_accepts_inputs_constants_and_results);
    tcase_add_test(all, memory_use_before_def_reports_what_nothing_wrote);
    tcase_add_test(all, memory_use_before_def_reports_what_only_one_branch_writes);
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
    tcase_add_test(all, memory_output_defined_reports_what_only_one_branch_writes);
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
    tcase_add_test(all, memory_no_live_overlap_follows_what_is_given_back_in_place);
    suite_add_tcase(suite, all);
    return suite;
}
