/* Reading what costs depend on: operators, values, nodes. */
#include <stdlib.h>

#include "base/dtype.h"
#include "graph/cost_parts.h"

static void find_rules(struct dg_cost_tables *tables)
{
    const struct dg_model *model = tables->model;

    tables->rules = dg_alloc(&tables->memory, model->n_ops, sizeof(*tables->rules));
    for (uint32_t i = 0; i < model->n_ops; i++)
        tables->rules[i] = dg_cost_rule(model->ops[i].name, model->ops[i].flags);
}

static int64_t bytes_of(const struct dg_cost_type *type, const struct dg_dtype *dtype)
{
    int64_t bytes = dtype && dtype->bytes ? dtype->bytes : -1;

    for (size_t i = 0; i < type->rank && bytes >= 0; i++)
        if (type->sizes[i] < 0 || __builtin_mul_overflow(bytes, type->sizes[i], &bytes))
            bytes = -1;
    return bytes;
}

/* Another method has other sizes of the same symbols, and as many. */
static void read_type(struct dg_cost_values *values, struct dg_cost_type *type,
                      const struct dg_model_type *from)
{
    bool is_list =
        from->kind == DG_VALUE_TENSOR_LIST || from->kind == DG_VALUE_OPTIONAL_LIST;
    bool known = is_list || from->kind == DG_VALUE_TENSOR;

    values->list.n = 0;
    known = known && dg_cost_sizes_parse(&values->sizes, &values->list, from->sizes);
    type->is_list = is_list && known;
    type->is_tensor = !is_list && known;
    type->rank = values->list.n;
    if (!type->read)
        type->sizes = dg_alloc(&values->memory, type->rank, sizeof(*type->sizes));
    for (size_t i = 0; i < type->rank; i++)
        type->sizes[i] = values->list.items[i];
    type->nbytes = type->is_tensor ? bytes_of(type, from->dtype) : -1;
    type->read = true;
}

const struct dg_cost_type *dg_cost_type(struct dg_cost_values *values, int64_t row)
{
    const struct dg_model_values *model = values->model;
    const struct dg_model_type *from;
    struct dg_cost_type *type;
    int64_t method;

    if (row < 1 || (uint64_t)row > model->n_rows)
        return NULL;
    from = &model->types[model->type_of[row - 1]];
    type = &values->types[model->type_of[row - 1]];
    method = values->sizes.methods[model->graph_of[row - 1] - 1];
    if (!type->read || (from->symbolic && type->method != method)) {
        dg_cost_sizes_of_graph(&values->sizes, model->graph_of[row - 1]);
        type->method = method;
        read_type(values, type, from);
    }
    return type;
}

int64_t dg_cost_nbytes(struct dg_cost_values *values, int64_t row)
{
    const struct dg_cost_type *type = dg_cost_type(values, row);

    if (!type || !type->is_tensor)
        return -1;
    return values->model->nbytes[row - 1] == DG_NONE ? type->nbytes
                                                     : values->model->nbytes[row - 1];
}

enum dg_status dg_cost_values_read(struct dg_cost_values *values,
                                   struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = dg_model_values_read(&values->model, store, err);

    if (!status)
        status = dg_cost_sizes_begin(&values->sizes, store, err);
    if (!status)
        values->types =
            dg_alloc(&values->memory, values->model->n_types, sizeof(*values->types));
    return status;
}

void dg_cost_values_clear(struct dg_cost_values *values)
{
    dg_cost_sizes_end(&values->sizes);
    free(values->list.items);
    dg_arena_clear(&values->memory);
}

static bool is_getitem(const struct dg_model *model, const struct dg_model_node *node)
{
    return node->op && dg_text_is(model->ops[node->op - 1].name, "_operator.getitem");
}

static bool computes(const struct dg_model *model, const struct dg_model_node *node)
{
    return (node->kind == DG_NODE_CALL_FUNCTION || node->kind == DG_NODE_KERNEL_CALL ||
            node->kind == DG_NODE_DELEGATE_CALL) &&
           !is_getitem(model, node);
}

/* A call of a delegate whose graph is stored computes what the nodes of that do. */
static enum dg_status leave_out_lowered(struct dg_costs *costs,
                                        const struct dg_model *model,
                                        struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store,
                    "SELECT node.id FROM delegate CROSS JOIN node"
                    " ON delegate_id = delegate.id WHERE delegate.graph_id IS NOT NULL",
                    err);

    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id <= model->n_nodes)
            costs->nodes[id - 1].flops = DG_COST_NONE;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_cost_calls_find(struct dg_costs *costs, const struct dg_model *model,
                                  struct dg_arena *memory, struct dg_store *store,
                                  struct dg_error *err)
{
    costs->n_nodes = model->n_nodes;
    costs->nodes = dg_alloc(memory, costs->n_nodes, sizeof(*costs->nodes));
    for (uint32_t i = 0; i < model->n_nodes; i++)
        costs->nodes[i] =
            (struct dg_cost){computes(model, &model->nodes[i]) ? -1 : DG_COST_NONE, -1};
    return leave_out_lowered(costs, model, store, err);
}

static void add_item(struct dg_cost_tables *tables, struct dg_cost_result *result,
                     uint32_t value)
{
    int64_t size = dg_cost_nbytes(&tables->values, value);

    if (!result->value)
        result->value = value;
    else if (size < 0 || result->more < 0 || result->more > INT64_MAX - size)
        result->more = -1;
    else
        result->more += size;
}

/* The results of a call that gives a tuple are those of its getitem nodes. */
static void find_results(struct dg_cost_tables *tables)
{
    const struct dg_model *model = tables->model;

    tables->results =
        dg_alloc(&tables->memory, model->n_nodes, sizeof(*tables->results));
    for (uint32_t i = 0; i < model->n_nodes; i++)
        tables->results[i].value = model->nodes[i].value;
    for (uint32_t i = 0; i < model->n_nodes; i++) {
        uint32_t use = model->use_of[i], value = tables->results[i].value;

        if (is_getitem(model, &model->nodes[i]) && use < model->use_of[i + 1] &&
            !model->uses[use].pos)
            add_item(tables, &tables->results[model->uses[use].node], value);
    }
}

enum dg_status dg_cost_tables_read(struct dg_cost_tables *tables,
                                   const struct dg_model *model, struct dg_store *store,
                                   struct dg_error *err)
{
    enum dg_status status = dg_cost_values_read(&tables->values, store, err);

    tables->model = model;
    if (status)
        return status;
    find_rules(tables);
    find_results(tables);
    return DG_OK;
}

void dg_cost_tables_clear(struct dg_cost_tables *tables)
{
    dg_cost_values_clear(&tables->values);
    dg_arena_clear(&tables->memory);
    *tables = (struct dg_cost_tables){0};
}
