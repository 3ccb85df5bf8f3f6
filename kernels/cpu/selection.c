/* median, mode, kthvalue: one element of each sorted line. */
#include <math.h>

#include "kernels/cpu/order.h"

/* Position of the wanted element in the sorted line; fails with -1. */
typedef int64_t pick_fn(const struct dg_order *order);

static int64_t count_numbers(const struct dg_order *order)
{
    int64_t n = order->lines.n_each;

    while (n && dg_entry_is_nan(order, &order->entries[n - 1]))
        n--;
    return n;
}

/* The first NaN where there is one, else the lower one of the middle. */
static int64_t pick_median(const struct dg_order *order)
{
    int64_t numbers = count_numbers(order), n = order->lines.n_each;

    return numbers < n ? numbers : (n - 1) / 2;
}

static int64_t pick_nanmedian(const struct dg_order *order)
{
    int64_t numbers = count_numbers(order);

    return numbers ? (numbers - 1) / 2 : 0;
}

static int64_t pick_kth(const struct dg_order *order)
{
    return (int64_t)order->lines.parameter - 1;
}

/* The last occurrence of the smallest among the most frequent. */
static int64_t pick_mode(const struct dg_order *order)
{
    const struct dg_order_entry *entries = order->entries;
    int64_t best = 0, best_length = 0, n = order->lines.n_each;

    if (count_numbers(order) < n)
        return -1;
    for (int64_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && entries[to].key == entries[from].key;)
            to++;
        if (to - from > best_length) {
            best_length = to - from;
            best = to - 1;
        }
    }
    return best;
}

static enum dg_status select_all(struct dg_order *order, pick_fn *pick)
{
    struct dg_reduction *lines = &order->lines;

    for (int64_t i = 0; i < lines->n_groups; i++) {
        int64_t at, index;

        dg_order_line(order, i, false);
        at = pick(order);
        if (at < 0)
            return dg_call_fail(lines->call, DG_ERR_DEVICE,
                                "the mode of numbers with NaN among them");
        index = order->entries[at].index;
        dg_order_copy(order, i, index, lines->out[0], i);
        if (lines->out[1])
            dg_put_integer(lines->out[1], i, index);
    }
    return DG_OK;
}

static enum dg_status give(struct dg_order *order, bool indices, pick_fn *pick)
{
    struct dg_reduction *lines = &order->lines;
    enum dg_status status = dg_reduce_result(lines, 0, lines->in->type);

    if (!status && indices)
        status = dg_reduce_result(lines, 1, DG_TYPE_I64);
    if (status || lines->n_each)
        return status ? status : select_all(order, pick);
    if (lines->n_groups && (indices || !dg_type_is_float(lines->in->type)))
        return dg_call_fail(lines->call, DG_ERR_FORMAT, "none of no elements is it");
    if (lines->n_groups)
        dg_put_real(lines->out[0], 0, NAN);
    return DG_OK;
}

/* `dim` is the position of the dimension, 0: one line of all elements. */
static enum dg_status selection(struct dg_call *call, size_t dim, double k,
                                pick_fn *pick)
{
    int64_t along = dg_arg_int(call, dim, -1);
    struct dg_order order;
    enum dg_status status = dg_order_begin(&order, call, dim ? &along : NULL,
                                           dim && dg_arg_bool(call, dim + 1, false));

    if (!status) {
        order.lines.parameter = k;
        status = give(&order, dim != 0, pick);
    }
    dg_order_end(&order);
    return status;
}

enum dg_status dg_cpu_median(struct dg_call *call)
{
    return selection(call, 0, 0, pick_median);
}

enum dg_status dg_cpu_median_dim(struct dg_call *call)
{
    return selection(call, 1, 0, pick_median);
}

enum dg_status dg_cpu_nanmedian(struct dg_call *call)
{
    return selection(call, 0, 0, pick_nanmedian);
}

enum dg_status dg_cpu_nanmedian_dim(struct dg_call *call)
{
    return selection(call, 1, 0, pick_nanmedian);
}

enum dg_status dg_cpu_mode(struct dg_call *call)
{
    return selection(call, 1, 0, pick_mode);
}

enum dg_status dg_cpu_kthvalue(struct dg_call *call)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    int64_t k = dg_arg_int(call, 1, 0);
    int dim;

    if (in && !dg_dimension(call, dg_arg_int(call, 2, -1), in->rank, &dim))
        return call->err->status;
    if (in && (k < 1 || k > (in->rank ? in->sizes[dim] : 1)))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "element %lld of dimension %d of size %lld", (long long)k,
                            dim, in->rank ? (long long)in->sizes[dim] : 1);
    return selection(call, 2, (double)k, pick_kth);
}
