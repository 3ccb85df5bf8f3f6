/* What the parts of view "diff" share. */
#ifndef DG_REPORTS_VIEWS_DIFF_PARTS_H
#define DG_REPORTS_VIEWS_DIFF_PARTS_H

#include "base/csr.h"
#include "base/text_set.h"
#include "graph/model.h"
#include "reports/views/node_rows.h"

/* Between two nodes of the new program there is room in its order for removed calls. */
enum { DG_DIFF_PLACES = 24 };

/* A removed call, by its row in a store of the old program. */
struct dg_diff_gone {
    int64_t row;
    size_t box;
};

struct dg_diff_view {
    struct dg_node_rows nodes;
    int64_t comparison;
    size_t room;                  /* boxes that may be there */
    const struct dg_model *model; /* of the new program */
    struct dg_csr users;          /* uses that read a node, by their number */
    bool *weights;                /* by node: inputs that no call makes */
    struct dg_diff_gone *gone;
    size_t n_gone;
    struct dg_int_set gone_rows; /* of gone, in order */
    size_t n_left;               /* differences that have no room */
};

/* The box of a node of the new program, in its order; SIZE_MAX: there is no such node.
 */
enum dg_status dg_diff_view_box(struct dg_diff_view *view, int64_t node, size_t *box);

/* Boxes of all calls that differ, as far as there is room. */
enum dg_status dg_diff_view_add(struct dg_diff_view *view);

/* What these read and who reads them, and links between all boxes. */
enum dg_status dg_diff_view_surround(struct dg_diff_view *view);

#endif
