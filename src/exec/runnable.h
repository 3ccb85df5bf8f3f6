/* Which operators have kernels. */
#ifndef DG_EXEC_RUNNABLE_H
#define DG_EXEC_RUNNABLE_H

#include "store/store.h"

/* Find what dg_runnable() gives. O(nodes + operators of delegates). */
enum dg_status dg_runnable_store(struct dg_store *store, struct dg_error *err);

#endif
