/* Batches of nothing under vmap: a step runs once on zeros, which tell the shapes that
 * its results would have at each place. */
#include <string.h>

#include "exec/control_parts.h"

/* A zero that is shown in the shape of a place: however large, it takes the memory of
 * one element. */
static struct dg_tensor *zeros_like_place(struct dg_machine *machine,
                                          struct dg_tensor *batch, struct dg_error *err)
{
    static const int64_t strides[DG_RANK_MOST];
    struct dg_tensor *one = dg_tensor_new(&dg_host_memory, batch->type, 0, NULL, err);
    struct dg_tensor *sent, *place = NULL;

    if (!one)
        return NULL;
    memset(dg_tensor_data(one), 0, one->storage->size);
    sent = dg_to_device(machine, one, err);
    if (sent)
        place = dg_tensor_view(sent, batch->rank - 1, batch->sizes + 1, strides, 0);
    dg_tensor_drop(one);
    dg_tensor_drop(sent);
    return place;
}

enum dg_status dg_place_of_nothing(struct dg_machine *machine,
                                   const struct dg_arg *batch, struct dg_arg *place,
                                   struct dg_error *err)
{
    return dg_move_value(machine, zeros_like_place, batch, place, err);
}

static struct dg_tensor *batch_of_none(struct dg_machine *machine,
                                       struct dg_tensor *place, struct dg_error *err)
{
    int64_t sizes[DG_RANK_MOST + 1] = {0};

    memcpy(sizes + 1, place->sizes, (size_t)place->rank * sizeof(*sizes));
    return dg_tensor_new(machine->context.memory, place->type, place->rank + 1, sizes,
                         err);
}

enum dg_status dg_batch_of_nothing(struct dg_machine *machine,
                                   const struct dg_arg *place, struct dg_arg *batch,
                                   struct dg_error *err)
{
    return dg_move_value(machine, batch_of_none, place, batch, err);
}
