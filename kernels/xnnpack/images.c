/* Nodes that look at windows of an image, NHWC. */
#include <math.h>

#include "kernels/cpu/movement.h"
#include "kernels/xnnpack/xnnpack.h"

enum { BATCH, HEIGHT, WIDTH, CHANNELS, CORNERS = 8, LEGACY = 4 };

/* The windows of an image, and what of it they see. */
struct windows {
    const double *in;
    const struct dg_xnn_node *node;
    const int64_t *sizes; /* of the image */
};

/* Taps of a window that lie in the image: the first one, and behind the last. */
struct taps {
    int64_t begin, end;
};

static struct taps taps_inside(int64_t first, int64_t apart, int64_t n, int64_t size)
{
    int64_t begin = first < 0 ? (-first + apart - 1) / apart : 0;
    int64_t end = first < size ? (size - first + apart - 1) / apart : 0;

    return (struct taps){begin, end < n ? end : n};
}

/* What a window sees; `at` says which of all its taps, row by row, was the largest: NaN
 * is none, nor is -infinity, which is there before. */
struct seen {
    double sum, largest;
    int64_t n, at;
};

static void see(struct seen *seen, double value, int64_t tap, bool in_f32)
{
    if (!seen->n)
        seen->at = tap;
    if (value > seen->largest) {
        seen->largest = value;
        seen->at = tap;
    }
    seen->sum += value;
    if (in_f32)
        seen->sum = (float)seen->sum;
    seen->n++;
}

static struct seen look(const struct windows *windows, const int64_t *place,
                        bool in_f32)
{
    const struct dg_xnn_node *node = windows->node;
    const int64_t *sizes = windows->sizes;
    int64_t y = place[HEIGHT] * node->down - node->pad_top;
    int64_t x = place[WIDTH] * node->across - node->pad_left;
    struct taps down = taps_inside(y, node->apart, node->height, sizes[HEIGHT]);
    struct taps across = taps_inside(x, node->aside, node->width, sizes[WIDTH]);
    struct seen seen = {0, -INFINITY, 0, 0};

    for (int64_t i = down.begin; i < down.end; i++) {
        int64_t row = place[BATCH] * sizes[HEIGHT] + y + i * node->apart;

        for (int64_t j = across.begin; j < across.end; j++) {
            int64_t pixel = row * sizes[WIDTH] + x + j * node->aside;

            see(&seen, windows->in[pixel * sizes[CHANNELS] + place[CHANNELS]],
                i * node->width + j, in_f32);
        }
    }
    return seen;
}

typedef double value_fn(const struct seen *seen);

static double average_of(const struct seen *seen)
{
    return seen->sum / (double)seen->n;
}

static double largest_of(const struct seen *seen)
{
    return seen->largest;
}

static double place_of(const struct seen *seen)
{
    return (double)seen->at;
}

/* No overflow: whoever called looked. */
static int64_t count_of(const struct dg_xnn_shape *shape)
{
    int64_t count = 1;

    for (int i = 0; i < shape->rank; i++)
        count *= shape->sizes[i];
    return count;
}

static void pool(const struct windows *windows, const struct dg_xnn_shape *out,
                 value_fn *value, bool in_f32, double *to)
{
    const int64_t *sizes = out->sizes;

    for (int64_t i = 0, n = count_of(out); i < n; i++) {
        int64_t place[] = {i / sizes[CHANNELS] / sizes[WIDTH] / sizes[HEIGHT],
                           i / sizes[CHANNELS] / sizes[WIDTH] % sizes[HEIGHT],
                           i / sizes[CHANNELS] % sizes[WIDTH], i % sizes[CHANNELS]};
        struct seen seen = look(windows, place, in_f32);

        to[i] = value(&seen);
    }
}

/* Numbers for each element of the result, which become result 0. */
static enum dg_status give_pool(struct dg_call *call, value_fn *value)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct dg_tensor *in = dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    double *values =
        in ? dg_scratch(call, count_of(&step->result), sizeof(*values)) : NULL;
    enum dg_status status = call->err->status;

    if (values) {
        struct windows windows = {dg_tensor_data(in), &step->node, in->sizes};

        pool(&windows, &step->result, value,
             call->context->precision == DG_PRECISION_OWN_SUMS, values);
        status = dg_xnn_give_floats(call, &step->result, values);
    }
    dg_tensor_drop(in);
    return status;
}

enum dg_status dg_xnn_average_pool(struct dg_call *call)
{
    if (call->xnnpack->inputs[0]->quantized)
        return dg_xnn_cannot(call, "the runtime has no average of codes");
    return give_pool(call, average_of);
}

/* Codes in order are numbers in order. */
enum dg_status dg_xnn_max_pool(struct dg_call *call)
{
    struct dg_xnn_step step = *call->xnnpack;
    struct dg_call whole = *call;

    if (step.inputs[0]->type == DG_TYPE_F16 && dg_xnn_has_nan(call))
        return dg_xnn_cannot(call,
                             "the largest of f16 with NaN hangs on its sign, which"
                             " is not followed");
    if (call->err->status)
        return call->err->status;
    whole.xnnpack = &step;
    if (step.outputs[0]->quantized) {
        struct dg_xnn_range range = dg_xnn_codes_of(call);

        step.least = range.least;
        step.most = range.most;
    }
    return give_pool(&whole, largest_of);
}

enum dg_status dg_xnn_argmax_pool(struct dg_call *call)
{
    struct dg_xnn_step step = *call->xnnpack;
    struct dg_call places = *call;
    enum dg_status status;

