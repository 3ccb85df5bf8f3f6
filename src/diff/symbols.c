/* Symbols of sizes: a bijection between those of two programs. */
#include "diff/symbols.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/text.h"

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* What says of which kind a symbol is. */
static struct dg_text head_of(struct dg_text word)
{
    struct dg_text head = {word.data, 0};

    while (head.size < word.size && isalpha((unsigned char)word.data[head.size]))
        head.size++;
    return head;
}

/* s77, u0; of floats zf3, zuf1. */
static bool is_symbol(struct dg_text word)
{
    static const char *const heads[] = {"s", "u", "zf", "zuf"};
    struct dg_text head = head_of(word);

    for (size_t i = head.size; i < word.size; i++) {
        if (!isdigit((unsigned char)word.data[i]))
            return false;
    }
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
        if (dg_text_is(head, heads[i]))
            return head.size < word.size;
    }
    return false;
}

struct dg_text dg_diff_next_symbol(struct dg_text text, size_t *at)
{
    while (*at < text.size) {
        struct dg_text word = {text.data + *at, 0};

        while (*at + word.size < text.size && is_part(word.data[word.size]))
            word.size++;
        if (is_symbol(word))
            return word;
        *at += word.size + !word.size;
    }
    return (struct dg_text){0};
}

void dg_diff_write_masked(struct dg_writer *out, struct dg_text text)
{
    size_t at = 0, done = 0;

    for (struct dg_text symbol; (symbol = dg_diff_next_symbol(text, &at)).size;
         done = at += symbol.size) {
        dg_write(out, text.data + done, at - done);
        dg_write_text(out, head_of(symbol));
        dg_print(out, "?");
    }
    dg_write(out, text.data + done, text.size - done);
}

static uint32_t *other_of(struct dg_diff_symbols *symbols, int side, uint32_t method,
                          uint32_t symbol)
{
    uint32_t number =
        dg_int_set_add(&symbols->keys[side], (uint64_t)method << 32 | symbol);

    while (symbols->n_others[side] <= number)
        (void)DG_APPEND(symbols->others[side], symbols->n_others[side]);
    return &symbols->others[side][number];
}

bool dg_diff_has_symbol(struct dg_diff_symbols *symbols, int side, uint32_t method,
                        uint32_t symbol)
{
    return *other_of(symbols, side, method, symbol) != 0;
}

void dg_diff_pair_symbols(struct dg_diff_symbols *symbols, uint32_t method,
                          struct dg_text old, struct dg_text new,
                          struct dg_diff_words *words)
{
    for (size_t i = 0, k = 0;;) {
        struct dg_text a = dg_diff_next_symbol(old, &i);
        struct dg_text b = dg_diff_next_symbol(new, &k);
        uint32_t from, to;

        if (!a.size || !b.size)
            return;
        i += a.size;
        k += b.size;
        from = dg_diff_word(words, a);
        to = dg_diff_word(words, b);
        if (dg_text_equal(head_of(a), head_of(b)) &&
            !*other_of(symbols, 0, method, from) &&
            !*other_of(symbols, 1, method, to)) {
            *other_of(symbols, 0, method, from) = to;
            *other_of(symbols, 1, method, to) = from;
        }
    }
}

static void write_symbol(struct dg_writer *out, struct dg_diff_symbols *symbols,
                         uint32_t method, struct dg_text symbol,
                         struct dg_diff_words *words)
{
    uint32_t word = dg_diff_word(words, symbol);
    uint32_t old = *other_of(symbols, 1, method, word);

    dg_write_text(out, old ? words->set.texts[old] : symbol);
    if (!old && *other_of(symbols, 0, method, word))
        dg_print(out, "'");
}

void dg_diff_write_in_old(struct dg_writer *out, struct dg_diff_symbols *symbols,
                          uint32_t method, struct dg_text text,
                          struct dg_diff_words *words)
{
    size_t at = 0, done = 0;

    for (struct dg_text symbol; (symbol = dg_diff_next_symbol(text, &at)).size;
         done = at += symbol.size) {
        dg_write(out, text.data + done, at - done);
        write_symbol(out, symbols, method, symbol, words);
    }
    dg_write(out, text.data + done, text.size - done);
}

void dg_diff_symbols_clear(struct dg_diff_symbols *symbols)
{
    for (int s = 0; s < 2; s++) {
        dg_int_set_clear(&symbols->keys[s]);
        free(symbols->others[s]);
    }
    *symbols = (struct dg_diff_symbols){0};
}
