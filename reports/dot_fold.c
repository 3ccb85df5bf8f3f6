/* Constants, getitem and get_attr drawn as part of the boxes that use them. */
#include "reports/dot_model.h"

#include <stdlib.h>

enum { LONGEST_CHAIN = 64 }; /* of getitem; also ends the walk round a cycle */

/* The link that brings each box its first input; SIZE_MAX: none. */
static size_t *first_links(const struct dg_picture *picture)
{
    size_t *first = malloc((picture->n_boxes + 1) * sizeof(*first));

    if (!first)
        dg_out_of_memory();
    for (size_t i = 0; i < picture->n_boxes; i++)
        first[i] = SIZE_MAX;
    for (size_t i = picture->n_links; i-- > 0;)
        first[picture->links[i].to] = i;
    return first;
}

/* A getitem that nothing feeds, or that feeds itself, stays as it is. */
static size_t producer(const struct dg_picture *picture, const size_t *first,
                       size_t box)
{
    for (size_t i = 0; i < LONGEST_CHAIN; i++) {
        if (picture->boxes[box].fold != DG_FOLD_ITEM)
            return box;
        if (first[box] == SIZE_MAX)
            return SIZE_MAX;
        box = picture->links[first[box]].from;
    }
    return SIZE_MAX;
}

/* "layers.0.fc.weight" inside the frame "layers.0.fc" is "fc.weight". */
static struct dg_text short_name(const struct dg_picture *picture,
                                 const struct dg_box *constant,
                                 const struct dg_box *user)
{
    const struct dg_frame *frame = &picture->frames[user->frame];
    struct dg_text name = constant->target.data ? constant->target : constant->name;
    size_t begin = frame->key.size;

    if (frame->kind != DG_FRAME_MODULE || name.size <= begin ||
        memcmp(name.data, frame->key.data, begin))
        return name;
    while (begin && name.data[begin - 1] != '.')
        begin--;
    return dg_text(name.data + begin);
}

static void note_constant(struct dg_picture *picture, size_t constant, size_t user)
{
    const struct dg_box *box = &picture->boxes[constant];
    struct dg_text name = short_name(picture, box, &picture->boxes[user]);

    dg_box_add_line(picture, &picture->boxes[user],
                    dg_format(&picture->memory, "%s %s", name.data,
                              box->value.data ? box->value.data : ""));
}

/* The frame of the graph that `get_attr` names, seen from its own graph. */
static size_t named_frame(const struct dg_picture *picture, const struct dg_box *box)
{
    struct dg_text outer = picture->graphs[box->graph].path;

    for (size_t i = box->graph; i < picture->n_graphs; i++) {
        struct dg_text path = picture->graphs[i].path;
        size_t start = outer.size ? outer.size + 1 : 0;

        if (path.size == start + box->target.size && path.size > start &&
            !memcmp(path.data, outer.data, outer.size) &&
            !memcmp(path.data + start, box->target.data, box->target.size))
            return picture->graphs[i].frame;
    }
    return SIZE_MAX;
}

static void note_item(struct dg_picture *picture, size_t item, size_t source)
{
    const struct dg_box *box = &picture->boxes[item];

    if (box->value.data)
        dg_box_add_line(
            picture, &picture->boxes[source],
            dg_format(&picture->memory, "[%d] %s", (int)box->item, box->value.data));
}

/* Turn one link into what is drawn for it; false: nothing. */
static bool fold_link(struct dg_picture *picture, const size_t *first,
                      struct dg_link *link)
{
    const struct dg_box *from = &picture->boxes[link->from];
    size_t source = producer(picture, first, link->from), frame;

    if (picture->boxes[link->to].fold == DG_FOLD_ITEM) {
        if (source != SIZE_MAX)
            note_item(picture, link->to, source);
        return false;
    }
    if (from->fold == DG_FOLD_ITEM && source != SIZE_MAX) {
        if (from->item != DG_NONE)
            link->label = dg_format(&picture->memory, "[%d]", (int)from->item);
        link->from = source;
        return true;
    }
    if (from->fold == DG_FOLD_CONSTANT)
        note_constant(picture, link->from, link->to);
    if (from->fold != DG_FOLD_GRAPH)
        return from->fold == DG_FOLD_NOT;
    frame = named_frame(picture, from);
    if (frame == SIZE_MAX)
        return false;
    link->from = link->to;
    link->to = frame;
    link->kind = DG_LINK_GRAPH;
    link->label = from->target;
    return true;
}

/* What cannot be folded into another box keeps its own. */
static void settle(struct dg_picture *picture, const size_t *first)
{
    for (size_t i = 0; i < picture->n_boxes; i++) {
        struct dg_box *box = &picture->boxes[i];

        if (box->fold == DG_FOLD_ITEM && producer(picture, first, i) == SIZE_MAX)
            box->fold = DG_FOLD_NOT;
        if (box->fold == DG_FOLD_GRAPH && named_frame(picture, box) == SIZE_MAX)
            box->fold = DG_FOLD_CONSTANT;
        picture->n_constants += box->fold == DG_FOLD_CONSTANT;
        picture->n_items += box->fold == DG_FOLD_ITEM;
        box->drawn = box->fold == DG_FOLD_NOT;
    }
}

void dg_picture_fold(struct dg_picture *picture)
{
    size_t *first = first_links(picture);
    struct dg_link *kept = NULL;
    size_t n_kept = 0;

    settle(picture, first);
    for (size_t i = 0; i < picture->n_links; i++) {
        struct dg_link link = picture->links[i];

        if (fold_link(picture, first, &link))
            *DG_APPEND(kept, n_kept) = link;
    }
    picture->folded_links = picture->links;
    picture->n_folded_links = picture->n_links;
    picture->links = kept;
    picture->n_links = n_kept;
    free(first);
}
