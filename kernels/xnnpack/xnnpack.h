/* What kernels of XNNPACK's nodes share. Makers return one share, or NULL with the
 * error of the call filled; they use up the share that they are given, which may be
 * NULL. */
#ifndef DG_KERNELS_XNNPACK_XNNPACK_H
#define DG_KERNELS_XNNPACK_XNNPACK_H

#include "kernels/cpu/compose.h"
#include "kernels/xnnpack.h"

#define KIND(name, function, n, tolerance) dg_kernel_fn dg_xnn_##function;
#include "kernels/xnnpack/list.h"
#undef KIND

/* The first result, where it is one, takes over `tensor` (a share); the status. */
enum dg_status dg_xnn_finish(struct dg_call *call, struct dg_tensor *tensor);
/* "cannot ...": not compared. */
enum dg_status dg_xnn_cannot(struct dg_call *call, const char *what);

static inline bool dg_xnn_is_wide(const struct dg_call *call)
{
    return call->context->precision == DG_PRECISION_WIDE;
}

/* As floats: of 16 bits in F32, of wide runs in F64. */
struct dg_tensor *dg_xnn_as_float(struct dg_call *call, struct dg_tensor *tensor);
/* A copy whose elements follow each other, in F64. */
struct dg_tensor *dg_xnn_as_f64(struct dg_call *call, struct dg_tensor *tensor);
/* Codes as they are, those of 4 bits in I8. */
struct dg_tensor *dg_xnn_codes(struct dg_call *call, size_t input);
/* Codes without their zero point, in F64, where they are whole numbers: of an argument
 * that is quantized in any way. */
struct dg_tensor *dg_xnn_centered(struct dg_call *call, size_t input);
/* Scale and zero point of each slice of an argument that is quantized when known. */
struct dg_tensor *dg_xnn_slice_scales(struct dg_call *call, size_t input);

/* Result 0 of `sizes`, of the type that the node says; `values` are its elements before
 * they are rounded, and clamped to what the node says. */
enum dg_status dg_xnn_give_floats(struct dg_call *call,
                                  const struct dg_xnn_shape *shape, double *values);
/* Floats of any type, clamped, in the type that the node says; uses up the share. */
enum dg_status dg_xnn_give_tensor(struct dg_call *call, struct dg_tensor *tensor);

/* round(value) + zero point, within what the node clamps to and the type holds. */
struct dg_xnn_range {
    double least, most, zero_point;
    double near_tie; /* not 0: on another grid */
};
struct dg_xnn_range dg_xnn_codes_of(const struct dg_call *call);
int64_t dg_xnn_code(const struct dg_xnn_range *range, double value);

/* What becomes of NaN where a result is NaN: NaN, or the lower bound, where the
 * runtime's clamp loses it. */
double dg_xnn_of_nan(const struct dg_xnn_step *step);
/* Whether input 0, of floats, has NaN; also false when there is no memory to look. */
bool dg_xnn_has_nan(struct dg_call *call);
/* Whether input 1 is a filter, behind which a bias may stand. */
bool dg_xnn_has_filter(dg_kernel_fn *run);

/* Nodes on codes. */
dg_kernel_fn dg_xnn_unary_codes, dg_xnn_binary_codes;
/* Floats to I32. */
dg_kernel_fn dg_xnn_round, dg_xnn_quantize_when_known;

/* What the kind makes of `n` elements: up to 1024. */
void dg_xnn_unary_line(const struct dg_xnn_step *step, int64_t n, double *values);

struct dg_xnn_shape dg_xnn_shape_of(const struct dg_tensor *tensor);
/* The same elements by other strides: dimension i of the view is `order`[i]. */
struct dg_tensor *dg_xnn_permuted(struct dg_tensor *tensor, int rank, const int *order);
/* A copy with memory of its own, its elements one behind the other. */
struct dg_tensor *dg_xnn_copied(struct dg_call *call, struct dg_tensor *tensor);

#endif
