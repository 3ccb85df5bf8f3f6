/* Values of a .pte with memory of their own: what is read before it is written, and
 * views that no instruction makes. */
#include "exec/machine_parts.h"

void dg_pte_lay_out(struct dg_tensor *tensor, const struct dg_tensor *declared,
                    int64_t step)
{
    uint32_t left = (1u << tensor->rank) - 1;

    while (left) {
        int inner = -1;

        for (int i = 0; i < tensor->rank; i++) {
            if (left >> i & 1 &&
                (inner < 0 || declared->strides[i] <= declared->strides[inner]))
                inner = i;
        }
        left &= ~(1u << inner);
        tensor->strides[inner] = step;
        step *= tensor->sizes[inner] > 0 ? tensor->sizes[inner] : 1;
    }
}

struct dg_tensor *dg_pte_unplanned(struct dg_machine *machine, uint32_t slot,
                                   const struct dg_tensor *like, struct dg_error *err)
{
    const struct dg_tensor *declared = dg_pte_declared(machine->schedule, slot);
    enum dg_type type =
        dg_kept_type(&machine->context, declared ? declared->type : like->type);
    struct dg_tensor *tensor =
        dg_tensor_new(machine->context.memory, type, like->rank, like->sizes, err);

    if (tensor && declared && declared->rank == tensor->rank)
        dg_pte_lay_out(tensor, declared, 1);
    return tensor;
}

struct dg_arg *dg_pte_room(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t slot, struct dg_error *err)
{
    const struct dg_arg *declared = &machine->schedule->slots[slot].initial;
    struct dg_tensor *tensor =
        dg_pte_unplanned(machine, slot, declared->as.tensor, err);

    if (!tensor)
        return NULL;
    dg_slot_take(frame, slot, (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}});
    return dg_pte_clear(machine, tensor->storage->bytes, tensor->storage->size, err)
               ? NULL
               : &frame->slots[slot];
}

/* The same bytes in the shape of the slot; of other sizes than were planned, as it is.
 */
struct dg_arg *dg_pte_show(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t slot, struct dg_error *err)
{
    const struct dg_slot *place = &machine->schedule->slots[slot];
    const struct dg_tensor *declared = place->initial.as.tensor;
    const struct dg_arg *base = dg_slot_value(machine, frame, place->shows - 1, err);
    struct dg_arg value, *held = &frame->slots[slot];

    if (!base)
        return NULL;
    if (base->kind == DG_ARG_TENSOR && held->kind == DG_ARG_TENSOR &&
        base->as.tensor->storage == held->as.tensor->storage)
        return held;
    if (base->kind == DG_ARG_TENSOR &&
        dg_tensor_count(base->as.tensor) == dg_tensor_count(declared))
        value = (struct dg_arg){
            DG_ARG_TENSOR,
            {.tensor = dg_tensor_view(base->as.tensor, declared->rank, declared->sizes,
                                      declared->strides, base->as.tensor->offset)}};
    else
        dg_arg_set(&value, base);
    dg_slot_take(frame, slot, value);
    return held;
}
