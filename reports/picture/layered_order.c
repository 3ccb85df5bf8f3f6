/* The order of what stands in one row: each next to what it is linked to. */
#include <stdlib.h>

#include "base/sorted.h"
#include "reports/picture/layered.h"
#include "reports/picture/visible.h"

enum { SWEEPS = 8 };

/* Half of each segment, in the order of the other half. */
static void index_neighbours(struct dg_csr *neighbours, struct dg_level *level,
                             bool above)
{
    uint32_t n = (uint32_t)level->n_segments;
    uint32_t *keys = dg_alloc(&level->memory, n, sizeof(*keys));

    for (uint32_t i = 0; i < n; i++)
        keys[i] = (uint32_t)(above ? level->segments[i].to : level->segments[i].from);
    dg_csr_by_key(neighbours, keys, n, (uint32_t)level->n_vertices, &level->memory);
    for (uint32_t k = 0; k < n; k++) {
        const struct dg_segment *segment = &level->segments[neighbours->items[k]];

        neighbours->items[k] = (uint32_t)(above ? segment->from : segment->to);
    }
}

static void fill_rows(struct dg_level *level)
{
    size_t *start = dg_zeroed(level->n_rows + 1, sizeof(*start));

    level->rows = dg_zeroed(level->n_vertices, sizeof(*level->rows));
    for (size_t i = 0; i < level->n_vertices; i++)
        start[level->vertices[i].row + 1]++;
    for (size_t i = 0; i < level->n_rows; i++)
        start[i + 1] += start[i];
    level->row_start = dg_zeroed(level->n_rows + 1, sizeof(*start));
    memcpy(level->row_start, start, (level->n_rows + 1) * sizeof(*start));
    for (size_t i = 0; i < level->n_vertices; i++)
        level->rows[start[level->vertices[i].row]++] = i;
    free(start);
}

/* Side by side around 0. */
static void pack(struct dg_level *level, size_t row)
{
    double x = 0, half;

    for (size_t i = level->row_start[row]; i < level->row_start[row + 1]; i++) {
        struct dg_vertex *vertex = &level->vertices[level->rows[i]];

        vertex->x = x + vertex->w / 2;
        x += vertex->w + level->column_gap;
    }
    half = (x - level->column_gap) / 2;
    for (size_t i = level->row_start[row]; i < level->row_start[row + 1]; i++)
        level->vertices[level->rows[i]].x -= half;
}

struct keyed {
    double key;
    size_t vertex, place;
};

static int by_key(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

double dg_level_mean(const struct dg_level *level, const struct dg_csr *neighbours,
                     size_t vertex)
{
    size_t begin = neighbours->begins[vertex], end = neighbours->begins[vertex + 1];
    double sum = 0;

    if (begin == end)
        return level->vertices[vertex].x;
    for (size_t i = begin; i < end; i++)
        sum += level->vertices[neighbours->items[i]].x;
    return sum / (double)(end - begin);
}

static void sort_row(struct dg_level *level, size_t row,
                     const struct dg_csr *neighbours, struct keyed *keyed)
{
    size_t *rows = level->rows + level->row_start[row];
    size_t n = level->row_start[row + 1] - level->row_start[row];

    if (n < 2)
        return;
    for (size_t i = 0; i < n; i++)
        keyed[i] =
            (struct keyed){dg_level_mean(level, neighbours, rows[i]), rows[i], i};
    dg_sort(keyed, n, sizeof(*keyed), by_key);
    for (size_t i = 0; i < n; i++)
        rows[i] = keyed[i].vertex;
    pack(level, row);
}

void dg_level_order(struct dg_level *level)
{
    struct keyed *keyed = dg_zeroed(level->n_vertices, sizeof(*keyed));

    index_neighbours(&level->above, level, true);
    index_neighbours(&level->below, level, false);
    fill_rows(level);
    for (size_t i = 0; i < level->n_rows; i++)
        pack(level, i);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = 1; i < level->n_rows; i++)
            sort_row(level, i, &level->above, keyed);
        for (size_t i = level->n_rows; sweep + 1 < SWEEPS && i-- > 1;)
            sort_row(level, i - 1, &level->below, keyed);
    }
    free(keyed);
}

void dg_level_clear(struct dg_level *level)
{
    free(level->vertices);
    free(level->edges);
    free(level->segments);
    free(level->row_start);
    free(level->rows);
    free(level->gaps);
    free(level->tops);
    free(level->ends);
    dg_arena_clear(&level->memory);
    *level = (struct dg_level){0};
}
