/* Reading the names of nodes, once for a store. */
#include "graph/model_names.h"

#include <stdlib.h>

static void release(void *object)
{
    struct dg_model_names *names = object;

    free(names->items);
    dg_arena_clear(&names->memory);
    free(names);
}

static enum dg_status read_names(struct dg_model_names *names, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store, "SELECT id, name FROM node ORDER BY id", err);

    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        while (names->n_items < (size_t)id)
            DG_APPEND(names->items, names->n_items);
        names->items[id - 1] = dg_rows_keep(&names->memory, &rows, 1);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_model_names_read(const struct dg_model_names **out,
                                   struct dg_store *store, struct dg_error *err)
{
    struct dg_model_names *names = dg_store_kept(store, release);
    enum dg_status status;

    *out = names;
    if (names)
        return DG_OK;
    names = dg_zeroed(1, sizeof(*names));
    status = read_names(names, store, err);
    if (status) {
        release(names);
        return status;
    }
    dg_store_keep(store, names, release);
    *out = names;
    return DG_OK;
}
