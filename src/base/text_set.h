/* Texts, or whole numbers, by number and by what they are. Start from {0}; end with
 * dg_text_set_clear() or dg_int_set_clear(). */
#ifndef DG_BASE_TEXT_SET_H
#define DG_BASE_TEXT_SET_H

#include "base/hash_table.h"

enum { DG_NO_TEXT = DG_NO_NUMBER };

struct dg_text_set {
    struct dg_text *texts; /* in the order in which they were added */
    uint32_t n_texts;
    struct dg_hash_table table;
};

/* The number of `text`, which is added where it is new; its bytes stay the caller's. */
uint32_t dg_text_set_add(struct dg_text_set *set, struct dg_text text);

/* The number of `text`, or DG_NO_TEXT. */
uint32_t dg_text_set_find(const struct dg_text_set *set, struct dg_text text);
void dg_text_set_clear(struct dg_text_set *set);

struct dg_int_set {
    uint64_t *values; /* in the order in which they were added */
    uint32_t n_values;
    struct dg_hash_table table;
};

/* See dg_hash_table_prefetch(). */
void dg_int_set_prefetch(const struct dg_int_set *set, uint64_t value);

/* The number of `value`, which is added where it is new. */
uint32_t dg_int_set_add(struct dg_int_set *set, uint64_t value);

/* The number of `value`, or DG_NO_NUMBER. */
uint32_t dg_int_set_find(const struct dg_int_set *set, uint64_t value);
void dg_int_set_clear(struct dg_int_set *set);

#endif
