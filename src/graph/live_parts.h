/* What the files behind live.h share: the life of one variable at a time. */
#ifndef DG_GRAPH_LIVE_PARTS_H
#define DG_GRAPH_LIVE_PARTS_H

#include "graph/live.h"

/* What happens to a variable at a node; in a node, in this order. */
enum {
    DG_LIFE_USE = 1 << 0,
    DG_LIFE_CHECKED = 1 << 1, /* the use needs a definition */
    DG_LIFE_KILL = 1 << 2,
    DG_LIFE_DEF = 1 << 3,
    DG_LIFE_ASSIGN = 1 << 4, /* afterwards a use is all right */
};

struct dg_life_event {
    uint32_t node;
    unsigned what;
};

/* Events of one variable, by node; and room for what its walk over blocks needs. */
struct dg_life {
    struct dg_live *live;
    struct dg_life_event *events;
    uint32_t n_events;
    bool first, last;

    uint32_t *stamp, *seen; /* of each block: whether `marks` is of this variable */
    uint32_t time;
    unsigned char *marks;
    uint32_t *first_event; /* of a block */
    uint32_t *queue;
    uint64_t work; /* steps left before all is given up */
};

void dg_life_begin(struct dg_life *life, struct dg_live *live);
void dg_life_end(struct dg_life *life);

/* Start another variable. */
void dg_life_clear(struct dg_life *life);
void dg_life_add(struct dg_life *life, uint32_t node, unsigned what);

/* Sort the events and join those of one node. */
void dg_life_sort(struct dg_life *life);

/* The first checked use that some way from the start reaches without an assignment;
 * DG_PLAN_NONE if there is none. */
uint32_t dg_life_unassigned(struct dg_life *life);

/* Whether a definition can run after `node`. */
bool dg_life_defined_after(struct dg_life *life, uint32_t node);

/* Append the ranges of the variable to life->live. */
void dg_life_ranges(struct dg_life *life, uint32_t variable);

#endif
