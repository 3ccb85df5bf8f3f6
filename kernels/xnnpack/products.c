/* Nodes that sum products: of floats as ATen's operators do, of codes as whole numbers
 * in F64, which holds their sums exactly; scales come behind the sum. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/movement.h"
#include "kernels/xnnpack/xnnpack.h"

enum { INPUT, FILTER, BIAS };
enum { TRANSPOSED = 1 };
enum { BATCH, HEIGHT, WIDTH, CHANNELS, IMAGE };

static struct dg_tensor *argument(const struct dg_call *call, size_t i)
{
    return dg_tensor_keep(dg_arg_tensor(call, i));
}

static bool is_quantized(const struct dg_call *call)
{
    return call->xnnpack->inputs[INPUT]->quantized != 0;
}

/* An operand as the sum takes it: a float, or a whole number. */
static struct dg_tensor *factor(struct dg_call *call, size_t i)
{
    return is_quantized(call) ? dg_xnn_centered(call, i)
                              : dg_xnn_as_float(call, argument(call, i));
}

/* What is added to the sum itself: floats are added behind scales. */
static struct dg_tensor *addend(struct dg_call *call)
{
    if (call->n_args <= BIAS ||
        call->xnnpack->inputs[INPUT]->quantized == DG_XNN_BY_SLICE)
        return NULL;
    return factor(call, BIAS);
}

/* Scales of results by channel, and how sums become results. */
struct scaling {
    const struct dg_xnn_operand *input, *filter, *out;
    int64_t n_channels;
    const double *bias; /* behind scales; NULL */
    struct dg_xnn_range range;
};

static float filter_scale(const struct scaling *scaling, int64_t channel)
{
    const struct dg_xnn_operand *filter = scaling->filter;

    return filter->quantized == DG_XNN_BY_CHANNEL ? filter->scales[channel]
                                                  : filter->scale;
}

/* The code of a sum: a scale in f32, ties to even. */
static double code_of_sum(const struct scaling *scaling, int64_t channel, double sum)
{
    float scale =
        scaling->input->scale * filter_scale(scaling, channel) / scaling->out->scale;

    return (double)dg_xnn_code(&scaling->range, (float)sum * scale);
}

static bool has_scales(const struct scaling *scaling)
{
    const struct dg_xnn_operand *filter = scaling->filter;

    return filter->quantized == DG_XNN_BY_TENSOR ||
           (filter->quantized == DG_XNN_BY_CHANNEL &&
            filter->n_scales >= scaling->n_channels);
}

/* Sums of an input with a scale for each slice: floats, fused with the bias. */
static void scale_slices(const struct scaling *scaling, const double *slices,
                         int64_t n_inner, int64_t n, bool wide, double *sums)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t channel = i % scaling->n_channels;
        double bias = scaling->bias ? scaling->bias[channel] : 0;
        double slice = slices[i / n_inner], scale = filter_scale(scaling, channel);

        sums[i] = wide ? sums[i] * slice * scale + bias
                       : (double)fmaf((float)sums[i] * (float)slice, (float)scale,
                                      (float)bias);
    }
}

/* The bias as f64, for as long as the call lasts; NULL: there is none. */
static enum dg_status read_bias(struct dg_call *call, const double **bias)
{
    const struct dg_tensor *from = dg_arg_tensor(call, BIAS);
    struct dg_tensor *tensor;
    double *values;

    *bias = NULL;
    if (!from)
        return DG_OK;
    tensor = dg_xnn_as_f64(call, argument(call, BIAS));
    values = tensor ? dg_scratch(call, dg_tensor_count(tensor), sizeof(*values)) : NULL;
    if (values)
        memcpy(values, dg_tensor_data(tensor),
               (size_t)dg_tensor_count(tensor) * sizeof(*values));
    dg_tensor_drop(tensor);
    *bias = values;
    return call->err->status;
}

static enum dg_status finish_slices(struct dg_call *call, struct scaling *scaling,
                                    struct dg_tensor *sums)
{
    struct dg_tensor *scales =
        dg_xnn_as_f64(call, dg_tensor_keep(dg_xnn_slice_scales(call, INPUT)));
    struct dg_xnn_shape shape = dg_xnn_shape_of(sums);
    int64_t n = dg_tensor_count(sums);
    enum dg_status status =
        scales ? read_bias(call, &scaling->bias) : call->err->status;

