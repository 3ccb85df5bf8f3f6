/* Modified Bessel functions. */
#include <math.h>

#include "kernels/cpu/special.h"

#define EULER 0.57721566490153286061

/* e^-x I(x) of order 0 or 1 for large x: the error of the asymptotic series is e^-2x.
 */
static double far_i(int order, double x)
{
    double term = 1, sum = 1, last = INFINITY;

    for (int k = 1; fabs(term) > 1e-18 && fabs(term) < last; k++) {
        last = fabs(term);
        term *= -(4.0 * order - (2.0 * k - 1) * (2 * k - 1)) / (8 * k * x);
        sum += term;
    }
    return sum / sqrt(2 * M_PI * x);
}

/* The power series: its terms are of one sign. */
static double near_i(int order, double x)
{
    double square = x * x / 4, term = order ? x / 2 : 1, sum = term;

    for (int k = 1; term > sum * 1e-18; k++) {
        term *= square / (k * (double)(k + order));
        sum += term;
    }
    return sum;
}

static double scaled_i(int order, double x)
{
    double size = fabs(x);
    double value = size > 20 ? far_i(order, size) : near_i(order, size) * exp(-size);

    if (isnan(x) || isinf(x))
        return isnan(x) ? x : order ? copysign(0, x) : 0;
    return order && x < 0 ? -value : value;
}

/* torch has e^x in its type, which overflows before I does. */
static double whole_i(int order, double x, bool narrow)
{
    double size = fabs(x), value;

    if (!isfinite(x))
        return NAN;
    if (isinf(dg_in(narrow, exp(size))))
        return order ? copysign(INFINITY, x) : INFINITY;
    value = size > 20 ? far_i(order, size) * exp(size) : near_i(order, size);
    return order && x < 0 ? -value : value;
}

static double scaled_i0(double x, bool narrow)
{
    (void)narrow;
    return scaled_i(0, x);
}

static double scaled_i1(double x, bool narrow)
{
    (void)narrow;
    return scaled_i(1, x);
}

double dg_bessel_i0(double x, bool narrow)
{
    return whole_i(0, x, narrow);
}

static double whole_i1(double x, bool narrow)
{
    return whole_i(1, x, narrow);
}

DG_SPECIAL(i0e, scaled_i0)
DG_SPECIAL(i1e, scaled_i1)
DG_SPECIAL(i0, dg_bessel_i0)
DG_SPECIAL(i1, whole_i1)

/* The integral of exp(-x (cosh t - 1)) cosh(order t) over t > 0. Trapezoids are as
 * exact as f64 there: their error shrinks like exp(-pi^2 / step). */
double dg_scaled_k(double order, double x)
{
    double step = fmin(0.2, 0.5 / sqrt(x)), sum = 0.5, term = 1;

    for (int i = 1; term > sum * 1e-18; i++) {
        double half = sinh(i * step / 2);

        term = exp(-2 * x * half * half) * cosh(order * i * step);
        sum += term;
    }
    return step * sum;
}

/* The series at 0 of K of order 0 or 1. */
static double near_k(int order, double x)
{
    double square = x * x / 4, factor = order ? x / 2 : 1, sum = 0;
    double psi = order ? 1 - 2 * EULER : -EULER; /* of k + 1, and of k + 2 with it */

    for (int k = 0; k < 20; k++) {
        sum += factor * (order ? psi / 2 : psi);
        factor *= square / ((k + 1) * (double)(k + 1 + order));
        psi += 1.0 / (k + 1) + (order ? 1.0 / (k + 2) : 0);
    }
    return order ? 1 / x + (log(x) - M_LN2) * near_i(1, x) - sum
                 : sum - (log(x) - M_LN2) * near_i(0, x);
}

static double k_of(int order, double x, bool scaled)
{
    if (!(x > 0) || isinf(x))
        return x == 0 ? INFINITY : x > 0 ? 0 : NAN;
    if (x <= 1)
        return near_k(order, x) * (scaled ? exp(x) : 1);
    return dg_scaled_k(order, x) * (scaled ? 1 : exp(-x));
}

static double whole_k0(double x, bool narrow)
{
    (void)narrow;
    return k_of(0, x, false);
}

static double whole_k1(double x, bool narrow)
{
    (void)narrow;
    return k_of(1, x, false);
}

static double scaled_k0(double x, bool narrow)
{
    (void)narrow;
    return k_of(0, x, true);
}

static double scaled_k1(double x, bool narrow)
{
    (void)narrow;
    return k_of(1, x, true);
}

DG_SPECIAL(modified_bessel_k0, whole_k0)
DG_SPECIAL(modified_bessel_k1, whole_k1)
DG_SPECIAL(scaled_modified_bessel_k0, scaled_k0)
DG_SPECIAL(scaled_modified_bessel_k1, scaled_k1)
