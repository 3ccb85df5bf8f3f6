/* Sampling of planes at the points of a grid, and grids of affine maps. */
#include <math.h>

#include "base/number.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/reduce.h"

enum { BILINEAR, NEAREST, BICUBIC };
enum { ZEROS, BORDER, REFLECTION };
enum { TAPS_MOST = 4 };

struct grid_sample {
    int n_space;
    int64_t mode, padding;
    bool align_corners;
    enum dg_type type; /* positions are rounded to it at each step, as torch has them */
    int64_t channels, in[3], in_count, points;
    const double *planes, *grid;
    struct dg_tensor *out;
};

/* Input elements along one dimension; index -1: outside, where 0 is. */
struct taps {
    int n;
    int64_t indices[TAPS_MOST];
    double weights[TAPS_MOST];
};

static double rounded(const struct grid_sample *s, double value)
{
    switch (s->type) {
    case DG_TYPE_F16:
        return dg_f16_value(dg_f16_bits(value));
    case DG_TYPE_BF16:
        return dg_bf16_value(dg_bf16_bits(value));
    case DG_TYPE_F32:
        return (float)value;
    default:
        return value;
    }
}

/* From -1..1 to elements. */
static double position(const struct grid_sample *s, double x, int64_t size)
{
    double moved = rounded(s, x + 1);

    if (s->align_corners)
        return rounded(s, rounded(s, moved / 2) * (double)(size - 1));
    return rounded(s, rounded(s, rounded(s, moved * (double)size) - 1) / 2);
}

static double reflected(const struct grid_sample *s, double at, int64_t size)
{
    double least = s->align_corners ? 0 : -0.5;
    double span = (double)(s->align_corners ? size - 1 : size);
    double away = rounded(s, fabs(rounded(s, at - least)));
    double rest = fmod(away, span);

    if (span == 0)
        return 0;
    return fmod(floor(rounded(s, away / span)), 2) == 0
               ? rounded(s, rest + least)
               : rounded(s, rounded(s, span - rest) + least);
}

static double padded(const struct grid_sample *s, double at, int64_t size)
{
    if (s->padding == ZEROS)
        return at;
    if (s->padding == REFLECTION)
        at = reflected(s, at, size);
    if (isnan(at))
        return s->n_space == 2 ? 0 : (double)(size - 1);
    return fmin((double)(size - 1), fmax(at, 0));
}

static int64_t index_of(double at, int64_t size)
{
    return at >= 0 && at < (double)size ? (int64_t)at : -1;
}

/* Cubic convolution at a distance: of up to 1, and from 1 to 2. */
static double cubic_near(const struct grid_sample *s, double x)
{
    const double a = -0.75;
    double y = rounded(s, rounded(s, rounded(s, a + 2) * x) - rounded(s, a + 3));

    return rounded(s, rounded(s, rounded(s, y * x) * x) + 1);
}

static double cubic_far(const struct grid_sample *s, double x)
{
    const double a = -0.75;
    double y = rounded(s, rounded(s, a * x) - 5 * a);

    y = rounded(s, rounded(s, y * x) + 8 * a);
    return rounded(s, rounded(s, y * x) - 4 * a);
}

static void cubic_weights(const struct grid_sample *s, double share, double *weights)
{
    weights[0] = cubic_far(s, rounded(s, share + 1));
    weights[1] = cubic_near(s, share);
    weights[2] = cubic_near(s, rounded(s, 1 - share));
    weights[3] = cubic_far(s, rounded(s, 2 - share));
}

static struct taps taps_at(const struct grid_sample *s, double x, int64_t size)
{
    double at = position(s, x, size), left;
    struct taps taps = {1, {0}, {1}};

    if (s->mode != BICUBIC)
        at = padded(s, at, size);
    left = floor(at);
    if (s->mode == NEAREST) {
        taps.indices[0] = index_of(nearbyint(at), size);
    } else if (s->mode == BILINEAR) {
        double share = rounded(s, at - left);

        taps = (struct taps){2,
                             {index_of(left, size), index_of(left + 1, size)},
                             {rounded(s, 1 - share), share}};
    } else {
        taps.n = 4;
        cubic_weights(s, rounded(s, at - left), taps.weights);
        for (int k = 0; k < 4; k++)
            taps.indices[k] = index_of(padded(s, left - 1 + k, size), size);
    }
    return taps;
}

/* A NaN in the grid makes the weights NaN: torch adds what is outside in 2d, not in 3d.
 */
