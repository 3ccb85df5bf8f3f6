/* A graph of the store as arrays, its cycles, and what reaches what. */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/csr.h"

static enum dg_status read_nodes(struct dg_graph *graph, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT min(id), count(*) FROM node WHERE graph_id = ?1", err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, graph->id);
    if (dg_rows_next(&rows)) {
        graph->first_id = dg_rows_int_or(&rows, 0, 1);
        graph->n_nodes = (uint32_t)dg_rows_int(&rows, 1);
    }
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status && (graph->first_id < 1 || graph->first_id > INT64_MAX - UINT32_MAX))
        status = dg_fail(err, DG_ERR_FORMAT,
                         "store: graph %lld has a node %lld; ids are 1, 2, 3...",
                         (long long)graph->id, (long long)graph->first_id);
    return status;
}

/* Edges come by their reader. */
static enum dg_status read_inputs(struct dg_graph *graph, struct dg_store *store,
                                  struct dg_error *err)
{
    uint32_t *inputs = NULL;
    size_t n = 0;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store,
                     "SELECT dst - ?1, src - ?1 FROM edge"
                     " WHERE dst BETWEEN ?1 AND ?2 ORDER BY dst, pos",
                     err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, graph->first_id);
    dg_rows_bind_int(&rows, 2, graph->first_id + graph->n_nodes - 1);
    while (dg_rows_next(&rows)) {
        int64_t src = dg_rows_int(&rows, 1);

        if (src < 0 || src >= graph->n_nodes)
            continue;
        *DG_APPEND(inputs, n) = (uint32_t)src;
        graph->input_of[dg_rows_int(&rows, 0) + 1]++;
    }
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        graph->input_of[i + 1] += graph->input_of[i];
    graph->inputs = dg_alloc(&graph->memory, n, sizeof(uint32_t));
    if (n)
        memcpy(graph->inputs, inputs, n * sizeof(uint32_t));
    free(inputs);
    return dg_rows_close(&rows, DG_OK, err);
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
    struct dg_arena *memory = dg_store_memory(store);
    enum dg_status status;

    *graph = (struct dg_graph){.id = id, .memory = *memory};
    status = read_nodes(graph, store, err);
    graph->input_of =
        dg_alloc(&graph->memory, (size_t)graph->n_nodes + 1, sizeof(uint32_t));
    if (!status && graph->n_nodes)
        status = read_inputs(graph, store, err);
    dg_graph_find_users(graph);
    *memory = graph->memory;
    graph->memory = (struct dg_arena){0};
    return status;
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
