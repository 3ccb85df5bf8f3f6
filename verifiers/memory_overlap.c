/* Tensors that are written over while they live. */
#include <stdio.h>

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

static int report(struct search *search, const struct dg_overlap *overlap)
{
    const struct dg_live_ranges *live = &search->memory->method->live;
    uint32_t nodes[3], n = 0, value = live->variables[overlap->writer].value;
    char writer[128], victim[128];

    if (overlap->begin < overlap->node)
        nodes[n++] = overlap->begin;
    nodes[n++] = overlap->node;
    if (overlap->end > overlap->node)
        nodes[n++] = overlap->end;
    show(writer, live, overlap->writer);
    show(victim, live, overlap->victim);
    dg_memory_find(search->memory,
                   (struct dg_memory_place){NULL, overlap->node, value, nodes, n},
                   "op_%u writes %s of arena %lld, over %s, which is live from op_%u to"
                   " op_%u",
                   overlap->node, writer, (long long)search->arena, victim,
                   overlap->begin, overlap->end);
    return search->memory->status;
}

static int visit(void *context, const struct dg_overlap *overlap)
{
    struct search *search = context;
    const struct dg_live_ranges *live = &search->memory->method->live;
    int64_t arena = live->flow->values[live->variables[overlap->writer].value].arena;

    if (live->variables[overlap->victim].moved != search->moved)
        return 0;
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

void dg_memory_overlaps(struct dg_memory_walk *memory)
{
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
