/* Disjoint sets of numbers: each names another of its set in `parent`, the root itself.
 */
#ifndef DG_BASE_UNION_FIND_H
#define DG_BASE_UNION_FIND_H

#include "base/arena.h"

#include <stdint.h>

/* Each of `n` numbers alone, in `memory`. */
static inline uint32_t *dg_union_find_begin(uint32_t n, struct dg_arena *memory)
{
    uint32_t *parent = dg_alloc(memory, n, sizeof(*parent));

    for (uint32_t i = 0; i < n; i++)
        parent[i] = i;
    return parent;
}

static inline uint32_t dg_union_find_root(uint32_t *parent, uint32_t number)
{
    while (parent[number] != number)
        number = parent[number] = parent[parent[number]];
    return number;
}

/* The smallest number of a set is its root. */
static inline void dg_union_find_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t first = dg_union_find_root(parent, a),
             second = dg_union_find_root(parent, b);

    parent[first < second ? second : first] = first < second ? first : second;
}

#endif
