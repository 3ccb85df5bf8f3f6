/* Blobs of VulkanBackend: VkGraph of ExecuTorch's schema.fbs, behind a header or bare.
 * Values are tensors, numbers that are known late, and constants of the calls: those
 * are arguments of the nodes here. */
#include <inttypes.h>
#include <string.h>

#include "formats/blob_frame.h"
#include "formats/blob_rows.h"
#include "formats/flatbuffer_fields.h"
#include "formats/flatbuffer_json.h"
#include "formats/pte.h"

TYPE(call, "OperatorCall", INT("node_id", 4, 0), STRING("name"), INTS("args", 4));
enum { STEP_ID, STEP_NAME, STEP_ARGS };

TYPE(tensor, "VkTensor", SCALAR("datatype", 1), VECTOR("dims", 4),
     INT("constant_id", 4, 0), INT("mem_obj_id", 4, 0), INT("storage_type", 1, -1),
     INT("memory_layout", 1, -1), SCALAR("staging_datatype", 1));
enum { TENSOR_TYPE, TENSOR_DIMS, TENSOR_CONSTANT };

static const struct dg_table_type null = {"Null", NULL, 0};
TYPE(integer, "Int", INT("int_val", 8, 0));
TYPE(truth, "Bool", BOOL("bool_val", 0));
TYPE(real, "Double", REAL("double_val", 8, 0));
TYPE(ints, "IntList", INTS("items", 8));
TYPE(reals, "DoubleList", REALS("items", 8));
TYPE(truths, "BoolList", BOOLS("items"));
TYPE(list, "ValueList", VECTOR("items", 4));
TYPE(text, "String", STRING("string_val"));
TYPE(late, "SymInt", INT("value", 4, 0));
static const struct dg_table_type *const contents[] = {
    NULL,  &null,  &integer, &real, &truth, &tensor,
    &ints, &reals, &truths,  &list, &text,  &late};

TYPE(value, "VkValue", SCALAR("value_type", 1), UNION("value", contents));
enum { VALUE_TYPE, VALUE_CONTENT };

TYPE(bytes, "VkBytes", SCALAR("offset", 8), SCALAR("length", 8), STRING("named_key"));
enum { BYTES_OFFSET, BYTES_LENGTH, BYTES_KEY };

TYPE(graph, "VkGraph", STRING("version"), CHILDREN("chain", call),
     CHILDREN("values", value), VECTOR("input_ids", 4), VECTOR("output_ids", 4),
     CHILDREN("constants", bytes), CHILDREN("shaders", bytes),
     INT("storage_type_override", 1, -1), INT("memory_layout_override", 1, -1));
enum { VERSION, CHAIN, VALUES, INPUT_IDS, OUTPUT_IDS, CONSTANTS, SHADERS };

struct reading {
    struct dg_blob_rows rows;
    struct dg_blob_parts parts;
    struct dg_vector values;
};

/* VkDataType. */
static const struct {
    const char *name, *dtype;
} types[] = {{"BOOL", "bool"},   {"UINT8", "u8"},    {"INT8", "i8"},
             {"INT32", "i32"},   {"FLOAT16", "f16"}, {"FLOAT32", "f32"},
             {"FLOAT64", "f64"}, {"INT64", "i64"}};

static void set_type(struct reading *reading, struct dg_delegate_value_row *row,
                     uint8_t number, int64_t n_elements)
{
    if (number >= sizeof(types) / sizeof(*types)) {
        row->datatype =
            dg_format(&reading->rows.program->memory, "datatype<%d>", (int8_t)number);
        return;
    }
    row->datatype = dg_text(types[number].name);
    dg_blob_set_type(row, dg_dtype_of_name(dg_text(types[number].dtype)), n_elements);
}

static void read_tensor(struct reading *reading, struct dg_flatbuffer_table from,
                        size_t idx)
{
    struct dg_delegate_value_row *row = dg_blob_add_value(&reading->rows, (int64_t)idx);
    struct dg_vector dims = dg_table_vector(from, TENSOR_DIMS);
    int32_t constant = dg_table_i32(from, TENSOR_CONSTANT, 0);
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};
    int64_t n_elements = 1;

    dg_put_array(&json, NULL);
    for (size_t i = 0; i < dims.n; i++)
        dg_blob_put_size(&json, &n_elements, dg_u32(dims.at + 4 * i));
    dg_put_end(&json);
    row->shape = dg_blob_keep(&reading->rows, &json);
    set_type(reading, row, dg_table_u8(from, TENSOR_TYPE, 0), n_elements);
    if (constant >= 0)
        row->constant_idx = constant;
}

