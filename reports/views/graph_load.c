/* Graphs and edges of a store as frames and links. */
#include "reports/views/graph_load.h"

#include <stdlib.h>

size_t dg_boxes_find(const size_t *boxes, int64_t n_rows, int64_t row)
{
    return row > 0 && row <= n_rows ? boxes[row] : SIZE_MAX;
}

static size_t *unset(int64_t count)
{
    size_t *items = dg_zeroed(((size_t)count + 1), sizeof(*items));

    for (int64_t i = 0; i <= count; i++)
        items[i] = SIZE_MAX;
    return items;
}

/* The frame of the graph whose path is the longest proper prefix of `path`. */
static size_t outer_frame(const struct dg_picture *picture, size_t n_before,
                          struct dg_text path, size_t method_frame)
{
    size_t best = method_frame, length = 0;

    for (size_t i = n_before; i < picture->n_graphs; i++) {
        struct dg_text outer = picture->graphs[i].path;

        if (outer.size > length && outer.size < path.size &&
            path.data[outer.size] == '.' &&
            !memcmp(path.data, outer.data, outer.size)) {
            best = picture->graphs[i].frame;
            length = outer.size;
        }
    }
    return best;
}

static struct dg_text graph_label(struct dg_picture *picture,
                                  const struct dg_rows *rows, struct dg_text path)
{
    bool lowered = dg_text_is(dg_rows_slice(rows, 4), "lowered");

    if (lowered && !dg_rows_null(rows, 5))
        return dg_format(&picture->memory, "%s: lowered to %s", path.data,
                         dg_rows_text(rows, 5));
    return dg_format(&picture->memory, "%s: %s", path.data, dg_rows_text(rows, 4));
}

struct method_frame { /* of the graphs visited last */
    int64_t method;
    size_t frame, first_graph;
};

static void enter_method(struct dg_picture *picture, const struct dg_rows *rows,
                         struct method_frame *method)
{
    struct dg_text name = dg_rows_keep(&picture->memory, rows, 2);

    *method = (struct method_frame){dg_rows_int(rows, 1), 0, picture->n_graphs};
    if (dg_rows_int(rows, 6) > 1) {
        name = dg_format(&picture->memory, "method %s", name.data);
        method->frame = dg_picture_add_frame(picture, DG_FRAME_METHOD, 0, name);
    }
}

static void add_graph(struct dg_picture *picture, const struct dg_rows *rows,
                      const struct method_frame *method)
{
    struct dg_text path = dg_rows_keep(&picture->memory, rows, 3);
    bool lowered = dg_text_is(dg_rows_slice(rows, 4), "lowered");
    size_t frame = method->frame;
    struct dg_picture_graph *graph;

    if (path.size) {
        frame = outer_frame(picture, method->first_graph, path, frame);
        frame =
            dg_picture_add_frame(picture, lowered ? DG_FRAME_LOWERED : DG_FRAME_GRAPH,
                                 frame, graph_label(picture, rows, path));
    }
    graph = DG_APPEND(picture->graphs, picture->n_graphs);
    *graph = (struct dg_picture_graph){dg_rows_int(rows, 0), path, frame, 0, 0};
}

static enum dg_status load_graphs(struct dg_box_loading *loading)
{
    struct method_frame method = {0};
    struct dg_rows rows;
    enum dg_status status = dg_view_open(
        &rows, loading->in,
        "SELECT graph.id, method.id, method.name, graph.path, graph.kind,"
        "  (SELECT max(backend) FROM delegate WHERE graph_id = graph.id),"
        "  (SELECT count(*) FROM method WHERE (?1 IS NULL OR name = ?1)"
        "     AND (?3 = 0 OR artifact_id = ?3))"
        " FROM graph JOIN method ON method.id = graph.method_id WHERE" DG_VIEW_CHOSEN
        " ORDER BY graph.id");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        if (dg_rows_int(&rows, 1) != method.method)
            enter_method(loading->picture, &rows, &method);
        add_graph(loading->picture, &rows, &method);
    }
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}

static enum dg_status load_edges(struct dg_box_loading *loading)
{
    struct dg_picture *picture = loading->picture;
    struct dg_rows rows;
    enum dg_status status =
        dg_view_open(&rows, loading->in,
                     "SELECT edge.src, edge.dst," DG_VIEW_TYPE ", value.name"
                     " FROM edge JOIN node ON node.id = edge.dst"
                     " JOIN graph ON graph.id = node.graph_id"
                     " JOIN method ON method.id = graph.method_id"
                     " LEFT JOIN value ON value.id = edge.value_id WHERE" DG_VIEW_CHOSEN
                     " ORDER BY edge.dst, edge.pos");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        size_t from = dg_boxes_find(loading->box_of_node, loading->n_nodes,
                                    dg_rows_int(&rows, 0));
        size_t to = dg_boxes_find(loading->box_of_node, loading->n_nodes,
                                  dg_rows_int(&rows, 1));

        if (from != SIZE_MAX && to != SIZE_MAX)
            dg_picture_add_link(picture, from, to)->value =
                dg_view_type(&picture->memory, &rows, 2);
    }
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}

static enum dg_status load_tables(struct dg_box_loading *loading)
{
    enum dg_status status = dg_view_begin(loading->picture, loading->in);

    if (!status)
        status = load_graphs(loading);
    if (!status)
        status = dg_view_check_chosen(loading->in, loading->picture->n_graphs, "no ");
    if (!status)
        status = dg_boxes_load_nodes(loading);
    if (!status)
        status = load_edges(loading);
    if (!status)
        status = dg_boxes_load_values(loading);
    return status || loading->in->options->no_plan ? status
                                                   : dg_boxes_load_plan(loading);
}

enum dg_status dg_boxes_load(struct dg_picture *picture, const struct dg_view_input *in)
{
    struct dg_box_loading loading = {.picture = picture, .in = in};
    enum dg_status status = dg_store_int(in->store, "SELECT count(*) FROM node", 0,
                                         &loading.n_nodes, in->err);

    if (!status)
        status = dg_store_int(in->store, "SELECT count(*) FROM value", 0,
                              &loading.n_values, in->err);
    if (status)
        return status;
    loading.box_of_node = unset(loading.n_nodes);
    loading.box_of_value = unset(loading.n_values);
    status = load_tables(&loading);
    free(loading.box_of_node);
    free(loading.box_of_value);
    return status;
}
