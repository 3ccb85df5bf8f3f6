/* One level of a layered layout: what lies directly in one frame, in rows. Rows are
 * found by the longest path; links over more than one row get a dummy in each row that
 * they pass. */
#ifndef DG_REPORTS_PICTURE_LAYERED_H
#define DG_REPORTS_PICTURE_LAYERED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csr.h"
#include "reports/picture/layout.h"

struct dg_vertex {
    double w, h;
    double x, y; /* of its middle */
    size_t row;
    bool dummy;
};

struct dg_edge { /* from one vertex to another that stands before or behind it */
    size_t from, to;
    bool labelled;
    bool aside; /* it leads up, or over so many rows that it runs beside them */
    size_t first_dummy, n_dummies;
};

struct dg_segment { /* from one row to the next */
    size_t from, to;
};

struct dg_level {
    struct dg_vertex *vertices; /* dummies last */
    size_t n_vertices;
    struct dg_edge *edges;
    size_t n_edges;
    struct dg_segment *segments;
    size_t n_segments;
    struct dg_csr above, below; /* vertices next to each */
    struct dg_arena memory;     /* of these */
    size_t *row_start, *rows;   /* vertices of row r: rows[row_start[r]] and on */
    size_t n_rows;
    double *gaps;        /* below each row */
    double *tops, *ends; /* of each row */
    double width, height;
    double row_gap, column_gap; /* at least */
};

enum { DG_ROW_GAP = 26, DG_COLUMN_GAP = 14 };

/* Give each vertex a row, and dummies to the edges: *level has vertices with sizes, in
 * the order of the picture, and edges. */
void dg_level_rows(struct dg_level *level);

/* Choose the order in each row, so that few links cross; then the places. */
void dg_level_order(struct dg_level *level);
void dg_level_place(struct dg_level *level);

/* Of the neighbours' middles; its own where there are none. */
double dg_level_mean(const struct dg_level *level, const struct dg_csr *neighbours,
                     size_t vertex);

void dg_level_clear(struct dg_level *level);

/* From one box along a way, which has two points for each row that it passes, to
 * another. */
void dg_curve_bend(struct dg_curve *curve, const struct dg_curve *way,
                   const struct dg_rect *from, const struct dg_rect *to,
                   struct dg_arena *memory);

#endif
