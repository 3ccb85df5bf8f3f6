/* Tables of a program that stay in memory: SQL reads them where they lie, as virtual
 * tables in the place of those in the database, whose writing takes half of the time
 * that a large program needs. Private to store/. */
#ifndef DG_STORE_RESIDENT_H
#define DG_STORE_RESIDENT_H

#include <sqlite3.h>

#include "store/row_index.h"
#include "store/tables.h"

struct dg_resident_table {
    struct dg_table_rows rows;
    bool sorted;  /* by the table's key */
    bool virtual; /* it is not in the database */
    /* A bit for each column: whether it has content anywhere [0], or NULL [1], and
     * whether somebody asked for that. */
    uint32_t asked[2], has[2];
    struct dg_row_indexes indexes;
};

/* The only program of a store. */
struct dg_resident {
    struct dg_program program;
    struct dg_resident_table tables[DG_N_TABLES];
    int n_virtual;
    size_t room; /* bytes that indexes may still take, of all tables */
};

/* `program` is moved there. */
struct dg_resident *dg_resident_take(struct dg_program *program);
void dg_resident_free(struct dg_resident *resident);

/* Make the module "dg_resident" known to `db`: a table of the name of one of ours reads
 * that of **resident. Returns an SQLite result code. */
int dg_resident_register(sqlite3 *db, struct dg_resident **resident);

#endif
