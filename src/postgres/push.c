#include "postgres/push.h"

#include <stdlib.h>
#include <string.h>

#include "graph/asked.h"
#include "postgres/copy.h"
#include "postgres/push_parts.h"

static const char files_sql[] =
    "SELECT one.id, program.id, one.path, CASE WHEN one.id = program.id THEN one.sha256"
    "       ELSE program.sha256 || ':' || one.sha256 END, program.companion_of"
    "  FROM artifact AS one"
    "  JOIN artifact AS program ON program.id = coalesce(one.companion_of, one.id)"
    " ORDER BY 2, one.companion_of IS NOT NULL, 1";

static enum dg_status find_files(struct dg_push *push, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(push->store, files_sql, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        struct dg_push_file *file = DG_APPEND(push->files, push->n_files);

        file->artifact = dg_rows_int(&rows, 0);
        file->program = dg_rows_int(&rows, 1);
        file->key = dg_rows_keep(&push->memory, &rows, 3).data;
        if (!dg_rows_null(&rows, 4))
            status =
                dg_fail(err, DG_ERR_FORMAT,
                        "artifact %lld: a companion of a companion, expected one of"
                        " a program",
                        (long long)file->artifact);
        else if (!file->key)
            status = dg_fail(err, DG_ERR_USAGE,
                             "%.200s: without a SHA-256, by which files are known:"
                             " load it without --no-hash",
                             dg_rows_text(&rows, 2));
    }
    return dg_rows_close(&rows, status, err);
}

/* Which of them are on the server. */
static enum dg_status find_there(struct dg_push *push, struct dg_error *err)
{
    struct dg_writer keys = {0};
    const char *values[1];
    PGresult *result;
    enum dg_status status;

    for (size_t i = 0; i < push->n_files; i++)
        dg_print(&keys, "%s\"%s\"", i ? "," : "{", push->files[i].key);
    dg_print(&keys, push->n_files ? "}" : "{}");
    values[0] = keys.data;
    status = dg_server_ask(&push->server,
                           "SELECT n - 1 FROM unnest($1::text[]) WITH ORDINALITY AS"
                           " given (key, n) JOIN pushed_file USING (key)",
                           values, 1, &result, err);
    dg_writer_clear(&keys);
    if (status)
        return status;
    for (int i = 0; i < push->server.pq.PQntuples(result); i++)
        push->files[atoll(push->server.pq.PQgetvalue(result, i, 0))].there = true;
    push->server.pq.PQclear(result);
    return DG_OK;
}

/* Ids of the store and those that are behind them on the server do not meet: each push
 * has a stretch of its own, as long as the largest id. */
static enum dg_status reserve_ids(struct dg_push *push, struct dg_error *err)
{
    struct dg_writer sql = {0};
    struct dg_arena memory = {0};
    int64_t most = 0;
    const char *values[1];
    PGresult *result = NULL;
    enum dg_status status;

    dg_print(&sql, "SELECT max(0");
    for (size_t i = 0; i < push->catalog.n_tables; i++) {
        const struct dg_catalog_table *table = &push->catalog.tables[i];

        if (!strcmp(table->columns[0].name, "id"))
            dg_print(&sql, ", coalesce((SELECT max(id) FROM %s), 0)", table->name);
    }
    dg_print(&sql, ")");
    status = dg_store_int(push->store, sql.data, 0, &most, err);
    dg_writer_clear(&sql);
    if (status)
        return status;
    values[0] = dg_format(&memory, "%lld", (long long)most).data;
    status =
        dg_server_ask(&push->server,
                      "UPDATE pushed SET value = (value::bigint + $1::bigint)::text"
                      " WHERE key = 'ids' RETURNING value::bigint - $1::bigint",
                      values, 1, &result, err);
    if (!status)
        push->shift.by = atoll(push->server.pq.PQgetvalue(result, 0, 0));
    push->server.pq.PQclear(result);
    dg_arena_clear(&memory);
    return status;
}

/* A program and its companions, of which some are new. */
struct group {
    struct dg_push_file *files;
    size_t n_files, n_new;
    struct dg_pg_range ranges[DG_PG_RANGES]; /* where the program is there */
};

static struct group group_at(struct dg_push *push, size_t at)
{
    struct group group = {.files = push->files + at};

    while (at + group.n_files < push->n_files &&
           group.files[group.n_files].program == group.files->program)
        group.n_new += !group.files[group.n_files++].there;
    return group;
}

/* Of what belongs to a program that is there, the ids are those that it has there: rows
 * of a file come in one order, whoever loads it. */
static const struct {
    const char *table, *rows;
} of_program[DG_PG_RANGES] = {
    {"artifact", "artifact WHERE artifact.id"},
    {"method", "method WHERE artifact_id"},
    {"graph", "graph JOIN method ON method.id = method_id WHERE artifact_id"},
    {"node",
     "node JOIN graph ON graph.id = graph_id JOIN method ON method.id = method_id"
     " WHERE artifact_id"},
    {"value", "value JOIN graph ON graph.id = graph_id"
              " JOIN method ON method.id = method_id WHERE artifact_id"},
};

static enum dg_status ask_there(struct dg_push *push, const char *sql, const char *key,
                                int64_t *first, int64_t *last, int64_t *count,
                                struct dg_error *err)
{
    PGresult *result;
    enum dg_status status = dg_server_ask(&push->server, sql, &key, 1, &result, err);

