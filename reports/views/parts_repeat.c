/* Rows of parts that come again and again: the first is drawn, the others are one box.
 */
#include <stdlib.h>

#include "base/repeats.h"
#include "reports/picture/alike.h"
#include "reports/views/parts.h"

enum { FEWEST = 3 }; /* times */

/* How many parts wait for each other, by tangle; the caller frees it. */
static uint32_t *measure_tangles(const struct dg_parts *parts)
{
    uint32_t *sizes = NULL, most = 0;

    for (size_t i = 0; i < parts->n_items; i++)
        most = parts->items[i].tangle > most ? parts->items[i].tangle : most;
    sizes = calloc((size_t)most + 1, sizeof(*sizes));
    if (!sizes)
        dg_out_of_memory();
    for (size_t i = 0; i < parts->n_items; i++)
        sizes[parts->items[i].tangle] += parts->items[i].tangle != 0;
    return sizes;
}

/* Parts of one hash have the same backend, operators, and bytes of weights, and lie on
 * cycles as large, or on none. */
static uint64_t hash_part(const struct dg_parts *parts, const struct dg_part *part,
                          const uint32_t *tangles)
{
    uint64_t hash = dg_mix(dg_mix((uint64_t)part->kind, part->graph), part->frame);

    if (part->kind == DG_BOX_INPUT || part->kind == DG_BOX_OUTPUT)
        return dg_mix(hash, (uint64_t)(part - parts->items));
    hash = dg_mix(dg_mix_text(hash, part->backend), tangles[part->tangle]);
    for (size_t i = 0; i < DG_PART_OPS; i++)
        hash = dg_mix(dg_mix(hash, part->ops[i].op), part->ops[i].count);
    hash = dg_mix(dg_mix(hash, part->n_calls), part->n_kinds);
    return dg_mix(dg_mix(hash, (uint64_t)part->weights), (uint64_t)part->blob);
}

static struct dg_text name_of(const struct dg_part *part)
{
    return part->name.data ? part->name : part->title;
}

static void describe(struct dg_parts *parts, struct dg_part *block,
                     struct dg_part *const *first, const struct dg_repeat *run)
{
    size_t count = run->period * (run->times - 1), begin = 0, end = count - 1;
    struct dg_text from, to;

    while (begin < count - 1 && !first[begin]->name.data)
        begin++;
    while (end && !first[end]->name.data)
        end--;
    from = name_of(first[begin]);
    to = name_of(first[end]);
    block->title =
        from.data && to.data
            ? dg_format(&parts->memory, "%s \xe2\x80\xa6 %s", from.data, to.data)
            : dg_text("the same again");
    block->note =
        run->period == 1
            ? dg_format(&parts->memory, "%zu times the box before", run->times - 1)
            : dg_format(&parts->memory, "%zu times the %zu boxes before",
                        run->times - 1, run->period);
    block->command = dg_text("--view partitions --no-fold");
    block->n_repeats = run->times - 1;
}

/* The parts behind the first row become one; `drawn_as` leads from each to it. */
static void fold(struct dg_parts *parts, struct dg_part **sorted,
                 const struct dg_repeat *run, uint32_t *drawn_as)
{
    struct dg_part block = {.kind = DG_BOX_BLOCK, .blob = -1, .first = DG_NOWHERE};
    size_t begin = run->begin, end = begin + run->period * run->times;
    size_t outer = parts->outline->graphs[sorted[begin]->graph].frame;

    begin += run->period;
    describe(parts, &block, &sorted[begin], run);
    block.order = sorted[begin]->order;
    block.graph = sorted[begin]->graph;
    block.stage = sorted[begin]->stage;
    block.frame = sorted[begin]->frame;
    block.first = sorted[begin]->first;
    block.tangle = sorted[begin]->tangle;
    for (size_t i = begin; i < end; i++) {
        drawn_as[sorted[i] - parts->items] = (uint32_t)(sorted[begin] - parts->items);
        block.frame = block.frame == sorted[i]->frame ? block.frame : outer;
        block.flops += sorted[i]->flops;
        block.weights += sorted[i]->weights;
        if (sorted[i]->blob >= 0)
            block.blob = (block.blob < 0 ? 0 : block.blob) + sorted[i]->blob;
        sorted[i]->gone = true;
    }
    *sorted[begin] = block;
}

static size_t fold_runs(struct dg_parts *parts, struct dg_part **sorted, size_t count,
                        uint32_t *drawn_as)
{
    uint64_t *keys = calloc(count + 1, sizeof(*keys));
    uint32_t *tangles = measure_tangles(parts);
    size_t n_runs, n_folded = 0;
    struct dg_repeat *runs;

    if (!keys)
        dg_out_of_memory();
    for (size_t i = 0; i < count; i++)
        keys[i] = hash_part(parts, sorted[i], tangles);
    runs = dg_repeats_find(&n_runs, keys, count, (struct dg_repeat_limits){FEWEST, 0});
    for (size_t i = 0; i < n_runs; i++) {
        fold(parts, sorted, &runs[i], drawn_as);
        n_folded += runs[i].period * (runs[i].times - 1);
    }
    free(keys);
    free(tangles);
    free(runs);
    return n_folded;
}

void dg_parts_follow(struct dg_parts *parts)
{
    uint32_t *drawn_as = parts->drawn_as;

    for (size_t i = 0; i < parts->n_items; i++)
        drawn_as[i] = drawn_as[drawn_as[i]];
    for (size_t i = 0; i < parts->outline->n_nodes; i++)
        if (parts->part_of[i] != DG_NOWHERE)
            parts->part_of[i] = drawn_as[parts->part_of[i]];
    dg_parts_count_ops(parts);
}

void dg_parts_repeat(struct dg_parts *parts)
{
    size_t count;
    struct dg_part **sorted = dg_parts_sorted(parts, &count);
    uint32_t *drawn_as =
        dg_alloc(&parts->memory, parts->n_items + 1, sizeof(*drawn_as));

    for (uint32_t i = 0; i < parts->n_items; i++)
        drawn_as[i] = i;
    parts->drawn_as = drawn_as;
    parts->n_folded = fold_runs(parts, sorted, count, drawn_as);
    if (parts->n_folded)
        dg_parts_follow(parts);
    free(sorted);
}
