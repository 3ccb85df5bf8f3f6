/* What a loader reads when it relocates a shared object and starts it: tables of
 * addresses and sizes, none of which it holds to anything. */
#include <elf.h>
#include <inttypes.h>

#include "formats/library_image.h"

enum {
    OLD_AARCH64_NONE = 256,
    WORDS_OF_LOADER = 3, /* at DT_PLTGOT: its own two are behind the first */
};

static const struct dg_elf_field place_field = {{0, 0}, {4, 8}},
                                 info_field = {{4, 8}, {4, 8}};

/* Bytes of an entry, by class. */
static const size_t with_addend[] = {sizeof(Elf32_Rela), sizeof(Elf64_Rela)},
                    without_addend[] = {sizeof(Elf32_Rel), sizeof(Elf64_Rel)},
                    addresses[] = {sizeof(Elf32_Addr), sizeof(Elf64_Addr)};

struct table {
    enum dg_elf_tag at, size;
    const char *name, *size_name;
    const size_t *entry; /* NULL: DT_PLTREL says which */
};

static const struct table relocations[] = {
    {DG_TAG_RELA, DG_TAG_RELASZ, "DT_RELA", "DT_RELASZ", with_addend},
    {DG_TAG_REL, DG_TAG_RELSZ, "DT_REL", "DT_RELSZ", without_addend},
    {DG_TAG_JMPREL, DG_TAG_PLTRELSZ, "DT_JMPREL", "DT_PLTRELSZ", NULL},
};

/* Addresses of functions that are called when the library is opened and closed. */
enum { N_ARRAYS = 2 };
static const struct table arrays[N_ARRAYS] = {
    {DG_TAG_INIT_ARRAY, DG_TAG_INIT_ARRAYSZ, "DT_INIT_ARRAY", "DT_INIT_ARRAYSZ",
     addresses},
    {DG_TAG_FINI_ARRAY, DG_TAG_FINI_ARRAYSZ, "DT_FINI_ARRAY", "DT_FINI_ARRAYSZ",
     addresses},
};

/* Packed: a loader relocates what it says, and no symbol is in it. */
static const struct table packed = {DG_TAG_RELR, DG_TAG_RELRSZ, "DT_RELR", "DT_RELRSZ",
                                    addresses};

/* Types that a loader takes (elf_machine_rela() of glibc): any other it refuses, and of
 * calls that it binds when they are made, all but a few (elf_machine_lazy_rel()). What
 * is not filled is NONE, which does nothing. */
static const struct types {
    uint16_t machine;
    uint32_t relative, calls[3], others[14];
} types_by_machine[] = {
    {EM_X86_64,
     R_X86_64_RELATIVE,
     {R_X86_64_JUMP_SLOT, R_X86_64_IRELATIVE, R_X86_64_TLSDESC},
     {R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_DTPMOD64, R_X86_64_DTPOFF64,
      R_X86_64_TPOFF64, R_X86_64_SIZE32, R_X86_64_SIZE64, R_X86_64_32, R_X86_64_PC32,
      R_X86_64_COPY}},
    {EM_AARCH64,
     R_AARCH64_RELATIVE,
     {R_AARCH64_JUMP_SLOT, R_AARCH64_IRELATIVE, R_AARCH64_TLSDESC},
     {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_DTPREL,
      R_AARCH64_TLS_TPREL, R_AARCH64_COPY, OLD_AARCH64_NONE}},
};

struct relocating {
    struct dg_elf_image *image;
    const struct types *types; /* NULL: of that machine none are known */
    bool *wanted;              /* symbols that are asked for */
    size_t n_symbols, n_seen;
    uint64_t reached[N_ARRAYS]; /* addresses of each array that are relocated */
};

static size_t entry_bytes(const struct dg_elf_image *image, const struct table *table)
{
    const size_t *entry = table->entry;

    if (!entry)
        entry =
            image->tags[DG_TAG_PLTREL].value == DT_REL ? without_addend : with_addend;
    return entry[image->view.wide];
}

/* The bytes of a table; none where there is no such table, or a fault is written. */
static struct dg_bytes find_table(struct dg_elf_image *image, const struct table *table)
{
    struct dg_elf_tag_value at = image->tags[table->at],
                            size = image->tags[table->size];
    size_t entry = entry_bytes(image, table);
    struct dg_bytes bytes = dg_elf_image_bytes(image, at.value);

    if (at.given != size.given)
        dg_elf_image_fault(image, "its dynamic section has %s and no %s",
                           at.given ? table->name : table->size_name,
                           at.given ? table->size_name : table->name);
    else if (size.value > bytes.size)
        dg_elf_image_fault(image,
                           "%s, of %" PRIu64 " bytes at address 0x%" PRIx64
                           ", is in no segment that is loaded",
                           table->name, size.value, at.value);
    else if (size.value % entry && entry != addresses[image->view.wide])
        dg_elf_image_fault(image, "%s is %" PRIu64 ", and each entry has %zu bytes",
                           table->size_name, size.value, entry);
    else if (size.value)
        return dg_slice(bytes, 0, size.value);
    return (struct dg_bytes){0};
}

