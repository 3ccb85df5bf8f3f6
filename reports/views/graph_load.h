/* View "graph" as boxes: each node is one at first. */
#ifndef DG_REPORTS_VIEWS_GRAPH_LOAD_H
#define DG_REPORTS_VIEWS_GRAPH_LOAD_H

#include "base/text_set.h"
#include "reports/views/skeleton.h"

struct dg_box_loading {
    struct dg_picture *picture;
    const struct dg_view_input *in;
    struct dg_skeleton skeleton;
    size_t *box_of; /* by node of the skeleton; SIZE_MAX: not in the picture */
    struct dg_text_set modules; /* by the frame around each and its name */
    size_t *module_frames;      /* of each of them */
    size_t n_module_frames;
};

/* The nodes of the methods that were asked for, as boxes, links and frames. */
enum dg_status dg_boxes_load(struct dg_picture *picture,
                             const struct dg_view_input *in);

/* The box of a node in a row, or SIZE_MAX. */
size_t dg_boxes_find(const struct dg_box_loading *loading, int64_t row);

enum dg_status dg_boxes_load_nodes(struct dg_box_loading *loading);

/* Links, and lines of what a box reads from the file and of several results. */
enum dg_status dg_boxes_link(struct dg_box_loading *loading);

/* Partitions of the newest plan as frames, with what breaks its rules; after links. */
enum dg_status dg_boxes_load_plan(struct dg_box_loading *loading);

/* Findings of rules about plans: which boxes and links they name. */
enum dg_status dg_boxes_load_findings(struct dg_box_loading *loading);

/* The frame of a module inside `frame`; made when it is new. */
size_t dg_boxes_module_frame(struct dg_box_loading *loading, size_t frame,
                             struct dg_text fqn);

/* What delegates compute, where their blobs say it, as frames that their calls lead to.
 */
enum dg_status dg_boxes_open_delegates(struct dg_box_loading *loading);
/* Where no box has the name: that of the one node inside of a delegate that is called
 * so, alone or behind the name of a call; else *name stays. */
enum dg_status dg_boxes_inside_name(const char **name, struct dg_picture *picture,
                                    const struct dg_view_input *in);
/* Whether the graph that was asked for is such a one. */
enum dg_status dg_boxes_is_inside(bool *inside, const struct dg_view_input *in);

/* Jumps of a .pte, and the blocks of instructions between them as frames. */
void dg_boxes_add_flow(struct dg_box_loading *loading);

#endif
