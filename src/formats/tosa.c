/* Blobs of TOSABackend: TosaGraph of Arm's tosa.fbs, version 1.1 and what came since.
 * Blocks come one behind the other; in each, tensors and shapes have names. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "formats/blob_rows.h"
#include "formats/flatbuffer_fields.h"
#include "formats/flatbuffer_json.h"
#include "formats/pte.h"

static const struct dg_table_type plain = {"Attribute", NULL, 0};
TYPE(along, "Attribute", INT("axis", 4, 0));
TYPE(along_nan, "Attribute", INT("axis", 4, 0), INT("nan_mode", 4, 0));
TYPE(nan_only, "Attribute", INT("nan_mode", 4, 0));
TYPE(accumulate, "Attribute", INT("acc_type", 4, 0));
TYPE(average, "AvgPool2dAttribute", INTS("kernel", 4), INTS("stride", 4),
     INTS("pad", 4), INT("acc_type", 4, 0));
TYPE(maximum, "MaxPool2dAttribute", INTS("kernel", 4), INTS("stride", 4),
     INTS("pad", 4), INT("nan_mode", 4, 0));
TYPE(conv, "ConvAttribute", INTS("pad", 4), INTS("stride", 4), INTS("dilation", 4),
     BOOL("local_bound", 0), INT("acc_type", 4, 0));
TYPE(transposed, "TransposeConv2dAttribute", INTS("out_pad", 4), INTS("stride", 4),
     BOOL("local_bound", 0), INT("acc_type", 4, 0));
TYPE(fft, "FFT2dAttribute", BOOL("inverse", 0), BOOL("local_bound", 0));
TYPE(rfft, "RFFT2dAttribute", BOOL("local_bound", 0));
TYPE(clamp, "ClampAttribute", VECTOR("min_val", 1), VECTOR("max_val", 1),
     INT("nan_mode", 4, 0));
TYPE(shift, "ArithmeticRightShiftAttribute", BOOL("round", 0));
TYPE(permute, "TransposeAttribute", INTS("perms", 4));
TYPE(resize, "ResizeAttribute", INT("mode", 4, 0));
TYPE(rescale, "RescaleAttribute", BOOL("scale32", 0), INT("rounding_mode", 4, 0),
     BOOL("per_channel", 0), BOOL("input_unsigned", 0), BOOL("output_unsigned", 0));
TYPE(custom, "CustomAttribute", STRING("operator_name"), STRING("domain_name"),
     VECTOR("implementation_attrs", 1));
TYPE(cond, "CondIfAttribute", STRING("then_graph"), STRING("else_graph"));
TYPE(loop, "WhileLoopAttribute", STRING("cond_graph"), STRING("body_graph"));
TYPE(block, "Attribute", INT("block_size", 4, 0));
TYPE(same_shape, "AssertEqualShapeAttribute", BOOL("allow_broadcast", 0));
enum { CLAMP_LEAST, CLAMP_MOST };

static const struct dg_table_type *const attributes[] = {
    NULL,
#define OP(name, attribute) &attribute,
#include "formats/tosa_ops.def"
#undef OP
};

static const char *const ops[] = {
    NULL,
#define OP(name, attribute) #name,
#include "formats/tosa_ops.def"
#undef OP
};

TYPE(location, "OpLocation", STRING("text"));
TYPE(operator, "TosaOperator", SCALAR("op", 4), SCALAR("attribute_type", 1),
     UNION("attribute", attributes), STRINGS("inputs"), STRINGS("outputs"),
     CHILD("location", location));
enum { OP_KIND, OP_ATTRIBUTE = 2, OP_INPUTS, OP_OUTPUTS };

TYPE(tensor, "TosaTensor", STRING("name"), VECTOR("shape", 4), SCALAR("type", 4),
     VECTOR("data", 1), BOOL("variable", 0), BOOL("is_unranked", 0),
     STRING("variable_name"), SCALAR("offset", 8), SCALAR("size", 8),
     SCALAR("scale_type", 4), VECTOR("scale_data", 1), SCALAR("block_shape", 4),
     SCALAR("scale_offset", 8), SCALAR("scale_size", 8));
enum { TENSOR_NAME, TENSOR_SHAPE, TENSOR_TYPE, TENSOR_DATA, TENSOR_UNRANKED = 5 };

TYPE(shape, "TosaShape", STRING("name"), SCALAR("rank", 4), VECTOR("data", 1));
enum { SHAPE_NAME, SHAPE_RANK, SHAPE_DATA };

TYPE(basic_block, "TosaBasicBlock", STRING("name"), CHILDREN("operators", operator),
     CHILDREN("tensors", tensor), STRINGS("inputs"), STRINGS("outputs"),
     CHILDREN("shapes", shape));
enum { BLOCK_NAME, OPERATORS, TENSORS, INPUTS, OUTPUTS, SHAPES };

TYPE(region, "TosaRegion", STRING("name"), CHILDREN("blocks", basic_block));
enum { REGION_NAME, REGION_BLOCKS };

TYPE(version, "Version", INT("_major", 4, -1), INT("_minor", 4, -1),
     INT("_patch", 4, -1), BOOL("_draft", 1));
TYPE(software, "SoftwareVersion", INT("_major", 4, -1), INT("_minor", 4, -1),
     INT("_micro", 4, -1), STRING("_modifier"));
TYPE(compatibility, "SerializationCompatibility", CHILD("min_reader_version", software),
     SCALAR("features", 8));
TYPE(graph, "TosaGraph", CHILD("version", version), CHILDREN("regions", region),
     CHILD("software_version", software), CHILD("compatibility", compatibility));
enum { VERSION, REGIONS };

struct reading {
    struct dg_blob_rows rows;
    struct dg_text_set names; /* of the block */
    int64_t n_before;         /* values of the blocks before it */
    int64_t n_constants;
    bool is_first; /* its inputs and outputs are those of the blob */
};

