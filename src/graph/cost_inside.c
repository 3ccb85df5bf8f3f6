/* What the graphs of delegates cost: the operators that their nodes stand for, by the
 * same formulas as those. */
#include "graph/cost_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ops.h"
#include "base/xnnpack_ops.h"
#include "graph/cost_parts.h"
#include "graph/xnnpack_rows.h"
#include "store/scan.h"

enum { LONGEST_OPERATOR = 160 };

/* A node whose operands come row by row. */
struct node {
    int64_t id, graph; /* rows; 0: none */
    struct dg_text format, op;
    struct dg_xnn_shape inputs[DG_CALL_OPERANDS], result;
    size_t n_inputs;
    int64_t values[DG_XNN_INPUTS + 2], bytes; /* of distinct values */
    size_t n_values;
};

struct value {
    struct dg_xnn_shape shape;
    int64_t nbytes; /* -1: not known */
};

/* Items of arrays are at their rows; row 0 is none. */
struct summing {
    struct dg_inside_cost *costs;
    struct dg_text *formats; /* of graphs */
    struct value *values;
    int64_t n_graphs, n_values;
    struct dg_arena *memory;
    struct dg_store *store;
    struct dg_cost_arguments arguments;
    struct dg_rows *written; /* an INSERT of each node; NULL: they are only summed */
    struct node node;
};

static void add(int64_t *sum, int64_t more)
{
    if (*sum < 0 || more < 0 || __builtin_add_overflow(*sum, more, sum))
        *sum = -1;
}

/* Images and filters as ATen has them: NCHW. */
static void turn(struct dg_xnn_shape *shape)
{
    struct dg_xnn_shape image = *shape;

    for (int64_t i = 2; i < shape->rank; i++) {
        shape->sizes[1] = image.sizes[shape->rank - 1];
        shape->sizes[i] = image.sizes[i - 1];
    }
}

static bool is_of_images(struct dg_text op)
{
    static const char *const kinds[] = {
        "Conv2d",     "DepthwiseConv2d", "ConvTranspose2d",  "AvgPooling2d",
        "CONV2D",     "CONV3D",          "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D",
        "AVG_POOL2D", "MAX_POOL2D",      "MaxPooling2d"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (dg_text_is(op, kinds[i]))
            return true;
    }
    return false;
}

/* As PyTorch names operators: "aten::add.Tensor", "tosa::CONV2D". */
static struct dg_text operator_of(const struct node *node, char name[LONGEST_OPERATOR])
{
    const struct dg_xnn_meaning *meaning =
        dg_text_is(node->format, "xnnpack") ? dg_xnn_meaning(node->op) : NULL;
    const char *dot = node->op.size ? memchr(node->op.data, '.', node->op.size) : NULL;
    struct dg_text space = dg_text("aten"), rest = node->op;

    if (meaning) { /* the operator that it stands for first */
        rest = (struct dg_text){meaning->ops + 1, strcspn(meaning->ops + 1, " ")};
    } else if (node->op.size && memchr(node->op.data, ':', node->op.size)) {
        return node->op;
    } else if (dot) {
        space.data = node->op.data;
        space.size = (size_t)(dot - node->op.data);
        rest.data = dot + 1;
        rest.size = node->op.size - space.size - 1;
    } else {
        space = node->format;
    }
    if (space.size + rest.size + 3 > LONGEST_OPERATOR)
        return (struct dg_text){0};
    snprintf(name, LONGEST_OPERATOR, "%.*s::%.*s", (int)space.size, space.data,
             (int)rest.size, rest.data);
    return dg_text(name);
}

static struct dg_cost_shape seen(const struct dg_xnn_shape *shape)
{
    return (struct dg_cost_shape){shape->rank, shape->sizes};
}

static void take_shapes(struct node *node, struct dg_cost_call *call)
{
    for (size_t i = 0; i < DG_CALL_OPERANDS; i++) {
        if (i >= node->n_inputs)
            node->inputs[i].rank = -1;
        if (is_of_images(node->op))
            turn(&node->inputs[i]);
        call->operands[i] = seen(&node->inputs[i]);
    }
    if (is_of_images(node->op))
        turn(&node->result);
    call->result = seen(&node->result);
}

