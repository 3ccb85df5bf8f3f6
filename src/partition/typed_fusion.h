/* Typed fusion: vertices that several types of delegates may take, in as few groups as
 * can be found. A group is of one type, and groups run one after another
 * (partitioning.md, 5.4; typed fusion with one type alone is exact). */
#ifndef DG_PARTITION_TYPED_FUSION_H
#define DG_PARTITION_TYPED_FUSION_H

#include "base/csr.h"
#include "partition/partition.h"

struct dg_typed_graph {
    uint32_t n_vertices;
    const uint32_t *user_of, *users; /* who reads vertex v, as in dg_graph; no cycles */
    const uint32_t *kind_of; /* of each vertex: a kind, or DG_NO_PART: it has no type,
                                and runs as soon as it can */
    struct dg_csr types;     /* the types that vertices of a kind may have, ascending */
    uint32_t n_kinds, n_types;
};

struct dg_typed_groups {
    uint32_t n_groups;  /* in the order in which they run */
    uint32_t *type_of;  /* of each group */
    uint32_t *group_of; /* of each vertex, or DG_NO_PART where it has no type */
};

/* A beam of that many states; each is what has run so far, and a step runs all that one
 * type can. Past a budget linear in the size of the graph the best state is gone on
 * with alone, type after type. What *out points at lives in `memory`. */
enum { DG_BEAM = 8 };

void dg_fuse_types(struct dg_typed_groups *out, const struct dg_typed_graph *graph,
                   uint32_t width, struct dg_arena *memory);

#endif
