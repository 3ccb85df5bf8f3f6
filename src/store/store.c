/* Opening, filling and closing the database. */
#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "store/confine.h"
#include "store/database.h"
#include "store/tables.h"

static const char schema[] =
#include "store/schema.sql.inc"
    ;

enum { APPLICATION_ID = 0x44475246, GENERATION = 4 };

/* An in-memory store and a file that is written aside need no journal: when the load
 * fails they are thrown away. */
static const char load_settings[] = "PRAGMA page_size = 8192;"
                                    "PRAGMA journal_mode = OFF;"
                                    "PRAGMA synchronous = OFF;"
                                    "PRAGMA trusted_schema = OFF;"
                                    "BEGIN;";

/* Most nodes are calls of operators. Before 'n' are constant, external and mutable: few
 * values are. Few of a .pte, which says where values are stored, are on a device. */
static const char indexes[] =
    "CREATE INDEX edge_src ON edge (src);"
    "CREATE INDEX node_graph ON node (graph_id);"
    "CREATE INDEX node_rare ON node (kind, graph_id)"
    "  WHERE kind NOT IN ('call_function', 'kernel_call');"
    "CREATE INDEX node_delegate ON node (delegate_id) WHERE delegate_id IS NOT NULL;"
    "CREATE INDEX value_graph ON value (graph_id);"
    "CREATE INDEX operand_value ON operand (value_id);"
    "CREATE INDEX partition_node_node ON partition_node (node_id);"
    "CREATE INDEX value_stored ON value (storage) WHERE storage < 'n';"
    "CREATE INDEX value_away ON value (graph_id)"
    "  WHERE storage IS NOT NULL AND device <> 'cpu';";

const char *dg_store_schema(void)
{
    return schema;
}

enum dg_status dg_store_fail(struct dg_store *store, struct dg_error *err)
{
    int code = store->db ? sqlite3_errcode(store->db) : SQLITE_NOMEM;

    if (code == SQLITE_INTERRUPT)
        return dg_fail(err, DG_ERR_STOPPED, "query stopped: it ran out of time");
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT ||
        (code == SQLITE_ERROR && !strcmp(sqlite3_errmsg(store->db), "malformed JSON")))
        return dg_fail(err, DG_ERR_FORMAT, "store: %s", sqlite3_errmsg(store->db));
    return dg_fail(err, DG_ERR_IO, "store: %s",
                   store->db ? sqlite3_errmsg(store->db) : "out of memory");
}

enum dg_status dg_store_exec(struct dg_store *store, const char *sql,
                             struct dg_error *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? dg_store_fail(store, err)
                                                          : DG_OK;
}

static enum dg_status open_database(struct dg_store **out, const char *path, int flags,
                                    struct dg_error *err)
{
    struct dg_store *store = calloc(1, sizeof(*store));

    if (!store)
        return dg_fail(err, DG_ERR_IO, "store: out of memory");
    *out = store;
    /* A store belongs to one thread: locks would cost time for nothing. */
    if (sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL))
        return dg_store_fail(store, err);
    sqlite3_extended_result_codes(store->db, 0);
    if (dg_bulk_register(store->db, &store->bulk))
        return dg_store_fail(store, err);
    return DG_OK;
}

static enum dg_status remember_tool(struct dg_store *store, struct dg_error *err)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "INSERT INTO meta VALUES ('tool_version', '%s'), ('sqlite_version', '%s')",
             DG_VERSION, sqlite3_libversion());
    return dg_store_exec(store, sql, err);
}

static const char *views(void)
{
    return strstr(schema, "-- Views:");
}

static enum dg_status create_tables(struct dg_store *store, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_text tables = {schema, (size_t)(views() - schema)};
    enum dg_status status = dg_store_exec(store, dg_copy(&memory, tables), err);

    dg_arena_clear(&memory);
    return status;
}

static enum dg_status create(struct dg_store **out, const char *path,
                             struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status =
        open_database(&store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);

    if (!status)
        status = dg_store_exec(store, load_settings, err);
    if (!status)
        status = create_tables(store, err);
    if (!status)
        status = remember_tool(store, err);
    if (status) {
        dg_store_close(store);
        return status;
    }
    *out = store;
    return DG_OK;
}

enum dg_status dg_store_create(struct dg_store **out, struct dg_error *err)
{
    return create(out, ":memory:", err);
}

enum dg_status dg_store_create_file(struct dg_store **out, const char *path,
                                    struct dg_error *err)
{
    enum dg_status status = create(out, path, err);

    if (!status)
        status = dg_store_add_views(*out, err);
    if (!status)
        return DG_OK;
    dg_store_close(*out);
    *out = NULL;
    return status;
}

