/* Closing frames: what lies in them is drawn as one box. */
#ifndef DG_REPORTS_PICTURE_COLLAPSE_H
#define DG_REPORTS_PICTURE_COLLAPSE_H

#include "reports/picture/picture.h"

/* Hide what is drawn in frames that are `closed`: `box` of each such frame stands for
 * it and says what it holds. How many boxes were hidden. */
size_t dg_picture_collapse(struct dg_picture *picture);

/* What opens a frame, whose first box is `first`: "--module layers.0". */
struct dg_text dg_command_of_frame(struct dg_picture *picture, size_t frame,
                                   size_t first);

#endif
