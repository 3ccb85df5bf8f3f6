/* Items listed by key. */
#include "base/csr.h"

#include <stdlib.h>

void dg_csr_by_key(struct dg_csr *out, const uint32_t *key_of, uint32_t n_items,
                   uint32_t n_keys, struct dg_arena *memory)
{
    uint32_t
        *next; /* of key k, at k: one item later than `begins` wants it in the end */

    out->begins = dg_alloc(memory, (size_t)n_keys + 2, sizeof(uint32_t));
    out->items = dg_alloc(memory, n_items, sizeof(uint32_t));
    next = out->begins + 1;
    for (uint32_t i = 0; i < n_items; i++) {
        if (key_of[i] < n_keys)
            next[key_of[i] + 1]++;
    }
    for (uint32_t k = 0; k < n_keys; k++)
        next[k + 1] += next[k];
    for (uint32_t i = 0; i < n_items; i++) {
        if (key_of[i] < n_keys)
            out->items[next[key_of[i]]++] = i;
    }
}

void dg_csr_transpose(struct dg_csr *out, const struct dg_csr *rows, uint32_t n_keys,
                      uint32_t n_items, struct dg_arena *memory)
{
    uint32_t n = rows->begins[n_keys], key = 0;
    uint32_t *key_of = dg_zeroed(n, sizeof(*key_of)); /* of a place in `rows` */

    for (uint32_t k = 0; k < n; k++) {
        while (rows->begins[key + 1] <= k)
            key++;
        key_of[k] = key;
    }
    dg_csr_by_key(out, rows->items, n, n_items, memory);
    for (uint32_t i = 0; i < out->begins[n_items]; i++)
        out->items[i] = key_of[out->items[i]];
    free(key_of);
}
