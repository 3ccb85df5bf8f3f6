/* Regressions, the worst first, and from where on a change is one. */
#include <math.h>

#include "reports/fleet/section.h"
#include "reports/picture/picture.h"

enum { MOST_ROWS = 50, MOST_COMMANDS = 3 };

static const char *quantity(struct dg_page *page, const struct dg_regression *of,
                            double value)
{
    struct dg_writer text = {0};

    dg_write_quantity(&text, of->measure->unit, value);
    return dg_keep(&page->memory, &text).data;
}

/* "576 B (+38.9 %)": what it was, and from there to the newest. */
static const char *quantity_before(struct dg_page *page, const struct dg_regression *of,
                                   double old)
{
    struct dg_writer text = {0};

    if (!isfinite(old))
        return NULL;
    dg_print(&text, "%s (", quantity(page, of, old));
    dg_write_change(&text, of->measure->unit, old, of->newest);
    dg_print(&text, ")");
    return dg_keep(&page->memory, &text).data;
}

static void add_row(struct dg_page *page, const struct dg_regression *of)
{
    dg_table_text(page, dg_fleet_shown(page, of->name->name));
    dg_table_text(page, of->rule
                            ? dg_format(&page->memory, "%s %s", of->rule->severity.data,
                                        dg_fleet_shown(page, of->rule->rule).data)
                            : dg_text(of->measure->title));
    dg_table_text(page, dg_text(quantity(page, of, of->newest)));
    dg_table_text(page, dg_text(quantity_before(page, of, of->before)));
    dg_table_text(page, dg_text(quantity_before(page, of, of->best)));
    dg_table_text(page, dg_text(dg_build_words(&page->memory, of->since)));
}

/* From the table of measures: what counts is decided there. */
static const char *thresholds(struct dg_page *page)
{
    struct dg_writer text = {0};

    for (int i = 0; i < DG_FLEET_NUMBERS; i++) {
        const struct dg_fleet_measure *of = &dg_fleet_measures[i];
        bool by_number = of->unit == DG_TREND_FEW, share = of->unit == DG_TREND_SHARE;

        dg_print(&text, "%s%s %s%g%s", i ? ", " : "", of->title,
                 of->more_is_better ? "-" : "+",
                 by_number ? of->threshold : 100 * of->threshold,
                 by_number ? ""
                 : share   ? " point"
                           : " %");
    }
    return dg_keep(&page->memory, &text).data;
}

/* Once for each of the worst names. */
static void add_commands(struct dg_page *page, const struct dg_fleet_input *input)
{
    const struct dg_fleet_name *told[MOST_COMMANDS];
    size_t n = 0;

    for (size_t i = 0; i < input->regressions->n_items && n < MOST_COMMANDS; i++) {
        const struct dg_fleet_name *name = input->regressions->items[i].name;
        size_t k = 0;

        while (k < n && told[k] != name)
            k++;
        if (k < n)
            continue;
        told[n++] = name;
        dg_fleet_trend_command(page, input, name, "");
        if (name->before.data && !dg_text_equal(name->before, name->path))
            dg_page_command(page, "delegraph diff %s %s",
                            dg_shell_path(&page->memory, name->before).data,
                            dg_shell_path(&page->memory, name->path).data);
    }
}

static void add_table(struct dg_page *page, const struct dg_fleet_input *input)
{
    const struct dg_regressions *found = input->regressions;
    const char *best =
        dg_format(&page->memory, "Best of %zu", input->fleet->window).data;

    dg_page_table(page, "regression-table", "The newest builds, the worst first");
    dg_table_columns(page, "Name:code", "What:text", "Newest:text", "Before:text",
                     NULL);
    dg_table_column(page, best, DG_CELL_TEXT);
    dg_table_columns(page, "Since build:text", NULL);
    for (size_t i = 0; i < found->n_items && i < MOST_ROWS; i++)
        add_row(page, &found->items[i]);
    if (found->n_items > MOST_ROWS)
        dg_table_more(page, found->n_items - MOST_ROWS,
                      "delegraph report %s --fleet%s --name NAME -o name.html",
                      input->path, input->options);
}

static enum dg_status write(struct dg_page *page, const struct dg_fleet_input *input,
                            struct dg_error *err)
{
    if (input->regressions->n_items)
        add_table(page, input);
    dg_page_say(
        page, DG_TONE_PLAIN,
        "What counts, against the best of the newest %zu builds of a name, and so"
        " against the build before: %s.",
        input->fleet->window, thresholds(page));
    add_commands(page, input);
    return DG_OK;
}

const struct dg_fleet_section dg_fleet_section_regressions = {
    .id = "regressions",
    .title = "Regressions",
    .write = write,
};
