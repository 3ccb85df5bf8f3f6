/* Compressed sparse rows: items listed by key. */
#ifndef DG_BASE_CSR_H
#define DG_BASE_CSR_H

#include <stdint.h>

#include "base/arena.h"

struct dg_csr {
    uint32_t *begins; /* those of key k: items[begins[k]] .. items[begins[k + 1] - 1] */
    uint32_t *items;  /* ascending within a key */
};

/* Items 0 to n_items - 1; those with a key from `n_keys` on are left out. */
void dg_csr_by_key(struct dg_csr *out, const uint32_t *key_of, uint32_t n_items,
                   uint32_t n_keys, struct dg_arena *memory);

/* The keys by item: of each of `n_items` items the keys that list it, as often as they
 * do. */
void dg_csr_transpose(struct dg_csr *out, const struct dg_csr *rows, uint32_t n_keys,
                      uint32_t n_items, struct dg_arena *memory);

#endif
