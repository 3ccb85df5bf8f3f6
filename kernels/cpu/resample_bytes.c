/* Resampling of images of bytes, in whole numbers as torch does it: weights of 16 bits,
 * and bytes between one dimension and the next. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/resample.h"

enum { PRECISION_MOST = 22, WEIGHT_BITS = 15 };

/* Weights in units of 2^-precision. */
struct byte_taps {
    int64_t n_taps;
    const int64_t *indices;
    int64_t *weights;
    int precision;
};

/* What lies beyond the edge counts for the edge, before anything is rounded: the first
 * tap of an element gets the weights of all. The largest weight on the way. */
static double gather_edges(const struct dg_taps *taps, int64_t n_outputs)
{
    double largest = 0;

    for (int64_t o = 0; o < n_outputs; o++) {
        int64_t first = o * taps->n_taps;

        for (int64_t k = first, at = first; k < first + taps->n_taps; k++) {
            if (taps->indices[k] != taps->indices[at])
                at = k;
            if (k != at) {
                taps->weights[at] += taps->weights[k];
                taps->weights[k] = 0;
            }
            largest = taps->weights[at] > largest ? taps->weights[at] : largest;
        }
    }
    return largest;
}

/* As many bits as the largest weight leaves of 15. */
static int precision_of(double largest)
{
    int precision = 0;

    while (precision < PRECISION_MOST &&
           0.5 + largest * (double)(1 << (precision + 1)) < 1 << WEIGHT_BITS)
        precision++;
    return precision;
}

static bool make_bytes(struct byte_taps *to, struct dg_call *call,
                       const struct dg_taps *taps, int64_t n_outputs)
{
    int64_t n = n_outputs * taps->n_taps;
    double unit;

    *to = (struct byte_taps){.n_taps = taps->n_taps, .indices = taps->indices};
    to->weights = dg_scratch(call, n, sizeof(*to->weights));
    if (!to->weights)
        return false;
    to->precision = precision_of(gather_edges(taps, n_outputs));
    unit = (double)(1 << to->precision);
    for (int64_t i = 0; i < n; i++) {
        double weight = taps->weights[i] * unit;

        /* Of a factor beyond all bounds. */
        if (!(fabs(weight) < 1 << (WEIGHT_BITS + 1)))
            weight = 0;
        to->weights[i] = (int64_t)(weight < 0 ? weight - 0.5 : weight + 0.5);
    }
    return true;
}

/* Output `o` of elements that are `step` apart. */
static unsigned char weigh(const struct byte_taps *taps, const unsigned char *from,
                           int64_t step, int64_t o)
{
    int64_t sum = taps->precision ? (int64_t)1 << (taps->precision - 1) : 0;

    for (int64_t k = o * taps->n_taps; k < (o + 1) * taps->n_taps; k++)
        sum += taps->weights[k] * from[taps->indices[k] * step];
    sum = sum < 0 ? 0 : sum >> taps->precision;
    return (unsigned char)(sum < 255 ? sum : 255);
}

/* One dimension of [outer, in, inner] to one of [outer, out, inner]. */
struct pass {
    int64_t outer, in, out, inner;
};

static void run_pass(const struct pass *pass, const struct byte_taps *taps,
                     const unsigned char *from, unsigned char *to)
{
    for (int64_t i = 0; i < pass->outer; i++) {
        const unsigned char *row = from + i * pass->in * pass->inner;

        for (int64_t o = 0; o < pass->out; o++) {
            for (int64_t k = 0; k < pass->inner; k++)
                *to++ = weigh(taps, row + k, pass->inner, o);
        }
    }
}

bool dg_resample_bytes(struct dg_call *call, const struct dg_planes *planes,
                       const struct dg_taps *taps, const unsigned char *from,
                       unsigned char *to)
{
    const int64_t *in = planes->in, *out = planes->out;
    struct pass across = {planes->n * in[1], in[2], out[2], 1};
    struct pass down = {planes->n, in[1], out[1], out[2]};
    struct byte_taps bytes;
    unsigned char *between = to;

    /* The width first; what keeps its size is not touched. */
    if (in[1] != out[1])
        between = dg_scratch(call, planes->n * in[1], (size_t)out[2]);
    if (!between)
        return false;
    if (in[2] == out[2])
        memcpy(between, from, (size_t)(across.outer * out[2]));
    else if (make_bytes(&bytes, call, &taps[2], out[2]))
        run_pass(&across, &bytes, from, between);
    else
        return false;
    if (in[1] == out[1])
        return true;
    if (!make_bytes(&bytes, call, &taps[1], out[1]))
        return false;
    run_pass(&down, &bytes, between, to);
    return true;
}
