/* A report as HTML: what it escapes, draws and leaves out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "unit/suite.h"

static struct dg_page page;
static struct dg_writer out;

static void clear(void)
{
    dg_page_clear(&page);
    dg_writer_clear(&out);
}

static void write_page(void)
{
    page.title = dg_text("folder/model.pte");
    dg_page_html(&out, &page);
}

static bool has(const char *part)
{
    return strstr(out.data, part) != NULL;
}

static size_t count(const char *part)
{
    size_t n = 0;

    for (const char *at = out.data; (at = strstr(at, part)); at++)
        n++;
    return n;
}

START_TEST(text_is_never_markup)
{
    const char *hostile = "<img src=x onerror='alert(1)'>&amp;";

    dg_page_section(&page, "a", hostile);
    dg_page_heading(&page, NULL, "%s", hostile);
    dg_page_say(&page, DG_TONE_BAD, "%s", hostile);
    dg_page_fact(&page, 1, hostile, "%s", hostile);
    dg_page_command(&page, "%s", hostile);
    dg_page_table(&page, "t", hostile);
    dg_table_column(&page, hostile, DG_CELL_NODE);
    dg_table_text(&page, dg_text(hostile));
    dg_page_block(&page, DG_BLOCK_TREE, "tree", hostile);
    dg_page_area(&page, SIZE_MAX, dg_text(hostile), 1, 1);
    dg_page_block(&page, DG_BLOCK_TREEMAP, "map", hostile);
    dg_page_area(&page, SIZE_MAX, dg_text(hostile), 1, 1);
    write_page();
    ck_assert(!has("<img"));
    ck_assert_uint_ge(count("onerror"), 10);
}
END_TEST

START_TEST(data_cannot_end_its_script)
{
    dg_page_section(&page, "a", "A");
    dg_page_data(&page, "data", dg_text("[\"</script><!--\"]"));
    write_page();
    ck_assert(has("[\"\\u003c/script>\\u003c!--\"]</script>"));
}
END_TEST

START_TEST(words_link_to_anchors_that_the_page_has)
{
    dg_page_section(&page, "memory", "Memory");
    dg_page_say(&page, DG_TONE_PLAIN, "see #memory and #nothing, not # alone");
    write_page();
    ck_assert(has("see <a href=\"#memory\">#memory</a> and #nothing, not # alone"));
}
END_TEST

static void add_finding(double number)
{
    dg_table_number(&page, number);
    dg_table_none(&page);
}

START_TEST(a_finding_without_a_part_of_its_own_is_found_in_its_row)
{
    dg_page_section(&page, "findings", "Findings");
    dg_page_heading(&page, "finding-1", "Finding 1");
    dg_page_table(&page, "t", "Findings");
    dg_table_column(&page, "Finding", DG_CELL_FINDING);
    dg_table_column(&page, "Empty", DG_CELL_TEXT);
    add_finding(1);
    add_finding(2);
    add_finding(2);
    write_page();
    ck_assert_uint_eq(count("id=\"finding-1\""), 1);
    ck_assert_uint_eq(count("<tr id=\"finding-2\">"), 1);
    ck_assert_uint_eq(count("href=\"#finding-2\""), 2);
}
END_TEST

START_TEST(columns_that_are_empty_in_all_rows_are_left_out)
{
    dg_page_section(&page, "findings", "Findings");
    dg_page_table(&page, "t", "Findings");
    dg_table_column(&page, "Finding", DG_CELL_FINDING);
    dg_table_column(&page, "Empty", DG_CELL_TEXT);
    add_finding(1);
    write_page();
    ck_assert(!has(">Empty<"));
    ck_assert_uint_eq(count("<td"), 0);
}
END_TEST

/* A chart of one series; every third value is not a number. */
static void add_chart(size_t n_steps)
{
    struct dg_chart *chart =
        &dg_page_block(&page, DG_BLOCK_CHART, "chart", "Bytes")->chart;

    chart->x_name = dg_text("step");
    chart->bytes = true;
    chart->n_steps = n_steps;
    chart->peak = n_steps / 2;
    chart->n_series = 1;
    chart->series = dg_alloc(&page.memory, 1, sizeof(*chart->series));
    chart->series->name = dg_text("part");
    chart->series->n = n_steps;
    chart->series->values =
        dg_alloc(&page.memory, n_steps, sizeof(*chart->series->values));
    for (size_t i = 0; i < n_steps; i++)
        chart->series->values[i] = i % 3 == 2 ? NAN : (double)(i % 1000);
    chart->series->values[chart->peak] = 5000;
}

