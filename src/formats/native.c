/* Blobs of NativeBackend: Program of ExecuTorch's native_graph.fbs, a graph of fx. Each
 * body has names of its own; those of branches come behind the node that has them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/flatbuffer_json.h"
#include "formats/native_names.h"
#include "formats/native_schema.h"
#include "formats/pte.h"

/* A literal, beside which values may stand that are known when it runs. */
static void put_literal(struct dg_native_reading *reading, struct dg_json_writer *json,
                        struct dg_text key, struct dg_flatbuffer_table value)
{
    bool is_list =
        value.type->n_fields && value.type->fields[0].kind == DG_FIELD_VECTOR;
    uint64_t n = is_list               ? dg_table_vector(value, VALUE).n
                 : value.type == &text ? dg_table_string(value, VALUE).size
                                       : 1;

    dg_put_name(json, key);
    if (value.type == &none || !dg_blob_spend(&reading->rows, n))
        dg_put_null(json, NULL);
    else
        dg_put_content(json, value, value.type == &body ? BODY_NAME : VALUE);
}

static bool has_ref(struct dg_flatbuffer_table value)
{
    return (value.type == &integer || value.type == &real || value.type == &truth) &&
           dg_table_string(value, REF).size;
}

static void read_argument(struct dg_native_reading *reading,
                          struct dg_native_scope *scope, struct dg_json_writer *json,
                          struct dg_text key, struct dg_flatbuffer_table value)
{
    struct dg_vector none_there = {0};

    if (!value.at)
        return;
    if (value.type == &tensor || has_ref(value))
        dg_native_read(reading, scope, key,
                       dg_table_string(value, value.type == &tensor ? 0 : REF));
    else if (value.type == &tensors)
        dg_native_read_list(reading, scope, key, dg_table_strings(value, 0),
                            none_there);
    else if (value.type == &optionals)
        dg_native_read_list(reading, scope, key, dg_table_strings(value, 0),
                            dg_table_vector(value, 1));
    else
        put_literal(reading, json, key, value);
    if (value.type == &ints)
        dg_native_read_list(reading, scope, key, dg_table_strings(value, REF),
                            none_there);
}

static struct dg_flatbuffer_table value_of(struct dg_flatbuffer_table from)
{
    return dg_table_union(dg_table_table(from, INPUT_ARG), 1);
}

static struct dg_text key_of(struct dg_native_reading *reading,
                             struct dg_flatbuffer_table from, size_t i)
{
    struct dg_text name =
        dg_pte_utf8(reading->rows.program, dg_table_string(from, INPUT_NAME));

    return name.size ? name : dg_format(&reading->rows.program->memory, "arg%zu", i);
}

static bool is_newer(struct dg_flatbuffer_table argument)
{
    return dg_table_u8(argument, 0, 0) >= sizeof(kinds) / sizeof(*kinds);
}

/* Names in an object are told apart: the schema does not. */
static void read_inputs(struct dg_native_reading *reading,
                        struct dg_native_scope *scope, struct dg_json_writer *json,
                        struct dg_vector inputs)
{
    for (size_t i = 0; i < inputs.n; i++) {
        struct dg_flatbuffer_table from = dg_vector_table(inputs, i);

        read_argument(reading, scope, json, key_of(reading, from, i), value_of(from));
        reading->rows.n_unknown += is_newer(dg_table_table(from, INPUT_ARG));
    }
}

/* A node reads all of its inputs before it writes to one. */
static void write_inputs(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_vector inputs)
{
    for (size_t i = 0; i < inputs.n; i++) {
        struct dg_flatbuffer_table from = dg_vector_table(inputs, i);
        struct dg_flatbuffer_table value = value_of(from);

        if (value.type == &tensor && dg_table_u8(from, INPUT_MUTATED, 0))
            dg_blob_write(&reading->rows, key_of(reading, from, i),
                          dg_native_ref(reading, scope, dg_table_string(value, 0)));
    }
}

/* What to do with each name of a node's results. */
static void each_output(struct dg_native_reading *reading,
                        struct dg_native_scope *scope, struct dg_vector outputs,
                        void (*act)(struct dg_native_reading *,
                                    struct dg_native_scope *, struct dg_text, uint8_t))
{
    for (size_t i = 0; i < outputs.n; i++) {
        struct dg_flatbuffer_table from = dg_vector_table(outputs, i);
        struct dg_vector names = dg_table_strings(from, OUTPUT_NAMES);
        struct dg_text name = dg_table_string(from, OUTPUT_NAME);
        uint8_t kind = dg_table_u8(from, OUTPUT_KIND, 0);

        if (name.size)
            act(reading, scope, name, kind);
        for (size_t k = 0; k < names.n && dg_blob_spend(&reading->rows, 1); k++)
            act(reading, scope, dg_vector_string(names, k), kind);
    }
}

static void read_body(struct dg_native_reading *reading, struct dg_native_scope *scope,
                      struct dg_flatbuffer_table from);

