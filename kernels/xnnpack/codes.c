/* Nodes on codes: numbers on a grid, by a scale and a zero point. Integer models of
 * XNNPACK's reference: microparams-init.c, reference-utils.h, quantization.h. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/walk.h"
#include "kernels/xnnpack/xnnpack.h"

static const struct dg_xnn_operand *operand_of(const struct dg_call *call, int input)
{
    return call->xnnpack->inputs[input];
}

static bool by_tensor(const struct dg_xnn_operand *operand)
{
    return operand->quantized == DG_XNN_BY_TENSOR &&
           (operand->type == DG_TYPE_I8 || operand->type == DG_TYPE_U8);
}

/* Argument `input` as I32 in the shape of the result, its elements one behind the
 * other. */
static struct dg_tensor *spread(struct dg_call *call, size_t input,
                                const struct dg_tensor *out)
{
    struct dg_tensor *codes = dg_tensor_new(call->context->memory, DG_TYPE_I32,
                                            out->rank, out->sizes, call->err);

    if (codes)
        dg_copy_elements(codes, dg_arg_tensor(call, input), call->context->n_threads);
    return codes;
}

static void store_code(struct dg_tensor *out, int64_t i, int64_t code)
{
    ((int8_t *)dg_tensor_data(out))[i] = (int8_t)code; /* U8 has the same bits */
}

static float dequantized(const struct dg_xnn_operand *operand, int64_t code)
{
    return (float)(code - operand->zero_point) * operand->scale;
}

/* A binary node on codes, with all that does not change from element to element. */
struct binary {
    const struct dg_xnn_operand *a, *b, *out;
    struct dg_xnn_range range;
    int64_t (*code)(const struct binary *node, int64_t a, int64_t b);
    int64_t bias, times_a, times_b;
    int shift;
    float scale;
};

/* Fixed point; a tie goes up. */
static int64_t sum_code(const struct binary *node, int64_t a, int64_t b)
{
    int64_t sum = node->bias + a * node->times_a + b * node->times_b;

    if (node->range.near_tie)
        return dg_xnn_code(&node->range, ldexp((double)sum, -node->shift) - 0.5);
    return dg_xnn_code(&node->range, (double)(sum >> node->shift));
}

static int64_t product_code(const struct binary *node, int64_t a, int64_t b)
{
    float product = (float)((a - node->a->zero_point) * (b - node->b->zero_point));

    return dg_xnn_code(&node->range, product * node->scale);
}

/* Zero points are added before rounding. */
static int64_t rounded_code(const struct binary *node, float value)
{
    struct dg_xnn_range range = node->range;
    float code = value * (1 / node->out->scale) + (float)node->out->zero_point;

    range.zero_point = 0;
    return dg_xnn_code(&range, code);
}

static int64_t minimum_code(const struct binary *node, int64_t a, int64_t b)
{
    float x = dequantized(node->a, a), y = dequantized(node->b, b);

    return rounded_code(node, x < y ? x : y);
}

static int64_t maximum_code(const struct binary *node, int64_t a, int64_t b)
{
    float x = dequantized(node->a, a), y = dequantized(node->b, b);

    return rounded_code(node, x > y ? x : y);
}

static bool is_within(float ratio, float least, float most)
{
    return ratio >= least && ratio < most;
}

/* Scales that are farther apart leave fewer bits than the integers have. */
static bool prepare_sum(struct binary *node, int sign)
{
    float a = node->a->scale / node->out->scale, b = node->b->scale / node->out->scale;
    int exponent;

    if (!is_within(a, 0x1p-10f, 0x1p8f) || !is_within(b, 0x1p-10f, 0x1p8f))
        return false;
    frexpf(a > b ? a : b, &exponent);
    node->shift = 20 - (exponent - 1);
    node->times_a = lrintf(ldexpf(a, node->shift));
    node->times_b = sign * lrintf(ldexpf(b, node->shift));
    node->bias = ((int64_t)1 << (node->shift - 1)) -
                 node->times_a * node->a->zero_point -
                 node->times_b * node->b->zero_point;
    node->code = sum_code;
    return true;
}

