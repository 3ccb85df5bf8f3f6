/* The modules of a method with their calls, weights and costs. */
#include "reports/tree.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "base/sum.h"
#include "graph/asked.h"
#include "graph/cost.h"
#include "reports/views/modules_tree.h"

struct sum {        /* of a module and all inside */
    uint32_t first; /* node; DG_NOWHERE: none */
    uint32_t module;
    int64_t calls, delegated, weights;
    double flops, took;
};

struct reading {
    struct dg_view_input in;
    struct dg_skeleton skeleton;
    struct dg_placement placement;
    struct dg_modules modules;
    const struct dg_costs *costs;
    struct sum *sums; /* by module */
};

static bool is_delegated(const struct dg_placement *placement, uint32_t node)
{
    uint32_t part = placement->clusters.part_of[node];
    enum dg_box_kind kind;

    if (part == DG_NOWHERE)
        return false;
    kind = placement->clusters.items[part].kind;
    return kind == DG_BOX_DELEGATE || kind == DG_BOX_PART;
}

static void count_calls(struct reading *reading)
{
    const struct dg_skeleton *skeleton = &reading->skeleton;

    for (uint32_t i = 0; i < skeleton->n_rows && i < reading->costs->n_nodes; i++) {
        const struct dg_skeleton_node *node = &skeleton->nodes[i];
        const struct dg_cost *cost = &reading->costs->nodes[i];
        struct sum *sum = &reading->sums[dg_module_of(&reading->modules, skeleton, i)];

        if (node->graph == DG_NOWHERE || !dg_cost_counts(cost))
            continue;
        if (sum->first == DG_NOWHERE)
            sum->first = i;
        sum->calls++;
        sum->delegated += is_delegated(&reading->placement, i);
        sum->flops += cost->flops > 0 ? (double)cost->flops : 0;
    }
}

static enum dg_status count_weights(struct reading *reading, const struct dg_tree *tree)
{
    struct dg_rows rows =
        dg_rows_all(reading->in.store,
                    "SELECT signature.target, max(nbytes) FROM signature"
                    " JOIN graph ON graph.id = signature.graph_id"
                    " JOIN method ON method.id = method_id"
                    " JOIN value ON value.id = signature.value_id"
                    " WHERE method.name = ?1 AND method.artifact_id = ?2 AND "
                    "direction = 'input' AND nbytes > 0"
                    "  AND spec IN ('parameter', 'buffer', 'constant_tensor')"
                    " GROUP BY signature.target",
                    reading->in.err);

    dg_rows_bind_text(&rows, 1, dg_text(tree->method));
    dg_rows_bind_int(&rows, 2, tree->artifact);
    while (dg_rows_next(&rows)) {
        uint32_t owner = dg_module_around(&reading->modules, dg_rows_slice(&rows, 0));

        dg_add_to(&reading->sums[owner].weights, dg_rows_int(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, reading->in.err);
}

/* What each instruction took that the .pte made of this method has, and which nodes it
 * came from; NULL: nobody knows. */
static const char times_sql[] =
    "WITH timing AS MATERIALIZED (SELECT node_id, median FROM v_timing AS t"
    "  JOIN artifact AS made ON made.companion_of = t.artifact_id AND made.id = ?2"
    "  WHERE part IS NULL AND method = ?1),"
    "own AS MATERIALIZED (SELECT DISTINCT l.node_id, from_id FROM lineage AS l"
    "  JOIN node ON node.id = from_id JOIN graph ON graph.id = graph_id"
    "  JOIN method ON method.id = method_id AND method.artifact_id = ?2"
    "   AND method.name = ?1)"
    "SELECT timing.node_id, median, from_id FROM timing LEFT JOIN own USING (node_id)"
    " ORDER BY timing.node_id";

/* The innermost module that holds both. */
static uint32_t around_both(const struct dg_modules *modules, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = modules->items[a].parent;
        else
            b = modules->items[b].parent;
    }
    return a;
}

/* An instruction that is nodes of several modules counts for what is around them. */
static enum dg_status sum_times(struct reading *reading, const struct dg_tree *tree)
{
    struct dg_rows rows = dg_rows_all(reading->in.store, times_sql, reading->in.err);
    int64_t instruction = 0;
    uint32_t module = 0;
    double took = 0;
    bool any = false;

    dg_rows_bind_text(&rows, 1, dg_text(tree->method));
    dg_rows_bind_int(&rows, 2, tree->artifact);
    while (dg_rows_next(&rows)) {
        uint64_t from = (uint64_t)dg_rows_int_or(&rows, 2, 0) - 1;
        uint32_t own =
            from < reading->skeleton.n_rows
                ? dg_module_of(&reading->modules, &reading->skeleton, (uint32_t)from)
                : 0;

        any |= !dg_rows_null(&rows, 2);
        if (dg_rows_int(&rows, 0) == instruction) {
            module = around_both(&reading->modules, module, own);
            continue;
        }
        reading->sums[module].took += took;
        instruction = dg_rows_int(&rows, 0);
        module = own;
        took = dg_rows_real(&rows, 1, 0);
    }
    reading->sums[module].took += took;
    for (uint32_t i = 0; !any && i < reading->modules.n_items; i++)
        reading->sums[i].took = 0; /* nothing says that it was measured */
    return dg_rows_close(&rows, DG_OK, reading->in.err);
}

static enum dg_status add_times(struct reading *reading, const struct dg_tree *tree)
{
    bool measured;
    enum dg_status status =
        dg_asked_measured(&measured, reading->in.store, reading->in.err);

