/* Which reasons keep calls on the host, and what each of them costs. */
#include <stdlib.h>
#include <string.h>

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
    if (*n_entries)
        qsort(entries, *n_entries, sizeof(*entries), compare_entries);
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

static uint32_t count_parts(const struct dg_explanation *explanation,
                            const struct dg_graph *graph, const uint16_t *marks)
{
    struct dg_partitions parts = {0};
    uint32_t n;

    dg_partition_torch(&parts, graph, marks, explanation->no_single);
    n = parts.n_parts;
    dg_partitions_clear(&parts);
    return n;
}

/* Whether nothing else keeps this call on the host. */
static bool only_reason(const struct dg_explained *graph, const struct entry *entry)
{
    uint32_t why = graph->first_why[entry->node];

    while (why != DG_NO_WHY && !strcmp(graph->whys[why].reason, entry->why->reason))
        why = graph->whys[why].next;
    return why == DG_NO_WHY;
}

/* What one graph saves when the reason of its entries falls. */
static int64_t saved_in(const struct dg_explanation *explanation,
                        const struct entry *entries, size_t n, uint32_t before)
{
    const struct dg_explained *graph = &explanation->graphs[entries->graph];
    const struct dg_nodes *nodes = graph->nodes;
    uint32_t n_nodes = nodes->graph.n_nodes, after;
    uint16_t *marks = malloc((n_nodes + 1) * sizeof(*marks));

    if (!marks)
        dg_out_of_memory();
    memcpy(marks, nodes->marks, n_nodes * sizeof(*marks));
    for (size_t i = 0; i < n; i++) {
        if (only_reason(graph, &entries[i]))
            marks[entries[i].node] |= DG_MARK_SUPPORTED;
    }
    after = count_parts(explanation, &nodes->graph, marks);
    free(marks);
    return (int64_t)before - (int64_t)after;
}

static void simulate(struct dg_reason_group *group,
                     const struct dg_explanation *explanation,
                     const struct entry *entries, const uint32_t *before)
{
    size_t n = group->n_entries;

    group->simulated = true;
    for (size_t begin = 0, end; begin < n; begin = end) {
        uint32_t graph = entries[begin].graph;

        for (end = begin; end < n && entries[end].graph == graph; end++)
            ;
        group->calls_saved +=
            saved_in(explanation, entries + begin, end - begin, before[graph]);
    }
}

/* A broken plan can have less partitions than one that holds. */
static uint32_t *count_before(const struct dg_explanation *explanation)
{
    uint32_t *before = calloc(explanation->n_graphs + 1, sizeof(*before));

    if (!before)
        dg_out_of_memory();
    for (size_t i = 0; i < explanation->n_graphs; i++) {
        const struct dg_nodes *nodes = explanation->graphs[i].nodes;

        before[i] = count_parts(explanation, &nodes->graph, nodes->marks);
        if (explanation->graphs[i].n_parts < before[i])
            before[i] = explanation->graphs[i].n_parts;
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
        (*out)[n - 1].n_entries++;
        if (!i || !same_call(&entries[i - 1], &entries[i]))
            add_entry(&(*out)[n - 1], explanation, &entries[i]);
    }
    if (n)
        qsort(*out, n, sizeof(**out), compare_groups);
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
        simulate(&(*out)[i], explanation, entries + (*out)[i].first, before);
    free(before);
    free(entries);
    return n;
}
