/* What was meant by names in SQL that are not there. */
#ifndef DG_CLI_QUERY_EXPLAIN_H
#define DG_CLI_QUERY_EXPLAIN_H

#include "store/store.h"

/* Add to *err, of `sql` that does not compile, the view or column that is near. Returns
 * err->status. */
enum dg_status dg_query_explain(struct dg_store *store, const char *sql,
                                struct dg_error *err);

/* Fails where no node has that name, and tells which one is near. */
enum dg_status dg_query_find_node(struct dg_store *store, const char *name,
                                  struct dg_error *err);

#endif
