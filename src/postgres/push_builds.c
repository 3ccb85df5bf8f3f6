/* Builds, behind the programs that they are of. */
#include <string.h>

#include "base/hash.h"
#include "postgres/copy.h"
#include "postgres/push_parts.h"

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
    "  FROM told ORDER BY 4, 6"; /* one order for all who push: nobody waits in a ring
                                  */

static const char claim_build[] =
    "INSERT INTO pushed_build VALUES ($1, $2::bigint) ON CONFLICT DO NOTHING";

static const char add_build[] =
    "INSERT INTO build (id, artifact_id, name, companions) SELECT $1::bigint,"
    "       artifact_id, $2, CASE WHEN $3::text IS NOT NULL THEN (SELECT"
    "         '[' || string_agg(id::text, ',' ORDER BY id) || ']' FROM artifact"
    "          WHERE companion_of = given.artifact_id"
    "            AND sha256 = ANY (string_to_array($3, '+'))) END"
    "  FROM pushed_file AS given WHERE key = $4";

/* Files are in the order of their programs, each behind its own. */
static const struct dg_push_file *file_of(const struct dg_push *push, int64_t program)
{
    size_t low = 0, high = push->n_files;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (push->files[middle].program < program)
            low = middle + 1;
        else
            high = middle;
    }
    return low < push->n_files && push->files[low].artifact == program
               ? &push->files[low]
               : NULL;
}

/* Appends the build to `fresh`, a JSON array, where it was not there. */
static enum dg_status push_build(struct dg_push *push, const struct dg_rows *rows,
                                 struct dg_writer *fresh, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_writer name = {0};
    const struct dg_push_file *program = file_of(push, dg_rows_int(rows, 2));
    struct dg_text words = dg_rows_slice(rows, 3);
    int64_t id = dg_rows_int(rows, 0), is_new = 0;
    const char *there =
        dg_format(&memory, "%lld", (long long)(id + push->shift.by)).data;
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
static enum dg_status copy_of_builds(struct dg_push *push, const char *name,
                                     struct dg_text builds, struct dg_error *err)
{
    struct dg_writer sql = {0};
    struct dg_push_cursor cursor = {0};
    enum dg_status status;

    for (size_t i = 0; i < push->catalog.n_tables; i++) {
        if (!strcmp(push->catalog.tables[i].name, name))
            cursor.table = &push->catalog.tables[i];
    }
    dg_print(&sql,
             "SELECT 0, %s.* FROM json_each(?1) AS given CROSS JOIN %s"
             " ON build_id = given.value",
             name, name);
    status = dg_push_begin(&cursor, push, sql.data, builds, err);
    if (!status)
        status = dg_push_table(push, &cursor, 0, err);
    dg_writer_clear(&sql);
    return dg_push_end(&cursor, status, err);
}

enum dg_status dg_push_builds(struct dg_push *push, struct dg_error *err)
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
