/* Visiting the rows of a table. */
#include "store/scan.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/database.h"
#include "store/tables.h"

/* Tables with a key of two columns: a reader may have their rows in another order. */
static const enum dg_table scanned[] = {DG_TABLE_edges, DG_TABLE_operands};

enum dg_status dg_store_borrow(bool *borrowed, struct dg_store *store,
                               const struct dg_program *program, struct dg_error *err)
{
    int64_t n = 0;
    bool sorted = true;
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM artifact", 0, &n, err);

    *borrowed = false;
    if (status || n)
        return status;
    dg_store_forget(store);
    store->owner = program;
    store->borrowed = dg_zeroed(DG_N_TABLES, sizeof(*store->borrowed));
    for (enum dg_table t = 0; t < DG_N_TABLES; t++) {
        store->borrowed[t].artifact = 1;
        dg_table_rows_begin(&store->borrowed[t], program, t);
    }
    for (size_t i = 0; i < sizeof(scanned) / sizeof(*scanned) && sorted; i++)
        sorted = dg_table_is_sorted(&store->borrowed[scanned[i]]);
    *borrowed = sorted;
    if (!sorted)
        dg_store_return(store);
    return DG_OK;
}

void dg_store_return(struct dg_store *store)
{
    free(store->borrowed);
    store->borrowed = NULL;
    store->owner = NULL;
}

static enum dg_status count_stored(int64_t *n, struct dg_store *store,
                                   const char *table, struct dg_error *err)
{
    char sql[100];
    int64_t last = 0;
    enum dg_status status;

    snprintf(sql, sizeof(sql), "SELECT count(*) FROM \"%s\"", table);
    status = dg_store_int(store, sql, 0, n, err);
    snprintf(sql, sizeof(sql), "SELECT max(id) FROM \"%s\"", table);
    if (!status)
        status = dg_store_int(store, sql, 0, &last, err);
    return status || last == *n
               ? status
               : dg_fail(err, DG_ERR_FORMAT,
                         "store: ids of table %s are not 1, 2, 3... without a gap",
                         table);
}

enum dg_status dg_scan_count(int64_t *n, struct dg_store *store, const char *table,
                             struct dg_error *err)
{
    if (!store->borrowed)
        return count_stored(n, store, table, err);
    *n = (int64_t)store->borrowed[dg_table_find(table)].bulk.n_rows;
    return DG_OK;
}

/* Where all of it is; false: in the database. */
static bool find_borrowed(struct dg_scan *scan, struct dg_store *store,
                          const char *name, const char *columns)
{
    enum dg_table table = store->borrowed ? dg_table_find(name) : DG_N_TABLES;
    int n = 0;

    if (table == DG_N_TABLES)
        return false;
    while (*columns) {
        struct dg_text column = {columns, strcspn(columns, ",")};

        scan->columns[n] = dg_table_column_at(table, column);
        if (scan->columns[n++] < 0)
            return false;
        columns += column.size + strspn(columns + column.size, ", ");
    }
    scan->borrowed = &store->borrowed[table];
    return true;
}

struct dg_scan dg_scan_all(struct dg_store *store, const char *table,
                           const char *columns, const char *key, struct dg_error *err)
{
    struct dg_scan scan = {.rows = {.store = store}};
    char sql[400];

    if (find_borrowed(&scan, store, table, columns))
        return scan;
    snprintf(sql, sizeof(sql), "SELECT %s FROM \"%s\" ORDER BY %s", columns, table,
             key);
    scan.rows = dg_rows_all(store, sql, err);
    return scan;
}

bool dg_scan_next(struct dg_scan *scan)
{
    return scan->borrowed ? scan->row++ < scan->borrowed->bulk.n_rows
                          : dg_rows_next(&scan->rows);
}

static struct dg_any stored(const struct dg_rows *rows, int column)
{
    switch (dg_rows_type(rows, column)) {
    case 'i':
        return (struct dg_any){.type = DG_INTEGER,
                               .integer = dg_rows_int(rows, column)};
    case 'f':
        return (struct dg_any){.type = DG_REAL, .real = dg_rows_double(rows, column)};
    case 'n':
        return (struct dg_any){.type = DG_NULL};
    default:
        return (struct dg_any){.type = DG_TEXT, .text = dg_rows_slice(rows, column)};
    }
}

struct dg_any dg_scan_any(const struct dg_scan *scan, int column)
{
    return scan->borrowed
               ? dg_table_cell(scan->borrowed, scan->row - 1, scan->columns[column])
               : stored(&scan->rows, column);
}

int64_t dg_scan_int(const struct dg_scan *scan, int column)
{
    struct dg_any any;

    if (!scan->borrowed)
        return dg_rows_int(&scan->rows, column);
    any = dg_scan_any(scan, column);
    return any.type == DG_INTEGER ? any.integer : 0;
}

int64_t dg_scan_int_or(const struct dg_scan *scan, int column, int64_t null)
{
    struct dg_any any;

    if (!scan->borrowed)
        return dg_rows_int_or(&scan->rows, column, null);
    any = dg_scan_any(scan, column);
    return any.type == DG_NULL ? null : any.type == DG_INTEGER ? any.integer : 0;
}

struct dg_text dg_scan_text(const struct dg_scan *scan, int column)
{
    struct dg_any any;

    if (!scan->borrowed)
        return dg_rows_slice(&scan->rows, column);
    any = dg_scan_any(scan, column);
    return any.type == DG_TEXT ? any.text : (struct dg_text){0};
}

struct dg_text dg_scan_keep(struct dg_arena *memory, const struct dg_scan *scan,
                            int column)
{
    return dg_copy_text(memory, dg_scan_text(scan, column));
}

enum dg_status dg_scan_close(struct dg_scan *scan, enum dg_status status,
                             struct dg_error *err)
{
    return scan->borrowed ? status : dg_rows_close(&scan->rows, status, err);
}