static void check_function(struct dg_elf_image *image, enum dg_elf_tag tag,
                           const char *name)
{
    uint64_t address = image->tags[tag].value;
    const struct dg_elf_segment *segment = dg_elf_image_segment(image, address, 1);

    if (image->tags[tag].given && !(segment && segment->flags & PF_X))
        dg_elf_image_fault(image, "%s is address 0x%" PRIx64 ", where no code is", name,
                           address);
}

static void check_flags(struct dg_elf_image *image)
{
    uint64_t flags = image->tags[DG_TAG_FLAGS_1].value;

    if (flags & DF_1_NOOPEN)
        dg_elf_image_fault(image, "DT_FLAGS_1 says that it may not be opened");
    else if (flags & DF_1_PIE)
        dg_elf_image_fault(image, "DT_FLAGS_1 says that it is a program");
}

static void check_entry_size(struct dg_elf_image *image, enum dg_elf_tag table,
                             enum dg_elf_tag tag, const char *name, const size_t *entry)
{
    size_t want = entry[image->view.wide];

    if (image->tags[table].given && image->tags[tag].value != want)
        dg_elf_image_fault(image, "%s is %" PRIu64 "; expected %zu", name,
                           image->tags[tag].value, want);
}

/* Where addends lie apart is up to the machine; those of 64 bits have them in the
 * table. */
static void check_kind_of_calls(struct dg_elf_image *image)
{
    uint64_t kind = image->tags[DG_TAG_PLTREL].value;

    if (image->tags[DG_TAG_JMPREL].given && kind != DT_RELA &&
        (kind != DT_REL || image->view.wide))
        dg_elf_image_fault(image, "DT_PLTREL is %" PRIu64 "; expected %d", kind,
                           DT_RELA);
}

static const struct types *types_of(const struct dg_elf_image *image)
{
    for (size_t i = 0; i < sizeof(types_by_machine) / sizeof(*types_by_machine); i++) {
        if (types_by_machine[i].machine == image->machine && image->view.wide)
            return &types_by_machine[i];
    }
    return NULL;
}

/* Else calls may be bound when they are first made, as ExecuTorch asks for it. */
static bool is_bound_at_once(const struct dg_elf_image *image)
{
    return image->tags[DG_TAG_BIND_NOW].given ||
           image->tags[DG_TAG_FLAGS].value & DF_BIND_NOW ||
           image->tags[DG_TAG_FLAGS_1].value & DF_1_NOW;
}

/* Where the loader puts itself, for calls to come to it. */
static void check_place_of_loader(struct dg_elf_image *image)
{
    struct dg_elf_tag_value at = image->tags[DG_TAG_PLTGOT];
    const struct dg_elf_segment *segment = dg_elf_image_segment(
        image, at.value, WORDS_OF_LOADER * addresses[image->view.wide]);

    if (!image->tags[DG_TAG_JMPREL].given || is_bound_at_once(image) ||
        !types_of(image))
        return;
    if (!at.given)
        dg_elf_image_fault(image, "its dynamic section has DT_JMPREL and no DT_PLTGOT");
    else if (!segment || !(segment->flags & PF_W))
        dg_elf_image_fault(image,
                           "DT_PLTGOT is address 0x%" PRIx64
                           ", where no %d words may be written to",
                           at.value, WORDS_OF_LOADER);
}

void dg_elf_image_check_tables(struct dg_elf_image *image)
{
    find_table(image, &packed);
    check_entry_size(image, DG_TAG_RELA, DG_TAG_RELAENT, "DT_RELAENT", with_addend);
    check_entry_size(image, DG_TAG_REL, DG_TAG_RELENT, "DT_RELENT", without_addend);
    check_kind_of_calls(image);
    check_place_of_loader(image);
    check_function(image, DG_TAG_INIT, "DT_INIT");
    check_function(image, DG_TAG_FINI, "DT_FINI");
    check_flags(image);
}

/* Bytes that a relocation writes must be there, and may be written to. */
static bool check_place(struct dg_elf_image *image, const char *name, size_t index,
                        uint64_t address)
{
    const struct dg_elf_segment *segment = dg_elf_image_segment(image, address, 1);
    bool all = image->tags[DG_TAG_TEXTREL].given ||
               image->tags[DG_TAG_FLAGS].value & DF_TEXTREL;

    if (segment && (all || segment->flags & PF_W))
        return true;
    dg_elf_image_fault(image,
                       "%s: entry %zu writes to address 0x%" PRIx64
                       ", which is in no segment that may be written to",
                       name, index, address);
    return false;
}

static uint32_t type_of(const struct dg_elf_image *image, uint64_t info)
{
    return (uint32_t)info & (image->view.wide ? UINT32_MAX : 0xff);
}

