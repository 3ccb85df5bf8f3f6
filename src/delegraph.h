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

/* All functions return 0, or the exit code that the command line would give: 2 wrong
 * use, 3 unreadable input, 4 stopped by a limit, 5 internal error; `error`, if not
 * NULL, receives up to `error_size` bytes of text, always ended with NUL. Where memory
 * runs out they return 5 and "out of memory"; memory and descriptors that they held by
 * then stay with the process, and their program is not to be used any more. */

/* A program that was read, or a store. One thread at a time may use it; several threads
 * may use several. A visit may not use the program that it visits: that is 2, and to
 * close it there is a mistake. The file must not change until it is closed. */
struct delegraph_program;

int delegraph_open(struct delegraph_program **out, const char *path, char *error,
                   unsigned long error_size);
void delegraph_close(struct delegraph_program *program);

/* How often the last delegraph_findings() or delegraph_query() called its visit, for
 * the names of columns, too: a host that lost a visit to a signal knows by it. */
unsigned long delegraph_visits(const struct delegraph_program *program);

/* Run every rule, once, and visit what they found: also what v_finding has then, which
 * is empty before. */
int delegraph_findings(struct delegraph_program *program, delegraph_visit_fn *visit,
                       void *context, char *error, unsigned long error_size);

/* delegraph_open(), delegraph_findings(), delegraph_close(). */
int delegraph_check(const char *path, delegraph_visit_fn *visit, void *context,
                    char *error, unsigned long error_size);

struct delegraph_cell {
    char type; /* 'i'nteger, 'f'loat, 't'ext, 'b'lob, 'n'ull */
    long long integer;
    double real;
    const char *data; /* of a text or blob */
    unsigned long size;
};

/* Called for each row, and once before them with `cells` NULL: names are UTF-8. What is
 * pointed at lives until it returns; another value than 0 ends the visit. */
typedef int delegraph_row_fn(void *context, unsigned n_columns,
                             const char *const *names,
                             const struct delegraph_cell *cells);

/* One statement over the tables and views that `delegraph schema` documents. It only
 * reads, and is stopped (4) after `seconds`; 0: never. While it runs, SQLite's heap in
 * this process is bounded to 1 GB more than it had. */
int delegraph_query(struct delegraph_program *program, const char *sql, double seconds,
                    delegraph_row_fn *visit, void *context, char *error,
                    unsigned long error_size);

/* What is to be known of a node, as bits. */
enum delegraph_mark {
    DELEGRAPH_SUPPORTED = 1,       /* the backend takes it */
    DELEGRAPH_CALL = 2,            /* call_function */
    DELEGRAPH_GETITEM = 4,         /* and its target is operator.getitem */
    DELEGRAPH_TRANSPARENT = 8,     /* a call that is no compute: views, getitems */
    DELEGRAPH_ALLOWED_SINGLE = 16, /* a call that may be a partition of its own */
    DELEGRAPH_PLACEHOLDER = 32 /* a constant that stays where it is: who reads it waits
                                * for no partition that has it */
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
    unsigned n_groups;          /* at most n_nodes; of the last two partitioners */
    const unsigned *group_of;   /* of each node, n_groups or more: none; or NULL */
};

enum delegraph_partitioner {
    DELEGRAPH_CAPABILITY,      /* CapabilityBasedPartitioner of torch 2.13 */
    DELEGRAPH_SKIP_HORIZONTAL, /* the same with skip_horizontal_fusion=True */
    DELEGRAPH_GROUP,           /* GroupBasedPartitioner of executorch 1.5.1 */
    DELEGRAPH_VALID            /* no more of them, and never a cycle between them */
};

/* Nodes of partition p, in torch's order: nodes[begins[p]] to nodes[begins[p + 1] - 1].
 * The caller brings the arrays: room for n_nodes items, `begins` for one more. */
struct delegraph_partitions {
    unsigned n_partitions;
    unsigned *ids, *begins, *nodes;
    unsigned char *moved; /* of each node: torch's pass over getitems moved it here */
    int endless;          /* torch itself would not return: that pass goes round */
    int cyclic;           /* they cannot be lowered: some wait for one another */
};

/* propose_partitions() of torch; 2 where the arrays are no such graph. O(nodes + edges)
 * with the first and the last; as torch's own, or faster, with the others. Nodes of a
 * partition are in the order of the graph with the last two, where torch has none. */
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
