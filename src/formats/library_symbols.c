/* What a shared object needs of others: libraries, versions of their symbols, and the
 * symbols; and those that it has. */
#include <elf.h>
#include <inttypes.h>

#include "formats/library_image.h"

static const struct dg_elf_field symbol_name = {{0, 0}, {4, 4}},
                                 symbol_value = {{4, 8}, {4, 8}},
                                 symbol_info = {{12, 4}, {1, 1}},
                                 symbol_other = {{13, 5}, {1, 1}},
                                 symbol_section = {{14, 6}, {2, 2}};
static const struct dg_elf_field need_version = {{0, 0}, {2, 2}},
                                 need_file = {{4, 4}, {4, 4}},
                                 need_versions = {{8, 8}, {4, 4}},
                                 need_next = {{12, 12}, {4, 4}};
static const struct dg_elf_field version_hash = {{0, 0}, {4, 4}},
                                 version_flags = {{4, 4}, {2, 2}},
                                 version_number = {{6, 6}, {2, 2}},
                                 version_name = {{8, 8}, {4, 4}},
                                 version_next = {{12, 12}, {4, 4}};
static const struct dg_elf_field number_of_symbol = {{0, 0}, {2, 2}};

enum {
    ENTRY_OF_NEED = 16, /* and of a version of it */
    VERSIONS = 0x7fff,  /* a symbol's number of its version has so many bits */
};

struct versions {
    struct dg_elf_image *image;
    struct dg_bytes needs;
    size_t left;           /* entries may overlap: how many have room side by side */
    struct dg_text *names; /* by number */
    uint32_t greatest;
};

struct symbols {
    struct dg_elf_image *image;
    bool *wanted, *found; /* by relocations; by name */
    size_t n;
    struct versions versions;
};

/* Names of files have no control characters; by none a loader means the program. */
static bool is_file_name(struct dg_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        if ((uint8_t)name.data[i] < ' ' || name.data[i] == 0x7f)
            return false;
    }
    return name.data != NULL;
}

void dg_elf_image_read_needs(struct dg_elf_image *image, struct dg_library_fact *about)
{
    uint64_t at = 0, tag, value;

    while (dg_elf_image_next(image, &at, &tag, &value)) {
        struct dg_text name = {0};

        if (tag == DT_NEEDED || tag == DT_SONAME)
            name = dg_elf_image_string(image, value);
        if (tag == DT_SONAME)
            about->texts[0] = dg_elf_image_place(image, name);
        else if (tag == DT_NEEDED && is_file_name(name))
            dg_fact_write(
                image->facts,
                &(struct dg_library_fact){DG_FACT_NEED,
                                          .texts[0] = dg_elf_image_place(image, name)});
        else if (tag == DT_NEEDED && !image->exhausted)
            dg_elf_image_fault(image,
                               "the name of a library that it needs is to be at byte"
                               " %" PRIu64 " of its strings, where no name is",
                               value);
    }
}

/* The entry at byte `at` of the versions; NULL: a fault is written. */
static const uint8_t *entry_at(struct versions *versions, uint64_t at)
{
    bool inside = dg_inside(at, ENTRY_OF_NEED, versions->needs.size);

    if (inside && versions->left) {
        versions->left--;
        return versions->needs.data + at;
    }
    dg_elf_image_fault(versions->image, "its list of versions leads %s",
                       inside ? "in circles" : "out of its segment");
    return NULL;
}

/* The loader compares versions by hashes that stand beside the names. */
static void add_version(struct versions *versions, const uint8_t *entry,
                        struct dg_text file)
{
    struct dg_elf_image *image = versions->image;
    struct dg_text name =
        dg_elf_image_string(image, dg_elf_image_number(image, entry, version_name));
    uint32_t hash = (uint32_t)dg_elf_image_number(image, entry, version_hash);
    uint32_t number =
        (uint32_t)dg_elf_image_number(image, entry, version_number) & VERSIONS;
    bool weak = dg_elf_image_number(image, entry, version_flags) & VER_FLG_WEAK;

    if (!weak && !image->exhausted && hash != dg_elf_hash(name))
        dg_elf_image_fault(image, "version %.*s has hash 0x%x; expected 0x%x",
                           name.size < 100 ? (int)name.size : 100,
                           name.data ? name.data : "", hash, dg_elf_hash(name));
    if (versions->names[number].data && !image->exhausted)
        dg_elf_image_fault(image, "two of its versions have number %u", number);
    versions->names[number] = name;
    versions->greatest = number > versions->greatest ? number : versions->greatest;
    dg_fact_write(image->facts, &(struct dg_library_fact){
                                    DG_FACT_VERSION, weak ? DG_SYMBOL_WEAK : 0,
                                    .texts = {dg_elf_image_place(image, name),
                                              dg_elf_image_place(image, file)}});
}

