/* The incomplete gamma functions, and the gamma function of several variables. */
#include <math.h>

#include "kernels/cpu/promote.h"
#include "kernels/cpu/special.h"

#define LARGE 50.0 /* from there on the integral takes fewer steps than the series */

/* u - log(1 + u), without the difference of what is nearly the same. */
static double log_rest(double u)
{
    double y = u / (2 + u), square = y * y, sum = 0, power = 1;

    if (fabs(u) > 0.5)
        return u - log1p(u);
    for (int k = 3; power > 1e-18; k += 2, power *= square)
        sum += power / k;
    return u * y - 2 * y * square * sum;
}

/* log of gamma(a) over its leading part sqrt(2 pi / a) (a / e)^a, for a > 10. */
static double stirling_rest(double a)
{
    static const double terms[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                   1.0 / 1188, -691.0 / 360360, 1.0 / 156};
    double sum = 0, power = 1 / a;

    for (int k = 0; k < 7; k++, power /= a * a)
        sum += terms[k] * power;
    return sum;
}

/* x^a e^-x / gamma(a); `u` is x / a - 1. */
static double weight(double a, double x, double u)
{
    if (a > 10)
        return sqrt(a / (2 * M_PI)) * exp(-a * log_rest(u) - stirling_rest(a));
    return exp(a * log(x) - x - lgamma(a));
}

/* The lower part by its power series, for x up to a + 1. */
static double lower_series(double a, double x)
{
    double term = 1 / a, sum = term;

    for (int k = 1; term > sum * 1e-17; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum * weight(a, x, (x - a) / a);
}

/* The upper part by its continued fraction (Lentz), for x beyond that. */
static double upper_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / b, value = d, factor = 0;

    for (int k = 1; k < 1000 && fabs(factor - 1) > 1e-16; k++) {
        double numerator = k * (a - k);

        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        factor = c * d;
        value *= factor;
    }
    return value * weight(a, x, (x - a) / a);
}

/* For large a: the integral of the density from x on, away from its peak, where it only
 * falls. Steps of exp(pi/2 sinh(t)) see both ends. */
static double tail(double a, double x, bool upper)
{
    double slope = fabs((a - 1) / x - 1), sum = 0, step = 1.0 / 32;
    double scale = fmin(sqrt(a), 1 / slope);

    for (int i = -140; i < 80; i++) {
        double t = i * step, y = exp(M_PI_2 * sinh(t)) * scale;
        double at = upper ? x + y : x - y;

        if (at > 0)
            sum += weight(a, at, ((x - a) + (upper ? y : -y)) / a) / at * y * M_PI_2 *
                   cosh(t);
    }
    return sum * step;
}

/* log(gamma(1 + a)) for small a, exact near 0. */
static double log_gamma_beside_1(double a)
{
    double sum = 0, power = a * a;

    if (a > 0.3)
        return lgamma(1 + a);
    for (int k = 2; k < 34; k++, power *= -a)
        sum += power * dg_zeta(k, 1) / k;
    return sum - 0.57721566490153286061 * a;
}

/* The upper part for small x: what lacks to 1 comes of two small things. */
static double upper_series(double a, double x)
{
    double logarithm = a * log(x) - log_gamma_beside_1(a), term = 1, sum = 0;

    for (int k = 1; k < 40; k++) {
        term *= -x / k;
        sum += term / (a + k);
    }
    return -expm1(logarithm) - a * exp(logarithm) * sum;
}

/* The share of the gamma distribution's density below x, or above. */
static double share(double a, double x, bool upper)
{
    double value;

    if (a >= LARGE) {
        bool beyond = x > a;

        value = tail(a, x, beyond);
        return beyond == upper ? value : 1 - value;
    }
    if (x <= 1.1 && a < 1)
        return upper ? upper_series(a, x) : lower_series(a, x);
    if (x > a && x > 1.1) {
        value = upper_fraction(a, x);
        return upper ? value : 1 - value;
    }
    value = lower_series(a, x);
    return upper ? 1 - value : value;
}

static double incomplete(double a, double x, bool upper)
{
    if (a < 0 || x < 0)
        return NAN;
    if (a == 0)
        return x > 0 ? !upper : NAN;
    if (x == 0)
        return upper;
    if (isinf(a))
        return isinf(x) ? NAN : upper;
    if (isinf(x))
        return !upper;
    return isnan(a) || isnan(x) ? NAN : share(a, x, upper);
}

static double lower_part(double a, double x, bool narrow)
{
    (void)narrow;
    return incomplete(a, x, false);
}

static double upper_part(double a, double x, bool narrow)
{
    (void)narrow;
    return incomplete(a, x, true);
}

DG_SPECIAL_XY(igamma, lower_part)
DG_SPECIAL_XY(igammac, upper_part)

/* torch adds up log(gamma) of `n` numbers, half of 1 apart, in a tensor of the type. */
static double several(enum dg_type type, double x, int n)
{
    double sum = 0;

    for (int k = 1 - n; k <= 0; k++)
        sum += dg_in_type(type, dg_log_gamma(dg_in_type(type, x + k / 2.0)));
    return dg_in_type(type, sum) + n * (n - 1) / 4.0 * log(M_PI);
}

DG_LINE(double, several_f64, DG_X, several(DG_TYPE_F64, x, (int)p[0]))
DG_LINE(double, several_f32, DG_X, several(DG_TYPE_F32, x, (int)p[0]))
DG_LINE(double, several_f16, DG_X, several(DG_TYPE_F16, x, (int)p[0]))
DG_LINE(double, several_bf16, DG_X, several(DG_TYPE_BF16, x, (int)p[0]))

enum dg_status dg_cpu_mvlgamma(struct dg_call *call)
{
    struct dg_pointwise op = {1, DG_FLOAT, several_f32};
    int64_t n = dg_arg_int(call, 1, 1);
    struct dg_arg operand;
    enum dg_type type;

    dg_pointwise_operands(call, 1, &operand);
    type = dg_kept_type(call->context, dg_common_type(&operand, 1));
    if (n < 1 || n > 1000)
        return dg_call_fail(call, n < 1 ? DG_ERR_FORMAT : DG_ERR_DEVICE,
                            "%lld variables: from 1 to 1000 are possible",
                            (long long)n);
    if (type == DG_TYPE_F64)
        op.real = several_f64;
    if (type == DG_TYPE_F16 || type == DG_TYPE_BF16)
        op.real = type == DG_TYPE_F16 ? several_f16 : several_bf16;
    return dg_pointwise_of(call, &op, &operand, &(struct dg_parameters){{(double)n}});
}
