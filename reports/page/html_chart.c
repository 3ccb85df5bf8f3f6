/* Charts of a page: areas stacked over steps, as SVG with a table beside it. */
#include <math.h>

#include "reports/page/html_parts.h"
#include "reports/picture/svg.h"

enum {
    WIDTH = 960,
    HEIGHT = 320,
    LEFT = 76,
    TOP = 30,
    RIGHT = WIDTH - 12,
    BOTTOM = HEIGHT - 44,
    MOST_COLUMNS = 600,
    LOOKS = 9, /* .s0 to .s8 of report.css, and as many hatches */
};

struct plot {
    const struct dg_chart *chart;
    const char *id;
    double most;   /* at the upper edge */
    size_t *steps; /* the one that each column shows */
    size_t n_columns, peak_column;
};

static double value_at(const struct dg_chart *chart, size_t series, size_t step)
{
    double value = dg_series_at(&chart->series[series], step);

    return isfinite(value) && value > 0 ? value : 0;
}

static double total_at(const struct dg_chart *chart, size_t step)
{
    double total = 0;

    for (size_t i = 0; i < chart->n_series; i++)
        total += value_at(chart, i, step);
    return total;
}

static double x_of(const struct plot *plot, double column)
{
    return LEFT + (RIGHT - LEFT) * column / (double)plot->n_columns;
}

static double y_of(const struct plot *plot, double value)
{
    return BOTTOM - round(10 * (BOTTOM - TOP) * value / plot->most) / 10;
}

/* Where there are more steps than columns, each shows the highest of its steps. */
static void choose_steps(struct plot *plot, struct dg_html *html)
{
    size_t n = plot->chart->n_steps;

    plot->n_columns = n < MOST_COLUMNS ? n : MOST_COLUMNS;
    plot->steps = dg_alloc(&html->memory, plot->n_columns, sizeof(*plot->steps));
    for (size_t i = 0; i < plot->n_columns; i++) {
        size_t from = n * i / plot->n_columns, to = n * (i + 1) / plot->n_columns;

        plot->steps[i] = from;
        for (size_t step = from + 1; step < to; step++)
            if (total_at(plot->chart, step) > total_at(plot->chart, plot->steps[i]))
                plot->steps[i] = step;
        if (plot->chart->peak >= from && plot->chart->peak < to) {
            plot->steps[i] = plot->chart->peak;
            plot->peak_column = i;
        }
        plot->most = fmax(plot->most, total_at(plot->chart, plot->steps[i]));
    }
    plot->most = fmax(plot->most, plot->chart->limit);
    plot->most = plot->most > 0 ? plot->most * 1.04 : 1;
}

/* A round distance between ticks: about five of them up to `most`. */
static double tick(double most, bool bytes)
{
    static const double decimal[] = {1, 2, 5, 10};
    double unit = 1;

    if (bytes) {
        while (unit * 6 < most)
            unit *= 2;
        return unit;
    }
    while (unit * 60 < most)
        unit *= 10;
    for (size_t i = 0; i < 3; i++)
        if (unit * decimal[i] * 6 >= most)
            return unit * decimal[i];
    return unit * 10;
}

static void write_grid(struct dg_html *html, const struct plot *plot)
{
    double by = tick(plot->most, plot->chart->bytes);

    for (double value = 0; value <= plot->most; value += by) {
        dg_print(html->out, "<path class=\"grid\" d=\"M%d %gH%d\"/>", LEFT,
                 y_of(plot, value), RIGHT);
        dg_print(html->out, "<text class=\"end\" x=\"%d\" y=\"%g\">", LEFT - 6,
                 y_of(plot, value) + 4);
        dg_html_amount(html->out, value, plot->chart->bytes);
        dg_print(html->out, "</text>\n");
    }
}

