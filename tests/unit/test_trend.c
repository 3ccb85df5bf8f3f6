/* Numbers over builds: what is drawn of many, what changed, and what is worse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/page/trend.h"
#include "unit/suite.h"

enum { MANY = 10000, MOST = 60 };

static double values[MANY];
static struct dg_writer out;
static struct dg_page page;

static void clear(void)
{
    dg_writer_clear(&out);
    dg_page_clear(&page);
}

static struct dg_trend trend_of(size_t n, enum dg_trend_unit unit)
{
    return (struct dg_trend){.values = values, .n = n, .unit = unit};
}

static bool holds(const size_t *picked, size_t n, size_t wanted)
{
    for (size_t i = 0; i < n; i++)
        if (picked[i] == wanted)
            return true;
    return false;
}

START_TEST(of_many_values_both_ends_and_all_extremes_are_drawn)
{
    struct dg_trend trend = trend_of(MANY, DG_TREND_FEW);
    size_t picked[MOST], n;

    for (size_t i = 0; i < MANY; i++)
        values[i] = (double)(i % 7);
    values[1234] = 100;
    values[1235] = -100;
    values[9998] = 50;
    n = dg_trend_sample(picked, &trend, MOST);
    ck_assert_uint_le(n, MOST);
    ck_assert(holds(picked, n, 0) && holds(picked, n, MANY - 1));
    ck_assert(holds(picked, n, 1234) && holds(picked, n, 1235));
    ck_assert(holds(picked, n, 9998));
    for (size_t i = 1; i < n; i++)
        ck_assert_uint_lt(picked[i - 1], picked[i]);
}
END_TEST

START_TEST(few_values_are_all_drawn)
{
    size_t picked[MOST];

    for (size_t n = 0; n <= MOST; n++) {
        struct dg_trend trend = trend_of(n, DG_TREND_FEW);

        ck_assert_uint_eq(dg_trend_sample(picked, &trend, MOST), n);
    }
}
END_TEST

START_TEST(a_stretch_of_which_nothing_is_known_stays_a_gap)
{
    struct dg_trend trend = trend_of(MANY, DG_TREND_FEW);
    size_t picked[MOST], n, n_gaps = 0;

    for (size_t i = 0; i < MANY; i++)
        values[i] = i >= 3000 && i < 6000 ? NAN : 1;
    n = dg_trend_sample(picked, &trend, MOST);
    for (size_t i = 0; i < n; i++)
        n_gaps += isnan(values[picked[i]]) != 0;
    ck_assert_uint_ge(n_gaps, 7);
    ck_assert_uint_le(n_gaps, 9);
}
END_TEST

START_TEST(changes_are_told_in_the_words_of_their_unit)
{
    static const struct {
        enum dg_trend_unit unit;
        double old, new;
        const char *words;
    } cases[] = {
        {DG_TREND_BYTES, 8168, 8464, "+3.6 %"},
        {DG_TREND_BYTES, 0, 800, "+800 B"},
        {DG_TREND_BYTES, 1e6, 1e6 + 1, "+0.0001 %"},
        {DG_TREND_SHARE, 0.5, 0.25, "-25.0 points"},
        {DG_TREND_FEW, 1, 14, "+13"},
        {DG_TREND_FEW, 14, 1, "-13"},
        {DG_TREND_TIME, 1e6, 1e6, "as before"},
        {DG_TREND_AMOUNT, 1, 1e300, "+1e+302 %"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        dg_writer_clear(&out);
        dg_write_change(&out, cases[i].unit, cases[i].old, cases[i].new);
        ck_assert_str_eq(out.data, cases[i].words);
    }
}
END_TEST

START_TEST(what_is_worse_depends_on_which_way_is_better)
{
    struct dg_trend size = trend_of(0, DG_TREND_BYTES);
    struct dg_trend share = trend_of(0, DG_TREND_SHARE);

    share.more_is_better = true;
    ck_assert_double_eq_tol(dg_trend_worse(&size, 100, 101), 0.01, 1e-12);
    ck_assert_double_lt(dg_trend_worse(&size, 100, 99), 0);
    ck_assert_double_eq_tol(dg_trend_worse(&share, 0.9, 0.5), 0.4, 1e-12);
    ck_assert(dg_trend_worse(&share, NAN, 0.5) == 0);
    ck_assert(dg_trend_worse(&size, 0, 1) == 1);
    ck_assert(dg_trend_worse(&size, -1.7e308, 1.7e308) == 0);
}
END_TEST

START_TEST(numbers_of_any_size_have_a_place_and_words)
{
    struct dg_trend trend = trend_of(3, DG_TREND_BYTES);
    struct dg_value_range range;

    values[0] = -1.7e308;
    values[1] = NAN;
    values[2] = 1.7e308;
    range = dg_trend_range(&trend);
    ck_assert_double_eq_tol(dg_range_height(&range, 0), 0.5, 1e-9);
    ck_assert_double_eq_tol(dg_range_height(&range, 1.7e308), 1, 1e-9);
    for (int unit = DG_TREND_BYTES; unit <= DG_TREND_TIME; unit++) {
        dg_write_quantity(&out, (enum dg_trend_unit)unit, 1.7e308);
        dg_write_exact(&out, (enum dg_trend_unit)unit, -1.7e308);
    }
    dg_writer_clear(&out);
    dg_write_trend_line(&out, &trend);
    ck_assert_str_eq(out.data, "▁ █");
}
END_TEST

START_TEST(a_cell_has_the_newest_number_its_change_and_a_line)
{
    struct dg_trend trend = trend_of(3, DG_TREND_BYTES);

    values[0] = 1024;
    values[1] = NAN;
    values[2] = 2048;
    dg_page_section(&page, "a", "A");
    dg_page_table(&page, "t", "T");
    dg_table_columns(&page, "Name:code", "Size:trend", NULL);
    dg_table_text(&page, dg_text("x"));
    dg_table_trend(&page, &trend);
    values[2] = 0; /* the page has its own */
    dg_page_html(&out, &page);
    ck_assert(strstr(out.data, "2.0 KiB <span class=\"fail\">+100.0 %</span><svg"));
    ck_assert(strstr(out.data, "<path d=\"M3 17h0M87 3h0\"/>"));
    dg_writer_clear(&out);
    dg_page_markdown(&out, &page);
    ck_assert(strstr(out.data, "| 2.0 KiB (+100.0 %) ▁ █ |"));
    dg_writer_clear(&out);
    dg_page_text(&out, &page, &(struct dg_page_options){.width = 80, .ascii = true});
    ck_assert(strstr(out.data, "2.0 KiB (+100.0 %)\n"));
}
END_TEST

