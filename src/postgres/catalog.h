/* The tables of a store as a PostgreSQL server has them, in the schema "delegraph". */
#ifndef DG_POSTGRES_CATALOG_H
#define DG_POSTGRES_CATALOG_H

#include "base/arena.h"
#include "postgres/server.h"
#include "store/store.h"

struct dg_pg_column {
    const char *name, *type; /* PostgreSQL's */
    const char *refers; /* the table whose ids it holds, its own too; NULL: no ids */
    int key;            /* its place in the primary key; 0: it is none of it */
    bool not_null;
};

struct dg_pg_table {
    const char *name;
    struct dg_pg_column *columns;
    size_t n_columns;
    const struct dg_pg_column *leads; /* to the program of a row; NULL: none does */
    /* SQL that gives, program by program, the program (an artifact) and all columns of
     * its rows. ?1: a JSON array of artifacts, programs in order, each with its
     * companions. NULL: the rows are of no program. */
    const char *rows_sql;
};

struct dg_pg_catalog {
    struct dg_pg_table *tables;
    size_t n_tables;
    struct dg_arena memory;
};

/* The tables of this version. Clear it even after a failure. */
enum dg_status dg_catalog_read(struct dg_pg_catalog *catalog, struct dg_error *err);
void dg_catalog_clear(struct dg_pg_catalog *catalog);

/* The next named query, a view on the server: its name there and its SQL, as SQLite has
 * it, which end with ";". Start with a cursor of NULL; false behind the last one. */
struct dg_pg_query {
    char name[64];
    struct dg_text sql;
};
typedef bool dg_pg_queries(const char **cursor, struct dg_pg_query *query);

/* Create what is not there, add columns that an older version did not have, and make
 * the views anew where they were others, in one transaction; nothing where all is as it
 * should be. DG_ERR_FORMAT where a newer version of delegraph made the schema. */
enum dg_status dg_catalog_create(const struct dg_pg_catalog *catalog,
                                 struct dg_server *server, dg_pg_queries *queries,
                                 struct dg_error *err);

#endif
