/* The report as text and as Markdown: it fits, says all, and takes no orders from
 * names. */
#include <stdlib.h>
#include <string.h>

#include "reports/page/display_width.h"
#include "reports/page/markdown.h"
#include "reports/page/page.h"
#include "reports/page/tree_lines.h"
#include "unit/suite.h"

#define HOSTILE                                                                        \
    "a|b`c\n<script>@octocat #12 https://x.y \x1b[31m \xe2\x80\xae*_[x](y)\\ \xff"

static struct dg_page page;
static struct dg_writer out;

static void begin(void)
{
    page = (struct dg_page){.title = dg_text("model.pte")};
    out = (struct dg_writer){0};
}

static void finish(void)
{
    dg_page_clear(&page);
    dg_writer_clear(&out);
}

static const char *text_of(int width, bool ascii)
{
    struct dg_page_options options = {.width = width, .ascii = ascii};

    out.size = 0;
    dg_page_text(&out, &page, &options);
    return out.data;
}

static const char *markdown(void)
{
    out.size = 0;
    dg_page_markdown(&out, &page);
    return out.data;
}

static void add_findings(size_t n, const char *message)
{
    dg_page_section(&page, "findings", "Findings");
    dg_page_table(&page, "list", "All of them");
    dg_table_column(&page, "No", DG_CELL_FINDING);
    dg_table_column(&page, "Severity", DG_CELL_SEVERITY);
    dg_table_column(&page, "Node", DG_CELL_NODE);
    dg_table_column(&page, "Message", DG_CELL_TEXT);
    dg_table_column(&page, "Size", DG_CELL_BYTES);
    for (size_t i = 0; i < n; i++) {
        dg_table_number(&page, (double)i + 1);
        dg_table_text(&page, dg_text(i ? "note" : "error"));
        dg_table_text(&page,
                      dg_text("a_node_with_a_long_name_of_48_characters_conv2d"));
        dg_table_text(&page, dg_text(message));
        dg_table_number(&page, 1024.0 * (double)(i + 1));
    }
}

static void add_all(const char *name)
{
    static double values[] = {1024, 4096, 2048, 0};
    static struct dg_series series;
    struct dg_block *block;

    dg_page_section(&page, "verdict", name);
    dg_page_say(&page, DG_TONE_BAD, "FAIL: %s", name);
    dg_page_command(&page, "delegraph check %s", name);
    dg_page_fact(&page, 0.5, name, "%s", name);
    dg_page_table(&page, "table", name);
    dg_table_column(&page, name, DG_CELL_CODE);
    dg_table_column(&page, name, DG_CELL_TEXT);
    dg_table_text(&page, dg_text(name));
    dg_table_text(&page, dg_text(name));
    dg_table_more(&page, 3, "delegraph ls");
    block = dg_page_block(&page, DG_BLOCK_CHART, "chart", name);
    series = (struct dg_series){dg_text(name), values, 0, 4};
    block->chart = (struct dg_chart){
        .x_name = dg_text(name), .bytes = true, .n_steps = 4, .n_series = 1, .peak = 1};
    block->chart.series = &series;
    dg_page_block(&page, DG_BLOCK_TREEMAP, "map", name);
    dg_page_area(&page, SIZE_MAX, dg_text(name), 10, 2);
    dg_page_area(&page, 0, dg_text(name), 10, 2)->note = dg_text(name);
    dg_page_open(&page, "more", false, "%s", name);
    dg_page_picture(&page, "picture", name, dg_text("<svg/>"), name, name);
    dg_page_close(&page);
}

/* The widest line, in columns. */
static size_t widest(const char *text)
{
    size_t most = 0;

    for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
        size_t columns;

        end = line + strcspn(line, "\n");
        columns = dg_display_width((struct dg_text){line, (size_t)(end - line)});
        most = columns > most ? columns : most;
    }
    return most;
}

START_TEST(columns_count_wide_characters_twice_and_marks_not_at_all)
{
    ck_assert_uint_eq(dg_display_width(dg_text("abc")), 3);
    ck_assert_uint_eq(dg_display_width(dg_text("\xe6\x97\xa5\xe6\x9c\xac")), 4);
    ck_assert_uint_eq(dg_display_width(dg_text("e\xcc\x81")), 1);
    ck_assert_uint_eq(dg_display_width(dg_text("\xf0\x9f\x98\x80")), 2);
    ck_assert_uint_eq(dg_display_width(dg_text("\xff\xe6")), 2);
}

