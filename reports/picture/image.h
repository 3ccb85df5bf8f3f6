/* A picture as PNG or PDF: its SVG, drawn by librsvg and cairo in a child process. What
 * an SVG refers to outside of itself is not read. */
#ifndef DG_REPORTS_PICTURE_IMAGE_H
#define DG_REPORTS_PICTURE_IMAGE_H

#include "base/child.h"
#include "reports/picture/layout.h"

enum dg_image_type {
    DG_IMAGE_PNG, /* 96 dots per inch, as browsers draw the SVG; on white */
    DG_IMAGE_PDF, /* one page as large as the SVG, or as pages can be */
};

struct dg_image {
    enum dg_image_type type;
    struct dg_text svg;
    struct dg_size size; /* of the SVG, in points */
};

/* How large the image is in proportion to the SVG: 1, or less where a PNG cannot hold
 * so many pixels or a PDF so long a page. */
double dg_image_scale(const struct dg_image *image);

/* Append. DG_ERR_STOPPED where a PNG would be less than half as large as the SVG, since
 * nobody could read it, DG_ERR_DEVICE where librsvg cannot be loaded, and as
 * dg_child_run() does. */
enum dg_status dg_image_draw(struct dg_writer *out, const struct dg_image *image,
                             const struct dg_child_limits *limits,
                             struct dg_error *err);

/* "2.54.7": of librsvg, or why it cannot be loaded. */
struct dg_text dg_image_library(struct dg_arena *memory);

#endif
