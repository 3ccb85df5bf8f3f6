/* The graph of a part as torch.export writes it: nodes, tensors, inputs, outputs. */
#include <string.h>

#include "base/dtype.h"
#include "base/ops.h"
#include "exec/reduce_pt2.h"

enum { STRIDED = 7 }; /* the layout, in schema 8 */

bool dg_part_has_weight(const struct dg_part_writing *writing, uint32_t slot)
{
    enum dg_slot_kind kind = writing->part->slots[slot].kind;

    return kind == DG_SLOT_CONSTANT || kind == DG_SLOT_BUFFER;
}

const struct dg_arg *dg_part_value(const struct dg_part_writing *writing, uint32_t slot)
{
    return dg_part_has_weight(writing, slot) ? &writing->part->slots[slot].initial
                                             : &writing->repro->values[slot];
}

bool dg_part_has_tensor(const struct dg_part_writing *writing, uint32_t slot)
{
    return dg_part_value(writing, slot)->kind == DG_ARG_TENSOR;
}

void dg_part_put_named(struct dg_part_writing *writing, const char *key,
                       struct dg_text name)
{
    dg_put_object(&writing->json, key);
    dg_put_text(&writing->json, "name", name);
    dg_put_end(&writing->json);
}

/* {"as_tensor": {"name": x}} */
void dg_part_put_tensor(struct dg_part_writing *writing, const char *key,
                        const char *name)
{
    dg_put_object(&writing->json, key);
    dg_part_put_named(writing, "as_tensor", dg_text(name));
    dg_put_end(&writing->json);
}

static void put_sizes(struct dg_part_writing *writing, const char *key,
                      const int64_t *sizes, int rank)
{
    struct dg_json_writer *json = &writing->json;

    dg_put_array(json, key);
    for (int i = 0; i < rank; i++) {
        dg_put_object(json, NULL);
        dg_put_int(json, "as_int", sizes[i]);
        dg_put_end(json);
    }
    dg_put_end(json);
}

/* Members of an object that tells of a tensor, contiguous as the file has it. */
void dg_part_put_meta(struct dg_part_writing *writing, const struct dg_tensor *tensor)
{
    struct dg_json_writer *json = &writing->json;
    const struct dg_dtype *dtype =
        dg_dtype_of_name(dg_text(dg_type_name(tensor->type)));
    int64_t strides[DG_RANK_MOST];

    dg_contiguous_strides(tensor->rank, tensor->sizes, strides);
    dg_put_int(json, "dtype", dtype ? dtype->torch_json : -1);
    put_sizes(writing, "sizes", tensor->sizes, tensor->rank);
    dg_put_bool(json, "requires_grad", false);
    dg_put_object(json, "device");
    dg_put_text(json, "type", dg_text("cpu"));
    dg_put_null(json, "index");
    dg_put_end(json);
    put_sizes(writing, "strides", strides, tensor->rank);
    dg_put_object(json, "storage_offset");
    dg_put_int(json, "as_int", 0);
    dg_put_end(json);
    dg_put_int(json, "layout", STRIDED);
}

/* The name of item `item` of what a step gives: that of the getitem that takes it. */
static const char *item_name(struct dg_part_writing *writing,
                             const struct dg_step *step, size_t item)
{
    const struct dg_schedule *part = writing->part;

    for (size_t i = 0; i < part->n_steps; i++) {
        const struct dg_step *getitem = &part->steps[i];

        if (getitem->kind == DG_STEP_ITEM && getitem->args[0].kind == DG_OPERAND_SLOT &&
            getitem->args[0].slot == step->results[0] &&
            getitem->args[1].literal.as.integer == (int64_t)item)
            return getitem->name;
    }
    return dg_format(&writing->memory, "%s_unused_%zu", step->name, item).data;
}

static bool gives_list(const struct dg_step *step)
{
    const struct dg_op *op = dg_op_find(step->op, strlen(step->op));

    return op && !strncmp(op->returns, "Tensor[]", strlen("Tensor[]"));
}

/* A list of tensors is one output, several results are so many. */
static void put_outputs(struct dg_part_writing *writing, const struct dg_step *step)
{
    const struct dg_arg *value = &writing->repro->values[step->results[0]];
    bool list = gives_list(step);

    dg_put_array(&writing->json, "outputs");
    if (value->kind == DG_ARG_LIST && list) {
        dg_put_object(&writing->json, NULL);
        dg_put_array(&writing->json, "as_tensors");
    }
    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        const char *name = item_name(writing, step, i);

        if (list)
            dg_part_put_named(writing, NULL, dg_text(name));
        else
            dg_part_put_tensor(writing, NULL, name);
    }
    if (value->kind == DG_ARG_LIST && list) {
        dg_put_end(&writing->json);
        dg_put_end(&writing->json);
    }
    if (value->kind != DG_ARG_LIST)
        dg_part_put_tensor(writing, NULL, step->name);
    dg_put_end(&writing->json);
}

/* "aten::add.Tensor" is torch.ops.aten.add.Tensor. */
static struct dg_text target_of(struct dg_part_writing *writing, const char *op)
{
    const char *name = strstr(op, "::");
    int length = name ? (int)(name - op) : 0;

    return dg_format(&writing->memory, "torch.ops.%.*s.%s", length, op,
                     name ? name + 2 : op);
}

