/* Functions about the normal distribution, and entropy. */
#include <math.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/special.h"

dg_kernel_fn dg_cpu_add, dg_cpu_erf, dg_cpu_mul;

/* The continued fraction of erfc, from its end: as exact as f64 from 3 on. */
static double erfc_fraction(double x)
{
    double tail = 0;

    for (int k = 60; k; k--)
        tail = k / 2.0 / (x + tail);
    return 1 / (sqrt(M_PI) * (x + tail));
}

double dg_scaled_erfc(double x)
{
    double square = x * x, rest = fma(x, x, -square);

    return x > 3 ? erfc_fraction(x) : exp(square) * (1 + rest) * erfc(x);
}

/* Below 0 it is about 2 e^(x^2), of a square that torch rounds. */
static double erfcx(double x, bool narrow)
{
    return x < 0 ? 2 * exp(dg_in(narrow, x * x)) - dg_scaled_erfc(-x)
                 : dg_scaled_erfc(x);
}

/* log of the share below x; where it is small, by way of the scaled function. */
static double log_share(double x)
{
    double t = x * M_SQRT1_2;

    return x < -1 ? log(dg_scaled_erfc(-t) / 2) - x * x / 2 : log1p(-erfc(t) / 2);
}

static double log_ndtr(double x, bool narrow)
{
    (void)narrow;
    return log_share(x);
}

/* The x below which a share p < 0.1 lies: steps of Newton's in the logarithm, which is
 * concave and nearly a parabola. */
static double lower_quantile(double p)
{
    double goal = log(p), x = -sqrt(-2 * goal);

    for (int step = 0; step < 8; step++) {
        double slope = sqrt(M_2_PI) / dg_scaled_erfc(-x * M_SQRT1_2);

        x -= (log_share(x) - goal) / slope;
    }
    return x;
}

static double ndtri(double p, bool narrow)
{
    (void)narrow;
    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    if (p < 0.1)
        return lower_quantile(p);
    return p > 0.9 ? -lower_quantile(1 - p) : M_SQRT2 * dg_inverse_erf(2 * p - 1);
}

static double entr(double x, bool narrow)
{
    (void)narrow;
    return x > 0 ? -x * log(x) : x == 0 ? 0 : isnan(x) ? x : -INFINITY;
}

DG_SPECIAL(erfcx, erfcx)
DG_SPECIAL(log_ndtr, log_ndtr)
DG_SPECIAL(ndtri, ndtri)
DG_SPECIAL(entr, entr)

/* torch makes it of other operators, each of which rounds. */
enum dg_status dg_cpu_ndtr(struct dg_call *call)
{
    struct dg_tensor *x = dg_tensor_keep(dg_need_tensor(call, 0));

    if (!x)
        return call->err->status;
    x = dg_apply(call, dg_cpu_mul, x, DG_REST(dg_real_arg(M_SQRT1_2)));
    x = dg_apply(call, dg_cpu_erf, x, 0, NULL);
    x = dg_apply(call, dg_cpu_add, x, DG_REST(dg_integer_arg(1), dg_integer_arg(1)));
    x = dg_apply(call, dg_cpu_mul, x, DG_REST(dg_real_arg(0.5)));
    return dg_give(call, 0, x) ? DG_OK : call->err->status;
}