START_TEST(a_chart_of_a_million_steps_is_small_and_keeps_its_peak)
{
    size_t small;

    dg_page_section(&page, "memory", "Memory");
    add_chart(3);
    write_page();
    small = out.size;
    clear();
    dg_page_section(&page, "memory", "Memory");
    add_chart(1000000);
    write_page();
    ck_assert_uint_lt(out.size - small, 30000);
    ck_assert(has("peak 4.9 KiB at step 500000"));
    ck_assert(has("1000000 steps are drawn as 600 columns"));
    ck_assert(!has("nan") && !has("inf\""));
}
END_TEST

START_TEST(a_chart_without_steps_or_height_is_no_fault)
{
    dg_page_section(&page, "memory", "Memory");
    add_chart(1);
    page.blocks[page.n_blocks - 1].chart.series->values[0] = 0;
    dg_page_block(&page, DG_BLOCK_CHART, "none", "No steps");
    write_page();
    ck_assert(has("peak 0 B at step 0"));
    ck_assert(!has("No steps"));
}
END_TEST

START_TEST(tiles_fill_the_treemap_and_are_as_large_as_their_bytes)
{
    double sum = 0, first = 0;

    dg_page_section(&page, "size", "Size");
    dg_page_block(&page, DG_BLOCK_TREEMAP, "map", "Bytes");
    for (int i = 0; i < 20; i++)
        dg_page_area(&page, SIZE_MAX, dg_text("part"), 1 << i % 8, -1);
    write_page();
    for (const char *at = out.data; (at = strstr(at, "<rect class=\"t")); at++) {
        double area = strtod(strstr(at, " width=\"") + 8, NULL) *
                      strtod(strstr(at, " height=\"") + 9, NULL);

        first = first > 0 ? first : area;
        sum += area;
    }
    ck_assert_double_eq_tol(sum, 960 * 420, 960 * 420 * 0.01);
    ck_assert_double_eq_tol(first / sum, 128.0 / (255 * 2 + 15), 0.01);
}
END_TEST

START_TEST(a_tree_of_any_depth_nests_a_few_levels)
{
    size_t depth = 0, most = 0;

    dg_page_section(&page, "size", "Size");
    dg_page_block(&page, DG_BLOCK_TREE, "tree", "Modules");
    for (size_t i = 0; i < 2000; i++)
        dg_page_area(&page, i ? i - 1 : SIZE_MAX, dg_text("m"), 1, 1);
    write_page();
    for (const char *at = out.data; *at; at++) {
        depth += !strncmp(at, "<ul", 3);
        depth -= !strncmp(at, "</ul", 4);
        most = depth > most ? depth : most;
    }
    ck_assert_uint_eq(depth, 0);
    ck_assert_uint_le(most, 13);
    ck_assert_uint_eq(count("<span class=\"name\">m</span>"), 2000);
}
END_TEST

START_TEST(facts_that_follow_one_another_are_one_list)
{
    dg_page_section(&page, "a", "A");
    dg_page_fact(&page, -1, "One", "%d", 1);
    page.forms = DG_FORM_HTML;
    dg_page_fact(&page, 0.5, "Two", "%d", 2);
    write_page();
    ck_assert_uint_eq(count("<dl class=\"facts\">"), 1);
    ck_assert(has("<div class=\"plain bar w50\"><dt>Two</dt><dd>2</dd></div>"));
}
END_TEST

Suite *page_html_suite(void)
{
    Suite *suite = suite_create("page_html");
    TCase *cases = tcase_create("page_html");

    tcase_add_checked_fixture(cases, NULL, clear);
    tcase_add_test(cases, text_is_never_markup);
    tcase_add_test(cases, data_cannot_end_its_script);
    tcase_add_test(cases, words_link_to_anchors_that_the_page_has);
    tcase_add_test(cases, a_finding_without_a_part_of_its_own_is_found_in_its_row);
    tcase_add_test(cases, columns_that_are_empty_in_all_rows_are_left_out);
    tcase_add_test(cases, a_chart_of_a_million_steps_is_small_and_keeps_its_peak);
    tcase_add_test(cases, a_chart_without_steps_or_height_is_no_fault);
    tcase_add_test(cases, tiles_fill_the_treemap_and_are_as_large_as_their_bytes);
    tcase_add_test(cases, a_tree_of_any_depth_nests_a_few_levels);
    tcase_add_test(cases, facts_that_follow_one_another_are_one_list);
    suite_add_tcase(suite, cases);
    return suite;
}
