#include "postgres/push.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_writer.h"
#include "graph/asked.h"
#include "postgres/catalog.h"
#include "postgres/copy.h"

/* A program of the store and its companions. */
struct program {
    int64_t artifact;
    const char *key, *path;
    bool there;
};

/* Rows of a table, program by program. */
struct cursor {
    const struct dg_pg_table *table;
    struct dg_rows rows;
    bool ended;
};

struct push {
    struct dg_store *store;
    struct dg_server server;
    struct dg_pg_catalog catalog;
    struct program *programs;
    size_t n_programs;
    struct cursor *cursors; /* of tables that have rows of programs */
    size_t n_cursors;
    int64_t shift; /* of ids */
    struct dg_writer lines;
    struct dg_pushed *pushed;
    struct dg_arena memory;
};

enum { AT_ONCE = 1 << 20 }; /* bytes of lines that are sent together */

static const char programs_sql[] =
    "SELECT id, path, sha256, sha256 || coalesce((SELECT group_concat(key, '') FROM ("
    "    SELECT '+' || coalesce(role, '') || ':' || sha256 AS key FROM artifact AS "
    "other"
    "     WHERE other.companion_of = one.id ORDER BY key)), '')"
    "  FROM artifact AS one WHERE companion_of IS NULL ORDER BY id";

static enum dg_status find_programs(struct push *push, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(push->store, programs_sql, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        struct program *program = DG_APPEND(push->programs, push->n_programs);

        program->artifact = dg_rows_int(&rows, 0);
        program->path = dg_rows_keep(&push->memory, &rows, 1).data;
        program->key = dg_rows_keep(&push->memory, &rows, 3).data;
        if (!program->key)
            status = dg_fail(err, DG_ERR_USAGE,
                             "%.200s: without a SHA-256, by which programs are known:"
                             " load it without --no-hash",
                             program->path);
    }
    return dg_rows_close(&rows, status, err);
}

/* Which of them are on the server. */
static enum dg_status find_there(struct push *push, struct dg_error *err)
{
    struct dg_writer keys = {0};
    const char *values[1];
    PGresult *result;
    enum dg_status status;

    for (size_t i = 0; i < push->n_programs; i++)
        dg_print(&keys, "%s\"%s\"", i ? "," : "{", push->programs[i].key);
    dg_print(&keys, push->n_programs ? "}" : "{}");
    values[0] = keys.data;
    status = dg_server_ask(&push->server,
                           "SELECT n - 1 FROM unnest($1::text[]) WITH ORDINALITY AS"
                           " given (key, n) JOIN pushed_program USING (key)",
                           values, 1, &result, err);
    dg_writer_clear(&keys);
    if (status)
        return status;
    for (int i = 0; i < push->server.pq.PQntuples(result); i++)
        push->programs[atoll(push->server.pq.PQgetvalue(result, i, 0))].there = true;
    push->server.pq.PQclear(result);
    return DG_OK;
}

/* Ids of the store and those that are behind them on the server do not meet: each push
 * has a stretch of its own, as long as the largest id. */
static enum dg_status reserve_ids(struct push *push, struct dg_error *err)
{
    struct dg_writer sql = {0};
    struct dg_arena memory = {0};
    int64_t most = 0;
    const char *values[1];
    PGresult *result = NULL;
    enum dg_status status;

    dg_print(&sql, "SELECT max(0");
    for (size_t i = 0; i < push->catalog.n_tables; i++) {
        const struct dg_pg_table *table = &push->catalog.tables[i];

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
        push->shift = atoll(push->server.pq.PQgetvalue(result, 0, 0));
    push->server.pq.PQclear(result);
    dg_arena_clear(&memory);
    return status;
}

/* The artifacts to push, as JSON. */
static enum dg_status list_artifacts(struct push *push, struct dg_writer *list,
                                     struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        push->store,
        "SELECT coalesce(companion_of, id), id FROM artifact ORDER BY 1, 2", err);
    size_t at = 0, n = 0;

