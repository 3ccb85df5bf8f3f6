/* What lowering a plan leaves of a graph. */
#include "partition/lowering.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "partition/lowering_parts.h"
#include "partition/run_parts.h"

/* Each tag sorts the whole graph anew, as it does in torch. */
static const uint64_t most_steps = UINT64_C(1) << 33;

uint32_t dg_lowering_add(struct dg_lowering *lowering, struct dg_lowering_vertex vertex)
{
    vertex.input = (uint32_t)lowering->n_inputs;
    vertex.touch = lowering->clock++;
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
        dg_lowering_add(lowering, (struct dg_lowering_vertex){
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

static enum dg_status read_tags(struct dg_lowering *lowering,
                                const struct dg_run_graph *graph, int64_t part_run,
                                struct dg_store *store, struct dg_error *err)
{
    struct dg_run_places places;
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
    dg_run_places(&places, graph, &lowering->memory);
    dg_rows_bind_int(&rows, 1, part_run);
    dg_rows_bind_int(&rows, 2, graph->nodes.graph.id);
    while (dg_rows_next(&rows)) {
        uint32_t tag = tag_number(lowering, &rows, &last);
        uint32_t at = dg_run_place(&places, dg_rows_int(&rows, 2));

        if (at != DG_NO_PLACE)
            lowering->vertices[at].tag = tag;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* A constant that several tags read is copied first: the copies stand before it, and
 * each has the tag of its only user. */
static void copy_constant(struct dg_lowering *lowering, const struct dg_duplicate *copy,
                          uint32_t *first_copy)
{
    struct dg_lowering_vertex constant = lowering->vertices[copy->constant];
    struct dg_lowering_vertex *user = &lowering->vertices[copy->user];
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

/* torch sets the arguments of the users tag by tag. */
struct rewritten {
    uint32_t tag, copy, user;
};

static int by_tag(const void *left, const void *right)
{
    const struct rewritten *a = left, *b = right;

    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->copy < b->copy ? -1 : a->copy > b->copy;
}

static void touch_users(struct dg_lowering *lowering, const uint32_t *tag_of,
                        const struct dg_duplicate *copies, size_t n)
{
    struct rewritten *all = dg_alloc(&lowering->memory, n, sizeof(*all));

    for (size_t i = 0; i < n; i++)
        all[i] =
            (struct rewritten){tag_of[copies[i].constant], (uint32_t)i, copies[i].user};
    dg_sort(all, n, sizeof(*all), by_tag);
    for (size_t i = 0; i < n; i++)
        lowering->vertices[all[i].user].touch = lowering->clock++;
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
    touch_users(lowering, tag_of, copies, n_copies);
    list_order(lowering, n, first_copy, copies);
    free(copies);
}

static enum dg_status lower_tags(struct dg_lowering *lowering, struct dg_error *err)
{
    uint64_t size = lowering->n_vertices + lowering->n_inputs;
    enum dg_status status = DG_OK;

    if (lowering->n_tags && size > most_steps / lowering->n_tags)
        return dg_fail(err, DG_ERR_STOPPED,
                       "%u tags on %zu nodes; lowering them one by one, as torch does, "
                       "takes too long",
                       lowering->n_tags, lowering->n_vertices);
    for (uint32_t tag = 0; tag < lowering->n_tags && !status; tag++)
        status = dg_lower_tag(lowering, tag, err);
    return status;
}

/* A call that is inside a delegate has that one reason. */
static void reject_lowered(struct dg_run_graph *graph, struct dg_lowering *lowering)
{
    struct dg_arena memory = {0};
    struct dg_run_places places;
    size_t n = 0;

    dg_run_places(&places, graph, &memory);
    for (size_t i = 0; i < graph->n_rejects; i++) {
        uint32_t at = dg_run_place(&places, graph->rejects[i].node);

        if (at == DG_NO_PLACE || !lowering->vertices[at].gone)
            graph->rejects[n++] = graph->rejects[i];
    }
    graph->n_rejects = n;
    for (uint32_t i = 0; i < graph->nodes.graph.n_nodes; i++) {
        const struct dg_lowering_vertex *at = &lowering->vertices[i];

        if (at->gone && at->marks & DG_MARK_CALL && at->id)
            dg_run_reject(graph, at->id, "prior-delegate",
                          dg_format(&graph->memory, "tag \"%s\" of a prior plan has it",
                                    lowering->tags[at->tag].data));
    }
    dg_arena_clear(&memory);
}

/* Which of several plans an error is about. */
static enum dg_status name_plan(int64_t part_run, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_error cause = *err;
    struct dg_rows rows;

    if (dg_rows_open(&rows, store, "SELECT path FROM part_run WHERE id = ?1", err))
        return err->status;
    dg_rows_bind_int(&rows, 1, part_run);
    if (dg_rows_next(&rows) && !dg_rows_null(&rows, 0))
        dg_fail(err, cause.status, "%s: %s", dg_rows_text(&rows, 0), cause.text);
    else
        dg_fail(err, cause.status, "prior plan: %s", cause.text);
    return dg_rows_close(&rows, err->status, err);
}

enum dg_status dg_lower_plan(struct dg_run_graph *graph, int64_t part_run, bool claim,
                             struct dg_store *store, struct dg_error *err)
{
    struct dg_lowering lowering = {0};
    uint32_t first_made;
    enum dg_status status;

    load(&lowering, graph);
    status = read_tags(&lowering, graph, part_run, store, err);
    copy_constants(&lowering, graph);
    first_made = (uint32_t)lowering.n_vertices;
    if (!status)
        status = lower_tags(&lowering, err);
    if (!status) {
        reject_lowered(graph, &lowering);
        dg_lowering_build(graph, &lowering, first_made, claim);
    }
    free(lowering.vertices);
    free(lowering.inputs);
    free(lowering.order);
    free(lowering.tags);
    dg_arena_adopt(&graph->memory, &lowering.memory);
    return status ? name_plan(part_run, store, err) : DG_OK;
}
