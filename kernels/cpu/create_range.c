/* Evenly spaced numbers. */
#include <math.h>

#include "kernels/cpu/create.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/walk.h"

static const struct dg_arg zero = {DG_ARG_INT, .as.integer = 0};
static const struct dg_arg one = {DG_ARG_INT, .as.integer = 1};

struct range {
    const struct dg_arg *start, *end, *step;
};

static int64_t integer(const struct dg_arg *number)
{
    int64_t value;

    if (number->kind != DG_ARG_FLOAT)
        return number->as.integer;
    dg_load_i64(&value, DG_TYPE_F64, &number->as.real, 1, 1);
    return value;
}

static double real(const struct dg_arg *number)
{
    return number->kind == DG_ARG_FLOAT ? number->as.real : (double)number->as.integer;
}

/* Numbers from `start` towards `end`; -1: there is no such range. */
static double count_of(double start, double end, double step)
{
    if (!(step > 0 || step < 0) || !isfinite(start) || !isfinite(end) ||
        (end - start) / step < 0)
        return -1;
    return ceil((end - start) / step);
}

/* For i64 numbers are cast before anything else: arange(1, 6, 2.5) gives 1, 3, 5; for
 * narrower integers they are once it is known how many there will be. */
static void make_integers(struct dg_tensor *tensor, const struct range *range)
{
    int64_t value = integer(range->start), step = integer(range->step);
    size_t bytes = dg_type_bytes(tensor->type);

    for (int64_t i = 0; i < tensor->sizes[0]; i++) {
        dg_store_i64(tensor->type, (char *)dg_tensor_data(tensor) + (size_t)i * bytes,
                     1, &value, 1);
        value = (int64_t)((uint64_t)value + (uint64_t)step);
    }
}

static void make_reals(struct dg_tensor *tensor, double start, double step)
{
    size_t bytes = dg_type_bytes(tensor->type);

    for (int64_t i = 0; i < tensor->sizes[0]; i++) {
        double value = start + (double)i * step;

        dg_store_f64(tensor->type, (char *)dg_tensor_data(tensor) + (size_t)i * bytes,
                     1, &value, 1);
    }
}

static enum dg_status arange(struct dg_call *call, const struct range *range)
{
    const struct dg_arg numbers[] = {*range->start, *range->end, *range->step};
    enum dg_type type = dg_requested_type(call, dg_common_type(numbers, 3));
    bool floats = dg_type_is_float(type);
    double count;
    int64_t size;
    struct dg_tensor *tensor;

    for (size_t i = 0; i < 3; i++) {
        if (dg_number_type(&numbers[i]) == DG_TYPE_NONE)
            return dg_call_fail(call, DG_ERR_FORMAT, "a bound is not a number");
    }
    count = type != DG_TYPE_I64
                ? count_of(real(range->start), real(range->end), real(range->step))
                : count_of((double)integer(range->start), (double)integer(range->end),
                           (double)integer(range->step));
    if (count < 0 || count > 0x1p62)
        return dg_call_fail(call, DG_ERR_FORMAT, "no range from %g to %g by %g",
                            real(range->start), real(range->end), real(range->step));
    size = (int64_t)count;
    tensor = dg_result(call, 0, type, 1, &size);
    if (!tensor)
        return call->err->status;
    if (floats)
        make_reals(tensor, real(range->start), real(range->step));
    else
        make_integers(tensor, range);
    return DG_OK;
}

enum dg_status dg_cpu_arange(struct dg_call *call)
{
    return arange(call, &(struct range){&zero, dg_number_at(call, 0), &one});
}

enum dg_status dg_cpu_arange_start(struct dg_call *call)
{
    return arange(call,
                  &(struct range){dg_number_at(call, 0), dg_number_at(call, 1), &one});
}

enum dg_status dg_cpu_arange_step(struct dg_call *call)
{
    const struct dg_arg *step = dg_number_at(call, 2);

    return arange(call,
                  &(struct range){dg_number_at(call, 0), dg_number_at(call, 1),
                                  dg_number_type(step) == DG_TYPE_NONE ? &one : step});
}
