/* Headers and tables of ELF files, held to their bounds before libelf sees them. */
#include <inttypes.h>

#include "formats/library_facts.h"

/* System V ABI, "Object Files": only what is needed here. */
enum {
    IDENT_BYTES = 16,
    CLASS_AT = 4,
    ENCODING_AT = 5,
    CLASS_32 = 1,
    CLASS_64 = 2,
    LITTLE = 1,
    BIG = 2,
    SECTION_SYMBOLS = 2,
    SECTION_STRINGS = 3,
    SECTION_DYNAMIC = 6,
    SECTION_NOBITS = 8,
    SECTION_DYNAMIC_SYMBOLS = 11,
    SECTION_VERSION_NEEDS = 0x6ffffffe,
    SECTION_SYMBOL_VERSIONS = 0x6fffffff,
    NUMBER_ELSEWHERE = 0xffff, /* section 0 says which */
};

struct field {
    uint8_t at[2], size[2]; /* in the 32-bit and in the 64-bit class */
};

static const struct field program_headers_at = {{28, 32}, {4, 8}},
                          section_headers_at = {{32, 40}, {4, 8}},
                          header_bytes = {{40, 52}, {2, 2}},
                          program_header_bytes = {{42, 54}, {2, 2}},
                          n_program_headers = {{44, 56}, {2, 2}},
                          section_header_bytes = {{46, 58}, {2, 2}},
                          n_section_headers = {{48, 60}, {2, 2}},
                          names_index = {{50, 62}, {2, 2}};
static const struct field section_type = {{4, 4}, {4, 4}},
                          section_offset = {{16, 24}, {4, 8}},
                          section_size = {{20, 32}, {4, 8}},
                          section_link = {{24, 40}, {4, 4}},
                          section_entry_bytes = {{36, 56}, {4, 8}};
static const struct field segment_offset = {{4, 8}, {4, 8}},
                          segment_size = {{16, 32}, {4, 8}};

static const size_t headers[] = {52, 64}, program_headers[] = {32, 56},
                    section_headers[] = {40, 64}, symbols[] = {16, 24},
                    dynamics[] = {8, 16};

struct elf {
    struct dg_bytes file;
    bool wide, big;
    uint64_t sections; /* where their headers are */
    uint64_t n_sections;
    struct dg_error *err;
};

static uint64_t load(const struct elf *elf, uint64_t base, struct field field)
{
    const uint8_t *at = elf->file.data + base + field.at[elf->wide];
    unsigned size = field.size[elf->wide];
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value = value << 8 | at[elf->big ? i : size - 1 - i];
    return value;
}

static uint64_t of_section(const struct elf *elf, uint64_t index, struct field field)
{
    return load(elf, elf->sections + index * section_headers[elf->wide], field);
}

bool dg_is_elf(struct dg_bytes file)
{
    return file.size >= 4 && !memcmp(file.data, "\177ELF", 4);
}

static enum dg_status check_header(struct elf *elf)
{
    struct dg_bytes file = elf->file;
    uint64_t said;

    if (!dg_is_elf(file) || file.size < IDENT_BYTES)
        return dg_fail(elf->err, DG_ERR_FORMAT, "byte 0: no header of ELF");
    if ((file.data[CLASS_AT] != CLASS_32 && file.data[CLASS_AT] != CLASS_64) ||
        (file.data[ENCODING_AT] != LITTLE && file.data[ENCODING_AT] != BIG))
        return dg_fail(elf->err, DG_ERR_FORMAT,
                       "byte 4: class %d and encoding %d; expected 1 or 2 of both",
                       file.data[CLASS_AT], file.data[ENCODING_AT]);
    elf->wide = file.data[CLASS_AT] == CLASS_64;
    elf->big = file.data[ENCODING_AT] == BIG;
    if (file.size < headers[elf->wide])
        return dg_fail(elf->err, DG_ERR_FORMAT,
                       "the header of ELF has %zu bytes, and there are %zu",
                       headers[elf->wide], file.size);
    said = load(elf, 0, header_bytes);
    if (said != headers[elf->wide])
        return dg_fail(elf->err, DG_ERR_FORMAT,
                       "its header says that it has %" PRIu64 " bytes; expected %zu",
                       said, headers[elf->wide]);
    return DG_OK;
}

static enum dg_status check_table(const struct elf *elf, const char *what, uint64_t at,
                                  uint64_t n, uint64_t bytes, size_t expected)
{
    if (bytes != expected)
        return dg_fail(elf->err, DG_ERR_FORMAT,
                       "its %s headers have %" PRIu64 " bytes each; expected %zu", what,
                       bytes, expected);
    if (n > elf->file.size / expected || !dg_inside(at, n * expected, elf->file.size))
        return dg_fail(elf->err, DG_ERR_FORMAT,
                       "%" PRIu64 " %s headers at byte %" PRIu64
                       " end behind its %zu bytes",
                       n, what, at, elf->file.size);
    return DG_OK;
}

static enum dg_status check_segments(const struct elf *elf)
{
    uint64_t n = load(elf, 0, n_program_headers), at = load(elf, 0, program_headers_at);
    enum dg_status status;

