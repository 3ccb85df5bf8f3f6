/* Graphviz text of a program. */
#include "reports/dot_model.h"

enum {
    DEFAULT_BOXES = 300,
    LEGEND_BOXES = 9, /* at most; they count, too */
    FEWEST_BOXES = 8, /* below which nothing could be told */
};

static enum dg_status write_dot(struct dg_writer *out, struct dg_store *store,
                                const struct dg_report_options *options,
                                struct dg_error *err)
{
    int asked = options->max_boxes > 0 ? options->max_boxes : DEFAULT_BOXES;
    size_t most = asked > LEGEND_BOXES + FEWEST_BOXES ? (size_t)asked - LEGEND_BOXES
                                                      : FEWEST_BOXES;
    struct dg_picture picture = {0};
    enum dg_status status = dg_picture_load(&picture, store, options, err);

    if (!status)
        dg_picture_fold(&picture);
    if (!status && options->around)
        status = dg_picture_around(&picture, options->around, options->hops, err);
    if (!status) {
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
