/* Jumps of a .pte, and the blocks of instructions between them as frames. */
#include <stdlib.h>

#include "reports/views/graph_load.h"

/* The box of an instruction; SIZE_MAX when there is no such one. */
static size_t instruction(const struct dg_picture *picture, size_t graph, int64_t index)
{
    const struct dg_picture_graph *of = &picture->graphs[graph];
    size_t box = of->first_box + (size_t)index;

    if (index < 0 || (uint64_t)index >= of->n_boxes ||
        picture->boxes[box].index != index)
        return SIZE_MAX;
    return box;
}

static void link_jump(struct dg_picture *picture, size_t from, int64_t index,
                      const char *label)
{
    size_t to = instruction(picture, picture->boxes[from].graph, index);
    struct dg_link *link;

    if (to == SIZE_MAX)
        return;
    link = dg_picture_add_link(picture, from, to);
    link->kind = DG_LINK_JUMP;
    link->label = dg_text(label);
}

static void link_jumps(struct dg_picture *picture, const bool *always)
{
    for (size_t i = 0; i < picture->n_boxes; i++) {
        struct dg_box *box = &picture->boxes[i];

        if (box->kind != DG_BOX_JUMP)
            continue;
        box->title = dg_text(always[i] ? "jump" : "jump if false");
        if (!always[i] && box->index < INT64_MAX)
            link_jump(picture, i, box->index + 1, "true");
        link_jump(picture, i, box->jump, always[i] ? NULL : "false");
    }
}

/* Boxes where a block begins: behind jumps and where they lead. */
static void find_leaders(const struct dg_picture *picture, size_t graph, bool *leads)
{
    const struct dg_picture_graph *of = &picture->graphs[graph];

    for (size_t i = of->first_box; i < of->first_box + of->n_boxes; i++) {
        const struct dg_box *box = &picture->boxes[i];
        size_t to = instruction(picture, graph, box->jump);

        if (box->kind != DG_BOX_JUMP)
            continue;
        leads[of->first_box] = true;
        if (i + 1 < of->first_box + of->n_boxes)
            leads[i + 1] = true;
        if (to != SIZE_MAX)
            leads[to] = true;
    }
}

static void frame_blocks(struct dg_picture *picture, size_t graph, const bool *leads)
{
    const struct dg_picture_graph *of = &picture->graphs[graph];
    size_t end = of->first_box + of->n_boxes, frame = of->frame;

    for (size_t i = of->first_box; i < end; i++) {
        if (leads[i]) {
            size_t last = i;

            while (last + 1 < end && !leads[last + 1])
                last++;
            frame = dg_picture_add_frame(picture, DG_FRAME_BLOCK, of->frame,
                                         dg_format(&picture->memory,
                                                   "instructions %d to %d",
                                                   (int)picture->boxes[i].index,
                                                   (int)picture->boxes[last].index));
        }
        if (frame != of->frame)
            picture->boxes[i].frame = frame;
    }
}

/* Blocks that run into the next one, and jumps below what runs before them. */
static void link_neighbours(struct dg_picture *picture, const bool *leads)
{
    for (size_t i = 0; i + 1 < picture->n_boxes; i++) {
        const struct dg_box *box = &picture->boxes[i], *next = box + 1;
        bool jumps = box->kind == DG_BOX_JUMP, led = leads[i + 1];

        if (jumps || box->graph != next->graph || box->index == DG_NONE ||
            next->index == DG_NONE || (!led && next->kind != DG_BOX_JUMP))
            continue;
        dg_picture_add_link(picture, i, i + 1)->kind =
            led ? DG_LINK_JUMP : DG_LINK_ORDER;
    }
}

/* A jump whose condition is the literal `false` is how a branch ends. */
static enum dg_status find_always(const struct dg_box_loading *loading, bool *always)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_view_open(&rows, loading->in,
                     "SELECT node.id FROM node JOIN graph ON graph.id = node.graph_id"
                     " JOIN method ON method.id = graph.method_id"
                     " JOIN operand ON operand.node_id = node.id"
                     " JOIN value ON value.id = operand.value_id"
                     " WHERE node.kind = 'jump_false_call' AND value.kind = 'bool'"
                     "   AND value.scalar = 0"
                     "   AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.dst = node.id)"
                     "   AND" DG_VIEW_CHOSEN);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        size_t box = dg_boxes_find(loading->box_of_node, loading->n_nodes,
                                   dg_rows_int(&rows, 0));

        if (box != SIZE_MAX)
            always[box] = true;
    }
    return dg_rows_close(&rows, DG_OK, loading->in->err);
}

enum dg_status dg_boxes_load_flow(struct dg_box_loading *loading)
{
    struct dg_picture *picture = loading->picture;
    bool *always = dg_zeroed(picture->n_boxes + 1, sizeof(bool)),
         *leads = dg_zeroed(picture->n_boxes + 1, sizeof(bool));
    enum dg_status status = find_always(loading, always);

    if (!status) {
        link_jumps(picture, always);
        for (size_t graph = 0; graph < picture->n_graphs; graph++)
            find_leaders(picture, graph, leads);
        for (size_t graph = 0; graph < picture->n_graphs; graph++)
            frame_blocks(picture, graph, leads);
        link_neighbours(picture, leads);
    }
    free(always);
    free(leads);
    return status;
}
