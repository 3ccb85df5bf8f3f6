/* Lines of sums of F16, each rounded to it behind each product. */
#ifndef DG_KERNELS_XNNPACK_HALVES_H
#define DG_KERNELS_XNNPACK_HALVES_H

#include <stddef.h>
#include <stdint.h>

enum { DG_XNN_HALF_LINE = 64 }; /* elements of a line, all of which are in memory */

/* sums[i] += weight[i] * x[i * step], for i below `n` and maybe some behind; step: 0 or
 * 1. All are f64 that F16 has. */
typedef void dg_xnn_half_line(double *sums, const double *weight, const double *x,
                              int64_t step, int64_t n);

/* With the widest vectors that the processor at hand has, but none beyond `widest`
 * bytes. All give the same bits. */
dg_xnn_half_line *dg_xnn_half_line_of(size_t widest);

#endif
