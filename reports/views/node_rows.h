/* Boxes of a few nodes, each read by its row: for views of a path or a column, which
 * need not read a whole program. */
#ifndef DG_REPORTS_VIEWS_NODE_ROWS_H
#define DG_REPORTS_VIEWS_NODE_ROWS_H

#include "reports/views/read.h"

struct dg_node_rows {
    struct dg_picture *picture;
    struct dg_view_input in;
    bool flat; /* no frames of partitions, and what is read as lines: for a column */
    struct dg_rows node, operands; /* statements that are run for each node */
    struct dg_rows inputs;
    size_t n_open; /* of those */
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
