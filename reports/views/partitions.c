/* One box for each delegate, partition of a plan, and step of the host between them. */
#include "reports/views/levels.h"
#include "reports/views/placement.h"

struct building {
    struct dg_picture *picture;
    struct dg_view_input in;
    struct dg_skeleton skeleton;
    struct dg_placement placement;
};

static void give_hints(const struct building *building)
{
    struct dg_picture *picture = building->picture;
    size_t n_cyclic = 0;

    for (size_t i = 0; i < building->placement.clusters.n_items; i++)
        n_cyclic += building->placement.clusters.items[i].cycle != 0;
    if (n_cyclic)
        dg_picture_hint(picture,
                        "%zu boxes wait for each other: there is no order to run them "
                        "in, and lowering fails (double arrows)",
                        n_cyclic);
    dg_clusters_hint(&building->placement.clusters, picture);
    if (!building->placement.n_planned && !building->placement.n_called)
        dg_picture_hint(picture,
                        "nothing is delegated and there is no plan; one to start from: "
                        "delegraph partition %s",
                        picture->path.data);
}

static enum dg_status draw(struct building *building)
{
    struct dg_picture *picture = building->picture;
    struct dg_clusters *clusters = &building->placement.clusters;
    enum dg_status status;

    dg_levels_find(clusters, DG_BOX_HOST, NULL);
    dg_clusters_add_io(clusters, true);
    dg_clusters_frame(clusters, picture);
    status = dg_clusters_measure(clusters, &building->in);
    if (!status)
        dg_clusters_draw(clusters, picture, !building->in.options->no_fold);
    picture->n_parts = building->placement.n_planned;
    return status;
}

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options, struct dg_error *err)
{
    struct building building = {.picture = picture, .in = {store, options, err}};
    enum dg_status status = dg_view_begin(picture, &building.in);

    picture->view = dg_text("partitions");
    if (!status)
        status = dg_skeleton_read(&building.skeleton, &building.in);
    if (!status)
        status =
            dg_placement_find(&building.placement, &building.skeleton, &building.in);
    if (!status)
        status = draw(&building);
    if (!status) {
        give_hints(&building);
        dg_picture_fit(picture, dg_view_room(picture, options));
        dg_picture_refer_off_page(picture, dg_view_room(picture, options));
        dg_picture_merge_links(picture);
    }
    dg_arena_adopt(&picture->memory, &building.placement.clusters.memory);
    dg_arena_adopt(&picture->memory, &building.skeleton.memory);
    dg_clusters_clear(&building.placement.clusters);
    dg_skeleton_clear(&building.skeleton);
    return status;
}

const struct dg_view dg_view_partitions = {
    .name = "partitions",
    .summary =
        "one box for each delegate, partition, and step of the host between them",
    .build = build,
};