static void write_steps_axis(struct dg_html *html, const struct plot *plot)
{
    size_t n = plot->chart->n_steps;
    double by = tick((double)n, false);

    for (double step = 0; step < (double)n; step += by) {
        double x = x_of(plot, floor(step * (double)plot->n_columns / (double)n));

        dg_print(html->out, "<path class=\"grid\" d=\"M%.1f %dv5\"/>", x, BOTTOM);
        dg_print(html->out, "<text class=\"middle\" x=\"%.1f\" y=\"%d\">%.0f</text>\n",
                 x, BOTTOM + 17, step);
    }
    dg_print(html->out, "<text class=\"middle\" x=\"%d\" y=\"%d\">", (LEFT + RIGHT) / 2,
             HEIGHT - 8);
    dg_write_xml(html->out, plot->chart->x_name);
    dg_print(html->out, "</text>\n");
}

static void write_hatches(struct dg_html *html, const struct plot *plot)
{
    static const char *const hatches[LOOKS] = {
        "",       "M0 8L8 0", "M0 4H8",           "M0 0L8 8", "M4 0V8", "M0 4H8M4 0V8",
        "M4 3v2", "",         "M0 0L8 8M0 8L8 0",
    };

    dg_print(html->out, "<defs>");
    for (size_t i = 0; i < plot->chart->n_series && i < LOOKS; i++) {
        dg_print(html->out, "<pattern id=\"%s-p%zu\" ", plot->id, i);
        dg_print(html->out,
                 "width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
                 "<rect class=\"s%zu\" width=\"8\" height=\"8\"/>",
                 i);
        if (*hatches[i])
            dg_print(html->out, "<path class=\"hatch\" d=\"%s\"/>", hatches[i]);
        dg_print(html->out, "</pattern>");
    }
    dg_print(html->out, "</defs>\n");
}

/* Steps along `tops`, forward or backward; nothing where the height stays. */
static void write_edge(struct dg_html *html, const struct plot *plot,
                       const double *tops, bool forward)
{
    double y = NAN;

    for (size_t i = 0; i < plot->n_columns; i++) {
        size_t column = forward ? i : plot->n_columns - 1 - i;
        double next = y_of(plot, tops[column]);

        if (next == y)
            continue;
        dg_print(html->out, "%s%.1f%s%.1f",
                 i         ? "H"
                 : forward ? "M"
                           : "L",
                 x_of(plot, (double)(forward ? column : column + 1)), i ? "V" : " ",
                 next);
        y = next;
    }
    dg_print(html->out, "H%.1f", forward ? (double)RIGHT : (double)LEFT);
}

static void write_areas(struct dg_html *html, const struct plot *plot)
{
    size_t n = plot->n_columns;
    double *below = dg_alloc(&html->memory, n, sizeof(*below));
    double *tops = dg_alloc(&html->memory, n, sizeof(*tops));

    for (size_t i = 0; i < plot->chart->n_series; i++) {
        for (size_t column = 0; column < n; column++)
            tops[column] =
                below[column] + value_at(plot->chart, i, plot->steps[column]);
        dg_print(html->out, "<path class=\"area\" fill=\"url(#%s-p%zu)\" d=\"",
                 plot->id, i % LOOKS);
        write_edge(html, plot, tops, true);
        write_edge(html, plot, below, false);
        dg_write_element(html->out, "Z\"><title>", plot->chart->series[i].name,
                         "</title></path>\n");
        memcpy(below, tops, n * sizeof(*below));
    }
}

static void write_step(struct dg_html *html, const struct dg_chart *chart, size_t step)
{
    dg_write_xml(html->out, chart->x_name);
    dg_print(html->out, " %zu", step);
    if (chart->steps && chart->steps[step].size) {
        dg_write_element(html->out, " (",
                         dg_elide(&html->memory, chart->steps[step], 60), ")");
    }
}

static void write_peak_words(struct dg_html *html, const struct dg_chart *chart)
{
    dg_print(html->out, "peak ");
    dg_html_amount(html->out, total_at(chart, chart->peak), chart->bytes);
    dg_print(html->out, " at ");
    write_step(html, chart, chart->peak);
}

static void write_limit(struct dg_html *html, const struct plot *plot, bool right)
{
    double y = y_of(plot, plot->chart->limit);

    dg_print(html->out, "<path class=\"limit\" d=\"M%d %gH%d\"/>", LEFT, y, RIGHT);
    dg_print(html->out, "<text class=\"%s limit\" x=\"%d\" y=\"%g\">",
             right ? "end" : "start", right ? RIGHT : LEFT + 4, y - 4);
    dg_write_xml(html->out, plot->chart->limit_name);
    dg_print(html->out, " ");
    dg_html_amount(html->out, plot->chart->limit, plot->chart->bytes);
    dg_print(html->out, "</text>\n");
}

