/* Activation functions. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/elementary.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/sums.h"

/* p[i] are the numbers behind the operand. Integers are refused, as torch does. */
#define ACTIVATION_BY(name, n_parameters)                                              \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_pointwise(call, &(struct dg_pointwise){1, DG_PROMOTED, name##_real,  \
                                                         NULL, n_parameters});         \
    }
#define ACTIVATION(name, n_parameters, value)                                          \
    DG_LINE(double, name##_real, DG_X, value)                                          \
    ACTIVATION_BY(name, n_parameters)

/* 0 to 6; NaN stays. */
static inline double relu6(double x)
{
    x = x < 0 ? 0 : x;
    return x > 6 ? 6 : x;
}

static inline double softplus(double x)
{
    return log1p(exp(x));
}

static inline double log_sigmoid(double x)
{
    return (x > 0 ? 0 : x) - log1p(exp(-fabs(x)));
}

ACTIVATION(celu, 1, x > 0 ? x : p[0] * expm1(x / p[0]))
ACTIVATION(elu, 3, x > 0 ? x * p[1] : expm1(x * p[2]) * p[0] * p[1])
ACTIVATION(hardshrink, 1, x >= -p[0] && x <= p[0] ? 0 : x)
ACTIVATION(hardsigmoid, 0, relu6(x + 3) / 6)
ACTIVATION(hardswish, 0, x *relu6(x + 3) / 6)
ACTIVATION(leaky_relu, 1, x > 0 ? x : x * p[0])
ACTIVATION(mish, 0, x *tanh(softplus(x)))
ACTIVATION(softplus, 2, x *p[0] > p[1] ? x : softplus(x * p[0]) / p[0])
ACTIVATION(softshrink, 1, x > p[0] ? x - p[0] : x < -p[0] ? x + p[0] : x * 0)

#define SELU_ALPHA 1.6732632423543772848170429916717
#define SELU_SCALE 1.0507009873554804934193349852946
ACTIVATION(selu, 0, x > 0 ? x * SELU_SCALE : expm1(x) * (SELU_ALPHA * SELU_SCALE))

DG_LINE_THROUGH(silu_real, dg_exp_line, -x, x / (1 + y))
ACTIVATION_BY(silu, 0)

/* sqrt(2 / pi) (x + 0.044715 x^3) */
#define GELU_TANH (M_SQRT2 * M_2_SQRTPI * 0.5 * (x + 0.044715 * x * x * x))

DG_LINE_THROUGH(gelu_real, dg_erf_line, x *M_SQRT1_2, 0.5 * x * (1 + y))
DG_LINE_THROUGH(gelu_tanh_real, dg_tanh_line, GELU_TANH, 0.5 * x * (1 + y))
/* Own sums round what is multiplied by x / 2, where 1 cancels, in f32. */
DG_LINE_THROUGH(gelu_own, dg_erf_line, x *M_SQRT1_2, 0.5 * x * (float)(1 + (float)y))
DG_LINE_THROUGH(gelu_tanh_own, dg_tanh_line, GELU_TANH, 0.5 * x * (float)(1 + (float)y))

enum dg_status dg_cpu_gelu(struct dg_call *call)
{
    static dg_real_line *const lines[2][2] = {{gelu_real, gelu_tanh_real},
                                              {gelu_own, gelu_tanh_own}};
    const struct dg_arg *form = call->n_args > 1 ? &call->args[1] : NULL;
    const struct dg_tensor *x = dg_arg_tensor(call, 0);
    bool by_tanh =
        form && form->kind == DG_ARG_STRING && !strcmp(form->as.string, "tanh");
    bool own = x && dg_sums_are_narrow(call->context, x->type);

    return dg_pointwise(call,
                        &(struct dg_pointwise){1, DG_PROMOTED, lines[own][by_tanh]});
}

DG_LINE(double, log_sigmoid_real, DG_X, log_sigmoid(x))
DG_LINE(double, log_sigmoid_buffer, DG_X, exp(-fabs(x)))

enum dg_status dg_cpu_log_sigmoid(struct dg_call *call)
{
    return dg_pointwise(call, &(struct dg_pointwise){1, DG_PROMOTED, log_sigmoid_real});
}

/* Also what its backward would read. */
enum dg_status dg_cpu_log_sigmoid_forward(struct dg_call *call)
{
    struct dg_call second = *call;
    enum dg_status status = dg_cpu_log_sigmoid(call);

    second.results++;
    return status ? status
                  : dg_pointwise(&second, &(struct dg_pointwise){1, DG_PROMOTED,
                                                                 log_sigmoid_buffer});
}

DG_LINE(double, logit_real, DG_X, log(x / (1 - x)))
/* Between p[0] and p[1]. */
static inline double bounded(double x, const double *p)
{
    return x < p[0] ? p[0] : x > p[1] ? p[1] : x;
}
DG_LINE(double, logit_bounded, DG_X, log(bounded(x, p) / (1 - bounded(x, p))))

/* log(x / (1 - x)) of 16 bits, as torch rounds each step: near 0.5 that decides. */
static struct dg_tensor *logit_in_steps(struct dg_call *call, const double *bounds)
{
    struct dg_arg one = dg_real_arg(1);
    struct dg_tensor *x = dg_arg_share(call, 0), *rest;

    if (bounds)
        x = dg_apply(call, dg_cpu_clamp, x,
                     DG_REST(dg_real_arg(bounds[0]), dg_real_arg(bounds[1])));
    rest = dg_apply(call, dg_cpu_rsub, x ? dg_tensor_keep(x) : NULL, DG_REST(one));
    return dg_apply(call, dg_cpu_log, dg_apply_two(call, dg_cpu_div, x, rest), 0, NULL);
}

/* The bounds, eps and 1 - eps, round as the elements do. */
enum dg_status dg_cpu_logit(struct dg_call *call)
{
    const struct dg_tensor *x = dg_arg_tensor(call, 0);
    enum dg_type type = x && dg_type_is_float(x->type) ? x->type : DG_TYPE_F32;
    double eps = dg_rounded(call->context, type, dg_arg_real(call, 1, 0));
    struct dg_parameters bounds = {{eps, dg_rounded(call->context, type, 1 - eps)}};
    bool bounded = !dg_arg_missing(call, 1);

    if (x && dg_type_bytes(type) == 2 && dg_sums_are_narrow(call->context, type))
        return dg_finish(call, logit_in_steps(call, bounded ? bounds.real : NULL));
    return dg_pointwise_of(
        call, &(struct dg_pointwise){1, DG_FLOAT, bounded ? logit_bounded : logit_real},
        call->args, &bounds);
}

/* The weight is one number, or one for each channel: dimension 1. */
DG_LINE(double, prelu_real, DG_XY, x > 0 ? x : x * y)

static const struct dg_pointwise prelu = {2, DG_PROMOTED, prelu_real};

enum dg_status dg_cpu_prelu_kernel(struct dg_call *call)
{
    return dg_pointwise(call, &prelu);
}

enum dg_status dg_cpu_prelu(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *weight = dg_arg_tensor(call, 1);
    struct dg_arg operands[2];
    struct dg_tensor *view;
    int64_t sizes[DG_RANK_MOST] = {0}, strides[DG_RANK_MOST] = {0};
    enum dg_status status;
    bool one;

    if (!self || !weight || weight->rank > 1)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "prelu without a weight of rank 0 or 1");
    one = weight->rank && weight->sizes[0] == 1;
    dg_pointwise_operands(call, 2, operands);
    if (!weight->rank || (!one && self->rank < 2))
        return dg_pointwise(call, &prelu);
    for (int dim = 1; dim < self->rank; dim++)
        sizes[dim - 1] = dim == 1 ? weight->sizes[0] : 1;
    strides[0] = weight->strides[0];
    view = dg_tensor_view(weight, one ? 0 : self->rank - 1, sizes, strides,
                          weight->offset);
    operands[1].as.tensor = view;
    status = dg_pointwise_of(call, &prelu, operands, &(struct dg_parameters){0});
    dg_tensor_drop(view);
    return status;
}

