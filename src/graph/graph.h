/* One graph of the store as arrays, for algorithms that SQL says too slowly. */
#ifndef DG_GRAPH_GRAPH_H
#define DG_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "store/store.h"

/* Nodes are 0..n_nodes-1 in stored (execution) order. Compressed sparse rows: the
 * inputs of node i are inputs[input_of[i]] .. inputs[input_of[i + 1] - 1], its users
 * likewise. A node that reads another twice is listed twice. */
struct dg_graph {
    int64_t id;
    uint32_t n_nodes, n_edges;
    int64_t first_id; /* store id of node 0; ids of a graph are consecutive */
    uint32_t *input_of, *inputs;
    uint32_t *user_of, *users;
    struct dg_arena memory; /* of whoever makes one, or asks for a cycle */
};

/* Graph `id`, which the store reads once and owns: its arrays are for all who ask, and
 * live until the store closes, gets another program, or drops what was read of rows.
 * Clear *graph whether or not this
 * succeeds. O(nodes + edges), once. */
enum dg_status dg_graph_load(struct dg_graph *graph, struct dg_store *store, int64_t id,
                             struct dg_error *err);
void dg_graph_clear(struct dg_graph *graph);

/* The users, where the inputs are there. */
void dg_graph_find_users(struct dg_graph *graph);

/* A shortest cycle through some node, as nodes in order; *length 0 if there is none.
 * The path lives in graph->memory. O(nodes + edges) to decide; the search for the
 * witness is confined to one strongly connected component. */
const uint32_t *dg_graph_cycle(struct dg_graph *graph, size_t *length);

/* For each node, whether it reaches (through users) a node with mark[i] set. `reaches`
 * holds n_nodes items. O(nodes + edges); works on cyclic graphs. */
void dg_graph_reaching(const struct dg_graph *graph, const bool *mark, bool *reaches);

#endif
