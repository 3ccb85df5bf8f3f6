/* Nodes that serve no output. */
#include <stdlib.h>

#include "graph/graph.h"
#include "verifiers/graph_parts.h"

static const char saved_graphs[] =
    "SELECT g.id FROM \"graph\" AS g JOIN method ON method.id = method_id"
    " WHERE ir <> 'pte' ORDER BY g.id";

/* What a node is to the search for dead ones. */
enum { DEAD, LIVE, QUIET, GIVEN };

/* Calls with effects, and what delegraph does not know, are live. Of a call with
 * several results some may stay unused. */
static const char op_kinds[] =
    "SELECT id, CASE WHEN name = '_operator.getitem' THEN 2"
    " WHEN name LIKE '\\_operator.%' ESCAPE '\\' OR name LIKE 'math.%'"
    "  OR name LIKE 'torch.sym\\_%' ESCAPE '\\' THEN 0"
    " WHEN args IS NULL OR returns = '' OR namespace = 'higher_order'"
    "  OR flags & ((1 << 3) | (1 << 5)) THEN 1 ELSE 0 END FROM op"
    " WHERE id BETWEEN 1 AND (SELECT count(*) FROM op) ORDER BY id";

struct op_kinds {
    unsigned char *kinds; /* by id */
    size_t n;
};

static enum dg_status read_op_kinds(struct op_kinds *ops, struct dg_store *store,
                                    struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, op_kinds, err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        while (ops->n < (size_t)dg_rows_int(&rows, 0))
            *DG_APPEND(ops->kinds, ops->n) = LIVE;
        *DG_APPEND(ops->kinds, ops->n) = (unsigned char)dg_rows_int(&rows, 1);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static unsigned char kind_of(const struct op_kinds *ops, const struct dg_rows *rows)
{
    int64_t op = dg_rows_int_or(rows, 1, -1);

    if (dg_rows_int(rows, 0))
        return (unsigned char)dg_rows_int(rows, 0);
    return op >= 0 && (size_t)op < ops->n ? ops->kinds[op] : LIVE;
}

/* The nodes of one graph. */
struct nodes {
    int64_t first_id, n;
    unsigned char *kinds;
    bool *used; /* something reads it */
    struct dg_arena memory;
};

static enum dg_status read_nodes(struct nodes *nodes, struct dg_store *store,
                                 int64_t graph, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT min(id), count(*) FROM node WHERE graph_id = ?1", err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, graph);
    if (dg_rows_next(&rows)) {
        nodes->first_id = dg_rows_int_or(&rows, 0, 1);
        nodes->n = dg_rows_int(&rows, 1);
    }
    nodes->kinds = dg_alloc(&nodes->memory, (size_t)nodes->n, 1);
    nodes->used = dg_alloc(&nodes->memory, (size_t)nodes->n, sizeof(bool));
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status open_range(struct dg_rows *rows, struct dg_store *store,
                                 const struct nodes *nodes, const char *sql,
                                 struct dg_error *err)
{
    enum dg_status status = dg_rows_open(rows, store, sql, err);

    if (status)
        return status;
    dg_rows_bind_int(rows, 1, nodes->first_id);
    dg_rows_bind_int(rows, 2, nodes->first_id + nodes->n - 1);
    return DG_OK;
}

static enum dg_status read_kinds(struct nodes *nodes, struct dg_store *store,
                                 struct dg_error *err)
{
    struct op_kinds ops = {0};
    struct dg_rows rows;
    enum dg_status status = read_op_kinds(&ops, store, err);

    if (!status)
        status = open_range(
            &rows, store, nodes,
            "SELECT CASE kind WHEN 'call_function' THEN 0 WHEN 'output' THEN 1"
            " ELSE 3 END, op_id FROM node WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
            err);
    if (!status) {
        for (int64_t i = 0; i < nodes->n && dg_rows_next(&rows); i++)
            nodes->kinds[i] = kind_of(&ops, &rows);
        status = dg_rows_close(&rows, DG_OK, err);
    }
    free(ops.kinds);
    return status;
}

static enum dg_status read_used(struct nodes *nodes, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        open_range(&rows, store, nodes,
                   "SELECT src - ?1 FROM edge WHERE src BETWEEN ?1 AND ?2", err);

    if (status)
        return status;
    while (dg_rows_next(&rows))
        nodes->used[dg_rows_int(&rows, 0)] = true;
    return dg_rows_close(&rows, DG_OK, err);
}

/* Where every node that nothing reads is live or given, no path through users can end
 * at a dead one. */
static bool may_have_dead(const struct nodes *nodes)
{
    for (int64_t i = 0; i < nodes->n; i++) {
        if (!nodes->used[i] && nodes->kinds[i] != LIVE && nodes->kinds[i] != GIVEN)
            return true;
    }
    return false;
}

static enum dg_status find_dead(const struct dg_findings *found,
                                const struct dg_graph *graph,
                                const unsigned char *kinds, const bool *reaches,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < graph->n_nodes && !status; i++) {
        struct dg_finding finding = {
            .node = graph->first_id + i,
            .message = dg_text("its result reaches no output and it has no effect")};

        if (!reaches[i] && !kinds[i])
            status = dg_find(found, &finding, err);
    }
    return status;
}

static enum dg_status search_dead(const struct dg_findings *found, int64_t id,
                                  const struct nodes *nodes, struct dg_error *err)
{
    struct dg_graph graph;
    enum dg_status status = dg_graph_load(&graph, found->store, id, err);
    bool *marks = dg_alloc(&graph.memory, graph.n_nodes, sizeof(bool));
    bool *reaches = dg_alloc(&graph.memory, graph.n_nodes, sizeof(bool));

    for (uint32_t i = 0; i < graph.n_nodes; i++)
        marks[i] = nodes->kinds[i] == LIVE;
    dg_graph_reaching(&graph, marks, reaches);
    if (!status)
        status = find_dead(found, &graph, nodes->kinds, reaches, err);
    dg_graph_clear(&graph);
    return status;
}

static enum dg_status look_for_dead(const struct dg_findings *found, int64_t id,
                                    struct dg_error *err)
{
    struct nodes nodes = {0};
    enum dg_status status = read_nodes(&nodes, found->store, id, err);

    if (!status)
        status = read_kinds(&nodes, found->store, err);
    if (!status)
        status = read_used(&nodes, found->store, err);
    if (!status && may_have_dead(&nodes))
        status = search_dead(found, id, &nodes, err);
    dg_arena_clear(&nodes.memory);
    return status;
}

enum dg_status dg_check_dead(const struct dg_findings *found, struct dg_error *err)
{
    return dg_each_graph(found, saved_graphs, look_for_dead, err);
}
