/* One box for each module, as deep as there is room. */
#include <stdlib.h>

#include "reports/views/flattened.h"
#include "reports/views/levels.h"
#include "reports/views/modules_parts.h"

enum { ONE_LOOK = 60 }; /* boxes */

static uint32_t method_of(const struct dg_skeleton *skeleton, uint32_t graph)
{
    while (graph && skeleton->graphs[graph].path.size)
        graph--;
    return graph;
}

static void find_parents(struct dg_modules_view *building)
{
    const struct dg_modules *modules = &building->modules;

    for (uint32_t m = 1; m < modules->n_items; m++)
        if (modules->items[m].n_nodes)
            building->parent[modules->items[m].parent] = true;
}

/* A run of repeats is one box, unless that would only replace a box by a box. */
static bool is_folded(const struct dg_modules_view *building, uint32_t module)
{
    const struct dg_module *of = &building->modules.items[module];

    return of->model != module &&
           ((building->parent[module] && of->level < building->depth) ||
            building->modules.items[of->run].n_run > 1);
}

/* Parents stand first. Returns how many boxes there are at least. */
static size_t choose(struct dg_modules_view *building, uint32_t depth)
{
    const struct dg_modules *modules = &building->modules;
    size_t n_boxes = 0;

    building->depth = depth;
    building->n_blocks = building->n_folded = 0;
    building->shown[0] = (struct dg_module_shown){DG_MODULE_OPEN, 0};
    for (uint32_t m = 1; m < modules->n_items; m++) {
        const struct dg_module *module = &modules->items[m];
        struct dg_module_shown outer = building->shown[module->parent];
        struct dg_module_shown *shown = &building->shown[m];

        if (outer.how != DG_MODULE_OPEN)
            *shown = (struct dg_module_shown){DG_MODULE_INSIDE, outer.by};
        else if (is_folded(building, m))
            *shown = (struct dg_module_shown){DG_MODULE_BLOCK, module->run};
        else if (module->level >= depth || !building->parent[m])
            *shown = (struct dg_module_shown){DG_MODULE_CLOSED, m};
        else
            *shown = (struct dg_module_shown){DG_MODULE_OPEN, m};
        n_boxes += shown->how == DG_MODULE_CLOSED ||
                   (shown->how == DG_MODULE_BLOCK && shown->by == m);
        building->n_blocks += shown->how == DG_MODULE_BLOCK && shown->by == m;
        building->n_folded += shown->how == DG_MODULE_BLOCK;
    }
    return n_boxes;
}

static uint32_t part_of_module(struct dg_modules_view *building, uint32_t m,
                               uint32_t method, enum dg_box_kind kind)
{
    struct dg_module_place *place = &building->places[m];

    if (place->part == DG_NOWHERE || place->method != method) {
        place->method = method;
        place->part = dg_clusters_add(&building->clusters, kind, method);
        dg_modules_describe(building, place->part, m);
    }
    return place->part;
}

static bool is_drawn(const struct dg_skeleton_node *node)
{
    return node->graph != DG_NOWHERE &&
           (node->role == DG_ROLE_CALL || node->role == DG_ROLE_CONTROL ||
            node->role == DG_ROLE_ITEM || node->role == DG_ROLE_JUMP ||
            node->role == DG_ROLE_DELEGATE);
}

/* Nodes of open modules are left to levels: what lies between two modules inside is a
 * box. Calls of delegates that hide what they run stand for themselves. */
static void assign(struct dg_modules_view *building)
{
    struct dg_skeleton *skeleton = &building->skeleton;

    dg_clusters_clear(&building->clusters);
    dg_clusters_begin(&building->clusters, skeleton);
    for (uint32_t m = 0; m < building->modules.n_items; m++)
        building->places[m] = (struct dg_module_place){.part = DG_NOWHERE};
    for (uint32_t i = 0; i < skeleton->n_rows; i++) {
        const struct dg_skeleton_node *node = &skeleton->nodes[i];
        uint32_t m = dg_module_of(&building->modules, skeleton, i), method;
        struct dg_module_shown shown = building->shown[m];

        if (!is_drawn(node))
            continue;
        method = method_of(skeleton, node->graph);
        building->key_of[i] = method * building->modules.n_items + m;
        if (node->role == DG_ROLE_DELEGATE)
            dg_clusters_join(
                &building->clusters, i,
                dg_clusters_add(&building->clusters, DG_BOX_DELEGATE, method));
        else if (shown.how != DG_MODULE_OPEN)
            dg_clusters_join(
                &building->clusters, i,
                part_of_module(building, shown.by, method,
                               building->shown[shown.by].how == DG_MODULE_BLOCK
                                   ? DG_BOX_BLOCK
                                   : DG_BOX_GROUP));
    }
    dg_levels_find(&building->clusters, DG_BOX_GROUP, building->key_of);
}

/* As deep as can be taken in at one look, or as was asked for. */
static void assign_deepest(struct dg_modules_view *building)
{
    const struct dg_view_options *options = building->in.options;
    size_t most = dg_view_room(building->picture, options);
    size_t room = most < ONE_LOOK ? most : ONE_LOOK;
    uint32_t depth = building->modules.n_levels ? building->modules.n_levels : 1;

    if (options->depth > 0) {
        choose(building, (uint32_t)options->depth);
        assign(building);
        return;
    }
    for (;; depth--) {
        if (choose(building, depth) > room && depth > 1)
            continue;
        assign(building);
        if (building->clusters.n_items <= room || depth <= 1)
            return;
    }
}

