/* What slots hold: constants loaded when they are first read, operands, releases. */
#include <stdlib.h>
#include <string.h>

#include "exec/machine_parts.h"

void dg_slot_drop(struct dg_call_frame *frame, uint32_t slot)
{
    dg_arg_drop(&frame->slots[slot]);
}

void dg_slot_take(struct dg_call_frame *frame, uint32_t slot, struct dg_arg value)
{
    dg_slot_drop(frame, slot);
    frame->slots[slot] = value;
}

static struct dg_tensor *kept(struct dg_machine *machine, struct dg_tensor *tensor,
                              struct dg_error *err)
{
    struct dg_tensor *wide = dg_widened(machine, tensor, err), *result;

    if (!wide)
        return NULL;
    result = dg_to_device(machine, wide, err);
    dg_tensor_drop(wide);
    return result;
}

static struct dg_tensor *lent(struct dg_machine *machine, struct dg_tensor *tensor,
                              struct dg_error *err)
{
    struct dg_tensor *lender = kept(machine, tensor, err), *result;

    if (!lender)
        return NULL;
    result = dg_tensor_borrow(lender);
    dg_tensor_drop(lender);
    return result;
}

enum dg_status dg_slot_lend(struct dg_machine *machine, struct dg_call_frame *frame,
                            uint32_t slot, const struct dg_arg *value,
                            struct dg_error *err)
{
    struct dg_arg result;
    enum dg_status status = dg_move_value(machine, lent, value, &result, err);

    if (!status)
        dg_slot_take(frame, slot, result);
    return status;
}

static bool is_stored(const struct dg_slot *slot)
{
    return slot->kind == DG_SLOT_CONSTANT || slot->kind == DG_SLOT_BUFFER;
}

/* A stored value that nobody has: unknown, or an error that says so. */
static struct dg_arg *missing(struct dg_machine *machine, const struct dg_slot *slot,
                              struct dg_arg *value, struct dg_error *err)
{
    if (slot->initial.kind != DG_ARG_UNKNOWN) {
        dg_fail(err, DG_ERR_FORMAT, "%s", slot->missing);
        return NULL;
    }
    if (!machine->why)
        machine->why = slot->missing;
    *value = (struct dg_arg){DG_ARG_UNKNOWN, {.integer = -1}};
    return value;
}

/* One of several names of a storage, as a view of what holds all of it. */
static struct dg_arg *share(struct dg_machine *machine, struct dg_call_frame *frame,
                            uint32_t slot, struct dg_error *err)
{
    const struct dg_slot *declared = &frame->schedule->slots[slot];
    const struct dg_tensor *like = declared->initial.as.tensor;
    const struct dg_arg *all = dg_slot_value(machine, frame, declared->within - 1, err);
    struct dg_arg view;

    if (!all)
        return NULL;
    if (all->kind == DG_ARG_TENSOR)
        view = (struct dg_arg){
            DG_ARG_TENSOR,
            {.tensor = dg_tensor_view(all->as.tensor, like->rank, like->sizes,
                                      like->strides, like->offset)}};
    else
        dg_arg_set(&view, all);
    dg_slot_take(frame, slot, view);
    return &frame->slots[slot];
}

struct dg_arg *dg_slot_value(struct dg_machine *machine, struct dg_call_frame *frame,
                             uint32_t slot, struct dg_error *err)
{
    const struct dg_slot *declared = &frame->schedule->slots[slot];
    struct dg_arg *value = &frame->slots[slot];
    bool absent = value->kind == DG_ARG_NONE || value->kind == DG_ARG_UNKNOWN;

    if (declared->shows)
        return dg_pte_show(machine, frame, slot, err);
    if (declared->zeros && value->kind == DG_ARG_NONE)
        return dg_pte_room(machine, frame, slot, err);
    if (!is_stored(declared) || !absent)
        return value;
    if (declared->missing)
        return missing(machine, declared, value, err);
    if (value->kind == DG_ARG_UNKNOWN)
        return value;
    if (declared->within && declared->within != slot + 1)
        return share(machine, frame, slot, err);
    return dg_slot_lend(machine, frame, slot, &declared->initial, err) ? NULL : value;
}

