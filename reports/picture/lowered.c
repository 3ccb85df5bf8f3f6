/* Graphs that delegates were made from, drawn as part of the calls of those delegates.
 */
#include "reports/picture/collapse.h"

#include <stdlib.h>

/* The first box that is drawn in each frame or in a frame inside it; SIZE_MAX: none. */
static size_t *first_boxes(const struct dg_picture *picture)
{
    size_t *first = dg_zeroed(picture->n_frames, sizeof(*first));

    for (size_t i = 0; i < picture->n_frames; i++)
        first[i] = SIZE_MAX;
    for (size_t i = picture->n_boxes; i-- > 0;)
        if (picture->boxes[i].drawn)
            first[picture->boxes[i].frame] = i;
    for (size_t i = picture->n_frames; i-- > 1;)
        if (first[i] < first[picture->frames[i].parent])
            first[picture->frames[i].parent] = first[i];
    return first;
}

void dg_picture_fold_lowered(struct dg_picture *picture)
{
    size_t *first = first_boxes(picture), n_folded = 0, caller = 0;

    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];
        struct dg_frame *frame = &picture->frames[link->to];

        if (link->kind != DG_LINK_GRAPH || frame->kind != DG_FRAME_LOWERED ||
            frame->closed || first[link->to] == SIZE_MAX)
            continue;
        frame->closed = true;
        frame->box = link->from;
        picture->boxes[link->from].command =
            dg_command_of_frame(picture, link->to, first[link->to]);
        caller = n_folded++ ? caller : link->from;
    }
    free(first);
    if (!n_folded)
        return;
    dg_picture_collapse(picture);
    dg_picture_hint(picture,
                    "%zu lowered graph%s in the boxes of delegates; --no-fold draws "
                    "all; one: delegraph dot %s %s",
                    n_folded, n_folded == 1 ? " is" : "s are",
                    picture->path.data ? picture->path.data : "FILE",
                    picture->boxes[caller].command.data);
}