    if (!n)
        return DG_OK;
    status = check_table(elf, "program", at, n, load(elf, 0, program_header_bytes),
                         program_headers[elf->wide]);
    for (uint64_t i = 0; i < n && !status; i++) {
        uint64_t header = at + i * program_headers[elf->wide];
        uint64_t offset = load(elf, header, segment_offset);
        uint64_t size = load(elf, header, segment_size);

        if (size && !dg_inside(offset, size, elf->file.size))
            return dg_fail(elf->err, DG_ERR_FORMAT,
                           "segment %" PRIu64 ", of %" PRIu64 " bytes at byte %" PRIu64
                           ", ends behind its %zu bytes",
                           i, size, offset, elf->file.size);
    }
    return status;
}

/* More sections than fit into the header's number are counted in section 0. */
static enum dg_status find_sections(struct elf *elf)
{
    uint64_t n = load(elf, 0, n_section_headers), names = load(elf, 0, names_index);
    enum dg_status status;

    elf->sections = load(elf, 0, section_headers_at);
    if (!elf->sections)
        return DG_OK;
    status =
        check_table(elf, "section", elf->sections, n ? n : 1,
                    load(elf, 0, section_header_bytes), section_headers[elf->wide]);
    if (!status && !n) {
        n = of_section(elf, 0, section_size);
        status = check_table(elf, "section", elf->sections, n,
                             section_headers[elf->wide], section_headers[elf->wide]);
    }
    if (status)
        return status;
    elf->n_sections = n;
    if (names == NUMBER_ELSEWHERE)
        names = of_section(elf, 0, section_link);
    if (names >= n)
        return dg_fail(elf->err, DG_ERR_FORMAT,
                       "section %" PRIu64 " is to have the names of its %" PRIu64
                       " sections",
                       names, n);
    return DG_OK;
}

static enum dg_status check_entries(const struct elf *elf, uint64_t index,
                                    size_t expected)
{
    uint64_t bytes = of_section(elf, index, section_entry_bytes);

    if (bytes == expected)
        return DG_OK;
    return dg_fail(elf->err, DG_ERR_FORMAT,
                   "section %" PRIu64 ": its entries have %" PRIu64
                   " bytes; expected %zu",
                   index, bytes, expected);
}

/* Names of its entries lie in the section that it links to. */
static enum dg_status check_link(const struct elf *elf, uint64_t index)
{
    uint64_t link = of_section(elf, index, section_link);

    if (link < elf->n_sections &&
        of_section(elf, link, section_type) == SECTION_STRINGS)
        return DG_OK;
    return dg_fail(elf->err, DG_ERR_FORMAT,
                   "section %" PRIu64 ": its names are to be in section %" PRIu64
                   ", which has no strings",
                   index, link);
}

static enum dg_status check_strings(const struct elf *elf, uint64_t index)
{
    uint64_t offset = of_section(elf, index, section_offset);
    uint64_t size = of_section(elf, index, section_size);

    if (!size || !elf->file.data[offset + size - 1])
        return DG_OK;
    return dg_fail(elf->err, DG_ERR_FORMAT,
                   "section %" PRIu64 ": its last string does not end", index);
}

static enum dg_status check_content(const struct elf *elf, uint64_t index)
{
    enum dg_status status;

    switch (of_section(elf, index, section_type)) {
    case SECTION_STRINGS:
        return check_strings(elf, index);
    case SECTION_SYMBOLS:
    case SECTION_DYNAMIC_SYMBOLS:
        status = check_entries(elf, index, symbols[elf->wide]);
        return status ? status : check_link(elf, index);
    case SECTION_DYNAMIC:
        status = check_entries(elf, index, dynamics[elf->wide]);
        return status ? status : check_link(elf, index);
    case SECTION_VERSION_NEEDS:
        return check_link(elf, index);
    case SECTION_SYMBOL_VERSIONS:
        return check_entries(elf, index, 2);
    }
    return DG_OK;
}

static enum dg_status check_section(const struct elf *elf, uint64_t index)
{
    uint64_t type = of_section(elf, index, section_type);
    uint64_t offset = of_section(elf, index, section_offset);
    uint64_t size = of_section(elf, index, section_size);

    if (!type || type == SECTION_NOBITS)
        return DG_OK;
    if (dg_inside(offset, size, elf->file.size))
        return check_content(elf, index);
    return dg_fail(elf->err, DG_ERR_FORMAT,
                   "section %" PRIu64 ", of %" PRIu64 " bytes at byte %" PRIu64
                   ", ends behind its %zu bytes",
                   index, size, offset, elf->file.size);
}

enum dg_status dg_elf_check(struct dg_bytes file, struct dg_error *err)
{
    struct elf elf = {.file = file, .err = err};
    enum dg_status status = check_header(&elf);

    if (!status)
        status = check_segments(&elf);
    if (!status)
        status = find_sections(&elf);
    for (uint64_t i = 1; i < elf.n_sections && !status; i++)
        status = check_section(&elf, i);
    return status;
}
