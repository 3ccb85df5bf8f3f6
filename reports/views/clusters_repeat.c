/* Rows of clusters that come again and again: the first is drawn, the others are one
 * box.
 */
#include <stdlib.h>

#include "base/repeats.h"
#include "reports/picture/structural_hash.h"
#include "reports/views/clusters.h"

enum { FEWEST = 3 }; /* times */

/* How many clusters wait for each other, by cycle; the caller frees it. */
static uint32_t *measure_cycles(const struct dg_clusters *clusters)
{
    uint32_t *sizes = NULL, most = 0;

    for (size_t i = 0; i < clusters->n_items; i++)
        most = clusters->items[i].cycle > most ? clusters->items[i].cycle : most;
    sizes = dg_zeroed((size_t)most + 1, sizeof(*sizes));
    for (size_t i = 0; i < clusters->n_items; i++)
        sizes[clusters->items[i].cycle] += clusters->items[i].cycle != 0;
    return sizes;
}

/* Clusters of one hash have the same backend, operators, and bytes of weights, and lie
 * on cycles as large, or on none. */
static uint64_t hash_part(const struct dg_clusters *clusters,
                          const struct dg_cluster *cluster, const uint32_t *cycle)
{
    uint64_t hash =
        dg_mix(dg_mix((uint64_t)cluster->kind, cluster->graph), cluster->frame);

    if (cluster->kind == DG_BOX_INPUT || cluster->kind == DG_BOX_OUTPUT)
        return dg_mix(hash, (uint64_t)(cluster - clusters->items));
    hash = dg_mix(dg_mix_text(hash, cluster->backend), cycle[cluster->cycle]);
    for (size_t i = 0; i < DG_CLUSTER_OPS; i++)
        hash = dg_mix(dg_mix(hash, cluster->ops[i].op), cluster->ops[i].count);
    hash = dg_mix(dg_mix(hash, cluster->n_calls), cluster->n_kinds);
    return dg_mix(dg_mix(hash, (uint64_t)cluster->weights), (uint64_t)cluster->blob);
}

static void describe(struct dg_clusters *clusters, struct dg_cluster *block,
                     struct dg_cluster *const *first, const struct dg_repeat *run)
{
    size_t count = run->period * (run->times - 1), begin = 0, end = count - 1;
    struct dg_text from, to;

    while (begin < count - 1 && !first[begin]->name.data)
        begin++;
    while (end && !first[end]->name.data)
        end--;
    from = dg_cluster_name(first[begin]);
    to = dg_cluster_name(first[end]);
    block->title =
        from.data && to.data
            ? dg_format(&clusters->memory, "%s \xe2\x80\xa6 %s", from.data, to.data)
            : dg_text("the same again");
    block->note =
        run->period == 1
            ? dg_format(&clusters->memory, "%zu times the box before", run->times - 1)
            : dg_format(&clusters->memory, "%zu times the %zu boxes before",
                        run->times - 1, run->period);
    block->command = clusters->command;
    block->n_repeats = run->times - 1;
}

void dg_cluster_take(struct dg_cluster *cluster, struct dg_cluster *more)
{
    cluster->flops += more->flops;
    cluster->weights += more->weights;
    if (more->blob >= 0)
        cluster->blob = (cluster->blob < 0 ? 0 : cluster->blob) + more->blob;
    more->gone = true;
}

/* The clusters behind the first row become one; `drawn_as` leads from each to it. */
static void fold(struct dg_clusters *clusters, struct dg_cluster **sorted,
                 const struct dg_repeat *run, uint32_t *drawn_as)
{
    struct dg_cluster block = {.kind = DG_BOX_BLOCK, .blob = -1, .first = DG_NOWHERE};
    size_t begin = run->begin, end = begin + run->period * run->times;
    size_t outer = clusters->skeleton->graphs[sorted[begin]->graph].frame;

    begin += run->period;
    describe(clusters, &block, &sorted[begin], run);
    block.order = sorted[begin]->order;
    block.graph = sorted[begin]->graph;
    block.level = sorted[begin]->level;
    block.frame = sorted[begin]->frame;
    block.first = sorted[begin]->first;
    block.cycle = sorted[begin]->cycle;
    for (size_t i = begin; i < end; i++) {
        drawn_as[sorted[i] - clusters->items] =
            (uint32_t)(sorted[begin] - clusters->items);
        block.frame = block.frame == sorted[i]->frame ? block.frame : outer;
        dg_cluster_take(&block, sorted[i]);
    }
    *sorted[begin] = block;
}

static size_t fold_runs(struct dg_clusters *clusters, struct dg_cluster **sorted,
                        size_t count, uint32_t *drawn_as)
{
    uint64_t *keys = dg_zeroed(count + 1, sizeof(*keys));
    uint32_t *cycle = measure_cycles(clusters);
    size_t n_runs, n_folded = 0;
    struct dg_repeat *runs;

    for (size_t i = 0; i < count; i++)
        keys[i] = hash_part(clusters, sorted[i], cycle);
    runs = dg_repeats_find(&n_runs, keys, count, (struct dg_repeat_limits){FEWEST, 0});
    for (size_t i = 0; i < n_runs; i++) {
        fold(clusters, sorted, &runs[i], drawn_as);
        n_folded += runs[i].period * (runs[i].times - 1);
    }
    free(keys);
    free(cycle);
    free(runs);
    return n_folded;
}

void dg_clusters_follow(struct dg_clusters *clusters)
{
    uint32_t *drawn_as = clusters->drawn_as;

    for (size_t i = 0; i < clusters->n_items; i++)
        drawn_as[i] = drawn_as[drawn_as[i]];
    for (size_t i = 0; i < clusters->skeleton->n_nodes; i++)
        if (clusters->part_of[i] != DG_NOWHERE)
            clusters->part_of[i] = drawn_as[clusters->part_of[i]];
    dg_clusters_count_ops(clusters);
}

void dg_clusters_repeat(struct dg_clusters *clusters)
{
    size_t count;
    struct dg_cluster **sorted = dg_clusters_sorted(clusters, &count);
    uint32_t *drawn_as =
        dg_alloc(&clusters->memory, clusters->n_items + 1, sizeof(*drawn_as));

    for (uint32_t i = 0; i < clusters->n_items; i++)
        drawn_as[i] = i;
    clusters->drawn_as = drawn_as;
    clusters->n_folded = fold_runs(clusters, sorted, count, drawn_as);
    if (clusters->n_folded)
        dg_clusters_follow(clusters);
    free(sorted);
}
