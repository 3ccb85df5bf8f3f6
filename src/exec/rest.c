/* What f64 values are besides f32 ones. */
#include "exec/rest.h"

#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vectorize.h"

enum { PIECE = 1 << 14 }; /* elements that a thread looks at together */

enum { LEAST_NORMAL = 0x00800000, INFINITE = 0x7f800000 }; /* bits of f32 */

struct job {
    double *whole;
    const float *known;
    float *rest;
    int64_t n;
    struct dg_rest_sizes *largest; /* by piece */
};

/* Sizes of floats are in the order of their bits. */
static inline int32_t bits_of_size(float value)
{
    int32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits & INT32_MAX;
}

static float size_of_bits(int32_t bits)
{
    float size;

    memcpy(&size, &bits, sizeof(size));
    return size;
}

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

DG_FOR_ANY struct dg_rest_sizes take(float *restrict rest, const double *restrict whole,
                                     const float *restrict known, int64_t n)
{
    int32_t most = 0, most_whole = 0;

    for (int64_t i = 0; i < n; i++) {
        double exact = (whole[i] - (double)known[i]) * DG_REST_SCALE;
        int32_t size = bits_of_size((float)exact);

        rest[i] = (float)exact;
        most = larger(most, exact != 0 && size < LEAST_NORMAL ? INFINITE : size);
        most_whole = larger(most_whole, bits_of_size((float)whole[i]));
    }
    return (struct dg_rest_sizes){size_of_bits(most), size_of_bits(most_whole)};
}

DG_FOR_ANY float add(double *restrict to, const float *restrict rest, int64_t n)
{
    int32_t most = 0;

    for (int64_t i = 0; i < n; i++) {
        to[i] += (double)rest[i] / DG_REST_SCALE;
        most = larger(most, bits_of_size(rest[i]));
    }
    return size_of_bits(most);
}

#define PIECES(name, attributes)                                                       \
    attributes static struct dg_rest_sizes take_##name(                                \
        float *rest, const double *whole, const float *known, int64_t n)               \
    {                                                                                  \
        return take(rest, whole, known, n);                                            \
    }                                                                                  \
                                                                                       \
    attributes static float add_##name(double *to, const float *rest, int64_t n)       \
    {                                                                                  \
        return add(to, rest, n);                                                       \
    }

PIECES(narrow, )
#ifdef DG_AVX2
PIECES(avx2, DG_AVX2)
#endif

static int64_t size_of(const struct job *job, int64_t first)
{
    return job->n - first < PIECE ? job->n - first : PIECE;
}

static void take_pieces(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;

    for (int64_t piece = from; piece < to; piece++) {
        int64_t first = piece * PIECE;

        job->largest[piece] = DG_WIDEST(take)(job->rest + first, job->whole + first,
                                              job->known + first, size_of(job, first));
    }
}

static void add_pieces(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;

    for (int64_t piece = from; piece < to; piece++) {
        int64_t first = piece * PIECE;

        job->largest[piece].rest =
            DG_WIDEST(add)(job->whole + first, job->rest + first, size_of(job, first));
    }
}

/* A NaN stays the largest, whatever follows. */
static float larger_of(float a, float b)
{
    return size_of_bits(larger(bits_of_size(a), bits_of_size(b)));
}

static struct dg_rest_sizes look(struct job *job, dg_range_fn *at_pieces, int n_threads)
{
    int64_t n_pieces = (job->n + PIECE - 1) / PIECE;
    struct dg_rest_sizes largest = {0, 0};
    struct dg_arena memory = {0};

    job->largest = dg_alloc(&memory, (size_t)n_pieces + 1, sizeof(*job->largest));
    dg_parallel(n_threads, n_pieces, 1, at_pieces, job);
    for (int64_t i = 0; i < n_pieces; i++) {
        largest.rest = larger_of(largest.rest, job->largest[i].rest);
        largest.whole = larger_of(largest.whole, job->largest[i].whole);
    }
    dg_arena_clear(&memory);
    return largest;
}

struct dg_rest_sizes dg_rest_take(float *rest, const double *whole, const float *known,
                                  int64_t n, int n_threads)
{
    struct job job = {(double *)whole, known, rest, n, NULL};

    return look(&job, take_pieces, n_threads);
}

float dg_rest_add(double *to, const float *rest, int64_t n, int n_threads)
{
    struct job job = {to, NULL, (float *)rest, n, NULL};

    return look(&job, add_pieces, n_threads).rest;
}