    if (status)
        return status;
    *first = atoll(push->server.pq.PQgetvalue(result, 0, 0));
    *last = atoll(push->server.pq.PQgetvalue(result, 0, 1));
    *count = atoll(push->server.pq.PQgetvalue(result, 0, 2));
    push->server.pq.PQclear(result);
    return DG_OK;
}

/* *fits: both have as many rows. */
static enum dg_status find_range(struct dg_push *push, struct group *group, size_t i,
                                 bool *fits, struct dg_error *err)
{
    struct dg_pg_range *range = &group->ranges[i];
    struct dg_arena memory = {0};
    const char *what =
        dg_format(&memory,
                  "SELECT coalesce(min(%s.id), 0), coalesce(max(%s.id), -1), count(*)"
                  " FROM %s = ",
                  of_program[i].table, of_program[i].table, of_program[i].rows)
            .data;
    struct dg_rows rows = dg_rows_of(push->store, dg_format(&memory, "%s?1", what).data,
                                     group->files->program, err);
    int64_t count = 0, last = 0, count_there = 0;
    enum dg_status status;

    range->table = of_program[i].table;
    if (dg_rows_next(&rows)) {
        range->first = dg_rows_int(&rows, 0);
        range->last = dg_rows_int(&rows, 1);
        count = dg_rows_int(&rows, 2);
    }
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status)
        status = ask_there(push,
                           dg_format(&memory,
                                     "%s(SELECT artifact_id FROM pushed_file"
                                     " WHERE key = $1)",
                                     what)
                               .data,
                           group->files->key, &range->there, &last, &count_there, err);
    *fits &= count == count_there && range->last - range->first == last - range->there;
    dg_arena_clear(&memory);
    return status;
}

/* Another push may have been first. */
static enum dg_status claim(struct dg_push *push, const struct group *group, bool *ours,
                            struct dg_error *err)
{
    static const char sql[] =
        "INSERT INTO pushed_file VALUES ($1, $2::bigint) ON CONFLICT DO NOTHING";
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < group->n_files && !status && *ours; i++) {
        const struct dg_push_file *file = &group->files[i];
        struct dg_arena memory = {0};
        const char *const values[] = {
            file->key,
            dg_format(&memory, "%lld", (long long)(file->artifact + push->shift.by))
                .data};
        int64_t is_new = 1;

        if (!file->there)
            status = dg_server_change(&push->server, sql, values, 2, &is_new, err);
        *ours = is_new;
        dg_arena_clear(&memory);
    }
    return status;
}

static enum dg_status push_group(struct dg_push *push, struct group *group,
                                 struct dg_error *err)
{
    bool ours = true, fits = true, late = group->files->there;
    enum dg_status status = dg_server_run(&push->server, "BEGIN", err);

    if (!status)
        status = claim(push, group, &ours, err);
    for (size_t i = 0; late && i < DG_PG_RANGES && !status; i++)
        status = find_range(push, group, i, &fits, err);
    push->shift.ranges = late ? group->ranges : NULL;
    for (size_t i = 0; i < push->n_cursors && !status; i++)
        status =
            ours && fits
                ? dg_push_table(push, &push->cursors[i], group->files->program, err)
                : dg_push_skip(&push->cursors[i], group->files->program, err);
    push->shift.ranges = NULL;
    if (!status)
        status =
            dg_server_run(&push->server, ours && fits ? "COMMIT" : "ROLLBACK", err);
    if (status)
        return status;
    push->pushed->programs += !late && ours;
    push->pushed->programs_there += late || !ours;
    if (!fits)
        push->pushed->unfit += group->n_new;
    else if (ours)
        push->pushed->companions += group->n_new - !late;
    return DG_OK;
}

static enum dg_status push_programs(struct dg_push *push, struct dg_error *err)
{
    /* Pages that the cursors of all tables are at, and those that lead to them. */
    enum dg_status status =
        dg_store_exec(push->store, "PRAGMA cache_size = -65536", err);

    if (!status)
        status = dg_push_open_cursors(push, err);
    for (size_t at = 0; at < push->n_files && !status;) {
        struct group group = group_at(push, at);

        if (group.n_new)
            status = push_group(push, &group, err);
        else
            push->pushed->programs_there++;
        at += group.n_files;
    }
    return dg_push_close_cursors(push, status, err);
}

static enum dg_status push_all(struct dg_push *push, const char *conninfo,
                               dg_pg_queries *queries, struct dg_error *err)
{
    enum dg_status status = dg_asked_store(push->store, "cost lifetime lineage", err);

    if (!status)
        status = find_files(push, err);
    if (!status)
        status = dg_catalog_read(&push->catalog, err);
    if (!status)
        status = dg_server_open(&push->server, conninfo, err);
    if (!status)
        status = dg_postgres_create(&push->catalog, &push->server, queries, err);
    if (!status)
        status = find_there(push, err);
    if (!status)
        status = reserve_ids(push, err);
    if (!status)
        status = push_programs(push, err);
    return status ? status : dg_push_builds(push, err);
}

enum dg_status dg_postgres_push(struct dg_pushed *pushed, struct dg_store *store,
                                const char *conninfo, dg_pg_queries *queries,
                                struct dg_error *err)
{
    struct dg_push push = {.store = store, .pushed = pushed};
    enum dg_status status;

    *pushed = (struct dg_pushed){0};
    status = push_all(&push, conninfo, queries, err);
    dg_server_close(&push.server);
    dg_catalog_clear(&push.catalog);
    dg_writer_clear(&push.lines);
    free(push.files);
    dg_arena_clear(&push.memory);
    return status;
}
