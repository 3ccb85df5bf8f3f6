/* Rules that users write: what their SQL finds in a program. The rows are read in the
 * sandbox and kept, since nothing can be written there. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/watch.h"
#include "graph/asked.h"
#include "verifiers/user.h"
#include "verifiers/user_parts.h"

/* As many findings as other rules have; messages and paths that people can read. */
enum { LONGEST_MESSAGE = 1000, LONGEST_PATH = 64 << 10 };

struct row {
    int64_t ids[DG_N_USER_IDS];
    struct dg_text message, path;
    const char *severity;
};

struct gathered {
    struct row *rows; /* the first ones */
    size_t n_rows;
    struct dg_arena memory;
};

static enum dg_status read_ids(struct row *row, const struct dg_rows *rows,
                               const struct dg_user_columns *columns,
                               struct dg_error *err)
{
    for (int i = 0; i < DG_N_USER_IDS; i++) {
        int column = columns->at[i];

        if (column < 0 || dg_rows_null(rows, column))
            continue;
        if (dg_rows_type(rows, column) != 'i')
            return dg_fail(err, DG_ERR_USAGE,
                           "%s is no number, expected an id as column %s of a view",
                           dg_user_columns[i], dg_user_columns[i]);
        row->ids[i] = dg_rows_int(rows, column);
    }
    return DG_OK;
}

/* A NULL, which one NULL in a chain of || makes: the invariant. */
static enum dg_status read_message(struct row *row, const struct dg_findings *found,
                                   const struct dg_rows *rows, int column,
                                   struct dg_arena *memory, struct dg_error *err)
{
    bool blob = dg_rows_type(rows, column) == 'b';
    struct dg_text text = dg_rows_slice(rows, column),
                   kept = dg_cut(text, LONGEST_MESSAGE);

    if (blob)
        return dg_fail(err, DG_ERR_USAGE, "message is a blob, expected text");
    if (!text.size)
        row->message = dg_text(found->rule->invariant);
    else
        row->message = dg_format(memory, "%.*s%s", (int)kept.size, kept.data,
                                 kept.size < text.size ? "..." : "");
    return DG_OK;
}

static enum dg_status read_path(struct row *row, const struct dg_rows *rows, int column,
                                struct dg_arena *memory, struct dg_error *err)
{
    if (column < 0 || dg_rows_null(rows, column))
        return DG_OK;
    if (dg_rows_type(rows, column) != 't')
        return dg_fail(err, DG_ERR_USAGE,
                       "path is no text, expected a JSON array of names");
    row->path = dg_rows_slice(rows, column);
    if (row->path.size > LONGEST_PATH)
        return dg_fail(err, DG_ERR_USAGE, "path is longer than %d bytes", LONGEST_PATH);
    row->path.data = dg_copy(memory, row->path);
    return DG_OK;
}

static enum dg_status read_severity(enum dg_severity *severity,
                                    const struct dg_findings *found,
                                    const struct dg_rows *rows, int column,
                                    struct dg_error *err)
{
    struct dg_text given;

    *severity = found->rule->severity;
    if (column < 0 || dg_rows_null(rows, column))
        return DG_OK;
    given = dg_rows_slice(rows, column);
    if (dg_severity_find(severity, given))
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE,
                   "severity is \"%.*s\", expected error, warning or note",
                   (int)dg_cut(given, 40).size, given.data);
}

static enum dg_status read_row(struct gathered *all, const struct dg_findings *found,
                               const struct dg_rows *rows,
                               const struct dg_user_columns *columns,
                               struct dg_error *err)
{
    struct row *row;
    enum dg_severity severity;
    enum dg_status status =
        read_severity(&severity, found, rows, columns->at[DG_USER_SEVERITY], err);

    if (status)
        return status;
    if (all->n_rows == DG_MOST_FINDINGS) {
        found->so_far->more[severity]++;
        return DG_OK;
    }
    row = &all->rows[all->n_rows++];
    row->severity = dg_severity_name(severity);
    status = read_ids(row, rows, columns, err);
    if (!status)
        status = read_message(row, found, rows, columns->at[DG_USER_MESSAGE],
                              &all->memory, err);
    return status ? status
                  : read_path(row, rows, columns->at[DG_USER_PATH], &all->memory, err);
}

