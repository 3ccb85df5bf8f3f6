/* Nodes of XNNPACK's graphs as operators: what its runtime computes for each kind, in the order of
 * memory that the graph says (images are NHWC).
 *
 * Arguments are the inputs of the node, in the order of its fields. Codes of quantized
 * values are integers, those of 4 bits in U8, two to a byte, rows at whole bytes. A
 * value that is quantized when it is known is a list: codes (I8), and for each of its
 * slices scale (F32) and zero point (I32), of the rank of the codes, with sizes of 1
 * within a slice.
 *
 * Codes that a Clamp makes of what a sum of products gives have no grid between them in
 * the runtime: it merges the two. Then the inputs of the first node stand behind the one
 * of the second, and `merged` says what it makes of them. */
#ifndef DG_KERNELS_XNNPACK_H
#define DG_KERNELS_XNNPACK_H

#include "base/xnnpack_shapes.h"
#include "kernels/kernel.h"

struct dg_xnn_operand {
    enum dg_type type; /* of its elements or codes; of 4 bits: U8 */
    bool four_bits, constant;
    struct dg_xnn_shape shape; /* as declared: of sizes that are not known their bounds */
    enum {
        DG_XNN_UNQUANTIZED,
        DG_XNN_BY_TENSOR,  /* scale, zero_point */
        DG_XNN_BY_CHANNEL, /* scales[channel] */
        DG_XNN_BY_GROUP,   /* scales[channel][group] */
        DG_XNN_BY_SLICE,   /* when it is known, by `n_inner` dimensions at the end */
    } quantized;
    float scale;
    int32_t zero_point;
    const float *scales;
    int64_t n_scales, group_size;
    int n_inner;
};

struct dg_xnn_kernel;

/* A node: what its operator has to know beside its arguments. */
struct dg_xnn_step {
    struct dg_xnn_node node;    /* its inputs have the shapes of a call */
    struct dg_xnn_shape result; /* of output 0, in a call */
    double real;             /* slope, alpha, value of a padding */
    double least, most;      /* what results are clamped to; infinite: they are not */
    const struct dg_xnn_operand *inputs[DG_XNN_INPUTS], *outputs[2];
    int n_outputs;
    const struct dg_xnn_kernel *kernel;
    const struct dg_xnn_step *merged; /* NULL */
};

struct dg_xnn_kernel {
    struct dg_kernel kernel; /* op: "xnnpack::Conv2d" */
    dg_kernel_fn *run;
    size_t n_inputs; /* the least */
};

/* In the order of kernels/xnnpack/list.h; the last one has no op. */
extern const struct dg_xnn_kernel dg_xnn_kernels[];

/* Whether an input may keep in a wide run the narrower float type that it has in the
 * program. */
bool dg_xnn_widens(const struct dg_xnn_step *step, size_t input);

/* Of floats that sum products of an input and a filter, apart from the bounds. */
struct dg_linear dg_xnn_linear_in(const struct dg_xnn_step *step);

/* What bounds the results, which follow each other. */
void dg_xnn_clamp(const struct dg_xnn_step *step, struct dg_tensor *results);

/* NULL: what such a node computes is not known. */
const struct dg_xnn_kernel *dg_xnn_kernel(struct dg_text kind);

#endif
