/* What ExecuTorch allocates to load a method, beside planned memory, as SQL. */
#ifndef DG_GRAPH_ALLOCATOR_SQL_H
#define DG_GRAPH_ALLOCATOR_SQL_H

/* clang-format off */

/* Bytes that Method::load of ExecuTorch 1.5 takes from the method allocator on a 64-bit
 * machine where the temporary allocator is another one (runtime/executor/method.cpp and
 * tensor_parser_portable.cpp): EValue 16, TensorImpl 64 and strides, sizes and order of
 * dimensions where they can change; lists with their items boxed; for each instruction
 * its kernel, its span and its arguments; Chain 32, BackendDelegate 56, CompileSpec 24,
 * NamedData 48. What backends take from it is not in the file. `method` and `graph` are
 * expressions: their rows. */
#define DG_SQL_METHOD_ALLOCATOR(method, graph)                                         \
    "CAST(32 + (SELECT total(16 + CASE kind"                                           \
    "   WHEN 'tensor' THEN 64 + json_array_length(shape) * iif(dynamism = 'static', 4,"\
    "    9) + iif(storage = 'external', 48, 0)"                                        \
    "   WHEN 'int_list' THEN 24 + 16 * json_array_length(items)"                       \
    "   WHEN 'tensor_list' THEN 24 + 16 * json_array_length(items)"                    \
    "   WHEN 'optional_tensor_list' THEN 24 + 24 * json_array_length(items)"           \
    "   ELSE iif(kind IN ('string', 'bool_list', 'double_list'), 16, 0) END)"          \
    "  FROM value WHERE graph_id = " graph ")"                                         \
    " + (SELECT count(*) FROM signature WHERE graph_id = " graph                       \
    "   AND direction = 'input')"                                                      \
    " + (SELECT 24 * count(*) FROM node WHERE graph_id = " graph ")"                   \
    " + (SELECT 8 * count(*) FROM node CROSS JOIN operand ON node_id = node.id"        \
    "   WHERE graph_id = " graph " AND kind IN ('kernel_call', 'delegate_call'))"      \
    " + (SELECT 56 * count(*) FROM delegate WHERE method_id = " method ")"             \
    " + (SELECT 24 * count(*) FROM delegate JOIN compile_spec"                         \
    "   ON delegate_id = delegate.id WHERE method_id = " method ") AS INTEGER)"

/* clang-format on */

#endif
