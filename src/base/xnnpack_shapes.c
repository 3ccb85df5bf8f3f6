/* Shapes of what XNNPACK's nodes give. */
#include "base/xnnpack_shapes_parts.h"

#include <inttypes.h>

void dg_xnn_print_shape(struct dg_writer *out, const struct dg_xnn_shape *shape)
{
    dg_print(out, "[");
    for (int i = 0; i < shape->rank; i++)
        dg_print(out, "%s%" PRId64, i ? "," : "", shape->sizes[i]);
    dg_print(out, "]");
}

static bool print_pair(struct dg_writer *why, const char *what,
                       const struct dg_xnn_shape *a, const struct dg_xnn_shape *b)
{
    dg_print(why, "%s ", what);
    dg_xnn_print_shape(why, a);
    dg_print(why, " and ");
    dg_xnn_print_shape(why, b);
    return false;
}

bool dg_xnn_print_one(struct dg_writer *why, const char *what,
                      const struct dg_xnn_shape *shape)
{
    dg_print(why, "%s ", what);
    dg_xnn_print_shape(why, shape);
    return false;
}

static bool same(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                 struct dg_writer *why)
{
    *out = node->inputs[0];
    return true;
}

static bool has_dimensions(const struct dg_xnn_node *node, struct dg_writer *why)
{
    return node->inputs->rank > 0 ||
           dg_xnn_print_one(why, "it takes at least one dimension, its input is",
                            node->inputs);
}

static bool softmax(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                    struct dg_writer *why)
{
    *out = node->inputs[0];
    return has_dimensions(node, why) &&
           (out->sizes[out->rank - 1] > 0 ||
            dg_xnn_print_one(why, "its rows are empty, its input is", out));
}

/* Sizes are equal or 1; those that are missing in front are 1. */
static bool broadcast(struct dg_xnn_shape *out, const struct dg_xnn_shape *a,
                      const struct dg_xnn_shape *b, int behind)
{
    const struct dg_xnn_shape *longer = a->rank >= b->rank ? a : b;
    const struct dg_xnn_shape *shorter = longer == a ? b : a;
    int shift = longer->rank - shorter->rank;

    *out = *longer;
    for (int i = shift; i < longer->rank - behind; i++) {
        int64_t size = shorter->sizes[i - shift];

        if (size != longer->sizes[i] && size != 1 && longer->sizes[i] != 1)
            return false;
        out->sizes[i] = longer->sizes[i] == 1 ? size : longer->sizes[i];
    }
    return true;
}

static bool binary(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                   struct dg_writer *why)
{
    return broadcast(out, &node->inputs[0], &node->inputs[1], 0) ||
           print_pair(why, "its operands are", &node->inputs[0], &node->inputs[1]);
}

static bool linear(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                   struct dg_writer *why)
{
    const struct dg_xnn_shape *input = &node->inputs[0], *filter = &node->inputs[1];
    bool transposed = node->flags & DG_XNN_TRANSPOSED;

    if (input->rank < 1 || filter->rank != 2 ||
        input->sizes[input->rank - 1] != filter->sizes[!transposed])
        return print_pair(why, "its input and filter are", input, filter);
    if (!filter->sizes[0] || !filter->sizes[1])
        return dg_xnn_print_one(why, "it has no weights, its filter is", filter);
    *out = *input;
    out->sizes[out->rank - 1] = filter->sizes[transposed];
    return true;
}

/* Of no products it makes none; there may be no matrices. */
static bool is_empty_matrix(const struct dg_xnn_shape *shape)
{
    return !shape->sizes[shape->rank - 2] || !shape->sizes[shape->rank - 1];
}

