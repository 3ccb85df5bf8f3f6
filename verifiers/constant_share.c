/* What lowering makes of constants whose users have other tags. */
#include <stdlib.h>

#include "verifiers/constant_parts.h"

void dg_shares_clear(struct dg_shares *shares)
{
    free(shares->items);
    dg_arena_clear(&shares->memory);
    *shares = (struct dg_shares){0};
}

/* Users of a node come in order; one that reads it twice is listed twice. */
static void look_at_users(struct dg_share *share, bool *differs,
                          const struct dg_partitioned_graph *tagged)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    uint32_t begin = graph->user_of[share->constant];
    uint32_t end = graph->user_of[share->constant + 1];

    for (uint32_t i = begin; i < end; i++) {
        uint32_t user = graph->users[i];

        if (i > begin && graph->users[i - 1] == user)
            continue;
        if (!share->n_users++)
            share->first_user = user;
        share->agree &= tagged->tag_of[user] == tagged->tag_of[share->first_user];
        *differs |= tagged->tag_of[user] != tagged->tag_of[share->constant];
    }
}

static void find_candidates(struct dg_shares *shares, uint32_t *share_of,
                            const struct dg_partitioned_graph *tagged)
{
    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes; i++) {
        struct dg_share share = {.constant = i,
                                 .agree = true,
                                 .in_list = DG_UNTAGGED,
                                 .stuck_at = DG_UNTAGGED};
        bool differs = false;

        share_of[i] = DG_UNTAGGED;
        if (!(tagged->nodes.marks[i] & DG_MARK_CONSTANT) ||
            dg_lowered_tag(tagged, i) == DG_UNTAGGED)
            continue;
        look_at_users(&share, &differs, tagged);
        if (!differs)
            continue;
        share_of[i] = (uint32_t)shares->n_items;
        *DG_APPEND(shares->items, shares->n_items) = share;
    }
}

/* Where no call has the tag, a copy that nobody takes is all that is left of it. */
static void find_empty_tags(struct dg_shares *shares,
                            const struct dg_partitioned_graph *tagged)
{
    bool *has_call = dg_alloc(&shares->memory, tagged->n_tags, sizeof(*has_call));

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes; i++) {
        if (tagged->tag_of[i] != DG_UNTAGGED && tagged->nodes.marks[i] & DG_MARK_CALL)
            has_call[tagged->tag_of[i]] = true;
    }
    for (size_t i = 0; i < shares->n_items; i++)
        shares->items[i].empty_tag =
            !has_call[tagged->tag_of[shares->items[i].constant]];
}

static void take_in_list(struct dg_share *share,
                         const struct dg_partitioned_graph *tagged, uint32_t user)
{
    const uint32_t *tag_of = tagged->tag_of;
    uint32_t tag = tag_of[share->constant], first_tag = tag_of[share->first_user];

    if (user == share->first_user) {
        share->first_in_list = true;
        return;
    }
    if (share->in_list == DG_UNTAGGED)
        share->in_list = user;
    if (share->stuck_at != DG_UNTAGGED || tag_of[user] == first_tag)
        return;
    share->stuck_at = first_tag != tag ? share->first_user : user;
}

/* What node ?1 reads more often than its arguments name it outside of lists. */
static const char in_lists[] =
    "WITH plain AS (SELECT json_extract(value, '$.tensor') AS name, count(*) AS times"
    "  FROM node, json_each(node.args) WHERE node.id = ?1 AND json_valid(node.args)"
    "  GROUP BY 1)"
    "SELECT edge.src FROM edge CROSS JOIN node AS s ON s.id = edge.src"
    "  LEFT JOIN plain ON plain.name = s.name"
    " WHERE edge.dst = ?1 AND EXISTS (SELECT 1 FROM plain)"
    " GROUP BY edge.src HAVING count(*) > coalesce(max(plain.times), 0)";

static enum dg_status look_into_lists(struct dg_shares *shares,
                                      const uint32_t *share_of,
                                      const struct dg_partitioned_graph *tagged,
                                      uint32_t user, struct dg_rows *rows,
                                      struct dg_error *err)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    dg_rows_bind_int(rows, 1, graph->first_id + user);
    while (dg_rows_next(rows)) {
        int64_t i = dg_rows_int(rows, 0) - graph->first_id;

        if (i >= 0 && i < graph->n_nodes && share_of[i] != DG_UNTAGGED)
            take_in_list(&shares->items[share_of[i]], tagged, user);
    }
    return dg_rows_again(rows, err);
}

/* All that an output returns is in a list. */
static void look_into_output(struct dg_shares *shares, const uint32_t *share_of,
                             const struct dg_partitioned_graph *tagged, uint32_t output)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    for (uint32_t i = graph->input_of[output]; i < graph->input_of[output + 1]; i++) {
        if (share_of[graph->inputs[i]] != DG_UNTAGGED)
            take_in_list(&shares->items[share_of[graph->inputs[i]]], tagged, output);
    }
}

static bool reads_share(const uint32_t *share_of, const struct dg_graph *graph,
                        uint32_t node)
{
    for (uint32_t i = graph->input_of[node]; i < graph->input_of[node + 1]; i++) {
        if (share_of[graph->inputs[i]] != DG_UNTAGGED)
            return true;
    }
    return false;
}

static enum dg_status find_lists(struct dg_shares *shares, const uint32_t *share_of,
                                 const struct dg_partitioned_graph *tagged,
                                 struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, in_lists, err);

    if (status)
        return status;
    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes && !status; i++) {
        if (!reads_share(share_of, &tagged->nodes.graph, i))
            continue;
        if (tagged->nodes.marks[i] & DG_MARK_OUTPUT)
            look_into_output(shares, share_of, tagged, i);
        else
            status = look_into_lists(shares, share_of, tagged, i, &rows, err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_shares_find(struct dg_shares *shares,
                              const struct dg_partitioned_graph *tagged,
                              struct dg_store *store, struct dg_error *err)
{
    uint32_t *share_of;

    *shares = (struct dg_shares){0};
    share_of =
        dg_alloc(&shares->memory, tagged->nodes.graph.n_nodes, sizeof(*share_of));
    find_candidates(shares, share_of, tagged);
    if (!shares->n_items)
        return DG_OK;
    find_empty_tags(shares, tagged);
    return find_lists(shares, share_of, tagged, store, err);
}
