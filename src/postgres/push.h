/* Programs and builds of a store, pushed to a PostgreSQL server. */
#ifndef DG_POSTGRES_PUSH_H
#define DG_POSTGRES_PUSH_H

#include "base/text.h"
#include "store/store.h"

struct dg_pushed {
    size_t programs, builds;             /* that are new on the server */
    size_t programs_there, builds_there; /* that were there */
    int64_t rows;
};

/* Push what is not there yet: each program with its companions in one transaction, then
 * all builds in one. What is there is known by SHA-256: of a program and its
 * companions; of a build by its name, its labels and these files. Whatever ends it on
 * the way, the server has whole programs, and the next push goes on. `named` writes the
 * views of named queries, as PostgreSQL has them. Errors: those of dg_server_open() and
 * dg_catalog_create(); DG_ERR_USAGE where a program has no digest. */
enum dg_status dg_postgres_push(struct dg_pushed *pushed, struct dg_store *store,
                                const char *conninfo, void named(struct dg_writer *out),
                                struct dg_error *err);

#endif
