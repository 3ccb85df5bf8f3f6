/* The schedule of an FX graph: rows of nodes and edges become slots and steps. */
#include "exec/schedule_fx.h"

#include <stdlib.h>

#include "exec/slice.h"

static const char nodes_query[] =
    "SELECT node.id, node.name, node.kind, op.name, node.op_id, node.target, node.args,"
    " delegate.graph_id, delegate.backend, node.value_id, value.dtype,"
    " json_extract(node.meta, '$.from_node')"
    " FROM node LEFT JOIN op ON op.id = node.op_id"
    " LEFT JOIN value ON value.id = node.value_id"
    " LEFT JOIN delegate ON delegate.id = node.delegate_id"
    " WHERE node.graph_id = ?1 ORDER BY node.idx";

enum { ID, NAME, KIND, OP, OP_ID, TARGET, ARGS, LOWERED, BACKEND, VALUE, DTYPE, FROM };

static enum dg_status count_nodes(struct dg_fx *fx, int64_t *n_nodes)
{
    struct dg_rows rows =
        dg_rows_of(fx->method->store,
                   "SELECT min(id), max(id), min(value_id), max(value_id), count(*)"
                   " FROM node WHERE graph_id = ?1",
                   fx->graph->id, fx->method->err);
    enum dg_status status = DG_OK;

    if (dg_rows_next(&rows)) {
        fx->first_id = dg_rows_int_or(&rows, 0, 1);
        *n_nodes = dg_rows_int_or(&rows, 1, 0) - fx->first_id + 1;
        if (*n_nodes != dg_rows_int(&rows, 4) && dg_rows_int(&rows, 4))
            status = dg_fail(fx->method->err, DG_ERR_FORMAT,
                             "the nodes of graph %lld do not lie together",
                             (long long)fx->graph->id);
        fx->first_value = dg_rows_int_or(&rows, 2, 1);
        fx->n_values = (size_t)(dg_rows_int_or(&rows, 3, 0) - fx->first_value + 1);
    }
    return dg_rows_close(&rows, status, fx->method->err);
}

static enum dg_status read_edges(struct dg_fx *fx)
{
    struct dg_rows rows = dg_rows_of(fx->method->store,
                                     "SELECT dst - ?1, pos, src - ?1 FROM edge"
                                     " WHERE dst BETWEEN ?1 AND ?2 ORDER BY dst, pos",
                                     fx->first_id, fx->method->err);

    dg_rows_bind_int(&rows, 2, fx->first_id + (int64_t)fx->schedule->n_slots - 1);
    while (dg_rows_next(&rows)) {
        int64_t src = dg_rows_int(&rows, 2);

        if (src >= 0 && (uint64_t)src < fx->schedule->n_slots)
            *DG_APPEND(fx->edges, fx->n_edges) =
                (struct dg_fx_edge){(uint32_t)dg_rows_int(&rows, 0),
                                    (uint32_t)dg_rows_int(&rows, 1), (uint32_t)src};
    }
    return dg_rows_close(&rows, DG_OK, fx->method->err);
}

static void make_room(struct dg_fx *fx, int64_t n_nodes)
{
    struct dg_schedule *schedule = fx->schedule;

    schedule->n_slots = n_nodes > 0 ? (size_t)n_nodes : 0;
    schedule->slots =
        dg_alloc(&schedule->memory, schedule->n_slots + 1, sizeof(*schedule->slots));
    schedule->steps =
        dg_alloc(&schedule->memory, schedule->n_slots + 1, sizeof(*schedule->steps));
    fx->targets = calloc(schedule->n_slots + 1, sizeof(*fx->targets));
    fx->used = calloc(schedule->n_slots + 1, sizeof(*fx->used));
    fx->slot_of_value = malloc((fx->n_values + 1) * sizeof(*fx->slot_of_value));
    if (!fx->targets || !fx->used || !fx->slot_of_value)
        dg_out_of_memory();
    memset(fx->slot_of_value, 0xff, (fx->n_values + 1) * sizeof(*fx->slot_of_value));
}

static struct dg_fx_node read_node(const struct dg_fx *fx, const struct dg_rows *rows)
{
    int64_t id = dg_rows_int(rows, ID);

