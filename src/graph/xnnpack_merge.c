/* XNNPACK changes a graph twice. First it takes chains of nodes that map one code to
 * another for one table: its values are those of the nodes one by one, but no node of a
 * chain is a clamp any more. Then the clamps that are left go into the nodes before
 * them that bound their results by themselves. Nodes are taken in the order of the
 * blob, which is that of their operands wherever ExecuTorch wrote it. */
#include "graph/xnnpack_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sorted.h"

enum { CHAIN_MOST = 10 };

#define NONE UINT32_MAX

struct value {
    int64_t id;
    double scale, zero_point; /* of codes of 8 bits on one grid */
    bool is_code, is_number;  /* number: a constant of one element */
    bool is_constant, is_output;
    int64_t rank;
    bool is_live;
    uint32_t n_readers, reader, writer; /* nodes: the last that reads it */
};

struct node {
    int64_t id, graph;
    const char *op;
    uint32_t first, n_operands; /* of the values that it reads */
    uint32_t output, n_outputs;
    bool in_table;
};

struct reading {
    struct value *values;
    struct node *nodes;
    uint32_t *operands; /* of all nodes, one behind the other */
    size_t n_values, n_nodes, n_operands;
    struct dg_arena memory;
    struct dg_store *store;
    int64_t graph;
    struct dg_error *err;
};

static bool is_one_of(const char *op, const char *const *names)
{
    while (*names && strcmp(op, *names) != 0)
        names++;
    return *names != NULL;
}

static bool is_unary(const struct node *node)
{
    static const char *const names[] = {"Abs",
                                        "Ceiling",
                                        "Clamp",
                                        "Convert",
                                        "Cos",
                                        "ELU",
                                        "Exp",
                                        "Floor",
                                        "Gelu",
                                        "Hardswish",
                                        "LeakyReLU",
                                        "Log",
                                        "Negate",
                                        "Sigmoid",
                                        "Sin",
                                        "SquareRoot",
                                        "Square",
                                        "Tanh",
                                        "ReciprocalSquareRoot",
                                        NULL};

    return is_one_of(node->op, names);
}

static bool is_binary(const struct node *node)
{
    static const char *const names[] = {"Add",      "Div",   "Maximum",  "Minimum",
                                        "Multiply", "PReLU", "Subtract", NULL};

    return is_one_of(node->op, names);
}

/* Whose results the runtime bounds in its kernel. */
static bool has_bounds(const struct node *node)
{
    static const char *const names[] = {"AvgPooling2d",
                                        "Conv2d",
                                        "ConvTranspose2d",
                                        "DepthwiseConv2d",
                                        "FullyConnected",
                                        "MaxPooling2d",
                                        NULL};

    return is_one_of(node->op, names);
}

static struct dg_rows open_rows(struct reading *reading, const char *sql)
{
    return dg_rows_of(reading->store, sql, reading->graph, reading->err);
}

#define OF_GRAPH(table)                                                                \
    " JOIN delegate_graph AS g ON g.id = " table                                       \
    ".graph_id AND g.format = 'xnnpack' AND ?1 IN (0, g.id)"

static enum dg_status read_values(struct reading *reading)
{
    struct dg_rows rows = open_rows(
        reading,
        "SELECT v.id, v.datatype IN ('qint8', 'quint8'),"
        "  json_extract(quantization, '$.scale'),"
        "  json_extract(quantization, '$.zero_point'), v.constant_idx NOTNULL,"
        "  v.flags & 2, (SELECT count(*) FROM json_each(v.shape)),"
        "  NOT EXISTS (SELECT 1 FROM json_each(v.shape) AS d WHERE d.value <> 1)"
        " FROM delegate_value AS v" OF_GRAPH("v") " ORDER BY v.id");

    while (dg_rows_next(&rows)) {
        bool is_constant = dg_rows_int(&rows, 4);

        *DG_APPEND(reading->values, reading->n_values) =
            (struct value){.id = dg_rows_int(&rows, 0),
                           .is_code = dg_rows_int(&rows, 1) && !dg_rows_null(&rows, 2),
                           .scale = dg_rows_real(&rows, 2, 0),
                           .zero_point = dg_rows_real(&rows, 3, 0),
                           .is_constant = is_constant,
                           .is_output = dg_rows_int(&rows, 5) != 0,
                           .rank = dg_rows_int(&rows, 6),
                           .is_number = is_constant && dg_rows_int(&rows, 7),
                           .reader = NONE,
                           .writer = NONE};
    }
    return dg_rows_close(&rows, DG_OK, reading->err);
}

static enum dg_status read_nodes(struct reading *reading)
{
    struct dg_rows rows = open_rows(
        reading, "SELECT n.id, n.graph_id, n.op FROM delegate_node AS n" OF_GRAPH(
                     "n") " ORDER BY n.id");

    while (dg_rows_next(&rows))
        *DG_APPEND(reading->nodes, reading->n_nodes) =
            (struct node){.id = dg_rows_int(&rows, 0),
                          .graph = dg_rows_int(&rows, 1),
                          .op = dg_rows_keep(&reading->memory, &rows, 2).data,
                          .output = NONE};
    return dg_rows_close(&rows, DG_OK, reading->err);
}

