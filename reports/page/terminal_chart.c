/* Charts of a report on a terminal: the height of the stack, in eighths of a line. */
#include "reports/page/display_width.h"
#include "reports/page/grid.h"
#include "reports/page/terminal.h"
#include "reports/page/text_drawing.h"

enum {
    ROWS = 8,
    AXIS = 12,
    MOST_COLUMNS = 120,
    MOST_SERIES = 8,
    SERIES_BAR = 20,
    LEGEND = 4
};

static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

struct plot {
    double *columns; /* the highest stack of each */
    size_t n_columns, peak;
    double top;
};

static double stack_at(const struct dg_chart *chart, size_t step)
{
    double sum = 0;

    for (size_t i = 0; i < chart->n_series; i++)
        sum += dg_series_at(&chart->series[i], step);
    return sum;
}

/* A column stands for several steps, or several columns for one. */
static struct plot plot(const struct dg_chart *chart, size_t room,
                        struct dg_arena *memory)
{
    size_t n = chart->n_steps, wide = n < room ? room / n : 1;
    struct plot plot = {.n_columns = n < room ? n * wide : room};

    plot.columns = dg_alloc(memory, plot.n_columns, sizeof(*plot.columns));
    for (size_t i = 0; i < n; i++) {
        size_t first = i * plot.n_columns / n;
        double sum = stack_at(chart, i);

        if (i == chart->peak)
            plot.peak = first + wide / 2;
        for (size_t k = first; k < first + wide; k++)
            plot.columns[k] = sum > plot.columns[k] ? sum : plot.columns[k];
        plot.top = sum > plot.top ? sum : plot.top;
    }
    return plot;
}

void dg_write_amount(struct dg_writer *out, const struct dg_chart *chart, double value)
{
    struct dg_cell cell = {.number = value};

    dg_write_cell(out, &cell, chart->bytes ? DG_CELL_BYTES : DG_CELL_REAL);
}

void dg_write_peak(struct dg_writer *out, const struct dg_chart *chart)
{
    dg_write_amount(out, chart, stack_at(chart, chart->peak));
    dg_print(out, " at ");
    dg_write_plain(out, chart->x_name);
    if (chart->steps && chart->steps[chart->peak].size) {
        dg_print(out, chart->x_name.size ? " " : "");
        dg_write_plain(out, chart->steps[chart->peak]);
    } else {
        dg_print(out, chart->x_name.size ? " %zu" : "%zu", chart->peak);
    }
}

void dg_write_sparkline(struct dg_writer *out, const struct dg_chart *chart,
                        size_t columns)
{
    struct dg_arena memory = {0};
    struct plot course = plot(chart, columns, &memory);

    for (size_t i = 0; i < course.n_columns; i++)
        dg_print(
            out, "%s",
            heights[course.top > 0 ? (size_t)(course.columns[i] / course.top * 8 + 0.5)
                                   : 0]);
    dg_arena_clear(&memory);
}

static void write_axis(struct dg_writer *out, const struct dg_chart *chart,
                       const struct plot *plot, size_t row, bool ascii)
{
    struct dg_writer label = {0};

    if (row + 1 == ROWS)
        dg_write_amount(&label, chart, plot->top);
    else if (!row)
        dg_print(&label, "0");
    dg_write_blanks(out, label.size < AXIS ? AXIS - label.size : 0);
    dg_write(out, label.data, label.size);
    dg_print(out, "%s", ascii ? " |" : label.size ? " ┤" : " │");
    dg_writer_clear(&label);
}

/* Where the limit lies, or nothing. */
static const char *line_at(const struct dg_chart *chart, const struct plot *plot,
                           size_t row, bool ascii)
{
    double at = chart->limit / plot->top * ROWS;

    if (!(chart->limit > 0) || at <= (double)row || at > (double)row + 1)
        return " ";
    return ascii ? "-" : "╌";
}

