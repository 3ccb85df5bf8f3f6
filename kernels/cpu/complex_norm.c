/* The RMS norm of complex numbers: torch has their squares, not those of their absolute
 * values. */
#include "kernels/cpu/complex.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"

/* 1 / sqrt(mean(x^2) + eps) over the last `n` dimensions, which stay as 1. */
static struct dg_tensor *scales(struct dg_call *call, struct dg_tensor *self, int n)
{
    struct dg_arg items[DG_RANK_MOST],
        dims = {DG_ARG_LIST, {.list = {items, (size_t)n}}};
    struct dg_arg keeps = {DG_ARG_BOOL, {.integer = true}};
    double eps = dg_arg_real(call, 3, dg_epsilon(call, self->type));
    struct dg_tensor *mean =
        dg_apply(call, dg_complex_square, dg_tensor_keep(self), 0, NULL);

    for (int i = 0; i < n; i++)
        items[i] = dg_integer_arg(self->rank - n + i);
    mean = dg_apply(call, dg_complex_mean_dims, mean, DG_REST(dims, keeps));
    mean = dg_apply(call, dg_complex_add, mean, DG_REST(dg_real_arg(eps)));
    return dg_apply(call, dg_complex_rsqrt, mean, 0, NULL);
}

/* input, normalized_shape, weight, eps */
enum dg_status dg_complex_rms_norm(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *scale, *result;
    int64_t shape[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, shape, DG_RANK_MOST);
    bool fits = self && n > 0 && n <= self->rank;

    for (int i = 0; i < n && fits; i++)
        fits = self->sizes[self->rank - n + i] == shape[i];
    if (!self || n < 0)
        return call->err->status;
    if (!fits)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%d dimensions of %d are normalized, of other sizes", n,
                            self->rank);
    scale = scales(call, self, n);
    if (scale && call->n_results > 1)
        dg_give(call, 1, dg_tensor_keep(scale));
    result = dg_apply_two(call, dg_complex_mul, dg_tensor_keep(self), scale);
    if (!dg_arg_missing(call, 2))
        result = dg_apply(call, dg_complex_mul, result, DG_REST(call->args[2]));
    return dg_finish(call, result);
}
