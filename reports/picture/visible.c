/* What of a picture is drawn, and in which order. */
#include "reports/picture/visible.h"

#include <stdlib.h>

#include "base/sorted.h"

enum {
    MOST_BACKENDS = 64, /* that are told apart */
    MOST_DEPTH = 24,    /* of frames in frames; those below are not drawn */
};

struct numbered {
    size_t box;
    uint64_t order;
};

static int by_order(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->box > b->box) - (a->box < b->box);
}

size_t *dg_boxes_in_order(const struct dg_picture *picture, size_t *n_boxes)
{
    struct numbered *numbered = dg_zeroed(picture->n_boxes, sizeof(*numbered));
    size_t *boxes = dg_zeroed(picture->n_boxes, sizeof(*boxes));

    *n_boxes = 0;
    for (size_t i = 0; i < picture->n_boxes; i++)
        if (picture->boxes[i].drawn)
            numbered[(*n_boxes)++] = (struct numbered){i, picture->boxes[i].order};
    dg_sort(numbered, *n_boxes, sizeof(*numbered), by_order);
    for (size_t i = 0; i < *n_boxes; i++)
        boxes[i] = numbered[i].box;
    free(numbered);
    return boxes;
}

static void note_first(struct dg_visible *visible, size_t frame, size_t box)
{
    const struct dg_box *boxes = visible->picture->boxes;
    size_t *first = &visible->first[frame];

    if (box != SIZE_MAX &&
        (*first == SIZE_MAX || boxes[box].order < boxes[*first].order))
        *first = box;
}

/* Runs are never drawn, nor is what holds nothing, nor a module around one thing. */
static bool is_needless(const struct dg_frame *frame, size_t n_inside)
{
    return !n_inside || frame->kind == DG_FRAME_RUN ||
           (frame->kind == DG_FRAME_MODULE && n_inside < 2);
}

/* Parents come before their children. Marks what is drawn in `frames`. */
static void survey_frames(struct dg_visible *visible)
{
    const struct dg_picture *picture = visible->picture;
    size_t *n_inside = dg_zeroed(picture->n_frames, sizeof(*n_inside));

    for (size_t i = 0; i < picture->n_frames; i++)
        visible->first[i] = SIZE_MAX;
    for (size_t i = visible->n_boxes; i-- > 0;) {
        size_t frame = picture->boxes[visible->boxes[i]].frame;

        n_inside[frame]++;
        note_first(visible, frame, visible->boxes[i]);
    }
    for (size_t i = picture->n_frames; i-- > 1;) {
        const struct dg_frame *frame = &picture->frames[i];
        bool transparent = frame->kind == DG_FRAME_RUN;

        visible->frames[i] = !is_needless(frame, n_inside[i]);
        n_inside[frame->parent] += transparent ? n_inside[i] : n_inside[i] > 0;
        note_first(visible, frame->parent, visible->first[i]);
    }
    free(n_inside);
}

static void nest_frames(struct dg_visible *visible)
{
    const struct dg_picture *picture = visible->picture;
    size_t *depth = dg_zeroed(picture->n_frames, sizeof(*depth));

    for (size_t i = 1; i < picture->n_frames; i++) {
        size_t outer = visible->frames[picture->frames[i].parent];
        bool drawn = visible->frames[i] && depth[outer] < MOST_DEPTH;

        visible->outer[i] = outer;
        visible->frames[i] = drawn ? i : outer;
        depth[i] = depth[outer] + drawn;
    }
    free(depth);
}

struct names {
    struct dg_text items[MOST_BACKENDS];
    size_t n_items;
};

static size_t number_of(struct names *names, struct dg_text name)
{
    size_t i = 0;

    while (i < names->n_items && !dg_text_equal(names->items[i], name))
        i++;
    if (i == names->n_items && i < MOST_BACKENDS)
        names->items[names->n_items++] = name;
    return i;
}

/* Backends of partitions come first: their frames have these numbers already. */
static void number_backends(struct dg_visible *visible)
{
    const struct dg_picture *picture = visible->picture;
    struct names names = {.n_items = 0};

    for (size_t i = 0; i < picture->n_backends && i < MOST_BACKENDS; i++)
        names.items[names.n_items++] = picture->backends[i];
    for (size_t i = 0; i < visible->n_boxes; i++) {
        const struct dg_box *box = &picture->boxes[visible->boxes[i]];

        if (box->backend.data)
            visible->backends[visible->boxes[i]] = number_of(&names, box->backend);
    }
    visible->n_backends = names.n_items;
}

void dg_visible_open(struct dg_visible *visible, const struct dg_picture *picture)
{
    *visible = (struct dg_visible){
        .picture = picture,
        .frames = dg_zeroed(picture->n_frames, sizeof(size_t)),
        .outer = dg_zeroed(picture->n_frames, sizeof(size_t)),
        .first = dg_zeroed(picture->n_frames, sizeof(size_t)),
        .backends = dg_zeroed(picture->n_boxes, sizeof(size_t)),
    };
    visible->boxes = dg_boxes_in_order(picture, &visible->n_boxes);
    for (size_t i = 0; i < visible->n_boxes; i++) {
        double took = dg_box_took(picture, &picture->boxes[visible->boxes[i]]);

        visible->most_took = took > visible->most_took ? took : visible->most_took;
    }
    if (picture->n_frames) {
        survey_frames(visible);
        nest_frames(visible);
    }
    number_backends(visible);
}

void dg_visible_close(struct dg_visible *visible)
{
    free(visible->boxes);
    free(visible->frames);
    free(visible->outer);
    free(visible->first);
    free(visible->backends);
    *visible = (struct dg_visible){0};
}

size_t dg_visible_frame_of(const struct dg_visible *visible, size_t box)
{
    return visible->frames[visible->picture->boxes[box].frame];
}

size_t dg_visible_head(const struct dg_visible *visible, const struct dg_link *link)
{
    const struct dg_picture *picture = visible->picture;
    size_t to = link->kind == DG_LINK_GRAPH ? visible->first[link->to] : link->to;

    if (to == SIZE_MAX || !picture->boxes[link->from].drawn ||
        !picture->boxes[to].drawn)
        return SIZE_MAX;
    return to;
}

bool dg_visible_is_backward(const struct dg_visible *visible,
                            const struct dg_link *link)
{
    const struct dg_box *boxes = visible->picture->boxes;
    size_t to = dg_visible_head(visible, link);

    return to != SIZE_MAX && boxes[to].order <= boxes[link->from].order;
}

bool dg_visible_draws_frame(const struct dg_visible *visible, size_t frame)
{
    return frame && visible->frames[frame] == frame;
}

void dg_write_box_id(struct dg_writer *out, const struct dg_picture *picture,
                     size_t box)
{
    int64_t node = picture->boxes[box].node;

    if (node)
        dg_print(out, "n%lld", (long long)node);
    else
        dg_print(out, "b%zu", box);
}
