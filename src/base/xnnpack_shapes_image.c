/* Shapes of images behind convolutions, pools and resizing. */
#include <inttypes.h>

#include "base/xnnpack_shapes_parts.h"

enum { BATCH, HEIGHT, WIDTH, CHANNELS, IMAGE };

static bool check_image(const struct dg_xnn_node *node, int64_t channels,
                        struct dg_writer *why)
{
    const struct dg_xnn_shape *input = &node->inputs[0];

    if (input->rank != IMAGE)
        return dg_xnn_print_one(why, "it takes an image of 4 dimensions, its input is",
                                input);
    if (channels && input->sizes[CHANNELS] != channels) {
        dg_print(why, "it takes %" PRId64 " channels, ", channels);
        return dg_xnn_print_one(why, "its input is", input);
    }
    return true;
}

/* XNNPACK makes a product of matrices of such a convolution, which may have no rows. */
static bool is_product(const struct dg_xnn_node *node)
{
    return dg_text_is(node->op, "Conv2d") && node->groups == 1 && node->height == 1 &&
           node->width == 1 && node->down == 1 && node->across == 1 && !node->pad_top &&
           !node->pad_bottom && !node->pad_left && !node->pad_right;
}

/* It refuses images without pixels, and works out no sizes of the result where there is
 * no image. */
static bool check_pixels(const struct dg_xnn_node *node, struct dg_writer *why)
{
    const int64_t *sizes = node->inputs->sizes;

    return is_product(node) ||
           (sizes[BATCH] && sizes[HEIGHT] && sizes[WIDTH] && sizes[CHANNELS]) ||
           dg_xnn_print_one(why, "it takes at least one pixel, its input is",
                            node->inputs);
}

/* How often a window fits; one that is too large fits once. */
static int64_t fit(int64_t size, int64_t padding, int64_t window, int64_t apart,
                   int64_t stride)
{
    int64_t room = size + padding - (window - 1) * apart - 1;

    return room < 0 ? size + padding > 0 : room / stride + 1;
}

static bool windowed(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                     int64_t down, int64_t across, int64_t channels)
{
    const struct dg_xnn_shape *input = &node->inputs[0];
    bool pool = dg_text_is(node->op, "AvgPooling2d");
    int64_t apart = pool || !node->apart ? 1 : node->apart;
    int64_t aside = pool || !node->aside ? 1 : node->aside;

    *out = *input;
    out->rank = -1;
    if (!down || !across || !node->height || !node->width)
        return true; /* which is told as such */
    if (node->flags & DG_XNN_SAME_PADDING) {
        out->sizes[HEIGHT] = (input->sizes[HEIGHT] + down - 1) / down;
        out->sizes[WIDTH] = (input->sizes[WIDTH] + across - 1) / across;
    } else {
        out->sizes[HEIGHT] = fit(input->sizes[HEIGHT], node->pad_top + node->pad_bottom,
                                 node->height, apart, down);
        out->sizes[WIDTH] = fit(input->sizes[WIDTH], node->pad_left + node->pad_right,
                                node->width, aside, across);
    }
    out->sizes[CHANNELS] = channels;
    out->rank = IMAGE;
    return true;
}

/* A pool may be larger than what there is, with its paddings. */
static bool check_room(const struct dg_xnn_node *node, struct dg_writer *why)
{
    const int64_t *sizes = node->inputs->sizes;

    return node->flags & DG_XNN_SAME_PADDING || is_product(node) ||
           (sizes[HEIGHT] + node->pad_top + node->pad_bottom >
                (node->height - 1) * node->apart &&
            sizes[WIDTH] + node->pad_left + node->pad_right >
                (node->width - 1) * node->aside) ||
           dg_xnn_print_one(
               why, "its window is larger than its image with paddings, its input is",
               node->inputs);
}

bool dg_xnn_infer_convolution(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                              struct dg_writer *why)
{
    return check_image(node, node->groups * node->group_inputs, why) &&
           check_pixels(node, why) && check_room(node, why) &&
           windowed(out, node, node->down, node->across,
                    node->groups * node->group_outputs);
}

bool dg_xnn_infer_pool(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                       struct dg_writer *why)
{
    return check_image(node, 0, why) && check_pixels(node, why) &&
           windowed(out, node, node->down, node->across, node->inputs->sizes[CHANNELS]);
}

/* Its windows lie side by side. */
bool dg_xnn_infer_largest(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                          struct dg_writer *why)
{
    return check_image(node, 0, why) && check_pixels(node, why) &&
           windowed(out, node, node->height, node->width,
                    node->inputs->sizes[CHANNELS]);
}

static int64_t spread(int64_t size, int64_t stride, int64_t window, int64_t apart,
                      int64_t more, int64_t padding)
{
    return (size - 1) * stride + more + (window - 1) * apart + 1 - padding;
}

bool dg_xnn_infer_transposed(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                             struct dg_writer *why)
{
    const struct dg_xnn_shape *input = &node->inputs[0];

    if (!check_image(node, node->groups * node->group_inputs, why) ||
        !check_pixels(node, why))
        return false;
    if (!node->down || !node->across || !node->apart || !node->aside || !node->height ||
        !node->width)
        return true; /* which is told as such */
    *out = *input;
    out->sizes[HEIGHT] =
        spread(input->sizes[HEIGHT], node->down, node->height, node->apart,
               node->more_height, node->pad_top + node->pad_bottom);
    out->sizes[WIDTH] =
        spread(input->sizes[WIDTH], node->across, node->width, node->aside,
               node->more_width, node->pad_left + node->pad_right);
    out->sizes[CHANNELS] = node->groups * node->group_outputs;
    return (out->sizes[HEIGHT] > 0 && out->sizes[WIDTH] > 0) ||
           dg_xnn_print_one(why, "its paddings leave nothing of", input);
}

bool dg_xnn_infer_global(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                         struct dg_writer *why)
{
    if (!check_image(node, 0, why))
        return false;
    *out = node->inputs[0];
    out->sizes[HEIGHT] = out->sizes[WIDTH] = 1;
    if (node->flags & DG_XNN_KEEP_DIMS)
        return true;
    out->rank = 2;
    out->sizes[1] = out->sizes[CHANNELS];
    return true;
}

bool dg_xnn_infer_resize(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                         struct dg_writer *why)
{
    if (!check_image(node, 0, why))
        return false;
    *out = node->inputs[0];
    if (!out->sizes[HEIGHT] || !out->sizes[WIDTH] || !out->sizes[CHANNELS])
        return dg_xnn_print_one(why, "it takes at least one pixel, its input is", out);
    out->sizes[HEIGHT] = node->new_height;
    out->sizes[WIDTH] = node->new_width;
    return true;
}

bool dg_xnn_is_pointwise(const struct dg_xnn_node *node)
{
    return dg_text_is(node->op, "Conv2d") && node->groups == 1 && node->height == 1 &&
           node->width == 1 && node->down == 1 && node->across == 1 &&
           !(node->pad_top || node->pad_right || node->pad_bottom || node->pad_left);
}