static bool prepare_product(struct binary *node)
{
    node->scale = node->a->scale * node->b->scale / node->out->scale;
    node->code = product_code;
    return is_within(node->scale, 0x1p-16f, 0x1p8f);
}

/* False: what the runtime does then is not known. */
static bool prepare(struct binary *node, struct dg_text kind)
{
    if (dg_text_is(kind, "Add") || dg_text_is(kind, "Subtract"))
        return prepare_sum(node, dg_text_is(kind, "Add") ? 1 : -1);
    if (dg_text_is(kind, "Multiply"))
        return prepare_product(node);
    node->code = dg_text_is(kind, "Minimum") ? minimum_code : maximum_code;
    return dg_text_is(kind, "Minimum") || dg_text_is(kind, "Maximum");
}

static enum dg_status run_binary(struct dg_call *call, const struct binary *node)
{
    struct dg_tensor *tensors[] = {dg_arg_tensor(call, 0), dg_arg_tensor(call, 1)};
    int64_t sizes[DG_RANK_MOST];
    struct dg_tensor *out = NULL, *a = NULL, *b = NULL;
    int rank;

    if (!dg_broadcast(call, 2, tensors, &rank, sizes))
        out = dg_result(call, 0, node->out->type, rank, sizes);
    if (out)
        a = spread(call, 0, out);
    if (a)
        b = spread(call, 1, out);
    for (int64_t i = 0, n = b ? dg_tensor_count(out) : 0; i < n; i++)
        store_code(out, i,
                   node->code(node, ((int32_t *)dg_tensor_data(a))[i],
                              ((int32_t *)dg_tensor_data(b))[i]));
    dg_tensor_drop(a);
    dg_tensor_drop(b);
    return b ? DG_OK : call->err->status;
}

enum dg_status dg_xnn_binary_codes(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct binary node = {step->inputs[0], step->inputs[1], step->outputs[0],
                          dg_xnn_codes_of(call)};

    if (!by_tensor(node.a) || !by_tensor(node.b) || !by_tensor(node.out) ||
        !prepare(&node, step->node.op))
        return dg_xnn_cannot(call, "what it makes of such codes is not known");
    return run_binary(call, &node);
}

/* Each code by a table. */
struct table {
    int8_t code[256];
};

static enum dg_status look_up(struct dg_call *call, const struct table *table)
{
    struct dg_tensor *in = dg_xnn_copied(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    struct dg_tensor *out =
        in ? dg_result(call, 0, call->xnnpack->outputs[0]->type, in->rank, in->sizes)
           : NULL;

    for (int64_t i = 0, n = out ? dg_tensor_count(out) : 0; i < n; i++)
        store_code(out, i, table->code[((uint8_t *)dg_tensor_data(in))[i]]);
    dg_tensor_drop(in);
    return out ? DG_OK : call->err->status;
}

static int64_t code_of_byte(const struct dg_xnn_operand *operand, int byte)
{
    return operand->type == DG_TYPE_I8 ? (int8_t)byte : byte;
}

/* By a scale of 8 bits behind the point. */
static int64_t rescaled(const struct dg_xnn_operand *in,
                        const struct dg_xnn_range *range, float positive,
                        float negative, int64_t code)
{
    int64_t centered = code - in->zero_point;
    int64_t times = lrintf(256 * (centered < 0 ? negative : positive));

    if (range->near_tie)
        return dg_xnn_code(range, ldexp((double)(centered * times), -8));
    return dg_xnn_code(range, (double)((128 + centered * times) >> 8));
}

static enum dg_status rescale(struct dg_call *call, float slope)
{
    const struct dg_xnn_step *step = call->xnnpack;
    const struct dg_xnn_operand *in = step->inputs[0], *out = step->outputs[0];
    struct dg_xnn_range range = dg_xnn_codes_of(call);
    float ratio = in->scale / out->scale, negative = ratio * slope;
    struct table table;

