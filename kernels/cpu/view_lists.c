/* Lists of tensors, each seen another way: broadcast_tensors, atleast_1d of several. */
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* Result 0: what `view` makes of each item of argument 0. */
static enum dg_status give_each(struct dg_call *call, dg_kernel_fn *view)
{
    const struct dg_arg *given = call->n_args ? call->args : NULL;
    size_t n = given && given->kind == DG_ARG_LIST ? given->as.list.n_items : 0;
    struct dg_arg *items = dg_give_list(call, (int64_t)n);
    enum dg_status status = items ? DG_OK : call->err->status;
    struct dg_call inner = *call;

    inner.n_args = inner.n_results = 1;
    for (size_t i = 0; !status && i < n; i++) {
        inner.args = &given->as.list.items[i];
        inner.results = &items[i];
        status = view(&inner);
    }
    return status;
}

enum dg_status dg_cpu_each_atleast_1d(struct dg_call *call)
{
    return give_each(call, dg_cpu_atleast_1d);
}

enum dg_status dg_cpu_each_atleast_2d(struct dg_call *call)
{
    return give_each(call, dg_cpu_atleast_2d);
}

enum dg_status dg_cpu_each_atleast_3d(struct dg_call *call)
{
    return give_each(call, dg_cpu_atleast_3d);
}

enum dg_status dg_cpu_broadcast_tensors(struct dg_call *call)
{
    size_t n;
    struct dg_tensor **tensors = dg_arg_tensors(call, 0, &n);
    int64_t sizes[DG_RANK_MOST], count;
    struct dg_arg *items;
    int rank;

    if (n > INT16_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE, "%zu tensors are too many", n);
    if (dg_broadcast(call, (int)n, tensors, &rank, sizes))
        return call->err->status;
    if (!dg_shape_count(rank, sizes, DG_TYPE_F64, &count))
        return dg_call_fail(call, DG_ERR_FORMAT, "the common shape is too large");
    items = dg_give_list(call, (int64_t)n);
    for (size_t i = 0; items && i < n; i++) {
        struct dg_tensor view;

        if (!tensors[i])
            return dg_call_fail(call, DG_ERR_FORMAT, "item %zu is no tensor", i);
        view = dg_expanded(tensors[i], rank, sizes);
        items[i].kind = DG_ARG_TENSOR;
        items[i].as.tensor =
            dg_tensor_view(tensors[i], rank, sizes, view.strides, view.offset);
    }
    return items ? DG_OK : call->err->status;
}
