/* Statements of views and queries, which are SQLite's, as PostgreSQL has them. */
#ifndef DG_POSTGRES_DIALECT_H
#define DG_POSTGRES_DIALECT_H

#include "base/text.h"

/* Functions that SQLite has built in, to be made in the schema that the views lie in.
 */
extern const char dg_postgres_functions[];

/* The same statement, token by token, without comments. Parameters (:hops) become
 * settings of the session (delegraph.hops). */
void dg_postgres_write(struct dg_writer *out, struct dg_text sql);

#endif
