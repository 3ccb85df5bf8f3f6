/* Building and changing a picture before it is drawn. */
#include "reports/picture/picture.h"

#include <stdlib.h>

#include "base/sorted.h"

struct dg_box *dg_picture_add_box(struct dg_picture *picture, enum dg_box_kind kind)
{
    struct dg_box *box = DG_APPEND(picture->boxes, picture->n_boxes);

    *box = (struct dg_box){.kind = kind,
                           .index = DG_NONE,
                           .item = DG_NONE,
                           .jump = DG_NONE,
                           .nbytes = -1,
                           .drawn = true};
    return box;
}

double dg_node_took(const struct dg_picture *picture, int64_t node)
{
    return node > 0 && (uint64_t)node <= picture->n_took ? picture->took[node - 1] : 0;
}

double dg_box_took(const struct dg_picture *picture, const struct dg_box *box)
{
    return box->took > 0 ? box->took : dg_node_took(picture, box->node);
}

struct dg_link *dg_picture_add_link(struct dg_picture *picture, size_t from, size_t to)
{
    struct dg_link *link = DG_APPEND(picture->links, picture->n_links);

    *link = (struct dg_link){
        .from = from, .to = to, .count = 1, .source = from, .nbytes = -1};
    return link;
}

size_t dg_picture_add_frame(struct dg_picture *picture, enum dg_frame_kind kind,
                            size_t parent, struct dg_text label)
{
    struct dg_frame *frame = DG_APPEND(picture->frames, picture->n_frames);

    *frame = (struct dg_frame){.kind = kind,
                               .parent = parent,
                               .key = label,
                               .label = label,
                               .first = UINT64_MAX};
    return picture->n_frames - 1;
}

void dg_box_add_line(struct dg_picture *picture, struct dg_box *box,
                     struct dg_text text)
{
    struct dg_line *line = dg_alloc(&picture->memory, 1, sizeof(*line));

    line->text = text;
    if (box->last_line)
        box->last_line->next = line;
    else
        box->lines = line;
    box->last_line = line;
}

void dg_box_say(struct dg_picture *picture, struct dg_box *box, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    dg_box_add_line(picture, box, dg_format_list(&picture->memory, fmt, args));
    va_end(args);
}

size_t dg_picture_n_drawn(const struct dg_picture *picture)
{
    size_t n_drawn = 0;

    for (size_t i = 0; i < picture->n_boxes; i++)
        n_drawn += picture->boxes[i].drawn;
    return n_drawn;
}

size_t dg_picture_backend(struct dg_picture *picture, struct dg_text backend)
{
    size_t i = 0;

    while (i < picture->n_backends && !dg_text_equal(picture->backends[i], backend))
        i++;
    if (i == picture->n_backends)
        *DG_APPEND(picture->backends, picture->n_backends) =
            (struct dg_text){dg_copy(&picture->memory, backend), backend.size};
    return i;
}

void dg_picture_hint(struct dg_picture *picture, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    *DG_APPEND(picture->hints, picture->n_hints) =
        dg_format_list(&picture->memory, fmt, args);
    va_end(args);
}

void dg_picture_clear(struct dg_picture *picture)
{
    free(picture->boxes);
    free(picture->links);
    free(picture->folded_links);
    free(picture->frames);
    free(picture->graphs);
    free(picture->backends);
    free(picture->told);
    free(picture->hints);
    dg_arena_clear(&picture->memory);
    *picture = (struct dg_picture){0};
}

struct ranked {
    struct dg_link link;
    size_t rank;
};

static int compare_numbers(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_ends(const struct dg_link *a, const struct dg_link *b)
{
    int order = compare_numbers(a->from, b->from);

    if (!order)
        order = compare_numbers(a->to, b->to);
    if (!order)
        order = (int)a->kind - (int)b->kind;
    return order ? order : dg_text_compare(a->label, b->label);
}

static int by_ends(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    int order = compare_ends(&a->link, &b->link);

    if (!order)
        order = compare_numbers(a->link.source, b->link.source);
    return order ? order : compare_numbers(a->rank, b->rank);
}

static int by_rank(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    return compare_numbers(a->rank, b->rank);
}

/* A value that arrives twice crosses a border once: links come sorted by source. */
static void merge(struct ranked *into, const struct ranked *more, size_t *source)
{
    struct dg_link *link = &into->link;

    link->count += more->link.count;
    link->highlighted |= more->link.highlighted;
    if (into->rank > more->rank)
        into->rank = more->rank;
    if (more->link.crosses && !link->crosses)
        link->nbytes = more->link.nbytes;
    else if (more->link.crosses && *source != more->link.source)
        link->nbytes = link->nbytes < 0 || more->link.nbytes < 0
                           ? -1
                           : link->nbytes + more->link.nbytes;
    link->crosses |= more->link.crosses;
    *source = more->link.source;
}

void dg_picture_merge_links(struct dg_picture *picture)
{
    struct ranked *all = NULL;
    size_t n_all = 0, n_kept = 0, source = 0;

    for (size_t i = 0; i < picture->n_links; i++)
        *DG_APPEND(all, n_all) = (struct ranked){picture->links[i], i};
    dg_sort(all, n_all, sizeof(*all), by_ends);
    for (size_t i = 0; i < n_all; i++) {
        if (n_kept && !compare_ends(&all[n_kept - 1].link, &all[i].link))
            merge(&all[n_kept - 1], &all[i], &source);
        else {
            source = all[i].link.source;
            all[n_kept++] = all[i];
        }
    }
    dg_sort(all, n_kept, sizeof(*all), by_rank);
    for (size_t i = 0; i < n_kept; i++)
        picture->links[i] = all[i].link;
    picture->n_links = n_kept;
    free(all);
}
