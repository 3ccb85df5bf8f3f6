/* A run of a partitioner over the methods of a program, with all that is to be told of
 * its result. Requests are filled by cli/partitioner_options.h. */
#ifndef DG_PARTITION_RUN_H
#define DG_PARTITION_RUN_H

#include "base/text_set.h"
#include "partition/groups.h"
#include "partition/partition.h"
#include "partition/partitioned.h"
#include "partition/plan_parse.h"
#include "partition/support.h"

enum dg_run_mode {
    DG_RUN_TORCH,
    DG_RUN_AOTI,
    DG_RUN_SINGLE,
    DG_RUN_GROUP,
    DG_RUN_MIN,
    DG_RUN_MULTI,
    DG_RUN_REPAIR, /* no partitioner: the newest plan of the program, mended */
    DG_N_RUN_MODES
};

const char *dg_run_mode_name(enum dg_run_mode mode);

/* What one of several backends takes. */
struct dg_run_backend {
    const struct dg_support *support;
    struct dg_text list, name; /* what messages call the list; whom delegates name, or
                                  data NULL */
};

struct dg_run_request {
    enum dg_run_mode mode;
    int64_t artifact;
    const char *method;                             /* NULL: every method */
    const struct dg_support *support;               /* NULL: every call_function */
    struct dg_text_set non_compute, allowed_single; /* as the store spells operators */
    bool no_single;       /* no partitions of one node: --allow-single-node=false */
    bool skip_horizontal; /* of torch mode */
    bool by_bytes; /* of min mode: borders are measured in bytes, else in values */
    bool bookends; /* drop non-compute operators at the borders */
    bool claim_delegates; /* calls of executorch_call_delegate are candidates */
    bool lower;           /* find what lowering does to constants */
    bool as_torch;        /* store a cyclic result as it is */
    const int64_t
        *priors; /* rows of part_run: plans that were lowered before, in order */
    size_t n_priors;
    const struct dg_group_list *groups;    /* of group mode; NULL: none */
    const struct dg_run_backend *backends; /* of multi mode, the first goes first */
    uint32_t n_backends;
    struct dg_text backend;     /* data NULL: that of the mode */
    struct dg_plan_spec *specs; /* instead of, or beside those of the mode */
    size_t n_specs;
    struct dg_text options; /* JSON for part_run.options */
    struct dg_text ir;      /* "aten", "edge": of the program */
    bool exact; /* what backends take they are asked of this very graph: see below */
};

/* Whether nothing says what a backend takes, though AOTInductor takes everything. */
bool dg_run_takes_all(const struct dg_run_request *request);
#define DG_TAKES_ALL                                                                   \
    "no backend is asked (--backend NAME): every operator counts as supported"

/* Lists of what backends take are about programs of the edge dialect. */
#define DG_ATEN_CAVEAT                                                                 \
    "an ATen program: to_edge() and passes of the backend come before its partitioner" \
    ", which sees other nodes and may make other partitions, more or fewer"

struct dg_run_part {
    struct dg_text tag, backend; /* data NULL: none is named */
    int64_t mends; /* row of partition: the tag of the plan that it is a piece of, whose
                      compile specs it has; 0: none */
    int64_t pos;   /* then: the place of that tag in the plan; new pieces come last */
    bool declared; /* the plan says what the tag means */
    uint32_t inputs, outputs; /* distinct values that cross the border */
    int64_t boundary_bytes;   /* of those whose size is known */
    uint32_t unknown_sizes;   /* how many are not known */
};

/* A partitioning of one graph with its tags. */
struct dg_run_plan {
    struct dg_partitions partitions;
    struct dg_run_part *parts; /* one per partition */
    uint32_t *tag_of;          /* of each node: a partition, or DG_NO_PART */
};

/* Tags in a branch of a plan that is mended. */
struct dg_run_branch {
    int64_t graph, first_id;
    struct dg_run_part *tags;
    uint32_t *tag_of, n_tags, n_nodes;
};

struct dg_run_reject {
    int64_t node; /* row of the store */
    uint32_t pos; /* among the reasons of the node */
    const char *reason;
    struct dg_text text;
};

/* One method. Numbers of nodes are those of `nodes`: the stored graph, or, behind prior
 * plans, what lowering them leaves of it. */
struct dg_run_graph {
    struct dg_nodes nodes;
    int64_t *ids; /* of each node: row of the store; 0: lowering made it */
    struct dg_run_plan reference; /* what the mode's partitioner returns */
    struct dg_run_plan valid;     /* instead of it, where that is cyclic */
    bool acyclic;                 /* `reference` */
    const uint32_t *cycle;
    size_t n_cycle;
    uint32_t n_dissolved; /* groups that no valid plan can hold */
    uint32_t *takes;      /* of multi mode: of each node the backends that take it */
    struct dg_multi multi;
    const struct dg_partitioned_graph
        *mended;          /* until the plan is stored: what it says; NULL: nothing */
    struct dg_text *tags; /* its tags */
    struct dg_text_set
        method_tags;    /* those of all graphs of its method, if it is cyclic */
    uint32_t *piece_of; /* of each id of `valid` then: the tag that it is a piece of */
    struct dg_run_branch *branches;
    size_t n_branches;
    struct dg_bound bound;
    struct dg_run_reject *rejects; /* by node */
    size_t n_rejects;
    struct dg_duplicate *duplicates;
    size_t n_duplicates;
    struct dg_arena memory;
};

struct dg_run {
    const struct dg_run_request *request;
    struct dg_run_graph *graphs; /* in the order of methods */
    size_t n_graphs;
    int64_t part_run; /* row of the plan, after dg_run_store() */
};

/* Clear *run whether or not this succeeds. `request` outlives it. The store is only
 * read. */
enum dg_status dg_run(struct dg_run *run, const struct dg_run_request *request,
                      struct dg_store *store, struct dg_error *err);
void dg_run_clear(struct dg_run *run);

/* The plan to go on with: the valid one where the reference is cyclic, unless the
 * request says otherwise. */
const struct dg_run_plan *dg_run_chosen(const struct dg_run *run,
                                        const struct dg_run_graph *graph);

/* The backend of the delegates; data NULL: none is named. */
struct dg_text dg_run_backend(const struct dg_run_request *request);

/* Make the chosen plan the newest of the artifact: rows of part_run, partition,
 * partition_spec, partition_node, reject. */
enum dg_status dg_run_store(struct dg_run *run, struct dg_store *store,
                            struct dg_error *err);

#endif
