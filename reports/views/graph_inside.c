/* What delegates compute, as frames beside their calls. */
#include "reports/views/graph_load.h"

#include <stdlib.h>
#include <string.h>

/* Delegate graphs of the methods that were asked for, or the one that was. */
#define CHOSEN                                                                         \
    " (?1 IS NULL OR method.name = ?1) AND (?3 = 0 OR method.artifact_id = ?3)"        \
    " AND (?2 IS NULL OR ?2 = '' OR g.path = ?2)"
#define GRAPHS " delegate_graph AS g JOIN method ON method.id = g.method_id"

struct opening {
    struct dg_box_loading *loading;
    int64_t graph;  /* row */
    size_t number;  /* in the picture */
    size_t *boxes;  /* by row of delegate_node, or SIZE_MAX */
    size_t *inputs; /* by row of delegate_value: the box of an operand of the call */
    int64_t n_nodes, n_values;
};

static struct dg_box *add_box(struct opening *opening, enum dg_box_kind kind)
{
    struct dg_picture *picture = opening->loading->picture;
    struct dg_picture_graph *graph = &picture->graphs[opening->number];
    struct dg_box *box = dg_picture_add_box(picture, kind);

    box->graph = opening->number;
    box->frame = graph->frame;
    picture->n_nodes += kind == DG_BOX_CALL;
    box->order = (uint64_t)picture->n_nodes * DG_ORDER + DG_ORDER_OUTPUT;
    if (!graph->n_boxes++)
        graph->first_box = picture->n_boxes - 1;
    return box;
}

static void begin_graph(struct opening *opening, const struct dg_rows *row)
{
    struct dg_picture *picture = opening->loading->picture;
    struct dg_text path = dg_rows_keep(&picture->memory, row, 1);
    size_t frame = dg_picture_add_frame(
        picture, DG_FRAME_LOWERED, 0,
        dg_format(&picture->memory, "%s: %s", path.data, dg_rows_text(row, 2)));

    opening->graph = dg_rows_int(row, 0);
    opening->number = picture->n_graphs;
    *DG_APPEND(picture->graphs, picture->n_graphs) =
        (struct dg_picture_graph){0, path, frame, 0, 0};
}

/* What a node is called among all: "delegate_0/Conv2d_3". */
static struct dg_text full_name(const struct opening *opening, const char *name)
{
    struct dg_picture *picture = opening->loading->picture;

    return dg_format(&picture->memory, "%s/%s",
                     picture->graphs[opening->number].path.data, name);
}

static void say_range(struct dg_picture *picture, struct dg_box *box,
                      const struct dg_rows *row)
{
    const char *least = dg_rows_text(row, 4), *most = dg_rows_text(row, 5);

    if (least && strcmp(least, "-Inf") != 0)
        dg_box_say(picture, box, "at least %s", least);
    if (most && strcmp(most, "Inf") != 0)
        dg_box_say(picture, box, "at most %s", most);
}

#define TYPE                                                                           \
    " coalesce(iif(v.quantization IS NULL, v.dtype, v.datatype) || v.shape, '')"

static enum dg_status add_nodes(struct opening *opening)
{
    struct dg_picture *picture = opening->loading->picture;
    struct dg_rows rows =
        dg_rows_of(opening->loading->in->store,
                   "SELECT n.id, n.name, n.op," TYPE ", output_min, output_max"
                   " FROM delegate_node AS n LEFT JOIN delegate_value AS v ON v.id ="
                   "  (SELECT value_id FROM delegate_operand WHERE node_id = n.id"
                   "    AND access = 'write' ORDER BY pos LIMIT 1)"
                   " WHERE n.graph_id = ?1 ORDER BY n.id",
                   opening->graph, opening->loading->in->err);

    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, 0);
        struct dg_box *box = add_box(opening, DG_BOX_CALL);

        if (row > 0 && row <= opening->n_nodes)
            opening->boxes[row] = picture->n_boxes - 1;
        box->name = full_name(opening, dg_rows_text(&rows, 1));
        box->title = dg_rows_keep(&picture->memory, &rows, 2);
        box->value = dg_rows_keep(&picture->memory, &rows, 3);
        say_range(picture, box, &rows);
    }
    return dg_rows_close(&rows, DG_OK, opening->loading->in->err);
}

