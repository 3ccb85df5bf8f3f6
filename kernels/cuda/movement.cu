/* Copies of whole tensors into parts of others: cat, stack, pad, repeat, flip. */
#include "kernels/cuda/convert.cuh"

extern "C" {
#include "kernels/cpu/promote.h"
#include "kernels/cpu/walk.h"
}

/* The tensors of argument 0. */
static enum dg_status take_list(struct dg_call *call, const struct dg_arg **items,
                                size_t *n)
{
    if (!call->n_args || call->args[0].kind != DG_ARG_LIST)
        return dg_call_fail(call, DG_ERR_DEVICE, "an argument is no list of tensors");
    *items = call->args[0].as.list.items;
    *n = call->args[0].as.list.n_items;
    for (size_t i = 0; i < *n; i++) {
        if ((*items)[i].kind != DG_ARG_TENSOR)
            return dg_call_fail(call, DG_ERR_DEVICE, "item %zu is no tensor", i);
    }
    return *n ? DG_OK : dg_call_fail(call, DG_ERR_FORMAT, "a list of no tensors");
}

/* torch leaves out tensors of shape [0]. */
static bool is_left_out(const struct dg_tensor *tensor)
{
    return tensor->rank == 1 && tensor->sizes[0] == 0;
}

/* Sizes of a concatenation along `dim`. */
static enum dg_status add_sizes(struct dg_call *call, const struct dg_arg *items,
                                size_t n, int dim, const struct dg_tensor *first,
                                int64_t *sizes)
{
    for (int d = 0; d < first->rank; d++)
        sizes[d] = d == dim ? 0 : first->sizes[d];
    for (size_t i = 0; i < n; i++) {
        const struct dg_tensor *tensor = items[i].as.tensor;

        if (is_left_out(tensor))
            continue;
        if (tensor->rank != first->rank)
            return dg_call_fail(call, DG_ERR_FORMAT, "tensors of ranks %d and %d",
                                first->rank, tensor->rank);
        for (int d = 0; d < first->rank; d++) {
            if (d != dim && tensor->sizes[d] != sizes[d])
                return dg_call_fail(
                    call, DG_ERR_FORMAT, "sizes %lld and %lld in dimension %d",
                    (long long)sizes[d], (long long)tensor->sizes[d], d);
        }
        sizes[dim] += tensor->sizes[dim];
    }
    return DG_OK;
}

/* (tensors, dim) */
enum dg_status dg_cuda_cat(struct dg_call *call)
{
    const struct dg_arg *items;
    const struct dg_tensor *first;
    struct dg_tensor *out, part;
    int64_t sizes[DG_RANK_MOST], at = 0;
    size_t n, shaped = 0;
    int dim;

    if (take_list(call, &items, &n))
        return call->err->status;
    while (shaped + 1 < n && is_left_out(items[shaped].as.tensor))
        shaped++;
    first = items[shaped].as.tensor;
    if (!dg_dimension(call, dg_arg_int(call, 1, 0), first->rank, &dim) ||
        (first->rank && add_sizes(call, items, n, dim, first, sizes)))
        return call->err->status;
    if (!first->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "cat of tensors without dimensions");
    out = dg_result(call, 0, dg_common_type(items, n), first->rank, sizes);
    if (!out)
        return call->err->status;
    part = *out;
    for (size_t i = 0; i < n; i++) {
        const struct dg_tensor *from = items[i].as.tensor;

        if (is_left_out(from))
            continue;
        part.sizes[dim] = from->sizes[dim];
        part.offset = at * out->strides[dim];
        if (copy_elements(call, &part, from))
            return call->err->status;
        at += from->sizes[dim];
    }
    return DG_OK;
}

/* (tensors, dim) */
enum dg_status dg_cuda_stack(struct dg_call *call)
{
    const struct dg_arg *items;
    const struct dg_tensor *first;
    struct dg_tensor *out, part;
    int64_t sizes[DG_RANK_MOST];
    size_t n;
    int dim;

