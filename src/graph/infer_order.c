/* Dim orders of operands and results. */
#include <string.h>

#include "graph/infer_parts.h"

struct orders {
    bool windows; /* each may be either */
    const struct dg_known *plain, *channels_last, *other;
};

static bool is_channels_last(const struct dg_known_tensor *tensor)
{
    static const unsigned char orders[][5] = {{0, 2, 3, 1}, {0, 2, 3, 4, 1}};

    return (tensor->rank == 4 || tensor->rank == 5) &&
           !memcmp(tensor->order, orders[tensor->rank - 4], (size_t)tensor->rank);
}

static void look_at_order(void *context, const struct dg_known *known,
                          const struct dg_op_arg *arg)
{
    struct orders *orders = context;
    const struct dg_known_tensor *tensor = known->as.tensor;
    bool plain = true;

    for (int i = 0; i < tensor->rank; i++)
        plain = plain && tensor->order[i] == i;
    if (plain)
        orders->plain = orders->plain ? orders->plain : known;
    else if (is_channels_last(tensor))
        orders->channels_last = orders->channels_last ? orders->channels_last : known;
    else
        orders->other = orders->other ? orders->other : known;
}

static void write_order(struct dg_writer *out, const struct dg_known *known)
{
    const struct dg_known_tensor *tensor = known->as.tensor;

    dg_print(out, "value %lld with dim order [", (long long)known->idx);
    for (int i = 0; i < tensor->rank; i++)
        dg_print(out, "%s%d", i ? "," : "", tensor->order[i]);
    dg_print(out, "]");
}

static enum dg_misfit refuse_order(const struct dg_infer_call *call,
                                   const struct dg_known *one,
                                   const struct dg_known *other)
{
    dg_print(call->why, "refuses ");
    write_order(call->why, one);
    if (other) {
        dg_print(call->why, " beside ");
        write_order(call->why, other);
    }
    return DG_MISFIT_ORDER;
}

enum dg_misfit dg_infer_order(const struct dg_infer_call *call)
{
    enum dg_infer_order asked = call->op->row->order;
    bool all = asked == ONE_ORDER || asked == PLAIN_ORDER;
    struct orders seen = {0};
    size_t n_inputs = call->op->n_inputs;

    if (asked == ANY_ORDER)
        return DG_FITS;
    dg_infer_visit(call, 0, all ? n_inputs : 1, look_at_order, &seen);
    dg_infer_visit(call, n_inputs, dg_infer_operands(call->op), look_at_order, &seen);
    if (asked == WINDOW_ORDER)
        return seen.other ? refuse_order(call, seen.other, NULL) : DG_FITS;
    if ((asked == PLAIN_ORDER || asked == PLAIN_SELF) && seen.channels_last)
        return refuse_order(call, seen.channels_last, NULL);
    if (seen.channels_last && seen.plain)
        return refuse_order(call, seen.channels_last, seen.plain);
    return seen.other && (seen.plain || seen.channels_last)
               ? refuse_order(call, seen.other,
                              seen.plain ? seen.plain : seen.channels_last)
               : DG_FITS;
}
