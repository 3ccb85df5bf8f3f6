/* Partitioners: which nodes of a graph go to one delegate. Algorithms over arrays;
 * names, files and tables are elsewhere. They follow torch 2.13 and executorch 1.5.1.
 *
 * `graph` has the inputs of each node in first-use order and its users in the order of
 * torch's node.users; a node that reads another twice may be listed twice. `marks` are
 * those of partition/nodes.h, one per node. */
#ifndef DG_PARTITION_PARTITION_H
#define DG_PARTITION_PARTITION_H

#include "graph/graph.h"
#include "partition/nodes.h"

enum { DG_NO_PART = UINT32_MAX };

struct dg_part {
    uint32_t id;         /* torch's partition.id */
    uint32_t begin, end; /* its nodes are nodes[begin] to nodes[end - 1] */
};

struct dg_partitions {
    struct dg_part *parts; /* in the order torch returns them */
    uint32_t n_parts;
    uint32_t *nodes;   /* in torch's order within a part */
    uint32_t *part_of; /* of each node: index into parts, or DG_NO_PART */
    bool *moved;       /* of each node: torch's getitem pass moved it; NULL: none */
    bool endless;      /* torch itself would not return: its getitem pass goes round */
    struct dg_arena memory;
};

void dg_partitions_clear(struct dg_partitions *partitions);

/* CapabilityBasedPartitioner.propose_partitions() of torch 2.13 with
 * allows_single_node_partition == !no_single. O(nodes + edges), at most 64 bytes a
 * node. `graph` must be in topological order. As in torch, the result can be cyclic
 * where a getitem with several inputs (its index is a node) follows one of them. */
void dg_partition_torch(struct dg_partitions *out, const struct dg_graph *graph,
                        const uint16_t *marks, bool no_single);

/* The same with skip_horizontal_fusion=True: torch's own procedure step by step, whose
 * result may be cyclic. Cubic in the worst case, as torch's is. */
void dg_partition_skip_horizontal(struct dg_partitions *out,
                                  const struct dg_graph *graph, const uint16_t *marks,
                                  bool no_single);

/* Groups: `group_of` has a number below n_groups or DG_NO_PART for each node. */
struct dg_groups {
    uint32_t n_groups;
    uint32_t *group_of;
};

/* ExecuTorch's GroupBasedPartitioner; nodes within a part are in graph order. The
 * result may be cyclic. */
void dg_partition_group(struct dg_partitions *out, const struct dg_graph *graph,
                        const uint16_t *marks, const struct dg_groups *groups,
                        bool no_single);

/* One partition of all supported nodes, id 0. */
void dg_partition_single(struct dg_partitions *out, const struct dg_graph *graph,
                         const uint16_t *marks);

/* Never cyclic: groups are contracted, then peeled by levels. A
 * group that no valid partition can hold (an unsupported node lies between its members)
 * is dissolved, and counted in *n_dissolved. `groups` may be NULL. */
void dg_partition_valid(struct dg_partitions *out, const struct dg_graph *graph,
                        const uint16_t *marks, const struct dg_groups *groups,
                        bool no_single, uint32_t *n_dissolved);

/* As few partitions as there can be, and of these one with few values on the borders:
 * each counts `weights[node]` (NULL: 1) for each partition that it enters, and again
 * where it leaves one; constants do not count. Supported nodes move between the first
 * and the last partition that they can be in, as long as that gains, then neighbouring
 * partitions share what is in both anew by least cuts (partitioning.md, 5.2): a local
 * minimum, not worse than torch's. Never cyclic; parts are in the order in which they
 * run. O(nodes + edges) for each of at most 16 sweeps, and a budget of that order for
 * cuts. */
void dg_partition_min(struct dg_partitions *out, const struct dg_graph *graph,
                      const uint16_t *marks, const int64_t *weights, bool no_single);

/* Several backends, in the order of their priority: bit b of takes[node] says that
 * backend b takes that call; supported are those that any takes. As few partitions as a
 * beam search finds in one pass over all backends (partition/typed_fusion.h), or those
 * of partitioners that run one after another, each of what is left by those before it,
 * where these are not more. Never cyclic; parts are in the order in which they run.
 * O(nodes + edges) for each backend and state of the beam. */
