/* What a node is and is near to, as a number: Weisfeiler and Lehman's refinement, along
 * what it reads and along who reads it, each by itself. An input that all read is near
 * to everything; so that not all numbers change with one node, nothing goes down again.
 */
#include "diff/align.h"

#include <stdlib.h>

static uint64_t own(const struct dg_diff_node *node, unsigned traits)
{
    uint64_t hash = dg_diff_mix(node->kind, node->op);

    if (traits & DG_DIFF_BY_NAME)
        hash = dg_diff_mix(hash, node->name);
    if (traits & (DG_DIFF_BY_NAME | DG_DIFF_BY_MODULE))
        hash = dg_diff_mix(hash, node->fqn);
    if (traits & DG_DIFF_BY_ARGS)
        hash = dg_diff_mix(dg_diff_mix(hash, node->args), node->type);
    if (traits & DG_DIFF_BY_WEIGHTS)
        hash = dg_diff_mix(hash, node->weights);
    if (!(traits & DG_DIFF_BY_METHOD))
        hash = dg_diff_mix(hash, node->place);
    return hash;
}

/* One step along `near`, in order. */
static void step_makers(uint64_t *to, const uint64_t *from, const uint64_t *base,
                        const struct dg_csr *near, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t hash = base[i];

        for (uint32_t k = near->begins[i]; k < near->begins[i + 1]; k++)
            hash = dg_diff_mix(hash, from[near->items[k]]);
        to[i] = hash;
    }
}

/* Users come in any order. */
static void step_users(uint64_t *to, const uint64_t *from, const uint64_t *base,
                       const struct dg_csr *near, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t sum = 0;

        for (uint32_t k = near->begins[i]; k < near->begins[i + 1]; k++)
            sum += dg_diff_mix(1, from[near->items[k]]);
        to[i] = dg_diff_mix(base[i], sum);
    }
}

static void refine(uint64_t **hashes, uint64_t **spare, const uint64_t *base,
                   const struct dg_diff_side *side, unsigned depth, bool users)
{
    uint32_t n = side->n_nodes;

    memcpy(*hashes, base, n * sizeof(**hashes));
    for (unsigned i = 0; i < depth; i++) {
        uint64_t *last = *hashes;

        (users ? step_users : step_makers)(*spare, last, base,
                                           users ? &side->users : &side->makers, n);
        *hashes = *spare;
        *spare = last;
    }
}

uint64_t *dg_diff_hash(const struct dg_diff_side *side, unsigned traits, unsigned depth)
{
    uint32_t n = side->n_nodes;
    uint64_t *base = dg_zeroed(n, sizeof(*base)), *spare = dg_zeroed(n, sizeof(*base));
    uint64_t *before = dg_zeroed(n, sizeof(*base)), *after;

    for (uint32_t i = 0; i < n; i++)
        base[i] = own(&side->nodes[i], traits);
    if (!depth) {
        free(spare);
        free(before);
        return base;
    }
    after = dg_zeroed(n, sizeof(*base));
    refine(&before, &spare, base, side, depth, false);
    refine(&after, &spare, base, side, depth, true);
    for (uint32_t i = 0; i < n; i++)
        after[i] = dg_diff_mix(before[i], after[i]);
    free(base);
    free(spare);
    free(before);
    return after;
}
