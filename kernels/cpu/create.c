/* Tensors of one value. */
#include "kernels/cpu/create.h"

#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/walk.h"

enum dg_type dg_requested_type(const struct dg_call *call, enum dg_type otherwise)
{
    for (size_t i = 0; i < call->n_args; i++) {
        if (call->args[i].kind == DG_ARG_TYPE)
            return call->args[i].as.type;
    }
    return otherwise;
}

void dg_fill(struct dg_tensor *tensor, const struct dg_arg *number, int n_threads)
{
    struct dg_tensor *one = dg_number_tensor(number);

    dg_copy_elements(tensor, one, n_threads);
    dg_tensor_drop(one);
}

bool dg_number_fits(enum dg_type type, const struct dg_arg *number)
{
    static const double most[] = {[DG_TYPE_U8] = 0x1p8,
                                  [DG_TYPE_I8] = 0x1p7,
                                  [DG_TYPE_I16] = 0x1p15,
                                  [DG_TYPE_I32] = 0x1p31,
                                  [DG_TYPE_I64] = 0x1p63};
    double value =
        number->kind == DG_ARG_FLOAT ? number->as.real : (double)number->as.integer;

    if (number->kind == DG_ARG_COMPLEX)
        return dg_type_is_complex(type);
    if (number->kind != DG_ARG_FLOAT && type == DG_TYPE_I64)
        return true;
    if (type < DG_TYPE_U8 || type > DG_TYPE_I64)
        return true;
    return value < most[type] && value >= -most[type];
}

static enum dg_status make(struct dg_call *call, enum dg_type type, int rank,
                           const int64_t *sizes, const struct dg_arg *number)
{
    struct dg_tensor *tensor;

    if (dg_number_type(number) == DG_TYPE_NONE)
        return dg_call_fail(call, DG_ERR_FORMAT, "the value is not a number");
    if (!dg_number_fits(type, number))
        return dg_call_fail(call, DG_ERR_FORMAT, "%g does not fit %s",
                            number->kind == DG_ARG_FLOAT ? number->as.real
                                                         : (double)number->as.integer,
                            dg_type_name(type));
    tensor = dg_result(call, 0, type, rank, sizes);
    if (!tensor)
        return call->err->status;
    dg_fill(tensor, number, call->context->n_threads);
    return DG_OK;
}

/* The shape is argument `at`. */
static enum dg_status make_sized(struct dg_call *call, size_t at, enum dg_type type,
                                 const struct dg_arg *number)
{
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, at, sizes, DG_RANK_MOST);

    if (rank < 0)
        return call->err->status;
    return make(call, dg_requested_type(call, type), rank, sizes, number);
}

static enum dg_status make_like(struct dg_call *call, const struct dg_arg *number)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self)
        return dg_call_fail(call, DG_ERR_FORMAT, "the first argument is not a tensor");
    return make(call, dg_requested_type(call, self->type), self->rank, self->sizes,
                number);
}

static enum dg_type type_of_first(const struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self ? self->type : DG_TYPE_F32;
}

const struct dg_arg *dg_number_at(const struct dg_call *call, size_t i)
{
    static const struct dg_arg missing;

    return i < call->n_args ? &call->args[i] : &missing;
}

static const struct dg_arg zero = {DG_ARG_INT, .as.integer = 0};
static const struct dg_arg one = {DG_ARG_INT, .as.integer = 1};

enum dg_status dg_cpu_full(struct dg_call *call)
{
    const struct dg_arg *number = dg_number_at(call, 1);

    return make_sized(call, 0, dg_number_type(number), number);
}

enum dg_status dg_cpu_ones(struct dg_call *call)
{
    return make_sized(call, 0, DG_TYPE_F32, &one);
}

/* Also what torch leaves unset: two runs are to agree. */
enum dg_status dg_cpu_zeros(struct dg_call *call)
{
    return make_sized(call, 0, DG_TYPE_F32, &zero);
}

enum dg_status dg_cpu_new_full(struct dg_call *call)
{
    return make_sized(call, 1, type_of_first(call), dg_number_at(call, 2));
}

enum dg_status dg_cpu_new_ones(struct dg_call *call)
{
    return make_sized(call, 1, type_of_first(call), &one);
}

enum dg_status dg_cpu_new_zeros(struct dg_call *call)
{
    return make_sized(call, 1, type_of_first(call), &zero);
}

enum dg_status dg_cpu_full_like(struct dg_call *call)
{
    return make_like(call, dg_number_at(call, 1));
}

enum dg_status dg_cpu_ones_like(struct dg_call *call)
{
    return make_like(call, &one);
}

enum dg_status dg_cpu_zeros_like(struct dg_call *call)
{
    return make_like(call, &zero);
}

/* Always f32 by default, unlike full. */
enum dg_status dg_cpu_scalar_tensor(struct dg_call *call)
{
    return make(call, dg_requested_type(call, DG_TYPE_F32), 0, NULL,
                dg_number_at(call, 0));
}

/* The value is a number or a 0-d tensor. */
enum dg_status dg_cpu_fill(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *value = dg_arg_tensor(call, 1);
    struct dg_tensor *filled;

    if (!self || !value)
        return make_like(call, dg_number_at(call, 1));
    if (value->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "fill takes a value of rank 0, not of rank %d",
                            value->rank);
    filled = dg_result(call, 0, self->type, self->rank, self->sizes);
    if (!filled)
        return call->err->status;
    dg_copy_elements(filled, value, call->context->n_threads);
    return DG_OK;
}
