/* Blobs of MLXBackend: MLXGraph of ExecuTorch's schema.fbs, behind a header of 24
 * bytes. Slots hold tensors or numbers, and are used again. Chains of instructions are
 * read in the order in which they run, each once: what runs once before all calls, then
 * the main one, and behind an IfNode or a ScanNode the chains that it names. So what
 * two branches write has the second one's result, and what a scan puts together that of
 * its body. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/blob_rows.h"
#include "formats/flatbuffer_json.h"
#include "formats/mlx_schema.h"
#include "formats/pte.h"

/* A chain that is being read, and its next instruction. */
struct place {
    size_t chain, next;
};

struct reading {
    struct dg_blob_rows rows;
    int64_t n_constants, n_tensors, n_numbers; /* slots; constants are the first ones */
    int64_t n_named;                           /* of the constants */
    struct dg_vector chains;
    bool *entered;        /* by chain */
    struct place *places; /* the innermost one last; there is room for all chains */
    bool is_run;          /* a call gets to these instructions */
    size_t n_places;
};

/* Numbers have slots of their own: they come behind all that a tensor may have. */
static const int64_t first_number = (int64_t)1 << 32;

/* The slot. Of one for a while nothing is said but that it is used; one that there is
 * not is told by MLX's name for it if its idx here would mislead. */
static struct dg_blob_ref know(struct reading *reading, uint32_t slot_number,
                               bool is_tensor)
{
    struct dg_blob_ref ref = {.idx = slot_number + (is_tensor ? 0 : first_number)};
    bool is_there = slot_number < (is_tensor ? reading->n_tensors : reading->n_numbers);

    if (is_there && dg_blob_value(&reading->rows, ref.idx) == DG_NONE)
        dg_blob_add_value(&reading->rows, ref.idx)->datatype =
            dg_text(is_tensor ? "tensor" : "number");
    if (!is_there && !is_tensor)
        ref.name = dg_format(&reading->rows.program->memory, "v%" PRIu32, slot_number);
    return ref;
}

static struct dg_blob_ref know_variant(struct reading *reading,
                                       struct dg_flatbuffer_table slot_variant)
{
    return know(reading, dg_table_u32(slot_variant, SLOT_IDX, 0),
                dg_table_u8(slot_variant, SLOT_TYPE, TENSOR_SLOT) == TENSOR_SLOT);
}

static void operand(struct reading *reading, struct dg_text name, uint32_t slot_number,
                    enum dg_field_role role)
{
    bool is_tensor = role == DG_ROLE_READ || role == DG_ROLE_WRITE;
    bool reads = role == DG_ROLE_READ || role == DG_ROLE_READ_SCALAR;

    (reads ? dg_blob_read : dg_blob_write)(&reading->rows, name,
                                           know(reading, slot_number, is_tensor));
}

/* A literal, or the slot where it is when it runs: then null. */
static void read_either(struct reading *reading, struct dg_json_writer *json,
                        const char *field, const char *key,
                        struct dg_flatbuffer_table value)
{
    enum { VID = 1, TID };
    bool tensors = value.type == &number_or_tensor || value.type == &int_or_both;
    unsigned last = value.type->n_fields - 1;
    uint8_t kind = dg_table_u8(value, last, 0);

    if (value.type == &number_or_tensor && kind != VID)
        kind = TID;
    if (kind == VID)
        operand(reading, dg_text(field),
                dg_table_u32(value, value.type == &number_or_tensor ? 0 : 1, 0),
                DG_ROLE_READ_SCALAR);
    else if (kind == TID && tensors)
        operand(reading, dg_text(field), dg_table_u32(value, last - 1, 0),
                DG_ROLE_READ);
    else {
        if (key)
            dg_put_name(json, dg_text(key));
        dg_put_content(json, value, 0);
        return;
    }
    dg_put_null(json, key);
}

static void read_several(struct reading *reading, struct dg_json_writer *json,
                         const char *field, struct dg_vector values)
{
    dg_put_array(json, field);
    for (size_t i = 0; i < values.n && dg_blob_spend(&reading->rows, 1); i++)
        read_either(reading, json, field, NULL, dg_vector_table(values, i));
    dg_put_end(json);
}

