/* Texts of both programs by number. */
#include "diff/words.h"

#include "base/text.h"

uint32_t dg_diff_word(struct dg_diff_words *words, struct dg_text text)
{
    uint32_t n, number;

    if (!words->set.n_texts)
        dg_text_set_add(&words->set, dg_text(""));
    if (!text.data)
        return 0;
    n = words->set.n_texts;
    number = dg_text_set_add(&words->set, text);
    if (number == n)
        words->set.texts[n].data = dg_copy(&words->memory, text);
    return number;
}

void dg_diff_words_clear(struct dg_diff_words *words)
{
    dg_text_set_clear(&words->set);
    dg_arena_clear(&words->memory);
}
