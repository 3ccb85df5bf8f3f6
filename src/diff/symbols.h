/* Symbols of sizes, which an export numbers as it likes: which of them is which. */
#ifndef DG_DIFF_SYMBOLS_H
#define DG_DIFF_SYMBOLS_H

#include <stdbool.h>

#include "diff/words.h"

struct dg_writer;

/* Each method has symbols of its own. Start from {0}; end with
 * dg_diff_symbols_clear(). */
struct dg_diff_symbols {
    struct dg_int_set keys[2]; /* method and symbol of the old and of the new program */
    uint32_t *others[2];       /* word of the symbol that it is there; 0: none is */
    size_t n_others[2];
};

void dg_diff_symbols_clear(struct dg_diff_symbols *symbols);

/* The first symbol at or behind *at, where it begins then; empty: there is none. */
struct dg_text dg_diff_next_symbol(struct dg_text text, size_t *at);

/* The text without numbers of symbols: "2*s77" is "2*s?". */
void dg_diff_write_masked(struct dg_writer *out, struct dg_text text);

/* Symbols of `old` are those of `new`, in order, as far as nothing else is known of
 * them; texts that are the same but for symbols. */
void dg_diff_pair_symbols(struct dg_diff_symbols *symbols, uint32_t method,
                          struct dg_text old, struct dg_text new,
                          struct dg_diff_words *words);

/* Whether it is known which one a symbol of that side is. */
bool dg_diff_has_symbol(struct dg_diff_symbols *symbols, int side, uint32_t method,
                        uint32_t symbol);

/* A text of the new program in symbols of the old one. What is no symbol of it has a
 * stroke where it could be taken for another one: s77'. */
void dg_diff_write_in_old(struct dg_writer *out, struct dg_diff_symbols *symbols,
                          uint32_t method, struct dg_text text,
                          struct dg_diff_words *words);

#endif
