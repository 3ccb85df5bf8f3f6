/* Tensors that are written over while they live. */
#include <stdio.h>
#include <stdlib.h>

#include "base/sorted.h"
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

/* Of a buffer, which keeps its bytes from run to run, and another one or an input. */
static int report_first(struct search *search, uint32_t value, const char *one,
                        const char *other)
{
    dg_memory_find(search->memory,
                   (struct dg_memory_place){NULL, DG_FLOW_NONE, value, NULL, 0},
                   "%s of arena %lld, and %s share bytes, and both hold data before the"
                   " first instruction",
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

static void find_input(struct dg_memory_walk *memory, const struct dg_flow_value *one,
                       const struct dg_flow_value *other)
{
    const struct dg_flow_value *values = memory->method->flow.values;

    dg_memory_find(
        memory,
        (struct dg_memory_place){NULL, DG_FLOW_NONE, (uint32_t)(one - values), NULL, 0},
        "two inputs share bytes: " DG_MEMORY_SHOWN
        ", and value %lld, bytes %lld..%lld; the one that is set last is seen",
        DG_MEMORY_VALUE(one), (long long)other->idx, (long long)other->begin,
        (long long)other->end);
}

static int compare_places(const void *a, const void *b)
{
    const struct dg_flow_value *x = *(struct dg_flow_value *const *)a,
                               *y = *(struct dg_flow_value *const *)b;

    if (x->arena != y->arena)
        return x->arena < y->arena ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->idx > y->idx) - (x->idx < y->idx);
}

/* Whether or not the method looks at them: setting the one writes over the other. */
static void find_inputs(struct dg_memory_walk *memory)
{
    const struct dg_flow *flow = &memory->method->flow;
    const struct dg_flow_value **inputs = NULL, *last;
    size_t n = 0, n_found = 0;

    for (uint32_t i = 0; i < flow->n_values; i++) {
        if (is_planned_input(&flow->values[i]))
            *DG_APPEND(inputs, n) = &flow->values[i];
    }
    dg_sort(inputs, n, sizeof(*inputs), compare_places);
    last = n ? inputs[0] : NULL;
    for (size_t i = 1; i < n; i++) {
        bool overlap = inputs[i]->arena == last->arena && inputs[i]->begin < last->end;

        if (overlap && n_found++ < DG_MEMORY_FEW)
            find_input(memory, inputs[i], last);
        if (inputs[i]->arena != last->arena || inputs[i]->end > last->end)
            last = inputs[i];
    }
    if (n_found > DG_MEMORY_FEW)
        dg_memory_find(memory, DG_MEMORY_METHOD, "%zu more inputs share bytes",
                       n_found - DG_MEMORY_FEW);
    free(inputs);
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
