/* Basic blocks of a method's instructions. */
#include "base/csr.h"
#include "graph/flow.h"

static bool inside(const struct dg_flow *flow, int64_t node)
{
    return node >= 0 && node < flow->n_nodes;
}

static void mark_leaders(const struct dg_flow *flow, bool *leads)
{
    if (flow->n_nodes)
        leads[0] = true;
    for (uint32_t i = 0; i < flow->n_nodes; i++) {
        const struct dg_flow_node *node = &flow->nodes[i];

        if (node->jumps && inside(flow, node->jump))
            leads[node->jump] = true;
        if ((node->jumps || !node->falls) && i + 1 < flow->n_nodes)
            leads[i + 1] = true;
    }
}

static uint32_t block_end(const struct dg_flow *flow, uint32_t block)
{
    return block + 1 < flow->n_blocks ? flow->blocks[block + 1].begin : flow->n_nodes;
}

static void join(struct dg_flow *flow, uint32_t block)
{
    struct dg_flow_block *one = &flow->blocks[block];
    const struct dg_flow_node *last = &flow->nodes[block_end(flow, block) - 1];

    one->next[0] = one->next[1] = DG_FLOW_NONE;
    if (last->falls && block + 1 < flow->n_blocks)
        one->next[0] = block + 1;
    else
        one->leaves = last->falls;
    if (last->jumps && inside(flow, last->jump))
        one->next[1] = flow->block_of[last->jump];
    else
        one->leaves |= last->jumps;
}

static void join_back(struct dg_flow *flow)
{
    uint32_t n = flow->n_blocks;
    uint32_t *next = dg_alloc(&flow->memory, 2 * (size_t)n, sizeof(*next));
    struct dg_csr previous;

    for (uint32_t i = 0; i < 2 * n; i++)
        next[i] = flow->blocks[i / 2].next[i % 2];
    dg_csr_by_key(&previous, next, 2 * n, n, &flow->memory);
    for (uint32_t k = 0; k < previous.begins[n]; k++)
        previous.items[k] /= 2;
    flow->previous_of = previous.begins;
    flow->previous = previous.items;
}

void dg_flow_divide(struct dg_flow *flow)
{
    bool *leads = dg_alloc(&flow->memory, flow->n_nodes, sizeof(*leads));

    mark_leaders(flow, leads);
    for (uint32_t i = 0; i < flow->n_nodes; i++)
        flow->n_blocks += leads[i];
    flow->blocks = dg_alloc(&flow->memory, flow->n_blocks, sizeof(*flow->blocks));
    flow->block_of = dg_alloc(&flow->memory, flow->n_nodes, sizeof(uint32_t));
    flow->n_blocks = 0;
    for (uint32_t i = 0; i < flow->n_nodes; i++) {
        if (leads[i])
            flow->blocks[flow->n_blocks++].begin = i;
        flow->block_of[i] = flow->n_blocks - 1;
    }
    for (uint32_t i = 0; i < flow->n_blocks; i++)
        join(flow, i);
    join_back(flow);
}
