/* What instructions of a .pte read and write, in words that do not number values. */
#include <inttypes.h>
#include <stdlib.h>

#include "diff/side_scan.h"
#include "graph/flow.h"
#include "store/lists.h"

static void add_maker(struct dg_diff_scan *scan, uint32_t maker)
{
    if (maker != DG_DIFF_NOBODY)
        dg_diff_list_add(&scan->makers, maker);
}

static void read_value(struct dg_diff_scan *scan, size_t row, bool inside);

static void read_list(struct dg_diff_scan *scan, const struct dg_model_value *value,
                      size_t row)
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

static void add_state(struct dg_diff_scan *scan, const struct dg_model_value *value,
                      size_t row)
{
    struct dg_diff_side *side = scan->side;
    uint32_t graph = side->values->graph_of[row];

    if (scan->kept[row] || !graph || graph > side->n_graphs)
        return;
    scan->kept[row] = true;
    *DG_APPEND(side->states, side->n_states) =
        (struct dg_diff_state){.place = side->graphs[graph - 1].place,
                               .type = dg_diff_scan_type(scan, row),
                               .method = side->graphs[graph - 1].method,
                               .name = value->name};
}

/* Of several results of one instruction, those behind the first are numbered. */
static void read_source(struct dg_diff_scan *scan, const struct dg_diff_source *source)
{
    if (source->writer == DG_DIFF_NOBODY) {
        dg_print(&scan->args, "input %" PRIu32, source->input - 1);
        return;
    }
    add_maker(scan, source->writer);
    dg_print(&scan->args, "@");
    if (source->result)
        dg_print(&scan->args, "%" PRIu32, source->result);
}

/* Types of inputs are said by the signature, of constants by the weights. */
static void read_tensor(struct dg_diff_scan *scan, const struct dg_model_value *value,
                        size_t row)
{
    const struct dg_diff_source *shown = dg_diff_scan_shown(scan, row);

    if (shown) {
        read_source(scan, shown);
        dg_print(&scan->args, " as ");
        dg_write_text(&scan->args,
                      dg_diff_text(scan->side, dg_diff_scan_type(scan, row)));
    } else if (value->storage == DG_STORED_CONSTANT ||
               value->storage == DG_STORED_EXTERNAL) {
        dg_print(&scan->args, "constant");
        dg_diff_scan_name(scan,
                          value->storage == DG_STORED_CONSTANT ? DG_DIFF_CONSTANT
                                                               : DG_DIFF_EXTERNAL,
                          row);
    } else {
        dg_print(&scan->args, "state");
        dg_diff_scan_name(scan, DG_DIFF_KEPT, row);
        add_state(scan, value, row);
    }
}

static void read_scalar(struct dg_diff_scan *scan, const struct dg_model_value *value,
                        size_t row)
{
    if (value->kind == DG_VALUE_INT || value->kind == DG_VALUE_BOOL)
        dg_print(&scan->args, "%" PRId64, value->as.integer);
    else if (value->kind == DG_VALUE_DOUBLE)
        dg_print(&scan->args, "%.17g", value->as.real);
    else if (value->kind == DG_VALUE_STRING && value->said)
        dg_write_text(&scan->args,
                      dg_diff_text(scan->side, dg_diff_scan_string(scan, row)));
    else
        dg_print(&scan->args, "%s", value->kind == DG_VALUE_NULL ? "none" : "?");
}

/* The runtime takes no other scalar than that of the file. */
static void read_input(struct dg_diff_scan *scan, const struct dg_model_value *value,
                       size_t row)
{
    read_source(scan, &scan->sources[row]);
    if (value->kind != DG_VALUE_TENSOR && value->said) {
        dg_print(&scan->args, "=");
        read_scalar(scan, value, row);
    }
}

static void read_value(struct dg_diff_scan *scan, size_t row, bool inside)
{
    const struct dg_model_value *value = &scan->side->values->items[row];

    if (scan->sources[row].writer != DG_DIFF_NOBODY)
        read_source(scan, &scan->sources[row]);
    else if (scan->sources[row].input)
        read_input(scan, value, row);
    else if (value->kind == DG_VALUE_TENSOR)
        read_tensor(scan, value, row);
    else if (dg_value_is_list(value) && !inside && scan->opens_lists)
        read_list(scan, value, row);
    else
        read_scalar(scan, value, row);
}

