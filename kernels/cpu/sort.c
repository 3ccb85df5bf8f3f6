/* sort, argsort, topk: lines in order. */
#include "kernels/cpu/order.h"

/* The first `n` elements of each sorted line become the line of the results; either
 * may be NULL. */
static void give_lines(struct dg_order *order, bool descending, int64_t n,
                       struct dg_tensor *values, struct dg_tensor *indices)
{
    struct dg_tensor *shape = values ? values : indices;
    int64_t step = dg_line_step(shape, order->dim);

    for (int64_t i = 0; i < order->lines.n_groups && n; i++) {
        int64_t at = dg_line_start(shape, order->dim, i);

        dg_order_line(order, i, descending);
        for (int64_t k = 0; k < n; k++, at += step) {
            if (values)
                dg_order_copy(order, i, order->entries[k].index, values, at);
            if (indices)
                dg_put_integer(indices, at, order->entries[k].index);
        }
    }
}

struct wanted {
    int64_t dim, k; /* k -1: all */
    bool descending, values, indices;
};

static enum dg_status run(struct dg_order *order, struct dg_call *call,
                          const struct wanted *wanted)
{
    const struct dg_tensor *in = order->lines.in;
    int64_t sizes[DG_RANK_MOST], k = wanted->k < 0 ? order->lines.n_each : wanted->k;
    struct dg_tensor *values = NULL, *indices = NULL;

    if (k > order->lines.n_each)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld elements of dimension %d of size %lld", (long long)k,
                            order->dim, (long long)order->lines.n_each);
    for (int dim = 0; dim < in->rank; dim++)
        sizes[dim] = dim == order->dim ? k : in->sizes[dim];
    if (wanted->values && !(values = dg_result(call, 0, in->type, in->rank, sizes)))
        return call->err->status;
    if (wanted->indices &&
        !(indices = dg_result(call, wanted->values, DG_TYPE_I64, in->rank, sizes)))
        return call->err->status;
    give_lines(order, wanted->descending, k, values, indices);
    return DG_OK;
}

static enum dg_status sort(struct dg_call *call, struct wanted wanted)
{
    struct dg_order order;
    enum dg_status status = dg_order_begin(&order, call, &wanted.dim, false);

    if (!status)
        status = run(&order, call, &wanted);
    dg_order_end(&order);
    return status;
}

/* SORT(kernel, positions of dim and descending, values wanted, indices wanted) */
#define SORT(name, dim, descending, values, indices)                                   \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return sort(call, (struct wanted){dg_arg_int(call, dim, -1), -1,               \
                                          dg_arg_bool(call, descending, false),        \
                                          values, indices});                           \
    }

SORT(sort, 1, 2, true, true)
SORT(sort_stable, 2, 3, true, true)
SORT(argsort, 1, 2, false, true)
SORT(argsort_stable, 2, 3, false, true)

enum dg_status dg_cpu_msort(struct dg_call *call)
{
    return sort(call, (struct wanted){0, -1, false, true, false});
}

enum dg_status dg_cpu_topk(struct dg_call *call)
{
    int64_t k = dg_arg_int(call, 1, 0);

    if (k < 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld elements", (long long)k);
    return sort(call, (struct wanted){dg_arg_int(call, 2, -1), k,
                                      dg_arg_bool(call, 3, true), true, true});
}
