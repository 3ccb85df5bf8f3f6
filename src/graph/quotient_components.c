/* The part of a quotient graph that cycles hold back, and its components. */
#include "graph/components.h"
#include "graph/quotient_parts.h"

enum { NONE = DG_NO_VERTEX };

/* Vertices that wait are numbered anew, in their order. */
static void keep_waiting(struct dg_cyclic *cyclic,
                         const struct dg_contraction *contraction,
                         const uint32_t *waiting, struct dg_arena *memory,
                         struct dg_arena *scratch)
{
    uint32_t n_nodes = contraction->graph->n_nodes;
    uint32_t *kept = dg_alloc(scratch, contraction->n_vertices, sizeof(*kept));

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

/* Edges from a vertex to others: how many, and which, where `hops` is not NULL. */
static uint32_t list_hops(struct dg_hop *hops, const struct dg_cyclic *cyclic,
                          const struct dg_csr *members, uint32_t vertex)
{
    const struct dg_graph *graph = cyclic->graph;
    uint32_t n_hops = 0;

    for (uint32_t m = members->begins[vertex]; m < members->begins[vertex + 1]; m++) {
        uint32_t node = members->items[m];

        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            uint32_t user = graph->users[k], to = cyclic->vertex_of[user];

            if (to == NONE || to == cyclic->vertex_of[node])
                continue;
            if (hops)
                hops[n_hops] = (struct dg_hop){node, user};
            n_hops++;
        }
    }
    return n_hops;
}

/* By the vertex that edges come from, and by that they lead to, which is returned. */
static const uint32_t *join(struct dg_cyclic *cyclic,
                            const struct dg_contraction *contraction,
                            const uint32_t *waiting, struct dg_arena *memory)
{
    const struct dg_csr *members = &contraction->members;
    struct dg_csr in;
    uint32_t n = 0, kept = 0, *next;

    cyclic->out_of =
        dg_alloc(memory, (size_t)cyclic->n_vertices + 1, sizeof(*cyclic->out_of));
    for (uint32_t v = 0; v < contraction->n_vertices; v++) {
        if (!waiting[v])
            continue;
        n += list_hops(NULL, cyclic, members, v);
        cyclic->out_of[++kept] = n;
    }
    cyclic->out = dg_alloc(memory, n, sizeof(*cyclic->out));
    kept = 0;
    for (uint32_t v = 0; v < contraction->n_vertices; v++)
        if (waiting[v])
            list_hops(cyclic->out + cyclic->out_of[kept++], cyclic, members, v);
    next = dg_alloc(memory, n, sizeof(*next));
    for (uint32_t k = 0; k < n; k++)
        next[k] = cyclic->vertex_of[cyclic->out[k].to];
    dg_csr_by_key(&in, next, n, cyclic->n_vertices, memory);
    cyclic->in_of = in.begins;
    cyclic->in = in.items;
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

/* Its vertices and edges. False: there are none. */
static bool find_cyclic(struct dg_cyclic *out, const struct dg_quotient *quotient,
                        const uint32_t **next, struct dg_arena *memory,
                        struct dg_arena *scratch)
{
    struct dg_contraction contraction;
    uint32_t *waiting;

    dg_contract(&contraction, quotient, quotient->n_parts, scratch);
    waiting = dg_alloc(scratch, contraction.n_vertices, sizeof(*waiting));
    if (dg_topological_sort(&contraction, waiting, scratch))
        return false;
    *out = (struct dg_cyclic){.graph = quotient->graph};
    keep_waiting(out, &contraction, waiting, memory, scratch);
    *next = join(out, &contraction, waiting, memory);
    return true;
}

bool dg_cyclic_find(struct dg_cyclic *out, const struct dg_quotient *quotient,
                    struct dg_arena *memory)
{
    struct dg_arena scratch = {0};
    const uint32_t *next;
    bool found = find_cyclic(out, quotient, &next, memory, &scratch);

    dg_arena_clear(&scratch);
    if (!found)
        return false;
    order_components(out, find_components(out, next, memory), memory);
    dg_csr_by_key(&out->components, out->component_of, out->n_vertices,
                  out->n_components, memory);
    return true;
}