static enum dg_status flops_of(int64_t *flops, struct summing *summing,
                               struct dg_error *err)
{
    struct node *node = &summing->node;
    char name[LONGEST_OPERATOR];
    struct dg_cost_place place = {node->id, DG_COST_INSIDE, operator_of(node, name)};
    const struct dg_op *op =
        place.op.size ? dg_op_find(place.op.data, place.op.size) : NULL;
    const struct dg_cost_rule *rule =
        place.op.size ? dg_cost_rule(place.op, op ? op->flags : 0) : NULL;
    struct dg_cost_call call = {0};
    enum dg_status status = DG_OK;

    take_shapes(node, &call);
    if (rule && rule->argument)
        status = dg_cost_argument(&summing->arguments, &place,
                                  dg_text_is(node->format, "xnnpack")
                                      ? "pooling_height,pooling_width"
                                      : rule->argument,
                                  &call, err);
    *flops = dg_call_flops(rule, &call);
    return status;
}

static enum dg_status write_node(struct summing *summing, int64_t flops,
                                 struct dg_error *err)
{
    const struct node *node = &summing->node;

    dg_rows_bind_int(summing->written, 1, node->id);
    if (flops >= 0)
        dg_rows_bind_int(summing->written, 2, flops);
    if (node->bytes >= 0)
        dg_rows_bind_int(summing->written, 3, node->bytes);
    dg_rows_next(summing->written);
    return dg_rows_again(summing->written, err);
}

static enum dg_status end_node(struct summing *summing, struct dg_error *err)
{
    struct node *node = &summing->node;
    struct dg_inside_cost *cost = &summing->costs[node->graph];
    int64_t flops;
    enum dg_status status;

    if (!node->id)
        return DG_OK;
    status = flops_of(&flops, summing, err);
    cost->nodes++;
    add(&cost->flops, flops);
    add(&cost->bytes, node->bytes);
    return status || !summing->written ? status : write_node(summing, flops, err);
}

static void begin_node(struct summing *summing, const struct dg_scan *row)
{
    struct node *node = &summing->node;
    int64_t graph = dg_scan_int(row, 1);

    *node = (struct node){.id = dg_scan_int(row, 0)};
    if (graph > 0 && graph <= summing->n_graphs)
        node->graph = graph;
    node->format = summing->formats[node->graph];
    node->op = dg_scan_keep(summing->memory, row, 2);
    node->result.rank = -1;
}

static void add_traffic(struct node *node, int64_t value, int64_t nbytes)
{
    for (size_t i = 0; i < node->n_values; i++) {
        if (node->values[i] == value)
            return;
    }
    if (node->n_values < sizeof(node->values) / sizeof(*node->values))
        node->values[node->n_values++] = value;
    add(&node->bytes, nbytes);
}

static void add_operand(struct summing *summing, const struct dg_scan *row)
{
    struct node *node = &summing->node;
    int64_t number = dg_scan_int(row, 1);
    const struct value *value =
        &summing->values[number > 0 && number <= summing->n_values ? number : 0];
    bool writes = dg_text_is(dg_scan_text(row, 2), "write");

    add_traffic(node, value - summing->values, value->nbytes);
    if (!writes && node->n_inputs < DG_CALL_OPERANDS)
        node->inputs[node->n_inputs++] = value->shape;
    else if (writes && node->result.rank < 0)
        node->result = value->shape;
}

static enum dg_status read_graphs(struct summing *summing, struct dg_error *err)
{
    enum dg_status status =
        dg_scan_count(&summing->n_graphs, summing->store, "delegate_graph", err);
    struct dg_scan scan;

