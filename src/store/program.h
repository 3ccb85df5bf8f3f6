/* The rows that one file becomes. A reader fills a dg_program; dg_store_add_program()
 * writes it. Field meanings and units are those of the columns in schema.sql.
 *
 * Indices into the arrays here are size_t or int64_t counted from 0; -1 (DG_NONE) is
 * SQL NULL, and a dg_text with data NULL is NULL, too. Texts point into the file or
 * into `memory`, so the file must stay mapped until the rows are written. All texts
 * that readers take from a file are UTF-8 (readers replace or refuse what is not), and
 * the names of nodes and values end with NUL. */
#ifndef DG_STORE_PROGRAM_H
#define DG_STORE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/none.h"
#include "base/text_set.h"

/* NULL, an integer, a real or text: SQLite's ANY. */
struct dg_any {
    enum { DG_NULL, DG_INTEGER, DG_REAL, DG_TEXT } type;
    union {
        int64_t integer; /* booleans are 0 and 1 */
        double real;
        struct dg_text text;
    };
};

struct dg_digest { /* texts of hexadecimal digits, or NULL */
    struct dg_text sha256, xxh3;
};

struct dg_segment_row {
    int64_t idx;
    struct dg_text name;
    const char *kind;
    uint64_t offset;
    int64_t file_offset;
    uint64_t size_bytes, stored_bytes;
    struct dg_digest digest;
};

struct dg_method_row {
    struct dg_text name;
    const char *ir;
    struct dg_text in_spec, out_spec;
};

struct dg_graph_row {
    int64_t method;
    struct dg_text path;
    const char *kind;
};

struct dg_op_row {
    struct dg_text name; /* schema facts are added when it is written */
};

struct dg_module_row {
    struct dg_text fqn, type;
};

struct dg_trace_row {
    struct dg_text text;
};

struct dg_frame_row {
    int64_t trace, pos;
    struct dg_text file;
    int64_t line;
    struct dg_text function, code;
};

struct dg_delegate_row {
    int64_t method, idx;
    struct dg_text name, backend;
    const char *location;
    int64_t blob_index, blob_offset, blob_bytes;
    struct dg_bytes blob; /* hashed on demand; data NULL if there is none */
    struct dg_digest digest;
    int64_t graph, inside;
};

struct dg_compile_spec_row {
    int64_t delegate, pos;
    struct dg_text key;
    struct dg_bytes value;
};

struct dg_delegate_key_row {
    int64_t delegate, pos;
    struct dg_text key;
    const char *kind;
    int64_t nbytes;
};

struct dg_delegate_graph_row {
    int64_t method;
    struct dg_text path;
    const char *kind, *format;
    struct dg_text meta;
    size_t first_value, n_values, first_constant, n_constants; /* rows of it */
};

struct dg_delegate_value_row {
    int64_t graph, idx;
    const char *dtype;
    struct dg_text datatype, shape;
    int64_t nbytes, flags, external_id, constant_idx, node;
    struct dg_text quantization, name;
    int64_t scale_constant, n_scales; /* where its scales lie; 0: in the graph, or none */
    int scale_bytes;                  /* of each */
};

struct dg_delegate_constant_row {
    int64_t graph, idx;
    struct dg_text key;
    int64_t offset, file_offset, nbytes;
};

struct dg_delegate_node_row {
    int64_t graph, idx;
    struct dg_text name, op, args;
    int64_t flags;
    struct dg_any output_min, output_max;
    int64_t debug_handle;
};

struct dg_delegate_operand_row {
    int64_t node, pos;
    struct dg_text name;
    int64_t value_idx, value;
    const char *access;
    struct dg_text missing;
};

struct dg_library_row {
    struct dg_text name;
    const char *format;
    struct dg_text machine, soname, build_id;
    int64_t file_offset, nbytes, has_symbols, constants_bytes, weights_bytes;
    const char *weights;
    struct dg_text meta;
};

