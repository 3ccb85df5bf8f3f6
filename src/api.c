/* The installed interface: a program, what is wrong with it, and questions in SQL. */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "formats/input.h"
#include "graph/asked.h"
#include "store/statement.h"
#include "store/store.h"
#include "verifiers/verifier.h"

enum { EXIT_USAGE = 2, EXIT_INTERNAL = 5 };

struct delegraph_program {
    struct dg_input input;
    enum { UNVERIFIED, VERIFIED, BROKEN } rules; /* BROKEN: they stopped halfway */
    bool has_views, busy;
    unsigned long n_visits; /* of the last call */
    struct dg_arena memory; /* of its path */
};

static int code_of(enum dg_status status)
{
    switch (status) {
    case DG_OK:
        return 0;
    case DG_ERR_USAGE:
        return EXIT_USAGE;
    case DG_ERR_FORMAT:
        return 3;
    case DG_ERR_DEVICE:
    case DG_ERR_STOPPED:
        return 4;
    default:
        return EXIT_INTERNAL;
    }
}

int dg_api_call(enum dg_status work(void *context, struct dg_error *err), void *context,
                char *error, unsigned long error_size)
{
    struct dg_error err = {0};
    enum dg_status status = dg_outlive_memory(work, context, &err);

    if (error && error_size)
        snprintf(error, error_size, "%s", status ? err.text : "");
    return code_of(status);
}

/* What a call does with a program, which a visit of it may not ask. */
static int use_program(struct delegraph_program *program,
                       enum dg_status work(void *context, struct dg_error *err),
                       void *context, char *error, unsigned long error_size)
{
    int code;

    if (program->busy) {
        if (error && error_size)
            snprintf(error, error_size, "the program is in use");
        return EXIT_USAGE;
    }
    program->busy = true;
    program->n_visits = 0;
    dg_store_restart_clock(program->input.store);
    code = dg_api_call(work, context, error, error_size);
    program->busy = false;
    return code;
}

unsigned long delegraph_visits(const struct delegraph_program *program)
{
    return program->n_visits;
}

