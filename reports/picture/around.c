/* The neighbourhood of one node. */
#include "reports/picture/picture.h"

#include <stdlib.h>

#include "base/csr.h"

static bool joins_boxes(const struct dg_link *link)
{
    return link->kind == DG_LINK_DATA || link->kind == DG_LINK_JUMP;
}

/* Links of each box, both ways: link i is item 2 i of the one end, 2 i + 1 of the
 * other. */
static struct dg_csr find_neighbours(const struct dg_picture *picture,
                                     struct dg_arena *memory)
{
    uint32_t n_boxes = (uint32_t)picture->n_boxes;
    uint32_t n_ends = 2 * (uint32_t)picture->n_links;
    uint32_t *ends = dg_alloc(memory, n_ends, sizeof(*ends));
    struct dg_csr neighbours;

    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];

        ends[2 * i] = joins_boxes(link) ? (uint32_t)link->from : n_boxes;
        ends[2 * i + 1] = joins_boxes(link) ? (uint32_t)link->to : n_boxes;
    }
    dg_csr_by_key(&neighbours, ends, n_ends, n_boxes, memory);
    return neighbours;
}

static size_t other_end(const struct dg_link *link, size_t box)
{
    return link->from == box ? link->to : link->from;
}

struct walk {
    size_t *queue, *distance; /* SIZE_MAX: not reached */
    size_t n_queue;
};

static struct walk begin_walk(const struct dg_picture *picture)
{
    struct walk walk = {dg_zeroed(picture->n_boxes + 1, sizeof(size_t)),
                        dg_zeroed(picture->n_boxes + 1, sizeof(size_t)), 0};

    for (size_t i = 0; i < picture->n_boxes; i++)
        walk.distance[i] = SIZE_MAX;
    return walk;
}

static void reach(struct walk *walk, size_t box, size_t distance)
{
    if (walk->distance[box] != SIZE_MAX)
        return;
    walk->distance[box] = distance;
    walk->queue[walk->n_queue++] = box;
}

static void spread(const struct dg_picture *picture, struct walk *walk, size_t hops)
{
    struct dg_arena memory = {0};
    struct dg_csr neighbours = find_neighbours(picture, &memory);

    for (size_t i = 0; i < walk->n_queue; i++) {
        size_t box = walk->queue[i];

        if (walk->distance[box] == hops)
            continue;
        for (uint32_t k = neighbours.begins[box]; k < neighbours.begins[box + 1]; k++)
            reach(walk, other_end(&picture->links[neighbours.items[k] / 2], box),
                  walk->distance[box] + 1);
    }
    dg_arena_clear(&memory);
}

/* Drop what was not reached, and count at each border what it was linked to. */
static void cut(struct dg_picture *picture, const size_t *distance)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < picture->n_boxes; i++) {
        picture->n_cut += picture->boxes[i].drawn && distance[i] == SIZE_MAX;
        picture->boxes[i].drawn &= distance[i] != SIZE_MAX;
    }
    for (size_t i = 0; i < picture->n_links; i++) {
        struct dg_link link = picture->links[i];
        bool from = picture->boxes[link.from].drawn;
        bool graph = link.kind == DG_LINK_GRAPH;
        bool to = graph ? from : picture->boxes[link.to].drawn;

        if (from && to)
            picture->links[n_kept++] = link;
        else if (!joins_boxes(&link))
            continue;
        else if (from)
            picture->boxes[link.from].n_outside++;
        else if (to)
            picture->boxes[link.to].n_outside++;
    }
    picture->n_links = n_kept;
}

static enum dg_status fail_unknown(const char *what, const char *name,
                                   const char **names, size_t n_names,
                                   struct dg_error *err)
{
    const char *near = dg_nearest(name, names, n_names);

    if (near)
        return dg_fail(err, DG_ERR_USAGE, "no %s '%s'; did you mean '%s'?", what, name,
                       near);
    return dg_fail(err, DG_ERR_USAGE, "no %s '%s'", what, name);
}

static enum dg_status fail_unknown_node(const struct dg_picture *picture,
                                        const char *name, struct dg_error *err)
{
    const char **names = NULL;
    size_t n_names = 0;
    enum dg_status status;

    for (size_t i = 0; i < picture->n_boxes; i++)
        if (picture->boxes[i].name.data)
            *DG_APPEND(names, n_names) = picture->boxes[i].name.data;
    status = fail_unknown("node", name, names, n_names, err);
    free(names);
    return status;
}

/* A node that is drawn as part of its users stands for them. */
static void reach_users(const struct dg_picture *picture, struct walk *walk,
                        size_t folded)
{
    for (size_t i = 0; i < picture->n_folded_links; i++) {
        const struct dg_link *link = &picture->folded_links[i];

        if (link->from == folded && link->kind != DG_LINK_GRAPH &&
            picture->boxes[link->to].drawn)
            reach(walk, link->to, 0);
    }
}

enum dg_status dg_picture_around(struct dg_picture *picture, const char *name, int hops,
                                 struct dg_error *err)
{
    struct walk walk = begin_walk(picture);
    bool known = false;

    for (size_t i = 0; i < picture->n_boxes; i++) {
        if (!dg_text_is(picture->boxes[i].name, name))
            continue;
        known = true;
        if (picture->boxes[i].drawn)
            reach(&walk, i, 0);
        else
            reach_users(picture, &walk, i);
    }
    for (size_t i = 0; i < walk.n_queue; i++)
        picture->boxes[walk.queue[i]].marked = true;
    if (known) {
        spread(picture, &walk, hops < 0 ? 0 : (size_t)hops);
        cut(picture, walk.distance);
    }
    free(walk.queue);
    free(walk.distance);
    return known ? DG_OK : fail_unknown_node(picture, name, err);
}

/* By frame: whether it is of the module or lies inside; how many are. */
static size_t find_inside(const struct dg_picture *picture, const char *fqn,
                          size_t *inside)
{
    size_t count = 0;

    for (size_t i = 1; i < picture->n_frames; i++) {
        const struct dg_frame *frame = &picture->frames[i];

        inside[i] = inside[frame->parent] ||
                    (frame->kind == DG_FRAME_MODULE && dg_text_is(frame->key, fqn));
        count += inside[i];
    }
    return count;
}

static enum dg_status fail_unknown_module(const struct dg_picture *picture,
                                          const char *fqn, struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char **names = NULL;
    size_t n_names = 0;
    enum dg_status status;

    for (size_t i = 0; i < picture->n_frames; i++)
        if (picture->frames[i].kind == DG_FRAME_MODULE)
            *DG_APPEND(names, n_names) = dg_copy(&memory, picture->frames[i].key);
    status = fail_unknown("module", fqn, names, n_names, err);
    free(names);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_picture_module(struct dg_picture *picture, const char *fqn,
                                 struct dg_error *err)
{
    struct walk walk = begin_walk(picture);
    size_t *inside = dg_zeroed(picture->n_frames + 1, sizeof(size_t));
    bool known = find_inside(picture, fqn, inside) > 0;

    for (size_t i = 0; known && i < picture->n_boxes; i++)
        if (picture->boxes[i].drawn && inside[picture->boxes[i].frame])
            reach(&walk, i, 0);
    if (known) {
        spread(picture, &walk, 1);
        cut(picture, walk.distance);
    }
    free(inside);
    free(walk.queue);
    free(walk.distance);
    return known ? DG_OK : fail_unknown_module(picture, fqn, err);
}
