/* Items listed by key, as compressed rows. */
#ifndef DG_GRAPH_BUCKETS_H
#define DG_GRAPH_BUCKETS_H

#include <stdint.h>

#include "base/arena.h"

struct dg_buckets {
    uint32_t *begins; /* those of key k: items[begins[k]] .. items[begins[k + 1] - 1] */
    uint32_t *items;  /* ascending within a key */
};

/* Items 0 to n_items - 1; those with a key from `n_keys` on are left out. */
void dg_fill_buckets(struct dg_buckets *out, const uint32_t *key_of, uint32_t n_items,
                     uint32_t n_keys, struct dg_arena *memory);

#endif
