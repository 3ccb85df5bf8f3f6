/* Tables of a program in memory that no statement has named yet: their rows are written
 * when one does, for many commands ask of few. Private to store/. */
#ifndef DG_STORE_UNWRITTEN_H
#define DG_STORE_UNWRITTEN_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct dg_store;

/* A bit for each enum dg_table. Starts from {0}. */
struct dg_unwritten {
    uint64_t tables;  /* rows are only where the program lies */
    uint64_t named;   /* by a statement while they were so, or before a program came */
    uint64_t changed; /* by any statement, that which writes them too */
    bool begun;       /* a program came */
};

/* From now on it is noticed what statements name. Returns an SQLite result code. */
int dg_unwritten_watch(sqlite3 *db, struct dg_unwritten *unwritten);

/* Statements may name tables unnoticed: from now on they are written at once, and those
 * that are not yet by the next who writes. */
void dg_unwritten_end(struct dg_unwritten *unwritten);

/* Write what was named: between preparing `sql` and running it. */
enum dg_status dg_unwritten_write_named(struct dg_store *store, const char *sql,
                                        struct dg_error *err);

/* Write all that is left. */
enum dg_status dg_unwritten_write_all(struct dg_store *store, struct dg_error *err);

/* How many rows are left. */
size_t dg_unwritten_rows(const struct dg_store *store);

#endif
