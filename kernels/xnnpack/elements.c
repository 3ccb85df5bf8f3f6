/* Nodes that compute each element from one element of each input. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/xnnpack/lines.h"
#include "kernels/xnnpack/xnnpack.h"

#include "kernels/cpu/vectorize.h"

static struct dg_parameters parameters_of(const struct dg_xnn_step *step)
{
    return (struct dg_parameters){.real = {[DG_XNN_REAL] = step->real,
                                           [DG_XNN_LEAST] = step->least,
                                           [DG_XNN_MOST] = step->most,
                                           [DG_XNN_OF_NAN] = dg_xnn_of_nan(step)}};
}

void dg_xnn_unary_line(const struct dg_xnn_step *step, int64_t n, double *values)
{
    struct dg_parameters parameters = parameters_of(step);
    double in[1][DG_LINE_MOST];

    memcpy(in[0], values, (size_t)n * sizeof(*values));
    dg_xnn_lines_of(step->node.op)->exact(n, values, in, parameters.real);
}

static bool of_halves(const struct dg_xnn_step *step)
{
    return step->inputs[0]->type == DG_TYPE_F16;
}

static enum dg_status elements(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    const struct dg_xnn_lines *lines = dg_xnn_lines_of(step->node.op);
    struct dg_parameters parameters = parameters_of(step);
    struct dg_pointwise op = {step->node.n_inputs, DG_PROMOTED,
                              of_halves(step) ? lines->f16 : lines->f32};

    return dg_pointwise_of(call, &op, call->args, &parameters);
}

static bool is_number(const struct dg_call *call, int input)
{
    const struct dg_xnn_operand *operand = call->xnnpack->inputs[input];

    return operand->constant &&
           dg_tensor_count(dg_arg_tensor(call, (size_t)input)) == 1;
}

static enum dg_status by_number(struct dg_call *call, dg_real_line *line, int number)
{
    const struct dg_arg operands[] = {call->args[!number], call->args[number]};
    struct dg_parameters parameters = parameters_of(call->xnnpack);
    struct dg_pointwise op = {2, DG_PROMOTED, line};

    return dg_pointwise_of(call, &op, operands, &parameters);
}

enum dg_status dg_xnn_unary(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;

    if (step->inputs[0]->quantized)
        return dg_xnn_unary_codes(call);
    if (of_halves(step) && dg_text_is(step->node.op, "Log") && dg_xnn_has_nan(call))
        return dg_xnn_cannot(call, "a logarithm of f16 of NaN is NaN or a number, by a"
                                   " sign that is not followed");
    return call->err->status ? call->err->status : elements(call);
}

enum dg_status dg_xnn_binary(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    dg_real_line *line = dg_xnn_line_by_number(step->node.op, of_halves(step));

    if (step->inputs[0]->quantized)
        return dg_xnn_binary_codes(call);
    if (line && is_number(call, 1))
        return by_number(call, line, 1);
    return line && is_number(call, 0) ? by_number(call, line, 0) : elements(call);
}

/* To the nearest, ties to even, within what f32 and I32 have; NaN is 0. */
static void round_all(double *values, int64_t n)
{
    static const double least = INT32_MIN, most = 0x1p31 - 128;

    for (int64_t i = 0; i < n; i++) {
        double above = values[i] < least ? least : values[i];

        values[i] = values[i] == values[i] ? rint(above > most ? most : above) : 0;
    }
}

enum dg_status dg_xnn_round(struct dg_call *call)
{
    struct dg_tensor *in = dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    struct dg_tensor *out =
        in ? dg_result(call, 0, DG_TYPE_I32, in->rank, in->sizes) : NULL;

    if (out) {
        round_all(dg_tensor_data(in), dg_tensor_count(in));
        dg_store_f64(out->type, dg_tensor_data(out), 1, dg_tensor_data(in),
                     dg_tensor_count(in));
    }
    dg_tensor_drop(in);
    return out ? DG_OK : call->err->status;
}
