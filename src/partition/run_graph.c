/* One graph through a partitioner: marks, partitions, an independent check, a bound. */
#include <stdlib.h>

#include "partition/lowering.h"
#include "partition/run_parts.h"

bool dg_run_has_own_groups(const struct dg_run_request *request)
{
    return request->mode == DG_RUN_GROUP && !request->groups && !request->n_priors &&
           dg_support_has_groups(request->support);
}

static void number_nodes(struct dg_run_graph *graph)
{
    const struct dg_graph *nodes = &graph->nodes.graph;

    graph->ids = dg_alloc(&graph->memory, nodes->n_nodes, sizeof(*graph->ids));
    for (uint32_t i = 0; i < nodes->n_nodes; i++)
        graph->ids[i] = nodes->first_id + i;
}

void dg_run_places(struct dg_run_places *places, const struct dg_run_graph *graph,
                   struct dg_arena *memory)
{
    uint32_t n = graph->nodes.graph.n_nodes;

    *places = (struct dg_run_places){.first = INT64_MAX, .last = 0};
    for (uint32_t i = 0; i < n; i++) {
        if (graph->ids[i] && graph->ids[i] < places->first)
            places->first = graph->ids[i];
        if (graph->ids[i] > places->last)
            places->last = graph->ids[i];
    }
    if (!places->last)
        return;
    places->of = dg_alloc(memory, (size_t)(places->last - places->first) + 1,
                          sizeof(*places->of));
    for (uint32_t i = 0; i < n; i++) {
        if (graph->ids[i])
            places->of[graph->ids[i] - places->first] = i + 1;
    }
}

uint32_t dg_run_place(const struct dg_run_places *places, int64_t id)
{
    if (id < places->first || id > places->last)
        return DG_NO_PLACE;
    return places->of[id - places->first] - 1;
}

static enum dg_status told(void *context, uint32_t node, const char *reason,
                           struct dg_text text, struct dg_error *err)
{
    struct dg_run_graph *graph = context;

    (void)err;
    dg_run_reject(graph, graph->ids[node], reason, text);
    return DG_OK;
}

static bool names(const struct dg_text_set *set, struct dg_text op)
{
    return set->n_texts && op.data && dg_text_set_find(set, op) != DG_NO_TEXT;
}

/* Calls of delegates and what is taken out of their results are no candidates. */
static void mark_calls(struct dg_run_graph *graph, const struct dg_run_request *request)
{
    static const char why[] = "another delegate has it";

    for (uint32_t i = 0; i < graph->nodes.graph.n_nodes; i++) {
        uint16_t *marks = &graph->nodes.marks[i];

        if (!(*marks & DG_MARK_CALL))
            continue;
        if (names(&request->non_compute, dg_nodes_op(&graph->nodes, i)))
            *marks |= DG_MARK_NON_COMPUTE | DG_MARK_TRANSPARENT;
        if (names(&request->allowed_single, dg_nodes_op(&graph->nodes, i)))
            *marks |= DG_MARK_ALLOWED_SINGLE;
        if (request->claim_delegates ||
            !(*marks & (DG_MARK_DELEGATE | DG_MARK_DELEGATE_ITEM)))
            continue;
        *marks &= (uint16_t)~DG_MARK_SUPPORTED;
        dg_run_reject(graph, graph->ids[i], "prior-delegate", dg_text(why));
    }
}

/* The constants of a group are candidates, too, where a call of it is one. */
static void mark_constants(struct dg_run_graph *graph, const struct dg_groups *groups)
{
    uint16_t *marks = graph->nodes.marks;
    struct dg_arena scratch = {0};
    bool *taken = dg_alloc(&scratch, groups->n_groups, sizeof(*taken));
    uint32_t n = groups->n_groups ? graph->nodes.graph.n_nodes : 0;

    for (uint32_t i = 0; i < n; i++) {
        if (groups->group_of[i] != DG_NO_PART && marks[i] & DG_MARK_SUPPORTED)
            taken[groups->group_of[i]] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (groups->group_of[i] != DG_NO_PART && taken[groups->group_of[i]] &&
            marks[i] & DG_MARK_CONSTANT)
            marks[i] |= DG_MARK_SUPPORTED;
    }
    dg_arena_clear(&scratch);
}

