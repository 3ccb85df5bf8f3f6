/* Reading nodes, edges and modules of a store into a picture. */
#include <stdlib.h>

#include "reports/picture/load.h"
#include "reports/views/view.h"

struct dg_text dg_picture_copy(struct dg_picture *picture, const struct dg_rows *rows,
                               int column)
{
    struct dg_text text = dg_rows_slice(rows, column);

    if (dg_rows_null(rows, column))
        return (struct dg_text){0};
    return (struct dg_text){dg_copy(&picture->memory, text), text.size};
}

enum dg_status dg_picture_open(struct dg_rows *rows,
                               const struct dg_picture_loading *loading,
                               const char *sql)
{
    const struct dg_view_options *options = loading->options;
    enum dg_status status = dg_rows_open(rows, loading->store, sql, loading->err);

    if (status)
        return status;
    dg_rows_bind_text(rows, 1, dg_text(options->method));
    dg_rows_bind_text(rows, 2, dg_text(options->graph));
    dg_rows_bind_int(rows, 3, options->artifact);
    return DG_OK;
}

struct dg_text dg_picture_value(struct dg_picture *picture, const struct dg_rows *rows,
                                int dtype)
{
    const char *shape = dg_rows_text(rows, dtype + 1);
    struct dg_writer text = {0};

    if (dg_rows_null(rows, dtype))
        return (struct dg_text){0};
    dg_print(&text, "%s", dg_rows_text(rows, dtype));
    for (; shape && *shape; shape++)
        if (*shape != '"' && *shape != ' ')
            dg_write(&text, shape, 1);
    return dg_keep(&picture->memory, &text);
}

size_t dg_picture_find(const size_t *boxes, int64_t n_rows, int64_t row)
{
    return row > 0 && row <= n_rows ? boxes[row] : SIZE_MAX;
}

static size_t *unset(int64_t count)
{
    size_t *items = malloc(((size_t)count + 1) * sizeof(*items));

    if (!items)
        dg_out_of_memory();
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
    struct dg_text name = dg_picture_copy(picture, rows, 2);

    *method = (struct method_frame){dg_rows_int(rows, 1), 0, picture->n_graphs};
    if (dg_rows_int(rows, 6) > 1) {
        name = dg_format(&picture->memory, "method %s", name.data);
        method->frame = dg_picture_add_frame(picture, DG_FRAME_METHOD, 0, name);
    }
}

static void add_graph(struct dg_picture *picture, const struct dg_rows *rows,
                      const struct method_frame *method)
{
    struct dg_text path = dg_picture_copy(picture, rows, 3);
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

static enum dg_status load_graphs(struct dg_picture_loading *loading)
{
    struct method_frame method = {0};
    struct dg_rows rows;
    enum dg_status status = dg_picture_open(
        &rows, loading,
        "SELECT graph.id, method.id, method.name, graph.path, graph.kind,"
        "  (SELECT max(backend) FROM delegate WHERE graph_id = graph.id),"
        "  (SELECT count(*) FROM method WHERE (?1 IS NULL OR name = ?1)"
        "     AND (?3 = 0 OR artifact_id = ?3))"
        " FROM graph JOIN method ON method.id = graph.method_id WHERE" DG_PICTURE_CHOSEN
        " ORDER BY graph.id");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        if (dg_rows_int(&rows, 1) != method.method)
            enter_method(loading->picture, &rows, &method);
        add_graph(loading->picture, &rows, &method);
    }
    return dg_rows_close(&rows, DG_OK, loading->err);
}

static enum dg_status load_edges(struct dg_picture_loading *loading)
{
    struct dg_picture *picture = loading->picture;
    struct dg_rows rows;
    enum dg_status status = dg_picture_open(
        &rows, loading,
        "SELECT edge.src, edge.dst," DG_PICTURE_TYPE ", value.name"
        " FROM edge JOIN node ON node.id = edge.dst"
        " JOIN graph ON graph.id = node.graph_id"
        " JOIN method ON method.id = graph.method_id"
        " LEFT JOIN value ON value.id = edge.value_id WHERE" DG_PICTURE_CHOSEN
        " ORDER BY edge.dst, edge.pos");

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        size_t from = dg_picture_find(loading->box_of_node, loading->n_nodes,
                                      dg_rows_int(&rows, 0));
        size_t to = dg_picture_find(loading->box_of_node, loading->n_nodes,
                                    dg_rows_int(&rows, 1));

        if (from != SIZE_MAX && to != SIZE_MAX)
            dg_picture_add_link(picture, from, to)->value =
                dg_picture_value(picture, &rows, 2);
    }
    return dg_rows_close(&rows, DG_OK, loading->err);
}

enum dg_status dg_picture_load_title(const struct dg_picture_loading *loading,
                                     int64_t artifact)
{
    struct dg_picture *picture = loading->picture;
    const char *path = loading->options->path;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, loading->store,
                     "SELECT min(path), count(*) FROM artifact WHERE ?1 = 0 OR id = ?1",
                     loading->err);

    if (status)
        return status;
    picture->path = dg_text(path ? path : "FILE");
    dg_rows_bind_int(&rows, 1, artifact);
    if (dg_rows_next(&rows) && dg_rows_int(&rows, 1) == 1) {
        struct dg_text file = dg_picture_copy(picture, &rows, 0);
        const char *slash = file.data ? strrchr(file.data, '/') : NULL;

        picture->title = slash ? dg_text(slash + 1) : file;
    }
    return dg_rows_close(&rows, DG_OK, loading->err);
}

static enum dg_status check_chosen(const struct dg_picture_loading *loading)
{
    const struct dg_view_options *options = loading->options;

    if (loading->picture->n_graphs || (!options->method && !options->graph))
        return DG_OK;
    return dg_view_refuse_graph(options, "no ", loading->err);
}

static enum dg_status load_tables(struct dg_picture_loading *loading)
{
    enum dg_status status = dg_picture_load_title(loading, loading->options->artifact);

    if (!status)
        status = load_graphs(loading);
    if (!status)
        status = check_chosen(loading);
    if (!status)
        status = dg_picture_load_nodes(loading);
    if (!status)
        status = load_edges(loading);
    if (!status)
        status = dg_picture_load_values(loading);
    return status || loading->options->no_plan ? status : dg_picture_load_plan(loading);
}

enum dg_status dg_picture_load(struct dg_picture *picture, struct dg_store *store,
                               const struct dg_view_options *options,
                               struct dg_error *err)
{
    struct dg_picture_loading loading = {
        .picture = picture, .store = store, .options = options, .err = err};
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM node", 0, &loading.n_nodes, err);

    if (!status)
        status = dg_store_int(store, "SELECT count(*) FROM value", 0, &loading.n_values,
                              err);
    if (status)
        return status;
    dg_picture_add_frame(picture, DG_FRAME_ROOT, 0, (struct dg_text){0});
    loading.box_of_node = unset(loading.n_nodes);
    loading.box_of_value = unset(loading.n_values);
    status = load_tables(&loading);
    free(loading.box_of_node);
    free(loading.box_of_value);
    return status;
}
