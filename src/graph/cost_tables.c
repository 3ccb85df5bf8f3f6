/* Reading what costs depend on: operators, values, nodes. */
#include <ctype.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "graph/cost_parts.h"
#include "graph/cost_sizes.h"

/* Rows of a table whose ids must be 1 to n: they become indexes of arrays. */
enum dg_status dg_cost_count_rows(struct dg_store *store, const char *sql, int64_t *n,
                                  struct dg_error *err)
{
    int64_t largest = 0;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, sql, err);

    if (status)
        return status;
    if (dg_rows_next(&rows)) {
        *n = dg_rows_int(&rows, 0);
        largest = dg_rows_int(&rows, 1);
    }
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status && (largest != *n || *n >= UINT32_MAX))
        return dg_fail(err, DG_ERR_FORMAT,
                       "store: ids of a table are not 1, 2, 3... without a gap (%s)",
                       sql);
    return status;
}

static enum dg_status read_ops(struct dg_cost_tables *tables, struct dg_store *store,
                               struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_cost_count_rows(
        store, "SELECT count(*), max(id) FROM op", &tables->n_ops, err);

    if (status)
        return status;
    tables->ops =
        dg_alloc(&tables->memory, (size_t)tables->n_ops, sizeof(*tables->ops));
    tables->rules =
        dg_alloc(&tables->memory, (size_t)tables->n_ops, sizeof(*tables->rules));
    status = dg_rows_open(&rows, store, "SELECT name, flags FROM op ORDER BY id", err);
    if (status)
        return status;
    for (int64_t i = 0; i < tables->n_ops && dg_rows_next(&rows); i++) {
        struct dg_text name = dg_rows_slice(&rows, 0);

        tables->ops[i] = (struct dg_text){dg_copy(&tables->memory, name), name.size};
        tables->rules[i] = dg_cost_rule(name, (unsigned)dg_rows_int(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, err);
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

static enum dg_status read_values(struct dg_cost_tables *tables, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_cost_sizes sizes = {0};
    struct dg_rows rows;
    enum dg_status status = dg_cost_count_rows(
        store, "SELECT count(*), max(id) FROM value", &tables->n_values, err);

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

/* A call of a delegate whose graph is stored computes what the nodes of that do. */
static const char nodes_sql[] =
    "SELECT node.kind IN ('call_function', 'kernel_call', 'delegate_call')"
    "  AND coalesce(op.name, '') <> '_operator.getitem' AND delegate.graph_id IS NULL,"
    " op_id, value_id, node.kind <> 'call_function' FROM node"
    " LEFT JOIN op ON op.id = op_id LEFT JOIN delegate ON delegate.id = delegate_id"
    " ORDER BY node.id";

static int64_t row_up_to(const struct dg_rows *rows, int column, int64_t most)
{
    int64_t row = dg_rows_int(rows, column);

    return row >= 1 && row <= most ? row : 0;
}

enum dg_status dg_cost_nodes_read(struct dg_cost_tables *tables, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_cost_count_rows(
        store, "SELECT count(*), max(id) FROM node", &tables->n_nodes, err);

    if (status)
        return status;
    tables->nodes =
        dg_alloc(&tables->memory, (size_t)tables->n_nodes, sizeof(*tables->nodes));
    status = dg_rows_open(&rows, store, nodes_sql, err);
    if (status)
        return status;
    for (int64_t i = 0; i < tables->n_nodes && dg_rows_next(&rows); i++)
        tables->nodes[i] = (struct dg_cost_node){
            .counts = dg_rows_int(&rows, 0),
            .is_instruction = dg_rows_int(&rows, 3),
            .op = row_up_to(&rows, 1, tables->n_ops),
            .result = row_up_to(&rows, 2, tables->n_values),
        };
    return dg_rows_close(&rows, DG_OK, err);
}

static void add_item(struct dg_cost_tables *tables, int64_t producer, int64_t value)
{
    struct dg_cost_node *node = &tables->nodes[producer - 1];
    int64_t size = value ? tables->values[value - 1].nbytes : -1;

    if (!node->result)
        node->result = value;
    else if (size < 0 || node->more < 0 || node->more > INT64_MAX - size)
        node->more = -1;
    else
        node->more += size;
}

/* The results of a call that gives a tuple are those of its getitem nodes. */
static enum dg_status read_items(struct dg_cost_tables *tables, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store,
                     "SELECT src, node.value_id FROM node JOIN edge ON dst = node.id"
                     " WHERE pos = 0 AND op_id = (SELECT id FROM op"
                     "  WHERE name = '_operator.getitem') ORDER BY node.id",
                     err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        int64_t producer = row_up_to(&rows, 0, tables->n_nodes);

        if (producer && tables->nodes[producer - 1].counts)
            add_item(tables, producer, row_up_to(&rows, 1, tables->n_values));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_cost_tables_read(struct dg_cost_tables *tables,
                                   struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = read_ops(tables, store, err);

    if (!status)
        status = read_values(tables, store, err);
    if (!status)
        status = dg_cost_nodes_read(tables, store, err);
    return status ? status : read_items(tables, store, err);
}

void dg_cost_tables_clear(struct dg_cost_tables *tables)
{
    free(tables->sizes);
    dg_arena_clear(&tables->memory);
    *tables = (struct dg_cost_tables){0};
}
