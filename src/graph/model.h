/* Instructions and what they name, as columns of numbers: read from the store once, for
 * all who ask. */
#ifndef DG_GRAPH_MODEL_H
#define DG_GRAPH_MODEL_H

#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

enum dg_node_kind {
    DG_NODE_UNKNOWN,
    DG_NODE_PLACEHOLDER,
    DG_NODE_GET_ATTR,
    DG_NODE_CALL_FUNCTION,
    DG_NODE_OUTPUT,
    DG_NODE_KERNEL_CALL,
    DG_NODE_DELEGATE_CALL,
    DG_NODE_MOVE_CALL,
    DG_NODE_JUMP_FALSE_CALL,
    DG_NODE_FREE_CALL,
};

struct dg_model_node {
    int64_t jump;       /* destination; -1: none is stored */
    uint32_t graph, op; /* rows; op 0: none */
    enum dg_node_kind kind;
};

enum dg_access { DG_ACCESS_READ = 1, DG_ACCESS_WRITE = 2, DG_ACCESS_BOTH = 3 };

struct dg_model_operand {
    int64_t idx;    /* the value's, as stored, even when out of range */
    uint32_t value; /* its row; 0: there is none */
    uint32_t pos : 30, access : 2;
};

/* Nodes [first, first + n_nodes) of the model: those of one graph. */
struct dg_model_graph {
    uint32_t first, n_nodes;
};

struct dg_model {
    uint32_t n_nodes, n_graphs, n_operands;
    struct dg_model_node *nodes;   /* row id is item id - 1 */
    struct dg_model_graph *graphs; /* likewise */
    uint32_t *operand_of;          /* operands of node i begin at operand_of[i] */
    struct dg_model_operand *operands;
};

/* The store owns *out, until it closes or changes. O(nodes + operands), once. */
enum dg_status dg_model_read(const struct dg_model **out, struct dg_store *store,
                             struct dg_error *err);

/* The nodes of the graph in row `id`; none if there is no such row. */
struct dg_model_graph dg_model_graph_at(const struct dg_model *model, int64_t id);

#endif
