/* A number over builds as a cell of a table: the newest, its change, a small line. */
#include <math.h>
#include <stdlib.h>

#include "reports/page/html_parts.h"

enum { WIDTH = 90, HEIGHT = 20, EDGE = 3, POINTS = 60 };

static double x_of(const struct dg_trend *trend, size_t build)
{
    return EDGE + (double)build * (WIDTH - 2 * EDGE) / (double)(trend->n - 1);
}

static double y_of(const struct dg_value_range *range, double value)
{
    return HEIGHT - EDGE - dg_range_height(range, value) * (HEIGHT - 2 * EDGE);
}

/* A build of which the number is not known is a gap; what stands alone is a dot. */
static void write_line(struct dg_writer *out, const struct dg_trend *trend,
                       const struct dg_value_range *range)
{
    size_t picked[POINTS], n = dg_trend_sample(picked, trend, POINTS);
    bool drawn = false;

    dg_print(out, "<path d=\"");
    for (size_t i = 0; i < n; i++) {
        double value = trend->values[picked[i]];

        if (isfinite(value))
            dg_print(out, "%s%.0f %.0f%s", drawn ? "L" : "M", x_of(trend, picked[i]),
                     y_of(range, value), drawn ? "" : "h0");
        drawn = isfinite(value);
    }
    dg_print(out, "\"/>");
}

static void write_drawing(struct dg_writer *out, const struct dg_trend *trend)
{
    struct dg_value_range range = dg_trend_range(trend);

    if (!(range.least < range.most))
        return;
    dg_print(out, "<svg class=\"spark\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">",
             WIDTH, HEIGHT);
    write_line(out, trend, &range);
    dg_print(out, "<circle cx=\"%d\" cy=\"%.0f\" r=\"2\"/></svg>", WIDTH - EDGE,
             y_of(&range, dg_trend_newest(trend)));
}

void dg_html_trend(struct dg_html *html, const struct dg_trend *trend)
{
    double newest = dg_trend_newest(trend), before = dg_trend_before(trend);
    double worse = dg_trend_worse(trend, before, newest);

    dg_print(html->out, "<span class=\"trend\">");
    dg_write_quantity(html->out, trend->unit, newest);
    if (isfinite(before) && before != newest) {
        dg_print(html->out, " <span class=\"%s\">", worse > 0 ? "fail" : "pass");
        dg_write_change(html->out, trend->unit, before, newest);
        dg_print(html->out, "</span>");
    }
    write_drawing(html->out, trend);
    dg_print(html->out, "</span>");
}
