/* Resampling along one dimension: nearest, linear and cubic weights.
 *
 * torch has positions in f32 unless the tensor is f64. An index of the nearest element
 * is right only when it is rounded like there; of the others, rounding moves the
 * positions, and a value moves by that times its slope. */
#include "kernels/cpu/resample.h"

#include <float.h>
#include <math.h>

static double rounded(const struct dg_resample_axis *axis, double value)
{
    return axis->wide ? value : (float)value;
}

/* Of what is rounded once in the reference, and after each step where an evaluation
 * shows what rounding may do. */
static double step(const struct dg_resample_axis *axis, double value)
{
    return axis->own_sums ? rounded(axis, value) : value;
}

/* Input elements per output element. */
static double scale_of(const struct dg_resample_axis *axis)
{
    if (axis->align_corners)
        return axis->out > 1 ? rounded(axis, rounded(axis, (double)(axis->in - 1)) /
                                                 (double)(axis->out - 1))
                             : 0;
    if (axis->factor > 0)
        return rounded(axis, 1 / axis->factor);
    return rounded(axis, (double)axis->in / (double)axis->out);
}

/* How far the elements of the input lie in front of the middles of outputs. */
static double shift_of(const struct dg_resample_axis *axis)
{
    return axis->align_corners ? 0 : 0.5;
}

/* Where output `o` lies in the input, with `shift` taken off. A fused multiply-add
 * rounds once, others twice, and which of them is off is chance: where f32 has not the
 * exact position, own sums are off by half an ulp of the product or more. */
static double position(const struct dg_resample_axis *axis, int64_t o, double half,
                       double shift)
{
    struct dg_resample_axis wide = *axis;
    double product = rounded(axis, scale_of(axis) * rounded(axis, (double)o + half));
    double at = rounded(axis, product - shift), off, least = product * FLT_EPSILON / 2;

    if (!axis->own_sums)
        return at;
    wide.wide = true;
    off = at - (scale_of(&wide) * ((double)o + half) - shift);
    return off == 0 || fabs(off) >= least ? at : at - off + copysign(least, off);
}

/* Extreme factors lead to positions beyond int64, and to NaN. */
static int64_t clamped(double index, int64_t size)
{
    return !(index > 0) ? 0 : index < (double)size ? (int64_t)index : size - 1;
}

static void nearest(struct dg_taps *taps, const struct dg_resample_axis *axis,
                    double shift)
{
    struct dg_resample_axis own = *axis;
    double scale;

    own.wide = false;
    if (own.whole_steps && (own.out == own.in || own.out == 2 * own.in))
        own.factor = 0;
    scale = scale_of(&own);
    for (int64_t o = 0; o < axis->out; o++) {
        float at = (float)((double)(float)((double)o + shift) * scale);

        taps->indices[o] = clamped(floorf(at), axis->in);
        taps->weights[o] = 1;
    }
}

static void linear(struct dg_taps *taps, const struct dg_resample_axis *axis)
{
    double half = shift_of(axis);

    for (int64_t o = 0; o < axis->out; o++) {
        double at =
            axis->in == axis->out ? (double)o : fmax(position(axis, o, half, half), 0);
        int64_t left = clamped(at, axis->in);
        double share = fmin(fmax(rounded(axis, at - (double)left), 0), 1);

        taps->indices[2 * o] = left;
        taps->indices[2 * o + 1] = clamped((double)left + 1, axis->in);
        taps->weights[2 * o] = rounded(axis, 1 - share);
        taps->weights[2 * o + 1] = share;
    }
}

/* The kernel of cubic convolution: |x| <= 1, and 1 < |x| < 2. */
static double cubic_near(const struct dg_resample_axis *axis, double x, double a)
{
    double y = step(axis, step(axis, (a + 2) * x) - (a + 3));

    return step(axis, step(axis, step(axis, y * x) * x) + 1);
}

static double cubic_far(const struct dg_resample_axis *axis, double x, double a)
{
    double y = step(axis, step(axis, a * x) - 5 * a);

    y = step(axis, step(axis, y * x) + 8 * a);
    return step(axis, step(axis, y * x) - 4 * a);
}

