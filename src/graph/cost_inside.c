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

struct summing {
    struct dg_inside_cost *costs;
    struct dg_arena *memory;
    struct dg_cost_arguments arguments;
    struct dg_rows *written; /* an INSERT of each node; NULL: they are only summed */
    struct node node;
};

static const char operands_sql[] =
    "SELECT n.id, n.graph_id, n.op, g.format, v.shape, v.nbytes, o.access = 'write',"
    "       v.id"
    "  FROM delegate_node AS n CROSS JOIN delegate_operand AS o ON o.node_id = n.id"
    "  JOIN delegate_graph AS g ON g.id = n.graph_id"
    "  LEFT JOIN delegate_value AS v ON v.id = o.value_id ORDER BY n.id, o.pos";

enum { ID, GRAPH, OP, FORMAT, SHAPE, NBYTES, WRITES, VALUE };

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

static void begin_node(struct summing *summing, const struct dg_rows *row)
{
    struct node *node = &summing->node;

    *node = (struct node){.id = dg_rows_int(row, ID), .graph = dg_rows_int(row, GRAPH)};
    node->op = dg_rows_keep(summing->memory, row, OP);
    node->format = dg_rows_keep(summing->memory, row, FORMAT);
    node->result.rank = -1;
}

static void add_traffic(struct node *node, const struct dg_rows *row)
{
    int64_t value = dg_rows_int(row, VALUE);

    for (size_t i = 0; i < node->n_values; i++) {
        if (node->values[i] == value)
            return;
    }
    if (node->n_values < sizeof(node->values) / sizeof(*node->values))
        node->values[node->n_values++] = value;
    add(&node->bytes, dg_rows_int_or(row, NBYTES, -1));
}

static void add_operand(struct node *node, const struct dg_rows *row)
{
    struct dg_xnn_shape shape = dg_xnn_shape_said(dg_rows_text(row, SHAPE));

    if (dg_rows_null(row, SHAPE))
        shape.rank = -1;
    add_traffic(node, row);
    if (!dg_rows_int(row, WRITES) && node->n_inputs < DG_CALL_OPERANDS)
        node->inputs[node->n_inputs++] = shape;
    else if (dg_rows_int(row, WRITES) && node->result.rank < 0)
        node->result = shape;
}

static enum dg_status sum_all(struct dg_inside_cost **costs, size_t *n,
                              struct dg_arena *memory, struct dg_store *store,
                              struct dg_rows *written, struct dg_error *err)
{
    struct summing summing = {
        .memory = memory, .arguments.store = store, .written = written};
    struct dg_rows rows;
    int64_t n_graphs;
    enum dg_status status =
        dg_store_int(store, "SELECT max(id) FROM delegate_graph", 0, &n_graphs, err);

    *n = status ? 0 : (size_t)n_graphs;
    *costs = summing.costs = dg_alloc(memory, *n + 1, sizeof(**costs));
    if (status || !*n)
        return status;
    rows = dg_rows_all(store, operands_sql, err);
    while (!status && dg_rows_next(&rows)) {
        if (dg_rows_int(&rows, ID) != summing.node.id) {
            status = end_node(&summing, err);
            begin_node(&summing, &rows);
        }
        add_operand(&summing.node, &rows);
    }
    if (!status)
        status = end_node(&summing, err);
    status = dg_cost_arguments_end(&summing.arguments, status, err);
    return dg_rows_close(&rows, status, err);
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