DG_LINE(double, glu_real, DG_XY, x / (1 + exp(-y)))

enum dg_status dg_cpu_glu(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), half, *second;
    struct dg_arg operands[2] = {{DG_ARG_TENSOR}, {DG_ARG_TENSOR}};
    enum dg_status status;
    int dim;

    if (!self || !dg_dimension(call, dg_arg_int(call, 1, -1), self->rank, &dim))
        return self ? DG_ERR_FORMAT : dg_call_fail(call, DG_ERR_FORMAT, "no tensor");
    if (!self->rank || self->sizes[dim] % 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "size %lld cannot be halved",
                            self->rank ? (long long)self->sizes[dim] : 1);
    half = *self;
    half.sizes[dim] /= 2;
    operands[0].as.tensor =
        dg_tensor_view(self, half.rank, half.sizes, half.strides, half.offset);
    second = dg_tensor_view(self, half.rank, half.sizes, half.strides,
                            half.offset + half.sizes[dim] * half.strides[dim]);
    operands[1].as.tensor = second;
    status = dg_pointwise_of(call, &(struct dg_pointwise){2, DG_PROMOTED, glu_real},
                             operands, &(struct dg_parameters){0});
    dg_tensor_drop(operands[0].as.tensor);
    dg_tensor_drop(second);
    return status;
}
