/* Tiles of matrices as the innermost loop of products reads them. */
#include "kernels/cpu/gemm_pack.h"

#include <string.h>

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/cpu/line.h"
#include "kernels/cpu/vectorize.h"

enum {
    TURNED_DEPTH = 64, /* of k: sixteen lines of f64 leave room in the first cache */
    CACHE_LINE = 64,
    SECOND_CACHE = 2, /* of prefetching */
};

_Static_assert(TURNED_DEPTH *DG_GEMM_PANEL / sizeof(float) <=
                   DG_GEMM_TURNED * DG_GEMM_TILE_ROWS,
               "what is turned at a time fits the scratch memory");

static const char *element(const struct dg_gemm_side *side, int64_t across,
                           int64_t depth)
{
    return side->data + (across * side->across + depth * side->depth) *
                            (int64_t)dg_type_bytes(side->type);
}

/* `most` lines from `first` on, or as many as there are. */
static struct dg_gemm_side part_of(const struct dg_gemm_side *side, int64_t first,
                                   int64_t most)
{
    struct dg_gemm_side part = *side;

    part.data = element(side, first, 0);
    part.count = dg_gemm_least(side->count - first, most);
    return part;
}

struct dg_gemm_lines dg_gemm_lines_of(const struct dg_gemm_side *side, int64_t k)
{
    int64_t size = (int64_t)dg_type_bytes(side->type);

    if (side->depth == 1)
        return (struct dg_gemm_lines){side->data, side->across * size, k * size,
                                      side->count};
    return (struct dg_gemm_lines){side->data, side->depth * size, side->count * size,
                                  side->across == 1 ? k : 0};
}

void dg_gemm_ask_for(const struct dg_gemm_lines *lines, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        for (int64_t at = 0; at < lines->bytes; at += CACHE_LINE)
            __builtin_prefetch(lines->data + i * lines->step + at, 0, SECOND_CACHE);
    }
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define WOVEN __builtin_shufflevector
#endif
#endif

#ifdef WOVEN
/* to[q][i] = from[i][q] of a block of four by four elements: pairs of lines are woven,
 * then pairs of these. */
#define BLOCK(name, made, given)                                                       \
    static inline void name##_block(made *to, int64_t to_step, const given *from,      \
                                    int64_t from_step)                                 \
    {                                                                                  \
        typedef given vector __attribute__((vector_size(4 * sizeof(given))));          \
        typedef made result __attribute__((vector_size(4 * sizeof(made))));            \
        vector line[4], low[2], high[2], turned[4];                                    \
                                                                                       \
        for (int i = 0; i < 4; i++)                                                    \
            memcpy(&line[i], from + i * from_step, sizeof(vector));                    \
        for (int i = 0; i < 2; i++) {                                                  \
            low[i] = WOVEN(line[2 * i], line[2 * i + 1], 0, 4, 1, 5);                  \
            high[i] = WOVEN(line[2 * i], line[2 * i + 1], 2, 6, 3, 7);                 \
        }                                                                              \
        turned[0] = WOVEN(low[0], low[1], 0, 1, 4, 5);                                 \
        turned[1] = WOVEN(low[0], low[1], 2, 3, 6, 7);                                 \
        turned[2] = WOVEN(high[0], high[1], 0, 1, 4, 5);                               \
        turned[3] = WOVEN(high[0], high[1], 2, 3, 6, 7);                               \
        for (int i = 0; i < 4; i++) {                                                  \
            result line = __builtin_convertvector(turned[i], result);                  \
                                                                                       \
            memcpy(to + i * to_step, &line, sizeof(line));                             \
        }                                                                              \
    }
#else
#define BLOCK(name, made, given)                                                       \
    static inline void name##_block(made *to, int64_t to_step, const given *from,      \
                                    int64_t from_step)                                 \
    {                                                                                  \
        for (int q = 0; q < 4; q++) {                                                  \
            for (int i = 0; i < 4; i++)                                                \
                to[q * to_step + i] = (made)from[i * from_step + q];                   \
        }                                                                              \
    }
#endif

