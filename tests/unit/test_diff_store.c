/* Differences as rows of the store of the new program. */
#include "unit/small_diff.h"

#include "base/text.h"

/* Of the relu that the new program lacks. */
static void open_without_relu(void)
{
    struct dg_store *old;

    diff_open();
    diff_build_new(true);
    old = diff_programs[0];
    diff_programs[0] = diff_programs[1];
    diff_programs[1] = old;
    rules_store = old;
}

static void keep(void)
{
    struct dg_diff diff = {.ignored = diff_ignored};
    struct dg_diff_program sides[2];
    struct dg_error err = {0};

    for (int s = 0; s < 2; s++)
        sides[s] = (struct dg_diff_program){
            diff_programs[s], {(const uint8_t *)diff_bytes[s], sizeof(diff_bytes[s])}};
    ck_assert_msg(!dg_diff_make(&diff, sides, &err), "%s", err.text);
    ck_assert_msg(!dg_diff_keep(&diff, diff_programs[1], "old.pt2", &err), "%s",
                  err.text);
    ck_assert_msg(!dg_store_add_views(diff_programs[1], &err), "%s", err.text);
    dg_diff_clear(&diff);
}

/* Columns of the new store with | between them, a row a line. */
static void expect_rows(const char *sql, const char *want)
{
    struct dg_error err = {0};
    struct dg_writer out = {0};
    struct dg_rows rows = dg_rows_all(diff_programs[1], sql, &err);

    while (dg_rows_next(&rows)) {
        for (int i = 0; i < dg_rows_columns(&rows); i++)
            dg_print(&out, "%s%s", i ? "|" : "",
                     dg_rows_null(&rows, i) ? "-" : dg_rows_text(&rows, i));
        dg_print(&out, "\n");
    }
    ck_assert_msg(!dg_rows_close(&rows, DG_OK, &err), "%s", err.text);
    ck_assert_str_eq(out.data ? out.data : "", want);
    dg_writer_clear(&out);
}

START_TEST(diff_keeps_each_difference_as_a_row)
{
    keep();
    expect_rows("SELECT difference_id, old_path, kind, change, class, method, module,"
                " what, name, old, new, note, count, node_id FROM v_diff",
                "1|old.pt2|op|removed|-|forward|a|aten::relu.default|relu|f32 [2]|-|-|"
                "1|-\n"
                "2|old.pt2|flops|changed|-|forward|-|-|FLOPs|6|4|-|1|-\n");
    expect_rows("SELECT old, result, summary, ignored, not_compared FROM comparison",
                "old.pt2|different|1 op removed in a|[]|[]\n");
}
END_TEST

START_TEST(diff_keeps_who_a_removed_call_read_and_who_read_it)
{
    keep();
    expect_rows("SELECT s.name, src_old, dst_old, d.name FROM removed_edge"
                " LEFT JOIN node AS s ON s.id = src_id"
                " LEFT JOIN node AS d ON d.id = dst_id",
                "x|-|3|-\n"
                "-|3|-|relu\n");
}
END_TEST

START_TEST(diff_keeps_the_node_that_changed)
{
    rules_store = diff_programs[1];
    given("UPDATE node SET args = replace(args, '\"int\":1', '\"int\":0')");
    keep();
    expect_rows("SELECT v_diff.name, node.name FROM v_diff JOIN node"
                " ON node.id = node_id WHERE change = 'changed'",
                "softmax|softmax\n");
}
END_TEST

START_TEST(diff_keeps_what_was_left_out_and_what_was_not_compared)
{
    diff_ignored = DG_DIFF_NAMES | DG_DIFF_SIZES;
    given("UPDATE constant SET xxh3 = NULL");
    diff_bytes[1][1] = 2; /* not one file */
    keep();
    expect_rows("SELECT ignored, not_compared LIKE '[\"weights without a digest%'"
                "  FROM comparison",
                "[\"names\",\"size\"]|1\n");
}
END_TEST

Suite *diff_store_suite(void)
{
    Suite *suite = suite_create("diff_store");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_without_relu, diff_close);
    tcase_add_test(all, diff_keeps_each_difference_as_a_row);
    tcase_add_test(all, diff_keeps_who_a_removed_call_read_and_who_read_it);
    tcase_add_test(all, diff_keeps_the_node_that_changed);
    tcase_add_test(all, diff_keeps_what_was_left_out_and_what_was_not_compared);
    suite_add_tcase(suite, all);
    return suite;
}
