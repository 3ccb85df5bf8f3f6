/* Closing frames: what lies in them is drawn as one box, which says what it holds. */
#include "reports/picture/collapse.h"

#include <stdlib.h>

#include "base/sorted.h"

/* The outermost closed frame around a frame, itself included; 0: none. */
static size_t closed_frame(const struct dg_picture *picture, size_t frame)
{
    size_t found = 0;

    for (; frame; frame = picture->frames[frame].parent)
        if (picture->frames[frame].closed)
            found = frame;
    return found;
}

struct tally {
    size_t box; /* that stands for others */
    struct dg_text title;
    size_t count; /* of the others with that title */
};

static int by_box_and_title(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;
    int order = (a->box > b->box) - (a->box < b->box);

    return order ? order : dg_text_compare(a->title, b->title);
}

static int by_box_and_count(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;

    if (a->box == b->box && a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return by_box_and_title(left, right);
}

/* How often each operator is in what each box stands for, most frequent first. */
static size_t count_titles(struct tally *tallies, size_t n_tallies)
{
    size_t n_kinds = 0;

    dg_sort(tallies, n_tallies, sizeof(*tallies), by_box_and_title);
    for (size_t i = 0; i < n_tallies; i++)
        if (n_kinds && !by_box_and_title(&tallies[n_kinds - 1], &tallies[i]))
            tallies[n_kinds - 1].count++;
        else
            tallies[n_kinds++] = tallies[i];
    dg_sort(tallies, n_kinds, sizeof(*tallies), by_box_and_count);
    return n_kinds;
}

static void describe(struct dg_picture *picture, struct tally *tallies,
                     size_t n_tallies)
{
    size_t n_kinds = n_tallies ? count_titles(tallies, n_tallies) : 0;

    for (size_t i = 0; i < n_kinds; i++) {
        struct dg_box *box = &picture->boxes[tallies[i].box];
        struct dg_text title = tallies[i].title;

        if (!i || tallies[i].box != tallies[i - 1].box)
            dg_box_say(picture, box, "%zu node%s", box->n_nodes,
                       box->n_nodes == 1 ? "" : "s");
        dg_box_say(picture, box, "%zu \xc3\x97 %.*s", tallies[i].count, (int)title.size,
                   title.data ? title.data : "");
    }
}

/* A link into a closed frame ends at its box. */
static void move_links(struct dg_picture *picture)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < picture->n_links; i++) {
        struct dg_link link = picture->links[i];
        size_t closed = link.kind == DG_LINK_GRAPH ? closed_frame(picture, link.to) : 0;

        if (picture->boxes[link.from].stand_in != link.from)
            link.label = (struct dg_text){0};
        link.from = picture->boxes[link.from].stand_in;
        if (closed) {
            link.kind = DG_LINK_DATA;
            link.to = picture->frames[closed].box;
        } else if (link.kind != DG_LINK_GRAPH) {
            link.to = picture->boxes[link.to].stand_in;
        }
        if (link.kind == DG_LINK_GRAPH || link.from != link.to)
            picture->links[n_kept++] = link;
    }
    picture->n_links = n_kept;
}

size_t dg_picture_collapse(struct dg_picture *picture)
{
    struct tally *tallies = NULL;
    size_t n_tallies = 0, n_hidden = 0;

    for (size_t i = 0; i < picture->n_boxes; i++) {
        struct dg_box *box = &picture->boxes[i], *group;
        size_t frame = closed_frame(picture, box->frame);

        box->stand_in = i;
        if (!box->drawn || !frame)
            continue;
        group = &picture->boxes[picture->frames[frame].box];
        box->stand_in = picture->frames[frame].box;
        box->drawn = false;
        group->highlighted |= box->highlighted;
        group->took += dg_box_took(picture, box);
        n_hidden++;
        if (box->kind == DG_BOX_INPUT || box->kind == DG_BOX_OUTPUT)
            continue;
        group->n_nodes++;
        *DG_APPEND(tallies, n_tallies) =
            (struct tally){box->stand_in, dg_short_op(box->title), 1};
    }
    describe(picture, tallies, n_tallies);
    move_links(picture);
    free(tallies);
    return n_hidden;
}

static struct dg_text graph_path(const struct dg_picture *picture, size_t frame)
{
    for (size_t i = 0; i < picture->n_graphs; i++)
        if (picture->graphs[i].frame == frame)
            return picture->graphs[i].path;
    return (struct dg_text){0};
}

struct dg_text dg_command_of_frame(struct dg_picture *picture, size_t frame,
                                   size_t first)
{
    const struct dg_frame *of = &picture->frames[frame];
    const char *option = "--around";
    struct dg_text name = picture->boxes[first].name;

    if (picture->boxes[first].kind == DG_BOX_GROUP)
        return picture->boxes[first].command;
    if (of->kind == DG_FRAME_MODULE) {
        option = "--module";
        name = of->key;
    } else if (of->kind == DG_FRAME_GRAPH || of->kind == DG_FRAME_LOWERED) {
        option = "--graph";
        name = graph_path(picture, frame);
    }
    name = dg_shell_word(&picture->memory, name);
    return dg_format(&picture->memory, "%s %.*s", option, (int)name.size,
                     name.data ? name.data : "");
}