/* Operands of the call that the graph reads and writes. */
static enum dg_status add_operands(struct opening *opening)
{
    struct dg_picture *picture = opening->loading->picture;
    struct dg_rows rows =
        dg_rows_of(opening->loading->in->store,
                   "SELECT v.id, external_id, v.flags & 1, v.node_id," TYPE
                   " FROM delegate_value AS v WHERE graph_id = ?1 AND v.flags & 3"
                   " ORDER BY external_id, v.id",
                   opening->graph, opening->loading->in->err);

    while (dg_rows_next(&rows)) {
        bool input = dg_rows_int(&rows, 2) != 0;
        int64_t row = dg_rows_int(&rows, 0), node = dg_rows_int(&rows, 3);
        struct dg_box *box = add_box(opening, input ? DG_BOX_INPUT : DG_BOX_OUTPUT);
        size_t at = picture->n_boxes - 1;

        box->title = box->name = dg_format(&picture->memory, "operand %lld",
                                           (long long)dg_rows_int(&rows, 1));
        box->value = dg_rows_keep(&picture->memory, &rows, 4);
        if (input && row > 0 && row <= opening->n_values)
            opening->inputs[row] = at;
        else if (!input && node > 0 && node <= opening->n_nodes &&
                 opening->boxes[node] != SIZE_MAX)
            dg_picture_add_link(picture, opening->boxes[node], at)->value = box->value;
    }
    return dg_rows_close(&rows, DG_OK, opening->loading->in->err);
}

/* Links from what makes an operand, and a line where that is a constant. */
static enum dg_status link_operands(struct opening *opening)
{
    struct dg_picture *picture = opening->loading->picture;
    struct dg_rows rows = dg_rows_of(
        opening->loading->in->store,
        "SELECT n.id, coalesce(o.name, ''), v.id, v.node_id, v.constant_idx IS NOT "
        "NULL," TYPE
        " FROM delegate_node AS n JOIN delegate_operand AS o ON o.node_id = n.id"
        " JOIN delegate_value AS v ON v.id = o.value_id"
        " WHERE n.graph_id = ?1 AND o.access = 'read' ORDER BY n.id, o.pos",
        opening->graph, opening->loading->in->err);

    while (dg_rows_next(&rows)) {
        int64_t node = dg_rows_int(&rows, 0), value = dg_rows_int(&rows, 2);
        int64_t maker = dg_rows_int(&rows, 3);
        size_t to =
            node > 0 && node <= opening->n_nodes ? opening->boxes[node] : SIZE_MAX;
        size_t from = maker > 0 && maker <= opening->n_nodes    ? opening->boxes[maker]
                      : value > 0 && value <= opening->n_values ? opening->inputs[value]
                                                                : SIZE_MAX;

        if (to == SIZE_MAX)
            continue;
        if (from != SIZE_MAX)
            dg_picture_add_link(picture, from, to)->value =
                dg_rows_keep(&picture->memory, &rows, 5);
        else if (dg_rows_int(&rows, 4))
            dg_box_say(picture, &picture->boxes[to], "%s %s", dg_rows_text(&rows, 1),
                       dg_rows_text(&rows, 5));
    }
    return dg_rows_close(&rows, DG_OK, opening->loading->in->err);
}

/* Each call of a delegate that has the graph leads to its frame. */
static enum dg_status link_calls(struct opening *opening)
{
    struct dg_picture *picture = opening->loading->picture;
    struct dg_rows rows = dg_rows_of(
        opening->loading->in->store,
        "SELECT node.id FROM delegate JOIN node ON delegate_id = delegate.id"
        " WHERE inside_id = ?1 AND node.kind = 'delegate_call' ORDER BY node.id",
        opening->graph, opening->loading->in->err);

