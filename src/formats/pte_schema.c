/* What the verifier has to know of each table of a .pte. */
#include "formats/pte_schema.h"

#include "formats/flatbuffer_fields.h"

TYPE(allocation, "AllocationDetails", SCALAR("memory_id", 4),
     SCALAR("memory_offset_low", 4), SCALAR("memory_offset_high", 4));
TYPE(extra, "ExtraTensorInfo", SCALAR("mutable_data_segments_idx", 8),
     STRING("fully_qualified_name"), SCALAR("location", 1), SCALAR("device_type", 1),
     SCALAR("device_index", 1));
TYPE(tensor, "Tensor", SCALAR("scalar_type", 1), SCALAR("storage_offset", 4),
     VECTOR("sizes", 4), VECTOR("dim_order", 1), SCALAR("requires_grad", 1),
     SCALAR("data_buffer_idx", 4), CHILD("allocation_info", allocation),
     SCALAR("layout", 1), SCALAR("shape_dynamism", 1),
     CHILD("extra_tensor_info", extra));

static const struct dg_table_type null = {"Null", NULL, 0};
TYPE(integer, "Int", SCALAR("int_val", 8));
TYPE(boolean, "Bool", SCALAR("bool_val", 1));
TYPE(real, "Double", SCALAR("double_val", 8));
TYPE(string, "String", STRING("string_val"));
TYPE(int_list, "IntList", VECTOR("items", 8));
TYPE(double_list, "DoubleList", VECTOR("items", 8));
TYPE(bool_list, "BoolList", VECTOR("items", 1));
TYPE(tensor_list, "TensorList", VECTOR("items", 4));
TYPE(optional_list, "OptionalTensorList", VECTOR("items", 4));

static const struct dg_table_type *const values[N_VALUE_TYPES] = {
    [VALUE_NULL] = &null,
    [VALUE_INT] = &integer,
    [VALUE_BOOL] = &boolean,
    [VALUE_DOUBLE] = &real,
    [VALUE_TENSOR] = &tensor,
    [VALUE_STRING] = &string,
    [VALUE_INT_LIST] = &int_list,
    [VALUE_DOUBLE_LIST] = &double_list,
    [VALUE_BOOL_LIST] = &bool_list,
    [VALUE_TENSOR_LIST] = &tensor_list,
    [VALUE_OPTIONAL_TENSOR_LIST] = &optional_list,
};
TYPE(evalue, "EValue", SCALAR("val_type", 1), UNION("val", values));

TYPE(kernel_call, "KernelCall", SCALAR("op_index", 4), VECTOR("args", 4));
TYPE(delegate_call, "DelegateCall", SCALAR("delegate_index", 4), VECTOR("args", 4));
TYPE(move_call, "MoveCall", SCALAR("move_from", 4), SCALAR("move_to", 4));
TYPE(jump_call, "JumpFalseCall", SCALAR("cond_value_index", 4),
     SCALAR("destination_instruction", 4));
TYPE(free_call, "FreeCall", SCALAR("value_index", 4));

static const struct dg_table_type *const instructions[N_INSTRUCTION_TYPES] = {
    [KERNEL_CALL] = &kernel_call, [DELEGATE_CALL] = &delegate_call,
    [MOVE_CALL] = &move_call,     [JUMP_FALSE_CALL] = &jump_call,
    [FREE_CALL] = &free_call,
};
TYPE(instruction, "Instruction", SCALAR("instr_args_type", 1),
     UNION("instr_args", instructions));

TYPE(frame, "Frame", STRING("filename"), SCALAR("lineno", 4), STRING("name"),
     STRING("context"));
TYPE(frame_list, "FrameList", CHILDREN("items", frame));
TYPE(chain, "Chain", VECTOR("inputs", 4), VECTOR("outputs", 4),
     CHILDREN("instructions", instruction), CHILDREN("stacktrace", frame_list));

TYPE(operator, "Operator", STRING("name"), STRING("overload"));
TYPE(processed, "BackendDelegateDataReference", SCALAR("location", 1),
     SCALAR("index", 4));
TYPE(compile_spec, "CompileSpec", STRING("key"), VECTOR("value", 1));
TYPE(delegate, "BackendDelegate", STRING("id"), CHILD("processed", processed),
     CHILDREN("compile_specs", compile_spec));

TYPE(container_meta, "ContainerMetadata", STRING("encoded_inp_str"),
     STRING("encoded_out_str"));
TYPE(arena_device, "NonConstBufferDevice", SCALAR("buffer_idx", 4),
     SCALAR("device_type", 1), SCALAR("device_index", 1));
TYPE(plan, "ExecutionPlan", STRING("name"),
     CHILD("container_meta_type", container_meta), CHILDREN("values", evalue),
     VECTOR("inputs", 4), VECTOR("outputs", 4), CHILDREN("chains", chain),
     CHILDREN("operators", operator), CHILDREN("delegates", delegate),
     VECTOR("non_const_buffer_sizes", 8),
     CHILDREN("non_const_buffer_device", arena_device));

TYPE(buffer, "Buffer", VECTOR("storage", 1));
TYPE(inline_data, "BackendDelegateInlineData", VECTOR("data", 1));
TYPE(segment, "DataSegment", SCALAR("offset", 8), SCALAR("size", 8));
TYPE(subsegments, "SubsegmentOffsets", SCALAR("segment_index", 4),
     VECTOR("offsets", 8));
TYPE(named_data, "NamedData", STRING("key"), SCALAR("segment_index", 4));

static const struct dg_field program_fields[] = {
    SCALAR("version", 4),
    CHILDREN("execution_plan", plan),
    CHILDREN("constant_buffer", buffer),
    CHILDREN("backend_delegate_data", inline_data),
    CHILDREN("segments", segment),
    CHILD("constant_segment", subsegments),
    CHILDREN("mutable_data_segments", subsegments),
    CHILDREN("named_data", named_data),
};
const struct dg_table_type dg_pte_program = {
    "Program", program_fields, sizeof(program_fields) / sizeof(program_fields[0])};
