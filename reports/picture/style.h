/* Shapes and colours: one table from which Graphviz attributes, rules of CSS and both
 * legends follow. Nothing is told by colour alone: kinds differ in shape, dash or text.
 */
#ifndef DG_REPORTS_PICTURE_STYLE_H
#define DG_REPORTS_PICTURE_STYLE_H

#include "reports/picture/visible.h"

enum dg_shape {
    DG_SHAPE_ROUNDED,
    DG_SHAPE_PLAIN,
    DG_SHAPE_OVAL,
    DG_SHAPE_OCTAGON,
    DG_SHAPE_COMPONENT,
    DG_SHAPE_HEXAGON,
    DG_SHAPE_DIAMOND,
    DG_SHAPE_TAB,
    DG_SHAPE_FOLDER,
    DG_SHAPE_STACK,
    DG_SHAPE_NOTE,
    DG_SHAPE_SLANTED,
    DG_SHAPE_CYLINDER,
};

/* The ground, and text on it. */
#define DG_PAPER_LIGHT "#ffffff"
#define DG_PAPER_DARK "#16181c"
#define DG_INK_LIGHT "#111111"
#define DG_INK_DARK "#f0f0f0"

struct dg_colors {
    const char *fill, *line; /* "#rrggbb"; fill "none" */
};

struct dg_style {
    const char *name;       /* class of CSS */
    const char *shape_name; /* of Graphviz */
    const char *style;      /* likewise */
    enum dg_shape shape;
    struct dg_colors light, dark;
    const char *dashes; /* NULL: solid */
    const char *legend;
};

enum { DG_N_BOX_STYLES = DG_BOX_CHANGED + 1, DG_N_FRAME_STYLES = DG_FRAME_LANE + 1 };
enum { DG_N_BACKEND_STYLES = 4 };
extern const struct dg_style dg_box_styles[DG_N_BOX_STYLES]; /* by kind */
extern const struct dg_style dg_frame_styles[DG_N_FRAME_STYLES];

/* Of what runs on the backend of that number, modulo their count: boxes and frames. */
extern const struct dg_style dg_backend_styles[DG_N_BACKEND_STYLES];
extern const struct dg_style dg_backend_frames[DG_N_BACKEND_STYLES];

/* What a finding names; in place of the box's own shape in Graphviz, around it in SVG.
 */
extern const struct dg_style dg_highlight_style;

/* A bar in a box: how much of the slowest one's time it took. */
extern const struct dg_style dg_heat_style;

struct dg_link_style {
    const char *name;
    const char *style;        /* of Graphviz */
    const char *light, *dark; /* of the line, and of text beside it */
    const char *dashes;       /* NULL: solid */
    double width;
    const char *legend;
};

enum {
    DG_STYLE_DATA,
    DG_STYLE_JUMP,
    DG_STYLE_GRAPH,
    DG_STYLE_NEXT,
    DG_STYLE_WAS,
    DG_STYLE_CROSSES,   /* heavy */
    DG_STYLE_HIGHLIGHT, /* double */
    DG_N_LINK_STYLES,
};
extern const struct dg_link_style dg_link_styles[DG_N_LINK_STYLES];

/* Which of them; not for DG_LINK_ORDER, which is not seen. */
size_t dg_link_style(const struct dg_link *link);

/* What runs on a backend has that backend's colours, in the shape of its kind. */
bool dg_box_has_backend(const struct dg_box *box);
const struct dg_colors *dg_box_colors(const struct dg_visible *visible, size_t box);

/* A line of a legend. */
struct dg_sample {
    const struct dg_style *shape, *colors; /* of two styles */
    struct dg_text words;
};

/* Which styles a picture has, for its legend: kinds in their order, those with a
 * backend once for each. */
struct dg_styles_seen {
    struct dg_sample samples[DG_N_BOX_STYLES + 2 * DG_N_BACKEND_STYLES + 1];
    size_t n_samples;
    bool links[DG_N_LINK_STYLES], heat;
    struct dg_arena memory;
};
void dg_styles_find(struct dg_styles_seen *seen, const struct dg_visible *visible);
void dg_styles_clear(struct dg_styles_seen *seen);

#endif
