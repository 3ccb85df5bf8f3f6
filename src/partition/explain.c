/* Plans with their costs and reasons, graph by graph. */
#include "partition/explain.h"

#include <stdlib.h>
#include <string.h>

#include "graph/quotient.h"

/* Reasons of a graph come node by node, so that a list needs only its end. */
struct telling {
    struct dg_explanation *out;
    struct dg_explained *graph;
    uint32_t last, node; /* the why that was added last, and its node */
};

static void add_why(struct telling *telling, uint32_t node, const char *reason,
                    struct dg_text text)
{
    struct dg_explained *graph = telling->graph;
    uint32_t at = (uint32_t)graph->n_whys;

    *DG_APPEND(graph->whys, graph->n_whys) = (struct dg_why){reason, text, DG_NO_WHY};
    if (graph->first_why[node] == DG_NO_WHY)
        graph->first_why[node] = at;
    else if (telling->node == node)
        graph->whys[telling->last].next = at;
    telling->last = at;
    telling->node = node;
}

static enum dg_status refused(void *context, uint32_t node, const char *reason,
                              struct dg_text text, struct dg_error *err)
{
    struct telling *telling = context;
    struct dg_arena *memory = &telling->out->memory;

    (void)err;
    if (telling->graph->part_of[node] == DG_NO_PART)
        add_why(telling, node, dg_copy(memory, dg_text(reason)),
                (struct dg_text){dg_copy(memory, text), text.size});
    return DG_OK;
}

static struct dg_text producer_text(struct telling *telling, uint32_t node)
{
    const struct dg_nodes *nodes = telling->graph->nodes;
    const struct dg_graph *graph = &nodes->graph;
    struct dg_text producer = dg_text("its producer");

    if (graph->input_of[node] < graph->input_of[node + 1])
        producer = nodes->names[graph->inputs[graph->input_of[node]]];
    return dg_format(&telling->out->memory, "it stays with %.*s", (int)producer.size,
                     producer.data);
}

/* Calls that a plan leaves out and no support speaks of. */
static void add_other_whys(struct telling *telling)
{
    const struct dg_explained *graph = telling->graph;
    const struct dg_nodes *nodes = graph->nodes;

    for (uint32_t i = 0; i < nodes->graph.n_nodes; i++) {
        if (!(nodes->marks[i] & DG_MARK_CALL) || graph->part_of[i] != DG_NO_PART ||
            graph->first_why[i] != DG_NO_WHY)
            continue;
        if (nodes->marks[i] & DG_MARK_DELEGATE)
            add_why(telling, i, "prior-delegate",
                    dg_text("it is the call of a delegate already"));
        else if (nodes->marks[i] & DG_MARK_GETITEM)
            add_why(telling, i, "getitem", producer_text(telling, i));
        else
            add_why(telling, i, "plan", dg_text("the plan gives it no tag"));
    }
}

uint32_t dg_explained_index(const struct dg_explained *graph, int64_t id)
{
    int64_t at = id - graph->first_id;

    return at >= 0 && at < graph->n_ids ? graph->index_of[at] : DG_NO_NODE;
}

static void index_rows(struct dg_explanation *out, struct dg_explained *graph)
{
    uint32_t n = graph->nodes->graph.n_nodes;
    int64_t last = 0;

    graph->first_id = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (graph->ids[i] && graph->ids[i] < graph->first_id)
            graph->first_id = graph->ids[i];
        if (graph->ids[i] > last)
            last = graph->ids[i];
    }
    graph->n_ids = last < graph->first_id ? 0 : last - graph->first_id + 1;
    graph->index_of =
        dg_alloc(&out->memory, (size_t)graph->n_ids, sizeof(*graph->index_of));
    memset(graph->index_of, 0xff, (size_t)graph->n_ids * sizeof(*graph->index_of));
    for (uint32_t i = 0; i < n; i++) {
        if (graph->ids[i])
            graph->index_of[graph->ids[i] - graph->first_id] = i;
    }
}

static void begin_graph(struct dg_explanation *out, struct dg_explained *graph)
{
    uint32_t n = graph->nodes->graph.n_nodes;

    index_rows(out, graph);

    graph->part_of = dg_alloc(&out->memory, n, sizeof(*graph->part_of));
    graph->first_why = dg_alloc(&out->memory, n, sizeof(*graph->first_why));
    memset(graph->part_of, 0xff, n * sizeof(*graph->part_of));
    memset(graph->first_why, 0xff, n * sizeof(*graph->first_why));
}

