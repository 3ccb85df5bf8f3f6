/* A sweep over the instructions with a tree of the bytes that are covered. */
#include "graph/occupancy.h"

#include <stdlib.h>

#include "base/order.h"

/* A value begins or ceases to live. */
struct event {
    uint32_t node, value;
    int change;
};

/* Of a method, in the order of arenas and nodes. */
struct events {
    const struct dg_flow *flow;
    struct event *items;
    const uint32_t *order;
    struct dg_arena memory;
};

static const struct event *event_at(const struct events *events, uint32_t i)
{
    return &events->items[events->order[i]];
}

/* Stretches between the ends of values; of each and of their sums, how often it is
 * covered as a whole, and how many of its bytes are covered at all. */
struct tree {
    int64_t *ends;
    size_t n_ends, n_leaves;
    uint32_t *count;
    int64_t *width, *covered;
    struct dg_arena memory;
};

static size_t leaf_at(const struct tree *tree, int64_t byte)
{
    size_t low = 0, high = tree->n_ends;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (tree->ends[middle] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void refresh(struct tree *tree, size_t at)
{
    if (tree->count[at])
        tree->covered[at] = tree->width[at];
    else if (at >= tree->n_leaves)
        tree->covered[at] = 0;
    else
        tree->covered[at] = tree->covered[2 * at] + tree->covered[2 * at + 1];
}

static void add(struct tree *tree, size_t at, int change)
{
    tree->count[at] += (uint32_t)change;
    refresh(tree, at);
}

static void cover(struct tree *tree, const struct dg_flow_value *value, int change)
{
    size_t first = leaf_at(tree, value->begin) + tree->n_leaves;
    size_t end = leaf_at(tree, value->end) + tree->n_leaves;

    for (size_t a = first, b = end; a < b; a /= 2, b /= 2) {
        if (a & 1)
            add(tree, a++, change);
        if (b & 1)
            add(tree, --b, change);
    }
    for (size_t a = first / 2; a; a /= 2)
        refresh(tree, a);
    for (size_t b = (end - 1) / 2; b; b /= 2)
        refresh(tree, b);
}

static int64_t end_of(const void *ends, uint32_t i, unsigned key)
{
    (void)key;
    return ((const int64_t *)ends)[i];
}

/* Each value begins to live in one event, and ceases in another. */
static void find_ends(struct tree *tree, const struct events *events, uint32_t at,
                      uint32_t end)
{
    int64_t *ends = dg_alloc(&tree->memory, end - at, sizeof(*ends));
    uint32_t *order;

    for (uint32_t i = at; i < end; i++) {
        const struct event *event = event_at(events, i);
        const struct dg_flow_value *value = &events->flow->values[event->value];

        ends[i - at] = event->change > 0 ? value->begin : value->end;
    }
    order = dg_order(end - at, end_of, 1, ends, &tree->memory);
    tree->ends = dg_alloc(&tree->memory, end - at, sizeof(*ends));
    for (uint32_t i = 0; i < end - at; i++) {
        if (!i || ends[order[i - 1]] != ends[order[i]])
            tree->ends[tree->n_ends++] = ends[order[i]];
    }
}

static void make_tree(struct tree *tree, const struct events *events, uint32_t at,
                      uint32_t end)
{
    size_t size;

    find_ends(tree, events, at, end);
    for (tree->n_leaves = 2; tree->n_leaves < tree->n_ends;)
        tree->n_leaves *= 2;
    size = 2 * tree->n_leaves;
    tree->count = dg_alloc(&tree->memory, size, sizeof(*tree->count));
    tree->width = dg_alloc(&tree->memory, size, sizeof(*tree->width));
    tree->covered = dg_alloc(&tree->memory, size, sizeof(*tree->covered));
    for (size_t i = 0; i + 1 < tree->n_ends; i++)
        tree->width[tree->n_leaves + i] = tree->ends[i + 1] - tree->ends[i];
    for (size_t i = tree->n_leaves; --i > 0;)
        tree->width[i] = tree->width[2 * i] + tree->width[2 * i + 1];
}

static int64_t arena_at(const struct events *events, uint32_t i)
{
    return events->flow->values[event_at(events, i)->value].arena;
}

/* Events from `at` to `end`. */
static void sweep_arena(const struct events *events, uint32_t at, uint32_t end,
                        dg_occupied_fn *visit, void *context)
{
    const struct dg_flow *flow = events->flow;
    int64_t arena = arena_at(events, at);
    struct tree tree = {0};

    make_tree(&tree, events, at, end);
    if (event_at(events, at)->node)
        visit(context, arena, 0, 0);
    for (uint32_t i = at; i < end; i++) {
        const struct event *event = event_at(events, i);

        cover(&tree, &flow->values[event->value], event->change);
        if ((i + 1 == end || event_at(events, i + 1)->node != event->node) &&
            event->node < flow->n_nodes)
            visit(context, arena, event->node, tree.covered[1]);
    }
    dg_arena_clear(&tree.memory);
}

static int64_t key_of(const void *things, uint32_t i, unsigned key)
{
    const struct events *events = things;
    const struct event *event = &events->items[i];

    return key ? event->node : events->flow->values[event->value].arena;
}

static uint32_t find_events(struct events *events, const struct dg_live_ranges *live)
{
    uint32_t n = 0;

    events->items =
        dg_alloc(&events->memory, 2 * (size_t)live->n_ranges, sizeof(*events->items));
    for (uint32_t i = 0; i < live->n_ranges; i++) {
        struct dg_live_range range;
        uint32_t value;

        if (!dg_live_counted(live, i, &range))
            continue;
        value = live->variables[range.variable].value;
        events->items[n++] = (struct event){range.begin, value, 1};
        events->items[n++] = (struct event){range.end + 1, value, -1};
    }
    events->order = dg_order(n, key_of, 2, events, &events->memory);
    return n;
}

void dg_live_occupancy(const struct dg_live_ranges *live, dg_occupied_fn *visit,
                       void *context)
{
    struct events events = {.flow = live->flow};
    uint32_t n = find_events(&events, live);

    for (uint32_t at = 0, end; at < n; at = end) {
        for (end = at; end < n && arena_at(&events, end) == arena_at(&events, at);)
            end++;
        sweep_arena(&events, at, end, visit, context);
    }
    dg_arena_clear(&events.memory);
}

static void note_peak(void *context, int64_t arena, uint32_t node, int64_t bytes)
{
    struct dg_peaks *peaks = context;
    struct dg_peak *last = peaks->n_items ? &peaks->items[peaks->n_items - 1] : NULL;

    if (!last || last->arena != arena)
        *DG_APPEND(peaks->items, peaks->n_items) = (struct dg_peak){arena, bytes, node};
    else if (bytes > last->bytes)
        *last = (struct dg_peak){arena, bytes, node};
}

void dg_live_peaks(const struct dg_live_ranges *live, struct dg_peaks *peaks)
{
    *peaks = (struct dg_peaks){0};
    dg_live_occupancy(live, note_peak, peaks);
}
