/* What lowering a plan leaves of a graph: each tag becomes a call of a delegate. */
#ifndef DG_PARTITION_LOWERING_H
#define DG_PARTITION_LOWERING_H

#include "partition/run.h"

/* Lower plan `part_run` as executorch 1.5.1 does: graph->nodes and graph->ids become
 * what is left, in the order that it leaves. With `claim`, the new calls of delegates
 * are supported. A tag that cannot be lowered is an error. */
enum dg_status dg_lower_plan(struct dg_run_graph *graph, int64_t part_run, bool claim,
                             struct dg_store *store, struct dg_error *err);

#endif
