/* Arithmetic of two operands and of three. */
#include <math.h>

#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/special.h"

/* Of floats and of integers, in their common type. */
#define ARITHMETIC(name, real_value, integer_value)                                    \
    DG_LINE(double, name##_real, DG_XY, real_value)                                    \
    DG_LINE(int64_t, name##_integer, DG_XY, integer_value)                             \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_pointwise(call, &(struct dg_pointwise){2, DG_PROMOTED, name##_real,  \
                                                         name##_integer});             \
    }

/* Of floats; integers become f32. */
#define FUNCTION(name, value)                                                          \
    DG_LINE(double, name##_real, DG_XY, value)                                         \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return dg_pointwise(call, &(struct dg_pointwise){2, DG_FLOAT, name##_real});   \
    }

/* torch: the second of two zeros; NaN wins. */
ARITHMETIC(maximum, x > y || isnan(x) ? x : y, x > y ? x : y)
ARITHMETIC(minimum, x < y || isnan(x) ? x : y, x < y ? x : y)
ARITHMETIC(fmax, fmax(x, y), x > y ? x : y)
ARITHMETIC(fmin, fmin(x, y), x < y ? x : y)
ARITHMETIC(heaviside, x == 0 ? y : x > 0, x == 0 ? y : x > 0)

FUNCTION(atan2, atan2(x, y))
FUNCTION(copysign, copysign(x, y))
FUNCTION(hypot, hypot(x, y))
FUNCTION(xlog1py, isnan(y) ? y : x == 0 ? 0 : x * log1p(y))
FUNCTION(xlogy, isnan(y) ? y : x == 0 ? 0 : x * log(y))

static inline double log_add_exp(double x, double y)
{
    double most = x > y ? x : y;

    return isinf(x) && x == y ? x : most + log1p(exp(-fabs(x - y)));
}

static inline double log_add_exp2(double x, double y)
{
    double most = x > y ? x : y;

    return isinf(x) && x == y ? x : most + M_LOG2E * log1p(exp2(-fabs(x - y)));
}

FUNCTION(logaddexp, log_add_exp(x, y))
FUNCTION(logaddexp2, log_add_exp2(x, y))

DG_LINE(double, add_real, DG_XY, x + y)
DG_LINE(double, add_scaled_real, DG_XY, fma(y, p[0], x))
DG_LINE(double, add_scaled_f16, DG_XY, x + dg_in_type(DG_TYPE_F16, y *p[0]))
DG_LINE(double, add_scaled_bf16, DG_XY, x + dg_in_type(DG_TYPE_BF16, y *p[0]))
DG_LINE(double, sub_real, DG_XY, x - y)
DG_LINE(int64_t, add_integer, DG_XY, dg_wrap_add(x, dg_wrap_mul(y, p[0])))

/* In 16 bits torch rounds once where it has a whole vector, and the product, too, in
 * what is left over: how many elements that are hangs on the processor. */
static dg_real_line *scaled_line(const struct dg_context *context, enum dg_type type)
{
    bool apart = context->precision == DG_PRECISION_OWN_SUMS;

    return apart && type == DG_TYPE_F16    ? add_scaled_f16
           : apart && type == DG_TYPE_BF16 ? add_scaled_bf16
                                           : add_scaled_real;
}

/* x + alpha y. torch converts alpha to the type of the result first. */
static enum dg_status add_scaled(struct dg_call *call, int first, int sign)
{
    struct dg_parameters alpha = {{sign * dg_arg_real(call, 2, 1)},
                                  {dg_wrap_mul(sign, dg_arg_int(call, 2, 1))}};
    struct dg_arg all[2];
    struct dg_pointwise op = {2, DG_PROMOTED, NULL, add_integer};
    enum dg_type type;

    dg_pointwise_operands(call, 2, all);
    type = dg_common_type(all, 2);
    op.real = alpha.real[0] == 1    ? add_real
              : alpha.real[0] == -1 ? sub_real
                                    : scaled_line(call->context, type);
    alpha.real[0] = dg_rounded(call->context, type, alpha.real[0]);
    if (sign > 0 && type == DG_TYPE_BOOL)
        alpha.integer[0] = alpha.integer[0] != 0;
    return dg_pointwise_of(call, &op, (struct dg_arg[]){all[first], all[!first]},
                           &alpha);
}

enum dg_status dg_cpu_add(struct dg_call *call)
{
    return add_scaled(call, 0, 1);
}

enum dg_status dg_cpu_sub(struct dg_call *call)
{
    return add_scaled(call, 0, -1);
}

enum dg_status dg_cpu_rsub(struct dg_call *call)
{
    return add_scaled(call, 1, -1);
}

DG_LINE(double, mul_real, DG_XY, x *y)
DG_LINE(int64_t, mul_integer, DG_XY, dg_wrap_mul(x, y))

enum dg_status dg_cpu_mul(struct dg_call *call)
{
    return dg_pointwise(call,
                        &(struct dg_pointwise){2, DG_PROMOTED, mul_real, mul_integer,
                                               .keeps_numbers = true});
}

DG_LINE(double, addcmul_real, DG_XYZ, fma(p[0] * y, z, x))
DG_LINE(int64_t, addcmul_integer, DG_XYZ,
        dg_wrap_add(x, dg_wrap_mul(p[0], dg_wrap_mul(y, z))))
DG_LINE(double, addcdiv_real, DG_XYZ, x + p[0] * y / z)

enum dg_status dg_cpu_addcmul(struct dg_call *call)
{
    return dg_pointwise(
        call, &(struct dg_pointwise){3, DG_PROMOTED, addcmul_real, addcmul_integer, 1});
}

enum dg_status dg_cpu_addcdiv(struct dg_call *call)
{
    return dg_pointwise(call,
                        &(struct dg_pointwise){3, DG_PROMOTED, addcdiv_real, NULL, 1});
}

/* From the nearer end, as torch does: weight 1 gives y exactly. */
static inline double mix(double x, double y, double weight)
{
    return fabs(weight) < 0.5 ? fma(weight, y - x, x) : fma(x - y, 1 - weight, y);
}

DG_LINE(double, lerp_number_real, DG_XY, mix(x, y, p[0]))
DG_LINE(double, lerp_real, DG_XYZ, mix(x, y, z))

enum dg_status dg_cpu_lerp(struct dg_call *call)
{
    struct dg_pointwise by_number = {2, DG_PROMOTED, lerp_number_real, NULL, 1};
    struct dg_pointwise by_tensor = {3, DG_PROMOTED, lerp_real};

    return dg_pointwise(call, dg_arg_tensor(call, 2) ? &by_tensor : &by_number);
}
