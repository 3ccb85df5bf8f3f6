/* Public interface of libdelegraph: check a lowered PyTorch program, partition a graph.
 */
#ifndef DELEGRAPH_H
#define DELEGRAPH_H

#ifdef __cplusplus
extern "C" {
#endif

/* What was found: each text lives until the visit returns. Absent texts are NULL. */
struct delegraph_finding {
    const char *rule;     /* "memory/no-live-overlap" */
    const char *severity; /* "error", "warning", "note" */
    const char *method, *graph, *node, *value;
    const char *message;
};

/* Called once per finding; another value than 0 ends the visit. */
typedef int delegraph_visit_fn(void *context, const struct delegraph_finding *finding);

/* Load the program at `path` and run every rule over it. Returns 0, or the exit code
 * that the command line would give: 3 unreadable input, 5 internal error; `error`, if
 * not NULL, receives up to `error_size` bytes of text, always ended with NUL.
 * Where memory runs out it returns 5 and "out of memory"; memory and descriptors that
 * it held by then stay with the process. Several threads may call it at once. */
int delegraph_check(const char *path, delegraph_visit_fn *visit, void *context,
                    char *error, unsigned long error_size);

/* What is to be known of a node, as bits. */
enum delegraph_mark {
    DELEGRAPH_SUPPORTED = 1,      /* the backend takes it */
    DELEGRAPH_CALL = 2,           /* call_function */
    DELEGRAPH_GETITEM = 4,        /* and its target is operator.getitem */
    DELEGRAPH_TRANSPARENT = 8,    /* a call that is no compute: views, getitems */
    DELEGRAPH_ALLOWED_SINGLE = 16 /* a call that may be a partition of its own */
};

/* Nodes 0 to n_nodes - 1 in execution order. Node i reads inputs[input_of[i]] to
 * inputs[input_of[i + 1] - 1], which come before it, in the order of its arguments; its
 * users are listed likewise, each once, in the order of torch's node.users. Both
 * `input_of` and `user_of` have n_nodes + 1 items, the first of them 0. */
struct delegraph_graph {
    unsigned n_nodes;
    const unsigned *input_of, *inputs;
    const unsigned *user_of, *users;
    const unsigned char *marks; /* of enum delegraph_mark */
};

enum delegraph_partitioner {
    DELEGRAPH_CAPABILITY,     /* CapabilityBasedPartitioner of torch 2.13 */
    DELEGRAPH_SKIP_HORIZONTAL /* the same with skip_horizontal_fusion=True */
};

/* Nodes of partition p, in torch's order: nodes[begins[p]] to nodes[begins[p + 1] - 1].
 * The caller brings the arrays: room for n_nodes items, `begins` for one more. */
struct delegraph_partitions {
    unsigned n_partitions;
    unsigned *ids, *begins, *nodes;
    unsigned char *moved; /* of each node: torch's pass over getitems moved it here */
    int endless;          /* torch itself would not return: that pass goes round */
};

/* propose_partitions() of torch. Returns 0, 2 where the arrays are no such graph, or 5
 * where memory ran out; `error` as above. O(nodes + edges) with DELEGRAPH_CAPABILITY,
 * as torch's own with the other. Several threads may call it at once. */
int delegraph_partition(const struct delegraph_graph *graph,
                        enum delegraph_partitioner partitioner,
                        int allows_single_node_partition,
                        struct delegraph_partitions *out, char *error,
                        unsigned long error_size);

/* "0.1.0" */
const char *delegraph_version(void);

#ifdef __cplusplus
}
#endif
#endif
