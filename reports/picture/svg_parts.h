/* Parts of the SVG writer. */
#ifndef DG_REPORTS_PICTURE_SVG_PARTS_H
#define DG_REPORTS_PICTURE_SVG_PARTS_H

#include "reports/picture/label.h"
#include "reports/picture/style.h"
#include "reports/picture/svg.h"

struct dg_svg {
    struct dg_writer *out;
    const struct dg_visible *visible;
    const struct dg_layout *layout;
    const char *prefix; /* "" or "name-" */
    bool part_of_page;
};

/* Coordinates are whole: finer ones nobody sees. */
void dg_svg_number(struct dg_writer *out, double value);
/* "M12 7" */
void dg_svg_point(struct dg_writer *out, const char *command, double x, double y);
void dg_svg_attribute(struct dg_writer *out, const char *name, double value);

/* ` d="..."` of a shape's outline. */
void dg_svg_outline(struct dg_writer *out, enum dg_shape shape,
                    const struct dg_rect *rect);

/* The element that draws it. */
void dg_svg_shape(struct dg_writer *out, enum dg_shape shape,
                  const struct dg_rect *rect);

/* The bar of dg_heat_style. */
void dg_svg_heat(struct dg_writer *out, const struct dg_rect *bar);

/* Lines of text, the first at y. */
void dg_svg_lines(struct dg_writer *out, const struct dg_lines *lines,
                  const char *css_class, double x, double y, int step);

/* The lines behind the first, as text with line breaks. */
void dg_svg_description(struct dg_writer *out, const struct dg_lines *lines);

void dg_svg_frames(const struct dg_svg *svg);
/* Over links, which may cross them. */
void dg_svg_frame_labels(const struct dg_svg *svg);

void dg_svg_links(const struct dg_svg *svg);
void dg_svg_link_labels(const struct dg_svg *svg);
void dg_svg_boxes(const struct dg_svg *svg);

/* "call", or the class of its backend. */
const char *dg_svg_box_class(const struct dg_visible *visible, size_t box);

/* Draws the legend below y, at most `width` wide if it can; returns its size. With
 * out->visible's styles only. */
struct dg_size dg_svg_legend(const struct dg_svg *svg, double width);

#endif
