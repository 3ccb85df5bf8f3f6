/* The graphs of XNNPACK as what finds merged nodes needs them. Private to
 * graph/xnnpack_merge*.c. */
#ifndef DG_GRAPH_XNNPACK_MERGE_PARTS_H
#define DG_GRAPH_XNNPACK_MERGE_PARTS_H

#include "base/arena.h"
#include "store/store.h"

#define DG_MERGE_NONE UINT32_MAX

struct dg_merge_value {
    int64_t id;
    double scale, zero_point; /* of codes of 8 bits on one grid */
    bool is_code, is_number;  /* number: a constant of one element */
    bool is_constant, is_output;
    int64_t rank;
    bool is_live, is_read_twice;        /* by one node */
    uint32_t n_readers, reader, writer; /* nodes: the last that reads it */
};

struct dg_merge_node {
    int64_t id;
    const char *op;
    uint32_t first, n_operands; /* of the values that it reads */
    uint32_t output, n_outputs;
    bool in_table;
};

struct dg_merge_reading {
    struct dg_merge_value *values;
    struct dg_merge_node *nodes;
    uint32_t *operands; /* of all nodes, one behind the other */
    size_t n_values, n_nodes, n_operands;
    struct dg_arena memory;
    struct dg_store *store;
    int64_t graph;
    struct dg_error *err;
};

/* Rows of the store; who is live, and who reads what. Clear it even after a failure. */
enum dg_status dg_merge_read(struct dg_merge_reading *reading);
void dg_merge_clear(struct dg_merge_reading *reading);

/* What nobody reads goes first; a node of two results stays. */
bool dg_merge_is_live(const struct dg_merge_reading *reading,
                      const struct dg_merge_node *node);

/* Of rows that begin with their ids. */
int dg_merge_by_id(const void *item, const void *key);

#endif
