/* What lowering a plan leaves of a graph. */
#include "partition/prior.h"

#include <stdlib.h>

#include "partition/prior_parts.h"
#include "partition/run_parts.h"

/* Each tag sorts the whole graph anew, as it does in torch. */
static const uint64_t most_steps = UINT64_C(1) << 33;

uint32_t dg_lowering_add(struct dg_lowering *lowering, struct dg_vertex vertex)
{
    vertex.input = (uint32_t)lowering->n_inputs;
    *DG_APPEND(lowering->vertices, lowering->n_vertices) = vertex;
    return (uint32_t)lowering->n_vertices - 1;
}

void dg_lowering_add_input(struct dg_lowering *lowering, uint32_t input)
{
    *DG_APPEND(lowering->inputs, lowering->n_inputs) = input;
    lowering->vertices[lowering->n_vertices - 1].n_inputs++;
}

/* From a graph to vertices of the same numbers. */
static void load(struct dg_lowering *lowering, const struct dg_run_graph *graph)
{
    const struct dg_nodes *nodes = &graph->nodes;
    uint32_t n = nodes->graph.n_nodes;
    uint32_t *reader = dg_alloc(&lowering->memory, n, sizeof(*reader));

    for (uint32_t i = 0; i < n; i++) {
        dg_lowering_add(lowering, (struct dg_vertex){
                                      .id = graph->ids[i],
                                      .name = nodes->names[i],
                                      .op = nodes->ops[i],
                                      .nbytes = nodes->nbytes[i],
                                      .tag = DG_NO_PART,
                                      .marks = nodes->marks[i],
                                  });
        for (uint32_t k = nodes->graph.input_of[i]; k < nodes->graph.input_of[i + 1];
             k++) {
            uint32_t input = nodes->graph.inputs[k];

            if (reader[input] != i + 1)
                dg_lowering_add_input(lowering, input);
            reader[input] = i + 1;
        }
    }
}

static uint32_t tag_number(struct dg_lowering *lowering, const struct dg_rows *rows,
                           int64_t *last)
{
    if (!lowering->n_tags || *last != dg_rows_int(rows, 0))
        *DG_APPEND(lowering->tags, lowering->n_tags) =
            dg_text(dg_copy(&lowering->memory, dg_rows_slice(rows, 1)));
    *last = dg_rows_int(rows, 0);
    return lowering->n_tags - 1;
}

/* Ids of nodes, so that rows find their vertices. */
struct places {
    int64_t first, last;
    uint32_t *vertex; /* of each id: number + 1 */
};

static void find_places(struct places *places, const struct dg_run_graph *graph,
                        struct dg_arena *memory)
{
    uint32_t n = graph->nodes.graph.n_nodes;

    *places = (struct places){.first = INT64_MAX, .last = 0};
    for (uint32_t i = 0; i < n; i++) {
        if (graph->ids[i] && graph->ids[i] < places->first)
            places->first = graph->ids[i];
        if (graph->ids[i] > places->last)
            places->last = graph->ids[i];
    }
    if (!places->last)
        return;
    places->vertex = dg_alloc(memory, (size_t)(places->last - places->first) + 1,
                              sizeof(*places->vertex));
    for (uint32_t i = 0; i < n; i++) {
        if (graph->ids[i])
            places->vertex[graph->ids[i] - places->first] = i + 1;
    }
}

static enum dg_status read_tags(struct dg_lowering *lowering,
                                const struct dg_run_graph *graph, int64_t part_run,
                                struct dg_store *store, struct dg_error *err)
{
    struct places places;
    struct dg_rows rows;
    int64_t last = 0;
    enum dg_status status =
        dg_rows_open(&rows, store,
                     "SELECT partition.id, tag, node_id FROM partition"
                     "  JOIN partition_node ON partition_id = partition.id"
                     " WHERE part_run_id = ?1 AND graph_id = ?2 AND declared IS NOT 0"
                     " ORDER BY partition.pos, partition_node.pos",
                     err);

    if (status)
        return status;
    find_places(&places, graph, &lowering->memory);
    dg_rows_bind_int(&rows, 1, part_run);
    dg_rows_bind_int(&rows, 2, graph->nodes.graph.id);
    while (dg_rows_next(&rows)) {
        uint32_t tag = tag_number(lowering, &rows, &last);
        int64_t id = dg_rows_int(&rows, 2);
        uint32_t at = id < places.first || id > places.last
                          ? 0
                          : places.vertex[id - places.first];

        if (at)
            lowering->vertices[at - 1].tag = tag;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* A constant that several tags read is copied first: the copies stand before it, and
 * each has the tag of its only user. */
static void copy_constant(struct dg_lowering *lowering, const struct dg_duplicate *copy,
                          uint32_t *first_copy)
{
    struct dg_vertex constant = lowering->vertices[copy->constant];
    struct dg_vertex *user = &lowering->vertices[copy->user];
    uint32_t number = (uint32_t)lowering->n_vertices;

    for (uint32_t k = 0; k < user->n_inputs; k++) {
        if (lowering->inputs[user->input + k] == copy->constant)
            lowering->inputs[user->input + k] = number;
    }
    constant.id = 0;
    constant.name =
        dg_format(&lowering->memory, "%s_copy_%u", constant.name.data, copy->copy);
    constant.tag = copy->tag;
    constant.n_inputs = 0;
    dg_lowering_add(lowering, constant);
    if (first_copy[copy->constant] == DG_NO_PART)
        first_copy[copy->constant] = number;
}

static void list_order(struct dg_lowering *lowering, uint32_t n,
                       const uint32_t *first_copy, const struct dg_duplicate *copies)
{
    lowering->order = malloc((lowering->n_vertices + 1) * sizeof(*lowering->order));
    if (!lowering->order)
        dg_out_of_memory();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t copy = first_copy[i];

        for (; copy < lowering->n_vertices && copies[copy - n].constant == i; copy++)
            lowering->order[lowering->n_order++] = copy;
        lowering->order[lowering->n_order++] = i;
    }
}

static void copy_constants(struct dg_lowering *lowering,
                           const struct dg_run_graph *graph)
{
    const struct dg_graph *nodes = &graph->nodes.graph;
    uint32_t n = nodes->n_nodes;
    uint32_t *tag_of = dg_alloc(&lowering->memory, n, sizeof(*tag_of));
    uint32_t *first_copy = dg_alloc(&lowering->memory, n, sizeof(*first_copy));
    struct dg_duplicate *copies = NULL;
    size_t n_copies;

    for (uint32_t i = 0; i < n; i++) {
        tag_of[i] = lowering->vertices[i].tag;
        first_copy[i] = DG_NO_PART;
    }
    n_copies = dg_find_duplicates(&copies, tag_of, nodes, graph->nodes.marks);
    for (size_t i = 0; i < n_copies; i++) {
        uint32_t first_user = nodes->users[nodes->user_of[copies[i].constant]];

        copy_constant(lowering, &copies[i], first_copy);
        lowering->vertices[copies[i].constant].tag = tag_of[first_user];
    }
    list_order(lowering, n, first_copy, copies);
    free(copies);
}

static enum dg_status lower_tags(struct dg_lowering *lowering, struct dg_error *err)
{
    uint64_t size = lowering->n_vertices + lowering->n_inputs;
    enum dg_status status = DG_OK;