    if (!status && n)
        scale_slices(scaling, dg_tensor_data(scales), n / dg_tensor_count(scales), n,
                     dg_xnn_is_wide(call), dg_tensor_data(sums));
    dg_tensor_drop(scales);
    return status ? status : dg_xnn_give_floats(call, &shape, dg_tensor_data(sums));
}

static enum dg_status finish_codes(struct dg_call *call, const struct scaling *scaling,
                                   struct dg_tensor *sums)
{
    struct dg_xnn_shape shape = dg_xnn_shape_of(sums);
    struct dg_xnn_step plain = *call->xnnpack;
    struct dg_call codes = *call;
    double *at = dg_tensor_data(sums);

    for (int64_t i = 0, n = dg_tensor_count(sums); i < n; i++)
        at[i] = code_of_sum(scaling, i % scaling->n_channels, at[i]);
    plain.least = -INFINITY;
    plain.most = INFINITY;
    codes.xnnpack = &plain;
    return dg_xnn_give_floats(&codes, &shape, at);
}

/* Sums become results; uses up their share. The last dimension are the channels. */
static enum dg_status finish(struct dg_call *call, struct dg_tensor *sums)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct scaling scaling = {step->inputs[INPUT], step->inputs[FILTER],
                              step->outputs[0], .range = dg_xnn_codes_of(step)};
    struct dg_tensor *copy;
    enum dg_status status;

    if (!is_quantized(call))
        return dg_xnn_give_tensor(call, sums);
    copy = dg_xnn_copied(call, sums);
    if (!copy)
        return call->err->status ? call->err->status
                                 : dg_xnn_cannot(call, "an input is no tensor");
    scaling.n_channels = copy->sizes[copy->rank - 1];
    if (!has_scales(&scaling))
        status = dg_xnn_cannot(call, "its filter has no scale for each channel");
    else if (scaling.input->quantized == DG_XNN_BY_SLICE)
        status = finish_slices(call, &scaling, copy);
    else if (scaling.out->quantized == DG_XNN_BY_TENSOR)
        status = finish_codes(call, &scaling, copy);
    else
        status = dg_xnn_cannot(call, "what it makes of such codes is not known");
    dg_tensor_drop(copy);
    return status;
}

static struct dg_arg numbers(struct dg_arg *items, int64_t a, int64_t b)
{
    items[0] = dg_integer_arg(a);
    items[1] = dg_integer_arg(b);
    return (struct dg_arg){DG_ARG_LIST, .as.list = {items, 2}};
}

/* The share, where there is also the other one. */
static struct dg_tensor *beside(struct dg_tensor *tensor, const struct dg_tensor *other)
{
    if (other)
        return tensor;
    dg_tensor_drop(tensor);
    return NULL;
}

static const int to_nchw[] = {BATCH, CHANNELS, HEIGHT, WIDTH};
static const int to_nhwc[] = {0, 2, 3, 1};

static struct dg_tensor *padded(struct dg_call *call, struct dg_tensor *image)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    struct dg_arg pads[] = {
        dg_integer_arg(node->pad_left), dg_integer_arg(node->pad_right),
        dg_integer_arg(node->pad_top), dg_integer_arg(node->pad_bottom)};
    struct dg_arg list = {DG_ARG_LIST, .as.list = {pads, 4}};

    return dg_apply(call, dg_cpu_constant_pad_nd, image, DG_REST(list, dg_real_arg(0)));
}

/* [out, height, width, in of a group], or of a depthwise one [1, height, width, out],
 * as ATen has them: [out, in of a group, height, width]. */
static struct dg_tensor *filter_of(struct dg_call *call)
{
    static const int depthwise[] = {3, 0, 1, 2};
    bool is_depthwise = dg_text_is(call->xnnpack->node.op, "DepthwiseConv2d");

    return dg_xnn_permuted(factor(call, FILTER), IMAGE,
                           is_depthwise ? depthwise : to_nchw);
}

/* Slices have a scale for all channels of their results. */
static bool has_slices(const struct dg_call *call, int n_inner)
{
    const struct dg_xnn_operand *input = call->xnnpack->inputs[INPUT];

    return input->quantized != DG_XNN_BY_SLICE || input->n_inner == n_inner;
}

/* Both are floats, or both are codes; a bias has an element for each channel. */
static bool has_factors(const struct dg_call *call)
{
    const struct dg_xnn_shape *result = &call->xnnpack->result;

    return is_quantized(call) == (call->xnnpack->inputs[FILTER]->quantized != 0) &&
           (call->n_args <= BIAS || dg_tensor_count(dg_arg_tensor(call, BIAS)) ==
                                        result->sizes[result->rank - 1]);
}

