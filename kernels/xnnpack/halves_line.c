/* Lines of sums of F16, each rounded to it behind each product: in f64, whose bits are
 * rounded as such, since no vector of most processors goes from f64 to f16. */
#include <stdint.h>

#include "kernels/cpu/vectorize.h"
#include "kernels/xnnpack/halves.h"

#define SIGN INT64_MIN
#define INFINITE 0x7ff0000000000000
enum { CUT = 52 - 10 }; /* bits that f64 has and f16 has not */
#define KEPT (-((int64_t)1 << CUT))

/* Beyond `FINITE` all is infinite; below `NORMAL` f16 has a grid of `GRID`, and what is
 * added to 1.5 * 2^52 * GRID is rounded to it. */
#define FINITE 0x1p16
#define NORMAL 0x1p-14
#define GRID 0x1p-24
#define TO_GRID (0x1.8p52 * GRID)

#define LINE(name, bytes, attributes)                                                  \
    typedef double reals_##name                                                        \
        __attribute__((vector_size(bytes), aligned(8), may_alias));                    \
    typedef int64_t bits_##name __attribute__((vector_size(bytes)));                   \
    typedef uint64_t words_##name __attribute__((vector_size(bytes)));                 \
                                                                                       \
    attributes static inline __attribute__((always_inline))                            \
    bits_##name choose_##name(bits_##name which, bits_##name a, bits_##name b)         \
    {                                                                                  \
        return (which & a) | (~which & b);                                             \
    }                                                                                  \
                                                                                       \
    attributes static inline __attribute__((always_inline))                            \
    reals_##name rounded_##name(reals_##name value)                                    \
    {                                                                                  \
        bits_##name bits = (bits_##name)value, sign = bits & SIGN,                     \
                    size = bits & ~SIGN;                                               \
        bits_##name half = ((int64_t)1 << (CUT - 1)) - 1 + (size >> CUT & 1);          \
        bits_##name normal = (bits_##name)((words_##name)size + (words_##name)half) &  \
                             KEPT; /* of NaN it wraps */                               \
        reals_##name small = (reals_##name)size + TO_GRID;                             \
        bits_##name result;                                                            \
                                                                                       \
        small -= TO_GRID;                                                              \
        result = choose_##name((bits_##name)((reals_##name)size < NORMAL),             \
                               (bits_##name)small, normal);                            \
        result = choose_##name((bits_##name)((reals_##name)result >= FINITE),          \
                               INFINITE - (bits_##name){0}, result);                   \
        result = choose_##name(size > INFINITE, size, result);                         \
        return (reals_##name)(result | sign);                                          \
    }                                                                                  \
                                                                                       \
    attributes static void line_##name(double *sums, const double *weight,             \
                                       const double *x, int64_t step, int64_t n)       \
    {                                                                                  \
        enum { LANES = bytes / sizeof(double) };                                       \
        reals_##name one = x[0] - (reals_##name){0};                                   \
                                                                                       \
        for (int64_t i = 0; i < n; i += LANES) {                                       \
            reals_##name at = step ? *(const reals_##name *)(x + i) : one;             \
            reals_##name *sum = (reals_##name *)(sums + i);                            \
                                                                                       \
            *sum = rounded_##name(*sum + at * *(const reals_##name *)(weight + i));    \
        }                                                                              \
    }

LINE(narrow, 16, )
#ifdef DG_AVX2
LINE(avx2, 32, DG_AVX2)
LINE(avx512, 64, DG_AVX512)
#endif

dg_xnn_half_line *dg_xnn_half_line_of(size_t widest)
{
    return DG_WIDEST_OF(line, widest);
}
