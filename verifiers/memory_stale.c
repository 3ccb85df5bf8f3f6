/* Readers of what a tensor was, behind the operator that updates it in place. */
#include <stdlib.h>

#include "base/sorted.h"
#include "verifiers/memory_parts.h"

/* The last update of the tensor at one place. `newest`: emission numbers values as it
 * comes to them, so what has a lesser number is from before this update. */
struct update {
    uint32_t node, value; /* DG_FLOW_NONE: nothing updates it */
    int64_t newest;
};

struct stale {
    struct dg_memory_walk *memory;
    const struct dg_flow *flow;
    uint32_t *place_of;    /* of a value: one that begins at the same byte */
    bool *view;            /* of a value: it is what its base is, without instruction */
    struct update *update; /* of a place */
};

struct start {
    int64_t arena, begin;
    uint32_t value;
};

static int compare(const void *a, const void *b)
{
    const struct start *left = a, *right = b;

    if (left->arena != right->arena)
        return left->arena < right->arena ? -1 : 1;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return (left->value > right->value) - (left->value < right->value);
}

static void find_places(struct stale *stale, struct dg_arena *scratch)
{
    const struct dg_flow *flow = stale->flow;
    struct start *starts = dg_alloc(scratch, flow->n_values, sizeof(*starts));
    uint32_t n = 0;

    stale->place_of = dg_alloc(scratch, flow->n_values, sizeof(*stale->place_of));
    stale->update = dg_alloc(scratch, flow->n_values, sizeof(*stale->update));
    for (uint32_t i = 0; i < flow->n_values; i++) {
        const struct dg_flow_value *one = &flow->values[i];

        stale->place_of[i] = i;
        stale->update[i].node = DG_FLOW_NONE;
        if (one->arena >= 0)
            starts[n++] = (struct start){one->arena, one->begin, i};
    }
    dg_sort(starts, n, sizeof(*starts), compare);
    for (uint32_t i = 1; i < n; i++) {
        if (starts[i].arena == starts[i - 1].arena &&
            starts[i].begin == starts[i - 1].begin)
            stale->place_of[starts[i].value] = stale->place_of[starts[i - 1].value];
    }
}

static void find_views(struct stale *stale, struct dg_arena *scratch)
{
    const struct dg_flow *flow = stale->flow;

    stale->view = dg_alloc(scratch, flow->n_values, sizeof(*stale->view));
    for (uint32_t i = 0; i < flow->n_values; i++)
        stale->view[i] = flow->values[i].arena >= 0 && !flow->values[i].first;
    for (uint32_t i = 0; i < flow->n_accesses; i++) {
        if (flow->accesses[i].how & (DG_FLOW_WRITE | DG_FLOW_MOVE))
            stale->view[flow->accesses[i].value] = false;
    }
}

static bool is_result(const struct dg_flow_access *access)
{
    return (access->how & ~(unsigned)DG_FLOW_UNSURE) == DG_FLOW_WRITE;
}

/* The least number among what a node makes: it was emitted when that was next. */
static int64_t emitted_at(const struct dg_flow *flow, uint32_t node)
{
    int64_t least = INT64_MAX;

    for (uint32_t k = flow->access_of[node]; k < flow->access_of[node + 1]; k++) {
        const struct dg_flow_value *value = &flow->values[flow->accesses[k].value];

        if (is_result(&flow->accesses[k]) && value->idx < least)
            least = value->idx;
    }
    return least;
}

static void find_old(struct stale *stale, uint32_t node,
                     const struct dg_flow_access *read, int64_t emitted)
{
    const struct dg_flow *flow = stale->flow;
    const struct update *update = &stale->update[stale->place_of[read->value]];
    const struct dg_flow_value *value = &flow->values[read->value];
    uint32_t nodes[2] = {update->node, node};
    bool view = stale->view[read->value];
    int64_t made = view                           ? value->idx
                   : read->value == update->value ? emitted
                                                  : INT64_MAX;

    if (update->node == DG_FLOW_NONE || made >= update->newest ||
        flow->block_of[update->node] != flow->block_of[node])
        return;
    dg_memory_find(
        stale->memory, (struct dg_memory_place){NULL, node, read->value, nodes, 2},
        "op_%u reads value %lld, %s before op_%u has updated %s in place", node,
        (long long)value->idx, view ? "a view from" : "and was emitted", update->node,
        view ? "its base" : "it");
}

static void note_write(struct stale *stale, uint32_t node,
                       const struct dg_flow_access *write)
{
    struct update *update = &stale->update[stale->place_of[write->value]];
    const struct dg_flow *flow = stale->flow;

    if (!(write->how & DG_FLOW_UPDATE)) {
        if (update->node != node)
            update->node = DG_FLOW_NONE;
        return;
    }
    *update = (struct update){node, write->value, -1};
    for (uint32_t k = flow->access_of[node]; k < flow->access_of[node + 1]; k++) {
        if (flow->values[flow->accesses[k].value].idx > update->newest)
            update->newest = flow->values[flow->accesses[k].value].idx;
    }
}

static void look_at(struct stale *stale, uint32_t node)
{
    const struct dg_flow *flow = stale->flow;
    int64_t emitted = emitted_at(flow, node);

    for (uint32_t k = flow->access_of[node]; k < flow->access_of[node + 1]; k++) {
        if (flow->accesses[k].how & DG_FLOW_READ && !stale->memory->status)
            find_old(stale, node, &flow->accesses[k], emitted);
    }
    for (uint32_t k = flow->access_of[node]; k < flow->access_of[node + 1]; k++) {
        if (flow->accesses[k].how & DG_FLOW_WRITE)
            note_write(stale, node, &flow->accesses[k]);
    }
}

void dg_memory_stale(struct dg_memory_walk *memory)
{
    struct stale stale = {.memory = memory, .flow = &memory->method->flow};
    struct dg_arena scratch = {0};
    bool any = false;

    for (uint32_t i = 0; i < stale.flow->n_values; i++)
        any |= stale.flow->values[i].updated;
    if (!any)
        return;
    find_places(&stale, &scratch);
    find_views(&stale, &scratch);
    for (uint32_t i = 0; i < stale.flow->n_nodes && !memory->status; i++)
        look_at(&stale, i);
    dg_arena_clear(&scratch);
}