static enum dg_status gather(struct gathered *all, const struct dg_findings *found,
                             struct dg_error *err)
{
    struct dg_user_columns columns;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, found->store, found->rule->source->sql, err);

    if (status)
        return status;
    status = dg_user_columns_find(&columns, &rows, err);
    while (!status && dg_rows_next(&rows))
        status = read_row(all, found, &rows, &columns, err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status gather_in_sandbox(struct gathered *all,
                                        const struct dg_findings *found,
                                        struct dg_error *err)
{
    const struct dg_user_source *source = found->rule->source;
    struct dg_watch watch;
    char words[400];
    enum dg_status status;

    snprintf(words, sizeof(words), "%.180s:%d: %s: query stopped: it ran out of time",
             source->path, source->line, found->id);
    /* What does not end at an instruction of SQLite ends a little later. */
    dg_watch_begin(&watch, source->seconds > 0 ? source->seconds + 0.5 : 0, words);
    dg_store_sandbox(found->store, source->seconds);
    status = gather(all, found, err);
    dg_store_leave_sandbox(found->store);
    dg_watch_end(&watch);
    return status;
}

static enum dg_status check_ids(const struct row *row, struct dg_store *store,
                                struct dg_error *err)
{
    static const char *const queries[] = {
        "SELECT 1 FROM artifact WHERE id = ?1", "SELECT 1 FROM method WHERE id = ?1",
        "SELECT 1 FROM \"graph\" WHERE id = ?1", "SELECT 1 FROM node WHERE id = ?1",
        "SELECT 1 FROM value WHERE id = ?1"};

    for (int i = 0; i < DG_N_USER_IDS; i++) {
        int64_t there = 1;
        enum dg_status status = DG_OK;

        if (row->ids[i])
            status = dg_store_int_of(store, queries[i], row->ids[i], 0, &there, err);
        if (status)
            return status;
        if (!there)
            return dg_fail(err, DG_ERR_USAGE, "%s is %lld, which no view has",
                           dg_user_columns[i], (long long)row->ids[i]);
    }
    return DG_OK;
}

static enum dg_status check_path(const struct row *row, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        store,
        "SELECT CASE WHEN NOT json_valid(?1) THEN 0 WHEN json_type(?1) <> 'array' THEN "
        "0"
        " ELSE NOT EXISTS (SELECT 1 FROM json_each(?1) WHERE type <> 'text') END",
        err);
    bool good = false;
    enum dg_status status;

    dg_rows_bind_text(&rows, 1, row->path);
    if (dg_rows_next(&rows))
        good = dg_rows_int(&rows, 0) != 0;
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status && !good)
        status = dg_fail(err, DG_ERR_USAGE,
                         "path is \"%.*s\", expected a JSON array of names, as "
                         "json_group_array(name) makes it",
                         (int)dg_cut(row->path, 60).size, row->path.data);
    return status;
}

static enum dg_status add(struct row *row, const struct dg_findings *found,
                          struct dg_error *err)
{
    struct dg_finding finding = {
        .severity = row->severity, .message = row->message, .witness = row->path};
    enum dg_status status = check_ids(row, found->store, err);

    if (!status && row->path.data)
        status = check_path(row, found->store, err);
    if (status)
        return status;
    finding.artifact = row->ids[DG_USER_ARTIFACT];
    finding.method = row->ids[DG_USER_METHOD];
    finding.graph = row->ids[DG_USER_GRAPH];
    finding.node = row->ids[DG_USER_NODE];
    finding.value = row->ids[DG_USER_VALUE];
    return dg_find(found, &finding, err);
}

enum dg_status dg_user_rule_run(const struct dg_findings *found, struct dg_error *err)
{
    struct gathered all = {0};
    enum dg_status status = dg_asked_store(found->store, found->rule->source->sql, err);

    all.rows = dg_alloc(&all.memory, DG_MOST_FINDINGS, sizeof(*all.rows));
    if (!status)
        status = dg_store_add_views(found->store, err);
    if (!status)
        status = gather_in_sandbox(&all, found, err);
    for (size_t i = 0; i < all.n_rows && !status; i++)
        status = add(&all.rows[i], found, err);
    dg_arena_clear(&all.memory);
    if (status)
        dg_user_rule_blame(found->rule, found->rule->source->line, err);
    return status;
}
