/* Partitions that are not convex: paths that leave one and come back. */
#include "graph/quotient_parts.h"

#include <stdlib.h>

enum { NONE = DG_NO_VERTEX };

/* A search from all members of a partition at once. */
struct search {
    const struct dg_graph *graph;
    const uint32_t *part_of;
    const uint32_t
        *zone_of; /* of each node; such paths keep to one zone. NULL: no zones */
    uint32_t part, zone, last; /* nodes after `last` lead to no member */
    uint32_t *seen;            /* part + 1 of the latest search that saw the node */
    uint32_t *from, *queue, n_queue;
    uint64_t n_steps;
};

static void begin(struct search *search, const struct dg_quotient *quotient,
                  struct dg_arena *memory)
{
    size_t n = quotient->graph->n_nodes;

    search->graph = quotient->graph;
    search->part_of = quotient->part_of;
    search->seen = dg_alloc(memory, n, sizeof(uint32_t));
    search->from = dg_alloc(memory, n, sizeof(uint32_t));
    search->queue = dg_alloc(memory, n, sizeof(uint32_t));
}

static bool in_order(const struct dg_graph *graph)
{
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        for (uint32_t k = graph->input_of[i]; k < graph->input_of[i + 1]; k++) {
            if (graph->inputs[k] >= i)
                return false;
        }
    }
    return true;
}

static void visit(struct search *search, uint32_t from, uint32_t node)
{
    if (search->seen[node] == search->part + 1 || node > search->last)
        return;
    if (search->zone_of && search->zone_of[node] != search->zone)
        return;
    search->seen[node] = search->part + 1;
    search->from[node] = from;
    search->queue[search->n_queue++] = node;
}

/* The node from which the search comes back to `*end`, a member; or NONE. */
static uint32_t find_return(struct search *search, const uint32_t *members,
                            uint32_t n_members, uint32_t *end)
{
    const struct dg_graph *graph = search->graph;

    search->n_queue = 0;
    for (uint32_t m = 0; m < n_members; m++)
        visit(search, NONE, members[m]);
    for (uint32_t at = 0; at < search->n_queue; at++) {
        uint32_t node = search->queue[at];
        bool outside = search->part_of[node] != search->part;

        search->n_steps += graph->user_of[node + 1] - graph->user_of[node] + 1;
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            *end = graph->users[k];
            if (outside && search->part_of[*end] == search->part)
                return node;
            visit(search, node, *end);
        }
    }
    return NONE;
}

static void trace(const struct search *search, uint32_t node, uint32_t end,
                  struct dg_arena *memory, struct dg_route *out)
{
    uint32_t *path;

    out->n_nodes = 1;
    for (uint32_t i = node; i != NONE; i = search->from[i])
        out->n_nodes++;
    out->nodes = path = dg_alloc(memory, out->n_nodes, sizeof(*path));
    path[out->n_nodes - 1] = end;
    for (size_t i = out->n_nodes - 1; i-- > 0; node = search->from[node])
        path[i] = node;
}

static bool find_detour(struct search *search, const uint32_t *members,
                        uint32_t n_members, struct dg_arena *memory,
                        struct dg_route *out)
{
    uint32_t end = 0, node = find_return(search, members, n_members, &end);

    *out = (struct dg_route){0};
    if (node != NONE)
        trace(search, node, end, memory, out);
    return node != NONE;
}

void dg_quotient_nonconvex(const struct dg_quotient *quotient, uint32_t part,
                           struct dg_route *out)
{
    struct dg_arena scratch = {0};
    struct search search = {.part = part, .last = NONE};
    uint32_t n_members = 0;
    uint32_t *members;

    begin(&search, quotient, &scratch);
    members = dg_alloc(&scratch, quotient->graph->n_nodes, sizeof(*members));
    for (uint32_t i = 0; i < quotient->graph->n_nodes; i++) {
        if (quotient->part_of[i] == part)
            members[n_members++] = i;
    }
    if (n_members && in_order(quotient->graph))
        search.last = members[n_members - 1];
    find_detour(&search, members, n_members, quotient->memory, out);
    dg_arena_clear(&scratch);
}

/* Members of a part are in one zone, those of other components have the zone NONE. */
static uint32_t *find_zones(const struct dg_cyclic *cyclic, struct dg_arena *memory)
{
    uint32_t n = cyclic->graph->n_nodes;
    uint32_t *zone_of = dg_alloc(memory, n, sizeof(*zone_of));

    for (uint32_t i = 0; i < n; i++) {
        uint32_t vertex = cyclic->vertex_of[i];

        zone_of[i] = vertex == NONE ? NONE : cyclic->component_of[vertex];
    }
    return zone_of;
}

static size_t search_parts(struct search *search, const struct dg_csr *parts,
                           uint32_t n_parts, struct dg_arena *memory,
                           struct dg_nonconvex **out)
{
    uint64_t budget = dg_quotient_budget(search->graph);
    bool ordered = in_order(search->graph);
    struct dg_nonconvex found;
    size_t n_out = 0;

    for (uint32_t p = 0; p < n_parts && search->n_steps < budget; p++) {
        const uint32_t *members = &parts->items[parts->begins[p]];
        uint32_t n_members = parts->begins[p + 1] - parts->begins[p];

        if (!n_members || search->zone_of[members[0]] == NONE)
            continue;
        search->part = found.part = p;
        search->zone = search->zone_of[members[0]];
        search->last = ordered ? members[n_members - 1] : NONE;
        if (find_detour(search, members, n_members, memory, &found.route))
            *DG_APPEND(*out, n_out) = found;
    }
    return n_out;
}

size_t dg_quotient_nonconvex_parts(const struct dg_quotient *quotient,
                                   struct dg_nonconvex **out)
{
    struct dg_arena scratch = {0};
    struct search search = {0};
    struct dg_csr parts;
    struct dg_nonconvex *found = NULL;
    struct dg_cyclic cyclic;
    size_t n_found = 0;

    *out = NULL;
    if (dg_cyclic_find(&cyclic, quotient, &scratch)) {
        begin(&search, quotient, &scratch);
        search.zone_of = find_zones(&cyclic, &scratch);
        dg_csr_by_key(&parts, quotient->part_of, quotient->graph->n_nodes,
                      quotient->n_parts, &scratch);
        n_found =
            search_parts(&search, &parts, quotient->n_parts, quotient->memory, &found);
        *out = dg_alloc(quotient->memory, n_found, sizeof(**out));
        if (n_found)
            memcpy(*out, found, n_found * sizeof(**out));
        free(found);
    }
    dg_arena_clear(&scratch);
    return n_found;
}
