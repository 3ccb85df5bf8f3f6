/* Parts that read the same boxes and feed the same boxes: many of them are one box. */
#include <stdlib.h>

#include "base/repeats.h"
#include "reports/picture/alike.h"
#include "reports/views/parts.h"

enum { FEWEST = 4 }; /* that are drawn as one */

static uint64_t hash_kind(const struct dg_part *part)
{
    uint64_t hash = dg_mix(dg_mix((uint64_t)part->kind, part->graph), part->frame);

    return dg_mix(dg_mix_text(hash, part->backend), part->tangle);
}

static bool may_be_folded(const struct dg_part *part)
{
    return !part->gone && (part->kind == DG_BOX_DELEGATE || part->kind == DG_BOX_PART ||
                           part->kind == DG_BOX_HOST);
}

/* Of its kind and all its neighbours: sums, so that the order of pairs does not matter.
 * What is alone is like nothing. */
static uint64_t *find_keys(const struct dg_parts *parts,
                           const struct dg_part_pair *pairs, size_t n_pairs)
{
    uint64_t *keys = calloc(parts->n_items + 1, sizeof(*keys));

    if (!keys)
        dg_out_of_memory();
    for (size_t i = 0; i < n_pairs; i++) {
        keys[pairs[i].from] += dg_mix(1, pairs[i].to);
        keys[pairs[i].to] += dg_mix(2, pairs[i].from);
    }
    for (size_t i = 0; i < parts->n_items; i++)
        keys[i] = keys[i] && may_be_folded(&parts->items[i])
                      ? keys[i] + hash_kind(&parts->items[i])
                      : dg_mix(3, i);
    return keys;
}

static struct dg_text name_of(const struct dg_part *part)
{
    return part->name.data ? part->name : part->title;
}

static void describe(struct dg_parts *parts, struct dg_part *block, size_t count,
                     const struct dg_part *last)
{
    struct dg_arena *memory = &parts->memory;
    struct dg_text from = name_of(block), to = name_of(last);

    if (block->kind == DG_BOX_HOST)
        block->note = dg_format(memory, "%zu pieces on the host", count);
    else
        block->note = dg_format(memory, "%zu %s: %s", count,
                                block->kind == DG_BOX_PART ? "partitions" : "delegates",
                                block->backend.data ? block->backend.data : "");
    if (from.data && to.data)
        block->title = dg_format(memory, "%s \xe2\x80\xa6 %s", from.data, to.data);
    block->command = dg_text("--view partitions --no-fold");
    block->kind = DG_BOX_BLOCK;
    block->name = block->backend = (struct dg_text){0};
    block->n_repeats = count;
}

/* One takes another. */
static void take(struct dg_parts *parts, uint32_t taker, uint32_t taken)
{
    struct dg_part *block = &parts->items[taker], *part = &parts->items[taken];

    block->flops += part->flops;
    block->weights += part->weights;
    if (part->blob >= 0)
        block->blob = (block->blob < 0 ? 0 : block->blob) + part->blob;
    part->gone = true;
    parts->drawn_as[taken] = taker;
}

struct group { /* of parts with one key, at the first of them */
    size_t count, last;
};

void dg_parts_fold_twins(struct dg_parts *parts, const struct dg_part_pair *pairs,
                         size_t n_pairs)
{
    uint64_t *keys = find_keys(parts, pairs, n_pairs);
    size_t *first = dg_first_equal(keys, parts->n_items);
    struct group *groups = calloc(parts->n_items + 1, sizeof(*groups));

    if (!groups)
        dg_out_of_memory();
    for (size_t i = 0; i < parts->n_items; i++)
        groups[first[i]] = (struct group){groups[first[i]].count + 1, i};
    for (uint32_t i = 0; i < parts->n_items; i++)
        if (first[i] != i && groups[first[i]].count >= FEWEST)
            take(parts, (uint32_t)first[i], i);
    for (size_t i = 0; i < parts->n_items; i++)
        if (groups[i].count >= FEWEST) {
            parts->n_twins += groups[i].count;
            describe(parts, &parts->items[i], groups[i].count,
                     &parts->items[groups[i].last]);
        }
    if (parts->n_twins)
        dg_parts_follow(parts);
    free(keys);
    free(first);
    free(groups);
}
