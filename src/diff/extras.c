/* What a file has beside its program, or leaves to another: extra files of a .pt2, and
 * weights of a .ptd. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/text.h"
#include "diff/finders.h"
#include "diff/waiting.h"

struct extra {
    struct dg_text name, digest;
    int64_t size;
    bool matched;
};

struct extras {
    struct extra *items;
    size_t n_items;
};

static enum dg_status read_extras(struct extras *extras, struct dg_diffing *diffing,
                                  int side, struct dg_error *err)
{
    struct dg_arena *memory = &diffing->memory;
    struct dg_rows rows =
        dg_rows_all(diffing->programs[side].store,
                    "SELECT name, xxh3, size_bytes, idx FROM segment"
                    " WHERE kind = 'extra' AND name IS NOT NULL ORDER BY id",
                    err);

    while (dg_rows_next(&rows)) {
        struct extra *extra = DG_APPEND(extras->items, extras->n_items);
        struct dg_bytes content;

        *extra = (struct extra){.name = dg_rows_keep(memory, &rows, 0),
                                .digest = dg_rows_keep(memory, &rows, 1),
                                .size = dg_rows_int(&rows, 2)};
        if (extra->digest.data)
            continue;
        content =
            dg_diff_entry(&diffing->entries[side], dg_rows_int(&rows, 3), extra->size);
        if (content.data)
            extra->digest = dg_xxh3(content, memory);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void tell(struct dg_diffing *diffing, const struct extra *old,
                 const struct extra *new)
{
    struct dg_difference difference = {.kind = DG_DIFF_METADATA,
                                       .change = !old   ? DG_DIFF_ADDED
                                                 : !new ? DG_DIFF_REMOVED
                                                        : DG_DIFF_CHANGED,
                                       .class = DG_DIFF_METADATAS,
                                       .what = dg_text("extra file"),
                                       .name = (new ? new : old)->name};

    dg_diff_add(diffing->diff, &difference);
}

static void compare(struct dg_diffing *diffing, const struct extra *old,
                    const struct extra *new)
{
    bool known = old->digest.data && new->digest.data;

    if (old->size != new->size || (known && !dg_text_equal(old->digest, new->digest)))
        tell(diffing, old, new);
    else if (!known && old->size)
        dg_diff_add_unknown(diffing->diff, DG_DIFF_METADATAS,
                            "extra files without a digest");
}

static void pair(struct dg_diffing *diffing, struct extras extras[2])
{
    struct dg_diff_waiting waiting = {0};

    for (size_t i = extras[1].n_items; i--;)
        dg_diff_wait(&waiting, i, extras[1].items[i].name);
    for (size_t i = 0; i < extras[0].n_items; i++) {
        size_t taken = dg_diff_take(&waiting, extras[0].items[i].name);

        if (!taken) {
            tell(diffing, &extras[0].items[i], NULL);
            continue;
        }
        extras[1].items[taken - 1].matched = true;
        compare(diffing, &extras[0].items[i], &extras[1].items[taken - 1]);
    }
    for (size_t i = 0; i < extras[1].n_items; i++) {
        if (!extras[1].items[i].matched)
            tell(diffing, NULL, &extras[1].items[i]);
    }
    dg_diff_waiting_clear(&waiting);
}

/* A .pte names weights that a .ptd holds, and may have been given without it. */
static enum dg_status find_elsewhere(struct dg_diffing *diffing, struct dg_error *err)
{
    enum dg_status status = DG_OK;
    int64_t lacks = 0;

    if (!diffing->sides[0].is_pte)
        return DG_OK;
    for (int s = 0; s < 2 && !status && !lacks; s++)
        status = dg_store_int(
            diffing->programs[s].store,
            "SELECT EXISTS (SELECT 1 FROM value WHERE storage = 'external'"
            "  AND (name IS NULL OR name NOT IN (SELECT key FROM named_data)))",
            0, &lacks, err);
    diffing->lacks_weights = lacks;
    return status;
}

enum dg_status dg_diff_extras(struct dg_diffing *diffing, struct dg_error *err)
{
    struct extras extras[2] = {0};
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2 && !status; s++)
        status = read_extras(&extras[s], diffing, s, err);
    if (!status)
        pair(diffing, extras);
    free(extras[0].items);
    free(extras[1].items);
    return status ? status : find_elsewhere(diffing, err);
}
