/* Values of a .pte as slots: numbers, lists, tensors and where their bytes are. */
#include <math.h>
#include <stdlib.h>

#include "base/int_list.h"
#include "exec/plan_pte.h"
#include "formats/stored_tensor.h"
#include "store/lists.h"

static const char query[] =
    "SELECT idx, id, kind, dtype, shape, dim_order, storage, mem_id, mem_offset,"
    "       data_index, nbytes, scalar, items, name, dynamism = 'static'"
    "  FROM value WHERE graph_id = ?1 ORDER BY idx";

enum {
    IDX,
    ID,
    KIND,
    DTYPE,
    SHAPE,
    DIM_ORDER,
    STORAGE,
    MEM_ID,
    MEM_OFFSET,
    DATA_INDEX,
    NBYTES,
    SCALAR,
    ITEMS,
    NAME,
    FIXED
};

static bool is(const struct dg_rows *row, int column, const char *word)
{
    return dg_text_is(dg_text(dg_rows_text(row, column)), word);
}

/* SQL takes NaN for NULL, so the reader wrote it as text. */
static struct dg_arg scalar_of(const struct dg_rows *row, struct dg_arena *memory)
{
    struct dg_arg scalar = {0};

    if (is(row, KIND, "double")) {
        scalar.kind = DG_ARG_FLOAT;
        scalar.as.real = dg_rows_type(row, SCALAR) == 't' ? (double)NAN
                                                          : dg_rows_double(row, SCALAR);
    } else if (is(row, KIND, "string")) {
        scalar.kind = DG_ARG_STRING;
        scalar.as.string = dg_copy(memory, dg_rows_slice(row, SCALAR));
    } else {
        scalar.kind = is(row, KIND, "int") ? DG_ARG_INT : DG_ARG_BOOL;
        scalar.as.integer = dg_rows_int(row, SCALAR);
    }
    return scalar;
}

/* One item of a list in the words of its row, from `*at` on. */
static struct dg_operand item_of(char list, const char *at, char **end)
{
    struct dg_operand item = {.kind = DG_OPERAND_LITERAL};
    int64_t index;

    switch (list) {
    case 'b':
        item.literal.kind = DG_ARG_BOOL;
        item.literal.as.integer = *at == 't';
        *end = (char *)at + strcspn(at, ",]");
        break;
    case 'd':
        item.literal.kind = DG_ARG_FLOAT;
        at += *at == '"';
        item.literal.as.real = strtod(at, end);
        *end += **end == '"';
        break;
    default:
        index = strtoll(at, end, 10);
        if (index < 0 && list == 'o') /* None among optional tensors */
            break;
        item.kind = DG_OPERAND_SLOT;
        item.slot = index < 0 || index > UINT32_MAX ? UINT32_MAX : (uint32_t)index;
    }
    return item;
}

/* Items are EValues, but for lists of bools and doubles: 'b' and 'd' begin their kind.
 */
static struct dg_operand *list_of(const struct dg_rows *row, struct dg_arena *memory)
{
    const char *at = dg_rows_text(row, ITEMS);
    struct dg_operand *items = NULL, *list = dg_alloc(memory, 1, sizeof(*list));
    char kind = *dg_rows_text(row, KIND), *end;
    size_t n = 0;

    at = at && *at == '[' ? at + 1 : "]";
    while (*at && *at != ']') {
        *DG_APPEND(items, n) = item_of(kind, at, &end);
        if (end == at)
            break;
        at = end + (*end == ',');
    }
    list->kind = DG_OPERAND_LIST;
    list->n_items = n;
    list->items = dg_alloc(memory, n, sizeof(*items));
    if (n)
        memcpy(list->items, items, n * sizeof(*items));
    free(items);
    return list;
}

static bool strides_of(const char *dim_order, int rank, const int64_t *sizes,
                       int64_t *strides)
{
    int64_t order[DG_RANK_MOST];
    int n = dg_int_list(dim_order, order, DG_RANK_MOST);

    dg_contiguous_strides(rank, sizes, strides);
    return !n || (n == rank && dg_strides_in_order(rank, sizes, order, strides));
}

struct layout {
    enum dg_type type;
    int rank;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
};

static const char *read_layout(const struct dg_rows *row, struct layout *layout,
                               struct dg_arena *memory)
{
    const char *dtype = dg_rows_text(row, DTYPE);
    int64_t count;