    if (!is_within(ratio, 0x1p-8f, 0x1p8f) || !(fabsf(negative) < 0x1p8f))
        return dg_xnn_cannot(call, "its scales are too far apart for the runtime");
    for (int byte = 0; byte < 256; byte++)
        table.code[byte] =
            (int8_t)rescaled(in, &range, ratio, negative, code_of_byte(in, byte));
    return look_up(call, &table);
}

static bool has_equal_grids(const struct dg_xnn_step *step)
{
    return step->inputs[0]->scale == step->outputs[0]->scale &&
           step->inputs[0]->zero_point == step->outputs[0]->zero_point;
}

/* What the function gives for each code; with equal grids a clamp cuts codes. */
static enum dg_status look_up_function(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    const struct dg_xnn_operand *in = step->inputs[0], *out = step->outputs[0];
    struct dg_xnn_range range = dg_xnn_codes_of(call), whole = range;
    bool cuts = dg_text_is(step->node.op, "Clamp") && has_equal_grids(step);
    struct table table;

    whole.zero_point = 0;
    for (int byte = 0; byte < 256; byte++) {
        int64_t code = code_of_byte(in, byte);
        double value = dequantized(in, code);

        if (!dg_text_is(step->node.op, "Convert"))
            dg_xnn_unary_line(step, 1, &value);
        table.code[byte] = (int8_t)dg_xnn_code(
            &whole,
            cuts ? (double)code
                 : (double)((float)value * (1 / out->scale) + (float)out->zero_point));
    }
    return look_up(call, &table);
}

enum dg_status dg_xnn_unary_codes(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;

    if (!by_tensor(step->inputs[0]) || !by_tensor(step->outputs[0]))
        return dg_xnn_cannot(call, "what it makes of such codes is not known");
    return dg_text_is(step->node.op, "LeakyReLU") ? rescale(call, (float)step->real)
                                                  : look_up_function(call);
}

/* Floats to codes, as of AVX512: NaN is the largest. */
static enum dg_status quantize(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct dg_xnn_range range = dg_xnn_codes_of(call);
    float inverse = 1 / step->outputs[0]->scale;
    struct dg_tensor *in = dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    struct dg_tensor *out =
        in ? dg_result(call, 0, step->outputs[0]->type, in->rank, in->sizes) : NULL;

    for (int64_t i = 0, n = out ? dg_tensor_count(out) : 0; i < n; i++) {
        float value = (float)((double *)dg_tensor_data(in))[i];

        store_code(out, i,
                   isnan(value) ? (int64_t)range.most
                                : dg_xnn_code(&range, value * inverse));
    }
    dg_tensor_drop(in);
    return out ? DG_OK : call->err->status;
}

static enum dg_status dequantize(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    const struct dg_xnn_operand *in = step->inputs[0];
    struct dg_xnn_shape shape = step->node.inputs[0];
    struct dg_tensor *values = dg_xnn_copied(call, dg_xnn_centered(call, 0));
    double *at = values ? dg_tensor_data(values) : NULL;
    enum dg_status status = call->err->status;

    for (int64_t i = 0, n = values ? dg_tensor_count(values) : 0; i < n; i++)
        at[i] = (float)at[i] * in->scale;
    if (values)
        status = dg_xnn_give_floats(call, &shape, at);
    dg_tensor_drop(values);
    return status;
}

enum dg_status dg_xnn_convert(struct dg_call *call)
{
    const struct dg_xnn_operand *in = operand_of(call, 0);
    const struct dg_xnn_operand *out = call->xnnpack->outputs[0];

    if (!in->quantized && !out->quantized && out->type == DG_TYPE_I32 &&
        in->type != DG_TYPE_I32)
        return dg_xnn_round(call);
    if (!in->quantized && !out->quantized)
        return dg_xnn_give_tensor(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    if (!in->quantized && out->quantized == DG_XNN_BY_SLICE)
        return dg_xnn_quantize_when_known(call);
    if (!in->quantized && by_tensor(out))
        return quantize(call);
    if (by_tensor(in) && !out->quantized)
        return dequantize(call);
    if (by_tensor(in) && by_tensor(out))
        return in->type == out->type ? rescale(call, 1) : look_up_function(call);
    return dg_xnn_cannot(call, "what it makes of such types is not known");
}
