/* What the calls of a graph do to memory: which arguments they share, which they write.
 */
#include "graph/alias.h"

#include <stdlib.h>

/* Operators by the id of their row. */
struct ops {
    uint32_t *index; /* into alias->op_names; DG_NOBODY: none */
    unsigned *effects;
    size_t n_ids;
};

static enum dg_status read_ops(struct ops *ops, struct dg_alias *alias,
                               struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    int64_t last;
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM op", 0, &last, err);

    if (!status)
        status = dg_rows_open(&rows, store,
                              "SELECT id, name FROM op"
                              " WHERE id BETWEEN 1 AND (SELECT count(*) FROM op)",
                              err);
    if (status)
        return status;
    ops->n_ids = (size_t)last + 1;
    ops->index = dg_alloc(&alias->memory, ops->n_ids, sizeof(*ops->index));
    ops->effects = dg_alloc(&alias->memory, ops->n_ids, sizeof(*ops->effects));
    alias->op_names = dg_alloc(&alias->memory, ops->n_ids, sizeof(*alias->op_names));
    for (uint32_t n = 0; dg_rows_next(&rows); n++) {
        struct dg_text name = dg_rows_slice(&rows, 1);
        int64_t id = dg_rows_int(&rows, 0);

        alias->op_names[n] = (struct dg_text){dg_copy(&alias->memory, name), name.size};
        ops->index[id] = n;
        ops->effects[id] = dg_effect_of(alias->op_names[n]);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void read_node(struct dg_alias *alias, uint32_t node, const struct ops *ops,
                      const struct dg_rows *rows)
{
    struct dg_text kind = dg_rows_slice(rows, 0);
    int64_t op = dg_rows_int_or(rows, 1, 0);

    alias->ops[node] = DG_NOBODY;
    if (dg_text_is(kind, "placeholder") || dg_text_is(kind, "get_attr")) {
        alias->effects[node] = DG_EFFECT_OUTER;
    } else if (dg_text_is(kind, "output")) {
        alias->effects[node] = DG_EFFECT_KEEPS;
    } else if (op > 0 && (size_t)op < ops->n_ids) {
        alias->ops[node] = ops->index[op];
        alias->effects[node] = ops->effects[op];
    } else {
        alias->effects[node] = DG_EFFECT_OPAQUE | DG_EFFECT_KEEPS;
    }
}

static enum dg_status read_nodes(struct dg_alias *alias, struct dg_store *store,
                                 struct dg_error *err)
{
    struct ops ops = {0};
    struct dg_rows rows;
    enum dg_status status = read_ops(&ops, alias, store, err);

    if (!status)
        status = dg_rows_open(&rows, store,
                              "SELECT kind, op_id FROM node"
                              " WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                              err);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, alias->graph.first_id);
    dg_rows_bind_int(&rows, 2, alias->graph.first_id + alias->graph.n_nodes - 1);
    for (uint32_t i = 0; i < alias->graph.n_nodes && dg_rows_next(&rows); i++)
        read_node(alias, i, &ops, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

struct links {
    struct dg_alias_link *items;
    size_t n_items;
};

static void add_link(struct links *links, struct dg_alias_link link)
{
    *DG_APPEND(links->items, links->n_items) = link;
}

/* Names are unique in a graph, so that a name among the leaves of an argument tells
 * which of the node's inputs stands there. */
static const char leaves_sql[] =
    "SELECT edge.src, argument.key, argument.value ->> 'name' FROM node"
    "  JOIN json_each(CASE WHEN json_valid(node.args) THEN node.args END) AS argument"
    "  JOIN json_tree(argument.value) AS leaf ON leaf.type = 'text'"
    "  JOIN edge ON edge.dst = node.id JOIN node AS s ON s.id = edge.src"
    "   AND s.name = leaf.atom"
    " WHERE node.id = ?1 AND leaf.key IS NOT 'name' GROUP BY 2, 1 ORDER BY 2, 1";

static enum dg_status link_arguments(struct links *links, const struct dg_alias *alias,
                                     uint32_t node, struct dg_rows *rows,
                                     struct dg_error *err)
{
    struct dg_alias_link link = {.node = node,
                                 .shares = alias->effects[node] & DG_EFFECT_VIEW};

    dg_rows_bind_int(rows, 1, alias->graph.first_id + node);
    while (dg_rows_next(rows)) {
        int64_t source = dg_rows_int(rows, 0) - alias->graph.first_id;

        if (source < 0 || source >= alias->graph.n_nodes)
            continue;
        link.source = (uint32_t)source;
        if (dg_effect_argument(alias->op_names[alias->ops[node]],
                               dg_rows_slice(rows, 2), dg_rows_int(rows, 1),
                               &link.writes, &link.in_list))
            add_link(links, link);
    }
    return dg_rows_again(rows, err);
}

static bool is_written_or_shared(unsigned effects)
{
    return effects & (DG_EFFECT_VIEW | DG_EFFECT_MAYBE | DG_EFFECT_WRITE |
                      DG_EFFECT_OPAQUE | DG_EFFECT_ITEM);
}

static enum dg_status link_node(struct links *links, const struct dg_alias *alias,
                                uint32_t node, struct dg_rows *rows,
                                struct dg_error *err)
{
    const struct dg_graph *graph = &alias->graph;
    unsigned effects = alias->effects[node];
    uint32_t begin = graph->input_of[node], end = graph->input_of[node + 1];

    if (!is_written_or_shared(effects) || begin == end)
        return DG_OK;
    if (effects & (DG_EFFECT_VIEW | DG_EFFECT_WRITE) && !(effects & DG_EFFECT_FIRST))
        return link_arguments(links, alias, node, rows, err);
    if (effects & (DG_EFFECT_FIRST | DG_EFFECT_ITEM))
        end = begin + 1;
    for (uint32_t i = begin; i < end; i++)
        add_link(links, (struct dg_alias_link){.node = node,
                                               .source = graph->inputs[i],
                                               .shares = effects & DG_EFFECT_VIEW,
                                               .writes = effects & DG_EFFECT_WRITE});
    return DG_OK;
}

static enum dg_status link_nodes(struct dg_alias *alias, struct dg_store *store,
                                 struct dg_error *err)
{
    struct links links = {0};
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, leaves_sql, err);
    uint32_t n = alias->graph.n_nodes;

    alias->link_of = dg_alloc(&alias->memory, (size_t)n + 1, sizeof(*alias->link_of));
    if (status)
        return status;
    for (uint32_t i = 0; i < n && !status; i++) {
        status = link_node(&links, alias, i, &rows, err);
        alias->link_of[i + 1] = (uint32_t)links.n_items;
    }
    alias->links = links.items;
    return dg_rows_close(&rows, status, err);
}

/* Outputs that are written back, in the order in which that is done. */
static const char updates_sql[] =
    "WITH o AS MATERIALIZED (SELECT pos, name, spec, target FROM signature"
    "   WHERE graph_id = ?1 AND direction = 'output'"
    "    AND spec IN ('buffer_mutation', 'parameter_mutation', 'user_input_mutation')),"
    " i AS MATERIALIZED (SELECT name, spec, target FROM signature"
    "   WHERE graph_id = ?1 AND direction = 'input'),"
    " pair AS MATERIALIZED (SELECT o.pos, o.name AS value, i.name AS state FROM o"
    "   CROSS JOIN i ON i.target = o.target AND o.spec = i.spec || '_mutation'"
    "  UNION SELECT o.pos, o.name, i.name FROM o CROSS JOIN i ON i.name = o.target"
    "   AND o.spec = 'user_input_mutation'),"
    " named AS MATERIALIZED (SELECT node.id, node.name FROM node WHERE graph_id = ?1"
    "   AND kind <> 'output' AND EXISTS (SELECT 1 FROM pair)"
    "   AND (name IN (SELECT value FROM pair) OR name IN (SELECT state FROM pair)))"
    "SELECT v.id, s.id FROM pair JOIN named AS v ON v.name = pair.value"
    "  JOIN named AS s ON s.name = pair.state ORDER BY pair.pos";

static enum dg_status read_updates(struct dg_alias *alias, struct dg_store *store,
                                   struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, updates_sql, alias->graph.id, err);

    while (dg_rows_next(&rows)) {
        int64_t value = dg_rows_int(&rows, 0) - alias->graph.first_id;
        int64_t state = dg_rows_int(&rows, 1) - alias->graph.first_id;

        if (value >= 0 && value < alias->graph.n_nodes && state >= 0 &&
            state < alias->graph.n_nodes)
            *DG_APPEND(alias->updates, alias->n_updates) =
                (struct dg_alias_update){(uint32_t)value, (uint32_t)state};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_place(struct dg_alias *alias, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, "SELECT kind FROM \"graph\" WHERE id = ?1",
                                     alias->graph.id, err);

    if (dg_rows_next(&rows))
        alias->branch = dg_text_is(dg_rows_slice(&rows, 0), "branch");
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_alias_load(struct dg_alias *alias, struct dg_store *store, int64_t id,
                             struct dg_error *err)
{
    enum dg_status status;

    *alias = (struct dg_alias){0};
    status = dg_graph_load(&alias->graph, store, id, err);
    alias->effects =
        dg_alloc(&alias->memory, alias->graph.n_nodes, sizeof(*alias->effects));
    alias->ops = dg_alloc(&alias->memory, alias->graph.n_nodes, sizeof(*alias->ops));
    if (!status)
        status = read_place(alias, store, err);
    if (!status)
        status = read_nodes(alias, store, err);
    if (!status)
        status = link_nodes(alias, store, err);
    return status ? status : read_updates(alias, store, err);
}

void dg_alias_clear(struct dg_alias *alias)
{
    free(alias->links);
    free(alias->updates);
    dg_graph_clear(&alias->graph);
    dg_arena_clear(&alias->memory);
    *alias = (struct dg_alias){0};
}
