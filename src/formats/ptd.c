/* The reader of .ptd files: tensors by name, in segments. */
#include <inttypes.h>

#include "base/dtype.h"
#include "formats/flatbuffer_fields.h"
#include "formats/library.h"
#include "formats/pte.h"
#include "formats/reader.h"

enum { HEADER_AT = 8, HEADER_BYTES = 40 };

TYPE(segment, "DataSegment", SCALAR("offset", 8), SCALAR("size", 8));
TYPE(layout, "TensorLayout", SCALAR("scalar_type", 1), VECTOR("sizes", 4),
     VECTOR("dim_order", 1));
TYPE(named_data, "NamedData", STRING("key"), SCALAR("segment_index", 4),
     CHILD("tensor_layout", layout));
static const struct dg_field present_fields[] = {SCALAR("version", 4),
                                                 CHILDREN("segments", segment),
                                                 CHILDREN("named_data", named_data)};
const struct dg_table_type dg_ptd_program = {"FlatTensor", present_fields, 3};

/* ExecuTorch 0.5 and 0.6 wrote other tables under the same identifier. */
TYPE(old_tensor, "TensorMetadata", STRING("fully_qualified_name"),
     SCALAR("scalar_type", 1), VECTOR("sizes", 4), VECTOR("dim_order", 1),
     SCALAR("segment_index", 4), SCALAR("offset", 8));
TYPE(old, "FlatTensor", SCALAR("version", 4), SCALAR("tensor_alignment", 4),
     CHILDREN("tensors", old_tensor), CHILDREN("segments", segment),
     CHILDREN("named_data", named_data));

enum { FLAT_VERSION, FLAT_SEGMENTS, FLAT_NAMED_DATA };
enum { OLD_TENSORS = 2, OLD_SEGMENTS, OLD_NAMED_DATA };
enum { NAMED_KEY, NAMED_SEGMENT, NAMED_LAYOUT };
enum { LAYOUT_SCALAR_TYPE, LAYOUT_SIZES, LAYOUT_DIM_ORDER };
enum { OLD_FQN, OLD_SCALAR_TYPE, OLD_SIZES, OLD_DIM_ORDER, OLD_SEGMENT, OLD_OFFSET };

struct header {
    bool present;
    uint32_t bytes;
    uint64_t flatbuffer_offset, flatbuffer_size, base, data_size;
};

static bool recognises(struct dg_bytes file)
{
    return file.size >= 8 && !memcmp(file.data + 4, "FT", 2) && file.data[6] >= '0' &&
           file.data[6] <= '9';
}

static enum dg_status read_header(struct dg_bytes file, struct header *header,
                                  struct dg_error *err)
{
    const uint8_t *at = file.data + HEADER_AT;

    *header = (struct header){.flatbuffer_size = file.size};
    if (file.size < 12 || memcmp(at, "FH01", 4))
        return DG_OK;
    if (file.size < HEADER_AT + HEADER_BYTES)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: the header needs %d bytes, the file has %zu",
                       HEADER_AT, HEADER_BYTES, file.size - HEADER_AT);
    *header = (struct header){true,
                              dg_u32(at + 4),
                              dg_u64(at + 8),
                              dg_u64(at + 16),
                              dg_u64(at + 24),
                              dg_u64(at + 32)};
    if (header->bytes < HEADER_BYTES)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: the header says it has %" PRIu32 " bytes, it needs %d",
                       HEADER_AT + 4, header->bytes, HEADER_BYTES);
    if (!dg_inside(header->flatbuffer_offset, header->flatbuffer_size, file.size))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: a FlatBuffer of %" PRIu64 " bytes at %" PRIu64
                       " in a file of %zu: the file is cut off or corrupt",
                       HEADER_AT + 8, header->flatbuffer_size,
                       header->flatbuffer_offset, file.size);
    return DG_OK;
}

static void describe(struct dg_program *program, const struct header *header,
                     uint32_t version, bool is_old)
{
    struct dg_text bytes = header->present
                               ? dg_format(&program->memory, "%" PRIu32, header->bytes)
                               : dg_text("null");

    program->kind = "ptd";
    program->container =
        dg_text(is_old ? "flat tensor of ExecuTorch 0.5 or 0.6" : "flat tensor");
    program->version =
        dg_format(&program->memory,
                  "{\"identifier\":\"FT01\",\"flat_tensor\":%" PRIu32
                  ",\"header_bytes\":%s,\"flatbuffer_offset\":%" PRIu64
                  ",\"flatbuffer_size\":%" PRIu64 ",\"segment_base_offset\":%" PRIu64
                  ",\"segment_data_size\":%" PRIu64 "}",
                  version, bytes.data, header->flatbuffer_offset,
                  header->flatbuffer_size, header->base, header->data_size);
}

/* Data type, sizes and order of dimensions follow each other in both schemas. */
static void read_layout(struct dg_program *program, struct dg_named_data_row *row,
                        struct dg_flatbuffer_table table, unsigned first)
{
    struct dg_vector sizes = dg_table_vector(table, first + LAYOUT_SIZES);
    struct dg_vector dim_order = dg_table_vector(table, first + LAYOUT_DIM_ORDER);
    int8_t code = dg_table_i8(table, first, 0);
    const struct dg_dtype *dtype = dg_dtype_of_c10(code);