static void take_run_graph(struct dg_explanation *out, const struct dg_run *run,
                           struct dg_run_graph *made)
{
    struct dg_explained *graph = DG_APPEND(out->graphs, out->n_graphs);
    const struct dg_run_plan *plan = dg_run_chosen(run, made);
    struct telling telling = {out, graph, 0, DG_NO_PART};

    graph->nodes = &made->nodes;
    graph->ids = made->ids;
    begin_graph(out, graph);
    memcpy(graph->part_of, plan->tag_of,
           made->nodes.graph.n_nodes * sizeof(*graph->part_of));
    graph->n_parts = plan->partitions.n_parts;
    graph->tags = dg_alloc(&out->memory, graph->n_parts, sizeof(*graph->tags));
    for (uint32_t i = 0; i < graph->n_parts; i++)
        graph->tags[i] = plan->parts[i].tag;
    for (size_t i = 0; i < made->n_rejects; i++) {
        uint32_t node = dg_explained_index(graph, made->rejects[i].node);

        if (node != DG_NO_NODE)
            add_why(&telling, node, made->rejects[i].reason, made->rejects[i].text);
    }
    add_other_whys(&telling);
    if (made->acyclic)
        return;
    graph->cycle = made->cycle;
    graph->n_cycle = made->n_cycle;
    graph->replaced = plan != &made->reference;
}

static void take_run(struct dg_explanation *out, struct dg_run *run)
{
    out->source = dg_text(dg_run_mode_name(run->request->mode));
    out->no_single = run->request->no_single;
    for (size_t i = 0; i < run->n_graphs; i++)
        take_run_graph(out, run, &run->graphs[i]);
}

static enum dg_status make_plan(struct dg_explanation *out,
                                const struct dg_run_request *request,
                                struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = dg_run(&out->run, request, store, err);

    if (!status)
        take_run(out, &out->run);
    return status;
}

/* Of a tag that no call has, no delegate comes. */
static void take_tags(struct dg_explanation *out, struct dg_explained *graph,
                      const struct dg_partitioned_graph *tagged)
{
    uint32_t *part = dg_alloc(&out->memory, tagged->n_tags, sizeof(*part));
    uint32_t n = graph->nodes->graph.n_nodes;

    graph->tags = dg_alloc(&out->memory, tagged->n_tags, sizeof(*graph->tags));
    for (uint32_t i = 0; i < n; i++) {
        if (tagged->tag_of[i] != DG_UNTAGGED && graph->nodes->marks[i] & DG_MARK_CALL)
            part[tagged->tag_of[i]] = 1;
    }
    for (uint32_t i = 0; i < tagged->n_tags; i++) {
        if (part[i])
            graph->tags[graph->n_parts++] = tagged->tags[i].name;
        part[i] = part[i] ? graph->n_parts - 1 : DG_NO_PART;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (tagged->tag_of[i] != DG_UNTAGGED)
            graph->part_of[i] = part[tagged->tag_of[i]];
    }
}

/* What a plan delegates is what was supported when it was made. */
static void support_as_planned(struct dg_explained *graph)
{
    uint16_t *marks = graph->nodes->marks;

    for (uint32_t i = 0; i < graph->nodes->graph.n_nodes; i++) {
        marks[i] &= (uint16_t)~DG_MARK_SUPPORTED;
        if (marks[i] & DG_MARK_CALL && graph->part_of[i] != DG_NO_PART)
            marks[i] |= DG_MARK_SUPPORTED;
    }
}

/* As lowering sees it: of what a partition holds, only calls and attributes bind. */
static void find_cycle(struct dg_explanation *out, struct dg_explained *graph)
{
    const struct dg_nodes *nodes = graph->nodes;
    uint32_t n = nodes->graph.n_nodes;
    uint32_t *part_of = dg_alloc(&out->memory, n, sizeof(*part_of));
    struct dg_quotient quotient = {&nodes->graph, part_of, graph->n_parts,
                                   &out->memory};
    struct dg_route route = {0};

    for (uint32_t i = 0; i < n; i++)
        part_of[i] = nodes->marks[i] & (DG_MARK_CALL | DG_MARK_GET_ATTR)
                         ? graph->part_of[i]
                         : DG_NO_VERTEX;
    if (!dg_quotient_acyclic(&quotient))
        dg_quotient_cycle(&quotient, &route);
    graph->cycle = route.nodes;
    graph->n_cycle = route.n_nodes;
}

