/* XNNPACK changes a graph twice. First it takes chains of nodes that map one code to
 * another for one table: its values are those of the nodes one by one, but no node of a
 * chain is a clamp any more. Then the clamps that are left go into the nodes before
 * them that bound their results by themselves. Nodes are taken in the order of the
 * blob, which is that of their operands wherever ExecuTorch wrote it. */
#include "graph/xnnpack_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "graph/xnnpack_merge_parts.h"

enum { CHAIN_MOST = 10 };

static bool is_one_of(const char *op, const char *const *names)
{
    while (*names && strcmp(op, *names) != 0)
        names++;
    return *names != NULL;
}

static bool is_unary(const struct dg_merge_node *node)
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

static bool is_binary(const struct dg_merge_node *node)
{
    static const char *const names[] = {"Add",      "Div",   "Maximum",  "Minimum",
                                        "Multiply", "PReLU", "Subtract", NULL};

    return is_one_of(node->op, names);
}

/* Whose results the runtime bounds in its kernel. */
static bool has_bounds(const struct dg_merge_node *node)
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

static const struct dg_merge_node *copy_of(const struct dg_merge_reading *reading,
                                           const struct dg_merge_value *value)
{
    const struct dg_merge_node *writer =
        value->writer == DG_MERGE_NONE ? NULL : &reading->nodes[value->writer];

    return writer && !strcmp(writer->op, "Copy") && writer->n_operands == 1 ? writer
                                                                            : NULL;
}

/* Without the copies that nobody else reads. */
static uint32_t source_of(const struct dg_merge_reading *reading, uint32_t value)
{
    while (value != DG_MERGE_NONE) {
        const struct dg_merge_value *at = &reading->values[value];
        const struct dg_merge_node *copy = copy_of(reading, at);

        if (!copy || at->n_readers != 1 || at->is_output || at->writer >= at->reader)
            break;
        value = reading->operands[copy->first];
    }
    return value;
}

/* What a chain of functions is a function of, without copies, and what its last one
 * gives. */
struct chain {
    uint32_t argument, last;
};

static bool is_of(const struct dg_merge_reading *reading, const struct chain *chain,
                  uint32_t value)
{
    return chain &&
           (value == chain->last || source_of(reading, value) == chain->argument);
}

/* The operand of a node that is a function of one alone: of two the other is one
 * number, or both are of the chain that it stands behind (NULL: of none). */
static uint32_t argument_of(const struct dg_merge_reading *reading,
                            const struct dg_merge_node *node, const struct chain *chain)
{
    const uint32_t *read = reading->operands + node->first;
    const struct dg_merge_value *values = reading->values;

    if (node->n_outputs != 1)
        return DG_MERGE_NONE;
    if (is_unary(node))
        return node->n_operands == 1 ? read[0] : DG_MERGE_NONE;
    if (!is_binary(node) || node->n_operands != 2)
        return DG_MERGE_NONE;
    if (values[read[0]].is_number && !values[read[1]].is_constant)
        return read[1];
    if (values[read[1]].is_number && !values[read[0]].is_constant)
        return read[0];
    return is_of(reading, chain, read[0]) && is_of(reading, chain, read[1])
               ? read[0]
               : DG_MERGE_NONE;
}

/* The only node behind a value, which becomes the copy that this node reads;
 * DG_MERGE_NONE. */
static uint32_t only_reader(const struct dg_merge_reading *reading, uint32_t *value)
{
    const struct dg_merge_value *at = &reading->values[*value];

    while (at->n_readers == 1 && !at->is_output) {
        const struct dg_merge_node *node = &reading->nodes[at->reader];

        if (strcmp(node->op, "Copy") != 0 || node->n_outputs != 1 ||
            (at->writer != DG_MERGE_NONE && at->writer >= at->reader))
            return at->reader;
        *value = node->output;
        at = &reading->values[*value];
    }
    return DG_MERGE_NONE;
}

/* From a code on as far as functions of one operand follow one another. */
static void make_table(struct dg_xnn_merges *merges, struct dg_merge_reading *reading,
                       uint32_t first)
{
    struct chain chain = {
        source_of(reading, argument_of(reading, &reading->nodes[first], NULL)),
        DG_MERGE_NONE};
    uint32_t nodes[CHAIN_MOST], n = 0, n_table = 0, at = first;

    do {
        nodes[n++] = at;
        chain.last = reading->nodes[at].output;
        if (reading->values[chain.last].is_code)
            n_table = n;
        at = reading->values[chain.last].writer == at
                 ? only_reader(reading, &chain.last)
                 : DG_MERGE_NONE; /* written again */
    } while (at != DG_MERGE_NONE && at > nodes[n - 1] && n < CHAIN_MOST &&
             argument_of(reading, &reading->nodes[at], &chain) != DG_MERGE_NONE);
    for (uint32_t i = 0; n_table > 1 && i < n_table; i++)
        reading->nodes[nodes[i]].in_table = true;
    if (n_table == CHAIN_MOST)
        *DG_APPEND(merges->tables, merges->n_tables) = (struct dg_xnn_pair){
            reading->nodes[first].id, reading->nodes[nodes[n_table - 1]].id};
}

