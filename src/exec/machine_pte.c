/* Planned memory of a .pte: arenas, the tensors in them, and what is written there.
 *
 * Values that lie on the same bytes are views of each other without any instruction, so
 * their tensors share an arena here, too. A wide run has 8 bytes for each of the file:
 * its elements keep the places of the narrow ones, with gaps between them. */
#include <stdlib.h>
#include <string.h>

#include "exec/machine_parts.h"

enum { WIDE_BYTES = 8 };

static void keep_bytes(struct dg_memory *memory, void *bytes, size_t size)
{
}

/* Of tensors in arenas, which outlive them. */
static struct dg_memory planned = {.device = "planned", .release = keep_bytes};

static size_t bytes_for_each(const struct dg_machine *machine)
{
    return machine->context.precision == DG_PRECISION_WIDE ? WIDE_BYTES : 1;
}

enum dg_status dg_pte_clear(struct dg_machine *machine, unsigned char *bytes,
                            size_t size, struct dg_error *err)
{
    static const unsigned char zeros[1 << 16];
    enum dg_status status = DG_OK;

    if (dg_on_host(machine)) {
        memset(bytes, 0, size);
        return DG_OK;
    }
    for (size_t done = 0; !status && done < size; done += sizeof(zeros))
        status = machine->device->upload(
            machine->device, bytes + done, zeros,
            size - done < sizeof(zeros) ? size - done : sizeof(zeros), err);
    return status;
}

/* As far as tensors of the arena lie in it, which has the declared size in the runtime.
 */
static size_t arena_room(const struct dg_machine *machine, size_t arena)
{
    return (size_t)machine->schedule->arena_ends[arena] * bytes_for_each(machine);
}

static enum dg_status open_arenas(struct dg_machine *machine, struct dg_error *err)
{
    const struct dg_schedule *schedule = machine->schedule;
    struct dg_memory *memory = machine->context.memory;
    enum dg_status status = DG_OK;

    machine->arenas =
        dg_alloc(&machine->memory, schedule->n_arenas, sizeof(*machine->arenas));
    for (size_t i = 0; !status && i < schedule->n_arenas; i++) {
        size_t size;
        void *bytes;

        if (!schedule->arena_bytes[i])
            continue;
        if (__builtin_mul_overflow(schedule->arena_bytes[i], bytes_for_each(machine),
                                   &size))
            size = SIZE_MAX;
        if (!dg_memory_has(memory, size) ||
            memory->allocate(memory, arena_room(machine, i), &bytes, err))
            return dg_fail(err, DG_ERR_FORMAT,
                           "method %s plans buffer %zu of %llu bytes: more than the "
                           "memory that is left",
                           schedule->method, i + 1,
                           (unsigned long long)schedule->arena_bytes[i]);
        machine->arenas[i] = bytes;
        status = dg_pte_clear(machine, bytes, arena_room(machine, i), err);
    }
    return status;
}

void dg_pte_close(struct dg_machine *machine)
{
    const struct dg_schedule *schedule = machine->schedule;
    struct dg_memory *memory = machine->context.memory;

    for (size_t i = 0; machine->arenas && i < schedule->n_arenas; i++) {
        if (machine->arenas[i])
            memory->release(memory, machine->arenas[i], arena_room(machine, i));
    }
    machine->arenas = NULL;
}

const struct dg_tensor *dg_pte_declared(const struct dg_schedule *schedule,
                                        uint32_t slot)
{
    const struct dg_arg *known = &schedule->slots[slot].initial;

    return known->kind == DG_ARG_TENSOR ? known->as.tensor : NULL;
}

static bool is_planned(const struct dg_schedule *schedule, uint32_t slot)
{
    return schedule->slots[slot].arena >= 0 && dg_pte_declared(schedule, slot);
}

/* How far apart neighbouring elements are, in elements as this machine keeps them. */
static int64_t gap(const struct dg_machine *machine, enum dg_type type)
{
    enum dg_type kept = dg_kept_type(&machine->context, type);

    return (int64_t)(bytes_for_each(machine) * dg_type_bytes(type) /
                     dg_type_bytes(kept));
}

static unsigned char *planned_at(const struct dg_machine *machine,
                                 const struct dg_slot *place)
{
    return machine->arenas[place->arena] +
           place->arena_offset * bytes_for_each(machine);
}

/* The tensor of a planned slot, with the shape of its upper bound. */
static struct dg_tensor *planned_tensor(struct dg_machine *machine, uint32_t slot)
{
    const struct dg_slot *place = &machine->schedule->slots[slot];
    const struct dg_tensor *declared = dg_pte_declared(machine->schedule, slot);
    enum dg_type kept = dg_kept_type(&machine->context, declared->type);
    size_t each = bytes_for_each(machine);
    struct dg_tensor *tensor = dg_tensor_over(kept, declared->rank, declared->sizes,
                                              planned_at(machine, place));

    tensor->storage->memory = &planned;
    tensor->storage->size = place->nbytes * each;
    for (int i = 0; i < tensor->rank; i++)
        tensor->strides[i] = declared->strides[i] * gap(machine, declared->type);
    return tensor;
}

