/* Reading instructions and what they name, once for a store. */
#include "graph/model.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/text.h"

static void release(void *object)
{
    struct dg_model *model = object;

    free(model->nodes);
    free(model->graphs);
    free(model->operand_of);
    free(model->operands);
    free(model);
}

static enum dg_node_kind kind_of(struct dg_text name)
{
    static const char *const names[] = {
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

    for (size_t i = sizeof(names) / sizeof(*names); --i;) {
        if (dg_text_is(name, names[i]))
            return (enum dg_node_kind)i;
    }
    return DG_NODE_UNKNOWN;
}

/* Rows of a graph follow one another; what lies between them belongs to none. */
static void add_node(struct dg_model *model, const struct dg_rows *rows)
{
    int64_t id = dg_rows_int(rows, 0), graph = dg_rows_int(rows, 1);
    struct dg_model_graph *at;

    if (id < 1 || graph < 1 || graph > UINT32_MAX || id > UINT32_MAX)
        return;
    while (model->n_nodes < id)
        *DG_APPEND(model->nodes, model->n_nodes) = (struct dg_model_node){.jump = -1};
    while (model->n_graphs < graph)
        DG_APPEND(model->graphs, model->n_graphs);
    model->nodes[id - 1] = (struct dg_model_node){
        .jump = dg_rows_int_or(rows, 4, -1),
        .graph = (uint32_t)graph,
        .op = (uint32_t)dg_rows_int_or(rows, 3, 0),
        .kind = kind_of(dg_rows_slice(rows, 2)),
    };
    at = &model->graphs[graph - 1];
    if (!at->n_nodes++)
        at->first = (uint32_t)id - 1;
}

static enum dg_status read_nodes(struct dg_model *model, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT id, graph_id, kind, op_id, jump FROM node ORDER BY id",
        err);

    if (status)
        return status;
    while (dg_rows_next(&rows))
        add_node(model, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

static unsigned access_of(const char *name)
{
    return *name == 'r'   ? DG_ACCESS_READ
           : *name == 'w' ? DG_ACCESS_WRITE
                          : DG_ACCESS_BOTH;
}

static void add_operand(struct dg_model *model, const struct dg_rows *rows)
{
    int64_t node = dg_rows_int(rows, 0);

    if (node < 1 || node > model->n_nodes)
        return;
    model->operand_of[node]++;
    *DG_APPEND(model->operands, model->n_operands) = (struct dg_model_operand){
        .idx = dg_rows_int(rows, 2),
        .value = (uint32_t)dg_rows_int_or(rows, 3, 0),
        .pos = (uint32_t)dg_rows_int(rows, 1) & ~(3u << 30),
        .access = access_of(dg_rows_text(rows, 4)) & 3,
    };
}

static enum dg_status read_operands(struct dg_model *model, struct dg_store *store,
                                    struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store,
                     "SELECT node_id, pos, value_idx, value_id, access FROM operand"
                     " ORDER BY node_id, pos",
                     err);

    if (status)
        return status;
    model->operand_of = calloc((size_t)model->n_nodes + 1, sizeof(uint32_t));
    if (!model->operand_of)
        dg_out_of_memory();
    while (dg_rows_next(&rows))
        add_operand(model, &rows);
    for (uint32_t i = 0; i < model->n_nodes; i++)
        model->operand_of[i + 1] += model->operand_of[i];
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_model_read(const struct dg_model **out, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_model *model = dg_store_kept(store, release);
    enum dg_status status;

    *out = model;
    if (model)
        return DG_OK;
    *out = model = calloc(1, sizeof(*model));
    if (!model)
        dg_out_of_memory();
    status = read_nodes(model, store, err);
    if (!status)
        status = read_operands(model, store, err);
    if (status)
        release(model);
    else
        dg_store_keep(store, model, release);
    return status;
}

struct dg_model_graph dg_model_graph_at(const struct dg_model *model, int64_t id)
{
    return id < 1 || id > model->n_graphs ? (struct dg_model_graph){0}
                                          : model->graphs[id - 1];
}
