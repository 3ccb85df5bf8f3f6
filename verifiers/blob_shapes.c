/* Shapes inside of delegates: what follows from those that a call passes. */
#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "graph/xnnpack_rows.h"
#include "verifiers/blob_parts.h"

struct value {
    struct dg_xnn_shape declared; /* in the blob */
    struct dg_xnn_shape passed; /* by the call that is looked at; rank -1: it is none */
    struct dg_xnn_shape shape;  /* when it runs */
    bool is_output;
    int64_t room;  /* bytes that the runtime takes for what is declared; 0: none, or not
                      known */
    bool by_image; /* quantized when it is known, with a scale for each image */
};

/* From so many bytes on no runtime makes room for more than there is: 32 bits of
 * address have none. */
#define TOO_MUCH ((int64_t)1 << 32)

struct walk {
    const struct dg_findings *found;
    struct dg_arena memory;
    struct value *values;
    bool *bounded;  /* by graph: some operand is */
    bool at_bounds; /* of the graph that is looked at: its sizes are the largest ones */
};

static const char values_sql[] =
    "SELECT id, shape, json_extract(quantization, '$.num_nonbatch_dims') = 3,"
    "   iif(flags & 3, 0, nbytes)"
    "  FROM delegate_value ORDER BY id";

static enum dg_status read_values(struct walk *walk, struct dg_error *err)
{
    struct dg_store *store = walk->found->store;
    struct dg_rows rows;
    int64_t n_values, n_graphs;
    enum dg_status status =
        dg_store_int(store, "SELECT max(id) FROM delegate_value", 0, &n_values, err);

    if (!status)
        status = dg_store_int(store, "SELECT max(id) FROM delegate_graph", 0, &n_graphs,
                              err);
    if (status)
        return status;
    walk->values = dg_alloc(&walk->memory, (size_t)n_values, sizeof(*walk->values));
    walk->bounded = dg_alloc(&walk->memory, (size_t)n_graphs + 1, sizeof(bool));
    rows = dg_rows_all(store, values_sql, err);
    while (dg_rows_next(&rows)) {
        struct value *value = &walk->values[dg_rows_int(&rows, 0) - 1];

        value->declared = value->shape = dg_xnn_shape_said(dg_rows_text(&rows, 1));
        value->passed.rank = -1;
        value->by_image = dg_rows_int(&rows, 2) != 0;
        value->room = dg_rows_int(&rows, 3);
    }
    return dg_rows_close(&rows, status, err);
}

/* The operands of the first call of each graph. */
static const char passed_sql[] =
    "WITH first AS (SELECT d.inside_id AS graph, min(n.id) AS node FROM delegate AS d"
    "  JOIN node AS n ON n.delegate_id = d.id AND n.kind = 'delegate_call'"
    "  WHERE d.inside_id IS NOT NULL GROUP BY d.inside_id)"
    "SELECT dv.id, v.shape, v.dim_order, dv.graph_id, v.dynamism IS NOT 'static',"
    "   dv.flags & 2 FROM first"
    " JOIN delegate_value AS dv ON dv.graph_id = first.graph AND dv.flags & 3"
    " JOIN operand AS o ON o.node_id = first.node AND o.pos = dv.external_id"
    " JOIN value AS v ON v.id = o.value_id AND v.shape IS NOT NULL";

