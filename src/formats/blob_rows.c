#include "formats/blob_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/pte.h"

void dg_blob_rows_begin(struct dg_blob_rows *rows, const struct dg_blob *blob,
                        struct dg_program *program)
{
    struct dg_delegate_graph_row *graph;

    *rows = (struct dg_blob_rows){.program = program, .blob = blob};
    rows->effort = 4 * (uint64_t)blob->bytes.size;
    rows->graph = (int64_t)program->n_delegate_graphs - 1;
    graph = &program->delegate_graphs[rows->graph];
    graph->first_value = program->n_delegate_values;
    graph->first_constant = program->n_delegate_constants;
}

void dg_blob_rows_end(struct dg_blob_rows *rows)
{
    struct dg_program *program = rows->program;
    struct dg_delegate_graph_row *graph = &program->delegate_graphs[rows->graph];

    graph->n_values = program->n_delegate_values - graph->first_value;
    graph->n_constants = program->n_delegate_constants - graph->first_constant;
    if (rows->n_unknown)
        dg_remark(program, "format/unknown-field",
                  "%zu fields and nodes of a blob (%s) are newer than the schema that"
                  " is known here",
                  rows->n_unknown, graph->format);
    if (rows->exhausted)
        dg_remark(program, "format/lists-repeated",
                  "nodes of a blob (%s) share lists so often that some were left out",
                  graph->format);
    dg_int_set_clear(&rows->ids);
    free(rows->held);
}

bool dg_blob_spend(struct dg_blob_rows *rows, uint64_t n_items)
{
    if (n_items > rows->effort) {
        rows->exhausted = true;
        return false;
    }
    rows->effort -= n_items;
    return true;
}

static struct dg_blob_held *held(const struct dg_blob_rows *rows, int64_t idx)
{
    uint32_t number = dg_int_set_find(&rows->ids, (uint64_t)idx);

    return number == DG_NO_NUMBER ? NULL : &rows->held[number];
}

struct dg_delegate_value_row *dg_blob_add_value(struct dg_blob_rows *rows, int64_t idx)
{
    struct dg_program *program = rows->program;
    struct dg_delegate_value_row *row = dg_add_delegate_value(program);
    uint32_t n_ids = rows->ids.n_values;
    uint32_t number = dg_int_set_add(&rows->ids, (uint64_t)idx);

    if (number == n_ids)
        DG_APPEND(rows->held, n_ids);
    rows->held[number] =
        (struct dg_blob_held){(int64_t)program->n_delegate_values - 1, false};
    row->graph = rows->graph;
    row->idx = idx;
    return row;
}

int64_t dg_blob_value(const struct dg_blob_rows *rows, int64_t idx)
{
    const struct dg_blob_held *value = held(rows, idx);

    return value ? value->row : DG_NONE;
}

/* The same once more: what is written there next, or passed. */
static struct dg_delegate_value_row *again(struct dg_blob_rows *rows, int64_t row)
{
    struct dg_delegate_value_row was = rows->program->delegate_values[row];
    struct dg_delegate_value_row *next = dg_blob_add_value(rows, was.idx);

    was.flags = 0;
    was.external_id = was.constant_idx = DG_NONE;
    *next = was;
    return next;
}

void dg_blob_remark(struct dg_blob_rows *rows, const char *rule, struct dg_text what)
{
    struct dg_program *program = rows->program;
    const struct dg_delegate_graph_row *graph = &program->delegate_graphs[rows->graph];

    dg_remark(program, rule, "%.*s: %.*s", (int)graph->path.size, graph->path.data,
              (int)what.size, what.data)
        ->method = graph->method;
}

void dg_blob_lacks(struct dg_blob_rows *rows, const char *rule, struct dg_text what,
                   struct dg_blob_ref ref)
{
    struct dg_program *program = rows->program;
    bool is_named = ref.name.data != NULL;
    struct dg_text called = is_named ? dg_pte_utf8(program, ref.name)
                                     : dg_format(&program->memory, "%" PRId64, ref.idx);

    dg_blob_remark(rows, rule,
                   dg_format(&program->memory,
                             "%.*s is value %.*s, and the blob defines none of that %s",
                             (int)what.size, what.data, (int)called.size, called.data,
                             is_named ? "name" : "number"));
}

void dg_blob_expect(struct dg_blob_rows *rows, const char *what, size_t number,
                    struct dg_blob_ref ref)
{
    if (dg_blob_value(rows, ref.idx) == DG_NONE)
        dg_blob_lacks(rows, "blob/value-defined",
                      dg_format(&rows->program->memory, "%s %zu", what, number), ref);
}

