/* Values of the parameters of a query, from the command line. */
#ifndef DG_CLI_QUERY_BIND_H
#define DG_CLI_QUERY_BIND_H

#include "cli/options.h"
#include "store/statement.h"

/* Give the query's parameters what --param said: items "NAME=VALUE". A wrong name and a
 * parameter without a value are errors of use. */
enum dg_status dg_query_bind(struct dg_rows *rows, const struct dg_list *given,
                             struct dg_error *err);

#endif
