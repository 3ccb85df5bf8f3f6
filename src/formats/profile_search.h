/* Which instructions of a .pte an ETDump tells of. */
#ifndef DG_FORMATS_PROFILE_SEARCH_H
#define DG_FORMATS_PROFILE_SEARCH_H

#include "store/store.h"

/* Of the ETDumps that belong to the .pte `artifact` and have no methods yet: of each run
 * the method all of whose instructions it can be, the first of several; and the node of
 * each event. The runtime says neither. */
enum dg_status dg_find_profiled(struct dg_store *store, int64_t artifact,
                                struct dg_error *err);

#endif
