/* What calls add up to, operator by operator: costs, and who runs them. */
#ifndef DG_GRAPH_CALL_SUMS_H
#define DG_GRAPH_CALL_SUMS_H

#include "base/error.h"
#include "store/store.h"

/* Fill table call_sum, of the newest plans: again where there is another. O(nodes). */
enum dg_status dg_call_sums_store(struct dg_store *store, struct dg_error *err);

#endif