static bool is_newer(struct dg_flatbuffer_table from)
{
    return dg_table_u8(from, VALUE_TYPE, 0) >= sizeof(contents) / sizeof(*contents);
}

static void read_values(struct reading *reading)
{
    for (size_t i = 0; i < reading->values.n; i++) {
        struct dg_flatbuffer_table from = dg_vector_table(reading->values, i);
        struct dg_flatbuffer_table content = dg_table_union(from, VALUE_CONTENT);

        if (content.type == &tensor)
            read_tensor(reading, content, i);
        else if (content.type == &late)
            dg_blob_add_value(&reading->rows, (int64_t)i)->datatype = dg_text("SymInt");
        reading->rows.n_unknown += is_newer(from);
    }
}

static struct dg_flatbuffer_table value_of(const struct reading *reading, int32_t idx)
{
    if (idx < 0 || (size_t)idx >= reading->values.n)
        return (struct dg_flatbuffer_table){0};
    return dg_vector_table(reading->values, (size_t)idx);
}

/* So is what names no value, for rules to tell. */
static bool is_operand(struct dg_flatbuffer_table value)
{
    struct dg_flatbuffer_table content = dg_table_union(value, VALUE_CONTENT);

    return content.at ? content.type == &tensor || content.type == &late
                      : !is_newer(value);
}

static uint64_t cost_of(struct dg_flatbuffer_table content)
{
    return content.type->fields[0].kind == DG_FIELD_VECTOR
               ? dg_table_vector(content, 0).n
           : content.type->fields[0].kind == DG_FIELD_STRING
               ? dg_table_string(content, 0).size
               : 1;
}

/* What is no operand is an argument. Calls share values, and none takes a list of
 * lists. */
static void put_constant(struct reading *reading, struct dg_json_writer *json,
                         struct dg_flatbuffer_table content)
{
    if (!content.at || content.type == &null || content.type == &list ||
        !dg_blob_spend(&reading->rows, cost_of(content)))
        dg_put_null(json, NULL);
    else
        dg_put_content(json, content, 0);
}

/* What a call has as one of its arguments; the last one is what it writes. */
struct argument {
    struct dg_text name;
    bool writes;
};

static void add_operand(struct reading *reading, struct argument argument, int32_t idx)
{
    (argument.writes ? dg_blob_write : dg_blob_read)(&reading->rows, argument.name,
                                                     (struct dg_blob_ref){.idx = idx});
}

/* Which operand of the node stands at that place of a list. */
static void put_operand(struct reading *reading, struct dg_json_writer *json)
{
    dg_put_object(json, NULL);
    dg_put_int(json, "operand", reading->rows.n_operands);
    dg_put_end(json);
}

static bool has_constants(const struct reading *reading, struct dg_vector items)
{
    for (size_t i = 0; i < items.n; i++) {
        if (!is_operand(value_of(reading, (int32_t)dg_u32(items.at + 4 * i))))
            return true;
    }
    return false;
}

/* Items are operands of the node. Where some are not, the list is told, too. */
static void read_list(struct reading *reading, struct dg_json_writer *json,
                      struct argument argument, struct dg_vector items)
{
    bool is_told;

    if (!dg_blob_spend(&reading->rows, items.n))
        return;
    is_told = has_constants(reading, items);
    if (is_told) {
        dg_put_name(json, argument.name);
        dg_put_array(json, NULL);
    }
    for (size_t i = 0; i < items.n; i++) {
        int32_t idx = (int32_t)dg_u32(items.at + 4 * i);
        struct dg_flatbuffer_table value = value_of(reading, idx);

        if (!is_operand(value)) {
            put_constant(reading, json, dg_table_union(value, VALUE_CONTENT));
            continue;
        }
        if (is_told)
            put_operand(reading, json);
        add_operand(reading, argument, idx);
    }
    if (is_told)
        dg_put_end(json);
}

static void read_argument(struct reading *reading, struct dg_json_writer *json,
                          struct argument argument, int32_t idx)
{
    struct dg_flatbuffer_table value = value_of(reading, idx);
    struct dg_flatbuffer_table content = dg_table_union(value, VALUE_CONTENT);

    if (is_operand(value)) {
        add_operand(reading, argument, idx);
    } else if (content.type == &list) {
        read_list(reading, json, argument, dg_table_vector(content, 0));
    } else {
        dg_put_name(json, argument.name);
        put_constant(reading, json, content);
    }
}

