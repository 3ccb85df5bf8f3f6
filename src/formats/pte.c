/* The reader of .pte files: container, header and what belongs to the whole program. */
#include "formats/pte.h"

#include <inttypes.h>

#include "base/text.h"
#include "formats/library.h"
#include "formats/reader.h"

enum { HEADER_AT = 8, LEAST_HEADER = 24, FULL_HEADER = 32 };

struct header {
    bool present;
    uint32_t bytes;
    uint64_t program_size, base, data_size;
};

struct dg_text dg_pte_utf8(struct dg_program *program, struct dg_text text)
{
    struct dg_writer out = {0};

    if (!text.data || dg_is_utf8(text))
        return text;
    /* The writer of JSON strings replaces what is not UTF-8; escapes tell no lies. */
    dg_write_json(&out, text);
    text = (struct dg_text){out.data + 1, out.size - 2};
    text.data = dg_copy(&program->memory, text);
    dg_writer_clear(&out);
    dg_remark(program, "format/string-utf8", "a string is not UTF-8: \"%.*s\"",
              text.size < 200 ? (int)text.size : 200, text.data);
    return text;
}

struct dg_text dg_pte_text(struct dg_program *program, struct dg_flatbuffer_table table,
                           unsigned field)
{
    return dg_pte_utf8(program, dg_table_string(table, field));
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool recognises(struct dg_bytes file)
{
    return file.size >= 8 && !memcmp(file.data + 4, "ET", 2) &&
           is_digit(file.data[6]) && is_digit(file.data[7]);
}

static enum dg_status read_header(struct dg_bytes file, struct header *header,
                                  struct dg_error *err)
{
    const uint8_t *at = file.data + HEADER_AT;

    *header = (struct header){.program_size = file.size};
    if (file.size < 12 || memcmp(at, "eh00", 4))
        return DG_OK;
    if (file.size < HEADER_AT + LEAST_HEADER)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: the extended header needs %d bytes, the file has %zu",
                       HEADER_AT, LEAST_HEADER, file.size - HEADER_AT);
    header->present = true;
    header->bytes = dg_u32(at + 4);
    header->program_size = dg_u64(at + 8);
    header->base = dg_u64(at + 16);
    if (header->bytes < LEAST_HEADER)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: the extended header says it has %" PRIu32
                       " bytes, it needs %d",
                       HEADER_AT + 4, header->bytes, LEAST_HEADER);
    if (header->program_size < HEADER_AT + LEAST_HEADER ||
        header->program_size > file.size)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: a program of %" PRIu64
                       " bytes in a file of %zu: the file is cut off or corrupt",
                       HEADER_AT + 8, header->program_size, file.size);
    if (header->bytes >= FULL_HEADER && file.size >= HEADER_AT + FULL_HEADER)
        header->data_size = dg_u64(at + 24);
    return DG_OK;
}

static enum dg_status check_identifier(struct dg_bytes file, struct dg_error *err)
{
    if (file.size < 8 || memcmp(file.data + 4, "ET", 2))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte 4: the identifier of a .pte, ET12, is missing");
    if (memcmp(file.data + 4, "ET12", 4))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte 4: this is format version %.4s; ET12 is understood",
                       (const char *)file.data + 4);
    return DG_OK;
}

/* The size and the file identifier come first. */
static enum dg_status check_root(struct dg_bytes flatbuffer, struct dg_error *err)
{
    uint32_t root = flatbuffer.size < HEADER_AT ? 0 : dg_u32(flatbuffer.data);

    if (root >= HEADER_AT)
        return DG_OK;
    return dg_fail(err, DG_ERR_FORMAT,
                   "byte 0: the root table begins at byte %" PRIu32
                   ", before the end of the identifier",
                   root);
}

static void describe(struct dg_pte *pte, const struct header *header)
{
    struct dg_program *program = pte->program;
    uint32_t version = dg_table_u32(pte->root, PROGRAM_VERSION, 0);
    struct dg_text bytes = header->present
                               ? dg_format(&program->memory, "%" PRIu32, header->bytes)
                               : dg_text("null");

    program->kind = "pte";
    program->container =
        dg_text(header->present ? "extended header" : "bare flatbuffer");
    program->version = dg_format(
        &program->memory,
        "{\"identifier\":\"ET12\",\"program\":%" PRIu32
        ",\"header_bytes\":%s,\"program_size\":%" PRIu64
        ",\"segment_base_offset\":%" PRIu64 ",\"segment_data_size\":%" PRIu64 "}",
        version, bytes.data, header->program_size, header->base, header->data_size);
}

static void remark_on_unknown(struct dg_program *program, size_t n_unknown)
{
    if (n_unknown)
        dg_remark(program, "format/unknown-field",
                  "%zu fields are newer than the schema that is known here", n_unknown);
}

static void read_program(struct dg_pte *pte)
{
    struct dg_vector plans = dg_table_vector(pte->root, PROGRAM_PLANS);

    dg_pte_read_segments(pte);
    dg_pte_read_named_data(pte);
    for (size_t i = 0; i < plans.n; i++)
        dg_pte_read_plan(pte, dg_vector_table(plans, i));
    dg_pte_read_constants(pte);
}

static enum dg_status read_pte(struct dg_bytes file, bool verify_all,
                               struct dg_program *program, struct dg_error *err)
{
    struct dg_pte pte = {.file = file, .program = program};
    struct header header;
    size_t n_unknown;
    enum dg_status status = check_identifier(file, err);

    if (!status)
        status = read_header(file, &header, err);
    if (status)
        return status;
    pte.flatbuffer = dg_slice(file, 0, (size_t)header.program_size);
    status = check_root(pte.flatbuffer, err);
    if (!status)
        status = dg_flatbuffer_verify(pte.flatbuffer, &dg_pte_program, &n_unknown, err);
    if (status)
        return status;
    pte.root = dg_flatbuffer_root(pte.flatbuffer, &dg_pte_program);
    pte.base = header.base;
    pte.expansions = pte.flatbuffer.size * 2 + (1 << 20);
    pte.blobs = (struct dg_blobs){program, .effort = (uint64_t)file.size * 4};
    describe(&pte, &header);
    remark_on_unknown(program, n_unknown);
    read_program(&pte);
    dg_blobs_clear(&pte.blobs);
    dg_xnnpack_measure_scales(program, file);
    status = dg_libraries_of_named_data(program, file, err);
    dg_pte_list_constants(&pte);
    return status;
}

const struct dg_reader dg_reader_pte = {"pte", recognises, read_pte};
