/* Floats as whole numbers in their order: how many lie between two of them. */
#ifndef DG_EXEC_ULP_H
#define DG_EXEC_ULP_H

#include "base/tensor.h"

/* Neighbours differ by 1, +0 and -0 do not. `value` is rounded to `type`, one of the
 * floats; infinities lie behind the largest numbers. */
int64_t dg_ordered(enum dg_type type, double value);
/* Saturates at INT64_MAX. Neither is NaN. */
int64_t dg_ulp_distance(enum dg_type type, double a, double b);
/* The largest distance of n pairs, without those of which one is not finite. */
int64_t dg_ulp_most(enum dg_type type, const double *a, const double *b, int64_t n);
/* Bits of the significand behind the point; -1: no float. */
int dg_fraction_bits(enum dg_type type);

#endif