/* DType, and the types of it that lie as elsewhere. */
static const struct {
    const char *name, *dtype;
} types[] = {{"UNKNOWN", NULL},     {"BOOL", "bool"},          {"INT4", "i4"},
             {"INT8", "i8"},        {"INT16", "i16"},          {"INT32", "i32"},
             {"INT48", NULL},       {"FP32", "f32"},           {"FP16", "f16"},
             {"BF16", "bf16"},      {"SHAPE", NULL},           {"FP8E4M3", "f8e4m3fn"},
             {"FP8E5M2", "f8e5m2"}, {"FP6E2M3", NULL},         {"FP6E3M2", NULL},
             {"FP4E2M1", NULL},     {"FP8UE8M0", "f8e8m0fnu"}, {"INT64", "i64"},
             {"MXINT8", NULL}};

static int64_t number_of(struct reading *reading, struct dg_text name)
{
    return reading->n_before + dg_text_set_add(&reading->names, name);
}

static struct dg_blob_ref ref_of(struct reading *reading, struct dg_text name)
{
    return (struct dg_blob_ref){number_of(reading, name), name};
}

static void set_type(struct reading *reading, struct dg_delegate_value_row *row,
                     uint32_t type, int64_t n_elements)
{
    const char *dtype;

    if (type >= sizeof(types) / sizeof(*types)) {
        row->datatype =
            dg_format(&reading->rows.program->memory, "datatype<%" PRIu32 ">", type);
        return;
    }
    row->datatype = dg_text(types[type].name);
    dtype = types[type].dtype;
    dg_blob_set_type(row, dtype ? dg_dtype_of_name(dg_text(dtype)) : NULL, n_elements);
    row->dtype = dtype;
}

static struct dg_delegate_value_row *add_value(struct reading *reading,
                                               struct dg_text name)
{
    struct dg_delegate_value_row *row =
        dg_blob_add_value(&reading->rows, number_of(reading, name));

    row->name = dg_pte_utf8(reading->rows.program, name);
    return row;
}

static void read_tensor(struct reading *reading, struct dg_flatbuffer_table from)
{
    struct dg_delegate_value_row *row =
        add_value(reading, dg_table_string(from, TENSOR_NAME));
    struct dg_vector sizes = dg_table_vector(from, TENSOR_SHAPE);
    bool is_unranked = dg_table_u8(from, TENSOR_UNRANKED, 0);
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};
    int64_t n_elements = is_unranked ? -1 : 1;

    dg_put_array(&json, NULL);
    for (size_t i = 0; i < sizes.n; i++)
        dg_blob_put_size(&json, &n_elements, (int32_t)dg_u32(sizes.at + 4 * i));
    dg_put_end(&json);
    row->shape = dg_blob_keep(&reading->rows, &json);
    if (is_unranked)
        row->shape = (struct dg_text){0};
    set_type(reading, row, dg_table_u32(from, TENSOR_TYPE, 0), n_elements);
}

