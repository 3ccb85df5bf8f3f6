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
    {"Latency", DG_FLEET_TIME, true},
    {"Errors", DG_FLEET_ERRORS, true},
    {"Warnings", DG_FLEET_WARNINGS, true},
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

static void add_row(struct dg_page *page, const struct dg_fleet_name *name, bool text)
{
    dg_table_text(page, name->name);
    dg_table_number(page, (double)name->n_all);
    dg_table_text(page, dg_text(dg_build_words(&page->memory, dg_fleet_newest(name))));
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (columns[i].in_text || !text)
            dg_table_trend(page, &name->trends[columns[i].number]);
}

static void add_table(struct dg_page *page, const struct dg_fleet_input *input,
                      const struct dg_fleet_name *const *names, bool text)
{
    size_t n = input->fleet->n_names, most = text ? MOST_IN_TEXT : MOST_IN_PAGE;

    page->forms = text ? DG_FORM_TEXT | DG_FORM_MARKDOWN : DG_FORM_HTML;
    dg_page_table(
        page, text ? NULL : "names",
        "Numbers of the newest builds, and what changed since the build before");
    dg_table_columns(page, "Name:code", "Builds:count", "Newest:text", NULL);
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (columns[i].in_text || !text)
            dg_table_column(page, columns[i].title, DG_CELL_TREND);
    for (size_t i = 0; i < n && i < most; i++)
        add_row(page, names[i], text);
    if (n > most)
        dg_table_more(page, n - most, "delegraph trend %s", input->path);
}

static void say_shortened(struct dg_page *page, const struct dg_fleet_input *input)
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
    dg_page_command(page, "%s --format svg -o trend.svg",
                    dg_fleet_trend_command(page, input, &input->fleet->names[0]));
}

static enum dg_status write(struct dg_page *page, const struct dg_fleet_input *input,
                            struct dg_error *err)
{
    const struct dg_fleet_name **names = NULL;
    size_t n = 0;

    while (n < input->fleet->n_names) {
        const struct dg_fleet_name *name = &input->fleet->names[n];

        *DG_APPEND(names, n) = name;
    }
    dg_sort(names, n, sizeof(*names), worst_first);
    add_table(page, input, names, false);
    add_table(page, input, names, true);
    say_shortened(page, input);
    free(names);
    return DG_OK;
}

const struct dg_fleet_section dg_fleet_section_builds = {
    .id = "builds",
    .title = "Builds over time",
    .write = write,
};
