/* The rows of a run. */
#include <stdlib.h>

#include "base/csr.h"
#include "partition/plan_rows.h"
#include "partition/run_parts.h"

struct storing {
    struct dg_plan_rows rows;
    const struct dg_run_request *request;
    struct dg_plan_spec *specs;
    size_t n_specs;
};

struct dg_text dg_run_backend(const struct dg_run_request *request)
{
    bool aoti = request->mode == DG_RUN_AOTI || request->mode == DG_RUN_SINGLE;

    return aoti && !request->backend.data ? dg_text("CudaBackend") : request->backend;
}

static void set_spec(struct storing *storing, struct dg_plan_spec spec)
{
    for (size_t i = 0; i < storing->n_specs; i++) {
        if (dg_text_equal(storing->specs[i].key, spec.key)) {
            storing->specs[i].value = spec.value;
            return;
        }
    }
    *DG_APPEND(storing->specs, storing->n_specs) = spec;
}

/* Those of the AOTI partitioners, then those of the request over them. */
static void find_specs(struct storing *storing, const struct dg_run_graph *graph,
                       const struct dg_run_part *part)
{
    const struct dg_run_request *request = storing->request;
    struct dg_plan_spec device = {dg_text("target_device"), dg_text("cuda:0")};

    storing->n_specs = 0;
    if (request->mode == DG_RUN_AOTI || request->mode == DG_RUN_SINGLE)
        set_spec(storing,
                 (struct dg_plan_spec){dg_text("method_name"), graph->nodes.method});
    if (dg_text_is(part->backend, "CudaBackend"))
        set_spec(storing, device);
    for (size_t i = 0; i < request->n_specs; i++)
        set_spec(storing, request->specs[i]);
}

