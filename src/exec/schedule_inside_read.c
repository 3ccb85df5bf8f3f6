/* The graph of an XNNPACK delegate from its rows: nodes and their operands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/schedule_inside_parts.h"
#include "formats/blob.h"
#include "graph/xnnpack_rows.h"

struct dg_arena *dg_inside_memory(const struct dg_inside_reading *reading)
{
    return &reading->maker->schedule->memory;
}

void dg_inside_refuse(struct dg_inside_reading *reading, const char *why)
{
    if (!reading->inside->why)
        reading->inside->why = why;
}

void *dg_inside_moved(struct dg_inside_reading *reading, void *items, size_t size)
{
    void *copy = dg_alloc(dg_inside_memory(reading), size, 1);

    if (size)
        memcpy(copy, items, size);
    free(items);
    return copy;
}

struct dg_rows dg_inside_rows(struct dg_inside_reading *reading, const char *sql)
{
    return dg_rows_of(reading->maker->store, sql, reading->inside->graph_id,
                      reading->maker->err);
}

static const char nodes_sql[] =
    "SELECT n.id, n.name, iif(n.op IN (" DG_XNN_CLAMPED_SQL "), n.output_min, NULL),"
    "       iif(n.op IN (" DG_XNN_CLAMPED_SQL "), n.output_max, NULL),"
    "       coalesce(json_extract(n.args, '$.alpha'),"
    "                json_extract(n.args, '$.negative_slope'),"
    "                json_extract(n.args, '$.padding_value'), 0), "
    "debug_handle, " DG_XNN_NODE_SQL
    "  FROM delegate_node AS n WHERE n.graph_id = ?1 ORDER BY n.id";

enum { ID, NAME, LEAST, MOST, REAL, HANDLE, NODE };

enum { NO_HANDLE = 65535 }; /* as ExecuTorch says it of nodes that its passes made */

static void read_node(struct dg_inside_reading *reading, const struct dg_rows *row)
{
    struct dg_inside *inside = reading->inside;
    struct dg_inside_node *node = DG_APPEND(inside->nodes, inside->n_nodes);

    node->id = dg_rows_int(row, ID);
    node->name = dg_rows_keep(dg_inside_memory(reading), row, NAME).data;
    node->step.node = dg_xnn_node_of(row, NODE);
    node->step.node.op = dg_rows_keep(dg_inside_memory(reading), row, NODE);
    node->op =
        dg_format(dg_inside_memory(reading), "xnnpack::%s", node->step.node.op.data)
            .data;
    node->step.least = dg_rows_real(row, LEAST, -INFINITY);
    node->step.most = dg_rows_real(row, MOST, INFINITY);
    node->step.real = dg_rows_real(row, REAL, 0);
    if (dg_rows_int(row, HANDLE) > 0 && dg_rows_int(row, HANDLE) != NO_HANDLE)
        node->handle = (uint32_t)dg_rows_int(row, HANDLE);
    node->step.kernel = dg_xnn_kernel(node->step.node.op);
}

static enum dg_status read_nodes(struct dg_inside_reading *reading)
{
    struct dg_rows rows = dg_inside_rows(reading, nodes_sql);

