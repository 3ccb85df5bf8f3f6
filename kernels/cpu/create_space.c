/* Points evenly apart, and powers of them: linspace and logspace. */
#include <math.h>

#include "kernels/cpu/create.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/reduce.h"

static bool is_sixteen_bits(enum dg_type type)
{
    return dg_operation_type(type) != type;
}

struct dg_space dg_space_of(const struct dg_context *context, enum dg_type type,
                            double start, double end, int64_t count)
{
    struct dg_space space = {context, type, start, end, 0, count};

    if (dg_type_is_float(type)) {
        space.start = dg_rounded(context, type, start);
        space.end = dg_rounded(context, type, end);
    } else {
        space.start = trunc(start);
        space.end = trunc(end);
    }
    if (count > 1)
        space.step = dg_rounded(context, type,
                                dg_rounded(context, type, space.end - space.start) /
                                    (double)(count - 1));
    return space;
}

/* The second half is counted from the end, so that both ends are exact. torch's code of
 * f32 and f64 multiplies and adds in one rounding. */
double dg_space_point(const struct dg_space *space, int64_t i)
{
    bool first = i < space->count / 2 || space->count == 1;
    double steps = (double)(first ? i : space->count - 1 - i);
    double from = first ? space->start : space->end;
    double step = first ? space->step : -space->step;

    if (!is_sixteen_bits(space->type))
        return dg_rounded(space->context, space->type, fma(step, steps, from));
    steps = dg_rounded(space->context, space->type, steps);
    step = dg_rounded(space->context, space->type, step * steps);
    return dg_rounded(space->context, space->type, from + step);
}

void dg_space_fill(const struct dg_space *space, struct dg_tensor *to)
{
    for (int64_t i = 0; i < space->count; i++)
        dg_put_real(to, i, dg_space_point(space, i));
}

/* Argument `i`, a number or a tensor of one, as a number that `type` holds. */
static enum dg_status read_bound(struct dg_call *call, size_t i, enum dg_type type,
                                 double *value)
{
    struct dg_tensor *tensor = dg_arg_tensor(call, i);
    struct dg_arg number = *dg_number_at(call, i);

    if (tensor && tensor->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a bound is a tensor of rank %d",
                            tensor->rank);
    if (tensor && dg_type_is_float(tensor->type))
        number = (struct dg_arg){DG_ARG_FLOAT, .as.real = dg_get_f64(tensor, 0)};
    else if (tensor)
        number = (struct dg_arg){DG_ARG_INT, .as.integer = dg_get_i64(tensor, 0)};
    if (number.kind != DG_ARG_FLOAT && number.kind != DG_ARG_INT &&
        number.kind != DG_ARG_BOOL)
        return dg_call_fail(call, DG_ERR_FORMAT, "a bound is not a number");
    *value = number.kind == DG_ARG_FLOAT ? number.as.real : (double)number.as.integer;
    if (!dg_number_fits(type, &number))
        return dg_call_fail(call, DG_ERR_FORMAT, "%g does not fit %s", *value,
                            dg_type_name(type));
    return DG_OK;
}

/* start, end and count are the first arguments; `start` as it is given. */
static enum dg_status begin(struct dg_call *call, struct dg_space *space, double *start,
                            struct dg_tensor **result)
{
    enum dg_type type = dg_requested_type(call, DG_TYPE_F32);
    int64_t count = dg_arg_int(call, 2, -1);
    double end = 0;
    enum dg_status status;

    if (count < 0 || (!dg_type_is_float(type) && !dg_type_is_integer(type)))
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld points of %s", (long long)count,
                            dg_type_name(type));
    status = read_bound(call, 0, type, start);
    if (!status)
        status = read_bound(call, 1, type, &end);
    if (status)
        return status;
    *space = dg_space_of(call->context, type, *start, end, count);
    *result = dg_result(call, 0, type, 1, &count);
    return *result ? DG_OK : call->err->status;
}

enum dg_status dg_cpu_linspace(struct dg_call *call)
{
    struct dg_tensor *result;
    struct dg_space space;
    double start;
    enum dg_status status = begin(call, &space, &start, &result);

    if (!status)
        dg_space_fill(&space, result);
    return status;
}

/* torch computes the exponents in f64, from bounds of the type of the result. */
enum dg_status dg_cpu_logspace(struct dg_call *call)
{
    double base = dg_arg_real(call, 3, 10), start, span, step;
    struct dg_tensor *result;
    struct dg_space space;
    enum dg_status status = begin(call, &space, &start, &result);

    if (status)
        return status;
    span = dg_rounded(call->context, space.type, space.end - space.start);
    step = span / (double)(space.count - 1);
    for (int64_t i = 0; i < space.count; i++) {
        bool first = i < space.count / 2;
        double exponent = first ? space.start + step * (double)i
                                : space.end - step * (double)(space.count - 1 - i);

        dg_put_real(result, i, pow(base, space.count == 1 ? start : exponent));
    }
    return DG_OK;
}
