/* The header of an ELF file, and numbers behind it. */
#include "formats/library_view.h"

#include <inttypes.h>

#include "formats/library_facts.h"

/* System V ABI, "Object Files". */
enum {
    IDENT_BYTES = 16,
    CLASS_AT = 4,
    ENCODING_AT = 5,
    CLASS_32 = 1,
    CLASS_64 = 2,
    LITTLE = 1,
    BIG = 2,
};

static const size_t headers[] = {52, 64}, program_headers[] = {32, 56};

static const struct dg_elf_field program_headers_at = {{28, 32}, {4, 8}},
                                 program_header_bytes = {{42, 54}, {2, 2}},
                                 n_program_headers = {{44, 56}, {2, 2}};
static const struct dg_elf_field segment_type = {{0, 0}, {4, 4}},
                                 segment_offset = {{4, 8}, {4, 8}},
                                 segment_address = {{8, 16}, {4, 8}},
                                 segment_file_bytes = {{16, 32}, {4, 8}},
                                 segment_memory_bytes = {{20, 40}, {4, 8}},
                                 segment_flags = {{24, 4}, {4, 4}},
                                 segment_align = {{28, 48}, {4, 8}};

bool dg_is_elf(struct dg_bytes file)
{
    return file.size >= 4 && !memcmp(file.data, "\177ELF", 4);
}

enum dg_status dg_elf_view(struct dg_elf_view *view, struct dg_bytes file,
                           struct dg_error *err)
{
    if (!dg_is_elf(file) || file.size < IDENT_BYTES)
        return dg_fail(err, DG_ERR_FORMAT, "byte 0: no header of ELF");
    if ((file.data[CLASS_AT] != CLASS_32 && file.data[CLASS_AT] != CLASS_64) ||
        (file.data[ENCODING_AT] != LITTLE && file.data[ENCODING_AT] != BIG))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte 4: class %d and encoding %d; expected 1 or 2 of both",
                       file.data[CLASS_AT], file.data[ENCODING_AT]);
    *view = (struct dg_elf_view){file, file.data[CLASS_AT] == CLASS_64,
                                 file.data[ENCODING_AT] == BIG};
    if (file.size < headers[view->wide])
        return dg_fail(err, DG_ERR_FORMAT,
                       "the header of ELF has %zu bytes, and there are %zu",
                       headers[view->wide], file.size);
    return DG_OK;
}

uint64_t dg_elf_number(const struct dg_elf_view *view, uint64_t base,
                       struct dg_elf_field field)
{
    const uint8_t *at = view->file.data + base + field.at[view->wide];
    unsigned size = field.size[view->wide];
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value = value << 8 | at[view->big ? i : size - 1 - i];
    return value;
}

enum dg_status dg_elf_check_headers(const struct dg_elf_view *view, const char *what,
                                    uint64_t at, uint64_t n, uint64_t bytes,
                                    size_t expected, struct dg_error *err)
{
    if (bytes != expected)
        return dg_fail(err, DG_ERR_FORMAT,
                       "its %s headers have %" PRIu64 " bytes each; expected %zu", what,
                       bytes, expected);
    if (n > view->file.size / expected || !dg_inside(at, n * expected, view->file.size))
        return dg_fail(err, DG_ERR_FORMAT,
                       "%" PRIu64 " %s headers at byte %" PRIu64
                       " end behind its %zu bytes",
                       n, what, at, view->file.size);
    return DG_OK;
}

enum dg_status dg_elf_count_segments(uint64_t *n, const struct dg_elf_view *view,
                                     struct dg_error *err)
{
    *n = dg_elf_number(view, 0, n_program_headers);
    if (!*n)
        return DG_OK;
    return dg_elf_check_headers(
        view, "program", dg_elf_number(view, 0, program_headers_at), *n,
        dg_elf_number(view, 0, program_header_bytes), program_headers[view->wide], err);
}

struct dg_elf_segment dg_elf_segment(const struct dg_elf_view *view, uint64_t index)
{
    uint64_t at = dg_elf_number(view, 0, program_headers_at) +
                  index * program_headers[view->wide];

    return (struct dg_elf_segment){
        .type = (uint32_t)dg_elf_number(view, at, segment_type),
        .flags = (uint32_t)dg_elf_number(view, at, segment_flags),
        .offset = dg_elf_number(view, at, segment_offset),
        .address = dg_elf_number(view, at, segment_address),
        .file_bytes = dg_elf_number(view, at, segment_file_bytes),
        .memory_bytes = dg_elf_number(view, at, segment_memory_bytes),
        .align = dg_elf_number(view, at, segment_align)};
}

enum dg_status dg_elf_check_segment(const struct dg_elf_view *view, uint64_t index,
                                    struct dg_error *err)
{
    struct dg_elf_segment segment = dg_elf_segment(view, index);

    if (!segment.file_bytes ||
        dg_inside(segment.offset, segment.file_bytes, view->file.size))
        return DG_OK;
    return dg_fail(err, DG_ERR_FORMAT,
                   "segment %" PRIu64 ", of %" PRIu64 " bytes at byte %" PRIu64
                   ", ends behind its %zu bytes",
                   index, segment.file_bytes, segment.offset, view->file.size);
}