static void read_bodies(struct dg_native_reading *reading, struct dg_vector inputs)
{
    for (size_t i = 0; i < inputs.n; i++) {
        struct dg_flatbuffer_table value = value_of(dg_vector_table(inputs, i));
        struct dg_native_scope scope = {0};

        if (value.type != &body)
            continue;
        read_body(reading, &scope, dg_table_table(value, BODY_GRAPH));
        dg_text_set_clear(&scope.names);
        free(scope.idx);
    }
}

/* "torch.ops.aten.add.Tensor" is aten::add.Tensor elsewhere in a store. */
static struct dg_text op_of(struct dg_native_reading *reading, struct dg_text target)
{
    static const char prefix[] = "torch.ops.";
    size_t size = sizeof(prefix) - 1;
    const char *name = target.data, *end = name + target.size, *dot;

    if (target.size <= size || memcmp(name, prefix, size))
        return target.data ? target : dg_text("");
    name += size;
    dot = memchr(name, '.', (size_t)(end - name));
    if (!dot)
        return target;
    return dg_format(&reading->rows.program->memory, "%.*s::%.*s", (int)(dot - name),
                     name, (int)(end - dot - 1), dot + 1);
}

static void read_node(struct dg_native_reading *reading, struct dg_native_scope *scope,
                      struct dg_flatbuffer_table from)
{
    struct dg_text target =
        dg_pte_utf8(reading->rows.program, dg_table_string(from, NODE_TARGET));
    struct dg_vector inputs = dg_table_vector(from, NODE_INPUTS);
    struct dg_delegate_node_row *row;
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    if (dg_table_u8(from, NODE_KIND, 0) != CALL_FUNCTION)
        return;
    row = dg_blob_add_node(&reading->rows, op_of(reading, target), 0);
    dg_put_object(&json, NULL);
    read_inputs(reading, scope, &json, inputs);
    dg_put_end(&json);
    row->args = dg_blob_keep(&reading->rows, &json);
    write_inputs(reading, scope, inputs);
    each_output(reading, scope, dg_table_vector(from, NODE_OUTPUTS), dg_native_write);
    read_bodies(reading, inputs);
}

static void read_values(struct dg_native_reading *reading,
                        struct dg_native_scope *scope, struct dg_flatbuffer_table from)
{
    struct dg_vector values = dg_table_vector(from, GRAPH_VALUES);

    for (size_t i = 0; i < values.n; i++) {
        struct dg_flatbuffer_table value = dg_vector_table(values, i);

        dg_native_add_value(reading, scope, dg_table_string(value, DESCRIBED_NAME),
                            dg_table_table(value, DESCRIBED_META));
    }
}

/* Numbers that a body takes are described by their placeholders alone. */
static void read_placeholders(struct dg_native_reading *reading,
                              struct dg_native_scope *scope,
                              struct dg_flatbuffer_table from)
{
    struct dg_vector nodes = dg_table_vector(from, GRAPH_NODES);

    for (size_t i = 0; i < nodes.n; i++) {
        struct dg_flatbuffer_table node = dg_vector_table(nodes, i);

        if (dg_table_u8(node, NODE_KIND, 0) == PLACEHOLDER)
            each_output(reading, scope, dg_table_vector(node, NODE_OUTPUTS),
                        dg_native_know);
    }
}

static void read_nodes(struct dg_native_reading *reading, struct dg_native_scope *scope,
                       struct dg_flatbuffer_table from)
{
    struct dg_vector nodes = dg_table_vector(from, GRAPH_NODES);

    for (size_t i = 0; i < nodes.n; i++)
        read_node(reading, scope, dg_vector_table(nodes, i));
}

static void expect_all(struct dg_native_reading *reading, struct dg_native_scope *scope,
                       const char *what, struct dg_vector names)
{
    for (size_t i = 0; i < names.n; i++)
        dg_blob_expect(&reading->rows, what, i,
                       dg_native_ref(reading, scope, dg_vector_string(names, i)));
}

static void read_body(struct dg_native_reading *reading, struct dg_native_scope *scope,
                      struct dg_flatbuffer_table from)
{
    read_values(reading, scope, from);
    read_placeholders(reading, scope, from);
    expect_all(reading, scope, "a branch's input",
               dg_table_strings(from, GRAPH_INPUTS));
    read_nodes(reading, scope, from);
    expect_all(reading, scope, "a branch's output",
               dg_table_strings(from, GRAPH_OUTPUTS));
}

/* A scale or a zero point of a quantized constant is looked up, too. */
static void add_scales(struct dg_native_reading *reading,
                       struct dg_flatbuffer_table from)
{
    struct dg_flatbuffer_table scheme =
        dg_table_union(dg_table_table(from, META_QUANT), 1);

