/* Operators of vectors that torch composes of others: cross products and powers. */
#include <string.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"

/* Argument `i`, whose element k along `dim` comes from k + by. */
static struct dg_tensor *turned(struct dg_call *call, size_t i, int dim, int by)
{
    return dg_apply(call, dg_cpu_roll, dg_arg_share(call, i),
                    DG_REST(dg_integer_arg(-by), dg_integer_arg(dim)));
}

/* Along a dimension that counts from the end, and is of size 3 in both. */
static enum dg_status cross(struct dg_call *call, int dim)
{
    struct dg_tensor *plus = dg_apply_two(call, dg_cpu_mul, turned(call, 0, dim, 1),
                                          turned(call, 1, dim, 2));
    struct dg_tensor *minus = dg_apply_two(call, dg_cpu_mul, turned(call, 0, dim, 2),
                                           turned(call, 1, dim, 1));

    return dg_finish(call, dg_apply_two(call, dg_cpu_sub, plus, minus));
}

static enum dg_status cross_along(struct dg_call *call, int64_t dim)
{
    struct dg_tensor *a = dg_need_tensor(call, 0), *b = dg_need_tensor(call, 1);
    int at;

    if (!a || !b || !dg_dimension(call, dim, a->rank, &at))
        return call->err->status;
    if (!a->rank || a->rank != b->rank || a->sizes[at] != 3 || b->sizes[at] != 3)
        return dg_call_fail(
            call, DG_ERR_FORMAT,
            "dimension %d of tensors of rank %d and %d is not of size 3", at, a->rank,
            b->rank);
    return cross(call, at - a->rank);
}

/* self, other, dim */
enum dg_status dg_cpu_cross(struct dg_call *call)
{
    return cross_along(call, dg_arg_int(call, 2, -1));
}

/* The same, and without dim the first dimension of size 3. */
enum dg_status dg_cpu_cross_first(struct dg_call *call)
{
    const struct dg_tensor *self = dg_need_tensor(call, 0);
    int dim = 0;

    if (!self || !dg_arg_missing(call, 2))
        return self ? cross_along(call, dg_arg_int(call, 2, 0)) : call->err->status;
    while (dim < self->rank - 1 && self->sizes[dim] != 3)
        dim++;
    return cross_along(call, dim);
}

static struct dg_tensor *with_dimension(struct dg_call *call, struct dg_tensor *tensor)
{
    return dg_apply(call, dg_cpu_unsqueeze, tensor, DG_REST(dg_integer_arg(-1)));
}

/* Powers 0 to n - 1 of each element of `x`, in a dimension more; uses up its share. */
static struct dg_tensor *powers(struct dg_call *call, struct dg_tensor *x, int64_t n)
{
    struct dg_arg parts[2], joined = {0};
    struct dg_arg args[] = {{DG_ARG_LIST, .as.list = {parts, 2}}, dg_integer_arg(-1)};
    struct dg_call join = {call->op, args, 2, &joined, 1, call->context, call->err};
    struct dg_tensor *ones, *rest = with_dimension(call, x);
    int64_t sizes[DG_RANK_MOST];
    int rank = rest ? rest->rank : 0;

    if (rest) {
        memcpy(sizes, rest->sizes, sizeof(sizes));
        sizes[rank - 1] = n - 1;
    }
    ones =
        rest ? dg_apply(call, dg_cpu_ones_like, dg_tensor_keep(rest), 0, NULL) : NULL;
    rest = dg_apply_ints(call, dg_cpu_expand, rest, rank, sizes);
    rest = dg_apply(call, dg_cpu_cumprod, rest, DG_REST(dg_integer_arg(-1)));
    if (ones && rest) {
        parts[0] = dg_tensor_arg(ones);
        parts[1] = dg_tensor_arg(rest);
        if (dg_cpu_cat(&join))
            dg_arg_drop(&joined);
    }
    dg_tensor_drop(ones);
    dg_tensor_drop(rest);
    return joined.kind == DG_ARG_TENSOR ? joined.as.tensor : NULL;
}

/* x, N: N columns, as many as the last dimension of x has elements unless told */
enum dg_status dg_cpu_linalg_vander(struct dg_call *call)
{
    struct dg_tensor *x = dg_need_tensor(call, 0);
    int64_t n;

    if (!x)
        return call->err->status;
    n = dg_arg_int(call, 1, x->rank ? x->sizes[x->rank - 1] : 1);
    if (n < 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld powers; 2 or more are needed",
                            (long long)n);
    dg_tensor_keep(x);
    return dg_finish(call, powers(call, x->rank ? x : with_dimension(call, x), n));
}

/* x, N, increasing */
enum dg_status dg_cpu_vander(struct dg_call *call)
{
    struct dg_tensor *x = dg_need_tensor(call, 0), *columns;
    int64_t n;

    if (!x)
        return call->err->status;
    n = dg_arg_int(call, 1, x->rank ? x->sizes[0] : 0);
    if (x->rank != 1 || n < 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld powers of a tensor of rank %d",
                            (long long)n, x->rank);
    columns = powers(call, dg_tensor_keep(x), n ? n : 1);
    if (!n)
        columns = dg_apply(call, dg_cpu_slice, columns,
                           DG_REST(dg_integer_arg(1), dg_integer_arg(1)));
    if (!dg_arg_bool(call, 2, false))
        columns = dg_apply_ints(call, dg_cpu_flip, columns, 1, (int64_t[]){1});
    return dg_finish(call, columns);
}
