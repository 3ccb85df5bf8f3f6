/* Hurwitz' zeta function, and the derivatives of digamma. */
#include <math.h>

#include "kernels/cpu/promote.h"
#include "kernels/cpu/special.h"

enum { HEAD = 10 }; /* terms before the rest is an integral */

/* The sum of (q + k)^-s for q > 0 by Euler and Maclaurin: the first terms, then the
 * integral of the others and its corrections by Bernoulli's numbers. */
static double positive_zeta(double s, double q)
{
    static const double bernoulli[] = {
        1.0 / 6,       -1.0 / 30,       1.0 / 42,       -1.0 / 30,
        5.0 / 66,      -691.0 / 2730,   7.0 / 6,        -3617.0 / 510,
        43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};
    double sum = 0, power = 0, factor;

    for (int k = 0; k < HEAD || q < HEAD; k++, q++) {
        power = pow(q, -s);
        sum += power;
        if (isinf(sum) || power < sum * 1e-18)
            return sum;
    }
    power = pow(q, -s);
    if (power == 0)
        return sum;
    sum += power * (q / (s - 1) + 0.5);
    factor = power * s / q;
    for (int j = 0; j < 12; j++) {
        double k = 2 * j + 2, term = bernoulli[j] * (factor /= k);

        sum += term;
        if (fabs(term) < sum * 1e-18)
            break;
        factor *= (s + k - 1) * (s + k) / ((k + 1) * q * q);
    }
    return sum;
}

/* For q < 0, and integers s: terms at both sides of 0. */
static double negative_zeta(double s, double q)
{
    double beyond = -q - floor(-q), sign = fmod(s, 2) == 0 ? 1 : -1;
    double far = positive_zeta(s, 1 - q);
    double left = positive_zeta(s, beyond);

    return (isinf(left) ? left : left - far) * sign + positive_zeta(s, 1 - beyond);
}

double dg_zeta(double s, double q)
{
    if (s == 1)
        return INFINITY;
    if (s < 1)
        return NAN;
    if (q <= 0) {
        if (q == floor(q))
            return INFINITY;
        return s == floor(s) ? negative_zeta(s, q) : NAN;
    }
    /* torch multiplies infinities by zeros there. */
    if (isnan(s) || !(q < INFINITY) || (pow(q, -s) == 0 && isinf(pow(s, 23))))
        return NAN;
    return positive_zeta(s, q);
}

static double zeta(double s, double q, bool narrow)
{
    (void)narrow;
    return dg_zeta(s, q);
}

DG_SPECIAL_XY(zeta, zeta)

/* The derivative of digamma. torch's series has three terms behind the sixth step: in
 * f64 that shows, as does the rounding of pi x near integers. */
static double trigamma(double x, bool narrow)
{
    double reflected = 0, sum = 0, square;

    if (x < 0.5) {
        double sine = dg_in(narrow, sin(dg_in(narrow, dg_in(narrow, M_PI) * x)));

        reflected = M_PI * M_PI / (sine * sine);
        x = dg_in(narrow, 1 - x);
        return reflected - trigamma(x, narrow);
    }
    for (int k = 0; k < 6; k++, x++)
        sum += 1 / (x * x);
    square = 1 / (x * x);
    return sum +
           (1 + 0.5 / x + square * (1.0 / 6 - square * (1.0 / 30 - square / 42))) / x;
}

/* For q < 0, and integers s, term by term in f32: those at both sides of 0 cancel. Of
 * 16 bits that are no integer q is above -1024. */
static double cancelled_zeta(double s, double q)
{
    float sum = 0;

    for (; q < HEAD; q++)
        sum += (float)pow(q, -s);
    return sum + (float)positive_zeta(s, q);
}

/* Of order n > 1: n! zeta(n + 1, x) with a sign. torch rounds both factors, and of 16
 * bits sums in f32. */
static double higher(enum dg_type type, double x, int n)
{
    enum dg_type work = dg_operation_type(type);
    double factorial = dg_in_type(work, exp(dg_in_type(work, lgamma(n + 1.0))));
    double s = n + 1.0;
    double zeta =
        x < 0 && x != floor(x) && work != type ? cancelled_zeta(s, x) : dg_zeta(s, x);

    return (n % 2 ? 1 : -1) * factorial * dg_in_type(type, zeta);
}

static double polygamma(enum dg_type type, double x, double order)
{
    return order == 0   ? dg_digamma(x)
           : order == 1 ? trigamma(x, type != DG_TYPE_F64)
                        : higher(type, x, (int)fmin(order, 1e6));
}

DG_LINE(double, polygamma_f64, DG_X, polygamma(DG_TYPE_F64, x, p[0]))
DG_LINE(double, polygamma_f32, DG_X, polygamma(DG_TYPE_F32, x, p[0]))
DG_LINE(double, polygamma_f16, DG_X, polygamma(DG_TYPE_F16, x, p[0]))
DG_LINE(double, polygamma_bf16, DG_X, polygamma(DG_TYPE_BF16, x, p[0]))

enum dg_status dg_cpu_polygamma(struct dg_call *call)
{
    enum dg_type type = dg_kept_type(call->context, dg_common_type(call->args + 1, 1));
    struct dg_parameters order = {{dg_arg_real(call, 0, 0)}};
    struct dg_pointwise op = {1, DG_FLOAT,
                              type == DG_TYPE_F64    ? polygamma_f64
                              : type == DG_TYPE_F16  ? polygamma_f16
                              : type == DG_TYPE_BF16 ? polygamma_bf16
                                                     : polygamma_f32};

    if (order.real[0] < 0)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "the order is %g: it must not be below 0", order.real[0]);
    return dg_pointwise_of(call, &op, call->args + 1, &order);
}