/* What is written and outlives the call, or was written before. */
static void write_target(struct dg_diff_scan *scan, size_t row)
{
    const struct dg_model_value *value = &scan->side->values->items[row];

    if (scan->sources[row].input) {
        dg_print(&scan->args, "> input %" PRIu32 "; ", scan->sources[row].input - 1);
    } else if (value->kind == DG_VALUE_TENSOR &&
               (scan->kept[row] || value->name.data ||
                value->storage == DG_STORED_MUTABLE)) {
        dg_print(&scan->args, "> state; ");
        dg_diff_scan_name(scan, DG_DIFF_KEPT, row);
    }
    if (scan->sources[row].writer != DG_DIFF_NOBODY) {
        dg_print(&scan->args, "> @; ");
        add_maker(scan, scan->sources[row].writer);
    }
}

/* Results of an out variant stand twice: as an argument, and as what is returned. */
static void write_value(struct dg_diff_scan *scan, uint32_t node, size_t row,
                        bool reads)
{
    struct dg_text type = dg_diff_text(scan->side, dg_diff_scan_type(scan, row));

    if (scan->sources[row].writer == node)
        return;
    if (!reads)
        write_target(scan, row);
    dg_diff_scan_written(scan, node, row);
    if (!scan->side->values->types[scan->side->values->type_of[row]].name.size)
        return; /* a list: what is in it has types */
    if (scan->type.size)
        dg_print(&scan->type, ", ");
    dg_write_text(&scan->type, type);
}

static void read_operand(struct dg_diff_scan *scan, uint32_t node,
                         const struct dg_model_operand *operand, bool overwrites)
{
    size_t row = (size_t)operand->value - 1;
    bool reads = operand->access & DG_ACCESS_READ && (operand->pos || !overwrites);

    if (!operand->value || operand->value > scan->n_values) {
        dg_print(&scan->args, "missing; ");
        return;
    }
    if (reads) {
        read_value(scan, row, false);
        dg_print(&scan->args, operand->access == DG_ACCESS_BOTH ? "!; " : "; ");
    }
    if (operand->access & DG_ACCESS_WRITE)
        write_value(scan, node, row, reads);
}

/* Where a jump goes is what it reads. */
static void read_jump(struct dg_diff_scan *scan, uint32_t node)
{
    const struct dg_model *model = scan->side->model;
    uint32_t jump = model->nodes[node].jump;
    struct dg_model_graph graph = dg_model_graph_at(model, model->nodes[node].graph);

    if (model->nodes[node].kind != DG_NODE_JUMP_FALSE_CALL)
        return;
    dg_print(&scan->args, jump < graph.n_nodes    ? "to @; "
                          : jump == graph.n_nodes ? "to the end; "
                                                  : "to nowhere; ");
    if (jump < graph.n_nodes)
        add_maker(scan, graph.first + jump);
}

static void begin_row(struct dg_diff_scan *scan, uint32_t row)
{
    scan->args.size = scan->type.size = scan->weights.size = 0;
    scan->makers.csr->begins[row] = scan->makers.n;
    scan->named.csr->begins[row] = scan->named.n;
}

static void read_instruction(struct dg_diff_scan *scan, uint32_t node)
{
    const struct dg_model *model = scan->side->model;
    struct dg_diff_node *it = &scan->side->nodes[node];
    struct dg_diff_words *words = scan->side->words;
    uint32_t op = model->nodes[node].op;
    bool overwrites =
        op && op <= model->n_ops && dg_flow_overwrites(model->ops[op - 1].name.data);

    begin_row(scan, node);
    scan->n_written = 0;
    for (uint32_t i = model->operand_of[node]; i < model->operand_of[node + 1]; i++)
        read_operand(scan, node, &model->operands[i], overwrites);
    read_jump(scan, node);
    dg_diff_scan_call(scan, node);
    it->args = dg_diff_word(words, dg_written(&scan->args));
    it->type = dg_diff_word(words, dg_written(&scan->type));
    it->weights = dg_diff_word(words, dg_written(&scan->weights));
}