    while (dg_rows_next(&rows)) {
        size_t call = dg_boxes_find(opening->loading, dg_rows_int(&rows, 0));
        struct dg_link *link;

        if (call == SIZE_MAX)
            continue;
        link =
            dg_picture_add_link(picture, call, picture->graphs[opening->number].frame);
        link->kind = DG_LINK_GRAPH;
    }
    return dg_rows_close(&rows, DG_OK, opening->loading->in->err);
}

static enum dg_status open_one(struct opening *opening, const struct dg_rows *row)
{
    static enum dg_status (*const parts[])(struct opening *) = {
        add_nodes, add_operands, link_operands, link_calls};
    enum dg_status status = DG_OK;

    begin_graph(opening, row);
    for (size_t i = 0; !status && i < sizeof(parts) / sizeof(*parts); i++)
        status = parts[i](opening);
    return status;
}

static size_t *no_boxes(int64_t n)
{
    size_t *boxes = dg_zeroed((size_t)n + 1, sizeof(*boxes));

    for (int64_t i = 0; i <= n; i++)
        boxes[i] = SIZE_MAX;
    return boxes;
}

enum dg_status dg_boxes_open_delegates(struct dg_box_loading *loading)
{
    const struct dg_view_input *in = loading->in;
    struct opening opening = {.loading = loading};
    struct dg_rows rows;
    enum dg_status status = dg_store_int(in->store, "SELECT max(id) FROM delegate_node",
                                         0, &opening.n_nodes, in->err);

    if (!status)
        status = dg_store_int(in->store, "SELECT max(id) FROM delegate_value", 0,
                              &opening.n_values, in->err);
    if (status || !opening.n_nodes)
        return status;
    opening.boxes = no_boxes(opening.n_nodes);
    opening.inputs = no_boxes(opening.n_values);
    dg_view_open(
        &rows, in,
        "SELECT g.id, coalesce(g.path, ''), coalesce((SELECT backend FROM delegate"
        "  WHERE inside_id = g.id LIMIT 1), '') FROM" GRAPHS " WHERE" CHOSEN
        " ORDER BY g.id");
    while (!status && dg_rows_next(&rows))
        status = open_one(&opening, &rows);
    free(opening.boxes);
    free(opening.inputs);
    return dg_rows_close(&rows, status, in->err);
}

/* By its own name, or behind that of a call, as `run` tells of it: "op_3/Conv2d_1". */
#define NAMED_SO                                                                       \
    "SELECT g.path || '/' || n.name FROM" GRAPHS                                       \
    " JOIN delegate_node AS n ON n.graph_id = g.id"                                    \
    " WHERE (?1 = 0 OR method.artifact_id = ?1) AND (n.name = ?2 OR n.name ="          \
    "  substr(?2, instr(?2, '/') + 1) AND EXISTS (SELECT 1 FROM delegate JOIN node"    \
    "   ON delegate_id = delegate.id WHERE inside_id = g.id"                           \
    "    AND node.name = substr(?2, 1, instr(?2, '/') - 1))) LIMIT 2"

static bool has_box(const struct dg_picture *picture, const char *name)
{
    for (size_t i = 0; i < picture->n_boxes; i++) {
        if (dg_text_is(picture->boxes[i].name, name))
            return true;
    }
    return false;
}

enum dg_status dg_boxes_inside_name(const char **name, struct dg_picture *picture,
                                    const struct dg_view_input *in)
{
    struct dg_rows rows;

    if (!*name || has_box(picture, *name))
        return DG_OK;
    rows = dg_rows_of(in->store, NAMED_SO, in->options->artifact, in->err);
    dg_rows_bind_text(&rows, 2, dg_text(*name));
    if (dg_rows_next(&rows)) {
        const char *found = dg_rows_keep(&picture->memory, &rows, 0).data;

        if (!dg_rows_next(&rows))
            *name = found;
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

enum dg_status dg_boxes_is_inside(bool *inside, const struct dg_view_input *in)
{
    struct dg_rows rows;

    *inside = false;
    if (!in->options->graph || !*in->options->graph)
        return DG_OK;
    dg_view_open(&rows, in, "SELECT 1 FROM" GRAPHS " WHERE" CHOSEN);
    *inside = dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, in->err);
}
