/* Handles: values that moves let name the bytes of others. */
#include <stdlib.h>

#include "base/sorted.h"
#include "graph/live_parts.h"

/* The planned values whose bytes a handle may name, once for each of its moves. */
static void follow(struct dg_finder *finder, struct dg_sources *sources, uint32_t node,
                   uint32_t from)
{
    uint32_t n_stack = 0;

    sources->time++;
    sources->stamp[from] = sources->time;
    sources->stack[n_stack++] = from;
    while (n_stack && finder->life.work) {
        uint32_t value = sources->stack[--n_stack];
        uint32_t begin = finder->source_of[value], end = finder->source_of[value + 1];
        uint64_t steps = 1 + end - begin, work = finder->life.work;

        finder->life.work -= work < steps ? work : steps;
        if (finder->plan->values[value].arena >= 0)
            *DG_APPEND(sources->items, sources->n_items) =
                (struct dg_live_place){node, value};
        sources->moved |= finder->moved[value];
        for (uint32_t k = begin; k < end; k++) {
            uint32_t source = finder->sources[k];

            if (sources->stamp[source] == sources->time)
                continue;
            sources->stamp[source] = sources->time;
            sources->stack[n_stack++] = source;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const struct dg_live_place *left = a, *right = b;

    if (left->of != right->of)
        return left->of > right->of ? 1 : -1;
    return (left->node > right->node) - (left->node < right->node);
}

/* The life of the bytes of `items[0].of` through the handle `via`. */
static void find_through(struct dg_finder *finder, uint32_t via,
                         const struct dg_live_place *items, uint32_t n_items,
                         bool moved)
{
    uint32_t variable = dg_finder_variable(finder, items->of, via);

    finder->live->variables[variable].moved = moved;
    dg_finder_own(finder, via);
    finder->life.first = false;
    for (uint32_t i = 0; i < finder->life.n_events; i++) {
        if (finder->life.events[i].what & DG_LIFE_DEF)
            finder->life.events[i].what ^= DG_LIFE_DEF | DG_LIFE_KILL;
    }
    for (uint32_t i = 0; i < n_items; i++)
        dg_life_add(&finder->life, items[i].node, DG_LIFE_KILL | DG_LIFE_DEF);
    dg_life_sort(&finder->life);
    dg_life_ranges(&finder->life, variable);
}

void dg_finder_handle(struct dg_finder *finder, struct dg_sources *sources,
                      uint32_t via)
{
    sources->n_items = 0;
    sources->moved = false;
    for (uint32_t k = finder->touch_of[via]; k < finder->touch_of[via + 1]; k++) {
        const struct dg_touch *touch = dg_finder_touch(finder, k);

        if (!(touch->how & DG_TOUCH_MOVE) || finder->live->too_large)
            continue;
        sources->moved |= finder->plan->nodes[touch->node].moves;
        follow(finder, sources, touch->node, touch->from);
    }
    if (!sources->n_items)
        return;
    dg_sort(sources->items, sources->n_items, sizeof(*sources->items), by_value);
    for (uint32_t i = 0, n; i < sources->n_items; i += n) {
        for (n = 1; i + n < sources->n_items; n++) {
            if (sources->items[i + n].of != sources->items[i].of)
                break;
        }
        find_through(finder, via, sources->items + i, n, sources->moved);
    }
}
