/* Variances, distances and sums of exponentials of complex numbers: kernels of their
 * parts and of their absolute values, one after the other. */
#include "kernels/cpu/complex.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"

/* The variance of complex numbers is that of their real and that of their imaginary
 * parts; with two results the second is their mean. */
static enum dg_status vary(struct dg_call *call, dg_kernel_fn *real, bool root)
{
    struct dg_arg *args = dg_complex_arguments(call), results[2][2] = {{{0}}};
    struct dg_tensor *self = dg_need_tensor(call, 0), *variance;
    enum dg_status status = self && args ? DG_OK : call->err->status;

    for (int i = 0; i < 2 && !status; i++) {
        struct dg_tensor *part = dg_complex_part(self, i);
        struct dg_call inner = *call;

        args[0] = dg_tensor_arg(part);
        inner.args = args;
        inner.results = results[i];
        status = real(&inner);
        dg_tensor_drop(part);
    }
    if (!status && call->n_results > 1)
        status = dg_complex_give(
            call, 1,
            (struct dg_tensor *[]){results[0][1].as.tensor, results[1][1].as.tensor});
    if (!status) {
        variance = dg_apply(call, dg_cpu_add, dg_tensor_keep(results[0][0].as.tensor),
                            DG_REST(results[1][0]));
        status = dg_finish(call, root ? dg_apply(call, dg_cpu_sqrt, variance, 0, NULL)
                                      : variance);
    }
    for (int i = 0; i < 4; i++)
        dg_arg_drop(&results[i / 2][i % 2]);
    return status;
}

#define VARIANCE(name, real, root)                                                     \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return vary(call, dg_cpu_##real, root);                                        \
    }

VARIANCE(var, var, false)
VARIANCE(var_dim, var_dim, false)
VARIANCE(var_correction, var_correction, false)
VARIANCE(var_mean, var_mean, false)
VARIANCE(var_mean_dim, var_mean_dim, false)
VARIANCE(var_mean_correction, var_mean_correction, false)
VARIANCE(std, var, true)
VARIANCE(std_dim, var_dim, true)
VARIANCE(std_correction, var_correction, true)
VARIANCE(std_mean, var_mean, true)
VARIANCE(std_mean_dim, var_mean_dim, true)
VARIANCE(std_mean_correction, var_mean_correction, true)

/* |x - y + shift| */
static struct dg_tensor *distances(struct dg_call *call, double shift)
{
    struct dg_tensor *apart;

    if (!dg_need_tensor(call, 0) || !dg_need_tensor(call, 1))
        return NULL;
    apart =
        dg_apply(call, dg_complex_sub, dg_arg_share(call, 0), DG_REST(call->args[1]));
    if (shift != 0)
        apart = dg_apply(call, dg_complex_add, apart, DG_REST(dg_real_arg(shift)));
    return dg_apply(call, dg_complex_abs, apart, 0, NULL);
}

enum dg_status dg_complex_dist(struct dg_call *call)
{
    return dg_finish(call, dg_apply(call, dg_cpu_vector_norm, distances(call, 0),
                                    DG_REST(dg_real_arg(dg_arg_real(call, 2, 2)))));
}

enum dg_status dg_complex_pairwise_distance(struct dg_call *call)
{
    struct dg_arg last = dg_integer_arg(-1), dims = {DG_ARG_LIST, {.list = {&last, 1}}},
                  keeps = {DG_ARG_BOOL, {.integer = dg_arg_bool(call, 4, false)}};

    return dg_finish(
        call,
        dg_apply(call, dg_cpu_vector_norm, distances(call, dg_arg_real(call, 3, 1e-6)),
                 DG_REST(dg_real_arg(dg_arg_real(call, 2, 2)), dims, keeps)));
}

enum dg_status dg_complex_l1_loss(struct dg_call *call)
{
    enum { NONE, MEAN, SUM };
    int64_t reduction = dg_arg_int(call, 2, MEAN);
    struct dg_tensor *apart = distances(call, 0);

    return dg_finish(call,
                     reduction == NONE
                         ? apart
                         : dg_apply(call, reduction == SUM ? dg_cpu_sum : dg_cpu_mean,
                                    apart, 0, NULL));
}

/* |x - y| <= atol + rtol |y|, where that is finite. */
static struct dg_tensor *near(struct dg_call *call)
{
    struct dg_tensor *apart = distances(call, 0), *most, *finite;

