/* Tables whose rows are worked out only when they are asked for. */
#ifndef DG_GRAPH_ASKED_H
#define DG_GRAPH_ASKED_H

#include "store/store.h"

/* Work out those that `sql` of a user may read, by the words in it. */
enum dg_status dg_asked_store(struct dg_store *store, const char *sql,
                              struct dg_error *err);

/* Whether ETDumps were joined; then the views that tell of them are there. */
enum dg_status dg_asked_measured(bool *measured, struct dg_store *store,
                                 struct dg_error *err);

/* Whether it may read a table with that word, of lower case, in its name. */
bool dg_sql_mentions(const char *sql, const char *word);

#endif
