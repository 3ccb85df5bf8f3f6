/* The plain layout: each frame is laid out as a level of its own, the innermost first,
 * and is one large box in the frame around it. */
#include <stdlib.h>

#include "base/csr.h"
#include "reports/picture/layered.h"
#include "reports/picture/layout.h"

enum { LANES = 4, LANE_WIDTH = 8 }; /* beside the rows of a level */

/* Boxes come first, then frames: item n_boxes + f is frame f. */
struct nest {
    const struct dg_visible *visible;
    struct dg_layout *layout;
    size_t n_boxes, n_frames, n_items;
    struct dg_csr children; /* of each frame, in order */
    size_t *place;          /* by item: which child it is */
    size_t *depth;          /* by frame */
    struct dg_csr inside;   /* links, by the innermost frame around both ends */
    uint32_t *level_of;     /* by link: that frame; n_frames: not drawn */
    size_t *from, *to;      /* by link: the children of that frame */
    struct dg_curve *ways;  /* by link: the way inside that frame */
    struct dg_arena memory;
};

static size_t frame_around(const struct nest *nest, size_t item)
{
    if (item < nest->n_boxes)
        return dg_visible_frame_of(nest->visible, item);
    return nest->visible->outer[item - nest->n_boxes];
}

/* Items in the order in which their first boxes come. */
static size_t *order_items(const struct nest *nest, size_t *n_ordered)
{
    const struct dg_visible *visible = nest->visible;
    size_t *ordered = dg_zeroed(nest->n_items, sizeof(*ordered)), n = 0;
    bool *seen = dg_zeroed(nest->n_items, sizeof(*seen));

    for (size_t i = 0; i < visible->n_boxes; i++) {
        size_t item = visible->boxes[i];

        while (!seen[item]) {
            size_t frame = frame_around(nest, item);

            seen[item] = true;
            ordered[n++] = item;
            if (!frame)
                break;
            item = nest->n_boxes + frame;
        }
    }
    free(seen);
    *n_ordered = n;
    return ordered;
}

static void find_children(struct nest *nest)
{
    size_t n_ordered, *ordered = order_items(nest, &n_ordered);
    uint32_t *frames = dg_alloc(&nest->memory, n_ordered, sizeof(*frames));
    struct dg_csr *children = &nest->children;

    for (size_t i = 0; i < n_ordered; i++)
        frames[i] = (uint32_t)frame_around(nest, ordered[i]);
    dg_csr_by_key(children, frames, (uint32_t)n_ordered, (uint32_t)nest->n_frames,
                  &nest->memory);
    for (size_t k = 0; k < n_ordered; k++) {
        size_t item = ordered[children->items[k]];

        nest->place[item] = k - children->begins[frame_around(nest, item)];
        children->items[k] = (uint32_t)item;
    }
    for (size_t i = 1; i < nest->n_frames; i++)
        nest->depth[i] = nest->depth[nest->visible->outer[i]] + 1;
    free(ordered);
}

static size_t depth_of(const struct nest *nest, size_t item)
{
    return nest->depth[frame_around(nest, item)];
}

/* Lift both ends until one frame is around them. */
static void lift(struct nest *nest, size_t link)
{
    const struct dg_link *links = nest->visible->picture->links;
    size_t a = links[link].from, b = dg_visible_head(nest->visible, &links[link]);

    nest->level_of[link] = (uint32_t)nest->n_frames;
    if (b == SIZE_MAX)
        return;
    if (links[link].kind == DG_LINK_GRAPH &&
        dg_visible_draws_frame(nest->visible, links[link].to))
        b = nest->n_boxes + links[link].to;
    while (depth_of(nest, a) > depth_of(nest, b))
        a = nest->n_boxes + frame_around(nest, a);
    while (depth_of(nest, b) > depth_of(nest, a))
        b = nest->n_boxes + frame_around(nest, b);
    while (frame_around(nest, a) != frame_around(nest, b)) {
        a = nest->n_boxes + frame_around(nest, a);
        b = nest->n_boxes + frame_around(nest, b);
    }
    if (a == b)
        return;
    nest->from[link] = nest->place[a];
    nest->to[link] = nest->place[b];
    nest->level_of[link] = (uint32_t)frame_around(nest, a);
}

static void find_levels(struct nest *nest)
{
    size_t n_links = nest->visible->picture->n_links;

    for (size_t i = 0; i < n_links; i++)
        lift(nest, i);
    dg_csr_by_key(&nest->inside, nest->level_of, (uint32_t)n_links,
                  (uint32_t)nest->n_frames, &nest->memory);
}