static void write_marks(struct dg_html *html, const struct plot *plot)
{
    double x = x_of(plot, (double)plot->peak_column + 0.5);
    double peak = total_at(plot->chart, plot->chart->peak);
    bool right = x > WIDTH / 2.0;

    if (plot->chart->limit > 0)
        write_limit(html, plot, !right);
    dg_print(html->out, "<path class=\"peak\" d=\"M%.1f %dV%.1fM%.1f %dv7\"/>", x,
             TOP - 8, y_of(plot, peak), x, BOTTOM);
    dg_print(html->out, "<text class=\"%s\" x=\"%.1f\" y=\"%d\">",
             right ? "end" : "start", x + (right ? -6 : 6), TOP - 14);
    write_peak_words(html, plot->chart);
    dg_print(html->out, "</text>\n");
}

static void write_drawing(struct dg_html *html, const struct plot *plot,
                          struct dg_text title)
{
    dg_html_drawing(html, "chart", WIDTH, HEIGHT, plot->id, title);
    write_peak_words(html, plot->chart);
    dg_print(html->out, "; the table below has the parts.</desc>\n");
    write_hatches(html, plot);
    write_grid(html, plot);
    write_areas(html, plot);
    write_steps_axis(html, plot);
    write_marks(html, plot);
    dg_print(html->out, "</svg></div>\n");
}

static double most_of(const struct dg_chart *chart, size_t series)
{
    double most = 0;

    for (size_t i = 0; i < chart->n_steps; i++)
        most = fmax(most, value_at(chart, series, i));
    return most;
}

/* Legend and text equivalent in one. */
static void write_legend(struct dg_html *html, const struct plot *plot)
{
    const struct dg_chart *chart = plot->chart;

    dg_print(html->out, "<div class=\"scroll\"><table class=\"legend\"><caption>Parts, "
                        "from the bottom up</caption><thead><tr><th scope=\"col\">Part"
                        "</th><th scope=\"col\" class=\"n\">At the peak</th>"
                        "<th scope=\"col\" class=\"n\">At most</th></tr></thead>\n"
                        "<tbody>\n");
    for (size_t i = 0; i < chart->n_series; i++) {
        double peak = value_at(chart, i, chart->peak), most = most_of(chart, i);

        dg_print(html->out,
                 "<tr><th scope=\"row\"><svg class=\"key\" viewBox=\"0 0 16 16\" "
                 "aria-hidden=\"true\"><rect class=\"area\" width=\"16\" height=\"16\" "
                 "fill=\"url(#%s-p%zu)\"/></svg> ",
                 plot->id, i % LOOKS);
        dg_write_xml(html->out, chart->series[i].name);
        dg_print(html->out, "</th><td class=\"n\" data-v=\"%.10g\">", peak);
        dg_html_amount(html->out, peak, chart->bytes);
        dg_print(html->out, "</td><td class=\"n\" data-v=\"%.10g\">", most);
        dg_html_amount(html->out, most, chart->bytes);
        dg_print(html->out, "</td></tr>\n");
    }
    dg_print(html->out, "</tbody></table></div>\n");
}

void dg_html_chart(struct dg_html *html, const struct dg_block *block)
{
    struct plot plot = {.chart = &block->chart, .id = dg_html_id(html, block)};

    if (block->chart.points) {
        dg_html_points(html, block);
        return;
    }
    if (!block->chart.n_steps || block->chart.peak >= block->chart.n_steps)
        return;
    choose_steps(&plot, html);
    dg_html_figure(html, "graph", dg_text(plot.id), block->title);
    write_drawing(html, &plot, block->title);
    if (plot.n_columns < block->chart.n_steps)
        dg_print(html->out,
                 "<p class=\"desc\">%zu steps are drawn as %zu columns: each shows the "
                 "highest of its steps.</p>\n",
                 block->chart.n_steps, plot.n_columns);
    write_legend(html, &plot);
    dg_print(html->out, "</figure>\n");
    dg_html_command(html, block->command);
}
