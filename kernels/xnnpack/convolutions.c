/* Convolutions of images NHWC, by those of ATen. */
#include <string.h>

#include "kernels/cpu/movement.h"
#include "kernels/xnnpack/products.h"

enum { BATCH, HEIGHT, WIDTH, CHANNELS, IMAGE };

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

    return dg_xnn_permuted(dg_xnn_factor(call, DG_XNN_FILTER), IMAGE,
                           is_depthwise ? depthwise : to_nchw);
}

static bool has_images(const struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    bool is_depthwise = dg_text_is(node->op, "DepthwiseConv2d");
    const struct dg_xnn_shape *filter = &node->inputs[DG_XNN_FILTER];

    return dg_xnn_has_factors(call) && dg_xnn_has_slices(call, IMAGE - 1) &&
           (!is_depthwise || node->group_inputs == 1) && filter->rank == IMAGE &&
           filter->sizes[HEIGHT] == node->height &&
           filter->sizes[WIDTH] == node->width &&
           filter->sizes[is_depthwise ? CHANNELS : BATCH] ==
               node->groups * node->group_outputs &&
           filter->sizes[is_depthwise ? BATCH : CHANNELS] ==
               (is_depthwise ? 1 : node->group_inputs);
}

/* Each pixel of the result is a product of the one at its place. */
static bool is_pointwise(const struct dg_xnn_node *node)
{
    return node->groups == 1 && node->height == 1 && node->width == 1 &&
           node->down == 1 && node->across == 1 && !node->pad_top &&
           !node->pad_bottom && !node->pad_left && !node->pad_right &&
           !dg_text_is(node->op, "DepthwiseConv2d");
}

/* As images lie, without turning them. */
static enum dg_status multiply_pixels(struct dg_call *call)
{
    struct dg_tensor *filter = dg_xnn_factor(call, DG_XNN_FILTER), *matrix = NULL;
    struct dg_tensor *bias = dg_xnn_addend(call), *sums = NULL;

    if (filter)
        matrix = dg_tensor_view(
            filter, 2, (int64_t[]){filter->sizes[BATCH], filter->sizes[CHANNELS]},
            (int64_t[]){filter->strides[BATCH], filter->strides[CHANNELS]},
            filter->offset);
    if (matrix)
        sums = dg_xnn_multiplied(call, dg_xnn_factor(call, DG_XNN_INPUT), matrix, bias);
    dg_tensor_drop(filter);
    dg_tensor_drop(matrix);
    dg_tensor_drop(bias);
    return dg_xnn_give_sums(call, sums);
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
    if (!dg_xnn_bias_fits(call))
        return dg_xnn_cannot(call, "its bias has not a number for each channel");
    if (dg_xnn_sums_in_halves(call))
        return dg_xnn_half_convolution(call);
    if (is_pointwise(node))
        return multiply_pixels(call);
    image = dg_xnn_permuted(dg_xnn_factor(call, DG_XNN_INPUT), IMAGE, to_nchw);
    filter = filter_of(call);
    bias = dg_xnn_addend(call);
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
    return dg_xnn_give_sums(call, dg_xnn_permuted(sums, IMAGE, to_nhwc));
}

/* [out of all groups, height, width, in of a group] as ATen has it: [in of all groups,
 * out of a group, height, width]. */
static struct dg_tensor *transposed_filter(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    static const int order[] = {0, 4, 1, 2, 3};
    struct dg_tensor *filter = dg_xnn_copied(call, dg_xnn_factor(call, DG_XNN_FILTER));
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
    if (!dg_xnn_bias_fits(call))
        return dg_xnn_cannot(call, "its bias has not a number for each channel");
    image = dg_xnn_permuted(dg_xnn_factor(call, DG_XNN_INPUT), IMAGE, to_nchw);
    filter = transposed_filter(call);
    bias = dg_xnn_addend(call);
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
    return dg_xnn_give_sums(call, dg_xnn_permuted(cropped(sums, node), IMAGE, to_nhwc));
}
