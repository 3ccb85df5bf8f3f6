/* What partitions give and read themselves. */
#include "verifiers/partition_parts.h"

/* Its graphs were once cut short at such a node. */
static const char backend[] = "NeutronBackend";

/* Whether users of `node` lie both inside and outside of its partition. */
static bool read_on_both_sides(const struct dg_partitioned_graph *tagged, uint32_t node)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    uint32_t tag = dg_lowered_tag(tagged, node);
    bool inside = false, outside = false;

    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        bool same = dg_lowered_tag(tagged, graph->users[k]) == tag;

        inside = inside || same;
        outside = outside || !same;
    }
    return inside && outside;
}

static enum dg_status look_at_graph(const struct dg_findings *found,
                                    const struct dg_partitioned_graph *tagged,
                                    struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes && !status; i++) {
        uint32_t tag = dg_lowered_tag(tagged, i);
        struct dg_offence offence = {.node = i};

        if (tag == DG_UNTAGGED || !(tagged->nodes.marks[i] & DG_MARK_CALL) ||
            !dg_text_is(tagged->tags[tag].backend, backend) ||
            !read_on_both_sides(tagged, i))
            continue;
        status =
            dg_find_planned(found, tagged, &offence, err, "%.*s gives it and reads it",
                            DG_SHOWN(tagged->tags[tag].name));
    }
    return status;
}

enum dg_status dg_check_output_used_inside(const struct dg_findings *found,
                                           struct dg_error *err)
{
    return dg_each_lowered(found, look_at_graph, err);
}
