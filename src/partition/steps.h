/* Steps that several partitioners share. */
#ifndef DG_PARTITION_STEPS_H
#define DG_PARTITION_STEPS_H

#include "base/csr.h"
#include "partition/partition.h"

/* How far each node is from the end: of the paths that begin there, the one that needs
 * most partitions counts. A supported node of height h is of level h / 2, and h is odd;
 * an unsupported node has even h and lies just before level h / 2. `graph` must be in
 * topological order. */
void dg_measure_heights(uint32_t *height, const struct dg_graph *graph,
                        const uint16_t *marks);

/* Who owns each start of ExecuTorch's groups (partition/group.c) once all have merged,
 * where that is a question of levels: each start is to paths what a single node is, and
 * ends before what reads it. Else false, and `owner` stays. O(nodes + edges). */
bool dg_group_levels(uint32_t *owner, const struct dg_graph *graph,
                     const uint32_t *start_of, const struct dg_csr *starts,
                     uint32_t n_starts, struct dg_arena *memory);

/* Nodes that changed their part, in the order in which torch appends them. */
struct dg_moves {
    bool *moved; /* of each node; NULL: none did */
    uint32_t *nodes;
    size_t n_nodes;
};

/* torch's getitem pass: getitems follow a producer all of whose users are getitems.
 * Returns false where torch would repeat it for ever; then only getitems with one input
 * have moved. What *moves points at lives in `memory`. */
bool dg_follow_producers(struct dg_moves *moves, uint32_t *part_of,
                         struct dg_arena *memory, const struct dg_graph *graph,
                         const uint16_t *marks);

/* Given parts with ids and `part_of`: drop parts that are empty or, with `no_single`,
 * too small, and list the nodes of the others, those that moved last. */
void dg_list_partitions(struct dg_partitions *partitions, const struct dg_moves *moves,
                        const struct dg_graph *graph, const uint16_t *marks,
                        bool no_single);

/* The same of parts 0 to n_parts - 1, which get their numbers as ids; nodes are in
 * graph order. */
void dg_list_parts(struct dg_partitions *partitions, uint32_t n_parts,
                   const struct dg_graph *graph, const uint16_t *marks, bool no_single);

/* The same where `part_of` has heights: those of a level are a part, the highest level
 * is the first, and getitems follow what they take items of. */
void dg_finish_levels(struct dg_partitions *out, const struct dg_graph *graph,
                      const uint16_t *marks, bool no_single);

/* The same after torch's getitem pass. */
void dg_finish_partitions(struct dg_partitions *partitions,
                          const struct dg_graph *graph, const uint16_t *marks,
                          bool no_single);

#endif
