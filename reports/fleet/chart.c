/* The builds of one name as small lines, one under the other: read on a phone as it is.
 */
#include "reports/fleet/chart.h"

#include <math.h>
#include <stdlib.h>

#include "reports/picture/picture.h"
#include "reports/picture/svg.h"

enum {
    WIDTH = 640,
    MARGIN = 12,
    LEFT = 120, /* of lines: beside them stand the largest and the smallest number */
    RIGHT = WIDTH - MARGIN - 8,
    HEAD = 58,
    PANEL = 108,
    LINE_TOP = 34, /* in a panel */
    LINE_BOTTOM = 88,
    LINE_STEP = 18, /* of text at the end */
    LINE_LETTERS = 72,
    MOST_POINTS = 160,
    VISIBLE_DOTS = 40,
};

struct chart {
    struct dg_writer *out;
    const struct dg_fleet_name *name;
    struct dg_arena memory;
    const char **notes; /* lines of text at the end */
    size_t n_notes, n_panels;
};

static bool changes(const struct dg_trend *trend)
{
    struct dg_value_range range = dg_trend_range(trend);

    return range.least < range.most;
}

static const char *quantity(struct chart *chart, const struct dg_trend *trend,
                            double value)
{
    struct dg_writer text = {0};

    dg_write_quantity(&text, trend->unit, value);
    return dg_keep(&chart->memory, &text).data;
}

static bool has_gaps(const struct dg_trend *trend)
{
    size_t i = 0;

    while (i < trend->n && !isnan(trend->values[i]))
        i++;
    return i < trend->n;
}

/* Items behind `head`, with commas, as many to a line as it has room for. */
static void add_list(struct chart *chart, const char *head, const char *const *items,
                     size_t n)
{
    struct dg_writer line = {0};

    for (size_t i = 0; i < n; i++) {
        if (i && line.size + strlen(items[i]) + 2 > LINE_LETTERS) {
            dg_print(&line, ",");
            *DG_APPEND(chart->notes, chart->n_notes) =
                dg_keep(&chart->memory, &line).data;
        }
        dg_print(&line, "%s%s", !i ? head : line.size ? ", " : "   ", items[i]);
    }
    if (n)
        *DG_APPEND(chart->notes, chart->n_notes) = dg_keep(&chart->memory, &line).data;
    dg_writer_clear(&line);
}

static void add_unchanged(struct chart *chart)
{
    const char *items[DG_FLEET_NUMBERS];
    size_t n = 0;

    for (int i = 0; i < DG_FLEET_NUMBERS; i++) {
        const struct dg_trend *trend = &chart->name->trends[i];
        struct dg_value_range range = dg_trend_range(trend);

        chart->n_panels += changes(trend);
        if (range.least == range.most)
            items[n++] = dg_format(&chart->memory, "%s %s", dg_fleet_measures[i].title,
                                   quantity(chart, trend, range.least))
                             .data;
    }
    add_list(chart, chart->name->n_builds > 1 ? "Unchanged: " : "", items, n);
}

static void add_notes(struct chart *chart)
{
    const struct dg_fleet_name *name = chart->name;
    bool gaps = false;

    add_unchanged(chart);
    if (chart->n_panels)
        *DG_APPEND(chart->notes, chart->n_notes) =
            "What is in brackets is the change since the build before.";
    for (int i = 0; i < DG_FLEET_NUMBERS; i++)
        gaps = gaps || (changes(&name->trends[i]) && has_gaps(&name->trends[i]));
    if (gaps)
        *DG_APPEND(chart->notes, chart->n_notes) =
            "Gaps are builds of which the number is not known.";
    if (name->n_builds > MOST_POINTS)
        *DG_APPEND(chart->notes, chart->n_notes) =
            dg_format(
                &chart->memory,
                "%zu builds as %d points: of each stretch the lowest and the highest.",
                name->n_builds, MOST_POINTS)
                .data;
}

static double x_of(const struct chart *chart, size_t build)
{
    size_t n = chart->name->n_builds;

    return n > 1 ? LEFT + (double)(RIGHT - LEFT) * (double)build / (double)(n - 1)
                 : LEFT;
}

static void write_text(struct chart *chart, const char *css_class, double x, double y,
                       struct dg_text text)
{
    dg_print(chart->out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">", css_class, x, y);
    dg_write_xml(chart->out, text);
    dg_print(chart->out, "</text>\n");
}