    if (status)
        summing->n_graphs = 0;
    summing->costs = dg_alloc(summing->memory, (size_t)summing->n_graphs + 1,
                              sizeof(*summing->costs));
    summing->formats = dg_alloc(summing->memory, (size_t)summing->n_graphs + 1,
                                sizeof(*summing->formats));
    if (!summing->n_graphs)
        return status;
    scan = dg_scan_all(summing->store, "delegate_graph", "id, format", "id", err);
    for (int64_t i = 1; i <= summing->n_graphs && dg_scan_next(&scan); i++)
        summing->formats[i] = dg_scan_keep(summing->memory, &scan, 1);
    return dg_scan_close(&scan, DG_OK, err);
}

static enum dg_status read_values(struct summing *summing, struct dg_error *err)
{
    enum dg_status status =
        dg_scan_count(&summing->n_values, summing->store, "delegate_value", err);
    struct dg_scan scan;

    if (status)
        return status;
    summing->values = dg_alloc(summing->memory, (size_t)summing->n_values + 1,
                               sizeof(*summing->values));
    summing->values[0] = (struct value){{.rank = -1}, -1};
    scan =
        dg_scan_all(summing->store, "delegate_value", "id, shape, nbytes", "id", err);
    for (int64_t i = 1; i <= summing->n_values && dg_scan_next(&scan); i++) {
        struct dg_text shape = dg_scan_text(&scan, 1);
        struct value *value = &summing->values[i];

        value->shape = dg_xnn_shape_said(shape.data);
        if (!shape.data)
            value->shape.rank = -1;
        value->nbytes = dg_scan_int_or(&scan, 2, -1);
    }
    return dg_scan_close(&scan, DG_OK, err);
}

/* Both in the order of nodes; those without operands cost nothing. */
static enum dg_status sum_nodes(struct summing *summing, struct dg_error *err)
{
    struct dg_scan nodes =
        dg_scan_all(summing->store, "delegate_node", "id, graph_id, op", "id", err);
    struct dg_scan operands =
        dg_scan_all(summing->store, "delegate_operand", "node_id, value_id, access",
                    "node_id, pos", err);
    enum dg_status status = DG_OK;
    int64_t at = 0; /* the row where `nodes` is */

    while (!status && dg_scan_next(&operands)) {
        int64_t node = dg_scan_int(&operands, 0);

        while (at < node && dg_scan_next(&nodes))
            at = dg_scan_int(&nodes, 0);
        if (at != node)
            continue;
        if (summing->node.id != node) {
            status = end_node(summing, err);
            begin_node(summing, &nodes);
        }
        add_operand(summing, &operands);
    }
    if (!status)
        status = end_node(summing, err);
    status = dg_scan_close(&operands, status, err);
    return dg_scan_close(&nodes, status, err);
}

static enum dg_status sum_all(struct dg_inside_cost **costs, size_t *n,
                              struct dg_arena *memory, struct dg_store *store,
                              struct dg_rows *written, struct dg_error *err)
{
    struct summing summing = {
        .memory = memory, .store = store, .arguments.store = store, .written = written};
    enum dg_status status = read_graphs(&summing, err);

    *n = (size_t)summing.n_graphs;
    *costs = summing.costs;
    if (status || !*n)
        return status;
    status = read_values(&summing, err);
    if (!status)
        status = sum_nodes(&summing, err);
    return dg_cost_arguments_end(&summing.arguments, status, err);
}

enum dg_status dg_inside_costs(struct dg_inside_cost **costs, size_t *n,
                               struct dg_arena *memory, struct dg_store *store,
                               struct dg_error *err)
{
    return sum_all(costs, n, memory, store, NULL, err);
}

enum dg_status dg_inside_costs_store(struct dg_store *store, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_inside_cost *costs;
    size_t n;
    struct dg_rows rows =
        dg_rows_all(store, "INSERT INTO delegate_cost VALUES (?1, ?2, ?3)", err);
    enum dg_status status = rows.failed;

    if (!status)
        status = sum_all(&costs, &n, &memory, store, &rows, err);
    dg_arena_clear(&memory);
    return dg_rows_close(&rows, status, err);
}
