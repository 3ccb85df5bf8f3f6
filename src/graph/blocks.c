/* Basic blocks of a method's instructions. */
#include "base/csr.h"
#include "graph/flow.h"

static bool inside(const struct dg_flow *plan, int64_t node)
{
    return node >= 0 && node < plan->n_nodes;
}

static void mark_leaders(const struct dg_flow *plan, bool *leads)
{
    if (plan->n_nodes)
        leads[0] = true;
    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        const struct dg_flow_node *node = &plan->nodes[i];

        if (node->jumps && inside(plan, node->jump))
            leads[node->jump] = true;
        if ((node->jumps || !node->falls) && i + 1 < plan->n_nodes)
            leads[i + 1] = true;
    }
}

static uint32_t block_end(const struct dg_flow *plan, uint32_t block)
{
    return block + 1 < plan->n_blocks ? plan->blocks[block + 1].begin : plan->n_nodes;
}

static void join(struct dg_flow *plan, uint32_t block)
{
    struct dg_flow_block *one = &plan->blocks[block];
    const struct dg_flow_node *last = &plan->nodes[block_end(plan, block) - 1];

    one->next[0] = one->next[1] = DG_FLOW_NONE;
    if (last->falls && block + 1 < plan->n_blocks)
        one->next[0] = block + 1;
    else
        one->leaves = last->falls;
    if (last->jumps && inside(plan, last->jump))
        one->next[1] = plan->block_of[last->jump];
    else
        one->leaves |= last->jumps;
}

static void join_back(struct dg_flow *plan)
{
    uint32_t n = plan->n_blocks;
    uint32_t *next = dg_alloc(&plan->memory, 2 * (size_t)n, sizeof(*next));
    struct dg_csr previous;

    for (uint32_t i = 0; i < 2 * n; i++)
        next[i] = plan->blocks[i / 2].next[i % 2];
    dg_csr_by_key(&previous, next, 2 * n, n, &plan->memory);
    for (uint32_t k = 0; k < previous.begins[n]; k++)
        previous.items[k] /= 2;
    plan->previous_of = previous.begins;
    plan->previous = previous.items;
}

void dg_flow_divide(struct dg_flow *plan)
{
    bool *leads = dg_alloc(&plan->memory, plan->n_nodes, sizeof(*leads));

    mark_leaders(plan, leads);
    for (uint32_t i = 0; i < plan->n_nodes; i++)
        plan->n_blocks += leads[i];
    plan->blocks = dg_alloc(&plan->memory, plan->n_blocks, sizeof(*plan->blocks));
    plan->block_of = dg_alloc(&plan->memory, plan->n_nodes, sizeof(uint32_t));
    plan->n_blocks = 0;
    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        if (leads[i])
            plan->blocks[plan->n_blocks++].begin = i;
        plan->block_of[i] = plan->n_blocks - 1;
    }
    for (uint32_t i = 0; i < plan->n_blocks; i++)
        join(plan, i);
    join_back(plan);
}
