/* Functions of two operands, and of three. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/pointwise.cuh"

BINARY(add, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_ROUNDED, plus(x, times(p[0], y)))
BINARY(sub, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_ROUNDED, minus(x, times(p[0], y)))
BINARY(rsub, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_ROUNDED, minus(y, times(p[0], x)))
BINARY(mul, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_KEPT, times(x, y))
BINARY(maximum, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_KEPT, larger(x, y))
BINARY(minimum, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_KEPT, smaller(x, y))
BINARY(atan2, DG_FLOAT, TAKES_FLOATS, NUMBERS_KEPT, atan2(x, y))

BINARY(eq, DG_TRUTH, TAKES_NUMBERS, NUMBERS_ROUNDED, x == y)
BINARY(ne, DG_TRUTH, TAKES_NUMBERS, NUMBERS_ROUNDED, x != y)
BINARY(lt, DG_TRUTH, TAKES_NUMBERS, NUMBERS_ROUNDED, x < y)
BINARY(le, DG_TRUTH, TAKES_NUMBERS, NUMBERS_ROUNDED, x <= y)
BINARY(gt, DG_TRUTH, TAKES_NUMBERS, NUMBERS_ROUNDED, x > y)
BINARY(ge, DG_TRUTH, TAKES_NUMBERS, NUMBERS_ROUNDED, x >= y)

BINARY(logical_and, DG_TRUTH, TAKES_NUMBERS, NUMBERS_KEPT, x != 0 && y != 0)
BINARY(logical_or, DG_TRUTH, TAKES_NUMBERS, NUMBERS_KEPT, x != 0 || y != 0)
BINARY(logical_xor, DG_TRUTH, TAKES_NUMBERS, NUMBERS_KEPT, (x != 0) != (y != 0))
BINARY(bitwise_and, DG_PROMOTED, TAKES_INTEGERS, NUMBERS_KEPT, x &y)
BINARY(bitwise_or, DG_PROMOTED, TAKES_INTEGERS, NUMBERS_KEPT, x | y)
BINARY(bitwise_xor, DG_PROMOTED, TAKES_INTEGERS, NUMBERS_KEPT, x ^ y)

/* The quotient less its fraction, by way of fmod: 1.0 // 0.1 is 9. */
template <class C> static __device__ C floor_quotient(C x, C y)
{
    C rest = fmod(x, y), quotient, low;

    if (y == 0)
        return x / y;
    quotient = (x - rest) / y - (rest != 0 && (y < 0) != (rest < 0));
    if (quotient == 0)
        return copysign(C(0), x / y);
    low = floor(quotient);
    return quotient - low > C(0.5) ? low + 1 : low;
}

/* The sign is the divisor's; a zero keeps that of the dividend. */
template <class C> static __device__ C remains(C x, C y)
{
    C rest = fmod(x, y);

    return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
}

FUNCTION(quotient_of, auto, (C x, C y), x / y)
FUNCTION(trunc_quotient_of, auto, (C x, C y), trunc(x / y))
FUNCTION(floor_quotient_of, auto, (C x, C y), floor_quotient(x, y))
POINTWISE(div, quotient_of, 2, DG_FLOAT, TAKES_FLOATS, NUMBERS_KEPT)
POINTWISE(floor_divide, floor_quotient_of, 2, DG_PROMOTED, TAKES_FLOATS, NUMBERS_KEPT)
BINARY(fmod, DG_PROMOTED, TAKES_FLOATS, NUMBERS_KEPT, fmod(x, y))
BINARY(remainder, DG_PROMOTED, TAKES_FLOATS, NUMBERS_KEPT, remains(x, y))

enum dg_status dg_cuda_div_mode(struct dg_call *call)
{
    bool named = call->n_args > 2 && call->args[2].kind == DG_ARG_STRING;
    char mode = named ? call->args[2].as.string[0] : 0;
    enum dg_type type = dg_common_type(call->args, call->n_args < 2 ? 0 : 2);

