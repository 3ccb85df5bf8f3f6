/* How far apart a piece of two tensors is, in vector registers. */
#include "exec/compare_piece.h"

#include "kernels/cpu/vectorize.h"

#define UNROLL _Pragma("GCC unroll 2")

/* Of vectors: a mask has all bits of a lane or none. */
#define SIZE(x) ((reals)((bits)(x)&INT64_MAX))
#define WHERE(mask, x) ((reals)((mask) & (bits)(x)))
#define LARGER(a, b) ((reals)(((bits)(a) & ((a) > (b))) | ((bits)(b) & ~((a) > (b)))))

static void end_with_zeros(double *elements, int64_t n)
{
    for (; n % DG_PIECE_LANES; n++)
        elements[n] = 0;
}

static double sum_of(const void *lanes)
{
    const double *lane = lanes;

    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static double most_of(const void *lanes)
{
    const double *lane = lanes;
    double most = lane[0];

    for (int k = 1; k < DG_PIECE_LANES; k++)
        most = lane[k] > most ? lane[k] : most;
    return most;
}

#define VECTORS(bytes)                                                                 \
    typedef double reals __attribute__((vector_size(bytes), aligned(8), may_alias));   \
    typedef int64_t bits __attribute__((vector_size(bytes), aligned(8), may_alias));   \
    enum { PARTS = DG_PIECE_LANES * sizeof(double) / bytes };

#define PIECE(name, bytes, attributes)                                                 \
    attributes static bool measure_##name(                                             \
        struct dg_piece_sums *sums, const double *ref, const double *got, int64_t n)   \
    {                                                                                  \
        VECTORS(bytes)                                                                 \
        reals largest[PARTS] = {0}, most[PARTS] = {0}, ref2[PARTS] = {0},              \
              got2[PARTS] = {0}, error2[PARTS] = {0}, product[PARTS] = {0},            \
              error[PARTS] = {0}, odd[PARTS] = {0};                                    \
                                                                                       \
        for (int64_t i = 0; i < n; i += DG_PIECE_LANES) {                              \
            UNROLL for (int p = 0; p < PARTS; p++)                                     \
            {                                                                          \
                reals r = ((const reals *)(ref + i))[p];                               \
                reals g = ((const reals *)(got + i))[p], e = g - r;                    \
                                                                                       \
                odd[p] += e - e;                                                       \
                largest[p] = LARGER(largest[p], SIZE(r));                              \
                largest[p] = LARGER(largest[p], SIZE(g));                              \
                most[p] = LARGER(most[p], SIZE(e));                                    \
                ref2[p] += r * r;                                                      \
                got2[p] += g * g;                                                      \
                error2[p] += e * e;                                                    \
                product[p] += r * g;                                                   \
                error[p] += e;                                                         \
            }                                                                          \
        }                                                                              \
        *sums = (struct dg_piece_sums){                                                \
            most_of(largest), most_of(most),   sum_of(ref2), sum_of(got2),             \
            sum_of(error2),   sum_of(product), sum_of(error)};                         \
        return sum_of(odd) == 0;                                                       \
    }                                                                                  \
                                                                                       \
    attributes static void relate_##name(struct dg_piece_relation *relation,           \
                                         const double *ref, const double *got,         \
                                         int64_t n, double rtol, double atol)          \
    {                                                                                  \
        VECTORS(bytes)                                                                 \
        reals relative[PARTS] = {0}, sized[PARTS] = {0};                               \
        bits mismatches[PARTS] = {0};                                                  \
                                                                                       \
        for (int64_t i = 0; i < n; i += DG_PIECE_LANES) {                              \
            UNROLL for (int p = 0; p < PARTS; p++)                                     \
            {                                                                          \
                reals r = ((const reals *)(ref + i))[p];                               \
                reals e = ((const reals *)(got + i))[p] - r, size = SIZE(r), by;       \
                                                                                       \
                e = SIZE(e);                                                           \
                by = WHERE(e > 0, e / size);                                           \
                mismatches[p] -= e > atol + rtol * size;                               \
                relative[p] = LARGER(relative[p], by);                                 \
                by = WHERE(size > atol, by);                                           \
                sized[p] = LARGER(sized[p], by);                                       \
            }                                                                          \
        }                                                                              \
        *relation = (struct dg_piece_relation){0, most_of(relative), most_of(sized)};  \
        for (int k = 0; k < DG_PIECE_LANES; k++)                                       \
            relation->mismatches += ((const int64_t *)mismatches)[k];                  \
    }

PIECE(narrow, 16, )
#ifdef DG_AVX2
PIECE(avx2, 32, DG_AVX2)
#endif

bool dg_piece_measure(struct dg_piece_sums *sums, double *ref, double *got, int64_t n)
{
    end_with_zeros(ref, n);
    end_with_zeros(got, n);
    return DG_WIDEST(measure)(sums, ref, got, n);
}

void dg_piece_relate(struct dg_piece_relation *relation, double *ref, double *got,
                     int64_t n, double rtol, double atol)
{
    end_with_zeros(ref, n);
    end_with_zeros(got, n);
    DG_WIDEST(relate)(relation, ref, got, n, rtol, atol);
}
