/* What ETRecords say of instructions, as rows. */
#ifndef DG_GRAPH_HANDLES_H
#define DG_GRAPH_HANDLES_H

#include "store/store.h"

/* Fills table `lineage` by debug handles, if nothing is there. */
enum dg_status dg_handles_follow(struct dg_store *store, struct dg_error *err);

#endif