enum dg_status dg_store_add_views(struct dg_store *store, struct dg_error *err)
{
    int64_t there = 0;
    enum dg_status status = dg_store_int(
        store, "SELECT 1 FROM sqlite_schema WHERE name = 'v_artifact'", 0, &there, err);

    return status || there ? status : dg_store_exec(store, views(), err);
}

static enum dg_status check_generation(struct dg_store *store, const char *path,
                                       struct dg_error *err)
{
    int64_t id = 0, generation = 0;
    enum dg_status status = dg_store_int(store, "PRAGMA application_id", 0, &id, err);

    if (!status)
        status = dg_store_int(store, "PRAGMA user_version", 0, &generation, err);
    if (status)
        return status;
    if (id != APPLICATION_ID)
        return dg_fail(err, DG_ERR_FORMAT,
                       "%s: a SQLite database, but not a delegraph store", path);
    if (generation != GENERATION)
        return dg_fail(
            err, DG_ERR_FORMAT,
            "%s: store of generation %lld; this delegraph reads generation %d: "
            "load the program again",
            path, (long long)generation, GENERATION);
    return DG_OK;
}

/* What is added to a store that was opened read-only lives beside it, with its views.
 */
static const char *const shadowed[] = {
    "finding",    "v_finding",   "remark",           "v_remark",
    "part_run",   "partition",   "partition_spec",   "partition_node",
    "reject",     "v_partition", "v_partition_node", "v_reject",
    "cost",       "v_cost",      "setting",          "lifetime",
    "v_lifetime", "occupancy",   "v_occupancy",
};

static enum dg_status shadow(struct dg_store *store, const char *name,
                             struct dg_error *err)
{
    struct dg_rows rows;
    struct dg_writer sql = {0};
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT sql FROM main.sqlite_schema WHERE name = ?1", err);

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(name));
    if (dg_rows_next(&rows))
        dg_print(&sql, "CREATE TEMP%s;", dg_rows_text(&rows, 0) + strlen("CREATE"));
    if (sql.size && strncmp(name, "v_", 2) != 0)
        dg_print(&sql, "INSERT INTO temp.%s SELECT * FROM main.%s", name, name);
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status && sql.size)
        status = dg_store_exec(store, sql.data, err);
    dg_writer_clear(&sql);
    return status;
}

/* One transaction for all that is read: else each statement locks the file, and looks
 * for a journal beside it. */
static const char read_settings[] = "PRAGMA cache_size = -65536;"
                                    "PRAGMA mmap_size = 67108864;"
                                    "BEGIN;";

enum dg_status dg_store_open(struct dg_store **out, const char *path,
                             struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status = open_database(&store, path, SQLITE_OPEN_READONLY, err);

    if (!status)
        status = check_generation(store, path, err);
    if (!status)
        status = dg_store_exec(store, read_settings, err);
    for (size_t i = 0; i < sizeof(shadowed) / sizeof(*shadowed) && !status; i++)
        status = shadow(store, shadowed[i], err);
    if (status) {
        dg_store_close(store);
        return status;
    }
    *out = store;
    return DG_OK;
}

bool dg_store_recognises(struct dg_bytes head)
{
    static const char magic[] = "SQLite format 3";

    return head.size >= 100 && !memcmp(head.data, magic, sizeof(magic));
}

void dg_store_keep(struct dg_store *store, void *object, void (*release)(void *))
{
    if (store->kept)
        store->release_kept(store->kept);
    store->kept = object;
    store->release_kept = release;
}

void *dg_store_kept(const struct dg_store *store, void (*release)(void *))
{
    return store->release_kept == release ? store->kept : NULL;
}

void dg_store_close(struct dg_store *store)
{
    if (!store)
        return;
    dg_store_keep(store, NULL, NULL);
    sqlite3_finalize(store->add_finding);
    sqlite3_finalize(store->complete_place);
    free(store->seen);
    sqlite3_close(store->db);
    free(store);
}