START_TEST(what_is_too_wide_loses_its_middle)
{
    begin();
    dg_write_elided(&out, dg_text("abcdefghij"), 5, false);
    ck_assert_str_eq(out.data, "ab…ij");
    out.size = 0;
    dg_write_elided(&out, dg_text("abcdefghij"), 6, true);
    ck_assert_str_eq(out.data, "ab..ij");
    out.size = 0;
    dg_write_elided(&out, dg_text("日本語日本語"), 8, false);
    ck_assert_uint_le(dg_display_width((struct dg_text){out.data, out.size}), 8);
    finish();
}

START_TEST(a_report_fits_every_terminal)
{
    begin();
    add_findings(12, "tag0 and tag1 wait for each other and lowering fails");
    for (int width = 30; width <= 200; width++)
        ck_assert_uint_le(widest(text_of(width, width % 2)), (size_t)width);
    finish();
}

START_TEST(a_narrow_table_becomes_lines_of_names_and_values)
{
    begin();
    add_findings(1, "wrong");
    ck_assert_ptr_nonnull(strstr(text_of(36, false), "  Severity: error\n"));
    ck_assert_ptr_nonnull(strstr(text_of(120, false), "No  Severity  Node  "));
    finish();
}

START_TEST(a_wide_terminal_shows_names_whole_and_bars)
{
    begin();
    add_findings(2, "wrong");
    ck_assert_ptr_nonnull(strstr(text_of(200, false), "48_characters_conv2d  wrong"));
    ck_assert_ptr_nonnull(strstr(out.data, "1.0 KiB  ████\n"));
    ck_assert_ptr_nonnull(strstr(text_of(200, true), "1.0 KiB  ####\n"));
    finish();
}

START_TEST(ascii_text_of_an_ascii_program_has_no_other_characters)
{
    begin();
    add_all("plain");
    for (const char *c = text_of(80, true); *c; c++)
        ck_assert_int_lt((unsigned char)*c, 0x80);
    finish();
}

START_TEST(text_and_markdown_hold_no_control_characters_of_a_program)
{
    begin();
    add_all(HOSTILE);
    for (int form = 0; form < 2; form++) {
        const char *text = form ? markdown() : text_of(60, false);

        ck_assert_ptr_null(strchr(text, '\x1b'));
        ck_assert_ptr_null(strchr(text, '\xff'));
        ck_assert_ptr_null(strstr(text, "\xe2\x80\xae"));
    }
    finish();
}

START_TEST(markdown_makes_no_markup_mentions_or_links_of_names)
{
    begin();
    dg_page_say(&page, DG_TONE_PLAIN, "%s", HOSTILE);
    markdown();
    ck_assert_ptr_null(strstr(out.data, "<script"));
    ck_assert_ptr_null(strstr(out.data, "@octocat"));
    ck_assert_ptr_null(strstr(out.data, "#12"));
    ck_assert_ptr_null(strstr(out.data, "https://"));
    ck_assert_ptr_nonnull(strstr(out.data, "a\\|b\\`c"));
    ck_assert_ptr_nonnull(strstr(out.data, "\\*\\_\\[x](y)\\\\"));
    finish();
}

START_TEST(rows_of_a_markdown_table_stay_one_line_with_their_columns)
{
    static const char row[] = "\n| <code>a&#124;b&#96;c";

    begin();
    add_all(HOSTILE);
    ck_assert_ptr_nonnull(strstr(markdown(), row));
    finish();
}

START_TEST(a_fence_is_longer_than_the_backticks_inside)
{
    begin();
    dg_page_command(&page, "delegraph info '````'");
    ck_assert_ptr_nonnull(
        strstr(markdown(), "`````sh\ndelegraph info '````'\n`````\n"));
    finish();
}

START_TEST(markdown_folds_long_tables)
{
    begin();
    add_findings(9, "wrong");
    ck_assert_ptr_nonnull(
        strstr(markdown(), "<details><summary>All of them</summary>"));
    finish();
}

START_TEST(markdown_is_never_longer_than_a_comment)
{
    char *message = malloc(20001);

    memset(message, 'x', 20000);
    message[20000] = '\0';
    begin();
    for (int i = 0; i < 6; i++) {
        dg_page_section(&page, "section", "Section");
        dg_page_open(&page, "more", false, "more");
        dg_page_say(&page, DG_TONE_PLAIN, "%s", message);
        dg_page_close(&page);
    }
    markdown();
    ck_assert_uint_le(out.size, 65536);
    ck_assert_uint_gt(out.size, 60000);
    ck_assert_ptr_nonnull(strstr(out.data, "\n3 parts are left out"));
    free(message);
    finish();
}

