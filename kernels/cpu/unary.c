/* Functions of one element. */
#include <math.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/elementary.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/special.h"

/* Of floats; integers become f32. */
#define FUNCTION_BY(name)                                                              \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_pointwise(call, &(struct dg_pointwise){1, DG_FLOAT, name##_real});   \
    }
#define FUNCTION(name, value)                                                          \
    DG_LINE(double, name##_real, DG_X, value) FUNCTION_BY(name)

/* Of floats and of integers, keeping the type. */
#define ARITHMETIC(name, real_value, integer_value)                                    \
    DG_LINE(double, name##_real, DG_X, real_value)                                     \
    DG_LINE(int64_t, name##_integer, DG_X, integer_value)                              \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_pointwise(call, &(struct dg_pointwise){1, DG_PROMOTED, name##_real,  \
                                                         name##_integer});             \
    }

/* Questions: bool. */
#define QUESTION(name, real_value, integer_value)                                      \
    DG_LINE(double, name##_real, DG_X, real_value)                                     \
    DG_LINE(int64_t, name##_integer, DG_X, integer_value)                              \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_pointwise(                                                           \
            call, &(struct dg_pointwise){1, DG_TRUTH, name##_real, name##_integer});   \
    }

FUNCTION(acos, acos(x))
FUNCTION(acosh, acosh(x))
FUNCTION(angle, isnan(x) ? x : x < 0 ? M_PI : 0)
FUNCTION(asin, asin(x))
FUNCTION(asinh, asinh(x))
FUNCTION(atan, atan(x))
FUNCTION(atanh, atanh(x))
FUNCTION(cos, cos(x))
FUNCTION(cosh, cosh(x))
FUNCTION(erf, erf(x))
FUNCTION(erfc, erfc(x))
FUNCTION(exp2, exp2(x))
FUNCTION(expm1, expm1(x))
FUNCTION(log, log(x))
FUNCTION(log10, log10(x))
FUNCTION(log1p, log1p(x))
FUNCTION(log2, log2(x))
FUNCTION(reciprocal, 1 / x)
FUNCTION(rsqrt, 1 / sqrt(x))
FUNCTION(sin, sin(x))
FUNCTION(sinh, sinh(x))
FUNCTION(sqrt, sqrt(x))
FUNCTION(tan, tan(x))

DG_LINE_THROUGH(exp_real, dg_exp_line, x, y)
DG_LINE_THROUGH(sigmoid_real, dg_sigmoid_line, x, y)
DG_LINE_THROUGH(tanh_real, dg_tanh_line, x, y)
FUNCTION_BY(exp)
FUNCTION_BY(sigmoid)
FUNCTION_BY(tanh)

ARITHMETIC(abs, fabs(x), x < 0 ? dg_wrap_sub(0, x) : x)
ARITHMETIC(ceil, ceil(x), x)
ARITHMETIC(floor, floor(x), x)
ARITHMETIC(neg, -x, dg_wrap_sub(0, x))
ARITHMETIC(relu, x < 0 ? 0 : x, x < 0 ? 0 : x)
ARITHMETIC(sign, (x > 0) - (x < 0), (x > 0) - (x < 0))
ARITHMETIC(trunc, trunc(x), x)

QUESTION(isfinite, isfinite(x) != 0, 1 | x)
QUESTION(isinf, isinf(x) != 0, 0 & x)
QUESTION(isnan, isnan(x) != 0, 0 & x)
QUESTION(isneginf, x == -INFINITY, 0 & x)
QUESTION(isposinf, x == INFINITY, 0 & x)
QUESTION(logical_not, x == 0, x == 0)
QUESTION(signbit, signbit(x) != 0, x < 0)

/* pi x for integers x is where rounding shows: torch's is that of its type. */
DG_LINE(double, sinc_f64, DG_X, x == 0 ? 1 : sin(M_PI * x) / (M_PI * x))
DG_LINE(double, sinc_f32, DG_X,
        x == 0 ? 1 : sin((float)((float)M_PI * x)) / (float)((float)M_PI * x))

enum dg_status dg_cpu_sinc(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    enum dg_type type = self ? self->type : DG_TYPE_F32;
    bool wide = type == DG_TYPE_F64 || call->context->precision == DG_PRECISION_WIDE;

    return dg_pointwise(
        call, &(struct dg_pointwise){1, DG_FLOAT, wide ? sinc_f64 : sinc_f32});
}

/* A power with the number 2, which makes i64 of bools. */
DG_LINE(double, square_real, DG_X, x *x)
DG_LINE(int64_t, square_integer, DG_X, dg_wrap_mul(x, x))

enum dg_status dg_cpu_square(struct dg_call *call)
{
    struct dg_arg operands[2] = {{0}, {DG_ARG_INT, .as.integer = 2}};

    dg_pointwise_operands(call, 1, operands);
    return dg_pointwise_of(
        call, &(struct dg_pointwise){2, DG_PROMOTED, square_real, square_integer},
        operands, &(struct dg_parameters){0});
}

DG_LINE(double, frac_real, DG_X, x - trunc(x))

enum dg_status dg_cpu_frac(struct dg_call *call)
{
    return dg_pointwise(call, &(struct dg_pointwise){1, DG_PROMOTED, frac_real});
}

/* The inverse of erf: Giles' approximation, made exact by steps of Newton's. */
static double central_erfinv(double x)
{
    static const double terms[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                   -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                   -0.00417768164,  0.246640727,    1.50140941};
    double w = -log1p(-x * x) - 2.5, y = 0;

    for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
        y = y * w + terms[i];
    return y * x;
}

static double tail_erfinv(double x)
{
    static const double terms[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                   -0.00367342844,  0.00573950773,  -0.0076224613,
                                   0.00943887047,   1.00167406,     2.83297682};
    double w = sqrt(-log1p(-x * x)) - 3, y = 0;

    for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
        y = y * w + terms[i];
    return y * x;
}

double dg_inverse_erf(double x)
{
    double size = fabs(x), y;

    if (!(size < 1))
        return size == 1 ? x * INFINITY : NAN;
    y = -log1p(-x * x) < 5 ? central_erfinv(size) : tail_erfinv(size);
    for (int step = 0; step < 3; step++) {
        /* 1 - size is exact where erf(y) would have rounded to 1. */
        double error = size < 0.5 ? erf(y) - size : (1 - size) - erfc(y);

        y -= error * (sqrt(M_PI) / 2) * exp(y * y);
    }
    return copysign(y, x);
}

FUNCTION(erfinv, dg_inverse_erf(x))

/* lgamma() writes the sign to memory that threads share. */
double dg_log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

FUNCTION(lgamma, dg_log_gamma(x))

/* Recurrence up to where the asymptotic series holds. */
double dg_digamma(double x)
{
    double result = 0, square;

    if (x == 0)
        return copysign(INFINITY, -x);
    if (x < 0)
        return x == floor(x) ? NAN
                             : dg_digamma(1 - x) - M_PI / tan(M_PI * (x - trunc(x)));
    for (; x < 12; x++)
        result -= 1 / x;
    square = 1 / (x * x);
    return result + log(x) - 0.5 / x -
           square *
               (1.0 / 12 -
                square * (1.0 / 120 -
                          square * (1.0 / 252 - square * (1.0 / 240 - square / 132))));
}

FUNCTION(digamma, dg_digamma(x))

/* 10^decimals, and whether it divides; multiplication rounds as in torch's type. */
DG_LINE(double, round_real, DG_X, rint(x))
DG_LINE(double, round_places_real, DG_X, rint(x *p[0]) / p[0])
DG_LINE(double, round_places_f32, DG_X, rint((float)(x *p[0])) / p[0])
DG_LINE(double, round_tens_real, DG_X, rint(x / p[0]) * p[0])
DG_LINE(double, round_tens_f32, DG_X, rint((float)(x / p[0])) * p[0])
DG_LINE(int64_t, round_integer, DG_X, x)

enum dg_status dg_cpu_round(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (call->quantizes && self && dg_type_is_float(self->type))
        return dg_finish(
            call, dg_round_to_codes(call, dg_apply(call, dg_cpu_clone,
                                                   dg_tensor_keep(self), 0, NULL)));
    return dg_pointwise(
        call, &(struct dg_pointwise){1, DG_PROMOTED, round_real, round_integer});
}

enum dg_status dg_cpu_round_decimals(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t decimals = dg_arg_int(call, 1, 0);
    bool narrow = self && self->type != DG_TYPE_F64;
    dg_real_line *line = decimals == 0  ? round_real
                         : decimals > 0 ? narrow ? round_places_f32 : round_places_real
                         : narrow       ? round_tens_f32
                                        : round_tens_real;
    struct dg_parameters parameters = {{pow(10, fabs((double)decimals))}};
    struct dg_arg operand;

    dg_pointwise_operands(call, 1, &operand);
    return dg_pointwise_of(call,
                           &(struct dg_pointwise){1, DG_PROMOTED, line, round_integer},
                           &operand, &parameters);
}
