/* Reading graphs, nodes and edges of a store as numbers. */
#include "reports/views/skeleton.h"

#include <stdlib.h>

#include "graph/about.h"

static enum dg_status count_tables(struct dg_skeleton *skeleton,
                                   const struct dg_view_input *in)
{
    enum dg_status status = dg_model_read(&skeleton->model, in->store, in->err);

    if (!status)
        status = dg_model_values_read(&skeleton->values, in->store, in->err);
    if (status)
        return status;
    skeleton->n_rows = skeleton->model->n_nodes;
    skeleton->n_values = skeleton->values->n_rows;
    skeleton->n_graph_rows = skeleton->values->n_graphs;
    return DG_OK;
}

static uint32_t *nowhere(struct dg_arena *memory, size_t count)
{
    uint32_t *items = dg_alloc(memory, count + 1, sizeof(*items));

    for (size_t i = 0; i <= count; i++)
        items[i] = DG_NOWHERE;
    return items;
}

static enum dg_status read_graphs(struct dg_skeleton *skeleton,
                                  const struct dg_view_input *in)
{
    struct dg_rows rows;
    enum dg_status status = dg_view_open(
        &rows, in,
        "SELECT graph.id, graph.path, graph.kind, method.name, method.ir, method.id"
        " FROM graph"
        " JOIN method ON method.id = graph.method_id WHERE" DG_VIEW_CHOSEN
        " ORDER BY graph.id");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);
        struct dg_skeleton_graph *graph;

        if (id < 1 || (size_t)id > skeleton->n_graph_rows)
            continue;
        skeleton->graph_of[id] = (uint32_t)skeleton->n_graphs;
        graph = DG_APPEND(skeleton->graphs, skeleton->n_graphs);
        *graph = (struct dg_skeleton_graph){
            .id = id,
            .path = dg_rows_keep(&skeleton->memory, &rows, 1),
            .method = dg_rows_keep(&skeleton->memory, &rows, 3),
            .method_id = dg_rows_int(&rows, 5),
            .lowered = dg_text_is(dg_rows_slice(&rows, 2), "lowered"),
            .instructions = dg_text_is(dg_rows_slice(&rows, 4), "pte"),
            .first = DG_NOWHERE,
            .caller = DG_NOWHERE,
        };
        skeleton->n_methods +=
            skeleton->n_graphs < 2 || graph->method_id != graph[-1].method_id;
    }
    status = dg_rows_close(&rows, DG_OK, in->err);
    return status ? status : dg_view_check_chosen(in, skeleton->n_graphs, "no ");
}

static enum dg_role role_of_op(struct dg_text op)
{
    if (dg_text_is(op, "_operator.getitem"))
        return DG_ROLE_ITEM;
    if (dg_text_is(op, "higher_order::executorch_call_delegate"))
        return DG_ROLE_DELEGATE;
    return dg_text_begins(op, "higher_order::") ? DG_ROLE_CONTROL : DG_ROLE_CALL;
}

static enum dg_role role_of_kind(enum dg_node_kind kind)
{
    switch (kind) {
    case DG_NODE_PLACEHOLDER:
        return DG_ROLE_INPUT;
    case DG_NODE_OUTPUT:
        return DG_ROLE_OUTPUT;
    case DG_NODE_DELEGATE_CALL:
        return DG_ROLE_DELEGATE;
    case DG_NODE_JUMP_FALSE_CALL:
        return DG_ROLE_JUMP;
    case DG_NODE_GET_ATTR:
        return DG_ROLE_NONE;
    case DG_NODE_FREE_CALL:
        return DG_ROLE_FREE;
    default:
        return DG_ROLE_CALL;
    }
}

/* A row of another table, where that can be. */
static uint32_t row_in(uint32_t row, size_t most)
{
    return row <= most ? row : 0;
}

static bool is_asked_for(const struct dg_skeleton *skeleton, uint32_t graph)
{
    return row_in(graph, skeleton->n_graph_rows) &&
           skeleton->graph_of[graph] != DG_NOWHERE;
}

