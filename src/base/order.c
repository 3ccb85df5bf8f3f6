/* Sorting by digits, the last one first. */
#include "base/order.h"

#include <stdbool.h>
#include <stdlib.h>

enum { DIGIT = 11, N_DIGITS = 1 << DIGIT, HALF = 32 };

/* By a half of its key, counted from the least one: few keys have another half. */
struct keyed {
    uint32_t key, i;
};

/* What is sorted by one key. */
struct sorting {
    dg_key_fn *key_of;
    const void *things;
    unsigned key;
    uint64_t least, most; /* with the sign's bit turned: negative ones come first */
    bool ordered;
};

static uint64_t key_at(const struct sorting *sorting, uint32_t i)
{
    return (uint64_t)sorting->key_of(sorting->things, i, sorting->key) ^ UINT64_C(1)
                                                                             << 63;
}

static void survey(struct sorting *sorting, const uint32_t *order, uint32_t n)
{
    uint64_t before = 0;

    sorting->least = UINT64_MAX;
    sorting->most = 0;
    sorting->ordered = true;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t key = key_at(sorting, order[k]);

        sorting->ordered = sorting->ordered && before <= key;
        sorting->least = key < sorting->least ? key : sorting->least;
        sorting->most = key > sorting->most ? key : sorting->most;
        before = key;
    }
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

/* By the half of keys that begins at bit `half`; `room` is for 2 * n items. */
static void sort_by_half(const struct sorting *sorting, uint32_t *order, uint32_t n,
                         unsigned half, struct keyed *room)
{
    uint64_t most = (sorting->most - sorting->least) >> half;
    struct keyed *items = room, *other = room + n;

    for (uint32_t k = 0; k < n; k++)
        items[k] = (struct keyed){
            (uint32_t)((key_at(sorting, order[k]) - sorting->least) >> half), order[k]};
    for (unsigned shift = 0; shift < HALF && most >> shift; shift += DIGIT) {
        struct keyed *from = items;

        sort_by_digit(other, from, n, shift);
        items = other;
        other = from;
    }
    for (uint32_t k = 0; k < n; k++)
        order[k] = items[k].i;
}

uint32_t *dg_order(uint32_t n, dg_key_fn *key_of, unsigned n_keys, const void *things,
                   struct dg_arena *memory)
{
    uint32_t *order = dg_alloc(memory, n, sizeof(*order));
    struct keyed *room = NULL;

    for (uint32_t k = 0; k < n; k++)
        order[k] = k;
    for (unsigned key = n_keys; key-- > 0;) {
        struct sorting sorting = {.key_of = key_of, .things = things, .key = key};

        survey(&sorting, order, n);
        if (sorting.ordered)
            continue;
        if (!room)
            room = dg_zeroed(2 * (size_t)n, sizeof(*room));
        sort_by_half(&sorting, order, n, 0, room);
        if ((sorting.most - sorting.least) >> HALF)
            sort_by_half(&sorting, order, n, HALF, room);
    }
    free(room);
    return order;
}
