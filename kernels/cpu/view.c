/* Views that keep the order of elements: view, reshape, flatten, another dtype. */
#include <string.h>

#include "kernels/cpu/movement.h"

/* A run of dimensions of the source without gaps becomes a run of the new ones: from
 * the last to the first, as torch's computeStride. */
static bool split_runs(const struct dg_tensor *tensor, int rank, const int64_t *sizes,
                       int64_t *strides)
{
    int64_t step = tensor->strides[tensor->rank - 1], run = 1, made = 1;
    int at = rank - 1;

    for (int dim = tensor->rank - 1; dim >= 0; dim--) {
        run *= tensor->sizes[dim];
        if (dim > 0 &&
            (tensor->sizes[dim - 1] == 1 || tensor->strides[dim - 1] == run * step))
            continue;
        for (; at >= 0 && (made < run || sizes[at] == 1); at--) {
            strides[at] = made * step;
            made *= sizes[at];
        }
        if (made != run)
            return false;
        if (dim > 0)
            step = tensor->strides[dim - 1];
        run = made = 1;
    }
    return at < 0;
}

bool dg_reshape_strides(const struct dg_tensor *tensor, int rank, const int64_t *sizes,
                        int64_t *strides)
{
    if (dg_tensor_contiguous(tensor)) {
        dg_contiguous_strides(rank, sizes, strides);
        return true;
    }
    return split_runs(tensor, rank, sizes, strides);
}

static enum dg_status refuse_sizes(struct dg_call *call, const struct dg_tensor *self,
                                   int rank, const int64_t *sizes)
{
    struct dg_tensor wanted = dg_shaped(self, rank, sizes, NULL);
    char from[200], to[200];

    return dg_call_fail(call, DG_ERR_FORMAT,
                        "shape %s is invalid for input of shape %s",
                        dg_shape_text(&wanted, to, sizeof(to)),
                        dg_shape_text(self, from, sizeof(from)));
}

/* Resolve a size of -1, and check that the elements are as many. */
static enum dg_status infer_sizes(struct dg_call *call, const struct dg_tensor *self,
                                  int rank, int64_t *sizes)
{
    int64_t known[DG_RANK_MOST], rest, count = dg_tensor_count(self);
    int open = -1;

    for (int dim = 0; dim < rank; dim++) {
        known[dim] = sizes[dim] == -1 ? 1 : sizes[dim];
        if (sizes[dim] == -1 && open >= 0)
            return dg_call_fail(call, DG_ERR_FORMAT, "only one dimension can be -1");
        if (sizes[dim] == -1)
            open = dim;
    }
    if (!dg_shape_count(rank, known, self->type, &rest) ||
        (open < 0 ? rest != count : !rest || count % rest))
        return refuse_sizes(call, self, rank, sizes);
    if (open >= 0)
        sizes[open] = count / rest;
    return DG_OK;
}

/* A view where the strides allow it; else a copy, which only the host can make here. */
static enum dg_status reshape(struct dg_call *call, struct dg_tensor *self, int rank,
                              int64_t *sizes)
{
    int64_t strides[DG_RANK_MOST];
    enum dg_status status = infer_sizes(call, self, rank, sizes);
    struct dg_tensor *copy, packed;

    if (status)
        return status;
    if (dg_reshape_strides(self, rank, sizes, strides))
        return dg_give_view(call, self, rank, sizes, strides, self->offset);
    if (call->context->memory != &dg_host_memory)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "the strides of the input need a copy, made on the host");
    copy = dg_result(call, 0, self->type, rank, sizes);
    if (!copy)
        return call->err->status;
    packed = dg_shaped(copy, self->rank, self->sizes, NULL);
    dg_move_elements(&packed, self, call->context->n_threads);
    return DG_OK;
}

/* aten::view, aten::reshape, executorch_prim::et_view: self, size. */
enum dg_status dg_cpu_view(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);

    return self && rank >= 0 ? reshape(call, self, rank, sizes) : call->err->status;
}

enum dg_status dg_cpu_view_as(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *other = dg_need_tensor(call, 1);
    int64_t sizes[DG_RANK_MOST];

    if (!self || !other)
        return call->err->status;
    memcpy(sizes, other->sizes, sizeof(sizes));
    return reshape(call, self, other->rank, sizes);
}

enum dg_status dg_cpu_ravel(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t count;

    if (!self)
        return call->err->status;
    count = dg_tensor_count(self);
    return reshape(call, self, 1, &count);
}

enum dg_status dg_cpu_flatten(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST] = {1};
    int start, end, rank = 0;

    if (!self || !dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &start) ||
        !dg_dimension(call, dg_arg_int(call, 2, -1), self->rank, &end))
        return call->err->status;
    if (start > end)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "flatten from dimension %d to %d, which is before it",
                            start, end);
    for (int dim = 0; dim < self->rank; dim++) {
        if (dim > start && dim <= end)
            sizes[rank - 1] *= self->sizes[dim];
        else
            sizes[rank++] = self->sizes[dim];
    }
    return reshape(call, self, self->rank ? rank : 1, sizes);
}

