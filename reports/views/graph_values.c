/* What edges do not show: which inputs are weights; of a .pte inputs, outputs,
 * constants and jumps. */
#include "reports/views/graph_load.h"

#include <stdlib.h>

#include "store/lists.h"

static uint64_t first_order(const struct dg_picture *picture,
                            const struct dg_picture_graph *graph)
{
    return graph->n_boxes ? picture->boxes[graph->first_box].order / DG_ORDER * DG_ORDER
                          : (uint64_t)picture->n_nodes * DG_ORDER;
}

static uint64_t last_order(const struct dg_picture *picture,
                           const struct dg_picture_graph *graph)
{
    return first_order(picture, graph) +
           (graph->n_boxes ? graph->n_boxes - 1 : 0) * DG_ORDER + DG_ORDER_OUTPUT;
}

/* The graph of a row, looked for from `graph` on: rows come in the order of graphs. */
static size_t step_graph(const struct dg_picture *picture, size_t graph, int64_t row)
{
    while (graph < picture->n_graphs && picture->graphs[graph].row < row)
        graph++;
    return graph;
}

static struct dg_box *add_end(struct dg_picture *picture, size_t graph,
                              enum dg_box_kind kind, int64_t pos)
{
    struct dg_box *box = dg_picture_add_box(picture, kind);
    bool input = kind == DG_BOX_INPUT;

    box->graph = graph;
    box->frame = picture->graphs[graph].frame;
    box->index = DG_NONE;
    box->order = input ? first_order(picture, &picture->graphs[graph])
                       : last_order(picture, &picture->graphs[graph]);
    box->title =
        dg_format(&picture->memory, "%s %d", input ? "input" : "output", (int)pos);
    box->name = box->title;
    return box;
}

static void mark_input(struct dg_box_loading *loading, const struct dg_rows *rows,
                       size_t graph)
{
    struct dg_picture *picture = loading->picture;
    int64_t value = dg_rows_int_or(rows, 4, 0);
    size_t at = dg_boxes_find(loading->box_of_value, loading->n_values, value);
    struct dg_text spec = dg_rows_slice(rows, 2);

    if (dg_text_is(dg_rows_slice(rows, 7), "pte")) {
        struct dg_box *box =
            add_end(picture, graph, DG_BOX_INPUT, dg_rows_int(rows, 1));

        box->value = dg_view_type(&picture->memory, rows, 5);
        if (value > 0 && value <= loading->n_values)
            loading->box_of_value[value] = picture->n_boxes - 1;
    } else if (at != SIZE_MAX && spec.size && !dg_text_is(spec, "user_input")) {
        struct dg_box *box = &picture->boxes[at];

        box->fold = DG_FOLD_CONSTANT;
        if (!dg_rows_null(rows, 3))
            box->target = dg_rows_keep(&picture->memory, rows, 3);
    }
}

static enum dg_status load_inputs(struct dg_box_loading *loading)
{
    size_t graph = 0;
    struct dg_rows rows;
    enum dg_status status =
        dg_view_open(&rows, loading->in,
                     "SELECT graph.id, signature.pos, signature.spec, signature.target,"
                     "  signature.value_id," DG_VIEW_TYPE ", method.ir"
                     " FROM signature JOIN graph ON graph.id = signature.graph_id"
                     " JOIN method ON method.id = graph.method_id"
                     " LEFT JOIN value ON value.id = signature.value_id"
                     " WHERE signature.direction = 'input' AND" DG_VIEW_CHOSEN
                     " ORDER BY graph.id, signature.pos");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        graph = step_graph(loading->picture, graph, dg_rows_int(&rows, 0));
        if (graph < loading->picture->n_graphs)
            mark_input(loading, &rows, graph);
    }
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}

static struct dg_text value_name(struct dg_picture *picture, const struct dg_rows *rows,
                                 const char *what)
{
    if (!dg_rows_null(rows, 5))
        return dg_rows_keep(&picture->memory, rows, 5);
    return dg_format(&picture->memory, "%s %d", what, (int)dg_rows_int(rows, 2));
}

static void add_use(struct dg_picture *picture, struct dg_box *box, struct dg_text name,
                    struct dg_text value)
{
    dg_box_add_line(
        picture, box,
        dg_format(&picture->memory, "%s %s", name.data, value.data ? value.data : ""));
}

static void read_operand(struct dg_box_loading *loading, const struct dg_rows *rows,
                         size_t to)
{
    struct dg_picture *picture = loading->picture;
    struct dg_text storage = dg_rows_slice(rows, 6);
    struct dg_text value = dg_view_type(&picture->memory, rows, 3);
    size_t from = dg_boxes_find(loading->box_of_value, loading->n_values,
                                dg_rows_int_or(rows, 7, 0));

    if (dg_text_is(storage, "constant"))
        add_use(picture, &picture->boxes[to], value_name(picture, rows, "constant"),
                value);
    else if (from != SIZE_MAX && picture->boxes[from].kind == DG_BOX_INPUT)
        dg_picture_add_link(picture, from, to)->value = value;
    else if (dg_text_is(storage, "mutable"))
        add_use(picture, &picture->boxes[to], value_name(picture, rows, "state"),
                value);
}

