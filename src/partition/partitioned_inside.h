/* Which graphs of a plan lowering comes to. */
#ifndef DG_PARTITION_PARTITIONED_INSIDE_H
#define DG_PARTITION_PARTITIONED_INSIDE_H

#include "partition/partitioned.h"

/* Set `inside` and `visited` of every item; before, all are visited. */
enum dg_status dg_partitioned_find_inside(struct dg_partitioned_graphs *list,
                                          struct dg_store *store, struct dg_error *err);

#endif
