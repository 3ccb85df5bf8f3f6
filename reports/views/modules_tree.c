/* Modules by their names, and those that repeat each other. */
#include "reports/views/modules_tree.h"

#include <stdlib.h>

#include "base/repeats.h"
#include "base/sorted.h"
#include "reports/picture/structural_hash.h"

enum { DEEPEST = 64 }; /* levels that are told apart */

/* Of "layers.7" the length of "layers", and the number 7; -1 where there is none. */
static size_t split_number(struct dg_text fqn, int64_t *number)
{
    size_t begin = fqn.size;

    *number = -1;
    while (begin && fqn.data[begin - 1] >= '0' && fqn.data[begin - 1] <= '9')
        begin--;
    if (begin == fqn.size || fqn.size - begin > 9 ||
        (begin && fqn.data[begin - 1] != '.'))
        return fqn.size;
    *number = 0;
    for (size_t i = begin; i < fqn.size; i++)
        *number = *number * 10 + (fqn.data[i] - '0');
    return begin ? begin - 1 : 0;
}

uint32_t dg_module_around(const struct dg_modules *modules, struct dg_text name)
{
    for (size_t i = name.size; i-- > 1;)
        if (name.data[i] == '.') {
            uint32_t found =
                dg_text_set_find(&modules->names, (struct dg_text){name.data, i});

            if (found != DG_NO_TEXT)
                return found;
        }
    return 0;
}

static uint32_t add_module(struct dg_modules *modules, struct dg_text fqn,
                           struct dg_text type)
{
    uint32_t parent = modules->n_items ? dg_module_around(modules, fqn) : 0;
    uint32_t index = dg_text_set_add(&modules->names, fqn);
    struct dg_module *module;

    if (index < modules->n_items)
        return index;
    module = DG_APPEND(modules->items, modules->n_items);
    *module = (struct dg_module){
        .fqn = fqn, .type = type, .parent = parent, .model = index, .run = index};
    module->level = index ? modules->items[parent].level + 1 : 0;
    if (module->level > DEEPEST) {
        module->level = DEEPEST;
        module->parent = modules->items[parent].parent;
    }
    if (module->level > modules->n_levels)
        modules->n_levels = module->level;
    split_number(fqn, &module->number);
    return index;
}

/* Sorted by name, so that "a" stands before "a.b". */
static enum dg_status read_names(struct dg_modules *modules,
                                 const struct dg_view_input *in)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, in->store, "SELECT id, fqn, type FROM module ORDER BY fqn", in->err);

    if (status)
        return status;
    add_module(modules, dg_text(""), (struct dg_text){0});
    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, 0);
        uint32_t index = add_module(modules, dg_rows_keep(&modules->memory, &rows, 1),
                                    (struct dg_text){0});

        if (!dg_rows_null(&rows, 2) && !modules->items[index].type.data)
            modules->items[index].type = dg_rows_keep(&modules->memory, &rows, 2);
        if (row > 0 && (uint64_t)row <= modules->n_rows)
            modules->of_row[row] = index;
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

uint32_t dg_module_of(const struct dg_modules *modules,
                      const struct dg_skeleton *skeleton, uint32_t node)
{
    uint32_t row = dg_skeleton_row(skeleton, node)->module;

    return row <= modules->n_rows ? modules->of_row[row] : 0;
}

static uint64_t hash_place(const struct dg_placement *placement, uint32_t node)
{
    uint32_t part = placement->clusters.part_of[node];
    const struct dg_cluster *of;

    if (part == DG_NOWHERE)
        return 0;
    of = &placement->clusters.items[part];
    return dg_mix_text((uint64_t)of->kind, of->backend);
}

/* A node counts for its module and all those around it. */
static void hash_node(struct dg_modules *modules, const struct dg_placement *placement,
                      uint32_t node)
{
    const struct dg_skeleton *skeleton = placement->clusters.skeleton;
    uint32_t value = skeleton->nodes[node].value;
    uint64_t type = value ? skeleton->values->type_of[value - 1] + (uint64_t)1 : 0;
    uint64_t hash = dg_mix(dg_mix(dg_skeleton_row(skeleton, node)->op, type),
                           hash_place(placement, node));
    uint32_t at = dg_module_of(modules, skeleton, node);
    struct dg_text fqn = modules->items[at].fqn;

    for (;;) {
        struct dg_module *module = &modules->items[at];
        struct dg_text inner = {fqn.data + module->fqn.size,
                                fqn.size - module->fqn.size};

        module->hash = dg_mix(module->hash, dg_mix_text(hash, inner));
        module->n_nodes++;
        if (!at)
            return;
        at = module->parent;
    }
}