static bool has_images(const struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    bool is_depthwise = dg_text_is(node->op, "DepthwiseConv2d");
    const struct dg_xnn_shape *filter = &node->inputs[FILTER];

    return has_factors(call) && has_slices(call, IMAGE - 1) &&
           (!is_depthwise || node->group_inputs == 1) && filter->rank == IMAGE &&
           filter->sizes[HEIGHT] == node->height &&
           filter->sizes[WIDTH] == node->width &&
           filter->sizes[is_depthwise ? CHANNELS : BATCH] ==
               node->groups * node->group_outputs &&
           filter->sizes[is_depthwise ? BATCH : CHANNELS] ==
               (is_depthwise ? 1 : node->group_inputs);
}

/* Sums of 16 bits, term by term: what machines with such arithmetic do, and the least
 * that rounding may lead to. */
static bool sums_in_halves(const struct dg_call *call)
{
    return call->context->precision == DG_PRECISION_OWN_SUMS &&
           call->xnnpack->inputs[INPUT]->type == DG_TYPE_F16;
}

enum dg_status dg_xnn_convolution(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    bool even = node->pad_top == node->pad_bottom && node->pad_left == node->pad_right;
    struct dg_arg items[4][2];
    struct dg_tensor *image, *filter, *bias, *sums;

    if (!has_images(call))
        return dg_xnn_cannot(call,
                             "its filter has another type or other sizes than it says");
    if (sums_in_halves(call))
        return dg_xnn_half_convolution(call);
    image = dg_xnn_permuted(factor(call, INPUT), IMAGE, to_nchw);
    filter = filter_of(call);
    bias = addend(call);
    if (!even)
        image = padded(call, image);
    sums = dg_apply(call, dg_cpu_convolution, beside(image, filter),
                    DG_REST(dg_tensor_arg(filter), dg_tensor_arg(bias),
                            numbers(items[0], node->down, node->across),
                            even ? numbers(items[1], node->pad_top, node->pad_left)
                                 : numbers(items[1], 0, 0),
                            numbers(items[2], node->apart, node->aside),
                            (struct dg_arg){DG_ARG_BOOL}, numbers(items[3], 0, 0),
                            dg_integer_arg(node->groups)));
    dg_tensor_drop(filter);
    dg_tensor_drop(bias);
    return finish(call, dg_xnn_permuted(sums, IMAGE, to_nhwc));
}

/* [out of all groups, height, width, in of a group] as ATen has it: [in of all groups,
 * out of a group, height, width]. */
static struct dg_tensor *transposed_filter(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    static const int order[] = {0, 4, 1, 2, 3};
    struct dg_tensor *filter = dg_xnn_copied(call, factor(call, FILTER));
    const int64_t grouped[] = {node->groups, node->group_outputs, node->height,
                               node->width, node->group_inputs};
    const int64_t joined[] = {node->groups * node->group_inputs, node->group_outputs,
                              node->height, node->width};

    if (!filter)
        return NULL;
    filter->rank = 5;
    memcpy(filter->sizes, grouped, sizeof(grouped));
    dg_contiguous_strides(5, filter->sizes, filter->strides);
    filter = dg_xnn_copied(call, dg_xnn_permuted(filter, 5, order));
    if (!filter)
        return NULL;
    filter->rank = IMAGE;
    memcpy(filter->sizes, joined, sizeof(joined));
    dg_contiguous_strides(IMAGE, filter->sizes, filter->strides);
    return filter;
}

/* What is left of the whole when its paddings are cut off. */
static struct dg_tensor *cropped(struct dg_tensor *whole,
                                 const struct dg_xnn_node *node)
{
    struct dg_tensor *part;
    int64_t sizes[IMAGE];

    if (!whole)
        return NULL;
    memcpy(sizes, whole->sizes, sizeof(sizes));
    sizes[2] -= node->pad_top + node->pad_bottom;
    sizes[3] -= node->pad_left + node->pad_right;
    part = dg_tensor_view(whole, IMAGE, sizes, whole->strides,
                          whole->offset + node->pad_top * whole->strides[2] +
                              node->pad_left * whole->strides[3]);
    dg_tensor_drop(whole);
    return part;
}

