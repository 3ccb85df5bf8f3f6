/* The nodes of a lowered graph as device propagation sees them. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/text.h"
#include "graph/cost_parts.h"
#include "graph/device_sql.h"
#include "graph/devices_parts.h"

enum {
    COLUMN_KIND,
    COLUMN_OP,
    COLUMN_NAME,
    COLUMN_VALUE,
    COLUMN_DELEGATE,
    COLUMN_ASKS,
    COLUMN_DEVICE,
    COLUMN_ITEM,
    COLUMN_OUTPUTS,
};

/* clang-format off */
static const char nodes_sql[] =
    "WITH " DG_SQL_WANTED ", outputs AS MATERIALIZED (SELECT graph_id, count(*) AS n"
    "  FROM signature WHERE direction = 'output' GROUP BY graph_id)"
    "SELECT node.kind, coalesce(op.name, ''), node.name, coalesce(node.value_id, 0),"
    "   node.delegate_id, wanted.id IS NOT NULL, wanted.device,"
    "   CASE WHEN op.name = '_operator.getitem' AND json_valid(node.args)"
    "    THEN json_extract(node.args, '$[1].int') END, outputs.n"
    "  FROM node LEFT JOIN op ON op.id = op_id"
    "  LEFT JOIN wanted ON wanted.id = delegate_id"
    "  LEFT JOIN delegate ON delegate.id = delegate_id"
    "  LEFT JOIN outputs ON outputs.graph_id = delegate.graph_id"
    " WHERE node.graph_id = ?1 ORDER BY node.id";
/* clang-format on */

/* Results that are written back, and the inputs they are written to. */
static const char mutations_sql[] =
    "SELECT o.value_id, i.value_id FROM signature AS o JOIN signature AS i"
    "  ON i.graph_id = o.graph_id AND i.direction = 'input' AND i.target = o.target"
    " WHERE o.graph_id = ?1 AND o.direction = 'output' AND o.spec = 'buffer_mutation'"
    "   AND i.spec = 'buffer'"
    " UNION ALL"
    " SELECT o.value_id, i.value_id FROM signature AS o JOIN signature AS i"
    "  ON i.graph_id = o.graph_id AND i.direction = 'input' AND i.name = o.target"
    " WHERE o.graph_id = ?1 AND o.direction = 'output'"
    "   AND o.spec = 'user_input_mutation'";

static uint32_t device_named(struct dg_devices *devices, struct dg_text name)
{
    for (uint32_t i = 0; i < devices->n_names; i++) {
        if (dg_text_equal(devices->names[i], name))
            return i;
    }
    devices->names = dg_grow(devices->names, devices->n_names, sizeof(*devices->names));
    devices->names[devices->n_names] =
        (struct dg_text){dg_copy(&devices->memory, name), name.size};
    return (uint32_t)devices->n_names++;
}

static void fail(struct dg_devices *devices, struct dg_text failure)
{
    if (!devices->failure.data)
        devices->failure = failure;
}

static void read_call(struct dg_devices *devices, struct dg_device_node *node,
                      const struct dg_rows *rows, int64_t *n_outputs)
{
    node->is_call = true;
    *n_outputs = dg_rows_int_or(rows, COLUMN_OUTPUTS, INT64_MAX);
    if (dg_rows_null(rows, COLUMN_DELEGATE))
        fail(devices, dg_format(&devices->memory,
                                "%.*s: its first argument is no lowered module",
                                (int)node->name.size, node->name.data));
    else if (dg_rows_int(rows, COLUMN_ASKS) && dg_rows_null(rows, COLUMN_DEVICE))
        fail(devices, dg_format(&devices->memory,
                                "%.*s: its target_device is no device, see delegraph"
                                " check --select device/spec-parse",
                                (int)node->name.size, node->name.data));
    if (dg_rows_null(rows, COLUMN_DEVICE))
        return;
    node->role = DG_DEVICE_CALL;
    node->device = device_named(devices, dg_rows_slice(rows, COLUMN_DEVICE));
}

