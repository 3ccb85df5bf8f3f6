/* Rows of a query as a table with aligned columns. */
#include "reports/page/grid.h"
#include "reports/rows.h"

static void add_header(struct dg_grid *grid, const struct dg_rows *rows)
{
    for (int i = 0; i < dg_rows_columns(rows); i++)
        dg_grid_column(grid, true, DG_GRID_WHOLE);
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        struct dg_text name;

        name.data = dg_row_column(rows, i, &name.size);
        dg_write_plain(&grid->text, name);
        dg_grid_end_cell(grid, DG_TONE_PLAIN);
    }
}

/* A column stands to the right if it holds numbers only. */
static void add_row(struct dg_grid *grid, const struct dg_rows *rows)
{
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        char type = dg_rows_type(rows, i);

        if (type != 'i' && type != 'f' && type != 'n')
            grid->columns[i].right = false;
        dg_write_cell_text(&grid->text, rows, i);
        dg_grid_end_cell(grid, DG_TONE_PLAIN);
    }
}

enum { BYTES_PER_CELL = 16 }; /* at least, in memory */

enum dg_status dg_write_table(struct dg_writer *out, struct dg_rows *rows,
                              size_t indent, bool brief, struct dg_error *err)
{
    const struct dg_page_options plain = {0};
    struct dg_grid grid = {.text.most = out->most};
    enum dg_status status;

    add_header(&grid, rows);
    while (!out->full && dg_rows_next(rows)) {
        add_row(&grid, rows);
        out->full =
            grid.text.full || (out->most && grid.n_cells > out->most / BYTES_PER_CELL);
    }
    status = dg_rows_close(rows, DG_OK, err);
    if (brief)
        dg_grid_drop_empty(&grid);
    if (!status && (!brief || grid.n_cells > grid.n_columns))
        dg_grid_write(out, &grid, indent, true, &plain);
    dg_grid_clear(&grid);
    return status;
}
