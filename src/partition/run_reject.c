/* Why nodes are in no partition. */
#include <stdlib.h>

#include "base/sorted.h"
#include "partition/run_parts.h"

void dg_run_reject(struct dg_run_graph *graph, int64_t node, const char *reason,
                   struct dg_text text)
{
    uint32_t order = (uint32_t)graph->n_rejects;

    *DG_APPEND(graph->rejects, graph->n_rejects) = (struct dg_run_reject){
        node, order, reason, {dg_copy(&graph->memory, text), text.size}};
}

/* A part that keeps its only input's producer is left by no getitem. */
static bool left_by_getitem_pass(const struct dg_run_graph *graph,
                                 const struct dg_run_plan *plan, uint32_t node)
{
    const struct dg_graph *nodes = &graph->nodes.graph;

    for (uint32_t k = nodes->input_of[node]; k < nodes->input_of[node + 1]; k++) {
        uint32_t producer = nodes->inputs[k];

        if (!(graph->nodes.marks[producer] & DG_MARK_SUPPORTED) &&
            plan->partitions.part_of[producer] == DG_NO_PART)
            return true;
    }
    return false;
}

static void explain(struct dg_run_graph *graph, const struct dg_run_request *request,
                    uint32_t node)
{
    static const char item[] = "the tuple that it takes an item of is in no partition";
    static const char border[] = "at the border of its partition, where operators that "
                                 "compute nothing are dropped";
    static const char single[] =
        "its partition would have one operator that computes; such are dropped";
    uint16_t marks = graph->nodes.marks[node];
    int64_t id = graph->ids[node];

    if (marks & DG_MARK_GETITEM && left_by_getitem_pass(graph, &graph->reference, node))
        dg_run_reject(graph, id, "getitem", dg_text(item));
    else if (request->bookends && marks & DG_MARK_NON_COMPUTE)
        dg_run_reject(graph, id, "non-compute", dg_text(border));
    else if (request->no_single)
        dg_run_reject(graph, id, "single-node", dg_text(single));
}

static int compare(const void *left, const void *right)
{
    const struct dg_run_reject *a = left, *b = right;

    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->pos < b->pos ? -1 : a->pos > b->pos;
}

static void number(struct dg_run_graph *graph)
{
    struct dg_run_reject *all = graph->rejects;

    dg_sort(all, graph->n_rejects, sizeof(*all), compare);
    for (size_t i = 0; i < graph->n_rejects; i++)
        all[i].pos = i && all[i - 1].node == all[i].node ? all[i - 1].pos + 1 : 0;
}

void dg_run_reject_rest(struct dg_run_graph *graph,
                        const struct dg_run_request *request)
{
    const struct dg_partitions *partitions = &graph->reference.partitions;

    for (uint32_t i = 0; i < graph->nodes.graph.n_nodes; i++) {
        if (graph->nodes.marks[i] & DG_MARK_SUPPORTED &&
            partitions->part_of[i] == DG_NO_PART)
            explain(graph, request, i);
    }
    number(graph);
}
