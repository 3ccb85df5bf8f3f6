/* Live ranges of planned values over the instructions of a method: which bytes matter
 * when. Control flow counts: what one branch defines is dead in the other, and what a
 * loop carries lives through it. */
#ifndef DG_GRAPH_LIVE_RANGES_H
#define DG_GRAPH_LIVE_RANGES_H

#include "graph/flow.h"

/* A value is live from a definition to the last use that may see it. */
struct dg_live_range {
    uint32_t variable;
    uint32_t begin, end; /* nodes, both included */
    bool entered;        /* it begins before the block does: nothing here defines it */
};

/* Bytes that are live together: a value's own; or those a handle got from a move. */
struct dg_live_variable {
    uint32_t value; /* whose bytes */
    uint32_t via;   /* the handle; DG_FLOW_NONE: none */
    bool alias;     /* defined by writes to values that begin at the same byte */
    bool moved;     /* the handle came through a MoveCall */
};

struct dg_live_place {
    uint32_t node, of; /* a variable, or a value */
};

/* A tensor that an instruction touches and that has no place in memory. */
struct dg_live_bare {
    struct dg_live_place place;
    bool buffer; /* it is read before it is written */
};

struct dg_live_ranges {
    const struct dg_flow *flow;
    struct dg_live_variable *variables;
    struct dg_live_range *ranges;
    struct dg_live_place *writes;    /* a variable's bytes change */
    struct dg_live_place *undefined; /* a value is read that may be undefined */
    struct dg_live_place *missing;   /* a way to this end leaves a result undefined */
    struct dg_live_bare *bare;
    bool *buffer; /* of a value: it keeps its bytes from run to run */
    uint32_t n_variables, n_ranges, n_writes, n_undefined, n_missing, n_bare;
    bool too_large; /* given up: jumps and values multiply beyond reason */
    struct dg_arena memory;
};

/* O(values + touches) for straight code; each jump costs what is live across it. Clear
 * *live afterwards; `flow` must outlive it. */
void dg_live_ranges_find(struct dg_live_ranges *live, const struct dg_flow *flow);
void dg_live_ranges_clear(struct dg_live_ranges *live);

/* Range i as figures of memory count it: state is kept from run to run, and so lives
 * through the whole method. False: the range before it says the same. */
bool dg_live_counted(const struct dg_live_ranges *live, uint32_t i,
                     struct dg_live_range *range);

/* The shortest way to node `reader` on which nothing defines `value`: the first node of
 * each block, then `reader`. Lives in live->memory. */
const uint32_t *dg_live_path(struct dg_live_ranges *live, uint32_t value,
                             uint32_t reader, size_t *length);

/* Whether two values are one buffer, or a buffer and a view of it. */
bool dg_live_one_buffer(const struct dg_live_ranges *live, uint32_t a, uint32_t b);

/* Two variables of one arena that share bytes while both live. */
struct dg_overlap {
    uint32_t writer;     /* variable that is written... */
    uint32_t node;       /* ...here (DG_FLOW_NONE: before the first one), over... */
    uint32_t victim;     /* ...this variable, */
    uint32_t begin, end; /* which lives in this range of nodes */
};

/* Called for each; another value than 0 ends the search. */
typedef int dg_overlap_fn(void *context, const struct dg_overlap *overlap);

/* All overlaps that are no legal alias, in order of arena and node. O(n log n) and the
 * number of pairs that share bytes. Returns what ended it, or 0. */
int dg_live_overlaps(const struct dg_live_ranges *live, dg_overlap_fn *visit,
                     void *context);

#endif
