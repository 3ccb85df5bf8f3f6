/* The way on which a value stays undefined. */
#include <string.h>

#include "graph/live_ranges.h"

/* Whether `node` gives the value an assignment. */
static bool assigns(const struct dg_flow *flow, uint32_t node, uint32_t value)
{
    for (uint32_t k = flow->access_of[node]; k < flow->access_of[node + 1]; k++) {
        if (flow->accesses[k].value == value &&
            flow->accesses[k].how & (DG_FLOW_WRITE | DG_FLOW_MOVE))
            return true;
    }
    return false;
}

static bool block_assigns(const struct dg_flow *flow, uint32_t block, uint32_t value)
{
    uint32_t end =
        block + 1 < flow->n_blocks ? flow->blocks[block + 1].begin : flow->n_nodes;

    for (uint32_t node = flow->blocks[block].begin; node < end; node++) {
        if (assigns(flow, node, value))
            return true;
    }
    return false;
}

/* Blocks from the start to `goal`, each with the one before it in `from`. */
static void search(const struct dg_flow *flow, uint32_t value, uint32_t goal,
                   uint32_t *from, uint32_t *queue)
{
    uint32_t n_queue = 1;

    memset(from, 0xff, flow->n_blocks * sizeof(*from));
    queue[0] = from[0] = 0;
    for (uint32_t at = 0; at < n_queue && from[goal] == DG_FLOW_NONE; at++) {
        uint32_t block = queue[at];

        if (block_assigns(flow, block, value))
            continue;
        for (int i = 0; i < 2; i++) {
            uint32_t next = flow->blocks[block].next[i];

            if (next == DG_FLOW_NONE || from[next] != DG_FLOW_NONE)
                continue;
            from[next] = block;
            queue[n_queue++] = next;
        }
    }
}

const uint32_t *dg_live_path(struct dg_live_ranges *live, uint32_t value,
                             uint32_t reader, size_t *length)
{
    const struct dg_flow *flow = live->flow;
    uint32_t goal = flow->block_of[reader], block = goal;
    uint32_t *from = dg_alloc(&live->memory, flow->n_blocks, sizeof(*from));
    uint32_t *queue = dg_alloc(&live->memory, (size_t)flow->n_blocks, sizeof(*queue));
    uint32_t *path;

    search(flow, value, goal, from, queue);
    *length = 2;
    while (block && from[block] != DG_FLOW_NONE) {
        block = from[block];
        ++*length;
    }
    path = dg_alloc(&live->memory, *length, sizeof(*path));
    path[*length - 1] = reader;
    block = goal;
    for (size_t i = *length - 1; i-- > 0; block = from[block])
        path[i] = flow->blocks[block].begin;
    if (path[*length - 2] == reader)
        --*length;
    return path;
}
