/* What a step gave at the places of a batch of vmap becomes one value. */
#include <stdlib.h>
#include <string.h>

#include "exec/control_parts.h"

/* Places that lie in one storage in even steps are a view of it: what is written into
 * one of them is seen in both. NULL: they do not. */
static struct dg_tensor *as_view(const struct dg_arg *places, size_t n)
{
    const struct dg_tensor *first = places[0].as.tensor;
    int64_t sizes[DG_RANK_MOST] = {(int64_t)n}, strides[DG_RANK_MOST] = {0};

    if (n > 1)
        strides[0] = places[1].as.tensor->offset - first->offset;
    if (strides[0] < 0)
        return NULL;
    for (size_t k = 0; k < n; k++) {
        const struct dg_tensor *place = places[k].as.tensor;

        if (place->storage != first->storage ||
            place->offset != first->offset + (int64_t)k * strides[0] ||
            !dg_tensor_same_strides(place, first))
            return NULL;
    }
    memcpy(sizes + 1, first->sizes, (size_t)first->rank * sizeof(*sizes));
    memcpy(strides + 1, first->strides, (size_t)first->rank * sizeof(*strides));
    return dg_tensor_view(first, first->rank + 1, sizes, strides, first->offset);
}

static struct dg_tensor *as_copy(struct dg_machine *machine,
                                 const struct dg_arg *places, size_t n,
                                 struct dg_error *err)
{
    struct dg_tensor *all = NULL;
    enum dg_status status = DG_OK;

    for (size_t k = 0; !status && k < n; k++)
        status =
            dg_stack(machine, &all, places[k].as.tensor, (int64_t)k, (int64_t)n, err);
    if (!status)
        return all;
    dg_tensor_drop(all);
    return NULL;
}

static enum dg_status join_tensors(struct dg_machine *machine, struct dg_arg *result,
                                   const struct dg_arg *places, size_t n,
                                   struct dg_error *err)
{
    const struct dg_tensor *first = places[0].as.tensor;

    if (first->rank == DG_RANK_MOST)
        return dg_fail(err, DG_ERR_DEVICE, "more than %d dimensions under vmap",
                       DG_RANK_MOST);
    for (size_t k = 0; k < n; k++) {
        if (places[k].kind != DG_ARG_TENSOR ||
            places[k].as.tensor->type != first->type ||
            !dg_tensor_same_shape(places[k].as.tensor, first))
            return dg_fail(err, DG_ERR_DEVICE,
                           "results of different shapes under vmap");
    }
    result->as.tensor = as_view(places, n);
    if (!result->as.tensor)
        result->as.tensor = as_copy(machine, places, n, err);
    result->kind = result->as.tensor ? DG_ARG_TENSOR : DG_ARG_NONE;
    return result->kind ? DG_OK : err->status;
}

/* A number belongs to no place: it is a size, the same at each. */
static enum dg_status join_numbers(struct dg_arg *result, const struct dg_arg *places,
                                   size_t n, struct dg_error *err)
{
    for (size_t k = 1; k < n; k++) {
        bool same = places[k].kind == places[0].kind;

        if (same && places[k].kind == DG_ARG_FLOAT)
            same = places[k].as.real == places[0].as.real;
        else if (same)
            same = places[k].as.integer == places[0].as.integer;
        if (!same)
            return dg_fail(err, DG_ERR_DEVICE,
                           "numbers that differ within a batch of vmap");
    }
    dg_arg_set(result, &places[0]);
    return DG_OK;
}

/* Lists become a list of what their items become. */
static enum dg_status join_lists(struct dg_machine *machine, struct dg_arg *result,
                                 const struct dg_arg *places, size_t n,
                                 struct dg_error *err)
{
    struct dg_arg *items = calloc(n, sizeof(*items));
    enum dg_status status = DG_OK;

    if (!items)
        dg_out_of_memory();
    dg_arg_set(result, &places[0]);
    for (size_t k = 1; !status && k < n; k++) {
        if (places[k].kind != DG_ARG_LIST ||
            places[k].as.list.n_items != result->as.list.n_items)
            status =
                dg_fail(err, DG_ERR_DEVICE, "lists of different lengths under vmap");
    }
    for (size_t i = 0; !status && i < result->as.list.n_items; i++) {
        for (size_t k = 0; k < n; k++)
            items[k] = places[k].as.list.items[i];
        dg_arg_drop(&result->as.list.items[i]);
        status = dg_join_places(machine, &result->as.list.items[i], items, n, err);
    }
    free(items);
    return status;
}

enum dg_status dg_join_places(struct dg_machine *machine, struct dg_arg *result,
                              const struct dg_arg *places, size_t n,
                              struct dg_error *err)
{
    *result = (struct dg_arg){0};
    for (size_t k = 0; k < n; k++) {
        if (places[k].kind == DG_ARG_UNKNOWN) {
            *result = places[k];
            return DG_OK;
        }
    }
    if (places[0].kind == DG_ARG_TENSOR)
        return join_tensors(machine, result, places, n, err);
    if (places[0].kind == DG_ARG_LIST)
        return join_lists(machine, result, places, n, err);
    return join_numbers(result, places, n, err);
}