    dg_print(list, "[");
    while (dg_rows_next(&rows)) {
        int64_t program = dg_rows_int(&rows, 0);

        while (at < push->n_programs && push->programs[at].artifact < program)
            at++;
        if (at < push->n_programs && push->programs[at].artifact == program &&
            !push->programs[at].there)
            dg_print(list, "%s%lld", n++ ? "," : "", (long long)dg_rows_int(&rows, 1));
    }
    dg_print(list, "]");
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status open_cursors(struct push *push, struct dg_error *err)
{
    struct dg_writer list = {0};
    enum dg_status status = list_artifacts(push, &list, err);

    push->cursors =
        dg_alloc(&push->memory, push->catalog.n_tables + 1, sizeof(*push->cursors));
    for (size_t i = 0; i < push->catalog.n_tables && !status; i++) {
        const struct dg_pg_table *table = &push->catalog.tables[i];
        struct cursor *cursor = &push->cursors[push->n_cursors];

        if (!table->rows_sql)
            continue;
        status = dg_rows_open(&cursor->rows, push->store, table->rows_sql, err);
        if (status)
            break;
        push->n_cursors++;
        cursor->table = table;
        dg_rows_bind_text(&cursor->rows, 1,
                          dg_copy_text(&push->memory, dg_written(&list)));
        cursor->ended = !dg_rows_next(&cursor->rows);
    }
    dg_writer_clear(&list);
    return status;
}

static enum dg_status close_cursors(struct push *push, enum dg_status status,
                                    struct dg_error *err)
{
    for (size_t i = 0; i < push->n_cursors; i++)
        status = dg_rows_close(&push->cursors[i].rows, status, err);
    push->n_cursors = 0;
    return status;
}

static bool is_at(const struct cursor *cursor, const struct program *program)
{
    return !cursor->ended && dg_rows_int(&cursor->rows, 0) == program->artifact;
}

/* The rows of the program, or past them. */
static enum dg_status copy_rows(struct push *push, struct cursor *cursor,
                                const struct program *program, bool skip,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (; !status && is_at(cursor, program);
         cursor->ended = !dg_rows_next(&cursor->rows)) {
        if (skip)
            continue;
        dg_copy_row(&push->lines, cursor->table, &cursor->rows, 1, push->shift);
        push->pushed->rows++;
        if (push->lines.size >= AT_ONCE)
            status = dg_server_send(&push->server, &push->lines, err);
    }
    return status;
}

static enum dg_status copy_table(struct push *push, struct cursor *cursor,
                                 const struct program *program, struct dg_error *err)
{
    struct dg_writer sql = {0};
    enum dg_status status;

    if (!is_at(cursor, program))
        return DG_OK;
    dg_copy_begin(&sql, cursor->table);
    status = dg_server_run(&push->server, sql.data, err);
    dg_writer_clear(&sql);
    push->lines.size = 0;
    if (!status)
        status = copy_rows(push, cursor, program, false, err);
    if (!status && push->lines.size)
        status = dg_server_send(&push->server, &push->lines, err);
    return status ? status : dg_server_copied(&push->server, err);
}

static const char claim_program[] =
    "INSERT INTO pushed_program VALUES ($1, $2::bigint) ON CONFLICT DO NOTHING";

/* Another push may have been first. */
static enum dg_status push_program(struct push *push, struct program *program,
                                   struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char *const values[] = {
        program->key,
        dg_format(&memory, "%lld", (long long)(program->artifact + push->shift)).data};
    int64_t is_new = 0;
    enum dg_status status = dg_server_run(&push->server, "BEGIN", err);

    if (!status)
        status =
            dg_server_change(&push->server, claim_program, values, 2, &is_new, err);
    for (size_t i = 0; i < push->n_cursors && !status; i++)
        status = is_new ? copy_table(push, &push->cursors[i], program, err)
                        : copy_rows(push, &push->cursors[i], program, true, err);
    if (!status)
        status = dg_server_run(&push->server, "COMMIT", err);
    program->there = !is_new;
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status push_programs(struct push *push, struct dg_error *err)
{
    enum dg_status status = open_cursors(push, err);

    for (size_t i = 0; i < push->n_programs && !status; i++) {
        struct program *program = &push->programs[i];

        if (!program->there)
            status = push_program(push, program, err);
        push->pushed->programs += !status && !program->there;
        push->pushed->programs_there += program->there;
    }
    for (size_t i = 0; i < push->n_cursors && !status; i++) {
        if (!push->cursors[i].ended)
            status =
                dg_fail(err, DG_ERR_IO, "rows of %s are not in the order of programs",
                        push->cursors[i].table->name);
    }
    return close_cursors(push, status, err);
}

/* What a build is known by, its files, and which of equal ones it is. */
static const char builds_sql[] =
    "WITH told AS (SELECT id, name, artifact_id, quote(name) || ' ' || coalesce(("
    "    SELECT group_concat(label) FROM (SELECT quote(name) || '=' || quote(value)"
    "        AS label FROM build_label WHERE build_id = build.id ORDER BY name)), '')"
    "    AS words, (SELECT sha256 FROM artifact WHERE id = artifact_id) AS program,"
    "    (SELECT group_concat(sha256, '+') FROM (SELECT sha256 FROM"
    "         json_each(companions) AS one JOIN artifact ON artifact.id = one.value"
    "       ORDER BY 1)) AS files FROM build)"
    "SELECT id, name, artifact_id, words || ' ' || program || ' ' || coalesce(files, "
    "''),"
    "       files, row_number() OVER (PARTITION BY words, program, files ORDER BY id)"
    "  FROM told ORDER BY id";

static const char claim_build[] =
    "INSERT INTO pushed_build VALUES ($1, $2::bigint) ON CONFLICT DO NOTHING";

static const char add_build[] =
    "INSERT INTO build (id, artifact_id, name, companions) SELECT $1::bigint,"
    "       artifact_id, $2, CASE WHEN $3::text IS NOT NULL THEN (SELECT"
    "         '[' || string_agg(id::text, ',' ORDER BY id) || ']' FROM artifact"
    "          WHERE companion_of = given.artifact_id"
    "            AND sha256 = ANY (string_to_array($3, '+'))) END"
    "  FROM pushed_program AS given WHERE key = $4";

static const struct program *program_of(const struct push *push, int64_t artifact)
{
    size_t low = 0, high = push->n_programs;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (push->programs[middle].artifact < artifact)
            low = middle + 1;
        else
            high = middle;
    }
    return low < push->n_programs && push->programs[low].artifact == artifact
               ? &push->programs[low]
               : NULL;
}

/* Appends the build to `fresh`, a JSON array, where it was not there. */
static enum dg_status push_build(struct push *push, const struct dg_rows *rows,
                                 struct dg_writer *fresh, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_writer name = {0};
    const struct program *program = program_of(push, dg_rows_int(rows, 2));
    struct dg_text words = dg_rows_slice(rows, 3);
    int64_t id = dg_rows_int(rows, 0), is_new = 0;
    const char *there = dg_format(&memory, "%lld", (long long)(id + push->shift)).data;
    const char *key =
        dg_format(&memory, "%s#%lld",
                  dg_sha256((struct dg_bytes){(const uint8_t *)words.data, words.size},
                            &memory)
                      .data,
                  (long long)dg_rows_int(rows, 5))
            .data;
    const char *const claim[] = {key, there};
    enum dg_status status =
        dg_server_change(&push->server, claim_build, claim, 2, &is_new, err);

    if (!status && is_new && program) {
        dg_postgres_text(&name, dg_rows_slice(rows, 1));
        status = dg_server_change(
            &push->server, add_build,
            (const char *const[]){there, name.data ? name.data : "",
                                  dg_rows_keep(&memory, rows, 4).data, program->key},
            4, NULL, err);
        dg_print(fresh, "%s%lld", fresh->size > 1 ? "," : "", (long long)id);
    }
    push->pushed->builds += is_new;
    push->pushed->builds_there += !is_new;
    dg_writer_clear(&name);
    dg_arena_clear(&memory);
    return status;
}

/* Labels and numbers of builds. */
static enum dg_status copy_of_builds(struct push *push, const char *name,
                                     struct dg_text builds, struct dg_error *err)
{
    struct dg_writer sql = {0};
    struct cursor cursor = {0};
    const struct program all = {0};
    enum dg_status status;

