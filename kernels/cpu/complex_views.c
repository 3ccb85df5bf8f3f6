/* Views of complex numbers: of their parts, and as pairs of numbers. */
#include <math.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

static enum dg_status give_part(struct dg_call *call, int part)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    if (!self)
        return call->err->status;
    dg_give(call, 0, dg_complex_part(self, part));
    return DG_OK;
}

enum dg_status dg_cpu_real(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self && dg_type_is_complex(self->type) ? give_part(call, 0)
                                                  : dg_cpu_alias(call);
}

enum dg_status dg_cpu_imag(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    if (!self)
        return call->err->status;
    return dg_type_is_complex(self->type)
               ? give_part(call, 1)
               : dg_call_fail(call, DG_ERR_FORMAT, "%s numbers have no imaginary part",
                              dg_type_name(self->type));
}

/* A conjugate is no view here: its elements are computed, on the host. */
enum dg_status dg_cpu_conj(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0), *parts[2], *negative;
    struct dg_arg value = {0};
    struct dg_call inner = *call;
    enum dg_status status;

    if (!self || !dg_type_is_complex(self->type))
        return dg_cpu_alias(call);
    if (call->context->memory != &dg_host_memory)
        return dg_call_fail(call, DG_ERR_DEVICE, "conjugates on a device");
    parts[0] = dg_complex_part(self, 0);
    parts[1] = dg_complex_part(self, 1);
    inner.args = &(struct dg_arg){DG_ARG_TENSOR, {.tensor = parts[1]}};
    inner.n_args = 1;
    inner.results = &value;
    status = dg_cpu_neg(&inner);
    negative = value.as.tensor;
    if (!status)
        status = dg_complex_give(call, 0, (struct dg_tensor *[]){parts[0], negative});
    dg_arg_drop(&value);
    dg_tensor_drop(parts[0]);
    dg_tensor_drop(parts[1]);
    return status;
}

enum dg_status dg_cpu_adjoint(struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_arg transposed;
    struct dg_call inner = *call;
    enum dg_status status = dg_cpu_matrix_transpose(call);

    if (status || !self || !dg_type_is_complex(self->type))
        return status;
    transposed = call->results[0];
    call->results[0] = (struct dg_arg){0};
    inner.args = &transposed;
    inner.n_args = 1;
    status = dg_cpu_conj(&inner);
    dg_arg_drop(&transposed);
    return status;
}

enum dg_status dg_cpu_view_as_real(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *parts;

    if (!self)
        return call->err->status;
    if (!dg_type_is_complex(self->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "%s numbers are not complex",
                            dg_type_name(self->type));
    parts = dg_tensor_parts(self);
    return dg_give(call, 0, parts) ? DG_OK
                                   : dg_call_fail(call, DG_ERR_DEVICE,
                                                  "a tensor of rank %d; at most %d is "
                                                  "supported",
                                                  self->rank + 1, DG_RANK_MOST);
}

enum dg_status dg_cpu_view_as_complex(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *view;
    int64_t strides[DG_RANK_MOST];
    int rank = self ? self->rank - 1 : 0;
    bool pairs;

    if (!self)
        return call->err->status;
    pairs = rank >= 0 && self->sizes[rank] == 2 && self->strides[rank] == 1 &&
            self->offset % 2 == 0 &&
            (self->type == DG_TYPE_F32 || self->type == DG_TYPE_F64);
    for (int i = 0; i < rank && pairs; i++) {
        pairs = self->strides[i] % 2 == 0 || self->sizes[i] < 2;
        strides[i] = self->strides[i] / 2;
    }
    if (!pairs)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "complex numbers are pairs of f32 or f64 that lie side by "
                            "side");
    view = dg_tensor_view(self, rank, self->sizes, strides, self->offset / 2);
    view->type = dg_type_complex(self->type);
    dg_give(call, 0, view);
    return DG_OK;
}

enum dg_status dg_cpu_complex(struct dg_call *call)
{
    struct dg_tensor *parts[] = {dg_need_tensor(call, 0), dg_need_tensor(call, 1)};
    struct dg_tensor spread[2];
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!parts[0] || !parts[1])
        return call->err->status;
    if (parts[0]->type != parts[1]->type ||
        (parts[0]->type != DG_TYPE_F32 && parts[0]->type != DG_TYPE_F64))
        return dg_call_fail(call, DG_ERR_DEVICE, "parts that are not f32 or f64");
    if (dg_broadcast(call, 2, parts, &rank, sizes))
        return call->err->status;
    for (int i = 0; i < 2; i++)
        spread[i] = dg_expanded(parts[i], rank, sizes);
    return dg_complex_give(call, 0, (struct dg_tensor *[]){&spread[0], &spread[1]});
}

/* abs cos(angle), abs sin(angle) */
enum dg_status dg_cpu_polar(struct dg_call *call)
{
    dg_kernel_fn *const functions[] = {dg_cpu_cos, dg_cpu_sin};
    struct dg_arg circle[2] = {{0}}, parts[2] = {{0}};
    struct dg_call inner = *call;
    enum dg_status status = DG_OK;

    for (int i = 0; i < 2 && !status; i++) {
        inner.args = &call->args[1];
        inner.n_args = 1;
        inner.results = &circle[i];
        status = functions[i](&inner);
        inner.args = (struct dg_arg[]){call->args[0], circle[i]};
        inner.n_args = 2;
        inner.results = &parts[i];
        if (!status)
            status = dg_cpu_mul(&inner);
    }
    if (!status)
        status = dg_complex_give(
            call, 0, (struct dg_tensor *[]){parts[0].as.tensor, parts[1].as.tensor});
    for (int i = 0; i < 2; i++) {
        dg_arg_drop(&circle[i]);
        dg_arg_drop(&parts[i]);
    }
    return status;
}
