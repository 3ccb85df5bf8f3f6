/* Rows of both stores side by side: what is a row of SQL need not be C. */
#include <stdlib.h>

#include "base/text.h"
#include "diff/diff_parts.h"

struct row {
    struct dg_text method, name, value, note;
    bool matched;
};

struct rows {
    struct row *items;
    size_t n_items;
    struct dg_text_set keys;
    uint32_t *counts; /* how often a name came */
    size_t n_counts;
    struct dg_text_set names;
};

static struct dg_text keyed(struct dg_arena *memory, struct dg_text name, uint32_t n)
{
    struct dg_writer out = {0};

    dg_write_text(&out, name);
    dg_print(&out, "\x1f%u", n);
    return dg_keep(memory, &out);
}

/* Symbols of the new program as the old one calls them. */
static void rename_symbols(struct row *row, struct dg_diffing *diffing)
{
    struct dg_diff_words *words = &diffing->words;
    uint32_t method = dg_diff_word(words, row->method);
    uint32_t name =
        dg_diff_word_in_old(diffing, method, dg_diff_word(words, row->name));
    uint32_t value =
        dg_diff_type_in_old(diffing, method, dg_diff_word(words, row->value));

    row->name = words->set.texts[name];
    if (row->value.data)
        row->value = words->set.texts[value];
}

static void add_row(struct rows *rows, struct dg_diffing *diffing, bool renames,
                    const struct dg_rows *from, struct dg_arena *memory)
{
    struct row row = {.method = dg_rows_keep(memory, from, 0),
                      .name = dg_rows_keep(memory, from, 1),
                      .value = dg_rows_keep(memory, from, 2)};
    struct dg_writer out = {0};
    uint32_t n;

    if (dg_rows_columns(from) > 3)
        row.note = dg_rows_keep(memory, from, 3);
    if (row.method.data && !dg_diff_has_method(diffing, row.method))
        return;
    if (renames)
        rename_symbols(&row, diffing);
    dg_write_text(&out, row.method);
    dg_write(&out, "\x1f", 1);
    dg_write_text(&out, row.name);
    n = dg_text_set_add(&rows->names, dg_keep(memory, &out));
    while (rows->n_counts <= n)
        DG_APPEND(rows->counts, rows->n_counts);
    dg_text_set_add(&rows->keys,
                    keyed(memory, rows->names.texts[n], rows->counts[n]++));
    *DG_APPEND(rows->items, rows->n_items) = row;
}

static bool are_same(const struct dg_rows from[2])
{
    for (int i = 0; i < dg_rows_columns(&from[0]); i++) {
        if (!dg_rows_same(&from[0], &from[1], i))
            return false;
    }
    return true;
}

/* Rows with which both begin are no difference, and most rows are such. */
static void skip_same(struct dg_rows from[2], bool there[2])
{
    do {
        for (int s = 0; s < 2; s++)
            there[s] = dg_rows_next(&from[s]);
    } while (there[0] && there[1] && are_same(from));
}

static enum dg_status read_rows(struct rows rows[2], struct dg_diffing *diffing,
                                const struct dg_diff_query *query,
                                struct dg_arena *memory, struct dg_error *err)
{
    struct dg_rows from[2];
    bool there[2] = {false, false};
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2; s++)
        from[s] = dg_rows_all(diffing->programs[s].store, query->sql, err);
    if (!query->symbols)
        skip_same(from, there);
    for (int s = 0; s < 2; s++) {
        while (there[s] || dg_rows_next(&from[s])) {
            add_row(&rows[s], diffing, s && query->symbols, &from[s], memory);
            there[s] = false;
        }
        status = dg_rows_close(&from[s], status, err);
    }
    return status;
}

static int64_t bytes_of(const struct row *row)
{
    return row && row->value.data ? strtoll(row->value.data, NULL, 10) : 0;
}

static void tell(struct dg_diffing *diffing, const struct dg_diff_query *query,
                 const struct row *old, const struct row *new)
{
    const struct row *row = new ? new : old;
    struct dg_text none;
    struct dg_difference difference = {
        .kind = query->kind,
        .class = query->class,
        .change = !old   ? DG_DIFF_ADDED
                  : !new ? DG_DIFF_REMOVED
                         : DG_DIFF_CHANGED,
        .method = row->method,
        .name = row->name,
        .what = dg_text(query->what),
        .note = row->note,
    };

    if (query->only_changes && !(old && new))
        return;
    if (old)
        difference.old = old->value;
    if (new)
        difference.new = new->value;
    if (query->bytes)
        dg_diff_size_texts(old ? &difference.old : &none, new ? &difference.new : &none,
                           bytes_of(old), bytes_of(new), &diffing->memory);
    dg_diff_add(diffing->diff, &difference);
}

static void compare_rows(struct dg_diffing *diffing, const struct dg_diff_query *query,
                         struct rows rows[2])
{
    for (size_t i = 0; i < rows[0].n_items; i++) {
        uint32_t other = dg_text_set_find(&rows[1].keys, rows[0].keys.texts[i]);
        const struct row *old = &rows[0].items[i];
        struct row *new = other == DG_NO_TEXT ? NULL : &rows[1].items[other];

        if (new)
            new->matched = true;
        if (!new || !dg_text_equal(old->value, new->value))
            tell(diffing, query, old, new);
    }
    for (size_t i = 0; i < rows[1].n_items; i++) {
        if (!rows[1].items[i].matched)
            tell(diffing, query, NULL, &rows[1].items[i]);
    }
}

enum dg_status dg_diff_rows(struct dg_diffing *diffing,
                            const struct dg_diff_query *query, struct dg_error *err)
{
    struct rows rows[2] = {0};
    struct dg_arena memory = {0};
    enum dg_status status;

    if (query->class & diffing->diff->ignored)
        return DG_OK;
    status = read_rows(rows, diffing, query, &memory, err);
    if (!status)
        compare_rows(diffing, query, rows);
    for (int s = 0; s < 2; s++) {
        free(rows[s].items);
        free(rows[s].counts);
        dg_text_set_clear(&rows[s].keys);
        dg_text_set_clear(&rows[s].names);
    }
    dg_arena_clear(&memory);
    return status;
}
