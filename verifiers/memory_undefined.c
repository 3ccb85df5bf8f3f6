/* Tensors that are used and that nothing has written: operands, results, views. */
#include <stdlib.h>

#include "base/sorted.h"
#include "verifiers/memory_parts.h"

static void find_undefined(struct dg_memory_walk *memory,
                           const struct dg_live_place *place)
{
    struct dg_live_ranges *live = &memory->method->live;
    const struct dg_flow_value *value = &live->flow->values[place->of];
    const uint32_t *path;
    size_t length;

    path = dg_live_path(live, place->of, place->node, &length);
    dg_memory_find(
        memory, (struct dg_memory_place){NULL, place->node, place->of, path, length},
        "op_%u reads " DG_MEMORY_SHOWN ", which nothing has written on a way there",
        place->node, DG_MEMORY_VALUE(value));
}

void dg_memory_undefined(struct dg_memory_walk *memory)
{
    const struct dg_live_ranges *live = &memory->method->live;

    dg_memory_gives_up(memory);
    for (uint32_t i = 0; i < live->n_undefined && !memory->status; i++)
        find_undefined(memory, &live->undefined[i]);
}

static void find_output(struct dg_memory_walk *memory,
                        const struct dg_live_place *place)
{
    const struct dg_flow *flow = &memory->method->flow;
    long long idx = flow->values[place->of].idx;
    struct dg_memory_place where = DG_MEMORY_METHOD;

    where.value = place->of;
    if (place->node == DG_FLOW_NONE) {
        dg_memory_find(memory, where,
                       "value %lld is returned, and there is no instruction to write"
                       " it",
                       idx);
        return;
    }
    where.node = place->node;
    where.nodes = &where.node;
    where.n_nodes = 1;
    dg_memory_find(memory, where,
                   "value %lld is returned, and nothing has written it on a way to the"
                   " end, op_%u",
                   idx, place->node);
}

void dg_memory_outputs(struct dg_memory_walk *memory)
{
    const struct dg_live_ranges *live = &memory->method->live;

    dg_memory_gives_up(memory);
    for (uint32_t i = 0; i < live->n_missing && !memory->status; i++)
        find_output(memory, &live->missing[i]);
}

struct place {
    int64_t arena, begin, end;
    uint32_t value;
};

static int compare(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    if (left->arena != right->arena)
        return left->arena < right->arena ? -1 : 1;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return (left->end > right->end) - (left->end < right->end);
}

/* The written value whose bytes `view` shows: one that begins and ends with it, or the
 * longest that begins with it. */
static const struct place *find_base(const struct place *places, size_t n,
                                     const struct dg_flow_value *view)
{
    struct place key = {view->arena, view->begin, view->end, 0};
    size_t at = DG_SORTED_UP_TO(places, n, &key, compare);

    if (at && !compare(&places[at - 1], &key))
        return &places[at - 1];
    key.end = INT64_MAX;
    at = DG_SORTED_UP_TO(places, n, &key, compare);
    return at && places[at - 1].arena == view->arena &&
                   places[at - 1].begin == view->begin
               ? &places[at - 1]
               : NULL;
}

static size_t list_written(struct place *places, const struct dg_flow *flow)
{
    size_t n = 0;

    for (uint32_t i = 0; i < flow->n_accesses; i++) {
        const struct dg_flow_access *access = &flow->accesses[i];
        const struct dg_flow_value *one = &flow->values[access->value];

        if (one->arena >= 0 && access->how & DG_FLOW_WRITE)
            places[n++] =
                (struct place){one->arena, one->begin, one->end, access->value};
    }
    for (uint32_t i = 0; i < flow->n_values; i++) {
        const struct dg_flow_value *one = &flow->values[i];

        if (one->arena >= 0 && one->first)
            places[n++] = (struct place){one->arena, one->begin, one->end, i};
    }
    dg_sort(places, n, sizeof(*places), compare);
    return n;
}

static bool has_views(const struct dg_live_ranges *live)
{
    for (uint32_t i = 0; i < live->n_variables; i++) {
        if (live->variables[i].alias)
            return true;
    }
    return live->n_undefined > 0;
}

static void look_at(struct dg_memory_walk *memory, const struct place *places, size_t n,
                    uint32_t value, const char *severity)
{
    const struct dg_flow_value *values = memory->method->flow.values;
    const struct place *base = find_base(places, n, &values[value]);
    struct dg_memory_place where = DG_MEMORY_METHOD;

    if (!base || base->end == values[value].end || base->value == value)
        return;
    where.severity = severity;
    where.value = value;
    dg_memory_find(memory, where,
                   "value %lld is a view of value %lld: it has %lld bytes, its base"
                   " %lld",
                   (long long)values[value].idx, (long long)values[base->value].idx,
                   (long long)(values[value].end - values[value].begin),
                   (long long)(base->end - base->begin));
}

/* A view that is longer than its base is read where nothing was written. */
void dg_memory_views(struct dg_memory_walk *memory)
{
    const struct dg_live_ranges *live = &memory->method->live;
    const struct dg_flow *flow = live->flow;
    struct place *places;
    size_t n;

    if (!has_views(live))
        return;
    places = calloc((size_t)flow->n_accesses + flow->n_values, sizeof(*places));
    if (!places)
        dg_out_of_memory();
    n = list_written(places, flow);
    for (uint32_t i = 0; i < live->n_undefined && !memory->status; i++)
        look_at(memory, places, n, live->undefined[i].of, "error");
    for (uint32_t i = 0; i < live->n_variables && !memory->status; i++) {
        if (live->variables[i].alias)
            look_at(memory, places, n, live->variables[i].value, "warning");
    }
    free(places);
}
