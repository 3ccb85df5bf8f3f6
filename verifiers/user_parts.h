/* Columns of rules that users write. */
#ifndef DG_VERIFIERS_USER_PARTS_H
#define DG_VERIFIERS_USER_PARTS_H

#include "store/store.h"

enum dg_user_column {
    DG_USER_ARTIFACT,
    DG_USER_METHOD,
    DG_USER_GRAPH,
    DG_USER_NODE,
    DG_USER_VALUE,
    DG_USER_MESSAGE,
    DG_USER_PATH,
    DG_USER_SEVERITY,
    DG_N_USER_COLUMNS
};

enum { DG_N_USER_IDS = DG_USER_VALUE + 1 }; /* the first ones are ids */

extern const char *const dg_user_columns[DG_N_USER_COLUMNS]; /* their names */

/* Where they lie in the rows of a rule; -1: nowhere. */
struct dg_user_columns {
    int at[DG_N_USER_COLUMNS];
};

/* Fails where one has no known name, two have the same, or there is no message. */
enum dg_status dg_user_columns_find(struct dg_user_columns *columns,
                                    const struct dg_rows *rows, struct dg_error *err);

#endif
