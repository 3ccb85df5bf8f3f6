/* Groups of a backend: with a call that it takes it takes nodes around it, and they all
 * go to one delegate. */
#include <stdlib.h>

#include "base/text_set.h"
#include "base/union_find.h"
#include "partition/support_parts.h"

enum { STEPS_A_NODE = 1024, LEAST = 1024 };

/* What there is to keep with calls of one operator. */
struct op {
    const struct dg_support_match **groups;
    size_t n_groups;
};

/* Nodes that are known to belong together. */
struct sets {
    uint32_t *parent;
    bool *member;
    struct dg_text_set names; /* of operators */
    struct op *ops;
    size_t n_ops;
};

static const struct op *op_of(struct sets *sets, const struct dg_support *support,
                              struct dg_text name)
{
    uint32_t number = dg_text_set_add(&sets->names, name);
    struct op *op;

    if (number < sets->n_ops)
        return &sets->ops[number];
    op = DG_APPEND(sets->ops, sets->n_ops);
    for (size_t i = 0; i < support->n_groups; i++) {
        const struct dg_support_match *group = &support->groups[i];

        if (dg_wildcard_any(group->ops, group->n_ops, name))
            *DG_APPEND(op->groups, op->n_groups) = group;
    }
    return op;
}

static void clear_ops(struct sets *sets)
{
    for (size_t i = 0; i < sets->n_ops; i++)
        free(sets->ops[i].groups);
    free(sets->ops);
    dg_text_set_clear(&sets->names);
}

static void join(struct sets *sets, uint32_t node, uint32_t other)
{
    sets->member[node] = sets->member[other] = true;
    dg_union_find_join(sets->parent, node, other);
}

/* What several calls read of constants is the first one's own: each of the others gets
 * a copy. All else that two calls want unites their groups. */
static void join_kept(struct sets *sets, const struct dg_support_matcher *matcher,
                      uint32_t node)
{
    const struct dg_support_kept *kept = matcher->kept;

    for (size_t i = 0; i < kept->n_nodes; i++) {
        uint32_t other = kept->nodes[i];
        uint16_t marks = matcher->nodes->marks[other];

        if (marks & DG_MARK_CALL || (marks & DG_MARK_CONSTANT && !sets->member[other]))
            join(sets, node, other);
    }
}

static void collect(struct sets *sets, struct dg_support_matcher *matcher,
                    uint32_t node)
{
    const struct op *op =
        op_of(sets, matcher->support, dg_nodes_op(matcher->nodes, node));

    matcher->node = node;
    matcher->kept->n_nodes = 0;
    for (size_t i = 0; i < op->n_groups; i++)
        dg_support_matches(matcher, op->groups[i], node);
    join_kept(sets, matcher, node);
}

/* Groups are numbered in the order of their first nodes. */
static void number_groups(struct dg_groups *groups, const struct sets *sets,
                          uint32_t n_nodes, struct dg_arena *scratch)
{
    uint32_t *number = dg_alloc(scratch, n_nodes, sizeof(*number)); /* plus 1 */

    for (uint32_t node = 0; node < n_nodes; node++) {
        uint32_t first = dg_union_find_root(sets->parent, node);

        groups->group_of[node] = DG_NO_PART;
        if (!sets->member[node])
            continue;
        if (!number[first])
            number[first] = ++groups->n_groups;
        groups->group_of[node] = number[first] - 1;
    }
}

enum dg_status dg_support_find_groups(struct dg_groups *groups, struct dg_arena *memory,
                                      struct dg_support_matcher *matcher)
{
    uint32_t n = matcher->nodes->graph.n_nodes;
    struct dg_arena scratch = {0};
    struct dg_support_kept kept = {.n_steps = STEPS_A_NODE * ((uint64_t)n + LEAST)};
    bool ended;
    struct sets sets = {.parent = dg_union_find_begin(n, &scratch),
                        .member = dg_alloc(&scratch, n, sizeof(*sets.member))};

    *groups = (struct dg_groups){.group_of = dg_alloc(memory, n, sizeof(uint32_t))};
    matcher->kept = &kept;
    for (uint32_t node = 0; node < n; node++) {
        if (matcher->nodes->marks[node] & DG_MARK_SUPPORTED)
            collect(&sets, matcher, node);
    }
    matcher->kept = NULL;
    number_groups(groups, &sets, n, &scratch);
    ended = kept.n_steps > 0;
    free(kept.nodes);
    clear_ops(&sets);
    dg_arena_clear(&scratch);
    return ended
               ? DG_OK
               : dg_fail(matcher->err, DG_ERR_FORMAT,
                         "%.*s: its groups look at too many nodes around each call",
                         (int)matcher->support->name.size, matcher->support->name.data);
}
