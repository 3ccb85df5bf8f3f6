/* The list of differences, and who adds to it. */
#include "diff/finders.h"
#include "diff/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

static const char *const kinds[] = {
    [DG_DIFF_METHOD] = "method",
    [DG_DIFF_GRAPH] = "graph",
    [DG_DIFF_OP] = "op",
    [DG_DIFF_VALUE] = "value",
    [DG_DIFF_SIGNATURE] = "signature",
    [DG_DIFF_STATE] = "state",
    [DG_DIFF_WEIGHT] = "weight",
    [DG_DIFF_DELEGATE] = "delegate",
    [DG_DIFF_INSIDE] = "inside",
    [DG_DIFF_LIBRARY] = "library",
    [DG_DIFF_MEMORY] = "memory",
    [DG_DIFF_SIZE] = "size",
    [DG_DIFF_FLOPS] = "flops",
    [DG_DIFF_FINDING] = "finding",
    [DG_DIFF_NAME] = "name",
    [DG_DIFF_SOURCE] = "source",
    [DG_DIFF_METADATA] = "metadata",
};

const char *dg_diff_kind_name(enum dg_diff_kind kind)
{
    return kinds[kind];
}

const char *dg_diff_change_name(enum dg_diff_change change)
{
    static const char *const changes[] = {"added", "removed", "changed", "moved"};

    return changes[change];
}

const char *dg_diff_class_name(unsigned class)
{
    static const char *const classes[] = {"names",    "source", "weights",
                                          "metadata", "size",   "findings"};

    for (unsigned i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        if (class == 1u << i)
            return classes[i];
    }
    return NULL;
}

static struct dg_text keep(struct dg_diff *diff, struct dg_text text)
{
    return text.data ? (struct dg_text){dg_copy(&diff->memory, text), text.size} : text;
}

void dg_diff_add(struct dg_diff *diff, const struct dg_difference *difference)
{
    struct dg_difference *item;

    if (difference->class & diff->ignored)
        return;
    item = DG_APPEND(diff->items, diff->n_items);
    *item = *difference;
    item->count += !item->count;
    item->method = keep(diff, item->method);
    item->graph = keep(diff, item->graph);
    item->module = keep(diff, item->module);
    item->what = keep(diff, item->what);
    item->name = keep(diff, item->name);
    item->old = keep(diff, item->old);
    item->new = keep(diff, item->new);
    item->note = keep(diff, item->note);
}

void dg_diff_add_unknown(struct dg_diff *diff, unsigned class, const char *text)
{
    if (class & diff->ignored)
        return;
    for (size_t i = 0; i < diff->n_unknown; i++) {
        if (dg_text_is(diff->unknown[i], text))
            return;
    }
    *DG_APPEND(diff->unknown, diff->n_unknown) = dg_text(text);
}

/* Stable: within a kind they keep their order. */
static void sort_by_kind(struct dg_diff *diff)
{
    size_t begins[DG_DIFF_KINDS + 1] = {0};
    struct dg_difference *sorted;

    for (size_t i = 0; i < diff->n_items; i++)
        begins[diff->items[i].kind + 1]++;
    for (size_t k = 0; k < DG_DIFF_KINDS; k++)
        begins[k + 1] += begins[k];
    sorted = dg_zeroed(diff->n_items, sizeof(*sorted));
    for (size_t i = 0; i < diff->n_items; i++)
        sorted[begins[diff->items[i].kind]++] = diff->items[i];
    free(diff->items);
    diff->items = sorted;
}

static enum dg_status make(struct dg_diffing *diffing, struct dg_error *err)
{
    static enum dg_status (*const steps[])(struct dg_diffing *, struct dg_error *) = {
        dg_diff_order,   dg_diff_contents,  dg_diff_extras,
        dg_diff_weights, dg_diff_delegates, dg_diff_inside,
        dg_diff_flops,   dg_diff_findings,  dg_diff_file_sizes,
    };
    enum dg_status status = dg_diff_methods(diffing, err);

    if (!status)
        status = dg_diff_sides_read(diffing->sides,
                                    (struct dg_store *[]){diffing->programs[0].store,
                                                          diffing->programs[1].store},
                                    &diffing->words, err);
    if (status)
        return status;
    if (diffing->sides[0].skips_lists || diffing->sides[1].skips_lists)
        dg_diff_add_unknown(diffing->diff, 0,
                            "lists of instructions: they have too many items");
    dg_diff_pair_graphs(diffing);
    dg_diff_align(&diffing->alignment, &diffing->sides[0], &diffing->sides[1]);
    status = dg_diff_rename_symbols(diffing, err);
    if (status)
        return status;
    dg_diff_pair_outputs(diffing);
    dg_diff_pair_resources(diffing);
    dg_diff_graphs(diffing);
    dg_diff_nodes(diffing);
    dg_diff_edges(diffing);
    dg_diff_outputs(diffing);
    dg_diff_states(diffing);
    dg_diff_layouts(diffing);
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !status; i++)
        status = steps[i](diffing, err);
    return status;
}

static bool are_same_bytes(const struct dg_diff_program programs[2])
{
    const struct dg_bytes *files[2] = {&programs[0].file, &programs[1].file};

    return files[0]->data && files[1]->data && files[0]->size == files[1]->size &&
           !memcmp(files[0]->data, files[1]->data, files[0]->size);
}

/* What a file cannot show of itself is no difference to itself; a .ptd beside it may be
 * another one. */
static void settle_unknown(struct dg_diffing *diffing)
{
    const struct dg_diff_program *programs = diffing->programs;
    struct dg_diff *diff = diffing->diff;
    bool one = programs[0].path && programs[1].path &&
               !strcmp(programs[0].path, programs[1].path);

    if (diff->n_unknown && are_same_bytes(programs))
        diff->n_unknown = 0;
    if (diffing->lacks_weights && !one)
        dg_diff_add_unknown(diff, DG_DIFF_WEIGHTS,
                            "weights that a .ptd holds: compare the .ptd files, too");
}

enum dg_diff_result dg_diff_result(const struct dg_diff *diff)
{
    return diff->n_items     ? DG_DIFF_DIFFERENT
           : diff->n_unknown ? DG_DIFF_UNKNOWN
                             : DG_DIFF_SAME;
}

enum dg_status dg_diff_make(struct dg_diff *diff,
                            const struct dg_diff_program programs[2],
                            struct dg_error *err)
{
    struct dg_diffing diffing = {
        .diff = diff,
        .programs = programs,
        .entries = {{.file = programs[0].file}, {.file = programs[1].file}}};
    enum dg_status status = make(&diffing, err);

    settle_unknown(&diffing);
    sort_by_kind(diff);
    free(diffing.changed_delegates);
    dg_diff_insides_clear(&diffing);
    dg_diff_entries_clear(&diffing.entries[0]);
    dg_diff_entries_clear(&diffing.entries[1]);
    dg_diff_alignment_clear(&diffing.alignment);
    dg_diff_side_clear(&diffing.sides[0]);
    dg_diff_side_clear(&diffing.sides[1]);
    dg_diff_symbols_clear(&diffing.symbols);
    dg_diff_words_clear(&diffing.words);
    dg_text_set_clear(&diffing.methods);
    dg_arena_clear(&diffing.memory);
    return status;
}

void dg_diff_clear(struct dg_diff *diff)
{
    free(diff->items);
    free(diff->edges);
    free(diff->unknown);
    dg_arena_clear(&diff->memory);
    *diff = (struct dg_diff){.ignored = diff->ignored};
}
