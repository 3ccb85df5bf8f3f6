/* Boxes of the calls that differ from an older program. */
#include "reports/views/diff_parts.h"

/* Columns of differences_sql. */
enum { KIND, CHANGE, WHAT, NAME, OLD, NEW, NODE, OLD_NODE };

static const char differences_sql[] =
    "SELECT d.kind, change, what, d.name, old, new, node_id, old_node FROM difference"
    "  AS d WHERE comparison_id = ?4 AND (node_id IS NOT NULL OR old_node IS NOT NULL)"
    "  AND d.kind IN ('op', 'value') AND (?1 IS NULL OR method = ?1)"
    "  AND (?2 IS NULL OR graph = ?2 OR substr(graph, 1, length(?2) + 1) = ?2 || '.')"
    " ORDER BY d.id";

enum dg_status dg_diff_view_box(struct dg_diff_view *view, int64_t node, size_t *box)
{
    enum dg_status status = dg_node_rows_add(&view->nodes, node, box);

    if (!status && *box != SIZE_MAX)
        view->nodes.picture->boxes[*box].order = (uint64_t)node << DG_DIFF_PLACES;
    return status;
}

static bool is_full(const struct dg_diff_view *view)
{
    return view->nodes.picture->n_boxes >= view->room;
}

/* It gets its place, and its frame, with its links. */
static void add_gone(struct dg_diff_view *view, const struct dg_rows *rows)
{
    struct dg_picture *picture = view->nodes.picture;
    int64_t row = dg_rows_int(rows, OLD_NODE);
    struct dg_box *box;

    if (dg_int_set_add(&view->gone_rows, (uint64_t)row) < view->n_gone)
        return;
    box = dg_picture_add_box(picture, DG_BOX_REMOVED);
    box->title = dg_rows_keep(&picture->memory, rows, WHAT);
    box->name = dg_rows_keep(&picture->memory, rows, NAME);
    box->value = dg_rows_keep(&picture->memory, rows, OLD);
    box->nbytes = -1;
    box->order = 1;
    *DG_APPEND(view->gone, view->n_gone) =
        (struct dg_diff_gone){row, (size_t)(box - picture->boxes)};
}

/* "dim=1 -> dim=0", in lines that a box can hold. */
static void say_change(struct dg_picture *picture, struct dg_box *box,
                       const struct dg_rows *rows)
{
    const char *what = dg_rows_text(rows, WHAT), *old = dg_rows_text(rows, OLD),
               *new = dg_rows_text(rows, NEW);

    if (what && *what)
        dg_box_say(picture, box, "%s:", what);
    if (old)
        dg_box_say(picture, box, "\xe2\x88\x92 %s", old);
    if (new)
        dg_box_say(picture, box, "+ %s", new);
}

static enum dg_status add_one(struct dg_diff_view *view, const struct dg_rows *rows)
{
    struct dg_picture *picture = view->nodes.picture;
    bool added = dg_text_is(dg_rows_slice(rows, CHANGE), "added");
    size_t box;
    enum dg_status status;

    if (dg_rows_null(rows, NODE)) {
        add_gone(view, rows);
        return DG_OK;
    }
    status = dg_diff_view_box(view, dg_rows_int(rows, NODE), &box);
    if (status || box == SIZE_MAX)
        return status;
    picture->boxes[box].kind = added ? DG_BOX_ADDED : DG_BOX_CHANGED;
    if (!added)
        say_change(picture, &picture->boxes[box], rows);
    return DG_OK;
}

enum dg_status dg_diff_view_add(struct dg_diff_view *view)
{
    const struct dg_view_input *in = &view->nodes.in;
    struct dg_rows rows;
    enum dg_status status = dg_view_open(&rows, in, differences_sql);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 4, view->comparison);
    while (!status && dg_rows_next(&rows)) {
        if (is_full(view))
            view->n_left++;
        else
            status = add_one(view, &rows);
    }
    return dg_rows_close(&rows, status, in->err);
}
