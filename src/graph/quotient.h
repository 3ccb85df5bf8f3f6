/* The graph that is left when each partition becomes one vertex: what the host would
 * run. `part_of` has a number below n_parts, or DG_NO_VERTEX (a vertex of its own), for
 * each node. Everything here is independent of how the partitions came about. */
#ifndef DG_GRAPH_QUOTIENT_H
#define DG_GRAPH_QUOTIENT_H

#include "graph/graph.h"

enum { DG_NO_VERTEX = UINT32_MAX };

struct dg_quotient {
    const struct dg_graph *graph;
    const uint32_t *part_of;
    uint32_t n_parts;
    struct dg_arena *memory; /* for results */
};

/* Whether the partitions can be run one after another: Kahn's order, O(nodes + edges).
 */
bool dg_quotient_acyclic(const struct dg_quotient *quotient);

/* Nodes along a cycle. Between neighbours there is an edge, or both are of one
 * partition; the last one leads back to the first one likewise. Ties: the lowest
 * partition, then the lowest node. */
struct dg_route {
    const uint32_t *nodes;
    size_t n_nodes;
};

/* A shortest cycle of the quotient graph; n_nodes 0: there is none. Cycles of two
 * vertices are found in O(nodes + edges); past a budget linear in the graph's size, the
 * shortest so far is taken. */
void dg_quotient_cycle(const struct dg_quotient *quotient, struct dg_route *out);

/* The shortest path that leaves partition `part` and comes back to it: its first and
 * last nodes are of the partition, those between are not, and all neighbours are joined
 * by edges of the graph (no jumps). n_nodes 0: the partition is convex. */
void dg_quotient_nonconvex(const struct dg_quotient *quotient, uint32_t part,
                           struct dg_route *out);

/* The partitions that are not convex, ascending, each with the shortest path
 * that leaves it and comes back. In a
 * graph that is acyclic nothing is searched; past a budget linear in the graph's size
 * the rest is left out. */
struct dg_nonconvex {
    uint32_t part;
    struct dg_route route;
};

size_t dg_quotient_nonconvex_parts(const struct dg_quotient *quotient,
                                   struct dg_nonconvex **out);

/* Cycles that need two or more partitions: for each strongly connected component of the
 * quotient graph with several partitions, a shortest cycle through at least two of
 * them. Partitions that are not convex count as separate nodes here: a component that
 * they explain alone is left out. */
struct dg_cyclic_dependency {
    const uint32_t *parts; /* of the component, ascending */
    size_t n_parts;
    struct dg_route route;
};

size_t dg_quotient_cyclic_dependencies(const struct dg_quotient *quotient,
                                       struct dg_cyclic_dependency **out);

/* Sequential lowering contracts partition 0, 1, 2, ... in turn: the first of them at
 * which a cycle closes, n_parts if none. O((nodes + edges) log n_parts). */
uint32_t dg_quotient_first_failing(const struct dg_quotient *quotient);

#endif
