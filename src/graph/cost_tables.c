/* Reading what costs depend on: operators, values, nodes. */
#include <ctype.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "graph/cost_parts.h"
#include "graph/cost_sizes.h"

/* Ids are indexes of an array: they must be 1 to n. */
static enum dg_status count_values(int64_t *n, struct dg_store *store,
                                   struct dg_error *err)
{
    int64_t last = 0;
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM value", 0, n, err);

    if (!status)
        status = dg_store_int(store, "SELECT max(id) FROM value", 0, &last, err);
    if (!status && (last != *n || *n >= UINT32_MAX))
        return dg_fail(err, DG_ERR_FORMAT,
                       "store: ids of table value are not 1, 2, 3... without a gap");
    return status;
}

static void find_rules(struct dg_cost_tables *tables)
{
    const struct dg_model *model = tables->model;

    tables->rules = dg_alloc(&tables->memory, model->n_ops, sizeof(*tables->rules));
    for (uint32_t i = 0; i < model->n_ops; i++)
        tables->rules[i] = dg_cost_rule(model->ops[i].name, model->ops[i].flags);
}

static int64_t bytes_of(const struct dg_cost_tables *tables,
                        const struct dg_cost_value *value, struct dg_text dtype)
{
    const struct dg_dtype *type = dg_dtype_of_name(dtype);
    int64_t bytes = type ? type->bytes : 0;

    for (uint32_t i = 0; i < value->rank && bytes >= 0; i++) {
        int64_t size = tables->sizes[value->sizes + i];

        if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
            bytes = -1;
    }
    return type && type->bytes ? bytes : -1;
}

static void read_value(struct dg_cost_tables *tables, struct dg_cost_value *value,
                       struct dg_cost_sizes *sizes, const struct dg_rows *rows)
{
    struct dg_text kind = dg_rows_slice(rows, 0);
    struct dg_text shape = dg_rows_slice(rows, 2), items = dg_rows_slice(rows, 4);

    *value = (struct dg_cost_value){.is_tensor = dg_text_is(kind, "tensor"),
                                    .is_list = items.data != NULL,
                                    .sizes = tables->n_sizes,
                                    .idx = dg_rows_int(rows, 5),
                                    .nbytes = -1};
    dg_cost_sizes_of_graph(sizes, dg_rows_int(rows, 6));
    if (value->is_tensor)
        value->is_tensor = shape.data && dg_cost_sizes_parse(sizes, tables, shape);
    else if (value->is_list)
        value->is_list = dg_cost_sizes_parse(sizes, tables, items);
    value->rank = (uint32_t)(tables->n_sizes - value->sizes);
    if (value->is_tensor)
        value->nbytes = dg_rows_null(rows, 3)
                            ? bytes_of(tables, value, dg_rows_slice(rows, 1))
                            : dg_rows_int(rows, 3);
}

enum dg_status dg_cost_values_read(struct dg_cost_tables *tables,
                                   struct dg_store *store, struct dg_error *err)
{
    struct dg_cost_sizes sizes = {0};
    struct dg_rows rows;
    enum dg_status status = count_values(&tables->n_values, store, err);

    if (!status)
        status = dg_cost_sizes_begin(&sizes, store, err);
    if (!status)
        status = dg_rows_open(&rows, store,
                              "SELECT kind, dtype, shape, nbytes,"
                              " CASE WHEN kind GLOB '*tensor_list' THEN items END, idx,"
                              " graph_id FROM value ORDER BY id",
                              err);
    if (!status) {
        tables->values = dg_alloc(&tables->memory, (size_t)tables->n_values,
                                  sizeof(*tables->values));
        for (int64_t i = 0; i < tables->n_values && dg_rows_next(&rows); i++)
            read_value(tables, &tables->values[i], &sizes, &rows);
        status = dg_rows_close(&rows, DG_OK, err);
    }
    dg_cost_sizes_end(&sizes);
    return status;
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
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT node.id FROM delegate CROSS JOIN node"
        " ON delegate_id = delegate.id WHERE delegate.graph_id IS NOT NULL",
        err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id <= model->n_nodes)
            costs->nodes[id - 1].counts = false;
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
        costs->nodes[i] = (struct dg_cost){computes(model, &model->nodes[i]), -1, -1};
    return leave_out_lowered(costs, model, store, err);
}

static void add_item(struct dg_cost_tables *tables, struct dg_cost_result *result,
                     uint32_t value)
{
    int64_t size = value ? tables->values[value - 1].nbytes : -1;

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
        if (model->nodes[i].value <= tables->n_values)
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
    enum dg_status status = dg_cost_values_read(tables, store, err);

    tables->model = model;
    if (status)
        return status;
    find_rules(tables);
    find_results(tables);
    return DG_OK;
}

void dg_cost_tables_clear(struct dg_cost_tables *tables)
{
    free(tables->sizes);
    dg_arena_clear(&tables->memory);
    *tables = (struct dg_cost_tables){0};
}
