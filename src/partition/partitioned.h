/* The newest plan of an artifact, graph by graph: which node has which tag. */
#ifndef DG_PARTITION_PARTITIONED_H
#define DG_PARTITION_PARTITIONED_H

#include "partition/nodes.h"

enum { DG_UNTAGGED = UINT32_MAX };

struct dg_tag {
    int64_t id, pos; /* row of table partition, and its place there */
    struct dg_text name, backend;
    bool known; /* not one that the plan lacks a delegate for */
};

struct dg_partitioned_graph {
    struct dg_nodes nodes;
    struct dg_tag *tags; /* in the order of lowering */
    uint32_t n_tags;
    uint32_t *tag_of; /* of each node: index into tags, or DG_UNTAGGED */
    bool inside;      /* a branch of a tagged call goes into its delegate as it is */
    bool visited;     /* lowering looks at its tags: not where `inside`, nor in what
                         delegates were lowered from or a while_loop runs */
};

struct dg_partitioned_graphs {
    struct dg_partitioned_graph
        *items; /* graphs with tags, and those without in between are left out */
    size_t n_items;
};

/* The graphs that the newest plan of each artifact tags. The list belongs to the store,
 * which reads it once; it lives until the store closes, gets another plan, or drops it.
 */
enum dg_status dg_partitioned_read(const struct dg_partitioned_graphs **out,
                                   struct dg_store *store, struct dg_error *err);

/* Gives back the memory of that list, of nodes and graphs, and of names: all that was
 * read of the store by the headers of these. Whoever asks again reads it again. */
void dg_partitioned_drop(struct dg_store *store);

/* A plan in the making: rows in part_run, partition, partition_node. */
struct dg_new_plan {
    const char *source; /* column part_run.source */
    struct dg_text path, options;
    int64_t artifact;
    int64_t id; /* filled in: row of part_run */
};

/* The next newest plan of plan->artifact. What dg_partitioned_read() gave ends. */
enum dg_status dg_plan_begin(struct dg_new_plan *plan, struct dg_store *store,
                             struct dg_error *err);

struct dg_new_tag {
    int64_t graph, pos;
    int64_t number;   /* -1: NULL */
    int64_t declared; /* -1: NULL */
    struct dg_text name, backend;
};

/* One tag of one graph; *id is its row. Rows of partition_node and partition_spec are
 * the caller's to insert (dg_rows_again() makes that quick). */
enum dg_status dg_plan_add_tag(const struct dg_new_plan *plan, struct dg_store *store,
                               const struct dg_new_tag *tag, int64_t *id,
                               struct dg_error *err);

#endif
