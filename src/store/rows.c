/* Visiting the rows of a query. */
#include <math.h>
#include <string.h>

#include "store/database.h"
#include "store/integrity.h"

static enum dg_status prepare(struct dg_rows *rows, const char *sql,
                              struct dg_error *err)
{
    struct dg_store *store = rows->store;
    enum dg_status status = dg_store_check_first(store, err);

    if (status)
        return status;
    if (!store->sandboxed)
        rows->statement = dg_idle_take(&store->idle, sql);
    if (!rows->statement &&
        sqlite3_prepare_v2(store->db, sql, -1, &rows->statement, NULL))
        return dg_store_fail(store, err);
    if (!rows->statement)
        return dg_fail(err, DG_ERR_USAGE, "empty query");
    return dg_unwritten_write_named(store, sql, err);
}

enum dg_status dg_rows_open(struct dg_rows *rows, struct dg_store *store,
                            const char *sql, struct dg_error *err)
{
    *rows = (struct dg_rows){.store = store, .state = SQLITE_ROW};
    rows->failed = prepare(rows, sql, err);
    return rows->failed;
}

struct dg_rows dg_rows_all(struct dg_store *store, const char *sql,
                           struct dg_error *err)
{
    struct dg_rows rows;

    dg_rows_open(&rows, store, sql, err);
    return rows;
}

struct dg_rows dg_rows_of(struct dg_store *store, const char *sql, int64_t id,
                          struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, sql, err);

    dg_rows_bind_int(&rows, 1, id);
    return rows;
}

void dg_rows_bind_int(struct dg_rows *rows, int parameter, int64_t value)
{
    if (!rows->failed)
        sqlite3_bind_int64(rows->statement, parameter, value);
}

void dg_rows_bind_real(struct dg_rows *rows, int parameter, double value)
{
    if (!rows->failed)
        sqlite3_bind_double(rows->statement, parameter, value);
}

void dg_rows_bind_text(struct dg_rows *rows, int parameter, struct dg_text value)
{
    if (rows->failed)
        return;
    if (value.data)
        sqlite3_bind_text64(rows->statement, parameter, value.data, value.size,
                            SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_bind_null(rows->statement, parameter);
}

bool dg_rows_next(struct dg_rows *rows)
{
    if (rows->failed || rows->state != SQLITE_ROW) /* SQLite would begin anew */
        return false;
    rows->state = sqlite3_step(rows->statement);
    return rows->state == SQLITE_ROW;
}

bool dg_rows_null(const struct dg_rows *rows, int column)
{
    return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

int64_t dg_rows_int(const struct dg_rows *rows, int column)
{
    return sqlite3_column_int64(rows->statement, column);
}

int64_t dg_rows_int_or(const struct dg_rows *rows, int column, int64_t null)
{
    return dg_rows_null(rows, column) ? null : dg_rows_int(rows, column);
}

double dg_rows_double(const struct dg_rows *rows, int column)
{
    return sqlite3_column_double(rows->statement, column);
}

double dg_rows_real(const struct dg_rows *rows, int column, double null)
{
    const char *text;

    if (dg_rows_null(rows, column))
        return null;
    if (dg_rows_type(rows, column) != 't')
        return dg_rows_double(rows, column);
    text = dg_rows_text(rows, column);
    return !strcmp(text, "Infinity")    ? INFINITY
           : !strcmp(text, "-Infinity") ? -INFINITY
                                        : NAN;
}

const char *dg_rows_text(const struct dg_rows *rows, int column)
{
    return (const char *)sqlite3_column_text(rows->statement, column);
}

/* As blobs: for texts, which end with NUL, SQLite would make copies. */
bool dg_rows_same(const struct dg_rows *a, const struct dg_rows *b, int column)
{
    const void *data[2];
    int size;

    if (dg_rows_type(a, column) != dg_rows_type(b, column))
        return false;
    data[0] = sqlite3_column_blob(a->statement, column);
    data[1] = sqlite3_column_blob(b->statement, column);
    size = sqlite3_column_bytes(a->statement, column);
    return size == sqlite3_column_bytes(b->statement, column) &&
           (!size || (data[0] && data[1] && !memcmp(data[0], data[1], (size_t)size)));
}

struct dg_text dg_rows_slice(const struct dg_rows *rows, int column)
{
    bool blob = sqlite3_column_type(rows->statement, column) == SQLITE_BLOB;
    const void *data = blob ? sqlite3_column_blob(rows->statement, column)
                            : (const void *)dg_rows_text(rows, column);
    size_t size = (size_t)sqlite3_column_bytes(rows->statement, column);

    if (!data && size)
        dg_out_of_memory();
    /* SQLite gives NULL for an empty blob, which is not the same as no blob. */
    return (struct dg_text){!data && blob ? "" : data, size};
}

struct dg_text dg_rows_keep(struct dg_arena *memory, const struct dg_rows *rows,
                            int column)
{
    struct dg_text text = dg_rows_slice(rows, column);

    if (dg_rows_null(rows, column))
        return (struct dg_text){0};
    return (struct dg_text){dg_copy(memory, text), text.size};
}

int dg_rows_columns(const struct dg_rows *rows)
{
    return sqlite3_column_count(rows->statement);
}

const char *dg_rows_column(const struct dg_rows *rows, int column)
{
    return sqlite3_column_name(rows->statement, column);
}

char dg_rows_type(const struct dg_rows *rows, int column)
{
    /* In the order of SQLITE_INTEGER, FLOAT, TEXT, BLOB, NULL: 1 to 5. */
    return " iftbn"[sqlite3_column_type(rows->statement, column)];
}

enum dg_status dg_rows_again(struct dg_rows *rows, struct dg_error *err)
{
    enum dg_status status = rows->failed;

    if (status)
        return status;
    if (rows->state != SQLITE_DONE && rows->state != SQLITE_ROW)
        status = dg_store_fail(rows->store, err);
    sqlite3_reset(rows->statement);
    sqlite3_clear_bindings(rows->statement);
    rows->state = SQLITE_ROW;
    return status;
}

enum dg_status dg_rows_close(struct dg_rows *rows, enum dg_status status,
                             struct dg_error *err)
{
    if (!status)
        status = rows->failed;
    if (!status && rows->state != SQLITE_DONE && rows->state != SQLITE_ROW)
        status = dg_store_fail(rows->store, err);
    if (rows->store->sandboxed || !rows->statement)
        sqlite3_finalize(rows->statement);
    else
        dg_idle_give(&rows->store->idle, rows->statement);
    rows->statement = NULL;
    return status;
}

enum dg_status dg_store_int(struct dg_store *store, const char *sql, int64_t otherwise,
                            int64_t *out, struct dg_error *err)
{
    return dg_store_int_of(store, sql, 0, otherwise, out, err);
}

enum dg_status dg_store_int_of(struct dg_store *store, const char *sql, int64_t id,
                               int64_t otherwise, int64_t *out, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, sql, id, err);

    *out = otherwise;
    if (dg_rows_next(&rows))
        *out = dg_rows_int_or(&rows, 0, otherwise);
    return dg_rows_close(&rows, DG_OK, err);
}