static enum dg_status list_value(struct dg_machine *machine,
                                 struct dg_call_frame *frame,
                                 const struct dg_operand *operand, struct dg_arg *value,
                                 struct dg_error *err)
{
    enum dg_status status = DG_OK;

    value->kind = DG_ARG_LIST;
    value->as.list.n_items = operand->n_items;
    value->as.list.items =
        dg_alloc(&frame->scratch, operand->n_items + 1, sizeof(*value));
    for (size_t i = 0; !status && i < operand->n_items; i++)
        status = dg_operand_value(machine, frame, &operand->items[i],
                                  &value->as.list.items[i], err);
    return status;
}

enum dg_status dg_operand_value(struct dg_machine *machine, struct dg_call_frame *frame,
                                const struct dg_operand *operand, struct dg_arg *value,
                                struct dg_error *err)
{
    const struct dg_arg *held;

    if (operand->kind == DG_OPERAND_LITERAL) {
        *value = operand->literal;
        return DG_OK;
    }
    if (operand->kind == DG_OPERAND_LIST)
        return list_value(machine, frame, operand, value, err);
    if (frame->schedule->slots[operand->slot].list)
        return list_value(machine, frame, frame->schedule->slots[operand->slot].list,
                          value, err);
    held = dg_slot_value(machine, frame, operand->slot, err);
    if (!held)
        return err->status;
    *value = *held;
    return DG_OK;
}

const struct dg_arg *dg_unknown_in(const struct dg_arg *value)
{
    const struct dg_arg *found = NULL;

    if (value->kind == DG_ARG_UNKNOWN)
        return value;
    for (size_t i = 0;
         !found && value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++)
        found = dg_unknown_in(&value->as.list.items[i]);
    return found;
}

bool dg_sees(const struct dg_arg *value, const struct dg_storage *storage)
{
    if (value->kind == DG_ARG_TENSOR)
        return value->as.tensor->storage == storage;
    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        if (dg_sees(&value->as.list.items[i], storage))
            return true;
    }
    return false;
}

static bool sees_lost(const struct dg_arg *value)
{
    if (value->kind == DG_ARG_TENSOR)
        return value->as.tensor->storage->lost;
    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        if (sees_lost(&value->as.list.items[i]))
            return true;
    }
    return false;
}

void dg_poison(struct dg_call_frame *frame, const struct dg_tensor *tensor,
               struct dg_arg unknown)
{
    struct dg_storage *storage = tensor->storage;

    storage->lost = true;
    for (uint32_t i = 0; i < frame->schedule->n_slots; i++) {
        if (dg_sees(&frame->slots[i], storage))
            dg_slot_take(frame, i, unknown);
    }
}

void dg_poison_lost(struct dg_call_frame *frame, struct dg_arg unknown)
{
    for (uint32_t i = 0; i < frame->schedule->n_slots; i++) {
        if (sees_lost(&frame->slots[i]))
            dg_slot_take(frame, i, unknown);
    }
}

/* Whether a stored value was written, so that the file no longer says it; of devices,
 * whether it would have to be sent again. */
static bool must_stay(const struct dg_machine *machine, const struct dg_arg *value)
{
    return value->kind != DG_ARG_TENSOR || value->as.tensor->storage->memory ||
           !dg_on_host(machine);
}

void dg_slot_release(struct dg_machine *machine, struct dg_call_frame *frame,
                     uint32_t slot)
{
    if (!is_stored(&frame->schedule->slots[slot]) ||
        !must_stay(machine, &frame->slots[slot]))
        dg_slot_drop(frame, slot);
}