    most =
        dg_apply(call, dg_complex_abs, apart ? dg_arg_share(call, 1) : NULL, 0, NULL);
    most = dg_apply(call, dg_cpu_mul, most,
                    DG_REST(dg_real_arg(dg_arg_real(call, 2, 1e-5))));
    most = dg_apply(call, dg_cpu_add, most,
                    DG_REST(dg_real_arg(dg_arg_real(call, 3, 1e-8))));
    finite =
        dg_apply(call, dg_cpu_isfinite, most ? dg_tensor_keep(apart) : NULL, 0, NULL);
    most = dg_apply(call, dg_cpu_ge, most, DG_REST(dg_tensor_arg(apart)));
    dg_tensor_drop(apart);
    finite = dg_apply(call, dg_cpu_logical_and, finite, DG_REST(dg_tensor_arg(most)));
    dg_tensor_drop(most);
    return finite;
}

/* Equal, or both NaN where these count as equal. */
static struct dg_tensor *same(struct dg_call *call)
{
    struct dg_tensor *equal =
        dg_apply(call, dg_complex_eq, dg_arg_share(call, 0), DG_REST(call->args[1]));
    struct dg_tensor *nan, *other;

    if (!dg_arg_bool(call, 4, false))
        return equal;
    nan =
        dg_apply(call, dg_complex_isnan, equal ? dg_arg_share(call, 0) : NULL, 0, NULL);
    other =
        dg_apply(call, dg_complex_isnan, nan ? dg_arg_share(call, 1) : NULL, 0, NULL);
    nan = dg_apply(call, dg_cpu_logical_and, nan, DG_REST(dg_tensor_arg(other)));
    equal = dg_apply(call, dg_cpu_logical_or, equal, DG_REST(dg_tensor_arg(nan)));
    dg_tensor_drop(nan);
    dg_tensor_drop(other);
    return equal;
}

enum dg_status dg_complex_isclose(struct dg_call *call)
{
    struct dg_tensor *close = near(call);
    struct dg_tensor *equal = close ? same(call) : NULL;

    close = dg_apply(call, dg_cpu_logical_or, close, DG_REST(dg_tensor_arg(equal)));
    dg_tensor_drop(equal);
    return dg_finish(call, close);
}

/* The largest real part of each group, 0 where it is infinite. */
static struct dg_tensor *peaks(struct dg_call *call, bool keeps_dims)
{
    struct dg_arg keeps = {DG_ARG_BOOL, {.integer = keeps_dims}};
    struct dg_tensor *most =
        dg_apply(call, dg_cpu_amax, dg_complex_part(dg_arg_tensor(call, 0), 0),
                 DG_REST(call->args[1], keeps));
    struct dg_tensor *infinite =
        dg_apply(call, dg_cpu_isinf, most ? dg_tensor_keep(most) : NULL, 0, NULL);

    if (!infinite) {
        dg_tensor_drop(most);
        return NULL;
    }
    most = dg_apply(call, dg_cpu_masked_fill, most,
                    DG_REST(dg_tensor_arg(infinite), dg_integer_arg(0)));
    dg_tensor_drop(infinite);
    return most;
}

/* Uses up the share of `terms`. */
static struct dg_tensor *log_of_sum(struct dg_call *call, struct dg_tensor *terms,
                                    struct dg_arg keeps)
{
    terms = dg_apply(call, dg_complex_exp, terms, 0, NULL);
    terms = dg_apply(call, dg_complex_sum_dims, terms, DG_REST(call->args[1], keeps));
    return dg_apply(call, dg_complex_log, terms, 0, NULL);
}

enum dg_status dg_complex_logsumexp(struct dg_call *call)
{
    bool keeps_dims = dg_arg_bool(call, 2, false);
    struct dg_arg keeps = {DG_ARG_BOOL, {.integer = keeps_dims}};
    struct dg_tensor *self = dg_need_tensor(call, 0), *most, *sum;

    if (!self)
        return call->err->status;
    if (!dg_tensor_count(self)) /* nothing is the largest of nothing */
        return dg_finish(call, log_of_sum(call, dg_tensor_keep(self), keeps));
    most = peaks(call, true);
    sum = dg_apply(call, dg_complex_sub, most ? dg_arg_share(call, 0) : NULL,
                   DG_REST(dg_tensor_arg(most)));
    dg_tensor_drop(most);
    sum = log_of_sum(call, sum, keeps);
    most = sum ? peaks(call, keeps_dims) : NULL;
    if (!most) {
        dg_tensor_drop(sum);
        return call->err->status;
    }
    /* what is added is multiplied by a complex 1, which makes NaN of the log of 0 */
    sum = dg_apply(call, dg_complex_add, sum, DG_REST(dg_tensor_arg(most)));
    dg_tensor_drop(most);
    return dg_finish(call, sum);
}
