/* Views of a part: select, slice, narrow, diagonal, unfold, as_strided. */
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"

/* The dimension that argument `i` names, or `otherwise`; a tensor without dimensions
 * has none. */
static bool own_dimension(struct dg_call *call, const struct dg_tensor *self, size_t i,
                          int64_t otherwise, int *dim)
{
    if (!self)
        return false;
    if (!self->rank) {
        dg_call_fail(call, DG_ERR_FORMAT, "the input has no dimensions");
        return false;
    }
    return dg_dimension(call, dg_arg_int(call, i, otherwise), self->rank, dim);
}

enum dg_status dg_cpu_select(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), view;
    int64_t index = dg_arg_int(call, 2, 0), size;
    size_t behind;
    int dim;

    if (!own_dimension(call, self, 1, 0, &dim))
        return call->err->status;
    size = self->sizes[dim];
    if (index < -size || index >= size)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "index %lld is out of range for dimension %d of size %lld",
                            (long long)index, dim, (long long)size);
    view = *self;
    view.offset += (index < 0 ? index + size : index) * self->strides[dim];
    behind = (size_t)(self->rank - dim - 1) * sizeof(*view.sizes);
    memmove(&view.sizes[dim], &self->sizes[dim + 1], behind);
    memmove(&view.strides[dim], &self->strides[dim + 1], behind);
    return dg_give_view(call, self, self->rank - 1, view.sizes, view.strides,
                        view.offset);
}

/* Indices start, start + step, ... before end of one dimension. */
static enum dg_status give_slice(struct dg_call *call, const struct dg_tensor *self,
                                 int dim, int64_t start, int64_t length, int64_t step)
{
    struct dg_tensor view = *self;

    view.sizes[dim] = length;
    if (length > 0)
        view.offset += start * self->strides[dim];
    if (length > 1)
        view.strides[dim] *= step;
    return dg_give_view(call, self, self->rank, view.sizes, view.strides, view.offset);
}

/* As Python slices count: -1 is the last, and what is beyond an end is that end. */
static int64_t clamped(int64_t index, int64_t size)
{
    if (index < 0)
        index += size;
    return index < 0 ? 0 : index > size ? size : index;
}

enum dg_status dg_cpu_slice(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t start, end, step = dg_arg_int(call, 4, 1);
    int dim;

    if (!own_dimension(call, self, 1, 0, &dim))
        return call->err->status;
    if (step <= 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "a slice step of %lld; it must be > 0",
                            (long long)step);
    start = clamped(dg_arg_int(call, 2, 0), self->sizes[dim]);
    end = clamped(dg_arg_int(call, 3, INT64_MAX), self->sizes[dim]);
    return give_slice(call, self, dim, start,
                      end > start ? (end - start - 1) / step + 1 : 0, step);
}

static enum dg_status narrow(struct dg_call *call, const struct dg_tensor *self,
                             int64_t start)
{
    int64_t length = dg_arg_int(call, 3, 0), size;
    int dim;

    if (!own_dimension(call, self, 1, 0, &dim))
        return call->err->status;
    size = self->sizes[dim];
    if (start < -size || start > size || length < 0 ||
        length > size - (start < 0 ? start + size : start))
        return dg_call_fail(
            call, DG_ERR_FORMAT,
            "start %lld and length %lld are out of range for dimension %d of size %lld",
            (long long)start, (long long)length, dim, (long long)size);
    return give_slice(call, self, dim, start < 0 ? start + size : start, length, 1);
}

enum dg_status dg_cpu_narrow(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    return self ? narrow(call, self, dg_arg_int(call, 2, 0)) : call->err->status;
}

enum dg_status dg_cpu_narrow_tensor(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *start = dg_need_tensor(call, 2);

    if (!self || !start)
        return call->err->status;
    if (dg_tensor_count(start) != 1)
        return dg_call_fail(call, DG_ERR_FORMAT, "the start must be a single integer");
    return narrow(call, self, dg_get_i64(start, 0));
}

