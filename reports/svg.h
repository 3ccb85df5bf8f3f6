/* Graphviz text to an image, laid out in a child process with limits: Graphviz can run
 * for hours, take all memory or crash on graphs that look harmless. */
#ifndef DG_REPORTS_SVG_H
#define DG_REPORTS_SVG_H

#include "base/error.h"
#include "base/text.h"

struct dg_svg_limits {
    unsigned seconds;   /* of the clock; 0: the default, 20 */
    unsigned megabytes; /* of memory; 0: the default, 2048 */
};

/* Append the image, "svg" or "png". DG_ERR_DEVICE when Graphviz has no such output,
 * ran into a limit or crashed; the text says which. */
enum dg_status dg_svg_render(struct dg_writer *out, struct dg_text dot,
                             const char *format, const struct dg_svg_limits *limits,
                             struct dg_error *err);

#endif