static void read_slots(struct reading *reading, const struct dg_field *field,
                       struct dg_vector slots)
{
    for (size_t i = 0; i < slots.n && dg_blob_spend(&reading->rows, 1); i++)
        operand(reading, dg_text(field->name), dg_u32(slots.at + 4 * i), field->role);
}

/* Slots that the schema does not ask for may be absent. */
static void read_slot(struct reading *reading, struct dg_flatbuffer_table from,
                      unsigned i)
{
    const struct dg_field *field = &from.type->fields[i];

    if (dg_table_has(from, i))
        operand(reading, dg_text(field->name), dg_table_u32(from, i, 0), field->role);
}

static void read_field(struct reading *reading, struct dg_json_writer *json,
                       struct dg_flatbuffer_table from, unsigned i)
{
    const struct dg_field *field = &from.type->fields[i];
    bool is_slot = field->role >= DG_ROLE_READ;

    if (field->kind == DG_FIELD_SCALAR && is_slot)
        read_slot(reading, from, i);
    else if (field->kind == DG_FIELD_VECTOR && is_slot)
        read_slots(reading, field, dg_table_vector(from, i));
    else if (field->kind == DG_FIELD_TABLES)
        read_several(reading, json, field->name, dg_table_vector(from, i));
    else if (field->kind == DG_FIELD_TABLE && dg_table_has(from, i))
        read_either(reading, json, field->name, field->name, dg_table_table(from, i));
    else
        dg_put_field(json, from, i);
}

static bool writes(const struct dg_field *field)
{
    return field->role == DG_ROLE_WRITE || field->role == DG_ROLE_WRITE_SCALAR;
}

/* It reads before it writes, whatever the order of its fields. */
static void read_node(struct reading *reading, struct dg_flatbuffer_table from,
                      uint8_t kind, size_t in_chain)
{
    struct dg_delegate_node_row *row = dg_blob_add_node(
        &reading->rows, from.at ? dg_text(from.type->name) : (struct dg_text){0}, kind);
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};
    unsigned n_fields = from.at ? (unsigned)from.type->n_fields : 0;

    dg_put_object(&json, NULL);
    for (int behind = 0; behind < 2; behind++) {
        for (unsigned i = 0; i < n_fields; i++) {
            if (writes(&from.type->fields[i]) == behind)
                read_field(reading, &json, from, i);
        }
    }
    if (in_chain)
        dg_put_int(&json, "chain", (int64_t)in_chain);
    dg_put_end(&json);
    row->args = dg_blob_keep(&reading->rows, &json);
}

/* The instructions of that chain, which field `who` names, come next. If there is none,
 * the loader refuses the graph, or its interpreter the call. */
static void enter(struct reading *reading, const char *who, int64_t chain)
{
    bool is_there = chain >= 0 && (uint64_t)chain < reading->chains.n;

    if (!is_there && reading->is_run)
        dg_blob_remark(&reading->rows, "blob/format",
                       dg_format(&reading->rows.program->memory,
                                 "%s is %" PRId64
                                 ", and the blob has %zu chains of instructions",
                                 who, chain, reading->chains.n));
    if (!is_there || reading->entered[chain])
        return;
    reading->entered[chain] = true;
    reading->places[reading->n_places++] = (struct place){.chain = (size_t)chain};
}

/* What is entered last is read first. */
static void enter_named(struct reading *reading, struct dg_flatbuffer_table node)
{
    if (node.type == &IfNode) {
        enter(reading, "else_chain_idx of an IfNode", dg_table_u32(node, IF_ELSE, 0));
        enter(reading, "then_chain_idx of an IfNode", dg_table_u32(node, IF_THEN, 0));
    } else if (node.type == &ScanNode) {
        enter(reading, "body_chain_idx of a ScanNode",
              dg_table_i32(node, SCAN_BODY, 0));
    }
}

