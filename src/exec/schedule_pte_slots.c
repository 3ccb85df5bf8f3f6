/* Values of a .pte as slots: numbers, lists, tensors and where their bytes are. */
#include <stdlib.h>
#include <string.h>

#include "exec/schedule_pte.h"
#include "formats/stored_tensor.h"
#include "store/lists.h"

static struct dg_arg scalar_of(const struct dg_model_value *value,
                               struct dg_arena *memory)
{
    struct dg_arg scalar = {0};

    if (value->kind == DG_VALUE_DOUBLE) {
        scalar.kind = DG_ARG_FLOAT;
        scalar.as.real = value->as.real;
    } else if (value->kind == DG_VALUE_STRING) {
        scalar.kind = DG_ARG_STRING;
        scalar.as.string = dg_copy(memory, dg_text(value->as.string));
    } else {
        scalar.kind = value->kind == DG_VALUE_INT ? DG_ARG_INT : DG_ARG_BOOL;
        scalar.as.integer = value->as.integer;
    }
    return scalar;
}

static struct dg_operand item_of(enum dg_value_kind list, int64_t number)
{
    struct dg_operand item = {.kind = DG_OPERAND_LITERAL};

    if (list == DG_VALUE_BOOL_LIST) {
        item.literal.kind = DG_ARG_BOOL;
        item.literal.as.integer = number;
    } else if (list == DG_VALUE_DOUBLE_LIST) {
        item.literal.kind = DG_ARG_FLOAT;
        memcpy(&item.literal.as.real, &number, sizeof(double));
    } else if (number >= 0 || list != DG_VALUE_OPTIONAL_LIST) {
        item.kind = DG_OPERAND_SLOT;
        item.slot = number < 0 || number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    } /* else None among optional tensors */
    return item;
}

static struct dg_operand *list_of(const struct dg_pte_maker *maker,
                                  const struct dg_model_value *value)
{
    struct dg_arena *memory = &maker->schedule->memory;
    struct dg_operand *list = dg_alloc(memory, 1, sizeof(*list));
    const int64_t *numbers = dg_numbers_of(maker->stored, value->content);

    list->kind = DG_OPERAND_LIST;
    list->n_items = value->content.n > 0 ? (size_t)value->content.n : 0;
    list->items = dg_alloc(memory, list->n_items, sizeof(*list->items));
    for (size_t i = 0; i < list->n_items; i++)
        list->items[i] = item_of(value->kind, numbers[i]);
    return list;
}

struct layout {
    enum dg_type type;
    int rank;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
};

static bool strides_of(const struct dg_pte_maker *maker,
                       const struct dg_model_value *value, struct layout *layout)
{
    const int64_t *order = dg_numbers_of(maker->stored, value->order);

    dg_contiguous_strides(layout->rank, layout->sizes, layout->strides);
    return !order ||
           (value->order.n == layout->rank &&
            dg_strides_in_order(layout->rank, layout->sizes, order, layout->strides));
}

static const char *read_layout(const struct dg_pte_maker *maker,
                               const struct dg_model_value *value,
                               struct layout *layout)
{
    const int64_t *sizes = dg_numbers_of(maker->stored, value->content);
    int64_t count, rank = value->content.n > 0 ? value->content.n : 0;

    layout->type = dg_type_of(value->dtype);
    if (layout->type == DG_TYPE_NONE)
        return dg_format(&maker->schedule->memory, "tensors of type %s",
                         value->dtype ? value->dtype->name : "that is not known")
            .data;
    if (rank > DG_RANK_MOST)
        return "tensors of rank more than 16";
    layout->rank = (int)rank;
    for (int i = 0; i < layout->rank; i++)
        layout->sizes[i] = sizes[i];
    if (!dg_shape_count(layout->rank, layout->sizes, layout->type, &count))
        return "sizes that no tensor has";
    if (!strides_of(maker, value, layout))
        return "a dim_order that is no permutation";
    return NULL;
}

