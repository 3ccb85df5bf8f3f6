/* What an XNNPACK delegate computes, from the rows of its graph. Private to exec/. */
#ifndef DG_EXEC_SCHEDULE_INSIDE_H
#define DG_EXEC_SCHEDULE_INSIDE_H

#include "exec/schedule_pte.h"
#include "kernels/xnnpack.h"

struct dg_inside_value {
    int64_t id; /* row */
    struct dg_xnn_operand operand;
    unsigned flags;   /* DG_BLOB_INPUT, DG_BLOB_OUTPUT */
    int64_t external; /* which operand of the call; -1 */
    int64_t constant; /* -1: it is none */
    int64_t scale_constant, n_scales;
    struct dg_arg initial; /* of a constant: its tensor; the schedule's to drop */
    uint32_t writer;       /* number of the node; DG_INSIDE_NONE */
    bool is_read, is_nhwc;
    bool is_turned; /* of the call that is made now: it passes a tensor that lies in
                       another order than that of its dimensions */
    bool lies_nhwc; /* namely so */
};

#define DG_INSIDE_NONE UINT32_MAX

struct dg_inside_node {
    int64_t id; /* row */
    const char *name, *op;
    uint32_t handle; /* 0: none */
    bool shown_only; /* another node computes what it gives, too */
    struct dg_xnn_step step;
    uint32_t inputs[DG_XNN_INPUTS], outputs[2]; /* numbers of values */
    uint32_t n_waits;                           /* for inputs that are not there yet */
};

/* The graph of one blob. */
struct dg_inside {
    int64_t graph_id;
    const char
        *why; /* it cannot be run: "value 7 of its graph is written by no node" */
    struct dg_inside_value *values;
    struct dg_inside_node *nodes;
    uint32_t n_values, n_nodes;
    uint32_t *order; /* in which nodes run */
};

/* Read once for each graph of a schedule. */
void dg_inside_drop(struct dg_pte_maker *maker);

/* Steps of a call whose operands are slots `operands`, and slots for what it keeps to
 * itself. *why: it cannot be run, and there are none; NULL. */
struct dg_inside_call {
    int64_t graph_id, node_id;
    const char *name; /* of the call */
    const struct dg_model_operand *operands;
    size_t n_operands;
};
enum dg_status dg_inside_steps(const char **why, struct dg_pte_maker *maker,
                               const struct dg_inside_call *call);

/* Whether its dimensions lie in their order, the outermost first: what a graph takes
 * for granted. It sees others as they lie. */
bool dg_inside_lies_in_order(const struct dg_tensor *tensor);
/* Whether it is an image whose channels lie innermost. */
bool dg_inside_is_image(const struct dg_tensor *tensor);
/* A node that makes of what the call passes for `value`, whose type is that of
 * `tensor`, what the graph sees, or the other way round. */
const struct dg_inside_node *dg_inside_turn(const struct dg_inside_value *value,
                                            const struct dg_tensor *tensor, bool enters,
                                            struct dg_arena *memory);
/* Images lie in memory as NHWC from where the lowering turned them so, or a call passes
 * them so, to where they are turned back. */
void dg_inside_find_images(struct dg_inside *inside);

enum dg_status dg_inside_read(struct dg_inside **inside, struct dg_pte_maker *maker,
                              int64_t graph_id);

#endif
