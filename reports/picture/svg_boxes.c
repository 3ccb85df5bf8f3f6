/* Boxes and frames of a picture as SVG. */
#include "reports/picture/svg_parts.h"

const char *dg_svg_box_class(const struct dg_visible *visible, size_t box)
{
    const struct dg_box *boxes = visible->picture->boxes;

    if (dg_box_has_backend(&boxes[box]))
        return dg_backend_styles[visible->backends[box] % DG_N_BACKEND_STYLES].name;
    return dg_box_styles[boxes[box].kind].name;
}

void dg_svg_lines(struct dg_writer *out, const struct dg_lines *lines,
                  const char *css_class, double x, double y, int step)
{
    dg_print(out, "<text");
    if (css_class)
        dg_print(out, " class=\"%s\"", css_class);
    dg_svg_attribute(out, "x", x);
    dg_svg_attribute(out, "y", y);
    dg_print(out, ">");
    for (size_t i = 0; i < lines->n_items; i++) {
        if (i) {
            dg_print(out, "<tspan");
            dg_svg_attribute(out, "x", x);
            dg_svg_attribute(out, "dy", step);
            dg_print(out, ">");
        }
        dg_write_xml(out, lines->items[i]);
        if (i)
            dg_print(out, "</tspan>");
    }
    dg_print(out, "</text>");
}

void dg_svg_description(struct dg_writer *out, const struct dg_lines *lines)
{
    for (size_t i = 1; i < lines->n_items; i++) {
        dg_print(out, "%s", i > 1 ? "\n" : "");
        dg_write_xml(out, lines->items[i]);
    }
}

static void write_details(const struct dg_svg *svg, const struct dg_box *box,
                          struct dg_arena *memory)
{
    struct dg_lines lines = {0};

    dg_box_details(&lines, memory, svg->visible->picture, box);
    dg_write_element(svg->out, "<title>", lines.items[0], "</title><desc>");
    dg_svg_description(svg->out, &lines);
    dg_print(svg->out, "</desc>");
    dg_lines_clear(&lines);
}

static void write_label(const struct dg_svg *svg, const struct dg_box *box,
                        const struct dg_rect *rect, struct dg_arena *memory)
{
    enum dg_shape shape = dg_box_styles[box->kind].shape;
    bool tab = shape == DG_SHAPE_TAB || shape == DG_SHAPE_FOLDER;
    double x = rect->x + rect->w / 2, y = rect->y + rect->h / 2;
    struct dg_lines lines = {0};

    dg_box_lines(&lines, memory, svg->visible->picture, box);
    y -= (double)lines.n_items * DG_LINE_HEIGHT / 2 - DG_LINE_HEIGHT + 3;
    x += shape == DG_SHAPE_COMPONENT ? 2 : shape == DG_SHAPE_STACK ? -3 : 0;
    y += tab ? 2 : shape == DG_SHAPE_STACK || shape == DG_SHAPE_CYLINDER ? 3 : 0;
    dg_svg_lines(svg->out, &lines, NULL, x, y, DG_LINE_HEIGHT);
    dg_lines_clear(&lines);
}

void dg_svg_heat(struct dg_writer *out, const struct dg_rect *bar)
{
    dg_print(out, "<path class=\"%s\" d=\"", dg_heat_style.name);
    dg_svg_outline(out, DG_SHAPE_PLAIN, bar);
    dg_print(out, "\"/>");
}

static struct dg_rect inset(const struct dg_rect *rect, double by)
{
    return (struct dg_rect){rect->x + by, rect->y + by, rect->w - 2 * by,
                            rect->h - 2 * by};
}

/* Thick and around the box's own: two outlines, whatever the colours. */
static void write_offence(struct dg_writer *out, const struct dg_rect *rect)
{
    struct dg_rect outline = inset(rect, 1);

    dg_print(out, "<path class=\"offends\" d=\"");
    dg_svg_outline(out, DG_SHAPE_PLAIN, &outline);
    dg_print(out, "\"/>");
}

static void write_heat(const struct dg_svg *svg, const struct dg_box *box,
                       const struct dg_rect *rect)
{
    double share =
        svg->visible->most_took > 0
            ? dg_box_took(svg->visible->picture, box) / svg->visible->most_took
            : 0;
    struct dg_rect bar = {rect->x + 4, rect->y + rect->h - 5, share * (rect->w - 8), 3};

    if (share > 0)
        dg_svg_heat(svg->out, &bar);
}

