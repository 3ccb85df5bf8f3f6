/* Which nodes of a delegate XNNPACK makes one of before it runs them. */
#ifndef DG_GRAPH_XNNPACK_MERGE_H
#define DG_GRAPH_XNNPACK_MERGE_H

#include "store/store.h"

struct dg_xnn_pair { /* rows of delegate_node */
    int64_t node, other;
};

struct dg_xnn_merges {
    /* By node, ascending: a Clamp, or a Minimum or Maximum with a constant of one
     * element, bounds nothing by itself: `other`, whose codes it reads, gives its
     * result at once, within its bounds and on its grid. */
    struct dg_xnn_pair *clamps;
    size_t n_clamps;
    int64_t *squares; /* Multiply by itself, which becomes a Square; ascending */
    size_t n_squares;
    /* Where a chain of ten functions on codes begins and ends: the runtime does not
     * survive it. */
    struct dg_xnn_pair *tables;
    size_t n_tables;
    /* A Copy that is taken out, and its only reader, which reads it more than once: the
     * runtime changes one of these operands, and the others read what is no more. */
    struct dg_xnn_pair *copies;
    size_t n_copies;
};

/* Those that give other codes than the nodes as they stand; of one row of
 * delegate_graph, or of all (0). Source: in XNNPACK's subgraph.c
 * xnn_subgraph_fuse_unary_quantized_into_lut(), xnn_subgraph_fusion(), and of
 * optimize_common_subgraphs_* mul_to_sqr(), min_max_to_clamp() and merge_clamps().
 * Clear them even after a failure.
 */
enum dg_status dg_xnn_find_merges(struct dg_xnn_merges *merges, struct dg_store *store,
                                  int64_t graph, struct dg_error *err);
void dg_xnn_merges_clear(struct dg_xnn_merges *merges);

/* Row of the node that it is merged into; 0: none. */
int64_t dg_xnn_merged_into(const struct dg_xnn_merges *merges, int64_t clamp);

#endif
