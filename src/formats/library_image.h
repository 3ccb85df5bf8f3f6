/* A shared object as a loader sees it: the segments that it maps, and what the dynamic
 * section in them says. It does not look at sections. */
#ifndef DG_FORMATS_LIBRARY_IMAGE_H
#define DG_FORMATS_LIBRARY_IMAGE_H

#include "base/arena.h"
#include "formats/library_facts.h"
#include "formats/library_view.h"

/* What of the dynamic section is asked for (library_image.c has their numbers). */
enum dg_elf_tag {
    DG_TAG_STRTAB,
    DG_TAG_SYMTAB,
    DG_TAG_HASH,
    DG_TAG_GNU_HASH,
    DG_TAG_VERSYM,
    DG_TAG_VERNEED,
    DG_TAG_VERDEF,
    DG_TAG_RELA,
    DG_TAG_RELASZ,
    DG_TAG_RELAENT,
    DG_TAG_RELACOUNT,
    DG_TAG_REL,
    DG_TAG_RELSZ,
    DG_TAG_RELENT,
    DG_TAG_RELCOUNT,
    DG_TAG_RELR,
    DG_TAG_RELRSZ,
    DG_TAG_JMPREL,
    DG_TAG_PLTRELSZ,
    DG_TAG_PLTREL,
    DG_TAG_PLTGOT,
    DG_TAG_BIND_NOW,
    DG_TAG_INIT,
    DG_TAG_FINI,
    DG_TAG_INIT_ARRAY,
    DG_TAG_INIT_ARRAYSZ,
    DG_TAG_FINI_ARRAY,
    DG_TAG_FINI_ARRAYSZ,
    DG_TAG_TEXTREL,
    DG_TAG_FLAGS,
    DG_TAG_FLAGS_1,
    DG_N_TAGS,
};

struct dg_elf_image {
    struct dg_elf_view view;
    uint16_t type, machine;
    struct dg_elf_segment *loads; /* those that are mapped, by address */
    size_t n_loads;
    uint64_t dynamic; /* where its dynamic section is */
    struct dg_elf_tag_value {
        uint64_t value;
        bool given;
    } tags[DG_N_TAGS];
    uint64_t effort; /* bytes of strings that may still be read: entries share them */
    bool exhausted;  /* no, they may not */
    size_t n_faults;
    struct dg_writer *facts;
    struct dg_arena memory;
};

/* Finds segments and reads the dynamic section. False: a fault is written, and nothing
 * but the header can be used. Close it either way. */
bool dg_elf_image_open(struct dg_elf_image *image, struct dg_bytes file,
                       struct dg_writer *facts);
void dg_elf_image_close(struct dg_elf_image *image);

/* What a loader refuses, or crashes on; the first few, as one may show in many entries.
 */
void dg_elf_image_fault(struct dg_elf_image *image, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The segment that has all of `size` bytes at an address; NULL: none has. */
const struct dg_elf_segment *dg_elf_image_segment(const struct dg_elf_image *image,
                                                  uint64_t address, uint64_t size);

/* Bytes of the file from an address up to the end of its segment; none outside. */
struct dg_bytes dg_elf_image_bytes(const struct dg_elf_image *image, uint64_t address);

/* A number of an entry that lies inside of the file. */
uint64_t dg_elf_image_number(const struct dg_elf_image *image, const uint8_t *entry,
                             struct dg_elf_field field);

/* Goes through the dynamic section: its entries up to the last; `at` starts from 0. */
bool dg_elf_image_next(const struct dg_elf_image *image, uint64_t *at, uint64_t *tag,
                       uint64_t *value);

/* A string of DT_STRTAB; data NULL: there is none. */
struct dg_text dg_elf_image_string(struct dg_elf_image *image, uint64_t index);
struct dg_library_place dg_elf_image_place(const struct dg_elf_image *image,
                                           struct dg_text text);

/* What the loader reads when it relocates and starts the library
 * (library_relocations.c). */
void dg_elf_image_check_tables(struct dg_elf_image *image);

/* Marks in `wanted` the symbols that relocations ask for, of `n_symbols` that have
 * room; how many there are at least. */
size_t dg_elf_image_check_relocations(struct dg_elf_image *image, bool *wanted,
                                      size_t n_symbols);

/* The same of symbols that are found by name (library_hash.c). */
size_t dg_elf_image_find_by_hash(struct dg_elf_image *image, bool *found,
                                 size_t n_symbols);
uint32_t dg_elf_hash(struct dg_text name);

/* Needed libraries, their versions, and symbols, as facts (library_symbols.c). */
void dg_elf_image_read_needs(struct dg_elf_image *image, struct dg_library_fact *about);
void dg_elf_image_read_symbols(struct dg_elf_image *image,
                               struct dg_library_fact *about);
struct dg_text dg_elf_image_symbol_name(struct dg_elf_image *image, size_t symbol);
bool dg_elf_image_defines(const struct dg_elf_image *image, size_t symbol);

#endif
