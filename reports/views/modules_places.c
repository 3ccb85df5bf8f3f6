/* Which partition or delegate runs what a module holds. */
#include <stdlib.h>

#include "reports/views/modules_tree.h"

struct whereabouts { /* of the operators of a part */
    size_t n_host, n_placed;
    uint32_t first;
    bool several;
};

static void note_place(struct whereabouts *where, uint32_t placed)
{
    if (placed == DG_NOWHERE) {
        where->n_host++;
        return;
    }
    where->several |= where->n_placed && where->first != placed;
    where->first = where->n_placed++ ? where->first : placed;
}

/* "12 of 15 ops in tag0" */
static struct dg_text tell_place(struct dg_arena *memory,
                                 const struct dg_placement *placement,
                                 const struct whereabouts *where)
{
    size_t count = where->n_host + where->n_placed;
    const struct dg_cluster *place;
    struct dg_text name = dg_text("several partitions");

    if (!where->n_placed)
        return dg_format(memory, "%zu op%s on the host", count, count == 1 ? "" : "s");
    place = &placement->clusters.items[where->first];
    if (!where->several)
        name = place->name.data ? place->name : place->title;
    if (!where->n_host)
        return dg_format(memory, "%zu op%s in %s", count, count == 1 ? "" : "s",
                         name.data);
    return dg_format(memory, "%zu of %zu ops in %s", where->n_placed, count, name.data);
}

void dg_tell_places(struct dg_clusters *clusters, const struct dg_placement *placement)
{
    struct whereabouts *where = dg_zeroed(clusters->n_items + 1, sizeof(*where));

    for (size_t i = 0; i < clusters->skeleton->n_rows; i++)
        if (clusters->part_of[i] != DG_NOWHERE &&
            clusters->skeleton->nodes[i].role == DG_ROLE_CALL)
            note_place(&where[clusters->part_of[i]], placement->clusters.part_of[i]);
    for (size_t p = 0; p < clusters->n_items; p++)
        if ((placement->n_planned || placement->n_called) &&
            where[p].n_host + where[p].n_placed && !clusters->items[p].where.data)
            clusters->items[p].where =
                tell_place(&clusters->memory, placement, &where[p]);
    free(where);
}