static struct dg_rect *rect_of(const struct nest *nest, size_t item)
{
    return item < nest->n_boxes ? &nest->layout->boxes[item]
                                : &nest->layout->frames[item - nest->n_boxes];
}

static void fill_level(struct dg_level *level, const struct nest *nest, size_t frame)
{
    const struct dg_link *links = nest->visible->picture->links;
    const uint32_t *children = nest->children.items + nest->children.begins[frame];
    const uint32_t *inside = nest->inside.items + nest->inside.begins[frame];

    level->row_gap = nest->layout->small ? DG_ROW_GAP / 3 : DG_ROW_GAP;
    level->column_gap = nest->layout->small ? DG_COLUMN_GAP / 3 : DG_COLUMN_GAP;
    level->n_vertices = nest->children.begins[frame + 1] - nest->children.begins[frame];
    level->n_edges = nest->inside.begins[frame + 1] - nest->inside.begins[frame];
    level->vertices = dg_zeroed(level->n_vertices, sizeof(*level->vertices));
    level->edges = dg_zeroed(level->n_edges, sizeof(*level->edges));
    for (size_t i = 0; i < level->n_vertices; i++) {
        const struct dg_rect *rect = rect_of(nest, children[i]);

        level->vertices[i] = (struct dg_vertex){.w = rect->w, .h = rect->h};
    }
    for (size_t i = 0; i < level->n_edges; i++)
        level->edges[i] = (struct dg_edge){
            .from = nest->from[inside[i]],
            .to = nest->to[inside[i]],
            .labelled = !nest->layout->small && dg_link_size(&links[inside[i]]).w > 0};
}

/* Beside the rows, on the left down and on the right up. */
static void run_aside(struct dg_point *way, const struct dg_level *level,
                      const struct dg_edge *edge, size_t lane)
{
    const struct dg_vertex *from = &level->vertices[edge->from];
    const struct dg_vertex *to = &level->vertices[edge->to];
    double side = LANE_WIDTH * (double)(lane % LANES + 1);

    if (from->row < to->row) {
        way[0] = (struct dg_point){-side, level->ends[from->row] + level->row_gap};
        way[1] = (struct dg_point){-side, level->tops[to->row] - level->row_gap};
    } else {
        way[0] = (struct dg_point){level->width + side, from->y};
        way[1] = (struct dg_point){level->width + side, to->y};
    }
}

static void keep_way(struct nest *nest, size_t link, const struct dg_level *level,
                     const struct dg_edge *edge, size_t lane)
{
    struct dg_curve *way = &nest->ways[link];

    way->n_points = edge->aside ? 2 : 2 * edge->n_dummies;
    way->points =
        dg_alloc(&nest->layout->memory, way->n_points + 1, sizeof(*way->points));
    if (edge->aside) {
        run_aside(way->points, level, edge, lane);
        return;
    }
    for (size_t i = 0; i < edge->n_dummies; i++) {
        const struct dg_vertex *dummy = &level->vertices[edge->first_dummy + i];

        way->points[2 * i] = (struct dg_point){dummy->x, level->tops[dummy->row]};
        way->points[2 * i + 1] = (struct dg_point){dummy->x, level->ends[dummy->row]};
    }
}

/* Lanes are part of the level where any link needs one. */
static double margin_of(const struct dg_level *level)
{
    for (size_t i = 0; i < level->n_edges; i++)
        if (level->edges[i].aside)
            return LANE_WIDTH * (LANES + 1);
    return 0;
}

/* What a frame keeps free around what is in it. */
static struct dg_rect frame_room(const struct nest *nest, size_t frame)
{
    struct dg_size label = {0, 0};

    if (!frame)
        return (struct dg_rect){0};
    label = dg_frame_size(nest->visible, frame);
    return (struct dg_rect){DG_FRAME_PAD, DG_FRAME_PAD + label.h, label.w,
                            DG_FRAME_PAD};
}

/* Places of children are relative to their frame until settle(). */
static void keep_level(struct nest *nest, size_t frame, const struct dg_level *level)
{
    const uint32_t *children = nest->children.items + nest->children.begins[frame];
    const uint32_t *inside = nest->inside.items + nest->inside.begins[frame];
    size_t n_children = nest->children.begins[frame + 1] - nest->children.begins[frame];
    struct dg_rect room = frame_room(nest, frame);
    double width = level->width + 2 * margin_of(level), inset;
    struct dg_rect *rect = &nest->layout->frames[frame];

    rect->w = (width > room.w ? width : room.w) + 2 * room.x;
    rect->h = level->height + room.y + room.h;
    inset = (rect->w - level->width) / 2;
    for (size_t i = 0; i < n_children; i++) {
        struct dg_rect *child = rect_of(nest, children[i]);

        child->x = level->vertices[i].x - child->w / 2 + inset;
        child->y = level->vertices[i].y - child->h / 2 + room.y;
    }
    for (size_t i = 0; i < level->n_edges; i++) {
        struct dg_curve *way = &nest->ways[inside[i]];

        keep_way(nest, inside[i], level, &level->edges[i], i);
        for (size_t k = 0; k < way->n_points; k++) {
            way->points[k].x += inset;
            way->points[k].y += room.y;
        }
    }
}

