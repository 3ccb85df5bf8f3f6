/* Boxes that are the same but for names, read the same and feed the same: side by side
 * they make a picture wide, so many of them are one box. */
#include "reports/picture/repeat.h"

#include <stdlib.h>

#include "base/repeats.h"
#include "reports/picture/collapse.h"
#include "reports/picture/structural_hash.h"

enum { FEWEST = 4 }; /* that are drawn as one */

static bool may_be_folded(const struct dg_box *box)
{
    return box->drawn && !box->highlighted && !box->marked &&
           (box->kind == DG_BOX_CALL || box->kind == DG_BOX_DELEGATE ||
            box->kind == DG_BOX_MOVE);
}

static uint64_t hash_link(const struct dg_link *link, uint64_t other)
{
    return dg_mix(dg_mix_text(dg_mix_text(other, link->value), link->label),
                  (uint64_t)link->kind);
}

/* Of a box and all its neighbours: sums, so that the order of links does not matter.
 * What is alone, or runs a graph, is like nothing. */
static uint64_t *find_keys(const struct dg_picture *picture)
{
    uint64_t *keys = dg_zeroed(picture->n_boxes + 1, sizeof(*keys));

    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];

        keys[link->from] += hash_link(link, dg_mix(1, link->to));
        if (link->kind != DG_LINK_GRAPH)
            keys[link->to] += hash_link(link, dg_mix(2, link->from));
        else
            keys[link->from] += dg_mix(3, link->from);
    }
    for (size_t i = 0; i < picture->n_boxes; i++) {
        const struct dg_box *box = &picture->boxes[i];

        keys[i] = keys[i] && may_be_folded(box)
                      ? dg_mix(keys[i] + dg_label_hash(picture, box), box->frame)
                      : dg_mix(4, i);
    }
    return keys;
}

struct siblings { /* at the first of them */
    size_t count, last, frame;
};

static void add_block(struct dg_picture *picture, size_t first,
                      struct siblings *siblings)
{
    struct dg_text from = picture->boxes[first].name,
                   to = picture->boxes[siblings->last].name;
    struct dg_text label =
        dg_format(&picture->memory, "%s \xe2\x80\xa6 %s", from.data ? from.data : "",
                  to.data ? to.data : "");
    size_t frame =
        dg_picture_add_frame(picture, DG_FRAME_RUN, picture->boxes[first].frame, label);
    struct dg_text command = dg_command_of_frame(picture, frame, first);
    struct dg_box *box = dg_picture_add_box(picture, DG_BOX_BLOCK);
    const struct dg_box *model = &picture->boxes[first];

    box->title = label;
    box->command = command;
    box->frame = model->frame;
    box->graph = model->graph;
    box->part = model->part;
    box->order = model->order / DG_ORDER * DG_ORDER + DG_ORDER_BESIDE;
    box->n_repeats = siblings->count;
    if (model->value.data)
        dg_box_say(picture, box, "%s each", model->value.data);
    picture->frames[frame].closed = true;
    picture->frames[frame].box = picture->n_boxes - 1;
    siblings->frame = frame;
}

void dg_picture_fold_siblings(struct dg_picture *picture)
{
    uint64_t *keys = find_keys(picture);
    size_t n_boxes = picture->n_boxes, *first = dg_first_equal(keys, n_boxes);
    struct siblings *groups = dg_zeroed(n_boxes + 1, sizeof(*groups));
    size_t n_folded = 0;

    for (size_t i = 0; i < n_boxes; i++) {
        groups[first[i]].count++;
        groups[first[i]].last = i;
    }
    for (size_t i = 0; i < n_boxes; i++)
        if (groups[i].count >= FEWEST)
            add_block(picture, i, &groups[i]);
    for (size_t i = 0; i < n_boxes; i++)
        if (groups[first[i]].frame) {
            picture->boxes[i].frame = groups[first[i]].frame;
            n_folded++;
        }
    if (n_folded) {
        dg_picture_collapse(picture);
        dg_picture_hint(picture,
                        "%zu boxes are drawn together with others of their kind that "
                        "have the same neighbours; --no-fold draws them one by one",
                        n_folded);
    }
    free(keys);
    free(first);
    free(groups);
}