/* Of rows that begin with their ids. */
static int by_id(const void *item, const void *key)
{
    int64_t a = *(const int64_t *)item, b = *(const int64_t *)key;

    return (a > b) - (a < b);
}

static uint32_t find_value(const struct reading *reading, int64_t id)
{
    const struct value *value = dg_search(&id, reading->values, reading->n_values,
                                          sizeof(*reading->values), by_id);

    return value ? (uint32_t)(value - reading->values) : NONE;
}

static void add_operand(struct reading *reading, uint32_t at, uint32_t value,
                        bool writes)
{
    struct node *node = &reading->nodes[at];

    if (writes) {
        node->output = value;
        node->n_outputs++;
        reading->values[value].writer = at;
        return;
    }
    if (!node->n_operands++)
        node->first = (uint32_t)reading->n_operands;
    *DG_APPEND(reading->operands, reading->n_operands) = value;
}

static enum dg_status read_operands(struct reading *reading)
{
    struct dg_rows rows = open_rows(
        reading,
        "SELECT n.id, o.value_id, o.access = 'write' FROM delegate_node AS n" OF_GRAPH(
            "n") " JOIN delegate_operand AS o ON o.node_id = n.id"
                 "  WHERE o.value_id NOTNULL ORDER BY n.id, o.pos");
    size_t at = 0;

    while (dg_rows_next(&rows)) {
        uint32_t value = find_value(reading, dg_rows_int(&rows, 1));

        while (at < reading->n_nodes && reading->nodes[at].id < dg_rows_int(&rows, 0))
            at++;
        if (at < reading->n_nodes && value != NONE)
            add_operand(reading, (uint32_t)at, value, dg_rows_int(&rows, 2));
    }
    return dg_rows_close(&rows, DG_OK, reading->err);
}

/* What nobody reads goes first; a node of two results stays. */
static bool is_live(const struct reading *reading, const struct node *node)
{
    return node->n_outputs != 1 || reading->values[node->output].is_live;
}

static void find_live(struct reading *reading)
{
    for (size_t i = 0; i < reading->n_values; i++)
        reading->values[i].is_live = reading->values[i].is_output;
    for (size_t i = reading->n_nodes; i-- > 0;) {
        const struct node *node = &reading->nodes[i];

        for (uint32_t k = 0; is_live(reading, node) && k < node->n_operands; k++)
            reading->values[reading->operands[node->first + k]].is_live = true;
    }
}

/* Who reads it twice is one reader, and so is the caller. */
static void count_readers(struct reading *reading)
{
    for (size_t i = 0; i < reading->n_values; i++)
        reading->values[i].n_readers = reading->values[i].is_output;
    for (uint32_t i = 0; i < reading->n_nodes; i++) {
        const struct node *node = &reading->nodes[i];

        for (uint32_t k = 0; is_live(reading, node) && k < node->n_operands; k++) {
            struct value *value = &reading->values[reading->operands[node->first + k]];

            value->n_readers += value->reader != i;
            value->reader = i;
        }
    }
}

/* What a chain of functions is a function of, and what its last one gives. */
struct chain {
    uint32_t argument, last;
};

static bool is_of(const struct chain *chain, uint32_t value)
{
    return chain && (value == chain->argument || value == chain->last);
}

/* The operand of a node that is a function of one alone: of two the other is one
 * number, or both are of the chain that it stands behind (NULL: of none). */
static uint32_t argument_of(const struct reading *reading, const struct node *node,
                            const struct chain *chain)
{
    const uint32_t *read = reading->operands + node->first;
    const struct value *values = reading->values;

    if (node->n_outputs != 1)
        return NONE;
    if (is_unary(node))
        return node->n_operands == 1 ? read[0] : NONE;
    if (!is_binary(node) || node->n_operands != 2)
        return NONE;
    if (values[read[0]].is_number && !values[read[1]].is_constant)
        return read[1];
    if (values[read[1]].is_number && !values[read[0]].is_constant)
        return read[0];
    return is_of(chain, read[0]) && is_of(chain, read[1]) ? read[0] : NONE;
}

/* Without the copies that nobody else reads. */
static uint32_t source_of(const struct reading *reading, uint32_t value)
{
    while (value != NONE) {
        const struct value *at = &reading->values[value];
        const struct node *writer =
            at->writer == NONE ? NULL : &reading->nodes[at->writer];

        if (!writer || strcmp(writer->op, "Copy") != 0 || writer->n_operands != 1 ||
            at->n_readers != 1 || at->is_output || at->writer >= at->reader)
            break;
        value = reading->operands[writer->first];
    }
    return value;
}

/* The only node behind a value, which becomes the copy that this node reads; NONE. */
static uint32_t only_reader(const struct reading *reading, uint32_t *value)
{
    const struct value *at = &reading->values[*value];

    while (at->n_readers == 1 && !at->is_output) {
        const struct node *node = &reading->nodes[at->reader];

        if (strcmp(node->op, "Copy") != 0 || node->n_outputs != 1 ||
            (at->writer != NONE && at->writer >= at->reader))
            return at->reader;
        *value = node->output;
        at = &reading->values[*value];
    }
    return NONE;
}

