/* Texts of both programs by number; 0 is "". Start from {0}. */
#ifndef DG_DIFF_WORDS_H
#define DG_DIFF_WORDS_H

#include "base/arena.h"
#include "base/text_set.h"

struct dg_diff_words {
    struct dg_text_set set;
    struct dg_arena memory;
};

uint32_t dg_diff_word(struct dg_diff_words *words, struct dg_text text);
void dg_diff_words_clear(struct dg_diff_words *words);

#endif
