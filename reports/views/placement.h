/* Which delegate, or partition of a plan, runs a node. */
#ifndef DG_REPORTS_VIEWS_PLACEMENT_H
#define DG_REPORTS_VIEWS_PLACEMENT_H

#include "reports/views/clusters.h"

struct dg_placement {
    struct dg_clusters clusters; /* nodes of the host are in none */
    size_t n_planned;            /* partitions of a plan */
    size_t n_called;             /* calls of delegates beside them */
};

/* A cluster for each partition of the newest plan, in clusters that have begun. */
enum dg_status dg_placement_read_plan(struct dg_placement *placement,
                                      const struct dg_view_input *in);

/* A cluster for each partition of the newest plan (unless options->no_plan), each call
 * of a delegate, and each call of control flow; what delegates were lowered from, and
 * branches of calls in partitions, are in those clusters. */
enum dg_status dg_placement_find(struct dg_placement *placement,
                                 struct dg_skeleton *skeleton,
                                 const struct dg_view_input *in);

#endif
