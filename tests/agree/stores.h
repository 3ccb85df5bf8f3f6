/* Random small stores: half of them of programs that are fine but for little. */
#ifndef DG_TESTS_STORES_H
#define DG_TESTS_STORES_H

#include "store/store.h"

/* Let `store` hold the program of that number, which is always the same, and no other.
 */
enum dg_status stores_fill(struct dg_store *store, uint64_t number,
                           struct dg_error *err);

#endif
