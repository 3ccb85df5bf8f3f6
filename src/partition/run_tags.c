/* Tags of the nodes of a plan, and what crosses the borders of its parts. */
#include "partition/run_parts.h"

static struct dg_text tag_name(struct dg_run_graph *graph, enum dg_run_mode mode,
                               uint32_t id)
{
    return dg_format(&graph->memory, mode == DG_RUN_AOTI ? "aoti_%u" : "tag%u", id);
}

/* Before it learnt to compose, the CUDA partitioner tagged every constant. */
static void tag_every_constant(struct dg_run_plan *plan,
                               const struct dg_run_graph *graph)
{
    for (uint32_t i = 0; i < graph->nodes.graph.n_nodes; i++) {
        if (graph->nodes.marks[i] & DG_MARK_CONSTANT)
            plan->tag_of[i] = 0;
    }
}

static void tag_nodes(struct dg_run_plan *plan, struct dg_run_graph *graph,
                      const struct dg_run_request *request)
{
    const struct dg_graph *nodes = &graph->nodes.graph;
    const uint16_t *marks = graph->nodes.marks;
    struct dg_partitions *partitions = &plan->partitions;
    bool aoti = request->mode == DG_RUN_AOTI || request->mode == DG_RUN_SINGLE;
    bool ours = request->mode == DG_RUN_MIN || request->mode == DG_RUN_MULTI;

    plan->tag_of = dg_alloc(&graph->memory, nodes->n_nodes, sizeof(*plan->tag_of));
    if (nodes->n_nodes)
        memcpy(plan->tag_of, partitions->part_of,
               nodes->n_nodes * sizeof(*plan->tag_of));
    if (request->mode == DG_RUN_REPAIR)
        return;
    if (aoti || ours) /* lowering fails without; torch's partitioner leaves them */
        dg_tag_branches(plan->tag_of, nodes, marks);
    if (!dg_run_has_own_groups(request))
        dg_tag_constants(plan->tag_of, dg_tag_ranks(partitions), nodes, marks);
    if (aoti && partitions->n_parts)
        dg_tag_unused_constants(plan->tag_of, 0, nodes, marks);
    if (request->mode == DG_RUN_SINGLE && request->claim_delegates &&
        partitions->n_parts)
        tag_every_constant(plan, graph);
}

static void count_value(struct dg_run_part *part, int64_t nbytes)
{
    if (nbytes < 0)
        part->unknown_sizes++;
    else if (part->boundary_bytes <= INT64_MAX - nbytes)
        part->boundary_bytes += nbytes;
}

/* A constant of another part is copied. */
static bool comes_in(const struct dg_run_plan *plan, const struct dg_run_graph *graph,
                     uint32_t node, uint32_t part)
{
    uint32_t tag = plan->tag_of[node];

    return tag != part &&
           (tag == DG_NO_PART || !(graph->nodes.marks[node] & DG_MARK_CONSTANT));
}

/* `seen` has, of each value, the part that counted it last, plus one. */
static void count_inputs(struct dg_run_plan *plan, const struct dg_run_graph *graph,
                         uint32_t *seen, uint32_t part, uint32_t node)
{
    const struct dg_graph *nodes = &graph->nodes.graph;

    for (uint32_t k = nodes->input_of[node]; k < nodes->input_of[node + 1]; k++) {
        uint32_t input = nodes->inputs[k];

        if (seen[input] == part + 1 || !comes_in(plan, graph, input, part))
            continue;
        seen[input] = part + 1;
        plan->parts[part].inputs++;
        count_value(&plan->parts[part], graph->nodes.nbytes[input]);
    }
}

/* A constant does not come out of a part that has it: who reads it has the original. */
static void count_output(struct dg_run_plan *plan, const struct dg_run_graph *graph,
                         uint32_t part, uint32_t node)
{
    const struct dg_graph *nodes = &graph->nodes.graph;

    if (graph->nodes.marks[node] & DG_MARK_PLACEHOLDER)
        return;
    for (uint32_t k = nodes->user_of[node]; k < nodes->user_of[node + 1]; k++) {
        if (plan->partitions.part_of[nodes->users[k]] == part)
            continue;
        plan->parts[part].outputs++;
        count_value(&plan->parts[part], graph->nodes.nbytes[node]);
        return;
    }
}

static void count_borders(struct dg_run_plan *plan, const struct dg_run_graph *graph)
{
    const struct dg_partitions *partitions = &plan->partitions;
    struct dg_arena memory = {0};
    uint32_t *seen = dg_alloc(&memory, graph->nodes.graph.n_nodes, sizeof(*seen));

    for (uint32_t part = 0; part < partitions->n_parts; part++) {
        for (uint32_t i = partitions->parts[part].begin;
             i < partitions->parts[part].end; i++) {
            count_inputs(plan, graph, seen, part, partitions->nodes[i]);
            count_output(plan, graph, part, partitions->nodes[i]);
        }
    }
    dg_arena_clear(&memory);
}

static void name_parts(struct dg_run_plan *plan, struct dg_run_graph *graph,
                       const struct dg_run_request *request)
{
    const struct dg_partitions *partitions = &plan->partitions;

    for (uint32_t i = 0; i < partitions->n_parts; i++) {
        uint32_t id = partitions->parts[i].id;

        plan->parts[i].tag = tag_name(graph, request->mode, id);
        plan->parts[i].declared = true;
        plan->parts[i].backend =
            request->mode == DG_RUN_MULTI
                ? request->backends[graph->multi.backend_of[id]].name
                : dg_run_backend(request);
    }
}

void dg_run_tag(struct dg_run_plan *plan, struct dg_run_graph *graph,
                const struct dg_run_request *request)
{
    plan->parts =
        dg_alloc(&graph->memory, plan->partitions.n_parts, sizeof(*plan->parts));
    if (request->mode == DG_RUN_REPAIR && graph->mended)
        dg_run_name_pieces(plan, graph);
    else
        name_parts(plan, graph, request);
    tag_nodes(plan, graph, request);
    count_borders(plan, graph);
}
