/* Pieces of partitions that no edge joins. */
#include "base/csr.h"
#include "base/union_find.h"
#include "verifiers/partition_parts.h"

/* Join the ends of all edges within tags; the root of a piece is its first node. */
static uint32_t *join_pieces(const struct dg_partitioned_graph *tagged,
                             struct dg_arena *memory)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    uint32_t *parent = dg_union_find_begin(graph->n_nodes, memory);

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        uint32_t tag = dg_lowered_tag(tagged, i);

        for (uint32_t k = graph->input_of[i];
             tag != DG_UNTAGGED && k < graph->input_of[i + 1]; k++) {
            if (tagged->tag_of[graph->inputs[k]] == tag)
                dg_union_find_join(parent, i, graph->inputs[k]);
        }
    }
    return parent;
}

/* By tag, the first call of each piece. */
static void list_pieces(struct dg_csr *out, const struct dg_partitioned_graph *tagged,
                        struct dg_arena *memory)
{
    uint32_t n = tagged->nodes.graph.n_nodes;
    uint32_t *parent = join_pieces(tagged, memory);
    uint32_t *key_of = dg_alloc(memory, n, sizeof(*key_of));
    bool *seen = dg_alloc(memory, n, sizeof(*seen));

    for (uint32_t i = 0; i < n; i++) {
        key_of[i] = DG_UNTAGGED;
        if (tagged->nodes.marks[i] & DG_MARK_CALL &&
            dg_lowered_tag(tagged, i) != DG_UNTAGGED) {
            uint32_t root = dg_union_find_root(parent, i);

            if (!seen[root])
                key_of[i] = tagged->tag_of[i];
            seen[root] = true;
        }
    }
    dg_csr_by_key(out, key_of, n, tagged->n_tags, memory);
}

static enum dg_status look_for_pieces(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_csr pieces;
    enum dg_status status = DG_OK;

    list_pieces(&pieces, tagged, &memory);
    for (uint32_t tag = 0; tag < tagged->n_tags && !status; tag++) {
        const uint32_t *calls = &pieces.items[pieces.begins[tag]];
        uint32_t n = pieces.begins[tag + 1] - pieces.begins[tag];
        struct dg_offence offence = {0};
        struct dg_text names;

        if (n < 2)
            continue;
        offence.node = calls[0];
        names = dg_name_nodes(&memory, tagged, calls, n, ", ");
        status = dg_find_planned(found, tagged, &offence, err,
                                 "%.*s is %u pieces that no edge joins, beginning at"
                                 " %.*s; some backends take only one",
                                 DG_SHOWN(tagged->tags[tag].name), n, DG_SHOWN(names));
    }
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_check_weakly_connected(const struct dg_findings *found,
                                         struct dg_error *err)
{
    return dg_each_lowered(found, look_for_pieces, err);
}
