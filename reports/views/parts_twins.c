/* Parts that read the same boxes and feed the same boxes: many of them are one box. */
#include <stdlib.h>

#include "reports/picture/alike.h"
#include "reports/views/parts.h"

enum { FEWEST = 4 }; /* that are drawn as one */

struct twin {
    uint64_t hash; /* of its kind and all its neighbours */
    uint32_t part;
    bool linked;
};

static uint64_t hash_kind(const struct dg_part *part)
{
    uint64_t hash = dg_mix(dg_mix((uint64_t)part->kind, part->graph), part->frame);

    return dg_mix(dg_mix_text(hash, part->backend), part->tangle);
}

/* Sums, so that the order of pairs does not matter. */
static struct twin *find_neighbours(const struct dg_parts *parts,
                                    const struct dg_part_pair *pairs, size_t n_pairs)
{
    struct twin *twins = calloc(parts->n_items + 1, sizeof(*twins));

    if (!twins)
        dg_out_of_memory();
    for (size_t i = 0; i < parts->n_items; i++)
        twins[i] =
            (struct twin){.hash = hash_kind(&parts->items[i]), .part = (uint32_t)i};
    for (size_t i = 0; i < n_pairs; i++) {
        twins[pairs[i].from].hash += dg_mix(1, pairs[i].to);
        twins[pairs[i].to].hash += dg_mix(2, pairs[i].from);
        twins[pairs[i].from].linked = twins[pairs[i].to].linked = true;
    }
    return twins;
}

static bool may_be_folded(const struct dg_part *part)
{
    return !part->gone && (part->kind == DG_BOX_DELEGATE || part->kind == DG_BOX_PART ||
                           part->kind == DG_BOX_HOST);
}

static int by_hash(const void *left, const void *right)
{
    const struct twin *a = left, *b = right;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
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

/* The first takes all the others. */
static void fold(struct dg_parts *parts, const struct twin *twins, size_t count)
{
    struct dg_part *block = &parts->items[twins[0].part];

    for (size_t i = 1; i < count; i++) {
        struct dg_part *part = &parts->items[twins[i].part];

        block->flops += part->flops;
        block->weights += part->weights;
        if (part->blob >= 0)
            block->blob = (block->blob < 0 ? 0 : block->blob) + part->blob;
        part->gone = true;
        parts->drawn_as[twins[i].part] = twins[0].part;
    }
    parts->n_twins += count;
    describe(parts, block, count, &parts->items[twins[count - 1].part]);
}

void dg_parts_fold_twins(struct dg_parts *parts, const struct dg_part_pair *pairs,
                         size_t n_pairs)
{
    struct twin *twins = find_neighbours(parts, pairs, n_pairs);
    size_t n_twins = 0;

    for (size_t i = 0; i < parts->n_items; i++)
        if (twins[i].linked && may_be_folded(&parts->items[i]))
            twins[n_twins++] = twins[i];
    if (n_twins)
        qsort(twins, n_twins, sizeof(*twins), by_hash);
    for (size_t begin = 0, end; begin < n_twins; begin = end) {
        for (end = begin; end < n_twins && twins[end].hash == twins[begin].hash;)
            end++;
        if (end - begin >= FEWEST)
            fold(parts, &twins[begin], end - begin);
    }
    if (parts->n_twins)
        dg_parts_follow(parts);
    free(twins);
}
