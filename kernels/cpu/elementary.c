/* e^x by halves of ln 2, erf and tanh in two intervals. Polynomials are the best ones
 * of their degree there: their error is below 2^-56 of the result. Terms of even and of
 * odd degree are summed side by side. */
#include "kernels/cpu/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/cpu/vectorize.h"

_Static_assert(FLT_EVAL_METHOD == 0, "sums of doubles are doubles, as ROUNDING asks");

enum { PIECE = 256 };

/* A sum with it has the other number, rounded, as its last bits. */
#define ROUNDING 0x1.8p52
#define LOG2_E 0x1.71547652b82fep+0
#define LN2 0x1.62e42feep-1 /* its first bits: times 2048 it is exact */
#define LN2_REST 0x1.a39ef35793c76p-33

DG_FOR_ANY uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* 2^k of a whole k in normal range. */
DG_FOR_ANY double power_of_two(double k)
{
    uint64_t bits = (bits_of(k + ROUNDING) << 52) + bits_of(1);
    double power;

    memcpy(&power, &bits, sizeof(power));
    return power;
}

/* (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, of r. */
static const double of_exp[] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,
    0x1.11111111100d9p-7,  0x1.6c16c16c162d3p-10, 0x1.a01a01abe9218p-13,
    0x1.a01a01a6d9304p-16, 0x1.71de022df9c4bp-19, 0x1.27e4db625b0f1p-22,
    0x1.af4df0fff4fb7p-26, 0x1.1f73079449cc2p-29};

/* erf(x) / x - 1 for |x| < 1, of x^2. */
static const double of_erf_below[] = {
    0x1.06eba8214db68p-3,   -0x1.812746b0379c1p-2,  0x1.ce2f21a040f66p-4,
    -0x1.b82ce31203772p-6,  0x1.565bccfa44156p-8,   -0x1.c02db0665e53dp-11,
    0x1.f9a2be4f731a1p-14,  -0x1.f4ca838adb73bp-17, 0x1.b981d78881a5dp-20,
    -0x1.5c131500d3f88p-23, 0x1.d76af6ca49787p-27,  -0x1.ac9585a44fe29p-31};

/* erfc(x) e^(x^2) for 1 <= x <= 6, of 14.4 / (x + 3) - 2.6: from -1 to 1. */
static const double of_erf_above[] = {
    0x1.a9f324d321d3dp-3,   0x1.3c21b61aee880p-3,   0x1.972131b56d92ap-5,
    0x1.a0959cca88cbap-7,   0x1.44f7ff1461298p-9,   0x1.5bb5fdf1e0dc2p-12,
    0x1.4838f527867b1p-16,  -0x1.458dc03c24eb0p-19, -0x1.297db6d0ea2cep-21,
    0x1.37fb2d5cea346p-28,  0x1.83c57374f3cc1p-27,  0x1.7c2046b5b15c1p-32,
    -0x1.6625a7c2b914bp-32, 0x1.bbd22d431cabcp-36};

/* (tanh(x) / x - 1) / x^2 for |x| <= 0.55, of x^2. */
static const double of_tanh_below[] = {
    -0x1.5555555555555p-2,  0x1.1111111111032p-3,  -0x1.ba1ba1b9feb3cp-5,
    0x1.664f48770be76p-6,   -0x1.226e32eebbb26p-7, 0x1.d6d338edc6017p-9,
    -0x1.7d97cb7a94b76p-10, 0x1.34c57de48a611p-11, -0x1.ec0e9550d42c9p-13,
    0x1.64f707d11ba4fp-14,  -0x1.59962093e21d0p-16};

DG_FOR_ANY double polynomial(const double *terms, int n, double x)
{
    double square = x * x, even = 0, odd = 0;

#pragma GCC unroll 8
    for (int i = (n - 1) / 2 * 2; i >= 0; i -= 2)
        even = even * square + terms[i];
#pragma GCC unroll 8
    for (int i = n / 2 * 2 - 1; i >= 0; i -= 2)
        odd = odd * square + terms[i];
    return even + odd * x;
}

#define POLYNOMIAL(terms, x) polynomial(terms, sizeof(terms) / sizeof(*(terms)), x)

/* e^x of -746 <= x <= 710: from 0 to infinity. */
DG_FOR_ANY double exp_within(double x)
{
    double k = x * LOG2_E + ROUNDING - ROUNDING;
    double r = x - k * LN2 - k * LN2_REST;
    double half = k * 0.5 + ROUNDING - ROUNDING;

    return (1 + (r + r * r * POLYNOMIAL(of_exp, r))) * power_of_two(half) *
           power_of_two(k - half);
}

