/* Opening, filling and closing the database. */
#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "store/database.h"
#include "store/empty.h"
#include "store/integrity.h"
#include "store/schema.h"
#include "store/sum.h"
#include "store/tables.h"

/* An in-memory store and a file that is written aside need no journal: when the load
 * fails they are thrown away. */
static const char load_settings[] = DG_PAGE_SIZE "PRAGMA journal_mode = OFF;"
                                                 "PRAGMA synchronous = OFF;"
                                                 "PRAGMA trusted_schema = OFF;";

/* Errors that no content of a file causes. */
static bool is_of_the_system(int code)
{
    return code == SQLITE_NOMEM || code == SQLITE_IOERR || code == SQLITE_FULL ||
           code == SQLITE_PERM;
}

static bool is_damaged(int code)
{
    return code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
}

enum dg_status dg_store_fail(struct dg_store *store, struct dg_error *err)
{
    int code = store->db ? sqlite3_errcode(store->db) : SQLITE_NOMEM;
    const char *text = store->db ? sqlite3_errmsg(store->db) : "out of memory";

    if (code == SQLITE_TOOBIG && store->sandboxed)
        return dg_fail(err, DG_ERR_STOPPED, "query stopped: a value is beyond 64 MiB");
    if (code == SQLITE_NOMEM && store->sandboxed)
        return dg_fail(err, DG_ERR_STOPPED, "query stopped: it took more than 1 GiB");
    if (code == SQLITE_INTERRUPT && store->sandboxed)
        return dg_fail(err, DG_ERR_STOPPED, "query stopped: it ran out of time");
    if (store->sandboxed && !is_damaged(code) && !is_of_the_system(code))
        return dg_fail(err, DG_ERR_USAGE, "query: %s",
                       code == SQLITE_AUTH ? "queries can only read" : text);
    if (code == SQLITE_INTERRUPT)
        text = "reading it takes longer than any store that delegraph writes";
    if (is_damaged(code) || (code == SQLITE_ERROR && !strcmp(text, "malformed JSON")) ||
        (store->given && !store->sandboxed && !is_of_the_system(code)))
        return dg_fail(err, DG_ERR_FORMAT, "store: %s", text);
    return dg_fail(err, DG_ERR_IO, "store: %s", text);
}

enum dg_status dg_store_exec(struct dg_store *store, const char *sql,
                             struct dg_error *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? dg_store_fail(store, err)
                                                          : DG_OK;
}

