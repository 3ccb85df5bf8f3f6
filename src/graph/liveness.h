/* Liveness in all methods of a store's .pte programs, found once. */
#ifndef DG_GRAPH_LIVENESS_H
#define DG_GRAPH_LIVENESS_H

#include "graph/live_ranges.h"

struct dg_method_liveness {
    int64_t method, artifact;
    int64_t *arenas, *ends; /* their sizes; where the last tensor of each ends */
    size_t n_arenas;
    struct dg_flow flow;
    struct dg_live_ranges live;
};

struct dg_liveness {
    struct dg_method_liveness *items; /* by graph */
    size_t n_items;
};

/* Methods may share the arenas behind the first: what one writes there another may
 * read. The store keeps *out until it keeps something else. */
enum dg_status dg_liveness_read(struct dg_liveness **out, struct dg_store *store,
                                struct dg_error *err);

#endif
