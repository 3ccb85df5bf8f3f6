/* Pairing by key, the k-th with the k-th. */
#include "diff/waiting.h"

#include <stdlib.h>

void dg_diff_wait(struct dg_diff_waiting *waiting, size_t thing, struct dg_text key)
{
    uint32_t number;

    key.data = dg_copy(&waiting->memory, key);
    number = dg_text_set_add(&waiting->keys, key);
    if (number == waiting->n_first)
        (void)DG_APPEND(waiting->first, waiting->n_first);
    if (!waiting->next) {
        waiting->n_next = thing + 1;
        waiting->next = dg_zeroed(waiting->n_next, sizeof(*waiting->next));
    }
    waiting->next[thing] = waiting->first[number];
    waiting->first[number] = thing + 1;
}

size_t dg_diff_take(struct dg_diff_waiting *waiting, struct dg_text key)
{
    uint32_t number = dg_text_set_find(&waiting->keys, key);
    size_t taken = number == DG_NO_TEXT ? 0 : waiting->first[number];

    if (taken)
        waiting->first[number] = waiting->next[taken - 1];
    return taken;
}

void dg_diff_waiting_clear(struct dg_diff_waiting *waiting)
{
    free(waiting->first);
    free(waiting->next);
    dg_text_set_clear(&waiting->keys);
    dg_arena_clear(&waiting->memory);
    *waiting = (struct dg_diff_waiting){0};
}
