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
    int64_t n_constants;
    struct dg_vector chains;
    bool *entered;        /* by chain */
    struct place *places; /* the innermost one last; there is room for all chains */
    size_t n_places;
};

/* Numbers have slots of their own: they come behind all that a tensor may have. */
static int64_t idx_of(uint32_t slot_number, bool is_tensor)
{
    return is_tensor ? (int64_t)slot_number : ((int64_t)1 << 32) + slot_number;
}

/* Of a slot for a while nothing is said but that it is used. */
static void know(struct reading *reading, int64_t idx)
{
    if (dg_blob_value(&reading->rows, idx) == DG_NONE)
        dg_blob_add_value(&reading->rows, idx)->datatype =
            dg_text(idx >> 32 ? "number" : "tensor");
}

static void operand(struct reading *reading, struct dg_text name, uint32_t slot_number,
                    enum dg_field_role role)
{
    bool is_tensor = role == DG_ROLE_READ || role == DG_ROLE_WRITE;
    bool reads = role == DG_ROLE_READ || role == DG_ROLE_READ_SCALAR;
    int64_t idx = idx_of(slot_number, is_tensor);

    know(reading, idx);
    (reads ? dg_blob_read : dg_blob_write)(&reading->rows, name, idx);
}

static void put_literal(struct dg_json_writer *json, const char *key,
                        struct dg_flatbuffer_table value)
{
    if (key)
        dg_put_name(json, dg_text(key));
    dg_put_content(json, value, 0);
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
        put_literal(json, key, value);
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
    for (unsigned i = 0; i < n_fields; i++) {
        if (!writes(&from.type->fields[i]))
            read_field(reading, &json, from, i);
    }
    for (unsigned i = 0; i < n_fields; i++) {
        if (writes(&from.type->fields[i]))
            read_field(reading, &json, from, i);
    }
    if (in_chain)
        dg_put_int(&json, "chain", (int64_t)in_chain);
    dg_put_end(&json);
    row->args = dg_blob_keep(&reading->rows, &json);
}

/* Its instructions come next. */
static void enter(struct reading *reading, int64_t chain)
{
    if (chain < 0 || (uint64_t)chain >= reading->chains.n || reading->entered[chain])
        return;
    reading->entered[chain] = true;
    reading->places[reading->n_places++] = (struct place){.chain = (size_t)chain};
}

/* What is entered last is read first. */
static void enter_named(struct reading *reading, struct dg_flatbuffer_table node)
{
    if (node.type == &IfNode) {
        enter(reading, dg_table_u32(node, IF_ELSE, 0));
        enter(reading, dg_table_u32(node, IF_THEN, 0));
    } else if (node.type == &ScanNode) {
        enter(reading, dg_table_i32(node, SCAN_BODY, 0));
    }
}

/* A chain may name another, and so on: they lie on a stack of their own. */
static void read_chain(struct reading *reading, int64_t chain)
{
    enter(reading, chain);
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
    read_chain(reading, dg_table_i32(root, INIT_CHAIN, -1));
    read_chain(reading, dg_table_u32(root, MAIN_CHAIN, 0));
    for (size_t i = 0; i < n; i++)
        read_chain(reading, (int64_t)i);
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
    bool is_tensor = dg_table_u8(where, SLOT_TYPE, TENSOR_SLOT) == TENSOR_SLOT;
    int64_t idx = idx_of(dg_table_u32(where, SLOT_IDX, 0), is_tensor);
    struct dg_delegate_constant_row *constant;
    struct dg_delegate_value_row *row;

    know(reading, idx);
    row = &reading->rows.program->delegate_values[dg_blob_value(&reading->rows, idx)];
    row->name = name;
    if (idx >= reading->n_constants)
        return;
    row->constant_idx = (int64_t)n;
    constant = dg_blob_add_constant(&reading->rows, (int64_t)n, (struct dg_bytes){0});
    constant->key = name;
    constant->nbytes = row->nbytes;
}

static void pass_all(struct reading *reading, struct dg_vector slots, int64_t flag)
{
    for (size_t i = 0; i < slots.n; i++) {
        struct dg_flatbuffer_table one = dg_vector_table(slots, i);
        bool is_tensor = dg_table_u8(one, SLOT_TYPE, TENSOR_SLOT) == TENSOR_SLOT;
        int64_t idx = idx_of(dg_table_u32(one, SLOT_IDX, 0), is_tensor);

        know(reading, idx);
        dg_blob_pass(&reading->rows, idx, flag);
    }
}

static void read_rows(struct reading *reading, struct dg_flatbuffer_table root)
{
    struct dg_vector metas = dg_table_vector(root, TENSOR_META);
    struct dg_vector slots = dg_table_vector(root, NAMED_SLOTS);

    reading->n_constants = dg_table_u32(root, N_CONSTANTS, 0);
    for (size_t i = 0; i < metas.n; i++)
        read_meta(reading, dg_vector_table(metas, i), i);
    for (size_t i = 0; i < slots.n; i++)
        read_named(reading, dg_vector_table(slots, i), i);
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
