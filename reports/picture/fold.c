/* Constants, getitem, get_attr and views drawn as part of the boxes that use them. */
#include "reports/picture/picture.h"

#include <stdlib.h>

enum {
    LONGEST_CHAIN = 64, /* of getitem and views; also ends the walk round a cycle */
    MOST_VIEWS = 3,     /* that one line names */
};

static bool passes_on(const struct dg_box *box)
{
    return box->fold == DG_FOLD_ITEM || box->fold == DG_FOLD_VIEW;
}

/* The link that brings each box its first input; SIZE_MAX: none. */
static size_t *first_links(const struct dg_picture *picture)
{
    size_t *first = dg_zeroed(picture->n_boxes + 1, sizeof(*first));

    for (size_t i = 0; i < picture->n_boxes; i++)
        first[i] = SIZE_MAX;
    for (size_t i = picture->n_links; i-- > 0;)
        if (picture->links[i].kind != DG_LINK_GRAPH)
            first[picture->links[i].to] = i;
    return first;
}

/* What nothing feeds, or what feeds itself, stays as it is. */
static size_t producer(const struct dg_picture *picture, const size_t *first,
                       size_t box)
{
    for (size_t i = 0; i < LONGEST_CHAIN; i++) {
        if (!passes_on(&picture->boxes[box]))
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

    dg_box_say(picture, &picture->boxes[user], "%s %s", name.data,
               box->value.data ? box->value.data : "");
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
        dg_box_say(picture, &picture->boxes[source], "[%d] %s", (int)box->item,
                   box->value.data);
}

/* Say in the label of `user` which views its input goes through, the last of them
 * being `view`. */
static void note_views(struct dg_picture *picture, const size_t *first, size_t view,
                       size_t user)
{
    struct dg_text value = picture->boxes[view].value, line = {0};
    const char *shape = value.data ? strchr(value.data, '[') : NULL;
    size_t n_views = 0;

    for (size_t i = view; passes_on(&picture->boxes[i]);
         i = picture->links[first[i]].from) {
        struct dg_text name = dg_short_op(picture->boxes[i].title);

        if (picture->boxes[i].fold != DG_FOLD_VIEW || n_views++ >= MOST_VIEWS)
            continue;
        line = dg_format(&picture->memory, "%.*s%s%s", (int)name.size,
                         name.data ? name.data : "", line.size ? ", " : "",
                         line.size ? line.data : "");
    }
    dg_box_say(picture, &picture->boxes[user], "%s%s \xe2\x86\x92 %s",
               n_views > MOST_VIEWS ? "\xe2\x80\xa6, " : "", line.data,
               shape ? shape : "");
}

/* The getitem that a link comes through, over views; SIZE_MAX: none. */
static size_t nearest_item(const struct dg_picture *picture, const size_t *first,
                           size_t box)
{
    while (picture->boxes[box].fold == DG_FOLD_VIEW)
        box = picture->links[first[box]].from;
    return picture->boxes[box].fold == DG_FOLD_ITEM ? box : SIZE_MAX;
}

/* Let a link begin at what makes its value, `source`. */
static void skip_folded(struct dg_picture *picture, const size_t *first,
                        struct dg_link *link, size_t source)
{
    size_t item = nearest_item(picture, first, link->from);

    if (item != SIZE_MAX && picture->boxes[item].item != DG_NONE)
        link->label =
            dg_format(&picture->memory, "[%d]", (int)picture->boxes[item].item);
    if (picture->boxes[link->from].fold == DG_FOLD_VIEW)
        note_views(picture, first, link->from, link->to);
    link->from = source;
}

static bool call_graph(struct dg_picture *picture, struct dg_link *link)
{
    const struct dg_box *from = &picture->boxes[link->from];
    size_t frame = named_frame(picture, from);

    if (frame == SIZE_MAX)
        return false;
    link->from = link->to;
    link->to = frame;
    link->kind = DG_LINK_GRAPH;
    link->label = from->target;
    return true;
}

/* Turn one link into what is drawn for it; false: nothing. */
static bool fold_link(struct dg_picture *picture, const size_t *first,
                      struct dg_link *link)
{
    size_t source = producer(picture, first, link->from);
    enum dg_box_fold fold;

    if (link->kind == DG_LINK_GRAPH) /* which leads to a frame */
        return picture->boxes[link->from].drawn;
    if (picture->boxes[link->to].fold == DG_FOLD_ITEM && source != SIZE_MAX)
        note_item(picture, link->to, source);
    if (passes_on(&picture->boxes[link->to]))
        return false;
    if (source != SIZE_MAX && source != link->from)
        skip_folded(picture, first, link, source);
    fold = picture->boxes[link->from].fold;
    if (fold == DG_FOLD_CONSTANT)
        note_constant(picture, link->from, link->to);
    if (fold == DG_FOLD_GRAPH)
        return call_graph(picture, link);
    return fold == DG_FOLD_NOT;
}

/* What cannot be folded into another box keeps its own. */
static void settle(struct dg_picture *picture, const size_t *first)
{
    for (size_t i = 0; i < picture->n_boxes; i++) {
        struct dg_box *box = &picture->boxes[i];

        if (passes_on(box) && producer(picture, first, i) == SIZE_MAX)
            box->fold = DG_FOLD_NOT;
        if (box->fold == DG_FOLD_GRAPH && named_frame(picture, box) == SIZE_MAX)
            box->fold = DG_FOLD_CONSTANT;
        picture->n_constants += box->fold == DG_FOLD_CONSTANT;
        picture->n_items += box->fold == DG_FOLD_ITEM;
        picture->n_views += box->fold == DG_FOLD_VIEW;
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
