/* Shapes as the store has them, "[1,\"2*s0\",3]", as numbers: upper bounds of symbolic
 * sizes. */
#ifndef DG_GRAPH_COST_SIZES_H
#define DG_GRAPH_COST_SIZES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "graph/size_bound.h"
#include "store/store.h"

struct dg_cost_sizes {
    int64_t *methods; /* of graph i + 1 */
    int64_t n_graphs;
    struct dg_range *ranges; /* of all methods, in their order */
    int64_t *range_methods;
    size_t n_ranges, n_range_methods;
    int64_t graph;
    struct dg_ranges present; /* of `graph` */
    struct dg_arena memory;
};

struct dg_size_list {
    int64_t *items;
    size_t n;
};

enum dg_status dg_cost_sizes_begin(struct dg_cost_sizes *sizes, struct dg_store *store,
                                   struct dg_error *err);
void dg_cost_sizes_end(struct dg_cost_sizes *sizes);

/* Symbols mean from now on what they mean in that graph. */
void dg_cost_sizes_of_graph(struct dg_cost_sizes *sizes, int64_t graph);

/* Append the numbers of `text`; -1: not known. False: it is no such list. */
bool dg_cost_sizes_parse(const struct dg_cost_sizes *sizes, struct dg_size_list *list,
                         struct dg_text text);

#endif