struct panel {
    const struct dg_fleet_measure *measure;
    const struct dg_trend *trend;
    struct dg_value_range range;
    double top;
    size_t picked[MOST_POINTS], n_picked;
};

static double y_of(const struct panel *panel, double value)
{
    return panel->top + LINE_BOTTOM -
           dg_range_height(&panel->range, value) * (LINE_BOTTOM - LINE_TOP);
}

/* Where a few digits do not tell the ends apart, all do. */
static void write_ends(struct chart *chart, const struct panel *panel)
{
    struct dg_writer most = {0}, least = {0};
    enum dg_trend_unit unit = panel->trend->unit;

    dg_write_quantity(&most, unit, panel->range.most);
    dg_write_quantity(&least, unit, panel->range.least);
    if (dg_text_equal(dg_written(&most), dg_written(&least))) {
        most.size = least.size = 0;
        dg_write_exact(&most, unit, panel->range.most);
        dg_write_exact(&least, unit, panel->range.least);
    }
    dg_print(chart->out, "<path class=\"grid\" d=\"M%d %.0fH%dM%d %.0fH%d\"/>\n", LEFT,
             panel->top + LINE_TOP, RIGHT, LEFT, panel->top + LINE_BOTTOM, RIGHT);
    write_text(chart, "muted end", LEFT - 10, panel->top + LINE_TOP + 5,
               dg_written(&most));
    write_text(chart, "muted end", LEFT - 10, panel->top + LINE_BOTTOM + 5,
               dg_written(&least));
    dg_writer_clear(&most);
    dg_writer_clear(&least);
}

/* Of those that are known: one that changes has some. */
static double oldest_of(const struct dg_trend *trend)
{
    size_t i = 0;

    while (isnan(trend->values[i]))
        i++;
    return trend->values[i];
}

/* "8.3 KiB (+3.6 %), first 8.0 KiB" */
static void write_newest(struct chart *chart, const struct panel *panel)
{
    const struct dg_trend *trend = panel->trend;
    double newest = dg_trend_newest(trend), before = dg_trend_before(trend);
    double worse = dg_trend_worse(trend, before, newest);
    struct dg_writer *out = chart->out;

    dg_print(out, "<text class=\"end\" x=\"%d\" y=\"%.0f\">", RIGHT, panel->top + 18);
    if (isfinite(newest))
        dg_print(out, "<tspan class=\"title\">%s</tspan>",
                 quantity(chart, trend, newest));
    else
        dg_print(out, "<tspan class=\"muted\">not known of the newest</tspan>");
    if (isfinite(newest) && isfinite(before) && before != newest) {
        dg_print(out, "<tspan class=\"%s\"> (", worse > 0 ? "bad" : "good");
        dg_write_change(out, trend->unit, before, newest);
        dg_print(out, ")</tspan>");
    }
    dg_print(out, "<tspan class=\"muted\">, first %s</tspan></text>\n",
             quantity(chart, trend, oldest_of(trend)));
}

/* A value alone between gaps is a dot. */
static void write_line(struct chart *chart, const struct panel *panel)
{
    bool drawn = false;

    dg_print(chart->out, "<path class=\"line\" stroke-linecap=\"round\" d=\"");
    for (size_t i = 0; i < panel->n_picked; i++) {
        double value = panel->trend->values[panel->picked[i]];

        if (isfinite(value))
            dg_print(chart->out, "%s%.1f %.1f%s", drawn ? "L" : "M",
                     x_of(chart, panel->picked[i]), y_of(panel, value),
                     drawn ? "" : "h0");
        drawn = isfinite(value);
    }
    dg_print(chart->out, "\"/>\n");
}

/* What a pointer finds: the number and which build it is of. */
static void write_points(struct chart *chart, const struct panel *panel)
{
    bool visible = panel->n_picked <= VISIBLE_DOTS;

    for (size_t i = 0; i < panel->n_picked; i++) {
        size_t build = panel->picked[i];
        double value = panel->trend->values[build];

        if (!isfinite(value))
            continue;
        dg_print(chart->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\">",
                 visible ? "dot" : "hover", x_of(chart, build), y_of(panel, value),
                 visible ? "3" : "5");
        dg_print(chart->out, "<title>%s, build ", quantity(chart, panel->trend, value));
        dg_write_xml(chart->out, dg_text(dg_build_words(&chart->memory,
                                                        &chart->name->builds[build])));
        dg_print(chart->out, "</title></circle>\n");
    }
    if (!visible && isfinite(dg_trend_newest(panel->trend)))
        dg_print(chart->out, "<circle class=\"dot\" cx=\"%d\" cy=\"%.1f\" r=\"3\"/>\n",
                 RIGHT, y_of(panel, dg_trend_newest(panel->trend)));
}