static void cubic(struct dg_taps *taps, const struct dg_resample_axis *axis)
{
    const double a = -0.75;
    double half = shift_of(axis);

    for (int64_t o = 0; o < axis->out; o++) {
        double at = position(axis, o, half, half), left = floor(at);
        double share = rounded(axis, at - left), rest = rounded(axis, 1 - share);
        double weights[] = {cubic_far(axis, step(axis, share + 1), a),
                            cubic_near(axis, share, a), cubic_near(axis, rest, a),
                            cubic_far(axis, step(axis, rest + 1), a)};

        for (int k = 0; k < 4; k++) {
            taps->indices[4 * o + k] = clamped(left - 1 + k, axis->in);
            taps->weights[4 * o + k] = rounded(axis, weights[k]);
        }
    }
}

static double smooth_weight(const struct dg_resample_axis *axis, enum dg_resample kind,
                            double x)
{
    x = fabs(x);
    if (kind == DG_RESAMPLE_LINEAR_SMOOTH)
        return x < 1 ? step(axis, 1 - x) : 0;
    return x < 1 ? cubic_near(axis, x, -0.5) : x < 2 ? cubic_far(axis, x, -0.5) : 0;
}

static double smooth_reach(enum dg_resample kind, double scale)
{
    return (kind == DG_RESAMPLE_LINEAR_SMOOTH ? 1 : 2) * (scale > 1 ? scale : 1);
}

/* The weights of output `o`, which sum up to 1. */
static void smooth_at(struct dg_taps *taps, const struct dg_resample_axis *axis,
                      enum dg_resample kind, int64_t o)
{
    double scale = scale_of(axis), reach = smooth_reach(kind, scale);
    double centre = position(axis, o, 0.5, 0), total = 0;
    int64_t first = clamped(centre - reach + 0.5, axis->in);
    int64_t end = clamped(trunc(centre + reach + 0.5) - 1, axis->in) + 1;
    int64_t *indices = taps->indices + o * taps->n_taps;
    double *weights = taps->weights + o * taps->n_taps;

    for (int64_t k = 0; k < taps->n_taps; k++) {
        double x = step(axis, (double)(k + first) - centre + 0.5);

        x = scale > 1 ? step(axis, x * step(axis, 1 / scale)) : x;
        indices[k] = clamped((double)(first + k), axis->in);
        weights[k] = first + k < end ? smooth_weight(axis, kind, x) : 0;
        total = step(axis, total + weights[k]);
    }
    for (int64_t k = 0; k < taps->n_taps && total != 0; k++)
        weights[k] = rounded(axis, weights[k] / total);
}

/* A dimension that keeps its size is left as it is, whatever the factor. */
static void smooth(struct dg_taps *taps, const struct dg_resample_axis *axis,
                   enum dg_resample kind)
{
    for (int64_t o = 0; o < axis->out; o++) {
        if (axis->in != axis->out) {
            smooth_at(taps, axis, kind, o);
            continue;
        }
        taps->indices[o * taps->n_taps] = o;
        taps->weights[o * taps->n_taps] = 1;
    }
}

static int64_t count_taps(enum dg_resample kind, const struct dg_resample_axis *axis)
{
    if (kind == DG_RESAMPLE_LINEAR)
        return 2;
    if (kind == DG_RESAMPLE_CUBIC)
        return 4;
    return kind < DG_RESAMPLE_LINEAR_SMOOTH
               ? 1
               : (int64_t)fmin(ceil(smooth_reach(kind, scale_of(axis))) * 2 + 1,
                               (double)axis->in);
}

bool dg_taps_make(struct dg_taps *taps, struct dg_call *call, enum dg_resample kind,
                  const struct dg_resample_axis *axis)
{
    int64_t n_taps = count_taps(kind, axis), count;

    if (!dg_shape_count(2, (int64_t[]){axis->out, n_taps}, DG_TYPE_F64, &count)) {
        dg_call_fail(call, DG_ERR_FORMAT, "%lld weights for each of %lld positions",
                     (long long)n_taps, (long long)axis->out);
        return false;
    }
    *taps = (struct dg_taps){n_taps, dg_scratch(call, count, sizeof(*taps->indices)),
                             dg_scratch(call, count, sizeof(*taps->weights))};
    if (!taps->indices || !taps->weights)
        return false;
    if (kind <= DG_RESAMPLE_NEAREST_EXACT)
        nearest(taps, axis, kind == DG_RESAMPLE_NEAREST ? 0 : 0.5);
    else if (kind == DG_RESAMPLE_LINEAR)
        linear(taps, axis);
    else if (kind == DG_RESAMPLE_CUBIC)
        cubic(taps, axis);
    else
        smooth(taps, axis, kind);
    return true;
}
