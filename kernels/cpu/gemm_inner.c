/* The innermost loop of matrix products: a block of sums held in vector registers.
 *
 * A lane belongs to one element of the result, so wider vectors change no bit. Products
 * and sums are rounded apart (-ffp-contract=off) on every processor. */
#include "kernels/cpu/gemm_inner.h"

#define UNROLL _Pragma("GCC unroll 8")

/* Two vectors of `bytes` times six rows: twelve sums, a product, a row of b. */
#define INNER(name, scalar, bytes, attributes)                                         \
    attributes static void name(int64_t k, const void *a_panel, const void *b_panel,   \
                                void *c_block, int64_t columns)                        \
    {                                                                                  \
        typedef scalar vector                                                          \
            __attribute__((vector_size(bytes), aligned(8), may_alias));                \
        enum { LANES = bytes / sizeof(scalar), PANEL = DG_GEMM_PANEL / bytes };        \
                                                                                       \
        for (int64_t j = 0; j < PANEL && j * LANES < columns; j += 2) {                \
            const scalar *a = a_panel;                                                 \
            const vector *b = (const vector *)b_panel + j;                             \
            vector *c = (vector *)c_block + j, sums[DG_GEMM_ROWS][2];                  \
                                                                                       \
            UNROLL for (int i = 0; i < DG_GEMM_ROWS; i++)                              \
            {                                                                          \
                sums[i][0] = c[i * PANEL];                                             \
                sums[i][1] = c[i * PANEL + 1];                                         \
            }                                                                          \
            for (int64_t p = 0; p < k; p++, a += DG_GEMM_ROWS, b += PANEL) {           \
                UNROLL for (int i = 0; i < DG_GEMM_ROWS; i++)                          \
                {                                                                      \
                    sums[i][0] += a[i] * b[0];                                         \
                    sums[i][1] += a[i] * b[1];                                         \
                }                                                                      \
            }                                                                          \
            UNROLL for (int i = 0; i < DG_GEMM_ROWS; i++)                              \
            {                                                                          \
                c[i * PANEL] = sums[i][0];                                             \
                c[i * PANEL + 1] = sums[i][1];                                         \
            }                                                                          \
        }                                                                              \
    }

#if defined(__GNUC__) && defined(__x86_64__)
#define CHOICE(tag, scalar)                                                            \
    INNER(narrow_##tag, scalar, 16, )                                                  \
    INNER(avx2_##tag, scalar, 32, __attribute__((target("avx2"))))                     \
    INNER(avx512_##tag, scalar, 64, __attribute__((target("avx512f,avx512dq"))))       \
                                                                                       \
    dg_gemm_inner_fn *dg_gemm_inner_##tag(void)                                        \
    {                                                                                  \
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))   \
            return avx512_##tag;                                                       \
        return __builtin_cpu_supports("avx2") ? avx2_##tag : narrow_##tag;             \
    }
#else
#define CHOICE(tag, scalar)                                                            \
    INNER(narrow_##tag, scalar, 16, )                                                  \
                                                                                       \
    dg_gemm_inner_fn *dg_gemm_inner_##tag(void)                                        \
    {                                                                                  \
        return narrow_##tag;                                                           \
    }
#endif

CHOICE(f64, double)
CHOICE(f32, float)
CHOICE(i64, uint64_t)
