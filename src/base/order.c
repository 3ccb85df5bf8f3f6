/* Sorting by digits, the last one first. */
#include "base/order.h"

#include <stdlib.h>

enum { DIGIT = 11, N_DIGITS = 1 << DIGIT };

struct keyed {
    uint64_t key;
    uint32_t i;
};

/* The bits in which keys differ; none where they are in order. */
static uint64_t differing(const struct keyed *items, uint32_t n)
{
    uint64_t bits = 0;
    bool ordered = true;

    for (uint32_t k = 1; k < n; k++) {
        bits |= items[k].key ^ items[k - 1].key;
        ordered = ordered && items[k - 1].key <= items[k].key;
    }
    return ordered ? 0 : bits;
}

static void sort_by_digit(struct keyed *to, const struct keyed *from, uint32_t n,
                          unsigned shift)
{
    uint32_t begins[N_DIGITS + 1] = {0};

    for (uint32_t k = 0; k < n; k++)
        begins[(from[k].key >> shift) % N_DIGITS + 1]++;
    for (uint32_t digit = 0; digit < N_DIGITS; digit++)
        begins[digit + 1] += begins[digit];
    for (uint32_t k = 0; k < n; k++)
        to[begins[(from[k].key >> shift) % N_DIGITS]++] = from[k];
}

/* The sorted ones; the other of the two arrays is room. */
static struct keyed *sort(struct keyed *items, struct keyed *room, uint32_t n)
{
    uint64_t bits = differing(items, n);

    for (unsigned shift = 0; shift < 64 && bits >> shift; shift += DIGIT) {
        struct keyed *from = items;

        if (!((bits >> shift) % N_DIGITS))
            continue;
        sort_by_digit(room, from, n, shift);
        items = room;
        room = from;
    }
    return items;
}

uint32_t *dg_order(uint32_t n, dg_key_fn *key_of, unsigned n_keys, const void *things,
                   struct dg_arena *memory)
{
    uint32_t *order = dg_alloc(memory, n, sizeof(*order));
    struct keyed *both = dg_zeroed(2 * (size_t)n, sizeof(*both)), *items = both;

    for (uint32_t k = 0; k < n; k++)
        items[k].i = k;
    for (unsigned key = n_keys; key-- > 0;) {
        for (uint32_t k = 0; k < n; k++)
            items[k].key = (uint64_t)key_of(things, items[k].i, key) ^ UINT64_C(1)
                                                                           << 63;
        items = sort(items, items == both ? both + n : both, n);
    }
    for (uint32_t k = 0; k < n; k++)
        order[k] = items[k].i;
    free(both);
    return order;
}