    row->dtype = dtype ? dtype->name : NULL;
    row->shape = dg_pte_sizes(&program->memory, sizes);
    row->dim_order = dg_pte_dim_order(&program->memory, dim_order);
    if (!dtype)
        dg_remark(program, "value/scalar-type", "key %.*s: scalar_type %d is not known",
                  row->key.size < 200 ? (int)row->key.size : 200, row->key.data, code);
    else
        row->layout_bytes = dg_pte_nbytes(sizes, dtype->bytes);
}

static void read_named_data(struct dg_program *program, struct dg_vector named)
{
    for (size_t i = 0; i < named.n; i++) {
        struct dg_flatbuffer_table entry = dg_vector_table(named, i);
        struct dg_flatbuffer_table tensor = dg_table_table(entry, NAMED_LAYOUT);
        struct dg_named_data_row *row =
            dg_pte_add_named_data(program, dg_pte_text(program, entry, NAMED_KEY),
                                  dg_table_u32(entry, NAMED_SEGMENT, 0));

        if (tensor.at)
            read_layout(program, row, tensor, LAYOUT_SCALAR_TYPE);
    }
}

static void add_old_constant(struct dg_program *program, struct dg_bytes file,
                             const struct dg_named_data_row *tensor, uint64_t offset)
{
    struct dg_constant_row *row = dg_add_constant(program);

    row->idx = tensor->idx;
    row->fqn = tensor->key;
    row->kind = "constant";
    row->dtype = tensor->dtype;
    row->shape = tensor->shape;
    row->nbytes = tensor->size_bytes;
    dg_pte_place_constant(program, file, row, (uint32_t)tensor->segment_idx, offset);
}

/* Tensors of the old schema share segments: each has its own size and place. */
static void read_old_tensors(struct dg_program *program, struct dg_bytes file,
                             struct dg_vector tensors)
{
    for (size_t i = 0; i < tensors.n; i++) {
        struct dg_flatbuffer_table tensor = dg_vector_table(tensors, i);
        struct dg_named_data_row *row =
            dg_pte_add_named_data(program, dg_pte_text(program, tensor, OLD_FQN),
                                  dg_table_u32(tensor, OLD_SEGMENT, 0));

        read_layout(program, row, tensor, OLD_SCALAR_TYPE);
        row->size_bytes = row->layout_bytes;
        add_old_constant(program, file, row, dg_table_u64(tensor, OLD_OFFSET, 0));
    }
}

static void mark_segments(struct dg_program *program)
{
    for (size_t i = 0; i < program->n_named_data; i++) {
        uint64_t segment = (uint64_t)program->named_data[i].segment_idx;

        if (segment < program->n_segments)
            program->segments[segment].kind = "named_data";
    }
}

static enum dg_status check_identifier(struct dg_bytes file, struct dg_error *err)
{
    if (file.size < 8 || memcmp(file.data + 4, "FT", 2))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte 4: the identifier of a .ptd, FT01, is missing");
    if (memcmp(file.data + 4, "FT01", 4))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte 4: this is format version %.4s; FT01 is understood",
                       (const char *)file.data + 4);
    return DG_OK;
}

static void read_tables(struct dg_program *program, struct dg_flatbuffer_table root,
                        struct dg_bytes file, uint64_t base, bool is_old)
{
    unsigned segments = is_old ? OLD_SEGMENTS : FLAT_SEGMENTS;
    unsigned named = is_old ? OLD_NAMED_DATA : FLAT_NAMED_DATA;

    dg_pte_add_segments(program, dg_table_vector(root, segments), file, base,
                        "unreferenced");
    if (is_old)
        read_old_tensors(program, file, dg_table_vector(root, OLD_TENSORS));
    read_named_data(program, dg_table_vector(root, named));
    mark_segments(program);
}

static enum dg_status read_ptd(struct dg_bytes file, bool verify_all,
                               struct dg_program *program, struct dg_error *err)
{
    struct header header;
    const struct dg_table_type *type;
    struct dg_bytes flatbuffer;
    struct dg_flatbuffer_table root;
    size_t n_unknown;
    bool is_old;
    enum dg_status status = check_identifier(file, err);

    if (!status)
        status = read_header(file, &header, err);
    if (status)
        return status;
    flatbuffer =
        dg_slice(file, 0, (size_t)(header.flatbuffer_offset + header.flatbuffer_size));
    is_old = dg_flatbuffer_root_has(flatbuffer, OLD_SEGMENTS);
    type = is_old ? &old : &dg_ptd_program;
    status = dg_flatbuffer_verify(flatbuffer, type, &n_unknown, err);
    if (status)
        return status;
    root = dg_flatbuffer_root(flatbuffer, type);
    describe(program, &header, dg_table_u32(root, FLAT_VERSION, 0), is_old);
    if (n_unknown)
        dg_remark(program, "format/unknown-field",
                  "%zu fields are newer than the schema that is known here", n_unknown);
    read_tables(program, root, file, header.base, is_old);
    return dg_libraries_of_named_data(program, file, err);
}

const struct dg_reader dg_reader_ptd = {"ptd", recognises, read_ptd};
