/* What the boxes of modules say of themselves. */
#include <stdlib.h>

#include "reports/views/modules_parts.h"

static struct dg_text short_type(struct dg_text type)
{
    size_t begin = type.size;

    while (begin && type.data[begin - 1] != '.')
        begin--;
    return (struct dg_text){type.data ? type.data + begin : NULL, type.size - begin};
}

/* "layers.0.attn" is "attn" inside the frame of "layers.0"; "layers.0" stays. */
static struct dg_text relative_name(const struct dg_modules *modules, uint32_t m,
                                    uint32_t frame)
{
    struct dg_text fqn = modules->items[m].fqn;
    size_t skip = modules->items[frame].fqn.size + 1;

    if (modules->items[m].number >= 0 || skip <= 1 || skip >= fqn.size)
        return fqn;
    return (struct dg_text){fqn.data + skip, fqn.size - skip};
}

void dg_modules_describe(struct dg_modules_view *building, uint32_t index, uint32_t m)
{
    struct dg_arena *memory = &building->clusters.memory;
    const struct dg_module *module = &building->modules.items[m];
    struct dg_cluster *part = &building->clusters.items[index];
    struct dg_text type = short_type(module->type);

    part->title = module->fqn.size                ? module->fqn
                  : building->modules.n_items > 1 ? dg_text("outside of modules")
                                                  : dg_text("host");
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

/* As the partitions view does. */
static void name_delegate(struct dg_cluster *part, const struct dg_clusters *placed)
{
    uint32_t place = placed->part_of[part->first];

    if (place == DG_NOWHERE)
        return;
    part->title = placed->items[place].title;
    part->name = placed->items[place].name;
    part->backend = placed->items[place].backend;
    part->blob = placed->items[place].blob;
    part->command = placed->items[place].command;
}

void dg_modules_describe_rest(struct dg_modules_view *building)
{
    uint32_t n_modules = building->modules.n_items;

    building->module_of = dg_alloc(&building->clusters.memory,
                                   building->clusters.n_items + 1, sizeof(uint32_t));
    for (uint32_t p = 0; p < building->clusters.n_items; p++) {
        struct dg_cluster *part = &building->clusters.items[p];
        uint32_t key = building->key_of[part->first];
        uint32_t m = key % n_modules;

        building->module_of[p] =
            part->is_step || part->kind == DG_BOX_DELEGATE ? m : building->shown[m].by;
        part->cycle = 0;
        if (part->kind == DG_BOX_DELEGATE)
            name_delegate(part, &building->placement.clusters);
        if (!part->is_step)
            continue;
        part->graph = key / n_modules;
        dg_modules_describe(building, p, m);
        if (building->parent[m] && m)
            part->note = dg_text("between its modules");
    }
}

uint32_t dg_modules_outer(const struct dg_modules_view *building, uint32_t part)
{
    uint32_t m = building->module_of[part];

    if (building->clusters.items[part].is_step && building->parent[m])
        return m;
    return building->modules.items[m].parent;
}

/* A frame around one thing is not drawn: what is inside has its name from further out.
 */
void dg_modules_shorten_names(struct dg_modules_view *building)
{
    const struct dg_modules *modules = &building->modules;
    struct dg_clusters *clusters = &building->clusters;
    uint32_t *n_inside = dg_zeroed(modules->n_items, sizeof(*n_inside));

    for (uint32_t p = 0; p < clusters->n_items; p++)
        n_inside[dg_modules_outer(building, p)]++;
    for (uint32_t m = modules->n_items; m-- > 1;)
        n_inside[modules->items[m].parent] += n_inside[m] > 0;
    for (uint32_t p = 0; p < clusters->n_items; p++) {
        uint32_t m = building->module_of[p], frame = modules->items[m].parent;

        while (frame && n_inside[frame] < 2)
            frame = modules->items[frame].parent;
        if (clusters->items[p].kind == DG_BOX_GROUP && m)
            clusters->items[p].title = relative_name(modules, m, frame);
    }
    free(n_inside);
}
