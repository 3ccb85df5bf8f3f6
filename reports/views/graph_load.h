/* Reading view "graph" from a store, table by table: each node is a box at first. */
#ifndef DG_REPORTS_VIEWS_GRAPH_LOAD_H
#define DG_REPORTS_VIEWS_GRAPH_LOAD_H

#include "reports/views/read.h"

struct dg_box_loading {
    struct dg_picture *picture;
    const struct dg_view_input *in;
    size_t *box_of_node;  /* by row, up to n_nodes; SIZE_MAX: not in the picture */
    size_t *box_of_value; /* likewise: the box that makes it */
    int64_t n_nodes, n_values;
};

/* The nodes of the methods that were asked for, as boxes, links and frames. */
enum dg_status dg_boxes_load(struct dg_picture *picture,
                             const struct dg_view_input *in);

/* The box of a row, or SIZE_MAX. */
size_t dg_boxes_find(const size_t *boxes, int64_t n_rows, int64_t row);

enum dg_status dg_boxes_load_nodes(struct dg_box_loading *loading);

/* What edges do not show: which inputs are weights; of a .pte inputs, outputs
 * and constants. */
enum dg_status dg_boxes_load_values(struct dg_box_loading *loading);

/* Partitions of the newest plan as frames, with what breaks its rules; after edges. */
enum dg_status dg_boxes_load_plan(struct dg_box_loading *loading);

/* Findings of rules about plans: which boxes and links they name. */
enum dg_status dg_boxes_load_findings(struct dg_box_loading *loading);

/* The frame of a module inside `frame`; made when it is new. */
size_t dg_boxes_module_frame(struct dg_picture *picture, size_t frame,
                             struct dg_text fqn);

/* Jumps of a .pte, and the blocks of instructions between them as frames. */
enum dg_status dg_boxes_load_flow(struct dg_box_loading *loading);

#endif