    while (dg_rows_next(&rows))
        read_node(reading, &rows);
    reading->inside->nodes =
        dg_inside_moved(reading, reading->inside->nodes,
                        reading->inside->n_nodes * sizeof(struct dg_inside_node));
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

static const char operands_sql[] =
    "SELECT o.node_id, o.value_id, o.access = 'write'"
    "  FROM delegate_node AS n JOIN delegate_operand AS o ON o.node_id = n.id"
    " WHERE n.graph_id = ?1 ORDER BY n.id, o.pos";

static void add_operand(struct dg_inside_reading *reading, struct dg_inside_node *node,
                        uint32_t value, bool writes)
{
    struct dg_inside_value *operand = &reading->inside->values[value];
    struct dg_xnn_step *step = &node->step;

    if (!writes && step->node.n_inputs < DG_XNN_INPUTS) {
        operand->is_read = true;
        node->inputs[step->node.n_inputs] = value;
        step->inputs[step->node.n_inputs++] = &operand->operand;
    } else if (writes && step->n_outputs < 2) {
        if (operand->writer != DG_INSIDE_NONE || operand->constant >= 0 ||
            operand->flags & DG_BLOB_INPUT)
            dg_inside_refuse(reading, "a value of its graph is written twice");
        operand->writer = (uint32_t)(node - reading->inside->nodes);
        node->outputs[step->n_outputs] = value;
        step->outputs[step->n_outputs++] = &operand->operand;
    }
}

/* Nodes and their operands are in the order of the same numbers. */
static enum dg_status read_operands(struct dg_inside_reading *reading)
{
    struct dg_rows rows = dg_inside_rows(reading, operands_sql);
    struct dg_inside *inside = reading->inside;
    uint32_t at = 0;

    while (dg_rows_next(&rows)) {
        uint32_t value = dg_inside_number(reading, dg_rows_int_or(&rows, 1, -1));

        while (at < inside->n_nodes && inside->nodes[at].id != dg_rows_int(&rows, 0))
            at++;
        if (value == DG_INSIDE_NONE)
            dg_inside_refuse(reading,
                             "a node of its graph names a value that is not there");
        else if (at < inside->n_nodes)
            add_operand(reading, &inside->nodes[at], value, dg_rows_int(&rows, 2) != 0);
    }
    return dg_rows_close(&rows, DG_OK, reading->maker->err);
}

/* What is read has to come from somewhere. */
static void check_sources(struct dg_inside_reading *reading)
{
    const struct dg_inside *inside = reading->inside;

    for (uint32_t i = 0; i < inside->n_values && !inside->why; i++) {
        const struct dg_inside_value *value = &inside->values[i];

        if (!dg_inside_is_made(value) && value->constant < 0 &&
            !(value->flags & DG_BLOB_INPUT) &&
            (value->flags & DG_BLOB_OUTPUT || value->is_read))
            dg_inside_refuse(reading, "a value of its graph is written by no node");
    }
}

static void give_pixels_scales(const struct dg_inside *inside)
{
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        const struct dg_inside_node *node = &inside->nodes[i];

        if (node->step.node.n_inputs && dg_xnn_is_pointwise(&node->step.node))
            inside->values[node->inputs[0]].operand.n_inner = 1;
    }
}

static enum dg_status read_all(struct dg_inside_reading *reading)
{
    enum dg_status status = dg_inside_read_values(reading);

    if (!status)
        status = read_nodes(reading);
    if (!status)
        status = read_operands(reading);
    if (status)
        return status;
    check_sources(reading);
    give_pixels_scales(reading->inside);
    dg_inside_order(reading);
    status = dg_inside_merge(reading);
    return status;
}

enum dg_status dg_inside_read(struct dg_inside **found, struct dg_pte_maker *maker,
                              int64_t graph_id)
{
    uint32_t number = dg_int_set_add(&maker->inside_ids, (uint64_t)graph_id);
    struct dg_inside_reading reading = {.maker = maker};
    enum dg_status status = DG_OK;

    if (number == maker->n_insides) {
        reading.inside = dg_alloc(&maker->schedule->memory, 1, sizeof(*reading.inside));
        reading.inside->graph_id = graph_id;
        *DG_APPEND(maker->insides, maker->n_insides) = reading.inside;
        status = read_all(&reading);
    }
    *found = maker->insides[number];
    return status;
}

void dg_inside_drop(struct dg_pte_maker *maker)
{
    for (size_t i = 0; i < maker->n_insides; i++) {
        for (uint32_t k = 0; k < maker->insides[i]->n_values; k++)
            dg_arg_drop(&maker->insides[i]->values[k].initial);
    }
    dg_int_set_clear(&maker->inside_ids);
    free(maker->insides);
}
