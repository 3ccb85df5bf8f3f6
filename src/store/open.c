/* Opening a store that somebody else may have written. Nothing that stands in its
 * schema is executed: its tables must be those of schema.sql, and its views are made
 * anew. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/text.h"
#include "store/database.h"
#include "store/integrity.h"
#include "store/journal.h"
#include "store/schema.h"

enum {
    MOST_ENTRIES = 128,
    /* Seconds of computing that a store may take, and bytes for which it gets another:
     * ample for what is large, an end for what is damaged so that it has none. */
    PATIENCE = 60,
    BYTES_PER_SECOND = 1000000,
};

/* Immutable: without locks, journals or shared memory beside the file. */
static void write_uri(struct dg_writer *uri, const char *path)
{
    dg_print(uri, "file://");
    for (; *path; path++)
        dg_print(uri, strchr("%?#", *path) ? "%%%02x" : "%c", (unsigned char)*path);
    dg_print(uri, "?immutable=1");
}

static enum dg_status connect_to(struct dg_store **out, struct stat *state,
                                 const char *path, struct dg_error *err)
{
    char *whole = realpath(path, NULL);
    struct dg_writer uri = {0};
    enum dg_status status;

    if (!whole || stat(whole, state)) {
        free(whole);
        return dg_fail(err, DG_ERR_FORMAT, "%s: cannot read: %s", path,
                       strerror(errno));
    }
    status = dg_refuse_journal(whole, err);
    write_uri(&uri, whole);
    if (!status)
        status = dg_store_connect(out, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                                  err);
    dg_writer_clear(&uri);
    free(whole);
    return status;
}

enum dg_status dg_store_find_generation(int64_t *generation, struct dg_store *store,
                                        struct dg_error *err)
{
    int64_t id = 0;
    enum dg_status status = dg_store_int(store, "PRAGMA application_id", 0, &id, err);

    *generation = 0;
    if (!status && id != DG_APPLICATION_ID)
        status =
            dg_fail(err, DG_ERR_FORMAT, "a SQLite database, but not a delegraph store");
    return status ? status
                  : dg_store_int(store, "PRAGMA user_version", 0, generation, err);
}

static enum dg_status check_generation(struct dg_store *store, struct dg_error *err)
{
    int64_t generation;

    if (dg_store_find_generation(&generation, store, err))
        return err->status;
    if (generation != DG_GENERATION)
        return dg_fail(
            err, DG_ERR_FORMAT,
            "store of generation %lld; this delegraph reads generation %d: %s",
            (long long)generation, DG_GENERATION,
            generation < DG_GENERATION
                ? "delegraph load --append -o with its name brings it up to "
                  "date"
                : "it is of a newer delegraph");
    return DG_OK;
}

/* Missing pages, and the rest of the last one, would read as zeros. */
static enum dg_status check_size(struct dg_store *store, int64_t size,
                                 struct dg_error *err)
{
    int64_t n_pages = 0, page_size = 0;
    enum dg_status status = dg_store_int(store, "PRAGMA page_count", 0, &n_pages, err);

    if (!status)
        status = dg_store_int(store, "PRAGMA page_size", 0, &page_size, err);
    if (!status && page_size != DG_PAGE_BYTES)
        status = dg_fail(err, DG_ERR_FORMAT,
                         "damaged store: its pages have %lld bytes, expected %d",
                         (long long)page_size, DG_PAGE_BYTES);
    if (!status && size != n_pages * page_size)
        status = dg_fail(err, DG_ERR_FORMAT,
                         "damaged store: it has %lld bytes, expected %lld",
                         (long long)size, (long long)(n_pages * page_size));
    return status;
}

/* All that delegraph writes. */
struct entries {
    struct dg_entry items[MOST_ENTRIES];
    bool seen[MOST_ENTRIES];
    size_t n_items;
};

static void list_entries(struct entries *entries)
{
    struct dg_text rest = dg_text(dg_store_schema());

    entries->n_items = 0;
    while (entries->n_items < MOST_ENTRIES &&
           dg_schema_next(&rest, &entries->items[entries->n_items]))
        entries->seen[entries->n_items++] = false;
}

/* Statistics of ANALYZE: numbers for the planner, in tables that no query names. */
static bool is_statistics(struct dg_text type, struct dg_text name)
{
    return dg_text_is(type, "table") && dg_text_begins(name, "sqlite_stat");
}

static enum dg_status check_entry(struct entries *entries, const struct dg_rows *row,
                                  struct dg_error *err)
{
    struct dg_text type = dg_rows_slice(row, 0), name = dg_rows_slice(row, 1),
                   sql = dg_rows_slice(row, 2);

    if (is_statistics(type, name))
        return DG_OK;
    for (size_t i = 0; i < entries->n_items; i++) {
        const struct dg_entry *own = &entries->items[i];

        if (!entries->seen[i] && dg_text_equal(own->type, type) &&
            dg_text_equal(own->name, name) && sql.size && dg_sql_same(own->sql, sql)) {
            entries->seen[i] = true;
            return DG_OK;
        }
    }
    return dg_fail(err, DG_ERR_FORMAT,
                   "%.*s %.*s is not what delegraph writes into a store of generation "
                   "%d: load the program again",
                   type.size < 20 ? (int)type.size : 20, type.data,
                   name.size < 80 ? (int)name.size : 80, name.data, DG_GENERATION);
}

static enum dg_status check_schema(struct dg_store *store, struct dg_error *err)
{
    struct entries entries;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT type, name, sql FROM main.sqlite_schema", err);

