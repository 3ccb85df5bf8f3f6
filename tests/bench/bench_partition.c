/* bench_partition time FAMILY NODES: seconds and memory of the default partitioner on a
 * synthetic graph, as JSON.
 * bench_partition print FAMILY NODES: that graph, a line per node: whether it is
 * supported (1 or 0) and its inputs.
 * Families: layered, residual, sparse. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "partition/partition.h"

enum { LAYER = 20, BLOCK = 14, WINDOW = 64, MOST_RUNS = 200 };

/* What the partitioner takes from the heap at most. */
static size_t in_use, most_in_use;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static void *taken(void *block)
{
    in_use += malloc_usable_size(block);
    most_in_use = in_use > most_in_use ? in_use : most_in_use;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return taken(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return taken(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    in_use -= malloc_usable_size(old);
    return taken(__real_realloc(old, size));
}

void __wrap_free(void *block)
{
    in_use -= malloc_usable_size(block);
    __real_free(block);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint32_t draw(uint32_t limit)
{
    static uint64_t state = 88172645463325252U;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state % limit);
}

struct made {
    struct dg_graph graph;
    uint16_t *marks;
};

static void add_input(struct made *made, uint32_t node, uint32_t input)
{
    struct dg_graph *graph = &made->graph;

    for (uint32_t k = graph->input_of[node]; k < graph->n_edges; k++) {
        if (graph->inputs[k] == input)
            return;
    }
    graph->inputs[graph->n_edges++] = input;
}

/* Two inputs from the two layers before. One node of ten is not supported. */
static bool add_layered(struct made *made, uint32_t node)
{
    uint32_t begin = node / LAYER * LAYER;
    uint32_t back = begin < 2 * LAYER ? begin : 2 * LAYER;

    for (int i = 0; i < 2 && back; i++)
        add_input(made, node, begin - 1 - draw(back));
    return draw(10) > 0;
}

/* A chain of blocks; the last node of each also reads what went into it, and one node
 * within is not supported. */
static bool add_residual(struct made *made, uint32_t node)
{
    if (node)
        add_input(made, node, node - 1);
    if (node && node % BLOCK == 0)
        add_input(made, node, node - BLOCK);
    return node % BLOCK != BLOCK / 2;
}

/* Two inputs from the nodes before. Three nodes of ten are not supported. */
static bool add_sparse(struct made *made, uint32_t node)
{
    uint32_t back = node < WINDOW ? node : WINDOW;

    for (int i = 0; i < 2 && back; i++)
        add_input(made, node, node - 1 - draw(back));
    return draw(10) > 2;
}

static const struct family {
    const char *name;
    bool (*add)(struct made *, uint32_t);
} families[] = {
    {"layered", add_layered}, {"residual", add_residual}, {"sparse", add_sparse}};

static void add_users(struct dg_graph *graph)
{
    for (uint32_t k = 0; k < graph->n_edges; k++)
        graph->user_of[graph->inputs[k] + 1]++;
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        graph->user_of[node + 1] += graph->user_of[node];
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++)
            graph->users[graph->user_of[graph->inputs[k]]++] = node;
    }
    for (uint32_t node = graph->n_nodes; node > 0; node--)
        graph->user_of[node] = graph->user_of[node - 1];
    graph->user_of[0] = 0;
}

static void make(struct made *made, const struct family *family, uint32_t n_nodes)
{
    struct dg_graph *graph = &made->graph;

    graph->n_nodes = n_nodes;
    graph->input_of =
        dg_alloc(&graph->memory, (size_t)n_nodes + 1, sizeof(*graph->input_of));
    graph->user_of =
        dg_alloc(&graph->memory, (size_t)n_nodes + 1, sizeof(*graph->user_of));
    graph->inputs =
        dg_alloc(&graph->memory, 2 * (size_t)n_nodes, sizeof(*graph->inputs));
    graph->users = dg_alloc(&graph->memory, 2 * (size_t)n_nodes, sizeof(*graph->users));
    made->marks = dg_alloc(&graph->memory, n_nodes, sizeof(*made->marks));
    for (uint32_t node = 0; node < n_nodes; node++) {
        graph->input_of[node] = graph->n_edges;
        made->marks[node] = DG_MARK_CALL;
        if (family->add(made, node))
            made->marks[node] |= DG_MARK_SUPPORTED;
        graph->input_of[node + 1] = graph->n_edges;
    }
    add_users(graph);
}

static void print_graph(const struct made *made)
{
    const struct dg_graph *graph = &made->graph;

    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        printf("%d", (made->marks[node] & DG_MARK_SUPPORTED) != 0);
        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++)
            printf(" %u", graph->inputs[k]);
        printf("\n");
    }
}

/* The graph as it is given and all that comes on top while it is partitioned. */
static size_t peak_bytes(const struct made *made, size_t before)
{
    size_t n_nodes = made->graph.n_nodes, n_edges = made->graph.n_edges;

    return 2 * (n_nodes + 1 + n_edges) * sizeof(uint32_t) +
           n_nodes * sizeof(*made->marks) + most_in_use - before;
}

static void time_graph(const struct made *made)
{
    uint32_t n_runs = 20000000 / (made->graph.n_nodes + 1) + 3, n_parts = 0;
    double best = 1e9;
    size_t before = in_use;

    most_in_use = in_use;
    for (uint32_t i = 0; i < n_runs && i < MOST_RUNS; i++) {
        struct dg_partitions partitions;
        double begin = now(), seconds;

        dg_partition_torch(&partitions, &made->graph, made->marks, false);
        n_parts = partitions.n_parts;
        dg_partitions_clear(&partitions);
        seconds = now() - begin;
        best = seconds < best ? seconds : best;
    }
    printf("{\"nodes\": %u, \"edges\": %u, \"partitions\": %u, \"seconds\": %.9f, "
           "\"bytes_per_node\": %.1f}\n",
           made->graph.n_nodes, made->graph.n_edges, n_parts, best,
           (double)peak_bytes(made, before) / made->graph.n_nodes);
}

int main(int argc, char **argv)
{
    long n_nodes = argc == 4 ? atol(argv[3]) : 0;
    const struct family *family = NULL;
    struct made made = {0};

    for (size_t i = 0; argc == 4 && i < sizeof(families) / sizeof(*families); i++) {
        if (!strcmp(families[i].name, argv[2]))
            family = &families[i];
    }
    if (!family || n_nodes < 1 || n_nodes > 100000000) {
        fprintf(stderr, "bench_partition time|print layered|residual|sparse NODES\n");
        return 2;
    }
    make(&made, family, (uint32_t)n_nodes);
    if (!strcmp(argv[1], "time"))
        time_graph(&made);
    else
        print_graph(&made);
    dg_arena_clear(&made.graph.memory);
    return EXIT_SUCCESS;
}
