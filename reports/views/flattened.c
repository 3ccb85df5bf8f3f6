/* Following values into lowered graphs and out of them. */
#include "reports/views/flattened.h"

#include "base/csr.h"

enum { LONGEST_WAY = 64 }; /* from graph to graph; also ends the walk round a cycle */

struct flattening {
    struct dg_skeleton *skeleton;
    uint32_t *stands_for; /* of each node: what it hands on; DG_NOWHERE: itself */
    struct dg_csr inputs; /* of each node: its uses, in order */
    struct dg_arena memory;
};

static uint32_t input_at(const struct flattening *flattening, uint32_t place)
{
    return flattening->skeleton->uses[flattening->inputs.items[place]].from;
}

static void list_inputs(struct flattening *flattening)
{
    const struct dg_skeleton *skeleton = flattening->skeleton;
    uint32_t *readers =
        dg_alloc(&flattening->memory, skeleton->n_uses, sizeof(*readers));

    for (size_t i = 0; i < skeleton->n_uses; i++)
        readers[i] = skeleton->uses[i].to;
    dg_csr_by_key(&flattening->inputs, readers, (uint32_t)skeleton->n_uses,
                  (uint32_t)skeleton->n_nodes, &flattening->memory);
}

/* The placeholders of a lowered graph are the arguments of its call, in order;
 * get_attr, which names the graph, is none. */
static void pass_arguments(struct flattening *flattening,
                           const struct dg_skeleton_graph *graph)
{
    const struct dg_skeleton *skeleton = flattening->skeleton;
    uint32_t at = flattening->inputs.begins[graph->caller];
    uint32_t end = flattening->inputs.begins[graph->caller + 1];

    for (uint32_t i = graph->first; i < graph->first + graph->n_nodes; i++) {
        if (skeleton->nodes[i].role != DG_ROLE_INPUT)
            continue;
        while (at < end &&
               skeleton->nodes[input_at(flattening, at)].role == DG_ROLE_NONE)
            at++;
        if (at < end)
            flattening->stands_for[i] = input_at(flattening, at++);
    }
}

static void pass_caller(struct flattening *flattening,
                        const struct dg_skeleton_graph *graph)
{
    for (uint32_t i = graph->first; i < graph->first + graph->n_nodes; i++)
        if (flattening->skeleton->nodes[i].role == DG_ROLE_INPUT)
            flattening->stands_for[i] = graph->caller;
}

static bool is_whole(const struct dg_skeleton *skeleton,
                     const struct dg_skeleton_graph *graph)
{
    return graph->caller != DG_NOWHERE && graph->n_nodes &&
           graph->first + (size_t)graph->n_nodes <= skeleton->n_rows;
}

/* What the output of a graph reads, one for each result. */
static uint32_t result_of(const struct flattening *flattening,
                          const struct dg_skeleton_graph *graph, int64_t item)
{
    const struct dg_skeleton *skeleton = flattening->skeleton;

    for (uint32_t i = graph->first + graph->n_nodes; i-- > graph->first;) {
        uint32_t begin = flattening->inputs.begins[i];
        uint32_t end = flattening->inputs.begins[i + 1];

        if (skeleton->nodes[i].role == DG_ROLE_OUTPUT && item >= 0 &&
            item < (int64_t)(end - begin))
            return input_at(flattening, begin + (uint32_t)item);
    }
    return DG_NOWHERE;
}

static enum dg_status take_results(struct flattening *flattening,
                                   const struct dg_view_input *in)
{
    const struct dg_skeleton *skeleton = flattening->skeleton;
    struct dg_rows rows =
        dg_rows_of(in->store,
                   "SELECT item.id, delegate.graph_id,"
                   "  iif(json_valid(item.args),"
                   "      json_extract(item.args, '$[1].int'), NULL)"
                   " FROM delegate JOIN node AS call ON call.delegate_id = delegate.id"
                   "  AND call.kind = 'call_function'"
                   " JOIN edge ON edge.src = call.id"
                   " JOIN node AS item ON item.id = edge.dst"
                   " JOIN op ON op.id = item.op_id"
                   "  AND op.name = '_operator.getitem'"
                   " WHERE delegate.graph_id IS NOT NULL",
                   0, in->err);

    while (dg_rows_next(&rows)) {
        int64_t item = dg_rows_int(&rows, 0), graph = dg_rows_int(&rows, 1);

        if (item > 0 && (uint64_t)item <= skeleton->n_rows && graph > 0 &&
            (uint64_t)graph <= skeleton->n_graph_rows &&
            skeleton->graph_of[graph] != DG_NOWHERE &&
            is_whole(skeleton, &skeleton->graphs[skeleton->graph_of[graph]]))
            flattening->stands_for[item - 1] =
                result_of(flattening, &skeleton->graphs[skeleton->graph_of[graph]],
                          dg_rows_int_or(&rows, 2, -1));
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

static void move_uses(struct flattening *flattening)
{
    struct dg_skeleton *skeleton = flattening->skeleton;

    for (size_t i = 0; i < skeleton->n_uses; i++) {
        struct dg_skeleton_use *use = &skeleton->uses[i];
        uint32_t from = use->from;

        for (int step = 0; step < LONGEST_WAY; step++)
            if (flattening->stands_for[from] != DG_NOWHERE)
                from = flattening->stands_for[from];
        if (from != use->from && skeleton->nodes[from].value)
            use->value = skeleton->nodes[from].value;
        use->from = from;
    }
    for (size_t g = 0; g < skeleton->n_graphs; g++)
        if (skeleton->graphs[g].lowered && is_whole(skeleton, &skeleton->graphs[g]))
            skeleton->nodes[skeleton->graphs[g].caller].role = DG_ROLE_NONE;
    for (size_t i = 0; i < skeleton->n_nodes; i++)
        if (flattening->stands_for[i] != DG_NOWHERE)
            skeleton->nodes[i].role = DG_ROLE_NONE;
}

enum dg_status dg_skeleton_flatten(struct dg_skeleton *skeleton,
                                   const struct dg_view_input *in)
{
    struct flattening flattening = {.skeleton = skeleton};
    enum dg_status status;

    flattening.stands_for =
        dg_alloc(&flattening.memory, skeleton->n_nodes + 1, sizeof(uint32_t));
    for (size_t i = 0; i < skeleton->n_nodes; i++)
        flattening.stands_for[i] = DG_NOWHERE;
    list_inputs(&flattening);
    for (size_t g = 0; g < skeleton->n_graphs; g++)
        if (is_whole(skeleton, &skeleton->graphs[g]))
            (skeleton->graphs[g].lowered ? pass_arguments : pass_caller)(
                &flattening, &skeleton->graphs[g]);
    status = take_results(&flattening, in);
    if (!status)
        move_uses(&flattening);
    dg_arena_clear(&flattening.memory);
    return status;
}
