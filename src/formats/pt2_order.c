/* Rows in the order of their graphs: branches are read in the middle of what calls
 * them, and are to follow it. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "formats/pt2.h"

/* Where each of `count` rows goes when they are grouped by graph; NULL: all may stay.
 */
static int64_t *places(const char *rows, size_t count, size_t size, size_t n_graphs)
{
    int64_t *next, *place, last = 0, total = 0;
    bool sorted = true;

    for (size_t i = 0; i < count; i++) {
        int64_t graph;

        memcpy(&graph, rows + i * size, sizeof(graph));
        sorted &= graph >= last;
        last = graph;
    }
    if (sorted)
        return NULL;
    next = calloc(n_graphs, sizeof(*next));
    place = calloc(count, sizeof(*place));
    if (!next || !place)
        dg_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        memcpy(&last, rows + i * size, sizeof(last));
        next[last]++;
    }
    for (size_t i = 0; i < n_graphs; i++) {
        int64_t rows_of_graph = next[i];

        next[i] = total;
        total += rows_of_graph;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(&last, rows + i * size, sizeof(last));
        place[i] = next[last]++;
    }
    free(next);
    return place;
}

/* Cycle by cycle, without a second array of rows. `place` is used up. */
static void permute(char *rows, size_t count, size_t size, int64_t *place)
{
    char *moving = malloc(2 * size), *other = moving + size;

    if (!moving)
        dg_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        int64_t at = (int64_t)i;

        memcpy(moving, rows + i * size, size);
        while (place[at] >= 0) {
            int64_t to = place[at];

            place[at] = -1;
            memcpy(other, rows + (size_t)to * size, size);
            memcpy(rows + (size_t)to * size, moving, size);
            memcpy(moving, other, size);
            at = to;
        }
    }
    free(moving);
}

static void follow(int64_t *row, const int64_t *place)
{
    if (*row != DG_NONE)
        *row = place[*row];
}

static void order_nodes(struct dg_program *program)
{
    int64_t *place = places((const char *)program->nodes, program->n_nodes,
                            sizeof(*program->nodes), program->n_graphs);

    if (!place)
        return;
    for (size_t i = 0; i < program->n_edges; i++) {
        follow(&program->edges[i].dst, place);
        follow(&program->edges[i].src, place);
    }
    for (size_t i = 0; i < program->n_danglings; i++)
        follow(&program->danglings[i].node, place);
    for (size_t i = 0; i < program->n_remarks; i++)
        follow(&program->remarks[i].node, place);
    permute((char *)program->nodes, program->n_nodes, sizeof(*program->nodes), place);
    free(place);
}

static void order_values(struct dg_program *program)
{
    int64_t *place = places((const char *)program->values, program->n_values,
                            sizeof(*program->values), program->n_graphs);

    if (!place)
        return;
    for (size_t i = 0; i < program->n_nodes; i++)
        follow(&program->nodes[i].value, place);
    for (size_t i = 0; i < program->n_signatures; i++)
        follow(&program->signatures[i].value, place);
    for (size_t i = 0; i < program->n_remarks; i++)
        follow(&program->remarks[i].value, place);
    permute((char *)program->values, program->n_values, sizeof(*program->values),
            place);
    free(place);
}

static int compare_edges(const void *a, const void *b)
{
    const struct dg_edge_row *x = a, *y = b;

    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    return (x->pos > y->pos) - (x->pos < y->pos);
}

/* Only nested graphs and forward references leave edges out of order. */
static void order_edges(struct dg_program *program)
{
    for (size_t i = 1; i < program->n_edges; i++) {
        if (compare_edges(&program->edges[i - 1], &program->edges[i]) > 0) {
            dg_sort(program->edges, program->n_edges, sizeof(*program->edges),
                    compare_edges);
            return;
        }
    }
}

void dg_pt2_order(struct dg_program *program)
{
    _Static_assert(offsetof(struct dg_node_row, graph) == 0, "places() reads it");
    _Static_assert(offsetof(struct dg_value_row, graph) == 0, "places() reads it");

    order_nodes(program);
    order_values(program);
    for (size_t i = 0; i < program->n_edges; i++)
        program->edges[i].value = program->nodes[program->edges[i].src].value;
    order_edges(program);
}