static void read_call(struct reading *reading, struct dg_flatbuffer_table from)
{
    struct dg_program *program = reading->rows.program;
    struct dg_text name = dg_pte_utf8(program, dg_table_string(from, STEP_NAME));
    struct dg_delegate_node_row *row =
        dg_blob_add_node(&reading->rows, name.data ? name : dg_text(""), 0);
    struct dg_vector args = dg_table_vector(from, STEP_ARGS);
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    for (size_t i = 0; i < args.n; i++) {
        struct argument argument = {.name = dg_text("out"), .writes = i + 1 == args.n};

        if (!argument.writes)
            argument.name = dg_format(&program->memory, "arg%zu", i);
        read_argument(reading, &json, argument, (int32_t)dg_u32(args.at + 4 * i));
    }
    dg_put_end(&json);
    row->args = dg_blob_keep(&reading->rows, &json);
}

static void read_constant(struct reading *reading, struct dg_flatbuffer_table from,
                          size_t idx)
{
    uint64_t offset = dg_table_u64(from, BYTES_OFFSET, 0);
    uint64_t length = dg_table_u64(from, BYTES_LENGTH, 0);
    struct dg_text key =
        dg_pte_utf8(reading->rows.program, dg_table_string(from, BYTES_KEY));
    struct dg_delegate_constant_row *row;
    struct dg_bytes where = {0};

    if (!key.size && dg_inside(offset, length, reading->parts.data.size))
        where = dg_slice(reading->parts.data, (size_t)offset, (size_t)length);
    row = dg_blob_add_constant(&reading->rows, (int64_t)idx, where);
    row->nbytes = length > INT64_MAX ? INT64_MAX : (int64_t)length;
    row->key = key.size ? key : (struct dg_text){0};
    if (!key.size)
        row->offset = offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
}

static struct dg_text meta_of(struct reading *reading, struct dg_flatbuffer_table root)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_text(&json, "container",
                dg_text(reading->parts.has_header ? "VH00" : "bare"));
    dg_put_fields(&json, root);
    dg_put_int(&json, "constant_bytes", (int64_t)reading->parts.data.size);
    dg_put_int(&json, "shaders", (int64_t)dg_table_vector(root, SHADERS).n);
    dg_put_end(&json);
    return dg_blob_keep(&reading->rows, &json);
}

static void pass_all(struct reading *reading, struct dg_vector ids, int64_t flag)
{
    for (size_t i = 0; i < ids.n; i++) {
        uint32_t id = dg_u32(ids.at + 4 * i);

        if (is_operand(value_of(reading, (int32_t)id)))
            dg_blob_pass(&reading->rows, (struct dg_blob_ref){.idx = id}, flag);
        else
            reading->rows.n_external++; /* known before, or newer: it has no row */
    }
}

static void read_rows(struct reading *reading, struct dg_flatbuffer_table root)
{
    struct dg_vector chain = dg_table_vector(root, CHAIN);
    struct dg_vector constants = dg_table_vector(root, CONSTANTS);

    reading->values = dg_table_vector(root, VALUES);
    read_values(reading);
    pass_all(reading, dg_table_vector(root, INPUT_IDS), DG_BLOB_INPUT);
    for (size_t i = 0; i < chain.n; i++)
        read_call(reading, dg_vector_table(chain, i));
    pass_all(reading, dg_table_vector(root, OUTPUT_IDS), DG_BLOB_OUTPUT);
    for (size_t i = 0; i < constants.n; i++)
        read_constant(reading, dg_vector_table(constants, i), i);
}

static enum dg_status read_blob(const struct dg_blob *blob, struct dg_program *program,
                                struct dg_error *err)
{
    struct reading reading = {0};
    enum dg_status status =
        dg_blob_find_parts(blob->bytes, "VH00", &reading.parts, err);
    struct dg_flatbuffer_table root;
    size_t n_unknown;

    if (!status && memcmp(reading.parts.graph.data + 4, "VK00", 4))
        status = dg_fail(err, DG_ERR_FORMAT,
                         "byte 4 of its graph: the identifier VK00 is missing");
    if (!status)
        status = dg_blob_verify(blob, reading.parts.graph, &graph, &n_unknown, err);
    if (status)
        return status;
    dg_blob_rows_begin(&reading.rows, blob, program);
    reading.rows.n_unknown = n_unknown;
    root = dg_flatbuffer_root(reading.parts.graph, &graph);
    program->delegate_graphs[reading.rows.graph].meta = meta_of(&reading, root);
    read_rows(&reading, root);
    dg_blob_rows_end(&reading.rows);
    return DG_OK;
}

const struct dg_blob_reader dg_blob_reader_vulkan = {"VulkanBackend", "vulkan", false,
                                                     read_blob};
