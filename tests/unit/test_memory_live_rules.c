/* Rules about values that share bytes while both are needed. */
#include "unit/rules.h"

#include <stdio.h>
#include <stdlib.h>

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
    expect(
        "memory/no-live-overlap",
        "error two inputs share bytes: value 1, bytes 16..48 of arena 1, and value 0,"
        " bytes 0..32; the one that is set last is seen\n");
}

/* Behind a buffer that the first instruction writes, too. */
START_TEST(memory_no_live_overlap_reports_inputs_that_share_bytes_beside_a_buffer)
{
    for (int i = 0; i < 3; i++)
        tensor(i, i == 2 ? 80 : 64 * i, 32);
    goes_in(1);
    goes_in(2);
    call_op("aten::index_put_", "1 2", "0", "");
    expect(
        "memory/no-live-overlap",
        "error two inputs share bytes: value 2, bytes 80..112 of arena 1, and value 1,"
        " bytes 64..96; the one that is set last is seen\n");
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
        rules_open_pte();
        invent(&model);
        enter_model(&model);
        expect_overlaps(count_overlaps(&model));
    }
}

Suite *memory_live_rules_suite(void)
{
    Suite *suite = suite_create("memory live rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open_pte, rules_close);
    tcase_set_timeout(all, 60);
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
    tcase_add_test(all, memory_no_live_overlap_keeps_mutable_buffers_alive);
    tcase_add_test(all, memory_no_live_overlap_lists_a_few_and_counts_the_rest);
    tcase_add_test(all,
                   memory_no_live_overlap_agrees_with_a_plain_count_on_random_plans);
    tcase_add_test(all, memory_no_live_overlap_follows_what_is_given_back_in_place);
    suite_add_tcase(suite, all);
    return suite;
}
