/* Tables lifetime and occupancy: when planned values live, how full arenas are. */
#ifndef DG_GRAPH_LIFETIME_H
#define DG_GRAPH_LIFETIME_H

#include "base/error.h"
#include "store/store.h"

/* In SQL: of a row of `lifetime` and its `value`, whether the value is kept from run to
 * run. */
#define DG_SQL_IS_STATE                                                                \
    "(first < 0 AND NOT EXISTS (SELECT 1 FROM signature AS s WHERE s.graph_id ="       \
    "  value.graph_id AND s.direction = 'input' AND s.value_id = value.id))"

/* Fill the tables, unless they are filled already. */
enum dg_status dg_lifetimes_store(struct dg_store *store, struct dg_error *err);

#endif