static enum dg_status check_order(struct dg_run_graph *graph, struct dg_error *err)
{
    const struct dg_graph *nodes = &graph->nodes.graph;
    const struct dg_text *text = graph->nodes.names;
    const uint32_t *cycle;
    size_t length;
    uint32_t i = 0, k;

    for (i = 0, k = 0; i < nodes->n_nodes; i++) {
        for (; k < nodes->input_of[i + 1] && nodes->inputs[k] < i; k++)
            ;
        if (k < nodes->input_of[i + 1])
            break;
    }
    if (i == nodes->n_nodes)
        return DG_OK;
    cycle = dg_graph_cycle(&graph->nodes.graph, &length);
    if (length)
        return dg_fail(
            err, DG_ERR_FORMAT,
            "method %.80s: its graph has a cycle of %zu nodes through \"%.80s\""
            "; expected one without cycles: see delegraph check",
            graph->nodes.method.data, length, text[cycle[0]].data);
    return dg_fail(
        err, DG_ERR_FORMAT,
        "method %.80s: node \"%.80s\" reads \"%.80s\", which stands behind it; "
        "expected topological order: see delegraph check",
        graph->nodes.method.data, text[i].data, text[nodes->inputs[k]].data);
}

static enum dg_status load(struct dg_run_graph *graph,
                           const struct dg_run_request *request,
                           struct dg_groups *groups, struct dg_store *store, int64_t id,
                           struct dg_error *err)
{
    enum dg_status status = dg_nodes_load(&graph->nodes, store, id, err);

    if (!status)
        status = check_order(graph, err);
    if (status)
        return status;
    number_nodes(graph);
    if (request->mode == DG_RUN_REPAIR)
        return dg_run_read_plan(graph, store, err);
    if (request->mode == DG_RUN_MULTI)
        status = dg_run_ask_backends(graph, request, store, err);
    else
        status = dg_support_apply(request->support, &graph->nodes, store, told, graph,
                                  dg_run_has_own_groups(request) ? groups : NULL, err);
    if (!status)
        mark_calls(graph, request);
    if (!status)
        mark_constants(graph, groups);
    for (size_t i = 0; i < request->n_priors && !status; i++)
        status = dg_lower_plan(graph, request->priors[i], request->claim_delegates,
                               store, err);
    return status;
}

/* Bytes of values; of unknown ones little. */
static int64_t *weights_of(struct dg_run_graph *graph)
{
    const int64_t most = (int64_t)1 << 40; /* sums of a million stay within 64 bits */
    uint32_t n = graph->nodes.graph.n_nodes;
    int64_t *weights = dg_alloc(&graph->memory, n, sizeof(*weights));

    for (uint32_t i = 0; i < n; i++) {
        int64_t nbytes = graph->nodes.nbytes[i];

        weights[i] = nbytes < 1 ? 1 : nbytes < most ? nbytes : most;
    }
    return weights;
}

static void partition(struct dg_run_graph *graph, const struct dg_run_request *request,
                      const struct dg_groups *groups)
{
    struct dg_partitions *out = &graph->reference.partitions;
    const struct dg_graph *nodes = &graph->nodes.graph;
    const uint16_t *marks = graph->nodes.marks;

    if (request->mode == DG_RUN_SINGLE)
        dg_partition_single(out, nodes, marks);
    else if (request->mode == DG_RUN_GROUP)
        dg_partition_group(out, nodes, marks, groups, request->no_single);
    else if (request->mode == DG_RUN_MIN)
        dg_partition_min(out, nodes, marks,
                         request->by_bytes ? weights_of(graph) : NULL,
                         request->no_single);
    else if (request->mode == DG_RUN_MULTI)
        dg_partition_multi(out, nodes, marks, graph->takes, request->n_backends,
                           request->no_single, &graph->multi);
    else if (request->mode == DG_RUN_REPAIR)
        dg_run_take_plan(graph);
    else if (request->skip_horizontal)
        dg_partition_skip_horizontal(out, nodes, marks, request->no_single);
    else
        dg_partition_torch(out, nodes, marks, request->no_single);
    if (request->bookends)
        dg_remove_bookends(out, nodes, marks);
}