/* to[q][j] = from[j][q] for j < n_lines, q < n: in blocks, the rest one by one. */
#define TURN(name, made, given, SIDE, attributes)                                      \
    attributes static void name(made *restrict to, int64_t to_step,                    \
                                const given *restrict from, int64_t from_step,         \
                                int64_t n_lines, int64_t n)                            \
    {                                                                                  \
        int64_t lines = n_lines / SIDE * SIDE, depth = n / SIDE * SIDE;                \
                                                                                       \
        for (int64_t j = 0; j < lines; j += SIDE) {                                    \
            for (int64_t q = 0; q < depth; q += SIDE)                                  \
                name##_block(to + q * to_step + j, to_step, from + j * from_step + q,  \
                             from_step);                                               \
        }                                                                              \
        for (int64_t j = 0; j < n_lines; j++) {                                        \
            for (int64_t q = j < lines ? depth : 0; q < n; q++)                        \
                to[q * to_step + j] = (made)from[j * from_step + q];                   \
        }                                                                              \
    }

BLOCK(turn_f64, double, double)
TURN(turn_f64, double, double, 4, )
BLOCK(turn_i64, int64_t, int64_t)
TURN(turn_i64, int64_t, int64_t, 4, )
BLOCK(turn_f32_four, float, float)
TURN(turn_f32_four, float, float, 4, )
BLOCK(widen_f32_four, double, float)
TURN(widen_f32_four, double, float, 4, )

#if defined(__GNUC__) && defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#define INTO_AVX2 AVX2 static inline __attribute__((always_inline))

INTO_AVX2 __m256 two_lines(const float *first, const float *second)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(first)),
                                _mm_loadu_ps(second), 1);
}

/* A block of eight by eight: halves of lines that are four apart share a vector, so
 * that pairs are woven twice only. */
INTO_AVX2 void turn_eight(__m256 turned[8], const float *from, int64_t step)
{
    for (int half = 0; half < 2; half++, from += 4, turned += 4) {
        __m256 a = two_lines(from, from + 4 * step);
        __m256 b = two_lines(from + step, from + 5 * step);
        __m256 c = two_lines(from + 2 * step, from + 6 * step);
        __m256 d = two_lines(from + 3 * step, from + 7 * step);
        __m256 low[2] = {_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d)};
        __m256 high[2] = {_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d)};

        turned[0] = _mm256_shuffle_ps(low[0], low[1], 0x44);
        turned[1] = _mm256_shuffle_ps(low[0], low[1], 0xee);
        turned[2] = _mm256_shuffle_ps(high[0], high[1], 0x44);
        turned[3] = _mm256_shuffle_ps(high[0], high[1], 0xee);
    }
}

INTO_AVX2 void turn_f32_avx2_block(float *to, int64_t to_step, const float *from,
                                   int64_t from_step)
{
    __m256 turned[8];

    turn_eight(turned, from, from_step);
    for (int i = 0; i < 8; i++)
        _mm256_storeu_ps(to + i * to_step, turned[i]);
}

INTO_AVX2 void widen_f32_avx2_block(double *to, int64_t to_step, const float *from,
                                    int64_t from_step)
{
    __m256 turned[8];

    turn_eight(turned, from, from_step);
    for (int i = 0; i < 8; i++, to += to_step) {
        _mm256_storeu_pd(to, _mm256_cvtps_pd(_mm256_castps256_ps128(turned[i])));
        _mm256_storeu_pd(to + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(turned[i], 1)));
    }
}

TURN(turn_f32_avx2, float, float, 8, AVX2)
TURN(widen_f32_avx2, double, float, 8, AVX2)
#define WIDEST(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_four)
#else
#define WIDEST(name) name##_four
#endif

static void turn_f32(float *to, int64_t to_step, const float *from, int64_t from_step,
                     int64_t n_lines, int64_t n)
{
    WIDEST(turn_f32)(to, to_step, from, from_step, n_lines, n);
}

/* Weights are f32 as a rule, and their sums f64. */
static void widen_f32(double *to, int64_t to_step, const float *from, int64_t from_step,
                      int64_t n_lines, int64_t n)
{
    WIDEST(widen_f32)(to, to_step, from, from_step, n_lines, n);
}

#define OF(name) name##_f64
#define SCALAR double
#define OWN_TYPE DG_TYPE_F64
#define LINES reals
#define MADE reals
#define LOAD dg_load_f64
#define TURN_SINGLES widen_f32
#include "kernels/cpu/gemm_pack_of.h"

#define OF(name) name##_f32
#define SCALAR float
#define OWN_TYPE DG_TYPE_F32
#define LINES singles
#define MADE reals
#define LOAD dg_load_f32
#include "kernels/cpu/gemm_pack_of.h"

#define OF(name) name##_i64
#define SCALAR int64_t
#define OWN_TYPE DG_TYPE_I64
#define LINES integers
#define MADE integers
#define LOAD dg_load_i64
#include "kernels/cpu/gemm_pack_of.h"
