/* Views with other dimensions: permute, transpose, squeeze, unsqueeze, expand. */
#include <string.h>

#include "kernels/cpu/movement.h"

static enum dg_status give_order(struct dg_call *call, const struct dg_tensor *self,
                                 const int *order)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];

    for (int dim = 0; dim < self->rank; dim++) {
        sizes[dim] = self->sizes[order[dim]];
        strides[dim] = self->strides[order[dim]];
    }
    return dg_give_view(call, self, self->rank, sizes, strides, self->offset);
}

/* Dimensions of argument `i`, counted from 0, each at most once; their number, -1 when
 * they are not so. */
static int distinct_dims(struct dg_call *call, size_t i, int rank, int *dims)
{
    int64_t values[DG_RANK_MOST];
    int n = dg_arg_ints(call, i, values, DG_RANK_MOST);
    bool seen[DG_RANK_MOST] = {false};

    for (int k = 0; k < n; k++) {
        if (!dg_dimension(call, values[k], rank, &dims[k]))
            return -1;
        if (seen[dims[k]]) {
            dg_call_fail(call, DG_ERR_FORMAT, "dimension %d appears twice", dims[k]);
            return -1;
        }
        seen[dims[k]] = true;
    }
    return n;
}

enum dg_status dg_cpu_permute(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int order[DG_RANK_MOST], n;

    if (!self || (n = distinct_dims(call, 1, self->rank, order)) < 0)
        return call->err->status;
    if (n != self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%d dimensions permute a tensor of rank %d", n, self->rank);
    return give_order(call, self, order);
}

static enum dg_status swap(struct dg_call *call, const struct dg_tensor *self,
                           int64_t dim0, int64_t dim1)
{
    int order[DG_RANK_MOST], a, b;

    if (!dg_dimension(call, dim0, self->rank, &a) ||
        !dg_dimension(call, dim1, self->rank, &b))
        return call->err->status;
    for (int dim = 0; dim < self->rank; dim++)
        order[dim] = dim == a ? b : dim == b ? a : dim;
    return give_order(call, self, order);
}

enum dg_status dg_cpu_transpose(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    return self ? swap(call, self, dg_arg_int(call, 1, 0), dg_arg_int(call, 2, 0))
                : call->err->status;
}

enum dg_status dg_cpu_t(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    if (!self)
        return call->err->status;
    if (self->rank > 2)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "t() of a tensor of rank %d; at most 2", self->rank);
    return swap(call, self, 0, -1);
}

/* The last two dimensions swapped. */
enum dg_status dg_cpu_matrix_transpose(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    if (!self)
        return call->err->status;
    if (self->rank == 1)
        return dg_call_fail(call, DG_ERR_FORMAT, "a matrix is needed, not a vector");
    return swap(call, self, self->rank ? -2 : -1, -1);
}

enum dg_status dg_cpu_reverse_dims(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int order[DG_RANK_MOST];

    if (!self)
        return call->err->status;
    for (int dim = 0; dim < self->rank; dim++)
        order[dim] = self->rank - 1 - dim;
    return give_order(call, self, order);
}

enum dg_status dg_cpu_movedim(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int from[DG_RANK_MOST], to[DG_RANK_MOST], order[DG_RANK_MOST];
    bool moved[DG_RANK_MOST] = {false};
    int n, n_to, at = 0;

    if (!self || (n = distinct_dims(call, 1, self->rank, from)) < 0 ||
        (n_to = distinct_dims(call, 2, self->rank, to)) < 0)
        return call->err->status;
    if (n != n_to)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d dimensions move to %d places", n,
                            n_to);
    memset(order, -1, sizeof(order));
    for (int k = 0; k < n; k++) {
        order[to[k]] = from[k];
        moved[from[k]] = true;
    }
    for (int dim = 0; dim < self->rank; dim++) {
        while (moved[at])
            at++;
        if (order[dim] < 0)
            order[dim] = at++;
    }
    return give_order(call, self, order);
}

/* Without the dimensions that are marked and have size 1. */
static enum dg_status give_squeezed(struct dg_call *call, const struct dg_tensor *self,
                                    const bool *marked)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    int rank = 0;

    for (int dim = 0; dim < self->rank; dim++) {
        if (marked[dim] && self->sizes[dim] == 1)
            continue;
        sizes[rank] = self->sizes[dim];
        strides[rank++] = self->strides[dim];
    }
    return dg_give_view(call, self, rank, sizes, strides, self->offset);
}

