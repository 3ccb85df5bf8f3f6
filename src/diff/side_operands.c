/* What instructions of a .pte read and write, in words that do not number values. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "diff/side.h"
#include "store/lists.h"

enum { NOBODY = UINT32_MAX };

struct scan {
    struct dg_diff_side *side;
    uint32_t *writers; /* newest writer of value row i + 1 */
    uint32_t *digests; /* words of constants' bytes, likewise */
    uint32_t *inputs;  /* number + 1 of the input that a value is, likewise; 0: none */
    bool *kept;        /* it was found to be state */
    size_t n_values;
    struct dg_writer args, type, weights, text;
    struct dg_csr *makers;
    uint32_t n_makers, room;
    bool opens_lists;
};

static void add_maker(struct scan *scan, uint32_t maker)
{
    struct dg_csr *makers = scan->makers;

    if (maker == NOBODY)
        return;
    makers->items = dg_grow(makers->items, scan->n_makers, sizeof(uint32_t));
    makers->items[scan->n_makers++] = maker;
}

static void write_type(struct dg_writer *out, const struct dg_model_values *values,
                       size_t row)
{
    const struct dg_model_type *type = &values->types[values->type_of[row]];

    dg_write_text(out, type->name);
    dg_write(out, " ", type->name.size > 0);
    if (type->kind == DG_VALUE_TENSOR)
        dg_write_text(out, type->sizes);
}

static void read_value(struct scan *scan, size_t row, bool inside);

static void read_list(struct scan *scan, const struct dg_model_value *value, size_t row)
{
    const struct dg_model_values *values = scan->side->values;
    const int64_t *items = dg_numbers_of(values, value->content);
    const struct dg_value_graph *graph =
        &values->graphs[values->graph_of[row] ? values->graph_of[row] - 1 : 0];

    dg_print(&scan->args, "[");
    for (int64_t i = 0; i < value->content.n; i++) {
        if (i)
            dg_print(&scan->args, ",");
        if (!dg_value_holds_values(value))
            dg_print(&scan->args, "%" PRId64, items[i]);
        else if (items[i] >= 0 && (uint64_t)items[i] < graph->n)
            read_value(scan, graph->first + (size_t)items[i], true);
        else
            dg_print(&scan->args, "none");
    }
    dg_print(&scan->args, "]");
}

static uint32_t type_word(struct scan *scan, size_t row)
{
    scan->text.size = 0;
    write_type(&scan->text, scan->side->values, row);
    return dg_diff_word(scan->side->words, dg_written(&scan->text));
}

static void add_state(struct scan *scan, const struct dg_model_value *value, size_t row)
{
    struct dg_diff_side *side = scan->side;
    uint32_t graph = side->values->graph_of[row];

    if (scan->kept[row] || !graph || graph > side->n_graphs)
        return;
    scan->kept[row] = true;
    *DG_APPEND(side->states, side->n_states) =
        (struct dg_diff_state){.place = side->graphs[graph - 1].place,
                               .type = type_word(scan, row),
                               .method = side->graphs[graph - 1].method,
                               .name = value->name};
}

/* Types of inputs are said by the signature, of constants by the weights. */
static void read_tensor(struct scan *scan, const struct dg_model_value *value,
                        size_t row)
{
    if (scan->writers[row] != NOBODY) {
        dg_print(&scan->args, "@");
    } else if (value->storage == DG_STORED_CONSTANT ||
               value->storage == DG_STORED_EXTERNAL) {
        dg_print(&scan->args, "constant");
        dg_print(&scan->weights, "%" PRIu32 " ", scan->digests[row]);
    } else if (scan->inputs[row]) {
        dg_print(&scan->args, "input %" PRIu32, scan->inputs[row] - 1);
    } else {
        dg_print(&scan->args, "state");
        add_state(scan, value, row);
    }
}

static void read_value(struct scan *scan, size_t row, bool inside)
{
    const struct dg_model_value *value = &scan->side->values->items[row];

    add_maker(scan, scan->writers[row]);
    if (value->kind == DG_VALUE_TENSOR)
        read_tensor(scan, value, row);
    else if (scan->writers[row] != NOBODY)
        dg_print(&scan->args, "@");
    else if (value->kind == DG_VALUE_INT || value->kind == DG_VALUE_BOOL)
        dg_print(&scan->args, "%" PRId64, value->as.integer);
    else if (value->kind == DG_VALUE_DOUBLE)
        dg_print(&scan->args, "%.17g", value->as.real);
    else if (value->kind == DG_VALUE_STRING && value->said)
        dg_print(&scan->args, "'%s'", value->as.string);
    else if (dg_value_is_list(value) && !inside && scan->opens_lists)
        read_list(scan, value, row);
    else
        dg_print(&scan->args, "%s", value->kind == DG_VALUE_NULL ? "none" : "?");
}