enum dg_status dg_xnn_transposed_convolution(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    struct dg_arg items[4][2];
    struct dg_tensor *image, *filter, *bias, *sums;

    if (!has_images(call))
        return dg_xnn_cannot(call,
                             "its filter has another type or other sizes than it says");
    image = dg_xnn_permuted(factor(call, INPUT), IMAGE, to_nchw);
    filter = transposed_filter(call);
    bias = addend(call);
    sums = dg_apply(call, dg_cpu_convolution, beside(image, filter),
                    DG_REST(dg_tensor_arg(filter), dg_tensor_arg(bias),
                            numbers(items[0], node->down, node->across),
                            numbers(items[1], 0, 0),
                            numbers(items[2], node->apart, node->aside),
                            (struct dg_arg){DG_ARG_BOOL, .as.integer = true},
                            numbers(items[3], node->more_height, node->more_width),
                            dg_integer_arg(node->groups)));
    dg_tensor_drop(filter);
    dg_tensor_drop(bias);
    return finish(call, dg_xnn_permuted(cropped(sums, node), IMAGE, to_nhwc));
}

static struct dg_tensor *matrix_of(struct dg_call *call)
{
    static const int turned[] = {1, 0};
    struct dg_tensor *filter = factor(call, FILTER);

    return call->xnnpack->node.flags & TRANSPOSED ? dg_xnn_permuted(filter, 2, turned)
                                                  : filter;
}

/* Columns from `first` on, `n` of them; the last dimension. */
static struct dg_tensor *columns(const struct dg_tensor *tensor, int64_t first,
                                 int64_t n)
{
    int64_t sizes[DG_RANK_MOST];
    int last = tensor->rank - 1;

    memcpy(sizes, tensor->sizes, sizeof(sizes));
    sizes[last] = n;
    return dg_tensor_view(tensor, tensor->rank, sizes, tensor->strides,
                          tensor->offset + first * tensor->strides[last]);
}

static struct dg_tensor *multiplied(struct dg_call *call, struct dg_tensor *input,
                                    const struct dg_tensor *filter,
                                    struct dg_tensor *bias)
{
    struct dg_arg matrix = dg_tensor_arg((struct dg_tensor *)filter);

    return dg_apply(call, dg_cpu_linear, input, DG_REST(matrix, dg_tensor_arg(bias)));
}

/* What a block of columns adds to each result, by scales of its own. */
static void add_block(const struct dg_xnn_operand *filter, int64_t block,
                      int64_t n_blocks, const struct dg_tensor *sums, bool wide,
                      double *to)
{
    int64_t n_channels = sums->sizes[sums->rank - 1];
    const double *at = dg_tensor_data(sums);

    for (int64_t i = 0, n = dg_tensor_count(sums); i < n; i++) {
        float scale = filter->scales[i % n_channels * n_blocks + block];

        to[i] = wide ? to[i] + at[i] * scale
                     : (double)fmaf((float)at[i], scale, (float)to[i]);
    }
}

/* By the scale of its slice, and then the bias: not fused here. */
static void end_blocks(double *values, int64_t n, const double *slices,
                       int64_t n_slices, const double *bias, int64_t n_channels,
                       bool wide)
{
    for (int64_t i = 0; i < n; i++) {
        double slice = slices[i / (n / n_slices)];
        double more = bias ? bias[i % n_channels] : 0;

        values[i] = wide ? values[i] * slice + more
                         : (double)((float)values[i] * (float)slice + (float)more);
    }
}

static enum dg_status sum_blocks(struct dg_call *call, const struct dg_tensor *input,
                                 const struct dg_tensor *filter, double *values)
{
    const struct dg_xnn_operand *blocks = call->xnnpack->inputs[FILTER];
    int64_t n_blocks = filter->sizes[1] / blocks->group_size;

    for (int64_t block = 0; block < n_blocks; block++) {
        struct dg_tensor *part =
            columns(filter, block * blocks->group_size, blocks->group_size);
        struct dg_tensor *sums = multiplied(
            call, columns(input, block * blocks->group_size, blocks->group_size), part,
            NULL);

        dg_tensor_drop(part);
        if (!sums)
            return call->err->status;
        add_block(blocks, block, n_blocks, sums, dg_xnn_is_wide(call), values);
        dg_tensor_drop(sums);
    }
    return DG_OK;
}

static bool has_blocks(const struct dg_call *call, const struct dg_tensor *filter)
{
    const struct dg_xnn_operand *blocks = call->xnnpack->inputs[FILTER];

    return call->xnnpack->inputs[INPUT]->quantized == DG_XNN_BY_SLICE &&
           !(call->xnnpack->node.flags & TRANSPOSED) && blocks->group_size > 0 &&
           filter->sizes[1] && filter->sizes[1] % blocks->group_size == 0 &&
           blocks->n_scales >=
               filter->sizes[0] * (filter->sizes[1] / blocks->group_size);
}