/* aten::squeeze.dim and .dims: self, dim or dims. */
enum dg_status dg_cpu_squeeze_dims(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    bool marked[DG_RANK_MOST] = {false};
    int dims[DG_RANK_MOST], n;

    if (!self || (n = distinct_dims(call, 1, self->rank, dims)) < 0)
        return call->err->status;
    for (int k = 0; k < n; k++)
        marked[dims[k]] = true;
    return give_squeezed(call, self, marked);
}

enum dg_status dg_cpu_squeeze(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    bool marked[DG_RANK_MOST];

    memset(marked, true, sizeof(marked));
    return self ? give_squeezed(call, self, marked) : call->err->status;
}

enum dg_status dg_cpu_unsqueeze(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST + 1], strides[DG_RANK_MOST + 1];
    int dim;

    if (!self || !dg_dimension(call, dg_arg_int(call, 1, 0), self->rank + 1, &dim))
        return call->err->status;
    for (int to = 0, from = 0; to <= self->rank; to++) {
        sizes[to] = to == dim ? 1 : self->sizes[from];
        strides[to] = to == dim ? 1 : self->strides[from];
        from += to != dim;
    }
    return dg_give_view(call, self, self->rank + 1, sizes, strides, self->offset);
}

/* `sizes` may hold -1 for "as it is". */
static enum dg_status expand(struct dg_call *call, const struct dg_tensor *self,
                             int rank, int64_t *sizes)
{
    int shift = rank - self->rank;
    struct dg_tensor view;
    int64_t count;

    if (shift < 0)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%d sizes cannot expand a tensor of rank %d", rank,
                            self->rank);
    for (int dim = 0; dim < rank; dim++) {
        int64_t size = dim < shift ? 1 : self->sizes[dim - shift];

        if (sizes[dim] == -1 && dim >= shift)
            sizes[dim] = size;
        if (sizes[dim] < 0 || (size != 1 && size != sizes[dim]))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "size %lld of dimension %d cannot expand to %lld",
                                (long long)size, dim, (long long)sizes[dim]);
    }
    if (!dg_shape_count(rank, sizes, self->type, &count))
        return dg_call_fail(call, DG_ERR_FORMAT, "the expanded shape is too large");
    view = dg_expanded(self, rank, sizes);
    return dg_give_view(call, self, rank, sizes, view.strides, self->offset);
}

enum dg_status dg_cpu_expand(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t sizes[DG_RANK_MOST];
    int rank = dg_arg_ints(call, 1, sizes, DG_RANK_MOST);

    return self && rank >= 0 ? expand(call, self, rank, sizes) : call->err->status;
}

enum dg_status dg_cpu_expand_as(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *other = dg_need_tensor(call, 1);
    int64_t sizes[DG_RANK_MOST];

    if (!self || !other)
        return call->err->status;
    memcpy(sizes, other->sizes, sizeof(sizes));
    return expand(call, self, other->rank, sizes);
}

/* aten::atleast_1d, 2d, 3d: ones in front, but a matrix gets its third behind. */
static enum dg_status give_at_least(struct dg_call *call, int rank)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t sizes[3] = {1, 1, 1}, strides[3] = {1, 1, 1};
    int first;

    if (!self || self->rank >= rank)
        return self ? dg_cpu_alias(call) : call->err->status;
    first = rank == 1 || self->rank == 2 ? 0 : 1;
    for (int dim = 0; dim < self->rank; dim++) {
        sizes[first + dim] = self->sizes[dim];
        strides[first + dim] = self->strides[dim];
    }
    return dg_give_view(call, self, rank, sizes, strides, self->offset);
}

enum dg_status dg_cpu_atleast_1d(struct dg_call *call)
{
    return give_at_least(call, 1);
}

enum dg_status dg_cpu_atleast_2d(struct dg_call *call)
{
    return give_at_least(call, 2);
}

enum dg_status dg_cpu_atleast_3d(struct dg_call *call)
{
    return give_at_least(call, 3);
}
