/* Division, remainders and powers. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/promote.h"

DG_LINE(double, div_real, DG_XY, x / y)

/* Quotients are about to lose their fraction: what torch rounds before that counts. */
static inline double as_f64(double x)
{
    return x;
}

static inline double as_f32(double x)
{
    return (float)x;
}

static inline double as_f16(double x)
{
    return dg_f16_value(dg_f16_bits((float)x));
}

static inline double as_bf16(double x)
{
    return dg_bf16_value(dg_bf16_bits((float)x));
}

typedef double rounding(double x);

static inline double trunc_quotient(double x, double y, rounding *rounded)
{
    return trunc(rounded(x / y));
}

/* By way of fmod, which is exact: 1 // 0.1 is 9. */
static inline double floor_quotient(double x, double y, rounding *rounded)
{
    double rest = fmod(x, y), quotient = rounded(rounded(x - rest) / y), whole;

    if (y == 0)
        return x / y;
    if (rest != 0 && (y < 0) != (rest < 0))
        quotient = rounded(quotient - 1);
    if (quotient == 0)
        return copysign(0, x / y);
    whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

#define QUOTIENTS(name)                                                                \
    DG_LINE(double, name##_f64, DG_XY, name##_quotient(x, y, as_f64))                  \
    DG_LINE(double, name##_f32, DG_XY, name##_quotient(x, y, as_f32))                  \
    DG_LINE(double, name##_f16, DG_XY, name##_quotient(x, y, as_f16))                  \
    DG_LINE(double, name##_bf16, DG_XY, name##_quotient(x, y, as_bf16))                \
    static dg_real_line *const name##_real[] = {[DG_TYPE_F64] = name##_f64,            \
                                                [DG_TYPE_F32] = name##_f32,            \
                                                [DG_TYPE_F16] = name##_f16,            \
                                                [DG_TYPE_BF16] = name##_bf16};

QUOTIENTS(trunc)
QUOTIENTS(floor)

/* The remainder with the sign of the divisor. */
static inline double floor_rest(double x, double y)
{
    double rest = fmod(x, y);

    return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
}

DG_LINE(double, remainder_real, DG_XY, floor_rest(x, y))
DG_LINE(double, fmod_real, DG_XY, fmod(x, y))

/* Where y is -1, x / y overflows for the least x. */
static inline int64_t quotient(int64_t x, int64_t y)
{
    return y == -1 ? dg_wrap_sub(0, x) : x / y;
}

static inline int64_t rest(int64_t x, int64_t y)
{
    return y == -1 ? 0 : x % y;
}

DG_LINE(int64_t, trunc_integer, DG_XY, quotient(x, y))
DG_LINE(int64_t, floor_integer, DG_XY,
        quotient(x, y) - (rest(x, y) != 0 && (x < 0) != (y < 0)))
DG_LINE(int64_t, remainder_integer, DG_XY,
        rest(x, y) + (rest(x, y) != 0 && (x < 0) != (y < 0) ? y : 0))
DG_LINE(int64_t, fmod_integer, DG_XY, rest(x, y))

struct divisor {
    enum dg_type type, work; /* a 0-d divisor wraps to the type of the work */
    bool has_zero;
};

static void find_zero(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    int64_t line[DG_LINE_MOST], narrow[DG_LINE_MOST];
    struct divisor *divisor = data;

    dg_load_i64(line, divisor->type, at[0], strides[0], n);
    dg_store_i64(divisor->work, narrow, 1, line, n);
    dg_load_i64(line, divisor->work, narrow, 1, n);
    for (int64_t i = 0; i < n; i++)
        divisor->has_zero |= !line[i];
}

static bool has_zero(const struct dg_arg *operand, enum dg_type work)
{
    bool number = operand->kind != DG_ARG_TENSOR;
    struct dg_tensor *tensor =
        number ? dg_tensor_over(DG_TYPE_I64, 0, NULL, &operand->as.integer)
               : dg_tensor_keep(operand->as.tensor);
    struct divisor divisor = {tensor->type, work, false};
    struct dg_walk walk;

    dg_walk_begin(&walk, 1, &tensor);
    dg_walk_lines(&walk, 1, find_zero, &divisor);
    dg_tensor_drop(tensor);
    return divisor.has_zero;
}

/* Integers cannot be divided by zero: torch raises. */
static enum dg_status divide(struct dg_call *call, const struct dg_pointwise *op)
{
    struct dg_arg operands[2];
    enum dg_type type;

    dg_pointwise_operands(call, 2, operands);
    type = dg_common_type(operands, 2);
    if (type != DG_TYPE_NONE && !dg_type_is_float(type) && has_zero(&operands[1], type))
        return dg_call_fail(call, DG_ERR_FORMAT, "integers are divided by zero");
    return dg_pointwise(call, op);
}

/* By a number, 16-bit floats are divided in f32. */
static enum dg_status divide_whole(struct dg_call *call, dg_real_line *const *lines,
                                   dg_integer_line *integer)
{
    struct dg_pointwise op = {2, DG_PROMOTED, NULL, integer};
    struct dg_arg operands[2];
    enum dg_type type;

    dg_pointwise_operands(call, 2, operands);
    op.keeps_numbers =
        operands[1].kind != DG_ARG_TENSOR || !operands[1].as.tensor->rank;
    type = dg_kept_type(call->context, dg_common_type(operands, 2));
    if (dg_type_is_float(type))
        op.real = lines[op.keeps_numbers ? dg_operation_type(type) : type];
    return divide(call, &op);
}

enum dg_status dg_cpu_floor_divide(struct dg_call *call)
{
    return divide_whole(call, floor_real, floor_integer);
}

enum dg_status dg_cpu_remainder(struct dg_call *call)
{
    return divide(call, &(struct dg_pointwise){2, DG_PROMOTED, remainder_real,
                                               remainder_integer});
}

enum dg_status dg_cpu_fmod(struct dg_call *call)
{
    return divide(call,
                  &(struct dg_pointwise){2, DG_PROMOTED, fmod_real, fmod_integer});
}

enum dg_status dg_cpu_div(struct dg_call *call)
{
    return dg_pointwise(
        call, &(struct dg_pointwise){2, DG_FLOAT, div_real, .keeps_numbers = true});
}

enum dg_status dg_cpu_div_mode(struct dg_call *call)
{
    const struct dg_arg *mode = call->n_args > 2 ? &call->args[2] : NULL;

    if (!mode || mode->kind == DG_ARG_NONE)
        return dg_cpu_div(call);
    if (mode->kind == DG_ARG_STRING && !strcmp(mode->as.string, "trunc"))
        return divide_whole(call, trunc_real, trunc_integer);
    if (mode->kind == DG_ARG_STRING && !strcmp(mode->as.string, "floor"))
        return dg_cpu_floor_divide(call);
    return dg_call_fail(call, DG_ERR_FORMAT,
                        "a rounding mode that torch does not have");
}

/* Wraps. Of negative exponents only the powers of 1 and -1 are integers; torch gives 0
 * for the others. */
static inline int64_t integer_power(int64_t base, int64_t exponent)
{
    int64_t result = 1;

    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? exponent & 1 ? -1 : 1 : 0;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = dg_wrap_mul(result, base);
        base = dg_wrap_mul(base, base);
    }
    return result;
}

DG_LINE(double, pow_real, DG_XY, pow(x, y))
DG_LINE(double, pow_square, DG_X, x *x)
DG_LINE(double, pow_root, DG_X, sqrt(x))
DG_LINE(double, pow_inverse_root, DG_X, 1 / sqrt(x))
DG_LINE(int64_t, pow_integer, DG_XY, integer_power(x, y))

enum dg_status dg_cpu_pow(struct dg_call *call)
{
    return dg_pointwise(call,
                        &(struct dg_pointwise){2, DG_PROMOTED, pow_real, pow_integer});
}

/* torch takes roots for the exponents ±0.5, though not of f16: of -0 and -inf they are
 * not what pow is. */
enum dg_status dg_cpu_pow_number(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    double exponent = dg_arg_real(call, 1, NAN);
    bool roots = self && self->type != DG_TYPE_F16;
    struct dg_pointwise op = {2, DG_PROMOTED,
                              exponent == 2               ? pow_square
                              : roots && exponent == 0.5  ? pow_root
                              : roots && exponent == -0.5 ? pow_inverse_root
                                                          : pow_real,
                              pow_integer};

    if (self && !dg_type_is_float(self->type) && call->args[1].kind == DG_ARG_INT &&
        exponent < 0)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an integer to the negative power %lld",
                            (long long)call->args[1].as.integer);
    return dg_pointwise(call, &op);
}

enum dg_status dg_cpu_float_power(struct dg_call *call)
{
    return dg_pointwise(call, &(struct dg_pointwise){2, DG_DOUBLE, pow_real});
}
