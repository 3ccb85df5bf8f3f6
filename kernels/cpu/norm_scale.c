/* Elements of norms, scaled: by one weight, or each by its own. */
#include <float.h>

#include "kernels/cpu/norms.h"
#include "kernels/cpu/special.h"
#include "kernels/cpu/vectorize.h"

DG_FOR_ANY void leave_ulp(double *x, int64_t n, double mean)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = x[i] == mean ? x[i] * (1 - FLT_EPSILON) : x[i];
}

DG_FOR_ANY void scale(double *x, int64_t n, double mean, double rstd, double weight,
                      double bias)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (x[i] - mean) * rstd * weight + bias;
}

DG_FOR_ANY void scale_each(double *restrict x, int64_t n, double mean, double rstd,
                           const double *restrict weight, const double *restrict bias)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (x[i] - mean) * rstd * (weight ? weight[i] : 1) + (bias ? bias[i] : 0);
}

#define LOOPS(name, attributes)                                                        \
    attributes static void leave_ulp_##name(double *x, int64_t n, double mean)         \
    {                                                                                  \
        leave_ulp(x, n, mean);                                                         \
    }                                                                                  \
                                                                                       \
    attributes static void scale_##name(double *x, int64_t n, double mean,             \
                                        double rstd, double weight, double bias)       \
    {                                                                                  \
        scale(x, n, mean, rstd, weight, bias);                                         \
    }                                                                                  \
                                                                                       \
    attributes static void scale_each_##name(double *x, int64_t n, double mean,        \
                                             double rstd, const double *weight,        \
                                             const double *bias)                       \
    {                                                                                  \
        scale_each(x, n, mean, rstd, weight, bias);                                    \
    }

LOOPS(narrow, )
#ifdef DG_AVX2
LOOPS(avx2, DG_AVX2)
#endif

void dg_norm_leave_ulp(double *x, int64_t n, double mean)
{
    DG_WIDEST(leave_ulp)(x, n, mean);
}

void dg_norm_keep(enum dg_type kept, double *mean, double *rstd)
{
    *mean = dg_in_type(kept, *mean);
    *rstd = dg_in_type(kept, *rstd);
}

void dg_norm_scale(double *x, int64_t n, double mean, double rstd, double weight,
                   double bias)
{
    DG_WIDEST(scale)(x, n, mean, rstd, weight, bias);
}

void dg_norm_scale_each(double *x, int64_t n, double mean, double rstd,
                        const double *weight, const double *bias)
{
    DG_WIDEST(scale_each)(x, n, mean, rstd, weight, bias);
}
