/* What a loader asks of a shared object before it maps it, and its dynamic section: as
 * glibc does (elf/dl-load.c, elf/get-dynamic-info.h), and others ask for no more. */
#include "formats/library_image.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

enum {
    LEAST_EFFORT = 1 << 20,
    LEAST_PAGE = 4096,
    GREATEST_PAGE = 1 << 16,
    GREATEST_ABI_OF_GNU = 3, /* that glibc takes (libc-abis) */
    MOST_FAULTS = 4
};

static const struct dg_elf_field type_field = {{16, 16}, {2, 2}},
                                 machine_field = {{18, 18}, {2, 2}},
                                 version_field = {{20, 20}, {4, 4}};
static const struct dg_elf_field dynamic_tag = {{0, 0}, {4, 8}},
                                 dynamic_value = {{4, 8}, {4, 8}};

static const uint32_t tag_numbers[DG_N_TAGS] = {
    [DG_TAG_STRTAB] = DT_STRTAB,
    [DG_TAG_SYMTAB] = DT_SYMTAB,
    [DG_TAG_HASH] = DT_HASH,
    [DG_TAG_GNU_HASH] = DT_GNU_HASH,
    [DG_TAG_VERSYM] = DT_VERSYM,
    [DG_TAG_VERNEED] = DT_VERNEED,
    [DG_TAG_VERDEF] = DT_VERDEF,
    [DG_TAG_RELA] = DT_RELA,
    [DG_TAG_RELASZ] = DT_RELASZ,
    [DG_TAG_RELAENT] = DT_RELAENT,
    [DG_TAG_RELACOUNT] = DT_RELACOUNT,
    [DG_TAG_REL] = DT_REL,
    [DG_TAG_RELSZ] = DT_RELSZ,
    [DG_TAG_RELENT] = DT_RELENT,
    [DG_TAG_RELCOUNT] = DT_RELCOUNT,
    [DG_TAG_RELR] = DT_RELR,
    [DG_TAG_RELRSZ] = DT_RELRSZ,
    [DG_TAG_JMPREL] = DT_JMPREL,
    [DG_TAG_PLTRELSZ] = DT_PLTRELSZ,
    [DG_TAG_PLTREL] = DT_PLTREL,
    [DG_TAG_PLTGOT] = DT_PLTGOT,
    [DG_TAG_BIND_NOW] = DT_BIND_NOW,
    [DG_TAG_INIT] = DT_INIT,
    [DG_TAG_FINI] = DT_FINI,
    [DG_TAG_INIT_ARRAY] = DT_INIT_ARRAY,
    [DG_TAG_INIT_ARRAYSZ] = DT_INIT_ARRAYSZ,
    [DG_TAG_FINI_ARRAY] = DT_FINI_ARRAY,
    [DG_TAG_FINI_ARRAYSZ] = DT_FINI_ARRAYSZ,
    [DG_TAG_TEXTREL] = DT_TEXTREL,
    [DG_TAG_FLAGS] = DT_FLAGS,
    [DG_TAG_FLAGS_1] = DT_FLAGS_1,
};

void dg_elf_image_fault(struct dg_elf_image *image, const char *fmt, ...)
{
    struct dg_error err = {.status = DG_ERR_FORMAT};
    va_list args;

    if (image->n_faults++ >= MOST_FAULTS)
        return;
    va_start(args, fmt);
    vsnprintf(err.text, sizeof(err.text), fmt, args);
    va_end(args);
    dg_fact_write_fault(image->facts, &err, DG_FAULT_REFUSED);
}

/* The first bytes say which system it is for: that of nobody, or that of GNU; Arm's own
 * number is the ABI before EABI. */
static bool check_ident(struct dg_elf_image *image)
{
    const uint8_t *ident = image->view.file.data;
    bool known = ident[EI_OSABI] == ELFOSABI_SYSV || ident[EI_OSABI] == ELFOSABI_GNU ||
                 (ident[EI_OSABI] == ELFOSABI_ARM && image->machine == EM_ARM);

    if (ident[EI_VERSION] != EV_CURRENT)
        dg_elf_image_fault(image, "byte %d: version %d of ELF; expected %d", EI_VERSION,
                           ident[EI_VERSION], EV_CURRENT);
    else if (!known)
        dg_elf_image_fault(image, "byte %d: it is for system %d; expected %d or %d",
                           EI_OSABI, ident[EI_OSABI], ELFOSABI_SYSV, ELFOSABI_GNU);
    else if (ident[EI_ABIVERSION] && ident[EI_OSABI] == ELFOSABI_SYSV)
        dg_elf_image_fault(image, "byte %d: version %d of its ABI; expected 0",
                           EI_ABIVERSION, ident[EI_ABIVERSION]);
    else if (ident[EI_ABIVERSION] > GREATEST_ABI_OF_GNU &&
             ident[EI_OSABI] == ELFOSABI_GNU)
        dg_elf_image_fault(image, "byte %d: version %d of its ABI; expected at most %d",
                           EI_ABIVERSION, ident[EI_ABIVERSION], GREATEST_ABI_OF_GNU);
    else
        return true;
    return false;
}

