/* Things of the new program that wait for those of the old one with the same key, the
 * first of them first. Start from {0}; end with dg_diff_waiting_clear(). */
#ifndef DG_DIFF_WAITING_H
#define DG_DIFF_WAITING_H

#include "base/text_set.h"

struct dg_diff_waiting {
    struct dg_text_set keys;
    size_t *first, n_first; /* thing + 1 of a key; 0: none */
    size_t *next, n_next;   /* the one behind a thing */
    struct dg_arena memory;
};

/* Thing `thing` waits; the last thing is to be told first. The key is copied. */
void dg_diff_wait(struct dg_diff_waiting *waiting, size_t thing, struct dg_text key);

/* The thing + 1 whose turn it is, and which waits no longer; 0: none does. */
size_t dg_diff_take(struct dg_diff_waiting *waiting, struct dg_text key);
void dg_diff_waiting_clear(struct dg_diff_waiting *waiting);

#endif
