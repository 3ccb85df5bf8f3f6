/* Cells in aligned columns: widths, and rows of one or several lines. */
#include "reports/page/grid.h"

#include <stdlib.h>

#include "reports/page/display_width.h"
#include "reports/page/text_drawing.h"

enum { GAP = 2, NARROWEST = 8, WIDEST_ALIGNED = 512 };

struct dg_grid_cell {
    size_t end, width;
    enum dg_tone tone;
};

void dg_grid_column(struct dg_grid *grid, bool right, enum dg_grid_fit fit)
{
    *DG_APPEND(grid->columns, grid->n_columns) =
        (struct dg_grid_column){.right = right, .fit = fit, .shown = true};
}

static struct dg_text text_of(const struct dg_grid *grid, size_t cell)
{
    size_t begin = cell ? grid->cells[cell - 1].end : 0;

    if (!grid->text.data)
        return (struct dg_text){"", 0};
    return (struct dg_text){grid->text.data + begin, grid->cells[cell].end - begin};
}

void dg_grid_end_cell(struct dg_grid *grid, enum dg_tone tone)
{
    struct dg_grid_column *column = &grid->columns[grid->n_cells % grid->n_columns];
    struct dg_grid_cell *cell = DG_APPEND(grid->cells, grid->n_cells);

    *cell = (struct dg_grid_cell){.end = grid->text.size, .tone = tone};
    cell->width = dg_display_width(text_of(grid, grid->n_cells - 1));
    if (column->width < cell->width)
        column->width = cell->width;
}

void dg_grid_drop_empty(struct dg_grid *grid)
{
    for (size_t i = 0; i < grid->n_columns; i++)
        grid->columns[i].shown = false;
    for (size_t i = grid->n_columns; i < grid->n_cells; i++) {
        if (text_of(grid, i).size)
            grid->columns[i % grid->n_columns].shown = true;
    }
}

/* With columns that may shrink no wider than `most`. */
static size_t width_at(const struct dg_grid *grid, size_t most)
{
    size_t width = 0;

    for (size_t i = 0; i < grid->n_columns; i++) {
        const struct dg_grid_column *column = &grid->columns[i];
        bool cut = column->fit != DG_GRID_WHOLE && column->width > most;

        if (column->shown)
            width += (cut ? most : column->width) + GAP;
    }
    return width ? width - GAP : 0;
}

size_t dg_grid_width(const struct dg_grid *grid)
{
    return width_at(grid, SIZE_MAX);
}

static size_t room_of(const struct dg_page_options *options, size_t indent)
{
    size_t width = (size_t)options->width;

    if (!width)
        return SIZE_MAX;
    return width > indent + NARROWEST ? width - indent : NARROWEST;
}

void dg_grid_give_up(struct dg_grid *grid, size_t column, size_t indent,
                     const struct dg_page_options *options)
{
    if (dg_grid_width(grid) > room_of(options, indent))
        grid->columns[column].shown = false;
}

/* The widest columns give way first. */
static bool shrink(struct dg_grid *grid, size_t room)
{
    size_t most = room;

    while (most > NARROWEST && width_at(grid, most) > room)
        most--;
    for (size_t i = 0; i < grid->n_columns; i++) {
        struct dg_grid_column *column = &grid->columns[i];

        if (column->fit != DG_GRID_WHOLE && column->width > most)
            column->width = most;
    }
    return dg_grid_width(grid) <= room;
}

/* As wide as the cells are; what is far longer than a line shifts its own row, and is
 * not room that every other row has to fill. */
static void keep_whole(struct dg_grid *grid)
{
    for (size_t i = 0; i < grid->n_columns; i++) {
        struct dg_grid_column *column = &grid->columns[i];

        column->fit = DG_GRID_WHOLE;
        if (column->width > WIDEST_ALIGNED)
            column->width = WIDEST_ALIGNED;
    }
}

static void trim(struct dg_writer *out)
{
    while (out->size && out->data[out->size - 1] == ' ')
        out->size--;
    if (out->data)
        out->data[out->size] = '\0';
}

