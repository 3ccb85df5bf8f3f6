/* Losses that torch composes of other operators. */
#include <math.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/loss.h"

/* The losses of all samples, reduced as argument `i` asks for, become the result. */
static enum dg_status finish(struct dg_call *call, struct dg_tensor *losses, size_t i)
{
    int64_t reduction = dg_arg_int(call, i, DG_LOSS_MEAN);

    if (reduction != DG_LOSS_EACH)
        losses = dg_apply(call, reduction == DG_LOSS_MEAN ? dg_cpu_mean : dg_cpu_sum,
                          losses, 0, NULL);
    return dg_finish(call, losses);
}

static struct dg_tensor *plus(struct dg_call *call, struct dg_tensor *x, double number)
{
    return dg_apply(call, dg_cpu_add, x, DG_REST(dg_real_arg(number)));
}

static struct dg_tensor *not_negative(struct dg_call *call, struct dg_tensor *x)
{
    return dg_apply(call, dg_cpu_clamp_min, x, DG_REST(dg_integer_arg(0)));
}

/* `x` where argument `i` compares so with `number`, else 0; uses up the share of `x`.
 */
static struct dg_tensor *where(struct dg_call *call, size_t i, dg_kernel_fn *compare,
                               int64_t number, struct dg_tensor *x)
{
    struct dg_tensor *mask =
        dg_apply(call, compare, dg_arg_share(call, i), DG_REST(dg_integer_arg(number)));
    struct dg_tensor *chosen =
        x ? dg_apply(call, dg_cpu_where, mask,
                     DG_REST(dg_tensor_arg(x), dg_integer_arg(0)))
          : NULL;

    if (!x)
        dg_tensor_drop(mask);
    dg_tensor_drop(x);
    return chosen;
}

/* input1, input2, target, margin, reduction:
 * max(0, margin - target * (input1 - input2)) */
enum dg_status dg_cpu_margin_ranking_loss(struct dg_call *call)
{
    struct dg_tensor *apart =
        dg_apply_two(call, dg_cpu_sub, dg_arg_share(call, 0), dg_arg_share(call, 1));
    struct dg_tensor *wrong =
        dg_apply(call, dg_cpu_neg, dg_arg_share(call, 2), 0, NULL);

    wrong = dg_apply_two(call, dg_cpu_mul, wrong, apart);
    wrong = not_negative(call, plus(call, wrong, dg_arg_real(call, 3, 0)));
    return finish(call, wrong, 4);
}

/* self, target, margin, reduction: self where target is 1, max(0, margin - self) where
 * it is -1, both where it is neither */
enum dg_status dg_cpu_hinge_embedding_loss(struct dg_call *call)
{
    struct dg_tensor *beyond = dg_apply(call, dg_cpu_rsub, dg_arg_share(call, 0),
                                        DG_REST(dg_real_arg(dg_arg_real(call, 2, 1))));

    beyond = where(call, 1, dg_cpu_ne, 1, not_negative(call, beyond));
    beyond = dg_apply_two(call, dg_cpu_add, beyond,
                          where(call, 1, dg_cpu_ne, -1, dg_arg_share(call, 0)));
    return finish(call, beyond, 3);
}

/* self, target, reduction: log(1 + exp(-self * target)), also where exp is infinite */
enum dg_status dg_cpu_soft_margin_loss(struct dg_call *call)
{
    struct dg_tensor *losses =
        dg_apply(call, dg_cpu_neg, dg_arg_share(call, 0), 0, NULL);

    losses = dg_apply_two(call, dg_cpu_mul, losses, dg_arg_share(call, 1));
    losses = dg_apply(call, dg_cpu_exp, losses, 0, NULL);
    return finish(call, dg_apply(call, dg_cpu_log1p, losses, 0, NULL), 2);
}

/* The product of arguments `i` and `k`, summed over the last dimension. */
static struct dg_tensor *inner(struct dg_call *call, size_t i, size_t k)
{
    struct dg_tensor *product =
        dg_apply_two(call, dg_cpu_mul, dg_arg_share(call, i), dg_arg_share(call, k));

    return dg_apply_ints(call, dg_cpu_sum_dims, product, 1, (int64_t[]){-1});
}

static struct dg_tensor *cosine(struct dg_call *call)
{
    const double least = 1e-12; /* torch's: no division by 0 */
    struct dg_tensor *squares =
        dg_apply_two(call, dg_cpu_mul, plus(call, inner(call, 0, 0), least),
                     plus(call, inner(call, 1, 1), least));