/* Those of the tag that it is a piece of. */
static enum dg_status copy_specs(struct storing *storing,
                                 const struct dg_run_part *part, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(storing->rows.store,
                   "SELECT pos, key, value FROM partition_spec WHERE partition_id = ?1",
                   part->mends, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status =
            dg_plan_rows_spec(&storing->rows, dg_rows_int(&rows, 0),
                              dg_rows_slice(&rows, 1), dg_rows_slice(&rows, 2), err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status store_part(struct storing *storing,
                                 const struct dg_run_graph *graph,
                                 const struct dg_run_plan *plan, uint32_t part,
                                 struct dg_error *err)
{
    const struct dg_partitions *partitions = &plan->partitions;
    const struct dg_run_part *facts = &plan->parts[part];
    struct dg_new_tag tag = {
        .graph = graph->nodes.graph.id,
        .pos = facts->mends ? facts->pos : part,
        .number = partitions->parts[part].id,
        .declared = facts->declared,
        .name = facts->tag,
        .backend = facts->backend,
    };
    enum dg_status status = dg_plan_rows_tag(&storing->rows, &tag, err);

    if (facts->mends)
        return status ? status : copy_specs(storing, facts, err);
    find_specs(storing, graph, facts);
    for (size_t i = 0; i < storing->n_specs && !status; i++)
        status = dg_plan_rows_spec(&storing->rows, (int64_t)i, storing->specs[i].key,
                                   storing->specs[i].value, err);
    return status;
}

/* A program that was loaded has the getitems that only files have; there they belong to
 * the delegate of their producer, as tuples do not leave one. */
static uint32_t *stored_tags(struct dg_arena *memory, const struct dg_run_graph *graph,
                             const struct dg_run_plan *plan)
{
    const struct dg_nodes *nodes = &graph->nodes;
    uint32_t *tag_of = dg_alloc(memory, nodes->graph.n_nodes, sizeof(*tag_of));
    struct dg_run_places places;

    for (uint32_t i = 0; i < nodes->graph.n_nodes; i++)
        tag_of[i] = plan->tag_of[i];
    if (nodes->n_unused)
        dg_run_places(&places, graph, memory);
    for (uint32_t i = 0; i < nodes->n_unused; i++) {
        uint32_t item = dg_run_place(&places, nodes->unused[i].item);
        uint32_t producer = dg_run_place(&places, nodes->unused[i].producer);

        if (item != DG_NO_PLACE && producer != DG_NO_PLACE)
            tag_of[item] = plan->tag_of[producer];
    }
    return tag_of;
}

/* Placeholders, get_attr nodes and getitems of files alone by tag: those of tag t are
 * nodes[begins[t]] to nodes[begins[t + 1] - 1]. */
struct extras {
    uint32_t *begins, *nodes;
};

static bool is_extra(const uint32_t *tag_of, const struct dg_run_plan *plan,
                     uint32_t node)
{
    return tag_of[node] != DG_NO_PART && tag_of[node] != plan->partitions.part_of[node];
}

static void find_extras(struct extras *extras, struct dg_arena *memory,
                        const struct dg_run_graph *graph,
                        const struct dg_run_plan *plan)
{
    uint32_t n = graph->nodes.graph.n_nodes, n_tags = plan->partitions.n_parts;
    uint32_t *at = dg_alloc(memory, n_tags + 2, sizeof(*at));
    const uint32_t *tag_of = stored_tags(memory, graph, plan);

    extras->nodes = dg_alloc(memory, n, sizeof(*extras->nodes));
    extras->begins = at;
    for (uint32_t i = 0; i < n; i++) {
        if (is_extra(tag_of, plan, i))
            at[tag_of[i] + 2]++;
    }
    for (uint32_t tag = 0; tag < n_tags; tag++)
        at[tag + 2] += at[tag + 1];
    for (uint32_t i = 0; i < n; i++) {
        if (is_extra(tag_of, plan, i))
            extras->nodes[at[tag_of[i] + 1]++] = i;
    }
}

/* Nodes that lowering made are not of the program. */
static enum dg_status store_node(struct storing *storing,
                                 const struct dg_run_graph *graph, uint32_t node,
                                 int64_t *pos, struct dg_error *err)
{
    if (!graph->ids[node])
        return DG_OK;
    return dg_plan_rows_node(&storing->rows, (*pos)++, graph->ids[node], err);
}

static enum dg_status store_nodes(struct storing *storing,
                                  const struct dg_run_graph *graph,
                                  const struct dg_run_plan *plan, uint32_t part,
                                  const struct extras *extras, struct dg_error *err)
{
    const struct dg_part *of = &plan->partitions.parts[part];
    enum dg_status status = DG_OK;
    int64_t pos = 0;

    for (uint32_t i = of->begin; i < of->end && !status; i++)
        status = store_node(storing, graph, plan->partitions.nodes[i], &pos, err);
    for (uint32_t i = extras->begins[part]; i < extras->begins[part + 1] && !status;
         i++)
        status = store_node(storing, graph, extras->nodes[i], &pos, err);
    return status;
}

static enum dg_status store_graph(struct storing *storing,
                                  const struct dg_run_graph *graph,
                                  const struct dg_run_plan *plan, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct extras extras;
    enum dg_status status = DG_OK;

    find_extras(&extras, &memory, graph, plan);
    for (uint32_t part = 0; part < plan->partitions.n_parts && !status; part++) {
        status = store_part(storing, graph, plan, part, err);
        if (!status)
            status = store_nodes(storing, graph, plan, part, &extras, err);
    }
    for (size_t i = 0; i < graph->n_rejects && !status; i++) {
        const struct dg_run_reject *reject = &graph->rejects[i];

        status = dg_plan_rows_reject(&storing->rows, reject->node, reject->pos,
                                     reject->reason, reject->text, err);
    }
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status store_branch_tag(struct storing *storing,
                                       const struct dg_run_branch *branch, uint32_t tag,
                                       const struct dg_csr *members,
                                       struct dg_error *err)
{
    const struct dg_run_part *facts = &branch->tags[tag];
    struct dg_new_tag new = {.graph = branch->graph,
                             .pos = facts->pos,
                             .number = -1,
                             .declared = facts->declared,
                             .name = facts->tag,
                             .backend = facts->backend};
    enum dg_status status = dg_plan_rows_tag(&storing->rows, &new, err);
    int64_t pos = 0;

    if (!status)
        status = copy_specs(storing, facts, err);
    for (uint32_t i = members->begins[tag]; i < members->begins[tag + 1] && !status;
         i++)
        status = dg_plan_rows_node(&storing->rows, pos++,
                                   branch->first_id + members->items[i], err);
    return status;
}

static enum dg_status store_branch(struct storing *storing,
                                   const struct dg_run_branch *branch,
                                   struct dg_error *err)
{
    struct dg_arena scratch = {0};
    struct dg_csr members;
    enum dg_status status = DG_OK;

    dg_csr_by_key(&members, branch->tag_of, branch->n_nodes, branch->n_tags, &scratch);
    for (uint32_t tag = 0; tag < branch->n_tags && !status; tag++)
        status = store_branch_tag(storing, branch, tag, &members, err);
    dg_arena_clear(&scratch);
    return status;
}

enum dg_status dg_run_store(struct dg_run *run, struct dg_store *store,
                            struct dg_error *err)
{
    const struct dg_run_request *request = run->request;
    struct dg_new_plan plan = {
        .source = dg_run_mode_name(request->mode),
        .options = request->options,
        .artifact = request->artifact,
    };
    struct storing storing = {.request = request};
    enum dg_status status = dg_plan_rows_begin(&storing.rows, store, &plan, err);

    for (size_t i = 0; i < run->n_graphs && !status; i++)
        status = store_graph(&storing, &run->graphs[i],
                             dg_run_chosen(run, &run->graphs[i]), err);
    for (size_t i = 0; i < run->n_graphs && !status; i++) {
        for (size_t b = 0; b < run->graphs[i].n_branches && !status; b++)
            status = store_branch(&storing, &run->graphs[i].branches[b], err);
    }
    run->part_run = plan.id;
    free(storing.specs);
    return dg_plan_rows_end(&storing.rows, status, err);
}