START_TEST(a_page_of_10_kB_names_is_written_whole)
{
    char *name = malloc(10001);

    memset(name, 'n', 10000);
    name[10000] = '\0';
    begin();
    add_all(name);
    ck_assert_uint_gt(strlen(text_of(80, false)), 10000);
    ck_assert_uint_le(strlen(markdown()), 65536);
    free(name);
    finish();
}

START_TEST(branches_follow_the_tree_and_say_what_they_leave_out)
{
    static const size_t parents[] = {SIZE_MAX, 0, 0, 1, 0, 0, 9};
    struct dg_tree_limits limits = {.most = 2};
    struct dg_tree_lines branches = {0};
    struct dg_area areas[7];

    begin();
    for (size_t i = 0; i < 7; i++)
        areas[i] = (struct dg_area){.parent = parents[i], .bytes = 1};
    dg_tree_lines_make(&branches, areas, 7, &limits);
    for (size_t i = 0; i < branches.n_lines; i++) {
        dg_tree_lines_write(&out, &branches, i, true);
        dg_print(&out, "%d %zu\n", (int)branches.lines[i].area,
                 branches.lines[i].n_left_out);
    }
    ck_assert_str_eq(out.data, "0 0\n"
                               "|- 1 0\n"
                               "|  `- 3 0\n"
                               "|- 2 0\n"
                               "`- -1 2\n"
                               "6 0\n");
    dg_tree_lines_clear(&branches);
    finish();
}

static const char *cut(struct dg_writer *out, const char *text, size_t most)
{
    out->size = 0;
    dg_print(out, "%s", text);
    dg_markdown_cut(out, most);
    return out->data;
}

START_TEST(markdown_that_is_cut_says_how_much_more_there_is_and_closes_its_fence)
{
    struct dg_writer out = {0};

    ck_assert_str_eq(cut(&out, "1\n2\n3\n4\n5\n", 5), "1\n2\n3\n4\n5\n");
    ck_assert_str_eq(cut(&out, "1\n2\n3\n4\n5\n6\n", 5), "1\n2\n\nand 4 more lines\n");
    ck_assert_str_eq(cut(&out, "1\n```x\n3\n4\n```\n6\n", 5),
                     "1\n```x\n```\n\nand 4 more lines\n");
    ck_assert_str_eq(cut(&out, "````\n```\n3\n````\n5\n6\n7\n", 6),
                     "````\n```\n3\n````\n\nand 4 more lines\n");
    ck_assert_str_eq(cut(&out, "```\n2\n```\n4\n5\n6\n7\n", 6),
                     "```\n2\n```\n\nand 4 more lines\n");
    dg_writer_clear(&out);
}

Suite *page_text_suite(void)
{
    TCase *group = tcase_create("page_text");
    Suite *suite = suite_create("page_text");

    tcase_add_test(group, columns_count_wide_characters_twice_and_marks_not_at_all);
    tcase_add_test(group, what_is_too_wide_loses_its_middle);
    tcase_add_test(
        group, markdown_that_is_cut_says_how_much_more_there_is_and_closes_its_fence);
    tcase_add_test(group, a_report_fits_every_terminal);
    tcase_add_test(group, a_narrow_table_becomes_lines_of_names_and_values);
    tcase_add_test(group, a_wide_terminal_shows_names_whole_and_bars);
    tcase_add_test(group, ascii_text_of_an_ascii_program_has_no_other_characters);
    tcase_add_test(group, text_and_markdown_hold_no_control_characters_of_a_program);
    tcase_add_test(group, markdown_makes_no_markup_mentions_or_links_of_names);
    tcase_add_test(group, rows_of_a_markdown_table_stay_one_line_with_their_columns);
    tcase_add_test(group, a_fence_is_longer_than_the_backticks_inside);
    tcase_add_test(group, markdown_folds_long_tables);
    tcase_add_test(group, markdown_is_never_longer_than_a_comment);
    tcase_add_test(group, a_page_of_10_kB_names_is_written_whole);
    tcase_add_test(group, branches_follow_the_tree_and_say_what_they_leave_out);
    suite_add_tcase(suite, group);
    return suite;
}