static void hash_modules(struct dg_modules *modules,
                         const struct dg_placement *placement)
{
    const struct dg_skeleton *skeleton = placement->clusters.skeleton;

    for (uint32_t i = 0; i < skeleton->n_rows; i++)
        if (skeleton->nodes[i].graph != DG_NOWHERE &&
            (skeleton->nodes[i].role == DG_ROLE_CALL ||
             skeleton->nodes[i].role == DG_ROLE_CONTROL))
            hash_node(modules, placement, i);
}

struct sibling {
    struct dg_text container; /* "layers" */
    int64_t number;
    uint64_t hash;
    uint32_t module;
};

static int by_container(const struct sibling *a, const struct sibling *b)
{
    size_t size =
        a->container.size < b->container.size ? a->container.size : b->container.size;
    int order = size ? memcmp(a->container.data, b->container.data, size) : 0;

    return order ? order
                 : (a->container.size > b->container.size) -
                       (a->container.size < b->container.size);
}

static int by_number(const void *left, const void *right)
{
    const struct sibling *a = left, *b = right;
    int order = by_container(a, b);

    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static struct sibling *list_siblings(const struct dg_modules *modules, size_t *count)
{
    struct sibling *siblings = NULL;

    *count = 0;
    for (uint32_t i = 1; i < modules->n_items; i++) {
        const struct dg_module *module = &modules->items[i];
        int64_t number;
        size_t size = split_number(module->fqn, &number);

        if (number >= 0 && module->n_nodes)
            *DG_APPEND(siblings, *count) =
                (struct sibling){{module->fqn.data, size}, number, module->hash, i};
    }
    return siblings;
}

/* Those that repeat one before them make runs, up to one that does not. */
static void find_runs(struct dg_modules *modules, const struct sibling *siblings,
                      size_t n_siblings)
{
    uint32_t run = DG_NOWHERE;

    for (size_t i = 0; i < n_siblings; i++) {
        struct dg_module *module = &modules->items[siblings[i].module];
        bool repeats = module->model != siblings[i].module;

        if (!repeats || (i && by_container(&siblings[i - 1], &siblings[i])))
            run = DG_NOWHERE;
        if (repeats && run == DG_NOWHERE)
            run = siblings[i].module;
        if (!repeats)
            continue;
        module->run = run;
        modules->items[run].n_run++;
        modules->items[run].last = siblings[i].module;
    }
}

static void find_models(struct dg_modules *modules, const struct sibling *siblings,
                        size_t n_siblings)
{
    uint64_t *keys = dg_zeroed(n_siblings + 1, sizeof(*keys));
    size_t *first;

    for (size_t i = 0; i < n_siblings; i++)
        keys[i] = dg_mix_text(siblings[i].hash, siblings[i].container);
    first = dg_first_equal(keys, n_siblings);
    for (size_t i = 0; i < n_siblings; i++)
        modules->items[siblings[i].module].model = siblings[first[i]].module;
    free(keys);
    free(first);
}

static void find_repeats(struct dg_modules *modules)
{
    size_t n_siblings;
    struct sibling *siblings = list_siblings(modules, &n_siblings);

    dg_sort(siblings, n_siblings, sizeof(*siblings), by_number);
    find_models(modules, siblings, n_siblings);
    find_runs(modules, siblings, n_siblings);
    free(siblings);
}

enum dg_status dg_modules_read(struct dg_modules *modules,
                               const struct dg_placement *placement,
                               const struct dg_view_input *in)
{
    int64_t n_rows;
    enum dg_status status =
        dg_store_int(in->store, "SELECT count(*) FROM module", 0, &n_rows, in->err);

    *modules = (struct dg_modules){0};
    if (status)
        return status;
    modules->n_rows = (uint32_t)n_rows;
    modules->of_row =
        dg_alloc(&modules->memory, (size_t)n_rows + 1, sizeof(*modules->of_row));
    status = read_names(modules, in);
    if (status)
        return status;
    hash_modules(modules, placement);
    if (!in->options->no_fold)
        find_repeats(modules);
    return DG_OK;
}

void dg_modules_clear(struct dg_modules *modules)
{
    free(modules->items);
    dg_text_set_clear(&modules->names);
    dg_arena_clear(&modules->memory);
    *modules = (struct dg_modules){0};
}