    if (take_list(call, &items, &n))
        return call->err->status;
    first = items[0].as.tensor;
    if (first->rank == DG_RANK_MOST ||
        !dg_dimension(call, dg_arg_int(call, 1, 0), first->rank + 1, &dim))
        return dg_call_fail(call, DG_ERR_DEVICE, "stack of tensors of rank %d",
                            first->rank);
    for (int d = 0; d <= first->rank; d++)
        sizes[d] = d == dim ? (int64_t)n : first->sizes[d - (d > dim)];
    out = dg_result(call, 0, dg_common_type(items, n), first->rank + 1, sizes);
    if (!out)
        return call->err->status;
    part = *out;
    part.rank--;
    for (int d = 0; d < part.rank; d++) {
        part.sizes[d] = out->sizes[d + (d >= dim)];
        part.strides[d] = out->strides[d + (d >= dim)];
    }
    for (size_t i = 0; i < n; i++) {
        if (!dg_tensor_same_shape(first, items[i].as.tensor))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "stack of tensors of several shapes");
        part.offset = (int64_t)i * out->strides[dim];
        if (copy_elements(call, &part, items[i].as.tensor))
            return call->err->status;
    }
    return DG_OK;
}

/* (self, pad, value): pairs of before and behind, the last dimension first */
enum dg_status dg_cuda_constant_pad(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t pad[2 * DG_RANK_MOST], sizes[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, pad, 2 * DG_RANK_MOST);
    const int64_t MOST = INT64_C(1) << 40;
    struct dg_tensor *out, inner, part;

    if (!self || n < 0 || n % 2 || n / 2 > self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d paddings", n);
    for (int d = 0; d < self->rank; d++)
        sizes[d] = self->sizes[d];
    for (int i = 0; i < n; i++) {
        if (pad[i] < -MOST || pad[i] > MOST)
            return dg_call_fail(call, DG_ERR_FORMAT, "a padding of %lld",
                                (long long)pad[i]);
        sizes[self->rank - 1 - i / 2] += pad[i];
    }
    out = dg_result(call, 0, self->type, self->rank, sizes);
    if (!out ||
        fill_elements(call, out, dg_arg_real(call, 2, 0), dg_arg_int(call, 2, 0)))
        return call->err->status;
    inner = *out;
    part = *self;
    for (int i = 0; i < n / 2; i++) {
        int d = self->rank - 1 - i;
        int64_t before = pad[2 * i], behind = pad[2 * i + 1];
        int64_t cut = before < 0 ? -before : 0;

        part.offset += cut * self->strides[d];
        inner.offset += (before > 0 ? before : 0) * out->strides[d];
        part.sizes[d] -= cut + (behind < 0 ? -behind : 0);
        if (part.sizes[d] <= 0)
            return DG_OK;
        inner.sizes[d] = part.sizes[d];
    }
    return copy_elements(call, &inner, &part);
}

/* (self, repeats) */
enum dg_status dg_cuda_repeat(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t repeats[DG_RANK_MOST], sizes[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, repeats, DG_RANK_MOST),
        before = n - (self ? self->rank : 0);
    struct dg_tensor *out, to, from;

    if (!self || n < 0 || before < 0 || 2 * n > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "%d repeats", n);
    from = *self;
    from.rank = 2 * n;
    for (int d = 0; d < n; d++) {
        int64_t size = d < before ? 1 : self->sizes[d - before];

        if (repeats[d] < 0)
            return dg_call_fail(call, DG_ERR_FORMAT, "%lld repeats",
                                (long long)repeats[d]);
        if (__builtin_mul_overflow(size, repeats[d], &sizes[d]))
            return dg_call_fail(call, DG_ERR_FORMAT, "%lld repeats of %lld elements",
                                (long long)repeats[d], (long long)size);
        from.sizes[2 * d] = repeats[d];
        from.strides[2 * d] = 0;
        from.sizes[2 * d + 1] = size;
        from.strides[2 * d + 1] = d < before ? 0 : self->strides[d - before];
    }
    out = dg_result(call, 0, self->type, n, sizes);
    if (!out)
        return call->err->status;
    to = *out;
    to.rank = 2 * n;
    for (int d = 0; d < 2 * n; d++)
        to.sizes[d] = from.sizes[d];
    dg_contiguous_strides(to.rank, to.sizes, to.strides);
    return copy_elements(call, &to, &from);
}

/* (self, dims) */
enum dg_status dg_cuda_flip(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t dims[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, dims, DG_RANK_MOST), dim;
    struct dg_tensor *out, from;

    if (!self || n < 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "an argument is no tensor");
    out = dg_result(call, 0, self->type, self->rank, self->sizes);
    if (!out || !dg_tensor_count(self))
        return call->err->status;
    from = *self;
    for (int i = 0; i < n; i++) {
        if (!dg_dimension(call, dims[i], self->rank, &dim))
            return call->err->status;
        if (!self->rank)
            continue;
        from.offset += (self->sizes[dim] - 1) * from.strides[dim];
        from.strides[dim] = -from.strides[dim];
    }
    return copy_elements(call, out, &from);
}

/* Result 0 is `self`, and of it `part` is what `source` broadcasts to. */
static enum dg_status replace(struct dg_call *call, const struct dg_tensor *self,
                              struct dg_tensor part, struct dg_tensor *source)
{
    struct dg_tensor *out = dg_result(call, 0, self->type, self->rank, self->sizes);
    struct dg_tensor *shapes[] = {&part, source};
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!out || copy_elements(call, out, self) ||
        dg_broadcast(call, 2, shapes, &rank, sizes))
        return call->err->status;
    for (int d = 0; d < rank; d++) {
        if (rank != part.rank || sizes[d] != part.sizes[d])
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "the source does not fit what it replaces");
    }
    part.storage = out->storage;
    return copy_elements(call, &part, source);
}

