/* What each kind of node makes of lines of elements. The corners are those of the
 * runtime on x86 with AVX512: doc/delegates.md has what was measured. */
#include <float.h>
#include <math.h>

#include "kernels/xnnpack/lines.h"

#include "kernels/cpu/vectorize.h"

/* Where the bounds are the wrong way round, the upper one holds. */
static inline double clamped(double value, const double *p)
{
    double above = value < p[DG_XNN_LEAST] ? p[DG_XNN_LEAST] : value;

    return above > p[DG_XNN_MOST] ? p[DG_XNN_MOST] : above;
}

static inline double bounded(double value, const double *p)
{
    double of_nan = p[DG_XNN_OF_NAN], of_number = clamped(value, p);

    return value == value ? of_number : of_nan;
}

/* The runtime has its threads take subnormals of f32 for zeros, and make none; what
 * rounds to the least normal number is none. Where results are as small as what they
 * are made of it is enough to look at those: of products, too, though infinity times a
 * subnormal is NaN there. */
static inline double flushed(double value)
{
    return fabs(value) < FLT_MIN - 0x1p-151 ? copysign(0, value) : value;
}

static inline double gelu(double x)
{
    return x / 2 * (1 + erf(x * M_SQRT1_2));
}

static inline double hardswish(double x)
{
    double gate = x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3;

    return x * gate / 6;
}

/* Roots of f32 are a step of Newton's from an estimate of 1 / sqrt(x), whose square is
 * subnormal for large x: then nothing is subtracted from the 1.5 of that step. */
static inline double newton(double x)
{
    return x > 1 / (double)FLT_MIN ? 1.5 : 1;
}

static inline double rsqrt_of_f32(double x)
{
    return x > 0 ? newton(x) / sqrt(x) : NAN;
}

static inline double sqrt_of_f32(double x)
{
    return x < INFINITY ? newton(x) * sqrt(x) : NAN;
}

static inline double sqrt_of_f16(double x)
{
    double root = x > 0 || !signbit(x) ? sqrt(x) : x < 0 ? -0.0 : NAN;

    return fabs(x) < INFINITY ? root : NAN;
}

/* Exponents are rounded to whole powers of 2, of which f32 has none above 127. */
static inline double exp_of_f32(double x)
{
    double power = x >= 127.5 * M_LN2 ? INFINITY : exp(x);

    return x == x ? power : 0;
}

static inline double log_of_f32(double x)
{
    return x >= 0x1p127 * M_SQRT2 ? INFINITY : log(x);
}

/* Arguments are clamped, which loses NaN. */
static inline double exp_of_f16(double x)
{
    return x > -15 * M_LN2 ? exp(x) : 0x1p-15;
}

static inline double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* As f16 has no normal numbers below, it is 0 there. */
static inline double sigmoid_of_f16(double x)
{
    double value = sigmoid(x);

    return value < 0x1p-14 ? 0 : value;
}

/* Exponent and mantissa are taken apart, infinity for a number; of NaN: dg_xnn_unary().
 */
static inline double log_of_f16(double x)
{
    return x < INFINITY ? log(x) : 88.375;
}

/* The second where one of them is NaN, or both are zeros of any sign. */
static inline double lower(double x, double y)
{
    return x < y ? x : y;
}

static inline double higher(double x, double y)
{
    return x > y ? x : y;
}

/* A clamp whose other bound is infinite, and which is left out where both are. */
static inline double at_most(double x, double bound)
{
    return bound == INFINITY ? x : lower(higher(x, -INFINITY), bound);
}

static inline double at_least(double x, double bound)
{
    return bound == -INFINITY ? x : lower(higher(x, bound), INFINITY);
}

