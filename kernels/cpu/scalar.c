/* Arithmetic of Python numbers: sizes, conditions. */
#include <math.h>

#include "kernels/cpu/scalar.h"

enum dg_status dg_give_integer(struct dg_call *call, int64_t value)
{
    call->results[0] = (struct dg_arg){DG_ARG_INT, .as.integer = value};
    return DG_OK;
}

enum dg_status dg_give_real(struct dg_call *call, double value)
{
    call->results[0] = (struct dg_arg){DG_ARG_FLOAT, .as.real = value};
    return DG_OK;
}

enum dg_status dg_give_truth(struct dg_call *call, bool value)
{
    call->results[0] = (struct dg_arg){DG_ARG_BOOL, .as.integer = value};
    return DG_OK;
}

enum dg_status dg_read_number(struct dg_call *call, size_t i, struct dg_number *number)
{
    const struct dg_arg *arg = i < call->n_args ? &call->args[i] : NULL;

    if (arg && arg->kind == DG_ARG_FLOAT)
        *number = (struct dg_number){false, 0, arg->as.real};
    else if (arg && (arg->kind == DG_ARG_INT || arg->kind == DG_ARG_BOOL))
        *number = (struct dg_number){true, arg->as.integer, (double)arg->as.integer};
    else
        return dg_call_fail(call, DG_ERR_FORMAT, "argument %zu is not a number", i);
    return DG_OK;
}

static enum dg_status too_large(struct dg_call *call)
{
    return dg_call_fail(call, DG_ERR_FORMAT, "the result does not fit 64 bits");
}

static enum dg_status divided_by_zero(struct dg_call *call)
{
    return dg_call_fail(call, DG_ERR_FORMAT, "a number is divided by zero");
}

/* A real as an integer, once it has been rounded. */
static enum dg_status give_rounded(struct dg_call *call, double value)
{
    if (!(value >= -0x1p63 && value < 0x1p63))
        return too_large(call);
    return dg_give_integer(call, (int64_t)value);
}

/* Numbers are x and y: integers where both are. */
#define BINARY(name, integer_result, real_result)                                      \
    enum dg_status dg_cpu_scalar_##name(struct dg_call *call)                          \
    {                                                                                  \
        struct dg_number a = {0}, b = {0};                                             \
                                                                                       \
        if (dg_read_number(call, 0, &a) || dg_read_number(call, 1, &b))                \
            return call->err->status;                                                  \
        if (a.is_integer && b.is_integer) {                                            \
            int64_t x = a.integer, y = b.integer;                                      \
            return integer_result;                                                     \
        } else {                                                                       \
            double x = a.real, y = b.real;                                             \
            return real_result;                                                        \
        }                                                                              \
    }

#define COMPARISON(name, operator)                                                     \
    BINARY(name, dg_give_truth(call, x operator y), dg_give_truth(call, x operator y))

COMPARISON(eq, ==)
COMPARISON(ne, !=)
COMPARISON(lt, <)
COMPARISON(le, <=)
COMPARISON(gt, >)
COMPARISON(ge, >=)

#define CHECKED(builtin)                                                               \
    __builtin_##builtin##_overflow(x, y, &x) ? too_large(call)                         \
                                             : dg_give_integer(call, x)

BINARY(add, CHECKED(add), dg_give_real(call, x + y))
BINARY(sub, CHECKED(sub), dg_give_real(call, x - y))
BINARY(mul, CHECKED(mul), dg_give_real(call, x *y))
BINARY(max, dg_give_integer(call, x > y ? x : y), dg_give_real(call, x > y ? x : y))
BINARY(min, dg_give_integer(call, x < y ? x : y), dg_give_real(call, x < y ? x : y))

static enum dg_status true_quotient(struct dg_call *call, double x, double y)
{
    return y == 0 ? divided_by_zero(call) : dg_give_real(call, x / y);
}

static enum dg_status floor_quotient(struct dg_call *call, int64_t x, int64_t y)
{
    if (!y)
        return divided_by_zero(call);
    if (y == -1 && x == INT64_MIN)
        return too_large(call);
    return dg_give_integer(call, x / y - (x % y != 0 && (x < 0) != (y < 0)));
}

static enum dg_status floor_rest(struct dg_call *call, int64_t x, int64_t y)
{
    int64_t rest = y == -1 || !y ? 0 : x % y;

    if (!y)
        return divided_by_zero(call);
    return dg_give_integer(call, rest && (x < 0) != (y < 0) ? rest + y : rest);
}

static double real_rest(double x, double y)
{
    double rest = fmod(x, y);

    if (rest == 0)
        return copysign(0, y);
    return (y < 0) != (rest < 0) ? rest + y : rest;
}

static double real_floor_quotient(double x, double y)
{
    return rint((x - real_rest(x, y)) / y);
}

BINARY(truediv, true_quotient(call, (double)x, (double)y), true_quotient(call, x, y))
BINARY(floordiv, floor_quotient(call, x, y),
       y == 0 ? divided_by_zero(call) : dg_give_real(call, real_floor_quotient(x, y)))
BINARY(mod, floor_rest(call, x, y),
       y == 0 ? divided_by_zero(call) : dg_give_real(call, real_rest(x, y)))

static enum dg_status integer_power(struct dg_call *call, int64_t x, int64_t y)
{
    int64_t result = 1;

