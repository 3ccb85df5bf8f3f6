/* Inputs, outputs and weights: of a .pt2 placeholders that the signature tells apart,
 * of a .pte values that operands name. */
#include "reports/views/skeleton.h"

#include "store/lists.h"

static struct dg_skeleton_node *add_node(struct dg_skeleton *skeleton,
                                         enum dg_role role, uint32_t graph)
{
    struct dg_skeleton_node *node = DG_APPEND(skeleton->nodes, skeleton->n_nodes);

    *node = (struct dg_skeleton_node){
        .role = (uint8_t)role, .graph = graph, .end = DG_NOWHERE};
    return node;
}

static void add_use(struct dg_skeleton *skeleton, uint32_t from, uint32_t to,
                    uint32_t value)
{
    *DG_APPEND(skeleton->uses, skeleton->n_uses) =
        (struct dg_skeleton_use){from, to, value};
}

static uint32_t value_row(const struct dg_skeleton *skeleton, int64_t row)
{
    return row > 0 && (uint64_t)row <= skeleton->n_values ? (uint32_t)row : 0;
}

/* The index of a node that was asked for, by its row. */
static uint32_t chosen_node(const struct dg_skeleton *skeleton, int64_t row)
{
    return row > 0 && (uint64_t)row <= skeleton->n_rows &&
                   skeleton->nodes[row - 1].graph != DG_NOWHERE
               ? (uint32_t)(row - 1)
               : DG_NOWHERE;
}

static uint32_t chosen_graph(const struct dg_skeleton *skeleton, int64_t row)
{
    return row > 0 && (uint64_t)row <= skeleton->n_graph_rows ? skeleton->graph_of[row]
                                                              : DG_NOWHERE;
}

/* Columns: 0 graph, 1 pos, 2 value, 3 dtype, 4 shape, 5 name, 6 spec, 7 target. */
#define END_COLUMNS                                                                    \
    "s.graph_id, s.pos, s.value_id," DG_VIEW_TYPE ", s.name, s.spec, s.target"

/* A mutated buffer is called by its own name, not by that of its new value. */
static uint32_t add_end(struct dg_skeleton *skeleton, const struct dg_rows *rows,
                        uint32_t graph, bool output)
{
    struct dg_skeleton_end *end = DG_APPEND(skeleton->ends, skeleton->n_ends);

    *end = (struct dg_skeleton_end){
        .output = output,
        .graph = graph,
        .pos = (uint32_t)dg_rows_int(rows, 1),
        .name = dg_rows_keep(&skeleton->memory, rows,
                             output && dg_rows_slice(rows, 7).size ? 7 : 5),
        .value = dg_view_type(&skeleton->memory, rows, 3),
        .spec = dg_rows_keep(&skeleton->memory, rows, 6),
    };
    if (!end->name.data)
        end->name = dg_format(&skeleton->memory, "%s %u", output ? "output" : "input",
                              (unsigned)end->pos);
    skeleton->graphs[graph].n_outputs += output;
    return (uint32_t)(skeleton->n_ends - 1);
}

static void add_input(struct dg_skeleton *skeleton, const struct dg_rows *rows,
                      uint32_t graph)
{
    struct dg_text spec = dg_rows_slice(rows, 6);
    uint32_t value = value_row(skeleton, dg_rows_int_or(rows, 2, 0));
    uint32_t node = value ? skeleton->made_by[value] : DG_NOWHERE;

    if (skeleton->graphs[graph].instructions) {
        add_node(skeleton, DG_ROLE_INPUT, graph);
        node = (uint32_t)(skeleton->n_nodes - 1);
        if (value)
            skeleton->made_by[value] = node;
    } else if (node == DG_NOWHERE) {
        return;
    } else if (spec.size && !dg_text_is(spec, "user_input")) {
        skeleton->nodes[node].role = DG_ROLE_WEIGHT;
        return;
    }
    if (!skeleton->graphs[graph].lowered)
        skeleton->nodes[node].end = add_end(skeleton, rows, graph, false);
}

static enum dg_status read_inputs(struct dg_skeleton *skeleton,
                                  const struct dg_view_input *in)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, in->store,
                     "SELECT " END_COLUMNS
                     " FROM signature AS s LEFT JOIN value ON value.id = s.value_id"
                     " WHERE s.direction = 'input' ORDER BY s.graph_id, s.pos",
                     in->err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        uint32_t graph = chosen_graph(skeleton, dg_rows_int(&rows, 0));

        if (graph != DG_NOWHERE)
            add_input(skeleton, &rows, graph);
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

/* Values of a .pte that lie in the file, or in another. */
static enum dg_status read_stored(struct dg_skeleton *skeleton,
                                  const struct dg_view_input *in)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, in->store,
        "SELECT graph_id, id FROM value WHERE storage < 'n' ORDER BY id", in->err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        uint32_t graph = chosen_graph(skeleton, dg_rows_int(&rows, 0));
        uint32_t value = value_row(skeleton, dg_rows_int(&rows, 1));

        if (graph == DG_NOWHERE || !value || skeleton->made_by[value] != DG_NOWHERE)
            continue;
        add_node(skeleton, DG_ROLE_WEIGHT, graph)->value = value;
        skeleton->made_by[value] = (uint32_t)(skeleton->n_nodes - 1);
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

