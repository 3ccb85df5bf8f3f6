/* Which operators have kernels, as rows. */
#ifndef DG_EXEC_RUNNABLE_H
#define DG_EXEC_RUNNABLE_H

#include "store/store.h"

/* Make the table that graph/runnable_sql.h asks. O(operators). */
enum dg_status dg_runnable_store(struct dg_store *store, struct dg_error *err);

#endif
