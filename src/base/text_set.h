/* Texts by number and by name. Start from {0}; end with dg_text_set_clear(). */
#ifndef DG_BASE_TEXT_SET_H
#define DG_BASE_TEXT_SET_H

#include "base/bytes.h"

enum { DG_NO_TEXT = UINT32_MAX };

struct dg_text_set {
    struct dg_text *texts; /* in the order in which they were added */
    uint32_t n_texts;
    uint32_t *slots; /* open addressing: number + 1, 0: free */
    uint32_t n_slots;
};

/* The number of `text`, which is added where it is new; its bytes stay the caller's. */
uint32_t dg_text_set_add(struct dg_text_set *set, struct dg_text text);

/* The number of `text`, or DG_NO_TEXT. */
uint32_t dg_text_set_find(const struct dg_text_set *set, struct dg_text text);
void dg_text_set_clear(struct dg_text_set *set);

#endif
