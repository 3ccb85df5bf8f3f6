/* The part of a quotient graph that cycles hold back, and its components. */
#include "graph/components.h"
#include "graph/quotient_parts.h"

enum { NONE = DG_NO_VERTEX };

/* Vertices that wait are numbered anew, in their order. */
static void keep_waiting(struct dg_knot *knot, const struct dg_contraction *contraction,
                         const uint32_t *waiting, struct dg_arena *memory)
{
    uint32_t n_nodes = contraction->graph->n_nodes;
    uint32_t *kept = dg_alloc(memory, contraction->n_vertices, sizeof(*kept));

    knot->part = dg_alloc(memory, contraction->n_vertices, sizeof(uint32_t));
    for (uint32_t v = 0; v < contraction->n_vertices; v++) {
        kept[v] = waiting[v] ? knot->n_vertices : NONE;
        if (waiting[v])
            knot->part[knot->n_vertices++] = v < contraction->n_parts ? v : NONE;
    }
    knot->vertex_of = dg_alloc(memory, n_nodes, sizeof(uint32_t));
    for (uint32_t i = 0; i < n_nodes; i++)
        knot->vertex_of[i] = kept[contraction->vertex_of[i]];
}

/* Told of each edge between two vertices of the knot. */
typedef void edge_fn(struct dg_knot *knot, uint32_t from, uint32_t to);

static void each_edge(struct dg_knot *knot, edge_fn *told)
{
    const struct dg_graph *graph = knot->graph;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        if (knot->vertex_of[i] == NONE)
            continue;
        for (uint32_t k = graph->user_of[i]; k < graph->user_of[i + 1]; k++) {
            uint32_t to = knot->vertex_of[graph->users[k]];

            if (to != NONE && to != knot->vertex_of[i])
                told(knot, i, graph->users[k]);
        }
    }
}

static void count_edge(struct dg_knot *knot, uint32_t from, uint32_t to)
{
    knot->out_of[knot->vertex_of[from] + 1]++;
    knot->in_of[knot->vertex_of[to] + 1]++;
}

static void add_edge(struct dg_knot *knot, uint32_t from, uint32_t to)
{
    knot->out[knot->out_of[knot->vertex_of[from]]++] = (struct dg_hop){from, to};
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

static void join(struct dg_knot *knot, struct dg_arena *memory)
{
    uint32_t n = knot->n_vertices, n_hops;

    knot->out_of = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    knot->in_of = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    each_edge(knot, count_edge);
    sum(knot->out_of, n);
    sum(knot->in_of, n);
    n_hops = knot->out_of[n];
    knot->out = dg_alloc(memory, n_hops, sizeof(*knot->out));
    knot->in = dg_alloc(memory, n_hops, sizeof(*knot->in));
    each_edge(knot, add_edge);
    shift_back(knot->out_of, n);
    for (uint32_t k = 0; k < n_hops; k++)
        knot->in[knot->in_of[knot->vertex_of[knot->out[k].to]]++] = k;
    shift_back(knot->in_of, n);
}

static uint32_t find_components(struct dg_knot *knot, struct dg_arena *memory)
{
    uint32_t n_hops = knot->out_of[knot->n_vertices];
    uint32_t *next = dg_alloc(memory, n_hops, sizeof(*next));

    for (uint32_t k = 0; k < n_hops; k++)
        next[k] = knot->vertex_of[knot->out[k].to];
    knot->component_of = dg_alloc(memory, knot->n_vertices, sizeof(uint32_t));
    return dg_components(knot->component_of, knot->n_vertices, knot->out_of, next);
}

/* Components of several vertices, in the order of their lowest. */
static void order_components(struct dg_knot *knot, uint32_t n_found,
                             struct dg_arena *memory)
{
    uint32_t *size = dg_alloc(memory, n_found, sizeof(*size));
    uint32_t *place = dg_alloc(memory, n_found, sizeof(*place));

    for (uint32_t v = 0; v < knot->n_vertices; v++)
        size[knot->component_of[v]]++;
    for (uint32_t v = 0; v < knot->n_vertices; v++) {
        uint32_t found = knot->component_of[v];

        if (size[found] > 1 && !place[found])
            place[found] = ++knot->n_components;
        knot->component_of[v] = size[found] > 1 ? place[found] - 1 : NONE;
    }
}

bool dg_knot_tie(struct dg_knot *out, const struct dg_quotient *quotient,
                 struct dg_arena *memory)
{
    struct dg_contraction contraction;
    uint32_t *waiting;

    dg_contract(&contraction, quotient, quotient->n_parts, memory);
    waiting = dg_alloc(memory, contraction.n_vertices, sizeof(*waiting));
    if (dg_drain(&contraction, waiting, memory))
        return false;
    *out = (struct dg_knot){.graph = quotient->graph};
    keep_waiting(out, &contraction, waiting, memory);
    join(out, memory);
    order_components(out, find_components(out, memory), memory);
    dg_fill_buckets(&out->components, out->component_of, out->n_vertices,
                    out->n_components, memory);
    return true;
}
