/* Sorted lines: the order of the elements along one dimension. */
#ifndef DG_KERNELS_CPU_ORDER_H
#define DG_KERNELS_CPU_ORDER_H

#include "kernels/cpu/reduce.h"

struct dg_order_entry {
    int64_t key, index;
};

/* Lines of a tensor, sorted one after the other. */
struct dg_order {
    struct dg_reduction lines;
    int dim;
    struct dg_tensor *room;         /* of the entries; its share is held */
    struct dg_order_entry *entries; /* of the line sorted last */
};

/* Lines along `dim`, or one of all elements where `dim` is NULL. Ends with
 * dg_order_end(), also when it failed. */
enum dg_status dg_order_begin(struct dg_order *order, struct dg_call *call,
                              const int64_t *dim, bool keepdim);
void dg_order_end(struct dg_order *order);

/* Sort line `i` into order->entries, stably; NaN is the greatest, 0 and -0 are equal.
 */
void dg_order_line(struct dg_order *order, int64_t i, bool descending);
bool dg_entry_is_nan(const struct dg_order *order, const struct dg_order_entry *entry);

/* out[to] = the input element `index` of line `i`. */
void dg_order_copy(const struct dg_order *order, int64_t i, int64_t index,
                   struct dg_tensor *out, int64_t to);

#endif
