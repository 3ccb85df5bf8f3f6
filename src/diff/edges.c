/* Who removed calls read, and who read them: where in the new program they were. */
#include <stdlib.h>

#include "diff/align.h"
#include "diff/finders.h"

/* Calls of the old program that are told as removed, and what is between them. */
struct walk {
    struct dg_diffing *diffing;
    bool *removed; /* by node of the old program */
};

static void add_edge(const struct walk *walk, uint32_t from, uint32_t to)
{
    const uint32_t *others = walk->diffing->alignment.others[0];
    struct dg_diff *diff = walk->diffing->diff;
    struct dg_diff_edge edge = {0};

    if (walk->removed[from])
        edge.from_old = (int64_t)from + 1;
    else if (others[from] != DG_DIFF_ALONE)
        edge.from = (int64_t)others[from] + 1;
    else
        return;
    if (walk->removed[to])
        edge.to_old = (int64_t)to + 1;
    else if (others[to] != DG_DIFF_ALONE)
        edge.to = (int64_t)others[to] + 1;
    else
        return;
    *DG_APPEND(diff->edges, diff->n_edges) = edge;
}

/* An item of a tuple that is gone stands for the call that made it. */
static uint32_t maker_of(const struct walk *walk, uint32_t node)
{
    const struct dg_diff_side *old = &walk->diffing->sides[0];

    if (dg_diff_is_call(old, node) || old->nodes[node].kind == DG_NODE_PLACEHOLDER ||
        walk->diffing->alignment.others[0][node] != DG_DIFF_ALONE ||
        old->makers.begins[node] == old->makers.begins[node + 1])
        return node;
    return old->makers.items[old->makers.begins[node]];
}

void dg_diff_edges(struct dg_diffing *diffing)
{
    const struct dg_diff *diff = diffing->diff;
    const struct dg_diff_side *old = &diffing->sides[0];
    struct walk walk = {diffing, dg_zeroed(old->n_nodes, sizeof(bool))};

    for (size_t i = 0; i < diff->n_items; i++) {
        const struct dg_difference *item = &diff->items[i];

        if (item->kind == DG_DIFF_OP && item->change == DG_DIFF_REMOVED)
            walk.removed[item->old_node - 1] = true;
    }
    for (uint32_t i = 0; i < old->n_nodes; i++) {
        for (uint32_t k = old->makers.begins[i]; k < old->makers.begins[i + 1]; k++) {
            uint32_t maker = maker_of(&walk, old->makers.items[k]);

            if (walk.removed[maker] || walk.removed[i])
                add_edge(&walk, maker, i);
        }
    }
    free(walk.removed);
}