    return (struct dg_fx_node){
        .slot = (uint32_t)(id - fx->first_id),
        .id = id,
        .name = dg_rows_text(rows, NAME),
        .kind = dg_rows_text(rows, KIND),
        .op = dg_rows_text(rows, OP),
        .op_id = dg_rows_int_or(rows, OP_ID, 0),
        .target = dg_rows_text(rows, TARGET),
        .backend = dg_rows_text(rows, BACKEND),
        .lowered_graph = dg_rows_int_or(rows, LOWERED, 0),
        .value_id = dg_rows_int_or(rows, VALUE, 0),
        .dtype = dg_rows_text(rows, DTYPE),
        .args = dg_rows_slice(rows, ARGS),
        .from_node = dg_rows_slice(rows, FROM),
    };
}

static void fill_slot(struct dg_fx *fx, const struct dg_fx_node *node)
{
    struct dg_slot *slot = &fx->schedule->slots[node->slot];
    int64_t value = node->value_id - fx->first_value;

    slot->name = dg_copy(&fx->schedule->memory, dg_text(node->name));
    slot->value_id = node->value_id;
    slot->type = node->dtype ? dg_type_named(node->dtype) : DG_TYPE_NONE;
    slot->arena = -1;
    if (node->value_id && value >= 0 && (uint64_t)value < fx->n_values)
        fx->slot_of_value[value] = node->slot;
}

static void keep_outputs(struct dg_fx *fx, const struct dg_fx_node *node)
{
    fx->outputs =
        dg_alloc(&fx->schedule->memory, node->n_items + 1, sizeof(*fx->outputs));
    fx->n_outputs = node->n_items;
    for (size_t i = 0; i < node->n_items; i++)
        fx->outputs[i] = node->items[i].operand;
}

static enum dg_status add_node(struct dg_fx *fx, struct dg_fx_node *node)
{
    enum dg_status status = DG_OK;
    struct dg_slot *slot = &fx->schedule->slots[node->slot];

    fill_slot(fx, node);
    if (!strcmp(node->kind, "placeholder")) {
        slot->kind = DG_SLOT_INPUT;
    } else if (!strcmp(node->kind, "get_attr")) {
        slot->kind = DG_SLOT_CONSTANT;
        fx->targets[node->slot] = dg_copy(&fx->schedule->memory, dg_text(node->target));
    } else if (!strcmp(node->kind, "output")) {
        status = node->args.data ? dg_fx_arguments(fx, node) : DG_OK;
        keep_outputs(fx, node);
    } else {
        struct dg_step *step = &fx->schedule->steps[fx->schedule->n_steps];

        status = node->args.data ? dg_fx_arguments(fx, node) : DG_OK;
        if (!status) {
            fx->schedule->n_steps++;
            status = dg_fx_step(fx, node, step);
            step->origin = dg_fx_origin(fx, node->from_node);
        }
    }
    dg_arena_clear(&fx->scratch);
    return status;
}

static enum dg_status read_nodes(struct dg_fx *fx)
{
    struct dg_rows rows =
        dg_rows_of(fx->method->store, nodes_query, fx->graph->id, fx->method->err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        struct dg_fx_node node = read_node(fx, &rows);

        status = add_node(fx, &node);
    }
    return dg_rows_close(&rows, status, fx->method->err);
}

/* What cannot run and has no result is there for what it writes. */
static void drop_results(const struct dg_fx *fx)
{
    for (size_t i = 0; i < fx->schedule->n_steps; i++) {
        struct dg_step *step = &fx->schedule->steps[i];
        uint32_t slot = step->results[0];

        if (step->kind == DG_STEP_OPAQUE && !fx->used[slot] &&
            !fx->schedule->slots[slot].value_id)
            step->n_results = 0;
    }
}

static void fx_clear(struct dg_fx *fx)
{
    free(fx->edges);
    free(fx->targets);
    free(fx->used);
    free(fx->slot_of_value);
    dg_text_set_clear(&fx->origins);
    dg_arena_clear(&fx->scratch);
}

static enum dg_status read_graph(struct dg_fx_method *method,
                                 struct dg_schedule *schedule,
                                 const struct dg_fx_graph *graph)
{
    struct dg_fx fx = {.method = method, .schedule = schedule, .graph = graph};
    int64_t n_nodes = 0;
    enum dg_status status = count_nodes(&fx, &n_nodes);

    make_room(&fx, status ? 0 : n_nodes);
    schedule->method = method->root->method;
    schedule->method_id = method->id;
    schedule->artifact_id = method->root->artifact_id;
    schedule->graph_id = graph->id;
    if (!status)
        status = read_edges(&fx);
    if (!status)
        status = read_nodes(&fx);
    if (!status)
        status = dg_fx_signature(&fx);
    drop_results(&fx);
    dg_fx_find_levels(schedule);
    dg_fx_find_filled(schedule);
    fx_clear(&fx);
    return status;
}