    for (size_t i = 0; i < push->catalog.n_tables; i++) {
        if (!strcmp(push->catalog.tables[i].name, name))
            cursor.table = &push->catalog.tables[i];
    }
    dg_print(&sql,
             "SELECT 0, %s.* FROM json_each(?1) AS given CROSS JOIN %s"
             " ON build_id = given.value",
             name, name);
    status = dg_rows_open(&cursor.rows, push->store, sql.data, err);
    dg_writer_clear(&sql);
    if (status)
        return status;
    dg_rows_bind_text(&cursor.rows, 1, builds);
    cursor.ended = !dg_rows_next(&cursor.rows);
    status = copy_table(push, &cursor, &all, err);
    return dg_rows_close(&cursor.rows, status, err);
}

static enum dg_status push_builds(struct push *push, struct dg_error *err)
{
    struct dg_writer fresh = {0};
    struct dg_rows rows = dg_rows_all(push->store, builds_sql, err);
    enum dg_status status = dg_server_run(&push->server, "BEGIN", err);

    dg_print(&fresh, "[");
    while (!status && dg_rows_next(&rows))
        status = push_build(push, &rows, &fresh, err);
    dg_print(&fresh, "]");
    status = dg_rows_close(&rows, status, err);
    if (!status)
        status = copy_of_builds(push, "build_label", dg_written(&fresh), err);
    if (!status)
        status = copy_of_builds(push, "measure", dg_written(&fresh), err);
    if (!status)
        status = dg_server_run(&push->server, "COMMIT", err);
    dg_writer_clear(&fresh);
    return status;
}

static enum dg_status push_all(struct push *push, const char *conninfo,
                               void named(struct dg_writer *out), struct dg_error *err)
{
    enum dg_status status = dg_asked_store(push->store, "cost lifetime", err);

    if (!status)
        status = find_programs(push, err);
    if (!status)
        status = dg_catalog_read(&push->catalog, err);
    if (!status)
        status = dg_server_open(&push->server, conninfo, err);
    if (!status)
        status = dg_catalog_create(&push->catalog, &push->server, named, err);
    if (!status)
        status = find_there(push, err);
    if (!status)
        status = reserve_ids(push, err);
    if (!status)
        status = push_programs(push, err);
    return status ? status : push_builds(push, err);
}

enum dg_status dg_postgres_push(struct dg_pushed *pushed, struct dg_store *store,
                                const char *conninfo, void named(struct dg_writer *out),
                                struct dg_error *err)
{
    struct push push = {.store = store, .pushed = pushed};
    enum dg_status status;

    *pushed = (struct dg_pushed){0};
    status = push_all(&push, conninfo, named, err);
    dg_server_close(&push.server);
    dg_catalog_clear(&push.catalog);
    dg_writer_clear(&push.lines);
    free(push.programs);
    dg_arena_clear(&push.memory);
    return status;
}
