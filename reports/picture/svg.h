/* A picture as SVG: classes for light and dark, <title> and <desc> for each box. */
#ifndef DG_REPORTS_PICTURE_SVG_H
#define DG_REPORTS_PICTURE_SVG_H

#include "reports/picture/layout.h"

enum dg_svg_layout {
    DG_SVG_AUTO, /* Graphviz, where the picture does not cost it too much */
    DG_SVG_GRAPHVIZ,
    DG_SVG_PLAIN,
};

struct dg_svg_options {
    const char
        *prefix; /* of every id: pictures in one page must not collide; NULL: none */
    bool part_of_page; /* no XML declaration and no <style>: the page has both */
    enum dg_svg_layout layout;
    bool strict; /* fail where Graphviz does, instead of the plain layout */
    struct dg_child_limits limits; /* zeros: the defaults */
    struct dg_size *size;          /* NULL, or gets width and height in points */
};

/* Lay out and append. Where Graphviz is missing or crashes, the plain layout takes its
 * place, and the picture says so; with `strict` that is DG_ERR_DEVICE. Out of time is
 * DG_ERR_STOPPED in any case: how fast a machine is does not choose a picture. */
enum dg_status dg_picture_svg(struct dg_writer *out, const struct dg_picture *picture,
                              const struct dg_svg_options *options,
                              struct dg_error *err);

/* The rules of CSS that pictures need, light and dark, without <style>. */
void dg_write_svg_style(struct dg_writer *out);

/* Text as XML and HTML content or attribute value: & < > " ' are references, and what
 * XML forbids becomes U+FFFD. */
void dg_write_xml(struct dg_writer *out, struct dg_text text);

/* The same between two pieces of markup. */
void dg_write_element(struct dg_writer *out, const char *before, struct dg_text text,
                      const char *after);

#endif
