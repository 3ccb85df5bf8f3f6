/* What quantizing operators share. */
#ifndef DG_KERNELS_CPU_QUANTIZE_H
#define DG_KERNELS_CPU_QUANTIZE_H

#include <math.h>

#include "kernels/kernel.h"

/* A number, or the element of a tensor of one. */
struct dg_arg dg_quantize_number(struct dg_call *call, size_t i);

/* Argument `i`, a number for each channel, as a view that broadcasts along `axis` of
 * argument 0. NULL: failed, or an argument is missing. */
struct dg_tensor *dg_along_axis(struct dg_call *call, size_t i, int64_t axis);

/* (x - zero_points) * scales as `type`; no zero points are zeros. Uses up x. */
struct dg_tensor *dg_dequantize(struct dg_call *call, struct dg_tensor *x,
                                struct dg_tensor *scales, struct dg_tensor *zero_points,
                                enum dg_type type);

/* The elements in rows of `size`. NULL: failed, or `tensor` is. */
struct dg_tensor *dg_in_rows(struct dg_call *call, struct dg_tensor *tensor,
                             int64_t size);
/* Another shape of as many elements, which lie without gaps. Uses up `rows`. */
struct dg_tensor *dg_in_shape(struct dg_call *call, struct dg_tensor *rows, int rank,
                              const int64_t *sizes);

/* Where a context asks for another grid. A tie is near within half a step of the sums
 * to which a quantized bias is added: of 8-bit weights and inputs some 1/256 of a step
 * of the result, of which twice leaves room; more where the scales say so. Of few
 * elements that would often be none, and where other code rounds one to the other side
 * nothing would say how far that leads: they are near where about 16 of them are. */
#define DG_NEAR_TIE (1.0 / 128)
#define DG_NEAR_TIE_FEW (1.0 / 8) /* at most for that reason */
#define DG_NEAR_TIES 16
#define DG_NEAR_TIE_MOST (1.0 / 4)
/* Where ranges are the same other code is off by the last bits of floats alone: all
 * that it may round to the other side is nearer than some 64 ulp of 255 steps. */
#define DG_NEAR_TIE_SAME (1.0 / 1024)

static inline double dg_near_tie(const struct dg_call *call, double known,
                                 int64_t n_codes)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    double few =
        fmin(DG_NEAR_TIES / 2.0 / (double)(n_codes > 0 ? n_codes : 1), DG_NEAR_TIE_FEW);

    if (!call->context->other_grid)
        return 0;
    return call->context->wider > 0
               ? fmin(fmax(fmax(DG_NEAR_TIE, few), known), DG_NEAR_TIE_MOST)
           : self && dg_type_bytes(self->type) < 4 ? DG_NEAR_TIE_MOST
                                                   : DG_NEAR_TIE_SAME;
}

/* Half to even; what is `near` to a tie to the other side. */
static inline double dg_round_to_code(double value, double near)
{
    double code = rint(value), off = value - code;

    if (fabs(off) > 0.5 - near)
        code += off > 0 ? 1 : -1;
    return code;
}

/* Half to even, but where a context asks for another grid. Uses up x, which has memory
 * of its own. */
struct dg_tensor *dg_round_to_codes(struct dg_call *call, struct dg_tensor *x);

/* The bounds of a range, wider where a context asks for it. Uses up `bound`. */
struct dg_tensor *dg_bound_of(struct dg_call *call, struct dg_tensor *bound);

#endif
