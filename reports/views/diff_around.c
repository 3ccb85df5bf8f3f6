/* What calls that differ read, and who reads them: unchanged neighbours, and links. */
#include "reports/views/diff_parts.h"

#include <stdlib.h>

enum { MOST_NEIGHBOURS = 8 }; /* of a box, on each side */

static bool is_item(const struct dg_diff_view *view, uint32_t node)
{
    uint32_t op = view->model->nodes[node].op;

    return op && dg_text_is(view->model->ops[op - 1].name, "_operator.getitem");
}

/* Weights and attributes are no neighbours, and items stand for what they are of. */
static bool is_hidden(const struct dg_diff_view *view, uint32_t node)
{
    return view->weights[node] || view->model->nodes[node].kind == DG_NODE_GET_ATTR;
}

static uint32_t maker_of(const struct dg_diff_view *view, uint32_t node)
{
    const struct dg_model *model = view->model;

    if (is_item(view, node) && model->use_of[node] < model->use_of[node + 1])
        return model->uses[model->use_of[node]].node;
    return node;
}

/* A neighbour, which gets a box if there is room: SIZE_MAX where it gets none. */
static enum dg_status add_near(struct dg_diff_view *view, size_t of, uint32_t node,
                               size_t *n_near)
{
    struct dg_picture *picture = view->nodes.picture;
    size_t box;

    if (is_hidden(view, node) ||
        dg_node_rows_find(&view->nodes, (int64_t)node + 1) != SIZE_MAX)
        return DG_OK;
    if (*n_near >= MOST_NEIGHBOURS || picture->n_boxes >= view->room) {
        picture->boxes[of].n_outside++;
        return DG_OK;
    }
    (*n_near)++;
    return dg_diff_view_box(view, (int64_t)node + 1, &box);
}

static enum dg_status add_makers(struct dg_diff_view *view, size_t of, uint32_t node)
{
    const struct dg_model *model = view->model;
    enum dg_status status = DG_OK;
    size_t n_near = 0;

    for (uint32_t i = model->use_of[node]; i < model->use_of[node + 1] && !status; i++)
        status = add_near(view, of, maker_of(view, model->uses[i].node), &n_near);
    return status;
}

static enum dg_status add_users(struct dg_diff_view *view, size_t of, uint32_t node)
{
    const struct dg_csr *users = &view->users;
    enum dg_status status = DG_OK;
    size_t n_near = 0;

    for (uint32_t i = users->begins[node]; i < users->begins[node + 1] && !status;
         i++) {
        uint32_t user = users->items[i];

        if (!is_item(view, user)) {
            status = add_near(view, of, user, &n_near);
            continue;
        }
        for (uint32_t k = users->begins[user]; k < users->begins[user + 1] && !status;
             k++)
            status = add_near(view, of, users->items[k], &n_near);
    }
    return status;
}

/* An end of an edge of the old program: a box, or SIZE_MAX. */
static enum dg_status find_end(struct dg_diff_view *view, const struct dg_rows *rows,
                               int column, bool maker, size_t *box)
{
    struct dg_picture *picture = view->nodes.picture;
    uint32_t number;
    int64_t row;

    *box = SIZE_MAX;
    if (!dg_rows_null(rows, column)) {
        number = dg_int_set_add(&view->gone_rows, (uint64_t)dg_rows_int(rows, column));
        if (number < view->n_gone)
            *box = view->gone[number].box;
        return DG_OK;
    }
    row = dg_rows_int_or(rows, column + 1, 0);
    if (row < 1 || row > view->model->n_nodes)
        return DG_OK;
    if (maker)
        row = (int64_t)maker_of(view, (uint32_t)row - 1) + 1;
    if (is_hidden(view, (uint32_t)row - 1))
        return DG_OK;
    *box = dg_node_rows_find(&view->nodes, row);
    if (*box != SIZE_MAX || picture->n_boxes >= view->room)
        return DG_OK;
    return dg_diff_view_box(view, row, box);
}

/* Removed calls come behind what they read, as links are in the order of the old
 * program, and lie in the frame of a neighbour. */
static void settle(struct dg_picture *picture)
{
    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];
        struct dg_box *from = &picture->boxes[link->from], *to;

        if (link->kind == DG_LINK_GRAPH)
            continue;
        to = &picture->boxes[link->to];
        if (to->kind == DG_BOX_REMOVED && to->order <= from->order)
            to->order = from->order + 1;
        if (to->kind == DG_BOX_REMOVED && !to->frame)
            to->frame = from->frame;
        if (from->kind == DG_BOX_REMOVED && !from->frame)
            from->frame = to->frame;
    }
}

static enum dg_status link_gone(struct dg_diff_view *view)
{
    struct dg_picture *picture = view->nodes.picture;
    struct dg_rows rows =
        dg_rows_of(view->nodes.in.store,
                   "SELECT src_old, src_id, dst_old, dst_id FROM removed_edge"
                   " WHERE comparison_id = ?1 ORDER BY rowid",
                   view->comparison, view->nodes.in.err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        size_t from, to;

        status = find_end(view, &rows, 0, true, &from);
        if (!status)
            status = find_end(view, &rows, 2, false, &to);
        if (!status && from != SIZE_MAX && to != SIZE_MAX)
            dg_picture_add_link(picture, from, to)->kind = DG_LINK_WAS;
    }
    settle(picture);
    return dg_rows_close(&rows, status, view->nodes.in.err);
}

/* What a box of the new program reads, along items of tuples. */
static void link_makers(struct dg_diff_view *view, size_t to)
{
    struct dg_picture *picture = view->nodes.picture;
    const struct dg_model *model = view->model;
    uint32_t node = (uint32_t)picture->boxes[to].node - 1;

    for (uint32_t i = model->use_of[node]; i < model->use_of[node + 1]; i++) {
        uint32_t maker = model->uses[i].node;
        size_t from =
            dg_node_rows_find(&view->nodes, (int64_t)maker_of(view, maker) + 1);

        if (from != SIZE_MAX && from != to && !is_hidden(view, maker))
            dg_picture_add_link(picture, from, to);
    }
}

enum dg_status dg_diff_view_surround(struct dg_diff_view *view)
{
    struct dg_picture *picture = view->nodes.picture;
    size_t n_boxes = picture->n_boxes;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n_boxes && !status; i++) {
        uint32_t node = (uint32_t)picture->boxes[i].node - 1;

        if (!picture->boxes[i].node)
            continue;
        status = add_makers(view, i, node);
        if (!status)
            status = add_users(view, i, node);
    }
    if (!status)
        status = link_gone(view);
    for (size_t i = 0; i < picture->n_boxes && !status; i++) {
        if (picture->boxes[i].node)
            link_makers(view, i);
    }
    return status;
}
