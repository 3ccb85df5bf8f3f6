/* What runs, in stored order, as a column. A .pte: kernel calls, delegates, moves,
 * frees and jumps. A .pt2: the nodes that call; what a delegate was made from runs
 * inside of it and is left out. Heeds method, graph, no_fold, max_boxes. */
#include "reports/views/calls_parts.h"

#include <stdlib.h>

/* Delegates of one backend stand for each other: each is known by the first of them. */
static enum dg_status read_backends(struct dg_calls *calls)
{
    struct dg_rows rows =
        dg_rows_of(calls->nodes.in.store,
                   "SELECT min(id) OVER (PARTITION BY backend) FROM delegate"
                   " ORDER BY id",
                   0, calls->nodes.in.err);

    while (dg_rows_next(&rows))
        *DG_APPEND(calls->backends, calls->n_backends) = dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, calls->nodes.in.err);
}

static bool runs(const struct dg_calls *calls, const struct dg_skeleton_node *node)
{
    const char *asked = calls->nodes.in.options->graph;

    return node->graph != DG_NOWHERE && node->role >= DG_ROLE_CALL &&
           node->role <= DG_ROLE_FREE &&
           (!calls->skeleton.graphs[node->graph].lowered || (asked && *asked));
}

static void add_call(struct dg_calls *calls, uint32_t index)
{
    const struct dg_skeleton_node *node = &calls->skeleton.nodes[index];
    const struct dg_model_node *row = dg_skeleton_row(&calls->skeleton, index);
    const struct dg_flow *flow = &calls->skeleton.graphs[node->graph].flow;
    uint32_t at = index + 1 - (uint32_t)flow->first_id;
    struct dg_call *call = DG_APPEND(calls->calls, calls->n_calls);

    *call = (struct dg_call){
        .node = (int64_t)index + 1,
        .graph = node->graph,
        .what = row->delegate && row->delegate <= calls->n_backends
                    ? -calls->backends[row->delegate - 1]
                    : row->op,
        .flow = at < flow->n_nodes ? &flow->nodes[at] : NULL,
        .kind = node->role == DG_ROLE_DELEGATE          ? DG_CALL_DELEGATE
                : node->role == DG_ROLE_JUMP            ? DG_CALL_JUMP
                : node->role == DG_ROLE_CALL && row->op ? DG_CALL_KERNEL
                                                        : DG_CALL_OTHER,
        .module = row->module,
    };
    call->leads = calls->n_calls == 1 || call[-1].graph != call->graph ||
                  (call->flow && at && flow->block_of[at] != flow->block_of[at - 1]);
}

static enum dg_status fill(struct dg_calls *calls)
{
    enum dg_status status = dg_view_title(calls->nodes.picture, &calls->nodes.in,
                                          calls->nodes.in.options->artifact);

    if (!status)
        status = dg_skeleton_read(&calls->skeleton, &calls->nodes.in);
    if (!status)
        status = read_backends(calls);
    for (uint32_t i = 0; !status && i < calls->skeleton.n_rows; i++)
        if (runs(calls, &calls->skeleton.nodes[i]))
            add_call(calls, i);
    if (!status)
        status =
            dg_view_check_chosen(&calls->nodes.in, calls->n_calls, "nothing runs in ");
    if (status)
        return status;
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
    free(calls.backends);
    dg_skeleton_clear(&calls.skeleton);
    return dg_node_rows_end(&calls.nodes, status);
}

const struct dg_view dg_view_calls = {
    .name = "calls",
    .summary = "what runs, in order: kernels, delegates, moves, jumps",
    .build = build,
};