/* Part of a cell on one line; *rest is what the lines below hold. */
static void write_part(struct dg_writer *out, const struct dg_grid_column *column,
                       const struct dg_grid_cell *cell, struct dg_text *rest,
                       bool header, const struct dg_page_options *options)
{
    struct dg_writer elided = {0};
    struct dg_text part = *rest;
    size_t next = rest->size, width, blanks;

    if (column->fit == DG_GRID_WRAPPED) {
        part.size = dg_display_line(*rest, column->width, &next);
    } else if (column->fit == DG_GRID_ELIDED && cell->width > column->width) {
        dg_write_elided(&elided, *rest, column->width, options->ascii);
        part = dg_written(&elided);
    }
    rest->data += next;
    rest->size -= next;
    width = dg_display_width(part);
    blanks = column->width > width ? column->width - width : 0;
    dg_write_blanks(out, column->right ? blanks : 0);
    if (header && part.size)
        dg_write_bold(out, options);
    else if (part.size)
        dg_write_tone(out, cell->tone, options);
    dg_write_text(out, part);
    if (part.size && (header || cell->tone))
        dg_write_end_tone(out, options);
    dg_write_blanks(out, (column->right ? 0 : blanks) + GAP);
    dg_writer_clear(&elided);
}

static void write_row(struct dg_writer *out, const struct dg_grid *grid, size_t first,
                      size_t indent, bool header, struct dg_text *rest,
                      const struct dg_page_options *options)
{
    bool more = true;

    for (size_t i = 0; i < grid->n_columns; i++)
        rest[i] = text_of(grid, first + i);
    while (more) {
        more = false;
        dg_write_blanks(out, indent);
        for (size_t i = 0; i < grid->n_columns; i++) {
            if (!grid->columns[i].shown)
                continue;
            write_part(out, &grid->columns[i], &grid->cells[first + i], &rest[i],
                       header, options);
            more = more || rest[i].size;
        }
        trim(out);
        dg_write(out, "\n", 1);
    }
}

/* A cell under its header's name, broken over lines. */
static void write_record(struct dg_writer *out, const struct dg_grid *grid,
                         size_t first, size_t indent, bool header, size_t room)
{
    for (size_t i = 0; i < grid->n_columns; i++) {
        struct dg_text text = text_of(grid, first + i);
        struct dg_writer line = {0};
        size_t next, at = 0;

        if (!text.size)
            continue;
        if (header) {
            dg_write_text(&line, text_of(grid, i));
            dg_write(&line, ": ", 2);
        }
        dg_write_text(&line, text);
        for (; at < line.size; at += next) {
            struct dg_text rest = {line.data + at, line.size - at};

            dg_write_blanks(out, indent + (at ? GAP : 0));
            dg_write(out, rest.data,
                     dg_display_line(rest, room - (at ? GAP : 0), &next));
            dg_write(out, "\n", 1);
        }
        dg_writer_clear(&line);
    }
}

static void write_records(struct dg_writer *out, const struct dg_grid *grid,
                          size_t indent, bool header, size_t room)
{
    size_t first = header ? grid->n_columns : 0;

    for (size_t i = first; i < grid->n_cells; i += grid->n_columns) {
        if (i > first)
            dg_write(out, "\n", 1);
        write_record(out, grid, i, indent, header, room);
    }
}

void dg_grid_write(struct dg_writer *out, struct dg_grid *grid, size_t indent,
                   bool header, const struct dg_page_options *options)
{
    size_t room = room_of(options, indent);
    struct dg_arena memory = {0};
    struct dg_text *rest;

    if (options->width && !shrink(grid, room)) {
        write_records(out, grid, indent, header, room);
        return;
    }
    if (!options->width)
        keep_whole(grid);
    rest = dg_alloc(&memory, grid->n_columns, sizeof(*rest));
    for (size_t i = 0; i < grid->n_cells && !out->full; i += grid->n_columns)
        write_row(out, grid, i, indent, header && !i, rest, options);
    dg_arena_clear(&memory);
}

void dg_grid_clear(struct dg_grid *grid)
{
    free(grid->columns);
    free(grid->cells);
    dg_writer_clear(&grid->text);
    *grid = (struct dg_grid){0};
}
