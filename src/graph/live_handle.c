/* Handles: values that moves let name the bytes of others. */
#include <stdlib.h>

#include "base/sorted.h"
#include "graph/live_parts.h"

/* The planned values whose bytes a handle may name, once for each of its moves. */
static void follow(struct dg_live_builder *builder, struct dg_sources *sources,
                   uint32_t node, uint32_t from)
{
    uint32_t n_stack = 0;

    sources->time++;
    sources->stamp[from] = sources->time;
    sources->stack[n_stack++] = from;
    while (n_stack && !builder->live->too_large) {
        uint32_t value = sources->stack[--n_stack];
        uint32_t begin = builder->source_of[value], end = builder->source_of[value + 1];
        uint64_t steps = 1 + end - begin, work = builder->dataflow.work;

        builder->dataflow.work -= work < steps ? work : steps;
        builder->live->too_large |= !builder->dataflow.work;
        if (builder->flow->values[value].arena >= 0 &&
            dg_dataflow_take(&builder->dataflow))
            *DG_APPEND(sources->items, sources->n_items) =
                (struct dg_live_place){node, value};
        sources->moved |= builder->moved[value];
        for (uint32_t k = begin; k < end; k++) {
            uint32_t source = builder->sources[k];

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

/* The live ranges of the bytes of `items[0].of` through the handle `via`. */
static void find_through(struct dg_live_builder *builder, uint32_t via,
                         const struct dg_live_place *items, uint32_t n_items,
                         bool moved)
{
    uint32_t variable = dg_live_builder_variable(builder, items->of, via);

    builder->live->variables[variable].moved = moved;
    dg_live_builder_own(builder, via);
    builder->dataflow.first = false;
    for (uint32_t i = 0; i < builder->dataflow.n_events; i++) {
        if (builder->dataflow.events[i].what & DG_DATAFLOW_DEF)
            builder->dataflow.events[i].what ^= DG_DATAFLOW_DEF | DG_DATAFLOW_KILL;
    }
    for (uint32_t i = 0; i < n_items; i++)
        dg_dataflow_add(&builder->dataflow, items[i].node,
                        DG_DATAFLOW_KILL | DG_DATAFLOW_DEF | DG_DATAFLOW_OWN);
    dg_dataflow_sort(&builder->dataflow);
    dg_dataflow_ranges(&builder->dataflow, variable);
}

void dg_live_builder_handle(struct dg_live_builder *builder, struct dg_sources *sources,
                            uint32_t via)
{
    sources->n_items = 0;
    sources->moved = false;
    for (uint32_t k = builder->access_of[via]; k < builder->access_of[via + 1]; k++) {
        const struct dg_flow_access *access = dg_live_builder_access(builder, k);

        if (!(access->how & DG_FLOW_MOVE) || builder->live->too_large)
            continue;
        sources->moved |= builder->flow->nodes[access->node].moves;
        follow(builder, sources, access->node, access->from);
    }
    if (!sources->n_items)
        return;
    dg_sort(sources->items, sources->n_items, sizeof(*sources->items), by_value);
    for (uint32_t i = 0, n; i < sources->n_items; i += n) {
        for (n = 1; i + n < sources->n_items; n++) {
            if (sources->items[i + n].of != sources->items[i].of)
                break;
        }
        find_through(builder, via, sources->items + i, n, sources->moved);
    }
}
