/* Sequences of boxes that repeat: the layers of a program that does not name its
 * modules. A place repeats with the period at which the window that begins there comes
 * again, for as long as each box is like the one a period later. */
#include "reports/picture/repeat.h"

#include <stdlib.h>

enum {
    WINDOW = 6,        /* boxes */
    LEAST_REPEATS = 4, /* of a stretch */
    WORK = 16,         /* comparisons for each box: no sequence makes it quadratic */
};

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

struct window {
    uint64_t hash;
    size_t begin;
};

static int by_hash_and_place(const void *left, const void *right)
{
    const struct window *a = left, *b = right;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
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
    if (*n_items)
        qsort(items, *n_items, sizeof(*items), by_frame_and_order);
    return items;
}

/* How far on each window comes again; 0: never. */
static size_t *find_periods(const struct item *items, size_t n_items)
{
    struct window *windows = calloc(n_items + 1, sizeof(*windows));
    size_t *periods = calloc(n_items + 1, sizeof(*periods));

    if (!windows || !periods)
        dg_out_of_memory();
    for (size_t i = 0; i < n_items; i++) {
        windows[i] = (struct window){0, i};
        for (size_t k = i; k < n_items && k < i + WINDOW; k++)
            windows[i].hash =
                (windows[i].hash ^ items[k].hash) * 0x9e3779b97f4a7c15u + k - i;
    }
    qsort(windows, n_items, sizeof(*windows), by_hash_and_place);
    for (size_t i = 1; i < n_items; i++)
        if (windows[i].hash == windows[i - 1].hash)
            periods[windows[i - 1].begin] = windows[i].begin - windows[i - 1].begin;
    free(windows);
    return periods;
}

/* How many boxes from `begin` on are like the one a period later. */
static size_t count_alike(const struct item *items, size_t n_items, size_t begin,
                          size_t period)
{
    size_t i = begin;

    while (i + period < n_items && items[i].hash == items[i + period].hash &&
           items[i].frame == items[i + period].frame)
        i++;
    return i - begin;
}

static void add_stretch(struct dg_picture *picture, const struct item *items,
                        size_t count)
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

void dg_picture_frame_sequences(struct dg_picture *picture)
{
    size_t n_items = 0, work = 0;
    struct item *items = find_items(picture, &n_items);
    size_t *periods = find_periods(items, n_items);

    for (size_t i = 0; i < n_items && work < WORK * n_items;) {
        size_t period = periods[i];
        size_t alike = period ? count_alike(items, n_items, i, period) : 0;
        size_t n_repeats = period ? alike / period + 1 : 0;

        work += alike;
        for (size_t k = 0; n_repeats >= LEAST_REPEATS && k < n_repeats; k++)
            add_stretch(picture, items + i + k * period, period);
        i += n_repeats >= LEAST_REPEATS ? n_repeats * period : 1;
    }
    free(items);
    free(periods);
}
