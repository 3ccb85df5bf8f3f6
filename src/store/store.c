/* Opening, filling and closing the database. */
#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/output_stale.h"
#include "base/text.h"
#include "store/database.h"
#include "store/empty.h"
#include "store/half.h"
#include "store/integrity.h"
#include "store/schema.h"
#include "store/sum.h"

/* Rows that are worth a virtual table. A table with fewer is written: a store without
 * virtual tables can be emptied, and what was prepared is kept for the next program.
 * With --enable-checks small programs try what large ones do. */
enum { MANY_ROWS = DG_CHECKS ? 1 : 4000 };

/* An in-memory store and a file that is written aside need no journal: when the load
 * fails they are thrown away. */
static const char load_settings[] = "PRAGMA journal_mode = OFF;"
                                    "PRAGMA synchronous = OFF;"
                                    "PRAGMA trusted_schema = OFF;";

/* Errors that no content of a file causes. */
static bool is_of_the_system(int code)
{
    return code == SQLITE_NOMEM || code == SQLITE_IOERR || code == SQLITE_FULL ||
           code == SQLITE_PERM;
}

/* To a virtual table, which SQLite refuses before it asks whether that is allowed. */
static bool is_about_writing(const char *text)
{
    return strstr(text, " may not be modified");
}

static bool is_damaged(int code)
{
    return code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
}

/* The file that it is, or will be. */
static struct dg_text place_of(const struct dg_store *store)
{
    const char *path = store->db ? sqlite3_db_filename(store->db, "main") : NULL;

    return path && *path ? (struct dg_text){path, (size_t)dg_output_final(path)}
                         : dg_text("store");
}

enum dg_status dg_store_fail(struct dg_store *store, struct dg_error *err)
{
    int code = store->db ? sqlite3_errcode(store->db) : SQLITE_NOMEM;
    const char *text = store->db ? sqlite3_errmsg(store->db) : "out of memory";
    struct dg_text place;

    if (code == SQLITE_TOOBIG && store->sandboxed)
        return dg_fail(err, DG_ERR_STOPPED, "query stopped: a value is beyond 64 MiB");
    if (code == SQLITE_NOMEM && store->sandboxed)
        return dg_fail(err, DG_ERR_STOPPED, "query stopped: it took more than 1 GiB");
    if (code == SQLITE_INTERRUPT && store->sandboxed)
        return dg_fail(err, DG_ERR_STOPPED, "query stopped: it ran out of time");
    if (store->sandboxed && !is_damaged(code) && !is_of_the_system(code))
        return dg_fail(err, DG_ERR_USAGE, "query: %s",
                       code == SQLITE_AUTH || is_about_writing(text)
                           ? "queries can only read"
                           : text);
    if (code == SQLITE_INTERRUPT)
        text = "reading it takes longer than any store that delegraph writes";
    if (is_damaged(code) || (code == SQLITE_ERROR && !strcmp(text, "malformed JSON")) ||
        (store->given && !store->sandboxed && !is_of_the_system(code)))
        return dg_fail(err, DG_ERR_FORMAT, "store: %s", text);
    if (store->given)
        return dg_fail(err, DG_ERR_IO, "store: %s", text);
    place = place_of(store);
    return dg_fail(err, DG_ERR_IO, "%.*s: %.200s", (int)place.size, place.data, text);
}

/* The first statement of *sql, which moves behind it. */
static enum dg_status exec_next(struct dg_store *store, const char **sql,
                                struct dg_error *err)
{
    const char *begin = *sql;
    sqlite3_stmt *statement = NULL;
    enum dg_status status = DG_OK;

    if (sqlite3_prepare_v2(store->db, begin, -1, &statement, sql))
        return dg_store_fail(store, err);
    status = dg_unwritten_write_named(store, begin, err);
    while (!status && statement && sqlite3_step(statement) == SQLITE_ROW)
        ;
    if (sqlite3_finalize(statement) && !status)
        status = dg_store_fail(store, err);
    return status;
}

