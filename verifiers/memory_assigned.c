/* Tensors that several instructions write, each of them anew. */
#include "verifiers/memory_parts.h"

enum { NOBODY, BY_CALLER, BY_NODE }; /* from BY_NODE on: node + BY_NODE */

static void find(struct dg_memory_walk *memory, const struct dg_flow_access *access,
                 uint32_t by)
{
    long long value = memory->method->flow.values[access->value].idx;
    uint32_t nodes[2] = {access->node, access->node};
    struct dg_memory_place place = {NULL, access->node, access->value, nodes, 1};

    if (by == BY_CALLER) {
        dg_memory_find(memory, place, "value %lld is an input, and the result of op_%u",
                       value, access->node);
        return;
    }
    nodes[0] = by - BY_NODE;
    place.n_nodes = 2;
    dg_memory_find(memory, place, "value %lld is the result of op_%u, and of op_%u",
                   value, nodes[0], access->node);
}

/* An operator gives back what it updates, too, behind it among its operands: that is no
 * result of its own. Branches end in moves, so that no two of them have one. */
void dg_memory_assignments(struct dg_memory_walk *memory)
{
    const struct dg_flow *flow = &memory->method->flow;
    struct dg_arena scratch = {0};
    uint32_t *by = dg_alloc(&scratch, flow->n_values, sizeof(*by)), n_found = 0;
    uint32_t *updated = dg_alloc(&scratch, flow->n_values, sizeof(*updated));

    for (uint32_t i = 0; i < flow->n_values; i++)
        by[i] = flow->values[i].first && !flow->values[i].state ? BY_CALLER : NOBODY;
    for (uint32_t i = 0; i < flow->n_accesses && !memory->status; i++) {
        const struct dg_flow_access *access = &flow->accesses[i];
        uint32_t *last = &by[access->value], node = access->node + BY_NODE;

        if (access->how & DG_FLOW_UPDATE)
            updated[access->value] = node;
        if (access->how != DG_FLOW_WRITE || !flow->values[access->value].made ||
            updated[access->value] == node)
            continue;
        if (*last != NOBODY && *last != node && n_found++ < DG_MEMORY_FEW)
            find(memory, access, *last);
        *last = node;
    }
    if (n_found > DG_MEMORY_FEW)
        dg_memory_find(memory, DG_MEMORY_METHOD, "%u more results are written again",
                       n_found - DG_MEMORY_FEW);
    dg_arena_clear(&scratch);
}
