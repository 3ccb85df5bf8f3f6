/* Places in rows whose order is settled: each as near to the middle of its neighbours
 * as the others in its row allow. */
#include <math.h>
#include <stdlib.h>

#include "reports/picture/layered.h"
#include "reports/picture/visible.h"

enum {
    PASSES = 6,
    TALL = 4000,   /* levels that are higher may be folded */
    SLENDER = 3,   /* and this many times as high as wide */
    PAGE_GAP = 48, /* between their columns */
};

/* Neighbours in a row that touch move as one. */
struct cluster {
    double sum, weight; /* of what its members wish; their mean is where it stands */
    size_t n_members;
};

/* Straight long links are worth more than boxes in the middle. */
static double weight_of(const struct dg_vertex *vertex, bool linked)
{
    if (!linked)
        return 0.01;
    return vertex->dummy ? 4 : 1;
}

static double distance(const struct dg_level *level, size_t left, size_t right)
{
    return level->vertices[left].w / 2 + level->vertices[right].w / 2 +
           level->column_gap;
}

static double mean(const struct cluster *cluster)
{
    return cluster->sum / cluster->weight;
}

/* The least squares of the wishes under the order of the row: pool adjacent violators.
 */
static void place_row(struct dg_level *level, size_t row,
                      const struct dg_csr *neighbours, struct cluster *clusters)
{
    const size_t *ids = level->rows + level->row_start[row];
    size_t n = level->row_start[row + 1] - level->row_start[row], n_clusters = 0;
    double offset = 0;

    for (size_t i = 0; i < n; i++) {
        const struct dg_vertex *vertex = &level->vertices[ids[i]];
        bool linked = neighbours->begins[ids[i]] < neighbours->begins[ids[i] + 1];
        double weight = weight_of(vertex, linked);

        offset += i ? distance(level, ids[i - 1], ids[i]) : 0;
        clusters[n_clusters++] = (struct cluster){
            (dg_level_mean(level, neighbours, ids[i]) - offset) * weight, weight, 1};
        while (n_clusters > 1 &&
               mean(&clusters[n_clusters - 2]) >= mean(&clusters[n_clusters - 1])) {
            struct cluster last = clusters[--n_clusters];

            clusters[n_clusters - 1].sum += last.sum;
            clusters[n_clusters - 1].weight += last.weight;
            clusters[n_clusters - 1].n_members += last.n_members;
        }
    }
    offset = 0;
    for (size_t i = 0, k = 0, left = 0; i < n; i++, left--) {
        if (!left)
            left = clusters[k++].n_members;
        offset += i ? distance(level, ids[i - 1], ids[i]) : 0;
        level->vertices[ids[i]].x = mean(&clusters[k - 1]) + offset;
    }
}

static void place_rows(struct dg_level *level)
{
    double y = 0;

    level->tops = dg_zeroed(level->n_rows, sizeof(double));
    level->ends = dg_zeroed(level->n_rows, sizeof(double));
    for (size_t row = 0; row < level->n_rows; row++) {
        double height = 0;

        for (size_t i = level->row_start[row]; i < level->row_start[row + 1]; i++) {
            double h = level->vertices[level->rows[i]].h;

            height = h > height ? h : height;
        }
        for (size_t i = level->row_start[row]; i < level->row_start[row + 1]; i++)
            level->vertices[level->rows[i]].y = y + height / 2;
        level->tops[row] = y;
        level->ends[row] = y + height;
        y += height + (row + 1 < level->n_rows ? level->gaps[row] : 0);
    }
    level->height = y;
}

/* So that the leftmost edge is at 0. */
static void justify(struct dg_level *level)
{
    double least = 0, most = 0;

    for (size_t i = 0; i < level->n_vertices; i++) {
        const struct dg_vertex *vertex = &level->vertices[i];
        double left = vertex->x - vertex->w / 2, right = vertex->x + vertex->w / 2;

        least = !i || left < least ? left : least;
        most = !i || right > most ? right : most;
    }
    for (size_t i = 0; i < level->n_vertices; i++)
        level->vertices[i].x -= least;
    level->width = most - least;
}

static void measure_row(const struct dg_level *level, size_t row, double *least,
                        double *most)
{
    for (size_t i = level->row_start[row]; i < level->row_start[row + 1]; i++) {
        const struct dg_vertex *vertex = &level->vertices[level->rows[i]];

        *least = fmin(*least, vertex->x - vertex->w / 2);
        *most = fmax(*most, vertex->x + vertex->w / 2);
    }
}

static void move_row(struct dg_level *level, size_t row, double dx, double dy)
{
    for (size_t i = level->row_start[row]; i < level->row_start[row + 1]; i++) {
        level->vertices[level->rows[i]].x += dx;
        level->vertices[level->rows[i]].y += dy;
    }
    level->tops[row] += dy;
    level->ends[row] += dy;
}

/* Rows one column after another, as text on a page, where one column would be a ribbon
 * that no screen shows. */
static void fold_rows(struct dg_level *level)
{
    double high = sqrt(level->height * level->width / 1.4), x = 0, height = 0;

    if (level->height < TALL || level->height < SLENDER * level->width)
        return;
    for (size_t first = 0, end; first < level->n_rows; first = end) {
        double least = INFINITY, most = -INFINITY, top = level->tops[first];

        for (end = first;
             end < level->n_rows && (end == first || level->ends[end] - top <= high);
             end++)
            measure_row(level, end, &least, &most);
        height = fmax(height, level->ends[end - 1] - top);
        for (size_t row = first; row < end; row++)
            move_row(level, row, x - least, -top);
        x += most - least + PAGE_GAP;
    }
    level->height = height;
}

void dg_level_place(struct dg_level *level)
{
    struct cluster *clusters = dg_zeroed(level->n_vertices, sizeof(*clusters));

    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t i = 1; i < level->n_rows; i++)
            place_row(level, i, &level->above, clusters);
        for (size_t i = level->n_rows; i-- > 1;)
            place_row(level, i - 1, &level->below, clusters);
    }
    free(clusters);
    place_rows(level);
    justify(level);
    fold_rows(level);
    justify(level);
}
