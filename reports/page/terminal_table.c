/* Tables of a report on a terminal. */
#include "reports/page/terminal.h"

#include <math.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "reports/page/display_width.h"
#include "reports/page/grid.h"
#include "reports/page/text_drawing.h"

enum { CELL_BAR = 8 };

static bool is_number(enum dg_cell_kind kind)
{
    return kind == DG_CELL_COUNT || kind == DG_CELL_BYTES || kind == DG_CELL_PERCENT ||
           kind == DG_CELL_REAL || kind == DG_CELL_FINDING || kind == DG_CELL_TREND;
}

/* "8.3 KiB (+3.6 %)" */
static void write_newest(struct dg_writer *out, const struct dg_trend *trend)
{
    double newest = dg_trend_newest(trend), before = dg_trend_before(trend);

    dg_write_quantity(out, trend->unit, newest);
    if (!isfinite(before) || before == newest)
        return;
    dg_print(out, " (");
    dg_write_change(out, trend->unit, before, newest);
    dg_print(out, ")");
}

void dg_write_cell(struct dg_writer *out, const struct dg_cell *cell,
                   enum dg_cell_kind kind)
{
    if (cell->none)
        return;
    if (cell->text.data)
        dg_write_plain(out, cell->text);
    else if (cell->trend)
        write_newest(out, cell->trend);
    else if (kind == DG_CELL_BYTES && cell->number < 9.2e18 && cell->number > -9.2e18)
        dg_write_size(out, (int64_t)cell->number);
    else if (kind == DG_CELL_PERCENT)
        dg_print(out, "%.1f %%", cell->number);
    else if (kind == DG_CELL_REAL)
        dg_print(out, "%.4g", cell->number);
    else
        dg_print(out, "%.15g", cell->number);
}

void dg_write_course(struct dg_writer *out, const struct dg_trend *trend)
{
    struct dg_writer line = {0};

    dg_write_trend_line(&line, trend);
    if (line.size)
        dg_print(out, " %s", line.data);
    dg_writer_clear(&line);
}

/* The largest number of each column, whose bar is full: 100 of percents. The caller
 * frees it. */
static double *largest_of(const struct dg_sheet *sheet)
{
    double *largest = NULL;
    size_t n = 0;

    while (n < sheet->n_columns)
        *DG_APPEND(largest, n) = 0;
    for (size_t i = 0; i < sheet->n_cells; i++) {
        size_t column = i % sheet->n_columns;

        if (sheet->columns[column].kind == DG_CELL_PERCENT)
            largest[column] = 100;
        else if (sheet->cells[i].number > largest[column])
            largest[column] = sheet->cells[i].number;
    }
    return largest;
}

static enum dg_tone tone_of(const struct dg_cell *cell, enum dg_cell_kind kind)
{
    static const struct {
        const char *word;
        enum dg_tone tone;
    } tones[] = {{"error", DG_TONE_BAD},    {"fail", DG_TONE_BAD},
                 {"warning", DG_TONE_WARN}, {"note", DG_TONE_NOTE},
                 {"skip", DG_TONE_NOTE},    {"pass", DG_TONE_GOOD}};

    for (size_t i = 0; kind == DG_CELL_SEVERITY && cell->text.data &&
                       i < sizeof(tones) / sizeof(*tones);
         i++) {
        if (dg_text_is(cell->text, tones[i].word))
            return tones[i].tone;
    }
    return DG_TONE_PLAIN;
}

static bool has_bar(enum dg_cell_kind kind)
{
    return kind == DG_CELL_BYTES || kind == DG_CELL_PERCENT;
}

static void add_columns(struct dg_grid *grid, const struct dg_sheet *sheet, bool bars)
{
    for (size_t i = 0; i < sheet->n_columns; i++) {
        enum dg_cell_kind kind = sheet->columns[i].kind;

        dg_grid_column(grid, is_number(kind),
                       is_number(kind) || kind == DG_CELL_SEVERITY ? DG_GRID_WHOLE
                       : kind == DG_CELL_TEXT                      ? DG_GRID_WRAPPED
                                                                   : DG_GRID_ELIDED);
        if (bars && has_bar(kind))
            dg_grid_column(grid, false, DG_GRID_WHOLE);
    }
    for (size_t i = 0; i < sheet->n_columns; i++) {
        dg_write_plain(&grid->text, sheet->columns[i].name);
        dg_grid_end_cell(grid, DG_TONE_PLAIN);
        if (bars && has_bar(sheet->columns[i].kind))
            dg_grid_end_cell(grid, DG_TONE_PLAIN);
    }
}

static void fill(struct dg_grid *grid, const struct dg_sheet *sheet, bool bars,
                 bool ascii)
{
    double *largest = largest_of(sheet);

    add_columns(grid, sheet, bars);
    for (size_t i = 0; i < sheet->n_cells; i++) {
        const struct dg_cell *cell = &sheet->cells[i];
        enum dg_cell_kind kind = sheet->columns[i % sheet->n_columns].kind;
        double whole = largest[i % sheet->n_columns];

        dg_write_cell(&grid->text, cell, kind);
        if (bars && cell->trend && !cell->none && !ascii)
            dg_write_course(&grid->text, cell->trend);
        dg_grid_end_cell(grid, tone_of(cell, kind));
        if (!bars || !has_bar(kind))
            continue;
        if (whole > 0 && !cell->none && !cell->text.data)
            dg_write_bar(&grid->text, cell->number / whole, CELL_BAR, false, ascii);
        dg_grid_end_cell(grid, DG_TONE_NOTE);
    }
    free(largest);
}

/* Bars only where nothing must give way to them. */
void dg_terminal_table(struct dg_writer *out, const struct dg_block *block,
                       const struct dg_page_options *options)
{
    const struct dg_sheet *sheet = &block->sheet;
    size_t room = (size_t)options->width - DG_TERMINAL_INDENT;
    struct dg_grid grid = {0};

    if (!sheet->n_columns)
        return;
    fill(&grid, sheet, true, options->ascii);
    if (dg_grid_width(&grid) > room) {
        dg_grid_clear(&grid);
        fill(&grid, sheet, false, options->ascii);
    }
    dg_grid_drop_empty(&grid);
    dg_grid_write(out, &grid, DG_TERMINAL_INDENT, true, options);
    dg_grid_clear(&grid);
    if (sheet->n_left_out) {
        dg_print(out, "  and %zu more%s", sheet->n_left_out,
                 sheet->more.size ? ": " : "");
        dg_write_plain(out, sheet->more);
        dg_write(out, "\n", 1);
    }
}
