#include "store/copy_rows.h"

#include "base/text.h"
#include "store/database.h"

static enum dg_status prepare(sqlite3_stmt **insert, const struct dg_row_copy *copy,
                              int n_columns, struct dg_error *err)
{
    struct dg_writer sql = {0};
    enum dg_status status = DG_OK;

    dg_print(&sql, "INSERT INTO main.%.*s", (int)copy->table.size, copy->table.data);
    if (copy->names)
        dg_print(&sql, " (%s)", copy->names);
    for (int i = 0; i < n_columns; i++)
        dg_print(&sql, i ? ",?" : " VALUES (?");
    dg_print(&sql, ")");
    if (sqlite3_prepare_v2(copy->to->db, sql.data, -1, insert, NULL))
        status = dg_store_fail(copy->to, err);
    dg_writer_clear(&sql);
    return status;
}

static enum dg_status bind(sqlite3_stmt *insert, const struct dg_row_copy *copy,
                           int column, sqlite3_stmt *from, struct dg_error *err)
{
    int at = copy->skipped + column;
    int64_t number;

    if (!copy->renumber || sqlite3_column_type(from, at) != SQLITE_INTEGER) {
        sqlite3_bind_value(insert, column + 1, sqlite3_column_value(from, at));
        return DG_OK;
    }
    number = sqlite3_column_int64(from, at);
    if (!copy->renumber(copy->context, column, &number))
        return dg_fail(
            err, DG_ERR_FORMAT,
            "damaged store: %.*s: %.60s is %lld, which is of another program",
            (int)copy->table.size, copy->table.data, sqlite3_column_name(from, at),
            (long long)number);
    sqlite3_bind_int64(insert, column + 1, number);
    return DG_OK;
}

static enum dg_status insert_row(sqlite3_stmt *insert, const struct dg_row_copy *copy,
                                 sqlite3_stmt *from, struct dg_error *err)
{
    for (int i = 0; i < sqlite3_column_count(from) - copy->skipped; i++)
        if (bind(insert, copy, i, from, err))
            return err->status;
    if (sqlite3_step(insert) == SQLITE_DONE && !sqlite3_reset(insert))
        return DG_OK;
    if (sqlite3_errcode(copy->to->db) == SQLITE_CONSTRAINT)
        return dg_fail(err, DG_ERR_FORMAT, "damaged store: %.*s: %s",
                       (int)copy->table.size, copy->table.data,
                       sqlite3_errmsg(copy->to->db));
    return dg_store_fail(copy->to, err);
}

enum dg_status dg_store_copy_rows(const struct dg_row_copy *copy, struct dg_rows *from,
                                  struct dg_error *err)
{
    sqlite3_stmt *insert = NULL;
    enum dg_status status = from->failed;

    if (!status)
        status = prepare(&insert, copy,
                         sqlite3_column_count(from->statement) - copy->skipped, err);
    while (!status && dg_rows_next(from))
        status = insert_row(insert, copy, from->statement, err);
    sqlite3_finalize(insert);
    return status;
}
