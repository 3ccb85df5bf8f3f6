/* Operators made of others, as torch makes them: every step rounds as its own kernel
 * does. */
#include "kernels/cpu/compose.h"

#include "kernels/cpu/complex.h"
#include "kernels/cpu/movement.h"

enum { REST_MOST = 8, DIFFERENCES_MOST = 64 };

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
    if (kernel(&step))
        dg_arg_drop(&result);
    dg_tensor_drop(first);
    return result.kind == DG_ARG_TENSOR ? result.as.tensor : NULL;
}

enum dg_status dg_finish(struct dg_call *call, struct dg_tensor *result)
{
    if (dg_give(call, 0, result))
        return DG_OK;
    return call->err->status
               ? call->err->status
               : dg_call_fail(call, DG_ERR_FORMAT, "an argument is missing");
}

/* Elements of `self` along `dim` without the first, or without the last. */
static struct dg_tensor *all_but_one(struct dg_call *call, struct dg_tensor *self,
                                     int64_t dim, bool last)
{
    struct dg_arg start = dg_integer_arg(!last), end = dg_integer_arg(INT64_MAX);

    if (last)
        end.as.integer = -1;
    return dg_apply(call, dg_cpu_slice, dg_tensor_keep(self),
                    DG_REST(dg_integer_arg(dim), start, end, dg_integer_arg(1)));
}

/* `self` between what `prepend` and `append` hold, along `dim`. */
static struct dg_tensor *extended(struct dg_call *call, struct dg_tensor *self,
                                  int64_t dim)
{
    struct dg_arg parts[3], result = {0};
    struct dg_arg args[] = {{DG_ARG_LIST, .as.list = {parts, 0}}, dg_integer_arg(dim)};
    struct dg_tensor *pieces[] = {dg_arg_tensor(call, 3), self, dg_arg_tensor(call, 4)};
    struct dg_call join = {call->op, args, 2, &result, 1, call->context, call->err};

    for (int i = 0; i < 3; i++) {
        if (pieces[i])
            parts[args[0].as.list.n_items++] = dg_tensor_arg(pieces[i]);
    }
    if (args[0].as.list.n_items == 1)
        return dg_tensor_keep(self);
    if (dg_cpu_cat(&join))
        dg_arg_drop(&result);
    return result.kind == DG_ARG_TENSOR ? result.as.tensor : NULL;
}

/* Each element less the one before it; uses up the share of `whole`. */
static struct dg_tensor *difference(struct dg_call *call, struct dg_tensor *whole,
                                    int64_t dim)
{
    dg_kernel_fn *less = whole->type == DG_TYPE_BOOL       ? dg_cpu_logical_xor
                         : dg_type_is_complex(whole->type) ? dg_complex_sub
                                                           : dg_cpu_sub;
    struct dg_tensor *left = all_but_one(call, whole, dim, true);
    struct dg_tensor *right = left ? all_but_one(call, whole, dim, false) : NULL;

    right = dg_apply(call, less, right, DG_REST(dg_tensor_arg(left)));
    dg_tensor_drop(left);
    dg_tensor_drop(whole);
    return right;
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
    whole = n ? extended(call, self, dim) : dg_tensor_keep(self);
    for (int64_t i = 0; i < n && whole; i++)
        whole = difference(call, whole, dim);
    return dg_give(call, 0, whole) ? DG_OK : call->err->status;
}
