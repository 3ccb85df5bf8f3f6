/* Numbers of the old program that limits of growth compare with. */
#ifndef DG_VERIFIERS_BUDGET_WAS_H
#define DG_VERIFIERS_BUDGET_WAS_H

#include "base/text_set.h"
#include "verifiers/budget_parts.h"

/* A number of the old program. */
struct dg_was {
    bool known;
    double number;
    const char *unknown, *basis; /* as of a measure */
};

/* All of a measure. Start from {0}; end with dg_was_clear(). */
struct dg_was_list {
    const char *path; /* of the old program; NULL: there is none */
    struct dg_text_set keys;
    struct dg_was *items;
    size_t n_items;
    struct dg_arena memory;
};
enum dg_status dg_was_read(struct dg_was_list *was, const struct dg_measure *measure,
                           struct dg_store *store, struct dg_error *err);
void dg_was_clear(struct dg_was_list *was);

/* What is compared with the number of `method` on `device`, either of which may be
 * NULL; or NULL. */
const struct dg_was *dg_was_find(const struct dg_was_list *was, const char *method,
                                 const char *device);

#endif
