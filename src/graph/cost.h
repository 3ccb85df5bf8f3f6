/* What calls cost: floating point operations and bytes of memory traffic, from the
 * shapes of their operands and the table cost.def. */
#ifndef DG_GRAPH_COST_H
#define DG_GRAPH_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "store/store.h"

#define DG_COST_NONE INT64_MIN

struct dg_cost {
    int64_t flops; /* -1: not known; DG_COST_NONE: it does not count */
    int64_t bytes; /* of all distinct tensors that it reads and writes; -1: not known */
};

/* Whether this is of a call that computes: no getitem, no call of a stored graph. */
static inline bool dg_cost_counts(const struct dg_cost *cost)
{
    return cost->flops != DG_COST_NONE;
}

/* Costs of node i + 1 of the store. Symbolic sizes count with their upper bounds. */
struct dg_costs {
    struct dg_cost *nodes;
    size_t n_nodes;
    struct dg_arena memory;
};

/* Of all nodes of the store, which keeps and owns *out. O(nodes + uses), once; from
 * table cost where that is filled. */
enum dg_status dg_costs_read(const struct dg_costs **out, struct dg_store *store,
                             struct dg_error *err);

/* The same where they were read before, or table cost is filled; else *out is NULL. */
enum dg_status dg_costs_known(const struct dg_costs **out, struct dg_store *store,
                              struct dg_error *err);

/* Only which calls compute; what that costs is not known. *out lives in `memory`. */
enum dg_status dg_costs_count(const struct dg_costs **out, struct dg_arena *memory,
                              struct dg_store *store, struct dg_error *err);

/* Fill table cost, unless it is filled already. */
enum dg_status dg_costs_store(struct dg_store *store, struct dg_error *err);

#endif
