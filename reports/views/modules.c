/* One box for each module, as deep as there is room. */
#include <stdlib.h>

#include "reports/views/inlined.h"
#include "reports/views/modules_tree.h"
#include "reports/views/stages.h"

enum how { INSIDE, OPEN, CLOSED, BLOCK };

struct shown { /* of a module */
    enum how how;
    uint32_t by; /* the module whose box shows it */
};

struct place { /* the newest part of a module */
    uint32_t method, part;
};

struct building {
    struct dg_picture_loading loading;
    struct dg_outline outline;
    struct dg_placement placement;
    struct dg_modules modules;
    struct dg_parts parts;
    uint32_t depth;
    bool *parent;         /* of each module: modules with nodes are inside */
    struct shown *shown;  /* by module */
    struct place *places; /* by module */
    uint32_t *key_of;     /* by node: its method and module */
    uint32_t *module_of;  /* by part */
    size_t n_blocks, n_folded;
};

static uint32_t method_of(const struct dg_outline *outline, uint32_t graph)
{
    while (graph && outline->graphs[graph].path.size)
        graph--;
    return graph;
}

static void find_parents(struct building *building)
{
    const struct dg_modules *modules = &building->modules;

    for (uint32_t m = 1; m < modules->n_items; m++)
        if (modules->items[m].n_nodes)
            building->parent[modules->items[m].parent] = true;
}

/* A run of repeats is one box, unless that would only replace a box by a box. */
static bool is_folded(const struct building *building, uint32_t module)
{
    const struct dg_module *of = &building->modules.items[module];

    return of->model != module &&
           ((building->parent[module] && of->level < building->depth) ||
            building->modules.items[of->run].n_run > 1);
}

/* Parents stand first. Returns how many boxes there are at least. */
static size_t choose(struct building *building, uint32_t depth)
{
    const struct dg_modules *modules = &building->modules;
    size_t n_boxes = 0;

    building->depth = depth;
    building->n_blocks = building->n_folded = 0;
    building->shown[0] = (struct shown){OPEN, 0};
    for (uint32_t m = 1; m < modules->n_items; m++) {
        const struct dg_module *module = &modules->items[m];
        struct shown outer = building->shown[module->parent];
        struct shown *shown = &building->shown[m];

        if (outer.how != OPEN)
            *shown = (struct shown){INSIDE, outer.by};
        else if (is_folded(building, m))
            *shown = (struct shown){BLOCK, module->run};
        else if (module->level >= depth || !building->parent[m])
            *shown = (struct shown){CLOSED, m};
        else
            *shown = (struct shown){OPEN, m};
        n_boxes += shown->how == CLOSED || (shown->how == BLOCK && shown->by == m);
        building->n_blocks += shown->how == BLOCK && shown->by == m;
        building->n_folded += shown->how == BLOCK;
    }
    return n_boxes;
}

static struct dg_text short_type(struct dg_text type)
{
    size_t begin = type.size;

    while (begin && type.data[begin - 1] != '.')
        begin--;
    return (struct dg_text){type.data ? type.data + begin : NULL, type.size - begin};
}

/* "layers.0.attn" is "attn" inside the frame of "layers.0"; "layers.0" stays. */
static struct dg_text relative_name(const struct dg_modules *modules, uint32_t m)
{
    struct dg_text fqn = modules->items[m].fqn;
    size_t skip = modules->items[modules->items[m].parent].fqn.size + 1;

    if (modules->items[m].number >= 0 || skip <= 1 || skip >= fqn.size)
        return fqn;
    return (struct dg_text){fqn.data + skip, fqn.size - skip};
}

static void describe(struct building *building, uint32_t index, uint32_t m)
{
    struct dg_arena *memory = &building->parts.memory;
    const struct dg_module *module = &building->modules.items[m];
    struct dg_part *part = &building->parts.items[index];
    struct dg_text type = short_type(module->type);

    part->title = module->fqn.size ? relative_name(&building->modules, m)
                                   : dg_text("outside of modules");
    part->note = type.size ? dg_format(memory, "%s", type.data) : type;
    if (module->fqn.size)
        part->command =
            dg_format(memory, "--module %s", dg_shell_word(memory, module->fqn).data);
    if (part->kind != DG_BOX_BLOCK)
        return;
    part->n_repeats = module->n_run;
    if (module->n_run > 1)
        part->title = dg_format(memory, "%s \xe2\x80\xa6 %s", module->fqn.data,
                                building->modules.items[module->last].fqn.data);
    part->note = module->n_run > 1
                     ? dg_format(memory, "%u times %s", module->n_run,
                                 building->modules.items[module->model].fqn.data)
                     : dg_format(memory, "the same as %s",
                                 building->modules.items[module->model].fqn.data);
}

