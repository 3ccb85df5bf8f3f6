/* Nodes of all graphs, what they read and what they name, as columns of numbers: read
 * from the store once, for all who ask. */
#ifndef DG_GRAPH_MODEL_H
#define DG_GRAPH_MODEL_H

#include <stdint.h>

#include "base/arena.h"
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

/* As table node has it. */
const char *dg_node_kind_name(enum dg_node_kind kind);

enum { DG_NO_JUMP = UINT32_MAX }; /* none is stored, or one before all nodes */

/* Rows of other tables; 0: none. */
struct dg_model_node {
    uint32_t graph, op, delegate, module;
    uint32_t value; /* its result */
    uint32_t jump;  /* destination, or DG_NO_JUMP */
    enum dg_node_kind kind;
};

/* What an FX node reads, in order of its arguments. */
struct dg_model_use {
    uint32_t node;  /* that makes it, by its number in the model */
    uint32_t value; /* row; 0: none */
    uint32_t pos;
};

enum dg_access { DG_ACCESS_READ = 1, DG_ACCESS_WRITE = 2, DG_ACCESS_BOTH = 3 };

/* What an instruction reads and writes. */
struct dg_model_operand {
    int64_t idx;    /* the value's, as stored, even when out of range */
    uint32_t value; /* its row; 0: there is none */
    uint32_t pos : 29, access : 2;
    uint32_t blob_reads : 1; /* a delegate's blob says so: it is no guess */
};

/* Nodes [first, first + n_nodes) of the model: those of one graph. */
struct dg_model_graph {
    uint32_t first, n_nodes;
};

struct dg_model_op {
    struct dg_text name;
    unsigned flags; /* enum dg_op_flags */
};

/* Row id of a table is item id - 1. Uses of node i begin at use_of[i], its operands at
 * operand_of[i]; both have an end behind the last node. */
struct dg_model {
    uint32_t n_nodes, n_graphs, n_ops, n_uses, n_operands;
    struct dg_model_node *nodes;
    struct dg_model_graph *graphs;
    struct dg_model_op *ops;
    uint32_t *use_of, *operand_of;
    struct dg_model_use *uses;
    struct dg_model_operand *operands;
    struct dg_arena memory; /* of names */
};

/* The store owns *out, until it closes or changes. O(nodes + uses), once. */
enum dg_status dg_model_read(const struct dg_model **out, struct dg_store *store,
                             struct dg_error *err);

/* The nodes of the graph in row `id`; none if there is no such row. */
struct dg_model_graph dg_model_graph_at(const struct dg_model *model, int64_t id);

#endif