/* (self, src, dim, start, end, step) */
enum dg_status dg_cuda_slice_scatter(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *source = dg_arg_tensor(call, 1), part;
    int64_t start = dg_arg_int(call, 3, 0), end = dg_arg_int(call, 4, INT64_MAX);
    int64_t step = dg_arg_int(call, 5, 1), size;
    int dim;

    if (!self || !source || !self->rank || step < 1)
        return dg_call_fail(call, DG_ERR_DEVICE, "a slice of this kind");
    if (!dg_dimension(call, dg_arg_int(call, 2, 0), self->rank, &dim))
        return call->err->status;
    size = self->sizes[dim];
    start = start < 0 ? start + size : start;
    end = end < 0 ? end + size : end;
    start = start < 0 ? 0 : start > size ? size : start;
    end = end < start ? start : end > size ? size : end;
    part = *self;
    part.offset = 0;
    dg_contiguous_strides(part.rank, part.sizes, part.strides);
    part.offset = start * part.strides[dim];
    part.sizes[dim] = (end - start) / step + ((end - start) % step != 0);
    if (part.sizes[dim] > 1)
        part.strides[dim] *= step;
    return replace(call, self, part, source);
}

/* (self, src, dim, index) */
enum dg_status dg_cuda_select_scatter(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor *source = dg_arg_tensor(call, 1), part;
    int64_t index = dg_arg_int(call, 3, 0);
    int dim;

    if (!self || !source || !self->rank)
        return dg_call_fail(call, DG_ERR_DEVICE, "an argument is no tensor");
    if (!dg_dimension(call, dg_arg_int(call, 2, 0), self->rank, &dim))
        return call->err->status;
    if (index < -self->sizes[dim] || index >= self->sizes[dim])
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "index %lld is out of range for dimension %d of size %lld",
                            (long long)index, dim, (long long)self->sizes[dim]);
    part = *self;
    dg_contiguous_strides(part.rank, part.sizes, part.strides);
    part.offset = (index < 0 ? index + self->sizes[dim] : index) * part.strides[dim];
    part.rank--;
    for (int d = dim; d < part.rank; d++) {
        part.sizes[d] = part.sizes[d + 1];
        part.strides[d] = part.strides[d + 1];
    }
    return replace(call, self, part, source);
}