enum dg_status dg_cpu_unflatten(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), part;
    int64_t inner[DG_RANK_MOST], sizes[2 * DG_RANK_MOST];
    int dim, n = dg_arg_ints(call, 2, inner, DG_RANK_MOST);

    if (!self || n < 0 || !dg_dimension(call, dg_arg_int(call, 1, 0), self->rank, &dim))
        return call->err->status;
    if (!self->rank || !n || self->rank + n - 1 > DG_RANK_MOST)
        return dg_call_fail(call, self->rank && n ? DG_ERR_DEVICE : DG_ERR_FORMAT,
                            "unflatten of a dimension of a tensor of rank %d into %d",
                            self->rank, n);
    part = dg_shaped(self, 1, &self->sizes[dim], NULL);
    if (infer_sizes(call, &part, n, inner))
        return call->err->status;
    memcpy(sizes, self->sizes, (size_t)dim * sizeof(*sizes));
    memcpy(sizes + dim, inner, (size_t)n * sizeof(*sizes));
    memcpy(sizes + dim + n, self->sizes + dim + 1,
           (size_t)(self->rank - dim - 1) * sizeof(*sizes));
    return reshape(call, self, self->rank + n - 1, sizes);
}

static bool lacks_dimensions(struct dg_call *call, struct dg_tensor *tensor, int rank)
{
    if (tensor->rank >= rank)
        return false;
    dg_call_fail(call, DG_ERR_FORMAT, "a tensor of rank %d where %d or more are needed",
                 tensor->rank, rank);
    return true;
}

/* One element becomes several smaller ones, which lengthen the last dimension. */
static enum dg_status narrower(struct dg_call *call, struct dg_tensor *self,
                               struct dg_tensor *view, int64_t ratio)
{
    int last = self->rank - 1;

    if (lacks_dimensions(call, self, 1))
        return call->err->status;
    if (self->strides[last] != 1)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "the last dimension has stride %lld; it must be 1",
                            (long long)self->strides[last]);
    for (int dim = 0; dim < last; dim++)
        view->strides[dim] *= ratio;
    view->sizes[last] *= ratio;
    view->offset *= ratio;
    return DG_OK;
}

static enum dg_status wider(struct dg_call *call, struct dg_tensor *self,
                            struct dg_tensor *view, int64_t ratio)
{
    int last = self->rank - 1;
    bool fits;

    if (lacks_dimensions(call, self, 1))
        return call->err->status;
    fits = self->strides[last] == 1 && !(self->sizes[last] % ratio) &&
           !(self->offset % ratio);
    for (int dim = 0; dim < last; dim++) {
        fits = fits && !(self->strides[dim] % ratio);
        view->strides[dim] /= ratio;
    }
    view->sizes[last] /= ratio;
    view->offset /= ratio;
    return fits ? DG_OK
                : dg_call_fail(call, DG_ERR_FORMAT,
                               "size, stride or offset of the last dimension is no "
                               "multiple of %lld, as the wider dtype needs",
                               (long long)ratio);
}

/* aten::view.dtype: the same bits as another type. */
enum dg_status dg_cpu_view_dtype(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), view, *result;
    enum dg_type type = dg_arg_type(call, 1, DG_TYPE_NONE);
    int64_t from, to;
    enum dg_status status = DG_OK;

    if (!self)
        return call->err->status;
    if (type == DG_TYPE_NONE)
        return dg_call_fail(call, DG_ERR_DEVICE, "a view as a dtype not supported");
    if (call->context->precision == DG_PRECISION_WIDE &&
        (dg_type_is_float(dg_type_part(self->type)) ||
         dg_type_is_float(dg_type_part(type))))
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "the bits of a float are not those of f64");
    from = (int64_t)dg_type_bytes(self->type);
    to = (int64_t)dg_type_bytes(type);
    view = dg_shaped(self, self->rank, self->sizes, self->strides);
    if (from > to)
        status = narrower(call, self, &view, from / to);
    else if (from < to)
        status = wider(call, self, &view, to / from);
    if (status)
        return status;
    result = dg_tensor_view(self, view.rank, view.sizes, view.strides, view.offset);
    result->type = type;
    dg_give(call, 0, result);
    return DG_OK;
}

/* Views of the whole: aten::alias, aten::detach, aten::real of real numbers. */
enum dg_status dg_cpu_alias(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    return self ? dg_give_view(call, self, self->rank, self->sizes, self->strides,
                               self->offset)
                : call->err->status;
}
