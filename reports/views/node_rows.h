/* Boxes of a few nodes, each read by its row: for views of a path or a column, which
 * need not read a whole program. */
#ifndef DG_REPORTS_VIEWS_NODE_ROWS_H
#define DG_REPORTS_VIEWS_NODE_ROWS_H

#include "reports/views/read.h"

/* What dg_node_box() asks of a query: what it selects first, and from where. */
#define DG_NODE_COLUMNS                                                                \
    "SELECT node.id, node.name, node.kind, op.name, node.target, node.idx, "           \
    "node.jump," DG_VIEW_TYPE ", value.nbytes, delegate.backend, delegate.blob_bytes,"
#define DG_NODE_TABLES                                                                 \
    " FROM node JOIN graph ON graph.id = node.graph_id"                                \
    " JOIN method ON method.id = graph.method_id"                                      \
    " LEFT JOIN op ON op.id = node.op_id"                                              \
    " LEFT JOIN value ON value.id = node.value_id"                                     \
    " LEFT JOIN module ON module.id = node.module_id"                                  \
    " LEFT JOIN delegate ON delegate.id = node.delegate_id"
enum {
    DG_NODE_ID,
    DG_NODE_NAME,
    DG_NODE_KIND,
    DG_NODE_OP,
    DG_NODE_TARGET,
    DG_NODE_IDX,
    DG_NODE_JUMP,
    DG_NODE_DTYPE,
    DG_NODE_SHAPE,
    DG_NODE_NBYTES,
    DG_NODE_BACKEND,
    DG_NODE_BLOB_BYTES,
    DG_N_NODE_COLUMNS,
};

/* The box of the present row, appended. */
struct dg_box *dg_node_box(struct dg_picture *picture, const struct dg_rows *rows);

struct dg_node_rows {
    struct dg_picture *picture;
    struct dg_view_input in;
    bool flat; /* no frames of partitions, and what is read as lines: for a column */
    struct dg_rows node, operands; /* statements that are run for each node */
    struct dg_rows inputs;
    int64_t n_methods;
};

/* Fill in the fields up to `flat`; then end *nodes whether or not this succeeds. */
enum dg_status dg_node_rows_begin(struct dg_node_rows *nodes);

/* Returns `status` if that is a failure. */
enum dg_status dg_node_rows_end(struct dg_node_rows *nodes, enum dg_status status);

/* The box of a node, appended unless it is there: in the frames of its graph and of its
 * partition, with its operands as lines if it is an instruction. SIZE_MAX: there is no
 * such node. */
enum dg_status dg_node_rows_add(struct dg_node_rows *nodes, int64_t node, size_t *box);

/* The frame that the box of a node would lie in, the node's name and its module. */
struct dg_node_place {
    size_t frame;
    struct dg_text name, module;
};
enum dg_status dg_node_rows_locate(struct dg_node_rows *nodes, int64_t node,
                                   struct dg_node_place *place);

/* The box of a node, or SIZE_MAX. */
size_t dg_node_rows_find(const struct dg_node_rows *nodes, int64_t node);

#endif
