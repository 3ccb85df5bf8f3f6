/* Groups of nodes that a partitioner must keep together: lists of names in JSON. */
#ifndef DG_PARTITION_GROUPS_H
#define DG_PARTITION_GROUPS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "partition/nodes.h"
#include "partition/partition.h"

struct dg_group_member {
    struct dg_text method; /* data NULL: every method */
    struct dg_text node;
    uint32_t group;
};

struct dg_group_list {
    const char *path;
    struct dg_group_member *members;
    size_t n_members;
    uint32_t n_groups;
    struct dg_arena memory;
};

/* [["node", ...], ...], or {"method": [[...]]}. Clear *list whether or not this
 * succeeds. */
enum dg_status dg_groups_read(struct dg_group_list *list, const char *path,
                              struct dg_error *err);
void dg_groups_clear(struct dg_group_list *list);

/* The groups of one graph. A name that no node has, or that stands in two groups, is an
 * error. `groups->group_of` lives in `memory`. */
enum dg_status dg_groups_resolve(struct dg_groups *groups, struct dg_arena *memory,
                                 const struct dg_group_list *list,
                                 const struct dg_nodes *nodes, struct dg_error *err);

#endif