static bool is_in(const uint32_t *types, size_t n, uint32_t type)
{
    for (size_t i = 0; i < n; i++) {
        if (types[i] == type)
            return true;
    }
    return false;
}

static bool check_type(const struct relocating *relocating, const struct table *table,
                       size_t index, uint32_t type)
{
    struct dg_elf_image *image = relocating->image;
    const struct types *types = relocating->types;
    bool late = table->at == DG_TAG_JMPREL && !is_bound_at_once(image);

    if (!types ||
        is_in(types->calls, sizeof(types->calls) / sizeof(*types->calls), type) ||
        (!late &&
         (type == types->relative ||
          is_in(types->others, sizeof(types->others) / sizeof(*types->others), type))))
        return true;
    dg_elf_image_fault(
        image, "%s: entry %zu is of type %" PRIu32 ", which no loader takes there",
        table->name, index, type);
    return false;
}

/* The first so many are relative to where the library is loaded, and name no symbol. */
static bool check_relative(const struct relocating *relocating,
                           const struct table *table, struct dg_bytes entries)
{
    enum dg_elf_tag tag = table->at == DG_TAG_RELA ? DG_TAG_RELACOUNT : DG_TAG_RELCOUNT;
    struct dg_elf_image *image = relocating->image;
    const struct types *types = relocating->types;
    uint64_t n = image->tags[tag].value;
    size_t entry = entry_bytes(image, table);

    if (table->at == DG_TAG_JMPREL)
        return true;
    for (size_t i = 0; i < entries.size / entry && i < n; i++) {
        uint64_t info =
            dg_elf_image_number(image, entries.data + i * entry, info_field);

        if (image->view.wide ? info >> 32 : info >> 8)
            dg_elf_image_fault(image,
                               "%s: entry %zu is not of those without a symbol, of"
                               " which there are %" PRIu64,
                               table->name, i, n);
        else if (types && type_of(image, info) != types->relative)
            dg_elf_image_fault(image,
                               "%s: entry %zu is of type %" PRIu32 "; expected %" PRIu32
                               ", as of the first %" PRIu64,
                               table->name, i, type_of(image, info), types->relative,
                               n);
        else
            continue;
        return false;
    }
    return true;
}

static void reach(struct relocating *relocating, uint64_t address)
{
    for (size_t i = 0; i < N_ARRAYS; i++) {
        const struct dg_elf_tag_value *tags = relocating->image->tags;

        relocating->reached[i] += dg_inside(address - tags[arrays[i].at].value, 1,
                                            tags[arrays[i].size].value);
    }
}

static bool ask(struct relocating *relocating, const char *name, size_t index,
                uint64_t symbol)
{
    if (symbol >= relocating->n_symbols) {
        dg_elf_image_fault(relocating->image,
                           "%s: entry %zu is of symbol %" PRIu64
                           ", which is in no segment that is loaded",
                           name, index, symbol);
        return false;
    }
    relocating->wanted[symbol] = true;
    if (symbol >= relocating->n_seen)
        relocating->n_seen = (size_t)symbol + 1;
    return true;
}

static void relocate(struct relocating *relocating, const struct table *table)
{
    struct dg_elf_image *image = relocating->image;
    struct dg_bytes entries = find_table(image, table);
    size_t entry = entry_bytes(image, table);

    if (!check_relative(relocating, table, entries))
        return;
    for (size_t i = 0; i < entries.size / entry; i++) {
        const uint8_t *at = entries.data + i * entry;
        uint64_t address = dg_elf_image_number(image, at, place_field);
        uint64_t info = dg_elf_image_number(image, at, info_field);
        uint64_t symbol = image->view.wide ? info >> 32 : info >> 8;
        uint32_t type = type_of(image, info);

        if (!check_type(relocating, table, i, type))
            return;
        if (!type)
            continue;
        if (!check_place(image, table->name, i, address) ||
            !ask(relocating, table->name, i, symbol))
            return;
        reach(relocating, address);
    }
}

/* An address that nothing relocates is none of the library's functions. */
static void check_arrays(const struct relocating *relocating)
{
    struct dg_elf_image *image = relocating->image;

    for (size_t i = 0; i < N_ARRAYS; i++) {
        uint64_t n = find_table(image, &arrays[i]).size / addresses[image->view.wide];

        if (relocating->reached[i] < n && !image->tags[DG_TAG_RELR].given)
            dg_elf_image_fault(image,
                               "%s has %" PRIu64 " addresses, of which %" PRIu64
                               " are relocated",
                               arrays[i].name, n, relocating->reached[i]);
    }
}

size_t dg_elf_image_check_relocations(struct dg_elf_image *image, bool *wanted,
                                      size_t n_symbols)
{
    struct relocating relocating = {image, types_of(image), wanted, n_symbols, 0, {0}};

    for (size_t i = 0; i < sizeof(relocations) / sizeof(*relocations); i++)
        relocate(&relocating, &relocations[i]);
    check_arrays(&relocating);
    return relocating.n_seen;
}
