/* In which order values of the graph of a delegate lie: images, and what a call passes
 * in another order than that of its dimensions. */
#include <math.h>
#include <string.h>

#include "exec/schedule_inside.h"
#include "formats/blob.h"

bool dg_inside_lies_in_order(const struct dg_tensor *tensor)
{
    int64_t strides[DG_RANK_MOST];

    dg_contiguous_strides(tensor->rank, tensor->sizes, strides);
    return !memcmp(strides, tensor->strides, (size_t)tensor->rank * sizeof(*strides));
}

/* Whether dimension `a` lies outside of `b`: where steps are equal the inner one is of
 * one element. */
static bool lies_outside(const struct dg_tensor *tensor, int64_t a, int64_t b)
{
    if (tensor->strides[a] != tensor->strides[b])
        return tensor->strides[a] > tensor->strides[b];
    return tensor->sizes[a] > tensor->sizes[b];
}

/* Dimensions from the outermost on. */
static struct dg_xnn_shape order_of(const struct dg_tensor *tensor)
{
    struct dg_xnn_shape order = {.rank = tensor->rank};

    for (int i = 0, at; i < order.rank; i++) {
        for (at = i; at && lies_outside(tensor, i, order.sizes[at - 1]); at--)
            order.sizes[at] = order.sizes[at - 1];
        order.sizes[at] = i;
    }
    return order;
}

static struct dg_xnn_shape inverse_of(const struct dg_xnn_shape *order)
{
    struct dg_xnn_shape inverse = {.rank = order->rank};

    for (int i = 0; i < order->rank; i++)
        inverse.sizes[order->sizes[i]] = i;
    return inverse;
}

static struct dg_xnn_operand *operand_over(const struct dg_inside_value *value,
                                           const struct dg_tensor *tensor,
                                           struct dg_arena *memory)
{
    struct dg_xnn_operand *operand = dg_alloc(memory, 1, sizeof(*operand));

    *operand = value->operand;
    operand->shape.rank = tensor->rank;
    memcpy(operand->shape.sizes, tensor->sizes,
           (size_t)tensor->rank * sizeof(*tensor->sizes));
    return operand;
}

const struct dg_inside_node *dg_inside_turn(const struct dg_inside_value *value,
                                            const struct dg_tensor *tensor, bool enters,
                                            struct dg_arena *memory)
{
    struct dg_inside_node *node = dg_alloc(memory, 1, sizeof(*node));
    const struct dg_xnn_operand *outer = operand_over(value, tensor, memory);
    struct dg_xnn_shape order = order_of(tensor);

    node->name = dg_format(memory, "%s %lld", enters ? "input" : "output",
                           (long long)value->external)
                     .data;
    node->op = "xnnpack::StaticTranspose";
    node->step = (struct dg_xnn_step){
        .node = {.op = dg_text("StaticTranspose"),
                 .perm = enters ? order : inverse_of(&order),
                 .n_inputs = 1},
        .least = -INFINITY,
        .most = INFINITY,
        .inputs = {enters ? outer : &value->operand},
        .outputs = {enters ? &value->operand : outer},
        .n_outputs = 1,
    };
    node->step.kernel = dg_xnn_kernel(node->step.node.op);
    return node;
}

enum { IMAGE = 4 };

static const int64_t nhwc[IMAGE] = {0, 2, 3, 1};

bool dg_inside_is_image(const struct dg_tensor *tensor)
{
    struct dg_xnn_shape order = order_of(tensor);

    return order.rank == IMAGE && !memcmp(order.sizes, nhwc, sizeof(nhwc));
}

static bool transposes(const struct dg_inside_node *node)
{
    return dg_text_is(node->step.node.op, "StaticTranspose");
}

/* What the lowering put there; a permutation of the program has a debug handle. */
static bool turns_to_nhwc(const struct dg_inside_node *node)
{
    const struct dg_xnn_shape *perm = &node->step.node.perm;

    return transposes(node) && !node->handle && perm->rank == IMAGE &&
           !memcmp(perm->sizes, nhwc, sizeof(nhwc));
}

static bool looks_at_images(struct dg_text op)
{
    static const char *const kinds[] = {"Conv2d",
                                        "DepthwiseConv2d",
                                        "ConvTranspose2d",
                                        "AvgPooling2d",
                                        "MaxPooling2d",
                                        "ArgMaxPooling2d",
                                        "GlobalAvgPooling2d",
                                        "StaticResizeBilinear2D"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (dg_text_is(op, kinds[i]))
            return true;
    }
    return false;
}

/* A permutation of the program is done on images as they lie, by other dimensions. */
static bool keeps_order(const struct dg_inside_node *node)
{
    struct dg_text op = node->step.node.op;

    return !(transposes(node) && !node->handle) && !dg_text_is(op, "StaticReshape") &&
           !dg_text_is(op, "FullyConnected") && !dg_text_is(op, "BatchMatrixMultiply");
}

void dg_inside_find_images(struct dg_inside *inside)
{
    for (uint32_t i = 0; i < inside->n_values; i++)
        inside->values[i].is_nhwc =
            inside->values[i].lies_nhwc && inside->values[i].flags & DG_BLOB_INPUT;
    for (uint32_t at = 0; !inside->why && at < inside->n_nodes; at++) {
        const struct dg_inside_node *node = &inside->nodes[inside->order[at]];
        bool is_image = looks_at_images(node->step.node.op) || turns_to_nhwc(node);

        for (int k = 0; k < node->step.node.n_inputs; k++)
            is_image |= inside->values[node->inputs[k]].is_nhwc && keeps_order(node);
        for (int k = 0; k < node->step.n_outputs; k++) {
            struct dg_inside_value *value = &inside->values[node->outputs[k]];

            value->is_nhwc = is_image && value->operand.shape.rank == IMAGE &&
                             (value->lies_nhwc || !(value->flags & DG_BLOB_OUTPUT));
        }
    }
}
