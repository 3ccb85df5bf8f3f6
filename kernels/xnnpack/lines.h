/* Nodes that compute each element from one element of each input, line by line. */
#ifndef DG_KERNELS_XNNPACK_LINES_H
#define DG_KERNELS_XNNPACK_LINES_H

#include "base/text.h"
#include "kernels/cpu/pointwise.h"

/* Parameters: alpha or slope of the node, bounds of its results, and what becomes of
 * NaN; but NaN passes in f32, whatever that says. */
enum { DG_XNN_REAL, DG_XNN_LEAST, DG_XNN_MOST, DG_XNN_OF_NAN };

/* The function itself, by which tables of codes are made, and what the runtime computes
 * of floats. */
struct dg_xnn_lines {
    const char *kind;
    dg_real_line *exact, *f32, *f16;
};

/* Of a kind that dg_xnn_unary() or dg_xnn_binary() runs. */
const struct dg_xnn_lines *dg_xnn_lines_of(struct dg_text kind);

/* Where the second operand is a number that is known before anything runs the runtime
 * clamps: NaN passes in f32, and becomes the lower bound in f16. NULL: it does not. */
dg_real_line *dg_xnn_line_by_number(struct dg_text kind, bool halves);

#endif
