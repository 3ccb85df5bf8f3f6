/* Tiles of matrices as the innermost loop of products reads them. */
#include "kernels/cpu/gemm_pack.h"

#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/vectorize.h"

enum {
    TURNED_DEPTH = 64, /* of k: sixteen lines of f64 leave room in the first cache */
    CACHE_LINE = 64,
};

static const char *element(const struct dg_gemm_side *side, int64_t across,
                           int64_t depth)
{
    return side->data + (across * side->across + depth * side->depth) *
                            (int64_t)dg_type_bytes(side->type);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* `most` lines from `first` on, or as many as there are. */
static struct dg_gemm_side part_of(const struct dg_gemm_side *side, int64_t first,
                                   int64_t most)
{
    struct dg_gemm_side part = *side;

    part.data = element(side, first, 0);
    part.count = least(side->count - first, most);
    return part;
}

/* Short lines that are far apart are found by no processor itself: they come while
 * those before them are turned. */
static void ask_for(const struct dg_gemm_side *side, int64_t k)
{
    int64_t bytes = k * (int64_t)dg_type_bytes(side->type);

    for (int64_t i = 0; i < side->count; i++) {
        for (int64_t at = 0; at < bytes; at += CACHE_LINE)
            __builtin_prefetch(element(side, i, 0) + at);
    }
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define WOVEN __builtin_shufflevector
#endif
#endif

#ifdef WOVEN
/* A block of four by four elements: pairs of lines are woven, then pairs of these. */
#define BLOCK(name, scalar)                                                            \
    static inline void name##_block(scalar *to, int64_t to_step, const scalar *from,   \
                                    int64_t from_step)                                 \
    {                                                                                  \
        typedef scalar vector __attribute__((vector_size(4 * sizeof(scalar))));        \
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
        for (int i = 0; i < 4; i++)                                                    \
            memcpy(to + i * to_step, &turned[i], sizeof(vector));                      \
    }
#else
#define BLOCK(name, scalar)                                                            \
    static inline void name##_block(scalar *to, int64_t to_step, const scalar *from,   \
                                    int64_t from_step)                                 \
    {                                                                                  \
        for (int q = 0; q < 4; q++) {                                                  \
            for (int i = 0; i < 4; i++)                                                \
                to[q * to_step + i] = from[i * from_step + q];                         \
        }                                                                              \
    }
#endif

/* to[q][j] = from[j][q] for j < n_lines, q < n: in blocks, the rest one by one. */
#define TURN(name, scalar)                                                             \
    BLOCK(name, scalar)                                                                \
                                                                                       \
    static void name(scalar *restrict to, int64_t to_step,                             \
                     const scalar *restrict from, int64_t from_step, int64_t n_lines,  \
                     int64_t n)                                                        \
    {                                                                                  \
        int64_t lines = n_lines / 4 * 4, depth = n / 4 * 4;                            \
                                                                                       \
        for (int64_t j = 0; j < lines; j += 4) {                                       \
            for (int64_t q = 0; q < depth; q += 4)                                     \
                name##_block(to + q * to_step + j, to_step, from + j * from_step + q,  \
                             from_step);                                               \
        }                                                                              \
        for (int64_t j = 0; j < n_lines; j++) {                                        \
            for (int64_t q = j < lines ? depth : 0; q < n; q++)                        \
                to[q * to_step + j] = from[j * from_step + q];                         \
        }                                                                              \
    }

TURN(turn_f64, double)
TURN(turn_f32, float)
TURN(turn_i64, int64_t)

#define OF(name) name##_f64
#define SCALAR double
#define OWN_TYPE DG_TYPE_F64
#define LINES reals
#define MADE reals
#define LOAD dg_load_f64
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
