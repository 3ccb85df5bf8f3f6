/* The order in which nodes are paired: what is surest comes first. */
#include "diff/align.h"

#include <stdlib.h>

static bool is_done(const struct dg_diff_alignment *alignment)
{
    return !alignment->n_alone[0] || !alignment->n_alone[1];
}

static void pair_by_hash(struct dg_diff_alignment *alignment, unsigned traits,
                         unsigned depth, bool as_many)
{
    uint64_t *keys[2];

    if (is_done(alignment))
        return;
    for (int s = 0; s < 2; s++)
        keys[s] = dg_diff_hash(alignment->sides[s], traits, depth);
    dg_diff_pair_by_key(alignment, keys, as_many);
    for (int s = 0; s < 2; s++)
        free(keys[s]);
}

/* What an export numbers anew has its name less the number, its module and what is
 * around it; then its neighbours tell; then that is left out which may have changed. */
static const struct {
    unsigned traits, depth;
    bool as_many;
} steps[] = {
    {DG_DIFF_BY_NAME | DG_DIFF_BY_ARGS | DG_DIFF_BY_WEIGHTS, 3, true},
    {DG_DIFF_BY_NAME | DG_DIFF_BY_ARGS, 3, true},
    {DG_DIFF_BY_NAME, 3, true},
    {DG_DIFF_BY_NAME, 1, true},
    {DG_DIFF_BY_ARGS, 2, true},
    {DG_DIFF_BY_NAME | DG_DIFF_BY_ARGS, 0, true},
    {DG_DIFF_BY_NAME, 0, true},
    {DG_DIFF_BY_MODULE, 1, true},
    {DG_DIFF_BY_MODULE, 0, true},
    {0, 2, true},
    {0, 1, true},
};

/* What is left, in order. */
static const unsigned last_steps[] = {
    DG_DIFF_BY_NAME | DG_DIFF_BY_ARGS,
    DG_DIFF_BY_NAME,
};

void dg_diff_align(struct dg_diff_alignment *alignment, const struct dg_diff_side *old,
                   const struct dg_diff_side *new)
{
    *alignment = (struct dg_diff_alignment){.sides = {old, new}};
    for (int s = 0; s < 2; s++) {
        uint32_t n = alignment->sides[s]->n_nodes;

        alignment->others[s] = dg_alloc(&alignment->memory, n, sizeof(uint32_t));
        memset(alignment->others[s], 0xff, n * sizeof(uint32_t));
        alignment->n_alone[s] = n;
    }
    alignment->pairs = dg_alloc(&alignment->memory, old->n_nodes, sizeof(uint32_t));
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        pair_by_hash(alignment, steps[i].traits, steps[i].depth, steps[i].as_many);
        dg_diff_pair_neighbours(alignment);
    }
    if (!is_done(alignment))
        dg_diff_pair_places(alignment);
    for (size_t i = 0; i < sizeof(last_steps) / sizeof(*last_steps); i++)
        pair_by_hash(alignment, last_steps[i], 0, false);
    pair_by_hash(alignment, DG_DIFF_BY_NAME | DG_DIFF_BY_ARGS | DG_DIFF_BY_METHOD, 0,
                 false);
}

void dg_diff_alignment_clear(struct dg_diff_alignment *alignment)
{
    dg_arena_clear(&alignment->memory);
    *alignment = (struct dg_diff_alignment){0};
}