static enum dg_status add_artifact(struct dg_store *store, struct dg_program *program,
                                   const struct dg_file *file, struct dg_error *err)
{
    struct dg_rows rows;
    struct dg_digest all = {0};
    enum dg_status status = dg_rows_open(
        &rows, store,
        "INSERT INTO artifact VALUES (NULL,?1,?2,?3,?4,?5,?6,?7,nullif(?8, 0),?9)",
        err);

    if (status)
        return status;
    if (file->hash == DG_HASH_ALL)
        dg_digest_bytes(&all, file->bytes, file->hash, &program->memory);
    if (file->hash)
        dg_digest_parts(program, file);
    dg_rows_bind_text(&rows, 1, dg_text(file->path));
    dg_rows_bind_text(&rows, 2, dg_text(program->kind));
    dg_rows_bind_int(&rows, 3, (int64_t)file->bytes.size);
    dg_rows_bind_text(&rows, 4, all.sha256);
    dg_rows_bind_text(&rows, 5, all.xxh3);
    dg_rows_bind_text(&rows, 6,
                      program->version.data ? program->version : dg_text("{}"));
    dg_rows_bind_text(&rows, 7, program->container);
    dg_rows_bind_int(&rows, 8, file->companion_of);
    dg_rows_bind_text(&rows, 9, dg_text(file->role));
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Ids go on after those of the programs that are there already. */
static enum dg_status find_bases(struct dg_store *store, int64_t *bases,
                                 struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (enum dg_table t = 0; t < DG_N_TABLES && !status; t++) {
        char sql[96];

        snprintf(sql, sizeof(sql), "SELECT max(id) FROM %s", dg_table_name(t));
        if (dg_table_has_id(t))
            status = dg_store_int(store, sql, 0, &bases[t], err);
    }
    return status;
}

/* Tags that torch.export kept in meta["custom"]: a plan without delegates. Tags are in
 * the order in which nodes first have them. */
static const char custom_plans[] =
    "CREATE TEMP TABLE tagged AS SELECT id AS node, graph_id AS g,"
    "       json_extract(custom, '$.delegation_tag') AS tag FROM node"
    " WHERE graph_id IN (SELECT \"graph\".id FROM \"graph\" JOIN method"
    "   ON method.id = method_id WHERE artifact_id = (SELECT max(id) FROM artifact))"
    "   AND instr(custom, 'delegation_tag') AND json_valid(custom)"
    "   AND json_type(custom, '$.delegation_tag') = 'text' ORDER BY id;"
    "INSERT INTO part_run SELECT NULL, (SELECT max(id) FROM artifact), 'custom', NULL,"
    "       NULL WHERE EXISTS (SELECT 1 FROM tagged);"
    "INSERT INTO partition SELECT NULL, (SELECT max(id) FROM part_run), g,"
    "       row_number() OVER (PARTITION BY g ORDER BY min(node)) - 1, NULL, tag, NULL,"
    "       NULL FROM tagged GROUP BY g, tag ORDER BY min(node);"
    "INSERT INTO partition_node SELECT p.id,"
    "       row_number() OVER (PARTITION BY p.id ORDER BY node) - 1, node FROM tagged"
    "  JOIN partition AS p ON p.part_run_id = (SELECT max(id) FROM part_run)"
    "   AND p.graph_id = g AND p.tag = tagged.tag;"
    "DROP TABLE tagged;";

static bool has_custom(const struct dg_program *program)
{
    for (size_t i = 0; i < program->n_nodes; i++) {
        if (program->nodes[i].custom.size)
            return true;
    }
    return false;
}

enum dg_status dg_store_add_program(struct dg_store *store, struct dg_program *program,
                                    const struct dg_file *file, struct dg_error *err)
{
    struct dg_table_rows rows = {0};
    enum dg_status status = add_artifact(store, program, file, err);

    rows.artifact = sqlite3_last_insert_rowid(store->db);
    if (!status && rows.artifact > 1)
        status = find_bases(store, rows.bases, err);
    store->bulk = &rows.bulk;
    for (enum dg_table t = 0; t < DG_N_TABLES && !status; t++) {
        char sql[512];

        dg_table_rows_begin(&rows, program, t);
        dg_table_insert_sql(&rows, sql, sizeof(sql));
        if (rows.bulk.n_rows)
            status = dg_store_exec(store, sql, err);
    }
    store->bulk = NULL;
    if (!status && has_custom(program))
        status = dg_store_exec(store, custom_plans, err);
    return status;
}

enum dg_status dg_store_set(struct dg_store *store, const char *name,
                            struct dg_text value, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store, "INSERT INTO setting VALUES (?1, ?2)", err);

    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(name));
    dg_rows_bind_text(&rows, 2, value);
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Statistics cost a small program in memory more than they can save. */
static bool wants_statistics(struct dg_store *store)
{
    enum { SMALL = 20000 };

    return *sqlite3_db_filename(store->db, "main") ||
           sqlite3_total_changes(store->db) > SMALL;
}

enum dg_status dg_store_commit(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = dg_store_exec(store, indexes, err);

    if (!status && wants_statistics(store))
        status = dg_store_exec(store, "PRAGMA analysis_limit = 1000; ANALYZE", err);
    return status ? status : dg_store_exec(store, "COMMIT", err);
}

void dg_store_confine(struct dg_store *store, double seconds)
{
    dg_confine(store->db, &store->deadline, seconds);
}
