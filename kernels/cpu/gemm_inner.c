/* The innermost loop of matrix products: a block of sums held in vector registers.
 *
 * A lane belongs to one element of the result, so wider vectors change no bit. */
#include "kernels/cpu/gemm_inner.h"

#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/vectorize.h"

#define UNROLL _Pragma("GCC unroll 16")

/* These round as the instruction does where a processor has none. What was f32 has
 * products that f64 holds, so that there the order of the sum alone decides the bits.
 */
#define FUSED_F64(sum, a, b) fma(a, b, sum)
#define FUSED_F32(sum, a, b) fmaf(a, b, sum)
#define WRAPPING(sum, a, b) ((sum) + (a) * (b))

/* N vectors of `bytes` times six rows of sums. Where there are sixteen registers two
 * are as many as leave room for a factor and a line of b; four need fewer loads for
 * each product, which is what the processor waits for. */
#define INNER(name, scalar, ADD, bytes, N, attributes)                                 \
    typedef scalar vector_##name                                                       \
        __attribute__((vector_size(bytes), aligned(8), may_alias));                    \
                                                                                       \
    attributes static inline __attribute__((always_inline))                            \
    vector_##name add_##name(vector_##name sum, scalar a, vector_##name b)             \
    {                                                                                  \
        UNROLL for (int i = 0; i < (int)(bytes / sizeof(scalar)); i++)                 \
        {                                                                              \
            sum[i] = ADD(sum[i], a, b[i]);                                             \
        }                                                                              \
        return sum;                                                                    \
    }                                                                                  \
                                                                                       \
    attributes static void name(int64_t k, const void *a_rows, const void *b_panel,    \
                                void *c_block, int64_t columns, bool begins)           \
    {                                                                                  \
        typedef vector_##name vector;                                                  \
        enum { LANES = bytes / sizeof(scalar), PANEL = DG_GEMM_PANEL / bytes };        \
        _Static_assert(PANEL % N == 0, "a panel is read in whole steps");              \
                                                                                       \
        for (int64_t j = 0; j < PANEL && j * LANES < columns; j += N) {                \
            const scalar *a = a_rows;                                                  \
            const vector *b = (const vector *)b_panel + j;                             \
            vector *c = (vector *)c_block + j, sums[DG_GEMM_ROWS][N];                  \
                                                                                       \
            UNROLL for (int i = 0; i < DG_GEMM_ROWS; i++)                              \
            {                                                                          \
                UNROLL for (int v = 0; v < N; v++)                                     \
                {                                                                      \
                    sums[i][v] = begins ? (vector){0} : c[i * PANEL + v];              \
                }                                                                      \
            }                                                                          \
            for (int64_t p = 0; p < k; p++, b += PANEL) {                              \
                UNROLL for (int i = 0; i < DG_GEMM_ROWS; i++)                          \
                {                                                                      \
                    UNROLL for (int v = 0; v < N; v++)                                 \
                    {                                                                  \
                        sums[i][v] = add_##name(sums[i][v], a[i * k + p], b[v]);       \
                    }                                                                  \
                }                                                                      \
            }                                                                          \
            UNROLL for (int i = 0; i < DG_GEMM_ROWS; i++)                              \
            {                                                                          \
                UNROLL for (int v = 0; v < N; v++) c[i * PANEL + v] = sums[i][v];      \
            }                                                                          \
        }                                                                              \
    }

#if defined(__GNUC__) && defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f,avx512dq,fma")))
#define CHOICE(tag, scalar, ADD)                                                       \
    INNER(narrow_##tag, scalar, ADD, 16, 2, )                                          \
    INNER(avx2_##tag, scalar, ADD, 32, 2, __attribute__((target("avx2,fma"))))         \
    INNER(avx512_half_##tag, scalar, ADD, 64, 2, AVX512)                               \
    INNER(avx512_full_##tag, scalar, ADD, 64, 4, AVX512)                               \
                                                                                       \
    static void avx512_##tag(int64_t k, const void *a, const void *b, void *c,         \
                             int64_t columns, bool begins)                             \
    {                                                                                  \
        if (columns * (int64_t)sizeof(scalar) > DG_GEMM_PANEL / 2)                     \
            avx512_full_##tag(k, a, b, c, columns, begins);                            \
        else                                                                           \
            avx512_half_##tag(k, a, b, c, columns, begins);                            \
    }                                                                                  \
                                                                                       \
    dg_gemm_inner_fn *dg_gemm_inner_##tag(size_t widest)                               \
    {                                                                                  \
        bool fused = __builtin_cpu_supports("fma");                                    \
                                                                                       \
        if (widest >= 64 && fused && __builtin_cpu_supports("avx512f") &&              \
            __builtin_cpu_supports("avx512dq"))                                        \
            return avx512_##tag;                                                       \
        if (widest >= 32 && fused && __builtin_cpu_supports("avx2"))                   \
            return avx2_##tag;                                                         \
        return narrow_##tag;                                                           \
    }
#else
#define CHOICE(tag, scalar, ADD)                                                       \
    INNER(narrow_##tag, scalar, ADD, 16, 2, )                                          \
                                                                                       \
    dg_gemm_inner_fn *dg_gemm_inner_##tag(size_t widest)                               \
    {                                                                                  \
        return narrow_##tag;                                                           \
    }
#endif

CHOICE(f64, double, FUSED_F64)
CHOICE(f32, float, FUSED_F32)
CHOICE(i64, uint64_t, WRAPPING)