static void write_rows(struct dg_writer *out, const struct dg_chart *chart,
                       const struct plot *plot, const struct dg_page_options *options)
{
    for (size_t row = ROWS; row-- > 0;) {
        write_axis(out, chart, plot, row, options->ascii);
        for (size_t i = 0; i < plot->n_columns; i++) {
            double height = plot->columns[i] / plot->top * ROWS - (double)row;
            size_t part = height >= 1 ? 8 : height > 0 ? (size_t)(height * 8 + 0.5) : 0;

            if (!part)
                dg_print(out, "%s", line_at(chart, plot, row, options->ascii));
            else
                dg_print(out, "%s",
                         !options->ascii ? heights[part]
                         : part >= 4     ? "#"
                                         : ".");
        }
        while (out->data[out->size - 1] == ' ')
            out->size--;
        dg_write(out, "\n", 1);
    }
}

static void write_words(struct dg_writer *out, const struct dg_chart *chart,
                        const struct plot *plot, bool ascii)
{
    if (chart->n_steps > 1) {
        dg_write_blanks(out, AXIS + 2 + plot->peak);
        dg_print(out, "%s\n", ascii ? "^" : "▲");
    }
    dg_print(out, "  peak: ");
    dg_write_peak(out, chart);
    dg_print(out, " of %zu\n", chart->n_steps);
    if (!(chart->limit > 0))
        return;
    dg_print(out, "  ");
    dg_write_plain(out, chart->limit_name.size ? chart->limit_name : dg_text("limit"));
    dg_print(out, ": ");
    dg_write_amount(out, chart, chart->limit);
    dg_write(out, "\n", 1);
}

/* What the stack is made of at its peak. */
static void write_series(struct dg_writer *out, const struct dg_chart *chart,
                         const struct dg_page_options *options)
{
    double sum = stack_at(chart, chart->peak);
    struct dg_grid grid = {0};

    dg_grid_column(&grid, false, DG_GRID_ELIDED);
    dg_grid_column(&grid, true, DG_GRID_WHOLE);
    dg_grid_column(&grid, false, DG_GRID_WHOLE);
    for (size_t i = 0; i < chart->n_series && i < MOST_SERIES; i++) {
        double value = dg_series_at(&chart->series[i], chart->peak);

        if (!(value > 0))
            continue;
        dg_write_plain(&grid.text, chart->series[i].name);
        dg_grid_end_cell(&grid, DG_TONE_PLAIN);
        dg_write_amount(&grid.text, chart, value);
        dg_grid_end_cell(&grid, DG_TONE_PLAIN);
        dg_write_bar(&grid.text, value / sum, SERIES_BAR, false, options->ascii);
        dg_grid_end_cell(&grid, DG_TONE_NOTE);
    }
    dg_grid_give_up(&grid, 2, LEGEND, options);
    dg_grid_write(out, &grid, LEGEND, false, options);
    if (chart->n_series > MOST_SERIES)
        dg_print(out, "    and %zu more\n", chart->n_series - MOST_SERIES);
    dg_grid_clear(&grid);
}

void dg_terminal_chart(struct dg_writer *out, const struct dg_block *block,
                       const struct dg_page_options *options)
{
    const struct dg_chart *chart = &block->chart;
    size_t width = (size_t)options->width, room;
    struct dg_arena memory = {0};
    struct plot course;

    if (!chart->n_steps || !chart->n_series)
        return;
    room = width > AXIS + 10 ? width - AXIS - 2 : 8;
    course = plot(chart, room < MOST_COLUMNS ? room : MOST_COLUMNS, &memory);
    if (chart->limit > course.top && chart->limit < 4 * course.top)
        course.top = chart->limit;
    if (course.top > 0) {
        if (chart->n_steps > 1)
            write_rows(out, chart, &course, options);
        write_words(out, chart, &course, options->ascii);
        if (chart->n_series > 1)
            write_series(out, chart, options);
    }
    dg_arena_clear(&memory);
}
