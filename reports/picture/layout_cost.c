/* What a layout costs Graphviz, counted before it is asked. */
#include "reports/picture/layout.h"

#include <stdlib.h>

#include "base/sorted.h"

struct span { /* of a link, in places of the visible set's order */
    size_t upper, lower;
};

struct spans {
    struct span *items; /* by their upper end */
    size_t n_items;
    size_t *ranks; /* by place */
};

static int by_upper(const void *left, const void *right)
{
    const struct span *a = left, *b = right;

    if (a->upper != b->upper)
        return a->upper < b->upper ? -1 : 1;
    return (a->lower > b->lower) - (a->lower < b->lower);
}

static void find_spans(struct spans *spans, const struct dg_visible *visible)
{
    const struct dg_picture *picture = visible->picture;
    size_t *places = dg_zeroed(picture->n_boxes, sizeof(*places));

    for (size_t i = 0; i < visible->n_boxes; i++)
        places[visible->boxes[i]] = i;
    for (size_t i = 0; i < picture->n_links; i++) {
        size_t to = dg_visible_head(visible, &picture->links[i]), a, b;

        if (to == SIZE_MAX || to == picture->links[i].from)
            continue;
        a = places[picture->links[i].from];
        b = places[to];
        spans->items[spans->n_items++] = (struct span){a < b ? a : b, a < b ? b : a};
    }
    dg_sort(spans->items, spans->n_items, sizeof(*spans->items), by_upper);
    free(places);
}

/* The longest path to each box; what none leads to stands just above its first user. */
static void find_ranks(const struct spans *spans, size_t n_places)
{
    size_t *ranks = spans->ranks, *below = dg_zeroed(n_places, sizeof(*below));

    for (size_t i = 0; i < spans->n_items; i++) {
        const struct span *at = &spans->items[i];

        if (ranks[at->lower] <= ranks[at->upper])
            ranks[at->lower] = ranks[at->upper] + 1;
    }
    for (size_t i = 0; i < spans->n_items; i++) {
        const struct span *at = &spans->items[i];

        if (!below[at->upper] || ranks[at->lower] < below[at->upper])
            below[at->upper] = ranks[at->lower];
    }
    for (size_t i = 0; i < n_places; i++)
        if (!ranks[i] && below[i])
            ranks[i] = below[i] - 1;
    free(below);
}

size_t dg_layout_cost(const struct dg_visible *visible)
{
    struct spans spans = {
        .items = dg_zeroed(visible->picture->n_links, sizeof(struct span)),
        .ranks = dg_zeroed(visible->n_boxes, sizeof(size_t)),
    };
    size_t cost = 0;

    find_spans(&spans, visible);
    find_ranks(&spans, visible->n_boxes);
    for (size_t i = 0; i < spans.n_items; i++)
        cost += spans.ranks[spans.items[i].lower] - spans.ranks[spans.items[i].upper];
    free(spans.items);
    free(spans.ranks);
    return cost;
}