static void make_tables(struct dg_xnn_merges *merges, struct dg_merge_reading *reading)
{
    for (uint32_t i = 0; i < reading->n_nodes; i++) {
        const struct dg_merge_node *node = &reading->nodes[i];
        uint32_t argument = argument_of(reading, node, NULL);

        if (dg_merge_is_live(reading, node) && !node->in_table &&
            argument != DG_MERGE_NONE && reading->values[argument].is_code)
            make_table(merges, reading, i);
    }
}

/* What a node bounds; DG_MERGE_NONE: it is no clamp, and becomes none. */
static uint32_t clamped_by(const struct dg_merge_reading *reading,
                           const struct dg_merge_node *node)
{
    const uint32_t *read = reading->operands + node->first;
    uint32_t argument = argument_of(reading, node, NULL);

    if (node->in_table || argument == DG_MERGE_NONE)
        return DG_MERGE_NONE;
    if (!strcmp(node->op, "Clamp"))
        return argument;
    if (strcmp(node->op, "Minimum") != 0 && strcmp(node->op, "Maximum") != 0)
        return DG_MERGE_NONE;
    return reading->values[read[argument == read[0]]].rank <=
                   reading->values[argument].rank
               ? argument
               : DG_MERGE_NONE;
}

/* With equal grids it is the same whether codes are bounded before or behind. */
static bool moves_codes(const struct dg_merge_value *from,
                        const struct dg_merge_value *to)
{
    return from->is_code && to->is_code &&
           (from->scale != to->scale || from->zero_point != to->zero_point);
}

static void merge_clamps(struct dg_xnn_merges *merges,
                         const struct dg_merge_reading *reading)
{
    for (size_t i = 0; i < reading->n_nodes; i++) {
        const struct dg_merge_node *node = &reading->nodes[i];
        uint32_t value = clamped_by(reading, node), writer;

        if (value == DG_MERGE_NONE || !dg_merge_is_live(reading, node) ||
            reading->values[value].n_readers != 1 ||
            !moves_codes(&reading->values[value], &reading->values[node->output]))
            continue;
        value = source_of(reading, value);
        writer = reading->values[value].writer;
        if (writer != DG_MERGE_NONE && reading->values[value].n_readers == 1 &&
            reading->nodes[writer].n_outputs == 1 &&
            has_bounds(&reading->nodes[writer]))
            *DG_APPEND(merges->clamps, merges->n_clamps) =
                (struct dg_xnn_pair){node->id, reading->nodes[writer].id};
    }
}

static void find_squares(struct dg_xnn_merges *merges,
                         const struct dg_merge_reading *reading)
{
    for (size_t i = 0; i < reading->n_nodes; i++) {
        const struct dg_merge_node *node = &reading->nodes[i];
        const uint32_t *read = reading->operands + node->first;

        if (!strcmp(node->op, "Multiply") && node->n_operands == 2 &&
            read[0] == read[1] && !node->in_table && reading->values[*read].is_code)
            *DG_APPEND(merges->squares, merges->n_squares) = node->id;
    }
}

/* Whose writer may give another value in its place: the only reader copies it. */
static bool gives_way(const struct dg_merge_value *value)
{
    return value->writer != DG_MERGE_NONE && value->n_readers == 1 && !value->is_output;
}

/* A copy goes into what gives the copied value, or else into its reader. */
static bool goes_into_reader(const struct dg_merge_reading *reading,
                             const struct dg_merge_node *copy)
{
    while (copy) {
        const struct dg_merge_value *from =
            &reading->values[reading->operands[copy->first]];

        if (!gives_way(from) || from->writer >= from->reader)
            return true;
        copy = copy_of(reading, from);
    }
    return false;
}

static void find_copies(struct dg_xnn_merges *merges,
                        const struct dg_merge_reading *reading)
{
    for (size_t i = 0; i < reading->n_values; i++) {
        const struct dg_merge_value *value = &reading->values[i];
        const struct dg_merge_node *copy =
            value->is_read_twice && gives_way(value) ? copy_of(reading, value) : NULL;

        if (copy && goes_into_reader(reading, copy))
            *DG_APPEND(merges->copies, merges->n_copies) =
                (struct dg_xnn_pair){copy->id, reading->nodes[value->reader].id};
    }
}

enum dg_status dg_xnn_find_merges(struct dg_xnn_merges *merges, struct dg_store *store,
                                  int64_t graph, struct dg_error *err)
{
    struct dg_merge_reading reading = {.store = store, .graph = graph, .err = err};
    enum dg_status status = dg_merge_read(&reading);

    *merges = (struct dg_xnn_merges){0};
    if (!status) {
        make_tables(merges, &reading);
        merge_clamps(merges, &reading);
        find_squares(merges, &reading);
        find_copies(merges, &reading);
    }
    dg_merge_clear(&reading);
    return status;
}

void dg_xnn_merges_clear(struct dg_xnn_merges *merges)
{
    free(merges->clamps);
    free(merges->squares);
    free(merges->tables);
    free(merges->copies);
    *merges = (struct dg_xnn_merges){0};
}

int64_t dg_xnn_merged_into(const struct dg_xnn_merges *merges, int64_t clamp)
{
    const struct dg_xnn_pair *merge = dg_search(
        &clamp, merges->clamps, merges->n_clamps, sizeof(*merge), dg_merge_by_id);

    return merge ? merge->other : 0;
}