    squares = dg_apply(call, dg_cpu_sqrt, squares, 0, NULL);
    return dg_apply_two(call, dg_cpu_div, inner(call, 0, 1), squares);
}

/* input1, input2, target, margin, reduction: 1 - cosine where target is 1,
 * max(0, cosine - margin) where it is -1 */
enum dg_status dg_cpu_cosine_embedding_loss(struct dg_call *call)
{
    struct dg_tensor *target = dg_arg_tensor(call, 2), *of_same, *of_others;
    struct dg_tensor *angle;

    if (!target || target->rank > 1)
        return dg_call_fail(call, DG_ERR_FORMAT, "a target of rank 0 or 1 is needed");
    angle = cosine(call);
    of_same =
        dg_apply(call, dg_cpu_rsub, dg_tensor_keep(angle), DG_REST(dg_integer_arg(1)));
    of_others = not_negative(call, plus(call, angle, -dg_arg_real(call, 3, 0)));
    of_same = where(call, 2, dg_cpu_eq, 1, of_same);
    return finish(call,
                  dg_apply_two(call, dg_cpu_add, of_same,
                               where(call, 2, dg_cpu_eq, -1, of_others)),
                  4);
}

/* target * log(target) - target + log(2 pi target) / 2 where target is above 1 */
static struct dg_tensor *stirling(struct dg_call *call)
{
    struct dg_tensor *log = dg_apply(call, dg_cpu_log, dg_arg_share(call, 1), 0, NULL);
    struct dg_tensor *terms, *half;

    terms = dg_apply_two(call, dg_cpu_mul, dg_arg_share(call, 1), log);
    terms = dg_apply_two(call, dg_cpu_sub, terms, dg_arg_share(call, 1));
    half = dg_apply(call, dg_cpu_mul, dg_arg_share(call, 1),
                    DG_REST(dg_real_arg(2 * M_PI)));
    half = dg_apply(call, dg_cpu_log, half, 0, NULL);
    half = dg_apply(call, dg_cpu_mul, half, DG_REST(dg_real_arg(0.5)));
    return where(call, 1, dg_cpu_gt, 1, dg_apply_two(call, dg_cpu_add, terms, half));
}

/* input, target, log_input, full, eps, reduction */
enum dg_status dg_cpu_poisson_nll_loss(struct dg_call *call)
{
    bool is_log = dg_arg_bool(call, 2, true);
    struct dg_tensor *log = dg_arg_share(call, 0), *rate = dg_arg_share(call, 0);
    struct dg_tensor *losses;

    if (is_log)
        rate = dg_apply(call, dg_cpu_exp, rate, 0, NULL);
    else
        log = dg_apply(call, dg_cpu_log, plus(call, log, dg_arg_real(call, 4, 0)), 0,
                       NULL);
    losses = dg_apply_two(call, dg_cpu_mul, dg_arg_share(call, 1), log);
    losses = dg_apply_two(call, dg_cpu_sub, rate, losses);
    if (dg_arg_bool(call, 3, false))
        losses = dg_apply_two(call, dg_cpu_add, losses, stirling(call));
    return finish(call, losses, 5);
}

/* Between arguments `i` and `k` along the last dimension. */
static struct dg_tensor *distance(struct dg_call *call, size_t i, size_t k)
{
    struct dg_tensor *other = dg_arg_share(call, k), *result;

    result =
        dg_apply(call, dg_cpu_pairwise_distance, other ? dg_arg_share(call, i) : NULL,
                 DG_REST(dg_tensor_arg(other), dg_real_arg(dg_arg_real(call, 4, 2)),
                         dg_real_arg(dg_arg_real(call, 5, 1e-6))));
    dg_tensor_drop(other);
    return result;
}

/* anchor, positive, negative, margin, p, eps, swap, reduction */
enum dg_status dg_cpu_triplet_margin_loss(struct dg_call *call)
{
    struct dg_tensor *near = distance(call, 0, 1), *far = distance(call, 0, 2);

    if (far && dg_arg_bool(call, 6, false))
        far = dg_apply_two(call, dg_cpu_minimum, far, distance(call, 1, 2));
    near = plus(call, near, dg_arg_real(call, 3, 1));
    near = not_negative(call, dg_apply_two(call, dg_cpu_sub, near, far));
    return finish(call, near, 7);
}