static int64_t *own_ids(struct dg_explanation *out, const struct dg_graph *graph)
{
    int64_t *ids = dg_alloc(&out->memory, graph->n_nodes, sizeof(*ids));

    for (uint32_t i = 0; i < graph->n_nodes; i++)
        ids[i] = graph->first_id + i;
    return ids;
}

static enum dg_status explain_graph(struct dg_explanation *out,
                                    const struct dg_explain_request *request,
                                    int64_t id,
                                    const struct dg_partitioned_graph *tagged,
                                    struct dg_store *store, struct dg_error *err)
{
    struct dg_explained *graph = DG_APPEND(out->graphs, out->n_graphs);
    struct telling telling = {out, graph, 0, DG_NO_PART};
    enum dg_status status;

    graph->nodes = dg_alloc(&out->memory, 1, sizeof(*graph->nodes));
    graph->owned = true;
    status = dg_nodes_load(graph->nodes, store, id, err);
    graph->ids = own_ids(out, &graph->nodes->graph);
    begin_graph(out, graph);
    if (tagged) {
        take_tags(out, graph, tagged);
        find_cycle(out, graph);
    }
    if (!status && request->judge)
        status = dg_support_apply(request->support, graph->nodes, store, refused,
                                  &telling, NULL, err);
    support_as_planned(graph);
    add_other_whys(&telling);
    return status;
}

/* Both come by ascending graph. */
static const struct dg_partitioned_graph *
tagged_of(const struct dg_partitioned_graphs *list, size_t *at, int64_t id)
{
    while (*at < list->n_items && list->items[*at].nodes.graph.id < id)
        ++*at;
    if (*at == list->n_items || list->items[*at].nodes.graph.id != id)
        return NULL;
    return &list->items[*at];
}

/* Graphs of methods, and branches that have tags of their own. */
static enum dg_status take_plan(struct dg_explanation *out,
                                const struct dg_explain_request *request,
                                struct dg_store *store, struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    struct dg_rows rows;
    size_t at = 0;
    enum dg_status status = dg_partitioned_read(&list, store, err);

    if (!status)
        status = dg_rows_open(
            &rows, store,
            "SELECT graph.id, (SELECT source FROM part_run WHERE artifact_id = ?1"
            "  ORDER BY id DESC LIMIT 1)"
            " FROM graph JOIN method ON method.id = method_id"
            " WHERE artifact_id = ?1 AND ir <> 'pte' AND (path = '' OR graph.id IN"
            "  (SELECT graph_id FROM partition WHERE part_run_id ="
            "    (SELECT max(id) FROM part_run WHERE artifact_id = ?1)))"
            " ORDER BY graph.id",
            err);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, request->artifact);
    while (!status && dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (!out->source.data)
            out->source = dg_text(dg_copy(&out->memory, dg_rows_slice(&rows, 1)));
        status = explain_graph(out, request, id, tagged_of(list, &at, id), store, err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_explain(struct dg_explanation *out,
                          const struct dg_explain_request *request,
                          struct dg_store *store, struct dg_error *err)
{
    enum dg_status status;

    *out = (struct dg_explanation){0};
    status = dg_costs_read(&out->costs, store, err);
    if (!status && request->run)
        status = make_plan(out, request->run, store, err);
    else if (!status)
        status = take_plan(out, request, store, err);
    return status ? status : dg_explain_rest(out, request->artifact, store, err);
}

enum dg_status dg_explain_run(struct dg_explanation *out, struct dg_run *run,
                              struct dg_store *store, struct dg_error *err)
{
    enum dg_status status;

    *out = (struct dg_explanation){0};
    status = dg_costs_count(&out->costs, &out->memory, store, err);
    if (status)
        return status;
    take_run(out, run);
    return dg_explain_rest(out, run->request->artifact, store, err);
}

struct dg_cost dg_explained_cost(const struct dg_explanation *explanation,
                                 const struct dg_explained *graph, uint32_t node)
{
    int64_t id = graph->ids[node];

    if (id < 1 || (size_t)id > explanation->costs->n_nodes)
        return (struct dg_cost){DG_COST_NONE, -1};
    return explanation->costs->nodes[id - 1];
}

void dg_explanation_clear(struct dg_explanation *explanation)
{
    for (size_t i = 0; i < explanation->n_graphs; i++) {
        free(explanation->graphs[i].whys);
        if (explanation->graphs[i].owned)
            dg_nodes_clear(explanation->graphs[i].nodes);
    }
    free(explanation->graphs);
    free(explanation->rest);
    dg_run_clear(&explanation->run);
    dg_arena_clear(&explanation->memory);
    *explanation = (struct dg_explanation){0};
}