static void add_node(struct dg_skeleton *skeleton, const uint8_t *op_roles, uint32_t i)
{
    const struct dg_model_node *from = &skeleton->model->nodes[i];
    struct dg_skeleton_node *node = &skeleton->nodes[i];
    struct dg_skeleton_graph *of;

    if (!is_asked_for(skeleton, from->graph))
        return;
    node->graph = skeleton->graph_of[from->graph];
    node->value = row_in(from->value, skeleton->n_values);
    node->role = from->op ? op_roles[from->op] : (uint8_t)role_of_kind(from->kind);
    of = &skeleton->graphs[node->graph];
    if (node->value && !of->instructions)
        skeleton->made_by[node->value] = i;
    of->first = of->first < i ? of->first : i;
    of->n_nodes++;
}

static void take_ops_and_nodes(struct dg_skeleton *skeleton)
{
    const struct dg_model *model = skeleton->model;
    uint8_t *op_roles;

    skeleton->n_ops = model->n_ops;
    skeleton->ops =
        dg_alloc(&skeleton->memory, skeleton->n_ops + 1, sizeof(struct dg_text));
    op_roles = dg_alloc(&skeleton->memory, skeleton->n_ops + 1, 1);
    for (uint32_t i = 0; i < model->n_ops; i++) {
        skeleton->ops[i + 1] = model->ops[i].name;
        op_roles[i + 1] = (uint8_t)role_of_op(model->ops[i].name);
    }
    for (uint32_t i = 0; i < model->n_nodes; i++)
        add_node(skeleton, op_roles, i);
}

static void take_uses(struct dg_skeleton *skeleton)
{
    const struct dg_model *model = skeleton->model;

    for (uint32_t i = 0; i < model->n_nodes; i++) {
        for (uint32_t k = model->use_of[i]; k < model->use_of[i + 1]; k++) {
            const struct dg_model_use *use = &model->uses[k];

            if (skeleton->nodes[i].graph != DG_NOWHERE &&
                skeleton->nodes[use->node].graph != DG_NOWHERE)
                *DG_APPEND(skeleton->uses, skeleton->n_uses) = (struct dg_skeleton_use){
                    use->node, i, row_in(use->value, skeleton->n_values)};
        }
    }
}

/* The row that a column names; 0: none, or one that cannot be. */
static uint32_t row_of(const struct dg_rows *rows, int column, size_t most)
{
    int64_t row = dg_rows_int(rows, column);

    return row > 0 && (uint64_t)row <= most ? (uint32_t)row : 0;
}

/* The node of column 1 runs the graph of column 0, on the backend of column 2. */
static void set_caller(struct dg_skeleton *skeleton, const struct dg_rows *rows)
{
    uint32_t row = row_of(rows, 0, skeleton->n_graph_rows);
    uint32_t call = row_of(rows, 1, skeleton->n_rows);
    struct dg_skeleton_graph *graph;

    if (!row || skeleton->graph_of[row] == DG_NOWHERE)
        return;
    graph = &skeleton->graphs[skeleton->graph_of[row]];
    graph->backend = dg_rows_keep(&skeleton->memory, rows, 2);
    if (call && skeleton->nodes[call - 1].graph != DG_NOWHERE)
        graph->caller = call - 1;
}

static enum dg_status find_callers(struct dg_skeleton *skeleton,
                                   const struct dg_view_input *in, const char *sql)
{
    struct dg_rows rows = dg_rows_all(in->store, sql, in->err);

    while (dg_rows_next(&rows))
        set_caller(skeleton, &rows);
    return dg_rows_close(&rows, DG_OK, in->err);
}

/* Calls of branches: a get_attr names the graph, and a call of its graph reads it. */
static enum dg_status find_branches(struct dg_skeleton *skeleton,
                                    const struct dg_view_input *in)
{
    return find_callers(
        skeleton, in,
        "WITH branch AS MATERIALIZED"
        " (SELECT id, method_id, path FROM \"graph\" WHERE kind = 'branch')"
        " SELECT branch.id, edge.dst, NULL FROM node AS a JOIN \"graph\" AS outer"
        "  ON outer.id = a.graph_id CROSS JOIN branch"
        "  ON branch.path = iif(outer.path = '', '', outer.path || '.') || a.target"
        "  AND branch.method_id = outer.method_id"
        " CROSS JOIN edge ON edge.src = a.id"
        " WHERE a.kind = 'get_attr' AND " DG_RARE(
            "a") " AND EXISTS (SELECT 1 FROM branch)");
}

