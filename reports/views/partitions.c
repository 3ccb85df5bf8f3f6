/* One box for each delegate, partition of a plan, and step of the host between them. */
#include "reports/views/placement.h"
#include "reports/views/stages.h"

struct building {
    struct dg_picture *picture;
    struct dg_view_input in;
    struct dg_outline outline;
    struct dg_placement placement;
};

static void give_hints(const struct building *building)
{
    struct dg_picture *picture = building->picture;
    const char *path = picture->path.data;
    size_t n_tangled = 0;

    for (size_t i = 0; i < building->placement.parts.n_items; i++)
        n_tangled += building->placement.parts.items[i].tangle != 0;
    if (n_tangled)
        dg_picture_hint(picture,
                        "%zu boxes wait for each other: there is no order to run them "
                        "in, and lowering fails (double arrows)",
                        n_tangled);
    if (building->placement.parts.n_folded)
        dg_picture_hint(picture,
                        "%zu boxes repeat those before them and are folded; one by "
                        "one: delegraph dot %s --view partitions --no-fold",
                        building->placement.parts.n_folded, path);
    if (building->placement.parts.n_twins)
        dg_picture_hint(picture,
                        "%zu boxes are drawn together with others that have the same "
                        "neighbours; one by one: delegraph dot %s --view partitions "
                        "--no-fold",
                        building->placement.parts.n_twins, path);
    if (!building->placement.n_planned && !building->placement.n_called)
        dg_picture_hint(picture,
                        "nothing is delegated and there is no plan; one to start from: "
                        "delegraph partition %s",
                        path);
}

static enum dg_status draw(struct building *building)
{
    struct dg_picture *picture = building->picture;
    struct dg_parts *parts = &building->placement.parts;
    enum dg_status status;

    dg_stages_find(parts, DG_BOX_HOST, NULL);
    dg_parts_add_ends(parts, true);
    dg_parts_frame(parts, picture);
    status = dg_parts_measure(parts, &building->in);
    if (!status)
        status = dg_parts_draw(parts, picture, &building->in,
                               !building->in.options->no_fold);
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
        status = dg_outline_read(&building.outline, &building.in);
    if (!status)
        status =
            dg_placement_find(&building.placement, &building.outline, &building.in);
    if (!status)
        status = draw(&building);
    if (!status) {
        give_hints(&building);
        dg_picture_collapse(picture, dg_view_room(picture, options));
        dg_picture_ghosts(picture, dg_view_room(picture, options));
        dg_picture_merge_links(picture);
    }
    dg_arena_adopt(&picture->memory, &building.placement.parts.memory);
    dg_arena_adopt(&picture->memory, &building.outline.memory);
    dg_parts_clear(&building.placement.parts);
    dg_outline_clear(&building.outline);
    return status;
}

const struct dg_view dg_view_partitions = {
    .name = "partitions",
    .summary =
        "one box for each delegate, partition, and step of the host between them",
    .build = build,
};