/* Uses of what no instruction makes; rows are (node, value). */
static enum dg_status read_uses(struct dg_skeleton *skeleton,
                                const struct dg_view_input *in, const char *sql)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, in->store, sql, in->err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        uint32_t node = chosen_node(skeleton, dg_rows_int(&rows, 0));
        uint32_t value = value_row(skeleton, dg_rows_int_or(&rows, 1, 0));

        if (node != DG_NOWHERE && value && skeleton->made_by[value] != DG_NOWHERE &&
            skeleton->made_by[value] >= skeleton->n_rows)
            add_use(skeleton, skeleton->made_by[value], node, value);
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

#define NOT_REWRITTEN                                                                  \
    " AND operand.access <> 'write' AND NOT EXISTS (SELECT 1 FROM edge"                \
    "   WHERE edge.dst = operand.node_id AND edge.value_id = operand.value_id)"

static const char *const use_queries[] = {
    "SELECT operand.node_id, operand.value_id FROM signature CROSS JOIN operand"
    "  ON operand.value_id = signature.value_id"
    " WHERE signature.direction = 'input'" NOT_REWRITTEN,
    "SELECT operand.node_id, operand.value_id FROM value CROSS JOIN operand"
    "  ON operand.value_id = value.id WHERE value.storage < 'n'" NOT_REWRITTEN,
    "SELECT operand.node_id, list.id - list.idx + item.value FROM value AS list"
    " JOIN (SELECT 1 WHERE " DG_SQL_LISTS_ARE_FEW ")"
    " CROSS JOIN operand ON operand.value_id = list.id"
    " CROSS JOIN json_each(iif(json_valid(list.items), list.items, '[]')) AS item"
    " WHERE list.kind IN ('tensor_list', 'optional_tensor_list')"
    "   AND item.type = 'integer'",
};

static enum dg_status read_operands(struct dg_skeleton *skeleton,
                                    const struct dg_view_input *in)
{
    enum dg_status status = DG_OK;
    bool instructions = false;

    for (size_t i = 0; i < skeleton->n_graphs; i++)
        instructions |= skeleton->graphs[i].instructions;
    if (!instructions)
        return DG_OK;
    status = read_stored(skeleton, in);
    for (size_t i = 0; !status && i < sizeof(use_queries) / sizeof(*use_queries); i++)
        status = read_uses(skeleton, in, use_queries[i]);
    return status;
}

/* The last instruction that writes to the memory of a value. */
static enum dg_status find_writer(uint32_t *node, const struct dg_skeleton *skeleton,
                                  const struct dg_view_input *in, uint32_t value)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, in->store,
                     "SELECT coalesce((SELECT max(node_id) FROM operand"
                     "   WHERE value_id = ?1 AND access <> 'read'),"
                     "  (SELECT max(node_id) FROM value JOIN value AS place"
                     "    ON place.graph_id = value.graph_id"
                     "    AND place.mem_id = value.mem_id"
                     "    AND place.mem_offset = value.mem_offset"
                     "   JOIN operand ON operand.value_id = place.id"
                     "    AND access <> 'read' WHERE value.id = ?1))",
                     in->err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, value);
    if (dg_rows_next(&rows))
        *node = chosen_node(skeleton, dg_rows_int_or(&rows, 0, 0));
    return dg_rows_close(&rows, DG_OK, in->err);
}

static enum dg_status add_output(struct dg_skeleton *skeleton,
                                 const struct dg_view_input *in,
                                 const struct dg_rows *rows, uint32_t graph)
{
    uint32_t value = value_row(skeleton, dg_rows_int_or(rows, 2, 0));
    uint32_t from = value ? skeleton->made_by[value] : DG_NOWHERE;
    enum dg_status status = DG_OK;

    if (value && from == DG_NOWHERE)
        status = find_writer(&from, skeleton, in, value);
    if (status || from == DG_NOWHERE)
        return status;
    add_node(skeleton, DG_ROLE_OUTPUT, graph)->end =
        add_end(skeleton, rows, graph, true);
    add_use(skeleton, from, (uint32_t)(skeleton->n_nodes - 1), value);
    return DG_OK;
}

static enum dg_status read_outputs(struct dg_skeleton *skeleton,
                                   const struct dg_view_input *in)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, in->store,
                     "SELECT " END_COLUMNS
                     " FROM signature AS s LEFT JOIN value ON value.id = s.value_id"
                     " WHERE s.direction = 'output' ORDER BY s.graph_id, s.pos",
                     in->err);

    if (status)
        return status;
    while (!status && dg_rows_next(&rows)) {
        uint32_t graph = chosen_graph(skeleton, dg_rows_int(&rows, 0));

        if (graph != DG_NOWHERE && !skeleton->graphs[graph].lowered)
            status = add_output(skeleton, in, &rows, graph);
    }
    return dg_rows_close(&rows, status, in->err);
}

/* The node "output" gives way to the outputs of the signature. */
static void drop_output_nodes(struct dg_skeleton *skeleton)
{
    for (size_t i = 0; i < skeleton->n_rows; i++) {
        struct dg_skeleton_node *node = &skeleton->nodes[i];

        if (node->role == DG_ROLE_OUTPUT && skeleton->graphs[node->graph].n_outputs)
            node->role = DG_ROLE_NONE;
    }
}

enum dg_status dg_skeleton_read_ends(struct dg_skeleton *skeleton,
                                     const struct dg_view_input *in)
{
    enum dg_status status = read_inputs(skeleton, in);

    if (!status)
        status = read_operands(skeleton, in);
    if (!status)
        status = read_outputs(skeleton, in);
    if (!status)
        drop_output_nodes(skeleton);
    return status;
}
