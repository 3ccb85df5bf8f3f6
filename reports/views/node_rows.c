/* Boxes of a few nodes, each read by its row. */
#include "reports/views/node_rows.h"

#include "base/quantity.h"
#include "reports/views/read.h"

/* Columns of node_sql. */
enum {
    DELEGATE = DG_N_NODE_COLUMNS,
    PATH,
    GRAPH_KIND,
    TAG,
    TAG_BACKEND,
    METHOD,
    IR,
    MODULE,
};

static const char node_sql[] = DG_NODE_COLUMNS
    " delegate.idx, graph.path, graph.kind, partition.tag, partition.backend,"
    " method.name, method.ir, module.fqn" DG_NODE_TABLES
    " LEFT JOIN partition ON partition.id = (SELECT min(partition_node.partition_id)"
    "   FROM partition_node JOIN partition ON partition.id = partition_id"
    "   WHERE node_id = node.id AND part_run_id = (SELECT max(id) FROM part_run"
    "     WHERE artifact_id = method.artifact_id))"
    " WHERE node.id = ?1";

static const char operands_sql[] =
    "SELECT operand.access, operand.value_idx, value.kind," DG_VIEW_TYPE
    ", value.scalar, value.items"
    " FROM operand LEFT JOIN value ON value.id = operand.value_id"
    " WHERE operand.node_id = ?1 GROUP BY operand.access, operand.value_idx"
    " ORDER BY operand.access = 'write', min(operand.pos)";

static const char inputs_sql[] =
    "SELECT node.name," DG_VIEW_TYPE " FROM edge JOIN node ON node.id = edge.src"
    " LEFT JOIN value ON value.id = edge.value_id WHERE edge.dst = ?1 ORDER BY "
    "edge.pos";

enum dg_status dg_node_rows_begin(struct dg_node_rows *nodes)
{
    struct dg_store *store = nodes->in.store;

    nodes->node = dg_rows_of(store, node_sql, 0, nodes->in.err);
    nodes->operands = dg_rows_of(store, operands_sql, 0, nodes->in.err);
    nodes->inputs = dg_rows_of(store, inputs_sql, 0, nodes->in.err);
    dg_picture_add_frame(nodes->picture, DG_FRAME_ROOT, 0, (struct dg_text){0});
    return dg_store_int(store, "SELECT count(*) FROM method", 0, &nodes->n_methods,
                        nodes->in.err);
}

enum dg_status dg_node_rows_end(struct dg_node_rows *nodes, enum dg_status status)
{
    status = dg_rows_close(&nodes->inputs, status, nodes->in.err);
    status = dg_rows_close(&nodes->operands, status, nodes->in.err);
    return dg_rows_close(&nodes->node, status, nodes->in.err);
}

static size_t find_frame(struct dg_picture *picture, enum dg_frame_kind kind,
                         size_t parent, struct dg_text label)
{
    for (size_t i = 1; i < picture->n_frames; i++)
        if (picture->frames[i].kind == kind && picture->frames[i].parent == parent &&
            dg_text_equal(picture->frames[i].label, label))
            return i;
    return dg_picture_add_frame(picture, kind, parent, label);
}

/* The frames of a method, of a graph that is not its own, and of a partition in it. */
static size_t frame_of(struct dg_node_rows *nodes)
{
    struct dg_picture *picture = nodes->picture;
    const struct dg_rows *rows = &nodes->node;
    struct dg_text path = dg_rows_slice(rows, PATH), tag = dg_rows_slice(rows, TAG);
    struct dg_text backend = dg_rows_keep(&picture->memory, rows, TAG_BACKEND);
    bool lowered = dg_text_is(dg_rows_slice(rows, GRAPH_KIND), "lowered");
    size_t frame = 0;

    if (nodes->n_methods > 1)
        frame = find_frame(
            picture, DG_FRAME_METHOD, frame,
            dg_format(&picture->memory, "method %s", dg_rows_text(rows, METHOD)));
    if (path.size)
        frame = find_frame(picture, lowered ? DG_FRAME_LOWERED : DG_FRAME_GRAPH, frame,
                           dg_format(&picture->memory, "%s: %s", path.data,
                                     dg_rows_text(rows, GRAPH_KIND)));
    if (!tag.data || nodes->in.options->no_plan || nodes->flat)
        return frame;
    frame = find_frame(picture, DG_FRAME_PART, frame,
                       dg_format(&picture->memory, backend.data ? "%s: %s" : "%s",
                                 tag.data, backend.data));
    picture->frames[frame].backend = dg_picture_backend(picture, backend);
    return frame;
}

