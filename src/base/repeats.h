/* Repetition in a row of keys, such as hashes of the nodes of a program. */
#ifndef DG_BASE_REPEATS_H
#define DG_BASE_REPEATS_H

#include <stddef.h>
#include <stdint.h>

struct dg_repeat { /* `period` keys from `begin` on, `times` in a row */
    size_t begin, period, times;
};

struct dg_repeat_limits {
    size_t fewest;   /* times; at least 2 */
    size_t shortest; /* keys of all times together; 0: any */
};

/* Runs that share no key, from the left on: of those that can begin at a key the one
 * that covers most. O(n log n). The caller frees them with free(). */
struct dg_repeat *dg_repeats_find(size_t *n_runs, const uint64_t *keys, size_t n_keys,
                                  struct dg_repeat_limits limits);

/* Of each key the place where an equal one stands first. O(n log n). The caller frees
 * them with free(). */
size_t *dg_first_equal(const uint64_t *keys, size_t n_keys);

#endif
