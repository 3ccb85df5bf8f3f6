/* Visiting the rows of a table. */
#include "store/scan.h"

#include <stdio.h>

#include "store/database.h"
#include "store/tables.h"

static enum dg_status ask(int64_t *n, struct dg_store *store, const char *what,
                          const char *table, struct dg_error *err)
{
    char sql[100];

    *n = 0;
    snprintf(sql, sizeof(sql), "SELECT %s FROM \"%s\"", what, table);
    return dg_store_int(store, sql, 0, n, err);
}

static enum dg_status count_stored(int64_t *n, struct dg_store *store,
                                   const char *table, struct dg_error *err)
{
    int64_t last = 0;
    enum dg_status status = ask(n, store, "count(*)", table, err);

    if (!status)
        status = ask(&last, store, "max(id)", table, err);
    return status || last == *n
               ? status
               : dg_fail(err, DG_ERR_FORMAT,
                         "store: ids of table %s are not 1, 2, 3... without a gap",
                         table);
}

enum dg_status dg_scan_count(int64_t *n, struct dg_store *store, const char *table,
                             struct dg_error *err)
{
    if (!store->resident)
        return count_stored(n, store, table, err);
    *n = (int64_t)store->resident->tables[dg_table_find(table)].rows.bulk.n_rows;
    return DG_OK;
}

enum dg_status dg_scan_last(int64_t *id, struct dg_store *store, const char *table,
                            struct dg_error *err)
{
    return store->resident ? dg_scan_count(id, store, table, err)
                           : ask(id, store, "max(id)", table, err);
}

/* False: its rows are in the database. */
static bool find_resident(struct dg_scan *scan, struct dg_store *store,
                          const char *name, const char *columns)
{
    enum dg_table table = store->resident ? dg_table_find(name) : DG_N_TABLES;
    int n = 0;

    if (table == DG_N_TABLES || !store->resident->tables[table].sorted)
        return false;
    while (*columns) {
        struct dg_text column = {columns, strcspn(columns, ",")};

        scan->columns[n] = dg_table_column_at(table, column);
        if (scan->columns[n++] < 0)
            return false;
        columns += column.size + strspn(columns + column.size, ", ");
    }
    scan->resident = &store->resident->tables[table].rows;
    scan->last = scan->resident->bulk.n_rows;
    return true;
}

struct dg_scan dg_scan_all(struct dg_store *store, const char *table,
                           const char *columns, const char *key, struct dg_error *err)
{
    struct dg_scan scan = {.rows = {.store = store}};
    char sql[400];

    if (find_resident(&scan, store, table, columns))
        return scan;
    snprintf(sql, sizeof(sql), "SELECT %s FROM \"%s\" ORDER BY %s", columns, table,
             key);
    scan.rows = dg_rows_all(store, sql, err);
    return scan;
}

struct dg_scan dg_scan_range(struct dg_store *store, const char *table,
                             const char *columns, int64_t first, size_t n,
                             struct dg_error *err)
{
    struct dg_scan scan = {.rows = {.store = store}};
    char sql[400];

    if (find_resident(&scan, store, table, columns)) {
        scan.row = (size_t)first - 1;
        if (scan.row < scan.last && n < scan.last - scan.row)
            scan.last = scan.row + n;
        return scan;
    }
    snprintf(sql, sizeof(sql),
             "SELECT %s FROM \"%s\" WHERE id >= ?1 ORDER BY id LIMIT ?2", columns,
             table);
    scan.rows = dg_rows_of(store, sql, first, err);
    dg_rows_bind_int(&scan.rows, 2, (int64_t)n);
    return scan;
}

bool dg_scan_next(struct dg_scan *scan)
{
    return scan->resident ? scan->row++ < scan->last : dg_rows_next(&scan->rows);
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
    return scan->resident
               ? dg_table_cell(scan->resident, scan->row - 1, scan->columns[column])
               : stored(&scan->rows, column);
}

int64_t dg_scan_int(const struct dg_scan *scan, int column)
{
    return scan->resident ? dg_scan_int_or(scan, column, 0)
                          : dg_rows_int(&scan->rows, column);
}

int64_t dg_scan_int_or(const struct dg_scan *scan, int column, int64_t null)
{
    return scan->resident ? dg_table_int_at(scan->resident, scan->row - 1,
                                            scan->columns[column], null)
                          : dg_rows_int_or(&scan->rows, column, null);
}

struct dg_text dg_scan_text(const struct dg_scan *scan, int column)
{
    return scan->resident
               ? dg_table_text_at(scan->resident, scan->row - 1, scan->columns[column])
               : dg_rows_slice(&scan->rows, column);
}

struct dg_text dg_scan_keep(struct dg_arena *memory, const struct dg_scan *scan,
                            int column)
{
    struct dg_text text = dg_scan_text(scan, column);

    return scan->resident ? text : dg_copy_text(memory, text);
}

enum dg_status dg_scan_close(struct dg_scan *scan, enum dg_status status,
                             struct dg_error *err)
{
    return scan->resident ? status : dg_rows_close(&scan->rows, status, err);
}