static void write_box(const struct dg_svg *svg, size_t index, struct dg_arena *memory)
{
    const struct dg_box *box = &svg->visible->picture->boxes[index];
    const struct dg_rect *whole = &svg->layout->boxes[index];
    struct dg_rect rect = inset(whole, box->highlighted ? DG_HIGHLIGHT_PAD : 0);
    struct dg_writer *out = svg->out;

    dg_print(out, "<g id=\"%s", svg->prefix);
    dg_write_box_id(out, svg->visible->picture, index);
    dg_print(out, "\" class=\"box %s%s%s\"", dg_svg_box_class(svg->visible, index),
             box->n_outside ? " cut" : "", box->marked ? " marked" : "");
    if (svg->part_of_page && box->node)
        dg_print(out, " data-node=\"%lld\"", (long long)box->node);
    dg_print(out, ">");
    write_details(svg, box, memory);
    dg_svg_shape(out, dg_box_styles[box->kind].shape, &rect);
    if (box->highlighted)
        write_offence(out, whole);
    write_heat(svg, box, &rect);
    write_label(svg, box, &rect, memory);
    dg_print(out, "</g>\n");
}

/* Where boxes are too many for text: one path for all of a kind. */
static void write_small_boxes(const struct dg_svg *svg, const char *css_class)
{
    const struct dg_visible *visible = svg->visible;
    bool any = false;

    for (size_t i = 0; i < visible->n_boxes; i++) {
        size_t box = visible->boxes[i];

        if (dg_svg_box_class(visible, box) != css_class)
            continue;
        if (!any)
            dg_print(svg->out, "<path class=\"%s\" d=\"", css_class);
        any = true;
        dg_svg_outline(svg->out, DG_SHAPE_PLAIN, &svg->layout->boxes[box]);
    }
    if (any)
        dg_print(svg->out, "\"/>\n");
    for (size_t i = 0; i < visible->n_boxes; i++)
        if (visible->picture->boxes[visible->boxes[i]].highlighted &&
            dg_svg_box_class(visible, visible->boxes[i]) == css_class)
            write_offence(svg->out, &svg->layout->boxes[visible->boxes[i]]);
}

void dg_svg_boxes(const struct dg_svg *svg)
{
    struct dg_arena memory = {0};

    for (size_t i = 0; svg->layout->small && i < DG_N_BOX_STYLES; i++)
        write_small_boxes(svg, dg_box_styles[i].name);
    for (size_t i = 0; svg->layout->small && i < DG_N_BACKEND_STYLES; i++)
        write_small_boxes(svg, dg_backend_styles[i].name);
    for (size_t i = 0; !svg->layout->small && i < svg->visible->n_boxes; i++) {
        write_box(svg, svg->visible->boxes[i], &memory);
        dg_arena_clear(&memory);
    }
}

static const char *frame_class(const struct dg_frame *frame)
{
    if (frame->kind == DG_FRAME_PART)
        return dg_backend_frames[frame->backend % DG_N_BACKEND_STYLES].name;
    return dg_frame_styles[frame->kind].name;
}

void dg_svg_frames(const struct dg_svg *svg)
{
    const struct dg_picture *picture = svg->visible->picture;

    for (size_t i = 1; i < picture->n_frames; i++) {
        if (!dg_visible_draws_frame(svg->visible, i))
            continue;
        dg_print(svg->out, "<g class=\"%s\"", frame_class(&picture->frames[i]));
        if (svg->layout->small)
            dg_svg_attribute(svg->out, "stroke-width",
                             dg_frame_font(svg->visible, i) / DG_BOX_FONT);
        dg_print(svg->out, ">");
        dg_svg_shape(svg->out, DG_SHAPE_ROUNDED, &svg->layout->frames[i]);
        dg_print(svg->out, "</g>\n");
    }
}

static void write_frame_label(const struct dg_svg *svg, size_t index,
                              struct dg_arena *memory)
{
    const struct dg_frame *frames = svg->visible->picture->frames;
    const struct dg_rect *rect = &svg->layout->frames[index];
    struct dg_text label =
        dg_frame_text(memory, &frames[index], &frames[svg->visible->outer[index]]);
    double font = dg_frame_font(svg->visible, index);

    if (!label.size)
        return;
    dg_print(svg->out, "<text");
    dg_svg_attribute(svg->out, "x", rect->x + DG_FRAME_PAD);
    dg_svg_attribute(svg->out, "y", rect->y + 1.4 * font);
    if (font > DG_BOX_FONT)
        dg_svg_attribute(svg->out, "font-size", font);
    dg_write_element(svg->out, ">", label, "</text>\n");
}

void dg_svg_frame_labels(const struct dg_svg *svg)
{
    struct dg_arena memory = {0};

    dg_print(svg->out, "<g class=\"frame-label\">\n");
    for (size_t i = 1; i < svg->visible->picture->n_frames; i++)
        if (dg_visible_draws_frame(svg->visible, i))
            write_frame_label(svg, i, &memory);
    dg_print(svg->out, "</g>\n");
    dg_arena_clear(&memory);
}
