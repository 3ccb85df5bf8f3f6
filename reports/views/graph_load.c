/* Graphs and uses of a skeleton as frames and links. */
#include "reports/views/graph_load.h"

#include <stdlib.h>

size_t dg_boxes_find(const struct dg_box_loading *loading, int64_t row)
{
    return row > 0 && (uint64_t)row <= loading->skeleton.n_rows
               ? loading->box_of[row - 1]
               : SIZE_MAX;
}

static void add_graphs(struct dg_box_loading *loading)
{
    struct dg_picture *picture = loading->picture;
    struct dg_skeleton *skeleton = &loading->skeleton;

    dg_skeleton_frame(skeleton, picture, NULL);
    for (size_t g = 0; g < skeleton->n_graphs; g++) {
        const struct dg_skeleton_graph *graph = &skeleton->graphs[g];

        *DG_APPEND(picture->graphs, picture->n_graphs) =
            (struct dg_picture_graph){graph->id, graph->path, graph->frame, 0, 0};
    }
}

static uint64_t order_of(const struct dg_picture *picture,
                         const struct dg_picture_graph *graph, bool output)
{
    uint64_t first = graph->n_boxes ? picture->boxes[graph->first_box].order / DG_ORDER
                                    : (uint64_t)picture->n_nodes;

    if (!output)
        return first * DG_ORDER;
    return (first + (graph->n_boxes ? graph->n_boxes - 1 : 0)) * DG_ORDER +
           DG_ORDER_OUTPUT;
}

/* Inputs and outputs of a .pte, which are no instructions; of a .pt2 they are nodes. */
static void add_ends(struct dg_box_loading *loading)
{
    struct dg_picture *picture = loading->picture;
    const struct dg_skeleton *skeleton = &loading->skeleton;

    for (size_t i = skeleton->n_rows; i < skeleton->n_nodes; i++) {
        const struct dg_skeleton_node *node = &skeleton->nodes[i];
        const struct dg_picture_graph *graph = &picture->graphs[node->graph];
        bool output = node->role != DG_ROLE_INPUT;
        struct dg_box *box;

        if (node->role == DG_ROLE_WEIGHT || !skeleton->graphs[node->graph].instructions)
            continue;
        loading->box_of[i] = picture->n_boxes;
        box = dg_picture_add_box(picture, output ? DG_BOX_OUTPUT : DG_BOX_INPUT);
        box->graph = node->graph;
        box->frame = graph->frame;
        box->order = order_of(picture, graph, output);
        box->title = box->name = skeleton->ends[node->end].name;
        box->value = skeleton->ends[node->end].value;
    }
}

static enum dg_status load_program(struct dg_box_loading *loading)
{
    struct dg_skeleton *skeleton = &loading->skeleton;
    enum dg_status status = dg_skeleton_read(skeleton, loading->in);

    if (status)
        return status;
    loading->box_of = dg_zeroed(skeleton->n_nodes + 1, sizeof(*loading->box_of));
    memset(loading->box_of, 0xff, skeleton->n_nodes * sizeof(*loading->box_of));
    add_graphs(loading);
    status = dg_boxes_load_nodes(loading);
    if (status)
        return status;
    add_ends(loading);
    status = dg_boxes_link(loading);
    if (!status)
        dg_boxes_add_flow(loading);
    return status;
}

static enum dg_status load(struct dg_box_loading *loading)
{
    const struct dg_view_input *in = loading->in;
    bool inside;
    enum dg_status status = dg_view_begin(loading->picture, in);

    if (!status)
        status = dg_boxes_is_inside(&inside, in);
    if (!status && !inside)
        status = load_program(loading);
    if (!status)
        status = dg_boxes_open_delegates(loading);
    if (status || inside)
        return status;
    return in->options->no_plan ? DG_OK : dg_boxes_load_plan(loading);
}

enum dg_status dg_boxes_load(struct dg_picture *picture, const struct dg_view_input *in)
{
    struct dg_box_loading loading = {.picture = picture, .in = in};
    enum dg_status status = load(&loading);

    free(loading.box_of);
    free(loading.module_frames);
    dg_text_set_clear(&loading.modules);
    dg_arena_adopt(&picture->memory, &loading.skeleton.memory);
    dg_skeleton_clear(&loading.skeleton);
    return status;
}
