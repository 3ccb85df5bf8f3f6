/* Blobs of XnnpackBackend: XNNGraph of ExecuTorch's schema.fbs, behind a header or
 * bare. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "formats/blob.h"
#include "formats/blob_frame.h"
#include "formats/pte.h"
#include "formats/xnnpack_schema.h"

struct reading {
    struct dg_program *program;
    int64_t graph; /* row */
    struct dg_blob_parts parts;
    const struct dg_blob *blob;
    struct dg_int_set ids; /* of values, each once */
    int64_t *values;       /* their rows, by number */
};

static enum dg_status check_graph(const struct dg_blob *blob, struct dg_bytes graph,
                                  size_t *n_unknown, struct dg_error *err)
{
    struct dg_flatbuffer_table root;
    enum dg_status status;

    if (memcmp(graph.data + 4, "XN01", 4) && memcmp(graph.data + 4, "XN00", 4))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte 4 of its graph: the identifier XN01 is missing");
    status = dg_blob_verify(blob, graph, &dg_xnnpack_graph, n_unknown, err);
    if (status)
        return status;
    root = dg_flatbuffer_root(graph, &dg_xnnpack_graph);
    if (!dg_table_has(root, XNN_NODES) || !dg_table_has(root, XNN_VALUES))
        return dg_fail(err, DG_ERR_FORMAT, "its graph has no list of %s",
                       dg_table_has(root, XNN_NODES) ? "values" : "nodes");
    return DG_OK;
}

static struct dg_text keep(struct reading *reading, struct dg_writer *out)
{
    return dg_keep(&reading->program->memory, out);
}

static void print_numbers(struct dg_writer *out, struct dg_vector list)
{
    dg_write(out, "[", 1);
    for (size_t i = 0; i < list.n; i++) {
        dg_write(out, ",", i > 0);
        dg_write_int(out, dg_u32(list.at + 4 * i));
    }
    dg_write(out, "]", 1);
}

/* Rows of 4-bit elements begin at whole bytes. */
static int64_t bytes_of(struct dg_vector dims, unsigned bits)
{
    uint64_t bytes = bits;
    bool empty = false;

    if (!bits)
        return DG_NONE;
    for (size_t i = dims.n; i-- > 0;) {
        uint32_t size = dg_u32(dims.at + 4 * i);

        empty = empty || !size;
        if (size && (__builtin_mul_overflow(bytes, (uint64_t)size, &bytes) ||
                     bytes > INT64_MAX))
            return DG_NONE;
        if (i == dims.n - 1)
            bytes = (bytes + 7) / 8 * 8;
    }
    return empty ? 0 : (int64_t)((bytes + 7) / 8);
}

static void name_datatype(struct reading *reading, struct dg_delegate_value_row *row,
                          uint16_t number, struct dg_vector dims)
{
    const struct dg_xnnpack_datatype *datatype = dg_xnnpack_datatype(number);

    if (!datatype) {
        row->datatype =
            dg_format(&reading->program->memory, "datatype<%d>", (int16_t)number);
        return;
    }
    row->datatype = dg_text(datatype->name);
    row->dtype = datatype->dtype;
    row->nbytes = bytes_of(dims, datatype->bits);
}

static void read_value(struct reading *reading, struct dg_flatbuffer_table value)
{
    struct dg_flatbuffer_table tensor = dg_table_union(value, XNN_VALUE);
    bool is_quantized = dg_table_u8(value, XNN_VALUE_TYPE, 0) == XNN_QUANTIZED;
    struct dg_delegate_value_row *row = dg_add_delegate_value(reading->program);
    struct dg_writer out = {0};
    struct dg_vector dims;
    uint32_t n_ids = reading->ids.n_values, constant, external;

    if (is_quantized) {
        dg_xnnpack_print_quantization(&out, tensor);
        dg_xnnpack_place_scales(row, tensor);
        row->quantization = keep(reading, &out);
        tensor = dg_table_table(tensor, XNN_TENSOR);
    } else if (dg_table_u16(tensor, XNN_DYNAMIC_DATATYPE, 0)) {
        dg_print(&out, "{\"type\":\"dynamic\",\"datatype\":%d}",
                 dg_table_u16(tensor, XNN_DYNAMIC_DATATYPE, 0));
        row->quantization = keep(reading, &out);
    }
    constant = dg_table_u32(tensor, XNN_CONSTANT_INDEX, 0);
    external = dg_table_u32(tensor, XNN_EXTERNAL_ID, 0);
    dims = dg_table_vector(tensor, XNN_DIMS);
    print_numbers(&out, dims);
    row->shape = keep(reading, &out);
    row->graph = reading->graph;
    row->idx = dg_table_u32(tensor, XNN_ID, 0);
    name_datatype(reading, row, dg_table_u16(tensor, XNN_DATATYPE, 0), dims);
    row->flags = dg_table_u32(tensor, XNN_FLAGS, 0);
    if (external != DG_XNN_NO_ID)
        row->external_id = external;
    if (constant)
        row->constant_idx = constant;
    if (dg_int_set_add(&reading->ids, (uint64_t)row->idx) == n_ids)
        *DG_APPEND(reading->values, n_ids) =
            (int64_t)reading->program->n_delegate_values - 1;
}