    layout->type = dg_type_named(dtype);
    if (layout->type == DG_TYPE_NONE)
        return dg_format(memory, "tensors of type %s",
                         dtype ? dtype : "that is not known")
            .data;
    layout->rank = dg_int_list(dg_rows_text(row, SHAPE), layout->sizes, DG_RANK_MOST);
    if (layout->rank < 0)
        return "tensors of rank more than 16";
    if (!dg_shape_count(layout->rank, layout->sizes, layout->type, &count))
        return "sizes that no tensor has";
    if (!strides_of(dg_rows_text(row, DIM_ORDER), layout->rank, layout->sizes,
                    layout->strides))
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
                                       const struct dg_rows *row)
{
    const struct dg_pte_data *data = &maker->data;
    bool is_mutable = is(row, STORAGE, "mutable");
    size_t n = is_mutable ? data->n_mutables : data->n_constants;
    int64_t index = dg_rows_int_or(row, DATA_INDEX, -1);
    uint32_t key;

    if (is(row, STORAGE, "external") || index < 0) {
        key = dg_text_set_find(&data->keys, dg_rows_slice(row, NAME));
        return key == DG_NO_TEXT ? NULL : &data->of_key[key];
    }
    if ((uint64_t)index >= n)
        return NULL;
    return is_mutable ? &data->mutables[index] : &data->constants[index];
}

/* What a constant, or a buffer with a beginning, holds at first. */
static void bind_bytes(struct dg_pte_maker *maker, const struct dg_rows *row,
                       struct dg_slot *slot, const struct layout *layout)
{
    const struct dg_bytes *bytes = bytes_of(maker, row);
    struct dg_arena *memory = &maker->plan->memory;
    const char *name = dg_rows_text(row, NAME);
    struct dg_tensor *tensor = NULL;

    if (bytes && bytes->data)
        tensor = dg_stored_tensor(layout->type, layout->rank, layout->sizes,
                                  layout->strides, 0, *bytes, memory);
    if (!tensor)
        slot->missing =
            dg_format(memory, "%s: %s has %s", slot->name, name ? name : "its data",
                      bytes && bytes->data
                          ? "too few bytes"
                          : "no bytes in the files: its .ptd is needed")
                .data;
    else
        slot->initial = (struct dg_arg){.kind = DG_ARG_TENSOR, .as.tensor = tensor};
}

/* A buffer that somebody else was to give memory. */
static void bind_zeros(struct dg_slot *slot, const struct layout *layout)
{
    struct dg_error err = {0};
    struct dg_tensor *tensor =
        dg_tensor_new(&dg_host_memory, layout->type, layout->rank, layout->sizes, &err);

    if (!tensor) {
        slot->missing = "a buffer larger than memory";
        return;
    }
    memset(tensor->storage->bytes, 0, tensor->storage->size);
    memcpy(tensor->strides, layout->strides, sizeof(tensor->strides));
    slot->initial = (struct dg_arg){.kind = DG_ARG_TENSOR, .as.tensor = tensor};
}

/* A tensor that is planned where it cannot lie is not usable. */
static void place(struct dg_plan *plan, const struct dg_rows *row, struct dg_slot *slot,
                  enum dg_type type)
{
    int64_t arena = dg_rows_int_or(row, MEM_ID, -1);
    uint64_t offset = (uint64_t)dg_rows_int(row, MEM_OFFSET), room = 0;

    if (dg_rows_null(row, MEM_OFFSET) || !slot->nbytes)
        return;
    if (arena >= 0 && (uint64_t)arena < plan->n_arenas)
        room = plan->arena_bytes[arena];
    if (!dg_inside(offset, slot->nbytes, room))
        slot->missing = dg_format(&plan->memory,
                                  "%s: %llu bytes at offset %llu of the %llu bytes "
                                  "of arena %lld",
                                  slot->name, (unsigned long long)slot->nbytes,
                                  (unsigned long long)offset, (unsigned long long)room,
                                  (long long)arena)
                            .data;
    else if (offset % dg_type_bytes(type))
        slot->missing =
            dg_format(&plan->memory, "%s: offset %llu is not aligned to %s", slot->name,
                      (unsigned long long)offset, dg_type_name(type))
                .data;
    slot->arena = arena;
    slot->arena_offset = offset;
}

static void read_tensor(struct dg_pte_maker *maker, const struct dg_rows *row,
                        struct dg_slot *slot)
{
    struct layout layout;
    int64_t count;

