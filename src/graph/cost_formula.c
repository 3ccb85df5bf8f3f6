/* The table of FLOP formulas and their evaluation. */
#include "graph/cost_formula.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/ops.h"
#include "base/sorted.h"

static const struct dg_cost_rule rules[] = {
#define COST(op, formula, n, argument, source)                                         \
    {op, DG_FLOPS_##formula, n, argument, source},
#include "graph/cost.def"
#undef COST
};

static const struct dg_cost_rule elementwise = {"", DG_FLOPS_PER_RESULT, 1, NULL,
                                                "torch tags the operator pointwise"};
static const struct dg_cost_rule reduction = {"", DG_FLOPS_PER_OPERAND, 1, NULL,
                                              "torch tags the operator reduction"};
static const struct dg_cost_rule view = {"", DG_FLOPS_NONE, 0, NULL,
                                         "the schema says that the result is a view"};

/* As in strcmp(), of text that need not end with NUL and may hold some. */
static int compare(const void *key, const void *row)
{
    const struct dg_text *name = key;
    struct dg_text op = dg_text(((const struct dg_cost_rule *)row)->op);
    size_t both = name->size < op.size ? name->size : op.size;
    int order = both ? memcmp(name->data, op.data, both) : 0;

    return order ? order : (name->size > op.size) - (name->size < op.size);
}

static const struct dg_cost_rule *find(struct dg_text packet)
{
    return dg_search(&packet, rules, sizeof(rules) / sizeof(*rules), sizeof(*rules),
                     compare);
}

/* "aten::add_.Tensor" -> "aten::add_" */
static struct dg_text packet_of(struct dg_text op)
{
    size_t begin = 0, end;

    for (size_t i = 0; i + 1 < op.size; i++) {
        if (op.data[i] == ':' && op.data[i + 1] == ':')
            begin = i + 2;
    }
    for (end = begin; end < op.size && op.data[end] != '.'; end++)
        ;
    return (struct dg_text){op.data, begin ? end : op.size};
}

const struct dg_cost_rule *dg_cost_rule(struct dg_text op, unsigned flags)
{
    struct dg_text packet = packet_of(op);
    const struct dg_cost_rule *rule = find(packet);

    if (!rule && packet.size && packet.data[packet.size - 1] == '_') {
        packet.size--;
        rule = find(packet);
    }
    if (rule)
        return rule;
    if (dg_text_begins(op, "_operator."))
        return &view;
    if (flags & DG_OP_POINTWISE)
        return &elementwise;
    if (flags & DG_OP_REDUCTION)
        return &reduction;
    return flags & (DG_OP_VIEW | DG_OP_VIEW_COPY) ? &view : NULL;
}

/* Unknown (-1) where a factor is, or where the product does not fit. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;

    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product))
        return -1;
    return product;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;

    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

/* Size of dimension `i`, which counts from the end when it is negative. */
static int64_t size_at(const struct dg_cost_shape *shape, int64_t i)
{
    i = i < 0 ? shape->rank + i : i;
    return i >= 0 && i < shape->rank ? shape->sizes[i] : -1;
}

/* Product of the sizes from dimension `begin` to before `end`. */
static int64_t volume(const struct dg_cost_shape *shape, int64_t begin, int64_t end)
{
    int64_t product = begin >= 0 && end <= shape->rank ? 1 : -1;

    for (int64_t i = begin; i < end && product >= 0; i++)
        product = times(product, shape->sizes[i]);
    return product;
}

static int64_t elements(const struct dg_cost_shape *shape)
{
    return shape->rank < 0 ? -1 : volume(shape, 0, shape->rank);
}

static int64_t matrix(const struct dg_cost_call *call, int left)
{
    int64_t inner = size_at(&call->operands[left], -1);

    return times(2, times(elements(&call->result), inner));
}

/* Each place of the input (transposed) or output meets the whole filter. */
static int64_t convolution(const struct dg_cost_call *call, bool transposed)
{
    const struct dg_cost_shape *x = &call->operands[0], *w = &call->operands[1];
    const struct dg_cost_shape *places = transposed ? x : &call->result;
    int64_t spatial = w->rank - 2;
    int64_t batch = x->rank == w->rank ? size_at(x, 0) : 1;

    if (spatial < 0 || x->rank < spatial || places->rank < spatial)
        return -1;
    return times(2, times(times(batch, elements(w)),
                          volume(places, places->rank - spatial, places->rank)));
}

static int64_t convolution_either(const struct dg_cost_call *call)
{
    return call->n_numbers == 1 ? convolution(call, call->numbers[0] != 0) : -1;
}

/* Gradients of the input and of the weight, as far as output_mask wants them: both meet
 * the filter at each place of the smaller side. */
static int64_t convolution_backward(const struct dg_cost_call *call)
{
    const struct dg_cost_shape *grad = &call->operands[0], *x = &call->operands[1];
    const struct dg_cost_shape *w = &call->operands[2];
    const struct dg_cost_shape *side = call->n_numbers && call->numbers[0] ? x : grad;
    int64_t places, flops = 0;

    if (call->n_numbers < 3 || w->rank < 2)
        return -1;
    places = volume(side, 2, side->rank);
    if (call->numbers[1])
        flops = times(times(places, elements(w)), size_at(grad, 0));
    if (call->numbers[2])
        flops = plus(flops, times(times(places, volume(w, 2, w->rank)),
                                  times(volume(x, 0, 2), size_at(grad, 1))));
    return times(2, flops);
}

/* Scores are queries times keys; results are scores times values. */
static int64_t attention(const struct dg_cost_call *call)
{
    const struct dg_cost_shape *query = &call->operands[0], *key = &call->operands[1];
    const struct dg_cost_shape *value = &call->operands[2];
    int64_t width = plus(size_at(query, -1), size_at(value, -1));

    return times(
        2, times(times(volume(query, 0, query->rank - 1), size_at(key, -2)), width));
}

static int64_t window(const struct dg_cost_call *call, int rank)
{
    int64_t places = call->n_numbers == 1 || call->n_numbers == (size_t)rank ? 1 : -1;

    for (int i = 0; i < rank; i++)
        places = times(places, call->numbers[call->n_numbers == 1 ? 0 : i]);
    return times(elements(&call->result), places);
}

int64_t dg_call_flops(const struct dg_cost_rule *rule, const struct dg_cost_call *call)
{
    switch (rule ? rule->formula : DG_FLOPS_UNKNOWN) {
    case DG_FLOPS_NONE:
        return 0;
    case DG_FLOPS_PER_RESULT:
        return times(rule->n, elements(&call->result));
    case DG_FLOPS_PER_OPERAND:
        return times(rule->n, elements(&call->operands[0]));
    case DG_FLOPS_MATRIX:
        return matrix(call, rule->n);
    case DG_FLOPS_CONVOLUTION:
        return convolution(call, false);
    case DG_FLOPS_CONVOLUTION_TRANSPOSED:
        return convolution(call, true);
    case DG_FLOPS_CONVOLUTION_EITHER:
        return convolution_either(call);
    case DG_FLOPS_CONVOLUTION_BACKWARD:
        return convolution_backward(call);
    case DG_FLOPS_ATTENTION:
        return attention(call);
    case DG_FLOPS_WINDOW:
        return window(call, rule->n);
    default:
        return -1;
    }
}