/* From a code on as far as functions of one operand follow one another. */
static void make_table(struct dg_xnn_merges *merges, struct reading *reading,
                       uint32_t first)
{
    struct chain chain = {argument_of(reading, &reading->nodes[first], NULL), NONE};
    uint32_t nodes[CHAIN_MOST], n = 0, n_table = 0, at = first;

    do {
        nodes[n++] = at;
        chain.last = reading->nodes[at].output;
        if (reading->values[chain.last].is_code)
            n_table = n;
        at = only_reader(reading, &chain.last);
    } while (at != NONE && at > nodes[n - 1] && n < CHAIN_MOST &&
             argument_of(reading, &reading->nodes[at], &chain) != NONE);
    for (uint32_t i = 0; n_table > 1 && i < n_table; i++)
        reading->nodes[nodes[i]].in_table = true;
    if (n_table == CHAIN_MOST)
        *DG_APPEND(merges->tables, merges->n_tables) = (struct dg_xnn_chain){
            reading->nodes[first].id, reading->nodes[nodes[n_table - 1]].id};
}

static void make_tables(struct dg_xnn_merges *merges, struct reading *reading)
{
    for (uint32_t i = 0; i < reading->n_nodes; i++) {
        const struct node *node = &reading->nodes[i];
        uint32_t argument = argument_of(reading, node, NULL);

        if (is_live(reading, node) && !node->in_table && argument != NONE &&
            reading->values[argument].is_code)
            make_table(merges, reading, i);
    }
}

/* What a node bounds; NONE: it is no clamp, and becomes none. */
static uint32_t clamped_by(const struct reading *reading, const struct node *node)
{
    const uint32_t *read = reading->operands + node->first;
    uint32_t argument = argument_of(reading, node, NULL);

    if (node->in_table || argument == NONE)
        return NONE;
    if (!strcmp(node->op, "Clamp"))
        return argument;
    if (strcmp(node->op, "Minimum") != 0 && strcmp(node->op, "Maximum") != 0)
        return NONE;
    return reading->values[read[argument == read[0]]].rank <=
                   reading->values[argument].rank
               ? argument
               : NONE;
}

/* With equal grids it is the same whether codes are bounded before or behind. */
static bool moves_codes(const struct value *from, const struct value *to)
{
    return from->is_code && to->is_code &&
           (from->scale != to->scale || from->zero_point != to->zero_point);
}

static void merge_clamps(struct dg_xnn_merges *merges, const struct reading *reading)
{
    for (size_t i = 0; i < reading->n_nodes; i++) {
        const struct node *node = &reading->nodes[i];
        uint32_t value = clamped_by(reading, node), writer;

        if (value == NONE || !is_live(reading, node) ||
            reading->values[value].n_readers != 1 ||
            !moves_codes(&reading->values[value], &reading->values[node->output]))
            continue;
        value = source_of(reading, value);
        writer = reading->values[value].writer;
        if (writer != NONE && reading->values[value].n_readers == 1 &&
            reading->nodes[writer].n_outputs == 1 &&
            has_bounds(&reading->nodes[writer]))
            *DG_APPEND(merges->items, merges->n_items) =
                (struct dg_xnn_merge){node->id, reading->nodes[writer].id};
    }
}

static void find_squares(struct dg_xnn_merges *merges, const struct reading *reading)
{
    for (size_t i = 0; i < reading->n_nodes; i++) {
        const struct node *node = &reading->nodes[i];
        const uint32_t *read = reading->operands + node->first;

        if (!strcmp(node->op, "Multiply") && node->n_operands == 2 &&
            read[0] == read[1] && !node->in_table && reading->values[*read].is_code)
            *DG_APPEND(merges->squares, merges->n_squares) = node->id;
    }
}

enum dg_status dg_xnn_find_merges(struct dg_xnn_merges *merges, struct dg_store *store,
                                  int64_t graph, struct dg_error *err)
{
    struct reading reading = {.store = store, .graph = graph, .err = err};
    enum dg_status status;

    *merges = (struct dg_xnn_merges){0};
    status = read_values(&reading);
    if (!status)
        status = read_nodes(&reading);
    if (!status)
        status = read_operands(&reading);
    if (!status) {
        find_live(&reading);
        count_readers(&reading);
        make_tables(merges, &reading);
        merge_clamps(merges, &reading);
        find_squares(merges, &reading);
    }
    free(reading.values);
    free(reading.nodes);
    free(reading.operands);
    dg_arena_clear(&reading.memory);
    return status;
}

void dg_xnn_merges_clear(struct dg_xnn_merges *merges)
{
    free(merges->items);
    free(merges->squares);
    free(merges->tables);
    *merges = (struct dg_xnn_merges){0};
}

int64_t dg_xnn_merged_into(const struct dg_xnn_merges *merges, int64_t clamp)
{
    const struct dg_xnn_merge *merge =
        dg_search(&clamp, merges->items, merges->n_items, sizeof(*merge), by_id);

    return merge ? merge->first : 0;
}
