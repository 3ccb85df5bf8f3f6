/* Jumps of a .pte, and the blocks of instructions between them as frames. */
#include "reports/views/graph_load.h"

/* The box of an instruction; SIZE_MAX when there is no such one. */
static size_t box_at(const struct dg_box_loading *loading, const struct dg_flow *flow,
                     int64_t index)
{
    return index >= 0 && index < flow->n_nodes
               ? dg_boxes_find(loading, flow->first_id + index)
               : SIZE_MAX;
}

static void add_link(struct dg_picture *picture, size_t from, size_t to,
                     enum dg_link_kind kind, const char *label)
{
    struct dg_link *link;

    if (from == SIZE_MAX || to == SIZE_MAX)
        return;
    link = dg_picture_add_link(picture, from, to);
    link->kind = kind;
    link->label = dg_text(label);
}

/* A jump whose condition is the literal `false` is how a branch ends. */
static void link_jumps(struct dg_box_loading *loading, const struct dg_flow *flow)
{
    struct dg_picture *picture = loading->picture;

    for (uint32_t i = 0; i < flow->n_nodes; i++) {
        bool falls = flow->nodes[i].falls;
        size_t box = box_at(loading, flow, i);

        if (box == SIZE_MAX || picture->boxes[box].kind != DG_BOX_JUMP)
            continue;
        picture->boxes[box].title = dg_text(falls ? "jump if false" : "jump");
        if (falls)
            add_link(picture, box, box_at(loading, flow, (int64_t)i + 1), DG_LINK_JUMP,
                     "true");
        add_link(picture, box, box_at(loading, flow, flow->nodes[i].jump), DG_LINK_JUMP,
                 falls ? "false" : NULL);
    }
}

static void frame_block(struct dg_box_loading *loading, const struct dg_flow *flow,
                        uint32_t begin, uint32_t end)
{
    struct dg_picture *picture = loading->picture;
    size_t frame = SIZE_MAX;

    for (uint32_t i = begin; i < end; i++) {
        size_t box = box_at(loading, flow, i);

        if (box != SIZE_MAX && frame == SIZE_MAX)
            frame = dg_picture_add_frame(
                picture, DG_FRAME_BLOCK,
                picture->graphs[picture->boxes[box].graph].frame,
                dg_format(&picture->memory, "instructions %u to %u", begin, end - 1));
        if (box != SIZE_MAX)
            picture->boxes[box].frame = frame;
    }
}

/* Blocks that run into the next one, and jumps below what runs before them. */
static void link_neighbours(struct dg_box_loading *loading, const struct dg_flow *flow)
{
    struct dg_picture *picture = loading->picture;

    for (uint32_t i = 0; i + 1 < flow->n_nodes; i++) {
        size_t box = box_at(loading, flow, i), next = box_at(loading, flow, i + 1);
        bool led = flow->block_of[i] != flow->block_of[i + 1];

        if (box != SIZE_MAX && next != SIZE_MAX &&
            picture->boxes[box].kind != DG_BOX_JUMP &&
            (led || picture->boxes[next].kind == DG_BOX_JUMP))
            add_link(picture, box, next, led ? DG_LINK_JUMP : DG_LINK_ORDER, NULL);
    }
}

void dg_boxes_add_flow(struct dg_box_loading *loading)
{
    const struct dg_skeleton *skeleton = &loading->skeleton;

    for (size_t g = 0; g < skeleton->n_graphs; g++) {
        const struct dg_flow *flow = &skeleton->graphs[g].flow;

        link_jumps(loading, flow);
        for (uint32_t b = 0; flow->n_blocks > 1 && b < flow->n_blocks; b++)
            frame_block(loading, flow, flow->blocks[b].begin,
                        b + 1 < flow->n_blocks ? flow->blocks[b + 1].begin
                                               : flow->n_nodes);
        link_neighbours(loading, flow);
    }
}
