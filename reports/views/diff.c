/* What changed from an older program: calls that were added, removed and changed, with
 * their neighbours. */
#include "reports/views/diff_parts.h"

#include <stdlib.h>

/* The newest comparison, its sentence and the older program. */
static enum dg_status read_comparison(struct dg_diff_view *view, struct dg_text *old,
                                      struct dg_text *summary)
{
    const struct dg_view_input *in = &view->nodes.in;
    struct dg_rows rows = dg_rows_all(
        in->store, "SELECT id, old, summary FROM comparison ORDER BY id DESC LIMIT 1",
        in->err);

    if (dg_rows_next(&rows)) {
        view->comparison = dg_rows_int(&rows, 0);
        *old = dg_rows_keep(&view->nodes.picture->memory, &rows, 1);
        *summary = dg_rows_keep(&view->nodes.picture->memory, &rows, 2);
    }
    if (view->comparison)
        return dg_rows_close(&rows, DG_OK, in->err);
    return dg_rows_close(&rows,
                         dg_fail(in->err, DG_ERR_USAGE,
                                 "no older program to compare with: --against OLD"),
                         in->err);
}

static enum dg_status read_weights(struct dg_diff_view *view)
{
    const struct dg_view_input *in = &view->nodes.in;
    struct dg_rows rows = dg_rows_all(
        in->store,
        "SELECT node.id FROM signature JOIN node ON node.value_id = signature.value_id"
        " WHERE direction = 'input' AND signature.target IS NOT NULL"
        "  AND node.kind = 'placeholder'",
        in->err);

    view->weights = dg_alloc(&view->nodes.picture->memory, view->model->n_nodes, 1);
    while (dg_rows_next(&rows)) {
        int64_t node = dg_rows_int(&rows, 0);

        if (node > 0 && node <= view->model->n_nodes)
            view->weights[node - 1] = true;
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

/* Who reads a node. */
static void find_users(struct dg_diff_view *view)
{
    struct dg_arena *memory = &view->nodes.picture->memory;
    const struct dg_model *model = view->model;
    struct dg_csr makers = {model->use_of, NULL};

    makers.items = dg_alloc(memory, model->n_uses, sizeof(uint32_t));
    for (uint32_t i = 0; i < model->n_uses; i++)
        makers.items[i] = model->uses[i].node;
    dg_csr_transpose(&view->users, &makers, model->n_nodes, model->n_nodes, memory);
}

static void tell(struct dg_diff_view *view, struct dg_text old, struct dg_text summary)
{
    struct dg_picture *picture = view->nodes.picture;

    dg_picture_hint(picture, "from %s: %s", old.data, summary.data);
    if (!picture->n_boxes)
        dg_picture_hint(picture, "no call is added, removed or changed");
    else
        dg_picture_hint(picture,
                        "without a sign: unchanged, drawn only beside what is "
                        "not; delegraph dot %s draws all",
                        picture->path.data);
    if (view->n_left)
        dg_picture_hint(picture, "%zu more differences: --max-boxes %zu shows them",
                        view->n_left, view->n_left + picture->n_boxes + 20);
}

/* A picture of nothing says so. */
static void add_subject(struct dg_picture *picture)
{
    struct dg_box *box = dg_picture_add_box(picture, DG_BOX_VALUE);

    box->title = picture->title;
    box->order = DG_ORDER_NODE;
    dg_box_say(picture, box, "no call differs");
}

static enum dg_status fill(struct dg_diff_view *view)
{
    const struct dg_view_input *in = &view->nodes.in;
    struct dg_text old, summary;
    enum dg_status status = read_comparison(view, &old, &summary);

    if (!status)
        status = dg_view_title(view->nodes.picture, in, in->options->artifact);
    if (!status)
        status = dg_model_read(&view->model, in->store, in->err);
    if (!status)
        status = read_weights(view);
    if (status)
        return status;
    find_users(view);
    view->room = dg_view_room(view->nodes.picture, in->options);
    status = dg_diff_view_add(view);
    if (!status)
        status = dg_diff_view_surround(view);
    if (status)
        return status;
    tell(view, old, summary);
    if (!view->nodes.picture->n_boxes)
        add_subject(view->nodes.picture);
    dg_picture_merge_links(view->nodes.picture);
    return dg_view_load_lines(view->nodes.picture, in);
}

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options, struct dg_error *err)
{
    struct dg_diff_view view = {
        .nodes = {.picture = picture, .in = {store, options, err}}};
    enum dg_status status = dg_node_rows_begin(&view.nodes);

    if (!status)
        status = fill(&view);
    picture->view = dg_text("diff");
    free(view.gone);
    dg_int_set_clear(&view.gone_rows);
    return dg_node_rows_end(&view.nodes, status);
}

const struct dg_view dg_view_diff = {
    .name = "diff",
    .summary = "what changed from an older program",
    .build = build,
};
