/* Who wrote last what an instruction of a .pte reads, found while it is read, in the
 * order of the instructions; control flow is for src/graph/flow*.c. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "formats/pte_plan.h"

/* Values that begin at the same byte of planned memory share a place. Sorted, so that
 * no choice of offsets can make this slow. */
struct spot {
    int64_t mem_id, offset, value;
};

static int compare_spots(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;

    if (a->mem_id != b->mem_id)
        return a->mem_id < b->mem_id ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void dg_pte_begin_flow(struct dg_pte_plan *plan)
{
    struct spot *spots = dg_alloc(&plan->scratch, plan->n_slots, sizeof(*spots));
    size_t n_spots = 0;
    int64_t n_places = 0;

    for (size_t i = 0; i < plan->n_slots; i++) {
        const struct dg_value_row *value = dg_pte_value(plan, (int64_t)i);

        if (plan->slots[i].type == VALUE_TENSOR && value->mem_id != DG_NONE)
            spots[n_spots++] =
                (struct spot){value->mem_id, value->mem_offset, (int64_t)i};
    }
    dg_sort(spots, n_spots, sizeof(*spots), compare_spots);
    for (size_t i = 0; i < n_spots; i++) {
        n_places += i && compare_spots(&spots[i - 1], &spots[i]);
        plan->slots[spots[i].value].place = n_places;
    }
    plan->places =
        dg_alloc(&plan->scratch, (size_t)n_places + 1, sizeof(*plan->places));
    for (int64_t i = 0; i <= n_places; i++)
        plan->places[i].writer = DG_NONE;
}

size_t dg_pte_expand(struct dg_pte *pte, struct dg_vector items)
{
    if (items.n <= pte->expansions) {
        pte->expansions -= items.n;
        return items.n;
    }
    if (!pte->exhausted)
        dg_remark(pte->program, "format/lists-repeated",
                  "lists are operands so often that edges through them are left out");
    pte->exhausted = true;
    return 0;
}

static int64_t item(const struct dg_pte_slot *list, size_t index)
{
    return list->type == VALUE_INT_LIST ? (int64_t)dg_u64(list->items.at + 8 * index)
                                        : (int32_t)dg_u32(list->items.at + 4 * index);
}

static void foresee(struct dg_pte_slot *slot, const struct dg_pte_call *call,
                    uint8_t access, bool copies)
{
    bool both = access == (DG_PTE_READ | DG_PTE_WRITE);

    if (!slot)
        return;
    slot->last_use = call->time;
    slot->updated |= both;
    slot->copied |= both && copies;
}

void dg_pte_foresee(struct dg_pte_plan *plan, const struct dg_pte_call *call)
{
    bool copies = call->type == KERNEL_CALL && call->index >= 0 &&
                  (size_t)call->index < plan->n_operators &&
                  dg_text_is(plan->operators[call->index].name, "aten::copy_");

    for (size_t i = 0; i < call->n; i++) {
        struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[i]);
        size_t n = slot ? dg_pte_expand(plan->pte, slot->items) : 0;

        foresee(slot, call, call->access[i], copies);
        for (size_t j = 0; j < n; j++)
            foresee(dg_pte_slot(plan, item(slot, j)), call, DG_PTE_READ, false);
    }
}

/* The newest of the writes that are remembered which overlaps the value: it is a view
 * of a part of what was written. */
static int64_t find_overlap(const struct dg_pte_plan *plan, int64_t index)
{
    const struct dg_value_row *value = dg_pte_value(plan, index);
    size_t n = plan->n_spans < DG_PTE_SPANS ? plan->n_spans : DG_PTE_SPANS;

    for (size_t i = 1; i <= n; i++) {
        const struct dg_pte_span *span =
            &plan->spans[(plan->n_spans - i) % DG_PTE_SPANS];

        if (span->mem_id == value->mem_id && value->mem_offset < span->end &&
            span->begin - value->mem_offset < value->type->nbytes)
            return span->node;
    }
    return DG_NONE;
}

/* The node that wrote the bytes of a value last. A value that was only written under
 * another number is a view of it. */
static int64_t source_of(const struct dg_pte_plan *plan, int64_t index)
{
    const struct dg_pte_slot *slot = &plan->slots[index];
    const struct dg_pte_place *place;

    if (slot->initial || slot->moved || slot->place == DG_NONE)
        return slot->writer;
    place = &plan->places[slot->place];
    if (place->writer == DG_NONE && slot->writer == DG_NONE)
        return find_overlap(plan, index);
    if (place->writer <= slot->writer ||
        (slot->writer != DG_NONE &&
         place->nbytes != dg_pte_value(plan, index)->type->nbytes))
        return slot->writer;
    return place->writer;
}

static void read_value(struct dg_pte_plan *plan, const struct dg_pte_call *call,
                       int64_t index, int64_t *n_edges)
{
    struct dg_pte_slot *slot = dg_pte_slot(plan, index);
    int64_t source;

    if (!slot)
        return;
    if (slot->place != DG_NONE)
        plan->places[slot->place].read_since = true;
    source = source_of(plan, index);
    if (source != DG_NONE)
        *dg_add_edge(plan->pte->program) = (struct dg_edge_row){
            call->node, (*n_edges)++, source, dg_pte_value_row(plan, index)};
}

static void remember(struct dg_pte_plan *plan, int64_t node, int64_t index,
                     const struct dg_value_row *value)
{
    int64_t nbytes = value->type->nbytes > 0 ? value->type->nbytes : 0, end;

    if (__builtin_add_overflow(value->mem_offset, nbytes, &end))
        end = INT64_MAX;
    plan->places[plan->slots[index].place] =
        (struct dg_pte_place){node, index, value->type->nbytes, false};
    plan->spans[plan->n_spans++ % DG_PTE_SPANS] =
        (struct dg_pte_span){value->mem_id, value->mem_offset, end, node};
}

static void write_value(struct dg_pte_plan *plan, const struct dg_pte_call *call,
                        int64_t index)
{
    struct dg_pte_slot *slot = dg_pte_slot(plan, index);

    if (!slot)
        return;
    slot->writer = call->node;
    slot->moved = call->type == MOVE_CALL;
    if (slot->place != DG_NONE && !slot->moved)
        remember(plan, call->node, index, dg_pte_value(plan, index));
}

void dg_pte_follow(struct dg_pte_plan *plan, const struct dg_pte_call *call)
{
    int64_t n_edges = 0;

    for (size_t i = 0; i < call->n; i++) {
        struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[i]);
        size_t n = slot && call->access[i] & DG_PTE_READ
                       ? dg_pte_expand(plan->pte, slot->items)
                       : 0;

        for (size_t j = 0; j < n; j++)
            read_value(plan, call, item(slot, j), &n_edges);
        if (!n && call->access[i] & DG_PTE_READ)
            read_value(plan, call, call->args[i], &n_edges);
    }
    for (size_t i = 0; i < call->n; i++) {
        struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[i]);
        size_t n = slot && call->access[i] & DG_PTE_WRITE
                       ? dg_pte_expand(plan->pte, slot->items)
                       : 0;

        for (size_t j = 0; j < n; j++)
            write_value(plan, call, item(slot, j));
        if (call->access[i] & DG_PTE_WRITE)
            write_value(plan, call, call->args[i]);
    }
}
