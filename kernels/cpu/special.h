/* Special functions, in f64, and what their kernels share. */
#ifndef DG_KERNELS_CPU_SPECIAL_H
#define DG_KERNELS_CPU_SPECIAL_H

#include "kernels/cpu/pointwise.h"

double dg_log_gamma(double x);
double dg_digamma(double x);
/* e^(x^2) erfc(x), for x > -1. */
double dg_scaled_erfc(double x);
/* The inverse of erf. */
double dg_inverse_erf(double x);
/* Hurwitz' zeta: the sum of (q + k)^-s. */
/* The modified Bessel function of order 0; narrow: as torch computes it in f32. */
double dg_bessel_i0(double x, bool narrow);
double dg_zeta(double s, double q);
/* e^x K(x) of any order, for x > 0. */
double dg_scaled_k(double order, double x);
/* `value` in torch's type of work. */
static inline double dg_in(bool narrow, double value)
{
    return narrow ? (float)value : value;
}

double dg_in_type(enum dg_type type, double value);

/* Of floats; integers become f32. `narrow` is the line for what torch computes in f32:
 * where roundings of its own are larger than the last one, both have them. */
enum dg_status dg_special(struct dg_call *call, int n_operands, int n_parameters,
                          dg_real_line *wide, dg_real_line *narrow);

/* Kernels of functions f(x, narrow) and f(x, y, narrow). */
#define DG_SPECIAL(name, f)                                                            \
    DG_LINE(double, name##_f64, DG_X, f(x, false))                                     \
    DG_LINE(double, name##_f32, DG_X, f(x, true))                                      \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_special(call, 1, 0, name##_f64, name##_f32);                         \
    }
#define DG_SPECIAL_XY(name, f)                                                         \
    DG_LINE(double, name##_f64, DG_XY, f(x, y, false))                                 \
    DG_LINE(double, name##_f32, DG_XY, f(x, y, true))                                  \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_special(call, 2, 0, name##_f64, name##_f32);                         \
    }

#endif
