/* An eponymous virtual table over whatever *bulk points at. */
#include "store/bulk.h"

#include <stdlib.h>
#include <string.h>

struct table {
    sqlite3_vtab base;
    struct dg_bulk **bulk;
};

struct cursor {
    sqlite3_vtab_cursor base;
    const struct dg_bulk *bulk;
    size_t row;
};

static int connect_table(sqlite3 *db, void *bulk, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message)
{
    struct table *table;
    int status = sqlite3_declare_vtab(
        db, "CREATE TABLE x(c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16,"
            "c17,c18,c19,c20,c21,c22,c23)");

    if (status)
        return status;
    table = sqlite3_malloc(sizeof(*table));
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct table){.bulk = bulk};
    *out = &table->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    info->estimatedCost = 1;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));

    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){.bulk = *((struct table *)table)->bulk};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
                  sqlite3_value **argv)
{
    ((struct cursor *)cursor)->row = 0;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor)
{
    ((struct cursor *)cursor)->row++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
    const struct cursor *at = (struct cursor *)cursor;

    return !at->bulk || at->row >= at->bulk->n_rows;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int number)
{
    const struct cursor *at = (struct cursor *)cursor;

    at->bulk->cell(out, at->bulk, at->row, number);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct cursor *)cursor)->row;
    return SQLITE_OK;
}

int dg_bulk_register(sqlite3 *db, struct dg_bulk **bulk)
{
    static const sqlite3_module module = {
        .xConnect = connect_table,
        .xDisconnect = disconnect,
        .xBestIndex = best_index,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = filter,
        .xNext = next,
        .xEof = at_end,
        .xColumn = column,
        .xRowid = row_id,
    };

    return sqlite3_create_module(db, "dg_bulk", &module, bulk);
}