/* aten::diagonal: self, offset, dim1, dim2; the diagonal is the last dimension. */
enum dg_status dg_cpu_diagonal(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), view;
    int64_t offset = dg_arg_int(call, 1, 0), rows, columns, length;
    int dim1, dim2, rank = 0;

    if (!own_dimension(call, self, 2, 0, &dim1) ||
        !own_dimension(call, self, 3, 1, &dim2))
        return call->err->status;
    if (dim1 == dim2)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a diagonal needs two dimensions, not %d twice", dim1);
    rows = self->sizes[dim1] + (offset < 0 ? offset : 0);
    columns = self->sizes[dim2] - (offset > 0 ? offset : 0);
    length = rows < columns ? rows : columns;
    view = dg_shaped(self, self->rank, self->sizes, self->strides);
    for (int dim = 0; dim < self->rank; dim++) {
        if (dim == dim1 || dim == dim2)
            continue;
        view.sizes[rank] = self->sizes[dim];
        view.strides[rank++] = self->strides[dim];
    }
    view.sizes[rank] = length > 0 ? length : 0;
    view.strides[rank] = self->strides[dim1] + self->strides[dim2];
    if (length > 0)
        view.offset +=
            offset < 0 ? -offset * self->strides[dim1] : offset * self->strides[dim2];
    return dg_give_view(call, self, self->rank - 1, view.sizes, view.strides,
                        view.offset);
}

/* aten::unfold: self, dimension, size, step; windows of `size` as the last dimension.
 */
enum dg_status dg_cpu_unfold(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t size = dg_arg_int(call, 2, 0), step = dg_arg_int(call, 3, 0), length;
    int64_t sizes[DG_RANK_MOST + 1] = {0}, strides[DG_RANK_MOST + 1] = {0};
    int dim;

    if (!self || !dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    length = self->rank ? self->sizes[dim] : 1;
    if (size < 0 || size > length || step <= 0)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "windows of size %lld and step %lld over a dimension of "
                            "size %lld",
                            (long long)size, (long long)step, (long long)length);
    memcpy(sizes, self->sizes, (size_t)self->rank * sizeof(*sizes));
    memcpy(strides, self->strides, (size_t)self->rank * sizeof(*strides));
    sizes[self->rank] = size;
    strides[self->rank] = self->rank ? self->strides[dim] : 1;
    if (self->rank) {
        sizes[dim] = (length - size) / step + 1;
        strides[dim] *= sizes[dim] > 1 ? step : 1;
    }
    return dg_give_view(call, self, self->rank + 1, sizes, strides, self->offset);
}

/* Whether the elements lie inside the storage; strides that reach no second element
 * become 1, so that no later arithmetic overflows. */
static bool inside_storage(struct dg_tensor *view)
{
    int64_t room =
        (int64_t)(view->storage->size / dg_type_bytes(view->type)) - 1 - view->offset;

    for (int dim = 0; dim < view->rank; dim++) {
        int64_t reach = 0;

        if (view->sizes[dim] < 2)
            view->strides[dim] = 1;
        else if (__builtin_mul_overflow(view->sizes[dim] - 1, view->strides[dim],
                                        &reach) ||
                 reach > room)
            return false;
        room -= reach;
    }
    return room >= 0;
}

static enum dg_status give_strided(struct dg_call *call, const struct dg_tensor *self,
                                   struct dg_tensor *view)
{
    int64_t count;

    if (!dg_shape_count(view->rank, view->sizes, view->type, &count))
        return dg_call_fail(call, DG_ERR_FORMAT, "a negative or too large size");
    for (int dim = 0; dim < view->rank; dim++) {
        if (view->strides[dim] < 0)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "stride %lld of dimension %d is negative",
                                (long long)view->strides[dim], dim);
    }
    if (!count) {
        view->offset = self->offset;
        dg_contiguous_strides(view->rank, view->sizes, view->strides);
    } else if (view->offset < 0 || !inside_storage(view)) {
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "sizes, strides and offset %lld reach outside of the "
                            "input's storage of %zu bytes",
                            (long long)view->offset, self->storage->size);
    }
    return dg_give_view(call, self, view->rank, view->sizes, view->strides,
                        view->offset);
}

/* aten::as_strided: self, size, stride, storage_offset. */
enum dg_status dg_cpu_as_strided(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), view;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);
    int n_strides = dg_arg_ints(call, 2, strides, DG_RANK_MOST);

    if (!self || rank < 0 || n_strides < 0)
        return call->err->status;
    if (rank != n_strides)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d sizes and %d strides", rank,
                            n_strides);
    if (call->context->precision == DG_PRECISION_WIDE && !dg_tensor_contiguous(self))
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "strides over memory that f64 lays out otherwise");
    view = dg_shaped(self, rank, sizes, strides);
    view.offset = dg_arg_int(call, 3, self->offset);
    return give_strided(call, self, &view);
}
