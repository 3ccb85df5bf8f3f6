/* The part of a quotient graph that cycles hold back, and its components. */
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

/* Told of each edge between two vertices of the cyclic. */
typedef void edge_fn(struct dg_cyclic *cyclic, uint32_t from, uint32_t to);

static void each_edge(struct dg_cyclic *cyclic, edge_fn *told)
{
    const struct dg_graph *graph = cyclic->graph;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        if (cyclic->vertex_of[i] == NONE)
            continue;
        for (uint32_t k = graph->user_of[i]; k < graph->user_of[i + 1]; k++) {
            uint32_t to = cyclic->vertex_of[graph->users[k]];

            if (to != NONE && to != cyclic->vertex_of[i])
                told(cyclic, i, graph->users[k]);
        }
    }
}

static void count_edge(struct dg_cyclic *cyclic, uint32_t from, uint32_t to)
{
    cyclic->out_of[cyclic->vertex_of[from] + 1]++;
    cyclic->in_of[cyclic->vertex_of[to] + 1]++;
}

static void add_edge(struct dg_cyclic *cyclic, uint32_t from, uint32_t to)
{
    cyclic->out[cyclic->out_of[cyclic->vertex_of[from]]++] = (struct dg_hop){from, to};
}

static void sum(uint32_t *begins, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++)
        begins[v + 1] += begins[v];
}

static void shift_back(uint32_t *begins, uint32_t n)
{
    for (uint32_t v = n; v > 0; v--)
        begins[v] = begins[v - 1];
    begins[0] = 0;
}

static void join(struct dg_cyclic *cyclic, struct dg_arena *memory)
{
    uint32_t n = cyclic->n_vertices, n_hops;

    cyclic->out_of = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    cyclic->in_of = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    each_edge(cyclic, count_edge);
    sum(cyclic->out_of, n);
    sum(cyclic->in_of, n);
    n_hops = cyclic->out_of[n];
    cyclic->out = dg_alloc(memory, n_hops, sizeof(*cyclic->out));
    cyclic->in = dg_alloc(memory, n_hops, sizeof(*cyclic->in));
    each_edge(cyclic, add_edge);
    shift_back(cyclic->out_of, n);
    for (uint32_t k = 0; k < n_hops; k++)
        cyclic->in[cyclic->in_of[cyclic->vertex_of[cyclic->out[k].to]]++] = k;
    shift_back(cyclic->in_of, n);
}

static uint32_t find_components(struct dg_cyclic *cyclic, struct dg_arena *memory)
{
    uint32_t n_hops = cyclic->out_of[cyclic->n_vertices];
    uint32_t *next = dg_alloc(memory, n_hops, sizeof(*next));

    for (uint32_t k = 0; k < n_hops; k++)
        next[k] = cyclic->vertex_of[cyclic->out[k].to];
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
    uint32_t *waiting;

    dg_contract(&contraction, quotient, quotient->n_parts, memory);
    waiting = dg_alloc(memory, contraction.n_vertices, sizeof(*waiting));
    if (dg_topological_sort(&contraction, waiting, memory))
        return false;
    *out = (struct dg_cyclic){.graph = quotient->graph};
    keep_waiting(out, &contraction, waiting, memory);
    join(out, memory);
    order_components(out, find_components(out, memory), memory);
    dg_fill_buckets(&out->components, out->component_of, out->n_vertices,
                    out->n_components, memory);
    return true;
}