    return measured && !status ? sum_times(reading, tree) : status;
}

static void add_sum(struct sum *to, const struct sum *more)
{
    to->calls += more->calls;
    to->delegated += more->delegated;
    to->flops += more->flops;
    to->took += more->took;
    dg_add_to(&to->weights, more->weights);
}

/* Parents stand before what is inside of them. */
static void add_up(struct reading *reading)
{
    for (uint32_t i = reading->modules.n_items; i-- > 1;) {
        const struct sum *sum = &reading->sums[i];
        struct sum *outer = &reading->sums[reading->modules.items[i].parent];

        add_sum(outer, sum);
        if (sum->first < outer->first)
            outer->first = sum->first;
    }
    reading->sums[0].first = 0;
}

/* In the order in which they run; then in that of their names. */
static int compare(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->module < y->module ? -1 : x->module > y->module;
}

/* Modules that are the same take one area, which holds what all of them sum up to. */
static void fold_runs(struct reading *reading)
{
    const struct dg_modules *modules = &reading->modules;

    for (uint32_t i = 1; i < modules->n_items; i++) {
        uint32_t run = modules->items[i].run;

        if (run == i)
            continue;
        add_sum(&reading->sums[run], &reading->sums[i]);
        reading->sums[i] = (struct sum){.first = DG_NOWHERE, .module = i};
    }
}

static struct dg_text last_word(struct dg_text text)
{
    size_t begin = text.size;

    while (begin && text.data[begin - 1] != '.')
        begin--;
    return text.data ? (struct dg_text){text.data + begin, text.size - begin} : text;
}

/* What modules are called inside the one around them. */
static void add_module(struct dg_tree *tree, const struct dg_modules *modules,
                       uint32_t index, size_t parent)
{
    const struct dg_module *module = &modules->items[index];
    size_t outer = modules->items[module->parent].fqn.size;
    size_t skipped = outer ? outer + 1 : 0;
    struct dg_text type = last_word(module->type), name;
    struct dg_tree_figures *figures;
    struct dg_area *area;

    name = dg_format(&tree->memory, "%s", module->fqn.data + skipped);
    if (module->n_run > 1)
        name = dg_format(&tree->memory, "%s … %s", name.data,
                         modules->items[module->last].fqn.data + skipped);
    figures = dg_tree_add(tree, parent, name);
    figures->path = dg_format(&tree->memory, "%s", module->fqn.data);
    area = &tree->areas[tree->n_areas - 1];
    area->note = dg_format(&tree->memory, "%.*s", (int)type.size, type.data);
    if (module->model == index)
        return;
    figures->n_same = module->n_run;
    if (module->n_run > 1)
        area->note =
            dg_format(&tree->memory, "%s, %u times", area->note.data, module->n_run);
    area->note =
        dg_format(&tree->memory, "%s%s the same as %s", area->note.data,
                  module->n_run > 1 ? "" : ",", modules->items[module->model].fqn.data);
}

static void set_figures(struct dg_tree *tree, size_t area, const struct sum *sum)
{
    tree->areas[area].count = sum->calls;
    tree->areas[area].bytes = sum->weights;
    tree->figures[area].delegated = sum->delegated;
    tree->figures[area].flops = sum->flops;
    tree->figures[area].took = sum->took;
}

/* What is inside of a module that repeats another is told there. */
static void add_areas(struct dg_tree *tree, struct reading *reading)
{
    const struct dg_modules *modules = &reading->modules;
    size_t *area_of = dg_alloc(&tree->memory, modules->n_items, sizeof(*area_of));

    for (uint32_t i = 1; i < modules->n_items; i++)
        area_of[i] = SIZE_MAX;
    set_figures(tree, 0, &reading->sums[0]);
    dg_sort(reading->sums, modules->n_items, sizeof(*reading->sums), compare);
    for (uint32_t i = 1; i < modules->n_items; i++) {
        const struct sum *sum = &reading->sums[i];
        const struct dg_module *module = &modules->items[sum->module];
        size_t outer = area_of[module->parent];

        if (outer == SIZE_MAX || (!sum->calls && !sum->weights))
            continue;
        add_module(tree, modules, sum->module, outer);
        set_figures(tree, tree->n_areas - 1, sum);
        if (module->model == sum->module)
            area_of[sum->module] = tree->n_areas - 1;
    }
}

static enum dg_status read_parts(struct reading *reading)
{
    enum dg_status status = dg_skeleton_read(&reading->skeleton, &reading->in);

    if (!status)
        status =
            dg_placement_find(&reading->placement, &reading->skeleton, &reading->in);
    if (!status)
        status = dg_modules_read(&reading->modules, &reading->placement, &reading->in);
    if (!status)
        status = dg_costs_read(&reading->costs, reading->in.store, reading->in.err);
    return status;
}

static void sum_up(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->modules.n_items; i++) {
        reading->sums[i].first = DG_NOWHERE;
        reading->sums[i].module = i;
    }
    count_calls(reading);
}

static void release(struct reading *reading)
{
    dg_clusters_clear(&reading->placement.clusters);
    dg_modules_clear(&reading->modules);
    dg_skeleton_clear(&reading->skeleton);
}

enum dg_status dg_tree_read_modules(struct dg_tree *tree, struct dg_store *store,
                                    bool fold, struct dg_error *err)
{
    struct dg_view_options options = {
        .method = tree->method, .artifact = tree->artifact, .no_fold = !fold};
    struct reading reading = {.in = {store, &options, err}};
    enum dg_status status;

    status = read_parts(&reading);
    if (!status) {
        reading.sums = dg_alloc(&tree->memory, reading.modules.n_items + (size_t)1,
                                sizeof(*reading.sums));
        sum_up(&reading);
        status = count_weights(&reading, tree);
    }
    if (!status)
        status = add_times(&reading, tree);
    if (!status) {
        add_up(&reading);
        fold_runs(&reading);
        add_areas(tree, &reading);
    }
    release(&reading);
    return status;
}
