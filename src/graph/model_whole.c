/* All that is read of nodes, for those who want it all. */
#include "graph/model_whole.h"

#include "store/beside.h"

static enum dg_status read_values(void *whole, struct dg_store *store,
                                  struct dg_error *err)
{
    return dg_model_values_read(&((struct dg_model_whole *)whole)->values, store, err);
}

static enum dg_status read_names(void *whole, struct dg_store *store,
                                 struct dg_error *err)
{
    return dg_model_names_read(&((struct dg_model_whole *)whole)->names, store, err);
}

enum dg_status dg_model_whole_read(struct dg_model_whole *whole, struct dg_store *store,
                                   struct dg_error *err)
{
    enum dg_status status = dg_model_read(&whole->model, store, err);

    /* Another connection knows nothing of what is read already. */
    if (!status && !dg_model_names_are_read(store))
        return dg_store_read_both(store, read_values, read_names, whole, err);
    if (!status)
        status = read_values(whole, store, err);
    return status ? status : read_names(whole, store, err);
}
