/* The nodes of one graph as partitioners see them. */
#include "partition/nodes.h"

#include <string.h>

#include "graph/about.h"
#include "graph/model_whole.h"

static bool is_control_flow(struct dg_text op)
{
    return dg_text_is(op, "higher_order::cond") ||
           dg_text_is(op, "higher_order::map_impl") ||
           dg_text_is(op, "higher_order::while_loop") ||
           dg_text_is(op, "higher_order::scan");
}

static uint16_t marks_of_call(struct dg_text op)
{
    if (dg_text_is(op, "_operator.getitem"))
        return DG_MARK_CALL | DG_MARK_GETITEM | DG_MARK_TRANSPARENT;
    if (dg_text_is(op, "higher_order::executorch_call_delegate"))
        return DG_MARK_CALL | DG_MARK_DELEGATE;
    return is_control_flow(op) ? DG_MARK_CALL | DG_MARK_CONTROL : DG_MARK_CALL;
}

static uint16_t marks_of(enum dg_node_kind kind, struct dg_text op)
{
    switch (kind) {
    case DG_NODE_PLACEHOLDER:
        return DG_MARK_PLACEHOLDER;
    case DG_NODE_GET_ATTR:
        return DG_MARK_GET_ATTR;
    case DG_NODE_OUTPUT:
        return DG_MARK_OUTPUT;
    case DG_NODE_CALL_FUNCTION:
        return marks_of_call(op);
    default:
        return 0;
    }
}

static bool is_number(enum dg_value_kind kind)
{
    return kind == DG_VALUE_INT || kind == DG_VALUE_BOOL || kind == DG_VALUE_DOUBLE ||
           kind == DG_VALUE_SYM_INT || kind == DG_VALUE_SYM_FLOAT ||
           kind == DG_VALUE_SYM_BOOL;
}

static void describe(struct dg_nodes *nodes, uint32_t i,
                     const struct dg_model_whole *from)
{
    const struct dg_model_values *values = from->values;
    const struct dg_model_node *node =
        &from->model->nodes[nodes->graph.first_id - 1 + i];

    if (node->op)
        nodes->ops[i] = &from->model->ops[node->op - 1].name;
    nodes->marks[i] = marks_of(node->kind, dg_nodes_op(nodes, i));
    nodes->nbytes[i] = node->value ? values->nbytes[node->value - 1] : -1;
    if (node->value && is_number(values->types[values->type_of[node->value - 1]].kind))
        nodes->marks[i] |= DG_MARK_NUMBER;
}

