/* Shortest cycles of a quotient graph, in all of it and component by component. */
#include "graph/quotient_parts.h"

#include <stdlib.h>

enum { NONE = DG_NO_VERTEX };

uint64_t dg_quotient_budget(const struct dg_graph *graph)
{
    return (4 << 20) + (uint64_t)graph->n_nodes + graph->n_edges;
}

/* A search for the shortest cycle of each component in turn. */
struct search {
    const struct dg_cyclic *cyclic;
    uint32_t *seen;  /* start + 1 of the latest search that saw the vertex */
    uint32_t *hop;   /* in cyclic->out: how that search came there */
    uint32_t *depth; /* hops from the start */
    uint32_t *queue;
    uint64_t n_steps, budget;
};

/* A cycle as hops, from its lowest partition on. */
struct cycle {
    struct dg_hop *hops;
    uint32_t n_hops; /* 0: none yet */
};

static void begin(struct search *search, const struct dg_cyclic *cyclic,
                  struct dg_arena *memory)
{
    size_t n = cyclic->n_vertices;

    *search =
        (struct search){.cyclic = cyclic, .budget = dg_quotient_budget(cyclic->graph)};
    search->seen = dg_alloc(memory, n, sizeof(uint32_t));
    search->hop = dg_alloc(memory, n, sizeof(uint32_t));
    search->depth = dg_alloc(memory, n, sizeof(uint32_t));
    search->queue = dg_alloc(memory, n, sizeof(uint32_t));
}

static void set_pair(struct cycle *best, struct dg_hop out, struct dg_hop back,
                     struct dg_arena *memory)
{
    best->hops = dg_alloc(memory, 2, sizeof(*best->hops));
    best->hops[0] = out;
    best->hops[1] = back;
    best->n_hops = 2;
}

/* A cycle of two through `start`. */
static bool find_pair(struct search *search, uint32_t start, struct dg_arena *memory,
                      struct cycle *best)
{
    const struct dg_cyclic *cyclic = search->cyclic;

    for (uint32_t k = cyclic->out_of[start + 1]; k-- > cyclic->out_of[start];) {
        uint32_t next = cyclic->vertex_of[cyclic->out[k].to];

        search->seen[next] = start + 1;
        search->hop[next] = k;
    }
    for (uint32_t k = cyclic->in_of[start]; k < cyclic->in_of[start + 1]; k++) {
        struct dg_hop back = cyclic->out[cyclic->in[k]];
        uint32_t next = cyclic->vertex_of[back.from];

        if (search->seen[next] != start + 1)
            continue;
        set_pair(best, cyclic->out[search->hop[next]], back, memory);
        return true;
    }
    return false;
}

static void trace(const struct search *search, uint32_t start, uint32_t last_hop,
                  uint32_t n_hops, struct dg_arena *memory, struct cycle *best)
{
    const struct dg_cyclic *cyclic = search->cyclic;
    uint32_t k = last_hop, vertex;

    best->hops = dg_alloc(memory, n_hops, sizeof(*best->hops));
    best->n_hops = n_hops;
    for (uint32_t i = n_hops; i-- > 0;) {
        best->hops[i] = cyclic->out[k];
        vertex = cyclic->vertex_of[cyclic->out[k].from];
        k = vertex == start ? k : search->hop[vertex];
    }
}

/* A cycle through `start` that is shorter than `best`. */
static void find_shorter(struct search *search, uint32_t start, struct dg_arena *memory,
                         struct cycle *best)
{
    const struct dg_cyclic *cyclic = search->cyclic;
    uint32_t n_queue = 0;

    search->queue[n_queue++] = start;
    search->depth[start] = 0;
    for (uint32_t at = 0; at < n_queue; at++) {
        uint32_t vertex = search->queue[at], depth = search->depth[vertex] + 1;

        if (best->n_hops && depth >= best->n_hops)
            return;
        for (uint32_t k = cyclic->out_of[vertex]; k < cyclic->out_of[vertex + 1]; k++) {
            uint32_t next = cyclic->vertex_of[cyclic->out[k].to];

            search->n_steps++;
            if (next == start) {
                trace(search, start, k, depth, memory, best);
                return;
            }
            if (search->seen[next] == start + 1 ||
                cyclic->component_of[next] != cyclic->component_of[start])
                continue;
            search->seen[next] = start + 1;
            search->hop[next] = k;
            search->depth[next] = depth;
            search->queue[n_queue++] = next;
        }
    }
}

static uint32_t count_in(const struct dg_cyclic *cyclic, uint32_t component)
{
    return cyclic->components.begins[component + 1] -
           cyclic->components.begins[component];
}

/* Vertices at which the search may begin: partitions; where a cycle needs none, all. */
static uint32_t count_starts(const struct dg_cyclic *cyclic, const uint32_t *vertices,
                             uint32_t n)
{
    uint32_t n_starts = 0;

    while (n_starts < n && cyclic->part[vertices[n_starts]] != NONE)
        n_starts++;
    return n_starts ? n_starts : n;
}