static enum dg_status show(struct delegraph_program *program, delegraph_visit_fn *visit,
                           void *context, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        program->input.store,
        "SELECT f.rule, f.severity, m.name, g.path, n.name, coalesce(v.name, v.idx),"
        "  f.message FROM finding AS f LEFT JOIN method AS m ON m.id = f.method_id"
        "  LEFT JOIN \"graph\" AS g ON g.id = f.graph_id"
        "  LEFT JOIN node AS n ON n.id = f.node_id"
        "  LEFT JOIN value AS v ON v.id = f.value_id ORDER BY f.id",
        err);
    int ended = 0;

    while (!ended && dg_rows_next(&rows)) {
        struct delegraph_finding finding = {
            .rule = dg_rows_text(&rows, 0),
            .severity = dg_rows_text(&rows, 1),
            .method = dg_rows_text(&rows, 2),
            .graph = dg_rows_text(&rows, 3),
            .node = dg_rows_text(&rows, 4),
            .value = dg_rows_text(&rows, 5),
            .message = dg_rows_text(&rows, 6),
        };

        program->n_visits++;
        ended = visit(context, &finding);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

struct open_job {
    const char *path;
    struct delegraph_program *program;
};

static enum dg_status open_program(void *object, struct dg_error *err)
{
    struct open_job *job = object;
    struct delegraph_program *program = dg_zeroed(1, sizeof(*program));
    const char *path = dg_copy(&program->memory, dg_text(job->path));
    enum dg_status status = dg_input_open(&program->input, path, DG_HASH_EQUAL, err);

    if (status)
        delegraph_close(program);
    else
        job->program = program;
    return status;
}

int delegraph_open(struct delegraph_program **out, const char *path, char *error,
                   unsigned long error_size)
{
    struct open_job job = {path, NULL};
    int code = dg_api_call(open_program, &job, error, error_size);

    *out = job.program;
    return code;
}

void delegraph_close(struct delegraph_program *program)
{
    if (!program)
        return;
    dg_input_close(&program->input);
    dg_arena_clear(&program->memory);
    free(program);
}

struct findings_job {
    struct delegraph_program *program;
    delegraph_visit_fn *visit;
    void *context;
};

static enum dg_status find(void *object, struct dg_error *err)
{
    const struct findings_job *job = object;
    struct delegraph_program *program = job->program;
    enum dg_status status = DG_OK;

    if (program->rules == BROKEN)
        return dg_fail(err, DG_ERR_USAGE, "rules were stopped halfway, open it anew");
    if (program->rules == UNVERIFIED) {
        program->rules = BROKEN;
        status = dg_verify(program->input.store, NULL, NULL, NULL, err);
    }
    if (!status)
        program->rules = VERIFIED;
    if (!status && job->visit)
        status = show(program, job->visit, job->context, err);
    return status;
}

int delegraph_findings(struct delegraph_program *program, delegraph_visit_fn *visit,
                       void *context, char *error, unsigned long error_size)
{
    struct findings_job job = {program, visit, context};

    return use_program(program, find, &job, error, error_size);
}

int delegraph_check(const char *path, delegraph_visit_fn *visit, void *context,
                    char *error, unsigned long error_size)
{
    struct delegraph_program *program;
    int code = delegraph_open(&program, path, error, error_size);

    if (!code)
        code = delegraph_findings(program, visit, context, error, error_size);
    if (code != EXIT_INTERNAL) /* what memory left behind cannot be closed */
        delegraph_close(program);
    return code;
}

struct query_job {
    struct delegraph_program *program;
    const char *sql;
    double seconds;
    delegraph_row_fn *visit;
    void *context;
};

static struct delegraph_cell cell_of(const struct dg_rows *rows, int column)
{
    struct delegraph_cell cell = {.type = dg_rows_type(rows, column)};
    struct dg_text text;

    if (cell.type == 'i') {
        cell.integer = dg_rows_int(rows, column);
    } else if (cell.type == 'f') {
        cell.real = dg_rows_double(rows, column);
    } else if (cell.type != 'n') {
        text = dg_rows_slice(rows, column);
        cell.data = text.data;
        cell.size = text.size;
    }
    return cell;
}

static void visit_rows(const struct query_job *job, struct dg_rows *rows)
{
    struct dg_arena memory = {0};
    int n = dg_rows_columns(rows), ended;
    const char **names = dg_alloc(&memory, (size_t)n, sizeof(*names));
    struct delegraph_cell *cells = dg_alloc(&memory, (size_t)n, sizeof(*cells));

    for (int i = 0; i < n; i++)
        names[i] = dg_rows_column(rows, i);
    job->program->n_visits++;
    ended = job->visit(job->context, (unsigned)n, names, NULL);
    while (!ended && dg_rows_next(rows)) {
        for (int i = 0; i < n; i++)
            cells[i] = cell_of(rows, i);
        job->program->n_visits++;
        ended = job->visit(job->context, (unsigned)n, names, cells);
    }
    dg_arena_clear(&memory);
}

static enum dg_status ask(const struct query_job *job, struct dg_error *err)
{
    struct dg_rows rows;
    struct dg_error told;
    enum dg_status status =
        dg_rows_open(&rows, job->program->input.store, job->sql, err);

    told = *err;
    if (status)
        return dg_fail(err, DG_ERR_USAGE, "%s", told.text);
    if (!dg_sql_is_blank(job->sql + dg_rows_sql_size(&rows)))
        status = dg_fail(err, DG_ERR_USAGE, "more than one statement in the query");
    if (!status)
        visit_rows(job, &rows);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status query(void *object, struct dg_error *err)
{
    const struct query_job *job = object;
    struct dg_store *store = job->program->input.store;
    enum dg_status status =
        job->program->has_views ? DG_OK : dg_store_add_views(store, err);

    if (!status) /* tables that are filled when they are asked for */
        status = dg_asked_store(store, job->sql, err);
    if (status)
        return status;
    job->program->has_views = true;
    dg_store_sandbox(store, job->seconds);
    status = ask(job, err);
    dg_store_leave_sandbox(store);
    return status;
}

int delegraph_query(struct delegraph_program *program, const char *sql, double seconds,
                    delegraph_row_fn *visit, void *context, char *error,
                    unsigned long error_size)
{
    struct query_job job = {program, sql, seconds, visit, context};

    return use_program(program, query, &job, error, error_size);
}

const char *delegraph_version(void)
{
    return PACKAGE_VERSION;
}
