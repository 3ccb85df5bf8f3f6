/* A sweep over the instructions with a tree of the bytes that are covered. */
#include "graph/occupancy.h"

#include <stdlib.h>

#include "base/order.h"

struct event {
    int64_t arena;
    uint32_t node, value;
    int change;
};

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

/* Each value begins to live in one event, and ends in another. */
static void find_ends(struct tree *tree, const struct dg_flow *flow,
                      const struct event *events, uint32_t n)
{
    int64_t *ends = dg_alloc(&tree->memory, n, sizeof(*ends));
    uint32_t *order, n_ends = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct dg_flow_value *value = &flow->values[events[i].value];

        ends[i] = events[i].change > 0 ? value->begin : value->end;
    }
    order = dg_order(n, end_of, 1, ends, &tree->memory);
    tree->ends = dg_alloc(&tree->memory, n, sizeof(*ends));
    for (uint32_t i = 0; i < n; i++) {
        if (!n_ends || tree->ends[n_ends - 1] != ends[order[i]])
            tree->ends[n_ends++] = ends[order[i]];
    }
    tree->n_ends = n_ends;
}

static void make_tree(struct tree *tree, const struct dg_flow *flow,
                      const struct event *events, uint32_t n)
{
    size_t size;

    find_ends(tree, flow, events, n);
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

static void sweep_arena(const struct dg_flow *flow, const struct event *events,
                        uint32_t n, dg_occupied_fn *visit, void *context)
{
    struct tree tree = {0};

    make_tree(&tree, flow, events, n);
    if (events->node)
        visit(context, events->arena, 0, 0);
    for (uint32_t i = 0; i < n; i++) {
        cover(&tree, &flow->values[events[i].value], events[i].change);
        if ((i + 1 == n || events[i + 1].node != events[i].node) &&
            events[i].node < flow->n_nodes)
            visit(context, events->arena, events[i].node, tree.covered[1]);
    }
    dg_arena_clear(&tree.memory);
}

static int64_t key_of(const void *events, uint32_t i, unsigned key)
{
    const struct event *event = (const struct event *)events + i;

    return key ? event->node : event->arena;
}

static struct event *sort(const struct event *events, uint32_t n,
                          struct dg_arena *memory)
{
    uint32_t *order = dg_order(n, key_of, 2, events, memory);
    struct event *sorted = dg_alloc(memory, n, sizeof(*sorted));

    for (uint32_t i = 0; i < n; i++)
        sorted[i] = events[order[i]];
    return sorted;
}

void dg_live_occupancy(const struct dg_live_ranges *live, dg_occupied_fn *visit,
                       void *context)
{
    struct dg_arena memory = {0};
    struct event *events =
        dg_alloc(&memory, 2 * (size_t)live->n_ranges, sizeof(*events));
    uint32_t n = 0;

    for (uint32_t i = 0; i < live->n_ranges; i++) {
        struct dg_live_range range;
        uint32_t value;
        int64_t arena;

        if (!dg_live_counted(live, i, &range))
            continue;
        value = live->variables[range.variable].value;
        arena = live->flow->values[value].arena;
        events[n++] = (struct event){arena, range.begin, value, 1};
        events[n++] = (struct event){arena, range.end + 1, value, -1};
    }
    events = sort(events, n, &memory);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && events[end].arena == events[i].arena;)
            end++;
        sweep_arena(live->flow, events + i, end - i, visit, context);
    }
    dg_arena_clear(&memory);
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
