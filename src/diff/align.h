/* Which node of the new program is which of the old one. */
#ifndef DG_DIFF_ALIGN_H
#define DG_DIFF_ALIGN_H

#include "diff/side.h"

enum { DG_DIFF_ALONE = UINT32_MAX };

struct dg_diff_alignment {
    const struct dg_diff_side *sides[2]; /* old, new */
    uint32_t *others[2]; /* of each node the one that it is there, or DG_DIFF_ALONE */
    uint32_t n_alone[2];
    uint32_t *pairs; /* nodes of the old side, in the order in which they were found */
    uint32_t n_pairs, n_seen; /* seen: neighbours of these were looked at */
    struct dg_arena memory;
};

/* Clear *alignment afterwards. What nodes are is only a guess that makes few
 * differences: what they do is compared, then. O(nodes + edges). */
void dg_diff_align(struct dg_diff_alignment *alignment, const struct dg_diff_side *old,
                   const struct dg_diff_side *new);
void dg_diff_alignment_clear(struct dg_diff_alignment *alignment);

/* What two nodes may have in common, as bits. */
enum dg_diff_trait {
    DG_DIFF_BY_NAME = 1 << 0,    /* and module */
    DG_DIFF_BY_ARGS = 1 << 1,    /* and the types of results */
    DG_DIFF_BY_WEIGHTS = 1 << 2, /* that an instruction reads */
    DG_DIFF_BY_METHOD = 1 << 3,  /* in whichever of its graphs */
    DG_DIFF_BY_MODULE = 1 << 4,
};

/* Numbers of all nodes: equal where the nodes are, and those up to `depth` steps before
 * and behind them. The caller frees them. */
uint64_t *dg_diff_hash(const struct dg_diff_side *side, unsigned traits,
                       unsigned depth);

/* The steps of dg_diff_align(). */
void dg_diff_pair(struct dg_diff_alignment *alignment, uint32_t old, uint32_t new);
/* Nodes with one key on both sides, in order; or only where there are as many. */
void dg_diff_pair_by_key(struct dg_diff_alignment *alignment, uint64_t *const keys[2],
                         bool as_many);
/* The only neighbours with one operator of nodes that are a pair. */
void dg_diff_pair_neighbours(struct dg_diff_alignment *alignment);
/* What has the same neighbours, whatever it is. */
void dg_diff_pair_places(struct dg_diff_alignment *alignment);

static inline uint64_t dg_diff_mix(uint64_t a, uint64_t b)
{
    a ^= b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2);
    a *= UINT64_C(0xff51afd7ed558ccd);
    return a ^ a >> 32;
}

#endif
