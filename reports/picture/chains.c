/* Views that are drawn as part of what reads them: a chain of them adds little to a
 * picture but height. */
#include "reports/picture/picture.h"

#include <stdlib.h>

/* What reads a box and what it reads, where that is one. */
struct ends {
    size_t n_in, n_out, in, out; /* links */
};

static struct ends *find_ends(const struct dg_picture *picture)
{
    struct ends *ends = dg_zeroed(picture->n_boxes + 1, sizeof(*ends));

    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];
        size_t count = link->kind == DG_LINK_DATA ? 1 : 2;

        ends[link->from].n_out += count;
        ends[link->from].out = i;
        if (link->kind == DG_LINK_GRAPH)
            continue;
        ends[link->to].n_in += count;
        ends[link->to].in = i;
    }
    return ends;
}

/* The dtype of "f32[1,8]@cuda:0" ends at the first bracket, its device begins after the
 * last. */
static bool same_but_for_shape(struct dg_text a, struct dg_text b)
{
    const char *a_end = memchr(a.data, '[', a.size);
    const char *b_end = memchr(b.data, '[', b.size);
    const char *a_device = strchr(a.data, '@'), *b_device = strchr(b.data, '@');

    return a_end && b_end && a_end - a.data == b_end - b.data &&
           !memcmp(a.data, b.data, (size_t)(a_end - a.data)) &&
           !strcmp(a_device ? a_device : "", b_device ? b_device : "");
}

static bool can_fold(const struct dg_picture *picture, const struct ends *ends,
                     const struct dg_box *box)
{
    const struct dg_link *in = &picture->links[ends->in];
    const struct dg_box *source = &picture->boxes[in->from];
    const struct dg_box *reader = &picture->boxes[picture->links[ends->out].to];

    return box->fold == DG_FOLD_NOT && reader->kind == DG_BOX_CALL &&
           reader->fold == DG_FOLD_NOT && reader->graph == box->graph &&
           reader->part == box->part && source->part == box->part && box->value.data &&
           in->value.data && same_but_for_shape(box->value, in->value);
}

/* Unfold the chain that the box stands in. */
static void unfold(struct dg_picture *picture, const struct ends *ends, size_t box)
{
    for (size_t i = picture->links[ends[box].in].from;
         picture->boxes[i].fold == DG_FOLD_VIEW; i = picture->links[ends[i].in].from)
        picture->boxes[i].fold = DG_FOLD_NOT;
    for (size_t i = box; picture->boxes[i].fold == DG_FOLD_VIEW;
         i = picture->links[ends[i].out].to)
        picture->boxes[i].fold = DG_FOLD_NOT;
}

void dg_picture_fold_views(struct dg_picture *picture, const char *spared)
{
    struct ends *ends = find_ends(picture);
    bool *chosen = dg_zeroed(picture->n_boxes + 1, sizeof(*chosen));

    for (size_t i = 0; i < picture->n_boxes; i++) {
        const struct dg_box *box = &picture->boxes[i];

        chosen[i] = box->view && !box->highlighted && ends[i].n_in == 1 &&
                    ends[i].n_out == 1 && can_fold(picture, &ends[i], box);
    }
    for (size_t i = 0; i < picture->n_boxes; i++)
        if (chosen[i])
            picture->boxes[i].fold = DG_FOLD_VIEW;
    for (size_t i = 0; spared && i < picture->n_boxes; i++)
        if (chosen[i] && dg_text_is(picture->boxes[i].name, spared))
            unfold(picture, ends, i);
    free(chosen);
    free(ends);
}
