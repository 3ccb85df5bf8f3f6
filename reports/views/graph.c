/* The nodes of a program, clustered by module and partition. */
#include "reports/views/graph_load.h"

enum {
    FEW_REPEATS = 3, /* modules that repeat others are folded from here on */
    FEW_BOXES = 64,  /* up to here all is drawn at a glance */
    FEW_PARTS = 16,  /* partitions that may be opened one by one */
};

/* Only what was asked for. */
static enum dg_status choose(struct dg_picture *picture,
                             const struct dg_view_options *options,
                             struct dg_error *err)
{
    if (options->around)
        return dg_picture_around(picture, options->around, options->hops, err);
    return options->module ? dg_picture_module(picture, options->module, err) : DG_OK;
}

static void fold_blocks(struct dg_picture *picture, size_t most)
{
    if (dg_picture_n_drawn(picture) > FEW_BOXES)
        dg_picture_fold_lowered(picture);
    if (dg_picture_n_drawn(picture) > FEW_BOXES && picture->n_parts > FEW_PARTS)
        dg_picture_close_parts(picture);
    if (dg_picture_n_drawn(picture) > FEW_BOXES)
        dg_picture_frame_sequences(picture);
    dg_picture_fold_repeats(picture,
                            dg_picture_n_drawn(picture) > most ? 1 : FEW_REPEATS);
    dg_picture_fold_siblings(picture);
}

static void shrink(struct dg_picture *picture, const struct dg_view_options *options)
{
    size_t most = dg_view_room(picture, options);

    if (!options->no_fold && !options->around)
        fold_blocks(picture, most);
    dg_picture_fit(picture, most);
    dg_picture_merge_links(picture);
    dg_picture_refer_off_page(picture, most);
}

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *given, struct dg_error *err)
{
    struct dg_view_options named = *given, *options = &named;
    const struct dg_view_input in = {store, options, err};
    enum dg_status status = dg_boxes_load(picture, &in);

    if (!status)
        status = dg_boxes_inside_name(&named.around, picture, &in);
    if (status)
        return status;
    picture->view = dg_text("graph");
    if (!options->no_fold)
        dg_picture_fold_views(picture, options->around);
    dg_picture_fold(picture);
    if (picture->n_views)
        dg_picture_hint(picture, "%zu view%s in labels; --no-fold draws them",
                        picture->n_views,
                        picture->n_views == 1 ? " is a line" : "s are lines");
    dg_picture_mark_borders(picture);
    status = choose(picture, options, err);
    if (status)
        return status;
    shrink(picture, options);
    return dg_view_load_lines(picture, &in);
}

const struct dg_view dg_view_graph = {
    .name = "graph",
    .summary = "nodes and values, clustered by module and partition",
    .wants_findings = DG_FINDINGS_OF_PLANS,
    .build = build,
};
