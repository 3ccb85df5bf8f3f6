/* The tables of an XNNPACK blob, its kinds of nodes and its types of elements. */
#include "formats/xnnpack_schema.h"

#include "formats/flatbuffer_fields.h"

#define NUMBER(name) SCALAR(name, 4)
#define LIST(name) VECTOR(name, 4)

TYPE(unary, "_XNNNode1x1", NUMBER("input_id"), NUMBER("output_id"), NUMBER("flags"));
TYPE(binary, "_XNNNode2x1", NUMBER("input1_id"), NUMBER("input2_id"),
     NUMBER("output_id"), NUMBER("flags"));
TYPE(cat, "_XNNCat", NUMBER("axis"), NUMBER("input1_id"), NUMBER("input2_id"),
     NUMBER("input3_id"), NUMBER("input4_id"), NUMBER("output_id"), NUMBER("flags"),
     NUMBER("input5_id"));
TYPE(elu, "XNNELU", NUMBER("alpha"), NUMBER("input_id"), NUMBER("output_id"),
     NUMBER("flags"));
TYPE(leaky_relu, "XNNLeakyReLU", NUMBER("negative_slope"), NUMBER("input_id"),
     NUMBER("output_id"), NUMBER("flags"));
TYPE(linear, "XNNFullyConnected", NUMBER("input1_id"), NUMBER("filter_id"),
     NUMBER("bias_id"), NUMBER("output_id"), NUMBER("flags"));
TYPE(conv, "_XNNNodeConv", NUMBER("padding_top"), NUMBER("padding_right"),
     NUMBER("padding_bottom"), NUMBER("padding_left"), NUMBER("kernel_height"),
     NUMBER("kernel_width"), NUMBER("subsampling_height"), NUMBER("subsampling_width"),
     NUMBER("dilation_height"), NUMBER("dilation_width"),
     NUMBER("group_input_channels"), NUMBER("group_output_channels"), NUMBER("groups"),
     NUMBER("adjustment_height"), NUMBER("adjustment_width"), NUMBER("input1_id"),
     NUMBER("filter_id"), NUMBER("bias_id"), NUMBER("output_id"), NUMBER("flags"));
TYPE(pool, "_XNNPooling2D", NUMBER("padding_top"), NUMBER("padding_right"),
     NUMBER("padding_bottom"), NUMBER("padding_left"), NUMBER("pooling_height"),
     NUMBER("pooling_width"), NUMBER("stride_height"), NUMBER("stride_width"),
     NUMBER("dilation_height"), NUMBER("dilation_width"), NUMBER("input_id"),
     NUMBER("output_id"), NUMBER("flags"));
TYPE(argmax, "XNNArgMaxPooling2d", NUMBER("padding_top"), NUMBER("padding_right"),
     NUMBER("padding_bottom"), NUMBER("padding_left"), NUMBER("pooling_height"),
     NUMBER("pooling_width"), NUMBER("input_id"), NUMBER("output_value_id"),
     NUMBER("output_index_id"), NUMBER("flags"));
TYPE(transpose, "XNNStaticTranspose", NUMBER("num_dims"), LIST("perm"),
     NUMBER("input_id"), NUMBER("output_id"), NUMBER("flags"));
TYPE(reshape, "XNNStaticReshape", NUMBER("num_dims"), LIST("new_shape"),
     NUMBER("input_id"), NUMBER("output_id"), NUMBER("flags"));
TYPE(slice, "XNNStaticSlice", NUMBER("num_dims"), LIST("offsets"), LIST("sizes"),
     NUMBER("input_id"), NUMBER("output_id"), NUMBER("flags"));
TYPE(pad, "XNNStaticConstantPad", LIST("pre_paddings"), LIST("post_paddings"),
     NUMBER("padding_value"), NUMBER("input_id"), NUMBER("output_id"), NUMBER("flags"));
TYPE(resize, "XNNStaticResizeBilinear2D", NUMBER("new_height"), NUMBER("new_width"),
     NUMBER("input_id"), NUMBER("output_id"), NUMBER("flags"));
TYPE(attention, "XNNScaledDotProductAttention", NUMBER("query_id"), NUMBER("key_id"),
     NUMBER("value_id"), NUMBER("scale_id"), NUMBER("mask_id"), NUMBER("output_id"),
     NUMBER("flags"));

