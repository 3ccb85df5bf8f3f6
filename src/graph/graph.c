/* A graph of the store as arrays, its cycles, and what reaches what. */
#include "graph/graph.h"

#include <stdlib.h>

#include "base/csr.h"
#include "graph/model.h"

/* What its nodes read of other graphs is none of its edges. */
static void take_inputs(struct dg_graph *graph, const struct dg_model *model)
{
    uint32_t first = (uint32_t)graph->first_id - 1, n = 0;
    const uint32_t *use_of = model->use_of + first;

    graph->input_of =
        dg_alloc(&graph->memory, (size_t)graph->n_nodes + 1, sizeof(uint32_t));
    graph->inputs =
        dg_alloc(&graph->memory, use_of[graph->n_nodes] - use_of[0], sizeof(uint32_t));
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        for (uint32_t k = use_of[i]; k < use_of[i + 1]; k++) {
            uint32_t input = model->uses[k].node - first;

            if (input < graph->n_nodes)
                graph->inputs[n++] = input;
        }
        graph->input_of[i + 1] = n;
    }
}

void dg_graph_find_users(struct dg_graph *graph)
{
    struct dg_csr inputs = {graph->input_of, graph->inputs}, users;

    dg_csr_transpose(&users, &inputs, graph->n_nodes, graph->n_nodes, &graph->memory);
    graph->n_edges = graph->input_of[graph->n_nodes];
    graph->user_of = users.begins;
    graph->users = users.items;
}

void dg_graph_clear(struct dg_graph *graph)
{
    dg_arena_clear(&graph->memory);
    *graph = (struct dg_graph){0};
}

static enum dg_status read_graph(void *object, struct dg_store *store, int64_t id,
                                 struct dg_error *err)
{
    struct dg_graph *graph = object;
    const struct dg_model *model;
    struct dg_model_graph nodes;
    enum dg_status status = dg_model_read(&model, store, err);

    *graph = (struct dg_graph){.id = id};
    if (status)
        return status;
    nodes = dg_model_graph_at(model, id);
    graph->first_id = (int64_t)nodes.first + 1;
    graph->n_nodes = nodes.n_nodes;
    graph->memory = *dg_store_memory(store);
    take_inputs(graph, model);
    dg_graph_find_users(graph);
    *dg_store_memory(store) = graph->memory;
    graph->memory = (struct dg_arena){0};
    return DG_OK;
}

enum dg_status dg_graph_load(struct dg_graph *graph, struct dg_store *store, int64_t id,
                             struct dg_error *err)
{
    static const struct dg_row_reader reader = {sizeof(*graph), read_graph};
    const void *kept;
    enum dg_status status = dg_store_read_row(&kept, store, id, &reader, err);

    *graph = *(const struct dg_graph *)kept;
    return status;
}

/* Kahn's order: afterwards waiting[i] is 0 for all that no cycle holds back. */
static uint32_t topological_sort(const struct dg_graph *graph, uint32_t *waiting,
                                 uint32_t *queue)
{
    uint32_t n_queue = 0;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        waiting[i] = graph->input_of[i + 1] - graph->input_of[i];
        if (!waiting[i])
            queue[n_queue++] = i;
    }
    for (uint32_t at = 0; at < n_queue; at++) {
        uint32_t node = queue[at];

        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            if (!--waiting[graph->users[k]])
                queue[n_queue++] = graph->users[k];
        }
    }
    return n_queue;
}

/* A node on a cycle: from one that is held back, walk to inputs that are held back
 * until a node comes again. */
static uint32_t on_cycle(const struct dg_graph *graph, const uint32_t *waiting,
                         bool *seen)
{
    uint32_t node = 0;

    while (!waiting[node])
        node++;
    while (!seen[node]) {
        uint32_t k = graph->input_of[node];

        seen[node] = true;
        while (!waiting[graph->inputs[k]])
            k++;
        node = graph->inputs[k];
    }
    return node;
}

/* The shortest way from `start` through users back to it, in graph->memory. */
static const uint32_t *shortest(struct dg_graph *graph, uint32_t start,
                                const uint32_t *waiting, size_t *length)
{
    uint32_t *from = dg_alloc(&graph->memory, graph->n_nodes, sizeof(*from));
    uint32_t *queue = dg_alloc(&graph->memory, graph->n_nodes + 1, sizeof(*queue));
    bool *seen = dg_alloc(&graph->memory, graph->n_nodes, sizeof(*seen));
    uint32_t n_queue = 1, node = start, *path;

    queue[0] = start;
    for (uint32_t at = 0; at < n_queue && !seen[start]; at++) {
        node = queue[at];
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            uint32_t user = graph->users[k];

            if (seen[user] || !waiting[user])
                continue;
            seen[user] = true;
            from[user] = node;
            queue[n_queue++] = user;
        }
    }
    *length = 1;
    for (node = from[start]; node != start; node = from[node])
        ++*length;
    path = dg_alloc(&graph->memory, *length, sizeof(*path));
    node = start;
    for (size_t i = *length; i-- > 0;)
        path[i] = node = from[node];
    return path;
}

const uint32_t *dg_graph_cycle(struct dg_graph *graph, size_t *length)
{
    uint32_t *waiting = dg_alloc(&graph->memory, graph->n_nodes, sizeof(*waiting));
    uint32_t *queue = dg_alloc(&graph->memory, graph->n_nodes, sizeof(*queue));
    bool *seen;

    *length = 0;
    if (topological_sort(graph, waiting, queue) == graph->n_nodes)
        return NULL;
    seen = dg_alloc(&graph->memory, graph->n_nodes, sizeof(*seen));
    return shortest(graph, on_cycle(graph, waiting, seen), waiting, length);
}

void dg_graph_reaching(const struct dg_graph *graph, const bool *mark, bool *reaches)
{
    uint32_t *queue = malloc((graph->n_nodes + 1) * sizeof(*queue));
    uint32_t n_queue = 0;

    if (!queue)
        dg_out_of_memory();
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        reaches[i] = mark[i];
        if (mark[i])
            queue[n_queue++] = i;
    }
    for (uint32_t at = 0; at < n_queue; at++) {
        uint32_t node = queue[at];

        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
            uint32_t input = graph->inputs[k];

            if (!reaches[input])
                queue[n_queue++] = input;
            reaches[input] = true;
        }
    }
    free(queue);
}
