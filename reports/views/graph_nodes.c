/* Nodes of a store as boxes, each in the frame of its graph or module. */
#include "base/ops.h"
#include "base/quantity.h"
#include "reports/views/graph_load.h"
#include "reports/views/node_rows.h"

enum { MOST_PARTS = 12 }; /* of a module's name: frames lie no deeper */

/* Child frame of `parent` for a module or a package of modules; made when it is new. */
static size_t module_part(struct dg_box_loading *loading, size_t parent,
                          struct dg_text fqn)
{
    struct dg_picture *picture = loading->picture;
    struct dg_text key = dg_format(&picture->memory, "%zu %.*s", parent, (int)fqn.size,
                                   fqn.data ? fqn.data : "");
    size_t number = dg_text_set_add(&loading->modules, key);
    struct dg_text name = {key.data + (key.size - fqn.size), fqn.size};

    if (number == loading->n_module_frames) {
        size_t frame = dg_picture_add_frame(picture, DG_FRAME_MODULE, parent, name);

        *DG_APPEND(loading->module_frames, loading->n_module_frames) = frame;
    }
    return loading->module_frames[number];
}

/* "layers.0.attn" lies in the frames "layers", "layers.0" and "layers.0.attn". */
size_t dg_boxes_module_frame(struct dg_box_loading *loading, size_t frame,
                             struct dg_text fqn)
{
    size_t n_parts = 1;

    for (size_t i = 1; i < fqn.size && n_parts < MOST_PARTS; i++)
        if (fqn.data[i] == '.') {
            frame = module_part(loading, frame, (struct dg_text){fqn.data, i});
            n_parts++;
        }
    return fqn.size ? module_part(loading, frame, fqn) : frame;
}

/* Columns of the query below. */
enum { ITEM = DG_N_NODE_COLUMNS, FQN, FLAGS };

struct last { /* node: mostly the next one is of the same module */
    uint32_t graph, module;
    size_t frame;
};

static size_t find_frame(struct dg_box_loading *loading, struct last *last,
                         uint32_t node, struct dg_text fqn)
{
    uint32_t graph = loading->skeleton.nodes[node].graph;
    uint32_t module = dg_skeleton_row(&loading->skeleton, node)->module;

    if (last->frame == SIZE_MAX || last->graph != graph || last->module != module)
        *last = (struct last){
            graph, module,
            dg_boxes_module_frame(loading, loading->picture->graphs[graph].frame, fqn)};
    return last->frame;
}

static void fold_box(struct dg_box_loading *loading, struct dg_box *box,
                     const struct dg_skeleton_node *node, const struct dg_rows *rows)
{
    if (node->role == DG_ROLE_ITEM)
        box->fold = DG_FOLD_ITEM;
    else if (dg_text_is(dg_rows_slice(rows, DG_NODE_KIND), "get_attr"))
        box->fold = DG_FOLD_GRAPH;
    else if (node->role == DG_ROLE_WEIGHT) {
        struct dg_text target = loading->skeleton.ends[node->end].target;

        box->fold = DG_FOLD_CONSTANT;
        box->target = target.data ? target : box->target;
    }
}

static void add_node(struct dg_box_loading *loading, const struct dg_rows *rows,
                     struct last *last)
{
    struct dg_picture *picture = loading->picture;
    uint32_t row = (uint32_t)dg_rows_int(rows, DG_NODE_ID);
    const struct dg_skeleton_node *node = &loading->skeleton.nodes[row - 1];
    struct dg_picture_graph *graph = &picture->graphs[node->graph];
    size_t frame = find_frame(loading, last, row - 1, dg_rows_slice(rows, FQN));
    struct dg_box *box = dg_node_box(picture, rows);

    loading->box_of[row - 1] = picture->n_boxes - 1;
    if (!graph->n_boxes++)
        graph->first_box = picture->n_boxes - 1;
    box->graph = node->graph;
    box->frame = frame;
    fold_box(loading, box, node, rows);
    box->item = dg_rows_int_or(rows, ITEM, DG_NONE);
    box->view = dg_rows_int_or(rows, FLAGS, 0) & (DG_OP_VIEW | DG_OP_VIEW_COPY);
    if (box->kind == DG_BOX_DELEGATE && !dg_rows_null(rows, DG_NODE_BLOB_BYTES))
        dg_box_say(
            picture, box, "blob %s",
            dg_size_text(&picture->memory, dg_rows_int(rows, DG_NODE_BLOB_BYTES)).data);
}

/* What is left between delegates is of modules that the delegates tore apart: frames
 * would tie it together again. */
static void unframe_delegated(struct dg_picture *picture)
{
    for (size_t i = 0; i < picture->n_graphs; i++) {
        const struct dg_picture_graph *graph = &picture->graphs[i];
        size_t end = graph->first_box + graph->n_boxes;
        bool delegated = false;

        for (size_t k = graph->first_box; k < end; k++)
            delegated |= picture->boxes[k].kind == DG_BOX_DELEGATE;
        for (size_t k = graph->first_box; delegated && k < end; k++)
            picture->boxes[k].frame = graph->frame;
    }
}

enum dg_status dg_boxes_load_nodes(struct dg_box_loading *loading)
{
    const struct dg_skeleton *skeleton = &loading->skeleton;
    struct last last = {.frame = SIZE_MAX};
    struct dg_rows rows;

    dg_view_open(&rows, loading->in,
                 DG_NODE_COLUMNS
                 "  iif(op.name = '_operator.getitem' AND json_valid(node.args),"
                 "      json_extract(node.args, '$[1].int'), NULL), module.fqn, "
                 "op.flags" DG_NODE_TABLES " WHERE" DG_VIEW_CHOSEN
                 " ORDER BY node.graph_id, node.id");
    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, DG_NODE_ID);

        if (row > 0 && (uint64_t)row <= skeleton->n_rows &&
            skeleton->nodes[row - 1].graph != DG_NOWHERE)
            add_node(loading, &rows, &last);
    }
    if (!loading->in->options->module)
        unframe_delegated(loading->picture);
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}
