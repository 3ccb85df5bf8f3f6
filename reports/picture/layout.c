/* Room for a layout. */
#include "reports/picture/layout.h"

void dg_layout_open(struct dg_layout *layout, const struct dg_visible *visible)
{
    const struct dg_picture *picture = visible->picture;

    *layout = (struct dg_layout){.small = visible->n_boxes > DG_MOST_TEXT};
    layout->boxes =
        dg_alloc(&layout->memory, picture->n_boxes + 1, sizeof(*layout->boxes));
    layout->links =
        dg_alloc(&layout->memory, picture->n_links + 1, sizeof(*layout->links));
    layout->frames =
        dg_alloc(&layout->memory, picture->n_frames + 1, sizeof(*layout->frames));
}

void dg_layout_clear(struct dg_layout *layout)
{
    dg_arena_clear(&layout->memory);
    *layout = (struct dg_layout){0};
}