/* By the numbers of XNodeUnion, from 1 on. */
static const struct dg_xnnpack_kind kinds[] = {
    {NULL},
#define KIND(name, type, roles, n_inputs) {#name, roles, n_inputs},
#include "formats/xnnpack_kinds.def"
#undef KIND
};

static const struct dg_table_type *const node_types[] = {
    NULL,
#define KIND(name, type, roles, n_inputs) &type,
#include "formats/xnnpack_kinds.def"
#undef KIND
};

const struct dg_xnnpack_kind *dg_xnnpack_kind(uint8_t type)
{
    return type && type < sizeof(kinds) / sizeof(*kinds) ? &kinds[type] : NULL;
}

/* XNNDatatype; there are no elements in a fixed place where weights are packed. */
static const struct dg_xnnpack_datatype datatypes[] = {
    {NULL},
    {"fp32", "f32", 32},
    {"fp16", "f16", 16},
    {"qint8", "i8", 8},
    {"quint8", "u8", 8},
    {"qint32", "i32", 32},
    {"qcint8", "i8", 8},
    {"qcint32", "i32", 32},
    {"qcint4", "i4", 4},
    {"qdint8", "i8", 8},
    {"qbint4", "i4", 4},
    {"qpint8", "i8", 0},
    {"int32", "i32", 32},
    {"pfp32", "f32", 0},
    {"bf16", "bf16", 16},
};

const struct dg_xnnpack_datatype *dg_xnnpack_datatype(uint16_t number)
{
    return number && number < sizeof(datatypes) / sizeof(*datatypes)
               ? &datatypes[number]
               : NULL;
}

TYPE(range, "OutputMinMax", NUMBER("output_min"), NUMBER("output_max"));
TYPE(node, "XNode", SCALAR("xnode_union_type", 1), UNION("xnode_union", node_types),
     NUMBER("debug_handle"), CHILD("output_min_max", range));

TYPE(channels, "PerChannelQuant", LIST("scale"), NUMBER("channel_dim"),
     NUMBER("scale_buffer_idx"), NUMBER("num_scales"));
TYPE(whole, "PerTensorQuant", NUMBER("scale"), NUMBER("zero_point"));
TYPE(tokens, "PerTokenDynamicQuant", NUMBER("num_nonbatch_dims"));
TYPE(groups, "PerChannelGroupQuant", LIST("scale"), NUMBER("channel_dim"),
     NUMBER("group_size"), VECTOR("scale_bf16", 2), NUMBER("scale_buffer_idx"),
     NUMBER("num_scales"));
static const struct dg_table_type *const params[] = {NULL, &channels, &whole, &tokens,
                                                     &groups};

TYPE(tensor, "XNNTensorValue", SCALAR("datatype", 2), NUMBER("num_dims"), LIST("dims"),
     NUMBER("constant_buffer_idx"), NUMBER("external_id"), NUMBER("flags"),
     NUMBER("id_out"), SCALAR("dq_datatype", 2));
TYPE(quantized, "XNNQuantizedTensorValue", CHILD("tensor_value", tensor),
     SCALAR("quant_params_type", 1), UNION("quant_params", params));
static const struct dg_table_type *const values[] = {NULL, &tensor, &quantized};
TYPE(value, "XValue", SCALAR("xvalue_union_type", 1), UNION("xvalue_union", values));

TYPE(buffer, "Buffer", VECTOR("storage", 1));
TYPE(constant, "ConstantDataOffset", SCALAR("offset", 8), SCALAR("size", 8),
     STRING("named_key"));
static const struct dg_field graph_fields[] = {
    STRING("version"),
    CHILDREN("xnodes", node),
    CHILDREN("xvalues", value),
    NUMBER("num_externs"),
    LIST("input_ids"),
    LIST("output_ids"),
    CHILDREN("constant_buffer", buffer),
    LIST("mem_buffer_sizes"),
    CHILDREN("constant_data", constant),
};
const struct dg_table_type dg_xnnpack_graph = {
    "XNNGraph", graph_fields, sizeof(graph_fields) / sizeof(*graph_fields)};
