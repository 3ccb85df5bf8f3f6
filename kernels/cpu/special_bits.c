/* Operators on the parts of floats: fractions, exponents, neighbours. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/special.h"

dg_kernel_fn dg_cpu_mul, dg_cpu_pow;

/* A product with a power of two that has a type of its own. */
static enum dg_status by_power(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_arg args[] = {dg_real_arg(2), call->args[1]}, power = {0};
    struct dg_call raise = {call->op, args, 2, &power, 1, call->context, call->err};
    struct dg_tensor *product;
    enum dg_status status;

    if (!self)
        return call->err->status;
    status = dg_cpu_pow(&raise);
    if (status)
        return status;
    product = dg_apply(call, dg_cpu_mul, dg_tensor_keep(self), DG_REST(power));
    dg_arg_drop(&power);
    return dg_give(call, 0, product) ? DG_OK : call->err->status;
}

DG_LINE(double, ldexp_real, DG_XY, ldexp(x, (int)fmax(fmin(y, 1e4), -1e4)))

enum dg_status dg_cpu_ldexp(struct dg_call *call)
{
    const struct dg_tensor *by = dg_arg_tensor(call, 1);

    if (by && dg_type_is_float(by->type))
        return by_power(call);
    return dg_pointwise(call,
                        &(struct dg_pointwise){2, DG_FLOAT, ldexp_real, .typed_by = 1});
}

static double fraction(double x)
{
    int exponent;

    return frexp(x, &exponent);
}

static double exponent_of(double x)
{
    int exponent = 0;

    if (isfinite(x))
        frexp(x, &exponent);
    return exponent;
}

DG_LINE(double, fraction_real, DG_X, fraction(x))

static void exponent_line(void *data, char *const *at, const int64_t *strides,
                          int64_t n)
{
    double line[DG_LINE_MOST];

    dg_load_f64(line, *(enum dg_type *)data, at[1], strides[1], n);
    for (int64_t i = 0; i < n; i++)
        line[i] = exponent_of(line[i]);
    dg_store_f64(DG_TYPE_I32, at[0], strides[0], line, n);
}

enum dg_status dg_cpu_frexp(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *all[2];
    enum dg_status status;
    struct dg_walk walk;

    if (!self)
        return call->err->status;
    status = dg_pointwise(call, &(struct dg_pointwise){1, DG_PROMOTED, fraction_real});
    if (status)
        return status;
    all[0] = dg_result(call, 1, DG_TYPE_I32, self->rank, self->sizes);
    if (!all[0])
        return call->err->status;
    all[1] = self;
    dg_walk_begin(&walk, 2, all);
    dg_walk_lines(&walk, call->context->n_threads, exponent_line, &self->type);
    return DG_OK;
}

/* The next number of a type on the way to `to`: its bits are one more, or one less. */
static double neighbour(enum dg_type type, double from, double to)
{
    uint16_t bits = 0;
    double next;

    if (type == DG_TYPE_F64)
        return nextafter(from, to);
    if (type == DG_TYPE_F32)
        return nextafterf((float)from, (float)to);
    if (isnan(from) || isnan(to) || from == to)
        return isnan(from) ? from : to;
    dg_store_f64(type, &bits, 1, &from, 1);
    if (from == 0)
        bits = (uint16_t)(1 | (to < 0 ? 0x8000 : 0));
    else
        bits = (uint16_t)(bits + ((from < to) == (from > 0) ? 1 : -1));
    dg_load_f64(&next, type, &bits, 1, 1);
    return next;
}

DG_LINE(double, neighbour_f64, DG_XY, neighbour(DG_TYPE_F64, x, y))
DG_LINE(double, neighbour_f32, DG_XY, neighbour(DG_TYPE_F32, x, y))
DG_LINE(double, neighbour_f16, DG_XY, neighbour(DG_TYPE_F16, x, y))
DG_LINE(double, neighbour_bf16, DG_XY, neighbour(DG_TYPE_BF16, x, y))

/* Of the type that the program has, in a wide run, too: that is what it means. */
enum dg_status dg_cpu_nextafter(struct dg_call *call)
{
    struct dg_arg operands[2];
    enum dg_type type;

    dg_pointwise_operands(call, 2, operands);
    type = dg_common_type(operands, 2);
    return dg_pointwise(call,
                        &(struct dg_pointwise){2, DG_PROMOTED,
                                               type == DG_TYPE_F32    ? neighbour_f32
                                               : type == DG_TYPE_F16  ? neighbour_f16
                                               : type == DG_TYPE_BF16 ? neighbour_bf16
                                                                      : neighbour_f64});
}
