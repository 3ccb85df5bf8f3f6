/* What quantizing operators share. */
#ifndef DG_KERNELS_CPU_QUANTIZE_H
#define DG_KERNELS_CPU_QUANTIZE_H

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

/* `result` becomes result 0; of NULL: the error, which may be that an argument is
 * missing. */
enum dg_status dg_finish(struct dg_call *call, struct dg_tensor *result);

#endif
