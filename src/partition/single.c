/* The partitioner that puts all supported nodes into one partition. */
#include "partition/steps.h"

void dg_partition_single(struct dg_partitions *out, const struct dg_graph *graph,
                         const uint16_t *marks)
{
    const struct dg_moves none = {0};

    *out = (struct dg_partitions){.n_parts = 1};
    out->parts = dg_alloc(&out->memory, 1, sizeof(*out->parts));
    out->part_of = dg_alloc(&out->memory, graph->n_nodes, sizeof(*out->part_of));
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        out->part_of[node] = marks[node] & DG_MARK_SUPPORTED ? 0 : DG_NO_PART;
    dg_list_partitions(out, &none, graph, marks, false);
}