    slot->missing = read_layout(row, &layout, &maker->plan->memory);
    slot->fixed = dg_rows_int_or(row, FIXED, 0) != 0;
    if (slot->missing)
        return;
    dg_shape_count(layout.rank, layout.sizes, layout.type, &count);
    slot->nbytes = (uint64_t)count * dg_type_bytes(layout.type);
    if (is(row, STORAGE, "constant") || is(row, STORAGE, "external")) {
        slot->kind = DG_SLOT_CONSTANT;
        bind_bytes(maker, row, slot, &layout);
        return;
    }
    place(maker->plan, row, slot, layout.type);
    if (slot->missing)
        return;
    if (is(row, STORAGE, "mutable")) {
        slot->kind = DG_SLOT_BUFFER;
        bind_bytes(maker, row, slot, &layout);
    } else if (is(row, STORAGE, "runtime") && !dg_rows_null(row, NAME)) {
        slot->kind = DG_SLOT_BUFFER;
        bind_zeros(slot, &layout);
    } else {
        slot->initial =
            (struct dg_arg){.kind = DG_ARG_TENSOR, .as.tensor = shape_only(&layout)};
    }
}

static void read_slot(struct dg_pte_maker *maker, const struct dg_rows *row, size_t i)
{
    struct dg_arena *memory = &maker->plan->memory;
    struct dg_slot *slot = &maker->plan->slots[i];
    enum dg_pte_kind *kind = &maker->values[i].kind;

    slot->name = dg_format(memory, "value %zu", i).data;
    slot->value_id = dg_rows_int(row, ID);
    slot->arena = -1;
    if (is(row, KIND, "tensor")) {
        *kind = DG_PTE_TENSOR;
        read_tensor(maker, row, slot);
    } else if (!dg_rows_null(row, ITEMS) || strstr(dg_rows_text(row, KIND), "list")) {
        *kind = DG_PTE_LIST;
        slot->list = list_of(row, memory);
    } else if (!dg_rows_null(row, SCALAR)) {
        *kind = DG_PTE_SCALAR;
        slot->kind = DG_SLOT_CONSTANT;
        slot->initial = scalar_of(row, memory);
    } else {
        slot->kind = DG_SLOT_CONSTANT;
    }
}

/* Each call has its own of the lists that it names: none where that would be too much.
 */
static enum dg_status bound_lists(struct dg_pte_maker *maker)
{
    struct dg_plan *plan = maker->plan;
    bool few;
    enum dg_status status = dg_store_lists_are_few(&few, maker->store, maker->err);

    for (size_t i = 0; i < plan->n_slots && !few; i++) {
        if (!plan->slots[i].list)
            continue;
        plan->slots[i].list->n_items = 0;
        plan->slots[i].missing = "lists that calls name too often";
    }
    return status;
}

/* Items that name no value, or a list, are None, and their list is not usable. */
static void check_lists(struct dg_plan *plan)
{
    for (size_t i = 0; i < plan->n_slots; i++) {
        struct dg_operand *list = plan->slots[i].list;

        for (size_t j = 0; list && j < list->n_items; j++) {
            struct dg_operand *item = &list->items[j];

            if (item->kind != DG_OPERAND_SLOT ||
                (item->slot < plan->n_slots && !plan->slots[item->slot].list))
                continue;
            *item = (struct dg_operand){.kind = DG_OPERAND_LITERAL};
            plan->slots[i].missing = "a list of lists, or of values that are not there";
        }
    }
}

enum dg_status dg_pte_plan_slots(struct dg_pte_maker *maker)
{
    struct dg_plan *plan = maker->plan;
    int64_t count;
    struct dg_rows rows;
    enum dg_status status;

    status = dg_rows_open(&rows, maker->store,
                          "SELECT count(*) FROM value WHERE graph_id = ?1", maker->err);
    if (!status)
        dg_rows_bind_int(&rows, 1, plan->graph_id);
    count = !status && dg_rows_next(&rows) ? dg_rows_int(&rows, 0) : 0;
    status = dg_rows_close(&rows, status, maker->err);
    if (status)
        return status;
    plan->n_slots = (size_t)count;
    plan->slots = dg_alloc(&plan->memory, plan->n_slots, sizeof(*plan->slots));
    maker->values = dg_alloc(&maker->scratch, plan->n_slots, sizeof(*maker->values));
    status = dg_rows_open(&rows, maker->store, query, maker->err);
    if (!status)
        dg_rows_bind_int(&rows, 1, plan->graph_id);
    for (size_t i = 0; !status && dg_rows_next(&rows) && i < plan->n_slots; i++)
        read_slot(maker, &rows, i);
    status = dg_rows_close(&rows, status, maker->err);
    check_lists(plan);
    return status ? status : bound_lists(maker);
}
