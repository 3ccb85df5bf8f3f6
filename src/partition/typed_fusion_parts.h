/* States of the search for few groups, which typed_fusion.c chooses among. */
#ifndef DG_PARTITION_TYPED_FUSION_PARTS_H
#define DG_PARTITION_TYPED_FUSION_PARTS_H

#include "partition/typed_fusion.h"

/* What has run after some groups: what had before, and vertices[0] to
 * vertices[n_ran - 1], of which the first n_group are the last group; the others have
 * no type. n_ready more, with types, could run next. */
struct dg_fusion_state {
    struct dg_fusion_state *before; /* NULL: nothing had run */
    uint32_t n_refs, depth;
    uint32_t type, n_group, n_ran, n_ready;
    uint32_t n_total; /* what has run in all */
    uint32_t vertices[];
};

struct dg_fusion_search {
    const struct dg_typed_graph *graph;
    uint32_t *waits_for; /* of each vertex: inputs that have not run in state `at` */
    struct dg_fusion_state *at;
    uint32_t *ran, *free_ones, *ready; /* of the step that is tried */
    uint32_t n_ran, n_free, n_ready;
    uint32_t *asked; /* of each type: the last round in which it was tried, plus one */
    uint32_t *marks, mark, round;
    uint64_t n_steps;
};

/* One reference less; what nobody refers to is freed, and what came before it. */
void dg_fusion_release(struct dg_fusion_state *state);

/* Make search->at the state, and search->waits_for what holds there. */
void dg_fusion_go_to(struct dg_fusion_search *search, struct dg_fusion_state *state);

/* Whether all that has run in `a` has run in `b`. */
bool dg_fusion_is_part(struct dg_fusion_search *search, struct dg_fusion_state *a,
                       struct dg_fusion_state *b);

/* Run what search->ran and search->free_ones hold, and what becomes ready of that type;
 * how many are of the group: what has no type runs behind it. */
uint32_t dg_fusion_run_step(struct dg_fusion_search *search, uint32_t type);

/* A new state: one group of that type behind search->at, as large as it can be. */
struct dg_fusion_state *dg_fusion_try(struct dg_fusion_search *search, uint32_t type);

/* The state before the first group: what has no type and waits for nothing typed. */
struct dg_fusion_state *dg_fusion_begin(struct dg_fusion_search *search);

#endif
