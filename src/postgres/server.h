/* A connection to a PostgreSQL server, and statements that it runs. */
#ifndef DG_POSTGRES_SERVER_H
#define DG_POSTGRES_SERVER_H

#include "base/arena.h"
#include "base/text.h"
#include "postgres/libpq.h"

struct dg_server {
    struct dg_pq pq;
    PGconn *connection;
    bool takes_in; /* rows of a COPY that ended here, and not yet there */
};

/* Seconds that each host has to answer and let in, where neither the connection nor
 * PGCONNECT_TIMEOUT nor a service says so. */
#define DG_SERVER_TIMEOUT "10"

/* `conninfo`: libpq's, a URI or words; "": what the environment says. It is never
 * printed, and may not hold a password: others would read it in the list of processes.
 * Close it even after a failure: DG_ERR_USAGE for what is no conninfo, DG_ERR_DEVICE
 * where no server answers or it lets nobody in. */
enum dg_status dg_server_open(struct dg_server *server, const char *conninfo,
                              struct dg_error *err);
void dg_server_close(struct dg_server *server);

/* Run statements. */
enum dg_status dg_server_run(struct dg_server *server, const char *sql,
                             struct dg_error *err);

/* Run one with texts for $1 $2 ..., NULL for NULL. *rows says how many rows it changed,
 * or gave; rows may be NULL. */
enum { DG_SERVER_PARAMETERS = 8 };
enum dg_status dg_server_change(struct dg_server *server, const char *sql,
                                const char *const *values, int n, int64_t *rows,
                                struct dg_error *err);

/* The same, and what it gave: *result is to be cleared, and is NULL after a failure. */
enum dg_status dg_server_ask(struct dg_server *server, const char *sql,
                             const char *const *values, int n, PGresult **result,
                             struct dg_error *err);

/* What dg_server_run() of COPY ... FROM STDIN waits for: lines, which are empty behind
 * that. */
enum dg_status dg_server_send(struct dg_server *server, struct dg_writer *lines,
                              struct dg_error *err);

/* No more lines. The server may go on while more is prepared here: what it says of the
 * rows comes with the next call of this file. */
enum dg_status dg_server_end_copy(struct dg_server *server, struct dg_error *err);

#endif
