/* Nodes that serve no output. */
#include <string.h>

#include "graph/graph.h"
#include "graph/model.h"
#include "verifiers/graph_parts.h"

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
    " WHERE id BETWEEN 1 AND ?1 ORDER BY id";

/* Of operators, by row; 0: what is not known. */
static enum dg_status read_op_kinds(unsigned char *kinds, const struct dg_model *model,
                                    struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, op_kinds, err);

    if (status)
        return status;
    memset(kinds, LIVE, (size_t)model->n_ops + 1);
    dg_rows_bind_int(&rows, 1, model->n_ops);
    while (dg_rows_next(&rows))
        kinds[dg_rows_int(&rows, 0)] = (unsigned char)dg_rows_int(&rows, 1);
    return dg_rows_close(&rows, DG_OK, err);
}

static unsigned char kind_of(const struct dg_model_node *node,
                             const unsigned char *op_kinds)
{
    if (node->kind == DG_NODE_OUTPUT)
        return LIVE;
    return node->kind == DG_NODE_CALL_FUNCTION ? op_kinds[node->op] : GIVEN;
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

        if (!reaches[i] && kinds[i] == DEAD)
            status = dg_find(found, &finding, err);
    }
    return status;
}

/* Where every node that nothing reads is live or given, no path through users can end
 * at a dead one. */
static bool may_have_dead(const struct dg_graph *graph, const unsigned char *kinds)
{
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        if (graph->user_of[i] == graph->user_of[i + 1] && kinds[i] != LIVE &&
            kinds[i] != GIVEN)
            return true;
    }
    return false;
}

static enum dg_status search_dead(const struct dg_findings *found, int64_t id,
                                  const unsigned char *kinds, struct dg_error *err)
{
    struct dg_graph graph;
    enum dg_status status = dg_graph_load(&graph, found->store, id, err);
    bool *marks, *reaches;

    if (!status && may_have_dead(&graph, kinds)) {
        marks = dg_alloc(&graph.memory, graph.n_nodes, sizeof(bool));
        reaches = dg_alloc(&graph.memory, graph.n_nodes, sizeof(bool));
        for (uint32_t i = 0; i < graph.n_nodes; i++)
            marks[i] = kinds[i] == LIVE;
        dg_graph_reaching(&graph, marks, reaches);
        status = find_dead(found, &graph, kinds, reaches, err);
    }
    dg_graph_clear(&graph);
    return status;
}

enum dg_status dg_check_dead(const struct dg_findings *found, struct dg_error *err)
{
    const struct dg_model *model;
    struct dg_arena memory = {0};
    unsigned char *ops, *kinds;
    enum dg_status status = dg_model_read(&model, found->store, err);

    if (status)
        return status;
    ops = dg_alloc(&memory, (size_t)model->n_ops + 1, 1);
    kinds = dg_alloc(&memory, model->n_nodes, 1);
    status = read_op_kinds(ops, model, found->store, err);
    for (uint32_t i = 0; i < model->n_nodes; i++)
        kinds[i] = kind_of(&model->nodes[i], ops);
    for (uint32_t i = 0; i < model->n_graphs && !status; i++)
        status = search_dead(found, i + 1, kinds + model->graphs[i].first, err);
    dg_arena_clear(&memory);
    return status;
}
