/* The views as one table. */
#include "reports/views/view.h"

#include <string.h>

const struct dg_view *const dg_views[] = {
#define VIEW(name) &dg_view_##name,
#include "reports/views/list.h"
#undef VIEW
    NULL,
};

const struct dg_view *dg_view_find(const char *name)
{
    for (const struct dg_view *const *view = dg_views; *view; view++) {
        if (!strcmp((*view)->name, name))
            return *view;
    }
    return NULL;
}

enum { LEGEND_BOXES = 9, FEWEST_BOXES = 8 }; /* below which nothing could be told */

size_t dg_view_room(const struct dg_picture *picture,
                    const struct dg_view_options *options)
{
    int legend = LEGEND_BOXES + (picture->n_findings > 0);
    int asked = options->max_boxes > 0 ? options->max_boxes : DG_VIEW_BOXES;

    return asked > legend + FEWEST_BOXES ? (size_t)(asked - legend) : FEWEST_BOXES;
}
