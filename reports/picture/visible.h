/* What of a picture is drawn, and in which order: the same for every way to draw. */
#ifndef DG_REPORTS_PICTURE_VISIBLE_H
#define DG_REPORTS_PICTURE_VISIBLE_H

#include "reports/picture/picture.h"

/* The boxes that are drawn, in their order; the caller frees the array. */
size_t *dg_boxes_in_order(const struct dg_picture *picture, size_t *n_boxes);

struct dg_visible {
    const struct dg_picture *picture;
    size_t *boxes; /* those drawn, in their order */
    size_t n_boxes;
    size_t *frames;   /* by frame: the innermost around it, itself included, that is
                         drawn; 0: none */
    size_t *outer;    /* by frame: the one that is drawn around it */
    size_t *first;    /* by frame: the first box drawn inside; SIZE_MAX: none */
    size_t *backends; /* by box: the number of its backend, from 0 on */
    size_t n_backends;
    double most_took; /* of a box; 0: nothing was measured */
};

void dg_visible_open(struct dg_visible *visible, const struct dg_picture *picture);
void dg_visible_close(struct dg_visible *visible);

/* The innermost frame that is drawn around a box; 0: none. */
size_t dg_visible_frame_of(const struct dg_visible *visible, size_t box);

/* Where an arrow ends: a box; SIZE_MAX when the link is not drawn. */
size_t dg_visible_head(const struct dg_visible *visible, const struct dg_link *link);

/* Whether a link leads back to what stands above it. */
bool dg_visible_is_backward(const struct dg_visible *visible,
                            const struct dg_link *link);

/* Frame by number, where a picture may have none. */
bool dg_visible_draws_frame(const struct dg_visible *visible, size_t frame);

/* "n12" for the node of row 12, "b7" for the box 7 without a node. */
void dg_write_box_id(struct dg_writer *out, const struct dg_picture *picture,
                     size_t box);

#endif
