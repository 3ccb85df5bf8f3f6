/* Tensors that are written over while they live. */
#include <stdio.h>

#include "base/order.h"
#include "verifiers/memory_parts.h"

/* Overlaps in one method: those of moved bytes, or the others. */
struct search {
    struct dg_memory_walk *memory;
    bool moved;
    int64_t arena;
    uint32_t n_found; /* in this arena */
};

static void count_rest(struct search *search)
{
    if (search->n_found > DG_MEMORY_FEW && !search->memory->status)
        dg_memory_find(search->memory, DG_MEMORY_METHOD,
                       "%u more overlaps in arena %lld",
                       search->n_found - DG_MEMORY_FEW, (long long)search->arena);
}

/* "value 9 (moved to value 7), bytes 0..80" */
static void show(char text[128], const struct dg_live_ranges *live, uint32_t variable)
{
    const struct dg_live_variable *one = &live->variables[variable];
    const struct dg_flow_value *values = live->flow->values;
    char via[48] = "";

    if (one->via != DG_FLOW_NONE)
        snprintf(via, sizeof(via), " (%s value %lld)", one->moved ? "moved to" : "also",
                 (long long)values[one->via].idx);
    snprintf(text, 128, "value %lld%s, bytes %lld..%lld",
             (long long)values[one->value].idx, via,
             (long long)values[one->value].begin, (long long)values[one->value].end);
}

/* Of what keeps its bytes from run to run. */
static int report_first(struct search *search, uint32_t value, const char *one,
                        const char *other)
{
    dg_memory_find(search->memory,
                   (struct dg_memory_place){NULL, DG_FLOW_NONE, value, NULL, 0},
                   "%s of arena %lld, and %s are there before the first instruction",
                   one, (long long)search->arena, other);
    return search->memory->status;
}

static int report(struct search *search, const struct dg_overlap *overlap)
{
    const struct dg_live_ranges *live = &search->memory->method->live;
    uint32_t nodes[3], n = 0, value = live->variables[overlap->writer].value;
    char writer[128], victim[128];

    show(writer, live, overlap->writer);
    show(victim, live, overlap->victim);
    if (overlap->node == DG_FLOW_NONE)
        return report_first(search, value, writer, victim);
    if (overlap->begin < overlap->node)
        nodes[n++] = overlap->begin;
    nodes[n++] = overlap->node;
    if (overlap->end > overlap->node)
        nodes[n++] = overlap->end;
    dg_memory_find(search->memory,
                   (struct dg_memory_place){NULL, overlap->node, value, nodes, n},
                   "op_%u writes %s of arena %lld, over %s, which is live from op_%u to"
                   " op_%u",
                   overlap->node, writer, (long long)search->arena, victim,
                   overlap->begin, overlap->end);
    return search->memory->status;
}

static bool is_planned_input(const struct dg_flow_value *value)
{
    return value->first && !value->state && value->arena >= 0;
}

static bool is_input(const struct dg_live_ranges *live, uint32_t variable)
{
    return is_planned_input(&live->flow->values[live->variables[variable].value]);
}

static int visit(void *context, const struct dg_overlap *overlap)
{
    struct search *search = context;
    const struct dg_live_ranges *live = &search->memory->method->live;
    int64_t arena = live->flow->values[live->variables[overlap->writer].value].arena;

    if (live->variables[overlap->victim].moved != search->moved)
        return 0;
    if (overlap->node == DG_FLOW_NONE && is_input(live, overlap->writer) &&
        is_input(live, overlap->victim))
        return 0; /* the rule looks at all inputs */
    if (arena != search->arena) {
        count_rest(search);
        search->arena = arena;
        search->n_found = 0;
    }
    if (++search->n_found > DG_MEMORY_FEW)
        return search->memory->status;
    return report(search, overlap);
}

static void find(struct dg_memory_walk *memory, bool moved)
{
    struct search search = {.memory = memory, .moved = moved, .arena = -1};

    if (dg_memory_gives_up(memory))
        return;
    dg_live_overlaps(&memory->method->live, visit, &search);
    count_rest(&search);
}

static int64_t place_of(const void *values, uint32_t i, unsigned key)
{
    const struct dg_flow_value *one = (const struct dg_flow_value *)values + i;

    return key ? one->begin : one->arena;
}

static void find_input(struct dg_memory_walk *memory, uint32_t value, uint32_t other)
{
    const struct dg_flow_value *values = memory->method->flow.values;

    dg_memory_find(
        memory, (struct dg_memory_place){NULL, DG_FLOW_NONE, value, NULL, 0},
        "two inputs share bytes: " DG_MEMORY_SHOWN
        ", and value %lld, bytes %lld..%lld; the one that is set last is seen",
        DG_MEMORY_VALUE(&values[value]), (long long)values[other].idx,
        (long long)values[other].begin, (long long)values[other].end);
}

/* Whether or not the method looks at them: setting the one writes over the other. */
static void find_inputs(struct dg_memory_walk *memory)
{
    const struct dg_flow *flow = &memory->method->flow;
    struct dg_arena scratch = {0};
    const uint32_t *order =
        dg_order(flow->n_values, place_of, 2, flow->values, &scratch);
    uint32_t last = DG_FLOW_NONE, n_found = 0;

    for (uint32_t i = 0; i < flow->n_values && n_found < DG_MEMORY_FEW; i++) {
        const struct dg_flow_value *one = &flow->values[order[i]];
        const struct dg_flow_value *before =
            last == DG_FLOW_NONE ? one : &flow->values[last];

        if (!is_planned_input(one))
            continue;
        if (one != before && one->arena == before->arena && one->begin < before->end) {
            find_input(memory, order[i], last);
            n_found++;
        }
        if (last == DG_FLOW_NONE || one->arena != before->arena ||
            one->end > before->end)
            last = order[i];
    }
    dg_arena_clear(&scratch);
}

void dg_memory_overlaps(struct dg_memory_walk *memory)
{
    find_inputs(memory);
    find(memory, false);
}

static bool has_moves(const struct dg_flow *flow)
{
    for (uint32_t i = 0; i < flow->n_nodes; i++) {
        if (flow->nodes[i].moves)
            return true;
    }
    return false;
}

void dg_memory_escapes(struct dg_memory_walk *memory)
{
    if (has_moves(&memory->method->flow))
        find(memory, true);
}
