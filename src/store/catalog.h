/* The tables of a store, and how their rows lead to the program that they are of. */
#ifndef DG_STORE_CATALOG_H
#define DG_STORE_CATALOG_H

#include "base/arena.h"
#include "base/text.h"
#include "store/store.h"

struct dg_catalog_column {
    const char *name, *type; /* as schema.sql spells them */
    const char *refers; /* the table whose ids it holds, its own too; NULL: no ids */
    int key;            /* its place in the primary key; 0: it is none of it */
    bool not_null;
    bool is_long; /* text that may be of any length: no word of a few */
};

struct dg_catalog_table {
    const char *name;
    struct dg_catalog_column *columns;
    size_t n_columns;
    const struct dg_catalog_column
        *leads; /* to the program of a row; NULL: none does */
    /* SQL that gives, program by program, the program (an artifact) and all columns of
     * its rows. ?1: a JSON array of artifacts, programs in order, each with its
     * companions. NULL: the rows are of no program. */
    const char *rows_sql;
};

struct dg_catalog {
    struct dg_catalog_table *tables;
    size_t n_tables;
    struct dg_arena memory;
};

/* The tables of this version. Clear it even after a failure. */
enum dg_status dg_catalog_read(struct dg_catalog *catalog, struct dg_error *err);
void dg_catalog_clear(struct dg_catalog *catalog);

#endif