/* Calls of delegates whose graphs are stored. */
static enum dg_status find_lowered(struct dg_skeleton *skeleton,
                                   const struct dg_view_input *in)
{
    return find_callers(
        skeleton, in,
        "SELECT delegate.graph_id, min(node.id), max(backend) FROM delegate"
        " LEFT JOIN node ON node.delegate_id = delegate.id"
        "  AND node.kind = 'call_function'"
        " WHERE delegate.graph_id IS NOT NULL GROUP BY delegate.graph_id");
}

static void make_room(struct dg_skeleton *skeleton)
{
    skeleton->made_by = nowhere(&skeleton->memory, skeleton->n_values);
    skeleton->graph_of = nowhere(&skeleton->memory, skeleton->n_graph_rows);
    while (skeleton->n_nodes < skeleton->n_rows)
        *DG_APPEND(skeleton->nodes, skeleton->n_nodes) =
            (struct dg_skeleton_node){.graph = DG_NOWHERE, .end = DG_NOWHERE};
}

enum dg_status dg_skeleton_read(struct dg_skeleton *skeleton,
                                const struct dg_view_input *in)
{
    enum dg_status status = count_tables(skeleton, in);

    if (status)
        return status;
    make_room(skeleton);
    status = read_graphs(skeleton, in);
    if (status)
        return status;
    take_ops_and_nodes(skeleton);
    take_uses(skeleton);
    status = find_branches(skeleton, in);
    if (!status)
        status = find_lowered(skeleton, in);
    return status ? status : dg_skeleton_read_ends(skeleton, in);
}

/* The frame of the graph from `first` on whose path is the longest that begins that of
 * `inner`, or else that of the method. */
static size_t outer_frame(const struct dg_skeleton *skeleton, size_t first,
                          size_t inner, size_t method)
{
    struct dg_text path = skeleton->graphs[inner].path;
    size_t frame = method, length = 0;

    for (size_t i = first; i < inner; i++) {
        const struct dg_skeleton_graph *outer = &skeleton->graphs[i];

        if (outer->frame && outer->path.size > length && outer->path.size < path.size &&
            path.data[outer->path.size] == '.' &&
            !memcmp(path.data, outer->path.data, outer->path.size)) {
            frame = outer->frame;
            length = outer->path.size;
        }
    }
    return frame;
}

static size_t add_frame(struct dg_picture *picture,
                        const struct dg_skeleton_graph *graph, size_t outer)
{
    const char *kind = !graph->lowered       ? "branch"
                       : graph->backend.data ? "lowered to "
                                             : "lowered";

    return dg_picture_add_frame(
        picture, graph->lowered ? DG_FRAME_LOWERED : DG_FRAME_GRAPH, outer,
        dg_format(&picture->memory, "%s: %s%s", graph->path.data, kind,
                  graph->backend.data ? graph->backend.data : ""));
}

void dg_skeleton_frame(struct dg_skeleton *skeleton, struct dg_picture *picture,
                       const bool *drawn)
{
    size_t first = 0, method = 0;

    for (size_t g = 0; g < skeleton->n_graphs; g++) {
        struct dg_skeleton_graph *graph = &skeleton->graphs[g];

        if (g && graph->method_id != graph[-1].method_id) {
            first = g;
            method = 0;
        }
        if (drawn && !drawn[g])
            continue;
        if (!method && skeleton->n_methods > 1)
            method = dg_picture_add_frame(
                picture, DG_FRAME_METHOD, 0,
                dg_format(&picture->memory, "method %s", graph->method.data));
        graph->frame =
            graph->path.size
                ? add_frame(picture, graph, outer_frame(skeleton, first, g, method))
                : method;
    }
}

void dg_skeleton_clear(struct dg_skeleton *skeleton)
{
    for (size_t i = 0; i < skeleton->n_graphs; i++)
        dg_flow_clear(&skeleton->graphs[i].flow);
    free(skeleton->nodes);
    free(skeleton->graphs);
    free(skeleton->ends);
    free(skeleton->uses);
    dg_arena_clear(&skeleton->memory);
    *skeleton = (struct dg_skeleton){0};
}
