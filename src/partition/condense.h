/* Graphs whose groups are contracted, and in which what waits for itself is one. */
#ifndef DG_PARTITION_CONDENSE_H
#define DG_PARTITION_CONDENSE_H

#include "base/csr.h"
#include "partition/partition.h"

/* Groups are the first vertices, then each other node, save supported getitems that
 * stay with their producer: `base` is the producer, of other nodes the node itself. */
struct dg_condensed {
    const struct dg_graph *graph;
    const uint16_t *marks;
    uint32_t n_groups;
    uint32_t *base, *group_of; /* the group of a node's base counts */
    bool *dissolved;           /* of each group */
    uint32_t *vertex_of, n_vertices;
    uint32_t *component_of, n_components; /* of each vertex; sinks have low numbers */
    bool *unsupported;                    /* of each component: has such a node */
    uint32_t *n_members;                  /* of each component: vertices */
};

/* Whether `node` is a placeholder that a partition may have: who reads it waits for
 * none. */
bool dg_is_claimed_placeholder(const struct dg_condensed *condensed, uint32_t node);

/* Whether every user of `node` is a getitem. */
bool dg_only_getitems_read(const struct dg_graph *graph, const uint16_t *marks,
                           uint32_t node);

/* The edges between vertices, each node being part of vertex vertex_of[node]: who reads
 * each vertex, as often as there are edges, but no vertex itself; with `backwards`,
 * what it reads. Edges of nodes that have all of `free_marks` are left out (0: none
 * are). */
void dg_contract_edges(struct dg_csr *out, const struct dg_graph *graph,
                       const uint32_t *vertex_of, uint32_t n_vertices, bool backwards,
                       const uint16_t *marks, uint16_t free_marks,
                       struct dg_arena *memory);

/* What a getitem takes an item of, if that is its one input and getitems alone read
 * it; else the node itself. */
uint32_t dg_producer(const struct dg_graph *graph, const uint16_t *marks,
                     uint32_t node);

/* Groups that no valid partition can hold are dissolved. */
void dg_condense(struct dg_condensed *out, const struct dg_graph *graph,
                 const uint16_t *marks, const struct dg_groups *groups,
                 struct dg_arena *memory);

/* Contract anew, without the groups that are dissolved. True: an unsupported node is on
 * a cycle. */
bool dg_contract_groups(struct dg_condensed *condensed);

/* Of each node its component. */
uint32_t *dg_components_of_nodes(const struct dg_condensed *condensed,
                                 struct dg_arena *memory);

/* As dg_measure_heights() does, of components. */
uint32_t *dg_component_heights(const struct dg_condensed *condensed,
                               const uint32_t *component_of, struct dg_arena *memory);

/* Whether the component has an unsupported node on a cycle. */
bool dg_is_cyclic(const struct dg_condensed *condensed, uint32_t component);

/* Dissolve groups until dg_contract_groups() is false. */
void dg_break_cycles(struct dg_condensed *condensed);

#endif
