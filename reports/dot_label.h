/* What a box, a frame and a whole picture say of themselves, as Graphviz labels. */
#ifndef DG_REPORTS_DOT_LABEL_H
#define DG_REPORTS_DOT_LABEL_H

#include "reports/dot_model.h"

void dg_box_label(struct dg_writer *out, const struct dg_box *box);
void dg_box_tooltip(struct dg_writer *out, const struct dg_picture *picture,
                    const struct dg_box *box);
void dg_link_label(struct dg_writer *out, const struct dg_link *link);
/* `outer` is the frame drawn around it. */
void dg_frame_label(struct dg_writer *out, const struct dg_frame *frame,
                    const struct dg_frame *outer);
void dg_picture_caption(struct dg_writer *out, const struct dg_picture *picture);

#endif
