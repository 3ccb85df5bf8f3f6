/* Branch graphs of a plan, and the calls that run them. */
#include "verifiers/control_flow_parts.h"

typedef enum dg_status look_fn(const struct dg_findings *found,
                               const struct dg_partitioned_graph *tagged, uint32_t attr,
                               struct dg_error *err);

/* get_attr nodes that name a branch graph. */
static const char attrs_sql[] =
    "WITH b AS MATERIALIZED (SELECT method_id, path FROM \"graph\""
    "  WHERE kind = 'branch')"
    "SELECT a.graph_id, a.id FROM node AS a JOIN \"graph\" AS g ON g.id = a.graph_id"
    "  CROSS JOIN b ON b.path = iif(g.path = '', '', g.path || '.') || a.target"
    "   AND b.method_id = g.method_id"
    " WHERE a.kind = 'get_attr' AND " DG_RARE("a") " ORDER BY a.graph_id, a.id";

static enum dg_status each_attr(const struct dg_findings *found, look_fn *look,
                                struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    enum dg_status status = dg_partitioned_read(&list, found->store, err);
    struct dg_rows rows;
    size_t at = 0;

    if (!status)
        status = dg_rows_open(&rows, found->store, attrs_sql, err);
    if (status)
        return status;
    while (!status && dg_rows_next(&rows)) {
        int64_t graph = dg_rows_int(&rows, 0), node = dg_rows_int(&rows, 1);

        while (at < list->n_items && list->items[at].nodes.graph.id < graph)
            at++;
        if (at < list->n_items && list->items[at].nodes.graph.id == graph &&
            !list->items[at].inside)
            status = look(found, &list->items[at],
                          (uint32_t)(node - list->items[at].nodes.graph.first_id), err);
    }
    return dg_rows_close(&rows, status, err);
}

static enum dg_status look_for_mismatch(const struct dg_findings *found,
                                        const struct dg_partitioned_graph *tagged,
                                        uint32_t attr, struct dg_error *err)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    enum dg_status status = DG_OK;

    for (uint32_t i = graph->user_of[attr]; i < graph->user_of[attr + 1] && !status;
         i++) {
        uint32_t call = graph->users[i];

        if (dg_lowered_tag(tagged, call) == dg_lowered_tag(tagged, attr))
            continue;
        status = dg_find_planned(
            found, tagged,
            &(struct dg_offence){
                .node = attr, .witness = (uint32_t[]){attr, call}, .n_witness = 2},
            err,
            "%.*s (%.*s) is a graph that %.*s (%.*s) runs: lowering fails, as a graph"
            " cannot be passed to a delegate",
            DG_SHOWN(tagged->nodes.names[attr]),
            DG_SHOWN(dg_tag_in_words(tagged, attr)),
            DG_SHOWN(tagged->nodes.names[call]),
            DG_SHOWN(dg_tag_in_words(tagged, call)));
    }
    return status;
}

enum dg_status dg_check_branch_attr_tag(const struct dg_findings *found,
                                        struct dg_error *err)
{
    return each_attr(found, look_for_mismatch, err);
}

static enum dg_status look_for_other_call(const struct dg_findings *found,
                                          const struct dg_partitioned_graph *tagged,
                                          uint32_t attr, struct dg_error *err)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    uint32_t begin = graph->user_of[attr], end = graph->user_of[attr + 1];

    for (uint32_t i = begin; i < end; i++) {
        uint32_t first = graph->users[begin], call = graph->users[i];

        if (tagged->tag_of[call] == tagged->tag_of[first])
            continue;
        return dg_find_planned(
            found, tagged,
            &(struct dg_offence){.node = attr,
                                 .witness = (uint32_t[]){attr, first, call},
                                 .n_witness = 3},
            err, "%.*s (%.*s) and %.*s (%.*s) run %.*s, which has one tag only",
            DG_SHOWN(tagged->nodes.names[first]),
            DG_SHOWN(dg_tag_in_words(tagged, first)),
            DG_SHOWN(tagged->nodes.names[call]),
            DG_SHOWN(dg_tag_in_words(tagged, call)),
            DG_SHOWN(tagged->nodes.names[attr]));
    }
    return DG_OK;
}

enum dg_status dg_check_branch_attr_shared(const struct dg_findings *found,
                                           struct dg_error *err)
{
    return each_attr(found, look_for_other_call, err);
}
