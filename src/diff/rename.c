/* Symbols of sizes: which is which, by nodes that are one, in the order of nodes; then
 * types of the new program in symbols of the old one. */
#include <stdlib.h>

#include "base/text.h"
#include "diff/align.h"
#include "diff/finders.h"
#include "diff/waiting.h"

/* What stands in brackets. */
static struct dg_text sizes_of(struct dg_text type)
{
    const char *begin = memchr(type.data, '[', type.size);
    size_t skip = begin ? (size_t)(begin - type.data) + 1 : type.size;
    struct dg_text sizes = {type.data + skip, type.size - skip};

    sizes.size -= sizes.size && sizes.data[sizes.size - 1] == ']';
    return sizes;
}

/* The next size, without quotes. */
static bool take_size(struct dg_text *size, struct dg_text *rest)
{
    bool quoted = false;
    size_t end = 0;

    if (!rest->size)
        return false;
    for (; end < rest->size && (quoted || rest->data[end] != ','); end++)
        quoted ^= rest->data[end] == '"';
    *size = (struct dg_text){rest->data, end};
    if (end > 1 && rest->data[0] == '"')
        *size = (struct dg_text){rest->data + 1, end - 2};
    end += end < rest->size;
    *rest = (struct dg_text){rest->data + end, rest->size - end};
    return true;
}

static bool is_plain(struct dg_text size)
{
    size_t at = 0;

    return dg_diff_next_symbol(size, &at).size == size.size && size.size;
}

/* Types of the nodes that are a pair, with their symbols. */
struct typed {
    uint32_t method;
    struct dg_text old, new;
};

/* Sizes that are nothing but a symbol. */
static void pair_plain(struct dg_diffing *diffing, const struct typed *typed)
{
    struct dg_text a = sizes_of(typed->old), b = sizes_of(typed->new), old, new;

    while (take_size(&old, &a) && take_size(&new, &b)) {
        if (is_plain(old) && is_plain(new))
            dg_diff_pair_symbols(&diffing->symbols, typed->method, old, new,
                                 &diffing->words);
    }
}

static void pair_in_order(struct dg_diffing *diffing, const struct typed *typed)
{
    struct dg_writer masked[2] = {0};

    dg_diff_write_masked(&masked[0], typed->old);
    dg_diff_write_masked(&masked[1], typed->new);
    if (dg_text_equal(dg_written(&masked[0]), dg_written(&masked[1])))
        dg_diff_pair_symbols(&diffing->symbols, typed->method, sizes_of(typed->old),
                             sizes_of(typed->new), &diffing->words);
    dg_writer_clear(&masked[0]);
    dg_writer_clear(&masked[1]);
}

/* Of a scalar what it is, as a size in brackets: "[2*s77]". */
static enum dg_status read_scalars(uint32_t *types, struct dg_diff_side *side,
                                   struct dg_error *err)
{
    struct dg_writer out = {0};
    struct dg_rows rows = dg_rows_all(side->store,
                                      "SELECT node.id, scalar FROM node JOIN value"
                                      "  ON value.id = value_id"
                                      " WHERE value.kind LIKE 'sym\\_%' ESCAPE '\\'"
                                      "  AND typeof(scalar) = 'text'",
                                      err);

    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        out.size = 0;
        dg_print(&out, "[\"");
        dg_write_text(&out, dg_rows_slice(&rows, 1));
        dg_print(&out, "\"]");
        if (id > 0 && id <= side->n_nodes)
            types[id - 1] = dg_diff_word(side->words, dg_written(&out));
    }
    dg_writer_clear(&out);
    return dg_rows_close(&rows, DG_OK, err);
}

/* By node, the type with its symbols. */
static enum dg_status read_types(uint32_t *types, struct dg_diff_side *side,
                                 struct dg_error *err)
{
    for (uint32_t i = 0; i < side->n_nodes; i++) {
        uint32_t value = side->model->nodes[i].value;

        if (value && value <= side->values->n_rows)
            types[i] = side->types[side->values->type_of[value - 1]];
    }
    return read_scalars(types, side, err);
}

static void pair_types(struct dg_diffing *diffing, uint32_t *const types[2],
                       void pair(struct dg_diffing *, const struct typed *))
{
    const struct dg_diff_side *new = &diffing->sides[1];

    for (uint32_t i = 0; i < new->n_nodes; i++) {
        uint32_t other = diffing->alignment.others[1][i];
        struct typed typed;

        if (other == DG_DIFF_ALONE || !new->nodes[i].place)
            continue;
        typed = (struct typed){
            .method = new->graphs[new->model->nodes[i].graph - 1].method_word,
            .old = dg_diff_text(&diffing->sides[0], types[0][other]),
            .new = dg_diff_text(new, types[1][i])};
        pair(diffing, &typed);
    }
}

static bool has_symbols(const struct dg_diffing *diffing)
{
    return diffing->symbols.n_others[1] > 0;
}

uint32_t dg_diff_word_in_old(struct dg_diffing *diffing, uint32_t method, uint32_t word)
{
    struct dg_text text = diffing->words.set.texts[word];
    struct dg_writer out = {0};
    size_t at = 0;

    if (!has_symbols(diffing) || !dg_diff_next_symbol(text, &at).size)
        return word;
    dg_diff_write_in_old(&out, &diffing->symbols, method, text, &diffing->words);
    word = dg_diff_word(&diffing->words, dg_written(&out));
    dg_writer_clear(&out);
    return word;
}

