/* Tensors on one stretch of memory that are no base and view of it. */
#include <stdlib.h>

#include "base/order.h"
#include "base/sorted.h"
#include "verifiers/memory_parts.h"

/* All bytes of a value, as `node` writes them; DG_FLOW_NONE: the caller did. */
struct store {
    int64_t arena, begin, end, node; /* -1: before the first instruction */
    uint32_t value;
};

struct stores {
    const struct dg_flow *flow;
    struct store *items; /* sorted */
    uint32_t n;
    uint32_t *first, *last; /* read of a value; DG_FLOW_NONE: there is none */
    struct dg_arena memory;
};

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const struct store *left = a, *right = b;
    int result = order(left->arena, right->arena);

    if (!result)
        result = order(left->begin, right->begin);
    if (!result)
        result = order(left->end, right->end);
    return result ? result : order(left->node, right->node);
}

static void add(struct stores *stores, uint32_t value, int64_t node)
{
    const struct dg_flow_value *one = &stores->flow->values[value];

    if (one->arena >= 0)
        stores->items[stores->n++] =
            (struct store){one->arena, one->begin, one->end, node, value};
}

static void note_read(struct stores *stores, const struct dg_flow_access *access)
{
    if (stores->first[access->value] == DG_FLOW_NONE)
        stores->first[access->value] = access->node;
    stores->last[access->value] = access->node;
}

static int64_t key_of(const void *stores, uint32_t i, unsigned key)
{
    const struct store *one = (const struct store *)stores + i;

    return key == 0 ? one->arena : key == 1 ? one->begin : one->end;
}

/* They come by node. */
static void sort(struct stores *stores)
{
    struct store *sorted = dg_alloc(&stores->memory, stores->n, sizeof(*sorted));
    uint32_t *order = dg_order(stores->n, key_of, 3, stores->items, &stores->memory);

    for (uint32_t i = 0; i < stores->n; i++)
        sorted[i] = stores->items[order[i]];
    stores->items = sorted;
}

static void find_stores(struct stores *stores)
{
    const struct dg_flow *flow = stores->flow;
    size_t n = (size_t)flow->n_values + flow->n_accesses;

    stores->items = dg_alloc(&stores->memory, n, sizeof(*stores->items));
    stores->first = dg_alloc(&stores->memory, flow->n_values, sizeof(uint32_t));
    stores->last = dg_alloc(&stores->memory, flow->n_values, sizeof(uint32_t));
    for (uint32_t i = 0; i < flow->n_values; i++) {
        stores->first[i] = DG_FLOW_NONE;
        if (flow->values[i].first)
            add(stores, i, -1);
    }
    for (uint32_t i = 0; i < flow->n_accesses; i++) {
        const struct dg_flow_access *access = &flow->accesses[i];

        if (access->how & DG_FLOW_READ)
            note_read(stores, access);
        if (access->how == DG_FLOW_WRITE && !flow->nodes[access->node].nop)
            add(stores, access->value, access->node);
    }
    sort(stores);
}

/* The store to all bytes of the value that `node` sees: the last one before it. NULL:
 * there is none. */
static const struct store *seen_at(const struct stores *stores, uint32_t value,
                                   uint32_t node)
{
    const struct dg_flow_value *one = &stores->flow->values[value];
    struct store key = {one->arena, one->begin, one->end, node, 0};
    size_t n = DG_SORTED_BEFORE(stores->items, stores->n, &key, compare);

    if (!n)
        return NULL;
    key.node = stores->items[n - 1].node;
    return compare(&stores->items[n - 1], &key) ? NULL : &stores->items[n - 1];
}

/* A view has one base while it lives, and the base's type. */
static void check_view(struct dg_memory_walk *memory, const struct stores *stores,
                       uint32_t view)
{
    const struct dg_flow_value *values = stores->flow->values, *one = &values[view];
    uint32_t first = stores->first[view], last = stores->last[view];
    const struct store *base = seen_at(stores, view, first),
                       *newer = seen_at(stores, view, last);
    uint32_t nodes[3] = {first, 0, last};
    const struct dg_dtype *dtype, *other;

    if (!base || base->value == view || newer->value == view)
        return;
    dtype = stores->flow->stored[view].dtype;
    other = stores->flow->stored[base->value].dtype;
    if (newer->value != base->value) {
        nodes[1] = (uint32_t)newer->node;
        dg_memory_find(memory, (struct dg_memory_place){NULL, nodes[1], view, nodes, 3},
                       "op_%u writes value %lld over " DG_MEMORY_SHOWN
                       ", which op_%u reads before and op_%u behind it",
                       nodes[1], (long long)values[newer->value].idx,
                       DG_MEMORY_VALUE(one), first, last);
    } else if (dtype && other && dtype != other) {
        dg_memory_find(memory, (struct dg_memory_place){NULL, first, view, nodes, 1},
                       "op_%u reads " DG_MEMORY_SHOWN ", %s, which no instruction"
                       " writes; value %lld, %s, lies there",
                       first, DG_MEMORY_VALUE(one), dtype->name,
                       (long long)values[base->value].idx, other->name);
    }
}

static bool has_alias(const struct dg_live_ranges *live)
{
    for (uint32_t i = 0; i < live->n_variables; i++) {
        if (live->variables[i].alias)
            return true;
    }
    return false;
}

void dg_memory_live_aliases(struct dg_memory_walk *memory)
{
    const struct dg_live_ranges *live = &memory->method->live;
    struct stores stores = {.flow = live->flow};

    if (dg_memory_gives_up(memory) || !has_alias(live))
        return;
    find_stores(&stores);
    for (uint32_t i = 0; i < live->n_variables && !memory->status; i++) {
        uint32_t value = live->variables[i].value;

        if (live->variables[i].alias && stores.first[value] != DG_FLOW_NONE)
            check_view(memory, &stores, value);
    }
    dg_arena_clear(&stores.memory);
}
