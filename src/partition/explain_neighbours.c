/* Which partitions lie next to a node, and why it is not in them. */
#include "graph/quotient.h"
#include "partition/explain.h"

struct search {
    const struct dg_explained *graph;
    struct dg_neighbour *found;
    size_t n_found;
    uint32_t own; /* the partition of the node */
};

static void consider(struct search *search, uint32_t node)
{
    uint32_t part = search->graph->part_of[node];

    if (part == DG_NO_PART || part == search->own || search->n_found == DG_NEIGHBOURS ||
        search->graph->nodes->marks[node] & DG_MARK_CONSTANT)
        return;
    for (size_t i = 0; i < search->n_found; i++) {
        if (search->found[i].part == part)
            return;
    }
    search->found[search->n_found++] = (struct dg_neighbour){.part = part};
}

/* The shortest cycle of the plan in which both are one partition. */
static void try_merge(struct dg_neighbour *neighbour, struct dg_arena *memory,
                      const struct dg_explained *graph, uint32_t own)
{
    uint32_t n = graph->nodes->graph.n_nodes;
    uint32_t *part_of = dg_alloc(memory, n, sizeof(*part_of));
    struct dg_quotient merged = {&graph->nodes->graph, part_of, graph->n_parts, memory};
    struct dg_route route = {0};

    for (uint32_t i = 0; i < n; i++)
        part_of[i] = graph->part_of[i] == neighbour->part ? own : graph->part_of[i];
    dg_quotient_cycle(&merged, &route);
    neighbour->cycle = route.nodes;
    neighbour->n_cycle = route.n_nodes;
}

size_t dg_neighbours(struct dg_neighbour *out, struct dg_arena *memory,
                     const struct dg_explained *graph, uint32_t node)
{
    const struct dg_graph *g = &graph->nodes->graph;
    struct search search = {graph, out, 0, graph->part_of[node]};

    for (uint32_t k = g->input_of[node]; k < g->input_of[node + 1]; k++)
        consider(&search, g->inputs[k]);
    for (uint32_t k = g->user_of[node]; k < g->user_of[node + 1]; k++)
        consider(&search, g->users[k]);
    for (size_t i = 0; i < search.n_found && search.own != DG_NO_PART; i++)
        try_merge(&out[i], memory, graph, search.own);
    return search.n_found;
}