static enum dg_status open_slot(struct dg_machine *machine, uint32_t slot,
                                struct dg_error *err)
{
    struct dg_tensor *tensor, *stored;
    enum dg_status status;

    if (!is_planned(machine->schedule, slot))
        return DG_OK;
    tensor = planned_tensor(machine, slot);
    machine->slots[slot] = (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
    if (machine->schedule->slots[slot].kind != DG_SLOT_BUFFER)
        return DG_OK;
    stored =
        dg_to_device(machine, machine->schedule->slots[slot].initial.as.tensor, err);
    if (!stored)
        return err->status;
    status = dg_write_into(machine, tensor, stored, err);
    dg_tensor_drop(stored);
    return status;
}

enum dg_status dg_pte_open(struct dg_machine *machine, struct dg_error *err)
{
    enum dg_status status = open_arenas(machine, err);

    for (uint32_t i = 0; !status && i < machine->schedule->n_slots; i++)
        status = open_slot(machine, i, err);
    return status;
}

static bool overlap(const struct dg_slot *a, const struct dg_slot *b)
{
    return a->arena >= 0 && a->arena == b->arena &&
           a->arena_offset < b->arena_offset + b->nbytes &&
           b->arena_offset < a->arena_offset + a->nbytes;
}

static bool contains(const struct dg_slot *outer, const struct dg_slot *inner)
{
    return outer->arena >= 0 && outer->arena == inner->arena &&
           outer->arena_offset <= inner->arena_offset &&
           inner->arena_offset + inner->nbytes <= outer->arena_offset + outer->nbytes;
}

static void forget_one(struct dg_machine *machine, struct dg_call_frame *frame,
                       uint32_t slot, struct dg_arg unknown)
{
    const struct dg_slot *slots = machine->schedule->slots;

    dg_slot_take(frame, slot, unknown);
    for (uint32_t i = 0; slots[slot].arena >= 0 && i < machine->schedule->n_slots;
         i++) {
        if (overlap(&slots[slot], &slots[i]))
            dg_slot_take(frame, i, unknown);
    }
}

void dg_pte_forget(struct dg_machine *machine, struct dg_call_frame *frame,
                   uint32_t slot, struct dg_arg unknown)
{
    const struct dg_operand *list = machine->schedule->slots[slot].list;

    for (size_t i = 0; list && i < list->n_items; i++) {
        if (list->items[i].kind == DG_OPERAND_SLOT)
            forget_one(machine, frame, list->items[i].slot, unknown);
    }
    if (!list)
        forget_one(machine, frame, slot, unknown);
}

static void know_again(struct dg_machine *machine, struct dg_call_frame *frame,
                       uint32_t slot)
{
    struct dg_arg value = {DG_ARG_TENSOR, {.tensor = planned_tensor(machine, slot)}};

    dg_slot_take(frame, slot, value);
}

void dg_pte_begin(struct dg_machine *machine, struct dg_call_frame *frame)
{
    const struct dg_schedule *schedule = machine->schedule;

    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        if (frame->slots[i].kind == DG_ARG_UNKNOWN && is_planned(schedule, i) &&
            schedule->slots[i].kind != DG_SLOT_BUFFER)
            know_again(machine, frame, i);
    }
    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        if (frame->slots[i].kind == DG_ARG_UNKNOWN)
            forget_one(machine, frame, i, frame->slots[i]);
    }
}

/* The bytes of a slot are about to be written. */
static void remember(struct dg_machine *machine, struct dg_call_frame *frame,
                     uint32_t slot)
{
    const struct dg_slot *slots = machine->schedule->slots;

    if (!is_planned(machine->schedule, slot))
        return;
    if (frame->slots[slot].kind != DG_ARG_TENSOR)
        know_again(machine, frame, slot);
    for (uint32_t i = 0; machine->n_unknowns && i < machine->schedule->n_slots; i++) {
        if (frame->slots[i].kind == DG_ARG_UNKNOWN &&
            is_planned(machine->schedule, i) && contains(&slots[slot], &slots[i]))
            know_again(machine, frame, i);
    }
}

static enum dg_status refuse(const struct dg_slot *slot, const struct dg_tensor *result,
                             const struct dg_tensor *declared, struct dg_error *err)
{
    char got[200], most[200];

    return dg_fail(err, DG_ERR_FORMAT, "the result is %s, but %s %s %s%s",
                   dg_shape_text(result, got, sizeof(got)), slot->name,
                   slot->fixed ? "is static:" : "has room for",
                   dg_shape_text(declared, most, sizeof(most)),
                   slot->fixed ? "" : " at most");
}

/* Tensors share their shape with all that hold them, as in the runtime. A move may have
 * brought one of less room here. */
static enum dg_status resize(struct dg_machine *machine, uint32_t slot,
                             struct dg_tensor *tensor, const struct dg_tensor *result,
                             struct dg_error *err)
{
    const struct dg_slot *place = &machine->schedule->slots[slot];
    const struct dg_tensor *declared = dg_pte_declared(machine->schedule, slot);
    int64_t count = dg_tensor_count(result);

