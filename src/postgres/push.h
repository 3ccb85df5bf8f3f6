/* Programs and builds of a store, pushed to a PostgreSQL server. */
#ifndef DG_POSTGRES_PUSH_H
#define DG_POSTGRES_PUSH_H

#include "postgres/schema.h"
#include "store/store.h"

struct dg_pushed {
    size_t programs, companions, builds; /* that are new on the server; companions: of
                                            programs that were there, or are new, too */
    size_t programs_there, builds_there; /* that were there */
    size_t unfit; /* companions that were not pushed: their programs have other rows
                     there */
    int64_t rows;
};

/* Push what is not there yet: each program with its companions in one transaction, then
 * all builds in one. Files are known by SHA-256, companions beside their program;
 * builds by their name, their labels and their files. Whatever ends it on the way, the
 * server has whole files, and the next push goes on. Errors: those of dg_server_open()
 * and dg_postgres_create(); DG_ERR_USAGE where a file has no digest. */
enum dg_status dg_postgres_push(struct dg_pushed *pushed, struct dg_store *store,
                                const char *conninfo, dg_pg_queries *queries,
                                struct dg_error *err);

#endif
