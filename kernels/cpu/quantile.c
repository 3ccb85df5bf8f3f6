/* Quantiles: between which two sorted elements of a line, and how far. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/order.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/sums.h"

enum { LINE_MOST = 1 << 24 }; /* torch takes no longer ones */

enum interpolation { LINEAR, LOWER, HIGHER, MIDPOINT, NEAREST, N_INTERPOLATIONS };

struct quantiles {
    struct dg_order order;
    enum dg_type type;
    const double *shares; /* from 0 to 1 */
    int64_t n_shares;
    bool is_vector; /* of shares: the first dimension of the result is theirs */
    enum interpolation interpolation;
    bool skips_nan;
    struct dg_tensor *out;
};

static enum dg_status read_interpolation(struct dg_call *call,
                                         enum interpolation *interpolation)
{
    static const char *const names[] = {"linear", "lower", "higher", "midpoint",
                                        "nearest"};
    const char *name = call->n_args > 4 && call->args[4].kind == DG_ARG_STRING
                           ? call->args[4].as.string
                           : names[LINEAR];

    for (int i = 0; i < N_INTERPOLATIONS; i++) {
        if (!strcmp(name, names[i])) {
            *interpolation = (enum interpolation)i;
            return DG_OK;
        }
    }
    return dg_call_fail(call, DG_ERR_FORMAT, "no interpolation is named \"%.40s\"",
                        name);
}

/* Argument 1, a number or a tensor of them. */
static enum dg_status read_shares(struct dg_call *call, struct quantiles *quantiles)
{
    struct dg_tensor *tensor = dg_arg_tensor(call, 1);
    double *shares;

    if (tensor && (tensor->rank > 1 || tensor->type != quantiles->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "quantiles of %s by a tensor of %s",
                            dg_type_name(quantiles->type), dg_type_name(tensor->type));
    quantiles->is_vector = tensor && tensor->rank;
    quantiles->n_shares = tensor ? dg_tensor_count(tensor) : 1;
    shares = tensor ? dg_load_all(call, tensor) : dg_scratch(call, 1, sizeof(*shares));
    if (!shares)
        return call->err->status;
    if (!tensor)
        shares[0] =
            dg_rounded(call->context, quantiles->type, dg_arg_real(call, 1, NAN));
    for (int64_t i = 0; i < quantiles->n_shares; i++) {
        if (!(shares[i] >= 0 && shares[i] <= 1))
            return dg_call_fail(call, DG_ERR_FORMAT, "a quantile of %g", shares[i]);
    }
    quantiles->shares = shares;
    return DG_OK;
}

static double sorted_at(const struct dg_order *order, int64_t line, int64_t at)
{
    const struct dg_reduction *lines = &order->lines;
    struct dg_group group = dg_group_of(lines, line);
    int64_t offset = dg_group_offset(&group, order->entries[at].index);
    double value;

    dg_load_f64(&value, lines->in->type,
                group.base + offset * (int64_t)dg_type_bytes(lines->in->type), 1, 1);
    return value;
}

static double between(double below, double above, double weight)
{
    double way = above - below;

    return weight < 0.5 ? below + weight * way : above - way * (1 - weight);
}

/* The rank is rounded as in torch, which decides where it is a whole number. */
static double quantile(const struct quantiles *quantiles, int64_t line, int64_t n,
                       double share)
{
    const struct dg_order *order = &quantiles->order;
    double rank = dg_rounded(order->lines.call->context, quantiles->type,
                             share * (double)(n - 1));
    double weight, below;

    if (quantiles->interpolation == LOWER)
        rank = floor(rank);
    if (quantiles->interpolation == HIGHER)
        rank = ceil(rank);
    if (quantiles->interpolation == NEAREST)
        rank = nearbyint(rank);
    weight = quantiles->interpolation == MIDPOINT ? 0.5 : rank - floor(rank);
    below = sorted_at(order, line, (int64_t)rank);
    if (quantiles->interpolation != LINEAR && quantiles->interpolation != MIDPOINT)
        return below;
    return between(below, sorted_at(order, line, (int64_t)ceil(rank)), weight);
}

static void give_line(struct quantiles *quantiles, int64_t line)
{
    struct dg_order *order = &quantiles->order;
    int64_t n = order->lines.n_each, numbers = n;

    dg_order_line(order, line, false);
    while (numbers && dg_entry_is_nan(order, &order->entries[numbers - 1]))
        numbers--;
    for (int64_t i = 0; i < quantiles->n_shares; i++) {
        bool none = !numbers || (numbers < n && !quantiles->skips_nan);
        double value =
            none ? NAN : quantile(quantiles, line, numbers, quantiles->shares[i]);

        dg_put_real(quantiles->out, i * order->lines.n_groups + line, value);
    }
}

static enum dg_status run(struct dg_call *call, struct quantiles *quantiles)
{
    const struct dg_reduction *lines = &quantiles->order.lines;
    int64_t sizes[DG_RANK_MOST + 1] = {quantiles->n_shares};
    int more = quantiles->is_vector;

    if (!lines->n_each || !lines->n_groups || lines->n_each > LINE_MOST)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "quantiles of %lld lines of %lld elements",
                            (long long)lines->n_groups, (long long)lines->n_each);
    if (lines->out_rank + more > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "a result of rank %d",
                            lines->out_rank + more);
    memcpy(sizes + more, lines->out_sizes, (size_t)lines->out_rank * sizeof(*sizes));
    quantiles->out = dg_result(call, 0, quantiles->type, lines->out_rank + more, sizes);
    if (!quantiles->out)
        return call->err->status;
    for (int64_t line = 0; line < lines->n_groups; line++)
        give_line(quantiles, line);
    return DG_OK;
}

/* self, q, dim, keepdim, interpolation */
static enum dg_status quantiles_of(struct dg_call *call, bool skips_nan)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct quantiles quantiles = {.skips_nan = skips_nan};
    int64_t dim = dg_arg_int(call, 2, 0);
    enum dg_status status;

    if (!self)
        return call->err->status;
    if (self->type != DG_TYPE_F32 && self->type != DG_TYPE_F64)
        return dg_call_fail(call, DG_ERR_FORMAT, "quantiles of %s",
                            dg_type_name(self->type));
    quantiles.type = self->type;
    status = read_interpolation(call, &quantiles.interpolation);
    if (!status)
        status = read_shares(call, &quantiles);
    if (status)
        return status;
    status =
        dg_order_begin(&quantiles.order, call, dg_arg_missing(call, 2) ? NULL : &dim,
                       dg_arg_bool(call, 3, false));
    if (!status)
        status = run(call, &quantiles);
    dg_order_end(&quantiles.order);
    return status;
}

enum dg_status dg_cpu_quantile(struct dg_call *call)
{
    return quantiles_of(call, false);
}

enum dg_status dg_cpu_nanquantile(struct dg_call *call)
{
    return quantiles_of(call, true);
}
