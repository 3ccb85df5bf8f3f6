/* Tensors without a place of their own: unplanned ones, and results of operators in
 * place. */
#include <stdlib.h>

#include "verifiers/memory_parts.h"

static const char *reads_or_writes(const struct dg_flow *flow,
                                   const struct dg_live_place *place)
{
    for (uint32_t k = flow->access_of[place->node];
         k < flow->access_of[place->node + 1]; k++) {
        if (flow->accesses[k].value == place->of &&
            flow->accesses[k].how & DG_FLOW_WRITE)
            return "writes";
    }
    return "reads";
}

static void find_bare(struct dg_memory_walk *memory, bool buffer)
{
    const struct dg_live_ranges *live = &memory->method->live;

    for (uint32_t i = 0; i < live->n_bare && !memory->status; i++) {
        const struct dg_live_bare *bare = &live->bare[i];

        if (bare->buffer != buffer)
            continue;
        dg_memory_find(
            memory,
            (struct dg_memory_place){NULL, bare->place.node, bare->place.of, NULL, 0},
            buffer ? "op_%u %s value %lld, a buffer that has neither planned memory nor"
                     " a name"
                   : "op_%u %s value %lld, which has no memory: it is not planned, and"
                     " it is neither input nor output",
            bare->place.node, reads_or_writes(live->flow, &bare->place),
            (long long)live->flow->values[bare->place.of].idx);
    }
}

void dg_memory_intermediates(struct dg_memory_walk *memory)
{
    dg_memory_gives_up(memory);
    find_bare(memory, false);
}

void dg_memory_lost_buffers(struct dg_memory_walk *memory)
{
    find_bare(memory, true);
}

/* The access by which an operator that works in place gives back what it updated. */
static const struct dg_flow_access *find_return(const struct dg_flow *flow,
                                                uint32_t node)
{
    const struct dg_flow_access *found = NULL;

    for (uint32_t k = flow->access_of[node]; k < flow->access_of[node + 1]; k++) {
        if (flow->accesses[k].how & DG_FLOW_MOVE && !flow->nodes[node].moves)
            found = &flow->accesses[k];
    }
    for (uint32_t k = flow->access_of[node]; found && k < flow->access_of[node + 1];
         k++) {
        if (flow->accesses[k].value == found->from &&
            flow->accesses[k].how & DG_FLOW_WRITE)
            return found;
    }
    return NULL;
}

static void check_place(struct dg_memory_walk *memory,
                        const struct dg_flow_access *given)
{
    const struct dg_flow_value *values = memory->method->flow.values;
    const struct dg_flow_value *from = &values[given->from],
                               *to = &values[given->value];

    if (to->arena < 0 || (from->arena == to->arena && from->begin == to->begin))
        return;
    dg_memory_find(
        memory, (struct dg_memory_place){"warning", given->node, given->value, NULL, 0},
        "op_%u works in place on " DG_MEMORY_SHOWN
        ", and gives it back as " DG_MEMORY_SHOWN,
        given->node, DG_MEMORY_VALUE(from), DG_MEMORY_VALUE(to));
}

/* What happens to a value from a node on, inside of one block. */
enum fate { GOES_ON, IS_READ, IS_GONE };

static enum fate fate_at(const struct dg_flow *flow, uint32_t node, uint32_t value)
{
    enum fate fate = GOES_ON;

    for (uint32_t k = flow->access_of[node]; k < flow->access_of[node + 1]; k++) {
        if (flow->accesses[k].value != value)
            continue;
        if (flow->accesses[k].how & DG_FLOW_READ)
            return IS_READ;
        fate = IS_GONE;
    }
    return fate;
}

struct walk {
    const struct dg_flow *flow;
    uint32_t *queue, n_queue;
    bool *seen;
};

static void enqueue(struct walk *walk, uint32_t block)
{
    for (int i = 0; i < 2; i++) {
        uint32_t next = walk->flow->blocks[block].next[i];

        if (next == DG_FLOW_NONE || walk->seen[next])
            continue;
        walk->seen[next] = true;
        walk->queue[walk->n_queue++] = next;
    }
}

/* The first instruction that reads the value from `node` on, before all writes. */
static uint32_t read_from(struct walk *walk, uint32_t node, uint32_t value)
{
    const struct dg_flow *flow = walk->flow;
    uint32_t block = flow->block_of[node];

    for (; node < flow->n_nodes && flow->block_of[node] == block; node++) {
        enum fate fate = fate_at(flow, node, value);

        if (fate != GOES_ON)
            return fate == IS_READ ? node : DG_FLOW_NONE;
    }
    enqueue(walk, block);
    return DG_FLOW_NONE;
}

static uint32_t find_reader(const struct dg_flow *flow,
                            const struct dg_flow_access *given)
{
    struct walk walk = {.flow = flow};
    struct dg_arena scratch = {0};
    uint32_t reader = DG_FLOW_NONE, after = given->node + 1;

    walk.queue = dg_alloc(&scratch, flow->n_blocks, sizeof(*walk.queue));
    walk.seen = dg_alloc(&scratch, flow->n_blocks, sizeof(*walk.seen));
    if (after < flow->n_nodes && flow->block_of[after] == flow->block_of[given->node])
        reader = read_from(&walk, after, given->from);
    else
        enqueue(&walk, flow->block_of[given->node]);
    for (uint32_t i = 0; i < walk.n_queue && reader == DG_FLOW_NONE; i++)
        reader = read_from(&walk, flow->blocks[walk.queue[i]].begin, given->from);
    dg_arena_clear(&scratch);
    return reader;
}

static void check_readers(struct dg_memory_walk *memory,
                          const struct dg_flow_access *given)
{
    const struct dg_flow_value *values = memory->method->flow.values;
    uint32_t nodes[2] = {given->node, find_reader(&memory->method->flow, given)};

    if (nodes[1] == DG_FLOW_NONE)
        return;
    dg_memory_find(memory,
                   (struct dg_memory_place){NULL, nodes[1], given->from, nodes, 2},
                   "op_%u reads value %lld, which op_%u has updated in place and given"
                   " back as value %lld",
                   nodes[1], (long long)values[given->from].idx, nodes[0],
                   (long long)values[given->value].idx);
}

void dg_memory_in_place(struct dg_memory_walk *memory)
{
    const struct dg_flow *flow = &memory->method->flow;
    int n = 0;

    for (uint32_t node = 0; node < flow->n_nodes && !memory->status; node++) {
        const struct dg_flow_access *given = find_return(flow, node);

        if (!given || n++ >= DG_MEMORY_FEW)
            continue;
        check_place(memory, given);
        if (!memory->status)
            check_readers(memory, given);
    }
    if (!memory->status)
        dg_memory_stale(memory);
}