/* Loops of their own: compilers follow a number that became 710 through all that comes
 * behind it, and find branches where vectors have none. NaN stays. */
DG_FOR_ANY void bring_within(double *to, const double *x, int64_t n, double least,
                             double most)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = x[i] > most ? most : x[i];
    for (int64_t i = 0; i < n; i++)
        to[i] = to[i] < least ? least : to[i];
}

DG_FOR_ANY void exp_line(double *x, int64_t n)
{
    bring_within(x, x, n, -746, 710);
    for (int64_t i = 0; i < n; i++)
        x[i] = exp_within(x[i]);
}

/* Sizes of x, from where the polynomials below end to where the function is 1. */
DG_FOR_ANY void sizes_within(double *far, const double *x, int64_t n, double least,
                             double most)
{
    for (int64_t i = 0; i < n; i++)
        far[i] = fabs(x[i]);
    bring_within(far, far, n, least, most);
}

/* `above`, with the sign of x, where x is farther than `least`. */
DG_FOR_ANY void choose(double *x, int64_t n, const double *far, double least,
                       const double *above, const double *below)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = far[i] > least ? copysign(above[i], x[i]) : below[i];
}

/* From 6 on erf is 1. */
DG_FOR_ANY void erf_piece(double *x, int64_t n)
{
    double below[PIECE], far[PIECE], above[PIECE];

    sizes_within(far, x, n, 1, 6);
    for (int64_t i = 0; i < n; i++)
        above[i] = exp_within(-far[i] * far[i]);
    for (int64_t i = 0; i < n; i++)
        above[i] = 1 - above[i] * POLYNOMIAL(of_erf_above, 14.4 / (far[i] + 3) - 2.6);
    for (int64_t i = 0; i < n; i++)
        below[i] = x[i] + x[i] * POLYNOMIAL(of_erf_below, x[i] * x[i]);
    choose(x, n, far, 1, above, below);
}

DG_FOR_ANY void erf_line(double *x, int64_t n)
{
    for (int64_t done = 0; done < n; done += PIECE)
        erf_piece(x + done, n - done < PIECE ? n - done : PIECE);
}

/* From 20 on tanh is 1. */
DG_FOR_ANY void tanh_piece(double *x, int64_t n)
{
    double below[PIECE], far[PIECE], above[PIECE];

    sizes_within(far, x, n, 0.55, 20);
    for (int64_t i = 0; i < n; i++)
        above[i] = 1 - 2 / (exp_within(2 * far[i]) + 1);
    for (int64_t i = 0; i < n; i++) {
        double square = x[i] * x[i];

        below[i] = x[i] * (1 + square * POLYNOMIAL(of_tanh_below, square));
    }
    choose(x, n, far, 0.55, above, below);
}

DG_FOR_ANY void tanh_line(double *x, int64_t n)
{
    for (int64_t done = 0; done < n; done += PIECE)
        tanh_piece(x + done, n - done < PIECE ? n - done : PIECE);
}

DG_FOR_ANY void sigmoid_line(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = -x[i];
    exp_line(x, n);
    for (int64_t i = 0; i < n; i++)
        x[i] = 1 / (1 + x[i]);
}

#define LINE(function, name, attributes)                                               \
    attributes static void function##_##name(double *x, int64_t n)                     \
    {                                                                                  \
        function##_line(x, n);                                                         \
    }

/* A function of whole lines, and the same in vectors of at most so many bytes. */
#ifdef DG_AVX2
#define FUNCTION(function)                                                             \
    LINE(function, narrow, )                                                           \
    LINE(function, avx2, DG_AVX2)                                                      \
    LINE(function, avx512, DG_AVX512)                                                  \
    LINES_OF(function)
#else
#define FUNCTION(function)                                                             \
    LINE(function, narrow, )                                                           \
    LINES_OF(function)
#endif
#define LINES_OF(function)                                                             \
    dg_line_function *dg_##function##_lines(size_t widest)                             \
    {                                                                                  \
        return DG_WIDEST_OF(function, widest);                                         \
    }                                                                                  \
                                                                                       \
    void dg_##function##_line(double *x, int64_t n)                                    \
    {                                                                                  \
        dg_##function##_lines(SIZE_MAX)(x, n);                                         \
    }

FUNCTION(exp)
FUNCTION(erf)
FUNCTION(tanh)
FUNCTION(sigmoid)