/* The valid plan has its own numbers: another list of partitions. */
static enum dg_status repair(struct dg_run_graph *graph,
                             const struct dg_run_request *request,
                             const struct dg_groups *groups, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_partitions *valid = &graph->valid.partitions;
    struct dg_partitions_verdict verdict = {0};
    enum dg_status status = DG_OK;

    if (request->mode == DG_RUN_REPAIR)
        status = dg_run_mend_plan(graph, store, err);
    else
        dg_partition_valid(valid, &graph->nodes.graph, graph->nodes.marks,
                           groups->n_groups ? groups : NULL, request->no_single,
                           &graph->n_dissolved);
    if (status)
        return status;
    if (request->bookends)
        dg_remove_bookends(valid, &graph->nodes.graph, graph->nodes.marks);
    dg_verify_partitions(&verdict, &graph->memory, &graph->nodes.graph,
                         graph->nodes.marks, valid);
    if (!verdict.consistent || !verdict.acyclic)
        return dg_fail(
            err, DG_ERR_IO,
            "method %.80s: internal error: the plan that should be valid is not",
            graph->nodes.method.data);
    dg_run_tag(&graph->valid, graph, request);
    return DG_OK;
}

static bool has_node_index(const struct dg_run_graph *graph)
{
    const struct dg_graph *nodes = &graph->nodes.graph;

    for (uint32_t node = 0; node < nodes->n_nodes; node++) {
        if (graph->nodes.marks[node] & DG_MARK_GETITEM &&
            nodes->input_of[node + 1] - nodes->input_of[node] > 1)
            return true;
    }
    return false;
}

/* Torch's default procedure gives cyclic partitions only where it moves nodes behind
 * its own back: getitems whose index is a node, bookends behind placeholders. */
static bool may_be_cyclic(const struct dg_run_graph *graph,
                          const struct dg_run_request *request)
{
    return request->mode == DG_RUN_GROUP || request->mode == DG_RUN_SINGLE ||
           request->mode == DG_RUN_REPAIR || request->skip_horizontal ||
           request->bookends || has_node_index(graph);
}

static enum dg_status verify(struct dg_run_graph *graph,
                             const struct dg_run_request *request, struct dg_error *err)
{
    struct dg_partitions_verdict verdict = {0};
    bool covers;

    dg_verify_partitions(&verdict, &graph->memory, &graph->nodes.graph,
                         graph->nodes.marks, &graph->reference.partitions);
    graph->acyclic = verdict.acyclic;
    graph->cycle = verdict.cycle;
    graph->n_cycle = verdict.n_cycle;
    covers = verdict.covers || request->no_single || request->bookends;
    if (verdict.consistent && covers &&
        (verdict.acyclic || may_be_cyclic(graph, request)))
        return DG_OK;
    return dg_fail(err, DG_ERR_IO,
                   "method %.80s: internal error: the partitions are not %s",
                   graph->nodes.method.data,
                   !verdict.consistent ? "consistent"
                   : !covers           ? "complete"
                                       : "free of cycles");
}

enum dg_status dg_run_graph(struct dg_run_graph *graph,
                            const struct dg_run_request *request,
                            struct dg_store *store, int64_t id, struct dg_error *err)
{
    struct dg_groups groups = {0};
    enum dg_status status = load(graph, request, &groups, store, id, err);

    if (!status && !dg_run_has_own_groups(request))
        status = dg_groups_resolve(&groups, &graph->memory, request->groups,
                                   &graph->nodes, err);
    if (status)
        return status;
    partition(graph, request, &groups);
    status = verify(graph, request, err);
    if (status)
        return status;
    dg_run_tag(&graph->reference, graph, request);
    dg_lower_bound(&graph->bound, &graph->memory, &graph->nodes.graph,
                   graph->nodes.marks);
    if (!graph->acyclic)
        status = repair(graph, request, &groups, store, err);
    if (!status && request->mode == DG_RUN_REPAIR)
        status = dg_run_keep_branches(graph, store, err);
    dg_run_reject_rest(graph, request);
    if (request->lower)
        graph->n_duplicates =
            dg_find_duplicates(&graph->duplicates, graph->reference.tag_of,
                               &graph->nodes.graph, graph->nodes.marks);
    return status;
}
