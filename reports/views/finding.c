/* What one finding names, and nothing else: the path or cycle of its witness, or its
 * node with its neighbours, or its value with the instructions that access it. */
#include "reports/views/finding_parts.h"

#include <stdlib.h>

enum { MESSAGE = 400 }; /* characters of it in the caption */

static enum dg_status refuse(struct dg_finding_view *view)
{
    int64_t count;
    enum dg_status status =
        dg_store_int(view->nodes.in.store, "SELECT count(*) FROM finding", 0, &count,
                     view->nodes.in.err);

    if (status)
        return status;
    return dg_fail(view->nodes.in.err, DG_ERR_USAGE,
                   count == 0   ? "no finding %lld: `check` finds nothing"
                   : count == 1 ? "no finding %lld; there is %lld: `check` tells of it"
                                : "no finding %lld; there are %lld: `check` tells of "
                                  "them",
                   (long long)view->nodes.in.options->finding, (long long)count);
}

static void read_finding(struct dg_finding_view *view, const struct dg_rows *rows)
{
    struct dg_picture *picture = view->nodes.picture;

    view->rule = dg_rows_keep(&picture->memory, rows, 0);
    view->severity = dg_rows_keep(&picture->memory, rows, 1);
    view->message = dg_rows_keep(&picture->memory, rows, 2);
    view->artifact = dg_rows_int_or(rows, 3, 0);
    view->graph = dg_rows_int_or(rows, 4, 0);
    view->node = dg_rows_int_or(rows, 5, 0);
    view->value = dg_rows_int_or(rows, 6, 0);
    view->is_pte = dg_rows_int(rows, 7);
    view->method = dg_rows_keep(&picture->memory, rows, 8);
}

static enum dg_status load_finding(struct dg_finding_view *view)
{
    struct dg_rows rows = dg_rows_of(
        view->nodes.in.store,
        "SELECT rule, severity, message, finding.artifact_id, graph_id, node_id,"
        "  value_id, method.ir IS 'pte', method.name"
        " FROM finding LEFT JOIN method ON method.id = method_id WHERE finding.id = ?1",
        view->nodes.in.options->finding, view->nodes.in.err);
    enum dg_status status = DG_OK;
    bool found;

    found = dg_rows_next(&rows);
    if (found)
        read_finding(view, &rows);
    status = dg_rows_close(&rows, DG_OK, view->nodes.in.err);
    return status || found ? status : refuse(view);
}

/* Where the value comes from in a program whose values are results of nodes. */
static enum dg_status find_maker(struct dg_finding_view *view)
{
    struct dg_rows rows;

    if (view->node || !view->value || view->is_pte)
        return DG_OK;
    rows = dg_rows_of(view->nodes.in.store,
                      "SELECT id FROM node WHERE value_id = ?1 AND graph_id = ?2"
                      " UNION ALL SELECT src FROM edge JOIN node ON node.id = dst"
                      "  WHERE node.graph_id = ?2 AND edge.value_id = ?1 LIMIT 1",
                      view->value, view->nodes.in.err);
    dg_rows_bind_int(&rows, 2, view->graph);
    if (dg_rows_next(&rows))
        view->node = dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, view->nodes.in.err);
}

/* A finding about a file or a method. */
static void add_subject(struct dg_finding_view *view)
{
    struct dg_picture *picture = view->nodes.picture;
    struct dg_box *box = dg_picture_add_box(picture, DG_BOX_VALUE);

    box->marked = true;
    box->title = picture->title;
    box->order = DG_ORDER_NODE;
    if (view->method.data)
        dg_box_say(picture, box, "method %s", view->method.data);
    dg_box_say(picture, box, "\xe2\x9c\x97 %s", view->rule.data);
}

static enum dg_status fill(struct dg_finding_view *view)
{
    enum dg_status status = dg_finding_add_witness(view);

    if (!status && !view->n_steps)
        status = find_maker(view);
    if (!status && !view->n_steps && view->node)
        status = dg_finding_add_neighbours(view);
    if (!status && view->value && view->is_pte)
        status = dg_finding_add_memory(view);
    if (!status && !view->nodes.picture->n_boxes)
        add_subject(view);
    return status;
}

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options, struct dg_error *err)
{
    struct dg_finding_view view = {
        .nodes = {.picture = picture, .in = {store, options, err}}};
    enum dg_status status = dg_node_rows_begin(&view.nodes);

    if (!status)
        status = load_finding(&view);
    if (!status)
        status = dg_view_title(picture, &view.nodes.in, view.artifact);
    if (!status)
        status = fill(&view);
    if (!status)
        status = dg_view_load_lines(picture, &view.nodes.in);
    free(view.steps);
    if (!status) {
        picture->view =
            dg_format(&picture->memory, "finding %lld", (long long)options->finding);
        dg_picture_hint(picture, "%s[%s]: %s", view.severity.data, view.rule.data,
                        dg_elide(&picture->memory, view.message, MESSAGE).data);
    }
    return dg_node_rows_end(&view.nodes, status);
}

const struct dg_view dg_view_finding = {
    .name = "finding",
    .summary = "what one finding names: its path or cycle, and nothing else",
    .wants_findings = DG_FINDINGS_ALL,
    .build = build,
};
