/* Lists of views: split, chunk, unbind, tensor_split. */
#include "base/arena.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"

enum { PIECES_MOST = 1 << 20 };

struct piece {
    int64_t start, length;
};

/* Result 0 becomes a list of parts of `self` along `dim`. */
static enum dg_status give_pieces(struct dg_call *call, const struct dg_tensor *self,
                                  int dim, const struct piece *pieces, int64_t n)
{
    struct dg_tensor view = *self;
    struct dg_arg *items = dg_give_list(call, n);

    for (int64_t i = 0; items && i < n; i++) {
        view.sizes[dim] = pieces[i].length;
        view.offset = self->offset +
                      (pieces[i].length ? pieces[i].start * self->strides[dim] : 0);
        items[i].kind = DG_ARG_TENSOR;
        items[i].as.tensor =
            dg_tensor_view(self, self->rank, view.sizes, view.strides, view.offset);
    }
    return items ? DG_OK : call->err->status;
}

/* The dimension that is split, by argument `i`. */
static bool split_dimension(struct dg_call *call, struct dg_tensor *self, int64_t dim,
                            int *result)
{
    if (!self)
        return false;
    if (!self->rank) {
        dg_call_fail(call, DG_ERR_FORMAT, "a tensor without dimensions cannot split");
        return false;
    }
    return dg_dimension(call, dim, self->rank, result);
}

/* Room for `n` pieces, NULL when they are too many: counts come from the program. */
static struct piece *new_pieces(struct dg_call *call, int64_t n)
{
    if (n > PIECES_MOST) {
        dg_call_fail(call, DG_ERR_DEVICE, "%lld pieces; at most %d are supported",
                     (long long)n, PIECES_MOST);
        return NULL;
    }
    return dg_alloc(call->context->scratch, (size_t)n + 1, sizeof(struct piece));
}

/* `n` pieces of `length`, the last what is left. */
static enum dg_status give_equal(struct dg_call *call, const struct dg_tensor *self,
                                 int dim, int64_t n, int64_t length)
{
    struct piece *pieces = new_pieces(call, n);

    if (!pieces)
        return call->err->status;
    for (int64_t i = 0; i < n; i++)
        pieces[i] = (struct piece){i * length, length};
    if (n)
        pieces[n - 1].length = self->sizes[dim] - (n - 1) * length;
    return give_pieces(call, self, dim, pieces, n);
}

/* aten::split.Tensor: self, split_size, dim. */
enum dg_status dg_cpu_split(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t length = dg_arg_int(call, 1, 0), size;
    int dim;

    if (!split_dimension(call, self, dg_arg_int(call, 2, 0), &dim))
        return call->err->status;
    size = self->sizes[dim];
    if (length < 0 || (!length && size))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "pieces of %lld cannot split dimension %d of size %lld",
                            (long long)length, dim, (long long)size);
    return give_equal(call, self, dim, size ? (size - 1) / length + 1 : 1, length);
}

enum dg_status dg_cpu_chunk(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t n = dg_arg_int(call, 1, 0), size, length;
    int dim;

    if (!split_dimension(call, self, dg_arg_int(call, 2, 0), &dim))
        return call->err->status;
    if (n <= 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld chunks; at least 1 is needed",
                            (long long)n);
    size = self->sizes[dim];
    length = size ? (size - 1) / n + 1 : 0;
    return give_equal(call, self, dim, size ? (size - 1) / length + 1 : n, length);
}

/* aten::split_with_sizes: self, split_sizes, dim. */
enum dg_status dg_cpu_split_with_sizes(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct piece *pieces;
    int64_t *sizes, at = 0;
    size_t n;
    int dim;

    if (!split_dimension(call, self, dg_arg_int(call, 2, 0), &dim))
        return call->err->status;
    sizes = dg_arg_all_ints(call, 1, &n);
    pieces = dg_alloc(call->context->scratch, n + 1, sizeof(*pieces));
    for (size_t i = 0; i < n; i++) {
        if (sizes[i] < 0 || sizes[i] > self->sizes[dim] - at)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "piece %zu of %lld does not fit dimension %d of size "
                                "%lld from %lld on",
                                i, (long long)sizes[i], dim,
                                (long long)self->sizes[dim], (long long)at);
        pieces[i] = (struct piece){at, sizes[i]};
        at += sizes[i];
    }
    if (at != self->sizes[dim])
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "pieces of %lld in all split dimension %d of size %lld",
                            (long long)at, dim, (long long)self->sizes[dim]);
    return give_pieces(call, self, dim, pieces, (int64_t)n);
}

