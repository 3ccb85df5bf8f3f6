/* run --coverage: what can be run, without a run. */
#include "cli/run_coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/sorted.h"
#include "exec/coverage.h"
#include "reports/page/grid.h"

static const char *const headings[] = {"operator", "nodes", "CPU", "CUDA", "first", ""};
enum { COLUMNS = sizeof(headings) / sizeof(*headings) };

/* 0: cannot be run; 1: on the CPU; 2: on both. */
static int places_of(const struct dg_coverage_row *row)
{
    return row->why ? 0 : 1 + row->on_cuda;
}

/* What cannot be run comes first, then what most nodes call. */
static int compare_rows(const void *a, const void *b)
{
    const struct dg_coverage_row *one = a, *other = b;
    int order = places_of(one) - places_of(other);

    if (!order)
        order = (one->n_nodes < other->n_nodes) - (one->n_nodes > other->n_nodes);
    if (!order)
        order = strcmp(one->op, other->op);
    return order ? order : strcmp(one->node, other->node);
}

static void add_cell(struct dg_grid *grid, const char *text, enum dg_tone tone)
{
    dg_write_plain(&grid->text, dg_text(text));
    dg_grid_end_cell(grid, tone);
}

static void add_answer(struct dg_grid *grid, bool yes)
{
    add_cell(grid, yes ? "yes" : "no", yes ? DG_TONE_PLAIN : DG_TONE_WARN);
}

static void add_row(struct dg_grid *grid, const struct dg_coverage_row *row)
{
    add_cell(grid, row->op, DG_TONE_PLAIN);
    dg_print(&grid->text, "%zu", row->n_nodes);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
    add_answer(grid, !row->why);
    add_answer(grid, row->on_cuda);
    add_cell(grid, row->node, DG_TONE_PLAIN);
    add_cell(grid, row->why ? row->why : "", DG_TONE_WARN);
}

static void write_table(struct dg_writer *out, const struct dg_coverage *coverage,
                        const struct dg_page_options *options)
{
    struct dg_grid grid = {0};

    for (int i = 0; i < COLUMNS; i++)
        dg_grid_column(&grid, i == 1, DG_GRID_WHOLE);
    for (int i = 0; i < COLUMNS; i++)
        add_cell(&grid, headings[i], DG_TONE_PLAIN);
    for (size_t i = 0; i < coverage->n_rows; i++)
        add_row(&grid, &coverage->rows[i]);
    dg_grid_drop_empty(&grid);
    dg_grid_write(out, &grid, 2, true, options);
    dg_grid_clear(&grid);
}

static void write_text(struct dg_writer *out, const struct dg_run_session *session,
                       const struct dg_coverage *coverage)
{
    const struct dg_page_options options = {
        .color = dg_wants_color(session->given->output),
        .width = dg_terminal_width(session->given->output)};

    dg_write_plain(out, dg_text(session->program.input.path));
    dg_print(out, ": ");
    dg_write_plain(out, dg_text(session->program.schedule.method));
    dg_print(out, ": %zu node%s", coverage->n_nodes, coverage->n_nodes == 1 ? "" : "s");
    if (coverage->n_inside)
        dg_print(out, " (%zu in delegates)", coverage->n_inside);
    dg_print(out,
             ", %zu can be run on the CPU, %zu by kernels on CUDA; %zu of %zu output%s"
             " can be compared\n",
             coverage->n_cpu, coverage->n_cuda, coverage->n_known, coverage->n_outputs,
             coverage->n_outputs == 1 ? "" : "s");
    if (coverage->n_rows)
        write_table(out, coverage, &options);
}

static void write_json(struct dg_writer *out, const struct dg_run_session *session,
                       const struct dg_coverage *coverage)
{
    struct dg_json_writer json = {.out = out};

    dg_put_object(&json, NULL);
    dg_put_int(&json, "schema_version", 1);
    dg_put_text(&json, "method", dg_text(session->program.schedule.method));
    dg_put_int(&json, "nodes", (int64_t)coverage->n_nodes);
    dg_put_int(&json, "in_delegates", (int64_t)coverage->n_inside);
    dg_put_int(&json, "cpu", (int64_t)coverage->n_cpu);
    dg_put_int(&json, "cuda", (int64_t)coverage->n_cuda);
    dg_put_int(&json, "outputs", (int64_t)coverage->n_outputs);
    dg_put_int(&json, "comparable_outputs", (int64_t)coverage->n_known);
    dg_put_array(&json, "operators");
    for (size_t i = 0; i < coverage->n_rows; i++) {
        const struct dg_coverage_row *row = &coverage->rows[i];

        dg_put_line(&json);
        dg_put_object(&json, NULL);
        dg_put_text(&json, "op", dg_text(row->op));
        dg_put_int(&json, "nodes", (int64_t)row->n_nodes);
        dg_put_bool(&json, "cpu", !row->why);
        dg_put_bool(&json, "cuda", row->on_cuda);
        dg_put_text(&json, "first", dg_text(row->node));
        dg_put_text(&json, "why", dg_text(row->why));
        dg_put_end(&json);
    }
    dg_put_end(&json);
    dg_put_end(&json);
    dg_json_written(&json);
    dg_print(out, "\n");
}

enum dg_status dg_run_coverage(struct dg_writer *out, struct dg_run_session *session,
                               int *exit_code, struct dg_error *err)
{
    struct dg_coverage coverage;
    int64_t most = session->given->max_skip;
    enum dg_status status = dg_coverage_of(&coverage, &session->program.schedule,
                                           session->program.input.store, err);

    if (!status) {
        dg_sort(coverage.rows, coverage.n_rows, sizeof(*coverage.rows), compare_rows);
        (strcmp(session->given->format, "json") ? write_text : write_json)(out, session,
                                                                           &coverage);
        if (most >= 0 && coverage.n_outputs - coverage.n_known > (size_t)most)
            *exit_code = DG_EXIT_POLICY;
    }
    dg_coverage_clear(&coverage);
    return status;
}