    if (status)
        return status;
    list_entries(&entries);
    while (!status && dg_rows_next(&rows))
        status = check_entry(&entries, &rows, err);
    status = dg_rows_close(&rows, status, err);
    for (size_t i = 0; i < entries.n_items && !status; i++) {
        const struct dg_entry *own = &entries.items[i];

        if (!entries.seen[i])
            status = dg_fail(err, DG_ERR_FORMAT,
                             "the store lacks the %.*s %.*s: load the program again",
                             (int)own->type.size, own->type.data, (int)own->name.size,
                             own->name.data);
    }
    return status;
}

/* What is added to a store that was opened read-only lives beside it. */
static bool is_shadowed(struct dg_text table)
{
    static const char *const names[] = {
        "finding",        "remark",   "part_run",  "partition",     "partition_spec",
        "partition_node", "reject",   "cost",      "delegate_cost", "call_sum",
        "setting",        "lifetime", "occupancy", "comparison",    "difference",
        "removed_edge",   "lineage"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (dg_text_is(table, names[i]))
            return true;
    }
    return false;
}

static void write_temporary(struct dg_writer *out, const struct dg_entry *entry)
{
    size_t create = strlen("CREATE");

    dg_print(out, "CREATE TEMP%.*s;", (int)(entry->sql.size - create),
             entry->sql.data + create);
}

static enum dg_status run_script(struct dg_store *store, struct dg_writer *sql,
                                 struct dg_error *err)
{
    enum dg_status status = sql->size ? dg_store_exec(store, sql->data, err) : DG_OK;

    dg_writer_clear(sql);
    return status;
}

static enum dg_status shadow(struct dg_store *store, struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_writer sql = {0};
    struct dg_entry entry;

    while (dg_schema_next(&rest, &entry)) {
        if (!dg_text_is(entry.type, "table") || !is_shadowed(entry.name))
            continue;
        write_temporary(&sql, &entry);
        /* Worked out anew, or said by whoever checks, whatever a stranger put there. */
        if (dg_text_is(entry.name, "call_sum") || dg_text_is(entry.name, "setting"))
            continue;
        dg_print(&sql, "INSERT INTO temp.%.*s SELECT * FROM main.%.*s;",
                 (int)entry.name.size, entry.name.data, (int)entry.name.size,
                 entry.name.data);
    }
    return run_script(store, &sql, err);
}

enum dg_status dg_store_add_views(struct dg_store *store, struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_schema_views());
    struct dg_writer sql = {0};
    struct dg_entry entry;

    if (store->has_views)
        return DG_OK;
    store->has_views = true;
    while (store->given && dg_schema_next(&rest, &entry))
        write_temporary(&sql, &entry);
    if (!store->given)
        dg_write_text(&sql, rest);
    return run_script(store, &sql, err);
}

/* One transaction for all that is read. */
static const char read_settings[] = "PRAGMA cache_size = -8192;"
                                    "BEGIN;";

static enum dg_status begin_reading(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = check_generation(store, err);

    if (!status)
        status = check_size(store, store->file.size, err);
    if (!status)
        status = check_schema(store, err);
    return status ? status : dg_store_exec(store, read_settings, err);
}

static enum dg_status examine(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = begin_reading(store, err);

    if (!status)
        status = shadow(store, err);
    store->unchecked = true;
    return status;
}

enum dg_status dg_store_connect_read_only(struct dg_store **out, const char *path,
                                          struct dg_error *err)
{
    struct stat state = {0};
    enum dg_status status = connect_to(out, &state, path, err);

    if (status)
        return status;
    (*out)->given = (*out)->timed = true;
    (*out)->file = dg_file_state_of(&state);
    dg_sandbox_file((*out)->db);
    dg_store_restart_clock(*out);
    return DG_OK;
}

/* It is thrown away where adding fails, so that it needs no journal. */
static const char add_settings[] = "PRAGMA journal_mode = OFF;"
                                   "PRAGMA synchronous = OFF;"
                                   "PRAGMA trusted_schema = OFF;"
                                   "BEGIN;";

/* All that readers ask of it, who would take nothing of what is added otherwise. */
static enum dg_status check_copy(const char *path, struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status = dg_store_connect_read_only(&store, path, err);

    if (!status)
        status = begin_reading(store, err);
    if (!status)
        status = dg_store_check_content(store, err);
    dg_store_close(store);
    return status;
}

static enum dg_status begin_adding(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status =
        dg_bulk_register(store->db, &store->bulk) ? dg_store_fail(store, err) : DG_OK;

    store->has_views = true;
    return status ? status : dg_store_exec(store, add_settings, err);
}

enum dg_status dg_store_open_to_add(struct dg_store **out, const char *path,
                                    struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status = check_copy(path, err);

    if (!status)
        status = dg_store_connect(&store, path, SQLITE_OPEN_READWRITE, err);
    if (!status)
        status = begin_adding(store, err);
    if (status)
        dg_store_close(store);
    else
        *out = store;
    return status;
}

void dg_store_take_clock(struct dg_store *store, const struct dg_store *other)
{
    store->timed = other->timed;
    store->file.size = other->file.size;
    dg_store_restart_clock(store);
}

void dg_store_restart_clock(struct dg_store *store)
{
    if (store->timed)
        dg_sandbox_limit_time(store->db, &store->deadline,
                              PATIENCE + (double)store->file.size / BYTES_PER_SECOND);
}

enum dg_status dg_store_open(struct dg_store **out, const char *path,
                             struct dg_error *err)
{
    struct dg_store *store = NULL;
    struct dg_error told;
    enum dg_status status = dg_store_connect_read_only(&store, path, err);

    if (!status) {
        status = examine(store, err);
        told = *err;
        if (status)
            dg_fail(err, status, "%s: %s", path, told.text);
    }
    if (status)
        dg_store_close(store);
    else
        *out = store;
    return status;
}
