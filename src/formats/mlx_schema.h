/* Tables of the schema.fbs of MLX, for mlx.c alone. */
#ifndef DG_FORMATS_MLX_SCHEMA_H
#define DG_FORMATS_MLX_SCHEMA_H

#include "formats/flatbuffer_fields.h"

#define READ(text) ROLE(text, 4, DG_ROLE_READ, 0)
#define WRITE(text) ROLE(text, 4, DG_ROLE_WRITE, 0)
#define READ_NUMBER(text) ROLE(text, 4, DG_ROLE_READ_SCALAR, 0)
#define WRITE_NUMBER(text) ROLE(text, 4, DG_ROLE_WRITE_SCALAR, 0)
#define READS(text) ROLES(text, 4, DG_ROLE_READ)
#define WRITES(text) ROLES(text, 4, DG_ROLE_WRITE)

TYPE(int_or_number, "IntOrVid", INT("literal", 8, 0), SCALAR("vid", 4),
     SCALAR("is_vid", 1));
TYPE(real_or_number, "FloatOrVid", REAL("literal", 8, 0), SCALAR("vid", 4),
     SCALAR("is_vid", 1));
TYPE(number_or_tensor, "VidOrTid", SCALAR("vid", 4), SCALAR("tid", 4),
     SCALAR("is_vid", 1));
TYPE(int_or_both, "IntOrVidOrTid", INT("literal", 8, 0), SCALAR("vid", 4),
     SCALAR("tid", 4), SCALAR("kind", 1));

static const struct dg_table_type noop = {"NoopNode", NULL, 0};
#define OP(name, ...) TYPE(name, #name, __VA_ARGS__);
#define UNARY(name) OP(name, READ("x"), WRITE("out"))
#define BINARY(name) OP(name, READ("a"), READ("b"), WRITE("out"))
#define REDUCTION(name)                                                                \
    OP(name, READ("x"), WRITE("out"), INTS("axes", 4), BOOL("keepdims", 0))
#define EMPTY(name)
#include "formats/mlx_ops.def"
#undef OP
#undef UNARY
#undef BINARY
#undef REDUCTION
#undef EMPTY

static const struct dg_table_type *const ops[] = {
    NULL,
#define OP(name, ...) &name,
#define UNARY(name) &name,
#define BINARY(name) &name,
#define REDUCTION(name) &name,
#define EMPTY(name) &noop,
#include "formats/mlx_ops.def"
};

TYPE(instruction, "Instruction", SCALAR("op_type", 1), UNION("op", ops));
enum { OP_TYPE, OP_NODE };
TYPE(chain, "InstructionChain", CHILDREN("instructions", instruction));
TYPE(dim, "ShapeDim", INT("value", 4, -1), INT("min_value", 4, 0),
     INT("max_value", 4, -1));
enum { DIM_VALUE, DIM_MIN, DIM_MAX };
TYPE(meta, "TensorMeta", CHILDREN("shape", dim), SCALAR("scalar_type", 1),
     VECTOR("dim_order", 1));
enum { META_SHAPE, META_TYPE };
TYPE(slot, "SlotVariant", SCALAR("idx", 4), SCALAR("slot_type", 1));
enum { SLOT_IDX, SLOT_TYPE };
enum { TENSOR_SLOT };
TYPE(named, "NamedSlot", STRING("name"), CHILD("slot", slot));
enum { NAMED_NAME, NAMED_SLOT };

TYPE(graph, "MLXGraph", STRING("version"), INT("num_constant_tensors", 4, 0),
     INT("num_input_tensors", 4, 0), INT("num_output_tensors", 4, 0),
     INT("num_mutable_buffer_tensors", 4, 0), INT("num_temp_tensors", 4, 0),
     INT("num_values", 4, 0), CHILDREN("instruction_chains", chain),
     INT("main_chain_idx", 4, 0), INT("init_chain_idx", 4, -1),
     CHILDREN("input_map", slot), CHILDREN("output_map", slot),
     CHILDREN("mutable_buffer_map", slot), CHILDREN("named_slots", named),
     CHILDREN("tensor_meta", meta));
enum {
    VERSION,
    N_CONSTANTS,
    N_TEMPORARIES = 5,
    N_NUMBERS,
    CHAINS,
    MAIN_CHAIN,
    INIT_CHAIN,
    INPUT_MAP,
    OUTPUT_MAP,
    BUFFER_MAP,
    NAMED_SLOTS,
    TENSOR_META,
};

enum { IF_THEN = 1, IF_ELSE, SCAN_BODY = 4 };

#endif