static uint32_t part_of_module(struct building *building, uint32_t m, uint32_t method,
                               enum dg_box_kind kind)
{
    struct place *place = &building->places[m];

    if (place->part == DG_NOWHERE || place->method != method) {
        place->method = method;
        place->part = dg_parts_add(&building->parts, kind, method);
        describe(building, place->part, m);
    }
    return place->part;
}

static bool is_drawn(const struct dg_outline_node *node)
{
    return node->graph != DG_NOWHERE &&
           (node->role == DG_ROLE_CALL || node->role == DG_ROLE_CONTROL ||
            node->role == DG_ROLE_ITEM || node->role == DG_ROLE_JUMP ||
            node->role == DG_ROLE_DELEGATE);
}

/* Nodes of open modules are left to stages: what lies between two modules inside is a
 * box. Calls of delegates that hide what they run stand for themselves. */
static void assign(struct building *building)
{
    struct dg_outline *outline = &building->outline;

    dg_parts_clear(&building->parts);
    dg_parts_begin(&building->parts, outline);
    for (uint32_t m = 0; m < building->modules.n_items; m++)
        building->places[m] = (struct place){.part = DG_NOWHERE};
    for (uint32_t i = 0; i < outline->n_rows; i++) {
        const struct dg_outline_node *node = &outline->nodes[i];
        uint32_t m = dg_module_of(&building->modules, node), method;
        struct shown shown = building->shown[m];

        if (!is_drawn(node))
            continue;
        method = method_of(outline, node->graph);
        building->key_of[i] = method * building->modules.n_items + m;
        if (node->role == DG_ROLE_DELEGATE)
            dg_parts_join(&building->parts, i,
                          dg_parts_add(&building->parts, DG_BOX_DELEGATE, method));
        else if (shown.how != OPEN)
            dg_parts_join(&building->parts, i,
                          part_of_module(building, shown.by, method,
                                         building->shown[shown.by].how == BLOCK
                                             ? DG_BOX_BLOCK
                                             : DG_BOX_GROUP));
    }
    dg_stages_find(&building->parts, DG_BOX_GROUP, building->key_of);
}

/* As deep as fits, or as was asked for. */
static void assign_deepest(struct building *building)
{
    const struct dg_view_options *options = building->loading.options;
    size_t room = dg_view_room(building->loading.picture, options);
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
        if (building->parts.n_items <= room || depth <= 1)
            return;
    }
}

/* Boxes of open modules, which stages made, and delegates. */
static void describe_rest(struct building *building)
{
    uint32_t n_modules = building->modules.n_items;

    building->module_of = dg_alloc(&building->parts.memory, building->parts.n_items + 1,
                                   sizeof(uint32_t));
    for (uint32_t p = 0; p < building->parts.n_items; p++) {
        struct dg_part *part = &building->parts.items[p];
        uint32_t key = building->key_of[part->first];
        uint32_t m = key % n_modules;

        building->module_of[p] =
            part->is_step || part->kind == DG_BOX_DELEGATE ? m : building->shown[m].by;
        part->tangle = 0;
        if (!part->is_step)
            continue;
        part->graph = key / n_modules;
        describe(building, p, m);
        if (building->parent[m] && m)
            part->note = dg_text("between its modules");
    }
}

/* The open module that a part lies in; 0: the root. */
static uint32_t outer_module(const struct building *building, uint32_t part)
{
    uint32_t m = building->module_of[part];

    if (building->parts.items[part].is_step && building->parent[m])
        return m;
    return building->modules.items[m].parent;
}

