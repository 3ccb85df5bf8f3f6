/* A picture as SVG. */
#include "reports/picture/svg.h"

#include <math.h>

#include "reports/picture/svg_parts.h"

enum {
    MARGIN = 12,
    CAPTION_FONT = 11,
    CAPTION_STEP = 14,
    LEAST_WIDTH = 420,  /* of the legend */
    AT_ONE_LOOK = 1200, /* width at which text of a map without text can be read */
};

struct sheet {
    struct dg_lines caption;
    double scale;      /* of caption and legend: those of a large map are as large */
    double width, top; /* of the graph: below the caption */
    struct dg_writer legend;
    struct dg_size legend_size;
};

static void plan_sheet(struct sheet *sheet, const struct dg_svg *svg,
                       struct dg_arena *memory)
{
    const struct dg_layout *layout = svg->layout;
    struct dg_svg legend = *svg;
    double width = layout->width;

    sheet->scale = layout->small && width > AT_ONE_LOOK ? width / AT_ONE_LOOK : 1;
    dg_caption_lines(&sheet->caption, memory, svg->visible->picture);
    if (layout->note.data)
        dg_lines_add(&sheet->caption, layout->note);
    for (size_t i = 0; i < sheet->caption.n_items; i++) {
        double line =
            sheet->scale * dg_text_room(sheet->caption.items[i], CAPTION_FONT, i == 0);

        width = line > width ? line : width;
    }
    legend.out = &sheet->legend;
    sheet->legend_size = dg_svg_legend(
        &legend, width > LEAST_WIDTH ? width / sheet->scale : LEAST_WIDTH);
    sheet->legend_size.w *= sheet->scale;
    sheet->legend_size.h *= sheet->scale;
    sheet->width = sheet->legend_size.w > width ? sheet->legend_size.w : width;
    sheet->top =
        (2 * MARGIN + (double)sheet->caption.n_items * CAPTION_STEP) * sheet->scale;
}

/* Whole, as it is printed. */
static struct dg_size sheet_size(const struct dg_svg *svg, const struct sheet *sheet)
{
    double height = sheet->top + svg->layout->height + sheet->legend_size.h;

    return (struct dg_size){rint(sheet->width + 2 * MARGIN), rint(height + 2 * MARGIN)};
}

/* Two spaces are two, also to readers that know no `white-space: pre`. */
static const char *spaces(const struct dg_svg *svg)
{
    return svg->part_of_page ? "" : " xml:space=\"preserve\"";
}

static void write_head(const struct dg_svg *svg, const struct sheet *sheet)
{
    struct dg_size size = sheet_size(svg, sheet);
    struct dg_writer *out = svg->out;

    if (!svg->part_of_page)
        dg_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    dg_print(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dg-picture\" "
             "role=\"img\" aria-labelledby=\"%spicture-title\" "
             "aria-describedby=\"%spicture-desc\" width=\"%.0fpt\" height=\"%.0fpt\" "
             "viewBox=\"0 0 %.0f %.0f\"%s>\n",
             svg->prefix, svg->prefix, size.w, size.h, size.w, size.h, spaces(svg));
    dg_print(out, "<title id=\"%spicture-title\">", svg->prefix);
    if (svg->visible->picture->view.size) {
        dg_write_xml(out, svg->visible->picture->view);
        dg_print(out, " of ");
    }
    if (sheet->caption.n_items)
        dg_write_xml(out, sheet->caption.items[0]);
    dg_print(out, "</title>\n<desc id=\"%spicture-desc\">", svg->prefix);
    dg_svg_description(out, &sheet->caption);
    dg_print(out, "</desc>\n");
    if (!svg->part_of_page) {
        dg_print(out, "<style>\n");
        dg_write_svg_style(out);
        dg_print(out, "</style>\n");
    }
    dg_print(out, "<path class=\"paper\" d=\"M0 0h%.0fv%.0fH0z\"/>\n", size.w, size.h);
}

