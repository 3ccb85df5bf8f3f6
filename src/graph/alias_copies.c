/* Which copies of views could be views: one sweep over the graph, from its end. */
#include "graph/alias_parts.h"

/* When the result of a copy is read and written: its items, too, if it is a list. */
static struct dg_class accesses_of(struct dg_view_judge *judge, int side, uint32_t node)
{
    const struct dg_graph *graph = &judge->alias->graph;
    struct dg_class all = *dg_class_of(judge, side, node);

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        uint32_t user = graph->users[i];
        const struct dg_class *item;

        if (!dg_is_member(judge, user) ||
            !(judge->alias->effects[user] & DG_EFFECT_ITEM))
            continue;
        item = dg_class_of(judge, side, user);
        all.written = item->written < all.written ? item->written : all.written;
        all.read = item->read > all.read ? item->read : all.read;
    }
    return all;
}

static uint8_t wanted_of(const struct dg_view_judge *judge, uint32_t node, bool far)
{
    const struct dg_graph *graph = &judge->alias->graph;
    const uint8_t *wanted = far ? judge->far_wanted : judge->wanted;
    uint8_t all = wanted[node];

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        if (dg_is_member(judge, graph->users[i]) &&
            judge->alias->effects[graph->users[i]] & DG_EFFECT_ITEM)
            all |= wanted[graph->users[i]];
    }
    return all;
}

/* One row of elements with equal gaps can be viewed in any shape. */
static bool needs_its_strides(struct dg_view_judge *judge,
                              const struct dg_view_copy *copy, bool written)
{
    unsigned effects = judge->alias->effects[copy->node];
    uint8_t wanted = wanted_of(judge, copy->node, false),
            far = wanted_of(judge, copy->node, true);

    if (written && (effects & DG_EFFECT_OVERLAPS ||
                    dg_class_of(judge, DG_MAYBE, copy->base)->overlaps))
        return true;
    if (effects & DG_EFFECT_TWIN_STRICT && dg_is_scattered(judge, copy->base))
        return true;
    if (far && (effects & DG_EFFECT_SHUFFLES || dg_is_scattered(judge, copy->base)))
        wanted |= far;
    return wanted & DG_WANTS_EXACT || (wanted && !dg_is_in_a_row(judge, copy->node));
}

static uint32_t node_at(const struct dg_view_judge *judge, uint32_t time)
{
    uint32_t n = judge->alias->graph.n_nodes;

    return time > n ? n : time - 1;
}

/* Whether base or result is written when the other is read then or later. */
static bool collides(struct dg_view_judge *judge, int side, struct dg_view_copy *copy)
{
    const struct dg_class *base = dg_class_of(judge, side, copy->base);
    struct dg_class result = accesses_of(judge, side, copy->node);

    copy->base_written = base->written <= result.read;
    copy->writer = node_at(judge, copy->base_written ? base->written : result.written);
    copy->reader = node_at(judge, copy->base_written ? result.read : base->read);
    return copy->base_written || result.written <= base->read;
}

static enum dg_view_verdict verdict_on(struct dg_view_judge *judge,
                                       struct dg_view_copy *copy)
{
    struct dg_view_copy maybe = *copy;
    struct dg_class result = accesses_of(judge, DG_SURE, copy->node);
    bool written = accesses_of(judge, DG_MAYBE, copy->node).written != DG_NEVER_WRITTEN;
    bool apart = false;

    if (collides(judge, DG_SURE, copy)) {
        apart = dg_view_stands_apart(judge, copy, &result);
        if (!apart && copy->base_written &&
            copy->writer == judge->alias->graph.n_nodes &&
            dg_class_of(judge, DG_SURE, copy->base)->written == dg_at_exit(judge))
            return DG_VIEW_RETURNED;
        if (!apart)
            return DG_VIEW_WRITTEN;
    }
    if (needs_its_strides(judge, copy, written))
        return DG_VIEW_STRIDES;
    return !apart && collides(judge, DG_MAYBE, &maybe) ? DG_VIEW_UNKNOWN
                                                       : DG_VIEW_POSSIBLE;
}

/* backends/aoti/passes/replace_view_copy_with_view.py: users that write the node under
 * its own name, or view it, keep it. Lists are not looked into, nor are branches. */
