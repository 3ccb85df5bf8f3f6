/* The part of a quotient graph that cycles hold back, and its components. */
#include <stdlib.h>

#include "graph/components.h"
#include "graph/quotient_parts.h"

enum { NONE = DG_NO_VERTEX };

/* Vertices that wait are numbered anew, in their order. */
static void keep_waiting(struct dg_cyclic *cyclic,
                         const struct dg_contraction *contraction,
                         const uint32_t *waiting, struct dg_arena *memory)
{
    uint32_t n_nodes = contraction->graph->n_nodes;
    uint32_t *kept = dg_alloc(memory, contraction->n_vertices, sizeof(*kept));

    cyclic->part = dg_alloc(memory, contraction->n_vertices, sizeof(uint32_t));
    for (uint32_t v = 0; v < contraction->n_vertices; v++) {
        kept[v] = waiting[v] ? cyclic->n_vertices : NONE;
        if (waiting[v])
            cyclic->part[cyclic->n_vertices++] = v < contraction->n_parts ? v : NONE;
    }
    cyclic->vertex_of = dg_alloc(memory, n_nodes, sizeof(uint32_t));
    for (uint32_t i = 0; i < n_nodes; i++)
        cyclic->vertex_of[i] = kept[contraction->vertex_of[i]];
}

/* Edges between two vertices, and the vertex that each comes from. */
struct edges {
    struct dg_hop *hops;
    uint32_t *from;
    size_t n_hops, n_from;
};

static void list_edges(struct edges *edges, const struct dg_cyclic *cyclic)
{
    const struct dg_graph *graph = cyclic->graph;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        uint32_t from = cyclic->vertex_of[i];

        for (uint32_t k = graph->user_of[i]; from != NONE && k < graph->user_of[i + 1];
             k++) {
            uint32_t to = cyclic->vertex_of[graph->users[k]];

            if (to == NONE || to == from)
                continue;
            *DG_APPEND(edges->hops, edges->n_hops) =
                (struct dg_hop){i, graph->users[k]};
            *DG_APPEND(edges->from, edges->n_from) = from;
        }
    }
}

/* By the vertex that edges come from, and by that they lead to, which is returned. */
static const uint32_t *join(struct dg_cyclic *cyclic, struct dg_arena *memory)
{
    struct edges edges = {0};
    struct dg_csr out, in;
    uint32_t n, *next;

    list_edges(&edges, cyclic);
    n = (uint32_t)edges.n_hops;
    dg_csr_by_key(&out, edges.from, n, cyclic->n_vertices, memory);
    cyclic->out_of = out.begins;
    cyclic->out = dg_alloc(memory, n, sizeof(*cyclic->out));
    next = dg_alloc(memory, n, sizeof(*next));
    for (uint32_t k = 0; k < n; k++) {
        cyclic->out[k] = edges.hops[out.items[k]];
        next[k] = cyclic->vertex_of[cyclic->out[k].to];
    }
    dg_csr_by_key(&in, next, n, cyclic->n_vertices, memory);
    cyclic->in_of = in.begins;
    cyclic->in = in.items;
    free(edges.hops);
    free(edges.from);
    return next;
}

static uint32_t find_components(struct dg_cyclic *cyclic, const uint32_t *next,
                                struct dg_arena *memory)
{
    cyclic->component_of = dg_alloc(memory, cyclic->n_vertices, sizeof(uint32_t));
    return dg_components(cyclic->component_of, cyclic->n_vertices, cyclic->out_of,
                         next);
}

/* Components of several vertices, in the order of their lowest. */
static void order_components(struct dg_cyclic *cyclic, uint32_t n_found,
                             struct dg_arena *memory)
{
    uint32_t *size = dg_alloc(memory, n_found, sizeof(*size));
    uint32_t *place = dg_alloc(memory, n_found, sizeof(*place));

    for (uint32_t v = 0; v < cyclic->n_vertices; v++)
        size[cyclic->component_of[v]]++;
    for (uint32_t v = 0; v < cyclic->n_vertices; v++) {
        uint32_t found = cyclic->component_of[v];

        if (size[found] > 1 && !place[found])
            place[found] = ++cyclic->n_components;
        cyclic->component_of[v] = size[found] > 1 ? place[found] - 1 : NONE;
    }
}

bool dg_cyclic_find(struct dg_cyclic *out, const struct dg_quotient *quotient,
                    struct dg_arena *memory)
{
    struct dg_contraction contraction;
    const uint32_t *next;
    uint32_t *waiting;

    dg_contract(&contraction, quotient, quotient->n_parts, memory);
    waiting = dg_alloc(memory, contraction.n_vertices, sizeof(*waiting));
    if (dg_topological_sort(&contraction, waiting, memory))
        return false;
    *out = (struct dg_cyclic){.graph = quotient->graph};
    keep_waiting(out, &contraction, waiting, memory);
    next = join(out, memory);
    order_components(out, find_components(out, next, memory), memory);
    dg_csr_by_key(&out->components, out->component_of, out->n_vertices,
                  out->n_components, memory);
    return true;
}
