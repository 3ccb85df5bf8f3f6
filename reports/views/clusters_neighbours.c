/* Clusters that read the same boxes and feed the same boxes: many of them are one box.
 */
#include <stdlib.h>

#include "base/repeats.h"
#include "reports/picture/structural_hash.h"
#include "reports/views/clusters.h"

enum { FEWEST = 4 }; /* that are drawn as one */

static uint64_t hash_kind(const struct dg_cluster *cluster)
{
    uint64_t hash =
        dg_mix(dg_mix((uint64_t)cluster->kind, cluster->graph), cluster->frame);

    return dg_mix(dg_mix_text(hash, cluster->backend), cluster->cycle);
}

static bool may_be_folded(const struct dg_cluster *cluster)
{
    return !cluster->gone &&
           (cluster->kind == DG_BOX_DELEGATE || cluster->kind == DG_BOX_PART ||
            cluster->kind == DG_BOX_HOST);
}

/* Of its kind and all its neighbours: sums, so that the order of pairs does not matter.
 * What is alone is like nothing. */
static uint64_t *find_keys(const struct dg_clusters *clusters,
                           const struct dg_cluster_pair *pairs, size_t n_pairs)
{
    uint64_t *keys = dg_zeroed(clusters->n_items + 1, sizeof(*keys));

    for (size_t i = 0; i < n_pairs; i++) {
        keys[pairs[i].from] += dg_mix(1, pairs[i].to);
        keys[pairs[i].to] += dg_mix(2, pairs[i].from);
    }
    for (size_t i = 0; i < clusters->n_items; i++)
        keys[i] = keys[i] && may_be_folded(&clusters->items[i])
                      ? keys[i] + hash_kind(&clusters->items[i])
                      : dg_mix(3, i);
    return keys;
}

static void describe(struct dg_clusters *clusters, struct dg_cluster *block,
                     size_t count, const struct dg_cluster *last)
{
    struct dg_arena *memory = &clusters->memory;
    struct dg_text from = dg_cluster_name(block), to = dg_cluster_name(last);

    if (block->kind == DG_BOX_HOST)
        block->note = dg_format(memory, "%zu pieces on the host", count);
    else
        block->note = dg_format(memory, "%zu %s: %s", count,
                                block->kind == DG_BOX_PART ? "partitions" : "delegates",
                                block->backend.data ? block->backend.data : "");
    if (from.data && to.data)
        block->title = dg_format(memory, "%s \xe2\x80\xa6 %s", from.data, to.data);
    block->command = clusters->command;
    block->kind = DG_BOX_BLOCK;
    block->name = block->backend = (struct dg_text){0};
    block->n_repeats = count;
}

struct group { /* of clusters with one key, at the first of them */
    size_t count, last;
};

void dg_clusters_fold_neighbours(struct dg_clusters *clusters,
                                 const struct dg_cluster_pair *pairs, size_t n_pairs)
{
    uint64_t *keys = find_keys(clusters, pairs, n_pairs);
    size_t *first = dg_first_equal(keys, clusters->n_items);
    struct group *groups = dg_zeroed(clusters->n_items + 1, sizeof(*groups));

    for (size_t i = 0; i < clusters->n_items; i++)
        groups[first[i]] = (struct group){groups[first[i]].count + 1, i};
    for (uint32_t i = 0; i < clusters->n_items; i++)
        if (first[i] != i && groups[first[i]].count >= FEWEST) {
            dg_cluster_take(&clusters->items[first[i]], &clusters->items[i]);
            clusters->drawn_as[i] = (uint32_t)first[i];
        }
    for (size_t i = 0; i < clusters->n_items; i++)
        if (groups[i].count >= FEWEST) {
            clusters->n_neighbours += groups[i].count;
            describe(clusters, &clusters->items[i], groups[i].count,
                     &clusters->items[groups[i].last]);
        }
    if (clusters->n_neighbours)
        dg_clusters_follow(clusters);
    free(keys);
    free(first);
    free(groups);
}
