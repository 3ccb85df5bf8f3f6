/* Classes of nodes that share memory, and what happens behind the last node. */
#include <stdlib.h>

#include "graph/alias_parts.h"

enum { PATIENCE = 50000 };

struct dg_view_judge *dg_view_judge_new(const struct dg_alias *alias,
                                        struct dg_store *store)
{
    struct dg_view_judge *judge = calloc(1, sizeof(*judge));
    uint32_t n = alias->graph.n_nodes;

    if (!judge)
        dg_out_of_memory();
    judge->alias = alias;
    judge->store = store;
    judge->patience = PATIENCE;
    for (int side = 0; side < DG_SIDES; side++)
        judge->classes[side] =
            dg_alloc(&judge->memory, n, sizeof(*judge->classes[side]));
    judge->scope = dg_alloc(&judge->memory, n, sizeof(*judge->scope));
    judge->member = dg_alloc(&judge->memory, n, sizeof(*judge->member));
    judge->updates = dg_alloc(&judge->memory, n, sizeof(*judge->updates));
    judge->live = dg_alloc(&judge->memory, n, sizeof(*judge->live));
    judge->wanted = dg_alloc(&judge->memory, n, sizeof(*judge->wanted));
    judge->far_wanted = dg_alloc(&judge->memory, n, sizeof(*judge->far_wanted));
    judge->scattered = dg_alloc(&judge->memory, n, sizeof(*judge->scattered));
    judge->in_a_row = dg_alloc(&judge->memory, n, sizeof(*judge->in_a_row));
    return judge;
}

void dg_view_judge_free(struct dg_view_judge *judge)
{
    struct dg_error ignored;

    if (judge->layouts.statement)
        (void)dg_rows_close(&judge->layouts, DG_OK, &ignored);
    free(judge->accesses);
    dg_arena_clear(&judge->memory);
    free(judge);
}

struct dg_class *dg_class_of(struct dg_view_judge *judge, int side, uint32_t node)
{
    struct dg_class *classes = judge->classes[side];

    while (classes[node].parent != node) {
        classes[node].parent = classes[classes[node].parent].parent;
        node = classes[node].parent;
    }
    return &classes[node];
}

void dg_classes_unite(struct dg_view_judge *judge, int side, uint32_t a, uint32_t b)
{
    struct dg_class *to = dg_class_of(judge, side, a),
                    *from = dg_class_of(judge, side, b);

    if (to == from)
        return;
    from->parent = to->parent;
    if (from->written < to->written)
        to->written = from->written;
    if (from->read > to->read)
        to->read = from->read;
    to->outer |= from->outer;
    to->ever_written |= from->ever_written;
    to->overlaps |= from->overlaps;
}

static void keep_access(struct dg_view_judge *judge, struct dg_class *class,
                        uint32_t node, uint32_t time, bool writes)
{
    uint32_t at = (uint32_t)judge->n_accesses;

    *DG_APPEND(judge->accesses, judge->n_accesses) =
        (struct dg_class_access){node, time, writes, class->accesses};
    class->accesses = at;
}

void dg_note_read(struct dg_view_judge *judge, uint32_t node, uint32_t time)
{
    for (int side = 0; side < DG_SIDES; side++) {
        struct dg_class *class = dg_class_of(judge, side, node);

        if (class->read < time)
            class->read = time;
        if (side == DG_SURE && (class->ever_written || judge->writes))
            keep_access(judge, class, node, time, false);
    }
}

void dg_note_write(struct dg_view_judge *judge, int side, uint32_t node, uint32_t time)
{
    struct dg_class *class = dg_class_of(judge, side, node);

    if (class->written > time)
        class->written = time;
    if (side == DG_SURE)
        keep_access(judge, class, node, time, true);
}

static void touch(struct dg_view_judge *judge, uint32_t node)
{
    bool outer =
        !dg_is_member(judge, node) || judge->alias->effects[node] & DG_EFFECT_OUTER;

    if (judge->scope[node] == judge->n_scopes)
        return;
    judge->scope[node] = judge->n_scopes;
    for (int side = 0; side < DG_SIDES; side++)
        judge->classes[side][node] = (struct dg_class){
            .parent = node,
            .written = DG_NEVER_WRITTEN,
            .accesses = DG_NOBODY,
            .outer = outer,
            .overlaps = !outer && judge->alias->effects[node] & DG_EFFECT_VIEW &&
                        judge->alias->effects[node] & DG_EFFECT_OVERLAPS};
    judge->live[node] = false;
    judge->wanted[node] = judge->far_wanted[node] = 0;
    judge->updates[node] = 0;
}

