/* Whether anything became worse, in one line, and what was looked at. */
#include <inttypes.h>
#include <math.h>

#include "reports/fleet/section.h"

struct totals {
    double errors, warnings; /* of the newest builds */
    size_t n_alone;          /* names of one build */
};

static struct totals add_up(const struct dg_fleet *fleet)
{
    struct totals totals = {0};

    for (size_t i = 0; i < fleet->n_names; i++) {
        const struct dg_fleet_name *name = &fleet->names[i];
        double errors = dg_trend_newest(&name->trends[DG_FLEET_ERRORS]);
        double warnings = dg_trend_newest(&name->trends[DG_FLEET_WARNINGS]);

        totals.errors += isfinite(errors) ? errors : 0;
        totals.warnings += isfinite(warnings) ? warnings : 0;
        totals.n_alone += name->n_builds == 1;
    }
    return totals;
}

static const char *counted(struct dg_page *page, double n, const char *one)
{
    const char *many = n == 1 ? "" : "s";

    return n > 0 ? dg_format(&page->memory, "%.10g %s%s", n, one, many).data
                 : dg_format(&page->memory, "no %ss", one).data;
}

static void say_verdict(struct dg_page *page, const struct dg_fleet_input *input,
                        const struct totals *totals)
{
    const struct dg_regressions *found = input->regressions;
    size_t n = input->fleet->n_names;
    const char *what =
        dg_format(&page->memory, "the newest build%s: %s, %s", n == 1 ? "" : "s",
                  counted(page, totals->errors, "error"),
                  counted(page, totals->warnings, "warning"))
            .data;

    if (found->n_items)
        dg_page_say(page, DG_TONE_BAD, "%zu of %s became worse, by %s; %s",
                    found->n_names, counted(page, (double)n, "name"),
                    counted(page, (double)found->n_items, "regression"), what);
    else if (totals->n_alone == n)
        dg_page_say(page, totals->errors > 0 ? DG_TONE_BAD : DG_TONE_PLAIN,
                    "Nothing to compare: %s of one build; %s",
                    counted(page, (double)n, "name"), what);
    else
        dg_page_say(page,
                    totals->errors > 0     ? DG_TONE_BAD
                    : totals->warnings > 0 ? DG_TONE_WARN
                                           : DG_TONE_GOOD,
                    "Nothing became worse in %s, of the last %zu builds; %s",
                    counted(page, (double)n, "name"), input->fleet->window, what);
    if (totals->n_alone && totals->n_alone < n)
        dg_page_say(page, DG_TONE_PLAIN, "%s of one build only: nothing is before it.",
                    counted(page, (double)totals->n_alone, "name"));
}

static const char counts_sql[] =
    DG_SQL_BUILDS " SELECT count(*), count(DISTINCT artifact_id), min(build_id),"
                  " max(build_id) FROM build";

static enum dg_status add_facts(struct dg_page *page,
                                const struct dg_fleet_input *input,
                                struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_builds_open(&rows, input->store, counts_sql, &input->choice, err);

    if (status)
        return status;
    if (dg_rows_next(&rows)) {
        dg_page_fact(page, -1, "Names", "%zu", input->fleet->n_names);
        dg_page_fact(page, -1, "Builds", "%" PRId64, dg_rows_int(&rows, 0));
        dg_page_fact(page, -1, "Different programs", "%" PRId64, dg_rows_int(&rows, 1));
        dg_page_fact(page, -1, "Numbers of builds", "%" PRId64 " to %" PRId64,
                     dg_rows_int(&rows, 2), dg_rows_int(&rows, 3));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status write(struct dg_page *page, const struct dg_fleet_input *input,
                            struct dg_error *err)
{
    struct totals totals = add_up(input->fleet);

    say_verdict(page, input, &totals);
    if (input->choice.name || *input->options)
        dg_page_say(page, DG_TONE_PLAIN,
                    "Of the builds that are chosen by%s%s%s alone.",
                    input->choice.name ? " --name " : "",
                    input->choice.name ? input->choice.name : "", input->options);
    return add_facts(page, input, err);
}

const struct dg_fleet_section dg_fleet_section_verdict = {
    .id = "verdict",
    .title = "Verdict",
    .write = write,
};
