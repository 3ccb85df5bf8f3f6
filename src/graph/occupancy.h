/* How many bytes of each arena are live at each instruction. */
#ifndef DG_GRAPH_OCCUPANCY_H
#define DG_GRAPH_OCCUPANCY_H

#include "graph/live_ranges.h"

/* Live bytes of an arena at `node` and behind it, up to the next call. */
typedef void dg_occupied_fn(void *context, int64_t arena, uint32_t node, int64_t bytes);

/* Calls `visit` where the number may change, by arena and node: once for node 0 of each
 * arena that a value lives in. Bytes that several values share count once.
 * O(n log n). */
void dg_live_occupancy(const struct dg_live_ranges *live, dg_occupied_fn *visit,
                       void *context);

/* The most bytes of an arena that are live at one instruction. */
struct dg_peak {
    int64_t arena, bytes;
    uint32_t node; /* the first such */
};

struct dg_peaks {
    struct dg_peak *items; /* by arena; free() them */
    size_t n_items;
};

void dg_live_peaks(const struct dg_live_ranges *live, struct dg_peaks *peaks);

#endif