#define LINE(name, operands, value)                                                    \
    DG_LINE(double, name##_line, operands, bounded(value, p))
#define LINE_F32(name, operands, value)                                                \
    DG_LINE(double, name##_f32, operands, clamped(flushed(value), p))
#define LINES(name, operands, value)                                                   \
    LINE(name, operands, value)                                                        \
    LINE_F32(name, operands, value)

LINE(abs, DG_X, fabs(x)) /* of bits: nothing is flushed */
LINE(ceil, DG_X, ceil(x))
LINE_F32(ceil, DG_X, ceil(flushed(x)))
LINES(clamp, DG_X, x)
LINES(cos, DG_X, cos(x))
LINES(elu, DG_X, x > 0 ? x : p[DG_XNN_REAL] * expm1(x))
LINE(exp, DG_X, exp(x))
LINE_F32(exp, DG_X, exp_of_f32(x))
DG_LINE(double, exp_f16, DG_X, exp_of_f16(x))
LINE(floor, DG_X, floor(x))
LINE_F32(floor, DG_X, floor(flushed(x)))
LINES(gelu, DG_X, gelu(x))
LINES(hardswish, DG_X, hardswish(x))
LINE(log, DG_X, log(x))
LINE_F32(log, DG_X, log_of_f32(flushed(x)))
DG_LINE(double, log_f16, DG_X, log_of_f16(x))
LINES(negate, DG_X, 0 - x)
LINE(rsqrt, DG_X, 1 / sqrt(x))
LINE_F32(rsqrt, DG_X, rsqrt_of_f32(flushed(x)))
LINES(sigmoid, DG_X, sigmoid(x))
DG_LINE(double, sigmoid_f16, DG_X, sigmoid_of_f16(x))
LINES(sin, DG_X, sin(x))
LINES(square, DG_X, x *x)
LINE(sqrt, DG_X, sqrt(x))
LINE_F32(sqrt, DG_X, sqrt_of_f32(flushed(x)))
DG_LINE(double, sqrt_f16, DG_X, sqrt_of_f16(x))
LINES(tanh, DG_X, tanh(x))
LINES(add, DG_XY, x + y)
LINES(subtract, DG_XY, x - y)
LINES(multiply, DG_XY, x *y)
LINE(div, DG_XY, x / y)
LINE_F32(div, DG_XY, flushed(x) / flushed(y))
LINES(minimum, DG_XY, lower(x, y))
LINES(maximum, DG_XY, higher(x, y))
LINE(leaky, DG_X, x >= 0 ? x : x * p[DG_XNN_REAL])
LINE(prelu, DG_XY, x < 0 ? x * y : x)
/* What is not multiplied stays as it is. */
DG_LINE(double, leaky_f32, DG_X, flushed(x) < 0 ? flushed(x * p[DG_XNN_REAL]) : x)
DG_LINE(double, prelu_f32, DG_XY, flushed(x) < 0 ? flushed(x * y) : x)
DG_LINE(double, at_most_f32, DG_XY, flushed(y < x ? y : x))
DG_LINE(double, at_least_f32, DG_XY, flushed(y > x ? y : x))
DG_LINE(double, at_most_f16, DG_XY, at_most(x, y))
DG_LINE(double, at_least_f16, DG_XY, at_least(x, y))

static const struct dg_xnn_lines lines[] = {
    {"Abs", abs_line, abs_line, abs_line},
    {"Ceiling", ceil_line, ceil_f32, ceil_line},
    {"Clamp", clamp_line, clamp_f32, clamp_line},
    {"Cos", cos_line, cos_f32, cos_line},
    {"ELU", elu_line, elu_f32, elu_line},
    {"Exp", exp_line, exp_f32, exp_f16},
    {"Floor", floor_line, floor_f32, floor_line},
    {"Gelu", gelu_line, gelu_f32, gelu_line},
    {"Hardswish", hardswish_line, hardswish_f32, hardswish_line},
    {"LeakyReLU", leaky_line, leaky_f32, leaky_line},
    {"Log", log_line, log_f32, log_f16},
    {"Negate", negate_line, negate_f32, negate_line},
    {"ReciprocalSquareRoot", rsqrt_line, rsqrt_f32, rsqrt_line},
    {"Sigmoid", sigmoid_line, sigmoid_f32, sigmoid_f16},
    {"Sin", sin_line, sin_f32, sin_line},
    {"Square", square_line, square_f32, square_line},
    {"SquareRoot", sqrt_line, sqrt_f32, sqrt_f16},
    {"Tanh", tanh_line, tanh_f32, tanh_line},
    {"Add", add_line, add_f32, add_line},
    {"Subtract", subtract_line, subtract_f32, subtract_line},
    {"Multiply", multiply_line, multiply_f32, multiply_line},
    {"Div", div_line, div_f32, div_line},
    {"Minimum", minimum_line, minimum_f32, minimum_line},
    {"Maximum", maximum_line, maximum_f32, maximum_line},
    {"PReLU", prelu_line, prelu_f32, prelu_line},
};

const struct dg_xnn_lines *dg_xnn_lines_of(struct dg_text kind)
{
    size_t i = 0;

    while (!dg_text_is(kind, lines[i].kind))
        i++;
    return &lines[i];
}

dg_real_line *dg_xnn_line_by_number(struct dg_text kind, bool halves)
{
    if (dg_text_is(kind, "Minimum"))
        return halves ? at_most_f16 : at_most_f32;
    if (dg_text_is(kind, "Maximum"))
        return halves ? at_least_f16 : at_least_f32;
    return NULL;
}
