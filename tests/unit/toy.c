/* Small graphs for tests of algorithms. */
#include "unit/toy.h"

#include <stdio.h>
#include <stdlib.h>

#include "partition/nodes.h"

struct edges {
    uint32_t *items; /* source, user, source, user... */
    size_t n_items;
};

static void compress(struct dg_graph *graph, const struct edges *edges, int side,
                     uint32_t *begins, uint32_t *items)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        begins[i] = n;
        for (size_t k = 0; k < edges->n_items; k += 2) {
            if (edges->items[k + side] == i)
                items[n++] = edges->items[k + !side];
        }
    }
    begins[graph->n_nodes] = n;
}

static void build(struct dg_graph *out, uint32_t n_nodes, const struct edges *edges)
{
    *out = (struct dg_graph){.n_nodes = n_nodes, .first_id = 1};
    out->n_edges = (uint32_t)(edges->n_items / 2);
    out->input_of = dg_alloc(&out->memory, n_nodes + 1, sizeof(uint32_t));
    out->user_of = dg_alloc(&out->memory, n_nodes + 1, sizeof(uint32_t));
    out->inputs = dg_alloc(&out->memory, out->n_edges, sizeof(uint32_t));
    out->users = dg_alloc(&out->memory, out->n_edges, sizeof(uint32_t));
    compress(out, edges, 1, out->input_of, out->inputs);
    compress(out, edges, 0, out->user_of, out->users);
}

static void add(struct edges *edges, uint32_t from, uint32_t to)
{
    *DG_APPEND(edges->items, edges->n_items) = from;
    *DG_APPEND(edges->items, edges->n_items) = to;
}

void toy_graph(struct dg_graph *out, uint32_t n_nodes, const char *text)
{
    struct edges edges = {0};
    unsigned from, to;
    int read;

    while (sscanf(text, "%u-%u%n", &from, &to, &read) == 2) {
        add(&edges, from, to);
        text += read;
    }
    build(out, n_nodes, &edges);
    free(edges.items);
}

void toy_random_graph(struct dg_graph *out, uint32_t n_nodes, unsigned percent)
{
    struct edges edges = {0};

    for (uint32_t i = 0; i < n_nodes; i++) {
        for (uint32_t j = i + 1; j < n_nodes; j++) {
            if (toy_random(100) < percent)
                add(&edges, i, j);
        }
    }
    build(out, n_nodes, &edges);
    free(edges.items);
}

static uint64_t state = 88172645463325252u;

void toy_seed(uint64_t seed)
{
    state = (seed + 1) * 88172645463325252u;
}

uint32_t toy_random(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % limit;
}

static uint16_t mark_of(char kind)
{
    const uint16_t call = DG_MARK_CALL, item = DG_MARK_GETITEM | DG_MARK_TRANSPARENT;

    if (kind == '-')
        return call;
    if (kind == 'i')
        return call | item;
    if (kind == 'I')
        return call | item | DG_MARK_SUPPORTED;
    return call | DG_MARK_SUPPORTED;
}

void toy_marks(uint16_t *marks, const char *kinds)
{
    for (uint32_t i = 0; kinds[i]; i++)
        marks[i] = mark_of(kinds[i]);
}

static uint32_t vertex(uint32_t node, const uint32_t *part_of, uint32_t n_parts)
{
    return part_of[node] < n_parts ? part_of[node] : n_parts + node;
}

static void join(struct toy_pairs *pairs, const struct dg_graph *graph,
                 const uint32_t *part_of, uint32_t n_parts)
{
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        uint32_t from = vertex(i, part_of, n_parts);

        for (uint32_t k = graph->user_of[i]; k < graph->user_of[i + 1]; k++) {
            uint32_t to = vertex(graph->users[k], part_of, n_parts);

            if (from != to)
                pairs->length[from][to] = 1;
        }
    }
}

static void go_through(struct toy_pairs *pairs, uint32_t middle)
{
    for (uint32_t i = 0; i < pairs->n; i++) {
        for (uint32_t j = 0; j < pairs->n; j++) {
            uint32_t length = pairs->length[i][middle] + pairs->length[middle][j];

            if (length < pairs->length[i][j])
                pairs->length[i][j] = length;
        }
    }
}

void toy_all_pairs(struct toy_pairs *pairs, const struct dg_graph *graph,
                   const uint32_t *part_of, uint32_t n_parts)
{
    pairs->n = n_parts + graph->n_nodes;
    for (uint32_t i = 0; i < pairs->n; i++) {
        for (uint32_t j = 0; j < pairs->n; j++)
            pairs->length[i][j] = TOY_NEVER;
    }
    join(pairs, graph, part_of, n_parts);
    for (uint32_t middle = 0; middle < pairs->n; middle++)
        go_through(pairs, middle);
}

uint32_t toy_shortest_cycle(const struct dg_graph *graph, const uint32_t *part_of,
                            uint32_t n_parts)
{
    static struct toy_pairs pairs;
    uint32_t best = TOY_NEVER;

    toy_all_pairs(&pairs, graph, part_of, n_parts);
    for (uint32_t i = 0; i < pairs.n; i++)
        best = pairs.length[i][i] < best ? pairs.length[i][i] : best;
    return best;
}
