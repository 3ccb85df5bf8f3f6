/* Tables lifetime and occupancy: when planned values live, how full arenas are. */
#ifndef DG_GRAPH_LIFETIME_H
#define DG_GRAPH_LIFETIME_H

#include "base/error.h"
#include "store/store.h"

/* Fill the tables, unless they are filled already. */
enum dg_status dg_lifetimes_store(struct dg_store *store, struct dg_error *err);

#endif