static void describe_delegate(struct dg_node_rows *nodes, struct dg_box *box)
{
    struct dg_picture *picture = nodes->picture;
    const struct dg_rows *rows = &nodes->node;

    if (box->kind != DG_BOX_DELEGATE || dg_rows_null(rows, DELEGATE))
        return;
    box->delegate = dg_rows_int(rows, DELEGATE);
    if (dg_rows_null(rows, DG_NODE_BLOB_BYTES))
        dg_box_say(picture, box, "delegate %lld", (long long)box->delegate);
    else
        dg_box_say(
            picture, box, "delegate %lld, %s", (long long)box->delegate,
            dg_size_text(&picture->memory, dg_rows_int(rows, DG_NODE_BLOB_BYTES)).data);
}

static enum dg_box_kind box_kind_of(struct dg_text kind, struct dg_text op)
{
    static const struct {
        const char *name;
        enum dg_box_kind kind;
    } kinds[] = {
        {"placeholder", DG_BOX_INPUT},      {"output", DG_BOX_OUTPUT},
        {"delegate_call", DG_BOX_DELEGATE}, {"move_call", DG_BOX_MOVE},
        {"jump_false_call", DG_BOX_JUMP},   {"free_call", DG_BOX_MOVE},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (dg_text_is(kind, kinds[i].name))
            return kinds[i].kind;
    if (dg_text_is(op, "higher_order::executorch_call_delegate"))
        return DG_BOX_DELEGATE;
    return dg_text_begins(op, "higher_order::") ? DG_BOX_BRANCH : DG_BOX_CALL;
}

struct dg_box *dg_node_box(struct dg_picture *picture, const struct dg_rows *rows)
{
    struct dg_arena *memory = &picture->memory;
    struct dg_text op = dg_rows_slice(rows, DG_NODE_OP);
    struct dg_box *box =
        dg_picture_add_box(picture, box_kind_of(dg_rows_slice(rows, DG_NODE_KIND), op));

    box->node = dg_rows_int(rows, DG_NODE_ID);
    box->order = (uint64_t)picture->n_nodes++ * DG_ORDER + DG_ORDER_NODE;
    box->name = dg_rows_keep(memory, rows, DG_NODE_NAME);
    box->title = dg_rows_keep(memory, rows, op.data ? DG_NODE_OP : DG_NODE_KIND);
    box->target = dg_rows_keep(memory, rows, DG_NODE_TARGET);
    box->value = dg_view_type(memory, rows, DG_NODE_DTYPE);
    box->nbytes = dg_rows_int_or(rows, DG_NODE_NBYTES, -1);
    box->index = dg_rows_int(rows, DG_NODE_IDX);
    box->jump = dg_rows_int_or(rows, DG_NODE_JUMP, DG_NONE);
    if (box->kind == DG_BOX_DELEGATE)
        box->backend = dg_rows_keep(memory, rows, DG_NODE_BACKEND);
    return box;
}

static struct dg_box *make_box(struct dg_node_rows *nodes)
{
    struct dg_picture *picture = nodes->picture;
    const struct dg_rows *rows = &nodes->node;
    size_t frame = frame_of(nodes);
    struct dg_box *box = dg_node_box(picture, rows);