/* The versions that one needed library must have. */
static bool read_versions_of(struct versions *versions, uint64_t at,
                             const uint8_t *need)
{
    struct dg_elf_image *image = versions->image;
    struct dg_text file =
        dg_elf_image_string(image, dg_elf_image_number(image, need, need_file));
    uint64_t next = dg_elf_image_number(image, need, need_versions);

    while (next) {
        const uint8_t *entry = entry_at(versions, at += next);

        if (!entry)
            return false;
        add_version(versions, entry, file);
        next = dg_elf_image_number(image, entry, version_next);
    }
    return true;
}

static void read_versions(struct versions *versions)
{
    struct dg_elf_image *image = versions->image;
    struct dg_elf_tag_value tag = image->tags[DG_TAG_VERNEED];
    uint64_t at = 0, next = 0;

    versions->names = dg_alloc(&image->memory, VERSIONS + 1, sizeof(*versions->names));
    versions->needs = dg_elf_image_bytes(image, tag.value);
    versions->left = versions->needs.size / ENTRY_OF_NEED;
    if (tag.given && !image->tags[DG_TAG_VERSYM].given)
        dg_elf_image_fault(image,
                           "its dynamic section has DT_VERNEED and no DT_VERSYM");
    if (!tag.given)
        return;
    do {
        const uint8_t *need = entry_at(versions, at += next);

        if (!need)
            return;
        if (dg_elf_image_number(image, need, need_version) != VER_NEED_CURRENT) {
            dg_elf_image_fault(
                image, "its list of versions is of version %" PRIu64 "; expected %d",
                dg_elf_image_number(image, need, need_version), VER_NEED_CURRENT);
            return;
        }
        if (!read_versions_of(versions, at, need))
            return;
        next = dg_elf_image_number(image, need, need_next);
    } while (next);
}

static size_t symbol_bytes(const struct dg_elf_image *image)
{
    return image->view.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static const uint8_t *symbol_at(const struct dg_elf_image *image, size_t symbol)
{
    return dg_elf_image_bytes(image, image->tags[DG_TAG_SYMTAB].value).data +
           symbol * symbol_bytes(image);
}

struct dg_text dg_elf_image_symbol_name(struct dg_elf_image *image, size_t symbol)
{
    return dg_elf_image_string(
        image, dg_elf_image_number(image, symbol_at(image, symbol), symbol_name));
}

/* Of a symbol that is looked up the loader takes the version by its number, whatever is
 * there. */
static struct dg_text version_of(const struct symbols *symbols, size_t index)
{
    const struct versions *versions = &symbols->versions;
    struct dg_elf_image *image = symbols->image;
    struct dg_bytes numbers =
        dg_elf_image_bytes(image, image->tags[DG_TAG_VERSYM].value);
    uint32_t number;

    if (!image->tags[DG_TAG_VERSYM].given)
        return (struct dg_text){0};
    if (!dg_inside(index * 2, 2, numbers.size)) {
        dg_elf_image_fault(
            image, "the version of symbol %zu is in no segment that is loaded", index);
        return (struct dg_text){0};
    }
    number = (uint32_t)dg_elf_image_number(image, numbers.data + index * 2,
                                           number_of_symbol) &
             VERSIONS;
    if (symbols->wanted[index] && !image->tags[DG_TAG_VERDEF].given &&
        number > VER_NDX_GLOBAL && number > versions->greatest)
        dg_elf_image_fault(image, "symbol %zu is of version %u, and there are %u",
                           index, number, versions->greatest);
    return versions->names[number];
}

/* Compilers and assemblers write names of letters, digits and a few signs, or of UTF-8.
 */
static bool is_name(struct dg_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        uint8_t c = (uint8_t)name.data[i];

        if (c < 0x80 && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') &&
            !(c >= 'a' && c <= 'z') && !strchr("_.$@", c))
            return false;
    }
    return name.size > 0;
}

/* What others may find by its name (check_match() in elf/dl-lookup.c). */
bool dg_elf_image_defines(const struct dg_elf_image *image, size_t symbol)
{
    static const uint8_t binds[] = {STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE};
    static const uint8_t types[] = {STT_NOTYPE, STT_OBJECT, STT_FUNC,
                                    STT_COMMON, STT_TLS,    STT_GNU_IFUNC};
    const uint8_t *entry = symbol_at(image, symbol);
    uint8_t info = (uint8_t)dg_elf_image_number(image, entry, symbol_info);
    uint64_t section = dg_elf_image_number(image, entry, symbol_section);

    return memchr(binds, ELF64_ST_BIND(info), sizeof(binds)) &&
           memchr(types, ELF64_ST_TYPE(info), sizeof(types)) && section != SHN_UNDEF &&
           (dg_elf_image_number(image, entry, symbol_value) || section == SHN_ABS ||
            ELF64_ST_TYPE(info) == STT_TLS);
}