uint32_t dg_diff_type_in_old(struct dg_diffing *diffing, uint32_t method, uint32_t word)
{
    struct dg_text text = diffing->words.set.texts[word], sizes = sizes_of(text);
    struct dg_writer out = {0};
    size_t at = 0;

    if (!has_symbols(diffing) || !dg_diff_next_symbol(sizes, &at).size)
        return word;
    dg_write(&out, text.data, (size_t)(sizes.data - text.data));
    dg_diff_write_in_old(&out, &diffing->symbols, method, sizes, &diffing->words);
    dg_print(&out, "]");
    word = dg_diff_word(&diffing->words, dg_written(&out));
    dg_writer_clear(&out);
    return word;
}

static void set_types(struct dg_diffing *diffing, int s)
{
    struct dg_diff_side *side = &diffing->sides[s];

    for (uint32_t i = 0; i < side->n_nodes; i++) {
        uint32_t value = side->model->nodes[i].value, method;

        if (!value || value > side->values->n_rows || !side->nodes[i].place)
            continue;
        method = side->graphs[side->model->nodes[i].graph - 1].method_word;
        side->nodes[i].type = side->types[side->values->type_of[value - 1]];
        if (s)
            side->nodes[i].type =
                dg_diff_type_in_old(diffing, method, side->nodes[i].type);
    }
}

/* Symbols that no node has, with their ranges. */
static const char ranges_sql[] =
    "SELECT method.name, symbol, coalesce(min, '') || '..' || coalesce(max, '')"
    "  FROM range_constraint JOIN graph AS g ON g.id = graph_id"
    "  JOIN method ON method.id = method_id ORDER BY graph_id, length(symbol), symbol";

struct unseen {
    uint32_t method, symbol; /* words */
    struct dg_text key;
};

static enum dg_status read_unseen(struct unseen **items, size_t *n,
                                  struct dg_diffing *diffing, int side,
                                  struct dg_error *err)
{
    struct dg_diff_words *words = &diffing->words;
    struct dg_rows rows = dg_rows_all(diffing->programs[side].store, ranges_sql, err);
    struct dg_writer key = {0};

    while (dg_rows_next(&rows)) {
        struct dg_text symbol = dg_rows_slice(&rows, 1);
        struct unseen unseen = {dg_diff_word(words, dg_rows_slice(&rows, 0)),
                                dg_diff_word(words, symbol),
                                {0}};

        if (!is_plain(symbol) ||
            dg_diff_has_symbol(&diffing->symbols, side, unseen.method, unseen.symbol))
            continue;
        dg_diff_write_masked(&key, symbol);
        dg_print(&key, " %u ", unseen.method);
        dg_write_text(&key, dg_rows_slice(&rows, 2));
        unseen.key = dg_keep(&diffing->memory, &key);
        *DG_APPEND(*items, *n) = unseen;
    }
    dg_writer_clear(&key);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Those with one range are one, in order. */
static enum dg_status pair_unseen(struct dg_diffing *diffing, struct dg_error *err)
{
    struct unseen *items[2] = {0};
    size_t n[2] = {0};
    struct dg_diff_waiting waiting = {0};
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2 && !status; s++)
        status = read_unseen(&items[s], &n[s], diffing, s, err);
    for (size_t i = n[1]; i--;)
        dg_diff_wait(&waiting, i, items[1][i].key);
    for (size_t i = 0; i < n[0] && !status; i++) {
        const struct dg_text *texts = diffing->words.set.texts;
        size_t taken = dg_diff_take(&waiting, items[0][i].key);

        if (taken)
            dg_diff_pair_symbols(&diffing->symbols, items[0][i].method,
                                 texts[items[0][i].symbol],
                                 texts[items[1][taken - 1].symbol], &diffing->words);
    }
    dg_diff_waiting_clear(&waiting);
    free(items[0]);
    free(items[1]);
    return status;
}

static enum dg_status pair_seen(struct dg_diffing *diffing, struct dg_error *err)
{
    uint32_t *types[2];
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2 && !status; s++) {
        types[s] =
            dg_alloc(&diffing->memory, diffing->sides[s].n_nodes, sizeof(uint32_t));
        status = read_types(types[s], &diffing->sides[s], err);
    }
    if (status)
        return status;
    pair_types(diffing, types, pair_plain);
    pair_types(diffing, types, pair_in_order);
    return DG_OK;
}

enum dg_status dg_diff_rename_symbols(struct dg_diffing *diffing, struct dg_error *err)
{
    const struct dg_diff_side *sides = diffing->sides;
    enum dg_status status = DG_OK;

    if (sides[0].is_pte || sides[1].is_pte)
        return DG_OK;
    if (sides[0].symbolic && sides[1].symbolic)
        status = pair_seen(diffing, err);
    if (!status)
        status = pair_unseen(diffing, err);
    for (int s = 0; s < 2; s++) {
        if (sides[s].symbolic)
            set_types(diffing, s);
    }
    return status;
}