    if (scheme.type != &affine)
        return;
    if (dg_table_string(scheme, AFFINE_SCALES).size)
        dg_native_add_key(reading, dg_table_string(scheme, AFFINE_SCALES), DG_NONE);
    if (dg_table_string(scheme, AFFINE_ZEROS).size)
        dg_native_add_key(reading, dg_table_string(scheme, AFFINE_ZEROS), DG_NONE);
}

static void read_constant(struct dg_native_reading *reading,
                          struct dg_native_scope *scope,
                          struct dg_flatbuffer_table from)
{
    struct dg_text name = dg_table_string(from, REFERENCE_NAME);
    int64_t idx = dg_native_number(reading, scope, name);
    struct dg_delegate_value_row *row;

    if (dg_blob_value(&reading->rows, idx) == DG_NONE)
        dg_native_add_value(reading, scope, name, dg_table_table(from, REFERENCE_META));
    row = &reading->rows.program->delegate_values[dg_blob_value(&reading->rows, idx)];
    row->constant_idx = reading->n_constants;
    dg_native_add_key(reading, dg_table_string(from, REFERENCE_KEY), row->nbytes);
    add_scales(reading, dg_table_table(from, REFERENCE_META));
}

static void pass_inputs(struct dg_native_reading *reading,
                        struct dg_native_scope *scope, struct dg_vector names)
{
    for (size_t i = 0; i < names.n; i++)
        dg_blob_pass(&reading->rows,
                     dg_native_ref(reading, scope, dg_vector_string(names, i)),
                     DG_BLOB_INPUT);
}

/* Buffers that are written stay inside. */
static void pass_outputs(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_vector names,
                         struct dg_vector specs)
{
    for (size_t i = 0; i < names.n; i++) {
        struct dg_blob_ref ref =
            dg_native_ref(reading, scope, dg_vector_string(names, i));

        if (i >= specs.n || dg_table_u8(dg_vector_table(specs, i), SPEC_KIND,
                                        USER_OUTPUT) == USER_OUTPUT)
            dg_blob_pass(&reading->rows, ref, DG_BLOB_OUTPUT);
        else
            dg_blob_expect(&reading->rows, "written buffer", i, ref);
    }
}

static void read_method(struct dg_native_reading *reading,
                        struct dg_flatbuffer_table from)
{
    struct dg_flatbuffer_table own = dg_table_table(from, METHOD_GRAPH);
    struct dg_vector constants = dg_table_vector(from, METHOD_CONSTANTS);
    struct dg_native_scope scope = {0};

    if (own.at) {
        read_values(reading, &scope, own);
        for (size_t i = 0; i < constants.n; i++)
            read_constant(reading, &scope, dg_vector_table(constants, i));
        read_placeholders(reading, &scope, own);
        pass_inputs(reading, &scope, dg_table_strings(own, GRAPH_INPUTS));
        read_nodes(reading, &scope, own);
        pass_outputs(reading, &scope, dg_table_strings(own, GRAPH_OUTPUTS),
                     dg_table_vector(from, METHOD_SPECS));
    }
    dg_text_set_clear(&scope.names);
    free(scope.idx);
}

static struct dg_text meta_of(struct dg_native_reading *reading,
                              struct dg_flatbuffer_table from)
{
    struct dg_vector methods = dg_table_vector(from, METHODS);
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_fields(&json, from);
    dg_put_array(&json, "methods");
    for (size_t i = 0; i < methods.n; i++)
        dg_put_text(&json, NULL,
                    dg_table_string(dg_vector_table(methods, i), METHOD_NAME));
    dg_put_end(&json);
    dg_put_end(&json);
    return dg_blob_keep(&reading->rows, &json);
}

static enum dg_status read_blob(const struct dg_blob *blob, struct dg_program *program,
                                struct dg_error *err)
{
    enum { LEAST_BYTES = 8 };
    struct dg_native_reading reading = {0};
    struct dg_flatbuffer_table from;
    struct dg_vector methods;
    size_t n_unknown;
    enum dg_status status;

    if (blob->bytes.size < LEAST_BYTES || memcmp(blob->bytes.data + 4, "NPTG", 4))
        return dg_fail(err, DG_ERR_FORMAT, "byte 4: the identifier NPTG is missing");
    status = dg_blob_verify(blob, blob->bytes, &root, &n_unknown, err);
    if (status)
        return status;
    dg_blob_rows_begin(&reading.rows, blob, program);
    reading.rows.n_unknown = n_unknown;
    from = dg_flatbuffer_root(blob->bytes, &root);
    program->delegate_graphs[reading.rows.graph].meta = meta_of(&reading, from);
    methods = dg_table_vector(from, METHODS);
    for (size_t i = 0; i < methods.n; i++)
        read_method(&reading, dg_vector_table(methods, i));
    dg_blob_rows_end(&reading.rows);
    return DG_OK;
}

const struct dg_blob_reader dg_blob_reader_native = {"NativeBackend", "native", false,
                                                     read_blob};