struct dg_library_need_row {
    int64_t library, pos;
    struct dg_text name;
};

struct dg_library_version_row {
    int64_t library, pos;
    struct dg_text name, file;
    int64_t weak;
};

struct dg_library_symbol_row {
    int64_t library, pos;
    struct dg_text name, version;
    const char *kind;
};

struct dg_library_constant_row {
    int64_t library, idx;
    struct dg_text name, fqn;
    const char *dtype;
    struct dg_text shape, strides;
    int64_t offset, nbytes, folded;
};

struct dg_gpu_code_row {
    int64_t library, binary;
    struct dg_text name;
    const char *format;
    struct dg_text target, ptx;
    int64_t file_offset, nbytes, compressed;
};

struct dg_gpu_kernel_row {
    int64_t code, pos;
    struct dg_text name;
    int64_t registers, shared_bytes, stack_bytes;
};

/* What many tensors may have in common: the columns of a value that are said of its
 * type. */
struct dg_value_type {
    const char *dtype;
    struct dg_text shape, strides, dim_order, device;
    int64_t nbytes;
    const char *storage, *dynamism, *layout;
    int64_t requires_grad;
    struct dg_any storage_offset;
};

extern const struct dg_value_type dg_no_type; /* all is NULL */

struct dg_value_row {
    int64_t graph, idx;
    struct dg_text name;
    const char *kind;
    const struct dg_value_type *type; /* never NULL; lives as long as the program */
    int64_t mem_id, mem_offset, data_index;
    struct dg_any scalar;
    struct dg_text items;
};

struct dg_node_row {
    int64_t graph, idx;
    struct dg_text name;
    const char *kind;
    int64_t op;
    struct dg_text target;
    int64_t op_index, delegate, jump, value, module, trace;
    struct dg_text args, custom, debug_handle, meta;
};

struct dg_edge_row {
    int64_t dst, pos, src, value; /* rows sorted by (dst, pos) load fastest */
};

struct dg_operand_row {
    int64_t node, pos, value_idx, value;
    const char *access;
};

struct dg_dangling_row {
    int64_t node, pos;
    struct dg_text name;
};

struct dg_signature_row {
    int64_t graph;
    const char *direction;
    int64_t pos;
    struct dg_text name;
    const char *kind, *spec;
    struct dg_text target;
    int64_t persistent;
    struct dg_any literal;
    int64_t value, value_idx, planned;
};

struct dg_range_row {
    int64_t graph;
    struct dg_text symbol;
    struct dg_any min, max;
};

struct dg_arena_row {
    int64_t method, idx, size_bytes;
    struct dg_text device;
};

struct dg_plan_operator_row {
    int64_t method, idx, op;
};

struct dg_constant_row {
    int64_t method, idx;
    struct dg_text fqn;
    const char *kind, *dtype;
    struct dg_text shape, strides;
    int64_t storage_offset, segment, file_offset, nbytes;
    struct dg_bytes bytes; /* hashed on demand; data NULL if there is none */
    struct dg_digest digest;
    struct dg_any offset;
    const char *found;
};

struct dg_named_data_row {
    int64_t idx;
    struct dg_text key;
    int64_t segment_idx, size_bytes;
    const char *dtype;
    struct dg_text shape, dim_order;
    int64_t layout_bytes;
};

struct dg_sample_input_row {
    int64_t method, pos;
    struct dg_text path;
    const char *kind, *dtype;
    struct dg_text shape, strides;
    int64_t file_offset, storage_offset, nbytes;
    struct dg_any scalar;
};

struct dg_instruction_handle_row {
    int64_t method, instruction;
    struct dg_text part, debug_handle;
};

struct dg_profile_row {
    int64_t idx;
    struct dg_text name;
    int64_t input, method;
};

struct dg_profile_event_row {
    int64_t profile, idx;
    const char *kind;
    struct dg_text name;
    int64_t chain, instruction;
    struct dg_text part;
    int64_t begin, end, nbytes, node;
};