static void find_shortest(struct search *search, uint32_t component,
                          struct dg_arena *memory, struct cycle *best)
{
    const struct dg_cyclic *cyclic = search->cyclic;
    const uint32_t *vertices =
        &cyclic->components.items[cyclic->components.begins[component]];
    uint32_t n = count_in(cyclic, component);
    uint32_t n_starts = count_starts(cyclic, vertices, n);

    for (uint32_t i = 0; i < n_starts; i++) {
        if (find_pair(search, vertices[i], memory, best))
            return;
    }
    for (uint32_t i = 0; i < n; i++)
        search->seen[vertices[i]] = 0;
    for (uint32_t i = 0; i < n_starts; i++) {
        if (best->n_hops && search->n_steps > search->budget)
            return;
        find_shorter(search, vertices[i], memory, best);
    }
}

/* Where the cycle passes through a partition it comes in at one node and may go out at
 * another. */
static void list_nodes(const struct cycle *cycle, struct dg_arena *memory,
                       struct dg_route *out)
{
    uint32_t *nodes = dg_alloc(memory, 2 * (size_t)cycle->n_hops, sizeof(*nodes));
    uint32_t before;

    *out = (struct dg_route){.nodes = nodes};
    if (!cycle->n_hops)
        return;
    before = cycle->hops[0].from;
    for (uint32_t i = 0; i < cycle->n_hops; i++) {
        if (cycle->hops[i].from != before)
            nodes[out->n_nodes++] = before;
        nodes[out->n_nodes++] = cycle->hops[i].from;
        before = cycle->hops[i].to;
    }
    if (before != nodes[0])
        nodes[out->n_nodes++] = before;
}

void dg_quotient_cycle(const struct dg_quotient *quotient, struct dg_route *out)
{
    struct dg_arena scratch = {0};
    struct search search;
    struct cycle best = {0};
    struct dg_cyclic cyclic;

    if (dg_cyclic_find(&cyclic, quotient, &scratch)) {
        begin(&search, &cyclic, &scratch);
        for (uint32_t c = 0; c < cyclic.n_components && best.n_hops != 2; c++)
            find_shortest(&search, c, &scratch, &best);
    }
    list_nodes(&best, quotient->memory, out);
    dg_arena_clear(&scratch);
}

static uint32_t *without(const struct dg_quotient *quotient,
                         const struct dg_nonconvex *nonconvex, size_t n_nonconvex,
                         struct dg_arena *memory)
{
    uint32_t n = quotient->graph->n_nodes;
    uint32_t *part_of = dg_alloc(memory, n, sizeof(*part_of));
    bool *bad = dg_alloc(memory, quotient->n_parts, sizeof(*bad));

    for (size_t i = 0; i < n_nonconvex; i++)
        bad[nonconvex[i].part] = true;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = quotient->part_of[i];

        part_of[i] = part == NONE || bad[part] ? NONE : part;
    }
    return part_of;
}

static void list_parts(const struct dg_cyclic *cyclic, uint32_t component,
                       struct dg_arena *memory, struct dg_cyclic_dependency *out)
{
    const uint32_t *vertices =
        &cyclic->components.items[cyclic->components.begins[component]];
    uint32_t n = count_in(cyclic, component);
    uint32_t *parts = dg_alloc(memory, n, sizeof(*parts));

    for (uint32_t i = 0; i < n; i++) {
        if (cyclic->part[vertices[i]] != NONE)
            parts[out->n_parts++] = cyclic->part[vertices[i]];
    }
    out->parts = parts;
}

static size_t list_mutual(const struct dg_cyclic *cyclic, struct dg_arena *scratch,
                          struct dg_arena *memory, struct dg_cyclic_dependency *out)
{
    struct search search;
    size_t n_out = 0;

    begin(&search, cyclic, scratch);
    for (uint32_t c = 0; c < cyclic->n_components; c++) {
        struct dg_cyclic_dependency *mutual = &out[n_out];
        struct cycle best = {0};

        list_parts(cyclic, c, memory, mutual);
        if (mutual->n_parts < 2) {
            *mutual = (struct dg_cyclic_dependency){0};
            continue;
        }
        find_shortest(&search, c, scratch, &best);
        list_nodes(&best, memory, &mutual->route);
        n_out++;
    }
    return n_out;
}

size_t dg_quotient_cyclic_dependencies(const struct dg_quotient *quotient,
                                       struct dg_cyclic_dependency **out)
{
    struct dg_arena scratch = {0};
    struct dg_quotient rest = *quotient;
    struct dg_nonconvex *nonconvex;
    struct dg_cyclic cyclic;
    size_t n_nonconvex, n_out = 0;

    rest.memory = &scratch;
    n_nonconvex = dg_quotient_nonconvex_parts(&rest, &nonconvex);
    rest.part_of = without(quotient, nonconvex, n_nonconvex, &scratch);
    *out = NULL;
    if (dg_cyclic_find(&cyclic, &rest, &scratch)) {
        *out = dg_alloc(quotient->memory, cyclic.n_components, sizeof(**out));
        n_out = list_mutual(&cyclic, &scratch, quotient->memory, *out);
    }
    dg_arena_clear(&scratch);
    return n_out;
}
