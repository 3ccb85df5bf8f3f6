/* What runs, in stored order, as a column. A .pte: kernel calls, delegates, moves,
 * frees and jumps. A .pt2: the nodes that call; what a delegate was made from runs
 * inside of it and is left out. Heeds method, graph, no_fold, max_boxes. */
#include "reports/views/calls_parts.h"

#include <stdlib.h>

#include "reports/views/read.h"

static enum dg_status read_ops(struct dg_calls *calls)
{
    struct dg_node_rows *nodes = &calls->nodes;
    struct dg_rows rows;
    enum dg_status status = dg_store_int(nodes->in.store, "SELECT count(*) FROM op", 0,
                                         &calls->n_ops, nodes->in.err);

    if (!status)
        status = dg_rows_open(&rows, nodes->in.store, "SELECT id, name FROM op",
                              nodes->in.err);
    if (status)
        return status;
    calls->ops = dg_alloc(&nodes->picture->memory, (size_t)calls->n_ops + 1,
                          sizeof(*calls->ops));
    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, 0);

        if (row > 0 && row <= calls->n_ops)
            calls->ops[row] =
                dg_short_op(dg_rows_keep(&nodes->picture->memory, &rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, nodes->in.err);
}

static void add_call(struct dg_calls *calls, const struct dg_rows *rows)
{
    struct dg_call *call = DG_APPEND(calls->calls, calls->n_calls);

    *call = (struct dg_call){
        .node = dg_rows_int(rows, 0),
        .graph = dg_rows_int(rows, 1),
        .idx = dg_rows_int(rows, 2),
        .what = dg_rows_int_or(rows, 3, 0),
        .jump = dg_rows_int_or(rows, 4, DG_NONE),
        .kind = (enum dg_call_kind)dg_rows_int(rows, 5),
        .module = dg_rows_int_or(rows, 6, 0),
    };
}

static enum dg_status read_calls(struct dg_calls *calls)
{
    struct dg_rows rows;
    enum dg_status status = dg_view_open(
        &rows, &calls->nodes.in,
        "WITH alike AS MATERIALIZED (SELECT id, min(id) OVER (PARTITION BY backend)"
        "   AS same FROM delegate)"
        "SELECT node.id, node.graph_id, node.idx,"
        "  iif(node.delegate_id, -alike.same, node.op_id), node.jump,"
        "  CASE WHEN node.kind = 'jump_false_call' THEN 2"
        "   WHEN node.kind = 'delegate_call' OR node.delegate_id"
        "    OR op.name = 'higher_order::executorch_call_delegate' THEN 1"
        "   WHEN node.kind = 'kernel_call' THEN 0"
        "   WHEN node.kind = 'call_function' AND op.namespace <> 'higher_order' THEN 0"
        "   ELSE 3 END, node.module_id"
        " FROM node JOIN graph ON graph.id = node.graph_id"
        " JOIN method ON method.id = graph.method_id"
        " LEFT JOIN op ON op.id = node.op_id"
        " LEFT JOIN alike ON alike.id = node.delegate_id"
        " WHERE node.kind NOT IN ('placeholder', 'get_attr', 'output')"
        "   AND op.name IS NOT '_operator.getitem'"
        "   AND (graph.kind <> 'lowered' OR ?2 <> '') AND" DG_VIEW_CHOSEN
        " ORDER BY node.id");

    if (status)
        return status;
    while (dg_rows_next(&rows))
        add_call(calls, &rows);
    return dg_rows_close(&rows, DG_OK, calls->nodes.in.err);
}

size_t dg_calls_find(const struct dg_calls *calls, size_t near, int64_t idx)
{
    int64_t own = calls->calls[near].idx, at;

    if (idx < 0 || idx > INT32_MAX || own < 0 || own > INT32_MAX)
        return SIZE_MAX;
    at = (int64_t)near + idx - own;
    if (at < 0 || (uint64_t)at >= calls->n_calls ||
        calls->calls[at].graph != calls->calls[near].graph ||
        calls->calls[at].idx != idx)
        return SIZE_MAX;
    return (size_t)at;
}

static void find_leaders(struct dg_calls *calls)
{
    for (size_t i = 0; i < calls->n_calls; i++) {
        struct dg_call *call = &calls->calls[i];
        size_t to;

        call->leads |=
            !i || call[-1].graph != call->graph || call[-1].kind == DG_CALL_JUMP;
        if (call->kind != DG_CALL_JUMP)
            continue;
        to = dg_calls_find(calls, i, call->jump);
        if (to != SIZE_MAX)
            calls->calls[to].leads = true;
    }
}

static enum dg_status fill(struct dg_calls *calls)
{
    enum dg_status status = dg_view_title(calls->nodes.picture, &calls->nodes.in,
                                          calls->nodes.in.options->artifact);

    if (!status)
        status = read_ops(calls);
    if (!status)
        status = read_calls(calls);
    if (!status)
        status =
            dg_view_check_chosen(&calls->nodes.in, calls->n_calls, "nothing runs in ");
    if (status)
        return status;
    find_leaders(calls);
    dg_calls_fold(calls, dg_view_room(calls->nodes.picture, calls->nodes.in.options));
    return dg_calls_draw(calls);
}

static enum dg_status build(struct dg_picture *picture, struct dg_store *store,
                            const struct dg_view_options *options, struct dg_error *err)
{
    struct dg_calls calls = {
        .nodes = {.picture = picture, .in = {store, options, err}, .flat = true}};
    enum dg_status status = dg_node_rows_begin(&calls.nodes);

    if (!status)
        status = fill(&calls);
    if (!status)
        status = dg_view_load_lines(picture, &calls.nodes.in);
    picture->view = dg_text("calls");
    picture->n_nodes = calls.n_calls;
    free(calls.calls);
    free(calls.intervals);
    return dg_node_rows_end(&calls.nodes, status);
}

const struct dg_view dg_view_calls = {
    .name = "calls",
    .summary = "what runs, in order: kernels, delegates, moves, jumps",
    .build = build,
};