/* A chain may name another, and so on: they lie on a stack of their own. */
static void read_chain(struct reading *reading, const char *who, int64_t chain)
{
    enter(reading, who, chain);
    while (reading->n_places) {
        struct place *place = &reading->places[reading->n_places - 1];
        struct dg_vector instructions =
            dg_table_vector(dg_vector_table(reading->chains, place->chain), 0);
        struct dg_flatbuffer_table one, node;

        if (place->next == instructions.n) {
            reading->n_places--;
            continue;
        }
        one = dg_vector_table(instructions, place->next++);
        node = dg_table_union(one, OP_NODE);
        read_node(reading, node, dg_table_u8(one, OP_TYPE, 0), place->chain);
        enter_named(reading, node);
    }
}

static void read_chains(struct reading *reading, struct dg_flatbuffer_table root)
{
    size_t n;

    reading->chains = dg_table_vector(root, CHAINS);
    n = reading->chains.n;
    reading->entered = dg_zeroed(n, sizeof(*reading->entered));
    reading->places = dg_zeroed(n, sizeof(*reading->places));
    reading->is_run = true;
    if (dg_table_i32(root, INIT_CHAIN, -1) >= 0)
        read_chain(reading, "init_chain_idx", dg_table_i32(root, INIT_CHAIN, -1));
    read_chain(reading, "main_chain_idx", dg_table_u32(root, MAIN_CHAIN, 0));
    reading->is_run = false;
    for (size_t i = 0; i < n; i++)
        read_chain(reading, "the next", (int64_t)i);
    free(reading->entered);
    free(reading->places);
}

static void read_meta(struct reading *reading, struct dg_flatbuffer_table from,
                      size_t tensor)
{
    struct dg_delegate_value_row *row =
        dg_blob_add_value(&reading->rows, (int64_t)tensor);
    struct dg_vector dims = dg_table_vector(from, META_SHAPE);
    int8_t type = dg_table_i8(from, META_TYPE, 0);
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};
    int64_t n_elements = 1;

    dg_put_array(&json, NULL);
    for (size_t i = 0; i < dims.n; i++) {
        struct dg_flatbuffer_table size = dg_vector_table(dims, i);
        int32_t value = dg_table_i32(size, DIM_VALUE, -1);

        dg_blob_put_size(&json, &n_elements,
                         value < 0 ? dg_table_i32(size, DIM_MAX, -1) : value);
    }
    dg_put_end(&json);
    row->shape = dg_blob_keep(&reading->rows, &json);
    dg_blob_set_torch_type(&reading->rows, row, dg_dtype_of_c10(type), type,
                           n_elements);
}

/* Names are keys of named data where the slot is a constant. */
static void read_named(struct reading *reading, struct dg_flatbuffer_table from,
                       size_t n)
{
    struct dg_flatbuffer_table where = dg_table_table(from, NAMED_SLOT);
    struct dg_text name =
        dg_pte_utf8(reading->rows.program, dg_table_string(from, NAMED_NAME));
    struct dg_blob_ref ref = know_variant(reading, where);
    int64_t value = dg_blob_value(&reading->rows, ref.idx);
    struct dg_delegate_constant_row *constant;
    struct dg_delegate_value_row *row;

    if (value == DG_NONE) {
        dg_blob_lacks(&reading->rows, "blob/value-defined",
                      dg_format(&reading->rows.program->memory, "what it names %.*s",
                                (int)name.size, name.data),
                      ref);
        return;
    }
    row = &reading->rows.program->delegate_values[value];
    row->name = name;
    if (ref.idx >= reading->n_constants)
        return;
    reading->n_named += row->constant_idx == DG_NONE;
    row->constant_idx = (int64_t)n;
    constant = dg_blob_add_constant(&reading->rows, (int64_t)n, (struct dg_bytes){0});
    constant->key = name;
    constant->nbytes = row->nbytes;
}

static void pass_all(struct reading *reading, struct dg_vector slots, int64_t flag)
{
    for (size_t i = 0; i < slots.n; i++)
        dg_blob_pass(&reading->rows, know_variant(reading, dg_vector_table(slots, i)),
                     flag);
}

/* Nothing is kept of buffers but that they have slots. */
static void read_buffers(struct reading *reading, struct dg_vector slots)
{
    for (size_t i = 0; i < slots.n; i++)
        dg_blob_expect(&reading->rows, "mutable buffer", i,
                       know_variant(reading, dg_vector_table(slots, i)));
}

