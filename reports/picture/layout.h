/* Where the boxes, links and frames of a picture go. Two engines fill the same struct,
 * and one writer (reports/picture/svg.h) draws it. All lengths are points; x grows to
 * the right and y downward. */
#ifndef DG_REPORTS_PICTURE_LAYOUT_H
#define DG_REPORTS_PICTURE_LAYOUT_H

#include "base/child.h"
#include "reports/picture/visible.h"

struct dg_point {
    double x, y;
};

struct dg_rect { /* from its upper left corner; w 0: not drawn */
    double x, y, w, h;
};

/* A link: one point, then three for each cubic Bezier; the last is the arrow's tip. */
struct dg_curve {
    struct dg_point *points;
    size_t n_points;       /* 0: not drawn */
    struct dg_point label; /* middle of its label */
};

struct dg_layout {
    struct dg_rect *boxes;  /* by box */
    struct dg_curve *links; /* by link */
    struct dg_rect *frames; /* by frame */
    double width, height;
    bool small;          /* boxes are too many for text */
    struct dg_text note; /* why this is the plain layout; NULL: it is as it should be */
    struct dg_arena memory;
};

/* Sizes of what is drawn come from the characters, not from fonts: the same picture has
 * the same layout on every machine. */
enum {
    DG_BOX_FONT = 10, /* sizes */
    DG_LINK_FONT = 9,
    DG_LINE_HEIGHT = 12,
    DG_FRAME_PAD = 8,     /* between a frame and what is in it */
    DG_HIGHLIGHT_PAD = 5, /* between a box and the outline that marks it */
    DG_MOST_TEXT = 2000,  /* boxes of a picture with text */
};
struct dg_size {
    double w, h;
};
double dg_text_width(struct dg_text text, double font_size, bool bold);
/* In wide fonts, too: for text without padding, which the edge of the picture or what
 * is beside it would cut off. */
double dg_text_room(struct dg_text text, double font_size, bool bold);
struct dg_size dg_box_size(const struct dg_visible *visible, size_t box);
struct dg_size dg_link_size(const struct dg_link *link); /* of its label; 0: none */
/* Of a frame's label. Where boxes have no text, the labels of frames are what can be
 * read, and are the larger the further out. */
struct dg_size dg_frame_size(const struct dg_visible *visible, size_t frame);
double dg_frame_font(const struct dg_visible *visible, size_t frame);

/* Graphviz's dot, in a child process with limits; fails as dg_child_run() does.
 * Clear *layout in any case. */
enum dg_status dg_layout_graphviz(struct dg_layout *layout,
                                  const struct dg_visible *visible,
                                  const struct dg_child_limits *limits,
                                  struct dg_error *err);

/* Ranks that links pass, all together: Graphviz's time grows with that, where that of
 * the plain layout does not. Counted, so that it is the same on every machine. */
size_t dg_layout_cost(const struct dg_visible *visible);

/* Layers by longest path and a few sweeps, frame by frame; O((boxes + links) log) and
 * never fails. */
void dg_layout_layered(struct dg_layout *layout, const struct dg_visible *visible);

/* Room for what a visible set has. */
void dg_layout_open(struct dg_layout *layout, const struct dg_visible *visible);
void dg_layout_clear(struct dg_layout *layout);

#endif
