/* Operators made of others, as torch makes them: every step rounds as its own kernel
 * does. */
#include "kernels/cpu/compose.h"

#include "kernels/cpu/complex.h"
#include "kernels/cpu/movement.h"

enum { REST_MOST = 8, JOIN_MOST = 3, DIFFERENCES_MOST = 64 };

static enum dg_status run(dg_kernel_fn *kernel, struct dg_call *step)
{
    dg_kernel_fn *complex =
        dg_call_has_complex(step) ? dg_complex_kernel(kernel) : NULL;

    return complex ? complex(step) : kernel(step);
}

struct dg_tensor *dg_apply(struct dg_call *call, dg_kernel_fn *kernel,
                           struct dg_tensor *first, size_t n_rest,
                           const struct dg_arg *rest)
{
    struct dg_arg args[REST_MOST + 1] = {dg_tensor_arg(first)}, result = {0};
    struct dg_call step = {call->op, args,          n_rest + 1, &result,
                           1,        call->context, call->err};

    if (!first)
        return NULL;
    for (size_t i = 0; i < n_rest; i++)
        args[i + 1] = rest[i];
    if (run(kernel, &step))
        dg_arg_drop(&result);
    dg_tensor_drop(first);
    return result.kind == DG_ARG_TENSOR ? result.as.tensor : NULL;
}

struct dg_tensor *dg_apply_two(struct dg_call *call, dg_kernel_fn *kernel,
                               struct dg_tensor *first, struct dg_tensor *second)
{
    struct dg_tensor *result = NULL;

    if (second)
        result = dg_apply(call, kernel, first, DG_REST(dg_tensor_arg(second)));
    else
        dg_tensor_drop(first);
    dg_tensor_drop(second);
    return result;
}

struct dg_tensor *dg_apply_ints(struct dg_call *call, dg_kernel_fn *kernel,
                                struct dg_tensor *first, int n, const int64_t *values)
{
    struct dg_arg items[DG_RANK_MOST];
    struct dg_arg list = {DG_ARG_LIST, .as.list = {items, (size_t)n}};

    for (int i = 0; i < n; i++)
        items[i] = dg_integer_arg(values[i]);
    return dg_apply(call, kernel, first, DG_REST(list));
}

struct dg_tensor *dg_arg_share(struct dg_call *call, size_t i)
{
    return dg_tensor_keep(dg_need_tensor(call, i));
}

enum dg_status dg_finish(struct dg_call *call, struct dg_tensor *result)
{
    if (dg_give(call, 0, result))
        return DG_OK;
    return call->err->status
               ? call->err->status
               : dg_call_fail(call, DG_ERR_FORMAT, "an argument is missing");
}

struct dg_tensor *dg_part(struct dg_call *call, struct dg_tensor *self, int64_t dim,
                          int64_t start, int64_t end)
{
    return dg_apply(call, dg_cpu_slice, dg_tensor_keep(self),
                    DG_REST(dg_integer_arg(dim), dg_integer_arg(start),
                            dg_integer_arg(end), dg_integer_arg(1)));
}

struct dg_tensor *dg_join(struct dg_call *call, struct dg_tensor *const *pieces, int n,
                          int64_t dim)
{
    struct dg_arg parts[JOIN_MOST], result = {0};
    struct dg_arg args[] = {{DG_ARG_LIST, .as.list = {parts, 0}}, dg_integer_arg(dim)};
    struct dg_call join = {call->op, args, 2, &result, 1, call->context, call->err};

    for (int i = 0; i < n; i++) {
        if (pieces[i])
            parts[args[0].as.list.n_items++] = dg_tensor_arg(pieces[i]);
    }
    if (args[0].as.list.n_items == 1)
        return dg_tensor_keep(parts[0].as.tensor);
    if (dg_cpu_cat(&join))
        dg_arg_drop(&result);
    return result.kind == DG_ARG_TENSOR ? result.as.tensor : NULL;
}

/* Each element less the one before it; uses up the share of `whole`. */
static struct dg_tensor *difference(struct dg_call *call, struct dg_tensor *whole,
                                    int64_t dim)
{
    dg_kernel_fn *less = whole->type == DG_TYPE_BOOL ? dg_cpu_logical_xor : dg_cpu_sub;
    struct dg_tensor *left = dg_part(call, whole, dim, 0, -1);
    struct dg_tensor *right = left ? dg_part(call, whole, dim, 1, INT64_MAX) : NULL;

    dg_tensor_drop(whole);
    return dg_apply_two(call, less, right, left);
}

enum dg_status dg_cpu_diff(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *whole;
    int64_t n = dg_arg_int(call, 1, 1), dim = dg_arg_int(call, 2, -1);

    if (!self)
        return call->err->status;
    if (n < 0 || n > DIFFERENCES_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "differences of order %lld",
                            (long long)n);
    whole = n ? dg_join(call,
                        (struct dg_tensor *[]){dg_arg_tensor(call, 3), self,
                                               dg_arg_tensor(call, 4)},
                        3, dim)
              : dg_tensor_keep(self);
    for (int64_t i = 0; i < n && whole; i++)
        whole = difference(call, whole, dim);
    return dg_give(call, 0, whole) ? DG_OK : call->err->status;
}