    box->frame = frame;
    box->part = picture->frames[frame].kind == DG_FRAME_PART ? frame : 0;
    describe_delegate(nodes, box);
    if (nodes->flat && !nodes->in.options->no_plan && !dg_rows_null(rows, TAG))
        dg_box_say(picture, box, "in %s", dg_rows_text(rows, TAG));
    return box;
}

/* "3 f32[1,16]" of a tensor, else its kind and what it is. */
static struct dg_text describe_operand(struct dg_picture *picture,
                                       const struct dg_rows *rows)
{
    struct dg_text type = dg_view_type(&picture->memory, rows, 3);
    const char *kind = dg_rows_text(rows, 2);
    const char *scalar = dg_rows_text(rows, 5), *items = dg_rows_text(rows, 6);
    long long index = (long long)dg_rows_int(rows, 1);

    if (!kind)
        return dg_format(&picture->memory, "%lld: no such value", index);
    if (type.data)
        return dg_format(&picture->memory, "%lld %s", index, type.data);
    return dg_format(&picture->memory, "%lld %s %s", index, kind,
                     scalar  ? scalar
                     : items ? items
                             : "");
}

/* What arrows cannot show: of an instruction the tensors that it reads and writes, and
 * lists of them. */
static bool worth_a_line(const struct dg_rows *rows)
{
    struct dg_text kind = dg_rows_slice(rows, 2);

    return !kind.data || dg_text_is(kind, "tensor") || dg_text_is(kind, "tensor_list");
}

static enum dg_status list_operands(struct dg_node_rows *nodes, int64_t node,
                                    size_t box)
{
    struct dg_picture *picture = nodes->picture;
    struct dg_rows *rows = &nodes->operands;
    bool jump = picture->boxes[box].kind == DG_BOX_JUMP;

    dg_rows_bind_int(rows, 1, node);
    while (dg_rows_next(rows)) {
        struct dg_text access = dg_rows_slice(rows, 0);

        if (!jump && picture->boxes[box].kind != DG_BOX_MOVE && !worth_a_line(rows))
            continue;
        dg_box_say(picture, &picture->boxes[box], "%s %s",
                   dg_text_is(access, "write")  ? "\xe2\x86\x92"
                   : dg_text_is(access, "both") ? "\xe2\x86\x94"
                                                : "\xe2\x86\x90",
                   describe_operand(picture, rows).data);
    }
    return dg_rows_again(rows, nodes->in.err);
}

size_t dg_node_rows_find(const struct dg_node_rows *nodes, int64_t node)
{
    const struct dg_picture *picture = nodes->picture;

    for (size_t i = 0; i < picture->n_boxes; i++)
        if (node && picture->boxes[i].node == node)
            return i;
    return SIZE_MAX;
}

static enum dg_status list_inputs(struct dg_node_rows *nodes, int64_t node, size_t box)
{
    struct dg_picture *picture = nodes->picture;
    struct dg_rows *rows = &nodes->inputs;

    dg_rows_bind_int(rows, 1, node);
    while (dg_rows_next(rows)) {
        struct dg_text type = dg_view_type(&picture->memory, rows, 1);

        dg_box_say(picture, &picture->boxes[box], "\xe2\x86\x90 %s %s",
                   dg_rows_text(rows, 0), type.data ? type.data : "");
    }
    return dg_rows_again(rows, nodes->in.err);
}

enum dg_status dg_node_rows_locate(struct dg_node_rows *nodes, int64_t node,
                                   struct dg_node_place *place)
{
    *place = (struct dg_node_place){0};
    dg_rows_bind_int(&nodes->node, 1, node);
    if (dg_rows_next(&nodes->node)) {
        place->frame = frame_of(nodes);
        place->name = dg_rows_keep(&nodes->picture->memory, &nodes->node, DG_NODE_NAME);
        place->module = dg_rows_keep(&nodes->picture->memory, &nodes->node, MODULE);
    }
    return dg_rows_again(&nodes->node, nodes->in.err);
}

enum dg_status dg_node_rows_add(struct dg_node_rows *nodes, int64_t node, size_t *box)
{
    enum dg_status status;
    bool instruction = false;

    *box = dg_node_rows_find(nodes, node);
    if (*box != SIZE_MAX)
        return DG_OK;
    dg_rows_bind_int(&nodes->node, 1, node);
    if (dg_rows_next(&nodes->node)) {
        instruction = dg_text_is(dg_rows_slice(&nodes->node, IR), "pte");
        *box = (size_t)(make_box(nodes) - nodes->picture->boxes);
    }
    status = dg_rows_again(&nodes->node, nodes->in.err);
    if (status || *box == SIZE_MAX)
        return status;
    if (instruction)
        return list_operands(nodes, node, *box);
    return nodes->flat ? list_inputs(nodes, node, *box) : DG_OK;
}