/* A getitem comes after its call. */
static void read_item(struct dg_devices *devices, uint32_t i, int64_t item,
                      const int64_t *n_outputs)
{
    const struct dg_graph *graph = &devices->graph;
    uint32_t input = graph->input_of[i];
    uint32_t call;

    if (input == graph->input_of[i + 1])
        return;
    call = graph->inputs[input];
    if (call < i && devices->nodes[call].role == DG_DEVICE_CALL &&
        item < n_outputs[call])
        devices->nodes[i].role = DG_DEVICE_ITEM;
}

static void read_node(struct dg_devices *devices, uint32_t i, int64_t *n_outputs,
                      const struct dg_rows *rows)
{
    struct dg_device_node *node = &devices->nodes[i];
    const char *kind = dg_rows_text(rows, COLUMN_KIND);
    struct dg_text name = dg_rows_slice(rows, COLUMN_NAME);

    node->name = (struct dg_text){dg_copy(&devices->memory, name), name.size};
    node->value = dg_rows_int(rows, COLUMN_VALUE);
    if (!strcmp(kind, "placeholder"))
        node->role = DG_DEVICE_INPUT;
    else if (!strcmp(kind, "output"))
        node->role = DG_DEVICE_OUTPUT;
    else if (strcmp(kind, "call_function") != 0)
        return;
    else if (!strcmp(dg_rows_text(rows, COLUMN_OP),
                     "higher_order::executorch_call_delegate"))
        read_call(devices, node, rows, &n_outputs[i]);
    else if (!dg_rows_null(rows, COLUMN_ITEM))
        read_item(devices, i, dg_rows_int(rows, COLUMN_ITEM), n_outputs);
}

static enum dg_status read_nodes(struct dg_devices *devices, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows;
    int64_t *n_outputs = calloc(devices->graph.n_nodes + (size_t)1, sizeof(*n_outputs));
    enum dg_status status = dg_rows_open(&rows, store, nodes_sql, err);

    if (!n_outputs)
        dg_out_of_memory();
    if (!status) {
        dg_rows_bind_int(&rows, 1, devices->graph.id);
        for (uint32_t i = 0; i < devices->graph.n_nodes && dg_rows_next(&rows); i++)
            read_node(devices, i, n_outputs, &rows);
        status = dg_rows_close(&rows, DG_OK, err);
    }
    free(n_outputs);
    return status;
}

/* Sizes; symbolic ones by their upper bounds. */
static enum dg_status read_sizes(struct dg_devices *devices, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_cost_values values = {0};
    enum dg_status status = dg_cost_values_read(&values, store, err);

    for (uint32_t i = 0; i < devices->graph.n_nodes && !status; i++) {
        struct dg_device_node *node = &devices->nodes[i];
        const struct dg_cost_type *type = dg_cost_type(&values, node->value);

        node->is_tensor = type && type->is_tensor;
        node->nbytes = dg_cost_nbytes(&values, node->value);
    }
    dg_cost_values_clear(&values);
    return status;
}

static int compare_values(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;

    return *left < *right ? -1 : *left > *right;
}

static enum dg_status read_mutations(struct dg_devices *devices, struct dg_store *store,
                                     struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, mutations_sql, err);
    int64_t *values = NULL;
    size_t n = 0;

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, devices->graph.id);
    while (dg_rows_next(&rows)) {
        *DG_APPEND(values, n) = dg_rows_int_or(&rows, 0, 0);
        *DG_APPEND(values, n) = dg_rows_int_or(&rows, 1, 0);
    }
    status = dg_rows_close(&rows, DG_OK, err);
    dg_sort(values, n, sizeof(*values), compare_values);
    for (uint32_t i = 0; i < devices->graph.n_nodes && n; i++) {
        struct dg_device_node *node = &devices->nodes[i];

        node->is_mutated = node->value && dg_search(&node->value, values, n,
                                                    sizeof(*values), compare_values);
    }
    free(values);
    return status;
}

enum dg_status dg_devices_read(struct dg_devices *devices, struct dg_store *store,
                               struct dg_error *err)
{
    enum dg_status status;

    device_named(devices, dg_text("cpu"));
    devices->nodes = dg_alloc(&devices->memory, devices->graph.n_nodes + (size_t)1,
                              sizeof(*devices->nodes));
    status = read_nodes(devices, store, err);
    if (!status)
        status = read_sizes(devices, store, err);
    return status ? status : read_mutations(devices, store, err);
}
