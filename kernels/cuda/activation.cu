/* Activations with parameters, gates, and weights for each channel. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/pointwise.cuh"

UNARY(celu, DG_PROMOTED, TAKES_FLOATS, x > 0 ? x : p[0] * expm1(x / p[0]))
UNARY(hardshrink, DG_PROMOTED, TAKES_FLOATS, x >= -p[0] && x <= p[0] ? C(0) : x)
UNARY(softshrink, DG_PROMOTED, TAKES_FLOATS,
      x > p[0]    ? x - p[0]
      : x < -p[0] ? x + p[0]
                  : x * 0)

template <class C> static __device__ C scaled_exponential(C x)
{
    const C alpha = C(1.6732632423543772848), scale = C(1.0507009873554804935);

    return x > 0 ? x * scale : expm1(x) * (alpha * scale);
}

UNARY(selu, DG_PROMOTED, TAKES_FLOATS, scaled_exponential(x))

/* In f64: near 1/2 the logarithm cancels. */
FUNCTION(log_odds, auto, (C x), C(log(x / (1 - (double)x))))
FUNCTION(log_odds_within, auto, (C x),
         C(log_odds<double>()(clamped((double)x, (double)p[0], 1 - (double)p[0]))))

/* (self, eps) */
enum dg_status dg_cuda_logit(struct dg_call *call)
{
    struct dg_arg args[OPERANDS_MOST] = {};

    dg_pointwise_operands(call, 1, args);
    if (dg_arg_missing(call, 1))
        return pointwise<log_odds, 1, DG_FLOAT, TAKES_FLOATS>(call, args, NUMBERS_KEPT);
    return pointwise<log_odds_within, 1, DG_FLOAT, TAKES_FLOATS>(call, args,
                                                                 NUMBERS_KEPT);
}

FUNCTION(decay_of, auto, (C x), exp(-fabs(x)))

/* Also what its backward would read. */
enum dg_status dg_cuda_log_sigmoid_forward(struct dg_call *call)
{
    struct dg_arg args[OPERANDS_MOST] = {};
    struct dg_call second = *call;
    enum dg_status status = dg_cuda_log_sigmoid(call);

    second.results++;
    dg_pointwise_operands(call, 1, args);
    return status ? status
                  : pointwise<decay_of, 1, DG_PROMOTED, TAKES_FLOATS>(&second, args,
                                                                      NUMBERS_KEPT);
}

FUNCTION(leaking, auto, (C x, C y), x > 0 ? x : x * y)
POINTWISE(prelu_kernel, leaking, 2, DG_PROMOTED, TAKES_FLOATS, NUMBERS_KEPT)

/* (self, weight): one number, or one for each channel, which are dimension 1 */
enum dg_status dg_cuda_prelu(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0),
                           *weight = dg_arg_tensor(call, 1);
    struct dg_arg args[OPERANDS_MOST] = {};
    struct dg_tensor view;

    if (!self || !weight || weight->rank > 1)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "prelu without a weight of rank 0 or 1");
    dg_pointwise_operands(call, 2, args);
    view = *weight;
    args[1].as.tensor = &view;
    if (weight->rank && weight->sizes[0] == 1) {
        view.rank = 0;
    } else if (weight->rank && self->rank > 1) {
        view.rank = self->rank - 1;
        for (int d = 1; d < view.rank; d++) {
            view.sizes[d] = 1;
            view.strides[d] = 0;
        }
    }
    return pointwise<leaking, 2, DG_PROMOTED, TAKES_FLOATS>(call, args, NUMBERS_KEPT);
}

FUNCTION(gated, auto, (C x, C y), x / (1 + exp(-y)))

/* (self, dim): the first half, as the second half lets it pass */
enum dg_status dg_cuda_glu(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_arg args[OPERANDS_MOST] = {};
    struct dg_tensor halves[2];
    int dim;

    if (!self)
        return dg_call_fail(call, DG_ERR_FORMAT, "no tensor");
    if (!dg_dimension(call, dg_arg_int(call, 1, -1), self->rank, &dim))
        return call->err->status;
    if (!self->rank || self->sizes[dim] % 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "size %lld cannot be halved",
                            self->rank ? (long long)self->sizes[dim] : 1LL);
    for (int i = 0; i < 2; i++) {
        halves[i] = *self;
        halves[i].sizes[dim] /= 2;
        halves[i].offset += i * halves[i].sizes[dim] * self->strides[dim];
        args[i].kind = DG_ARG_TENSOR;
        args[i].as.tensor = &halves[i];
    }
    return pointwise<gated, 2, DG_PROMOTED, TAKES_FLOATS>(call, args, NUMBERS_KEPT);
}

FUNCTION(above, auto, (C x, C y, C z), x <= y ? z : x)

/* (self, threshold, value): numbers of the type of `self` */
enum dg_status dg_cuda_threshold(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_arg args[OPERANDS_MOST] = {};

    if (!self)
        return dg_call_fail(call, DG_ERR_FORMAT, "no tensor");
    dg_pointwise_operands(call, OPERANDS_MOST, args);
    for (size_t i = 1; i < 3 && !dg_type_is_float(self->type); i++) {
        args[i].as.integer = dg_arg_int(call, i, 0);
        args[i].kind = DG_ARG_INT;
    }
    return pointwise<above, 3, DG_PROMOTED, TAKES_NUMBERS>(call, args, NUMBERS_KEPT);
}

FUNCTION(made_finite, auto, (C x),
         x != x              ? p[0]
         : x == C(INFINITY)  ? p[1]
         : x == C(-INFINITY) ? p[2]
                             : x)

static double largest(enum dg_type type)
{
    return type == DG_TYPE_F64    ? 0x1.fffffffffffffp1023
           : type == DG_TYPE_F16  ? 65504
           : type == DG_TYPE_BF16 ? 0x1.fep127
                                  : 0x1.fffffep127;
}

/* (self, nan, posinf, neginf) */
enum dg_status dg_cuda_nan_to_num(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_arg args[4] = {};
    struct dg_call inner = *call;

    if (!self)
        return dg_call_fail(call, DG_ERR_FORMAT, "no tensor");
    if (!dg_type_is_float(self->type))
        return dg_cuda_pass(call);
    args[0] = call->args[0];
    for (size_t i = 1; i < 4; i++) {
        double size = i == 1 ? 0 : i == 2 ? largest(self->type) : -largest(self->type);

        args[i].kind = DG_ARG_FLOAT;
        args[i].as.real = dg_arg_real(call, i, size);
    }
    inner.args = args;
    inner.n_args = 4;
    return pointwise<made_finite, 1, DG_PROMOTED, TAKES_FLOATS>(&inner, args,
                                                                NUMBERS_KEPT);
}
