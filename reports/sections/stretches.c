/* A sweep over the stretches of a file. */
#include "reports/sections/stretches.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/sorted.h"

static int compare_begins(const void *a, const void *b)
{
    const struct dg_stretch *x = *(struct dg_stretch *const *)a;
    const struct dg_stretch *y = *(struct dg_stretch *const *)b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x > y) - (x < y);
}

struct sweep {
    struct dg_stretch *open[DG_STRETCH_LAYERS]; /* that reach farthest */
    int64_t at, nobody;
};

/* Give the bytes up to `end` to the deepest stretch that holds them. */
static void advance(struct sweep *sweep, int64_t end)
{
    while (sweep->at < end) {
        struct dg_stretch *owner = NULL;
        int64_t until = end;

        for (size_t layer = 0; layer < DG_STRETCH_LAYERS && !owner; layer++)
            if (sweep->open[layer] && sweep->open[layer]->end > sweep->at)
                owner = sweep->open[layer];
        if (owner && owner->end < until)
            until = owner->end;
        *(owner ? &owner->own : &sweep->nobody) += until - sweep->at;
        sweep->at = until;
    }
}

static void open_stretch(struct sweep *sweep, struct dg_stretch *next)
{
    struct dg_stretch **open = &sweep->open[next->layer];

    if (!*open || (*open)->end < next->end)
        *open = next;
}

int64_t dg_stretches_divide(struct dg_stretch *stretches, size_t n, int64_t size)
{
    struct dg_stretch **order = NULL;
    struct sweep sweep = {0};
    size_t n_order = 0;

    for (size_t i = 0; i < n; i++) {
        stretches[i].own = 0;
        if (stretches[i].begin >= 0 && stretches[i].begin < stretches[i].end)
            *DG_APPEND(order, n_order) = &stretches[i];
    }
    dg_sort(order, n_order, sizeof(*order), compare_begins);
    for (size_t i = 0; i < n_order && order[i]->begin < size; i++) {
        advance(&sweep, order[i]->begin);
        open_stretch(&sweep, order[i]);
    }
    advance(&sweep, size);
    free(order);
    return sweep.nobody;
}
