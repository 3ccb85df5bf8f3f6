/* What shapes nodes of XNNPACK give, and what they refuse: xnn_define_*() and
 * xnn_reshape_*() of XNNPACK, by the shapes that are passed. */
#ifndef DG_BASE_XNNPACK_SHAPES_H
#define DG_BASE_XNNPACK_SHAPES_H

#include <stdbool.h>

#include "base/text.h"

enum { DG_XNN_RANK = 6, DG_XNN_INPUTS = 5, DG_XNN_LARGEST = INT32_MAX };

/* Flags of nodes: of a filter, of windows, of what is reduced. */
enum {
    DG_XNN_TRANSPOSED = 1,
    DG_XNN_SAME_PADDING = 4,
    DG_XNN_KEEP_DIMS = 0x40,
};

struct dg_xnn_shape {
    int rank; /* -1: not known */
    int64_t sizes[DG_XNN_RANK];
};

/* Numbers in the args of nodes; by either name. */
#define DG_XNN_NUMBERS(NUMBER)                                                         \
    NUMBER(pad_top, "padding_top", "padding_top")                                      \
    NUMBER(pad_right, "padding_right", "padding_right")                                \
    NUMBER(pad_bottom, "padding_bottom", "padding_bottom")                             \
    NUMBER(pad_left, "padding_left", "padding_left")                                   \
    NUMBER(height, "kernel_height", "pooling_height")                                  \
    NUMBER(width, "kernel_width", "pooling_width")                                     \
    NUMBER(down, "subsampling_height", "stride_height")                                \
    NUMBER(across, "subsampling_width", "stride_width")                                \
    NUMBER(apart, "dilation_height", "dilation_height")                                \
    NUMBER(aside, "dilation_width", "dilation_width")                                  \
    NUMBER(group_inputs, "group_input_channels", "group_input_channels")               \
    NUMBER(group_outputs, "group_output_channels", "group_output_channels")            \
    NUMBER(groups, "groups", "groups")                                                 \
    NUMBER(more_height, "adjustment_height", "adjustment_height")                      \
    NUMBER(more_width, "adjustment_width", "adjustment_width")                         \
    NUMBER(axis, "axis", "axis")                                                       \
    NUMBER(new_height, "new_height", "new_height")                                     \
    NUMBER(new_width, "new_width", "new_width")

/* Lists of them: of none where they are missing. */
#define DG_XNN_LISTS(LIST)                                                             \
    LIST(perm, "perm")                                                                 \
    LIST(new_shape, "new_shape")                                                       \
    LIST(offsets, "offsets")                                                           \
    LIST(sizes, "sizes")                                                               \
    LIST(before, "pre_paddings")                                                       \
    LIST(behind, "post_paddings")

struct dg_xnn_node {
    struct dg_text op;
    uint32_t flags;
#define NUMBER(field, name, other) int64_t field;
    DG_XNN_NUMBERS(NUMBER)
#undef NUMBER
#define LIST(field, name) struct dg_xnn_shape field;
    DG_XNN_LISTS(LIST)
#undef LIST
    int n_inputs;
    struct dg_xnn_shape inputs[DG_XNN_INPUTS];
};

/* The shape of what `node` gives; rank -1 where it is not known, as of a node with a
 * number that nobody means. False: the runtime
 * refuses the node, and `why` says what does not go together. */
bool dg_xnn_infer(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                  struct dg_writer *why);

/* A convolution of 1x1 that the runtime makes a FullyConnected of. Then what it reads, if
 * that is quantized when it runs, has a scale for each pixel, whatever the blob says and
 * whoever else reads it. Source: XNNPACK of ExecuTorch 1.5.1, as it was seen to run. */
bool dg_xnn_is_pointwise(const struct dg_xnn_node *node);

/* "[1,3,8,8]" */
void dg_xnn_print_shape(struct dg_writer *out, const struct dg_xnn_shape *shape);

#endif