static bool check_padding(struct dg_elf_image *image)
{
    const uint8_t *ident = image->view.file.data;

    for (int i = EI_PAD; i < EI_NIDENT; i++) {
        if (!ident[i])
            continue;
        dg_elf_image_fault(image, "byte %d: %d; expected 0, as nothing is there", i,
                           ident[i]);
        return false;
    }
    return true;
}

static bool check_header(struct dg_elf_image *image)
{
    uint64_t version = dg_elf_number(&image->view, 0, version_field);

    image->type = (uint16_t)dg_elf_number(&image->view, 0, type_field);
    image->machine = (uint16_t)dg_elf_number(&image->view, 0, machine_field);
    if (image->type != ET_DYN)
        dg_elf_image_fault(image, "it is of type %d; a shared object is of type %d",
                           image->type, ET_DYN);
    else if (version != EV_CURRENT)
        dg_elf_image_fault(image, "it is of version %" PRIu64 " of ELF; expected %d",
                           version, EV_CURRENT);
    else
        return check_ident(image) && check_padding(image);
    return false;
}

static uint64_t bytes_in_memory(const struct dg_elf_segment *segment)
{
    return segment->memory_bytes > segment->file_bytes ? segment->memory_bytes
                                                       : segment->file_bytes;
}

/* Pages of the file are mapped, so that a segment's address is that of its bytes but
 * for whole pages; from the first to the last in one stretch of addresses. */
static bool add_load(struct dg_elf_image *image, uint64_t index,
                     const struct dg_elf_segment *segment)
{
    const struct dg_elf_segment *before =
        image->n_loads ? &image->loads[image->n_loads - 1] : NULL;
    uint64_t all = image->view.wide ? UINT64_C(1) << 47 : UINT64_C(1) << 32;
    uint64_t bytes = bytes_in_memory(segment);
    struct dg_error err = {0};

    if (dg_elf_check_segment(&image->view, index, &err))
        dg_elf_image_fault(image, "%s", err.text);
    else if ((segment->address - segment->offset) & (LEAST_PAGE - 1))
        dg_elf_image_fault(image,
                           "segment %" PRIu64 " is loaded to 0x%" PRIx64
                           " from byte 0x%" PRIx64
                           ", which are not aligned alike to 0x%x",
                           index, segment->address, segment->offset, LEAST_PAGE);
    else if (before && segment->address < before->address)
        dg_elf_image_fault(image,
                           "segment %" PRIu64 " is loaded to 0x%" PRIx64
                           ", before the one that it follows, at 0x%" PRIx64,
                           index, segment->address, before->address);
    else if (!dg_inside(segment->address - image->loads[0].address * (before != NULL),
                        bytes, all))
        dg_elf_image_fault(image,
                           "segment %" PRIu64 ", of %" PRIu64
                           " bytes at address 0x%" PRIx64 ", is larger than any memory",
                           index, bytes, segment->address);
    else {
        image->loads[image->n_loads++] = *segment;
        return true;
    }
    return false;
}

const struct dg_elf_segment *dg_elf_image_segment(const struct dg_elf_image *image,
                                                  uint64_t address, uint64_t size)
{
    size_t begin = 0, end = image->n_loads;

    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;

        if (image->loads[middle].address <= address)
            begin = middle + 1;
        else
            end = middle;
    }
    if (!begin || !dg_inside(address - image->loads[begin - 1].address, size,
                             bytes_in_memory(&image->loads[begin - 1])))
        return NULL;
    return &image->loads[begin - 1];
}

/* What is protected after relocation begins in a segment, and ends with a page, the
 * largest of which may reach behind the last. */
static bool can_be_protected(const struct dg_elf_image *image,
                             const struct dg_elf_segment *segment)
{
    const struct dg_elf_segment *last = &image->loads[image->n_loads - 1];
    uint64_t first = image->loads[0].address;

    return dg_elf_image_segment(image, segment->address, 1) &&
           dg_inside(segment->address - first, segment->memory_bytes,
                     last->address - first + bytes_in_memory(last) + GREATEST_PAGE);
}

/* Segments that others map: what each thread begins with, and where the table of how to
 * unwind begins, which says itself how long it is. */
static bool is_loaded(const struct dg_elf_image *image,
                      const struct dg_elf_segment *segment)
{
    switch (segment->type) {
    case PT_TLS:
        return !segment->file_bytes ||
               dg_elf_image_segment(image, segment->address, segment->file_bytes);
    case PT_GNU_EH_FRAME:
        return !segment->memory_bytes ||
               dg_elf_image_bytes(image, segment->address).size;
    case PT_GNU_RELRO:
        return !segment->memory_bytes || can_be_protected(image, segment);
    }
    return true;
}

static bool check_others(struct dg_elf_image *image, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct dg_elf_segment segment = dg_elf_segment(&image->view, i);

        if (is_loaded(image, &segment))
            continue;
        dg_elf_image_fault(image,
                           "segment %" PRIu64 ", of type 0x%x at address 0x%" PRIx64
                           ", is in none that is loaded",
                           i, segment.type, segment.address);
        return false;
    }
    return true;
}

