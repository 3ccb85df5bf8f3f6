/* Rows of C arrays as a table that SQL can read: the fastest way into SQLite, twice
 * that of a prepared INSERT per row. Private to store/. */
#ifndef DG_STORE_BULK_H
#define DG_STORE_BULK_H

#include <sqlite3.h>
#include <stddef.h>

enum { DG_BULK_COLUMNS = 24 };

/* What `SELECT c0, c1, ... FROM dg_bulk` reads. */
struct dg_bulk {
    size_t n_rows;
    void (*cell)(sqlite3_context *out, const struct dg_bulk *bulk, size_t row,
                 int column);
};

/* Make table `dg_bulk` known to `db`; it reads *bulk, which may change between
 * statements. Returns an SQLite result code. */
int dg_bulk_register(sqlite3 *db, struct dg_bulk **bulk);

#endif