enum { DG_MOST_BACKENDS = 16 };

struct dg_multi {
    uint32_t n_joint, n_stacked; /* partitions, before any is dropped */
    uint32_t *backend_of;        /* of each partition by its id; lives in out->memory */
};

void dg_partition_multi(struct dg_partitions *out, const struct dg_graph *graph,
                        const uint16_t *marks, const uint32_t *takes,
                        uint32_t n_backends, bool no_single, struct dg_multi *told);

/* A tagging of which some parts wait for themselves or for each other: those are split
 * into as few pieces as a beam search finds, and nothing else moves
 * (partitioning.md, 5.5). The largest piece of tag t is part t, others follow from
 * n_tags on; (*from)[id], in out->memory, is the tag of each. Placeholders go with who
 * reads them, and so do get_attr nodes that one piece alone reads. Never cyclic; parts
 * without nodes are left out. */
void dg_partition_repair(struct dg_partitions *out, uint32_t **from,
                         const struct dg_graph *graph, const uint16_t *marks,
                         const uint32_t *tag_of, uint32_t n_tags);

/* remove_bookend_non_compute_ops(): drop DG_MARK_NON_COMPUTE calls at the borders. A
 * part of such calls alone stays, empty, as in torch. Where placeholders are supported,
 * the result may be cyclic. */
void dg_remove_bookends(struct dg_partitions *partitions, const struct dg_graph *graph,
                        const uint16_t *marks);

/* A path that needs `length` partitions: `length` supported nodes, one of each, with
 * unsupported ones between them; the nodes of the whole path are path[0..n_path-1]. No
 * valid plan that covers every supported node has fewer. */
struct dg_bound {
    uint32_t length;
    uint32_t *path;
    size_t n_path;
};

void dg_lower_bound(struct dg_bound *out, struct dg_arena *memory,
                    const struct dg_graph *graph, const uint16_t *marks);

/* What an independent check of a result says; it shares no code with the partitioners.
 * `cycle` (graph/quotient.h) is NULL where the quotient graph is acyclic. */
struct dg_partitions_verdict {
    bool consistent; /* parts are disjoint, nodes and part_of agree */
    bool covers;     /* each supported node is in a part, and no other node is */
    bool acyclic;
    const uint32_t *cycle; /* nodes */
    size_t n_cycle;
};

/* `partitions` came from marks `marks`; nodes that torch's getitem pass and filter move
 * in or out are no fault of coverage. */
void dg_verify_partitions(struct dg_partitions_verdict *out, struct dg_arena *memory,
                          const struct dg_graph *graph, const uint16_t *marks,
                          const struct dg_partitions *partitions);

/* Tags. Where a tag is one of `n_tags` names, `rank` gives each its place in the order
 * of the strings ("aoti_10" < "aoti_2"). `tag_of` has an index of a tag, or DG_NO_PART,
 * for each node. */

/* `rank` of the tags PREFIX + id of partitions; lives in partitions->memory. */
uint32_t *dg_tag_ranks(struct dg_partitions *partitions);

/* get_attr nodes take the tag of their first tagged control-flow user (AOTI). */
void dg_tag_branches(uint32_t *tag_of, const struct dg_graph *graph,
                     const uint16_t *marks);

/* tag_constant_data() and tag_mutated_buffer(): constants take the smallest tag of
 * their users. */
void dg_tag_constants(uint32_t *tag_of, const uint32_t *rank,
                      const struct dg_graph *graph, const uint16_t *marks);

/* Constants without users and without a tag take `tag` (AOTI: that of the first part).
 */
void dg_tag_unused_constants(uint32_t *tag_of, uint32_t tag,
                             const struct dg_graph *graph, const uint16_t *marks);

/* What lowering does to tagged constants that several parts read: user 0 keeps the
 * original, every other user gets a copy. One row per copy, constants in graph order.
 */
struct dg_duplicate {
    uint32_t constant;
    uint32_t copy; /* the copy is named "<constant>_copy_<copy>" */
    uint32_t user;
    uint32_t tag; /* of the user, or DG_NO_PART */
};

/* All copies; the caller frees *out with free(). */
size_t dg_find_duplicates(struct dg_duplicate **out, const uint32_t *tag_of,
                          const struct dg_graph *graph, const uint16_t *marks);

#endif