/* The method of the graph and all its graphs. */
static enum dg_status read_method(struct dg_fx_method *method, int64_t graph_id)
{
    struct dg_schedule *root = method->root;
    struct dg_rows rows = dg_rows_of(
        method->store,
        "SELECT g.id, g.path, g.kind, m.id, m.name, m.artifact_id, m.ir,"
        " (SELECT max(id) FROM op) FROM graph own"
        " JOIN method m ON m.id = own.method_id JOIN graph g ON g.method_id = m.id"
        " WHERE own.id = ?1 ORDER BY g.path",
        graph_id, method->err);

    while (dg_rows_next(&rows)) {
        struct dg_fx_graph *graph = DG_APPEND(method->graphs, method->n_graphs);

        graph->id = dg_rows_int(&rows, 0);
        graph->path = dg_copy(&root->memory, dg_rows_slice(&rows, 1));
        graph->lowered = !strcmp(dg_rows_text(&rows, 2), "lowered");
        graph->schedule = graph->id == graph_id ? root : NULL;
        method->id = dg_rows_int(&rows, 3);
        root->artifact_id = dg_rows_int(&rows, 5);
        method->exir = !strcmp(dg_rows_text(&rows, 6), "edge");
        method->n_resolved = (size_t)dg_rows_int_or(&rows, 7, 0) + 1;
        if (!root->method)
            root->method = dg_copy(&root->memory, dg_rows_slice(&rows, 4));
    }
    method->resolved = calloc(method->n_resolved + 1, sizeof(struct dg_resolved *));
    if (!method->resolved)
        dg_out_of_memory();
    return dg_rows_close(&rows, DG_OK, method->err);
}

static const struct dg_fx_graph *graph_of(const struct dg_fx_method *method,
                                          const struct dg_schedule *schedule)
{
    for (size_t i = 0; i < method->n_graphs; i++) {
        if (method->graphs[i].schedule == schedule)
            return &method->graphs[i];
    }
    return NULL;
}

static void finish(struct dg_schedule *schedule)
{
    dg_fx_keep_written(schedule);
    dg_fx_borrow_constants(schedule);
    dg_schedule_releases(schedule);
    dg_fx_find_near_ties(schedule);
}

/* Only what vectors give needs to be told apart output by output. */
static bool has_vectors(const struct dg_schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_kernel *kernel = schedule->steps[i].kernel;

        if (kernel && kernel->tolerance == DG_TOLERANCE_VECTORS)
            return true;
    }
    return false;
}

/* Plans that are called before those that call them. */
static void finish_all(struct dg_schedule *schedule)
{
    bool vectors = false;

    for (size_t i = 0; i < schedule->n_children; i++) {
        struct dg_schedule *child = schedule->children[i];

        vectors = vectors || has_vectors(child);
        for (size_t k = 0; k < child->n_outputs; k++)
            child->outputs[k].tolerance = DG_TOLERANCE_VECTORS;
    }
    for (size_t i = schedule->n_children; i--;) {
        finish(schedule->children[i]);
        if (vectors)
            dg_slices_of_outputs(schedule->children[i]);
    }
    finish(schedule);
}

enum dg_status dg_schedule_fx(struct dg_schedule *schedule, struct dg_store *store,
                              struct dg_bytes file, int64_t graph_id,
                              struct dg_error *err)
{
    struct dg_fx_method method = {
        .store = store, .file = file, .root = schedule, .err = err};
    enum dg_status status;

    *schedule = (struct dg_schedule){0};
    status = read_method(&method, graph_id);
    if (!status && !method.n_graphs)
        status =
            dg_fail(err, DG_ERR_USAGE, "there is no graph %lld", (long long)graph_id);
    if (!status)
        status = read_graph(&method, schedule, graph_of(&method, schedule));
    for (size_t i = 0; !status && i < schedule->n_children; i++)
        status = read_graph(&method, schedule->children[i],
                            graph_of(&method, schedule->children[i]));
    schedule->n_schedules = schedule->n_children + 1;
    if (!status)
        finish_all(schedule);
    dg_arena_adopt(&schedule->memory, &method.zip.memory);
    dg_zip_clear(&method.zip);
    dg_text_set_clear(&method.storages);
    free(method.graphs);
    free(method.resolved);
    return status;
}