/* A shape is a value, too: a list of numbers of 8 bytes. */
static void read_shape(struct reading *reading, struct dg_flatbuffer_table from)
{
    struct dg_delegate_value_row *row =
        add_value(reading, dg_table_string(from, SHAPE_NAME));

    row->shape = dg_format(&reading->rows.program->memory, "[%" PRIu32 "]",
                           dg_table_u32(from, SHAPE_RANK, 0));
    row->datatype = dg_text("SHAPE");
}

/* What a CONST gives lies with the tensor; its row is the one that the CONST wrote. */
static void read_constant(struct reading *reading, int64_t row, struct dg_vector data)
{
    struct dg_delegate_value_row *value = &reading->rows.program->delegate_values[row];
    struct dg_delegate_constant_row *constant;

    if (!data.n)
        return;
    constant = dg_blob_add_constant(&reading->rows, reading->n_constants,
                                    (struct dg_bytes){data.at, data.n});
    constant->nbytes = (int64_t)data.n;
    value->constant_idx = reading->n_constants++;
    if (value->nbytes == DG_NONE)
        value->nbytes = constant->nbytes;
}

static void read_constants(struct reading *reading, int64_t first_row,
                           struct dg_vector tensors, struct dg_vector shapes)
{
    for (size_t i = 0; i < tensors.n; i++)
        read_constant(reading, first_row + (int64_t)i,
                      dg_table_vector(dg_vector_table(tensors, i), TENSOR_DATA));
    for (size_t i = 0; i < shapes.n; i++)
        read_constant(reading, first_row + (int64_t)(tensors.n + i),
                      dg_table_vector(dg_vector_table(shapes, i), SHAPE_DATA));
}

/* The bound of a clamp, as the element that it is. */
static struct dg_any bound(struct dg_vector bytes, const char *dtype)
{
    struct dg_any value = {0};

    if (!dtype)
        return value;
    if (!strcmp(dtype, "f32") && bytes.n == 4)
        return dg_any_real(dg_f32(bytes.at));
    if (!strcmp(dtype, "f16") && bytes.n == 2)
        return dg_any_real(dg_f16_value(dg_u16(bytes.at)));
    if (!strcmp(dtype, "bf16") && bytes.n == 2)
        return dg_any_real(dg_bf16_value(dg_u16(bytes.at)));
    if (!strcmp(dtype, "i8") && bytes.n == 1)
        return dg_any_real((int8_t)*bytes.at);
    if (!strcmp(dtype, "i16") && bytes.n == 2)
        return dg_any_real((int16_t)dg_u16(bytes.at));
    return value;
}

static void set_range(struct reading *reading, struct dg_delegate_node_row *row,
                      struct dg_flatbuffer_table attribute, struct dg_vector outputs)
{
    int64_t value =
        outputs.n ? dg_blob_value(&reading->rows,
                                  number_of(reading, dg_vector_string(outputs, 0)))
                  : DG_NONE;
    const char *dtype =
        value == DG_NONE ? NULL : reading->rows.program->delegate_values[value].dtype;

    row->output_min = bound(dg_table_vector(attribute, CLAMP_LEAST), dtype);
    row->output_max = bound(dg_table_vector(attribute, CLAMP_MOST), dtype);
}

static void
add_operands(struct reading *reading, const char *prefix, struct dg_vector names,
             void (*add)(struct dg_blob_rows *, struct dg_text, struct dg_blob_ref))
{
    for (size_t i = 0; i < names.n && dg_blob_spend(&reading->rows, 1); i++)
        add(&reading->rows,
            dg_format(&reading->rows.program->memory, "%s%zu", prefix, i),
            ref_of(reading, dg_vector_string(names, i)));
}

static void read_operator(struct reading *reading, struct dg_flatbuffer_table from)
{
    uint32_t kind = dg_table_u32(from, OP_KIND, 0);
    bool is_known = kind && kind < sizeof(ops) / sizeof(*ops);
    struct dg_flatbuffer_table attribute = dg_table_union(from, OP_ATTRIBUTE);
    struct dg_vector outputs = dg_table_strings(from, OP_OUTPUTS);
    struct dg_delegate_node_row *row = dg_blob_add_node(
        &reading->rows, is_known ? dg_text(ops[kind]) : (struct dg_text){0}, kind);
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    if (dg_blob_spend(&reading->rows, sizeof(uint32_t)))
        dg_put_fields(&json, attribute);
    dg_put_end(&json);
    row->args = dg_blob_keep(&reading->rows, &json);
    if (attribute.type == &clamp)
        set_range(reading, row, attribute, outputs);
    add_operands(reading, "input", dg_table_strings(from, OP_INPUTS), dg_blob_read);
    add_operands(reading, "output", outputs, dg_blob_write);
}

