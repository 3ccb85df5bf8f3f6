/* What runs found: verdicts, outputs, and where the error grows. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "reports/sections/amount.h"

enum { MOST_RUNS = 8 };

struct run {
    int64_t id;
    const char *device, *reference, *inputs, *part, *program, *against;
    int64_t n_pass, n_fail, n_skip;
};

static void say_run(struct dg_page *page, const struct run *run)
{
    page->forms = DG_FORM_ALL;
    dg_page_fact(
        page, dg_share(run->n_pass, run->n_pass + run->n_fail),
        dg_format(&page->memory, "Run %" PRId64 " on %s", run->id, run->device).data,
        "%s, %" PRId64 " of %" PRId64 " pass", run->n_fail ? "FAIL" : "PASS",
        run->n_pass, run->n_pass + run->n_fail + run->n_skip);
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    dg_page_say(
        page, DG_TONE_PLAIN,
        "Held to: %s. Inputs: %s.%s%s%s %" PRId64 " fail, %" PRId64 " are skipped.",
        run->reference, run->inputs, run->part ? " Of the program: " : "",
        run->part ? run->part : "", run->part ? "." : "", run->n_fail, run->n_skip);
}

static const char first_failure_sql[] =
    "SELECT 'First node that fails', name || coalesce(' (' || op || ')', '')"
    " || coalesce(': ' || why, ''), NULL FROM num_result WHERE run_id = ?1"
    " AND verdict = 'fail' AND kind <> 'output' ORDER BY call, pos, id LIMIT 1";

struct point {
    double snr;
    bool failed;
    struct dg_text name;
};

/* Marks that pass, and marks that fail, so that these are drawn on top. */
static void add_series(struct dg_page *page, struct dg_chart *chart, const char *name,
                       const struct point *points, bool failed)
{
    struct dg_series *series = &chart->series[chart->n_series++];

    series->name = dg_text(name);
    series->n = chart->n_steps;
    series->values = dg_alloc(&page->memory, chart->n_steps, sizeof(*series->values));
    for (size_t i = 0; i < chart->n_steps; i++)
        series->values[i] = points[i].failed == failed ? points[i].snr : NAN;
}

static void draw_points(struct dg_page *page, const struct run *run,
                        const struct point *points, size_t n)
{
    struct dg_block *block;
    struct dg_chart *chart;

    page->forms = DG_FORM_HTML;
    block =
        dg_page_block(page, DG_BLOCK_CHART,
                      dg_format(&page->memory, "numerics-%" PRId64, run->id).data,
                      dg_format(&page->memory,
                                "Signal to noise of the nodes of run %" PRId64, run->id)
                          .data);
    block->desc = dg_text("Each mark is a node in the order of execution: the higher, "
                          "the closer to the reference. The table has the worst.");
    chart = &block->chart;
    chart->points = true;
    chart->x_name = dg_text("node");
    chart->y_name = dg_text("SNR, dB");
    chart->n_steps = n;
    chart->steps = dg_alloc(&page->memory, n, sizeof(*chart->steps));
    for (size_t i = 0; i < n; i++)
        chart->steps[i] = points[i].name;
    chart->series = dg_alloc(&page->memory, 2, sizeof(*chart->series));
    add_series(page, chart, "pass", points, false);
    add_series(page, chart, "fail", points, true);
}