static bool is_replaced(const struct dg_view_judge *judge, uint32_t node)
{
    const struct dg_alias *alias = judge->alias;
    uint32_t n_links;

    if (!(alias->effects[node] & DG_EFFECT_REPLACED) || alias->branch)
        return false;
    for (uint32_t i = alias->graph.user_of[node]; i < alias->graph.user_of[node + 1];
         i++) {
        uint32_t user = alias->graph.users[i];
        const struct dg_alias_link *links = dg_links_of(judge, user, &n_links);

        if (!dg_is_member(judge, user))
            continue;
        if (alias->effects[user] & (DG_EFFECT_IS_VIEW | DG_EFFECT_TURNS))
            return false;
        for (uint32_t k = 0; k < n_links; k++) {
            if (links[k].source == node && links[k].writes && !links[k].in_list)
                return false;
        }
    }
    return true;
}

/* From here on the copy is a view. */
static void make_view(struct dg_view_judge *judge, const struct dg_view_copy *copy)
{
    const struct dg_graph *graph = &judge->alias->graph;
    unsigned effects = judge->alias->effects[copy->node];

    if (effects & DG_EFFECT_TWIN_STRICT)
        judge->wanted[copy->base] |= DG_WANTS_VIEWABLE;
    judge->wanted[copy->base] |= wanted_of(judge, copy->node, false);
    judge->far_wanted[copy->base] |=
        judge->wanted[copy->base] | wanted_of(judge, copy->node, true);
    for (int side = 0; side < DG_SIDES; side++) {
        dg_classes_unite(judge, side, copy->base, copy->node);
        dg_class_of(judge, side, copy->base)->merged = true;
        dg_class_of(judge, side, copy->base)->overlaps |= effects & DG_EFFECT_OVERLAPS;
        for (uint32_t i = graph->user_of[copy->node];
             i < graph->user_of[copy->node + 1]; i++) {
            if (dg_is_member(judge, graph->users[i]) &&
                judge->alias->effects[graph->users[i]] & DG_EFFECT_ITEM)
                dg_classes_unite(judge, side, copy->base, graph->users[i]);
        }
    }
}

/* Whether the copy is a view now. */
static bool judge_copy(struct dg_view_judge *judge, struct dg_view_copy *copy,
                       uint32_t node)
{
    const struct dg_graph *graph = &judge->alias->graph;
    struct dg_view_copy seen = {.node = node,
                                .base = graph->inputs[graph->input_of[node]]};

    seen.verdict = verdict_on(judge, &seen);
    if (!judge->commit) {
        seen.replaced = is_replaced(judge, node);
        *copy = seen;
        return false;
    }
    copy->together = seen.verdict == DG_VIEW_POSSIBLE;
    if (copy->together)
        make_view(judge, &seen);
    return copy->together;
}

static bool is_copy(const struct dg_alias *alias, uint32_t node)
{
    return alias->effects[node] & DG_EFFECT_COPY &&
           alias->graph.input_of[node] < alias->graph.input_of[node + 1];
}

/* `copies` has room for all: its items are in order, and met from the last to the
 * first.
 */
static void sweep(struct dg_view_judge *judge, struct dg_view_copy *copies,
                  size_t n_copies, const uint32_t *members, uint32_t n_members)
{
    dg_classes_begin(judge, members, n_members);
    for (uint32_t i = n_members; i-- > 0;) {
        uint32_t node = members[i];
        bool is_view = false;

        if (dg_is_output(judge->alias, node)) {
            dg_pass_output(judge, node);
            continue;
        }
        if (is_copy(judge->alias, node)) {
            dg_look_outside(judge, node);
            is_view = judge_copy(judge, &copies[--n_copies], node);
        }
        dg_pass_node(judge, node, is_view);
    }
}

void dg_view_copies_judge(struct dg_view_copies *copies, struct dg_view_judge *judge,
                          bool together, const uint32_t *members, uint32_t n_members)
{
    size_t begin = copies->n_items;

    for (uint32_t i = 0; i < n_members; i++) {
        if (is_copy(judge->alias, members[i]))
            DG_APPEND(copies->items, copies->n_items)->node = members[i];
    }
    for (int commit = 0; commit <= together; commit++) {
        struct dg_view_copy *own = copies->items ? copies->items + begin : NULL;

        judge->commit = commit;
        sweep(judge, own, copies->n_items - begin, members, n_members);
    }
}
