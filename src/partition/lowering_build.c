/* From a lowered graph back to the nodes that partitioners see. */
#include "partition/lowering_parts.h"

/* Numbers of vertices in the new graph. */
struct layout {
    uint32_t *node_of; /* of each vertex */
    uint32_t n_nodes, n_edges;
    uint32_t first_made; /* calls from this vertex on have no module yet */
};

static bool needs_module(const struct dg_lowering *lowering,
                         const struct layout *layout, uint32_t vertex)
{
    return vertex >= layout->first_made &&
           lowering->vertices[vertex].marks & DG_MARK_DELEGATE;
}

/* The module stands right before its call. */
static void lay_out(struct layout *layout, struct dg_lowering *lowering)
{
    layout->node_of =
        dg_alloc(&lowering->memory, lowering->n_vertices, sizeof(*layout->node_of));
    for (uint32_t i = 0; i < lowering->n_order; i++) {
        uint32_t vertex = lowering->order[i];
        bool module = needs_module(lowering, layout, vertex);

        layout->n_nodes += module;
        layout->node_of[vertex] = layout->n_nodes++;
        layout->n_edges += lowering->vertices[vertex].n_inputs + module;
    }
}

struct built {
    struct dg_run_graph *graph;
    const struct dg_lowering *lowering;
    const struct layout *layout;
    bool claim;
};

static void allocate(struct built *built)
{
    struct dg_nodes *nodes = &built->graph->nodes;
    uint32_t n = built->layout->n_nodes, n_edges = built->layout->n_edges;

    nodes->graph.n_nodes = n;
    nodes->graph.input_of = dg_alloc(&nodes->graph.memory, n + 1, sizeof(uint32_t));
    nodes->graph.inputs = dg_alloc(&nodes->graph.memory, n_edges, sizeof(uint32_t));
    nodes->marks = dg_alloc(&nodes->memory, n, sizeof(*nodes->marks));
    nodes->names = dg_alloc(&nodes->memory, n, sizeof(*nodes->names));
    nodes->ops = dg_alloc(&nodes->memory, n, sizeof(*nodes->ops));
    nodes->nbytes = dg_alloc(&nodes->memory, n, sizeof(*nodes->nbytes));
    built->graph->ids = dg_alloc(&built->graph->memory, n, sizeof(int64_t));
}

static void build_module(struct built *built, uint32_t node, struct dg_text call)
{
    struct dg_nodes *nodes = &built->graph->nodes;

    nodes->marks[node] = DG_MARK_GET_ATTR;
    nodes->names[node] =
        dg_format(&nodes->memory, "lowered_module%s", strchr(call.data, '('));
    nodes->nbytes[node] = 0;
    nodes->graph.input_of[node + 1] = nodes->graph.input_of[node];
}

static void build_node(struct built *built, uint32_t vertex)
{
    const struct dg_lowering *lowering = built->lowering;
    const struct dg_lowering_vertex *from = &lowering->vertices[vertex];
    struct dg_nodes *nodes = &built->graph->nodes;
    uint32_t node = built->layout->node_of[vertex], at;
    bool made = from->marks & (DG_MARK_DELEGATE | DG_MARK_DELEGATE_ITEM);

    if (needs_module(lowering, built->layout, vertex))
        build_module(built, node - 1, from->name);
    nodes->marks[node] = from->marks | (made && built->claim ? DG_MARK_SUPPORTED : 0);
    nodes->names[node] = from->name;
    nodes->ops[node] = from->op;
    nodes->nbytes[node] = from->nbytes;
    built->graph->ids[node] = from->id;
    at = nodes->graph.input_of[node];
    if (needs_module(lowering, built->layout, vertex))
        nodes->graph.inputs[at++] = node - 1;
    for (uint32_t k = 0; k < from->n_inputs; k++)
        nodes->graph.inputs[at++] =
            built->layout->node_of[lowering->inputs[from->input + k]];
    nodes->graph.input_of[node + 1] = at;
}

void dg_lowering_build(struct dg_run_graph *graph, struct dg_lowering *lowering,
                       uint32_t first_made, bool claim)
{
    struct layout layout = {.first_made = first_made};
    struct built built = {graph, lowering, &layout, claim};

    lay_out(&layout, lowering);
    allocate(&built);
    for (uint32_t i = 0; i < lowering->n_order; i++)
        build_node(&built, lowering->order[i]);
    dg_graph_find_users(&graph->nodes.graph);
}
