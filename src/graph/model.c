/* Reading nodes, what they read and what they name, once for a store. */
#include "graph/model.h"

#include <stdlib.h>

#include "base/text.h"
#include "graph/model_blobs.h"
#include "graph/model_types.h"
#include "store/beside.h"
#include "store/scan.h"

static void release_model(void *object)
{
    struct dg_model *model = object;

    free(model->nodes);
    free(model->graphs);
    free(model->ops);
    free(model->use_of);
    free(model->uses);
    free(model->operand_of);
    free(model->operands);
    dg_arena_clear(&model->memory);
    free(model);
}

static const char *const kinds[] = {
    [DG_NODE_UNKNOWN] = "unknown",
    [DG_NODE_PLACEHOLDER] = "placeholder",
    [DG_NODE_GET_ATTR] = "get_attr",
    [DG_NODE_CALL_FUNCTION] = "call_function",
    [DG_NODE_OUTPUT] = "output",
    [DG_NODE_KERNEL_CALL] = "kernel_call",
    [DG_NODE_DELEGATE_CALL] = "delegate_call",
    [DG_NODE_MOVE_CALL] = "move_call",
    [DG_NODE_JUMP_FALSE_CALL] = "jump_false_call",
    [DG_NODE_FREE_CALL] = "free_call",
};

const char *dg_node_kind_name(enum dg_node_kind kind)
{
    return kinds[kind];
}

static enum dg_node_kind kind_of(struct dg_text name, enum dg_node_kind before)
{
    return (enum dg_node_kind)dg_find_name(name, kinds, sizeof(kinds) / sizeof(*kinds),
                                           before);
}

static enum dg_status read_ops(struct dg_model *model, struct dg_store *store,
                               struct dg_error *err)
{
    struct dg_scan scan = dg_scan_all(store, "op", "id, name, flags", "id", err);

    while (dg_scan_next(&scan)) {
        int64_t id = dg_scan_int(&scan, 0);

        while (model->n_ops < id)
            DG_APPEND(model->ops, model->n_ops);
        model->ops[id - 1] =
            (struct dg_model_op){dg_copy_text(&model->memory, dg_scan_text(&scan, 1)),
                                 (unsigned)dg_scan_int(&scan, 2)};
    }
    return dg_scan_close(&scan, DG_OK, err);
}

/* NULL reads as 0, which is no row. */
static uint32_t row_up_to(const struct dg_scan *scan, int column, uint32_t most)
{
    int64_t row = dg_scan_int(scan, column);

    return row > 0 && row <= most ? (uint32_t)row : 0;
}

/* What lies behind all nodes stays there. */
static uint32_t jump_of(int64_t stored)
{
    if (stored < 0)
        return DG_NO_JUMP;
    return stored < DG_NO_JUMP ? (uint32_t)stored : DG_NO_JUMP - 1;
}

/* Rows of a graph follow one another; what lies between them belongs to none. */
static void add_node(struct dg_model *model, const struct dg_scan *scan)
{
    int64_t id = dg_scan_int(scan, 0), graph = dg_scan_int(scan, 1);
    enum dg_node_kind before;
    struct dg_model_graph *at;

    if (id < 1 || graph < 1 || graph > UINT32_MAX || id > model->n_nodes)
        return;
    while (model->n_graphs < graph)
        DG_APPEND(model->graphs, model->n_graphs);
    before = id > 1 ? model->nodes[id - 2].kind : DG_NODE_UNKNOWN;
    model->nodes[id - 1] = (struct dg_model_node){
        .graph = (uint32_t)graph,
        .op = row_up_to(scan, 3, model->n_ops),
        .delegate = row_up_to(scan, 5, UINT32_MAX - 1),
        .module = row_up_to(scan, 6, UINT32_MAX - 1),
        .value = row_up_to(scan, 7, UINT32_MAX - 1),
        .jump = jump_of(dg_scan_int_or(scan, 4, -1)),
        .kind = kind_of(dg_scan_text(scan, 2), before),
    };
    at = &model->graphs[graph - 1];
    if (!at->n_nodes++)
        at->first = (uint32_t)id - 1;
}

static enum dg_status read_nodes(struct dg_model *model, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_scan scan = dg_scan_all(
        store, "node",
        "id, graph_id, kind, op_id, jump, delegate_id, module_id, value_id", "id", err);

    model->nodes = dg_zeroed(model->n_nodes, sizeof(*model->nodes));
    for (uint32_t i = 0; i < model->n_nodes; i++)
        model->nodes[i].jump = DG_NO_JUMP;
    while (dg_scan_next(&scan))
        add_node(model, &scan);
    return dg_scan_close(&scan, DG_OK, err);
}

