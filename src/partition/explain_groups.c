/* Which reasons keep calls on the host, and what each of them costs. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/sum.h"
#include "base/text_set.h"
#include "partition/explain.h"

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
    struct dg_cost cost = dg_explained_cost(explanation, graph, node);

    return graph->part_of[node] == DG_NO_PART && graph->first_why[node] != DG_NO_WHY &&
           dg_cost_counts(&cost);
}

/* Groups by reason and operator, in the order in which they are met. */
struct grouping {
    const struct dg_explanation *explanation;
    struct dg_text_set reasons, ops;
    struct dg_int_set pairs; /* of their numbers */
    struct dg_reason_group *groups;
    uint64_t *newest; /* of each group: the last call that it counted */
    size_t n_groups;
};

static size_t find_group(struct grouping *grouping, const struct dg_why *why,
                         uint32_t graph, uint32_t node)
{
    struct dg_text op = dg_nodes_op(grouping->explanation->graphs[graph].nodes, node);
    uint64_t reason = dg_text_set_add(&grouping->reasons, dg_text(why->reason));
    size_t group = dg_int_set_add(&grouping->pairs,
                                  reason << 32 | dg_text_set_add(&grouping->ops, op));

    if (group == grouping->n_groups) {
        grouping->newest = dg_grow(grouping->newest, group, sizeof(uint64_t));
        grouping->newest[group] = UINT64_MAX;
        *DG_APPEND(grouping->groups, grouping->n_groups) =
            (struct dg_reason_group){.reason = why->reason,
                                     .op = op,
                                     .text = why->text,
                                     .graph = graph,
                                     .example = node};
    }
    return group;
}

/* A call counts once, however often it has the reason. */
static void add_reason(struct grouping *grouping, const struct dg_why *why,
                       uint32_t graph, uint32_t node)
{
    size_t number = find_group(grouping, why, graph, node);
    struct dg_reason_group *group = &grouping->groups[number];
    uint64_t call = (uint64_t)graph << 32 | node;
    struct dg_cost cost;

    if (grouping->newest[number] == call)
        return;
    grouping->newest[number] = call;
    cost = dg_explained_cost(grouping->explanation,
                             &grouping->explanation->graphs[graph], node);
    group->ops++;
    group->unknown_flops += cost.flops < 0;
    dg_add_to(&group->flops, cost.flops);
    dg_add_to(&group->bytes, cost.bytes);
}

static void add_graph(struct grouping *grouping, uint32_t g)
{
    const struct dg_explained *graph = &grouping->explanation->graphs[g];

    for (uint32_t i = 0; i < graph->nodes->graph.n_nodes; i++) {
        uint32_t why = graph->first_why[i];

        for (; counts(grouping->explanation, graph, i) && why != DG_NO_WHY;
             why = graph->whys[why].next)
            add_reason(grouping, &graph->whys[why], g, i);
    }
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
        const struct dg_explained *graph = &explanation->graphs[i];
        uint32_t n_parts = dg_count_filled(graph->part_of, graph->nodes->graph.n_nodes,
                                           graph->n_parts);

        dg_count_lifted(&before[i], explanation, i, (struct dg_text){0});
        if (n_parts < before[i])
            before[i] = n_parts;
    }
    return before;
}

size_t dg_reason_groups(struct dg_reason_group **out,
                        const struct dg_explanation *explanation, size_t most)
{
    struct grouping grouping = {.explanation = explanation};
    uint32_t *before = count_before(explanation);

    for (uint32_t g = 0; g < explanation->n_graphs; g++)
        add_graph(&grouping, g);
    dg_sort(grouping.groups, grouping.n_groups, sizeof(*grouping.groups),
            compare_groups);
    for (size_t i = 0; i < grouping.n_groups && i < most; i++)
        simulate(&grouping.groups[i], explanation, before);
    dg_text_set_clear(&grouping.reasons);
    dg_text_set_clear(&grouping.ops);
    dg_int_set_clear(&grouping.pairs);
    free(grouping.newest);
    free(before);
    *out = grouping.groups;
    return grouping.n_groups;
}
