/* Values held between bounds. */
#include <float.h>
#include <math.h>

#include "kernels/cpu/pointwise.h"

static inline double at_least(double x, double least)
{
    return x < least || isnan(least) ? least : x;
}

static inline double at_most(double x, double most)
{
    return x > most || isnan(most) ? most : x;
}

static inline int64_t at_least_integer(int64_t x, int64_t least)
{
    return x < least ? least : x;
}

static inline int64_t at_most_integer(int64_t x, int64_t most)
{
    return x > most ? most : x;
}

DG_LINE(double, least_real, DG_XY, at_least(x, y))
DG_LINE(double, most_real, DG_XY, at_most(x, y))
DG_LINE(double, both_real, DG_XYZ, at_most(at_least(x, y), z))
DG_LINE(int64_t, least_integer, DG_XY, at_least_integer(x, y))
DG_LINE(int64_t, most_integer, DG_XY, at_most_integer(x, y))
DG_LINE(int64_t, both_integer, DG_XYZ, at_most_integer(at_least_integer(x, y), z))

static const struct dg_pointwise least = {2, DG_PROMOTED, least_real, least_integer};
static const struct dg_pointwise most = {2, DG_PROMOTED, most_real, most_integer};
static const struct dg_pointwise both = {3, DG_PROMOTED, both_real, both_integer};
static const struct dg_parameters none;

enum dg_status dg_cpu_clamp_min(struct dg_call *call)
{
    return dg_pointwise(call, &least);
}

enum dg_status dg_cpu_clamp_max(struct dg_call *call)
{
    return dg_pointwise(call, &most);
}

enum dg_status dg_cpu_clamp(struct dg_call *call)
{
    struct dg_arg operands[3];

    dg_pointwise_operands(call, 3, operands);
    if (operands[2].kind == DG_ARG_NONE)
        return dg_pointwise_of(call, &least, operands, &none);
    if (operands[1].kind == DG_ARG_NONE)
        return dg_pointwise_of(call, &most, (struct dg_arg[]){operands[0], operands[2]},
                               &none);
    return dg_pointwise_of(call, &both, operands, &none);
}

/* The same, but the bounds do not decide the type. */
enum dg_status dg_cpu_hardtanh(struct dg_call *call)
{
    struct dg_pointwise op = both;
    struct dg_arg operands[3];

    dg_pointwise_operands(call, 3, operands);
    op.typed_by = 1;
    return dg_pointwise_of(call, &op, operands, &none);
}

enum dg_status dg_cpu_relu6(struct dg_call *call)
{
    struct dg_arg operands[3] = {
        {0}, {DG_ARG_INT, .as.integer = 0}, {DG_ARG_INT, .as.integer = 6}};

    dg_pointwise_operands(call, 1, operands);
    return dg_pointwise_of(call, &both, operands, &none);
}

/* x, or the second number where it does not exceed the first. */
DG_LINE(double, threshold_real, DG_XYZ, x <= y ? z : x)
DG_LINE(int64_t, threshold_integer, DG_XYZ, x <= y ? z : x)

enum dg_status dg_cpu_threshold(struct dg_call *call)
{
    return dg_pointwise(call, &(struct dg_pointwise){3, DG_PROMOTED, threshold_real,
                                                     threshold_integer, .typed_by = 1,
                                                     .keeps_numbers = true});
}

static double largest(enum dg_type type)
{
    return type == DG_TYPE_F64    ? DBL_MAX
           : type == DG_TYPE_F16  ? 65504
           : type == DG_TYPE_BF16 ? 0x1.fep127
                                  : FLT_MAX;
}

DG_LINE(double, nan_to_num_real, DG_X,
        isnan(x)         ? p[0]
        : x == INFINITY  ? p[1]
        : x == -INFINITY ? p[2]
                         : x)
DG_LINE(int64_t, nan_to_num_integer, DG_X, x)

enum dg_status dg_cpu_nan_to_num(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    /* A wide run does not know the type that is meant; f32 is most likely. */
    bool wide = call->context->precision == DG_PRECISION_WIDE;
    double size = largest(self && !wide ? self->type : DG_TYPE_F32);
    struct dg_parameters numbers = {{dg_arg_real(call, 1, 0),
                                     dg_arg_real(call, 2, size),
                                     dg_arg_real(call, 3, -size)}};
    struct dg_arg operand;

    dg_pointwise_operands(call, 1, &operand);
    return dg_pointwise_of(
        call,
        &(struct dg_pointwise){1, DG_PROMOTED, nan_to_num_real, nan_to_num_integer},
        &operand, &numbers);
}
