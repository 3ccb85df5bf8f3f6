/* Numbers that builds of a program are compared by. */
#ifndef DG_VERIFIERS_MEASURES_H
#define DG_VERIFIERS_MEASURES_H

#include "base/arena.h"
#include "store/store.h"

struct dg_measured {
    const char *name;
    double value;
};

/* Starts from {0}. */
struct dg_measures {
    struct dg_measured *items;
    size_t n_items;
    struct dg_arena memory; /* of names */
};

/* What holds of the only program of `store`, whose rules have run; what cannot be told
 * of it is left out. Clear *measures in any case. */
enum dg_status dg_measures_find(struct dg_measures *measures, struct dg_store *store,
                                struct dg_error *err);

/* Rows of table `measure` of that build. */
enum dg_status dg_measures_keep(struct dg_store *fleet, int64_t build,
                                const struct dg_measures *measures,
                                struct dg_error *err);
void dg_measures_clear(struct dg_measures *measures);

#endif
