/* Graphs of a plan that go into a delegate as they are, or that lowering does not
 * visit. */
#include "partition/partitioned_inside.h"

#include "base/text_set.h"

struct paths { /* of graphs, behind the method's id */
    struct dg_text_set set;
    struct dg_arena memory;
};

static struct dg_text key_of(struct dg_arena *memory, int64_t method,
                             struct dg_text path)
{
    return dg_format(memory, "%lld/%.*s", (long long)method, (int)path.size,
                     path.data ? path.data : "");
}

static void add_path(struct paths *paths, int64_t method, struct dg_text path)
{
    dg_text_set_add(&paths->set, key_of(&paths->memory, method, path));
}

static bool goes_into_delegate(const struct dg_partitioned_graph *tagged, uint32_t attr)
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

static enum dg_status find_delegated(struct paths *delegated,
                                     const struct dg_partitioned_graphs *list,
                                     struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, attrs_sql, err);
    size_t at = 0;

    while (dg_rows_next(&rows)) {
        int64_t graph = dg_rows_int(&rows, 0), node = dg_rows_int(&rows, 1);
        const struct dg_partitioned_graph *tagged;

        while (at < list->n_items && list->items[at].nodes.graph.id < graph)
            at++;
        if (at == list->n_items || list->items[at].nodes.graph.id != graph)
            continue;
        tagged = &list->items[at];
        if (goes_into_delegate(tagged, (uint32_t)(node - tagged->nodes.graph.first_id)))
            add_path(delegated, tagged->nodes.method_id, dg_rows_slice(&rows, 2));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* What delegates were lowered from, and what a while_loop runs. */
static const char unvisited_sql[] =
    "SELECT method_id, path FROM \"graph\" WHERE kind = 'lowered'"
    " UNION ALL SELECT g.method_id, iif(g.path = '', '', g.path || '.') || a.target"
    "  FROM op CROSS JOIN node AS call ON call.op_id = op.id"
    "  CROSS JOIN edge ON edge.dst = call.id"
    "  CROSS JOIN node AS a ON a.id = edge.src AND a.kind = 'get_attr'"
    "  CROSS JOIN \"graph\" AS g ON g.id = call.graph_id"
    " WHERE op.name = 'higher_order::while_loop'";

static enum dg_status find_unvisited(struct paths *unvisited, struct dg_store *store,
                                     struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, unvisited_sql, err);

    while (dg_rows_next(&rows))
        add_path(unvisited, dg_rows_int(&rows, 0), dg_rows_slice(&rows, 1));
    return dg_rows_close(&rows, DG_OK, err);
}

/* Whether the paths have that of the graph, or of one that it is a branch of. */
static bool covers(struct paths *paths, const struct dg_nodes *nodes)
{
    struct dg_text key = key_of(&paths->memory, nodes->method_id, nodes->path);

    for (size_t i = 0; i <= key.size; i++)
        if ((i == key.size || key.data[i] == '.') &&
            dg_text_set_find(&paths->set, (struct dg_text){key.data, i}) != DG_NO_TEXT)
            return true;
    return false;
}

static bool has_inner_graph(const struct dg_partitioned_graphs *list)
{
    for (size_t i = 0; i < list->n_items; i++)
        if (list->items[i].nodes.path.size)
            return true;
    return false;
}

enum dg_status dg_partitioned_find_inside(struct dg_partitioned_graphs *list,
                                          struct dg_store *store, struct dg_error *err)
{
    struct paths delegated = {0}, unvisited = {0};
    enum dg_status status;

    if (!has_inner_graph(list))
        return DG_OK;
    status = find_delegated(&delegated, list, store, err);
    if (!status)
        status = find_unvisited(&unvisited, store, err);
    for (size_t i = 0; !status && i < list->n_items; i++) {
        struct dg_partitioned_graph *tagged = &list->items[i];

        tagged->inside = covers(&delegated, &tagged->nodes);
        tagged->visited = !tagged->inside && !covers(&unvisited, &tagged->nodes);
    }
    dg_text_set_clear(&delegated.set);
    dg_text_set_clear(&unvisited.set);
    dg_arena_clear(&delegated.memory);
    dg_arena_clear(&unvisited.memory);
    return status;
}