/* Shape and strides without bytes. */
static struct dg_tensor *shape_only(const struct layout *layout)
{
    struct dg_tensor *tensor =
        dg_tensor_over(layout->type, layout->rank, layout->sizes, NULL);

    memcpy(tensor->strides, layout->strides, sizeof(tensor->strides));
    return tensor;
}

static const struct dg_bytes *bytes_of(struct dg_pte_maker *maker,
                                       const struct dg_model_value *value)
{
    const struct dg_pte_data *data = &maker->data;
    bool is_mutable = value->storage == DG_STORED_MUTABLE;
    size_t n = is_mutable ? data->n_mutables : data->n_constants;
    int64_t index = value->data_index;
    uint32_t key;

    if (value->storage == DG_STORED_EXTERNAL || index < 0) {
        key = dg_text_set_find(&data->keys, value->name);
        return key == DG_NO_TEXT ? NULL : &data->of_key[key];
    }
    if ((uint64_t)index >= n)
        return NULL;
    return is_mutable ? &data->mutables[index] : &data->constants[index];
}

/* What a constant, or a buffer with a beginning, holds at first. */
static void bind_bytes(struct dg_pte_maker *maker, const struct dg_model_value *value,
                       struct dg_slot *slot, const struct layout *layout)
{
    const struct dg_bytes *bytes = bytes_of(maker, value);
    struct dg_arena *memory = &maker->schedule->memory;
    const char *name = value->name.data;
    struct dg_tensor *tensor = NULL;

    if (bytes && bytes->data)
        tensor = dg_stored_tensor(layout->type, layout->rank, layout->sizes,
                                  layout->strides, 0, *bytes, memory);
    if (!tensor)
        slot->missing =
            dg_format(memory, "%s: %s has %s%s", slot->name, name ? name : "its data",
                      bytes && bytes->data ? "too few bytes"
                                           : "no bytes in the files: ",
                      bytes && bytes->data ? "" : dg_pte_data_wanted(&maker->data))
                .data;
    else
        slot->initial = (struct dg_arg){.kind = DG_ARG_TENSOR, .as.tensor = tensor};
}

/* A tensor that is planned where it cannot lie is not usable. */
static void place(struct dg_schedule *schedule, const struct dg_model_value *value,
                  struct dg_slot *slot, enum dg_type type)
{
    int64_t arena = value->mem_id;
    uint64_t offset = (uint64_t)value->offset, room = 0;

    if (value->offset == DG_NONE || !slot->nbytes)
        return;
    if (arena >= 0 && (uint64_t)arena < schedule->n_arenas)
        room = schedule->arena_bytes[arena];
    if (!dg_inside(offset, slot->nbytes, room))
        slot->missing = dg_format(&schedule->memory,
                                  "%s: %llu bytes at offset %llu of the %llu bytes "
                                  "of arena %lld",
                                  slot->name, (unsigned long long)slot->nbytes,
                                  (unsigned long long)offset, (unsigned long long)room,
                                  (long long)arena)
                            .data;
    else if (offset % dg_type_bytes(type))
        slot->missing =
            dg_format(&schedule->memory, "%s: offset %llu is not aligned to %s",
                      slot->name, (unsigned long long)offset, dg_type_name(type))
                .data;
    slot->arena = arena;
    slot->arena_offset = offset;
}

static void read_tensor(struct dg_pte_maker *maker, const struct dg_model_value *value,
                        struct dg_slot *slot)
{
    struct layout layout;
    int64_t count;

    slot->missing = read_layout(maker, value, &layout);
    slot->fixed = !value->bounded && !value->unbounded;
    if (slot->missing)
        return;
    dg_shape_count(layout.rank, layout.sizes, layout.type, &count);
    slot->nbytes = (uint64_t)count * dg_type_bytes(layout.type);
    if (value->storage == DG_STORED_CONSTANT || value->storage == DG_STORED_EXTERNAL) {
        slot->kind = DG_SLOT_CONSTANT;
        bind_bytes(maker, value, slot, &layout);
        return;
    }
    place(maker->schedule, value, slot, layout.type);
    if (slot->missing)
        return;
    if (value->storage == DG_STORED_MUTABLE) {
        slot->kind = DG_SLOT_BUFFER;
        bind_bytes(maker, value, slot, &layout);
        return;
    }
    slot->initial =
        (struct dg_arg){.kind = DG_ARG_TENSOR, .as.tensor = shape_only(&layout)};
    slot->zeros = !slot->nbytes; /* nothing of it can be unset */
    /* A buffer that somebody else was to give memory. */
    if (value->storage == DG_STORED_RUNTIME && value->name.data)
        dg_slot_keep(slot);
}

