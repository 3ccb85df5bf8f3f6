/* Builds over time: of each name the newest numbers, what changed, and their course. */
#include <stdlib.h>

#include "base/sorted.h"
#include "reports/fleet/section.h"

enum { MOST_IN_PAGE = 100, MOST_IN_TEXT = 30 };

struct column {
    const char *title;
    enum dg_fleet_number number;
    bool in_text; /* also where there is little room */
};

static const struct column columns[] = {
    {"Size", DG_FLEET_SIZE, true},
    {"Delegated", DG_FLEET_DELEGATED, true},
    {"Partitions", DG_FLEET_PARTITIONS, false},
    {"Peak", DG_FLEET_PEAK, true},
    {"Host calls", DG_FLEET_HOST_CALLS, false},
    {"FLOPs", DG_FLEET_FLOPS, false},
    {"Latency", DG_FLEET_TIME, false},
    {"Errors", DG_FLEET_ERRORS, false},
};
enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

/* Names with regressions first; else as they are sorted. */
static int worst_first(const void *a, const void *b)
{
    const struct dg_fleet_name *one = *(const struct dg_fleet_name *const *)a;
    const struct dg_fleet_name *other = *(const struct dg_fleet_name *const *)b;

    if (one->worst != other->worst)
        return one->worst > other->worst ? -1 : 1;
    return one < other ? -1 : one > other;
}

/* Where nothing was ever found, the column has nothing to show, and is left out. */
static void add_trend(struct dg_page *page, const struct dg_fleet_name *name,
                      enum dg_fleet_number number)
{
    const struct dg_trend *trend = &name->trends[number];

    if (number >= DG_FLEET_ERRORS && !(dg_trend_range(trend).most > 0))
        dg_table_none(page);
    else
        dg_table_trend(page, trend);
}

/* A terminal has room for a few columns, a comment for a few rows. */
struct table {
    enum dg_form form;
    size_t most;
    bool narrow;
};

static void add_row(struct dg_page *page, const struct dg_fleet_name *name, bool narrow)
{
    const struct dg_fleet_build *newest = dg_fleet_newest(name);

    dg_table_text(page, dg_fleet_shown(page, name->name));
    if (narrow)
        dg_table_number(page, (double)newest->id);
    else
        dg_table_text(page, dg_text(dg_build_words(&page->memory, newest)));
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (columns[i].in_text || !narrow)
            add_trend(page, name, columns[i].number);
}

static void add_table(struct dg_page *page, const struct dg_fleet_input *input,
                      const struct dg_fleet_name *const *names,
                      const struct table *table)
{
    size_t n = input->fleet->n_names;

    page->forms = table->form;
    dg_page_table(
        page, table->form == DG_FORM_HTML ? "names" : NULL,
        "Numbers of the newest builds, and what changed since the build before");
    if (table->narrow)
        dg_table_columns(page, "Name:code", "Newest:count", NULL);
    else
        dg_table_columns(page, "Name:code", "Newest:text", NULL);
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (columns[i].in_text || !table->narrow)
            dg_table_column(page, columns[i].title, DG_CELL_TREND);
    for (size_t i = 0; i < n && i < table->most; i++)
        add_row(page, names[i], table->narrow);
    if (n > table->most)
        dg_table_more(page, n - table->most, "delegraph trend %s", input->path);
}

static void say_shortened(struct dg_page *page, const struct dg_fleet_input *input,
                          const struct dg_fleet_name *worst)
{
    size_t n_shown = 0, n_all = 0;

    for (size_t i = 0; i < input->fleet->n_names; i++) {
        const struct dg_fleet_name *name = &input->fleet->names[i];

        n_shown = name->n_builds > n_shown ? name->n_builds : n_shown;
        n_all = name->n_all > n_all ? name->n_all : n_all;
    }
    page->forms = DG_FORM_HTML;
    if (n_shown < n_all)
        dg_page_say(
            page, DG_TONE_PLAIN,
            "Lines are of the newest %zu builds of a name; --last N shows others.",
            n_shown);
    page->forms = DG_FORM_ALL;
    dg_fleet_trend_command(page, input, worst, " --format svg -o trend.svg");
}

static enum dg_status write(struct dg_page *page, const struct dg_fleet_input *input,
                            struct dg_error *err)
{
    static const struct table tables[] = {{DG_FORM_HTML, MOST_IN_PAGE, false},
                                          {DG_FORM_MARKDOWN, MOST_IN_TEXT, false},
                                          {DG_FORM_TEXT, MOST_IN_TEXT, true}};
    const struct dg_fleet_name **names = NULL;
    size_t n = 0;

    while (n < input->fleet->n_names) {
        const struct dg_fleet_name *name = &input->fleet->names[n];

        *DG_APPEND(names, n) = name;
    }
    dg_sort(names, n, sizeof(*names), worst_first);
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        add_table(page, input, names, &tables[i]);
    say_shortened(page, input, names[0]);
    free(names);
    return DG_OK;
}

const struct dg_fleet_section dg_fleet_section_builds = {
    .id = "builds",
    .title = "Builds over time",
    .write = write,
};