static void write_operand(struct dg_box_loading *loading, const struct dg_rows *rows,
                          size_t to)
{
    struct dg_picture *picture = loading->picture;
    struct dg_text value = dg_view_type(&picture->memory, rows, 3);

    if (!picture->boxes[to].value.data && value.data)
        dg_box_add_line(picture, &picture->boxes[to],
                        dg_format(&picture->memory, "\xe2\x86\x92 %s", value.data));
}

static enum dg_status load_operands(struct dg_box_loading *loading)
{
    struct dg_rows rows;
    enum dg_status status = dg_view_open(
        &rows, loading->in,
        "SELECT operand.node_id, max(operand.access), value.idx," DG_VIEW_TYPE
        ", value.name, value.storage, value.id,"
        "  EXISTS (SELECT 1 FROM edge WHERE edge.dst = operand.node_id"
        "    AND edge.value_id = value.id)"
        " FROM operand JOIN node ON node.id = operand.node_id"
        " JOIN graph ON graph.id = node.graph_id"
        " JOIN method ON method.id = graph.method_id"
        " JOIN value AS given ON given.id = operand.value_id"
        " CROSS JOIN json_each(iif(given.kind IN ('tensor_list',"
        "   'optional_tensor_list'), iif(" DG_SQL_LISTS_ARE_FEW
        ", given.items, '[]'), '[' || given.idx || ']')) AS item"
        " CROSS JOIN value ON value.id = given.id - given.idx + item.value"
        "   AND value.graph_id = given.graph_id"
        " WHERE value.kind = 'tensor' AND" DG_VIEW_CHOSEN
        " GROUP BY operand.node_id, value.id ORDER BY operand.node_id, operand.pos");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        size_t to = dg_boxes_find(loading->box_of_node, loading->n_nodes,
                                  dg_rows_int(&rows, 0));

        if (to != SIZE_MAX && dg_text_is(dg_rows_slice(&rows, 1), "write"))
            write_operand(loading, &rows, to);
        else if (to != SIZE_MAX && !dg_rows_int(&rows, 8))
            read_operand(loading, &rows, to);
    }
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}

struct output { /* of a .pte, being put together from rows that name a writer each */
    size_t graph;
    int64_t pos;
    size_t box, first_link;
};

static void begin_output(struct dg_box_loading *loading, const struct dg_rows *rows,
                         struct output *output)
{
    struct dg_picture *picture = loading->picture;
    struct dg_box *box =
        add_end(picture, output->graph, DG_BOX_OUTPUT, dg_rows_int(rows, 1));
    size_t from = dg_boxes_find(loading->box_of_value, loading->n_values,
                                dg_rows_int_or(rows, 2, 0));

    output->pos = dg_rows_int(rows, 1);
    output->box = picture->n_boxes - 1;
    box->value = dg_view_type(&picture->memory, rows, 3);
    if (!dg_rows_null(rows, 7))
        box->value = dg_rows_keep(&picture->memory, rows, 7);
    output->first_link = picture->n_links;
    if (from != SIZE_MAX && picture->boxes[from].kind == DG_BOX_INPUT)
        dg_picture_add_link(picture, from, output->box)->value = box->value;
}

/* Moves in branches write an output side by side; any other write replaces it. */
static void add_writer(struct dg_box_loading *loading, const struct dg_rows *rows,
                       const struct output *output)
{
    struct dg_picture *picture = loading->picture;
    size_t from = dg_boxes_find(loading->box_of_node, loading->n_nodes,
                                dg_rows_int_or(rows, 5, 0));

    if (from == SIZE_MAX)
        return;
    if (!dg_text_is(dg_rows_slice(rows, 6), "move_call"))
        picture->n_links = output->first_link;
    dg_picture_add_link(picture, from, output->box)->value =
        picture->boxes[output->box].value;
}

static enum dg_status load_outputs(struct dg_box_loading *loading)
{
    struct output output = {.pos = DG_NONE};
    size_t graph = 0;
    struct dg_rows rows;
    enum dg_status status = dg_view_open(
        &rows, loading->in,
        "SELECT graph.id, s.pos, s.value_id," DG_VIEW_TYPE ", node.id,"
        "  node.kind, value.scalar"
        " FROM signature AS s JOIN graph ON graph.id = s.graph_id"
        " JOIN method ON method.id = graph.method_id"
        " LEFT JOIN value ON value.id = s.value_id"
        " LEFT JOIN value AS place ON place.graph_id = value.graph_id"
        "   AND (place.id = value.id OR (place.mem_id = value.mem_id"
        "        AND place.mem_offset = value.mem_offset))"
        " LEFT JOIN operand ON operand.value_id = place.id"
        "   AND operand.access <> 'read'"
        " LEFT JOIN node ON node.id = operand.node_id"
        " WHERE s.direction = 'output' AND method.ir = 'pte' AND" DG_VIEW_CHOSEN
        " ORDER BY graph.id, s.pos, node.idx");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        graph = step_graph(loading->picture, graph, dg_rows_int(&rows, 0));
        if (graph == loading->picture->n_graphs)
            break;
        if (graph != output.graph || output.pos != dg_rows_int(&rows, 1)) {
            output.graph = graph;
            begin_output(loading, &rows, &output);
        }
        add_writer(loading, &rows, &output);
    }
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}

enum dg_status dg_boxes_load_values(struct dg_box_loading *loading)
{
    enum dg_status status = load_inputs(loading);

    if (!status)
        status = load_operands(loading);
    if (!status)
        status = load_outputs(loading);
    return status ? status : dg_boxes_load_flow(loading);
}