/* Nodes in the order in which they ran; no SNR where nothing differs. */
static enum dg_status draw_nodes(struct dg_page *page,
                                 const struct dg_report_input *input,
                                 const struct run *run, struct dg_error *err)
{
    struct point *points = NULL;
    size_t n = 0, n_known = 0;
    struct dg_rows rows = dg_rows_of(
        input->store,
        "SELECT snr_db, verdict = 'fail', name FROM num_result WHERE run_id = ?1"
        " AND kind <> 'output' ORDER BY call, pos, id",
        run->id, err);

    while (dg_rows_next(&rows)) {
        struct point *point = DG_APPEND(points, n);

        point->snr = dg_rows_null(&rows, 0) ? NAN : dg_rows_double(&rows, 0);
        point->failed = dg_rows_int(&rows, 1) != 0;
        point->name = dg_text(dg_copy(&page->memory, dg_rows_slice(&rows, 2)));
        n_known += isfinite(point->snr) != 0;
    }
    if (n_known > 1)
        draw_points(page, run, points, n);
    free(points);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status show_run(struct dg_page *page,
                               const struct dg_report_input *input,
                               const struct run *run, struct dg_error *err)
{
    enum dg_status status;

    say_run(page, run);
    page->forms = DG_FORM_ALL;
    status = dg_section_facts(page, input->store, first_failure_sql, run->id, err);
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    if (!status && run->n_fail)
        dg_page_command(page, "delegraph run %s%s%s --bisect",
                        dg_shell_path(&page->memory, dg_text(run->program)).data,
                        run->against ? " --against " : "",
                        run->against
                            ? dg_shell_path(&page->memory, dg_text(run->against)).data
                            : "");
    if (!status)
        status = draw_nodes(page, input, run, err);
    return status ? status
                  : dg_section_rows(page, input, "run", run->id,
                                    dg_format(&page->memory, "%" PRId64, run->id).data,
                                    err);
}

static const char runs_sql[] =
    "SELECT num_run.id, device, reference || coalesce(' ' || against, ''), inputs,"
    " part, (SELECT path FROM artifact WHERE id = ?1),"
    " (SELECT count(*) FROM num_result WHERE run_id = num_run.id AND verdict = 'pass'),"
    " (SELECT count(*) FROM num_result WHERE run_id = num_run.id AND verdict = 'fail'),"
    " (SELECT count(*) FROM num_result WHERE run_id = num_run.id AND verdict = 'skip'),"
    " against FROM num_run WHERE artifact_id = ?1 ORDER BY num_run.id DESC LIMIT ?2";

static enum dg_status show_runs(struct dg_page *page,
                                const struct dg_report_input *input, size_t *n_runs,
                                struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(input->store, runs_sql, input->artifact, err);
    enum dg_status status = DG_OK;

    dg_rows_bind_int(&rows, 2, MOST_RUNS);
    for (; !status && dg_rows_next(&rows); ++*n_runs) {
        struct run run = {dg_rows_int(&rows, 0),  dg_rows_text(&rows, 1),
                          dg_rows_text(&rows, 2), dg_rows_text(&rows, 3),
                          dg_rows_text(&rows, 4), dg_rows_text(&rows, 5),
                          dg_rows_text(&rows, 9), dg_rows_int(&rows, 6),
                          dg_rows_int(&rows, 7),  dg_rows_int(&rows, 8)};

        status = show_run(page, input, &run, err);
    }
    return dg_rows_close(&rows, status, err);
}

/* A lowered program is held to the one that it was made from, where that was given. */
static enum dg_status add_command(struct dg_page *page,
                                  const struct dg_report_input *input,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        input->store,
        "SELECT made.path FROM artifact AS made JOIN artifact AS a ON a.id ="
        "  made.companion_of WHERE a.id = ?1 AND made.role = 'program'"
        "  AND made.kind = 'pt2' AND a.kind = 'pte' ORDER BY made.id LIMIT 1",
        input->artifact, err);
    const char *made_from =
        dg_rows_next(&rows) ? dg_shell_path(&page->memory, dg_rows_slice(&rows, 0)).data
                            : NULL;

    dg_page_command(page, "delegraph run %s%s%s%s --each --store runs.db",
                    made_from ? made_from : "", made_from ? " --against " : "",
                    input->path, input->data_options);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    size_t n_runs = 0;
    enum dg_status status = show_runs(page, input, &n_runs, err);

    if (status || n_runs)
        return status;
    page->forms = DG_FORM_HTML;
    dg_page_say(page, DG_TONE_NOTE,
                "The store holds no run. To judge every output, and "
                "with --each every node, and to see it here:");
    status = add_command(page, input, err);
    dg_page_command(page, "delegraph report runs.db -o report.html");
    return status;
}

const struct dg_section dg_section_numerics = {
    .id = "numerics",
    .title = "Numerics",
    .write = write,
};
