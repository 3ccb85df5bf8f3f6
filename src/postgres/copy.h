/* Rows of a store as COPY takes them. */
#ifndef DG_POSTGRES_COPY_H
#define DG_POSTGRES_COPY_H

#include "store/catalog.h"

/* Ids are moved, so that those of many stores lie beside one another; those of rows
 * that are on the server already to where they are. */
enum { DG_PG_RANGES = 5 };
struct dg_pg_range {
    const char *table;
    int64_t first, last, there;
};
struct dg_pg_shift {
    int64_t by;
    const struct dg_pg_range *ranges; /* DG_PG_RANGES of them; NULL: none is there */
};

/* The present row, whose columns begin at `from`, as a line. */
void dg_copy_row(struct dg_writer *out, const struct dg_catalog_table *table,
                 const struct dg_rows *rows, int from, const struct dg_pg_shift *shift);

/* Text as PostgreSQL can hold it, without the escapes of COPY: NUL, and bytes that are
 * not UTF-8, become \xNN, and so does a backslash that stands before xNN: what was
 * there can be told. */
void dg_postgres_text(struct dg_writer *out, struct dg_text text);

/* COPY "table" ("column", ...) FROM STDIN */
void dg_copy_begin(struct dg_writer *out, const struct dg_catalog_table *table);

#endif
