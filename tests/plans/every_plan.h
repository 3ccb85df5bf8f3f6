/* All plans of a small graph, one by one: what partitioners are held to. It shares no
 * code with them. */
#ifndef DG_TESTS_EVERY_PLAN_H
#define DG_TESTS_EVERY_PLAN_H

#include "graph/graph.h"

enum { EVERY_NODES = 8 };

struct every_plan {
    const struct dg_graph *graph; /* of at most EVERY_NODES nodes */
    const uint32_t
        *takes; /* of each node: a bit for each type of part; 0: in no part */
    const int64_t *weights;
    const uint16_t *marks;

    uint32_t least_parts; /* that any plan has which can be run */
    int64_t least_border; /* that any plan of so many parts has */
};

void every_plan(struct every_plan *plan);

/* What lies on the borders: each value counts for each part that it enters, and again
 * where it leaves one; constants do not count. Parts are below 64, or DG_NO_PART. */
int64_t plan_border(const struct dg_graph *graph, const uint16_t *marks,
                    const uint32_t *part_of, const int64_t *weights);

#endif
