/* What each of several backends takes of a graph. */
#include "partition/run_parts.h"

/* Who is asked. */
struct asking {
    struct dg_run_graph *graph;
    struct dg_text list;
};

static enum dg_status told(void *context, uint32_t node, const char *reason,
                           struct dg_text text, struct dg_error *err)
{
    struct asking *asking = context;
    struct dg_run_graph *graph = asking->graph;

    (void)err;
    dg_run_reject(graph, graph->ids[node], reason,
                  dg_format(&graph->memory, "%.*s: %.*s", (int)asking->list.size,
                            asking->list.data, (int)text.size, text.data));
    return DG_OK;
}

/* Why a backend refuses what another takes is nothing to act on. */
static void forget_taken(struct dg_run_graph *graph)
{
    size_t n = 0;

    for (size_t i = 0; i < graph->n_rejects; i++) {
        uint32_t node =
            (uint32_t)(graph->rejects[i].node - graph->nodes.graph.first_id);

        if (!graph->takes[node])
            graph->rejects[n++] = graph->rejects[i];
    }
    graph->n_rejects = n;
}

enum dg_status dg_run_ask_backends(struct dg_run_graph *graph,
                                   const struct dg_run_request *request,
                                   struct dg_store *store, struct dg_error *err)
{
    uint32_t n_nodes = graph->nodes.graph.n_nodes;
    uint16_t *marks = graph->nodes.marks;
    enum dg_status status = DG_OK;

    graph->takes = dg_alloc(&graph->memory, n_nodes, sizeof(*graph->takes));
    for (uint32_t b = 0; b < request->n_backends && !status; b++) {
        struct asking asking = {graph, request->backends[b].list};

        status = dg_support_apply(request->backends[b].support, &graph->nodes, store,
                                  told, &asking, NULL, err);
        for (uint32_t node = 0; node < n_nodes; node++)
            graph->takes[node] |= (uint32_t) !!(marks[node] & DG_MARK_SUPPORTED) << b;
    }
    for (uint32_t node = 0; node < n_nodes; node++) {
        if (graph->takes[node])
            marks[node] |= DG_MARK_SUPPORTED;
    }
    forget_taken(graph);
    return status;
}
