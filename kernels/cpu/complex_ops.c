/* Operators of complex numbers that compute each element from one of each operand. */
#include <complex.h>
#include <math.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/promote.h"

#define X in[0][i]
#define Y in[1][i]
#define Z in[2][i]

#define OPERATOR(name, n_operands, ...)                                                \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return dg_complex_pointwise(                                                   \
            call, &(struct dg_complex_op){n_operands, name##_line, __VA_ARGS__});      \
    }
#define LINE(name, value)                                                              \
    static void name##_line(int64_t n, double complex *to, double complex *const *in,  \
                            const double complex *p)                                   \
    {                                                                                  \
        (void)p;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            to[i] = value;                                                             \
    }
#define FUNCTION(name, value) LINE(name, value) OPERATOR(name, 1, DG_COMPLEX_SAME)
#define BINARY(name, value) LINE(name, value) OPERATOR(name, 2, DG_COMPLEX_SAME)
#define TERNARY(name, value) LINE(name, value) OPERATOR(name, 3, DG_COMPLEX_SAME)
#define PART(name, value) LINE(name, value) OPERATOR(name, 1, DG_COMPLEX_PART)
#define QUESTION(name, value) LINE(name, value) OPERATOR(name, 1, DG_COMPLEX_TRUTH)
#define COMPARISON(name, value) LINE(name, value) OPERATOR(name, 2, DG_COMPLEX_TRUTH)

static inline double complex scaled(double complex x, double factor)
{
    return dg_complex_of(creal(x) * factor, cimag(x) * factor);
}

/* As torch does: plain products, so that infinities give NaN. */
static inline double complex times(double complex x, double complex y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);

    return dg_complex_of(a * c - b * d, a * d + b * c);
}

double complex dg_complex_times(double complex x, double complex y)
{
    return times(x, y);
}

/* By the larger part of the divisor (Smith), which does not overflow. */
static inline double complex divided(double complex x, double complex y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    double ratio, denominator;

    if (c == 0 && d == 0)
        return dg_complex_of(a / fabs(c), b / fabs(c));
    if (fabs(c) >= fabs(d)) {
        ratio = d / c;
        denominator = c + d * ratio;
        return dg_complex_of((a + b * ratio) / denominator,
                             (b - a * ratio) / denominator);
    }
    ratio = c / d;
    denominator = c * ratio + d;
    return dg_complex_of((a * ratio + b) / denominator, (b * ratio - a) / denominator);
}

static inline double complex power(double complex x, double complex y)
{
    if (y == 0)
        return 1;
    if (y == 1)
        return x;
    if (y == 2)
        return times(x, x);
    return cpow(x, y);
}

/* As far off as right code may be, which takes exp(y log x) of rounded logarithms and
 * products: by an ulp of y log x, relative to the absolute value. */
static inline double complex rounded_power(double complex x, double complex y,
                                           double ulp)
{
    double complex exact = power(x, y);
    double off = x == 0 ? 0 : cabs(times(y, clog(x))) * ulp;

    return isfinite(off) ? scaled(exact, 1 + off) : exact;
}