static enum dg_status read_inputs(struct dg_diff_scan *scan, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(scan->side->store,
                    "SELECT value_id, pos FROM signature WHERE direction = 'input'"
                    " AND value_id IS NOT NULL",
                    err);

    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id < 1 || (size_t)id > scan->n_values)
            continue;
        scan->sources[id - 1].input = (uint32_t)dg_rows_int(&rows, 1) + 1;
        if (scan->place_of[id - 1] != DG_DIFF_NOBODY)
            scan->places[scan->place_of[id - 1]] = scan->sources[id - 1];
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_outputs(struct dg_diff_scan *scan, struct dg_error *err)
{
    struct dg_diff_side *side = scan->side;
    struct dg_rows rows =
        dg_rows_all(side->store,
                    "SELECT graph_id, pos, value_id FROM signature"
                    " WHERE direction = 'output' AND value_id IS NOT NULL"
                    " ORDER BY graph_id, pos",
                    err);

    while (dg_rows_next(&rows)) {
        int64_t graph = dg_rows_int(&rows, 0), id = dg_rows_int(&rows, 2);

        if (id < 1 || (size_t)id > scan->n_values || graph < 1 ||
            (size_t)graph > side->n_graphs)
            continue;
        begin_row(scan, side->n_nodes + (uint32_t)side->n_outputs);
        read_value(scan, (size_t)id - 1, false);
        *DG_APPEND(side->outputs, side->n_outputs) = (struct dg_diff_output){
            .graph = (uint32_t)graph,
            .place = side->graphs[graph - 1].place,
            .pos = (uint32_t)dg_rows_int(&rows, 1),
            .args = dg_diff_word(side->words, dg_written(&scan->args)),
        };
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status scan_all(struct dg_diff_scan *scan, struct dg_error *err)
{
    struct dg_diff_side *side = scan->side;
    int64_t n_outputs = 0;
    enum dg_status status = dg_store_int(
        side->store, "SELECT count(*) FROM signature WHERE direction = 'output'", 0,
        &n_outputs, err);
    size_t n_rows = (size_t)side->n_nodes + (size_t)n_outputs + 1;

    scan->makers.csr->begins = dg_alloc(&side->memory, n_rows, sizeof(uint32_t));
    scan->named.csr->begins = dg_alloc(&side->memory, n_rows, sizeof(uint32_t));
    for (uint32_t i = 0; i < side->n_nodes && !status; i++)
        read_instruction(scan, i);
    if (!status)
        status = read_outputs(scan, err);
    begin_row(scan, side->n_nodes + (uint32_t)side->n_outputs);
    return status;
}

/* What grew becomes the side's. */
static void own(struct dg_diff_list *rows, struct dg_arena *memory)
{
    uint32_t *items = rows->csr->items;

    rows->csr->items = dg_alloc(memory, rows->n, sizeof(uint32_t));
    if (rows->n)
        memcpy(rows->csr->items, items, rows->n * sizeof(*items));
    free(items);
}

static void clear(struct dg_diff_scan *scan)
{
    free(scan->sources);
    free(scan->place_of);
    free(scan->places);
    free(scan->strings);
    free(scan->types);
    free(scan->kept);
    dg_int_set_clear(&scan->keys);
    dg_writer_clear(&scan->args);
    dg_writer_clear(&scan->type);
    dg_writer_clear(&scan->weights);
    dg_writer_clear(&scan->text);
}

enum dg_status dg_diff_read_operands(struct dg_diff_side *side, struct dg_error *err)
{
    struct dg_diff_scan scan = {
        .side = side, .makers = {&side->makers}, .named = {&side->named}};
    enum dg_status status;

    scan.n_values = side->values->items ? side->values->n_rows : 0;
    dg_diff_scan_places(&scan);
    scan.strings = dg_zeroed(scan.n_values, sizeof(uint32_t));
    scan.kept = dg_zeroed(scan.n_values, sizeof(bool));
    dg_diff_scan_types(&scan);
    status = dg_store_lists_bounded(&scan.opens_lists, side->store, err);
    side->skips_lists = !scan.opens_lists;
    if (!status)
        status = dg_diff_scan_resources(&scan, err);
    if (!status)
        status = read_inputs(&scan, err);
    if (!status)
        status = scan_all(&scan, err);
    own(&scan.makers, &side->memory);
    own(&scan.named, &side->memory);
    clear(&scan);
    return status;
}
