/* What changed from an older program, in a report and in a picture. */
#include "unit/section_case.h"
#include "unit/view_case.h"

/* add reads x; before, gone stood between them. */
static void given_comparison(int n_more)
{
    given_pt2();
    given(
        "INSERT INTO op VALUES (1, 'aten::add.Tensor', 'aten', NULL, NULL, 0);"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id, args) VALUES"
        " (1, 1, 0, 'x', 'placeholder', NULL, '[]'),"
        " (2, 1, 1, 'add', 'call_function', 1, '[]'),"
        " (3, 1, 2, 'far', 'call_function', 1, '[]'),"
        " (4, 1, 3, 'farther', 'call_function', 1, '[]');"
        "INSERT INTO edge VALUES (2, 0, 1, NULL), (3, 0, 2, NULL), (4, 0, 3, NULL);"
        "INSERT INTO comparison VALUES (1, 1, 'old.pt2', 'different', '2 ops', '[]',"
        " '[\"blobs without a digest\"]');"
        "INSERT INTO difference (comparison_id, kind, change, what, name, old, new,"
        "  count, node_id, old_node) VALUES"
        " (1, 'op', 'removed', 'aten::relu.default', 'gone', 'f32 [2]', NULL, 1,"
        "  NULL, 7),"
        " (1, 'op', 'changed', 'reads', 'add', 'gone', 'x', 1, 2, NULL);"
        "INSERT INTO removed_edge VALUES (1, NULL, 1, 7, NULL), (1, 7, NULL, NULL, 2)");
    for (int i = 0; i < n_more; i++)
        given("INSERT INTO difference (comparison_id, kind, change, name, count) VALUES"
              " (1, 'name', 'changed', 'n', 1)");
}

START_TEST(changes_says_nothing_of_a_program_that_is_not_compared)
{
    given_pt2();
    expect_section(&dg_section_changes, DG_FORM_HTML, "");
}
END_TEST

START_TEST(changes_says_the_sentence_first_and_what_was_not_compared)
{
    given_comparison(0);
    expect_section(
        &dg_section_changes, DG_FORM_TEXT,
        "say From old.pt2: 2 ops.\n"
        "say Not compared: blobs without a digest\n"
        "table -: Kind | Change | What | Name | Old | New | Note | Module | "
        "Graph | Times\n"
        "  op | removed | aten::relu.default | gone | f32 [2] | - | - | - | - | -\n"
        "  op | changed | reads | add | gone | x | - | - | - | -\n");
}
END_TEST

START_TEST(changes_folds_a_long_table)
{
    given_comparison(11);
    expect_in_section(&dg_section_changes, DG_FORM_HTML, "open 13 differences\n");
}
END_TEST

START_TEST(changes_folds_no_short_table)
{
    given_comparison(0);
    expect_not_in_section(&dg_section_changes, DG_FORM_HTML, "open 2 differences\n");
}
END_TEST

START_TEST(diff_view_draws_what_changed_and_what_is_beside_it)
{
    given_comparison(0);
    draw_view(&dg_view_diff);
    ck_assert_int_eq(count_drawn(DG_BOX_REMOVED), 1);
    ck_assert_int_eq(count_drawn(DG_BOX_CHANGED), 1);
    ck_assert_int_eq(count_drawn(DG_BOX_INPUT), 1);
    ck_assert_int_eq(count_drawn(DG_BOX_CALL), 1); /* far, not farther */
    ck_assert(box_says("add", "+ x"));
    ck_assert_int_eq(link_between("x", "gone")->kind, DG_LINK_WAS);
    ck_assert_int_eq(link_between("gone", "add")->kind, DG_LINK_WAS);
    ck_assert_int_eq(link_between("x", "add")->kind, DG_LINK_DATA);
    ck_assert(caption_says("from old.pt2: 2 ops"));
}
END_TEST

START_TEST(diff_view_counts_what_has_no_room)
{
    const struct dg_view_options few = {.max_boxes = 20};

    given_comparison(0);
    for (int i = 0; i < 30; i++)
        given_format("INSERT INTO difference (comparison_id, kind, change, what, name,"
                     " count, old_node) VALUES (1, 'op', 'removed', 'r', 'r%d', 1, %d)",
                     i, i + 10);
    draw_view_with(&dg_view_diff, &few);
    ck_assert_uint_le(view_picture.n_boxes, 20);
    ck_assert(caption_says("more differences: --max-boxes"));
}
END_TEST

START_TEST(diff_view_needs_an_older_program)
{
    const struct dg_view_options none = {0};

    given_pt2();
    refuse_view(&dg_view_diff, &none,
                "no older program to compare with: --against OLD");
}
END_TEST

Suite *sections_changes_suite(void)
{
    Suite *suite = suite_create("sections_changes");
    TCase *all = tcase_create("all"), *views = tcase_create("views");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, changes_says_nothing_of_a_program_that_is_not_compared);
    tcase_add_test(all, changes_says_the_sentence_first_and_what_was_not_compared);
    tcase_add_test(all, changes_folds_a_long_table);
    tcase_add_test(all, changes_folds_no_short_table);
    tcase_add_checked_fixture(views, rules_open, erase_view);
    tcase_add_test(views, diff_view_draws_what_changed_and_what_is_beside_it);
    tcase_add_test(views, diff_view_counts_what_has_no_room);
    tcase_add_test(views, diff_view_needs_an_older_program);
    suite_add_tcase(suite, all);
    suite_add_tcase(suite, views);
    return suite;
}
