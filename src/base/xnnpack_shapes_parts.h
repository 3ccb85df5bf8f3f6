/* What the files of shapes share. */
#ifndef DG_BASE_XNNPACK_SHAPES_PARTS_H
#define DG_BASE_XNNPACK_SHAPES_PARTS_H

#include "base/xnnpack_shapes.h"

/* The shape that a node gives; rank -1: not known. False: it cannot be, and `why` says
 * why. */
typedef bool dg_xnn_infer_fn(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                             struct dg_writer *why);

dg_xnn_infer_fn dg_xnn_infer_convolution;
dg_xnn_infer_fn dg_xnn_infer_pool;
dg_xnn_infer_fn dg_xnn_infer_largest;
dg_xnn_infer_fn dg_xnn_infer_transposed;
dg_xnn_infer_fn dg_xnn_infer_global;
dg_xnn_infer_fn dg_xnn_infer_resize;

/* "WHAT [1,2]"; false. */
bool dg_xnn_print_one(struct dg_writer *why, const char *what,
                      const struct dg_xnn_shape *shape);

#endif