/* Frames of one method, parents first. */
static void frame_method(struct building *building, uint32_t method, size_t *frames)
{
    struct dg_picture *picture = building->loading.picture;
    const struct dg_modules *modules = &building->modules;
    size_t outer = building->outline.graphs[method].frame;

    for (uint32_t m = 0; m < modules->n_items; m++)
        frames[m] = SIZE_MAX;
    for (uint32_t p = 0; p < building->parts.n_items; p++) {
        uint32_t m = outer_module(building, p);

        for (; building->parts.items[p].graph == method && frames[m];
             m = modules->items[m].parent)
            frames[m] = 0;
    }
    frames[0] = outer;
    for (uint32_t m = 1; m < modules->n_items; m++)
        if (!frames[m])
            frames[m] = dg_picture_add_frame(picture, DG_FRAME_MODULE,
                                             frames[modules->items[m].parent],
                                             modules->items[m].fqn);
    for (uint32_t p = 0; p < building->parts.n_items; p++)
        if (building->parts.items[p].graph == method)
            building->parts.items[p].frame = frames[outer_module(building, p)];
}

static void frame_modules(struct building *building)
{
    size_t *frames = calloc(building->modules.n_items, sizeof(*frames));

    if (!frames)
        dg_out_of_memory();
    for (uint32_t g = 0; g < building->outline.n_graphs; g++)
        if (!building->outline.graphs[g].path.size)
            frame_method(building, g, frames);
    free(frames);
}

static void give_hints(const struct building *building)
{
    struct dg_picture *picture = building->loading.picture;
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
    if (building->n_folded)
        dg_picture_hint(picture,
                        "%zu module%s the same as one before and folded into %zu "
                        "box%s; one by one: delegraph dot %s --view modules --no-fold",
                        building->n_folded, building->n_folded == 1 ? " is" : "s are",
                        building->n_blocks, building->n_blocks == 1 ? "" : "es", path);
}

static enum dg_status draw(struct building *building)
{
    struct dg_picture *picture = building->loading.picture;
    struct dg_parts *parts = &building->parts;
    enum dg_status status;

    describe_rest(building);
    dg_tell_places(parts, &building->placement);
    dg_parts_frame(parts, picture);
    frame_modules(building);
    dg_parts_add_ends(parts);
    status = dg_parts_measure(parts, &building->loading);
    if (!status)
        status = dg_parts_draw(parts, &building->loading, false);
    give_hints(building);
    return status;
}

static void make_room(struct building *building)
{
    struct dg_arena *memory = &building->modules.memory;
    size_t n_modules = building->modules.n_items;

    building->parent = dg_alloc(memory, n_modules, sizeof(*building->parent));
    building->shown = dg_alloc(memory, n_modules, sizeof(*building->shown));
    building->places = dg_alloc(memory, n_modules, sizeof(*building->places));
    building->key_of =
        dg_alloc(memory, building->outline.n_nodes + 1, sizeof(*building->key_of));
    find_parents(building);
}

static enum dg_status read(struct building *building)
{
    struct dg_outline *outline = &building->outline;
    const struct dg_picture_loading *loading = &building->loading;
    enum dg_status status = dg_outline_read(outline, loading);

    if (!status)
        status = dg_placement_find(&building->placement, outline, loading);
    if (!status)
        status = dg_outline_inline(outline, loading);
    if (!status)
        status = dg_modules_read(&building->modules, &building->placement, loading);
    return status;
}

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options, struct dg_error *err)
{
    struct building building = {
        .loading = {
            .picture = picture, .store = store, .options = options, .err = err}};
    enum dg_status status = read(&building);

    picture->view = dg_text("modules");
    if (!status) {
        make_room(&building);
        assign_deepest(&building);
        status = draw(&building);
    }
    if (!status) {
        dg_picture_collapse(picture, dg_view_room(picture, options));
        dg_picture_ghosts(picture, dg_view_room(picture, options));
        dg_picture_merge_links(picture);
    }
    dg_arena_adopt(&picture->memory, &building.modules.memory);
    dg_arena_adopt(&picture->memory, &building.placement.parts.memory);
    dg_arena_adopt(&picture->memory, &building.parts.memory);
    dg_arena_adopt(&picture->memory, &building.outline.memory);
    dg_parts_clear(&building.parts);
    dg_parts_clear(&building.placement.parts);
    dg_modules_clear(&building.modules);
    dg_outline_clear(&building.outline);
    return status;
}

const struct dg_view dg_view_modules = {
    .name = "modules",
    .summary = "one box for each module, repeated ones folded, as deep as fits",
    .build = build,
};
