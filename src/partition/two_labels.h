/* Less on the borders of neighbouring partitions, by least cuts. */
#ifndef DG_PARTITION_TWO_LABELS_H
#define DG_PARTITION_TWO_LABELS_H

#include "partition/border.h"

/* Move components between neighbouring partitions as long as that gains, a counted
 * budget of steps at most, linear in the size of the graph. `early` and `late` are
 * where each component can be at all, `end` is the place behind the last partition. */
void dg_cut_labels(struct dg_border *border, const uint32_t *early,
                   const uint32_t *late, uint32_t end);

#endif
