/* Charts of a page: points over steps, as SVG with a table beside it. */
#include <math.h>

#include "reports/page/html_parts.h"
#include "reports/picture/svg.h"

enum {
    WIDTH = 960,
    HEIGHT = 320,
    LEFT = 76,
    TOP = 16,
    RIGHT = WIDTH - 12,
    BOTTOM = HEIGHT - 44,
    MOST_COLUMNS = 300,
    MARKS = 3,
};

/* Told apart by shape, too. */
static const char *const marks[MARKS] = {
    "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", /* circle */
    "m-4 -4l8 8m0 -8l-8 8",               /* cross */
    "m-3 -3h6v6h-6z",                     /* square */
};

struct plot {
    const struct dg_chart *chart;
    const char *id;
    double least, most, by; /* of the axis; between its ticks */
    size_t n_columns;
};

/* The step with the lowest value of a series in a column; n_steps: none. */
static size_t lowest(const struct plot *plot, size_t series, size_t column)
{
    const struct dg_chart *chart = plot->chart;
    size_t end = chart->n_steps * (column + 1) / plot->n_columns;
    const double *values = chart->series[series].values;
    size_t found = chart->n_steps;

    for (size_t i = chart->n_steps * column / plot->n_columns; i < end; i++)
        if (isfinite(values[i]) &&
            (found == chart->n_steps || values[i] < values[found]))
            found = i;
    return found;
}

static void measure(struct plot *plot)
{
    const struct dg_chart *chart = plot->chart;
    double least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < chart->n_series; i++)
        for (size_t k = 0; k < chart->n_steps; k++)
            if (isfinite(chart->series[i].values[k])) {
                least = fmin(least, chart->series[i].values[k]);
                most = fmax(most, chart->series[i].values[k]);
            }
    if (least > most)
        least = most = 0;
    plot->by = pow(10, ceil(log10(fmax(most - least, 1e-6) / 5)));
    if (plot->by * 2 > most - least)
        plot->by /= 5;
    else if (plot->by * 4 > most - least)
        plot->by /= 2;
    plot->least = floor(least / plot->by) * plot->by;
    plot->most = fmax(ceil(most / plot->by) * plot->by, plot->least + plot->by);
}

static double x_of(const struct plot *plot, size_t step)
{
    return LEFT + (RIGHT - LEFT) * ((double)step + 0.5) / (double)plot->chart->n_steps;
}

static double y_of(const struct plot *plot, double value)
{
    return BOTTOM - (BOTTOM - TOP) * (value - plot->least) / (plot->most - plot->least);
}

static void write_axes(struct dg_html *html, const struct plot *plot)
{
    size_t n = (size_t)((plot->most - plot->least) / plot->by + 0.5);

    for (size_t i = 0; i <= n; i++) {
        double value = plot->least + (double)i * plot->by, y = y_of(plot, value);

        dg_print(html->out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y, RIGHT);
        dg_print(html->out, "<text class=\"end\" x=\"%d\" y=\"%.1f\">%g</text>\n",
                 LEFT - 6, y + 4, value);
    }
    dg_print(html->out, "<text class=\"middle\" x=\"%d\" y=\"%d\">", (LEFT + RIGHT) / 2,
             HEIGHT - 8);
    dg_write_xml(html->out, plot->chart->x_name);
    dg_print(html->out, ", 0 to %zu; up: ", plot->chart->n_steps - 1);
    dg_write_xml(html->out, plot->chart->y_name);
    dg_print(html->out, "</text>\n");
}

static void write_point(struct dg_html *html, const struct plot *plot, size_t series,
                        size_t step)
{
    const struct dg_chart *chart = plot->chart;
    double value = chart->series[series].values[step];

    dg_print(html->out, "<path class=\"mark m%zu\" d=\"M%.1f %.1f%s\"><title>",
             series % MARKS, x_of(plot, step), y_of(plot, value),
             marks[series % MARKS]);
    if (chart->steps)
        dg_write_xml(html->out, dg_elide(&html->memory, chart->steps[step], 60));
    dg_print(html->out, ": %.4g, ", value);
    dg_write_xml(html->out, chart->series[series].name);
    dg_print(html->out, "</title></path>\n");
}

static void write_legend(struct dg_html *html, const struct plot *plot)
{
    dg_print(html->out, "<table class=\"legend\"><caption>Marks</caption><thead><tr>"
                        "<th scope=\"col\">Mark</th><th scope=\"col\" class=\"n\">"
                        "Points</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < plot->chart->n_series; i++) {
        size_t n = 0;

        for (size_t k = 0; k < plot->chart->n_steps; k++)
            n += isfinite(plot->chart->series[i].values[k]) != 0;
        dg_print(html->out,
                 "<tr><th scope=\"row\"><svg class=\"key\" viewBox=\"0 0 16 16\" "
                 "aria-hidden=\"true\"><path class=\"mark m%zu\" d=\"M8 8%s\"/></svg> ",
                 i % MARKS, marks[i % MARKS]);
        dg_write_xml(html->out, plot->chart->series[i].name);
        dg_print(html->out, "</th><td class=\"n\" data-v=\"%zu\">%zu</td></tr>\n", n,
                 n);
    }
    dg_print(html->out, "</tbody></table>\n");
}

static void write_drawing(struct dg_html *html, const struct plot *plot,
                          const struct dg_block *block)
{
    dg_html_drawing(html, "chart", WIDTH, HEIGHT, plot->id, block->title);
    dg_write_element(html->out, "", block->desc, "</desc>\n");
    write_axes(html, plot);
    for (size_t i = 0; i < plot->chart->n_series; i++)
        for (size_t column = 0; column < plot->n_columns; column++) {
            size_t step = lowest(plot, i, column);

            if (step < plot->chart->n_steps)
                write_point(html, plot, i, step);
        }
    dg_print(html->out, "</svg></div>\n");
}

void dg_html_points(struct dg_html *html, const struct dg_block *block)
{
    struct plot plot = {.chart = &block->chart, .id = dg_html_id(html, block)};

    if (!block->chart.n_steps)
        return;
    plot.n_columns =
        block->chart.n_steps < MOST_COLUMNS ? block->chart.n_steps : MOST_COLUMNS;
    measure(&plot);
    dg_html_figure(html, "graph", dg_text(plot.id), block->title);
    write_drawing(html, &plot, block);
    if (plot.n_columns < block->chart.n_steps)
        dg_print(html->out,
                 "<p class=\"desc\">%zu steps are drawn as %zu columns: each shows the "
                 "lowest of its steps.</p>\n",
                 block->chart.n_steps, plot.n_columns);
    write_legend(html, &plot);
    dg_print(html->out, "</figure>\n");
}
