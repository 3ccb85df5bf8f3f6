/* The order of things by whole numbers, without comparing any two of them. */
#ifndef DG_BASE_ORDER_H
#define DG_BASE_ORDER_H

#include <stdint.h>

#include "base/arena.h"

/* Key number `key` of thing `i`. */
typedef int64_t dg_key_fn(const void *things, uint32_t i, unsigned key);

/* The numbers 0 to n - 1 by key 0, where that is equal by key 1, and so on; where all
 * are equal by themselves. In `memory`. O(n) for each key. */
uint32_t *dg_order(uint32_t n, dg_key_fn *key_of, unsigned n_keys, const void *things,
                   struct dg_arena *memory);

#endif
