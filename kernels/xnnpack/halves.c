/* Sums of F16 that are rounded to it at each term, as machines with such arithmetic do.
 */
#include "base/number.h"
#include "kernels/cpu/movement.h"
#include "kernels/xnnpack/products.h"

enum { BATCH, HEIGHT, WIDTH, CHANNELS };

/* A convolution of images NHWC by a filter whose elements lie `steps` apart. */
struct half_sums {
    const double *image, *filter, *bias; /* bias NULL: none */
    struct dg_xnn_shape in, out;
    int64_t height, width, down, across, apart, aside, top, left;
    int64_t group_inputs, group_outputs; /* channels of a group */
    int64_t channel_step, tap_step, input_step;
};

static double rounded(double value)
{
    return (double)dg_f16_value(dg_f16_bits(value));
}

/* Terms of one tap. */
static double add_tap(const struct half_sums *sums, const double *pixel,
                      const double *filter, double sum)
{
    for (int64_t i = 0; i < sums->group_inputs; i++)
        sum = rounded(sum + pixel[i] * filter[i * sums->input_step]);
    return sum;
}

static double half_sum(const struct half_sums *sums, const int64_t *place)
{
    int64_t channel = place[CHANNELS];
    int64_t first = channel / sums->group_outputs * sums->group_inputs;
    double sum = sums->bias ? rounded(sums->bias[channel]) : 0;

    for (int64_t tap = 0; tap < sums->height * sums->width; tap++) {
        int64_t y =
            place[HEIGHT] * sums->down - sums->top + tap / sums->width * sums->apart;
        int64_t x =
            place[WIDTH] * sums->across - sums->left + tap % sums->width * sums->aside;
        int64_t pixel;

        if (y < 0 || y >= sums->in.sizes[HEIGHT] || x < 0 || x >= sums->in.sizes[WIDTH])
            continue;
        pixel = (place[BATCH] * sums->in.sizes[HEIGHT] + y) * sums->in.sizes[WIDTH] + x;
        sum = add_tap(
            sums, sums->image + pixel * sums->in.sizes[CHANNELS] + first,
            sums->filter + channel * sums->channel_step + tap * sums->tap_step, sum);
    }
    return sum;
}

static enum dg_status give(struct dg_call *call, const struct half_sums *sums)
{
    const int64_t *sizes = sums->out.sizes;
    int64_t n = sizes[BATCH] * sizes[HEIGHT] * sizes[WIDTH] * sizes[CHANNELS];
    double *values = dg_scratch(call, n, sizeof(*values));

    for (int64_t i = 0; values && i < n; i++) {
        int64_t place[] = {i / sizes[CHANNELS] / sizes[WIDTH] / sizes[HEIGHT],
                           i / sizes[CHANNELS] / sizes[WIDTH] % sizes[HEIGHT],
                           i / sizes[CHANNELS] % sizes[WIDTH], i % sizes[CHANNELS]};

        values[i] = half_sum(sums, place);
    }
    return values ? dg_xnn_give_floats(call, &call->xnnpack->result, values)
                  : call->err->status;
}

/* The arguments as f64, for as long as `give` takes. */
static enum dg_status with_arguments(struct dg_call *call, struct half_sums *sums)
{
    struct dg_tensor *tensors[3] = {NULL};
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < call->n_args && i < 3 && !status; i++) {
        tensors[i] = dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, i)));
        status = call->err->status;
    }
    if (!status) {
        sums->image = dg_tensor_data(tensors[0]);
        sums->filter = dg_tensor_data(tensors[1]);
        sums->bias = tensors[2] ? dg_tensor_data(tensors[2]) : NULL;
        status = give(call, sums);
    }
    for (int i = 0; i < 3; i++)
        dg_tensor_drop(tensors[i]);
    return status;
}

enum dg_status dg_xnn_half_convolution(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    bool is_depthwise = dg_text_is(node->op, "DepthwiseConv2d");
    int64_t n_taps = node->height * node->width;
    int64_t n_outputs = node->groups * node->group_outputs;
    struct half_sums sums = {
        .in = node->inputs[0],
        .out = call->xnnpack->result,
        .height = node->height,
        .width = node->width,
        .down = node->down,
        .across = node->across,
        .apart = node->apart,
        .aside = node->aside,
        .top = node->pad_top,
        .left = node->pad_left,
        .group_inputs = node->group_inputs,
        .group_outputs = node->group_outputs,
        .channel_step = is_depthwise ? 1 : n_taps * node->group_inputs,
        .tap_step = is_depthwise ? n_outputs : node->group_inputs,
        .input_step = 1,
    };

    return with_arguments(call, &sums);
}

/* Rows of the input are pixels. */
enum dg_status dg_xnn_half_linear(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    const struct dg_xnn_shape *shape = &call->xnnpack->result;
    struct half_sums sums = {.height = 1, .width = 1, .down = 1, .across = 1};
    bool transposed = node->flags & DG_XNN_TRANSPOSED;
    int64_t n_rows = 1;

    for (int i = 0; i + 1 < shape->rank; i++)
        n_rows *= shape->sizes[i];
    sums.group_inputs = node->inputs[1].sizes[!transposed];
    sums.group_outputs = node->inputs[1].sizes[transposed];
    sums.channel_step = transposed ? 1 : sums.group_inputs;
    sums.input_step = transposed ? sums.group_outputs : 1;
    sums.in = (struct dg_xnn_shape){4, {n_rows, 1, 1, sums.group_inputs}};
    sums.out = (struct dg_xnn_shape){4, {n_rows, 1, 1, sums.group_outputs}};
    return with_arguments(call, &sums);
}