    if (call->n_args < 2 || !named)
        return dg_cuda_div(call);
    if (mode == 'f')
        return pointwise<floor_quotient_of, 2, DG_PROMOTED, TAKES_FLOATS>(
            call, call->args, NUMBERS_KEPT);
    if (type == DG_TYPE_F16 || type == DG_TYPE_BF16) /* the quotient is rounded first */
        return refuse_type(call, type);
    return pointwise<trunc_quotient_of, 2, DG_PROMOTED, TAKES_FLOATS>(call, call->args,
                                                                      NUMBERS_KEPT);
}

/* x^.5 is sqrt(x): of -0 and -inf pow() says something else. */
template <class C> static __device__ C power(C x, C y)
{
    return y == C(0.5) ? sqrt(x) : y == 2 ? x * x : pow(x, y);
}

BINARY(pow, DG_PROMOTED, TAKES_FLOATS, NUMBERS_KEPT, power(x, y))

FUNCTION(clamp_of, auto, (C x, C y, C z), clamped(x, y, z))

/* Bounds of integers: where a cast to the type leaves all as they are. */
static int64_t most_of(enum dg_type type)
{
    return type == DG_TYPE_BOOL ? 1
           : type == DG_TYPE_U8 ? UINT8_MAX
                                : INT64_MAX >> (64 - 8 * dg_type_bytes(type));
}

static int64_t least_of(enum dg_type type)
{
    return type == DG_TYPE_BOOL || type == DG_TYPE_U8 ? 0 : -most_of(type) - 1;
}

/* A bound that is missing becomes one that holds nothing back. */
static enum dg_status clamp(struct dg_call *call, struct dg_arg *args)
{
    enum dg_type type = dg_common_type(args, 3);
    bool floats = dg_type_is_float(type);
    struct dg_arg least = {}, most = {};

    least.kind = most.kind = floats ? DG_ARG_FLOAT : DG_ARG_INT;
    if (floats) {
        least.as.real = -INFINITY;
        most.as.real = INFINITY;
    } else {
        least.as.integer = least_of(type);
        most.as.integer = most_of(type);
    }
    if (args[1].kind == DG_ARG_NONE)
        args[1] = least;
    if (args[2].kind == DG_ARG_NONE)
        args[2] = most;
    return pointwise<clamp_of, 3, DG_PROMOTED, TAKES_NUMBERS>(call, args, NUMBERS_KEPT);
}

/* (self, min, max), (self, min) */
enum dg_status dg_cuda_clamp(struct dg_call *call)
{
    struct dg_arg args[OPERANDS_MOST] = {};

    dg_pointwise_operands(call, OPERANDS_MOST, args);
    return clamp(call, args);
}

/* (self, max) */
enum dg_status dg_cuda_clamp_max(struct dg_call *call)
{
    struct dg_arg args[OPERANDS_MOST] = {};

    dg_pointwise_operands(call, 2, args);
    args[2] = args[1];
    args[1].kind = DG_ARG_NONE;
    return clamp(call, args);
}

enum dg_status dg_cuda_relu6(struct dg_call *call)
{
    struct dg_arg args[OPERANDS_MOST] = {};

    dg_pointwise_operands(call, 1, args);
    args[1].kind = args[2].kind = DG_ARG_INT;
    args[1].as.integer = 0;
    args[2].as.integer = 6;
    return clamp(call, args);
}

FUNCTION(addcmul_of, auto, (C x, C y, C z), plus(x, times(p[0], times(y, z))))
FUNCTION(addcdiv_of, auto, (C x, C y, C z), x + p[0] * y / z)
FUNCTION(lerp_of, auto, (C x, C y, C z),
         fabs(z) < C(0.5) ? x + z * (y - x) : y - (y - x) * (1 - z))
POINTWISE(addcmul, addcmul_of, 3, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_KEPT)
POINTWISE(addcdiv, addcdiv_of, 3, DG_PROMOTED, TAKES_FLOATS, NUMBERS_KEPT)
POINTWISE(lerp, lerp_of, 3, DG_PROMOTED, TAKES_FLOATS, NUMBERS_KEPT)
