/* A lane for each device with what runs there, and the copies between lanes. */
#include "reports/views/devices_copies.h"
#include "reports/views/levels.h"

struct building {
    struct dg_picture *picture;
    struct dg_view_input in;
    struct dg_skeleton skeleton;
    struct dg_placement placement;
    struct dg_located located;
    size_t n_to_device, n_to_host;
};

/* What a plan gives to a backend is where its spec says; the newest partition comes
 * last. */
static enum dg_status place_parts(struct building *building)
{
    struct dg_clusters *clusters = &building->placement.clusters;
    struct dg_located *located = &building->located;
    struct dg_rows rows = dg_rows_of(
        building->in.store,
        "SELECT node_id, value FROM partition_spec AS spec CROSS JOIN partition_node"
        "  AS pn ON pn.partition_id = spec.partition_id WHERE key = 'target_device'"
        " ORDER BY spec.partition_id, spec.pos DESC",
        0, building->in.err);

    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, 0);
        uint32_t part = row > 0 && (uint64_t)row <= building->skeleton.n_rows
                            ? clusters->part_of[row - 1]
                            : DG_NOWHERE;

        if (part != DG_NOWHERE && clusters->items[part].kind == DG_BOX_PART &&
            clusters->items[part].first == row - 1)
            located->device_of[row - 1] =
                dg_device_number(located, dg_rows_slice(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, building->in.err);
}

/* What is left on each device, in steps; copies are steps of their own. */
static void add_steps(struct building *building)
{
    const struct dg_skeleton *skeleton = &building->skeleton;
    const struct dg_located *located = &building->located;
    struct dg_clusters *clusters = &building->placement.clusters;
    uint32_t n_keys = 2 * (uint32_t)located->n_names;
    uint32_t *keys = dg_alloc(&clusters->memory, skeleton->n_nodes + 1, sizeof(*keys));

    for (size_t i = 0; i < skeleton->n_nodes; i++)
        if (skeleton->nodes[i].graph != DG_NOWHERE)
            keys[i] = skeleton->nodes[i].graph * n_keys + 2 * located->device_of[i] +
                      located->copies[i];
    dg_levels_find(clusters, DG_BOX_HOST, keys);
    for (size_t i = 0; i < clusters->n_items; i++) {
        struct dg_cluster *part = &clusters->items[i];

        part->cycle = 0;
        if (part->is_step && located->copies[part->first])
            part->kind = DG_BOX_COPY;
        else if (part->is_step && located->device_of[part->first])
            part->title = dg_text("kernels");
    }
}

/* Copies are counted, and are no operators. */
static void describe_copies(struct building *building)
{
    struct dg_clusters *clusters = &building->placement.clusters;

    for (size_t i = 0; i < clusters->n_items; i++) {
        struct dg_cluster *part = &clusters->items[i];
        uint32_t device = building->located.device_of[part->first];
        const char *words = part->n_calls == 1 ? "copy" : "copies";

        if (part->kind != DG_BOX_COPY)
            continue;
        *(device ? &building->n_to_device : &building->n_to_host) += part->n_calls;
        part->title =
            dg_format(&clusters->memory, "%zu %s to %s", part->n_calls, words,
                      device ? building->located.names[device].data : "the host");
        part->n_calls = part->n_kinds = 0;
        memset(part->ops, 0, sizeof(part->ops));
    }
}

/* Copies stand between the lanes. */
static void add_lanes(struct building *building)
{
    struct dg_picture *picture = building->picture;
    struct dg_clusters *clusters = &building->placement.clusters;
    const struct dg_located *located = &building->located;
    size_t *lanes = dg_alloc(&clusters->memory, located->n_names, sizeof(*lanes));

    dg_clusters_frame(clusters, picture);
    for (uint32_t g = 0; g < building->skeleton.n_graphs; g++) {
        memset(lanes, 0, located->n_names * sizeof(*lanes));
        for (size_t i = 0; i < clusters->n_items; i++) {
            struct dg_cluster *part = &clusters->items[i];
            uint32_t device = located->device_of[part->first];

            if (part->graph != g || part->gone || part->kind == DG_BOX_COPY)
                continue;
            if (!lanes[device])
                lanes[device] = dg_picture_add_frame(
                    picture, DG_FRAME_LANE, building->skeleton.graphs[g].frame,
                    device ? located->names[device] : dg_text("cpu: the host"));
            part->frame = lanes[device];
        }
    }
}

static void give_hints(const struct building *building)
{
    struct dg_picture *picture = building->picture;
    const char *path = picture->path.data;
    size_t n_to = building->n_to_device, n_from = building->n_to_host;

    if (building->located.failure.data)
        dg_picture_hint(picture, "to_executorch stops here: %s",
                        building->located.failure.data);
    if (n_to + n_from)
        dg_picture_hint(picture,
                        "%zu cop%s to devices, %zu to the host; one by one: delegraph "
                        "query %s @device-crossings",
                        n_to, n_to == 1 ? "y" : "ies", n_from, path);
    if (building->located.n_names < 2)
        dg_picture_hint(picture,
                        "all is in host memory: no delegate has a target_device");
    dg_clusters_hint(&building->placement.clusters, picture);
}

static enum dg_status draw(struct building *building)
{
    const struct dg_view_options *options = building->in.options;
    struct dg_picture *picture = building->picture;
    struct dg_clusters *clusters = &building->placement.clusters;
    enum dg_status status = place_parts(building);

    if (status)
        return status;
    add_steps(building);
    dg_clusters_add_io(clusters, true);
    add_lanes(building);
    status = dg_clusters_measure(clusters, &building->in);
    describe_copies(building);
    if (status)
        return status;
    dg_clusters_draw(clusters, picture, !options->no_fold);
    give_hints(building);
    dg_picture_fit(picture, dg_view_room(picture, options));
    dg_picture_merge_links(picture);
    return DG_OK;
}

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options, struct dg_error *err)
{
    struct building building = {.picture = picture, .in = {store, options, err}};
    enum dg_status status = dg_view_begin(picture, &building.in);

    picture->view = dg_text("devices");
    if (!status)
        status = dg_skeleton_read(&building.skeleton, &building.in);
    if (!status)
        status = dg_locate(&building.located, &building.skeleton, &building.in);
    if (!status)
        status =
            dg_placement_find(&building.placement, &building.skeleton, &building.in);
    if (!status)
        status = draw(&building);
    dg_arena_adopt(&picture->memory, &building.placement.clusters.memory);
    dg_arena_adopt(&picture->memory, &building.skeleton.memory);
    dg_arena_adopt(&picture->memory, &building.located.memory);
    dg_located_clear(&building.located);
    dg_clusters_clear(&building.placement.clusters);
    dg_skeleton_clear(&building.skeleton);
    return status;
}

const struct dg_view dg_view_devices = {
    .name = "devices",
    .summary = "a lane for each device, the steps in it, and the copies between them",
    .build = build,
};
