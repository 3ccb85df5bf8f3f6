/* Complex numbers evenly apart, and powers of them. */
#include "kernels/cpu/complex.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/create.h"
#include "kernels/cpu/line.h"

/* Argument `i`, a number or a tensor of one. */
static enum dg_status read_bound(struct dg_call *call, size_t i, double parts[2])
{
    const struct dg_tensor *tensor = dg_arg_tensor(call, i);
    double _Complex value;

    if (tensor && tensor->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a bound is a tensor of rank %d",
                            tensor->rank);
    if (tensor)
        dg_load_complex(&value, tensor->type, dg_tensor_data(tensor), 1, 1);
    else if (!dg_arg_complex(call, i, &value))
        value = dg_arg_real(call, i, 0);
    dg_store_complex(DG_TYPE_C128, parts, 1, &value, 1);
    return DG_OK;
}

static void fill_part(struct dg_tensor *to, int part, const struct dg_space *space)
{
    double value;

    for (int64_t i = 0; i < space->count; i++) {
        value = dg_space_point(space, i);
        dg_store_f64(dg_type_part(to->type),
                     (char *)dg_tensor_data(to) +
                         (size_t)(2 * i + part) * dg_type_bytes(to->type) / 2,
                     1, &value, 1);
    }
}

/* start, end and count are the first arguments. */
static enum dg_status make(struct dg_call *call, enum dg_type type)
{
    int64_t count = dg_arg_int(call, 2, -1);
    double start[2], end[2];
    enum dg_status status = read_bound(call, 0, start);
    struct dg_tensor *result;

    if (!status)
        status = read_bound(call, 1, end);
    if (status)
        return status;
    if (count < 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld points", (long long)count);
    result = dg_result(call, 0, type, 1, &count);
    if (!result)
        return call->err->status;
    for (int part = 0; part < 2; part++) {
        struct dg_space space = dg_space_of(call->context, dg_type_part(type),
                                            start[part], end[part], count);

        fill_part(result, part, &space);
    }
    return DG_OK;
}

/* `make`, for a call whose dtype can hold them. */
enum dg_status dg_complex_linspace(struct dg_call *call)
{
    enum dg_type type = dg_requested_type(call, DG_TYPE_C64);

    return dg_type_is_complex(type)
               ? make(call, type)
               : dg_call_fail(call, DG_ERR_FORMAT, "complex points as %s",
                              dg_type_name(type));
}

/* start, end, steps, base */
enum dg_status dg_complex_logspace(struct dg_call *call)
{
    struct dg_arg base = call->n_args > 3 ? call->args[3] : dg_integer_arg(10);
    struct dg_arg powers[2] = {base};
    struct dg_tensor *result;
    enum dg_status status = dg_complex_run(call, dg_complex_linspace, call->args,
                                           call->n_args, &powers[1].as.tensor);

    if (status)
        return status;
    powers[1].kind = DG_ARG_TENSOR;
    status = dg_complex_run(call, dg_complex_pow, powers, 2, &result);
    dg_arg_drop(&powers[1]);
    return status ? status : (dg_give(call, 0, result), DG_OK);
}
