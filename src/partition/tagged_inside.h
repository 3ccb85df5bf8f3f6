/* Branch graphs that go into a delegate with the call that runs them. */
#ifndef DG_PARTITION_TAGGED_INSIDE_H
#define DG_PARTITION_TAGGED_INSIDE_H

#include "partition/tagged.h"

/* Set `inside` of every item. */
enum dg_status dg_tagged_find_inside(struct dg_tagged_list *list,
                                     struct dg_store *store, struct dg_error *err);

#endif
