/* A least cut: flows along shortest paths until there are none. */
#include "partition/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { NO_LEVEL = UINT32_MAX };

uint32_t dg_cut_vertex(struct dg_cut *cut)
{
    *DG_APPEND(cut->first, cut->n_vertices) = 0;
    return (uint32_t)cut->n_vertices - 1;
}

void dg_cut_begin(struct dg_cut *cut)
{
    cut->n_vertices = cut->n_arcs = 0;
    dg_cut_vertex(cut); /* DG_CUT_SOURCE */
    dg_cut_vertex(cut); /* DG_CUT_SINK */
}

/* A path has no vertex twice. */
static void make_room(struct dg_cut *cut)
{
    uint32_t **all[] = {&cut->level, &cut->at, &cut->queue, &cut->path};

    if (cut->n_vertices <= cut->room)
        return;
    cut->room = 2 * cut->n_vertices;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        free(*all[i]);
        *all[i] = dg_zeroed(cut->room, sizeof(**all[i]));
    }
}

static void add_arc(struct dg_cut *cut, uint32_t from, uint32_t to, int64_t room)
{
    struct dg_cut_arc *arc = DG_APPEND(cut->arcs, cut->n_arcs);

    *arc = (struct dg_cut_arc){to, cut->first[from], room};
    cut->first[from] = (uint32_t)cut->n_arcs;
}

void dg_cut_add(struct dg_cut *cut, uint32_t from, uint32_t to, int64_t weight)
{
    add_arc(cut, from, to, weight);
    add_arc(cut, to, from, 0);
}

/* How far each vertex is from the source; false: the sink cannot be reached. */
static bool find_levels(struct dg_cut *cut, int64_t *n_steps)
{
    uint32_t n_queue = 0;

    *n_steps -= (int64_t)cut->n_vertices;
    for (uint32_t v = 0; v < cut->n_vertices; v++)
        cut->level[v] = NO_LEVEL;
    cut->level[DG_CUT_SOURCE] = 0;
    cut->queue[n_queue++] = DG_CUT_SOURCE;
    for (uint32_t i = 0; i < n_queue; i++) {
        uint32_t v = cut->queue[i];

        for (uint32_t a = cut->first[v]; a; a = cut->arcs[a - 1].next) {
            const struct dg_cut_arc *arc = &cut->arcs[a - 1];

            --*n_steps;
            if (!arc->room || cut->level[arc->to] != NO_LEVEL)
                continue;
            cut->level[arc->to] = cut->level[v] + 1;
            cut->queue[n_queue++] = arc->to;
        }
    }
    return cut->level[DG_CUT_SINK] != NO_LEVEL;
}

/* Fill the path that was found; the number of its arcs before the first that is full.
 */
static uint32_t fill(struct dg_cut *cut, uint32_t n_path)
{
    int64_t least = INT64_MAX;
    uint32_t full = n_path;

    for (uint32_t i = 0; i < n_path; i++) {
        if (cut->arcs[cut->path[i]].room < least)
            least = cut->arcs[cut->path[i]].room;
    }
    for (uint32_t i = n_path; i-- > 0;) {
        cut->arcs[cut->path[i]].room -= least;
        cut->arcs[cut->path[i] ^ 1].room += least;
        if (!cut->arcs[cut->path[i]].room)
            full = i;
    }
    return full;
}

/* Fill paths along which levels rise until there are none. */
static void fill_levels(struct dg_cut *cut, int64_t *n_steps)
{
    uint32_t n_path = 0, v = DG_CUT_SOURCE;

    memcpy(cut->at, cut->first, cut->n_vertices * sizeof(*cut->at));
    while (*n_steps > 0) {
        uint32_t a = cut->at[v];

        --*n_steps;
        if (v == DG_CUT_SINK) {
            n_path = fill(cut, n_path);
            v = cut->arcs[cut->path[n_path] ^ 1].to;
        } else if (!a) {
            if (!n_path)
                return;
            v = cut->arcs[cut->path[--n_path] ^ 1].to;
            cut->at[v] = cut->arcs[cut->at[v] - 1].next;
        } else if (cut->arcs[a - 1].room &&
                   cut->level[cut->arcs[a - 1].to] == cut->level[v] + 1) {
            cut->path[n_path++] = a - 1;
            v = cut->arcs[a - 1].to;
        } else {
            cut->at[v] = cut->arcs[a - 1].next;
        }
    }
}

bool dg_cut_find(struct dg_cut *cut, int64_t *n_steps)
{
    make_room(cut);
    while (find_levels(cut, n_steps)) {
        if (*n_steps <= 0)
            return false;
        fill_levels(cut, n_steps);
    }
    return true;
}

bool dg_cut_is_source(const struct dg_cut *cut, uint32_t vertex)
{
    return cut->level[vertex] != NO_LEVEL;
}

void dg_cut_clear(struct dg_cut *cut)
{
    free(cut->arcs);
    free(cut->first);
    free(cut->level);
    free(cut->at);
    free(cut->queue);
    free(cut->path);
    *cut = (struct dg_cut){0};
}
