/* What the payload of an XNNPACK delegate says of the calls that it can be used in. */
#include "formats/xnnpack.h"

#include <string.h>

#include "formats/flatbuffer_fields.h"

/* A header precedes the FlatBuffer: XNNHeader.h */
enum { MAGIC = 4, GRAPH_OFFSET = 10, GRAPH_SIZE = 14, HEADER_BYTES = 30 };

/* Nodes of the graph are not looked at, nor how values are quantized. */
TYPE(tensor, "XNNTensorValue", SCALAR("datatype", 2), SCALAR("num_dims", 4),
     VECTOR("dims", 4), SCALAR("constant_buffer_idx", 4), SCALAR("external_id", 4),
     SCALAR("flags", 4), SCALAR("id_out", 4), SCALAR("dq_datatype", 2));
TYPE(quantized, "XNNQuantizedTensorValue", CHILD("tensor_value", tensor));
static const struct dg_table_type *const values[] = {NULL, &tensor, &quantized};
TYPE(value, "XValue", SCALAR("xvalue_union_type", 1), UNION("xvalue_union", values));
TYPE(graph, "XNNGraph", STRING("version"), VECTOR("xnodes", 4),
     CHILDREN("xvalues", value), SCALAR("num_externs", 4), VECTOR("input_ids", 4),
     VECTOR("output_ids", 4));

enum { XVALUES = 2, INPUT_IDS = 4, OUTPUT_IDS = 5 };
enum { XVALUE_UNION_TYPE = 0, XVALUE_UNION = 1, QUANTIZED = 2, TENSOR_VALUE = 0 };
enum { DATATYPE = 0, EXTERNAL_ID = 4, FLAGS = 5, OUTPUT = 2, EXTERNAL = 1 | OUTPUT };

/* By XNNDatatype: what takes whole bytes. */
static const uint8_t bytes_of_datatypes[] = {
    [1] = 4, [2] = 2, [3] = 1, [4] = 1,  [5] = 4,
    [6] = 1, [7] = 4, [9] = 1, [12] = 4, [14] = 2,
};

static void learn(const struct dg_xnnpack_call *call, struct dg_flatbuffer_table value)
{
    struct dg_flatbuffer_table tensor_value = dg_table_union(value, XVALUE_UNION);
    uint32_t id, flags;
    uint16_t datatype;

    if (dg_table_u8(value, XVALUE_UNION_TYPE, 0) == QUANTIZED)
        tensor_value = dg_table_table(tensor_value, TENSOR_VALUE);
    id = dg_table_u32(tensor_value, EXTERNAL_ID, 0);
    datatype = dg_table_u16(tensor_value, DATATYPE, 0);
    flags = dg_table_u32(tensor_value, FLAGS, 0);
    if (flags & EXTERNAL && id < call->n && datatype < sizeof(bytes_of_datatypes))
        call->operands[id] = (struct dg_xnnpack_operand){bytes_of_datatypes[datatype],
                                                         (flags & OUTPUT) != 0};
}

struct dg_xnnpack_call dg_xnnpack_call(struct dg_bytes payload, uint64_t *effort,
                                       struct dg_arena *memory)
{
    struct dg_xnnpack_call call = {0};
    struct dg_error err = {0};
    struct dg_flatbuffer_table root;
    struct dg_vector xvalues;
    uint32_t offset, size;
    size_t n_unknown;

    if (payload.size < HEADER_BYTES || memcmp(payload.data + MAGIC, "XH00", 4))
        return call;
    offset = dg_u32(payload.data + GRAPH_OFFSET);
    size = dg_u32(payload.data + GRAPH_SIZE);
    if (!dg_inside(offset, size, payload.size) || size > *effort)
        return call;
    *effort -= size;
    payload = (struct dg_bytes){payload.data + offset, size};
    if (dg_flatbuffer_verify(payload, &graph, &n_unknown, &err))
        return call;
    root = dg_flatbuffer_root(payload, &graph);
    call.n = dg_table_vector(root, INPUT_IDS).n + dg_table_vector(root, OUTPUT_IDS).n;
    call.operands = dg_alloc(memory, call.n, sizeof(*call.operands));
    xvalues = dg_table_vector(root, XVALUES);
    for (size_t i = 0; i < xvalues.n; i++)
        learn(&call, dg_vector_table(xvalues, i));
    return call;
}
