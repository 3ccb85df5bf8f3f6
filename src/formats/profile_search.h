/* Which instructions of a .pte an ETDump tells of. */
#ifndef DG_FORMATS_PROFILE_SEARCH_H
#define DG_FORMATS_PROFILE_SEARCH_H

#include "store/store.h"

/* Of the ETDumps that belong to the .pte `artifact` and have no methods yet: of each run
 * the method that has all instructions of its events, and the node of each event. The
 * runtime says neither. Of several methods it is the one all of whose calls were made; where
 * more than one is left, a remark says so, and the run is of none. */
enum dg_status dg_find_profiled(struct dg_store *store, int64_t artifact,
                                struct dg_error *err);

#endif
