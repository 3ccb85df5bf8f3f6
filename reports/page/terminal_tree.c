/* Trees and treemaps of a report on a terminal: one line for each area. */
#include "base/quantity.h"
#include "base/sum.h"
#include "reports/page/display_width.h"
#include "reports/page/grid.h"
#include "reports/page/terminal.h"
#include "reports/page/text_drawing.h"
#include "reports/page/tree_lines.h"

enum { AREA_BAR = 10, MOST_CHILDREN = 8, MAP_DEPTH = 3 };

static void add_name(struct dg_grid *grid, struct dg_tree_lines *branches, size_t i,
                     const struct dg_area *areas, bool ascii)
{
    const struct dg_tree_line *line = &branches->lines[i];

    dg_tree_lines_write(&grid->text, branches, i, ascii);
    if (line->area == SIZE_MAX)
        dg_print(&grid->text, "and %zu more", line->n_left_out);
    else
        dg_write_plain(&grid->text, areas[line->area].name);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
}

static void add_line(struct dg_grid *grid, const struct dg_tree_line *line,
                     const struct dg_area *areas, int64_t all, bool ascii)
{
    static const struct dg_area none = {.count = -1};
    const struct dg_area *area = line->area == SIZE_MAX ? &none : &areas[line->area];
    int64_t bytes = line->area == SIZE_MAX ? line->bytes_left_out : area->bytes;

    if (area->count >= 0)
        dg_print(&grid->text, "%lld", (long long)area->count);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
    if (bytes >= 0)
        dg_write_size(&grid->text, bytes);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
    if (all > 0)
        dg_write_bar(&grid->text, (double)bytes / (double)all, AREA_BAR, false, ascii);
    dg_grid_end_cell(grid, DG_TONE_NOTE);
    dg_write_plain(&grid->text, area->note);
    dg_grid_end_cell(grid, DG_TONE_PLAIN);
}

/* What a full bar is: the sum of the outermost areas. */
static int64_t whole(const struct dg_block *block)
{
    int64_t sum = 0;

    for (size_t i = 0; i < block->n_areas; i++) {
        const struct dg_area *area = &block->areas[i];

        if (area->parent == SIZE_MAX)
            dg_add_to(&sum, area->bytes);
    }
    return sum;
}

void dg_terminal_tree(struct dg_writer *out, const struct dg_block *block,
                      const struct dg_page_options *options)
{
    bool map = block->kind == DG_BLOCK_TREEMAP;
    struct dg_tree_limits limits = {
        .most = map ? MOST_CHILDREN : 0, .depth = map ? MAP_DEPTH : 0, .largest = map};
    struct dg_tree_lines branches = {0};
    struct dg_grid grid = {0};
    int64_t all = whole(block);

    dg_tree_lines_make(&branches, block->areas, block->n_areas, &limits);
    dg_grid_column(&grid, false, DG_GRID_ELIDED);
    dg_grid_column(&grid, true, DG_GRID_WHOLE);
    dg_grid_column(&grid, true, DG_GRID_WHOLE);
    dg_grid_column(&grid, false, DG_GRID_WHOLE);
    dg_grid_column(&grid, false, DG_GRID_ELIDED);
    for (size_t i = 0; i < branches.n_lines; i++) {
        add_name(&grid, &branches, i, block->areas, options->ascii);
        add_line(&grid, &branches.lines[i], block->areas, all, options->ascii);
    }
    for (size_t i = 0; i < grid.n_columns; i++)
        grid.columns[i].shown = grid.columns[i].width > 0;
    dg_grid_give_up(&grid, 4, DG_TERMINAL_INDENT, options);
    dg_grid_give_up(&grid, 3, DG_TERMINAL_INDENT, options);
    dg_grid_write(out, &grid, DG_TERMINAL_INDENT, false, options);
    dg_tree_lines_clear(&branches);
    dg_grid_clear(&grid);
}
