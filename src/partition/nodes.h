/* What partitioners and the rules of plans know of the nodes of one graph. */
#ifndef DG_PARTITION_NODES_H
#define DG_PARTITION_NODES_H

#include "graph/graph.h"

enum dg_mark {
    DG_MARK_CALL = 1 << 0,    /* call_function */
    DG_MARK_GETITEM = 1 << 1, /* a call of _operator.getitem */
    DG_MARK_PLACEHOLDER = 1 << 2,
    DG_MARK_GET_ATTR = 1 << 3,
    DG_MARK_OUTPUT = 1 << 4,
    DG_MARK_CONSTANT = 1 << 5, /* placeholder: parameter, buffer, lifted constant */
    DG_MARK_MUTATED = 1 << 6,  /* such a buffer that the program writes back */
    DG_MARK_CONTROL = 1 << 7,  /* a call of cond, map_impl, while_loop or scan */
    DG_MARK_DELEGATE = 1 << 8, /* a call of executorch_call_delegate */
    DG_MARK_DELEGATE_ITEM = 1 << 9, /* getitem of such a call with an integer */
    /* What a run of a partitioner adds. */
    DG_MARK_SUPPORTED = 1 << 10,
    DG_MARK_NON_COMPUTE = 1 << 11, /* a call the user named so */
    DG_MARK_TRANSPARENT =
        1 << 12, /* a call that is no compute: getitem, view, the above */
    DG_MARK_ALLOWED_SINGLE = 1 << 13, /* a call that may be a partition of its own */
    DG_MARK_NUMBER =
        1 << 14, /* its result is a number or a truth value, symbolic or not */
};

/* Rows of a getitem that only the file has, and of its producer. */
struct dg_unused {
    int64_t item, producer;
};

/* Node i of `graph` is described by the items i. */
struct dg_nodes {
    struct dg_graph graph;
    int64_t method_id;
    struct dg_text method, path; /* of the graph */
    uint16_t *marks;             /* of enum dg_mark */
    struct dg_text *names;
    const struct dg_text **ops; /* dg_nodes_op() */
    struct dg_unused *unused;   /* what dg_nodes_skip_unused() skipped */
    uint32_t n_unused;
    int64_t *nbytes;        /* of the result; of a tuple all its items; -1: not known */
    struct dg_arena memory; /* of what is its own */
};

/* "aten::add.Tensor" of calls; else data is NULL. Equal ops share their text. */
static inline struct dg_text dg_nodes_op(const struct dg_nodes *nodes, uint32_t node)
{
    return nodes->ops[node] ? *nodes->ops[node] : (struct dg_text){0};
}

/* Graph `id`: its marks are the caller's to change, all else the store reads once and
 * owns, until it closes, gets another program, or dg_partitioned_drop(). Without
 * control flow that is O(nodes + edges), once. Clear *nodes whether or not this
 * succeeds. */
enum dg_status dg_nodes_load(struct dg_nodes *nodes, struct dg_store *store, int64_t id,
                             struct dg_error *err);
/* The same of nodes that were loaded. */
void dg_nodes_share(struct dg_nodes *nodes, const struct dg_nodes *from);
void dg_nodes_clear(struct dg_nodes *nodes);

/* Results that nobody uses have a getitem in a file alone, "X_unused_1": their edges
 * go, and their marks, so that nothing takes them for calls. */
void dg_nodes_skip_unused(struct dg_nodes *nodes);

#endif
