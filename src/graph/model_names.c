/* Reading the names of nodes, once for a store. */
#include "graph/model_names.h"

#include <stdlib.h>

#include "store/scan.h"

static void release_names(void *object)
{
    struct dg_model_names *names = object;

    free(names->items);
    dg_arena_clear(&names->memory);
    free(names);
}

static enum dg_status read_names(struct dg_model_names *names, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_scan scan = dg_scan_all(store, "node", "id, name", "id", err);

    while (dg_scan_next(&scan)) {
        int64_t id = dg_scan_int(&scan, 0);

        while (names->n_items < (size_t)id)
            DG_APPEND(names->items, names->n_items);
        names->items[id - 1] = dg_scan_keep(&names->memory, &scan, 1);
    }
    return dg_scan_close(&scan, DG_OK, err);
}

enum dg_status dg_model_names_read(const struct dg_model_names **out,
                                   struct dg_store *store, struct dg_error *err)
{
    struct dg_model_names *names = dg_store_kept(store, release_names);
    enum dg_status status;

    *out = names;
    if (names)
        return DG_OK;
    names = dg_zeroed(1, sizeof(*names));
    status = read_names(names, store, err);
    if (status) {
        release_names(names);
        return status;
    }
    dg_store_keep(store, names, release_names);
    *out = names;
    return DG_OK;
}

bool dg_model_names_are_read(const struct dg_store *store)
{
    return dg_store_kept(store, release_names);
}

void dg_model_names_drop(struct dg_store *store)
{
    dg_store_drop(store, release_names);
}
