/* Partitions as single vertices: contraction, and whether what is left is acyclic. */
#include "graph/quotient_parts.h"

static bool contracted(const struct dg_quotient *quotient, uint32_t n_parts,
                       uint32_t node)
{
    return quotient->part_of[node] < n_parts;
}

static void number_vertices(struct dg_contraction *out,
                            const struct dg_quotient *quotient)
{
    out->n_vertices = out->n_parts;
    for (uint32_t i = 0; i < out->graph->n_nodes; i++) {
        out->vertex_of[i] = contracted(quotient, out->n_parts, i) ? quotient->part_of[i]
                                                                  : out->n_vertices++;
    }
}

void dg_contract(struct dg_contraction *out, const struct dg_quotient *quotient,
                 uint32_t n_parts, struct dg_arena *memory)
{
    *out = (struct dg_contraction){.graph = quotient->graph, .n_parts = n_parts};
    out->vertex_of = dg_alloc(memory, quotient->graph->n_nodes, sizeof(uint32_t));
    number_vertices(out, quotient);
    dg_csr_by_key(&out->members, out->vertex_of, quotient->graph->n_nodes,
                  out->n_vertices, memory);
}

static void count_inputs(const struct dg_contraction *contraction, uint32_t *waiting)
{
    const struct dg_graph *graph = contraction->graph;
    const uint32_t *vertex_of = contraction->vertex_of;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        for (uint32_t k = graph->input_of[i]; k < graph->input_of[i + 1]; k++)
            waiting[vertex_of[i]] += vertex_of[graph->inputs[k]] != vertex_of[i];
    }
}

/* Append to `queue` each user's vertex that waits for `node` alone. */
static uint32_t release(const struct dg_contraction *contraction, uint32_t node,
                        uint32_t *waiting, uint32_t *queue)
{
    const struct dg_graph *graph = contraction->graph;
    uint32_t vertex = contraction->vertex_of[node], n_queue = 0;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        uint32_t next = contraction->vertex_of[graph->users[k]];

        if (next != vertex && !--waiting[next])
            queue[n_queue++] = next;
    }
    return n_queue;
}

bool dg_topological_sort(const struct dg_contraction *contraction, uint32_t *waiting,
                         struct dg_arena *memory)
{
    const struct dg_csr *members = &contraction->members;
    uint32_t *queue = dg_alloc(memory, contraction->n_vertices, sizeof(*queue));
    uint32_t n_queue = 0;

    count_inputs(contraction, waiting);
    for (uint32_t v = 0; v < contraction->n_vertices; v++) {
        if (!waiting[v])
            queue[n_queue++] = v;
    }
    for (uint32_t at = 0; at < n_queue; at++) {
        uint32_t end = members->begins[queue[at] + 1];

        for (uint32_t m = members->begins[queue[at]]; m < end; m++)
            n_queue +=
                release(contraction, members->items[m], waiting, &queue[n_queue]);
    }
    return n_queue == contraction->n_vertices;
}

/* With only the first `n_parts` partitions contracted. */
static bool acyclic(const struct dg_quotient *quotient, uint32_t n_parts)
{
    struct dg_arena scratch = {0};
    struct dg_contraction contraction;
    uint32_t *waiting;
    bool answer;

    dg_contract(&contraction, quotient, n_parts, &scratch);
    waiting = dg_alloc(&scratch, contraction.n_vertices, sizeof(*waiting));
    answer = dg_topological_sort(&contraction, waiting, &scratch);
    dg_arena_clear(&scratch);
    return answer;
}

bool dg_quotient_acyclic(const struct dg_quotient *quotient)
{
    return acyclic(quotient, quotient->n_parts);
}

/* A cycle stays one when more is contracted, since no two partitions share a node: it
 * lies in a component of the whole, and closes once one of its partitions is there, or
 * at the latest with the last of them. */
static void bound(const struct dg_cyclic *cyclic, uint32_t *good, uint32_t *bad)
{
    const uint32_t *begins = cyclic->components.begins;

    for (uint32_t c = 0; c < cyclic->n_components; c++) {
        uint32_t last = 0, first = cyclic->part[cyclic->components.items[begins[c]]];

        for (uint32_t k = begins[c]; k < begins[c + 1]; k++) {
            uint32_t part = cyclic->part[cyclic->components.items[k]];

            if (part == DG_NO_VERTEX)
                break; /* partitions come first */
            last = part + 1;
        }
        *good = first < *good ? first : *good;
        *bad = last < *bad ? last : *bad;
    }
}

uint32_t dg_quotient_first_failing(const struct dg_quotient *quotient)
{
    struct dg_arena scratch = {0};
    struct dg_cyclic cyclic;
    uint32_t good = quotient->n_parts, bad = quotient->n_parts;
    bool fails = dg_cyclic_find(&cyclic, quotient, &scratch);

    if (fails)
        bound(&cyclic, &good, &bad);
    dg_arena_clear(&scratch);
    if (fails && !acyclic(quotient, 0))
        return 0;
    while (good + 1 < bad) {
        uint32_t middle = good + (bad - good) / 2;

        if (acyclic(quotient, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}