static enum dg_status read_place(struct dg_nodes *nodes, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(store,
                   "SELECT method_id, method.name, path FROM \"graph\""
                   "  JOIN method ON method.id = method_id WHERE \"graph\".id = ?1",
                   nodes->graph.id, err);

    if (dg_rows_next(&rows)) {
        nodes->method_id = dg_rows_int(&rows, 0);
        nodes->method = dg_text(dg_copy(&nodes->memory, dg_rows_slice(&rows, 1)));
        nodes->path = dg_text(dg_copy(&nodes->memory, dg_rows_slice(&rows, 2)));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Set `mark` on the nodes that `sql` gives for graph ?1. */
static enum dg_status mark(struct dg_nodes *nodes, struct dg_store *store,
                           uint16_t mark, const char *sql, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, sql, nodes->graph.id, err);

    while (dg_rows_next(&rows)) {
        int64_t i = dg_rows_int(&rows, 0) - nodes->graph.first_id;

        if (i >= 0 && i < nodes->graph.n_nodes)
            nodes->marks[i] |= mark;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Placeholders that the program, not its user, provides. */
#define CONSTANT_INPUTS(more)                                                          \
    "SELECT id FROM node WHERE graph_id = ?1 AND kind = 'placeholder' AND " DG_RARE(   \
        "node") " AND name IN"                                                         \
                " (SELECT name FROM signature WHERE graph_id = ?1 AND direction = "    \
                "'input'" more ")"

static enum dg_status mark_constants(struct dg_nodes *nodes, struct dg_store *store,
                                     struct dg_error *err)
{
    enum dg_status status =
        mark(nodes, store, DG_MARK_CONSTANT,
             CONSTANT_INPUTS(" AND spec IN ('parameter', 'buffer', 'constant_tensor')"),
             err);

    if (status)
        return status;
    return mark(nodes, store, DG_MARK_MUTATED,
                CONSTANT_INPUTS(" AND spec = 'buffer' AND target IN (SELECT target"
                                "  FROM signature WHERE graph_id = ?1"
                                "   AND direction = 'output'"
                                "   AND spec = 'buffer_mutation')"),
                err);
}

static bool has_delegate(const struct dg_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->graph.n_nodes; i++) {
        if (nodes->marks[i] & DG_MARK_DELEGATE)
            return true;
    }
    return false;
}

static enum dg_status mark_delegate_items(struct dg_nodes *nodes,
                                          struct dg_store *store, struct dg_error *err)
{
    const struct dg_graph *graph = &nodes->graph;
    enum dg_status status;

    if (!has_delegate(nodes))
        return DG_OK;
    status = mark(nodes, store, DG_MARK_DELEGATE_ITEM,
                  "SELECT node.id FROM node JOIN op ON op.id = op_id"
                  " WHERE graph_id = ?1 AND op.name = '_operator.getitem'"
                  "   AND json_valid(node.args) AND json_array_length(node.args) = 2"
                  "   AND json_type(node.args, '$[1].int') = 'integer'",
                  err);
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        bool item = graph->input_of[i] < graph->input_of[i + 1] &&
                    nodes->marks[graph->inputs[graph->input_of[i]]] & DG_MARK_DELEGATE;

        if (!item)
            nodes->marks[i] &= (uint16_t)~DG_MARK_DELEGATE_ITEM;
    }
    return status;
}

/* A tuple is as large as the items that are taken out of it. */
static void measure_tuples(struct dg_nodes *nodes)
{
    const struct dg_graph *graph = &nodes->graph;

    for (uint32_t i = graph->n_nodes; i-- > 0;) {
        int64_t size = nodes->nbytes[i];
        uint32_t from;

        if (!(nodes->marks[i] & DG_MARK_GETITEM) || size < 0 ||
            graph->input_of[i] == graph->input_of[i + 1])
            continue;
        from = graph->inputs[graph->input_of[i]];
        if (nodes->marks[from] & DG_MARK_CALL &&
            nodes->nbytes[from] <= INT64_MAX - size)
            nodes->nbytes[from] =
                (nodes->nbytes[from] < 0 ? 0 : nodes->nbytes[from]) + size;
    }
}

static enum dg_status read_parts(struct dg_nodes *nodes, struct dg_store *store,
                                 struct dg_error *err)
{
    enum dg_status status = read_place(nodes, store, err);

    if (!status)
        status = mark_constants(nodes, store, err);
    if (!status)
        status = mark_delegate_items(nodes, store, err);
    if (!status)
        measure_tuples(nodes);
    return status;
}

static enum dg_status read_graph(void *object, struct dg_store *store, int64_t id,
                                 struct dg_error *err)
{
    struct dg_nodes *nodes = object;
    struct dg_arena *memory = dg_store_memory(store);
    struct dg_graph graph;
    struct dg_model_whole whole;
    enum dg_status status = dg_graph_load(&graph, store, id, err);

    /* They come first: the store's memory is in other hands below. */
    if (!status)
        status = dg_model_whole_read(&whole, store, err);
    *nodes = (struct dg_nodes){.graph = graph, .memory = *memory};
    nodes->marks = dg_alloc(&nodes->memory, graph.n_nodes, sizeof(*nodes->marks));
    nodes->ops = dg_alloc(&nodes->memory, graph.n_nodes, sizeof(*nodes->ops));
    nodes->nbytes = dg_alloc(&nodes->memory, graph.n_nodes, sizeof(*nodes->nbytes));
    if (!status) {
        if (graph.n_nodes)
            nodes->names = whole.names->items + graph.first_id - 1;
        for (uint32_t i = 0; i < graph.n_nodes; i++)
            describe(nodes, i, &whole);
        status = read_parts(nodes, store, err);
    }
    *memory = nodes->memory;
    nodes->memory = (struct dg_arena){0};
    return status;
}

enum dg_status dg_nodes_load(struct dg_nodes *nodes, struct dg_store *store, int64_t id,
                             struct dg_error *err)
{
    static const struct dg_row_reader reader = {sizeof(*nodes), read_graph};
    const void *kept;
    enum dg_status status = dg_store_read_row(&kept, store, id, &reader, err);

    dg_nodes_share(nodes, kept);
    return status;
}

void dg_nodes_share(struct dg_nodes *nodes, const struct dg_nodes *from)
{
    uint32_t n = from->graph.n_nodes;

    *nodes = *from;
    nodes->memory = nodes->graph.memory = (struct dg_arena){0};
    nodes->marks = dg_alloc(&nodes->memory, n, sizeof(*nodes->marks));
    if (n)
        memcpy(nodes->marks, from->marks, n * sizeof(*nodes->marks));
}

void dg_nodes_clear(struct dg_nodes *nodes)
{
    dg_graph_clear(&nodes->graph);
    dg_arena_clear(&nodes->memory);
    *nodes = (struct dg_nodes){0};
}

static bool is_unused(const struct dg_nodes *nodes, uint32_t node)
{
    static const char infix[] = "_unused_";
    const struct dg_graph *graph = &nodes->graph;
    uint32_t first = graph->input_of[node];
    struct dg_text name = nodes->names[node], producer;

    if (!(nodes->marks[node] & DG_MARK_GETITEM) ||
        graph->input_of[node + 1] != first + 1 ||
        graph->user_of[node] != graph->user_of[node + 1])
        return false;
    producer = nodes->names[graph->inputs[first]];
    return dg_text_begins(name, producer.data) &&
           dg_text_begins(
               (struct dg_text){name.data + producer.size, name.size - producer.size},
               infix);
}

/* Rows of skipped nodes become empty, and no row names one: others have these rows, so
 * that they are made anew. */
static uint32_t compact(uint32_t **begins, uint32_t **items, const bool *skip,
                        struct dg_nodes *nodes)
{
    uint32_t n_nodes = nodes->graph.n_nodes, n = 0;
    uint32_t *from = *begins, *ends = *items;
    uint32_t *of = dg_alloc(&nodes->memory, (size_t)n_nodes + 1, sizeof(*of));
    uint32_t *kept = dg_alloc(&nodes->memory, from[n_nodes], sizeof(*kept));

    for (uint32_t i = 0; i < n_nodes; i++) {
        for (uint32_t k = from[i]; k < from[i + 1] && !skip[i]; k++) {
            if (!skip[ends[k]])
                kept[n++] = ends[k];
        }
        of[i + 1] = n;
    }
    *begins = of;
    *items = kept;
    return n;
}

static void skip_node(struct dg_nodes *nodes, uint32_t node)
{
    const struct dg_graph *graph = &nodes->graph;

    nodes->marks[node] = 0;
    nodes->unused[nodes->n_unused++] = (struct dg_unused){
        .item = graph->first_id + node,
        .producer = graph->first_id + graph->inputs[graph->input_of[node]]};
}

void dg_nodes_skip_unused(struct dg_nodes *nodes)
{
    struct dg_graph *graph = &nodes->graph;
    bool *skip = dg_alloc(&nodes->memory, graph->n_nodes, sizeof(*skip));
    size_t n = 0;

    for (uint32_t i = 0; i < graph->n_nodes; i++)
        n += skip[i] = is_unused(nodes, i);
    nodes->unused = dg_alloc(&nodes->memory, n, sizeof(*nodes->unused));
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        if (skip[i])
            skip_node(nodes, i);
    }
    if (!n)
        return;
    compact(&graph->input_of, &graph->inputs, skip, nodes);
    graph->n_edges = compact(&graph->user_of, &graph->users, skip, nodes);
}
