/* What the graphs of delegates cost: the operators that their nodes stand for, by the same
 * formulas as those. */
#include "graph/cost_inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/ops.h"
#include "base/xnnpack_ops.h"
#include "graph/cost_formula.h"
#include "graph/xnnpack_rows.h"

enum { IMAGE = 4 };

/* A node whose operands come row by row. */
struct node {
    int64_t id, graph; /* rows; 0: none */
    struct dg_text op;
    int64_t window[2];
    struct dg_xnn_shape inputs[DG_CALL_OPERANDS], result;
    size_t n_inputs;
    int64_t values[DG_XNN_INPUTS + 2], bytes; /* of distinct values */
    size_t n_values;
};

struct summing {
    struct dg_inside_cost *costs;
    struct dg_arena *memory;
    struct node node;
};

static const char operands_sql[] =
    "SELECT n.id, n.graph_id, n.op,"
    "       coalesce(json_extract(n.args, '$.pooling_height'), 0),"
    "       coalesce(json_extract(n.args, '$.pooling_width'), 0),"
    "       v.shape, v.nbytes, o.access = 'write', v.id"
    "  FROM delegate_node AS n JOIN delegate_operand AS o ON o.node_id = n.id"
    "  LEFT JOIN delegate_value AS v ON v.id = o.value_id ORDER BY n.id, o.pos";

enum { ID, GRAPH, OP, HEIGHT, WIDTH, SHAPE, NBYTES, WRITES, VALUE };

static void add(int64_t *sum, int64_t more)
{
    if (*sum < 0 || more < 0 || __builtin_add_overflow(*sum, more, sum))
        *sum = -1;
}

/* Images as ATen has them: NCHW. */
static void turn(struct dg_xnn_shape *shape)
{
    struct dg_xnn_shape image = *shape;

    if (shape->rank != IMAGE)
        return;
    shape->sizes[1] = image.sizes[3];
    shape->sizes[2] = image.sizes[1];
    shape->sizes[3] = image.sizes[2];
}

static bool is_of_images(struct dg_text op)
{
    static const char *const kinds[] = {"Conv2d", "DepthwiseConv2d", "ConvTranspose2d",
                                        "AvgPooling2d", "MaxPooling2d"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (dg_text_is(op, kinds[i]))
            return true;
    }
    return false;
}

/* The rule of the operator that the kind stands for first. */
static const struct dg_cost_rule *rule_of(struct dg_text kind)
{
    const struct dg_xnn_meaning *meaning = dg_xnn_meaning(kind);
    char name[64] = "aten::";
    size_t prefix = strlen(name), length;
    const struct dg_op *op;

    if (!meaning)
        return NULL;
    length = strcspn(meaning->ops + 1, " ");
    memcpy(name + prefix, meaning->ops + 1, length);
    name[prefix + length] = '\0';
    op = dg_op_find(name, prefix + length);
    return dg_cost_rule(dg_text(name), op ? op->flags : 0);
}

static struct dg_cost_shape seen(const struct dg_xnn_shape *shape)
{
    return (struct dg_cost_shape){shape->rank, shape->sizes};
}

static int64_t flops_of(struct node *node)
{
    struct dg_cost_call call = {.n_numbers = 2,
                                .numbers = {node->window[0], node->window[1]}};

    for (size_t i = 0; i < DG_CALL_OPERANDS; i++) {
        if (i >= node->n_inputs)
            node->inputs[i].rank = -1;
        if (is_of_images(node->op))
            turn(&node->inputs[i]);
        call.operands[i] = seen(&node->inputs[i]);
    }
    if (is_of_images(node->op))
        turn(&node->result);
    call.result = seen(&node->result);
    return dg_call_flops(rule_of(node->op), &call);
}

static void end_node(struct summing *summing)
{
    struct node *node = &summing->node;
    struct dg_inside_cost *cost = &summing->costs[node->graph];

    if (!node->id)
        return;
    cost->nodes++;
    add(&cost->flops, flops_of(node));
    add(&cost->bytes, node->bytes);
}

static void begin_node(struct summing *summing, const struct dg_rows *row)
{
    struct node *node = &summing->node;

    *node = (struct node){.id = dg_rows_int(row, ID), .graph = dg_rows_int(row, GRAPH)};
    node->op = dg_rows_keep(summing->memory, row, OP);
    node->window[0] = dg_rows_int(row, HEIGHT);
    node->window[1] = dg_rows_int(row, WIDTH);
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

enum dg_status dg_inside_costs(struct dg_inside_cost **costs, size_t *n,
                               struct dg_arena *memory, struct dg_store *store,
                               struct dg_error *err)
{
    struct summing summing = {.memory = memory};
    struct dg_rows rows;
    int64_t n_graphs;
    enum dg_status status =
        dg_store_int(store, "SELECT max(id) FROM delegate_graph", 0, &n_graphs, err);

    *n = status ? 0 : (size_t)n_graphs;
    *costs = summing.costs = dg_alloc(memory, *n + 1, sizeof(**costs));
    if (status || !*n)
        return status;
    rows = dg_rows_all(store, operands_sql, err);
    while (dg_rows_next(&rows)) {
        if (dg_rows_int(&rows, ID) != summing.node.id) {
            end_node(&summing);
            begin_node(&summing, &rows);
        }
        add_operand(&summing.node, &rows);
    }
    end_node(&summing);
    return dg_rows_close(&rows, DG_OK, err);
}