/* Whether the library is to find it in itself: what there is one of in a process lies
 * in libraries of C++, too, and what has a version is theirs. */
static bool is_its_own(uint8_t info, uint8_t other, struct dg_text version)
{
    return ELF64_ST_BIND(info) != STB_GNU_UNIQUE &&
           ELF64_ST_VISIBILITY(other) != STV_HIDDEN &&
           ELF64_ST_VISIBILITY(other) != STV_INTERNAL && !version.data;
}

/* What the loader looks up must be somewhere: undefined symbols in other libraries,
 * those of the library by its own table. */
static void check_symbol(const struct symbols *symbols, size_t index,
                         struct dg_text name, struct dg_text version)
{
    struct dg_elf_image *image = symbols->image;
    const uint8_t *entry = symbol_at(image, index);
    uint8_t info = (uint8_t)dg_elf_image_number(image, entry, symbol_info);
    uint8_t other = (uint8_t)dg_elf_image_number(image, entry, symbol_other);
    bool defined = dg_elf_image_number(image, entry, symbol_section) != SHN_UNDEF;
    int size = name.size < 200 ? (int)name.size : 200;

    if (!symbols->wanted[index] || ELF64_ST_BIND(info) == STB_LOCAL || image->exhausted)
        return;
    if (!name.data)
        dg_elf_image_fault(image, "symbol %zu has its name outside of its strings",
                           index);
    else if (!is_name(name) && ELF64_ST_BIND(info) != STB_WEAK)
        dg_elf_image_fault(image,
                           "it asks for symbol %zu, \"%.*s\", as nothing is named",
                           index, size, name.data);
    else if (defined && !symbols->found[index] && is_its_own(info, other, version))
        dg_elf_image_fault(
            image,
            "it asks for symbol %.*s of itself, to which its hash table does"
            " not lead",
            size, name.data);
}

static void add_symbol(const struct symbols *symbols, size_t index)
{
    struct dg_elf_image *image = symbols->image;
    const uint8_t *entry = symbol_at(image, index);
    struct dg_text name = dg_elf_image_symbol_name(image, index);
    struct dg_text version = version_of(symbols, index);
    uint8_t info = (uint8_t)dg_elf_image_number(image, entry, symbol_info);
    bool defined = dg_elf_image_number(image, entry, symbol_section) != SHN_UNDEF;
    uint32_t flags = (defined ? 0 : DG_SYMBOL_UNDEFINED) |
                     (ELF64_ST_BIND(info) == STB_WEAK ? DG_SYMBOL_WEAK : 0);

    check_symbol(symbols, index, name, version);
    if (name.size && (!defined || symbols->found[index]))
        dg_fact_write(image->facts, &(struct dg_library_fact){
                                        DG_FACT_SYMBOL, flags,
                                        .texts = {dg_elf_image_place(image, name),
                                                  dg_elf_image_place(image, version)}});
}

/* The two that every loader takes for granted. */
static bool has_tables(struct dg_elf_image *image)
{
    static const struct {
        enum dg_elf_tag tag;
        const char *name;
    } tables[] = {{DG_TAG_SYMTAB, "DT_SYMTAB"}, {DG_TAG_STRTAB, "DT_STRTAB"}};

    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        struct dg_elf_tag_value table = image->tags[tables[i].tag];

        if (table.given && dg_elf_image_bytes(image, table.value).size)
            continue;
        dg_elf_image_fault(image,
                           table.given ? "%s is in no segment that is loaded"
                                       : "its dynamic section has no %s",
                           tables[i].name);
        return false;
    }
    return true;
}

void dg_elf_image_read_symbols(struct dg_elf_image *image,
                               struct dg_library_fact *about)
{
    struct dg_elf_tag_value table = image->tags[DG_TAG_SYMTAB];
    size_t room = dg_elf_image_bytes(image, table.value).size / symbol_bytes(image);
    struct symbols symbols = {.image = image, .versions = {.image = image}};
    size_t asked, found;

    if (!has_tables(image))
        return;
    read_versions(&symbols.versions);
    symbols.wanted = dg_alloc(&image->memory, room, sizeof(*symbols.wanted));
    symbols.found = dg_alloc(&image->memory, room, sizeof(*symbols.found));
    asked = dg_elf_image_check_relocations(image, symbols.wanted, room);
    found = dg_elf_image_find_by_hash(image, symbols.found, room);
    about->flags |= DG_OBJECT_HAS_SYMBOLS;
    for (size_t i = 1; i < (asked > found ? asked : found); i++)
        add_symbol(&symbols, i);
}
