/* Products that torch composes of others: addr, kron, tensordot, bilinear. */
#include <string.h>

#include "base/promote.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/promote.h"

/* Argument `i`, a number, as a 0-d tensor of `type`. */
static struct dg_tensor *number_of(struct dg_call *call, size_t i, enum dg_type type)
{
    if (dg_number_type(&call->args[i]) == DG_TYPE_NONE) {
        dg_call_fail(call, DG_ERR_FORMAT, "argument %zu is no number", i);
        return NULL;
    }
    return dg_apply(call, dg_cpu_to, dg_number_tensor(&call->args[i]),
                    DG_REST(dg_type_arg(type)));
}

static bool is_zero(const struct dg_call *call, size_t i)
{
    double _Complex number;

    return dg_arg_complex(call, i, &number) ? number == 0 : !dg_arg_real(call, i, 1);
}

/* That of the first three arguments, whatever their rank: self is expanded first. */
static enum dg_type type_of_three(const struct dg_call *call)
{
    enum dg_type type = DG_TYPE_NONE;

    for (size_t i = 0; i < 3; i++) {
        const struct dg_tensor *tensor = dg_arg_tensor(call, i);

        type = dg_promote(type, tensor ? tensor->type : DG_TYPE_NONE);
    }
    return type;
}

/* self, vec1, vec2, beta, alpha: beta * self + alpha * vec1 * vec2; of bools `or` and
 * `and`. */
enum dg_status dg_cpu_addr(struct dg_call *call)
{
    enum dg_type type = type_of_three(call);
    struct dg_tensor *product, *added;

    if (call->n_args < 5)
        return dg_call_fail(call, DG_ERR_FORMAT, "an argument is missing");
    product =
        dg_apply(call, dg_cpu_to, dg_arg_share(call, 1), DG_REST(dg_type_arg(type)));
    product = dg_apply_two(call, dg_cpu_mul, product, number_of(call, 4, type));
    product = dg_apply_two(call, dg_cpu_outer, product, dg_arg_share(call, 2));
    if (is_zero(call, 3)) /* whatever is in self */
        return dg_finish(call, product);
    added =
        dg_apply_two(call, dg_cpu_mul, dg_arg_share(call, 0), number_of(call, 3, type));
    return dg_finish(call, dg_apply_two(call, dg_cpu_add, added, product));
}

/* `from` with its dimensions at every second place, `first` or the one behind, and ones
 * between them, so that there are 2 * n. */
static struct dg_tensor *spaced(const struct dg_tensor *from, int n, int first)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];

    for (int dim = 0; dim < 2 * n; dim++) {
        int own = dim / 2 - (n - from->rank);
        bool here = dim % 2 == first && own >= 0;

        sizes[dim] = here ? from->sizes[own] : 1;
        strides[dim] = here ? from->strides[own] : 1;
    }
    return dg_tensor_view(from, 2 * n, sizes, strides, from->offset);
}

/* Each element of one times all of the other. */
enum dg_status dg_cpu_kron(struct dg_call *call)
{
    struct dg_tensor *a = dg_need_tensor(call, 0), *b = dg_need_tensor(call, 1);
    int64_t sizes[DG_RANK_MOST];
    struct dg_tensor *product;
    int rank;

    if (!a || !b)
        return call->err->status;
    rank = a->rank > b->rank ? a->rank : b->rank;
    if (2 * rank > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "a product of rank %d", rank);
    product = dg_apply_two(call, dg_cpu_mul, spaced(a, rank, 0), spaced(b, rank, 1));
    for (int dim = 0; product && dim < rank; dim++)
        sizes[dim] = product->sizes[2 * dim] * product->sizes[2 * dim + 1];
    return dg_finish(call, dg_apply_ints(call, dg_cpu_view, product, rank, sizes));
}

/* The dimensions of one side of a tensordot. */
struct side {
    struct dg_tensor *tensor;  /* summed where only the other side has more than 1 */
    int dims[DG_RANK_MOST], n; /* that are contracted, in the order given */
    int64_t free_sizes[DG_RANK_MOST], n_free, count_free, count;
};

/* Dimensions of argument `i`, counted from 0, each at most once. */
static enum dg_status read_side(struct dg_call *call, size_t i, size_t at,
                                struct side *side)
{
    const struct dg_tensor *tensor = dg_need_tensor(call, i);
    int64_t given[DG_RANK_MOST];
    bool seen[DG_RANK_MOST] = {false};

    if (!tensor || (side->n = dg_arg_ints(call, at, given, DG_RANK_MOST)) < 0)
        return call->err->status;
    for (int k = 0; k < side->n; k++) {
        if (!dg_dimension(call, given[k], tensor->rank, &side->dims[k]))
            return call->err->status;
        if (seen[side->dims[k]] || !tensor->rank)
            return dg_call_fail(call, DG_ERR_FORMAT, "dimension %d appears twice",
                                side->dims[k]);
        seen[side->dims[k]] = true;
    }
    return DG_OK;
}

