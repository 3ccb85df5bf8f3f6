/* Which reasons keep calls on the host, and what each of them costs. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/sum.h"
#include "partition/explain.h"

/* A call with one of its reasons. */
struct entry {
    const struct dg_why *why;
    struct dg_text op;
    uint32_t graph, node;
};

static int compare_texts(struct dg_text a, struct dg_text b)
{
    size_t n = a.size < b.size ? a.size : b.size;
    int order = n ? memcmp(a.data, b.data, n) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int same_group(const struct entry *a, const struct entry *b)
{
    int order = strcmp(a->why->reason, b->why->reason);

    if (order || (a->op.data == b->op.data && a->op.size == b->op.size))
        return order;
    return compare_texts(a->op, b->op);
}

static bool same_call(const struct entry *a, const struct entry *b)
{
    return a->graph == b->graph && a->node == b->node && !same_group(a, b);
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = same_group(a, b);

    if (order)
        return order;
    if (a->graph != b->graph)
        return a->graph < b->graph ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int compare_groups(const void *left, const void *right)
{
    const struct dg_reason_group *a = left, *b = right;

    if (a->flops != b->flops)
        return a->flops < b->flops ? 1 : -1;
    if (a->ops != b->ops)
        return a->ops < b->ops ? 1 : -1;
    if (a->graph != b->graph)
        return a->graph < b->graph ? -1 : 1;
    if (a->example != b->example)
        return a->example < b->example ? -1 : 1;
    return strcmp(a->reason, b->reason);
}

/* Calls that compute; a getitem follows its producer, and reasons of a call that a
 * later step of the partitioner took in are void. */
static bool counts(const struct dg_explanation *explanation,
                   const struct dg_explained *graph, uint32_t node)
{
    return graph->part_of[node] == DG_NO_PART && graph->first_why[node] != DG_NO_WHY &&
           dg_explained_cost(explanation, graph, node).counts;
}

static struct entry *list_entries(const struct dg_explanation *explanation,
                                  size_t *n_entries)
{
    struct entry *entries = NULL;

    for (uint32_t g = 0; g < explanation->n_graphs; g++) {
        const struct dg_explained *graph = &explanation->graphs[g];

        for (uint32_t i = 0; i < graph->nodes->graph.n_nodes; i++) {
            uint32_t why = graph->first_why[i];

            for (; counts(explanation, graph, i) && why != DG_NO_WHY;
                 why = graph->whys[why].next)
                *DG_APPEND(entries, *n_entries) =
                    (struct entry){&graph->whys[why], graph->nodes->ops[i], g, i};
        }
    }
    dg_sort(entries, *n_entries, sizeof(*entries), compare_entries);
    return entries;
}

static void add_entry(struct dg_reason_group *group,
                      const struct dg_explanation *explanation,
                      const struct entry *entry)
{
    struct dg_cost cost =
        dg_explained_cost(explanation, &explanation->graphs[entry->graph], entry->node);

    group->ops++;
    group->unknown_flops += cost.flops < 0;
    dg_add_to(&group->flops, cost.flops);
    dg_add_to(&group->bytes, cost.bytes);
}

/* An operator that is supported loses all of its reasons, as in dg_what_if(). */
static void simulate(struct dg_reason_group *group,
                     const struct dg_explanation *explanation, const uint32_t *before)
{
    group->simulated = true;
    for (size_t i = 0; i < explanation->n_graphs; i++) {
        uint32_t after;

        if (dg_count_lifted(&after, explanation, i, group->op))
            group->calls_saved += (int64_t)before[i] - (int64_t)after;
    }
}

/* A broken plan can have less partitions than one that holds. */
static uint32_t *count_before(const struct dg_explanation *explanation)
{
    uint32_t *before = calloc(explanation->n_graphs + 1, sizeof(*before));

    if (!before)
        dg_out_of_memory();
    for (size_t i = 0; i < explanation->n_graphs; i++) {
        uint32_t n_parts = explanation->graphs[i].n_parts;

        dg_count_lifted(&before[i], explanation, i, (struct dg_text){0});
        if (n_parts < before[i])
            before[i] = n_parts;
    }
    return before;
}

static size_t collect(struct dg_reason_group **out,
                      const struct dg_explanation *explanation,
                      const struct entry *entries, size_t n_entries)
{
    size_t n = 0;

    for (size_t i = 0; i < n_entries; i++) {
        if (!i || same_group(&entries[i - 1], &entries[i]))
            *DG_APPEND(*out, n) = (struct dg_reason_group){
                .reason = entries[i].why->reason,
                .op = entries[i].op,
                .text = entries[i].why->text,
                .graph = entries[i].graph,
                .example = entries[i].node,
                .first = i,
            };
        if (!i || !same_call(&entries[i - 1], &entries[i]))
            add_entry(&(*out)[n - 1], explanation, &entries[i]);
    }
    dg_sort(*out, n, sizeof(**out), compare_groups);
    return n;
}

size_t dg_reason_groups(struct dg_reason_group **out,
                        const struct dg_explanation *explanation, size_t most)
{
    size_t n_entries = 0, n;
    struct entry *entries = list_entries(explanation, &n_entries);
    uint32_t *before = count_before(explanation);

    *out = NULL;
    n = collect(out, explanation, entries, n_entries);
    for (size_t i = 0; i < n && i < most; i++)
        simulate(&(*out)[i], explanation, before);
    free(before);
    free(entries);
    return n;
}
