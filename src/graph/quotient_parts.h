/* What the files about quotient graphs share. */
#ifndef DG_GRAPH_QUOTIENT_PARTS_H
#define DG_GRAPH_QUOTIENT_PARTS_H

#include "base/csr.h"
#include "graph/quotient.h"

/* Vertices are the partitions, then each other node. A node outside has one member. */
struct dg_contraction {
    const struct dg_graph *graph;
    uint32_t n_parts, n_vertices;
    uint32_t *vertex_of;       /* of each node */
    struct dg_csr members; /* of each vertex */
};

/* Partitions from `n_parts` on count as nodes outside. */
void dg_contract(struct dg_contraction *out, const struct dg_quotient *quotient,
                 uint32_t n_parts, struct dg_arena *memory);

/* Kahn's order: afterwards waiting[v] is 0 for each vertex that no cycle holds back. */
bool dg_topological_sort(const struct dg_contraction *contraction, uint32_t *waiting,
                         struct dg_arena *memory);

/* An edge of the graph between two vertices. */
struct dg_hop {
    uint32_t from, to; /* nodes */
};

/* The vertices that cycles hold back, and the strongly connected components they make.
 * Only components of several vertices are kept. */
struct dg_cyclic {
    const struct dg_graph *graph;
    uint32_t n_vertices;           /* those that stand for partitions come first */
    uint32_t *part;                /* of each vertex, or DG_NO_VERTEX */
    uint32_t *vertex_of;           /* of each node, or DG_NO_VERTEX */
    uint32_t *out_of, *in_of, *in; /* compressed rows; items of `in` index `out` */
    struct dg_hop *out;
    uint32_t *component_of; /* of each vertex, or DG_NO_VERTEX */
    uint32_t n_components;
    struct dg_csr components; /* vertices of each */
};

/* False: the quotient graph is acyclic, and there is no cyclic. */
bool dg_cyclic_find(struct dg_cyclic *out, const struct dg_quotient *quotient,
                    struct dg_arena *memory);

/* Steps that searches of the shortest may take in all before they settle for what they
 * have found. */
uint64_t dg_quotient_budget(const struct dg_graph *graph);

#endif
