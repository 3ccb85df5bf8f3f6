/* Operators that copy their argument, in another type or as it is. */
#include "kernels/cuda/copy.h"

#include "kernels/cuda/convert.cuh"

extern "C" {
#include "kernels/cpu/walk.h"
}

/* A complex number is a pair of floats: both become others, or stay what they are. */
enum dg_status dg_cuda_copy_into(struct dg_context *context, struct dg_tensor *to,
                                 struct dg_tensor *from, struct dg_error *err)
{
    struct dg_call call = {};
    struct dg_tensor *pairs[2];
    enum dg_status status = DG_ERR_DEVICE;

    call.context = context;
    call.err = err;
    if (!dg_type_is_complex(to->type) && !dg_type_is_complex(from->type))
        return copy_elements(&call, to, from);
    pairs[0] = dg_type_is_complex(to->type) ? dg_tensor_parts(to) : NULL;
    pairs[1] = dg_type_is_complex(from->type) ? dg_tensor_parts(from) : NULL;
    if (pairs[0] && pairs[1])
        status = copy_elements(&call, pairs[0], pairs[1]);
    else
        dg_call_fail(&call, status, "complex numbers are converted on the host only");
    dg_tensor_drop(pairs[0]);
    dg_tensor_drop(pairs[1]);
    return status;
}

/* A contiguous copy of the first argument. */
static enum dg_status copy_as(struct dg_call *call, enum dg_type type)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *out;

    if (!self)
        return dg_call_fail(call, DG_ERR_DEVICE, "an argument is no tensor");
    out = dg_result(call, 0, type == DG_TYPE_NONE ? self->type : type, self->rank,
                    self->sizes);
    return out ? copy_elements(call, out, self) : call->err->status;
}

enum dg_status dg_cuda_clone(struct dg_call *call)
{
    return copy_as(call, DG_TYPE_NONE);
}

/* (self, dtype, ...), (self, device, dtype, ...), (self, other) */
enum dg_status dg_cuda_to(struct dg_call *call)
{
    const struct dg_tensor *other = dg_arg_tensor(call, 1);
    enum dg_type type = dg_arg_type(call, 1, dg_arg_type(call, 2, DG_TYPE_NONE));

    return copy_as(call, other ? other->type : type);
}

/* (input, p, train) */
enum dg_status dg_cuda_dropout(struct dg_call *call)
{
    if (dg_arg_bool(call, 2, false) && dg_arg_real(call, 1, 0) != 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "dropout draws random numbers");
    return copy_as(call, DG_TYPE_NONE);
}

/* (self, other): what `self` becomes when `other` is copied into it. */
enum dg_status dg_cuda_copy(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *other = dg_arg_tensor(call, 1);
    struct dg_tensor *both[] = {self, other}, *out;
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!self || !other)
        return dg_call_fail(call, DG_ERR_DEVICE, "an argument is no tensor");
    if (dg_broadcast(call, 2, both, &rank, sizes))
        return call->err->status;
    for (int d = 0; d < rank; d++) {
        if (rank != self->rank || sizes[d] != self->sizes[d])
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "what is copied does not broadcast to its place");
    }
    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    return out ? copy_elements(call, out, other) : call->err->status;
}
