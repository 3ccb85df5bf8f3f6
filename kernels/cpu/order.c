/* Sorted lines: a stable merge sort of integer keys. */
#include "kernels/cpu/order.h"

#include <math.h>
#include <string.h>

#include "kernels/cpu/line.h"

/* Keys order as the numbers do, so that one comparison serves every type. */
static int64_t key_of_real(double value)
{
    int64_t bits;

    if (isnan(value))
        return INT64_MAX;
    memcpy(&bits, &value, sizeof(bits));
    return bits < 0 ? -(bits & INT64_MAX) : bits;
}

enum dg_status dg_order_begin(struct dg_order *order, struct dg_call *call,
                              const int64_t *dim, bool keepdim)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    enum dg_status status;

    order->room = NULL;
    order->dim = 0;
    if (in && dim && !dg_dimension(call, *dim, in->rank, &order->dim))
        return call->err->status;
    /* A 0-d tensor is one line of one element. */
    status = dg_reduce_over(&order->lines, call, in, dim && in && in->rank ? 1 : -1,
                            (int64_t[]){order->dim}, keepdim);
    if (status)
        return status;
    order->room = dg_tensor_new(&dg_host_memory, DG_TYPE_I64, 2,
                                (int64_t[]){4, order->lines.n_each}, call->err);
    return order->room ? DG_OK : call->err->status;
}

void dg_order_end(struct dg_order *order)
{
    dg_tensor_drop(order->room);
}

static void read_line(struct dg_order *order, int64_t i, struct dg_order_entry *entries)
{
    struct dg_group group = dg_group_of(&order->lines, i);
    bool reals = dg_type_is_float(order->lines.in->type);
    union {
        double reals[DG_LINE_MOST];
        int64_t integers[DG_LINE_MOST];
    } line;

    for (int64_t start = 0, n;; start += n) {
        n = reals ? dg_read_reals(&group, line.reals)
                  : dg_read_integers(&group, line.integers);
        if (!n)
            return;
        for (int64_t k = 0; k < n; k++)
            entries[start + k] = (struct dg_order_entry){
                reals ? key_of_real(line.reals[k]) : line.integers[k], start + k};
    }
}

/* Two sorted runs, `from` to `middle` and on to `end`, into one. */
static void merge(const struct dg_order_entry *in, struct dg_order_entry *out,
                  int64_t from, int64_t middle, int64_t end)
{
    int64_t left = from, right = middle;

    for (int64_t at = from; at < end; at++) {
        bool take_right =
            right < end && (left >= middle || in[right].key < in[left].key);

        out[at] = in[take_right ? right++ : left++];
    }
}

static struct dg_order_entry *sort(struct dg_order_entry *entries,
                                   struct dg_order_entry *spare, int64_t n)
{
    for (int64_t width = 1; width < n; width *= 2) {
        struct dg_order_entry *sorted = spare;

        for (int64_t from = 0; from < n; from += 2 * width) {
            int64_t middle = from + width < n ? from + width : n;

            merge(entries, sorted, from, middle,
                  n - from > 2 * width ? from + 2 * width : n);
        }
        spare = entries;
        entries = sorted;
    }
    return entries;
}

void dg_order_line(struct dg_order *order, int64_t i, bool descending)
{
    struct dg_order_entry *entries = dg_tensor_data(order->room);
    int64_t n = order->lines.n_each;

    read_line(order, i, entries);
    for (int64_t k = 0; k < n && descending; k++)
        entries[k].key = ~entries[k].key;
    order->entries = sort(entries, entries + n, n);
}

bool dg_entry_is_nan(const struct dg_order *order, const struct dg_order_entry *entry)
{
    return entry->key == INT64_MAX && dg_type_is_float(order->lines.in->type);
}

void dg_order_copy(const struct dg_order *order, int64_t i, int64_t index,
                   struct dg_tensor *out, int64_t to)
{
    enum dg_type type = order->lines.in->type;
    struct dg_group group = dg_group_of(&order->lines, i);
    int64_t bytes = (int64_t)dg_type_bytes(type);
    const char *from = group.base + dg_group_offset(&group, index) * bytes;
    double value;

    if (out->type == type) {
        memcpy((char *)dg_tensor_data(out) + to * bytes, from, (size_t)bytes);
    } else { /* a wide run */
        dg_load_f64(&value, type, from, 1, 1);
        dg_put_real(out, to, value);
    }
}
