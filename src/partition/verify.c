/* An independent check of what partitioners return. */
#include "graph/quotient.h"
#include "partition/partition.h"

/* Each node with a part is listed there once, and nothing else is. */
static bool is_consistent(const struct dg_partitions *partitions, uint32_t n_nodes)
{
    struct dg_arena scratch = {0};
    bool *listed = dg_alloc(&scratch, n_nodes, sizeof(*listed));
    bool consistent = true;

    for (uint32_t p = 0; p < partitions->n_parts && consistent; p++) {
        const struct dg_part *part = &partitions->parts[p];

        consistent = part->begin <= part->end;
        for (uint32_t i = part->begin; i < part->end && consistent; i++) {
            uint32_t node = partitions->nodes[i];

            consistent =
                node < n_nodes && !listed[node] && partitions->part_of[node] == p;
            if (consistent)
                listed[node] = true;
        }
    }
    for (uint32_t node = 0; node < n_nodes && consistent; node++)
        consistent = listed[node] == (partitions->part_of[node] != DG_NO_PART);
    dg_arena_clear(&scratch);
    return consistent;
}

/* Whether a getitem is where something that it may take an item of is. */
static bool is_with_input(uint32_t node, const struct dg_graph *graph,
                          const uint16_t *marks, const uint32_t *part_of)
{
    if (!(marks[node] & DG_MARK_GETITEM))
        return false;
    for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
        if (part_of[graph->inputs[k]] == part_of[node])
            return true;
    }
    return false;
}

/* Whether the filter for single nodes would take none of the parts that are left: then
 * it may have taken what is missing. */
static bool may_be_filtered(const struct dg_partitions *partitions,
                            const uint16_t *marks)
{
    for (uint32_t p = 0; p < partitions->n_parts; p++) {
        const struct dg_part *part = &partitions->parts[p];
        uint32_t n_compute = 0;

        for (uint32_t i = part->begin; i < part->end; i++) {
            uint16_t mark = marks[partitions->nodes[i]];

            if (mark & DG_MARK_CALL)
                n_compute +=
                    !(mark & DG_MARK_TRANSPARENT) + !!(mark & DG_MARK_ALLOWED_SINGLE);
        }
        if (n_compute < 2)
            return false;
    }
    return true;
}

/* Bookends that are no compute may have been removed. */
static bool covers(const struct dg_graph *graph, const uint16_t *marks,
                   const struct dg_partitions *partitions)
{
    bool filtered = may_be_filtered(partitions, marks);

    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        bool supported = marks[node] & DG_MARK_SUPPORTED;
        bool placed = partitions->part_of[node] != DG_NO_PART;

        if (supported == placed || (supported && filtered) ||
            (supported && marks[node] & DG_MARK_NON_COMPUTE) ||
            is_with_input(node, graph, marks, partitions->part_of))
            continue;
        return false;
    }
    return true;
}

/* A placeholder stays where it is, also where a partition has it: who reads it waits
 * for no delegate. */
static uint32_t *parts_that_bind(const struct dg_partitions *partitions,
                                 const struct dg_graph *graph, const uint16_t *marks,
                                 struct dg_arena *memory)
{
    uint32_t *part_of = dg_alloc(memory, graph->n_nodes, sizeof(*part_of));

    for (uint32_t node = 0; node < graph->n_nodes; node++)
        part_of[node] =
            marks[node] & DG_MARK_PLACEHOLDER ? DG_NO_PART : partitions->part_of[node];
    return part_of;
}

void dg_verify_partitions(struct dg_partitions_verdict *out, struct dg_arena *memory,
                          const struct dg_graph *graph, const uint16_t *marks,
                          const struct dg_partitions *partitions)
{
    struct dg_arena scratch = {0};
    struct dg_quotient quotient = {
        .graph = graph, .n_parts = partitions->n_parts, .memory = memory};
    struct dg_route cycle = {0};

    *out = (struct dg_partitions_verdict){0};
    out->consistent = is_consistent(partitions, graph->n_nodes);
    if (!out->consistent)
        return;
    quotient.part_of = parts_that_bind(partitions, graph, marks, &scratch);
    out->covers = covers(graph, marks, partitions);
    out->acyclic = dg_quotient_acyclic(&quotient);
    if (!out->acyclic)
        dg_quotient_cycle(&quotient, &cycle);
    out->cycle = cycle.n_nodes ? cycle.nodes : NULL;
    out->n_cycle = cycle.n_nodes;
    dg_arena_clear(&scratch);
}
