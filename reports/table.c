/* Rows of a query as a table with aligned columns, and sizes in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "reports/rows.h"

struct table {
    struct dg_writer cells; /* all cells, one after another */
    size_t *ends;           /* of each cell in them */
    size_t n_ends;
    size_t *widths; /* of each column */
    bool *numbers;  /* whether a column holds numbers only */
    bool *shown;
    int n_columns;
    const char *indent;
};

/* Characters, as UTF-8 counts them. */
static size_t width_of(const char *data, size_t size)
{
    size_t width = 0;

    for (size_t i = 0; i < size; i++)
        width += ((unsigned char)data[i] & 0xc0) != 0x80;
    return width;
}

static void end_cell(struct table *table, int column)
{
    size_t begin = table->n_ends ? table->ends[table->n_ends - 1] : 0;
    size_t width = width_of(table->cells.data + begin, table->cells.size - begin);

    *DG_APPEND(table->ends, table->n_ends) = table->cells.size;
    if (table->widths[column] < width)
        table->widths[column] = width;
}

static void add_header(struct table *table, const struct dg_rows *rows)
{
    for (int i = 0; i < table->n_columns; i++) {
        struct dg_text name;

        name.data = dg_row_column(rows, i, &name.size);
        dg_write_plain(&table->cells, name);
        end_cell(table, i);
        table->numbers[i] = true;
    }
}

static void add_row(struct table *table, const struct dg_rows *rows)
{
    for (int i = 0; i < table->n_columns; i++) {
        char type = dg_rows_type(rows, i);
        size_t before = table->cells.size;

        dg_write_cell_text(&table->cells, rows, i);
        table->shown[i] = table->shown[i] || table->cells.size > before;
        end_cell(table, i);
        if (type != 'i' && type != 'f' && type != 'n')
            table->numbers[i] = false;
    }
}

static void pad(struct dg_writer *out, size_t n)
{
    while (n--)
        dg_write(out, " ", 1);
}

static void print_cell(struct dg_writer *out, const struct table *table, int column,
                       size_t cell)
{
    size_t begin = cell ? table->ends[cell - 1] : 0;
    size_t size = table->ends[cell] - begin;
    const char *data = table->cells.data + begin;
    size_t rest = table->widths[column] - width_of(data, size);

    if (table->numbers[column])
        pad(out, rest);
    dg_write(out, data, size);
    if (!table->numbers[column] && column + 1 < table->n_columns)
        pad(out, rest);
    pad(out, 2);
}

static void print_row(struct dg_writer *out, const struct table *table, size_t cell)
{
    dg_print(out, "%s", table->indent);
    for (int i = 0; i < table->n_columns; i++, cell++) {
        if (table->shown[i])
            print_cell(out, table, i, cell);
    }
    while (out->size && out->data[out->size - 1] == ' ')
        out->size--;
    dg_write(out, "\n", 1);
}

enum dg_status dg_write_table(struct dg_writer *out, struct dg_rows *rows,
                              const char *indent, bool brief, struct dg_error *err)
{
    struct table table = {.n_columns = dg_rows_columns(rows), .indent = indent};
    struct dg_arena memory = {0};
    enum dg_status status;

    table.widths = dg_alloc(&memory, (size_t)table.n_columns, sizeof(*table.widths));
    table.numbers = dg_alloc(&memory, (size_t)table.n_columns, sizeof(*table.numbers));
    table.shown = dg_alloc(&memory, (size_t)table.n_columns, sizeof(*table.shown));
    memset(table.shown, !brief, (size_t)table.n_columns * sizeof(*table.shown));
    add_header(&table, rows);
    while (dg_rows_next(rows))
        add_row(&table, rows);
    status = dg_rows_close(rows, DG_OK, err);
    if (brief && table.n_ends == (size_t)table.n_columns)
        table.n_ends = 0;
    for (size_t i = 0; i < table.n_ends && !status; i += (size_t)table.n_columns)
        print_row(out, &table, i);
    free(table.ends);
    dg_writer_clear(&table.cells);
    dg_arena_clear(&memory);
    return status;
}

void dg_write_size(struct dg_writer *out, int64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024) {
        dg_print(out, "%" PRId64 " B", bytes);
        return;
    }
    for (; size >= 1023.95 && unit < 5; unit++)
        size /= 1024;
    dg_print(out, "%.1f %s", size, units[unit]);
}