static inline double complex expm1_of(double complex z)
{
    double x = creal(z), y = cimag(z), half = sin(y / 2);

    return dg_complex_of(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}

static inline double complex log1p_of(double complex z)
{
    double x = creal(z), y = cimag(z);

    double size =
        hypot(x, y) < 0.5 ? log1p(x * (2 + x) + y * y) / 2 : log(hypot(1 + x, y));

    return dg_complex_of(size, atan2(y, 1 + x));
}

static inline double complex sign_of(double complex z)
{
    double size = cabs(z);

    return size == 0 ? 0 : scaled(z, 1 / size);
}

static inline double complex sinc_of(double complex z)
{
    double complex angle = scaled(z, M_PI);

    return z == 0 ? 1 : divided(csin(angle), angle);
}

double complex dg_complex_log_of_sum(double complex x, double complex y)
{
    bool turned = creal(x) > creal(y);
    double complex less = turned ? y : x, more = turned ? x : y;

    if (isnan(creal(x)) || isnan(cimag(x)) || isnan(creal(y)) || isnan(cimag(y)))
        return dg_complex_of(NAN, NAN);
    if (isinf(creal(less)) && creal(less) == creal(more))
        return creal(less) < 0 ? more : clog(cexp(less) + cexp(more));
    return more + log1p_of(cexp(less - more));
}

FUNCTION(acos, cacos(X))
FUNCTION(acosh, cacosh(X))
FUNCTION(asin, casin(X))
FUNCTION(asinh, casinh(X))
FUNCTION(atan, catan(X))
FUNCTION(atanh, catanh(X))
FUNCTION(cos, ccos(X))
FUNCTION(cosh, ccosh(X))
FUNCTION(exp, cexp(X))
FUNCTION(exp2, cexp(scaled(X, M_LN2)))
FUNCTION(expm1, expm1_of(X))
FUNCTION(log, clog(X))
FUNCTION(log10, scaled(clog(X), M_LOG10E))
FUNCTION(log1p, log1p_of(X))
FUNCTION(log2, scaled(clog(X), M_LOG2E))
FUNCTION(neg, dg_complex_of(-creal(X), -cimag(X)))
FUNCTION(reciprocal, divided(1, X))
FUNCTION(rsqrt, divided(1, csqrt(X)))
FUNCTION(sgn, sign_of(X))
FUNCTION(sigmoid, divided(1, 1 + cexp(-X)))
FUNCTION(silu, divided(X, 1 + cexp(-X)))
FUNCTION(sin, csin(X))
FUNCTION(sinc, sinc_of(X))
FUNCTION(sinh, csinh(X))
FUNCTION(sqrt, csqrt(X))
FUNCTION(square, times(X, X))
FUNCTION(tan, ctan(X))
FUNCTION(tanh, ctanh(X))

PART(abs, cabs(X))
PART(angle, carg(X))

QUESTION(isfinite, isfinite(creal(X)) && isfinite(cimag(X)))
QUESTION(isinf, isinf(creal(X)) || isinf(cimag(X)))
QUESTION(isnan, isnan(creal(X)) || isnan(cimag(X)))
QUESTION(logical_not, X == 0)

COMPARISON(eq, X == Y)
COMPARISON(ne, X != Y)
COMPARISON(logical_and, X != 0 && Y != 0)
COMPARISON(logical_or, X != 0 || Y != 0)
COMPARISON(logical_xor, (X != 0) != (Y != 0))

BINARY(mul, times(X, Y))
BINARY(div, divided(X, Y))
LINE(pow, power(X, Y))
LINE(pow_of_f32, rounded_power(X, Y, 0x1p-23))
LINE(pow_of_f64, rounded_power(X, Y, 0x1p-52))

enum dg_status dg_complex_pow(struct dg_call *call)
{
    bool is_f64 = dg_common_type(call->args, call->n_args) == DG_TYPE_C128;
    dg_complex_line *line = call->context->precision != DG_PRECISION_OWN_SUMS ? pow_line
                            : is_f64 ? pow_of_f64_line
                                     : pow_of_f32_line;

    return dg_complex_pointwise(call,
                                &(struct dg_complex_op){2, line, DG_COMPLEX_SAME});
}

BINARY(ldexp, times(X, cexp(scaled(Y, M_LN2))))
BINARY(logaddexp, dg_complex_log_of_sum(X, Y))
LINE(float_power, power(X, Y))
OPERATOR(float_power, 2, DG_COMPLEX_DOUBLE)

LINE(add, X + times(*p, Y))
OPERATOR(add, 2, DG_COMPLEX_SAME, .parameter = 2)
LINE(sub, X - times(*p, Y))
OPERATOR(sub, 2, DG_COMPLEX_SAME, .parameter = 2)
LINE(rsub, Y - times(*p, X))
OPERATOR(rsub, 2, DG_COMPLEX_SAME, .parameter = 2)
LINE(addcmul, X + times(*p, times(Y, Z)))
OPERATOR(addcmul, 3, DG_COMPLEX_SAME, .parameter = 3)
LINE(addcdiv, X + divided(times(*p, Y), Z))
OPERATOR(addcdiv, 3, DG_COMPLEX_SAME, .parameter = 3)

TERNARY(lerp, X + times(Z, Y - X))
LINE(where, creal(X) != 0 ? Y : Z)
OPERATOR(where, 3, DG_COMPLEX_SAME, .typed_by = 6)
LINE(masked_fill, creal(Y) != 0 ? Z : X)
OPERATOR(masked_fill, 3, DG_COMPLEX_SAME, .typed_by = 1)