/* How many items each node has, in counts[node + 1], becomes where they begin. */
static void add_up(uint32_t *counts, uint32_t n_nodes)
{
    for (uint32_t i = 0; i < n_nodes; i++)
        counts[i + 1] += counts[i];
}

static void add_use(struct dg_model *model, const struct dg_scan *scan)
{
    uint32_t node = row_up_to(scan, 0, model->n_nodes);
    uint32_t from = row_up_to(scan, 1, model->n_nodes);

    if (!node || !from)
        return;
    model->use_of[node]++;
    *DG_APPEND(model->uses, model->n_uses) =
        (struct dg_model_use){.node = from - 1,
                              .value = row_up_to(scan, 2, UINT32_MAX - 1),
                              .pos = (uint32_t)dg_scan_int(scan, 3)};
}

static enum dg_status read_uses(struct dg_model *model, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_scan scan =
        dg_scan_all(store, "edge", "dst, src, value_id, pos", "dst, pos", err);

    model->use_of = dg_zeroed((size_t)model->n_nodes + 1, sizeof(uint32_t));
    while (dg_scan_next(&scan))
        add_use(model, &scan);
    add_up(model->use_of, model->n_nodes);
    return dg_scan_close(&scan, DG_OK, err);
}

static unsigned access_of(struct dg_text name)
{
    return dg_text_is(name, "read")    ? DG_ACCESS_READ
           : dg_text_is(name, "write") ? DG_ACCESS_WRITE
                                       : DG_ACCESS_BOTH;
}

static void add_operand(struct dg_model *model, const struct dg_scan *scan)
{
    int64_t node = dg_scan_int(scan, 0);

    if (node < 1 || node > model->n_nodes)
        return;
    model->operand_of[node]++;
    *DG_APPEND(model->operands, model->n_operands) = (struct dg_model_operand){
        .idx = dg_scan_int(scan, 2),
        .value = (uint32_t)dg_scan_int(scan, 3),
        .pos = (uint32_t)dg_scan_int(scan, 1) & ~(7u << 29),
        .access = access_of(dg_scan_text(scan, 4)) & 3,
    };
}

static enum dg_status read_operands(struct dg_model *model, struct dg_store *store,
                                    struct dg_error *err)
{
    struct dg_scan scan =
        dg_scan_all(store, "operand", "node_id, pos, value_idx, value_id, access",
                    "node_id, pos", err);

    model->operand_of = dg_zeroed((size_t)model->n_nodes + 1, sizeof(uint32_t));
    while (dg_scan_next(&scan))
        add_operand(model, &scan);
    add_up(model->operand_of, model->n_nodes);
    return dg_scan_close(&scan, DG_OK, err);
}

static enum dg_status count_nodes(struct dg_model *model, struct dg_store *store,
                                  struct dg_error *err)
{
    int64_t last;
    enum dg_status status = dg_scan_last(&last, store, "node", err);

    model->n_nodes = last > 0 && last < UINT32_MAX ? (uint32_t)last : 0;
    return status;
}

static enum dg_status read_ops_and_nodes(void *model, struct dg_store *store,
                                         struct dg_error *err)
{
    enum dg_status status = read_ops(model, store, err);

    return status ? status : read_nodes(model, store, err);
}

static enum dg_status read_arguments(void *model, struct dg_store *store,
                                     struct dg_error *err)
{
    enum dg_status status = read_uses(model, store, err);

    return status ? status : read_operands(model, store, err);
}

enum dg_status dg_model_read(const struct dg_model **out, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_model *model = dg_store_kept(store, release_model);
    enum dg_status status;

    *out = model;
    if (model)
        return DG_OK;
    model = dg_zeroed(1, sizeof(*model));
    status = count_nodes(model, store, err);
    if (!status)
        status =
            dg_store_read_both(store, read_ops_and_nodes, read_arguments, model, err);
    if (!status)
        status = dg_model_read_blobs(model, store, err);
    if (status) {
        release_model(model);
        return status;
    }
    dg_store_keep(store, model, release_model);
    *out = model;
    return DG_OK;
}

struct dg_model_graph dg_model_graph_at(const struct dg_model *model, int64_t id)
{
    return id < 1 || id > model->n_graphs ? (struct dg_model_graph){0}
                                          : model->graphs[id - 1];
}