/* Constants, inputs, outputs, mutable buffers and slots for a while, in that order. */
static void count_slots(struct reading *reading, struct dg_flatbuffer_table root)
{
    reading->n_constants = dg_table_u32(root, N_CONSTANTS, 0);
    for (unsigned i = N_CONSTANTS; i <= N_TEMPORARIES; i++)
        reading->n_tensors += dg_table_u32(root, i, 0);
    reading->n_numbers = dg_table_u32(root, N_NUMBERS, 0);
}

/* MLX looks for the bytes of each under its name. */
static void expect_names(struct reading *reading)
{
    if (reading->n_named < reading->n_constants)
        dg_blob_remark(&reading->rows, "blob/constant",
                       dg_format(&reading->rows.program->memory,
                                 "it has %" PRId64 " constants, and names %" PRId64
                                 " of them",
                                 reading->n_constants, reading->n_named));
}

static void read_rows(struct reading *reading, struct dg_flatbuffer_table root)
{
    struct dg_vector metas = dg_table_vector(root, TENSOR_META);
    struct dg_vector slots = dg_table_vector(root, NAMED_SLOTS);

    count_slots(reading, root);
    for (size_t i = 0; i < metas.n && (int64_t)i < reading->n_tensors; i++)
        read_meta(reading, dg_vector_table(metas, i), i);
    for (size_t i = 0; i < slots.n; i++)
        read_named(reading, dg_vector_table(slots, i), i);
    expect_names(reading);
    read_buffers(reading, dg_table_vector(root, BUFFER_MAP));
    pass_all(reading, dg_table_vector(root, INPUT_MAP), DG_BLOB_INPUT);
    read_chains(reading, root);
    pass_all(reading, dg_table_vector(root, OUTPUT_MAP), DG_BLOB_OUTPUT);
}

static struct dg_text meta_of(struct reading *reading, struct dg_flatbuffer_table root)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_fields(&json, root);
    dg_put_end(&json);
    return dg_blob_keep(&reading->rows, &json);
}

/* The header: four bytes, the magic, and where constants would lie; the graph is
 * before them. */
static enum dg_status find_graph(struct dg_bytes blob, struct dg_bytes *found,
                                 struct dg_error *err)
{
    enum { MAGIC_AT = 4, DATA_AT = 8, DATA_SIZE_AT = 16, HEADER_BYTES = 24 };
    uint64_t data, size;

    if (blob.size < HEADER_BYTES || memcmp(blob.data + MAGIC_AT, "MLX0", 4))
        return dg_fail(err, DG_ERR_FORMAT, "byte 4: the magic MLX0 is missing");
    data = dg_u64(blob.data + DATA_AT);
    size = dg_u64(blob.data + DATA_SIZE_AT);
    if (data < HEADER_BYTES || !dg_inside(data, size, blob.size))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: constants of %" PRIu64 " bytes at byte %" PRIu64
                       " of %zu",
                       DATA_AT, size, data, blob.size);
    *found = dg_slice(blob, HEADER_BYTES, (size_t)data - HEADER_BYTES);
    return DG_OK;
}

static enum dg_status read_blob(const struct dg_blob *blob, struct dg_program *program,
                                struct dg_error *err)
{
    struct reading reading = {0};
    struct dg_flatbuffer_table root;
    struct dg_bytes bytes;
    size_t n_unknown;
    enum dg_status status = find_graph(blob->bytes, &bytes, err);

    if (!status)
        status = dg_blob_verify(blob, bytes, &graph, &n_unknown, err);
    if (status)
        return status;
    dg_blob_rows_begin(&reading.rows, blob, program);
    reading.rows.n_unknown = n_unknown;
    root = dg_flatbuffer_root(bytes, &graph);
    program->delegate_graphs[reading.rows.graph].meta = meta_of(&reading, root);
    read_rows(&reading, root);
    dg_blob_rows_end(&reading.rows);
    return DG_OK;
}

const struct dg_blob_reader dg_blob_reader_mlx = {"MLXBackend", "mlx", false,
                                                  read_blob};
