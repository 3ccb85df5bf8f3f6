/* Sorting arrays, and places in sorted ones. */
#ifndef DG_BASE_SORTED_H
#define DG_BASE_SORTED_H

#include <stddef.h>
#include <stdlib.h>

typedef int dg_compare_fn(const void *item, const void *key);

/* qsort() of an array that may be empty, and then be NULL. Much of what is sorted here
 * comes in order: that is seen first. */
static inline void dg_sort(void *items, size_t n, size_t size, dg_compare_fn *compare)
{
    const char *item = items;

    for (size_t i = 1; i < n; i++, item += size) {
        if (compare(item, item + size) > 0) {
            qsort(items, n, size, compare);
            return;
        }
    }
}

/* bsearch() in an array that may be empty, and then be NULL. */
static inline void *dg_search(const void *key, const void *items, size_t n, size_t size,
                              dg_compare_fn *compare)
{
    return n ? bsearch(key, items, n, size, compare) : NULL;
}

/* How many of `n` sorted items compare below `most` with `key`. */
static inline size_t dg_sorted_until(const void *items, size_t n, size_t size,
                                     const void *key, dg_compare_fn *compare, int most)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare((const char *)items + middle * size, key) < most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many are less than `key`, and how many are not greater. */
#define DG_SORTED_BEFORE(items, n, key, compare)                                       \
    dg_sorted_until(items, n, sizeof(*(items)), key, compare, 0)
#define DG_SORTED_UP_TO(items, n, key, compare)                                        \
    dg_sorted_until(items, n, sizeof(*(items)), key, compare, 1)

#endif