enum dg_status dg_store_connect(struct dg_store **out, const char *path, int flags,
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
    if (dg_sum_register(store->db))
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

static enum dg_status create(struct dg_store **out, const char *path,
                             struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status =
        dg_store_connect(&store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);

    if (!status && dg_bulk_register(store->db, &store->bulk))
        status = dg_store_fail(store, err);
    if (!status)
        status = dg_store_exec(store, load_settings, err);
    if (!status)
        status = dg_empty_tables(store->db) ? dg_store_fail(store, err)
                                            : dg_store_exec(store, "BEGIN", err);
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

bool dg_store_recognises(struct dg_bytes head)
{
    static const char magic[] = "SQLite format 3";

    return head.size >= 100 && !memcmp(head.data, magic, sizeof(magic));
}

void dg_store_close(struct dg_store *store)
{
    if (!store)
        return;
    dg_kept_clear(&store->kept);
    dg_idle_clear(&store->idle);
    sqlite3_finalize(store->add_finding);
    sqlite3_finalize(store->complete_place);
    dg_fingerprints_clear(&store->fingerprints);
    dg_store_return(store);
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
    if (file->hash)
        dg_digest_file(&all, program, file);
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

/* With each index: "DROP INDEX ", or what makes it. */
static enum dg_status change_indexes(struct dg_store *store, bool drop,
                                     struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;
    enum dg_status status = DG_OK;

    while (!status && dg_schema_next(&rest, &entry)) {
        struct dg_writer sql = {0};

        if (!dg_text_is(entry.type, "index"))
            continue;
        if (drop)
            dg_print(&sql, "DROP INDEX ");
        dg_write_text(&sql, drop ? entry.name : entry.sql);
        status = dg_store_exec(store, sql.data, err);
        dg_writer_clear(&sql);
    }
    if (!status)
        store->unindexed = drop;
    return status;
}

/* Whether dg_store_commit() is still to come. */
static bool loads(struct dg_store *store)
{
    return !sqlite3_get_autocommit(store->db);
}

/* Many rows are faster to index when all are there. */
static bool is_large(const struct dg_program *program)
{
    enum { MANY = 4000 };

    return program->n_nodes + program->n_values + program->n_edges +
               program->n_operands >
           MANY;
}

/* What was read of the store holds no more, unless it was read of this program. */
static void forget_others(struct dg_store *store, const struct dg_program *program)
{
    if (store->lender != program) {
        dg_store_return(store);
        dg_store_forget(store);
    }
    store->lender = NULL;
}

static enum dg_status write_table(struct dg_store *store, struct dg_table_rows *rows,
                                  struct dg_error *err)
{
    char sql[512];
    enum dg_status status;

    if (!rows->bulk.n_rows)
        return DG_OK;
    dg_table_insert_sql(rows, sql, sizeof(sql));
    store->bulk = &rows->bulk;
    status = dg_store_exec(store, sql, err);
    store->bulk = NULL;
    return status;
}

/* Indexes and ids of what is there already. */
static enum dg_status begin_program(struct dg_store *store, struct dg_table_rows *rows,
                                    struct dg_program *program,
                                    const struct dg_file *file, struct dg_error *err)
{
    enum dg_status status = add_artifact(store, program, file, err);

    rows->artifact = sqlite3_last_insert_rowid(store->db);
    if (!status && !store->unindexed && loads(store) && is_large(program))
        status = change_indexes(store, true, err);
    if (!status && rows->artifact > 1)
        status = find_bases(store, rows->bases, err);
    return status;
}

static enum dg_status add_program(struct dg_store *store, struct dg_program *program,
                                  bool take, const struct dg_file *file,
                                  struct dg_error *err)
{
    struct dg_table_rows rows = {0};
    bool customs = has_custom(program);
    enum dg_status status;

    forget_others(store, program);
    if (take)
        dg_store_return(store);
    status = begin_program(store, &rows, program, file, err);
    for (enum dg_table t = 0; t < DG_N_TABLES && !status; t++) {
        dg_table_rows_begin(&rows, program, t);
        status = write_table(store, &rows, err);
        if (take)
            dg_table_free(program, t);
    }
    if (!status && customs)
        status = dg_store_exec(store, custom_plans, err);
    return status;
}

enum dg_status dg_store_add_program(struct dg_store *store, struct dg_program *program,
                                    const struct dg_file *file, struct dg_error *err)
{
    return add_program(store, program, false, file, err);
}

enum dg_status dg_store_take_program(struct dg_store *store, struct dg_program *program,
                                     const struct dg_file *file, struct dg_error *err)
{
    return add_program(store, program, true, file, err);
}

enum dg_status dg_store_set(struct dg_store *store, const char *name,
                            struct dg_text value, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store, "INSERT INTO setting VALUES (?1, ?2)", err);

    dg_rows_bind_text(&rows, 1, dg_text(name));
    dg_rows_bind_text(&rows, 2, value);
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Statistics cost a small program in memory more than they can save. */
static bool is_small(struct dg_store *store)
{
    enum { SMALL = 20000 };

    return !*sqlite3_db_filename(store->db, "main") &&
           sqlite3_total_changes(store->db) - store->old_changes <= SMALL;
}

/* In a build with --enable-checks, what a reader wrote is held to what is asked of a
 * store that somebody brings. */
static enum dg_status check_own_rows(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = DG_CHECKS ? dg_store_check_integrity(store, err) : DG_OK;

    if (status == DG_ERR_FORMAT) {
        fprintf(stderr, "a reader broke the store: %s\n", err->text);
        abort();
    }
    return status;
}

enum dg_status dg_store_commit(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status =
        store->unindexed ? change_indexes(store, false, err) : DG_OK;

    if (!status && !is_small(store))
        status = dg_store_exec(store, "PRAGMA analysis_limit = 1000; ANALYZE", err);
    if (!status)
        status = dg_store_exec(store, "COMMIT", err);
    return status ? status : check_own_rows(store, err);
}

/* All but those of `meta`, which are of the store and not of what is in it. */
static enum dg_status delete_rows(struct dg_store *store, struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;
    enum dg_status status = DG_OK;
    int64_t none;

    while (!status && dg_schema_next(&rest, &entry) &&
           dg_text_is(entry.type, "table")) {
        char sql[96];

        snprintf(sql, sizeof(sql), "DELETE FROM \"%.*s\"", (int)entry.name.size,
                 entry.name.data);
        if (!dg_text_is(entry.name, "meta"))
            status = dg_store_int(store, sql, 0, &none, err);
    }
    return status;
}

bool dg_store_can_be_emptied(struct dg_store *store)
{
    return !store->given && !store->sandboxed && is_small(store) && !loads(store);
}

bool dg_store_empty(struct dg_store *store)
{
    struct dg_error ignored = {0};

    if (!dg_store_can_be_emptied(store))
        return false;
    dg_store_forget(store);
    dg_fingerprints_clear(&store->fingerprints);
    if (dg_store_exec(store, "BEGIN", &ignored) || delete_rows(store, &ignored))
        return false;
    store->old_changes = sqlite3_total_changes(store->db);
    return true;
}

void dg_stores_without_sandbox(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

void dg_stores_with_sandbox(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
}

void dg_store_sandbox(struct dg_store *store, double seconds)
{
    store->sandboxed = true;
    store->sandbox.given = store->given;
    dg_sandbox_close(store->db, &store->sandbox, &store->deadline, seconds);
}

void dg_store_leave_sandbox(struct dg_store *store)
{
    store->sandboxed = false;
    dg_sandbox_open(store->db, &store->sandbox, &store->deadline);
}
