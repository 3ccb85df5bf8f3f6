/* Tensors with a part replaced: select_scatter, slice_scatter, et_copy_index. */
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* Result 0: a copy of argument 0, or zeros of the sizes of argument 1, in which the
 * view that `part` makes of it has the elements of `src`. The arguments of the view are
 * those from `first` on. */
static enum dg_status replace(struct dg_call *call, struct dg_tensor *out,
                              dg_kernel_fn *part, size_t first, struct dg_tensor *src)
{
    size_t n = call->n_args > first ? call->n_args - first : 0;
    struct dg_arg *args = dg_alloc(call->context->scratch, n + 1, sizeof(*args));
    struct dg_arg view = {0};
    struct dg_call inner = *call;
    enum dg_status status;
    char a[200], b[200];

    args[0] = (struct dg_arg){DG_ARG_TENSOR, .as.tensor = out};
    if (n)
        memcpy(args + 1, call->args + first, n * sizeof(*args));
    inner.args = args;
    inner.n_args = n + 1;
    inner.results = &view;
    inner.n_results = 1;
    status = part(&inner);
    if (status)
        return status;
    if (dg_tensor_same_shape(view.as.tensor, src))
        dg_move_elements(view.as.tensor, src, call->context->n_threads);
    else
        status = dg_call_fail(call, DG_ERR_FORMAT,
                              "values of shape %s replace a part of shape %s",
                              dg_shape_text(src, a, sizeof(a)),
                              dg_shape_text(view.as.tensor, b, sizeof(b)));
    dg_arg_drop(&view);
    return status;
}

/* self, src, and what the view takes. */
static enum dg_status scatter_part(struct dg_call *call, dg_kernel_fn *part)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *src = dg_need_tensor(call, 1);
    struct dg_tensor *out = self && src ? dg_result_copy(call, self) : NULL;

    return out ? replace(call, out, part, 2, src) : call->err->status;
}

enum dg_status dg_cpu_select_scatter(struct dg_call *call)
{
    return scatter_part(call, dg_cpu_select);
}

enum dg_status dg_cpu_slice_scatter(struct dg_call *call)
{
    return scatter_part(call, dg_cpu_slice);
}

enum dg_status dg_cpu_diagonal_scatter(struct dg_call *call)
{
    return scatter_part(call, dg_cpu_diagonal);
}

enum dg_status dg_cpu_as_strided_scatter(struct dg_call *call)
{
    return scatter_part(call, dg_cpu_as_strided);
}

/* aten::diag_embed: self, offset, dim1, dim2: zeros but for one diagonal. */
enum dg_status dg_cpu_diag_embed(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *out;
    int64_t offset = dg_arg_int(call, 1, 0), length, sizes[DG_RANK_MOST + 1];
    int dim1, dim2, rank;

    if (!self || !dg_dimension(call, dg_arg_int(call, 2, -2), self->rank + 1, &dim1) ||
        !dg_dimension(call, dg_arg_int(call, 3, -1), self->rank + 1, &dim2))
        return call->err->status;
    rank = self->rank + 1;
    if (!self->rank || dim1 == dim2 || offset == INT64_MIN ||
        __builtin_add_overflow(self->sizes[self->rank - 1],
                               offset < 0 ? -offset : offset, &length))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a diagonal %lld of dimensions %d and %d of rank %d",
                            (long long)offset, dim1, dim2, rank);
    for (int dim = 0, from = 0; dim < rank; dim++)
        sizes[dim] = dim == dim1 || dim == dim2 ? length : self->sizes[from++];
    out = dg_result(call, 0, self->type, rank, sizes);
    if (!out)
        return call->err->status;
    dg_zero_elements(out);
    return replace(call, out, dg_cpu_diagonal, 1, self);
}

/* aten::diag: the diagonal of a matrix, or the matrix with that diagonal. */
enum dg_status dg_cpu_diag(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *view, *copy;

    if (!self)
        return call->err->status;
    if (self->rank == 1)
        return dg_cpu_diag_embed(call);
    if (self->rank != 2)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "diag() of a tensor of rank %d; 1 or 2", self->rank);
    if (dg_cpu_diagonal(call))
        return call->err->status;
    view = call->results[0].as.tensor;
    call->results[0].kind = DG_ARG_NONE;
    copy = dg_result_copy(call, view);
    dg_tensor_drop(view);
    return copy ? DG_OK : call->err->status;
}

/* The gradient of a view: src, sizes, and what the view takes. */
static enum dg_status part_backward(struct dg_call *call, dg_kernel_fn *part)
{
    struct dg_tensor *src = dg_need_tensor(call, 0), *out;
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);

    if (!src || rank < 0)
        return call->err->status;
    out = dg_result(call, 0, src->type, rank, sizes);
    if (!out)
        return call->err->status;
    dg_zero_elements(out);
    return replace(call, out, part, 2, src);
}

enum dg_status dg_cpu_select_backward(struct dg_call *call)
{
    return part_backward(call, dg_cpu_select);
}