    if (dg_tensor_same_shape(tensor, result))
        return DG_OK;
    if ((place->fixed && tensor->storage->bytes == planned_at(machine, place)) ||
        result->rank != declared->rank ||
        tensor->type != dg_kept_type(&machine->context, declared->type) ||
        (uint64_t)count * dg_type_bytes(declared->type) * bytes_for_each(machine) >
            tensor->storage->size)
        return refuse(place, result, declared, err);
    memcpy(tensor->sizes, result->sizes, sizeof(tensor->sizes));
    dg_pte_lay_out(tensor, declared, gap(machine, declared->type));
    return DG_OK;
}

static bool same_bytes(const struct dg_storage *a, const struct dg_storage *b)
{
    return a->bytes < b->bytes + b->size && b->bytes < a->bytes + a->size;
}

static enum dg_status write_planned(struct dg_machine *machine,
                                    struct dg_call_frame *frame, uint32_t slot,
                                    struct dg_tensor *result, struct dg_error *err)
{
    struct dg_tensor *tensor, *copy = NULL;
    enum dg_status status;

    remember(machine, frame, slot);
    tensor = frame->slots[slot].as.tensor;
    if (tensor == result) /* written in place */
        return DG_OK;
    if (same_bytes(tensor->storage, result->storage)) {
        copy = dg_copied(machine, result, err);
        if (!copy)
            return err->status;
        result = copy;
    }
    status = resize(machine, slot, tensor, result, err);
    if (!status)
        status = dg_write_into(machine, tensor, result, err);
    dg_tensor_drop(copy);
    return status;
}

/* A tensor without planned memory takes a copy of its own, in its type. */
static enum dg_status write_unplanned(struct dg_machine *machine,
                                      struct dg_call_frame *frame, uint32_t slot,
                                      struct dg_tensor *result, struct dg_error *err)
{
    const struct dg_slot *place = &machine->schedule->slots[slot];
    const struct dg_tensor *declared = dg_pte_declared(machine->schedule, slot);
    const struct dg_arg *held = &frame->slots[slot];
    struct dg_tensor *tensor;

    if (held->kind == DG_ARG_TENSOR && held->as.tensor == result) /* in place */
        return DG_OK;
    if (declared && place->fixed && !dg_tensor_same_shape(declared, result))
        return refuse(place, result, declared, err);
    if (!declared || place->lent) { /* inside of a delegate: results are its own */
        dg_slot_take(
            frame, slot,
            (struct dg_arg){DG_ARG_TENSOR, {.tensor = dg_tensor_keep(result)}});
        return DG_OK;
    }
    tensor = dg_pte_unplanned(machine, slot, result, err);
    if (tensor && dg_write_into(machine, tensor, result, err))
        dg_tensor_drop(tensor);
    else if (tensor)
        dg_slot_take(frame, slot, (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}});
    return err->status;
}

static enum dg_status give_items(struct dg_machine *machine,
                                 struct dg_call_frame *frame,
                                 const struct dg_operand *list,
                                 const struct dg_arg *result, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (result->kind != DG_ARG_LIST)
        return dg_fail(err, DG_ERR_FORMAT, "the result is no list");
    if (result->as.list.n_items != list->n_items)
        return dg_fail(err, DG_ERR_FORMAT, "%zu results go into a list of %zu",
                       result->as.list.n_items, list->n_items);
    for (size_t i = 0; !status && i < list->n_items; i++) {
        if (list->items[i].kind == DG_OPERAND_SLOT)
            status = dg_pte_give(machine, frame, list->items[i].slot,
                                 &result->as.list.items[i], err);
    }
    return status;
}

enum dg_status dg_pte_give(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t slot, const struct dg_arg *result,
                           struct dg_error *err)
{
    const struct dg_operand *list = machine->schedule->slots[slot].list;
    struct dg_arg value = {0};

    if (result->kind == DG_ARG_UNKNOWN) {
        dg_pte_forget(machine, frame, slot, *result);
        return DG_OK;
    }
    if (list)
        return give_items(machine, frame, list, result, err);
    if (result->kind != DG_ARG_TENSOR) {
        dg_arg_set(&value, result);
        dg_slot_take(frame, slot, value);
        return DG_OK;
    }
    return is_planned(machine->schedule, slot)
               ? write_planned(machine, frame, slot, result->as.tensor, err)
               : write_unplanned(machine, frame, slot, result->as.tensor, err);
}

enum dg_status dg_pte_take(struct dg_machine *machine, struct dg_call_frame *frame,
                           uint32_t slot, const struct dg_arg *result,
                           struct dg_error *err)
{
    struct dg_arg value = {0};

    if (result->kind != DG_ARG_TENSOR || is_planned(machine->schedule, slot))
        return dg_pte_give(machine, frame, slot, result, err);
    dg_arg_set(&value, result);
    dg_slot_take(frame, slot, value);
    return DG_OK;
}

void dg_pte_free(struct dg_machine *machine, struct dg_call_frame *frame, uint32_t slot)
{
    if (!is_planned(machine->schedule, slot))
        dg_slot_drop(frame, slot);
}
