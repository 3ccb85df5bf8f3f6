/* Why calls are in no partition, what that costs, and what would change it. */
#ifndef DG_PARTITION_EXPLAIN_H
#define DG_PARTITION_EXPLAIN_H

#include "graph/cost.h"
#include "partition/nodes.h"
#include "partition/run.h"

/* One reason why a node is in no partition. */
struct dg_why {
    const char *reason; /* as in table reject; "plan": a plan leaves it out */
    struct dg_text text;
    uint32_t next; /* of the same node, or DG_NO_WHY */
};

enum { DG_NO_WHY = UINT32_MAX };

enum { DG_NO_NODE = UINT32_MAX };

/* A call that no graph of the explanation shows: delegates of the program and of prior
 * plans hold it, or a branch of control flow, which goes where its operator goes. */
struct dg_rest {
    struct dg_cost cost;
    uint32_t graph, branch; /* get_attr node of the branch; DG_NO_NODE: delegated */
};

/* One graph with a plan. */
struct dg_explained {
    struct dg_nodes *nodes;
    bool owned;         /* `nodes` */
    const int64_t *ids; /* of each node: row of the store; 0: lowering made it */
    uint32_t *index_of; /* of rows from first_id on: node, or DG_NO_NODE */
    int64_t first_id, n_ids;
    uint32_t *part_of;    /* DG_NO_PART: none */
    struct dg_text *tags; /* of partitions */
    uint32_t n_parts;
    const uint32_t *cycle; /* why the plan cannot be lowered: nodes; NULL: it can... */
    size_t n_cycle;
    bool replaced;       /* ...or that was the partitioner's: this one is valid */
    uint32_t *first_why; /* of each node, or DG_NO_WHY */
    struct dg_why *whys;
    size_t n_whys;
};

struct dg_explain_request {
    int64_t artifact;
    const struct dg_run_request *run; /* make a plan; NULL: the newest of the store */
    const struct dg_support *support; /* why that plan leaves nodes out */
    bool judge;                       /* by `support` */
};

struct dg_explanation {
    struct dg_explained *graphs;
    size_t n_graphs;
    struct dg_text source; /* of the plan: custom, plan, torch, aoti... */
    bool no_single;        /* no partitions of one node */
    struct dg_run run;     /* when the plan was made */
    const struct dg_costs *costs;
    struct dg_rest *rest; /* calls in no graph above, by their `graph` */
    size_t n_rest;
    struct dg_arena memory;
};

/* Clear *out in any case. `request` need not outlive this, but request->run must. */
enum dg_status dg_explain(struct dg_explanation *out,
                          const struct dg_explain_request *request,
                          struct dg_store *store, struct dg_error *err);
void dg_explanation_clear(struct dg_explanation *explanation);

/* The same of a run that is done, and that outlives *out: operators are counted, what
 * they cost is not told. */
enum dg_status dg_explain_run(struct dg_explanation *out, struct dg_run *run,
                              struct dg_store *store, struct dg_error *err);

/* What a node costs. */
struct dg_cost dg_explained_cost(const struct dg_explanation *explanation,
                                 const struct dg_explained *graph, uint32_t node);

/* The node of a row, or DG_NO_NODE. */
uint32_t dg_explained_index(const struct dg_explained *graph, int64_t id);

/* Fill explanation->rest. */
enum dg_status dg_explain_rest(struct dg_explanation *explanation, int64_t artifact,
                               struct dg_store *store, struct dg_error *err);

/* Sums over all graphs of a plan. */
struct dg_plan_totals {
    int64_t partitions;
    int64_t calls;           /* of delegates: of these partitions, and of prior ones */
    int64_t boundary_values; /* that enter or leave a partition, constants apart */
    int64_t boundary_bytes;  /* of those whose size is known */
    int64_t boundary_unknown;
    int64_t ops, delegated_ops;
    int64_t flops, delegated_flops; /* of ops whose FLOPs are known */
    int64_t unknown_flops;          /* ops */
    int64_t bytes, delegated_bytes;
};

/* How many of the partitions have a node: of others no delegate comes. */
uint32_t dg_count_filled(const uint32_t *part_of, uint32_t n_nodes, uint32_t n_parts);

/* Add those of graph `index`, whose nodes are in these partitions. */
void dg_graph_totals(struct dg_plan_totals *out,
                     const struct dg_explanation *explanation, size_t index,
                     const uint32_t *part_of, uint32_t n_parts);

void dg_plan_totals(struct dg_plan_totals *out,
                    const struct dg_explanation *explanation);

/* What the totals would be if the calls of these operators (spelt as users do, between
 * commas) were supported. Fails with DG_ERR_USAGE for one that no node calls. */
enum dg_status dg_what_if(struct dg_plan_totals *after,
                          const struct dg_explanation *explanation, const char *ops,
                          struct dg_error *err);

/* The number of partitions of graph `index` if calls of `op` were supported, too. False
 * where there are none of them. */
bool dg_count_lifted(uint32_t *out, const struct dg_explanation *explanation,
                     size_t index, struct dg_text op);

/* Calls of one operator that share a reason. */
struct dg_reason_group {
    const char *reason;
    struct dg_text op, text; /* text: of the first one */
    uint32_t graph, example; /* the first one: indexes */
    int64_t ops, unknown_flops;
    int64_t flops, bytes; /* of those that are known */
    bool simulated;
    int64_t calls_saved; /* of delegates, if the operator were supported, which lifts
                            all of its reasons: simulated only */
};

/* The costliest first; the first `most` are simulated. The caller frees *out. */
size_t dg_reason_groups(struct dg_reason_group **out,
                        const struct dg_explanation *explanation, size_t most);

/* A partition next to the one that holds a node. */
struct dg_neighbour {
    uint32_t part;
    const uint32_t *cycle; /* that merging both would close: nodes; NULL: none */
    size_t n_cycle;
};

/* Partitions that a node reads from or is read by, in the order of its inputs and
 * users; at most DG_NEIGHBOURS. */
enum { DG_NEIGHBOURS = 8 };
size_t dg_neighbours(struct dg_neighbour *out, struct dg_arena *memory,
                     const struct dg_explained *graph, uint32_t node);

#endif
