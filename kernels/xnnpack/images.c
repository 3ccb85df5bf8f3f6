/* Nodes that look at windows of an image, NHWC. */
#include <math.h>

#include "kernels/cpu/movement.h"
#include "kernels/xnnpack/xnnpack.h"

enum { BATCH, HEIGHT, WIDTH, CHANNELS, SAME_PADDING = 4, CORNERS = 8, LEGACY = 4 };

/* The windows of an image, and what of it they see. */
struct windows {
    const double *in;
    struct dg_xnn_shape image, out;
    int64_t height, width, down, across, apart, aside, top, left;
    bool is_padded;
};

static int64_t padding_before(int64_t size, int64_t window, int64_t apart, int64_t stride)
{
    int64_t total = ((size + stride - 1) / stride - 1) * stride + (window - 1) * apart + 1;

    return total > size ? (total - size) / 2 : 0;
}

static int64_t least_1(int64_t number)
{
    return number > 0 ? number : 1;
}

static struct windows windows_of(const struct dg_xnn_node *node, const double *in)
{
    struct windows windows = {
        .in = in,
        .image = node->inputs[0],
        .height = node->height,
        .width = node->width,
        .down = least_1(node->down),
        .across = least_1(node->across),
        .apart = least_1(node->apart),
        .aside = least_1(node->aside),
        .top = node->pad_top,
        .left = node->pad_left,
        .is_padded =
            node->pad_top || node->pad_bottom || node->pad_left || node->pad_right,
    };
    struct dg_writer why = {0};

    dg_xnn_infer(&windows.out, node, &why);
    dg_writer_clear(&why);
    if (dg_text_is(node->op, "AvgPooling2d"))
        windows.apart = windows.aside = 1;
    if (dg_text_is(node->op, "ArgMaxPooling2d")) {
        windows.down = node->height;
        windows.across = node->width;
    }
    if (node->flags & SAME_PADDING) {
        windows.top = padding_before(windows.image.sizes[HEIGHT], node->height,
                                     windows.apart, windows.down);
        windows.left = padding_before(windows.image.sizes[WIDTH], node->width,
                                      windows.aside, windows.across);
        windows.is_padded = true;
    }
    return windows;
}

/* What a window sees: up to all its taps, row by row; `taps` says which. */
struct seen {
    double sum, largest;
    int64_t n, at; /* at: which tap was the largest */
};

static void see(struct seen *seen, double value, int64_t tap, bool in_f32)
{
    if (!seen->n || value > seen->largest) {
        seen->largest = value;
        seen->at = tap;
    }
    seen->sum += value;
    if (in_f32)
        seen->sum = (float)seen->sum;
    seen->n++;
}

static struct seen look(const struct windows *windows, const int64_t *place, bool in_f32)
{
    const int64_t *sizes = windows->image.sizes;
    struct seen seen = {0, -INFINITY, 0, 0};

