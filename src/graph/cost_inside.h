/* What the graphs of delegates cost, where their blobs say what they compute. */
#ifndef DG_GRAPH_COST_INSIDE_H
#define DG_GRAPH_COST_INSIDE_H

#include "base/arena.h"
#include "store/store.h"

/* One run of a graph; sizes that are not known count with their bounds. */
struct dg_inside_cost {
    int64_t nodes;
    int64_t flops, bytes; /* -1: of some node it is not known */
};

/* By row of delegate_graph, *n of them: item 0 is no row. */
enum dg_status dg_inside_costs(struct dg_inside_cost **costs, size_t *n,
                               struct dg_arena *memory, struct dg_store *store,
                               struct dg_error *err);

/* Fill table delegate_cost, which is empty: one row for each node. */
enum dg_status dg_inside_costs_store(struct dg_store *store, struct dg_error *err);

#endif
