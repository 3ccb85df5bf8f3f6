/* Why a server does not let a push in, in words that repeat nothing of what was given.
 */
#ifndef DG_POSTGRES_REFUSAL_H
#define DG_POSTGRES_REFUSAL_H

#include <stdbool.h>

#include "base/error.h"
#include "postgres/libpq.h"

/* Of a connection that did not come about, with PQERRORS_SQLSTATE: DG_ERR_USAGE where
 * libpq took none of what was given, which `said` tells then, else DG_ERR_DEVICE. */
enum dg_status dg_refusal(const struct dg_pq *pq, PGconn *connection, const char *said,
                          struct dg_error *err);

/* Whether a text has a password in it, or a part of what else was given (or stands in
 * the environment, or a service) and is more than one word: a name that is a whole
 * connection, a path. */
bool dg_refusal_tells(const struct dg_pq *pq, PGconn *connection, const char *text);

#endif
