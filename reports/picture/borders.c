/* What crosses the borders of partitions. */
#include "reports/picture/picture.h"

#include <stdlib.h>

#include "base/sorted.h"

struct entry { /* of a value into a partition */
    size_t source, part;
    int64_t nbytes;
};

static int by_source_and_part(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

static void count_value(struct dg_picture *picture, int64_t nbytes)
{
    picture->n_crossing++;
    picture->crossing_bytes += nbytes > 0 ? nbytes : 0;
}

/* A value that several nodes of a partition read enters it once. */
static void count_entries(struct dg_picture *picture, struct entry *entries,
                          size_t n_entries)
{
    dg_sort(entries, n_entries, sizeof(*entries), by_source_and_part);
    for (size_t i = 0; i < n_entries; i++)
        if (!i || by_source_and_part(&entries[i - 1], &entries[i]))
            count_value(picture, entries[i].nbytes);
}

/* As `partition` counts: what enters and what leaves, for each partition. */
void dg_picture_mark_borders(struct dg_picture *picture)
{
    struct entry *entries = NULL;
    size_t n_entries = 0;

    for (size_t i = 0; i < picture->n_links; i++) {
        struct dg_link *link = &picture->links[i];
        struct dg_box *source = &picture->boxes[link->source];
        size_t from = picture->boxes[link->from].part;
        size_t to = link->kind == DG_LINK_GRAPH ? from : picture->boxes[link->to].part;

        link->crosses = link->kind == DG_LINK_DATA && from != to;
        if (link->crosses && to)
            *DG_APPEND(entries, n_entries) =
                (struct entry){link->source, to, link->nbytes};
        if (!link->crosses || !from || source->counted)
            continue;
        source->counted = true;
        count_value(picture, link->nbytes);
    }
    count_entries(picture, entries, n_entries);
    free(entries);
}
