/* Nodes that compute each element from one element of each input. */
#include <math.h>
#include <string.h>

#include "kernels/xnnpack/xnnpack.h"

#include "kernels/cpu/pointwise.h"

/* Parameters: REAL of the node, LEAST and MOST of its results. NaN passes; where the
 * bounds are the wrong way round, the upper one holds. */
enum { REAL, LEAST, MOST };

static inline double clamped(double value, const double *p)
{
    double above = value < p[LEAST] ? p[LEAST] : value;

    return above > p[MOST] ? p[MOST] : above;
}

static inline double gelu(double x)
{
    return x / 2 * (1 + erf(x * M_SQRT1_2));
}

static inline double hardswish(double x)
{
    double gate = x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3;

    return x * gate / 6;
}

#define UNARY(name, value) DG_LINE(double, name, DG_X, clamped(value, p))
#define BINARY(name, value) DG_LINE(double, name, DG_XY, clamped(value, p))
UNARY(abs_line, fabs(x))
UNARY(ceil_line, ceil(x))
UNARY(clamp_line, x)
UNARY(cos_line, cos(x))
UNARY(elu_line, x > 0 ? x : p[REAL] * expm1(x))
UNARY(exp_line, exp(x))
UNARY(floor_line, floor(x))
UNARY(gelu_line, gelu(x))
UNARY(hardswish_line, hardswish(x))
UNARY(leaky_line, x >= 0 ? x : x * p[REAL])
UNARY(log_line, log(x))
UNARY(negate_line, 0 - x)
UNARY(rsqrt_line, 1 / sqrt(x))
UNARY(sigmoid_line, 1 / (1 + exp(-x)))
UNARY(sin_line, sin(x))
UNARY(square_line, x *x)
UNARY(sqrt_line, sqrt(x))
UNARY(tanh_line, tanh(x))
BINARY(add_line, x + y)
BINARY(subtract_line, x - y)
BINARY(multiply_line, x *y)
BINARY(div_line, x / y)
/* Of NaN the second; so does a zero of either sign. */
BINARY(minimum_line, x < y ? x : y)
BINARY(maximum_line, x > y ? x : y)
BINARY(prelu_line, x < 0 ? x * y : x)

static const struct {
    const char *kind;
    dg_real_line *line;
} lines[] = {
    {"Abs", abs_line},
    {"Ceiling", ceil_line},
    {"Clamp", clamp_line},
    {"Cos", cos_line},
    {"ELU", elu_line},
    {"Exp", exp_line},
    {"Floor", floor_line},
    {"Gelu", gelu_line},
    {"Hardswish", hardswish_line},
    {"LeakyReLU", leaky_line},
    {"Log", log_line},
    {"Negate", negate_line},
    {"ReciprocalSquareRoot", rsqrt_line},
    {"Sigmoid", sigmoid_line},
    {"Sin", sin_line},
    {"Square", square_line},
    {"SquareRoot", sqrt_line},
    {"Tanh", tanh_line},
    {"Add", add_line},
    {"Subtract", subtract_line},
    {"Multiply", multiply_line},
    {"Div", div_line},
    {"Minimum", minimum_line},
    {"Maximum", maximum_line},
    {"PReLU", prelu_line},
};

static dg_real_line *line_of(struct dg_text kind)
{
    size_t i = 0;

    while (!dg_text_is(kind, lines[i].kind))
        i++;
    return lines[i].line;
}

static struct dg_parameters parameters_of(const struct dg_xnn_step *step)
{
    return (struct dg_parameters){
        .real = {[REAL] = step->real, [LEAST] = step->least, [MOST] = step->most}};
}

void dg_xnn_unary_line(const struct dg_xnn_step *step, int64_t n, double *values)
{
    struct dg_parameters parameters = parameters_of(step);
    double in[1][DG_LINE_MOST];

    memcpy(in[0], values, (size_t)n * sizeof(*values));
    line_of(step->node.op)(n, values, in, parameters.real);
}

static enum dg_status elements(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct dg_parameters parameters = parameters_of(step);
    struct dg_pointwise op = {step->node.n_inputs, DG_PROMOTED, line_of(step->node.op)};

    return dg_pointwise_of(call, &op, call->args, &parameters);
}

static bool is_number(const struct dg_call *call, int input)
{
    const struct dg_xnn_operand *operand = call->xnnpack->inputs[input];

    return operand->constant &&
           dg_tensor_count(dg_arg_tensor(call, (size_t)input)) == 1;
}

/* The runtime clamps where one of two numbers is known, so that NaN passes: there the
 * NaN stands last. */
static enum dg_status exchanged(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    const struct dg_arg operands[] = {call->args[1], call->args[0]};
    struct dg_parameters parameters = parameters_of(step);
    struct dg_pointwise op = {2, DG_PROMOTED, line_of(step->node.op)};

    return dg_pointwise_of(call, &op, operands, &parameters);
}

enum dg_status dg_xnn_unary(struct dg_call *call)
{
    return call->xnnpack->inputs[0]->quantized ? dg_xnn_unary_codes(call)
                                               : elements(call);
}

enum dg_status dg_xnn_binary(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    bool picks =
        dg_text_is(step->node.op, "Minimum") || dg_text_is(step->node.op, "Maximum");

    if (step->inputs[0]->quantized)
        return dg_xnn_binary_codes(call);
    return picks && is_number(call, 1) ? exchanged(call) : elements(call);
}
