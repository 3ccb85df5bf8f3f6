/* What of a picture is drawn, and in which order. */
#include "reports/picture/scene.h"

#include <stdlib.h>

enum {
    MOST_BACKENDS = 64, /* that are told apart */
    MOST_DEPTH = 24,    /* of frames in frames; those below are not drawn */
};

void *dg_table(size_t count, size_t size)
{
    void *items = calloc(count + 1, size);

    if (!items)
        dg_out_of_memory();
    return items;
}

struct place {
    size_t box;
    uint64_t order;
};

static int by_order(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->box > b->box) - (a->box < b->box);
}

static void sort_boxes(struct dg_scene *scene)
{
    const struct dg_picture *picture = scene->picture;
    struct place *places = dg_table(picture->n_boxes, sizeof(*places));

    for (size_t i = 0; i < picture->n_boxes; i++)
        if (picture->boxes[i].drawn)
            places[scene->n_boxes++] = (struct place){i, picture->boxes[i].order};
    qsort(places, scene->n_boxes, sizeof(*places), by_order);
    for (size_t i = 0; i < scene->n_boxes; i++)
        scene->boxes[i] = places[i].box;
    free(places);
}

static void note_first(struct dg_scene *scene, size_t frame, size_t box)
{
    const struct dg_box *boxes = scene->picture->boxes;
    size_t *first = &scene->first[frame];

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
static void survey_frames(struct dg_scene *scene)
{
    const struct dg_picture *picture = scene->picture;
    size_t *n_inside = dg_table(picture->n_frames, sizeof(*n_inside));

    for (size_t i = 0; i < picture->n_frames; i++)
        scene->first[i] = SIZE_MAX;
    for (size_t i = scene->n_boxes; i-- > 0;) {
        size_t frame = picture->boxes[scene->boxes[i]].frame;

        n_inside[frame]++;
        note_first(scene, frame, scene->boxes[i]);
    }
    for (size_t i = picture->n_frames; i-- > 1;) {
        const struct dg_frame *frame = &picture->frames[i];
        bool transparent = frame->kind == DG_FRAME_RUN;

        scene->frames[i] = !is_needless(frame, n_inside[i]);
        n_inside[frame->parent] += transparent ? n_inside[i] : n_inside[i] > 0;
        note_first(scene, frame->parent, scene->first[i]);
    }
    free(n_inside);
}

static void nest_frames(struct dg_scene *scene)
{
    const struct dg_picture *picture = scene->picture;
    size_t *depth = dg_table(picture->n_frames, sizeof(*depth));

    for (size_t i = 1; i < picture->n_frames; i++) {
        size_t outer = scene->frames[picture->frames[i].parent];
        bool drawn = scene->frames[i] && depth[outer] < MOST_DEPTH;

        scene->outer[i] = outer;
        scene->frames[i] = drawn ? i : outer;
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
static void number_backends(struct dg_scene *scene)
{
    const struct dg_picture *picture = scene->picture;
    struct names names = {.n_items = 0};

    for (size_t i = 0; i < picture->n_backends && i < MOST_BACKENDS; i++)
        names.items[names.n_items++] = picture->backends[i];
    for (size_t i = 0; i < scene->n_boxes; i++) {
        const struct dg_box *box = &picture->boxes[scene->boxes[i]];

        if (box->backend.data)
            scene->backends[scene->boxes[i]] = number_of(&names, box->backend);
    }
    scene->n_backends = names.n_items;
}

void dg_scene_open(struct dg_scene *scene, const struct dg_picture *picture)
{
    *scene = (struct dg_scene){
        .picture = picture,
        .boxes = dg_table(picture->n_boxes, sizeof(size_t)),
        .frames = dg_table(picture->n_frames, sizeof(size_t)),
        .outer = dg_table(picture->n_frames, sizeof(size_t)),
        .first = dg_table(picture->n_frames, sizeof(size_t)),
        .backends = dg_table(picture->n_boxes, sizeof(size_t)),
    };
    sort_boxes(scene);
    if (picture->n_frames) {
        survey_frames(scene);
        nest_frames(scene);
    }
    number_backends(scene);
}

void dg_scene_close(struct dg_scene *scene)
{
    free(scene->boxes);
    free(scene->frames);
    free(scene->outer);
    free(scene->first);
    free(scene->backends);
    *scene = (struct dg_scene){0};
}

size_t dg_scene_frame_of(const struct dg_scene *scene, size_t box)
{
    return scene->frames[scene->picture->boxes[box].frame];
}

size_t dg_scene_head(const struct dg_scene *scene, const struct dg_link *link)
{
    const struct dg_picture *picture = scene->picture;
    size_t to = link->kind == DG_LINK_GRAPH ? scene->first[link->to] : link->to;

    if (to == SIZE_MAX || !picture->boxes[link->from].drawn ||
        !picture->boxes[to].drawn)
        return SIZE_MAX;
    return to;
}

bool dg_scene_is_backward(const struct dg_scene *scene, const struct dg_link *link)
{
    const struct dg_box *boxes = scene->picture->boxes;
    size_t to = dg_scene_head(scene, link);

    return to != SIZE_MAX && boxes[to].order <= boxes[link->from].order;
}

bool dg_scene_draws_frame(const struct dg_scene *scene, size_t frame)
{
    return frame && scene->frames[frame] == frame;
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
