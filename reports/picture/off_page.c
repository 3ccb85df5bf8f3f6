/* Values that are read all over a picture, such as masks, drawn once for each place. */
#include "reports/picture/picture.h"

#include <stdlib.h>

#include "base/sorted.h"

enum {
    MANY = 8,             /* readers from which on a box gets off-page references */
    NEAR = 16 * DG_ORDER, /* readers in one frame this close share one */
};

struct reader {
    size_t link, from;
    uint64_t order; /* of the reading box */
    size_t frame;
};

static int by_source_and_order(const void *left, const void *right)
{
    const struct reader *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->link > b->link) - (a->link < b->link);
}

static bool far_from(const struct reader *reader, uint64_t order, size_t frame)
{
    return reader->frame != frame || reader->order > order + NEAR;
}

/* How many off-page references the readers of one box need. */
static size_t count_places(const struct dg_picture *picture,
                           const struct reader *readers, size_t n_readers)
{
    const struct dg_box *box = &picture->boxes[readers->from];
    uint64_t order = box->order;
    size_t frame = box->frame, count = 0;

    for (size_t i = 0; i < n_readers; i++) {
        count += far_from(&readers[i], order, frame);
        order = readers[i].order;
        frame = readers[i].frame;
    }
    return count;
}

static size_t add_reference(struct dg_picture *picture, size_t of,
                            const struct reader *reader, size_t n_readers)
{
    struct dg_box *reference = dg_picture_add_box(picture, DG_BOX_OFF_PAGE);
    const struct dg_box *box = &picture->boxes[of];

    reference->title = box->name.data ? box->name : box->title;
    reference->value = box->value;
    reference->frame = reader->frame;
    reference->order = reader->order / DG_ORDER * DG_ORDER + DG_ORDER_BESIDE;
    dg_box_say(picture, reference, "%zu readers in all", n_readers);
    return picture->n_boxes - 1;
}

static void refer(struct dg_picture *picture, const struct reader *readers,
                  size_t n_readers)
{
    size_t from = readers->from, stand_in = from;
    uint64_t order = picture->boxes[from].order;
    size_t frame = picture->boxes[from].frame;

    for (size_t i = 0; i < n_readers; i++) {
        if (far_from(&readers[i], order, frame))
            stand_in = add_reference(picture, from, &readers[i], n_readers);
        picture->links[readers[i].link].from = stand_in;
        order = readers[i].order;
        frame = readers[i].frame;
    }
}

static struct reader *find_readers(const struct dg_picture *picture, size_t *n_readers)
{
    struct reader *readers = NULL;

    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];
        const struct dg_box *box;

        if (link->kind != DG_LINK_DATA)
            continue;
        box = &picture->boxes[link->to];
        *DG_APPEND(readers, *n_readers) =
            (struct reader){i, link->from, box->order, box->frame};
    }
    dg_sort(readers, *n_readers, sizeof(*readers), by_source_and_order);
    return readers;
}

void dg_picture_refer_off_page(struct dg_picture *picture, size_t most)
{
    size_t n_readers = 0, n_drawn = dg_picture_n_drawn(picture);
    struct reader *readers = find_readers(picture, &n_readers);

    for (size_t begin = 0, end; begin < n_readers; begin = end) {
        size_t places;

        for (end = begin; end < n_readers && readers[end].from == readers[begin].from;)
            end++;
        if (end - begin < MANY)
            continue;
        places = count_places(picture, readers + begin, end - begin);
        if (n_drawn + places > most)
            continue;
        refer(picture, readers + begin, end - begin);
        n_drawn += places;
    }
    free(readers);
}