/* What a node reads and writes, in the order of its fields. */
static void add_operand(struct reading *reading, struct dg_flatbuffer_table node,
                        unsigned field, const char *access, int64_t pos)
{
    enum { SUFFIX = 3 }; /* "_id" */
    struct dg_delegate_operand_row *row = dg_add_delegate_operand(reading->program);
    const char *name = node.type->fields[field].name;
    uint32_t number;

    row->node = (int64_t)reading->program->n_delegate_nodes - 1;
    row->pos = pos;
    row->name = (struct dg_text){name, strlen(name) - SUFFIX};
    row->value_idx = dg_table_u32(node, field, 0);
    row->access = access;
    number = dg_int_set_find(&reading->ids, (uint64_t)row->value_idx);
    if (number == DG_NO_NUMBER)
        return;
    row->value = reading->values[number];
    if (*access == 'w' && reading->program->delegate_values[row->value].node == DG_NONE)
        reading->program->delegate_values[row->value].node = row->node;
}

static void read_operands(struct reading *reading, struct dg_flatbuffer_table node,
                          const struct dg_xnnpack_kind *kind)
{
    unsigned n_inputs = 0;
    int64_t pos = 0;

    for (unsigned i = 0; kind->roles[i]; i++) {
        bool maybe = kind->roles[i] == DG_XNN_MAYBE;

        if (kind->roles[i] != DG_XNN_INPUT && !maybe)
            continue;
        if (kind->n_inputs && n_inputs++ == kind->n_inputs)
            break;
        if (!maybe || dg_table_u32(node, i, 0) != DG_XNN_NO_ID)
            add_operand(reading, node, i, "read", pos++);
    }
    for (unsigned i = 0; kind->roles[i]; i++) {
        if (kind->roles[i] == DG_XNN_OUTPUT)
            add_operand(reading, node, i, "write", pos++);
    }
}

static struct dg_text args_of(struct reading *reading, struct dg_flatbuffer_table node,
                              const struct dg_xnnpack_kind *kind)
{
    struct dg_writer out = {0};
    const char *comma = "{";

    for (unsigned i = 0; kind->roles[i]; i++) {
        if (!strchr("nrl", kind->roles[i]))
            continue;
        dg_print(&out, "%s\"%s\":", comma, node.type->fields[i].name);
        comma = ",";
        if (kind->roles[i] == DG_XNN_NUMBER)
            dg_write_int(&out, dg_table_u32(node, i, 0));
        else if (kind->roles[i] == DG_XNN_REAL)
            dg_write_float(&out, dg_table_f32(node, i, 0));
        else if (dg_table_has(node, i))
            print_numbers(&out, dg_table_vector(node, i));
        else
            dg_print(&out, "null");
    }
    if (*comma == '{')
        return dg_text("{}");
    dg_print(&out, "}");
    return keep(reading, &out);
}

static uint32_t flags_of(struct dg_flatbuffer_table node,
                         const struct dg_xnnpack_kind *kind)
{
    const char *flags = strchr(kind->roles, DG_XNN_FLAGS);

    return dg_table_u32(node, (unsigned)(flags - kind->roles), 0);
}

static void read_node(struct reading *reading, struct dg_flatbuffer_table entry,
                      size_t idx)
{
    struct dg_arena *memory = &reading->program->memory;
    struct dg_flatbuffer_table node = dg_table_union(entry, XNN_NODE);
    struct dg_flatbuffer_table range = dg_table_table(entry, XNN_OUTPUT_RANGE);
    bool is_empty = !dg_table_has(entry, XNN_NODE);
    uint8_t type = is_empty ? 0 : dg_table_u8(entry, XNN_NODE_TYPE, 0);
    const struct dg_xnnpack_kind *kind = dg_xnnpack_kind(type);
    struct dg_delegate_node_row *row = dg_add_delegate_node(reading->program);

    row->graph = reading->graph;
    row->idx = (int64_t)idx;
    row->op = kind ? dg_text(kind->name) : dg_format(memory, "node<%d>", type);
    row->name = dg_format(memory, "%.*s_%zu", (int)row->op.size, row->op.data, idx);
    row->debug_handle = dg_table_u32(entry, XNN_DEBUG_HANDLE, 0);
    row->args = kind ? args_of(reading, node, kind) : dg_text("{}");
    if (range.at) {
        row->output_min = dg_any_real(dg_table_f32(range, XNN_OUTPUT_MIN, 0));
        row->output_max = dg_any_real(dg_table_f32(range, XNN_OUTPUT_MAX, 0));
    }
    if (!kind)
        return;
    row->flags = flags_of(node, kind);
    read_operands(reading, node, kind);
}

static void place(struct reading *reading, struct dg_delegate_constant_row *row,
                  struct dg_bytes bytes)
{
    if (reading->blob->file_offset != DG_NONE)
        row->file_offset =
            reading->blob->file_offset + (bytes.data - reading->blob->bytes.data);
}