static void lay_out_frame(struct nest *nest, size_t frame)
{
    struct dg_level level = {0};

    fill_level(&level, nest, frame);
    dg_level_rows(&level);
    dg_level_order(&level);
    dg_level_place(&level);
    keep_level(nest, frame, &level);
    dg_level_clear(&level);
}

/* From places in frames to places in the picture. */
static void settle(struct nest *nest)
{
    struct dg_layout *layout = nest->layout;
    const struct dg_visible *visible = nest->visible;

    for (size_t i = 1; i < nest->n_frames; i++)
        if (dg_visible_draws_frame(visible, i)) {
            layout->frames[i].x += layout->frames[visible->outer[i]].x;
            layout->frames[i].y += layout->frames[visible->outer[i]].y;
        }
    for (size_t i = 0; i < visible->n_boxes; i++) {
        size_t frame = dg_visible_frame_of(visible, visible->boxes[i]);

        layout->boxes[visible->boxes[i]].x += layout->frames[frame].x;
        layout->boxes[visible->boxes[i]].y += layout->frames[frame].y;
    }
    layout->width = layout->frames[0].w;
    layout->height = layout->frames[0].h;
    layout->frames[0] = (struct dg_rect){0};
}

static void open_nest(struct nest *nest, struct dg_layout *layout,
                      const struct dg_visible *visible)
{
    size_t n_boxes = visible->picture->n_boxes, n_links = visible->picture->n_links;
    size_t n_frames = visible->picture->n_frames ? visible->picture->n_frames : 1;
    size_t n_items = n_boxes + n_frames;

    *nest = (struct nest){.visible = visible,
                          .layout = layout,
                          .n_boxes = n_boxes,
                          .n_frames = n_frames,
                          .n_items = n_items};
    nest->place = dg_alloc(&nest->memory, n_items, sizeof(size_t));
    nest->depth = dg_alloc(&nest->memory, n_frames, sizeof(size_t));
    nest->level_of = dg_alloc(&nest->memory, n_links, sizeof(uint32_t));
    nest->from = dg_alloc(&nest->memory, n_links, sizeof(size_t));
    nest->to = dg_alloc(&nest->memory, n_links, sizeof(size_t));
    nest->ways = dg_alloc(&nest->memory, n_links, sizeof(struct dg_curve));
    find_children(nest);
    find_levels(nest);
}

static void draw_links(struct nest *nest)
{
    const struct dg_picture *picture = nest->visible->picture;
    struct dg_layout *layout = nest->layout;

    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];
        size_t level = nest->level_of[i], to = dg_visible_head(nest->visible, link);
        const struct dg_rect *end;

        if (level == nest->n_frames || link->kind == DG_LINK_ORDER)
            continue;
        end = link->kind == DG_LINK_GRAPH &&
                      dg_visible_draws_frame(nest->visible, link->to)
                  ? &layout->frames[link->to]
                  : &layout->boxes[to];
        for (size_t k = 0; k < nest->ways[i].n_points; k++) {
            nest->ways[i].points[k].x += level ? layout->frames[level].x : 0;
            nest->ways[i].points[k].y += level ? layout->frames[level].y : 0;
        }
        dg_curve_bend(&layout->links[i], &nest->ways[i], &layout->boxes[link->from],
                      end, &layout->memory);
    }
}

void dg_layout_layered(struct dg_layout *layout, const struct dg_visible *visible)
{
    struct nest nest;

    dg_layout_open(layout, visible);
    for (size_t i = 0; i < visible->n_boxes; i++) {
        struct dg_size size = dg_box_size(visible, visible->boxes[i]);

        layout->boxes[visible->boxes[i]] = (struct dg_rect){0, 0, size.w, size.h};
    }
    open_nest(&nest, layout, visible);
    for (size_t i = nest.n_frames; i-- > 0;)
        if (!i || dg_visible_draws_frame(visible, i))
            lay_out_frame(&nest, i);
    settle(&nest);
    draw_links(&nest);
    dg_arena_clear(&nest.memory);
}
