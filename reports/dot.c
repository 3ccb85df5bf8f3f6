/* Graphviz text of a program. */
#include "reports/dot_model.h"

enum {
    DEFAULT_BOXES = 300,
    LEGEND_BOXES = 9, /* at most; they count, too */
    FEWEST_BOXES = 8, /* below which nothing could be told */
};

/* How many boxes may be drawn beside the legend. */
static size_t room(const struct dg_picture *picture, int asked)
{
    int legend = LEGEND_BOXES + (picture->n_findings > 0);

    if (asked <= 0)
        asked = DEFAULT_BOXES;
    return asked > legend + FEWEST_BOXES ? (size_t)(asked - legend) : FEWEST_BOXES;
}

static enum dg_status write_dot(struct dg_writer *out, struct dg_store *store,
                                const struct dg_report_options *options,
                                struct dg_error *err)
{
    struct dg_picture picture = {0};
    enum dg_status status = dg_picture_load(&picture, store, options, err);

    if (!status) {
        dg_picture_fold(&picture);
        dg_picture_mark_borders(&picture);
    }
    if (!status && options->around)
        status = dg_picture_around(&picture, options->around, options->hops, err);
    if (!status) {
        size_t most = room(&picture, options->max_boxes);

        dg_picture_collapse(&picture, most);
        dg_picture_ghosts(&picture, most);
        dg_picture_merge_links(&picture);
        status = dg_picture_write(out, &picture, err);
    }
    dg_picture_clear(&picture);
    return status;
}

const struct dg_report dg_report_dot = {
    .name = "dot",
    .summary = "a picture as Graphviz text, clustered by module and delegate",
    .write = write_dot,
};