    if (y < 0)
        return x ? dg_give_real(call, pow((double)x, (double)y))
                 : divided_by_zero(call);
    for (; y; y >>= 1) {
        if (y & 1 && __builtin_mul_overflow(result, x, &result))
            return too_large(call);
        if (y > 1 && __builtin_mul_overflow(x, x, &x))
            return too_large(call);
    }
    return dg_give_integer(call, result);
}

BINARY(pow, integer_power(call, x, y), dg_give_real(call, pow(x, y)))

static enum dg_status not_integers(struct dg_call *call)
{
    return dg_call_fail(call, DG_ERR_FORMAT, "bits of what is not an integer");
}

static enum dg_status shifted(struct dg_call *call, int64_t x, int64_t y)
{
    if (y < 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "a shift by %lld", (long long)y);
    if (x && (y > 62 || __builtin_mul_overflow(x, INT64_C(1) << y, &x)))
        return too_large(call);
    return dg_give_integer(call, x);
}

BINARY(lshift, shifted(call, x, y), ((void)x, (void)y, not_integers(call)))
BINARY(rshift,
       y < 0 ? shifted(call, x, y) : dg_give_integer(call, x >> (y > 63 ? 63 : y)),
       ((void)x, (void)y, not_integers(call)))

/* Of bools a bool. */
static enum dg_status give_bits(struct dg_call *call, int64_t value)
{
    dg_give_integer(call, value);
    if (call->args[0].kind == DG_ARG_BOOL && call->args[1].kind == DG_ARG_BOOL)
        call->results[0].kind = DG_ARG_BOOL;
    return DG_OK;
}

BINARY(and, give_bits(call, x &y), ((void)x, (void)y, not_integers(call)))
BINARY(or, give_bits(call, x | y), ((void)x, (void)y, not_integers(call)))
BINARY(xor, give_bits(call, x ^ y), ((void)x, (void)y, not_integers(call)))

/* The number is x. */
#define UNARY(name, integer_result, real_result)                                       \
    enum dg_status dg_cpu_scalar_##name(struct dg_call *call)                          \
    {                                                                                  \
        struct dg_number a = {0};                                                      \
                                                                                       \
        if (dg_read_number(call, 0, &a))                                               \
            return call->err->status;                                                  \
        if (a.is_integer) {                                                            \
            int64_t x = a.integer;                                                     \
            return integer_result;                                                     \
        } else {                                                                       \
            double x = a.real;                                                         \
            return real_result;                                                        \
        }                                                                              \
    }

static enum dg_status negated(struct dg_call *call, int64_t x)
{
    return x == INT64_MIN ? too_large(call) : dg_give_integer(call, -x);
}

UNARY(neg, negated(call, x), dg_give_real(call, -x))
UNARY(pos, dg_give_integer(call, x), dg_give_real(call, x))
UNARY(abs, x < 0 ? negated(call, x) : dg_give_integer(call, x),
      dg_give_real(call, fabs(x)))
UNARY(not, dg_give_truth(call, !x), dg_give_truth(call, x == 0))
UNARY(invert, dg_give_integer(call, ~x), ((void)x, not_integers(call)))
UNARY(float, dg_give_real(call, (double)x), dg_give_real(call, x))
UNARY(bool, dg_give_truth(call, x != 0), dg_give_truth(call, x != 0))
UNARY(ceil, dg_give_integer(call, x), give_rounded(call, ceil(x)))
UNARY(floor, dg_give_integer(call, x), give_rounded(call, floor(x)))
UNARY(round, dg_give_integer(call, x), give_rounded(call, rint(x)))
UNARY(trunc, dg_give_integer(call, x), give_rounded(call, trunc(x)))

static enum dg_status root(struct dg_call *call, double x)
{
    return x < 0 ? dg_call_fail(call, DG_ERR_FORMAT, "the square root of %g", x)
                 : dg_give_real(call, sqrt(x));
}

UNARY(sqrt, root(call, (double)x), root(call, x))

#define FUNCTION(name)                                                                 \
    UNARY(name, dg_give_real(call, name((double)x)), dg_give_real(call, name(x)))

FUNCTION(acos)
FUNCTION(asin)
FUNCTION(atan)
FUNCTION(cos)
FUNCTION(cosh)
FUNCTION(exp)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(sin)
FUNCTION(sinh)
FUNCTION(tan)
FUNCTION(tanh)

enum dg_status dg_cpu_scalar_ite(struct dg_call *call)
{
    struct dg_number condition = {0};

    if (dg_read_number(call, 0, &condition))
        return call->err->status;
    if (call->n_args < 3)
        return dg_call_fail(call, DG_ERR_FORMAT, "a choice needs two numbers");
    dg_arg_set(&call->results[0], &call->args[condition.real != 0 ? 1 : 2]);
    return DG_OK;
}

/* Of a list of integers. */
enum dg_status dg_cpu_scalar_sum(struct dg_call *call)
{
    const struct dg_arg *list = call->n_args ? &call->args[0] : NULL;
    int64_t sum = 0;

    if (!list || list->kind != DG_ARG_LIST)
        return dg_call_fail(call, DG_ERR_FORMAT, "the sum of what is not a list");
    for (size_t i = 0; i < list->as.list.n_items; i++) {
        const struct dg_arg *item = &list->as.list.items[i];

        if (item->kind != DG_ARG_INT && item->kind != DG_ARG_BOOL)
            return dg_call_fail(call, DG_ERR_FORMAT, "item %zu is not an integer", i);
        if (__builtin_add_overflow(sum, item->as.integer, &sum))
            return too_large(call);
    }
    return dg_give_integer(call, sum);
}