static enum dg_status read_passed(struct walk *walk, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(walk->found->store, passed_sql, err);

    while (dg_rows_next(&rows)) {
        struct value *value = &walk->values[dg_rows_int(&rows, 0) - 1];

        value->passed = dg_xnn_shape_in_order(dg_xnn_shape_said(dg_rows_text(&rows, 1)),
                                              dg_rows_text(&rows, 2));
        value->is_output = dg_rows_int(&rows, 5);
        walk->bounded[dg_rows_int(&rows, 3)] |= dg_rows_int(&rows, 4);
        if (!value->is_output)
            value->shape = value->passed;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status find(struct walk *walk, struct dg_rows *node,
                           struct dg_text severity, struct dg_text text,
                           struct dg_error *err)
{
    struct dg_writer message = {0}, witness = {0};
    struct dg_json_writer json = {.out = &witness};
    struct dg_finding finding = {.method = dg_rows_int(node, 1),
                                 .severity = severity.data};
    enum dg_status status;

    dg_put_array(&json, NULL);
    dg_write_json(dg_put_raw(&json, NULL), dg_rows_slice(node, 3));
    dg_put_end(&json);
    dg_json_written(&json);
    dg_print(&message, "%s: %s: %s", dg_rows_text(node, 2), dg_rows_text(node, 3),
             walk->at_bounds ? "with the largest inputs " : "");
    dg_write_text(&message, text);
    finding.message = dg_written(&message);
    finding.witness = dg_written(&witness);
    status = dg_find(walk->found, &finding, err);
    dg_writer_clear(&message);
    dg_writer_clear(&witness);
    return status;
}

static bool is_same(const struct dg_xnn_shape *a, const struct dg_xnn_shape *b)
{
    return a->rank == b->rank &&
           !memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof(*a->sizes));
}

/* The writer says [1] of a tensor without dimensions, and of images that are quantized
 * when they are known the order of dimensions that they had in PyTorch. */
static bool is_as_declared(const struct value *value)
{
    struct dg_xnn_shape images = dg_xnn_shape_in_order(value->declared, "[0,2,3,1]");

    return is_same(&value->shape, &value->declared) ||
           (!value->shape.rank && value->declared.rank == 1 &&
            value->declared.sizes[0] == 1) ||
           (value->by_image && is_same(&value->shape, &images));
}

/* Whether more is declared: the runtime makes room for that, and touches it. */
static bool is_more(const struct dg_xnn_shape *declared,
                    const struct dg_xnn_shape *shape)
{
    double ratio = 1;

    for (int i = 0; i < declared->rank; i++)
        ratio *= (double)declared->sizes[i] / (double)shape->sizes[i];
    return declared->rank != shape->rank || ratio > 1;
}

/* Bounds of several sizes need not be reached together: less than the largest of one
 * may be declared. */
static bool may_be(const struct walk *walk, const struct value *value)
{
    return is_as_declared(value) ||
           (walk->at_bounds && !is_more(&value->declared, &value->shape));
}

static bool is_too_much(const struct value *value)
{
    return value->room >= TOO_MUCH && is_more(&value->declared, &value->shape);
}

static enum dg_status check_result(struct walk *walk, struct dg_rows *node,
                                   const struct value *value, struct dg_error *err)
{
    struct dg_writer text = {0};
    bool fits = value->passed.rank < 0 || !value->is_output || walk->at_bounds ||
                is_same(&value->shape, &value->passed);
    bool runs = fits && !is_too_much(value);
    enum dg_status status;

    if (fits && may_be(walk, value))
        return DG_OK;
    dg_print(&text, "its result is ");
    dg_xnn_print_shape(&text, &value->shape);
    dg_print(&text, fits ? ", the blob says " : ", and the call takes ");
    dg_xnn_print_shape(&text, fits ? &value->declared : &value->passed);
    if (fits && !runs)
        dg_print(&text, ", and the runtime makes room for %" PRId64 " bytes",
                 value->room);
    status =
        find(walk, node, dg_text(runs ? "warning" : "error"), dg_written(&text), err);
    dg_writer_clear(&text);
    return status;
}

/* Where the columns of nodes begin. */
enum { FIRST_COLUMN = 5 };

static const char nodes_sql[] =
    "SELECT n.id, g.method_id, g.path, n.name, g.id, " DG_XNN_NODE_SQL
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = n.graph_id"
    " AND g.format = 'xnnpack'"
    " ORDER BY n.id";

static const char operands_sql[] = "SELECT value_id, access = 'write'"
                                   "  FROM delegate_operand WHERE node_id = ?1"
                                   " AND value_id IS NOT NULL ORDER BY pos";

/* It pads as many dimensions as the blob says that its input has (XNNPACK's
 * xnn_define_static_constant_pad()). */
static bool pads_all(const struct dg_xnn_node *node, const struct value *input,
                     struct dg_writer *why)
{
    if (!dg_text_is(node->op, "StaticConstantPad") || !input ||
        input->declared.rank == input->shape.rank)
        return true;
    dg_print(why, "its input is ");
    dg_xnn_print_shape(why, &input->shape);
    dg_print(why, ", the blob says ");
    dg_xnn_print_shape(why, &input->declared);
    dg_print(why, ", and it pads no other dimensions");
    return false;
}

/* Bounds of several sizes need not be reached together, but an order of dimensions is
 * one whatever their sizes are. */
static struct dg_text severity_of(const struct walk *walk,
                                  const struct dg_xnn_node *node)
{
    return dg_text(walk->at_bounds && !dg_text_is(node->op, "StaticTranspose")
                       ? "warning"
                       : "error");
}

static enum dg_status look(struct walk *walk, struct dg_rows *row,
                           struct dg_rows *operands, struct dg_error *err)
{
    struct dg_xnn_node node = dg_xnn_node_of(row, FIRST_COLUMN);
    struct value *result = NULL, *input = NULL;
    struct dg_writer why = {0};
    struct dg_xnn_shape shape;
    enum dg_status status = DG_OK;

    dg_rows_bind_int(operands, 1, dg_rows_int(row, 0));
    while (dg_rows_next(operands)) {
        struct value *value = &walk->values[dg_rows_int(operands, 0) - 1];

        if (!dg_rows_int(operands, 1))
            input = input ? input : value;
        if (!dg_rows_int(operands, 1) && node.n_inputs < DG_XNN_INPUTS)
            node.inputs[node.n_inputs++] = value->shape;
        else if (dg_rows_int(operands, 1) && !result)
            result = value;
    }
    if (!dg_xnn_infer(&shape, &node, &why) || !pads_all(&node, input, &why)) {
        status = find(walk, row, severity_of(walk, &node), dg_written(&why), err);
    } else if (result && shape.rank >= 0) {
        result->shape = shape;
        status = check_result(walk, row, result, err);
    }
    dg_writer_clear(&why);
    return dg_rows_again(operands, err) ? err->status : status;
}

static enum dg_status look_at_nodes(struct walk *walk, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(walk->found->store, nodes_sql, err), operands;
    enum dg_status status =
        dg_rows_open(&operands, walk->found->store, operands_sql, err);

    while (!status && dg_rows_next(&rows)) {
        walk->at_bounds = walk->bounded[dg_rows_int(&rows, 4)];
        status = look(walk, &rows, &operands, err);
    }
    return dg_rows_close(&rows, dg_rows_close(&operands, status, err), err);
}

enum dg_status dg_check_blob_shapes(const struct dg_findings *found,
                                    struct dg_error *err)
{
    struct walk walk = {.found = found};
    enum dg_status status = read_values(&walk, err);

    if (!status)
        status = read_passed(&walk, err);
    if (!status)
        status = look_at_nodes(&walk, err);
    dg_arena_clear(&walk.memory);
    return status;
}
