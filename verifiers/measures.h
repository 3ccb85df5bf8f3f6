/* Numbers that builds of a program are compared by. */
#ifndef DG_VERIFIERS_MEASURES_H
#define DG_VERIFIERS_MEASURES_H

#include "store/store.h"

/* Fill table `measure` of `fleet` for that build with what holds of the only program of
 * `store`, whose rules have run. What cannot be told of it has no row. */
enum dg_status dg_measures_keep(struct dg_store *fleet, int64_t build,
                                struct dg_store *store, struct dg_error *err);

#endif