    for (int64_t i = 0; i < windows->height; i++) {
        int64_t y = place[HEIGHT] * windows->down - windows->top + i * windows->apart;

        for (int64_t j = 0; y >= 0 && y < sizes[HEIGHT] && j < windows->width; j++) {
            int64_t x =
                place[WIDTH] * windows->across - windows->left + j * windows->aside;

            if (x >= 0 && x < sizes[WIDTH])
                see(&seen,
                    windows->in[((place[BATCH] * sizes[HEIGHT] + y) * sizes[WIDTH] + x) *
                                    sizes[CHANNELS] +
                                place[CHANNELS]],
                    i * windows->width + j, in_f32);
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

static int64_t count_of(const struct dg_xnn_shape *shape)
{
    int64_t count = 1;

    for (int i = 0; i < shape->rank; i++)
        count *= shape->sizes[i];
    return count;
}

static void pool(const struct windows *windows, value_fn *value, bool in_f32, double *to)
{
    const int64_t *sizes = windows->out.sizes;

    for (int64_t i = 0, n = count_of(&windows->out); i < n; i++) {
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
    struct dg_tensor *in = dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    bool in_f32 = call->context->precision == DG_PRECISION_OWN_SUMS;
    enum dg_status status = call->err->status;

    if (in) {
        struct windows windows =
            windows_of(&call->xnnpack->node, dg_tensor_data(in));
        double *values = dg_scratch(call, count_of(&windows.out), sizeof(*values));

        if (values) {
            pool(&windows, value, in_f32, values);
            status = dg_xnn_give_floats(call, &windows.out, values);
        } else {
            status = call->err->status;
        }
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

    whole.xnnpack = &step;
    if (step.outputs[0]->quantized) {
        struct dg_xnn_range range = dg_xnn_codes_of(&step);

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

/* Of codes: the sum of n without their zero points, times a scale by n. */
static enum dg_status average_codes(struct dg_call *call, const struct dg_xnn_shape *shape,
                                    double *sums, int64_t n_pixels)
{
    const struct dg_xnn_step *step = call->xnnpack;
    float scale =
        step->inputs[0]->scale / step->outputs[0]->scale / (float)n_pixels;
    struct dg_xnn_range range = dg_xnn_codes_of(step);
    struct dg_xnn_step plain = *step;
    struct dg_call codes = *call;

    for (int64_t i = 0, n = count_of(shape); i < n; i++)
        sums[i] = (double)dg_xnn_code(&range, (float)sums[i] * scale);
    plain.least = -INFINITY;
    plain.most = INFINITY;
    codes.xnnpack = &plain;
    return dg_xnn_give_floats(&codes, shape, sums);
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
    struct dg_xnn_shape shape;
    struct dg_writer why = {0};

    if (!sums)
        return call->err->status;
    dg_xnn_infer(&shape, &call->xnnpack->node, &why);
    dg_writer_clear(&why);
    sum_pixels(in, call->context->precision == DG_PRECISION_OWN_SUMS, sums);
    if (call->xnnpack->inputs[0]->quantized)
        return average_codes(call, &shape, sums, n_pixels);
    for (int64_t i = 0; i < n; i++)
        sums[i] /= (double)n_pixels;
    return dg_xnn_give_floats(call, &shape, sums);
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
    found.first = (int64_t)at;
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
        struct between y = between(i / out->sizes[WIDTH], out->sizes[HEIGHT],
                                   sizes[HEIGHT], flags);
        struct between x =
            between(i % out->sizes[WIDTH], out->sizes[WIDTH], sizes[WIDTH], flags);
        const double *top = in + y.first * sizes[WIDTH] * n;
        const double *bottom = in + y.second * sizes[WIDTH] * n;

        for (int64_t channel = 0; channel < n; channel++) {
            int64_t left = x.first * n + channel, right = x.second * n + channel;

            to[i * n + channel] = mixed(mixed(top[left], top[right], x.share),
                                        mixed(bottom[left], bottom[right], x.share),
                                        y.share);
        }
    }
}

enum dg_status dg_xnn_resize(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    const struct dg_xnn_shape *image = &node->inputs[0];
    struct dg_xnn_shape out = *image;
    struct dg_tensor *in;
    double *values;
    enum dg_status status;

    out.sizes[HEIGHT] = node->new_height;
    out.sizes[WIDTH] = node->new_width;
    if (call->xnnpack->inputs[0]->quantized || !count_of(image))
        return dg_xnn_cannot(call, "the runtime's numbers for such an image are not known");
    in = dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    values = in ? dg_scratch(call, count_of(&out), sizeof(*values)) : NULL;
    for (int64_t i = 0; values && i < image->sizes[BATCH]; i++)
        resize_image((double *)dg_tensor_data(in) + i * count_of(image) / image->sizes[BATCH],
                     image, &out, node->flags,
                     values + i * count_of(&out) / out.sizes[BATCH]);
    status = values ? dg_xnn_give_floats(call, &out, values) : call->err->status;
    dg_tensor_drop(in);
    return status;
}
