/* How large a symbolic size can be: "2*s77 + 1" with s77 in 4..16 is at most 33. */
#ifndef DG_GRAPH_SIZE_BOUND_H
#define DG_GRAPH_SIZE_BOUND_H

#include <stdint.h>

#include "base/bytes.h"

struct dg_range {
    struct dg_text symbol; /* or a whole expression */
    double least, most;    /* -INFINITY, INFINITY: no bound */
};

/* Sorted by dg_range_order(). */
struct dg_ranges {
    const struct dg_range *items;
    size_t n_items;
};

/* For dg_sort(). */
int dg_range_order(const void *a, const void *b);

/* The largest value of an expression as SymPy prints it; -1 where the ranges do not
 * bound it, or it holds what is not known here. */
int64_t dg_upper_bound(const struct dg_ranges *ranges, struct dg_text expression);

#endif
