/* The schema "delegraph" of a PostgreSQL server: the tables of a store, and its views.
 */
#ifndef DG_POSTGRES_SCHEMA_H
#define DG_POSTGRES_SCHEMA_H

#include "postgres/server.h"
#include "store/catalog.h"

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
enum dg_status dg_postgres_create(const struct dg_catalog *catalog,
                                  struct dg_server *server, dg_pg_queries *queries,
                                  struct dg_error *err);

#endif