static bool product(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                    struct dg_writer *why)
{
    const struct dg_xnn_shape *a = &node->inputs[0], *b = &node->inputs[1];
    bool transposed = node->flags & DG_XNN_TRANSPOSED;

    if (a->rank < 2 || b->rank < 2 ||
        a->sizes[a->rank - 1] != b->sizes[b->rank - 2 + transposed] ||
        !broadcast(out, a, b, 2))
        return print_pair(why, "its operands are", a, b);
    if (is_empty_matrix(a) || is_empty_matrix(b))
        return print_pair(why, "its matrices are empty, its operands are", a, b);
    out->sizes[out->rank - 2] = a->sizes[a->rank - 2];
    out->sizes[out->rank - 1] = b->sizes[b->rank - 1 - transposed];
    return true;
}

static bool transpose(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                      struct dg_writer *why)
{
    const struct dg_xnn_shape *input = &node->inputs[0], *perm = &node->perm;
    unsigned seen = 0;

    if (!has_dimensions(node, why))
        return false;
    *out = *input;
    for (int i = 0; i < perm->rank && perm->sizes[i] < input->rank; i++) {
        seen |= 1u << perm->sizes[i];
        out->sizes[i] = input->sizes[perm->sizes[i]];
    }
    return (perm->rank == input->rank && seen == (1u << input->rank) - 1) ||
           print_pair(why, "its order and its input are", perm, input);
}

static int64_t product_of(const struct dg_xnn_shape *shape)
{
    int64_t product = 1;

    for (int i = 0; i < shape->rank; i++) {
        if (__builtin_mul_overflow(product, shape->sizes[i], &product))
            return -1;
    }
    return product;
}

/* One 0 stands for what is left. */
static bool reshape(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                    struct dg_writer *why)
{
    int64_t left = product_of(&node->inputs[0]), known = 1;
    int at = -1, n_open = 0;

    *out = node->new_shape;
    for (int i = 0; i < out->rank; i++) {
        if (out->sizes[i])
            known = __builtin_mul_overflow(known, out->sizes[i], &known) ? -1 : known;
        else
            at = i;
        n_open += !out->sizes[i];
    }
    if (out->rank < 0 || n_open > 1 || known <= 0 || left < 0 ||
        (at < 0 ? left != known : left % known))
        return print_pair(why, "its input and new shape are", &node->inputs[0],
                          &node->new_shape);
    if (at >= 0)
        out->sizes[at] = left / known;
    return true;
}

/* Begin and end are cut to the size; nothing of nothing is all. */
static bool slice(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                  struct dg_writer *why)
{
    const struct dg_xnn_shape *input = &node->inputs[0];

    if (node->offsets.rank != input->rank || node->sizes.rank != input->rank)
        return print_pair(why, "its offsets and input are", &node->offsets, input);
    if (!has_dimensions(node, why))
        return false;
    *out = *input;
    for (int i = 0; i < input->rank; i++) {
        int64_t size = input->sizes[i], begin = node->offsets.sizes[i];
        int64_t end = begin + node->sizes.sizes[i];

        if (!end || end > size)
            end = size;
        if (begin > end)
            begin = end;
        out->sizes[i] = end - begin;
    }
    return true;
}

static bool pad(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                struct dg_writer *why)
{
    const struct dg_xnn_shape *input = &node->inputs[0];

    if (node->before.rank < input->rank || node->behind.rank < input->rank)
        return print_pair(
            why, "its paddings and input are",
            node->before.rank < input->rank ? &node->before : &node->behind, input);
    *out = *input;
    for (int i = 0; i < input->rank; i++)
        out->sizes[i] += node->before.sizes[i] + node->behind.sizes[i];
    return true;
}

