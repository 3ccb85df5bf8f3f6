/* Copies of tensors, in their type or in another. */
#include "kernels/cpu/create.h"
#include "kernels/cpu/walk.h"

static enum dg_status convert(struct dg_call *call, struct dg_tensor *self,
                              enum dg_type type)
{
    struct dg_tensor *copy = dg_result(call, 0, type, self->rank, self->sizes);

    if (!copy)
        return call->err->status;
    dg_copy_elements(copy, self, call->context->n_threads);
    return DG_OK;
}

static enum dg_status refuse(struct dg_call *call)
{
    return dg_call_fail(call, DG_ERR_FORMAT, "the first argument is not a tensor");
}

enum dg_status dg_cpu_to_copy(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self ? convert(call, self, dg_requested_type(call, self->type))
                : refuse(call);
}

/* The tensor itself where it has that type already. */
static enum dg_status convert_or_keep(struct dg_call *call, struct dg_tensor *self,
                                      enum dg_type type)
{
    if (dg_kept_type(call->context, type) != self->type)
        return convert(call, self, type);
    dg_give(call, 0, dg_tensor_keep(self));
    return DG_OK;
}

enum dg_status dg_cpu_to(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self ? convert_or_keep(call, self, dg_requested_type(call, self->type))
                : refuse(call);
}

enum dg_status dg_cpu_type_as(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *other = dg_arg_tensor(call, 1);

    return self && other ? convert_or_keep(call, self, other->type) : refuse(call);
}

enum dg_status dg_cpu_clone(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self ? convert(call, self, self->type) : refuse(call);
}

enum dg_status dg_cpu_contiguous(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self)
        return refuse(call);
    return dg_give(call, 0, dg_contiguous(call, self)) ? DG_OK : call->err->status;
}

enum dg_status dg_cpu_pass(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    return dg_give(call, 0, dg_tensor_keep(self)) ? DG_OK : refuse(call);
}

/* Shape and type of self, elements of src. */
enum dg_status dg_cpu_copy(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *src = dg_arg_tensor(call, 1);
    struct dg_tensor *copy;
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!self || !src)
        return refuse(call);
    if (dg_broadcast(call, 2, (struct dg_tensor *[]){self, src}, &rank, sizes))
        return call->err->status;
    copy = dg_result(call, 0, self->type, self->rank, self->sizes);
    if (!copy)
        return call->err->status;
    for (int dim = 0; dim < rank; dim++) {
        if (rank != self->rank || sizes[dim] != self->sizes[dim])
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "the source does not broadcast to the target's size "
                                "%lld of dimension %d",
                                rank == self->rank ? (long long)self->sizes[dim] : -1,
                                dim);
    }
    dg_copy_elements(copy, src, call->context->n_threads);
    return DG_OK;
}

/* Evaluation passes the tensor on; training draws random numbers. */
enum dg_status dg_cpu_dropout(struct dg_call *call)
{
    if (dg_arg_bool(call, 2, true) && dg_arg_real(call, 1, 0.5) > 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "draws random numbers");
    return dg_cpu_pass(call);
}

/* The result and the mask of what was kept. */
enum dg_status dg_cpu_native_dropout(struct dg_call *call)
{
    const struct dg_arg kept = {DG_ARG_BOOL, .as.integer = 1};
    struct dg_tensor *self = dg_arg_tensor(call, 0), *mask;
    enum dg_status status;

    if (!self)
        return refuse(call);
    if (dg_arg_bool(call, 2, true) && dg_arg_real(call, 1, 0.5) > 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "draws random numbers");
    status = convert(call, self, self->type);
    mask = status ? NULL : dg_result(call, 1, DG_TYPE_BOOL, self->rank, self->sizes);
    if (!mask)
        return call->err->status;
    dg_fill(mask, &kept, call->context->n_threads);
    return DG_OK;
}

enum dg_status dg_cpu_random(struct dg_call *call)
{
    return dg_call_fail(call, DG_ERR_DEVICE, "draws random numbers");
}