/* Items of a fresh tuple have memory of their own; those of a list of views have not.
 */
static void unite_linked(struct dg_view_judge *judge, const struct dg_alias_link *link)
{
    const uint32_t *effects = judge->alias->effects;
    unsigned shared = effects[link->node];

    if (shared & DG_EFFECT_ITEM)
        shared = effects[link->source] & ~(unsigned)DG_EFFECT_COPY;
    if (shared & DG_EFFECT_VIEW)
        dg_classes_unite(judge, DG_SURE, link->source, link->node);
    if (shared & (DG_EFFECT_VIEW | DG_EFFECT_MAYBE | DG_EFFECT_OPAQUE))
        dg_classes_unite(judge, DG_MAYBE, link->source, link->node);
}

static void mark_written(struct dg_view_judge *judge, int side, uint32_t node)
{
    dg_class_of(judge, side, node)->ever_written = true;
}

static bool is_applied(const struct dg_view_judge *judge,
                       const struct dg_alias_update *update)
{
    return dg_is_member(judge, update->value) && dg_is_member(judge, update->state);
}

static void find_classes(struct dg_view_judge *judge, const uint32_t *members,
                         uint32_t n_members)
{
    const struct dg_graph *graph = &judge->alias->graph;
    uint32_t n_links;

    for (uint32_t i = 0; i < n_members; i++)
        judge->member[members[i]] = judge->n_scopes;
    for (uint32_t i = 0; i < n_members; i++) {
        uint32_t node = members[i];
        const struct dg_alias_link *links = dg_links_of(judge, node, &n_links);

        touch(judge, node);
        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++)
            touch(judge, graph->inputs[k]);
        for (uint32_t k = 0; k < n_links; k++)
            unite_linked(judge, &links[k]);
    }
}

static void find_written(struct dg_view_judge *judge, const uint32_t *members,
                         uint32_t n_members)
{
    const struct dg_alias *alias = judge->alias;
    uint32_t n_links;

    for (uint32_t i = 0; i < n_members; i++) {
        const struct dg_alias_link *links = dg_links_of(judge, members[i], &n_links);
        bool opaque = alias->effects[members[i]] & DG_EFFECT_OPAQUE;

        for (uint32_t k = 0; k < n_links; k++) {
            judge->writes |= links[k].writes;
            if (links[k].writes)
                mark_written(judge, DG_SURE, links[k].source);
            if (links[k].writes || opaque)
                mark_written(judge, DG_MAYBE, links[k].source);
        }
    }
    for (size_t i = 0; i < alias->n_updates; i++) {
        if (!is_applied(judge, &alias->updates[i]))
            continue;
        judge->updates[alias->updates[i].value]++;
        mark_written(judge, DG_SURE, alias->updates[i].state);
        mark_written(judge, DG_MAYBE, alias->updates[i].state);
    }
}

/* What is outside is read by its owner afterwards, and written by the next run. */
static void look_behind(struct dg_view_judge *judge, uint32_t node)
{
    for (int side = 0; side < DG_SIDES; side++) {
        struct dg_class *class = dg_class_of(judge, side, node);

        if (class->outer)
            class->read = dg_at_exit(judge);
        if (class->outer && (class->ever_written || judge->alias->branch))
            class->written = dg_at_exit(judge);
    }
}

/* An update replaces all that is in its state: nobody sees afterwards what was before.
 */
static void run_updates(struct dg_view_judge *judge)
{
    const struct dg_alias *alias = judge->alias;

    for (size_t i = alias->n_updates; i-- > 0;) {
        const struct dg_alias_update *update = &alias->updates[i];
        uint32_t time = alias->graph.n_nodes + (uint32_t)i + 1;

        if (!is_applied(judge, update))
            continue;
        dg_class_of(judge, DG_SURE, update->state)->read = DG_NEVER_READ;
        for (int side = 0; side < DG_SIDES; side++)
            dg_note_write(judge, side, update->state, time);
        dg_note_read(judge, update->value, time);
        judge->live[update->value] = true;
    }
}

void dg_classes_begin(struct dg_view_judge *judge, const uint32_t *members,
                      uint32_t n_members)
{
    const struct dg_graph *graph = &judge->alias->graph;

    judge->n_scopes++;
    judge->n_accesses = 0;
    judge->writes = false;
    find_classes(judge, members, n_members);
    find_written(judge, members, n_members);
    for (uint32_t i = 0; i < n_members; i++) {
        look_behind(judge, members[i]);
        for (uint32_t k = graph->input_of[members[i]];
             k < graph->input_of[members[i] + 1]; k++)
            look_behind(judge, graph->inputs[k]);
    }
    run_updates(judge);
}
