/* Nodes of a store as boxes, each in the frame of its graph or module. */
#include "reports/views/graph_load.h"

#include <stdlib.h>

#include "base/ops.h"
#include "base/quantity.h"
#include "reports/views/node_rows.h"

enum { MOST_PARTS = 12 }; /* of a module's name: frames lie no deeper */

static enum dg_box_fold fold_of(struct dg_text kind, struct dg_text op)
{
    if (dg_text_is(kind, "get_attr"))
        return DG_FOLD_GRAPH;
    return dg_text_is(op, "_operator.getitem") ? DG_FOLD_ITEM : DG_FOLD_NOT;
}

/* Child frame of `parent` for a module or a package of modules; made when it is new. */
static size_t module_part(struct dg_picture *picture, size_t parent, struct dg_text fqn)
{
    struct dg_text key = dg_format(&picture->memory, "%zu %.*s", parent, (int)fqn.size,
                                   fqn.data ? fqn.data : "");
    size_t number = dg_text_set_add(&picture->modules, key);
    struct dg_text name = {key.data + (key.size - fqn.size), fqn.size};

    if (number == picture->n_module_frames) {
        size_t frame = dg_picture_add_frame(picture, DG_FRAME_MODULE, parent, name);

        *DG_APPEND(picture->module_frames, picture->n_module_frames) = frame;
    }
    return picture->module_frames[number];
}

/* "layers.0.attn" lies in the frames "layers", "layers.0" and "layers.0.attn". */
size_t dg_boxes_module_frame(struct dg_picture *picture, size_t frame,
                             struct dg_text fqn)
{
    size_t clusters = 1;

    for (size_t i = 1; i < fqn.size && clusters < MOST_PARTS; i++)
        if (fqn.data[i] == '.') {
            frame = module_part(picture, frame, (struct dg_text){fqn.data, i});
            clusters++;
        }
    return fqn.size ? module_part(picture, frame, fqn) : frame;
}

/* Frames of the modules of one graph, found before. */
struct module_cache {
    int64_t graph, n_modules;
    size_t *frames; /* by row; 0: not yet */
};

static size_t find_frame(struct dg_picture *picture, struct module_cache *cache,
                         size_t graph, int64_t module, struct dg_text fqn)
{
    size_t outer = picture->graphs[graph].frame;

    if (module <= 0 || module > cache->n_modules)
        return outer;
    if (cache->graph != (int64_t)graph) {
        memset(cache->frames, 0,
               ((size_t)cache->n_modules + 1) * sizeof(*cache->frames));
        cache->graph = (int64_t)graph;
    }
    if (!cache->frames[module]) {
        struct dg_text kept = {dg_copy(&picture->memory, fqn), fqn.size};

        cache->frames[module] = dg_boxes_module_frame(picture, outer, kept);
    }
    return cache->frames[module];
}

static void note_blob(struct dg_picture *picture, struct dg_box *box, int64_t nbytes)
{
    const char *size = dg_size_text(&picture->memory, nbytes).data;

    dg_box_add_line(picture, box, dg_format(&picture->memory, "blob %s", size));
}

static size_t find_graph(const struct dg_picture *picture, size_t graph, int64_t row)
{
    while (graph < picture->n_graphs && picture->graphs[graph].row != row)
        graph++;
    return graph;
}

/* Columns of the query below. */
enum { GRAPH = DG_N_NODE_COLUMNS, MODULE, VALUE, ITEM, FQN, FLAGS };

static void fill_box(struct dg_picture *picture, struct dg_box *box,
                     const struct dg_rows *rows)
{
    box->fold =
        fold_of(dg_rows_slice(rows, DG_NODE_KIND), dg_rows_slice(rows, DG_NODE_OP));
    box->item = dg_rows_int_or(rows, ITEM, DG_NONE);
    box->view = dg_rows_int_or(rows, FLAGS, 0) & (DG_OP_VIEW | DG_OP_VIEW_COPY);
    if (box->kind == DG_BOX_DELEGATE && !dg_rows_null(rows, DG_NODE_BLOB_BYTES))
        note_blob(picture, box, dg_rows_int(rows, DG_NODE_BLOB_BYTES));
}

static void add_node(struct dg_box_loading *loading, const struct dg_rows *rows,
                     size_t graph, struct module_cache *modules)
{
    struct dg_picture *picture = loading->picture;
    int64_t row = dg_rows_int(rows, DG_NODE_ID), value = dg_rows_int_or(rows, VALUE, 0);
    size_t frame = find_frame(picture, modules, graph, dg_rows_int_or(rows, MODULE, 0),
                              dg_rows_slice(rows, FQN));
    struct dg_box *box = dg_node_box(picture, rows);
    size_t index = picture->n_boxes - 1;

    box->graph = graph;
    box->frame = frame;
    fill_box(picture, box, rows);
    if (!picture->graphs[graph].n_boxes++)
        picture->graphs[graph].first_box = index;
    if (row > 0 && row <= loading->n_nodes)
        loading->box_of_node[row] = index;
    if (value > 0 && value <= loading->n_values)
        loading->box_of_value[value] = index;
}

static enum dg_status visit_nodes(struct dg_box_loading *loading,
                                  struct module_cache *modules)
{
    size_t graph = 0;
    struct dg_rows rows;
    enum dg_status status = dg_view_open(
        &rows, loading->in,
        DG_NODE_COLUMNS " node.graph_id, node.module_id, node.value_id,"
                        "  iif(op.name = '_operator.getitem' AND json_valid(node.args),"
                        "      json_extract(node.args, '$[1].int'), NULL), module.fqn, "
                        "op.flags" DG_NODE_TABLES " WHERE" DG_VIEW_CHOSEN
                        " ORDER BY node.graph_id, node.idx, node.id");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        graph = find_graph(loading->picture, graph, dg_rows_int(&rows, GRAPH));
        if (graph < loading->picture->n_graphs)
            add_node(loading, &rows, graph, modules);
    }
    return dg_rows_close(&rows, DG_OK, loading->in->err);
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
    struct module_cache modules = {.graph = -1};
    enum dg_status status =
        dg_store_int(loading->in->store, "SELECT count(*) FROM module", 0,
                     &modules.n_modules, loading->in->err);

    if (status)
        return status;
    modules.frames = dg_zeroed((size_t)modules.n_modules + 1, sizeof(*modules.frames));
    status = visit_nodes(loading, &modules);
    free(modules.frames);
    if (!status && !loading->in->options->module)
        unframe_delegated(loading->picture);
    return status;
}
