/* Names of nodes: read from the store once, for those who compare or print many. */
#ifndef DG_GRAPH_MODEL_NAMES_H
#define DG_GRAPH_MODEL_NAMES_H

#include "base/arena.h"
#include "base/error.h"
#include "store/store.h"

/* The node in row i + 1 is called items[i], which ends with NUL; data NULL: it has no
 * name. */
struct dg_model_names {
    struct dg_text *items;
    size_t n_items;
    struct dg_arena memory;
};

/* The store owns *out, until it closes, changes or drops them. O(nodes), once. */
enum dg_status dg_model_names_read(const struct dg_model_names **out,
                                   struct dg_store *store, struct dg_error *err);

/* Whether that was done. */
bool dg_model_names_are_read(const struct dg_store *store);

/* Behind dg_store_drop_read_rows(): nodes that were read point at these texts. */
void dg_model_names_drop(struct dg_store *store);

#endif
