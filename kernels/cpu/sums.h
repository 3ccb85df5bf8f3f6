/* Sums of lines of f64, made as the run asks for. */
#ifndef DG_KERNELS_CPU_SUMS_H
#define DG_KERNELS_CPU_SUMS_H

#include "kernels/kernel.h"

/* Whether sums of values of `type` are made in f32 in this run. */
bool dg_sums_are_narrow(const struct dg_context *context, enum dg_type type);
double dg_sum_line(const double *x, int64_t n, bool narrow);
/* The mean, and the variance around it with divisor n. */
void dg_moments(const double *x, int64_t n, bool narrow, double *mean,
                double *variance);

/* All elements in row-major order, in scratch memory. NULL: no tensor, or it failed and
 * call->err says why. */
double *dg_load_all(struct dg_call *call, struct dg_tensor *tensor);

#endif