/* Frames of one method, parents first. */
static void frame_method(struct dg_modules_view *building, uint32_t method,
                         size_t *frames)
{
    struct dg_picture *picture = building->picture;
    const struct dg_modules *modules = &building->modules;
    size_t outer = building->skeleton.graphs[method].frame;

    for (uint32_t m = 0; m < modules->n_items; m++)
        frames[m] = SIZE_MAX;
    for (uint32_t p = 0; p < building->clusters.n_items; p++) {
        uint32_t m = dg_modules_outer(building, p);

        for (; building->clusters.items[p].graph == method && frames[m];
             m = modules->items[m].parent)
            frames[m] = 0;
    }
    frames[0] = outer;
    for (uint32_t m = 1; m < modules->n_items; m++)
        if (!frames[m])
            frames[m] = dg_picture_add_frame(picture, DG_FRAME_MODULE,
                                             frames[modules->items[m].parent],
                                             modules->items[m].fqn);
    for (uint32_t p = 0; p < building->clusters.n_items; p++)
        if (building->clusters.items[p].graph == method)
            building->clusters.items[p].frame = frames[dg_modules_outer(building, p)];
}

static void frame_modules(struct dg_modules_view *building)
{
    size_t *frames = dg_zeroed(building->modules.n_items, sizeof(*frames));

    for (uint32_t g = 0; g < building->skeleton.n_graphs; g++)
        if (!building->skeleton.graphs[g].path.size)
            frame_method(building, g, frames);
    free(frames);
}

static void give_hints(const struct dg_modules_view *building)
{
    struct dg_picture *picture = building->picture;
    const struct dg_modules *modules = &building->modules;
    const char *path = picture->path.data;

    if (modules->n_items < 2)
        dg_picture_hint(picture,
                        "the file does not say which modules its nodes come from; a "
                        ".pt2 does");
    else if (building->depth < modules->n_levels)
        dg_picture_hint(picture,
                        "%u of %u levels of modules are open; one more: delegraph dot "
                        "%s --view modules --depth %u",
                        building->depth, modules->n_levels, path, building->depth + 1);
    dg_clusters_hint(&building->clusters, picture);
    if (building->n_folded)
        dg_picture_hint(picture,
                        "%zu module%s the same as one before and folded into %zu "
                        "box%s; one by one: delegraph dot %s --view modules --no-fold",
                        building->n_folded, building->n_folded == 1 ? " is" : "s are",
                        building->n_blocks, building->n_blocks == 1 ? "" : "es", path);
}

static enum dg_status draw(struct dg_modules_view *building)
{
    struct dg_picture *picture = building->picture;
    struct dg_clusters *clusters = &building->clusters;
    bool may_fold = building->modules.n_items < 2 && !building->in.options->no_fold;
    enum dg_status status;

    dg_modules_describe_rest(building);
    dg_modules_shorten_names(building);
    dg_tell_places(clusters, &building->placement);
    dg_clusters_frame(clusters, picture);
    frame_modules(building);
    dg_clusters_add_io(clusters, false);
    status = dg_clusters_measure(clusters, &building->in);
    if (!status)
        dg_clusters_draw(clusters, picture, may_fold);
    give_hints(building);
    return status;
}

static void make_room(struct dg_modules_view *building)
{
    struct dg_arena *memory = &building->modules.memory;
    size_t n_modules = building->modules.n_items;

    building->parent = dg_alloc(memory, n_modules, sizeof(*building->parent));
    building->shown = dg_alloc(memory, n_modules, sizeof(*building->shown));
    building->places = dg_alloc(memory, n_modules, sizeof(*building->places));
    building->key_of =
        dg_alloc(memory, building->skeleton.n_nodes + 1, sizeof(*building->key_of));
    find_parents(building);
}

static enum dg_status read(struct dg_modules_view *building)
{
    struct dg_skeleton *skeleton = &building->skeleton;
    const struct dg_view_input *in = &building->in;
    enum dg_status status = dg_view_begin(building->picture, in);

    if (!status)
        status = dg_skeleton_read(skeleton, in);
    if (!status)
        status = dg_placement_find(&building->placement, skeleton, in);
    if (!status)
        status = dg_skeleton_flatten(skeleton, in);
    if (!status)
        status = dg_modules_read(&building->modules, &building->placement, in);
    return status;
}

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options, struct dg_error *err)
{
    struct dg_modules_view building = {.picture = picture, .in = {store, options, err}};
    enum dg_status status = read(&building);

    picture->view = dg_text("modules");
    if (!status) {
        make_room(&building);
        assign_deepest(&building);
        status = draw(&building);
    }
    if (!status) {
        dg_picture_fit(picture, dg_view_room(picture, options));
        dg_picture_refer_off_page(picture, dg_view_room(picture, options));
        dg_picture_merge_links(picture);
    }
    dg_arena_adopt(&picture->memory, &building.modules.memory);
    dg_arena_adopt(&picture->memory, &building.placement.clusters.memory);
    dg_arena_adopt(&picture->memory, &building.clusters.memory);
    dg_arena_adopt(&picture->memory, &building.skeleton.memory);
    dg_clusters_clear(&building.clusters);
    dg_clusters_clear(&building.placement.clusters);
    dg_modules_clear(&building.modules);
    dg_skeleton_clear(&building.skeleton);
    return status;
}

const struct dg_view dg_view_modules = {
    .name = "modules",
    .summary = "one box for each module, repeated ones folded, as deep as fits",
    .build = build,
};
