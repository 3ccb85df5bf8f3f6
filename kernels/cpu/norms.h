/* The norm of a vector that is read in pieces, and what norms of two files share. */
#ifndef DG_KERNELS_CPU_NORMS_H
#define DG_KERNELS_CPU_NORMS_H

#include "kernels/cpu/reduce.h"

struct dg_norm {
    double p;
    struct dg_total total;
    double extreme;
};

struct dg_norm dg_norm_begin(const struct dg_context *context, enum dg_type type,
                             double p);
/* Changes `line`; each piece but the last one has a multiple of 8 elements. */
void dg_norm_add(struct dg_norm *norm, double *line, int64_t n);
double dg_norm_end(const struct dg_norm *norm);

/* Libraries scale values in f32 and add -mean * rstd, which was rounded as the product
 * is: where the two cancel, up to an ulp of them is left. In own sums values that are
 * the mean are off by so much. */
void dg_norm_leave_ulp(double *x, int64_t n, double mean);

/* torch stores the statistics of a batch before it scales by them, in 16 bits where
 * inputs and weights have these. */
void dg_norm_keep(enum dg_type kept, double *mean, double *rstd);

/* x[i] = (x[i] - mean) * rstd * weight + bias; the other with weight[i] and bias[i], of
 * which NULL stands for 1 and 0. */
void dg_norm_scale(double *x, int64_t n, double mean, double rstd, double weight,
                   double bias);
void dg_norm_scale_each(double *x, int64_t n, double mean, double rstd,
                        const double *weight, const double *bias);

/* Whether a call of linalg_norm is about matrices: an order, and two dimensions. */
bool dg_norm_is_of_matrices(const struct dg_call *call);

/* aten::instance_norm whose running statistics move. */
enum dg_status dg_instance_norm_moving(struct dg_call *call);

#endif
