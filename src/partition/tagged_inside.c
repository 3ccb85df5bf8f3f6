/* Branch graphs that go into a delegate with the call that runs them. */
#include "partition/tagged_inside.h"

#include "base/text_set.h"

struct swallowed { /* paths behind the method's id */
    struct dg_text_set paths;
    struct dg_arena memory;
};

static struct dg_text key_of(struct dg_arena *memory, int64_t method,
                             struct dg_text path)
{
    return dg_format(memory, "%lld/%.*s", (long long)method, (int)path.size,
                     path.data ? path.data : "");
}

static bool goes_into_delegate(const struct dg_tagged *tagged, uint32_t attr)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    for (uint32_t i = graph->user_of[attr]; i < graph->user_of[attr + 1]; i++) {
        uint32_t call = graph->users[i], tag = tagged->tag_of[call];

        if (tagged->nodes.marks[call] & DG_MARK_CONTROL && tag != DG_UNTAGGED &&
            tagged->tags[tag].known)
            return true;
    }
    return false;
}

/* get_attr nodes of tagged graphs, with the path of the graph that each may name. */
static const char attrs_sql[] =
    "SELECT a.graph_id, a.id, iif(g.path = '', '', g.path || '.') || a.target"
    "  FROM node AS a JOIN \"graph\" AS g ON g.id = a.graph_id"
    " WHERE a.kind = 'get_attr' AND a.graph_id IN (SELECT graph_id FROM partition)"
    " ORDER BY a.graph_id, a.id";

static enum dg_status find_swallowed(struct swallowed *swallowed,
                                     const struct dg_tagged_list *list,
                                     struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, attrs_sql, err);
    size_t at = 0;

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        int64_t graph = dg_rows_int(&rows, 0), node = dg_rows_int(&rows, 1);
        const struct dg_tagged *tagged;

        while (at < list->n_items && list->items[at].nodes.graph.id < graph)
            at++;
        if (at == list->n_items || list->items[at].nodes.graph.id != graph)
            continue;
        tagged = &list->items[at];
        if (goes_into_delegate(tagged, (uint32_t)(node - tagged->nodes.graph.first_id)))
            dg_text_set_add(&swallowed->paths,
                            key_of(&swallowed->memory, tagged->nodes.method_id,
                                   dg_rows_slice(&rows, 2)));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Whether the graph, or one that it is a branch of, was swallowed. */
static bool is_inside(struct swallowed *swallowed, const struct dg_nodes *nodes)
{
    struct dg_text key = key_of(&swallowed->memory, nodes->method_id, nodes->path);

    for (size_t i = 0; i <= key.size; i++)
        if ((i == key.size || key.data[i] == '.') &&
            dg_text_set_find(&swallowed->paths, (struct dg_text){key.data, i}) !=
                DG_NO_TEXT)
            return true;
    return false;
}

enum dg_status dg_tagged_find_inside(struct dg_tagged_list *list,
                                     struct dg_store *store, struct dg_error *err)
{
    struct swallowed swallowed = {0};
    enum dg_status status;

    if (list->n_items < 2)
        return DG_OK;
    status = find_swallowed(&swallowed, list, store, err);
    for (size_t i = 0; !status && swallowed.paths.n_texts && i < list->n_items; i++)
        list->items[i].inside = is_inside(&swallowed, &list->items[i].nodes);
    dg_text_set_clear(&swallowed.paths);
    dg_arena_clear(&swallowed.memory);
    return status;
}