static void write_caption(struct dg_writer *out, const struct dg_lines *caption)
{
    struct dg_lines title = {caption->items, caption->n_items > 0};
    struct dg_lines rest = {caption->items + 1,
                            caption->n_items ? caption->n_items - 1 : 0};

    if (title.n_items)
        dg_svg_lines(out, &title, "caption title", MARGIN, MARGIN + CAPTION_FONT, 0);
    if (rest.n_items)
        dg_svg_lines(out, &rest, "caption", MARGIN,
                     MARGIN + CAPTION_FONT + CAPTION_STEP, CAPTION_STEP);
    dg_print(out, "\n");
}

static struct dg_size write_svg(const struct dg_svg *svg)
{
    struct dg_arena memory = {0};
    struct sheet sheet = {.top = 0};
    struct dg_writer *out = svg->out;
    struct dg_size size;

    plan_sheet(&sheet, svg, &memory);
    size = sheet_size(svg, &sheet);
    write_head(svg, &sheet);
    if (sheet.scale > 1)
        dg_print(out, "<g transform=\"scale(%.1f)\">\n", sheet.scale);
    write_caption(out, &sheet.caption);
    if (sheet.scale > 1)
        dg_print(out, "</g>\n");
    dg_print(out, "<g transform=\"translate(%.0f %.0f)\">\n",
             MARGIN + (sheet.width - svg->layout->width) / 2, sheet.top);
    dg_svg_frames(svg);
    dg_svg_links(svg);
    dg_svg_boxes(svg);
    dg_svg_frame_labels(svg);
    dg_svg_link_labels(svg);
    dg_print(out, "</g>\n<g class=\"legend\" transform=\"translate(%d %.0f)", MARGIN,
             sheet.top + svg->layout->height + MARGIN);
    if (sheet.scale > 1)
        dg_print(out, " scale(%.1f)", sheet.scale);
    dg_print(out, "\">\n");
    if (sheet.legend.size)
        dg_write(out, sheet.legend.data, sheet.legend.size);
    dg_print(out, "</g>\n</svg>\n");
    dg_lines_clear(&sheet.caption);
    dg_writer_clear(&sheet.legend);
    dg_arena_clear(&memory);
    return size;
}

/* Why the plain layout is chosen; NULL: it is not. The clock has no say in it: a
 * picture is the same on a slow machine. Up to here Graphviz takes about 2 s where it
 * is slow. */
static const char *why_plain(const struct dg_visible *visible)
{
    enum { MOST_BOXES = 1000, MOST_COST = 2000 };

    if (visible->n_boxes > MOST_BOXES)
        return "so many boxes take Graphviz too long";
    return dg_layout_cost(visible) > MOST_COST
               ? "links past so many boxes take Graphviz too long"
               : NULL;
}

/* Graphviz's layout, or the plain one with a note that says why. */
static enum dg_status lay_out(struct dg_layout *layout,
                              const struct dg_visible *visible,
                              const struct dg_svg_options *options,
                              struct dg_error *err)
{
    const char *unfit = options->layout == DG_SVG_AUTO ? why_plain(visible) : NULL;
    struct dg_error why = {0};
    enum dg_status status;

    if (unfit) {
        dg_fail(&why, DG_ERR_DEVICE, "%s", unfit);
    } else if (options->layout != DG_SVG_PLAIN) {
        status = dg_layout_graphviz(layout, visible, &options->limits, &why);
        if (!status)
            return DG_OK;
        dg_layout_clear(layout);
        if (options->strict || status != DG_ERR_DEVICE)
            return dg_fail(err, status, "%s", why.text);
    }
    dg_layout_layered(layout, visible);
    if (why.text[0])
        layout->note = dg_format(&layout->memory, "Plain layout: %s", why.text);
    return DG_OK;
}

enum dg_status dg_picture_svg(struct dg_writer *out, const struct dg_picture *picture,
                              const struct dg_svg_options *options,
                              struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_layout layout = {0};
    struct dg_visible visible;
    struct dg_svg svg = {out, &visible, &layout, "", options->part_of_page};
    struct dg_size size = {0};
    enum dg_status status;

    if (options->prefix)
        svg.prefix = dg_format(&memory, "%s-", options->prefix).data;
    dg_visible_open(&visible, picture);
    status = lay_out(&layout, &visible, options, err);
    if (!status)
        size = write_svg(&svg);
    if (options->size)
        *options->size = size;
    dg_layout_clear(&layout);
    dg_visible_close(&visible);
    dg_arena_clear(&memory);
    return status;
}
