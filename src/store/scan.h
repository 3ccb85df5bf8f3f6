/* Rows of a table in the order of its key: from the program of the store where that
 * is in memory, which takes a tenth of the time, else from the database. */
#ifndef DG_STORE_SCAN_H
#define DG_STORE_SCAN_H

#include "store/store.h"

/* How many rows `table` has: those with ids from 1 on, or the error that they are
 * others. */
enum dg_status dg_scan_count(int64_t *n, struct dg_store *store, const char *table,
                             struct dg_error *err);

/* The id of its last row; 0: it has none. */
enum dg_status dg_scan_last(int64_t *id, struct dg_store *store, const char *table,
                            struct dg_error *err);

enum { DG_SCAN_COLUMNS = 20 };

/* A visit, with `while (dg_scan_next(&scan))`. */
struct dg_scan {
    struct dg_rows rows;                  /* of the database */
    const struct dg_table_rows *resident; /* NULL: they are there */
    size_t row, last;                     /* of these, counted from 1 */
    int columns[DG_SCAN_COLUMNS];
};

/* `columns` of `table`, as in SQL: "id, name". `key` says its order: its primary key.
 * A failure is what dg_scan_close() returns, until then there are no rows. */
struct dg_scan dg_scan_all(struct dg_store *store, const char *table,
                           const char *columns, const char *key, struct dg_error *err);
/* Of its rows with ids, `n` from id `first` on: fewer where it ends. */
struct dg_scan dg_scan_range(struct dg_store *store, const char *table,
                             const char *columns, int64_t first, size_t n,
                             struct dg_error *err);
bool dg_scan_next(struct dg_scan *scan);

/* Columns of the present row; texts live until the next. A number that is another type
 * in a column of any type is 0. */
struct dg_any dg_scan_any(const struct dg_scan *scan, int column);
int64_t dg_scan_int(const struct dg_scan *scan, int column); /* 0 for NULL */
int64_t dg_scan_int_or(const struct dg_scan *scan, int column, int64_t null);
struct dg_text dg_scan_text(const struct dg_scan *scan, int column);
/* The text, until `memory` is cleared or the store forgets or closes, whichever comes
 * first; it ends with NUL where the program's own text does. NULL for NULL. */
struct dg_text dg_scan_keep(struct dg_arena *memory, const struct dg_scan *scan,
                            int column);

/* End a visit; as dg_rows_close(). */
enum dg_status dg_scan_close(struct dg_scan *scan, enum dg_status status,
                             struct dg_error *err);

#endif