    if (lowering->n_tags && size > most_steps / lowering->n_tags)
        return dg_fail(err, DG_ERR_STOPPED,
                       "prior plan: %u tags on %zu nodes; lowering them one by one, as "
                       "torch does, takes too long",
                       lowering->n_tags, lowering->n_vertices);
    for (uint32_t tag = 0; tag < lowering->n_tags && !status; tag++)
        status = dg_lower_tag(lowering, tag, err);
    return status;
}

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
    nodes->graph.n_edges = n_edges;
    nodes->graph.input_of = dg_alloc(&nodes->graph.memory, n + 1, sizeof(uint32_t));
    nodes->graph.inputs = dg_alloc(&nodes->graph.memory, n_edges, sizeof(uint32_t));
    nodes->graph.user_of = dg_alloc(&nodes->graph.memory, n + 1, sizeof(uint32_t));
    nodes->graph.users = dg_alloc(&nodes->graph.memory, n_edges, sizeof(uint32_t));
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
    const struct dg_vertex *from = &lowering->vertices[vertex];
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

static void find_users(struct dg_graph *graph)
{
    uint32_t *begins = graph->user_of;

    for (uint32_t k = 0; k < graph->n_edges; k++)
        begins[graph->inputs[k] + 1]++;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        begins[i + 1] += begins[i];
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        for (uint32_t k = graph->input_of[i]; k < graph->input_of[i + 1]; k++)
            graph->users[begins[graph->inputs[k]]++] = i;
    }
    for (uint32_t i = graph->n_nodes; i > 0; i--)
        begins[i] = begins[i - 1];
    begins[0] = 0;
}

static void build(struct dg_run_graph *graph, struct dg_lowering *lowering,
                  struct layout *layout, bool claim)
{
    struct built built = {graph, lowering, layout, claim};

    lay_out(layout, lowering);
    allocate(&built);
    for (uint32_t i = 0; i < lowering->n_order; i++)
        build_node(&built, lowering->order[i]);
    find_users(&graph->nodes.graph);
}

/* A call that is inside a delegate has that one reason. */
static void reject_lowered(struct dg_run_graph *graph, struct dg_lowering *lowering)
{
    struct dg_arena memory = {0};
    struct places places;
    size_t n = 0;

    find_places(&places, graph, &memory);
    for (size_t i = 0; i < graph->n_rejects; i++) {
        int64_t id = graph->rejects[i].node;
        uint32_t at = id < places.first || id > places.last
                          ? 0
                          : places.vertex[id - places.first];

        if (!at || !lowering->vertices[at - 1].gone)
            graph->rejects[n++] = graph->rejects[i];
    }
    graph->n_rejects = n;
    for (uint32_t i = 0; i < graph->nodes.graph.n_nodes; i++) {
        const struct dg_vertex *at = &lowering->vertices[i];

        if (at->gone && at->marks & DG_MARK_CALL && at->id)
            dg_run_reject(graph, at->id, "prior-delegate",
                          dg_format(&graph->memory, "tag \"%s\" of a prior plan has it",
                                    lowering->tags[at->tag].data));
    }
    dg_arena_clear(&memory);
}

enum dg_status dg_prior_lower(struct dg_run_graph *graph, int64_t part_run, bool claim,
                              struct dg_store *store, struct dg_error *err)
{
    struct dg_lowering lowering = {0};
    struct layout layout = {0};
    enum dg_status status;

    load(&lowering, graph);
    status = read_tags(&lowering, graph, part_run, store, err);
    copy_constants(&lowering, graph);
    layout.first_made = (uint32_t)lowering.n_vertices;
    if (!status)
        status = lower_tags(&lowering, err);
    if (!status) {
        reject_lowered(graph, &lowering);
        build(graph, &lowering, &layout, claim);
    }
    free(lowering.vertices);
    free(lowering.inputs);
    free(lowering.order);
    free(lowering.tags);
    dg_arena_adopt(&graph->memory, &lowering.memory);
    return status;
}
