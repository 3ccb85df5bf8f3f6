/* Cells in aligned columns, for a terminal: gathered first, as widths depend on all. */
#ifndef DG_REPORTS_GRID_H
#define DG_REPORTS_GRID_H

#include "reports/page/page.h"

enum dg_grid_fit { /* what becomes of a cell that is wider than its column may be */
                   DG_GRID_WHOLE,
                   DG_GRID_ELIDED,
                   DG_GRID_WRAPPED,
};

struct dg_grid_column {
    bool right;
    enum dg_grid_fit fit;
    size_t width;
    bool shown;
};

/* Start from {0}; end with dg_grid_clear(). */
struct dg_grid {
    struct dg_grid_column *columns;
    size_t n_columns;
    struct dg_writer text; /* of all cells; fit to be printed */
    struct dg_grid_cell *cells;
    size_t n_cells;
};

void dg_grid_column(struct dg_grid *grid, bool right, enum dg_grid_fit fit);

/* Write a cell into grid->text, then end it. The first row is the header if there is
 * one. */
void dg_grid_end_cell(struct dg_grid *grid, enum dg_tone tone);

/* Columns without any text in a row after the first are left out. */
void dg_grid_drop_empty(struct dg_grid *grid);

/* How many columns of the terminal it takes unless it is shrunk. */
size_t dg_grid_width(const struct dg_grid *grid);

/* Leave a column out where the grid is wider than the terminal. */
void dg_grid_give_up(struct dg_grid *grid, size_t column, size_t indent,
                     const struct dg_page_options *options);

/* With options->width 0, as wide as the cells are, up to some lines. Where not even narrow columns fit,
 * each row becomes several lines "header: cell". */
void dg_grid_write(struct dg_writer *out, struct dg_grid *grid, size_t indent,
                   bool header, const struct dg_page_options *options);

void dg_grid_clear(struct dg_grid *grid);

#endif
