/* Small graphs for tests of algorithms, written as edges or drawn at random. */
#ifndef DG_TESTS_TOY_H
#define DG_TESTS_TOY_H

#include "graph/graph.h"

enum { TOY_NODES = 24, TOY_NEVER = 1000 };

/* "0-2 1-2": node 2 reads nodes 0 and 1. End with dg_graph_clear(). */
void toy_graph(struct dg_graph *out, uint32_t n_nodes, const char *edges);

/* Each pair i < j is an edge with a chance of `percent`. */
void toy_random_graph(struct dg_graph *out, uint32_t n_nodes, unsigned percent);

/* The same numbers in every run, but for the seed; below `limit`. */
uint32_t toy_random(uint32_t limit);
void toy_seed(uint64_t seed);

/* One letter per node: '-' a call that is not supported, 'I' and 'i' a getitem that is
 * and is not, any other letter a supported call. */
void toy_marks(uint16_t *marks, const char *kinds);

/* Edges of the shortest way from vertex to vertex; from i to i that of the shortest
 * cycle; TOY_NEVER: there is none. Partitions below `n_parts` are the first vertices,
 * node i outside of them is vertex n_parts + i. */
struct toy_pairs {
    uint32_t n, length[2 * TOY_NODES][2 * TOY_NODES];
};

void toy_all_pairs(struct toy_pairs *pairs, const struct dg_graph *graph,
                   const uint32_t *part_of, uint32_t n_parts);
uint32_t toy_shortest_cycle(const struct dg_graph *graph, const uint32_t *part_of,
                            uint32_t n_parts);

#endif
