/* The tables of an XNNPACK blob by field id, as ExecuTorch's schema.fbs numbers them.
 */
#ifndef DG_FORMATS_XNNPACK_SCHEMA_H
#define DG_FORMATS_XNNPACK_SCHEMA_H

#include "base/text.h"
#include "formats/flatbuffer.h"
#include "store/program.h"

extern const struct dg_table_type dg_xnnpack_graph;

enum { /* XNNGraph */
       XNN_VERSION,
       XNN_NODES,
       XNN_VALUES,
       XNN_NUM_EXTERNS,
       XNN_INPUT_IDS,
       XNN_OUTPUT_IDS,
       XNN_CONSTANT_BUFFER, /* of blobs without a header */
       XNN_BUFFER_SIZES,
       XNN_CONSTANT_DATA,
};

enum { XNN_NODE_TYPE, XNN_NODE, XNN_DEBUG_HANDLE, XNN_OUTPUT_RANGE };
enum { XNN_OUTPUT_MIN, XNN_OUTPUT_MAX };
enum { XNN_VALUE_TYPE, XNN_VALUE };
enum { XNN_QUANTIZED = 2 }; /* of XNN_VALUE_TYPE */

enum { /* XNNTensorValue */
       XNN_DATATYPE,
       XNN_NUM_DIMS,
       XNN_DIMS,
       XNN_CONSTANT_INDEX,
       XNN_EXTERNAL_ID,
       XNN_FLAGS,
       XNN_ID,
       XNN_DYNAMIC_DATATYPE, /* of blobs of old: what an input is converted to */
};

enum { XNN_TENSOR, XNN_PARAMS_TYPE, XNN_PARAMS }; /* XNNQuantizedTensorValue */
enum { XNN_PER_CHANNEL = 1, XNN_PER_TENSOR, XNN_PER_TOKEN, XNN_PER_GROUP };
enum { XNN_SCALE, XNN_ZERO_POINT }; /* PerTensorQuant */
enum { XNN_NONBATCH_DIMS };         /* PerTokenDynamicQuant */
enum { XNN_CHANNEL_SCALES, XNN_CHANNEL_DIM, XNN_CHANNEL_BUFFER, XNN_CHANNEL_COUNT };
enum { /* PerChannelGroupQuant */
       XNN_GROUP_SCALES,
       XNN_GROUP_DIM,
       XNN_GROUP_SIZE,
       XNN_GROUP_BF16,
       XNN_GROUP_BUFFER,
       XNN_GROUP_COUNT,
};
enum { XNN_OFFSET, XNN_SIZE, XNN_KEY }; /* ConstantDataOffset */

/* What a field of a node is. */
enum dg_xnnpack_role {
    DG_XNN_INPUT = 'i',
    DG_XNN_MAYBE = 'm', /* an input that may be DG_XNN_NO_ID */
    DG_XNN_OUTPUT = 'o',
    DG_XNN_NUMBER = 'n',
    DG_XNN_REAL = 'r',
    DG_XNN_LIST = 'l', /* of numbers */
    DG_XNN_FLAGS = 'f',
};

#define DG_XNN_NO_ID UINT32_MAX

struct dg_xnnpack_kind {
    const char *name;  /* "Conv2d" */
    const char *roles; /* of its fields: enum dg_xnnpack_role */
    unsigned n_inputs; /* that it has of those; 0: all */
};

/* The kind of that number in XNodeUnion; NULL: it is not known. */
const struct dg_xnnpack_kind *dg_xnnpack_kind(uint8_t type);

/* XNNDatatype. */
struct dg_xnnpack_datatype {
    const char *name, *dtype; /* "qcint8", "i8" */
    unsigned bits;            /* of an element; 0: packed in a way of the machine */
};

/* NULL: it is not known. */
const struct dg_xnnpack_datatype *dg_xnnpack_datatype(uint16_t number);

/* xnnpack_quantization.c */
/* Which constant has its scales. */
void dg_xnnpack_place_scales(struct dg_delegate_value_row *row,
                             struct dg_flatbuffer_table quantized);

/* {"type":"per_tensor","scale":0.5,"zero_point":0} of a quantized tensor value. */
void dg_xnnpack_print_quantization(struct dg_writer *out,
                                   struct dg_flatbuffer_table quantized);

#endif
