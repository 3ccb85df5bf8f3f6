/* Convolutions of images NHWC, as they lie; transposed ones by those of ATen. */
#include <string.h>

#include "kernels/cpu/conv.h"
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

static bool is_depthwise(const struct dg_call *call)
{
    return dg_text_is(call->xnnpack->node.op, "DepthwiseConv2d");
}

/* Codes have scales of their images or, for a convolution of 1x1, of their pixels. */
static bool has_slices(const struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    const struct dg_xnn_shape *image = &node->inputs[DG_XNN_INPUT];

    if (image->rank != IMAGE || dg_xnn_has_slices(call, IMAGE - 1))
        return image->rank == IMAGE;
    return dg_xnn_has_slices(call, 1) &&
           (dg_xnn_is_pointwise(node) ||
            (image->sizes[HEIGHT] == 1 && image->sizes[WIDTH] == 1));
}

static bool has_images(const struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    bool depthwise = is_depthwise(call);
    const struct dg_xnn_shape *filter = &node->inputs[DG_XNN_FILTER];

    return dg_xnn_has_factors(call) && (!depthwise || node->group_inputs == 1) &&
           filter->rank == IMAGE && filter->sizes[HEIGHT] == node->height &&
           filter->sizes[WIDTH] == node->width &&
           filter->sizes[depthwise ? CHANNELS : BATCH] ==
               node->groups * node->group_outputs &&
           filter->sizes[depthwise ? BATCH : CHANNELS] ==
               (depthwise ? 1 : node->group_inputs);
}

/* NULL: it can be computed. */
static const char *mismatch(const struct dg_call *call)
{
    if (!has_images(call))
        return "its filter has another type or other sizes than it says";
    if (!has_slices(call))
        return "the codes that it reads have scales of pixels, not of images";
    return dg_xnn_bias_fits(call) ? NULL : "its bias has not a number for each channel";
}

/* The same elements in ATen's order, which says the geometry. */
static enum dg_status begin(struct dg_call *call, struct dg_conv *conv,
                            struct dg_tensor *image, struct dg_tensor *filter)
{
    static const int of_depthwise[] = {3, 0, 1, 2};
    const struct dg_xnn_node *node = &call->xnnpack->node;
    struct dg_conv_options options = {
        .n_axes = 2,
        .stride = {node->down, node->across},
        .padding = {node->pad_top, node->pad_left},
        .padding_more = {node->pad_bottom - node->pad_top,
                         node->pad_right - node->pad_left},
        .dilation = {node->apart, node->aside},
        .groups = node->groups,
    };
    enum dg_status status = call->err->status;

    image = dg_xnn_permuted(dg_tensor_keep(image), IMAGE, to_nchw);
    filter = dg_xnn_permuted(dg_tensor_keep(filter), IMAGE,
                             is_depthwise(call) ? of_depthwise : to_nchw);
    if (image && filter)
        status = dg_conv_begin(call, conv, &options, image, filter);
    dg_tensor_drop(image);
    dg_tensor_drop(filter);
    return status;
}

static struct dg_tensor *sums_of(struct dg_call *call, const struct dg_conv *conv,
                                 const struct dg_tensor *image,
                                 const struct dg_tensor *filter,
                                 const struct dg_tensor *bias)
{
    const int64_t sizes[] = {conv->samples, conv->axes[1].coarse, conv->axes[2].coarse,
                             conv->coarse_channels};
    struct dg_tensor *sums =
        dg_tensor_new(call->context->memory, image->type, IMAGE, sizes, call->err);

    if (sums && is_depthwise(call)) {
        if (dg_conv_pixels_apart(call, conv, image, filter, bias, sums)) {
            dg_tensor_drop(sums);
            return NULL;
        }
    } else if (sums) {
        dg_conv_pixels(call, conv, image, filter, bias, sums);
    }
    return sums;
}

static struct dg_tensor *convolved(struct dg_call *call)
{
    struct dg_tensor *image =
        dg_xnn_contiguous(call, dg_xnn_factor(call, DG_XNN_INPUT));
    struct dg_tensor *filter = dg_xnn_contiguous(call, dg_xnn_weights(call));
    struct dg_tensor *bias = dg_xnn_addend(call), *sums = NULL;
    struct dg_conv conv;

    if (image && filter && !call->err->status && !begin(call, &conv, image, filter))
        sums = sums_of(call, &conv, image, filter, bias);
    dg_tensor_drop(image);
    dg_tensor_drop(filter);
    dg_tensor_drop(bias);
    return sums;
}

enum dg_status dg_xnn_convolution(struct dg_call *call)
{
    const char *why = mismatch(call);

    if (why)
        return dg_xnn_cannot(call, why);
    if (dg_xnn_sums_in_halves(call))
        return dg_xnn_half_convolution(call);
    return dg_xnn_give_sums(call, convolved(call));
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
    const char *why = mismatch(call);

    if (why)
        return dg_xnn_cannot(call, why);
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
