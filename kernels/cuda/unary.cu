/* Functions of one operand. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/pointwise.cuh"

/* Floats; others become f32. */
UNARY(acos, DG_FLOAT, TAKES_FLOATS, acos(x))
UNARY(acosh, DG_FLOAT, TAKES_FLOATS, acosh(x))
UNARY(asin, DG_FLOAT, TAKES_FLOATS, asin(x))
UNARY(asinh, DG_FLOAT, TAKES_FLOATS, asinh(x))
UNARY(atan, DG_FLOAT, TAKES_FLOATS, atan(x))
UNARY(atanh, DG_FLOAT, TAKES_FLOATS, atanh(x))
UNARY(cos, DG_FLOAT, TAKES_FLOATS, cos(x))
UNARY(cosh, DG_FLOAT, TAKES_FLOATS, cosh(x))
UNARY(erf, DG_FLOAT, TAKES_FLOATS, erf(x))
UNARY(erfc, DG_FLOAT, TAKES_FLOATS, erfc(x))
UNARY(exp, DG_FLOAT, TAKES_FLOATS, exp(x))
UNARY(exp2, DG_FLOAT, TAKES_FLOATS, exp2(x))
UNARY(expm1, DG_FLOAT, TAKES_FLOATS, expm1(x))
UNARY(log, DG_FLOAT, TAKES_FLOATS, log(x))
UNARY(log10, DG_FLOAT, TAKES_FLOATS, log10(x))
UNARY(log1p, DG_FLOAT, TAKES_FLOATS, log1p(x))
UNARY(log2, DG_FLOAT, TAKES_FLOATS, log2(x))
UNARY(reciprocal, DG_FLOAT, TAKES_FLOATS, 1 / x)
UNARY(rsqrt, DG_FLOAT, TAKES_FLOATS, rsqrt(x))
UNARY(sigmoid, DG_FLOAT, TAKES_FLOATS, 1 / (1 + exp(-x)))
UNARY(sin, DG_FLOAT, TAKES_FLOATS, sin(x))
UNARY(sinh, DG_FLOAT, TAKES_FLOATS, sinh(x))
UNARY(sqrt, DG_FLOAT, TAKES_FLOATS, sqrt(x))
UNARY(tan, DG_FLOAT, TAKES_FLOATS, tan(x))
UNARY(tanh, DG_FLOAT, TAKES_FLOATS, tanh(x))

/* Floats only. */
UNARY(elu, DG_PROMOTED, TAKES_FLOATS, x > 0 ? x * p[1] : p[0] * p[1] * expm1(x * p[2]))
UNARY(hardsigmoid, DG_PROMOTED, TAKES_FLOATS, clamped(x + 3, C(0), C(6)) / 6)
UNARY(hardswish, DG_PROMOTED, TAKES_FLOATS, x *clamped(x + 3, C(0), C(6)) / 6)
UNARY(leaky_relu, DG_PROMOTED, TAKES_FLOATS, x > 0 ? x : x * p[0])
UNARY(log_sigmoid, DG_PROMOTED, TAKES_FLOATS,
      (x < 0    ? x
       : x != x ? x
                : C(0)) -
          log1p(exp(-fabs(x))))
UNARY(mish, DG_PROMOTED, TAKES_FLOATS, x *tanh(softened(x)))
UNARY(silu, DG_PROMOTED, TAKES_FLOATS, x / (1 + exp(-x)))
UNARY(softplus, DG_PROMOTED, TAKES_FLOATS,
      x *p[0] > p[1] ? x : softened(x * p[0]) / p[0])

/* Any numbers. */
UNARY(abs, DG_PROMOTED, TAKES_NUMBERS, magnitude(x))
UNARY(ceil, DG_PROMOTED, TAKES_NUMBERS, raised(x))
UNARY(floor, DG_PROMOTED, TAKES_NUMBERS, lowered(x))
UNARY(neg, DG_PROMOTED, TAKES_NUMBERS, negated(x))
UNARY(relu, DG_PROMOTED, TAKES_NUMBERS, x < 0 ? C(0) : x)
UNARY(round, DG_PROMOTED, TAKES_NUMBERS, rounded(x))
UNARY(sign, DG_PROMOTED, TAKES_NUMBERS, C((x > 0) - (x < 0)))
UNARY(trunc, DG_PROMOTED, TAKES_NUMBERS, truncated(x))
UNARY(square, DG_PROMOTED, TAKES_NUMBERS, times(x, x))
UNARY(pass, DG_PROMOTED, TAKES_NUMBERS, x)
UNARY(frac, DG_PROMOTED, TAKES_FLOATS, x - trunc(x))
UNARY(lgamma, DG_FLOAT, TAKES_FLOATS, lgamma(x))

/* Truth values. */
template <class C> static __device__ bool is_infinite(C x)
{
    return x == x && times(x, C(0)) != 0;
}

/* So are -0, and NaN with that sign. */
template <class C> static __device__ bool is_below_zero(C x)
{
    if constexpr (std::is_integral_v<C>)
        return x < 0;
    else
        return copysign(C(1), x) < 0;
}

UNARY(isfinite, DG_TRUTH, TAKES_NUMBERS, times(x, C(0)) == 0)
UNARY(isinf, DG_TRUTH, TAKES_NUMBERS, is_infinite(x))
UNARY(isnan, DG_TRUTH, TAKES_NUMBERS, x != x)
UNARY(isneginf, DG_TRUTH, TAKES_NUMBERS, is_infinite(x) && x < 0)
UNARY(isposinf, DG_TRUTH, TAKES_NUMBERS, is_infinite(x) && x > 0)
UNARY(signbit, DG_TRUTH, TAKES_NUMBERS, is_below_zero(x))
UNARY(logical_not, DG_TRUTH, TAKES_NUMBERS, x == 0)

FUNCTION(bits_not, auto, (C x), ~x)
FUNCTION(bool_not, auto, (C x), C(x == 0))

enum dg_status dg_cuda_bitwise_not(struct dg_call *call)
{
    const struct dg_tensor *tensor = dg_arg_tensor(call, 0);

    if (tensor && tensor->type == DG_TYPE_BOOL)
        return pointwise<bool_not, 1, DG_PROMOTED, TAKES_INTEGERS>(call, call->args,
                                                                   NUMBERS_KEPT);
    return pointwise<bits_not, 1, DG_PROMOTED, TAKES_INTEGERS>(call, call->args,
                                                               NUMBERS_KEPT);
}

FUNCTION(gelu_exact, auto, (C x), x *C(0.5) * erfc(-x * C(0.7071067811865476)))
FUNCTION(gelu_tanh, auto, (C x),
         x *C(0.5) * (1 + tanh(C(0.7978845608028654) * (x + C(0.044715) * x * x * x))))

enum dg_status dg_cuda_gelu(struct dg_call *call)
{
    bool by_tanh = call->n_args > 1 && call->args[1].kind == DG_ARG_STRING &&
                   call->args[1].as.string[0] == 't';

    if (by_tanh)
        return pointwise<gelu_tanh, 1, DG_PROMOTED, TAKES_FLOATS>(call, call->args,
                                                                  NUMBERS_KEPT);
    return pointwise<gelu_exact, 1, DG_PROMOTED, TAKES_FLOATS>(call, call->args,
                                                               NUMBERS_KEPT);
}