static void put_metadata(struct dg_part_writing *writing, const struct dg_rows *row)
{
    dg_put_object(&writing->json, "metadata");
    if (!dg_rows_null(row, 1))
        dg_put_text(&writing->json, "stack_trace", dg_rows_slice(row, 1));
    dg_put_end(&writing->json);
}

static enum dg_status put_node(struct dg_part_writing *writing,
                               const struct dg_step *step)
{
    struct dg_json_writer *json = &writing->json;
    struct dg_rows rows =
        dg_rows_of(writing->store,
                   "SELECT args, text FROM node LEFT JOIN trace ON trace.id = trace_id"
                   " WHERE node.id = ?1",
                   step->node_id, writing->err);
    enum dg_status status = DG_OK;

    if (dg_rows_next(&rows)) {
        dg_put_line(json);
        dg_put_object(json, NULL);
        dg_put_text(json, "target", target_of(writing, step->op));
        status = dg_part_put_arguments(writing, step->op, dg_rows_slice(&rows, 0));
        put_outputs(writing, step);
        put_metadata(writing, &rows);
        dg_put_null(json, "is_hop_single_tensor_return");
        dg_put_text(json, "name", dg_text(step->name));
        dg_put_end(json);
    }
    return dg_rows_close(&rows, status, writing->err);
}

/* Numbers stand where they are used; items are outputs of what they are taken from. */
static bool is_node(const struct dg_part_writing *writing, const struct dg_step *step)
{
    enum dg_arg_kind kind =
        step->n_results ? writing->repro->values[step->results[0]].kind : DG_ARG_NONE;

    return step->kind == DG_STEP_CALL && (kind == DG_ARG_TENSOR || kind == DG_ARG_LIST);
}

static enum dg_status put_nodes(struct dg_part_writing *writing)
{
    enum dg_status status = DG_OK;

    dg_put_array(&writing->json, "nodes");
    for (size_t i = 0; i < writing->part->n_steps && !status; i++) {
        if (is_node(writing, &writing->part->steps[i]))
            status = put_node(writing, &writing->part->steps[i]);
    }
    dg_put_end(&writing->json);
    return status;
}

static void put_value(struct dg_part_writing *writing, const char *name,
                      const struct dg_arg *value)
{
    if (value->kind != DG_ARG_TENSOR)
        return;
    dg_put_name(&writing->json, dg_text(name));
    dg_put_object(&writing->json, NULL);
    dg_part_put_meta(writing, value->as.tensor);
    dg_put_end(&writing->json);
}

static void put_values_of(struct dg_part_writing *writing, const struct dg_step *step)
{
    const struct dg_arg *value = &writing->repro->values[step->results[0]];

    if (value->kind == DG_ARG_LIST) {
        for (size_t i = 0; i < value->as.list.n_items; i++)
            put_value(writing, item_name(writing, step, i), &value->as.list.items[i]);
    } else {
        put_value(writing, step->name, value);
    }
}

/* Of every tensor: weights, inputs, and what nodes give. */
static void put_values(struct dg_part_writing *writing)
{
    const struct dg_schedule *part = writing->part;

    dg_put_object(&writing->json, "tensor_values");
    for (size_t i = 0; i < writing->n_weights; i++)
        put_value(writing, part->slots[writing->weights[i]].name,
                  dg_part_value(writing, writing->weights[i]));
    for (size_t i = 0; i < part->n_inputs; i++)
        put_value(writing, part->inputs[i].name,
                  dg_part_value(writing, part->inputs[i].slot));
    for (size_t i = 0; i < part->n_steps; i++) {
        if (is_node(writing, &part->steps[i]))
            put_values_of(writing, &part->steps[i]);
    }
    dg_put_end(&writing->json);
}

/* Weights first, then what the part reads. */
static void put_inputs(struct dg_part_writing *writing)
{
    const struct dg_schedule *part = writing->part;

    dg_put_array(&writing->json, "inputs");
    for (size_t i = 0; i < writing->n_weights; i++)
        dg_part_put_tensor(writing, NULL, part->slots[writing->weights[i]].name);
    for (size_t i = 0; i < part->n_inputs; i++) {
        if (dg_part_has_tensor(writing, part->inputs[i].slot))
            dg_part_put_tensor(writing, NULL, part->inputs[i].name);
    }
    dg_put_end(&writing->json);
}

enum dg_status dg_part_put_graph(struct dg_part_writing *writing)
{
    struct dg_json_writer *json = &writing->json;
    enum dg_status status;

    dg_put_object(json, "graph");
    put_inputs(writing);
    dg_put_array(json, "outputs");
    for (size_t i = 0; i < writing->part->n_outputs; i++)
        dg_part_put_tensor(writing, NULL, writing->part->outputs[i].name);
    dg_put_end(json);
    status = put_nodes(writing);
    put_values(writing);
    for (int i = 0; i < 3; i++) {
        static const char *const none[] = {"sym_int_values", "sym_bool_values",
                                           "sym_float_values"};

        dg_put_object(json, none[i]);
        dg_put_end(json);
    }
    dg_put_bool(json, "is_single_tensor_return", false);
    dg_put_object(json, "custom_obj_values");
    dg_put_end(json);
    dg_put_end(json);
    return status;
}