struct dg_remark_row {
    const char *rule;
    int64_t method, graph, node, value;
    struct dg_text text;
};

/* Every table, in the order of schema.sql: TABLE(field, row). */
#define DG_TABLES(TABLE)                                                               \
    TABLE(segments, segment)                                                           \
    TABLE(methods, method)                                                             \
    TABLE(graphs, graph)                                                               \
    TABLE(ops, op)                                                                     \
    TABLE(modules, module)                                                             \
    TABLE(traces, trace)                                                               \
    TABLE(frames, frame)                                                               \
    TABLE(delegate_graphs, delegate_graph)                                             \
    TABLE(delegates, delegate)                                                         \
    TABLE(compile_specs, compile_spec)                                                 \
    TABLE(delegate_keys, delegate_key)                                                 \
    TABLE(delegate_values, delegate_value)                                             \
    TABLE(delegate_constants, delegate_constant)                                       \
    TABLE(delegate_nodes, delegate_node)                                               \
    TABLE(delegate_operands, delegate_operand)                                         \
    TABLE(libraries, library)                                                          \
    TABLE(library_needs, library_need)                                                 \
    TABLE(library_versions, library_version)                                           \
    TABLE(library_symbols, library_symbol)                                             \
    TABLE(library_constants, library_constant)                                         \
    TABLE(gpu_codes, gpu_code)                                                         \
    TABLE(gpu_kernels, gpu_kernel)                                                     \
    TABLE(values, value)                                                               \
    TABLE(nodes, node)                                                                 \
    TABLE(edges, edge)                                                                 \
    TABLE(operands, operand)                                                           \
    TABLE(danglings, dangling)                                                         \
    TABLE(signatures, signature)                                                       \
    TABLE(ranges, range)                                                               \
    TABLE(arenas, arena)                                                               \
    TABLE(plan_operators, plan_operator)                                               \
    TABLE(constants, constant)                                                         \
    TABLE(named_data, named_data)                                                      \
    TABLE(sample_inputs, sample_input)                                                 \
    TABLE(instruction_handles, instruction_handle)                                     \
    TABLE(profiles, profile)                                                           \
    TABLE(profile_events, profile_event)                                               \
    TABLE(remarks, remark)

struct dg_program {
    const char *kind;         /* pte, pt2, ... */
    struct dg_text version;   /* JSON object */
    struct dg_text container; /* or NULL */

#define TABLE(field, row)                                                              \
    struct dg_##row##_row *field;                                                      \
    size_t n_##field;
    DG_TABLES(TABLE)
#undef TABLE

    /* Texts of ops, modules and traces by row: dg_intern_*() alone adds to these. */
    struct dg_text_set op_names, module_names, trace_texts;
    struct dg_arena memory;
};

/* A real; NaN, which SQL takes for NULL, is the text "NaN". */
struct dg_any dg_any_real(double value);

/* A new row. Number fields that may be NULL start as DG_NONE, all else as 0 or NULL.
 * The pointer lives until the next row of that table. Example: dg_add_node(program). */
#define TABLE(field, row)                                                              \
    struct dg_##row##_row *dg_add_##row(struct dg_program *program);
DG_TABLES(TABLE)
#undef TABLE

/* The row for this operator name, module or stack trace: found or made. O(1). */
int64_t dg_intern_op(struct dg_program *program, struct dg_text name);
int64_t dg_intern_module(struct dg_program *program, struct dg_text fqn,
                         struct dg_text type);
/* Splits Python's `File "x", line N, in f` text into frames the first time. */
int64_t dg_intern_trace(struct dg_program *program, struct dg_text text);

/* Note for rule `rule` ("format/pt2-archive") what no row can show. Fill in the place
 * through the returned row. */
struct dg_remark_row *dg_remark(struct dg_program *program, const char *rule,
                                const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void dg_program_clear(struct dg_program *program);

#endif