    if (step.n_outputs < 2 || step.inputs[0]->quantized)
        return dg_xnn_cannot(call, "it gives no places");
    status = give_pool(call, largest_of);
    places.xnnpack = &step;
    places.results = call->results + 1;
    step.outputs[0] = step.outputs[1];
    step.least = -INFINITY;
    step.most = INFINITY;
    return status ? status : give_pool(&places, place_of);
}

/* Of codes: the sum of n without their zero points, times a scale by n. The zero point
 * of the result is added before rounding. */
static enum dg_status average_codes(struct dg_call *call, double *sums,
                                    int64_t n_pixels)
{
    const struct dg_xnn_step *step = call->xnnpack;
    float scale = step->inputs[0]->scale / step->outputs[0]->scale / (float)n_pixels;
    struct dg_xnn_range range = dg_xnn_codes_of(call);
    float zero_point = (float)range.zero_point;
    struct dg_xnn_step plain = *step;
    struct dg_call codes = *call;

    range.zero_point = 0;
    for (int64_t i = 0, n = count_of(&step->result); i < n; i++)
        sums[i] = (double)dg_xnn_code(&range, (float)sums[i] * scale + zero_point);
    plain.least = -INFINITY;
    plain.most = INFINITY;
    codes.xnnpack = &plain;
    return dg_xnn_give_floats(&codes, &step->result, sums);
}

static void sum_pixels(const struct dg_tensor *in, bool in_f32, double *sums)
{
    int64_t n_pixels = in->sizes[HEIGHT] * in->sizes[WIDTH], n = in->sizes[CHANNELS];
    const double *at = dg_tensor_data(in);

    for (int64_t i = 0; i < in->sizes[BATCH] * n_pixels; i++) {
        double *to = sums + i / n_pixels * n;

        for (int64_t channel = 0; channel < n; channel++) {
            to[channel] += *at++;
            if (in_f32)
                to[channel] = (float)to[channel];
        }
    }
}

static enum dg_status average_pixels(struct dg_call *call, struct dg_tensor *in)
{
    int64_t n_pixels = in->sizes[HEIGHT] * in->sizes[WIDTH];
    int64_t n = in->sizes[BATCH] * in->sizes[CHANNELS];
    double *sums = dg_scratch(call, n, sizeof(*sums));

    if (!sums)
        return call->err->status;
    sum_pixels(in, call->context->precision == DG_PRECISION_OWN_SUMS, sums);
    if (call->xnnpack->inputs[0]->quantized)
        return average_codes(call, sums, n_pixels);
    for (int64_t i = 0; i < n; i++)
        sums[i] /= (double)n_pixels;
    return dg_xnn_give_floats(call, &call->xnnpack->result, sums);
}

enum dg_status dg_xnn_global_average(struct dg_call *call)
{
    struct dg_tensor *in = dg_xnn_copied(
        call, call->xnnpack->inputs[0]->quantized
                  ? dg_xnn_centered(call, 0)
                  : dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0))));
    enum dg_status status = in ? average_pixels(call, in) : call->err->status;

    dg_tensor_drop(in);
    return status;
}

/* Where an element lies between two of the image, in f32 as the runtime says it. */
struct between {
    int64_t first, second;
    float share; /* of the second */
};

static struct between between(int64_t to, int64_t out, int64_t in, uint32_t flags)
{
    int64_t less = flags & CORNERS && out != 1;
    float scale = (float)(in - less) / (float)(out - less);
    float at = (float)to * scale;
    struct between found;

    if (!(flags & (CORNERS | LEGACY)))
        at += 0.5f * scale - 0.5f;
    at = fminf(fmaxf(at, 0), (float)(in - 1));
    found.first = (int64_t)at < in ? (int64_t)at : in - 1; /* `at` may be rounded up */
    found.second = found.first + 1 < in ? found.first + 1 : in - 1;
    found.share = at - (float)found.first;
    return found;
}

static double mixed(double a, double b, float share)
{
    return a + (b - a) * (double)share;
}

static void resize_image(const double *in, const struct dg_xnn_shape *image,
                         const struct dg_xnn_shape *out, uint32_t flags, double *to)
{
    const int64_t *sizes = image->sizes;
    int64_t n = sizes[CHANNELS];

    for (int64_t i = 0; i < out->sizes[HEIGHT] * out->sizes[WIDTH]; i++) {
        struct between y =
            between(i / out->sizes[WIDTH], out->sizes[HEIGHT], sizes[HEIGHT], flags);
        struct between x =
            between(i % out->sizes[WIDTH], out->sizes[WIDTH], sizes[WIDTH], flags);
        const double *top = in + y.first * sizes[WIDTH] * n;
        const double *bottom = in + y.second * sizes[WIDTH] * n;

        for (int64_t channel = 0; channel < n; channel++) {
            int64_t left = x.first * n + channel, right = x.second * n + channel;

            to[i * n + channel] =
                mixed(mixed(top[left], top[right], x.share),
                      mixed(bottom[left], bottom[right], x.share), y.share);
        }
    }
}

enum dg_status dg_xnn_resize(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    const struct dg_xnn_shape *image = &node->inputs[0], *out = &call->xnnpack->result;
    struct dg_tensor *in;
    double *values;
    enum dg_status status;

    if (call->xnnpack->inputs[0]->quantized || !count_of(image))
        return dg_xnn_cannot(call,
                             "the runtime's numbers for such an image are not known");
    in = dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    values = in ? dg_scratch(call, count_of(out), sizeof(*values)) : NULL;
    for (int64_t i = 0; values && i < image->sizes[BATCH]; i++)
        resize_image(
            (double *)dg_tensor_data(in) + i * count_of(image) / image->sizes[BATCH],
            image, out, node->flags, values + i * count_of(out) / out->sizes[BATCH]);
    status = values ? dg_xnn_give_floats(call, out, values) : call->err->status;
    dg_tensor_drop(in);
    return status;
}