static void pass_all(struct reading *reading, struct dg_vector names, int64_t flag)
{
    const char *what = flag == DG_BLOB_INPUT ? "a block's input" : "a block's output";

    for (size_t i = 0; i < names.n; i++) {
        struct dg_blob_ref ref = ref_of(reading, dg_vector_string(names, i));

        if (reading->is_first)
            dg_blob_pass(&reading->rows, ref, flag);
        else
            dg_blob_expect(&reading->rows, what, i, ref);
    }
}

static void read_block(struct reading *reading, struct dg_flatbuffer_table from)
{
    struct dg_vector operators = dg_table_vector(from, OPERATORS);
    struct dg_vector tensors = dg_table_vector(from, TENSORS);
    struct dg_vector shapes = dg_table_vector(from, SHAPES);
    int64_t first_row = (int64_t)reading->rows.program->n_delegate_values;

    for (size_t i = 0; i < tensors.n; i++)
        read_tensor(reading, dg_vector_table(tensors, i));
    for (size_t i = 0; i < shapes.n; i++)
        read_shape(reading, dg_vector_table(shapes, i));
    pass_all(reading, dg_table_strings(from, INPUTS), DG_BLOB_INPUT);
    for (size_t i = 0; i < operators.n; i++)
        read_operator(reading, dg_vector_table(operators, i));
    pass_all(reading, dg_table_strings(from, OUTPUTS), DG_BLOB_OUTPUT);
    read_constants(reading, first_row, tensors, shapes);
    reading->n_before += reading->names.n_texts;
    dg_text_set_clear(&reading->names);
    reading->names = (struct dg_text_set){0};
    reading->is_first = false;
}

static void put_regions(struct dg_json_writer *json, struct dg_vector regions)
{
    dg_put_array(json, "regions");
    for (size_t i = 0; i < regions.n; i++)
        dg_put_text(json, NULL,
                    dg_table_string(dg_vector_table(regions, i), REGION_NAME));
    dg_put_end(json);
}

static struct dg_text meta_of(struct reading *reading, struct dg_flatbuffer_table root)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_object(&json, "version");
    dg_put_fields(&json, dg_table_table(root, VERSION));
    dg_put_end(&json);
    put_regions(&json, dg_table_vector(root, REGIONS));
    dg_put_end(&json);
    return dg_blob_keep(&reading->rows, &json);
}

static void read_regions(struct reading *reading, struct dg_vector regions)
{
    for (size_t i = 0; i < regions.n; i++) {
        struct dg_vector blocks =
            dg_table_vector(dg_vector_table(regions, i), REGION_BLOCKS);

        for (size_t k = 0; k < blocks.n; k++)
            read_block(reading, dg_vector_table(blocks, k));
    }
}

static enum dg_status read_blob(const struct dg_blob *blob, struct dg_program *program,
                                struct dg_error *err)
{
    enum { LEAST_BYTES = 8 };
    struct reading reading = {.is_first = true};
    struct dg_flatbuffer_table root;
    size_t n_unknown;
    enum dg_status status;

    if (blob->bytes.size < LEAST_BYTES || memcmp(blob->bytes.data + 4, "TOSA", 4))
        return dg_fail(err, DG_ERR_FORMAT, "byte 4: the identifier TOSA is missing");
    status = dg_blob_verify(blob, blob->bytes, &graph, &n_unknown, err);
    if (status)
        return status;
    dg_blob_rows_begin(&reading.rows, blob, program);
    reading.rows.n_unknown = n_unknown;
    root = dg_flatbuffer_root(blob->bytes, &graph);
    program->delegate_graphs[reading.rows.graph].meta = meta_of(&reading, root);
    read_regions(&reading, dg_table_vector(root, REGIONS));
    dg_blob_rows_end(&reading.rows);
    return DG_OK;
}

const struct dg_blob_reader dg_blob_reader_tosa = {"TOSABackend", "tosa", false,
                                                   read_blob};
