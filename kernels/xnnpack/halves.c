/* Sums of F16 that are rounded to it at each term, as machines with such arithmetic do.
 */
#include <string.h>

#include "base/number.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/parallel.h"
#include "kernels/xnnpack/halves.h"
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

/* Channels of the result that are summed side by side. Those of several groups, which
 * have one input each, read one each; others read the same. */
struct block {
    const struct half_sums *sums;
    dg_xnn_half_line *add;
    int64_t first, n;
    bool each;
    double *weights; /* [tap, input, DG_XNN_HALF_LINE] */
    double *values;  /* of the result */
};

static double rounded(double value)
{
    return (double)dg_f16_value(dg_f16_bits(value));
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Of no inputs there may be any number of them. */
static int64_t n_taps(const struct half_sums *sums)
{
    return sums->group_inputs ? sums->height * sums->width : 0;
}

static void pack(const struct block *block)
{
    const struct half_sums *sums = block->sums;
    double *to = block->weights;

    for (int64_t tap = 0; tap < n_taps(sums); tap++) {
        for (int64_t i = 0; i < sums->group_inputs; i++, to += DG_XNN_HALF_LINE) {
            const double *from = sums->filter + tap * sums->tap_step +
                                 i * sums->input_step +
                                 block->first * sums->channel_step;

            for (int64_t k = 0; k < block->n; k++)
                to[k] = from[k * sums->channel_step];
        }
    }
}

/* Terms of one tap. */
static void add_tap(const struct block *block, const double *pixel,
                    const double *weights, double *line)
{
    const struct half_sums *sums = block->sums;
    int64_t group = block->first / sums->group_outputs;
    double inputs[DG_XNN_HALF_LINE] = {0};

    if (block->each) {
        for (int64_t k = 0; k < block->n; k++)
            inputs[k] = pixel[(block->first + k) / sums->group_outputs];
        block->add(line, weights, inputs, 1, block->n);
        return;
    }
    for (int64_t i = 0; i < sums->group_inputs; i++, weights += DG_XNN_HALF_LINE)
        block->add(line, weights, pixel + group * sums->group_inputs + i, 0, block->n);
}

/* What the window of pixel (batch, y, x) of the result sees. */
static void add_window(const struct block *block, const int64_t place[3], double *line)
{
    const struct half_sums *sums = block->sums;
    const int64_t *in = sums->in.sizes;

    for (int64_t tap = 0; tap < n_taps(sums); tap++) {
        int64_t y =
            place[HEIGHT] * sums->down - sums->top + tap / sums->width * sums->apart;
        int64_t x =
            place[WIDTH] * sums->across - sums->left + tap % sums->width * sums->aside;
        int64_t pixel;

        if (y < 0 || y >= in[HEIGHT] || x < 0 || x >= in[WIDTH])
            continue; /* a pixel far outside has no number that fits */
        pixel = (place[BATCH] * in[HEIGHT] + y) * in[WIDTH] + x;
        add_tap(block, sums->image + pixel * in[CHANNELS],
                block->weights + tap * sums->group_inputs * DG_XNN_HALF_LINE, line);
    }
}

static void run_pixels(void *data, int64_t from, int64_t to)
{
    const struct block *block = data;
    const int64_t *sizes = block->sums->out.sizes;
    const double *bias = block->sums->bias;

    for (int64_t i = from; i < to; i++) {
        int64_t place[] = {i / sizes[WIDTH] / sizes[HEIGHT],
                           i / sizes[WIDTH] % sizes[HEIGHT], i % sizes[WIDTH]};
        double line[DG_XNN_HALF_LINE] = {0};

        for (int64_t k = 0; bias && k < block->n; k++)
            line[k] = rounded(bias[block->first + k]);
        add_window(block, place, line);
        memcpy(block->values + i * sizes[CHANNELS] + block->first, line,
               (size_t)block->n * sizeof(*line));
    }
}

/* All channels, in blocks that lie in one group or have an input each. */
static void sum_blocks(const struct dg_call *call, struct block *block)
{
    const struct half_sums *sums = block->sums;
    const int64_t *sizes = sums->out.sizes;
    int64_t n_terms = n_taps(sums) * sums->group_inputs;

    block->add = dg_xnn_half_line_of(SIZE_MAX);
    block->each = sums->group_inputs == 1;
    while (block->first < sizes[CHANNELS]) {
        int64_t left = sizes[CHANNELS] - block->first;

        if (!block->each)
            left = sums->group_outputs - block->first % sums->group_outputs;
        block->n = least(left, DG_XNN_HALF_LINE);
        pack(block);
        dg_parallel(call->context->n_threads,
                    sizes[BATCH] * sizes[HEIGHT] * sizes[WIDTH],
                    (1 << 11) / (n_terms + 1) + 1, run_pixels, block);
        block->first += block->n;
    }
}

static enum dg_status give(struct dg_call *call, const struct half_sums *sums)
{
    const int64_t *sizes = sums->out.sizes;
    int64_t n = sizes[BATCH] * sizes[HEIGHT] * sizes[WIDTH] * sizes[CHANNELS];
    int64_t n_terms = n_taps(sums) * sums->group_inputs;
    struct block block = {.sums = sums};

    block.values = dg_scratch(call, n, sizeof(double));
    if (block.values && n)
        block.weights = dg_scratch(call, n_terms, DG_XNN_HALF_LINE * sizeof(double));
    if (!block.values || (n && !block.weights))
        return call->err->status;
    if (n)
        sum_blocks(call, &block);
    return dg_xnn_give_floats(call, &call->xnnpack->result, block.values);
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