static void write_panels(struct chart *chart)
{
    double top = HEAD;

    for (int i = 0; i < DG_FLEET_NUMBERS; i++) {
        struct panel panel = {.measure = &dg_fleet_measures[i],
                              .trend = &chart->name->trends[i],
                              .top = top};

        if (!changes(panel.trend))
            continue;
        panel.range = dg_trend_range(panel.trend);
        panel.n_picked = dg_trend_sample(panel.picked, panel.trend, MOST_POINTS);
        write_text(chart, "title", MARGIN, top + 18, dg_text(panel.measure->title));
        write_newest(chart, &panel);
        write_ends(chart, &panel);
        write_line(chart, &panel);
        write_points(chart, &panel);
        top += PANEL;
    }
}

/* For those who cannot see it. */
static void write_description(struct chart *chart)
{
    dg_print(chart->out, "<desc id=\"desc\">");
    for (int i = 0; i < DG_FLEET_NUMBERS; i++) {
        const struct dg_trend *trend = &chart->name->trends[i];
        struct dg_value_range range = dg_trend_range(trend);
        double newest = dg_trend_newest(trend);

        if (!changes(trend))
            continue;
        dg_print(chart->out, "%s: %s to %s", dg_fleet_measures[i].title,
                 quantity(chart, trend, range.least),
                 quantity(chart, trend, range.most));
        if (isfinite(newest))
            dg_print(chart->out, ", newest %s", quantity(chart, trend, newest));
        dg_print(chart->out, ".\n");
    }
    for (size_t i = 0; i < chart->n_notes; i++)
        dg_print(chart->out, "%s\n", chart->notes[i]);
    dg_print(chart->out, "</desc>\n");
}

/* "3 builds, 1 (day=1) to 3 (day=3)" */
static struct dg_text builds_words(struct chart *chart)
{
    const struct dg_fleet_name *name = chart->name;
    struct dg_arena *memory = &chart->memory;
    struct dg_text ends[2];

    for (int i = 0; i < 2; i++)
        ends[i] = dg_elide(
            memory,
            dg_text(dg_build_words(memory, i ? dg_fleet_newest(name) : name->builds)),
            name->n_builds > 1 ? 26 : 60);
    return name->n_builds > 1 ? dg_format(memory, "%zu builds, %s to %s",
                                          name->n_builds, ends[0].data, ends[1].data)
                              : dg_format(memory, "one build, %s", ends[0].data);
}

static void write_svg(struct chart *chart)
{
    double notes = HEAD + (double)(PANEL * chart->n_panels);
    double height = notes + LINE_STEP * (double)chart->n_notes + MARGIN;
    struct dg_text title = dg_elide(&chart->memory, chart->name->name, 52);
    struct dg_writer *out = chart->out;

    dg_print(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\""
             "http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title\" "
             "aria-describedby=\"desc\" width=\"%d\" height=\"%.0f\" "
             "viewBox=\"0 0 %d %.0f\">\n",
             WIDTH, height, WIDTH, height);
    dg_write_element(out, "<title id=\"title\">Builds of ", title, "</title>\n");
    write_description(chart);
    dg_print(out, "<style>\n");
    dg_fleet_chart_style(out);
    dg_print(out, "</style>\n<path class=\"paper\" d=\"M0 0h%dv%.0fH0z\"/>\n", WIDTH,
             height);
    write_text(chart, "title", MARGIN, 24, title);
    write_text(chart, "muted", MARGIN, 45, builds_words(chart));
    write_panels(chart);
    for (size_t i = 0; i < chart->n_notes; i++)
        write_text(chart, "muted", MARGIN, notes + LINE_STEP * (double)(i + 1) - 4,
                   dg_text(chart->notes[i]));
    dg_print(out, "</svg>\n");
}

void dg_fleet_chart(struct dg_writer *out, const struct dg_fleet_name *name)
{
    struct chart chart = {.out = out, .name = name};

    add_notes(&chart);
    write_svg(&chart);
    free(chart.notes);
    dg_arena_clear(&chart.memory);
}
