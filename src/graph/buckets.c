/* Items listed by key. */
#include "graph/buckets.h"

void dg_fill_buckets(struct dg_buckets *out, const uint32_t *key_of, uint32_t n_items,
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
