/* What the files of a run share. */
#ifndef DG_PARTITION_RUN_PARTS_H
#define DG_PARTITION_RUN_PARTS_H

#include "partition/run.h"

/* Partition graph `id`. */
enum dg_status dg_run_graph(struct dg_run_graph *graph,
                            const struct dg_run_request *request,
                            struct dg_store *store, int64_t id, struct dg_error *err);

/* Tags of nodes and the borders of parts, from plan->partitions. */
void dg_run_tag(struct dg_run_plan *plan, struct dg_run_graph *graph,
                const struct dg_run_request *request);

/* Note why a node is in no partition; `text` is copied. */
void dg_run_reject(struct dg_run_graph *graph, int64_t node, const char *reason,
                   struct dg_text text);

/* The reasons that the partitioner itself had; then all are sorted by node. */
void dg_run_reject_rest(struct dg_run_graph *graph,
                        const struct dg_run_request *request);

#endif