enum dg_status dg_store_exec(struct dg_store *store, const char *sql,
                             struct dg_error *err)
{
    enum dg_status status = DG_OK;

    while (*sql && !status)
        status = exec_next(store, &sql, err);
    return status;
}

/* SQLite has no name yet for what it could not open. */
static enum dg_status fail_to_open(struct dg_store *store, const char *path, int flags,
                                   struct dg_error *err)
{
    enum dg_status status = dg_store_fail(store, err);

    if (*path == ':' || !(flags & SQLITE_OPEN_READWRITE))
        return status;
    return dg_fail(err, status, "%.*s: %.200s", dg_output_final(path), path,
                   store->db ? sqlite3_errmsg(store->db) : "out of memory");
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
        return fail_to_open(store, path, flags, err);
    sqlite3_extended_result_codes(store->db, 0);
    if (dg_sum_register(store->db) || dg_half_register(store->db))
        return dg_store_fail(store, err);
    return DG_OK;
}

bool dg_store_is_in_memory(const struct dg_store *store)
{
    return !*sqlite3_db_filename(store->db, "main");
}

bool dg_store_has_virtual(const struct dg_store *store)
{
    return store->resident && store->resident->n_virtual;
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

    if (!status && (dg_bulk_register(store->db, &store->bulk) ||
                    dg_resident_register(store->db, &store->resident) ||
                    dg_unwritten_watch(store->db, &store->unwritten)))
        status = dg_store_fail(store, err);
    if (!status)
        status = dg_store_exec(store, load_settings, err);
    if (!status)
        store->least_virtual = MANY_ROWS;
    if (!status)
        status = dg_empty_tables(store->db, dg_store_is_in_memory(store))
                     ? dg_store_fail(store, err)
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
    sqlite3_close(store->db);
    dg_resident_free(store->resident);
    free(store);
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

    return dg_store_is_in_memory(store) && !dg_store_has_virtual(store) &&
           sqlite3_total_changes(store->db) - store->old_changes +
                   (int64_t)dg_unwritten_rows(store) <=
               SMALL;
}

/* In a build with --enable-checks, what a reader wrote is held to what is asked of a
 * store that somebody brings. */
static enum dg_status check_own_rows(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = DG_CHECKS ? dg_unwritten_write_all(store, err) : DG_OK;

    if (DG_CHECKS && !status)
        status = dg_store_check_integrity(store, err);
    if (status == DG_ERR_FORMAT) {
        fprintf(stderr, "a reader broke the store: %s\n", err->text);
        abort();
    }
    return status;
}

enum dg_status dg_store_analyze(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = dg_unwritten_write_all(store, err);

    return status ? status
                  : dg_store_exec(store, "PRAGMA analysis_limit = 1000; ANALYZE", err);
}

enum dg_status dg_store_commit(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status =
        store->unindexed ? dg_store_change_indexes(store, false, err) : DG_OK;

    if (!status && !is_small(store))
        status = dg_store_analyze(store, err);
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
    return !store->timed && !store->sandboxed && is_small(store) &&
           !dg_store_loads(store);
}

/* Statements that are prepared name the tables of the next program unnoticed. */
void dg_store_give_up(struct dg_store *store)
{
    store->unwritten.tables = 0;
    dg_unwritten_end(&store->unwritten);
    dg_store_forget(store);
}

bool dg_store_empty(struct dg_store *store)
{
    struct dg_error ignored = {0};

    if (!dg_store_can_be_emptied(store))
        return false;
    dg_store_give_up(store);
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
    struct dg_error ignored = {0}; /* the query gets it, which is to write them, too */

    dg_unwritten_write_all(store, &ignored);
    dg_unwritten_end(&store->unwritten); /* the sandbox watches in its place */
    store->sandboxed = true;
    store->sandbox.given = store->given;
    dg_sandbox_close(store->db, &store->sandbox, &store->deadline, seconds);
}

void dg_store_leave_sandbox(struct dg_store *store)
{
    store->sandboxed = false;
    dg_sandbox_open(store->db, &store->sandbox, &store->deadline);
}
