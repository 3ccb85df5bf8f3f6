/* Values of a method of a .pte, as far as they are known before it runs. */
#include "verifiers/plan_values.h"

#include <stdlib.h>
#include <string.h>

#include "graph/model.h"
#include "store/lists.h"

static const struct dg_model_value *value_at(const struct dg_plan_values *method,
                                             int64_t idx)
{
    bool is_there = method->graph && idx >= 0 && (uint64_t)idx < method->graph->n;

    return is_there ? &method->values->items[method->graph->first + (size_t)idx] : NULL;
}

static bool is_list(const struct dg_model_value *value)
{
    return dg_value_is_list(value) && value->content.n >= 0;
}

/* A move gives a value another tensor; numbers change with whoever writes them. */
static void note_written(struct dg_plan_values *method, const struct dg_model *model,
                         int64_t graph)
{
    struct dg_model_graph nodes = dg_model_graph_at(model, graph);

    for (uint32_t i = nodes.first; i < nodes.first + nodes.n_nodes; i++) {
        bool moves = model->nodes[i].kind == DG_NODE_MOVE_CALL;

        for (uint32_t k = model->operand_of[i]; k < model->operand_of[i + 1]; k++) {
            const struct dg_model_operand *operand = &model->operands[k];
            const struct dg_model_value *value = value_at(method, operand->idx);

            if (!value || !(operand->access & DG_ACCESS_WRITE))
                continue;
            if (moves || (value->kind != DG_VALUE_TENSOR && !is_list(value)))
                method->written[operand->idx] = true;
        }
    }
}

/* The sizes and dim order of a tensor, which begins with zeros; false: they are not
 * understood. */
static bool know_layout(struct dg_known_tensor *tensor,
                        const struct dg_model_value *value, const int64_t *numbers)
{
    int64_t rank = value->content.n > 0 ? value->content.n : 0;
    unsigned seen = 0;

    if (rank > DG_RANK_MOST || (value->order.n >= 0 && value->order.n != rank))
        return false;
    tensor->rank = (int)rank;
    for (int i = 0; i < rank; i++) {
        int64_t size = numbers[value->content.first + (size_t)i];
        int64_t order =
            value->order.n < 0 ? i : numbers[value->order.first + (size_t)i];

        if (size < 0 || order < 0 || order >= rank || seen >> order & 1)
            return false;
        seen |= 1u << order;
        tensor->sizes[i] = size;
        tensor->order[i] = (unsigned char)order;
    }
    return true;
}

static void know_tensor(struct dg_known *known, const struct dg_plan_values *method,
                        const struct dg_model_value *value, struct dg_arena *memory)
{
    struct dg_known_tensor *tensor = dg_alloc(memory, 1, sizeof(*tensor));

    if (!value->dtype || !know_layout(tensor, value, method->values->numbers))
        return;
    tensor->type = dg_type_of(value->dtype);
    if (dg_type_is_complex(tensor->type)) /* the tables of kernels know its size only */
        tensor->type = DG_TYPE_NONE;
    if (*value->dtype->name == 'c')
        tensor->complex = (unsigned)value->dtype->bytes;
    tensor->bounded = value->bounded || value->unbounded;
    known->kind = DG_ARG_TENSOR;
    known->as.tensor = tensor;
}

static void know(struct dg_known *known, const struct dg_plan_values *method,
                 int64_t idx, bool list, struct dg_arena *memory);

static void know_items(struct dg_known *known, const struct dg_plan_values *method,
                       const struct dg_model_value *value, struct dg_arena *memory)
{
    size_t n = (size_t)value->content.n;
    struct dg_known *items = dg_alloc(memory, n + 1, sizeof(*items));
    const int64_t *numbers = dg_numbers_of(method->values, value->content);

    for (size_t i = 0; i < n; i++) {
        items[i].idx = -1;
        if (value->kind == DG_VALUE_DOUBLE_LIST) {
            items[i].kind = DG_ARG_FLOAT;
            memcpy(&items[i].as.real, &numbers[i], sizeof(double));
        } else if (value->kind == DG_VALUE_BOOL_LIST) {
            items[i].kind = DG_ARG_BOOL;
            items[i].as.integer = numbers[i];
        } else if (numbers[i] >= 0) {
            know(&items[i], method, numbers[i], false, memory);
        }
    }
    known->kind = DG_ARG_LIST;
    known->as.list.items = items;
    known->as.list.n_items = n;
}

static void know_scalar(struct dg_known *known, const struct dg_model_value *value)
{
    if (value->kind == DG_VALUE_DOUBLE) {
        known->kind = DG_ARG_FLOAT;
        known->as.real = value->as.real;
    } else if (value->kind == DG_VALUE_STRING) {
        known->kind = DG_ARG_STRING;
        known->as.string = value->as.string;
    } else if (value->kind == DG_VALUE_INT || value->kind == DG_VALUE_BOOL) {
        known->kind = value->kind == DG_VALUE_INT ? DG_ARG_INT : DG_ARG_BOOL;
        known->as.integer = value->as.integer;
    }
}

/* Lists hold no lists; and those that calls name too often are not known. */
static void know(struct dg_known *known, const struct dg_plan_values *method,
                 int64_t idx, bool list, struct dg_arena *memory)
{
    const struct dg_model_value *value = value_at(method, idx);

    *known = (struct dg_known){.kind = DG_ARG_UNKNOWN, .idx = idx};
    if (!value || method->written[idx] || (is_list(value) && !list))
        return;
    if (value->kind == DG_VALUE_TENSOR)
        know_tensor(known, method, value, memory);
    else if (value->kind == DG_VALUE_NULL)
        known->kind = DG_ARG_NONE;
    else if (is_list(value))
        know_items(known, method, value, memory);
    else if (value->said)
        know_scalar(known, value);
}

void dg_plan_know(struct dg_known *known, const struct dg_plan_values *method,
                  int64_t idx, struct dg_arena *memory)
{
    know(known, method, idx, method->few_lists, memory);
}

enum dg_status dg_plan_values_read(struct dg_plan_values *method,
                                   struct dg_store *store, int64_t graph,
                                   struct dg_error *err)
{
    const struct dg_model *model;
    enum dg_status status = dg_store_lists_bounded(&method->few_lists, store, err);

    if (!status)
        status = dg_model_values_read(&method->values, store, err);
    if (!status)
        status = dg_model_read(&model, store, err);
    if (status)
        return status;
    method->graph = dg_value_graph_of(method->values, graph);
    if (method->graph)
        method->written = dg_zeroed(method->graph->n, sizeof(bool));
    note_written(method, model, graph);
    return DG_OK;
}

void dg_plan_values_clear(struct dg_plan_values *method)
{
    free(method->written);
    *method = (struct dg_plan_values){0};
}