void dg_blob_pass(struct dg_blob_rows *rows, struct dg_blob_ref ref, int64_t flag)
{
    int64_t row = dg_blob_value(rows, ref.idx);
    int64_t external = rows->n_external++;
    struct dg_delegate_value_row *value;

    if (row == DG_NONE) {
        dg_blob_lacks(rows, "blob/external-id",
                      dg_format(&rows->program->memory,
                                "operand %" PRId64 " of its calls", external),
                      ref);
        return;
    }
    value = &rows->program->delegate_values[row];
    if (value->external_id != DG_NONE)
        value = again(rows, row);
    value->flags |= flag;
    value->external_id = external;
}

struct dg_delegate_node_row *dg_blob_add_node(struct dg_blob_rows *rows,
                                              struct dg_text op, int64_t kind)
{
    struct dg_arena *memory = &rows->program->memory;
    struct dg_delegate_node_row *row = dg_add_delegate_node(rows->program);

    row->graph = rows->graph;
    row->idx = rows->n_nodes++;
    row->op = op.data ? op : dg_format(memory, "node<%" PRId64 ">", kind);
    row->name =
        dg_format(memory, "%.*s_%" PRId64, (int)row->op.size, row->op.data, row->idx);
    row->args = dg_text("{}");
    rows->n_unknown += !op.data;
    rows->n_operands = 0;
    return row;
}

static struct dg_delegate_operand_row *add_operand(struct dg_blob_rows *rows,
                                                   struct dg_text name,
                                                   struct dg_blob_ref ref,
                                                   const char *access)
{
    struct dg_delegate_operand_row *row = dg_add_delegate_operand(rows->program);

    row->node = (int64_t)rows->program->n_delegate_nodes - 1;
    row->pos = rows->n_operands++;
    row->name = name;
    row->value_idx = ref.idx;
    row->access = access;
    if (!held(rows, ref.idx))
        row->missing = dg_pte_utf8(rows->program, ref.name);
    return row;
}

void dg_blob_read(struct dg_blob_rows *rows, struct dg_text name,
                  struct dg_blob_ref ref)
{
    struct dg_delegate_operand_row *row = add_operand(rows, name, ref, "read");
    struct dg_blob_held *value = held(rows, ref.idx);

    if (!value)
        return;
    value->is_read = true;
    row->value = value->row;
}

void dg_blob_write(struct dg_blob_rows *rows, struct dg_text name,
                   struct dg_blob_ref ref)
{
    struct dg_delegate_operand_row *row = add_operand(rows, name, ref, "write");
    struct dg_blob_held *value = held(rows, ref.idx);
    struct dg_delegate_value_row *written;

    if (!value)
        return;
    written = &rows->program->delegate_values[value->row];
    if (value->is_read || written->node != DG_NONE || written->flags & DG_BLOB_INPUT ||
        written->constant_idx != DG_NONE)
        written = again(rows, value->row);
    written->node = row->node;
    row->value = dg_blob_value(rows, ref.idx);
}

struct dg_delegate_constant_row *
dg_blob_add_constant(struct dg_blob_rows *rows, int64_t idx, struct dg_bytes bytes)
{
    struct dg_delegate_constant_row *row = dg_add_delegate_constant(rows->program);

    row->graph = rows->graph;
    row->idx = idx;
    if (bytes.data && rows->blob->file_offset != DG_NONE)
        row->file_offset =
            rows->blob->file_offset + (bytes.data - rows->blob->bytes.data);
    return row;
}

void dg_blob_put_size(struct dg_json_writer *json, int64_t *n_elements, int64_t size)
{
    dg_put_int(json, NULL, size);
    if (size < 0 || *n_elements < 0 ||
        __builtin_mul_overflow(*n_elements, size, n_elements))
        *n_elements = -1;
}

void dg_blob_set_type(struct dg_delegate_value_row *value, const struct dg_dtype *dtype,
                      int64_t n_elements)
{
    if (!dtype)
        return;
    value->dtype = dtype->name;
    if (dtype->bytes && n_elements >= 0 &&
        __builtin_mul_overflow(n_elements, (int64_t)dtype->bytes, &value->nbytes))
        value->nbytes = DG_NONE;
}

void dg_blob_set_torch_type(struct dg_blob_rows *rows,
                            struct dg_delegate_value_row *value,
                            const struct dg_dtype *dtype, int number,
                            int64_t n_elements)
{
    value->datatype = dtype ? dg_text(dtype->torch)
                            : dg_format(&rows->program->memory, "datatype<%d>", number);
    dg_blob_set_type(value, dtype, n_elements);
}

struct dg_text dg_blob_keep(struct dg_blob_rows *rows, struct dg_json_writer *json)
{
    dg_json_written(json);
    return dg_keep(&rows->program->memory, json->out);
}
