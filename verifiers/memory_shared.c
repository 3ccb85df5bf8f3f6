/* Buffers, whose bytes are theirs from run to run. */
#include <stdlib.h>

#include "base/sorted.h"
#include "verifiers/memory_parts.h"

struct item {
    int64_t arena, begin, end;
    uint32_t value;
    bool buffer;
};

static int compare(const void *a, const void *b)
{
    const struct item *left = a, *right = b;

    if (left->arena != right->arena)
        return left->arena < right->arena ? -1 : 1;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return left->value < right->value ? -1 : left->value > right->value;
}

/* Buffers, and what has bytes of its own: not what is a view of others, or their result
 * of an operator in place. */
static struct item *list_items(const struct dg_live_ranges *live, size_t *n)
{
    const struct dg_flow *flow = live->flow;
    struct item *items = calloc((size_t)flow->n_values + 1, sizeof(*items));

    if (!items)
        dg_out_of_memory();
    *n = 0;
    for (uint32_t i = 0; i < flow->n_values; i++) {
        const struct dg_flow_value *one = &flow->values[i];

        if (one->arena >= 0 && (one->fresh || one->first || live->buffer[i]))
            items[(*n)++] =
                (struct item){one->arena, one->begin, one->end, i, live->buffer[i]};
    }
    dg_sort(items, *n, sizeof(*items), compare);
    return items;
}

static void find_pair(struct dg_memory_walk *memory, const struct item *a,
                      const struct item *b)
{
    const struct dg_flow_value *values = memory->method->flow.values;
    const struct item *buffer = a->buffer ? a : b, *other = a->buffer ? b : a;

    dg_memory_find(
        memory, (struct dg_memory_place){NULL, DG_FLOW_NONE, buffer->value, NULL, 0},
        "buffer value %lld, bytes %lld..%lld of arena %lld, shares bytes with"
        " value %lld, bytes %lld..%lld",
        DG_MEMORY_VALUE(&values[buffer->value]), (long long)values[other->value].idx,
        (long long)other->begin, (long long)other->end);
}

static bool any_buffer(const struct dg_live_ranges *live)
{
    for (uint32_t i = 0; i < live->flow->n_values; i++) {
        if (live->buffer[i] && live->flow->values[i].arena >= 0)
            return true;
    }
    return false;
}

/* The items that reach farthest of those before: of buffers, and of all. */
struct reach {
    const struct item *buffer, *any;
};

static void extend(struct reach *reach, const struct item *item)
{
    if (!reach->any || reach->any->arena != item->arena)
        *reach = (struct reach){NULL, item};
    if (item->end > reach->any->end)
        reach->any = item;
    if (item->buffer && (!reach->buffer || item->end > reach->buffer->end))
        reach->buffer = item;
}

void dg_memory_shared_buffers(struct dg_memory_walk *memory)
{
    struct reach reach = {0};
    struct item *items;
    size_t n;

    if (!any_buffer(&memory->method->live))
        return;
    items = list_items(&memory->method->live, &n);
    for (size_t i = 0; i < n && !memory->status; i++) {
        const struct item *other = items[i].buffer ? reach.any : reach.buffer;

        if (other && other->arena == items[i].arena && other->end > items[i].begin &&
            !dg_live_one_buffer(&memory->method->live, other->value, items[i].value))
            find_pair(memory, other, &items[i]);
        extend(&reach, &items[i]);
    }
    free(items);
}
