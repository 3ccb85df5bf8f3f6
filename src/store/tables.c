/* How the rows of a dg_program lie in the tables of schema.sql: one line per column. */
#include "store/columns.h"

#include <string.h>

#include "base/text.h"

#define AT_AS(row, field, name) offsetof(struct dg_##row##_row, field), name
#define AT(row, field) AT_AS(row, field, #field)
/* Of the type that a value points at. */
#define AT_TYPE(field)                                                                 \
    offsetof(struct dg_value_type, field), #field,                                     \
        .through = offsetof(struct dg_value_row, type)
#define COLUMNS(...)                                                                   \
    {__VA_ARGS__}, sizeof((struct dg_table_column[]){__VA_ARGS__}) /                   \
                       sizeof(struct dg_table_column)

#define DIGEST(row, prefix)                                                            \
    {TEXT, AT_AS(row, digest.sha256, prefix "sha256")},                                \
    {                                                                                  \
        TEXT, AT_AS(row, digest.xxh3, prefix "xxh3")                                   \
    }
#define LAYOUT(field, row)                                                             \
    offsetof(struct dg_program, field), offsetof(struct dg_program, n_##field),        \
        sizeof(struct dg_##row##_row)

/* In the order of DG_TABLES. clang-format would break each line in three. */
/* clang-format off */
const struct dg_table_layout dg_table_layouts[DG_N_TABLES] = {
    {"segment", LAYOUT(segments, segment), COLUMNS(
        {ID}, {ARTIFACT}, {INT, AT(segment, idx)}, {TEXT, AT(segment, name)},
        {STRING, AT(segment, kind)}, {NUMBER, AT(segment, offset)},
        {INT, AT(segment, file_offset)}, {NUMBER, AT(segment, size_bytes)},
        {NUMBER, AT(segment, stored_bytes)}, DIGEST(segment, ""))},
    {"method", LAYOUT(methods, method), COLUMNS(
        {ID}, {ARTIFACT}, {POSITION}, {TEXT, AT(method, name)}, {STRING, AT(method, ir)},
        {TEXT, AT(method, in_spec)}, {TEXT, AT(method, out_spec)})},
    {"graph", LAYOUT(graphs, graph), COLUMNS(
        {ID}, {REF, AT(graph, method), DG_TABLE_methods}, {TEXT, AT(graph, path)},
        {STRING, AT(graph, kind)})},
    {"op", LAYOUT(ops, op), COLUMNS(
        {ID}, {TEXT, AT(op, name)}, {OP_NAMESPACE, AT_AS(op, name, "namespace")},
        {OP_ARGS, AT_AS(op, name, "args")}, {OP_RETURNS, AT_AS(op, name, "returns")},
        {OP_FLAGS, AT_AS(op, name, "flags")})},
    {"module", LAYOUT(modules, module), COLUMNS(
        {ID}, {TEXT, AT(module, fqn)}, {TEXT, AT(module, type)})},
    {"trace", LAYOUT(traces, trace), COLUMNS({ID}, {TEXT, AT(trace, text)})},
    {"frame", LAYOUT(frames, frame), COLUMNS(
        {REF, AT(frame, trace), DG_TABLE_traces}, {INT, AT(frame, pos)},
        {TEXT, AT(frame, file)}, {INT, AT(frame, line)}, {TEXT, AT(frame, function)},
        {TEXT, AT(frame, code)})},
    {"delegate_graph", LAYOUT(delegate_graphs, delegate_graph), COLUMNS(
        {ID}, {REF, AT(delegate_graph, method), DG_TABLE_methods},
        {TEXT, AT(delegate_graph, path)}, {STRING, AT(delegate_graph, kind)},
        {STRING, AT(delegate_graph, format)}, {TEXT, AT(delegate_graph, meta)})},
    {"delegate", LAYOUT(delegates, delegate), COLUMNS(
        {ID}, {REF, AT(delegate, method), DG_TABLE_methods}, {INT, AT(delegate, idx)},
        {TEXT, AT(delegate, name)}, {TEXT, AT(delegate, backend)},
        {STRING, AT(delegate, location)}, {INT, AT(delegate, blob_index)},
        {INT, AT(delegate, blob_offset)}, {INT, AT(delegate, blob_bytes)},
        DIGEST(delegate, "blob_"),
        {REF, AT(delegate, graph), DG_TABLE_graphs},
        {REF, AT(delegate, inside), DG_TABLE_delegate_graphs})},
    {"compile_spec", LAYOUT(compile_specs, compile_spec), COLUMNS(
        {REF, AT(compile_spec, delegate), DG_TABLE_delegates}, {INT, AT(compile_spec, pos)},
        {TEXT, AT(compile_spec, key)}, {BLOB, AT(compile_spec, value)})},
    {"delegate_key", LAYOUT(delegate_keys, delegate_key), COLUMNS(
        {REF, AT(delegate_key, delegate), DG_TABLE_delegates}, {INT, AT(delegate_key, pos)},
        {TEXT, AT(delegate_key, key)}, {STRING, AT(delegate_key, kind)},
        {INT, AT(delegate_key, nbytes)})},
    {"delegate_value", LAYOUT(delegate_values, delegate_value), COLUMNS(
        {ID}, {REF, AT(delegate_value, graph), DG_TABLE_delegate_graphs},
        {INT, AT(delegate_value, idx)}, {STRING, AT(delegate_value, dtype)},
        {TEXT, AT(delegate_value, datatype)}, {TEXT, AT(delegate_value, shape)},
        {INT, AT(delegate_value, nbytes)}, {INT, AT(delegate_value, flags)},
        {INT, AT(delegate_value, external_id)}, {INT, AT(delegate_value, constant_idx)},
        {REF, AT(delegate_value, node), DG_TABLE_delegate_nodes},
        {TEXT, AT(delegate_value, quantization)}, {TEXT, AT(delegate_value, name)})},
    {"delegate_constant", LAYOUT(delegate_constants, delegate_constant), COLUMNS(
        {REF, AT(delegate_constant, graph), DG_TABLE_delegate_graphs},
        {INT, AT(delegate_constant, idx)}, {TEXT, AT(delegate_constant, key)},
        {INT, AT(delegate_constant, offset)}, {INT, AT(delegate_constant, file_offset)},
        {INT, AT(delegate_constant, nbytes)})},
    {"delegate_node", LAYOUT(delegate_nodes, delegate_node), COLUMNS(
        {ID}, {REF, AT(delegate_node, graph), DG_TABLE_delegate_graphs},
        {INT, AT(delegate_node, idx)}, {TEXT, AT(delegate_node, name)},
        {TEXT, AT(delegate_node, op)}, {TEXT, AT(delegate_node, args)},
        {INT, AT(delegate_node, flags)}, {ANY, AT(delegate_node, output_min)},
        {ANY, AT(delegate_node, output_max)}, {INT, AT(delegate_node, debug_handle)})},
    {"delegate_operand", LAYOUT(delegate_operands, delegate_operand), COLUMNS(
        {REF, AT(delegate_operand, node), DG_TABLE_delegate_nodes},
        {INT, AT(delegate_operand, pos)}, {TEXT, AT(delegate_operand, name)},
        {NUMBER, AT(delegate_operand, value_idx)},
        {REF, AT(delegate_operand, value), DG_TABLE_delegate_values},
        {STRING, AT(delegate_operand, access)}, {TEXT, AT(delegate_operand, missing)})},
    {"library", LAYOUT(libraries, library), COLUMNS(
        {ID}, {ARTIFACT}, {TEXT, AT(library, name)}, {STRING, AT(library, format)},
        {TEXT, AT(library, machine)}, {TEXT, AT(library, soname)},
        {TEXT, AT(library, build_id)}, {INT, AT(library, file_offset)},
        {INT, AT(library, nbytes)}, {INT, AT(library, has_symbols)},
        {INT, AT(library, constants_bytes)}, {INT, AT(library, weights_bytes)},
        {STRING, AT(library, weights)}, {TEXT, AT(library, meta)})},
    {"library_need", LAYOUT(library_needs, library_need), COLUMNS(
        {REF, AT(library_need, library), DG_TABLE_libraries}, {INT, AT(library_need, pos)},
        {TEXT, AT(library_need, name)})},
    {"library_version", LAYOUT(library_versions, library_version), COLUMNS(
        {REF, AT(library_version, library), DG_TABLE_libraries},
        {INT, AT(library_version, pos)}, {TEXT, AT(library_version, name)},
        {TEXT, AT(library_version, file)},
        {INT, AT(library_version, weak)})},
    {"library_symbol", LAYOUT(library_symbols, library_symbol), COLUMNS(
        {REF, AT(library_symbol, library), DG_TABLE_libraries},
        {INT, AT(library_symbol, pos)}, {TEXT, AT(library_symbol, name)},
        {TEXT, AT(library_symbol, version)}, {STRING, AT(library_symbol, kind)})},
    {"library_constant", LAYOUT(library_constants, library_constant), COLUMNS(
        {REF, AT(library_constant, library), DG_TABLE_libraries},
        {INT, AT(library_constant, idx)}, {TEXT, AT(library_constant, name)},
        {TEXT, AT(library_constant, fqn)}, {STRING, AT(library_constant, dtype)},
        {TEXT, AT(library_constant, shape)}, {TEXT, AT(library_constant, strides)},
        {INT, AT(library_constant, offset)}, {INT, AT(library_constant, nbytes)},
        {INT, AT(library_constant, folded)})},
    {"gpu_code", LAYOUT(gpu_codes, gpu_code), COLUMNS(
        {ID}, {ARTIFACT}, {REF, AT(gpu_code, library), DG_TABLE_libraries},
        {INT, AT(gpu_code, binary)}, {TEXT, AT(gpu_code, name)}, {STRING, AT(gpu_code, format)},
        {TEXT, AT(gpu_code, target)}, {TEXT, AT(gpu_code, ptx)},
        {INT, AT(gpu_code, file_offset)}, {INT, AT(gpu_code, nbytes)},
        {INT, AT(gpu_code, compressed)})},
    {"gpu_kernel", LAYOUT(gpu_kernels, gpu_kernel), COLUMNS(
        {REF, AT(gpu_kernel, code), DG_TABLE_gpu_codes}, {INT, AT(gpu_kernel, pos)},
        {TEXT, AT(gpu_kernel, name)}, {INT, AT(gpu_kernel, registers)},
        {INT, AT(gpu_kernel, shared_bytes)}, {INT, AT(gpu_kernel, stack_bytes)})},
    {"value", LAYOUT(values, value), COLUMNS(
        {ID}, {REF, AT(value, graph), DG_TABLE_graphs}, {INT, AT(value, idx)},
        {TEXT, AT(value, name)}, {STRING, AT(value, kind)}, {STRING, AT_TYPE(dtype)},
        {TEXT, AT_TYPE(shape)}, {TEXT, AT_TYPE(strides)}, {TEXT, AT_TYPE(dim_order)},
        {TEXT, AT_TYPE(device)}, {INT, AT_TYPE(nbytes)}, {STRING, AT_TYPE(storage)},
        {STRING, AT_TYPE(dynamism)}, {INT, AT(value, mem_id)},
        {INT, AT(value, mem_offset)}, {INT, AT(value, data_index)},
        {INT, AT_TYPE(requires_grad)}, {ANY, AT_TYPE(storage_offset)},
        {STRING, AT_TYPE(layout)}, {ANY, AT(value, scalar)}, {TEXT, AT(value, items)})},
    {"node", LAYOUT(nodes, node), COLUMNS(
        {ID}, {REF, AT(node, graph), DG_TABLE_graphs}, {INT, AT(node, idx)},
        {TEXT, AT(node, name)}, {STRING, AT(node, kind)}, {REF, AT(node, op), DG_TABLE_ops},
        {TEXT, AT(node, target)}, {INT, AT(node, op_index)},
        {REF, AT(node, delegate), DG_TABLE_delegates}, {INT, AT(node, jump)},
        {REF, AT(node, value), DG_TABLE_values}, {REF, AT(node, module), DG_TABLE_modules},
        {REF, AT(node, trace), DG_TABLE_traces}, {TEXT, AT(node, args)},
        {TEXT, AT(node, custom)}, {TEXT, AT(node, debug_handle)}, {TEXT, AT(node, meta)})},
    {"edge", LAYOUT(edges, edge), COLUMNS(
        {REF, AT(edge, dst), DG_TABLE_nodes}, {INT, AT(edge, pos)},
        {REF, AT(edge, src), DG_TABLE_nodes}, {REF, AT(edge, value), DG_TABLE_values})},
    {"operand", LAYOUT(operands, operand), COLUMNS(
        {REF, AT(operand, node), DG_TABLE_nodes}, {INT, AT(operand, pos)},
        {NUMBER, AT(operand, value_idx)}, {REF, AT(operand, value), DG_TABLE_values},
        {STRING, AT(operand, access)})},
    {"dangling", LAYOUT(danglings, dangling), COLUMNS(
        {REF, AT(dangling, node), DG_TABLE_nodes}, {INT, AT(dangling, pos)},
        {TEXT, AT(dangling, name)})},
    {"signature", LAYOUT(signatures, signature), COLUMNS(
        {REF, AT(signature, graph), DG_TABLE_graphs}, {STRING, AT(signature, direction)},
        {INT, AT(signature, pos)}, {TEXT, AT(signature, name)}, {STRING, AT(signature, kind)},
        {STRING, AT(signature, spec)}, {TEXT, AT(signature, target)},
        {INT, AT(signature, persistent)}, {ANY, AT(signature, literal)},
        {REF, AT(signature, value), DG_TABLE_values}, {INT, AT(signature, value_idx)},
        {INT, AT(signature, planned)})},
    {"range_constraint", LAYOUT(ranges, range), COLUMNS(
        {REF, AT(range, graph), DG_TABLE_graphs}, {TEXT, AT(range, symbol)},
        {ANY, AT(range, min)}, {ANY, AT(range, max)})},
    {"arena", LAYOUT(arenas, arena), COLUMNS(
        {REF, AT(arena, method), DG_TABLE_methods}, {INT, AT(arena, idx)},
        {NUMBER, AT(arena, size_bytes)}, {TEXT, AT(arena, device)})},
    {"plan_operator", LAYOUT(plan_operators, plan_operator), COLUMNS(
        {REF, AT(plan_operator, method), DG_TABLE_methods}, {INT, AT(plan_operator, idx)},
        {REF, AT(plan_operator, op), DG_TABLE_ops})},
    {"constant", LAYOUT(constants, constant), COLUMNS(
        {ID}, {ARTIFACT}, {REF, AT(constant, method), DG_TABLE_methods},
        {INT, AT(constant, idx)}, {TEXT, AT(constant, fqn)}, {STRING, AT(constant, kind)},
        {STRING, AT(constant, dtype)}, {TEXT, AT(constant, shape)},
        {TEXT, AT(constant, strides)}, {INT, AT(constant, storage_offset)},
        {REF, AT(constant, segment), DG_TABLE_segments}, {INT, AT(constant, file_offset)},
        {INT, AT(constant, nbytes)}, DIGEST(constant, ""), {ANY, AT(constant, offset)},
        {STRING, AT(constant, found)})},
    {"named_data", LAYOUT(named_data, named_data), COLUMNS(
        {ARTIFACT}, {INT, AT(named_data, idx)}, {TEXT, AT(named_data, key)},
        {NUMBER, AT(named_data, segment_idx)}, {INT, AT(named_data, size_bytes)},
        {STRING, AT(named_data, dtype)}, {TEXT, AT(named_data, shape)},
        {TEXT, AT(named_data, dim_order)}, {INT, AT(named_data, layout_bytes)})},
    {"sample_input", LAYOUT(sample_inputs, sample_input), COLUMNS(
        {REF, AT(sample_input, method), DG_TABLE_methods}, {INT, AT(sample_input, pos)},
        {TEXT, AT(sample_input, path)}, {STRING, AT(sample_input, kind)},
        {STRING, AT(sample_input, dtype)}, {TEXT, AT(sample_input, shape)},
        {TEXT, AT(sample_input, strides)}, {INT, AT(sample_input, file_offset)},
        {INT, AT(sample_input, storage_offset)}, {INT, AT(sample_input, nbytes)},
        {ANY, AT(sample_input, scalar)})},
    {"instruction_handle", LAYOUT(instruction_handles, instruction_handle), COLUMNS(
        {REF, AT(instruction_handle, method), DG_TABLE_methods},
        {INT, AT(instruction_handle, instruction)}, {TEXT, AT(instruction_handle, part)},
        {TEXT, AT(instruction_handle, debug_handle)})},
    {"profile", LAYOUT(profiles, profile), COLUMNS(
        {ID}, {ARTIFACT}, {INT, AT(profile, idx)}, {TEXT, AT(profile, name)},
        {INT, AT(profile, input)}, {REF, AT(profile, method), DG_TABLE_methods})},
    {"profile_event", LAYOUT(profile_events, profile_event), COLUMNS(
        {REF, AT(profile_event, profile), DG_TABLE_profiles}, {INT, AT(profile_event, idx)},
        {STRING, AT(profile_event, kind)}, {TEXT, AT(profile_event, name)},
        {NUMBER, AT(profile_event, chain)}, {INT, AT(profile_event, instruction)},
        {TEXT, AT(profile_event, part)}, {INT, AT(profile_event, begin)},
        {INT, AT(profile_event, end)}, {INT, AT(profile_event, nbytes)},
        {REF, AT(profile_event, node), DG_TABLE_nodes})},
    {"remark", LAYOUT(remarks, remark), COLUMNS(
        {ID}, {ARTIFACT}, {STRING, AT(remark, rule)},
        {REF, AT(remark, method), DG_TABLE_methods}, {REF, AT(remark, graph), DG_TABLE_graphs},
        {REF, AT(remark, node), DG_TABLE_nodes}, {REF, AT(remark, value), DG_TABLE_values},
        {TEXT, AT(remark, text)})},
};
/* clang-format on */

const char *dg_table_name(enum dg_table number)
{
    return dg_table_layouts[number].name;
}

bool dg_table_has_id(enum dg_table number)
{
    return dg_table_layouts[number].columns[0].type == ID;
}

enum dg_table dg_table_find(const char *name)
{
    enum dg_table number = 0;

    while (number < DG_N_TABLES && strcmp(name, dg_table_layouts[number].name))
        number++;
    return number;
}

static bool is_named(const struct dg_table_column *column, struct dg_text name)
{
    static const char ending[] = "_id";
    const char *own = column->type == ID         ? "id"
                      : column->type == POSITION ? "idx"
                      : column->type == ARTIFACT ? "artifact_id"
                                                 : column->name;

    if (column->type != REF || dg_text_is(name, own))
        return dg_text_is(name, own);
    return name.size == strlen(own) + strlen(ending) && dg_text_begins(name, own) &&
           !memcmp(name.data + strlen(own), ending, strlen(ending));
}

int dg_table_column_at(enum dg_table number, struct dg_text name)
{
    int i = 0;

    while (i < dg_table_layouts[number].n_columns &&
           !is_named(&dg_table_layouts[number].columns[i], name))
        i++;
    return i < dg_table_layouts[number].n_columns ? i : -1;
}

static enum dg_cell_type type_of(enum dg_table table, int column)
{
    return dg_table_layouts[table].columns[column].type;
}

bool dg_table_holds_text(enum dg_table table, int column)
{
    switch (type_of(table, column)) {
    case TEXT:
    case STRING:
    case OP_NAMESPACE:
    case OP_ARGS:
    case OP_RETURNS:
        return true;
    default:
        return false;
    }
}

bool dg_table_holds_words(enum dg_table table, int column)
{
    return type_of(table, column) == STRING;
}

bool dg_table_holds_ids(enum dg_table table, int column)
{
    return type_of(table, column) == REF || type_of(table, column) == ID;
}

bool dg_table_is_indexable(enum dg_table table, int column)
{
    return type_of(table, column) != BLOB && type_of(table, column) != ANY;
}

static double n_rows(const struct dg_program *program, enum dg_table table)
{
    const char *base = (const char *)program;
    size_t n = *(const size_t *)(const void *)(base + dg_table_layouts[table].n_rows);

    return n ? (double)n : 1;
}

double dg_table_rows_like(const struct dg_program *program, enum dg_table table,
                          int column)
{
    enum { FEW = 8 }; /* words for kinds, positions of operands; rows of a name */

    switch (type_of(table, column)) {
    case ID:
        return 1;
    case ARTIFACT:
        return n_rows(program, table);
    case REF:
        return n_rows(program, table) /
               n_rows(program, dg_table_layouts[table].columns[column].target);
    case STRING:
    case INT:
    case NUMBER:
        return n_rows(program, table) / FEW;
    default:
        return FEW;
    }
}