static enum dg_status linear_blocks(struct dg_call *call, struct dg_tensor *input,
                                    struct dg_tensor *filter)
{
    struct dg_tensor *scales =
        dg_xnn_as_f64(call, dg_tensor_keep(dg_xnn_slice_scales(call, INPUT)));
    int64_t n = dg_tensor_count(input) / filter->sizes[1] * filter->sizes[0];
    double *values = scales ? dg_scratch(call, n, sizeof(*values)) : NULL;
    const double *bias;
    enum dg_status status = values ? read_bias(call, &bias) : call->err->status;

    if (!status)
        status = sum_blocks(call, input, filter, values);
    if (!status && n)
        end_blocks(values, n, dg_tensor_data(scales), dg_tensor_count(scales), bias,
                   filter->sizes[0], dg_xnn_is_wide(call));
    if (!status)
        status = dg_xnn_give_floats(call, &call->xnnpack->result, values);
    dg_tensor_drop(scales);
    return status;
}

static enum dg_status linear_by_groups(struct dg_call *call)
{
    struct dg_tensor *input = factor(call, INPUT), *filter = factor(call, FILTER);
    enum dg_status status = call->err->status;

    if (input && filter)
        status = has_blocks(call, filter)
                     ? linear_blocks(call, input, filter)
                     : dg_xnn_cannot(call, "its blocks do not fit its filter");
    dg_tensor_drop(input);
    dg_tensor_drop(filter);
    return status;
}

/* Rows of an odd number of 4-bit weights: rule blob/odd-row. */
static bool has_odd_rows(const struct dg_call *call)
{
    const struct dg_xnn_operand *filter = call->xnnpack->inputs[FILTER];

    return filter->four_bits && filter->shape.rank &&
           filter->shape.sizes[filter->shape.rank - 1] % 2;
}

enum dg_status dg_xnn_linear(struct dg_call *call)
{
    struct dg_tensor *filter, *bias, *sums;

    if (!has_factors(call) || !has_slices(call, 1))
        return dg_xnn_cannot(call, "its filter has another type than its input");
    if (has_odd_rows(call) &&
        call->xnnpack->inputs[INPUT]->quantized == DG_XNN_BY_SLICE)
        return dg_xnn_cannot(call, "what the runtime makes of rows of an odd number of"
                                   " 4-bit weights is not known");
    if (call->xnnpack->inputs[FILTER]->quantized == DG_XNN_BY_GROUP)
        return linear_by_groups(call);
    if (sums_in_halves(call))
        return dg_xnn_half_linear(call);
    filter = matrix_of(call);
    bias = addend(call);
    sums = filter ? multiplied(call, factor(call, INPUT), filter, bias) : NULL;
    dg_tensor_drop(filter);
    dg_tensor_drop(bias);
    return finish(call, sums);
}

enum dg_status dg_xnn_product(struct dg_call *call)
{
    int rank = call->n_args > 1 ? call->xnnpack->node.inputs[1].rank : 0;
    int order[DG_XNN_RANK] = {0, 1, 2, 3, 4, 5};
    struct dg_tensor *second, *product;

    if (rank < 2 || is_quantized(call) || call->xnnpack->inputs[1]->quantized)
        return dg_xnn_cannot(call, "what it makes of such codes is not known");
    if (call->xnnpack->node.flags & TRANSPOSED) {
        order[rank - 2] = rank - 1;
        order[rank - 1] = rank - 2;
    }
    second = dg_xnn_permuted(factor(call, 1), rank, order);
    product = second ? dg_apply(call, dg_cpu_matmul, factor(call, 0),
                                DG_REST(dg_tensor_arg(second)))
                     : NULL;
    dg_tensor_drop(second);
    return dg_xnn_give_tensor(call, product);
}

/* Over the last dimension. */
enum dg_status dg_xnn_softmax(struct dg_call *call)
{
    if (is_quantized(call))
        return dg_xnn_cannot(call, "the runtime has no softmax of codes");
    return dg_xnn_give_tensor(
        call, dg_apply(call, dg_cpu_softmax, dg_xnn_as_float(call, argument(call, 0)),
                       DG_REST(dg_integer_arg(-1), (struct dg_arg){DG_ARG_NONE})));
}