static struct dg_delegate_constant_row *add_constant(struct reading *reading,
                                                     size_t idx)
{
    struct dg_delegate_constant_row *row = dg_add_delegate_constant(reading->program);

    row->graph = reading->graph;
    row->idx = (int64_t)idx;
    return row;
}

static void read_constant(struct reading *reading, struct dg_flatbuffer_table entry,
                          size_t idx)
{
    struct dg_delegate_constant_row *row = add_constant(reading, idx);
    uint64_t offset = dg_table_u64(entry, XNN_OFFSET, 0);
    uint64_t size = dg_table_u64(entry, XNN_SIZE, 0);

    row->nbytes = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    row->key = dg_pte_utf8(reading->program, dg_table_string(entry, XNN_KEY));
    if (row->key.data)
        return;
    row->offset = offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
    if (dg_inside(offset, size, reading->parts.data.size))
        place(reading, row,
              dg_slice(reading->parts.data, (size_t)offset, (size_t)size));
}

/* Of blobs without a header. */
static void read_buffer(struct reading *reading, struct dg_flatbuffer_table buffer,
                        size_t idx)
{
    struct dg_delegate_constant_row *row = add_constant(reading, idx);
    struct dg_vector bytes = dg_table_vector(buffer, 0);

    row->nbytes = (int64_t)bytes.n;
    if (bytes.at)
        place(reading, row, (struct dg_bytes){bytes.at, bytes.n});
}

/* What is behind the list, or before its first constant, stands for none. */
static void read_constants(struct reading *reading, struct dg_flatbuffer_table root)
{
    struct dg_vector data = dg_table_vector(root, XNN_CONSTANT_DATA);
    struct dg_vector buffers = dg_table_vector(root, XNN_CONSTANT_BUFFER);

    for (size_t i = 1; reading->parts.has_header && i < data.n; i++)
        read_constant(reading, dg_vector_table(data, i), i);
    for (size_t i = 1; !reading->parts.has_header && i < buffers.n; i++)
        read_buffer(reading, dg_vector_table(buffers, i), i);
}

static struct dg_text meta_of(struct reading *reading, struct dg_bytes bytes,
                              struct dg_flatbuffer_table root)
{
    struct dg_writer out = {0};

    dg_print(&out, "{\"identifier\":\"%.4s\",\"container\":\"%s\",\"version\":",
             (const char *)bytes.data + 4, reading->parts.has_header ? "XH00" : "bare");
    dg_write_json(&out, dg_table_string(root, XNN_VERSION));
    dg_print(&out, ",\"constant_bytes\":%zu,\"num_externs\":%" PRIu32 ",\"input_ids\":",
             reading->parts.data.size, dg_table_u32(root, XNN_NUM_EXTERNS, 0));
    print_numbers(&out, dg_table_vector(root, XNN_INPUT_IDS));
    dg_print(&out, ",\"output_ids\":");
    print_numbers(&out, dg_table_vector(root, XNN_OUTPUT_IDS));
    dg_print(&out, "}");
    return keep(reading, &out);
}

static void read_rows(struct reading *reading, struct dg_bytes bytes)
{
    struct dg_program *program = reading->program;
    struct dg_flatbuffer_table root = dg_flatbuffer_root(bytes, &dg_xnnpack_graph);
    struct dg_vector values = dg_table_vector(root, XNN_VALUES);
    struct dg_vector nodes = dg_table_vector(root, XNN_NODES);
    struct dg_delegate_graph_row *graph = &program->delegate_graphs[reading->graph];

    graph->meta = meta_of(reading, bytes, root);
    graph->first_value = program->n_delegate_values;
    graph->first_constant = program->n_delegate_constants;
    for (size_t i = 0; i < values.n; i++)
        read_value(reading, dg_vector_table(values, i));
    for (size_t i = 0; i < nodes.n; i++)
        read_node(reading, dg_vector_table(nodes, i), i);
    read_constants(reading, root);
    graph->n_values = program->n_delegate_values - graph->first_value;
    graph->n_constants = program->n_delegate_constants - graph->first_constant;
}

static enum dg_status read_blob(const struct dg_blob *blob, struct dg_program *program,
                                struct dg_error *err)
{
    struct reading reading = {program, (int64_t)program->n_delegate_graphs - 1,
                              .blob = blob};
    size_t n_unknown;
    enum dg_status status =
        dg_blob_find_parts(blob->bytes, "XH00", &reading.parts, err);

    if (!status)
        status = check_graph(blob, reading.parts.graph, &n_unknown, err);
    if (status)
        return status;
    if (n_unknown)
        dg_remark(
            program, "format/unknown-field",
            "%zu fields of an XNNPACK blob are newer than the schema that is known"
            " here",
            n_unknown);
    read_rows(&reading, reading.parts.graph);
    dg_int_set_clear(&reading.ids);
    free(reading.values);
    return DG_OK;
}

const struct dg_blob_reader dg_blob_reader_xnnpack = {"XnnpackBackend", "xnnpack", true,
                                                      read_blob};
