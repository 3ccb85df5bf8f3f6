/* What the files of a run share. */
#ifndef DG_PARTITION_RUN_PARTS_H
#define DG_PARTITION_RUN_PARTS_H

#include "partition/run.h"

/* Whether the list of what the backend takes says what goes together, and nobody else
 * does. Constants are a partition's own there as far as a group has them. */
bool dg_run_has_own_groups(const struct dg_run_request *request);

/* Partition graph `id`. */
enum dg_status dg_run_graph(struct dg_run_graph *graph,
                            const struct dg_run_request *request,
                            struct dg_store *store, int64_t id, struct dg_error *err);

/* Tags of nodes and the borders of parts, from plan->partitions. */
void dg_run_tag(struct dg_run_plan *plan, struct dg_run_graph *graph,
                const struct dg_run_request *request);

/* Of multi mode: mark what any backend takes, and note who does. */
enum dg_status dg_run_ask_backends(struct dg_run_graph *graph,
                                   const struct dg_run_request *request,
                                   struct dg_store *store, struct dg_error *err);

/* Of a plan that is mended: mark what has a tag; take it as the result of a
 * partitioner; make the valid one of it; name the pieces of either; keep what it says
 * of branches. */
enum dg_status dg_run_read_plan(struct dg_run_graph *graph, struct dg_store *store,
                                struct dg_error *err);
bool dg_run_mends(
    const struct dg_partitioned_graph *tagged); /* is no part of another */
void dg_run_take_plan(struct dg_run_graph *graph);
enum dg_status dg_run_mend_plan(struct dg_run_graph *graph, struct dg_store *store,
                                struct dg_error *err);
void dg_run_name_pieces(struct dg_run_plan *plan, struct dg_run_graph *graph);
enum dg_status dg_run_keep_branches(struct dg_run_graph *graph, struct dg_store *store,
                                    struct dg_error *err);

/* Numbers of nodes by their rows. */
struct dg_run_places {
    int64_t first, last;
    uint32_t *of; /* of each row from first to last: number + 1; 0: none */
};

enum { DG_NO_PLACE = UINT32_MAX };

void dg_run_places(struct dg_run_places *places, const struct dg_run_graph *graph,
                   struct dg_arena *memory);

/* The number of the node of that row, or DG_NO_PLACE. */
uint32_t dg_run_place(const struct dg_run_places *places, int64_t id);

/* Note why a node is in no partition; `text` is copied. */
void dg_run_reject(struct dg_run_graph *graph, int64_t node, const char *reason,
                   struct dg_text text);

/* The reasons that the partitioner itself had; then all are sorted by node. */
void dg_run_reject_rest(struct dg_run_graph *graph,
                        const struct dg_run_request *request);

#endif
