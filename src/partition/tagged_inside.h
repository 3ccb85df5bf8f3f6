/* Which graphs of a plan lowering comes to. */
#ifndef DG_PARTITION_TAGGED_INSIDE_H
#define DG_PARTITION_TAGGED_INSIDE_H

#include "partition/tagged.h"

/* Set `inside` and `visited` of every item; before, all are visited. */
enum dg_status dg_tagged_find_inside(struct dg_tagged_list *list,
                                     struct dg_store *store, struct dg_error *err);

#endif