static bool cat(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                struct dg_writer *why)
{
    const struct dg_xnn_shape *first = &node->inputs[0];
    int64_t axis = (int32_t)(uint32_t)node->axis;

    axis += axis < 0 ? first->rank : 0;
    if (axis < 0 || axis >= first->rank) {
        dg_print(why, "its axis is %" PRId32 ", ", (int32_t)(uint32_t)node->axis);
        return dg_xnn_print_one(why, "its first input", first);
    }
    *out = *first;
    for (int k = 1; k < node->n_inputs; k++) {
        const struct dg_xnn_shape *input = &node->inputs[k];

        for (int i = 0; i < first->rank && i < input->rank; i++) {
            if (i != axis && input->sizes[i] != first->sizes[i])
                return print_pair(why, "its inputs are", first, input);
        }
        if (input->rank != first->rank)
            return print_pair(why, "its inputs are", first, input);
        out->sizes[axis] += input->sizes[axis];
    }
    return true;
}

/* Kinds that are not here give what they take. */
static const struct {
    const char *op;
    dg_xnn_infer_fn *infer;
} kinds[] = {
    {"Add", binary},
    {"Subtract", binary},
    {"Multiply", binary},
    {"Div", binary},
    {"Minimum", binary},
    {"Maximum", binary},
    {"PReLU", binary},
    {"Softmax", softmax},
    {"FullyConnected", linear},
    {"BatchMatrixMultiply", product},
    {"Conv2d", dg_xnn_infer_convolution},
    {"DepthwiseConv2d", dg_xnn_infer_convolution},
    {"ConvTranspose2d", dg_xnn_infer_transposed},
    {"AvgPooling2d", dg_xnn_infer_pool},
    {"MaxPooling2d", dg_xnn_infer_pool},
    {"ArgMaxPooling2d", dg_xnn_infer_largest},
    {"GlobalAvgPooling2d", dg_xnn_infer_global},
    {"StaticResizeBilinear2D", dg_xnn_infer_resize},
    {"StaticTranspose", transpose},
    {"StaticReshape", reshape},
    {"StaticSlice", slice},
    {"StaticConstantPad", pad},
    {"Concatenate2", cat},
    {"Concatenate3", cat},
    {"Concatenate4", cat},
    {"Concatenate5", cat},
};

static dg_xnn_infer_fn *find(struct dg_text op)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (dg_text_is(op, kinds[i].op))
            return kinds[i].infer;
    }
    return same;
}

static bool is_known(const struct dg_xnn_shape *shape)
{
    for (int i = 0; i < shape->rank; i++) {
        if (shape->sizes[i] < 0 || shape->sizes[i] > DG_XNN_LARGEST)
            return false;
    }
    return shape->rank >= 0;
}

/* Of other kinds the runtime cuts numbers down to what there is. */
static bool check_lists(const struct dg_xnn_node *node, struct dg_writer *why)
{
    if (!is_known(&node->perm) || !is_known(&node->new_shape)) {
        dg_print(why, "it has numbers that are too large, or too many");
        return false;
    }
    if (node->offsets.rank != node->sizes.rank)
        return print_pair(why, "its offsets and sizes are", &node->offsets,
                          &node->sizes);
    return true;
}

/* Then no product of two of its numbers overflows. */
static bool is_usual(const struct dg_xnn_node *node)
{
    bool usual = node->n_inputs > 0;

#define NUMBER(field, name, other)                                                     \
    usual = usual && node->field >= 0 &&                                               \
            (node->field <= DG_XNN_LARGEST || &node->field == &node->axis);
    DG_XNN_NUMBERS(NUMBER)
#undef NUMBER
#define LIST(field, name) usual = usual && is_known(&node->field);
    DG_XNN_LISTS(LIST)
#undef LIST
    for (int i = 0; i < node->n_inputs; i++)
        usual = usual && is_known(&node->inputs[i]);
    return usual;
}

bool dg_xnn_infer(struct dg_xnn_shape *out, const struct dg_xnn_node *node,
                  struct dg_writer *why)
{
    out->rank = -1;
    if (!check_lists(node, why))
        return false;
    if (!is_usual(node))
        return true;
    if (!find(node->op)(out, node, why))
        return false;
    if (!is_known(out))
        out->rank = -1;
    return true;
}
