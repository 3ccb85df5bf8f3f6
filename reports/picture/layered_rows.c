/* Which row each vertex of a level stands in, and the dummies of long links. */
#include <stdlib.h>

#include "base/sorted.h"
#include "reports/picture/layered.h"
#include "reports/picture/visible.h"

enum {
    MOST_ROWS = 32,     /* that a link passes by dummies */
    MOST_DUMMIES = 8,   /* for each vertex and edge of the level, on average */
    LEAST_WIDTH = 1600, /* of a row before it is parted in two */
    DUMMY_WIDTH = 4,
    LABEL_ROOM = 12,
};

static int by_from(const void *left, const void *right)
{
    const struct dg_edge *const *a = left, *const *b = right;

    if ((*a)->from != (*b)->from)
        return (*a)->from < (*b)->from ? -1 : 1;
    return (*a > *b) - (*a < *b);
}

static bool leads_down(const struct dg_edge *edge)
{
    return edge->from < edge->to;
}

/* Edges in the order of the vertices that they leave; the caller frees them. */
static struct dg_edge **sort_edges(const struct dg_level *level)
{
    struct dg_edge **sorted = dg_zeroed(level->n_edges, sizeof(*sorted));

    for (size_t i = 0; i < level->n_edges; i++)
        sorted[i] = &level->edges[i];
    dg_sort(sorted, level->n_edges, sizeof(*sorted), by_from);
    return sorted;
}

/* The longest path from above; what has nothing above it stands just over its first
 * reader. */
static void find_rows(struct dg_level *level)
{
    struct dg_edge **sorted = sort_edges(level);
    size_t *least = dg_zeroed(level->n_vertices, sizeof(*least));
    bool *reached = dg_zeroed(level->n_vertices, sizeof(*reached));

    for (size_t i = 0; i < level->n_edges; i++) {
        struct dg_vertex *vertices = level->vertices;
        size_t from = sorted[i]->from, to = sorted[i]->to;

        if (!leads_down(sorted[i]))
            continue;
        reached[to] = true;
        if (vertices[to].row <= vertices[from].row)
            vertices[to].row = vertices[from].row + 1;
    }
    for (size_t i = 0; i < level->n_edges; i++) {
        size_t from = sorted[i]->from, row = level->vertices[sorted[i]->to].row;

        if (leads_down(sorted[i]) && (!least[from] || row < least[from]))
            least[from] = row;
    }
    for (size_t i = 0; i < level->n_vertices; i++)
        if (!reached[i] && least[i])
            level->vertices[i].row = least[i] - 1;
    free(sorted);
    free(least);
    free(reached);
}

struct ranked {
    size_t row, vertex;
};

static int by_row(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* Rows without gaps in their numbers, and none wider than a page. */
static void part_wide_rows(struct dg_level *level)
{
    struct ranked *ranked = dg_zeroed(level->n_vertices, sizeof(*ranked));
    double width = 0, most = LEAST_WIDTH;
    size_t row = 0;

    for (size_t i = 0; i < level->n_vertices; i++) {
        ranked[i] = (struct ranked){level->vertices[i].row, i};
        most = level->vertices[i].w > most ? level->vertices[i].w : most;
    }
    dg_sort(ranked, level->n_vertices, sizeof(*ranked), by_row);
    for (size_t i = 0; i < level->n_vertices; i++) {
        struct dg_vertex *vertex = &level->vertices[ranked[i].vertex];

        width += vertex->w + level->column_gap;
        if (i && (ranked[i].row != ranked[i - 1].row || width > most)) {
            width = vertex->w + level->column_gap;
            row++;
        }
        vertex->row = row;
    }
    level->n_rows = level->n_vertices ? row + 1 : 0;
    free(ranked);
}

static size_t rows_between(const struct dg_level *level, const struct dg_edge *edge)
{
    size_t from = level->vertices[edge->from].row, to = level->vertices[edge->to].row;

    return to > from ? to - from - 1 : 0;
}

static size_t choose_dummies(struct dg_level *level)
{
    size_t total = 0, most = MOST_DUMMIES * (level->n_vertices + level->n_edges);

    for (size_t i = 0; i < level->n_edges; i++) {
        struct dg_edge *edge = &level->edges[i];
        size_t between = rows_between(level, edge);

        edge->aside =
            !leads_down(edge) || between >= MOST_ROWS || total + between > most;
        edge->n_dummies = edge->aside ? 0 : between;
        total += edge->n_dummies;
    }
    return total;
}

static void add_segments(struct dg_level *level, struct dg_edge *edge, size_t first)
{
    size_t from = edge->from, row = level->vertices[from].row;

    edge->first_dummy = first;
    for (size_t i = 0; i < edge->n_dummies; i++) {
        level->vertices[first + i] =
            (struct dg_vertex){.w = DUMMY_WIDTH, .row = row + 1 + i, .dummy = true};
        level->segments[level->n_segments++] = (struct dg_segment){from, first + i};
        from = first + i;
    }
    level->segments[level->n_segments++] = (struct dg_segment){from, edge->to};
}

static void add_dummies(struct dg_level *level)
{
    size_t n_real = level->n_vertices, n_dummies = choose_dummies(level);
    struct dg_vertex *vertices = dg_zeroed(n_real + n_dummies, sizeof(*vertices));

    memcpy(vertices, level->vertices, n_real * sizeof(*vertices));
    free(level->vertices);
    level->vertices = vertices;
    level->segments = dg_zeroed(level->n_edges + n_dummies, sizeof(*level->segments));
    for (size_t i = 0; i < level->n_edges; i++) {
        struct dg_edge *edge = &level->edges[i];

        if (edge->aside)
            continue;
        add_segments(level, edge, level->n_vertices);
        level->n_vertices += edge->n_dummies;
    }
}

static void choose_gaps(struct dg_level *level)
{
    level->gaps = dg_zeroed(level->n_rows, sizeof(*level->gaps));
    for (size_t i = 0; i < level->n_rows; i++)
        level->gaps[i] = level->row_gap;
    for (size_t i = 0; i < level->n_edges; i++)
        if (level->edges[i].labelled)
            level->gaps[level->vertices[level->edges[i].from].row] =
                level->row_gap + LABEL_ROOM;
}

void dg_level_rows(struct dg_level *level)
{
    find_rows(level);
    part_wide_rows(level);
    add_dummies(level);
    choose_gaps(level);
}