START_TEST(a_cell_of_numbers_that_never_change_has_no_line)
{
    struct dg_trend trend = trend_of(2, DG_TREND_FEW), none = trend_of(0, DG_TREND_FEW);

    values[0] = values[1] = 3;
    dg_page_section(&page, "a", "A");
    dg_page_table(&page, "t", "T");
    dg_table_columns(&page, "Calls:trend", "Other:trend", NULL);
    dg_table_trend(&page, &trend);
    dg_table_trend(&page, &none);
    dg_page_html(&out, &page);
    ck_assert(strstr(out.data, "data-v=\"3\"><span class=\"trend\">3</span></td></tr>"));
}
END_TEST

Suite *trend_suite(void)
{
    Suite *suite = suite_create("trend");
    TCase *cases = tcase_create("trend");

    tcase_add_checked_fixture(cases, NULL, clear);
    tcase_add_test(cases, of_many_values_both_ends_and_all_extremes_are_drawn);
    tcase_add_test(cases, few_values_are_all_drawn);
    tcase_add_test(cases, a_stretch_of_which_nothing_is_known_stays_a_gap);
    tcase_add_test(cases, changes_are_told_in_the_words_of_their_unit);
    tcase_add_test(cases, what_is_worse_depends_on_which_way_is_better);
    tcase_add_test(cases, numbers_of_any_size_have_a_place_and_words);
    tcase_add_test(cases, a_cell_has_the_newest_number_its_change_and_a_line);
    tcase_add_test(cases, a_cell_of_numbers_that_never_change_has_no_line);
    suite_add_tcase(suite, cases);
    return suite;
}
