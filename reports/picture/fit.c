/* Fitting a picture into a number of boxes: frames are drawn closed, as one box each.
 */
#include "reports/picture/collapse.h"

#include <stdlib.h>

#include "base/sorted.h"

enum { LONGEST_RUN = 24, SHORTEST_RUN = 2 }; /* boxes or frames in one run */

struct child {
    bool is_frame;
    size_t index; /* of the box or frame */
    uint64_t order;
};

struct children { /* of one frame */
    struct child *items;
    size_t n_items;
};

static int by_order(const void *left, const void *right)
{
    const struct child *a = left, *b = right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void adopt(struct children *of, size_t frame, struct child child)
{
    *DG_APPEND(of[frame].items, of[frame].n_items) = child;
}

/* Frames are made after their parents, so one pass from the end finds the first box. */
static struct children *find_children(struct dg_picture *picture)
{
    struct children *of = NULL;
    size_t n_of = 0;

    while (n_of < picture->n_frames)
        *DG_APPEND(of, n_of) = (struct children){0};
    for (size_t i = 0; i < picture->n_boxes; i++) {
        const struct dg_box *box = &picture->boxes[i];

        if (!box->drawn)
            continue;
        adopt(of, box->frame, (struct child){false, i, box->order});
        if (picture->frames[box->frame].first > box->order)
            picture->frames[box->frame].first = box->order;
    }
    for (size_t i = picture->n_frames; i-- > 1;) {
        struct dg_frame *frame = &picture->frames[i];
        struct dg_frame *parent = &picture->frames[frame->parent];

        if (frame->first < parent->first)
            parent->first = frame->first;
        if (of[i].n_items)
            adopt(of, frame->parent, (struct child){true, i, frame->first});
    }
    for (size_t i = 0; i < picture->n_frames; i++)
        dg_sort(of[i].items, of[i].n_items, sizeof(*of[i].items), by_order);
    return of;
}

static bool stands_alone(const struct dg_picture *picture, const struct child *child)
{
    return child->is_frame ? picture->frames[child->index].kind == DG_FRAME_PART
                           : picture->boxes[child->index].kind == DG_BOX_DELEGATE;
}

static struct dg_text name_of(const struct dg_picture *picture,
                              const struct child *child)
{
    return child->is_frame ? picture->frames[child->index].label
                           : picture->boxes[child->index].name;
}

/* Put `run` into a frame of its own inside `parent`. */
static struct child part(struct dg_picture *picture, struct children **of,
                         size_t parent, struct children run)
{
    struct child *last = &run.items[run.n_items - 1];
    struct dg_text from =
        dg_elide(&picture->memory, name_of(picture, &run.items[0]), 12);
    struct dg_text to = dg_elide(&picture->memory, name_of(picture, last), 12);
    struct dg_text label =
        dg_format(&picture->memory, "%.*s \xe2\x80\xa6 %.*s", (int)from.size,
                  from.data ? from.data : "", (int)to.size, to.data ? to.data : "");
    size_t frame = dg_picture_add_frame(picture, DG_FRAME_RUN, parent, label);
    size_t n_frames = frame;
    struct children *children = DG_APPEND(*of, n_frames);

    picture->frames[frame].first = run.items[0].order;
    *children = (struct children){0};
    for (size_t i = 0; i < run.n_items; i++) {
        if (run.items[i].is_frame)
            picture->frames[run.items[i].index].parent = frame;
        else
            picture->boxes[run.items[i].index].frame = frame;
        *DG_APPEND(children->items, children->n_items) = run.items[i];
    }
    return (struct child){true, frame, run.items[0].order};
}

/* Part the children of `frame` into runs of at most `longest`. */
static void part_once(struct dg_picture *picture, struct children **of, size_t frame,
                      size_t longest, bool spare_delegates)
{
    struct children before = (*of)[frame], after = {0};
    size_t begin = 0;

    for (size_t i = 0; i <= before.n_items; i++) {
        bool alone = i < before.n_items && spare_delegates &&
                     stands_alone(picture, &before.items[i]);
        size_t length = i - begin;

        if (i < before.n_items && !alone && length < longest)
            continue;
        if (length == 1)
            *DG_APPEND(after.items, after.n_items) = before.items[begin];
        else if (length)
            *DG_APPEND(after.items, after.n_items) = part(
                picture, of, frame, (struct children){before.items + begin, length});
        if (alone)
            *DG_APPEND(after.items, after.n_items) = before.items[i];
        begin = i + alone;
    }
    free(before.items);
    (*of)[frame] = after;
}

/* Long rows of boxes and frames become a tree. */
static void part_rows(struct dg_picture *picture, struct children **of, size_t most)
{
    size_t n_frames = picture->n_frames;
    size_t longest = most / 4 < LONGEST_RUN ? most / 4 : LONGEST_RUN;

    if (longest < SHORTEST_RUN)
        longest = SHORTEST_RUN;
    for (size_t frame = 0; frame < n_frames; frame++) {
        if ((*of)[frame].n_items > longest)
            part_once(picture, of, frame, longest, true);
        while ((*of)[frame].n_items > 4 * longest)
            part_once(picture, of, frame, longest, false);
    }
}

/* Open frames from the outermost inwards as long as there is room. */
static void open_frames(struct dg_picture *picture, const struct children *of,
                        size_t most)
{
    size_t *queue = dg_zeroed(picture->n_frames, sizeof(*queue));
    size_t n_queue = 0, n_drawn = 1;

    queue[n_queue++] = 0;
    for (size_t i = 0; i < n_queue; i++) {
        size_t frame = queue[i];
        bool fits = n_drawn - 1 + of[frame].n_items <= most || !frame;

        picture->frames[frame].closed = !fits;
        n_drawn += fits ? of[frame].n_items - 1 : 0;
        for (size_t k = 0; fits && k < of[frame].n_items; k++)
            if (of[frame].items[k].is_frame)
                queue[n_queue++] = of[frame].items[k].index;
    }
    free(queue);
}

static void add_group(struct dg_picture *picture, size_t frame, size_t first)
{
    struct dg_text command = dg_command_of_frame(picture, frame, first);
    struct dg_box *box = dg_picture_add_box(picture, DG_BOX_GROUP);

    box->command = command;
    box->title = picture->frames[frame].label;
    box->name = picture->frames[frame].key;
    box->frame = picture->frames[frame].parent;
    box->order = picture->boxes[first].order / DG_ORDER * DG_ORDER + DG_ORDER_BESIDE;
    picture->frames[frame].box = picture->n_boxes - 1;
    picture->n_groups++;
}

/* A box for each closed frame in which anything is drawn. */
static void add_groups(struct dg_picture *picture)
{
    size_t n_boxes = picture->n_boxes;

    for (size_t i = 0; i < n_boxes; i++) {
        size_t closed = 0;

        for (size_t f = picture->boxes[i].frame; f; f = picture->frames[f].parent)
            closed = picture->frames[f].closed ? f : closed;
        if (picture->boxes[i].drawn && closed && !picture->frames[closed].box)
            add_group(picture, closed, i);
    }
}

/* Draw closed frames as folders, and say so. */
static void close_frames(struct dg_picture *picture)
{
    size_t first = picture->n_boxes;

    add_groups(picture);
    picture->n_hidden += dg_picture_collapse(picture);
    if (first < picture->n_boxes)
        dg_picture_hint(picture,
                        "%zu boxes are hidden in %zu folders; --max-boxes N opens "
                        "more; the first: delegraph dot %s %s",
                        picture->n_hidden, picture->n_groups,
                        picture->path.data ? picture->path.data : "FILE",
                        picture->boxes[first].command.data);
}

void dg_picture_close_parts(struct dg_picture *picture)
{
    for (size_t i = 0; i < picture->n_frames; i++)
        picture->frames[i].closed |= picture->frames[i].kind == DG_FRAME_PART;
    close_frames(picture);
}

void dg_picture_fit(struct dg_picture *picture, size_t most)
{
    struct children *of;

    if (dg_picture_n_drawn(picture) <= most)
        return;
    of = find_children(picture);
    part_rows(picture, &of, most);
    open_frames(picture, of, most);
    for (size_t i = 0; i < picture->n_frames; i++)
        free(of[i].items);
    free(of);
    close_frames(picture);
}