enum dg_status dg_cpu_unbind(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), view;
    struct dg_arg *items;
    int dim;

    if (!split_dimension(call, self, dg_arg_int(call, 1, 0), &dim))
        return call->err->status;
    items = dg_give_list(call, self->sizes[dim]);
    if (!items)
        return call->err->status;
    view = *self;
    for (int d = dim; d < self->rank - 1; d++) {
        view.sizes[d] = self->sizes[d + 1];
        view.strides[d] = self->strides[d + 1];
    }
    for (int64_t i = 0; i < self->sizes[dim]; i++) {
        items[i].kind = DG_ARG_TENSOR;
        items[i].as.tensor =
            dg_tensor_view(self, self->rank - 1, view.sizes, view.strides,
                           self->offset + i * self->strides[dim]);
    }
    return DG_OK;
}

static int64_t clamped(int64_t index, int64_t size)
{
    if (index < 0)
        index += size;
    return index < 0 ? 0 : index > size ? size : index;
}

/* Cut before each index, as numpy does: pieces may be empty, or overlap. */
static enum dg_status cut_at(struct dg_call *call, const struct dg_tensor *self,
                             int dim, const int64_t *indices, size_t n)
{
    struct piece *pieces = dg_alloc(call->context->scratch, n + 1, sizeof(*pieces));
    int64_t size = self->sizes[dim], start = 0;

    for (size_t i = 0; i <= n; i++) {
        int64_t end = i < n ? clamped(indices[i], size) : size;

        pieces[i] = (struct piece){start, end > start ? end - start : 0};
        start = end;
    }
    return give_pieces(call, self, dim, pieces, (int64_t)n + 1);
}

/* The first size % n pieces are one longer. */
static enum dg_status cut_into(struct dg_call *call, const struct dg_tensor *self,
                               int dim, int64_t n)
{
    struct piece *pieces;
    int64_t at = 0;

    if (n <= 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld sections; at least 1 is needed",
                            (long long)n);
    pieces = new_pieces(call, n);
    if (!pieces)
        return call->err->status;
    for (int64_t i = 0; i < n; i++) {
        pieces[i] =
            (struct piece){at, self->sizes[dim] / n + (i < self->sizes[dim] % n)};
        at += pieces[i].length;
    }
    return give_pieces(call, self, dim, pieces, n);
}

enum dg_status dg_cpu_tensor_split_sections(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int dim;

    return split_dimension(call, self, dg_arg_int(call, 2, 0), &dim)
               ? cut_into(call, self, dim, dg_arg_int(call, 1, 0))
               : call->err->status;
}

enum dg_status dg_cpu_tensor_split_indices(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    size_t n;
    int64_t *indices = dg_arg_all_ints(call, 1, &n);
    int dim;

    return split_dimension(call, self, dg_arg_int(call, 2, 0), &dim)
               ? cut_at(call, self, dim, indices, n)
               : call->err->status;
}

/* aten::tensor_split.tensor_indices_or_sections: a number of sections, or indices. */
enum dg_status dg_cpu_tensor_split_by_tensor(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *by = dg_need_tensor(call, 1);
    int64_t *indices;
    int dim;

    if (!by || !split_dimension(call, self, dg_arg_int(call, 2, 0), &dim))
        return call->err->status;
    if (!by->rank)
        return cut_into(call, self, dim, dg_get_i64(by, 0));
    if (by->rank > 1 || by->sizes[0] > PIECES_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "too many indices, or of rank %d",
                            by->rank);
    indices =
        dg_alloc(call->context->scratch, (size_t)by->sizes[0] + 1, sizeof(*indices));
    for (int64_t i = 0; i < by->sizes[0]; i++)
        indices[i] = dg_get_i64(by, i * by->strides[0]);
    return cut_at(call, self, dim, indices, (size_t)by->sizes[0]);
}

/* aten::hsplit, vsplit, dsplit: into equal sections, or before indices. */
static enum dg_status split_axis(struct dg_call *call, int least_rank, int dim)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t n = dg_arg_int(call, 1, 0), *indices;
    size_t n_indices;

    if (!self)
        return call->err->status;
    if (self->rank < least_rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a tensor of rank %d where %d or more are needed",
                            self->rank, least_rank);
    dim = self->rank == 1 ? 0 : dim;
    indices = dg_arg_all_ints(call, 1, &n_indices);
    if (call->n_args > 1 && call->args[1].kind == DG_ARG_LIST)
        return cut_at(call, self, dim, indices, n_indices);
    if (n <= 0 || self->sizes[dim] % n)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "dimension %d of size %lld has no %lld equal sections", dim,
                            (long long)self->sizes[dim], (long long)n);
    return cut_into(call, self, dim, n);
}

enum dg_status dg_cpu_hsplit(struct dg_call *call)
{
    return split_axis(call, 1, 1);
}

enum dg_status dg_cpu_vsplit(struct dg_call *call)
{
    return split_axis(call, 2, 0);
}

enum dg_status dg_cpu_dsplit(struct dg_call *call)
{
    return split_axis(call, 3, 2);
}
