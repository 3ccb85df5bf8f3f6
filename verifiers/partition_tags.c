/* What the partition of each tag consists of. */
#include "base/ops.h"
#include "verifiers/partition_parts.h"

/* The members of one tag that lowering takes. */
struct tally {
    uint32_t first, first_call; /* members */
    uint32_t n_members, n_calls;
    bool is_read, computes, moves; /* moves: a call that is a view */
};

/* Whether the calls of an operator are views, asked once for each of them. */
struct views {
    struct dg_text op[64];
    bool is_view[64];
};

static bool is_view(struct views *views, struct dg_text op)
{
    size_t slot = ((uintptr_t)op.data >> 4) % 64;

    if (views->op[slot].data != op.data) {
        const struct dg_op *known = dg_op_find(op.data, op.size);

        views->op[slot] = op;
        views->is_view[slot] = known && known->flags & (DG_OP_VIEW | DG_OP_VIEW_COPY) &&
                               !(known->flags & DG_OP_MUTATES);
    }
    return views->is_view[slot];
}

static bool is_read_outside(const struct dg_partitioned_graph *tagged, uint32_t node,
                            uint32_t tag)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        if (dg_lowered_tag(tagged, graph->users[i]) != tag)
            return true;
    }
    return false;
}

static void count_call(struct tally *tally, const struct dg_nodes *nodes, uint32_t node,
                       struct views *views)
{
    if (!tally->n_calls++)
        tally->first_call = node;
    if (tally->computes || nodes->marks[node] & DG_MARK_GETITEM)
        return;
    if (nodes->ops[node] && is_view(views, *nodes->ops[node]))
        tally->moves = true;
    else
        tally->computes = true;
}

/* Of constants only those that nothing reads stay with their tag whatever happens. */
static bool is_member(const struct dg_partitioned_graph *tagged, uint32_t node)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    if (dg_lowered_tag(tagged, node) == DG_UNTAGGED)
        return false;
    return !(tagged->nodes.marks[node] & DG_MARK_PLACEHOLDER) ||
           graph->user_of[node] == graph->user_of[node + 1];
}

static struct tally *count_members(const struct dg_partitioned_graph *tagged,
                                   struct dg_arena *memory)
{
    struct tally *tallies = dg_alloc(memory, tagged->n_tags, sizeof(*tallies));
    struct views views = {0};

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes; i++) {
        struct tally *tally;

        if (!is_member(tagged, i))
            continue;
        tally = &tallies[tagged->tag_of[i]];
        if (!tally->n_members++)
            tally->first = i;
        if (tagged->nodes.marks[i] & DG_MARK_CALL)
            count_call(tally, &tagged->nodes, i, &views);
        tally->is_read =
            tally->is_read || is_read_outside(tagged, i, tagged->tag_of[i]);
    }
    return tallies;
}

typedef enum dg_status tally_fn(const struct dg_findings *found,
                                const struct dg_partitioned_graph *tagged, uint32_t tag,
                                const struct tally *tally, struct dg_error *err);

static enum dg_status each_tally(const struct dg_findings *found,
                                 const struct dg_partitioned_graph *tagged,
                                 tally_fn *look, struct dg_error *err)
{
    struct dg_arena memory = {0};
    const struct tally *tallies = count_members(tagged, &memory);
    enum dg_status status = DG_OK;

    for (uint32_t tag = 0; tag < tagged->n_tags && !status; tag++) {
        if (tagged->tags[tag].known)
            status = look(found, tagged, tag, &tallies[tag], err);
    }
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status find_unused(const struct dg_findings *found,
                                  const struct dg_partitioned_graph *tagged,
                                  uint32_t tag, const struct tally *tally,
                                  struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_finding finding = {.graph = tagged->nodes.graph.id};
    enum dg_status status;

    if (tally->n_members)
        return DG_OK;
    finding.message =
        dg_format(&memory, "no call is tagged %.*s: no delegate comes of it",
                  DG_SHOWN(tagged->tags[tag].name));
    status = dg_find(found, &finding, err);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status look_for_unused(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      struct dg_error *err)
{
    return each_tally(found, tagged, find_unused, err);
}

enum dg_status dg_check_tag_used(const struct dg_findings *found, struct dg_error *err)
{
    return dg_each_lowered(found, look_for_unused, err);
}

static enum dg_status find_unread(const struct dg_findings *found,
                                  const struct dg_partitioned_graph *tagged,
                                  uint32_t tag, const struct tally *tally,
                                  struct dg_error *err)
{
    if (!tally->n_members || tally->is_read)
        return DG_OK;
    return dg_find_planned(
        found, tagged, &(struct dg_offence){.node = tally->first}, err,
        "nothing outside of %.*s reads any node of it; lowering fails with \"Cannot"
        " determine insertion point\"",
        DG_SHOWN(tagged->tags[tag].name));
}

static enum dg_status look_for_unread(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      struct dg_error *err)
{
    return each_tally(found, tagged, find_unread, err);
}

enum dg_status dg_check_has_output(const struct dg_findings *found,
                                   struct dg_error *err)
{
    return dg_each_lowered(found, look_for_unread, err);
}

static enum dg_status find_idle(const struct dg_findings *found,
                                const struct dg_partitioned_graph *tagged, uint32_t tag,
                                const struct tally *tally, struct dg_error *err)
{
    if (!tally->n_calls || tally->computes)
        return DG_OK;
    return dg_find_planned(found, tagged,
                           &(struct dg_offence){.node = tally->first_call}, err,
                           "all calls of %.*s are %s: a delegate that computes nothing",
                           DG_SHOWN(tagged->tags[tag].name),
                           tally->moves ? "views or getitem" : "getitem");
}

static enum dg_status look_for_idle(const struct dg_findings *found,
                                    const struct dg_partitioned_graph *tagged,
                                    struct dg_error *err)
{
    return each_tally(found, tagged, find_idle, err);
}

enum dg_status dg_check_getitem_only(const struct dg_findings *found,
                                     struct dg_error *err)
{
    return dg_each_lowered(found, look_for_idle, err);
}