static bool find_segments(struct dg_elf_image *image)
{
    struct dg_error err = {0};
    bool dynamic = false;
    uint64_t n;

    if (dg_elf_count_segments(&n, &image->view, &err)) {
        dg_elf_image_fault(image, "%s", err.text);
        return false;
    }
    image->loads = dg_alloc(&image->memory, n + 1, sizeof(*image->loads));
    for (uint64_t i = 0; i < n; i++) {
        struct dg_elf_segment segment = dg_elf_segment(&image->view, i);

        if (segment.type == PT_LOAD && !add_load(image, i, &segment))
            return false;
        if (segment.type == PT_DYNAMIC && segment.file_bytes) {
            dynamic = true;
            image->dynamic = segment.address;
        }
    }
    if (!image->n_loads)
        dg_elf_image_fault(image, "none of its %" PRIu64 " segments is to be loaded",
                           n);
    else if (!dynamic)
        dg_elf_image_fault(
            image, "none of its %" PRIu64 " segments is its dynamic section", n);
    return image->n_loads && dynamic && check_others(image, n);
}

struct dg_bytes dg_elf_image_bytes(const struct dg_elf_image *image, uint64_t address)
{
    const struct dg_elf_segment *segment = dg_elf_image_segment(image, address, 0);
    uint64_t from = segment ? address - segment->address : 0;

    if (!segment || from >= segment->file_bytes)
        return (struct dg_bytes){0};
    return dg_slice(image->view.file, segment->offset + from,
                    segment->file_bytes - from);
}

uint64_t dg_elf_image_number(const struct dg_elf_image *image, const uint8_t *entry,
                             struct dg_elf_field field)
{
    return dg_elf_number(&image->view, (uint64_t)(entry - image->view.file.data),
                         field);
}

bool dg_elf_image_next(const struct dg_elf_image *image, uint64_t *at, uint64_t *tag,
                       uint64_t *value)
{
    struct dg_bytes entries = dg_elf_image_bytes(image, image->dynamic);
    size_t size = image->view.wide ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);

    if (!dg_inside(*at, size, entries.size))
        return false;
    *tag = dg_elf_image_number(image, entries.data + *at, dynamic_tag);
    *value = dg_elf_image_number(image, entries.data + *at, dynamic_value);
    *at += size;
    return *tag != DT_NULL;
}

/* Of a tag that is there twice a loader keeps the last. */
static bool read_dynamic(struct dg_elf_image *image)
{
    uint64_t at = 0, tag, value;

    if (!dg_elf_image_bytes(image, image->dynamic).size) {
        dg_elf_image_fault(image,
                           "its dynamic section, at address 0x%" PRIx64
                           ", is in no segment that is loaded",
                           image->dynamic);
        return false;
    }
    while (dg_elf_image_next(image, &at, &tag, &value)) {
        for (size_t i = 0; i < DG_N_TAGS; i++) {
            if (tag_numbers[i] == tag)
                image->tags[i] = (struct dg_elf_tag_value){value, true};
        }
    }
    return true;
}

bool dg_elf_image_open(struct dg_elf_image *image, struct dg_bytes file,
                       struct dg_writer *facts)
{
    struct dg_error err = {0};

    *image = (struct dg_elf_image){.effort = 4 * (uint64_t)file.size + LEAST_EFFORT,
                                   .facts = facts};
    if (dg_elf_view(&image->view, file, &err)) {
        dg_elf_image_fault(image, "%s", err.text);
        return false;
    }
    return check_header(image) && find_segments(image) && read_dynamic(image);
}

void dg_elf_image_close(struct dg_elf_image *image)
{
    struct dg_error err = {0};

    if (image->exhausted) {
        dg_fail(&err, DG_ERR_FORMAT,
                "its entries share strings so often that some were not read");
        dg_fact_write_fault(image->facts, &err, DG_FAULT_REFUSED);
    }
    dg_arena_clear(&image->memory);
}

/* A loader does not ask how many bytes of strings there are (DT_STRSZ). */
struct dg_text dg_elf_image_string(struct dg_elf_image *image, uint64_t index)
{
    struct dg_bytes strings =
        dg_elf_image_bytes(image, image->tags[DG_TAG_STRTAB].value);
    const uint8_t *end;
    size_t size;

    if (index >= strings.size || image->exhausted)
        return (struct dg_text){0};
    strings = dg_slice(strings, index, strings.size - index);
    end = memchr(strings.data, 0, strings.size);
    size = end ? (size_t)(end - strings.data) : strings.size;
    image->exhausted = size > image->effort;
    image->effort -= image->exhausted ? 0 : size;
    if (image->exhausted || !end)
        return (struct dg_text){0};
    return (struct dg_text){(const char *)strings.data, size};
}

struct dg_library_place dg_elf_image_place(const struct dg_elf_image *image,
                                           struct dg_text text)
{
    if (!text.size)
        return (struct dg_library_place){0};
    return (struct dg_library_place){
        (uint64_t)((const uint8_t *)text.data - image->view.file.data), text.size};
}