static void read_slot(struct dg_pte_maker *maker, const struct dg_model_value *value,
                      size_t i)
{
    struct dg_slot *slot = &maker->schedule->slots[i];

    maker->values[i].stored = value;
    slot->name = dg_format(&maker->schedule->memory, "value %zu", i).data;
    slot->value_id = value->id;
    slot->arena = -1;
    if (value->kind == DG_VALUE_TENSOR) {
        read_tensor(maker, value, slot);
    } else if (dg_value_is_list(value)) {
        slot->list = list_of(maker, value);
    } else {
        slot->kind = DG_SLOT_CONSTANT;
        if (value->said)
            slot->initial = scalar_of(value, &maker->schedule->memory);
    }
}

/* Each call has its own of the lists that it names: none where that would be too much.
 */
static enum dg_status bound_lists(struct dg_pte_maker *maker)
{
    struct dg_schedule *schedule = maker->schedule;
    bool few;
    enum dg_status status = dg_store_lists_bounded(&few, maker->store, maker->err);

    for (size_t i = 0; i < schedule->n_slots && !few; i++) {
        if (!schedule->slots[i].list)
            continue;
        schedule->slots[i].list->n_items = 0;
        schedule->slots[i].missing = "lists that calls name too often";
    }
    return status;
}

/* Items that name no value, or a list, are None, and their list is not usable. */
static void check_lists(struct dg_schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_slots; i++) {
        struct dg_operand *list = schedule->slots[i].list;

        for (size_t j = 0; list && j < list->n_items; j++) {
            struct dg_operand *item = &list->items[j];

            if (item->kind != DG_OPERAND_SLOT ||
                (item->slot < schedule->n_slots && !schedule->slots[item->slot].list))
                continue;
            *item = (struct dg_operand){.kind = DG_OPERAND_LITERAL};
            schedule->slots[i].missing =
                "a list of lists, or of values that are not there";
        }
    }
}

/* Bytes behind the last tensor of an arena are never used: no evaluation needs them. */
static void find_ends(struct dg_schedule *schedule)
{
    uint64_t *ends = dg_alloc(&schedule->memory, schedule->n_arenas + 1, sizeof(*ends));

    for (size_t i = 0; i < schedule->n_slots; i++) {
        const struct dg_slot *slot = &schedule->slots[i];
        uint64_t end = slot->arena_offset + slot->nbytes;

        if (slot->arena >= 0 && !slot->missing && end > ends[slot->arena])
            ends[slot->arena] = end;
    }
    schedule->arena_ends = ends;
}

enum dg_status dg_pte_schedule_slots(struct dg_pte_maker *maker)
{
    struct dg_schedule *schedule = maker->schedule;
    const struct dg_value_graph *graph;
    enum dg_status status =
        dg_model_values_read(&maker->stored, maker->store, maker->err);

    if (status)
        return status;
    graph = dg_value_graph_of(maker->stored, schedule->graph_id);
    maker->n_values = maker->slots_room = schedule->n_slots = graph ? graph->n : 0;
    schedule->slots =
        dg_alloc(&schedule->memory, schedule->n_slots, sizeof(*schedule->slots));
    maker->values =
        dg_alloc(&maker->scratch, schedule->n_slots, sizeof(*maker->values));
    for (size_t i = 0; i < schedule->n_slots; i++)
        read_slot(maker, &maker->stored->items[graph->first + i], i);
    find_ends(schedule);
    check_lists(schedule);
    return bound_lists(maker);
}
