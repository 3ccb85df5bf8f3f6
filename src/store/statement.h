/* Statements that a user wrote: their parameters, and whether that was all. */
#ifndef DG_STORE_STATEMENT_H
#define DG_STORE_STATEMENT_H

#include "store/store.h"

/* The number of parameters, and the name of one (from 1): "node" for ":node", "$node"
 * or
 * "@node"; NULL for "?". */
int dg_rows_parameters(const struct dg_rows *rows);
const char *dg_rows_parameter(const struct dg_rows *rows, int parameter);

/* How many bytes of the SQL text the statement took; what follows was not looked at. */
size_t dg_rows_sql_size(const struct dg_rows *rows);

/* Comments and white space may follow a statement; another statement may not. */
bool dg_sql_is_blank(const char *sql);

/* Where in the SQL that was not taken last the mistake stands; -1: nobody knows. */
int dg_store_wrong_at(const struct dg_store *store);

#endif
