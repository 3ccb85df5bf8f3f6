/* Sequences of boxes that repeat: the layers of a program that does not name its
 * modules. */
#include "reports/picture/repeat.h"

#include <stdlib.h>

#include "base/repeats.h"
#include "base/sorted.h"
#include "reports/picture/structural_hash.h"
#include "reports/picture/visible.h"

enum { FEWEST = 4, SHORTEST = 7 }; /* times, and boxes */

struct item {
    size_t box, frame;
    uint64_t order, hash;
};

static int by_frame_and_order(const void *left, const void *right)
{
    const struct item *a = left, *b = right;

    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->box > b->box) - (a->box < b->box);
}

static bool can_repeat(enum dg_box_kind kind)
{
    return kind == DG_BOX_CALL || kind == DG_BOX_DELEGATE || kind == DG_BOX_MOVE ||
           kind == DG_BOX_INPUT || kind == DG_BOX_GROUP;
}

static struct item *find_items(const struct dg_picture *picture, size_t *n_items)
{
    struct item *items = NULL;

    for (size_t i = 0; i < picture->n_boxes; i++) {
        const struct dg_box *box = &picture->boxes[i];

        if (box->drawn)
            *DG_APPEND(items, *n_items) =
                (struct item){i, box->frame, box->order,
                              can_repeat(box->kind) ? dg_box_hash(box) : i};
    }
    dg_sort(items, *n_items, sizeof(*items), by_frame_and_order);
    return items;
}

static void add_run(struct dg_picture *picture, const struct item *items, size_t count)
{
    struct dg_text first = picture->boxes[items[0].box].name;
    struct dg_text last = picture->boxes[items[count - 1].box].name;
    struct dg_text label =
        count == 1
            ? first
            : dg_format(&picture->memory, "%s \xe2\x80\xa6 %s",
                        first.data ? first.data : "", last.data ? last.data : "");
    enum dg_frame_kind kind = count == 1 ? DG_FRAME_RUN : DG_FRAME_BLOCK;
    size_t frame = dg_picture_add_frame(picture, kind, items[0].frame, label);

    picture->frames[frame].key = first.data ? first : label;
    picture->frames[frame].repeats = true;
    for (size_t i = 0; i < count; i++)
        picture->boxes[items[i].box].frame = frame;
}

/* What lies in different frames is different. */
static uint64_t *find_keys(const struct item *items, size_t n_items)
{
    uint64_t *keys = dg_zeroed(n_items, sizeof(*keys));

    for (size_t i = 0; i < n_items; i++)
        keys[i] = dg_mix(items[i].hash, items[i].frame);
    return keys;
}

void dg_picture_frame_sequences(struct dg_picture *picture)
{
    size_t n_items = 0, n_runs;
    struct item *items = find_items(picture, &n_items);
    uint64_t *keys = find_keys(items, n_items);
    struct dg_repeat *runs = dg_repeats_find(
        &n_runs, keys, n_items, (struct dg_repeat_limits){FEWEST, SHORTEST});

    for (size_t i = 0; i < n_runs; i++)
        for (size_t k = 0; k < runs[i].times; k++)
            add_run(picture, items + runs[i].begin + k * runs[i].period,
                    runs[i].period);
    free(items);
    free(keys);
    free(runs);
}