enum dg_status dg_cpu_slice_backward(struct dg_call *call)
{
    return part_backward(call, dg_cpu_slice);
}

enum dg_status dg_cpu_diagonal_backward(struct dg_call *call)
{
    return part_backward(call, dg_cpu_diagonal);
}

/* The shape of `list` once `item` is its item number `index`. The first item may set
 * the shape of all. */
static enum dg_status list_shape(struct dg_call *call, const struct dg_tensor *list,
                                 const struct dg_tensor *item, int64_t index,
                                 int64_t *sizes)
{
    size_t bytes = (size_t)item->rank * sizeof(*sizes);
    bool longer = list->rank && list->sizes[0] <= index;
    char a[200], b[200];

    if (index < 0 || index == INT64_MAX)
        return dg_call_fail(call, DG_ERR_FORMAT, "index %lld of a list of tensors",
                            (long long)index);
    if (list->type != item->type || list->rank != item->rank + 1 ||
        (memcmp(list->sizes + 1, item->sizes, bytes) && !(longer && !index)))
        return dg_call_fail(
            call, DG_ERR_FORMAT, "an item of shape %s does not fit a list of shape %s",
            dg_shape_text(item, a, sizeof(a)), dg_shape_text(list, b, sizeof(b)));
    sizes[0] = longer ? index + 1 : list->sizes[0];
    memcpy(sizes + 1, item->sizes, bytes);
    return DG_OK;
}

/* The memory of `list` becomes one of the new shape; items stay. */
static enum dg_status grow_list(struct dg_call *call, struct dg_tensor *list,
                                const int64_t *sizes)
{
    struct dg_storage *small = list->storage;
    struct dg_tensor *larger =
        dg_tensor_new(call->context->memory, list->type, list->rank, sizes, call->err);

    if (!larger)
        return call->err->status;
    memcpy(dg_tensor_data(larger), dg_tensor_data(list),
           (size_t)dg_tensor_count(list) * dg_type_bytes(list->type));
    list->storage = larger->storage;
    larger->storage = small;
    list->offset = 0;
    dg_tensor_drop(larger);
    return DG_OK;
}

/* Of a single item nobody says how far the next one is from it. */
static bool has_items_apart(const struct dg_tensor *list)
{
    struct dg_tensor one = *list;

    one.sizes[0] = 1;
    one.offset = 0;
    return list->strides[0] > 0 && dg_tensor_reach(&one) <= list->strides[0];
}

/* Whether its memory goes on for that many items, each as far from the last as now. */
static bool has_room(const struct dg_tensor *list, const int64_t *sizes)
{
    int64_t room = (int64_t)(list->storage->size / dg_type_bytes(list->type));
    size_t tail = (size_t)(list->rank - 1) * sizeof(*sizes);
    struct dg_tensor longer = *list;

    if (memcmp(list->sizes + 1, sizes + 1, tail) != 0 || !has_items_apart(list) ||
        sizes[0] - 1 > room / list->strides[0])
        return false;
    longer.sizes[0] = sizes[0];
    return dg_tensor_reach(&longer) <= room;
}

static enum dg_status lengthen(struct dg_call *call, struct dg_tensor *list,
                               const int64_t *sizes)
{
    int64_t count;

    if (has_room(list, sizes)) {
        list->sizes[0] = sizes[0];
        return DG_OK;
    }
    if (!dg_tensor_contiguous(list) ||
        !dg_shape_count(list->rank, sizes, list->type, &count))
        return dg_call_fail(call, DG_ERR_FORMAT, "the list cannot have %lld items",
                            (long long)sizes[0]);
    if (((size_t)list->offset + (size_t)count) * dg_type_bytes(list->type) >
            list->storage->size &&
        grow_list(call, list, sizes))
        return call->err->status;
    memcpy(list->sizes, sizes, (size_t)list->rank * sizeof(*sizes));
    dg_contiguous_strides(list->rank, list->sizes, list->strides);
    return DG_OK;
}

/* executorch_prim::et_copy_index: copy_to, copy_from, index. copy_to[index] becomes
 * copy_from; copy_to grows to index + 1 items where it has fewer. */
enum dg_status dg_cpu_et_copy_index(struct dg_call *call)
{
    struct dg_tensor *list = dg_need_tensor(call, 0), *item = dg_need_tensor(call, 1);
    int64_t sizes[DG_RANK_MOST], index = dg_arg_int(call, 2, 0);
    struct dg_tensor place;

    if (!list || !item || list_shape(call, list, item, index, sizes))
        return call->err->status;
    if (!list->storage->memory)
        return dg_call_fail(call, DG_ERR_FORMAT, "the list cannot be written");
    if (memcmp(list->sizes, sizes, (size_t)list->rank * sizeof(*sizes)) != 0 &&
        lengthen(call, list, sizes))
        return call->err->status;
    place = dg_shaped(list, item->rank, item->sizes, list->strides + 1);
    place.offset += list->strides[0] * index;
    dg_move_elements(&place, item, call->context->n_threads);
    return DG_OK;
}
