/* Numbers read off tensors, and assertions. */
#include "kernels/cpu/line.h"
#include "kernels/cpu/scalar.h"

/* The tensor among the arguments, or NULL with the error filled. */
static struct dg_tensor *tensor_of(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self)
        dg_call_fail(call, DG_ERR_FORMAT, "the first argument is not a tensor");
    return self;
}

enum dg_status dg_cpu_sym_size(struct dg_call *call)
{
    struct dg_tensor *self = tensor_of(call);
    int dim;

    if (!self || !dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    if (!self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a size of a tensor of rank 0");
    return dg_give_integer(call, self->sizes[dim]);
}

enum dg_status dg_cpu_sym_stride(struct dg_call *call)
{
    struct dg_tensor *self = tensor_of(call);
    int dim;

    if (!self || !dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    if (!self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a stride of a tensor of rank 0");
    return dg_give_integer(call, self->strides[dim]);
}

enum dg_status dg_cpu_sym_numel(struct dg_call *call)
{
    struct dg_tensor *self = tensor_of(call);

    return self ? dg_give_integer(call, dg_tensor_count(self)) : call->err->status;
}

enum dg_status dg_cpu_sym_storage_offset(struct dg_call *call)
{
    struct dg_tensor *self = tensor_of(call);

    return self ? dg_give_integer(call, self->offset) : call->err->status;
}

enum dg_status dg_cpu_sym_is_contiguous(struct dg_call *call)
{
    struct dg_tensor *self = tensor_of(call);

    return self ? dg_give_truth(call, dg_tensor_contiguous(self)) : call->err->status;
}

/* The tensor, if it has one element. */
static struct dg_tensor *single(struct dg_call *call)
{
    struct dg_tensor *self = tensor_of(call);

    if (self && dg_tensor_count(self) != 1) {
        dg_call_fail(call, DG_ERR_FORMAT,
                     "a tensor of %lld elements is taken for a number",
                     (long long)dg_tensor_count(self));
        return NULL;
    }
    return self;
}

enum dg_status dg_cpu_item(struct dg_call *call)
{
    struct dg_tensor *self = single(call);

    if (!self)
        return call->err->status;
    if (self->type == DG_TYPE_BOOL)
        return dg_give_truth(call, dg_get_i64(self, 0) != 0);
    if (dg_type_is_integer(self->type))
        return dg_give_integer(call, dg_get_i64(self, 0));
    return dg_give_real(call, dg_get_f64(self, 0));
}

enum dg_status dg_cpu_item_integer(struct dg_call *call)
{
    struct dg_tensor *self = single(call);

    return self ? dg_give_integer(call, dg_get_i64(self, 0)) : call->err->status;
}

enum dg_status dg_cpu_item_real(struct dg_call *call)
{
    struct dg_tensor *self = single(call);

    return self ? dg_give_real(call, dg_get_f64(self, 0)) : call->err->status;
}

enum dg_status dg_cpu_item_truth(struct dg_call *call)
{
    struct dg_tensor *self = single(call);

    return self ? dg_give_truth(call, dg_get_f64(self, 0) != 0) : call->err->status;
}

static enum dg_status assert_that(struct dg_call *call, bool holds)
{
    const struct dg_arg *message = call->n_args > 1 ? &call->args[1] : NULL;

    if (holds)
        return DG_OK;
    return dg_call_fail(call, DG_ERR_FORMAT, "the program's assertion fails: %s",
                        message && message->kind == DG_ARG_STRING ? message->as.string
                                                                  : "no message");
}

enum dg_status dg_cpu_assert_scalar(struct dg_call *call)
{
    struct dg_number number = {0};

    if (dg_read_number(call, 0, &number))
        return call->err->status;
    return assert_that(call, number.real != 0);
}

enum dg_status dg_cpu_assert_async(struct dg_call *call)
{
    struct dg_tensor *self = single(call);

    return self ? assert_that(call, dg_get_f64(self, 0) != 0) : call->err->status;
}

/* The functional forms pass a token on, to be ordered by it. */
static enum dg_status with_token(struct dg_call *call, enum dg_status status,
                                 size_t token)
{
    struct dg_tensor *tensor = dg_arg_tensor(call, token);

    if (!status && !dg_give(call, 0, dg_tensor_keep(tensor)))
        return dg_call_fail(call, DG_ERR_FORMAT, "the token is not a tensor");
    return status;
}

enum dg_status dg_cpu_functional_assert_scalar(struct dg_call *call)
{
    return with_token(call, dg_cpu_assert_scalar(call), 2);
}

enum dg_status dg_cpu_functional_assert_async(struct dg_call *call)
{
    return with_token(call, dg_cpu_assert_async(call), 2);
}

enum dg_status dg_cpu_constrain_range(struct dg_call *call)
{
    struct dg_number number = {0};
    int64_t least = dg_arg_int(call, 1, INT64_MIN),
            most = dg_arg_int(call, 2, INT64_MAX);

    if (dg_read_number(call, 0, &number))
        return call->err->status;
    if (number.integer < least || number.integer > most)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld is not between %lld and %lld, as the program asserts",
                            (long long)number.integer, (long long)least,
                            (long long)most);
    return DG_OK;
}

enum dg_status dg_cpu_functional_constrain_range(struct dg_call *call)
{
    return with_token(call, dg_cpu_constrain_range(call), 3);
}

/* Wide runs hold floats in another type. Strides are how a device laid it out: not
 * compared. */
enum dg_status dg_cpu_assert_metadata(struct dg_call *call)
{
    struct dg_tensor *self = tensor_of(call);
    int64_t sizes[DG_RANK_MOST];
    enum dg_type type = dg_arg_type(call, 3, DG_TYPE_NONE);
    int rank;

    if (!self)
        return call->err->status;
    if (type != DG_TYPE_NONE && dg_kept_type(call->context, type) != self->type)
        return dg_call_fail(call, DG_ERR_FORMAT, "the tensor is %s, asserted to be %s",
                            dg_type_name(self->type), dg_type_name(type));
    if (dg_arg_missing(call, 1))
        return DG_OK;
    rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);
    if (rank < 0)
        return call->err->status;
    if (rank != self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "the tensor is of rank %d, not %d",
                            self->rank, rank);
    for (int dim = 0; dim < rank; dim++) {
        if (sizes[dim] != self->sizes[dim])
            return dg_call_fail(
                call, DG_ERR_FORMAT, "size %lld of dimension %d, asserted to be %lld",
                (long long)self->sizes[dim], dim, (long long)sizes[dim]);
    }
    return DG_OK;
}
