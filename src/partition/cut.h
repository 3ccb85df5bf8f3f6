/* A least cut between two sides of a small network (Dinic). Start from {0}. */
#ifndef DG_PARTITION_CUT_H
#define DG_PARTITION_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DG_CUT_SOURCE, DG_CUT_SINK }; /* vertices */

#define DG_CUT_NEVER (INT64_MAX / 4) /* an arc of this weight is not cut */

struct dg_cut_arc {
    uint32_t to, next; /* the next arc of the same vertex, + 1; 0: none */
    int64_t room;
};

struct dg_cut {
    struct dg_cut_arc *arcs; /* an arc, then the one back */
    size_t n_arcs;
    uint32_t *first; /* of each vertex: its first arc + 1, or 0 */
    size_t n_vertices;
    uint32_t *level, *at, *queue, *path; /* of each vertex; the last are arcs */
    size_t room;
};

/* Begin anew, with the source and the sink alone. */
void dg_cut_begin(struct dg_cut *cut);
uint32_t dg_cut_vertex(struct dg_cut *cut); /* a new one */

/* What lies on the source's side of `from` and not of `to` costs `weight`. */
void dg_cut_add(struct dg_cut *cut, uint32_t from, uint32_t to, int64_t weight);

/* Find one; *n_steps counts down, and false is returned where it came to an end first.
 */
bool dg_cut_find(struct dg_cut *cut, int64_t *n_steps);

/* Whether a vertex is on the source's side of it. */
bool dg_cut_is_source(const struct dg_cut *cut, uint32_t vertex);
void dg_cut_clear(struct dg_cut *cut);

#endif
