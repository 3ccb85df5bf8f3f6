/* Sections and segments of ELF files, held to their bounds before libelf sees them. */
#include <inttypes.h>

#include "formats/library_facts.h"
#include "formats/library_view.h"

/* System V ABI, "Object Files": only what is needed here. */
enum {
    SECTION_SYMBOLS = 2,
    SECTION_STRINGS = 3,
    SECTION_DYNAMIC = 6,
    SECTION_NOBITS = 8,
    SECTION_DYNAMIC_SYMBOLS = 11,
    SECTION_VERSION_NEEDS = 0x6ffffffe,
    SECTION_SYMBOL_VERSIONS = 0x6fffffff,
    NUMBER_ELSEWHERE = 0xffff, /* section 0 says which */
};

static const struct dg_elf_field section_headers_at = {{32, 40}, {4, 8}},
                                 section_header_bytes = {{46, 58}, {2, 2}},
                                 n_section_headers = {{48, 60}, {2, 2}},
                                 names_index = {{50, 62}, {2, 2}};
static const struct dg_elf_field section_type = {{4, 4}, {4, 4}},
                                 section_offset = {{16, 24}, {4, 8}},
                                 section_size = {{20, 32}, {4, 8}},
                                 section_link = {{24, 40}, {4, 4}},
                                 section_entry_bytes = {{36, 56}, {4, 8}};

static const size_t section_headers[] = {40, 64}, symbols[] = {16, 24},
                    dynamics[] = {8, 16};

struct elf {
    struct dg_elf_view view;
    uint64_t sections; /* where their headers are */
    uint64_t n_sections;
    struct dg_error *err;
};

static uint64_t of_section(const struct elf *elf, uint64_t index,
                           struct dg_elf_field field)
{
    return dg_elf_number(
        &elf->view, elf->sections + index * section_headers[elf->view.wide], field);
}

/* More sections than fit into the header's number are counted in section 0. */
static enum dg_status find_sections(struct elf *elf)
{
    const struct dg_elf_view *view = &elf->view;
    uint64_t n = dg_elf_number(view, 0, n_section_headers);
    uint64_t names = dg_elf_number(view, 0, names_index);
    size_t bytes = section_headers[view->wide];
    enum dg_status status;

    elf->sections = dg_elf_number(view, 0, section_headers_at);
    if (!elf->sections)
        return DG_OK;
    status = dg_elf_check_headers(view, "section", elf->sections, n ? n : 1,
                                  dg_elf_number(view, 0, section_header_bytes), bytes,
                                  elf->err);
    if (!status && !n) {
        n = of_section(elf, 0, section_size);
        status = dg_elf_check_headers(view, "section", elf->sections, n, bytes, bytes,
                                      elf->err);
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

    if (!size || !elf->view.file.data[offset + size - 1])
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
        status = check_entries(elf, index, symbols[elf->view.wide]);
        return status ? status : check_link(elf, index);
    case SECTION_DYNAMIC:
        status = check_entries(elf, index, dynamics[elf->view.wide]);
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
    if (dg_inside(offset, size, elf->view.file.size))
        return check_content(elf, index);
    return dg_fail(elf->err, DG_ERR_FORMAT,
                   "section %" PRIu64 ", of %" PRIu64 " bytes at byte %" PRIu64
                   ", ends behind its %zu bytes",
                   index, size, offset, elf->view.file.size);
}

enum dg_status dg_elf_check_sections(struct dg_bytes file, struct dg_error *err)
{
    struct elf elf = {.err = err};
    enum dg_status status = dg_elf_view(&elf.view, file, err);

    if (!status)
        status = find_sections(&elf);
    for (uint64_t i = 1; i < elf.n_sections && !status; i++)
        status = check_section(&elf, i);
    return status;
}

enum dg_status dg_elf_check_segments(struct dg_bytes file, struct dg_error *err)
{
    struct dg_elf_view view;
    uint64_t n = 0;
    enum dg_status status = dg_elf_view(&view, file, err);

    if (!status)
        status = dg_elf_count_segments(&n, &view, err);
    for (uint64_t i = 0; i < n && !status; i++)
        status = dg_elf_check_segment(&view, i, err);
    return status;
}
