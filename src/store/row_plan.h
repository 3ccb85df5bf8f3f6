/* Which way SQLite finds rows of a table in memory. Private to store/. */
#ifndef DG_STORE_ROW_PLAN_H
#define DG_STORE_ROW_PLAN_H

#include "store/resident.h"

enum dg_way {
    DG_WAY_ALL,  /* all rows, or those with ids in a range */
    DG_WAY_ONE,  /* the row of an id */
    DG_WAY_KEY,  /* rows of an index */
    DG_WAY_NONE, /* no row can be meant */
};

/* What best_index() tells filter(), which has arguments in this order: columns of the
 * key from the first on; or the id; or its least, and its most. */
union dg_row_plan {
    int number; /* as SQLite keeps it */
    struct {
        unsigned way : 2, reversed : 1, least : 1, above : 1, most : 1, below : 1;
        unsigned columns : 25;
    } as;
};

_Static_assert(sizeof(union dg_row_plan) == sizeof(int), "SQLite keeps no more");
_Static_assert(DG_BULK_COLUMNS <= 25, "columns of a plan");

/* xBestIndex of `table`, whose plan is info->idxNum. */
void dg_row_plan_choose(sqlite3_index_info *info, struct dg_resident_table *table,
                        const struct dg_program *program);

/* What a query compares a column with, which holds texts or integers. False: what it
 * equals is for SQLite to say, which looks at each row once more. */
bool dg_row_plan_cell(struct dg_any *cell, sqlite3_value *value, bool text);

#endif
