/* The queries that `query @NAME` knows: the text of queries.sql. */
#ifndef DG_CLI_NAMED_H
#define DG_CLI_NAMED_H

#include <stdbool.h>

#include "base/bytes.h"

struct dg_named {
    struct dg_text name, summary, sql; /* sql includes the ";" */
};

/* The query that begins at *cursor, which moves behind it; start from NULL. */
bool dg_named_next(const char **cursor, struct dg_named *query);

#endif