static double sample(const struct grid_sample *s, const double *plane,
                     const struct taps *taps)
{
    double sum = 0;

    for (int z = 0; z < taps[0].n; z++) {
        for (int y = 0; y < taps[1].n; y++) {
            for (int x = 0; x < taps[2].n; x++) {
                int64_t d = taps[0].indices[z], h = taps[1].indices[y];
                int64_t w = taps[2].indices[x];
                bool inside = d >= 0 && h >= 0 && w >= 0;

                if (inside || s->n_space == 2)
                    sum += taps[0].weights[z] * taps[1].weights[y] *
                           taps[2].weights[x] *
                           (inside ? plane[(d * s->in[1] + h) * s->in[2] + w] : 0);
            }
        }
    }
    return sum;
}

/* One point is all the channels at one place of the grid. */
static void sample_points(void *data, int64_t from, int64_t to)
{
    const struct grid_sample *s = data;

    for (int64_t i = from; i < to; i++) {
        const double *at = s->grid + i * s->n_space;
        int64_t batch = i / s->points * s->channels;
        struct taps taps[3] = {{1, {0}, {1}}, {1, {0}, {1}}, {1, {0}, {1}}};

        for (int k = 0; k < s->n_space; k++)
            taps[2 - k] = taps_at(s, at[k], s->in[2 - k]);
        for (int64_t c = batch; c < batch + s->channels; c++)
            dg_put_real(s->out, c * s->points + i % s->points,
                        sample(s, s->planes + c * s->in_count, taps));
    }
}

static enum dg_status check_shapes(struct dg_call *call, const struct dg_tensor *in,
                                   const struct dg_tensor *grid, int n_space)
{
    char a[200], b[200];

    if (!in || !grid)
        return dg_call_fail(call, DG_ERR_FORMAT, "input or grid is not a tensor");
    if (in->rank != n_space + 2 || grid->rank != in->rank ||
        grid->sizes[0] != in->sizes[0] || grid->sizes[in->rank - 1] != n_space)
        return dg_call_fail(
            call, DG_ERR_FORMAT, "a grid of shape %s does not fit an input of shape %s",
            dg_shape_text(grid, b, sizeof(b)), dg_shape_text(in, a, sizeof(a)));
    if (!dg_type_is_float(in->type) || grid->type != in->type)
        return dg_call_fail(call, DG_ERR_FORMAT, "an input of %s with a grid of %s",
                            dg_type_name(in->type), dg_type_name(grid->type));
    return DG_OK;
}

static enum dg_status begin(struct grid_sample *s, struct dg_call *call,
                            const struct dg_tensor *in, const struct dg_tensor *grid)
{
    int64_t sizes[5] = {in->sizes[0], in->sizes[1]};

    s->mode = dg_arg_int(call, 2, BILINEAR);
    s->padding = dg_arg_int(call, 3, ZEROS);
    s->align_corners = dg_arg_bool(call, 4, false);
    s->type = in->type;
    s->channels = in->sizes[1];
    s->in[0] = s->in_count = s->points = 1;
    for (int k = 0; k < s->n_space; k++) {
        s->in[3 - s->n_space + k] = in->sizes[2 + k];
        s->in_count *= in->sizes[2 + k];
        s->points *= sizes[2 + k] = grid->sizes[1 + k];
    }
    if (s->mode < BILINEAR || s->mode > (s->n_space == 2 ? BICUBIC : NEAREST) ||
        s->padding < ZEROS || s->padding > REFLECTION)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "interpolation mode %lld with padding mode %lld",
                            (long long)s->mode, (long long)s->padding);
    if (!s->in_count)
        return dg_call_fail(call, DG_ERR_FORMAT, "the planes have no elements");
    s->out = dg_result(call, 0, in->type, in->rank, sizes);
    return s->out ? DG_OK : call->err->status;
}

static enum dg_status grid_sample(struct dg_call *call, int n_space)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0), *grid = dg_arg_tensor(call, 1);
    struct dg_tensor *planes, *points = NULL;
    struct grid_sample s = {.n_space = n_space};
    enum dg_status status = check_shapes(call, in, grid, n_space);

    if (!status)
        status = begin(&s, call, in, grid);
    if (status)
        return status;
    planes = dg_as_type(call, in, DG_TYPE_F64);
    if (planes)
        points = dg_as_type(call, grid, DG_TYPE_F64);
    if (points) {
        s.planes = dg_tensor_data(planes);
        s.grid = dg_tensor_data(points);
        dg_parallel(call->context->n_threads, in->sizes[0] * s.points,
                    2048 / (s.channels + 8) + 1, sample_points, &s);
    }
    dg_tensor_drop(planes);
    dg_tensor_drop(points);
    return points ? DG_OK : call->err->status;
}

enum dg_status dg_cpu_grid_sampler_2d(struct dg_call *call)
{
    return grid_sample(call, 2);
}

enum dg_status dg_cpu_grid_sampler_3d(struct dg_call *call)
{
    return grid_sample(call, 3);
}

enum dg_status dg_cpu_grid_sampler(struct dg_call *call)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);

    return grid_sample(call, in && in->rank == 5 ? 3 : 2);
}
