/* Shapes and colours: one table from which Graphviz attributes, rules of CSS and both
 * legends follow. Nothing is told by colour alone: kinds differ in shape, dash or text.
 */
#ifndef DG_REPORTS_PICTURE_LOOK_H
#define DG_REPORTS_PICTURE_LOOK_H

#include "reports/picture/scene.h"

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

struct dg_colors {
    const char *fill, *line; /* "#rrggbb"; fill "none" */
};

struct dg_look {
    const char *name;       /* class of CSS */
    const char *shape_name; /* of Graphviz */
    const char *style;      /* likewise */
    enum dg_shape shape;
    struct dg_colors light, dark;
    const char *dashes; /* NULL: solid */
    const char *legend;
};

enum { DG_N_BOX_LOOKS = DG_BOX_VALUE + 1, DG_N_FRAME_LOOKS = DG_FRAME_LANE + 1 };
enum { DG_N_BACKEND_LOOKS = 4 };
extern const struct dg_look dg_box_looks[DG_N_BOX_LOOKS]; /* by kind */
extern const struct dg_look dg_frame_looks[DG_N_FRAME_LOOKS];

/* Of what runs on the backend of that number, modulo their count: boxes and frames. */
extern const struct dg_look dg_backend_looks[DG_N_BACKEND_LOOKS];
extern const struct dg_look dg_backend_frames[DG_N_BACKEND_LOOKS];

/* What a finding names; in place of the box's own shape in Graphviz, around it in SVG.
 */
extern const struct dg_look dg_offence_look;

struct dg_link_look {
    const char *name;
    const char *style;        /* of Graphviz */
    const char *light, *dark; /* of the line, and of text beside it */
    const char *dashes;       /* NULL: solid */
    double width;
    const char *legend;
};

enum {
    DG_LOOK_DATA,
    DG_LOOK_JUMP,
    DG_LOOK_GRAPH,
    DG_LOOK_NEXT,
    DG_LOOK_CROSSES, /* heavy */
    DG_LOOK_OFFENDS, /* double */
    DG_N_LINK_LOOKS,
};
extern const struct dg_link_look dg_link_looks[DG_N_LINK_LOOKS];

/* Which of them; not for DG_LINK_ORDER, which is not seen. */
size_t dg_link_look(const struct dg_link *link);

/* What runs on a backend has that backend's colours, in the shape of its kind. */
bool dg_box_has_backend(const struct dg_box *box);
const struct dg_colors *dg_box_colors(const struct dg_scene *scene, size_t box);

/* A line of a legend. */
struct dg_sample {
    const struct dg_look *shape, *colors; /* of two looks */
    struct dg_text words;
};

/* Which looks a picture has, for its legend: kinds in their order, those with a backend
 * once for each. */
struct dg_looks_seen {
    struct dg_sample samples[DG_N_BOX_LOOKS + 2 * DG_N_BACKEND_LOOKS + 1];
    size_t n_samples;
    bool links[DG_N_LINK_LOOKS];
    struct dg_arena memory;
};
void dg_look_around(struct dg_looks_seen *seen, const struct dg_scene *scene);
void dg_looks_clear(struct dg_looks_seen *seen);

#endif
