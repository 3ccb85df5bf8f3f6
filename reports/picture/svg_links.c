/* Links of a picture as SVG: curves, heads of arrows, labels. */
#include <math.h>

#include "reports/picture/svg_parts.h"

enum { HEAD_LENGTH = 7, HEAD_WIDTH = 3 /* half */ };

static double whole(double value)
{
    return value < 0 ? -floor(0.5 - value) : floor(value + 0.5);
}

/* Steps are from the end before, so that roundings do not add up. */
static void write_curve(struct dg_writer *out, const struct dg_curve *curve)
{
    struct dg_point last = curve->points[0];

    dg_svg_point(out, "M", last.x, last.y);
    for (size_t i = 1; i < curve->n_points; i++) {
        const struct dg_point *at = &curve->points[i];

        dg_svg_point(out, i % 3 == 1 ? "c" : " ", whole(at->x) - whole(last.x),
                     whole(at->y) - whole(last.y));
        if (i % 3 == 0)
            last = *at;
    }
}

/* The point before the tip that is not the tip. */
static struct dg_point before_tip(const struct dg_curve *curve)
{
    struct dg_point tip = curve->points[curve->n_points - 1];

    for (size_t i = curve->n_points - 1; i-- > 0;)
        if (fabs(curve->points[i].x - tip.x) + fabs(curve->points[i].y - tip.y) > 0.5)
            return curve->points[i];
    return (struct dg_point){tip.x, tip.y - 1};
}

static void write_head(struct dg_writer *out, const struct dg_curve *curve,
                       double scale)
{
    struct dg_point tip = curve->points[curve->n_points - 1], from = before_tip(curve);
    double dx = tip.x - from.x, dy = tip.y - from.y, length = sqrt(dx * dx + dy * dy);
    double back = HEAD_LENGTH * scale / length, side = HEAD_WIDTH * scale / length;
    double x1 = -dx * back - dy * side, y1 = -dy * back + dx * side;
    double x2 = -dx * back + dy * side, y2 = -dy * back - dx * side;

    dg_svg_point(out, "M", tip.x, tip.y);
    dg_svg_point(out, "l", x1, y1);
    dg_svg_point(out, " ", x2 - x1, y2 - y1);
    dg_write(out, "z", 1);
}

static bool is_drawn(const struct dg_svg *svg, size_t link, size_t look)
{
    return svg->layout->links[link].n_points &&
           dg_link_style(&svg->visible->picture->links[link]) == look;
}

static void write_link(const struct dg_svg *svg, size_t index)
{
    const struct dg_link *link = &svg->visible->picture->links[index];

    dg_print(svg->out, "<path d=\"");
    write_curve(svg->out, &svg->layout->links[index]);
    if (link->value.size) {
        dg_write_element(svg->out, "\"><title>", link->value, "</title></path>\n");
    } else {
        dg_print(svg->out, "\"/>\n");
    }
    if (link->highlighted) {
        dg_print(svg->out, "<path class=\"l-inner\" d=\"");
        write_curve(svg->out, &svg->layout->links[index]);
        dg_print(svg->out, "\"/>\n");
    }
}

static void write_heads(const struct dg_svg *svg, size_t look)
{
    double scale = dg_link_styles[look].width > 2 ? 1.6 : 1;

    dg_print(svg->out, "<path class=\"head\" d=\"");
    for (size_t i = 0; i < svg->visible->picture->n_links; i++)
        if (is_drawn(svg, i, look))
            write_head(svg->out, &svg->layout->links[i], scale);
    dg_print(svg->out, "\"/>\n");
}

static void write_look(const struct dg_svg *svg, size_t look)
{
    const struct dg_picture *picture = svg->visible->picture;

    dg_print(svg->out, "<g class=\"links %s\">\n", dg_link_styles[look].name);
    if (svg->layout->small)
        dg_print(svg->out, "<path d=\"");
    for (size_t i = 0; i < picture->n_links; i++) {
        if (!is_drawn(svg, i, look))
            continue;
        if (svg->layout->small)
            write_curve(svg->out, &svg->layout->links[i]);
        else
            write_link(svg, i);
    }
    if (svg->layout->small)
        dg_print(svg->out, "\"/>\n");
    else
        write_heads(svg, look);
    dg_print(svg->out, "</g>\n");
}

void dg_svg_links(const struct dg_svg *svg)
{
    for (size_t look = 0; look < DG_N_LINK_STYLES; look++) {
        size_t i = 0;

        while (i < svg->visible->picture->n_links && !is_drawn(svg, i, look))
            i++;
        if (i < svg->visible->picture->n_links)
            write_look(svg, look);
    }
}

void dg_svg_link_labels(const struct dg_svg *svg)
{
    const struct dg_picture *picture = svg->visible->picture;
    struct dg_arena memory = {0};

    dg_print(svg->out, "<g class=\"label\">\n");
    for (size_t i = 0; i < picture->n_links && !svg->layout->small; i++) {
        const struct dg_curve *curve = &svg->layout->links[i];
        struct dg_text text = dg_link_text(&memory, &picture->links[i]);
        struct dg_lines lines = {&text, 1};

        if (!text.size || !curve->n_points)
            continue;
        dg_svg_lines(svg->out, &lines,
                     dg_link_styles[dg_link_style(&picture->links[i])].name,
                     curve->label.x, curve->label.y + 3, DG_LINE_HEIGHT);
        dg_print(svg->out, "\n");
    }
    dg_print(svg->out, "</g>\n");
    dg_arena_clear(&memory);
}