/* Results of an out variant stand twice: as an argument, and as what is returned. */
static void write_value(struct scan *scan, uint32_t node, size_t row)
{
    if (scan->writers[row] == node)
        return;
    scan->writers[row] = node;
    if (!scan->side->values->types[scan->side->values->type_of[row]].name.size)
        return; /* a list: what is in it has types */
    if (scan->type.size)
        dg_print(&scan->type, ", ");
    write_type(&scan->type, scan->side->values, row);
}

static void read_operand(struct scan *scan, uint32_t node,
                         const struct dg_model_operand *operand)
{
    size_t row = (size_t)operand->value - 1;

    if (!operand->value || operand->value > scan->n_values) {
        dg_print(&scan->args, "missing; ");
        return;
    }
    if (operand->access & DG_ACCESS_READ) {
        read_value(scan, row, false);
        dg_print(&scan->args, operand->access == DG_ACCESS_BOTH ? "!; " : "; ");
    }
    if (operand->access & DG_ACCESS_WRITE)
        write_value(scan, node, row);
}

static void read_instruction(struct scan *scan, uint32_t node)
{
    const struct dg_model *model = scan->side->model;
    struct dg_diff_node *it = &scan->side->nodes[node];
    struct dg_diff_words *words = scan->side->words;

    scan->args.size = scan->type.size = scan->weights.size = 0;
    scan->makers->begins[node] = scan->n_makers;
    for (uint32_t i = model->operand_of[node]; i < model->operand_of[node + 1]; i++)
        read_operand(scan, node, &model->operands[i]);
    it->args = dg_diff_word(words, dg_written(&scan->args));
    it->type = dg_diff_word(words, dg_written(&scan->type));
    it->weights = dg_diff_word(words, dg_written(&scan->weights));
}

static enum dg_status read_digests(struct scan *scan, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        scan->side->store,
        "SELECT value.id, coalesce(constant.xxh3, constant.fqn) FROM value"
        "  JOIN constant ON constant.idx = data_index AND constant.kind = 'constant'"
        " WHERE storage = 'constant' ORDER BY value.id",
        err);

    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id > 0 && (size_t)id <= scan->n_values)
            scan->digests[id - 1] =
                dg_diff_word(scan->side->words, dg_rows_slice(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_inputs(struct scan *scan, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(scan->side->store,
                    "SELECT value_id, pos FROM signature WHERE direction = 'input'"
                    " AND value_id IS NOT NULL",
                    err);

    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id > 0 && (size_t)id <= scan->n_values)
            scan->inputs[id - 1] = (uint32_t)dg_rows_int(&rows, 1) + 1;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void scan_all(struct scan *scan)
{
    struct dg_diff_side *side = scan->side;

    side->makers.begins =
        dg_alloc(&side->memory, (size_t)side->n_nodes + 1, sizeof(uint32_t));
    for (size_t i = 0; i < scan->n_values; i++)
        scan->writers[i] = NOBODY;
    for (uint32_t i = 0; i < side->n_nodes; i++)
        read_instruction(scan, i);
    side->makers.begins[side->n_nodes] = scan->n_makers;
}

/* What grew becomes the side's. */
static void own_makers(struct scan *scan)
{
    uint32_t *items = scan->makers->items;

    scan->makers->items =
        dg_alloc(&scan->side->memory, scan->n_makers, sizeof(uint32_t));
    if (scan->n_makers)
        memcpy(scan->makers->items, items, scan->n_makers * sizeof(*items));
    free(items);
}

static void clear(struct scan *scan)
{
    free(scan->writers);
    free(scan->digests);
    free(scan->inputs);
    free(scan->kept);
    dg_writer_clear(&scan->args);
    dg_writer_clear(&scan->type);
    dg_writer_clear(&scan->weights);
    dg_writer_clear(&scan->text);
}

enum dg_status dg_diff_read_operands(struct dg_diff_side *side, struct dg_error *err)
{
    struct scan scan = {.side = side, .makers = &side->makers};
    enum dg_status status;

    scan.n_values = side->values->items ? side->values->n_rows : 0;
    scan.writers = dg_zeroed(scan.n_values, sizeof(uint32_t));
    scan.digests = dg_zeroed(scan.n_values, sizeof(uint32_t));
    scan.inputs = dg_zeroed(scan.n_values, sizeof(uint32_t));
    scan.kept = dg_zeroed(scan.n_values, sizeof(bool));
    status = dg_store_lists_are_few(&scan.opens_lists, side->store, err);
    if (!status)
        status = read_digests(&scan, err);
    if (!status)
        status = read_inputs(&scan, err);
    if (!status)
        scan_all(&scan);
    own_makers(&scan);
    clear(&scan);
    return status;
}