/* A size of 1 meets any other: that one is summed first. */
static enum dg_status sum_unpaired(struct dg_call *call, struct side *a,
                                   const struct side *b, const struct dg_tensor *other)
{
    const struct dg_arg keep = {DG_ARG_BOOL, .as.integer = true};

    for (int k = 0; a->tensor && k < a->n; k++) {
        int64_t own = a->tensor->sizes[a->dims[k]], its = other->sizes[b->dims[k]];

        if (own != its && own != 1 && its != 1)
            return dg_call_fail(
                call, DG_ERR_FORMAT,
                "dimensions %d of size %lld and %d of size %lld are contracted",
                a->dims[k], (long long)own, b->dims[k], (long long)its);
        if (own != 1 && its == 1)
            a->tensor = dg_apply(call, dg_cpu_sum_dims, a->tensor,
                                 DG_REST(dg_integer_arg(a->dims[k]), keep,
                                         dg_type_arg(a->tensor->type)));
    }
    return a->tensor ? DG_OK : call->err->status;
}

/* The side as a matrix: free dimensions by contracted ones, or the other way round. */
static void make_matrix(struct dg_call *call, struct side *side, bool free_first)
{
    int64_t order[DG_RANK_MOST], sizes[2];
    bool contracted[DG_RANK_MOST] = {false};
    int rank = side->tensor->rank, at = free_first ? rank - side->n : 0;

    side->count = side->count_free = 1;
    for (int k = 0; k < side->n; k++) {
        contracted[side->dims[k]] = true;
        side->count *= side->tensor->sizes[side->dims[k]];
        order[at + k] = side->dims[k];
    }
    at = free_first ? 0 : side->n;
    for (int dim = 0; dim < rank; dim++) {
        if (contracted[dim])
            continue;
        side->free_sizes[side->n_free++] = side->tensor->sizes[dim];
        side->count_free *= side->tensor->sizes[dim];
        order[at++] = dim;
    }
    sizes[!free_first] = side->count_free;
    sizes[free_first] = side->count;
    side->tensor = dg_apply_ints(call, dg_cpu_permute, side->tensor, rank, order);
    side->tensor = dg_apply_ints(call, dg_cpu_view, side->tensor, 2, sizes);
}

/* The product of both matrices, in the shape of what was not contracted; uses up the
 * shares of both. */
static struct dg_tensor *contract(struct dg_call *call, struct side *a, struct side *b)
{
    int64_t sizes[2 * DG_RANK_MOST];
    struct dg_tensor *product;

    make_matrix(call, a, true);
    make_matrix(call, b, false);
    product = dg_apply_two(call, dg_cpu_mm, a->tensor, b->tensor);
    memcpy(sizes, a->free_sizes, (size_t)a->n_free * sizeof(*sizes));
    memcpy(sizes + a->n_free, b->free_sizes, (size_t)b->n_free * sizeof(*sizes));
    return dg_apply_ints(call, dg_cpu_view, product, (int)(a->n_free + b->n_free),
                         sizes);
}

/* self, other, dims_self, dims_other */
enum dg_status dg_cpu_tensordot(struct dg_call *call)
{
    struct side a = {.n = 0}, b = {.n = 0};
    struct dg_tensor *self = dg_arg_tensor(call, 0), *other = dg_arg_tensor(call, 1);
    enum dg_status status = read_side(call, 0, 2, &a);

    if (status == DG_OK)
        status = read_side(call, 1, 3, &b);
    if (status)
        return status;
    if (a.n != b.n)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d dimensions are contracted with %d",
                            a.n, b.n);
    if (self->rank + other->rank - 2 * a.n > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "ranks %d and %d", self->rank,
                            other->rank);
    a.tensor = dg_tensor_keep(self);
    b.tensor = dg_tensor_keep(other);
    status = sum_unpaired(call, &a, &b, other);
    if (status == DG_OK)
        status = sum_unpaired(call, &b, &a, self);
    if (status == DG_OK)
        return dg_finish(call, contract(call, &a, &b));
    dg_tensor_drop(a.tensor);
    dg_tensor_drop(b.tensor);
    return status;
}

static struct dg_tensor *with_dimension(struct dg_call *call, struct dg_tensor *tensor,
                                        int64_t dim)
{
    return dg_apply(call, dg_cpu_unsqueeze, tensor, DG_REST(dg_integer_arg(dim)));
}

/* input1 [..., i], input2 [..., j], weight [k, i, j], bias [k]: [..., k] */
enum dg_status dg_cpu_bilinear(struct dg_call *call)
{
    struct dg_tensor *bias = dg_arg_tensor(call, 3);
    struct dg_tensor *row = with_dimension(call, dg_arg_share(call, 0), -2);
    struct dg_tensor *column = with_dimension(call, dg_arg_share(call, 1), -2);

    row = with_dimension(call, row, -2);
    column = with_dimension(call, column, -1);
    row = dg_apply_two(call, dg_cpu_matmul, row, dg_arg_share(call, 2));
    row = dg_apply_two(call, dg_cpu_matmul, row, column);
    for (int i = 0; i < 2; i++)
        row = dg_apply(call, dg_cpu_select, row,
                       DG_REST(dg_integer_arg(-1), dg_integer_arg(0)));
    if (bias)
        row = dg_apply_two(call, dg_cpu_add, row, dg_tensor_keep(bias));
    return dg_finish(call, row);
}
