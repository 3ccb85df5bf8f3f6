/* softmax of a line in memory. */
#ifndef DG_KERNELS_CPU_SOFTMAX_H
#define DG_KERNELS_CPU_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>

/* Replace x by its softmax; `narrow` sums in f32. The logarithm of the sum of exp(x) is
 * returned. Lines that are empty, or -inf throughout, give NaN. */
double dg_softmax_line(double *x, int64_t n, bool narrow);

#endif
