/* An ELF file through libelf, for what reads shared objects and GPU code. */
#ifndef DG_FORMATS_LIBRARY_ELF_H
#define DG_FORMATS_LIBRARY_ELF_H

#include <gelf.h>

#include "base/arena.h"
#include "formats/library_facts.h"

struct dg_elf {
    struct dg_bytes file;
    uint64_t base; /* of these bytes in the file that is read */
    Elf *elf;
    GElf_Ehdr header;
    GElf_Shdr *sections; /* sections[0] is none */
    size_t n_sections, names;
    uint64_t effort; /* bytes of strings that may still be read: entries share them */
    bool exhausted;  /* no, they may not */
    enum dg_fault fault; /* what its faults are */
    struct dg_writer *facts;
    struct dg_arena memory;
};

/* Checks the bounds of its sections, and opens what passed. False: a fault is written.
 * Close it either way. */
bool dg_elf_open(struct dg_elf *elf, struct dg_bytes file, uint64_t base,
                 enum dg_fault fault, struct dg_writer *facts);
void dg_elf_close(struct dg_elf *elf);

/* The first section of a type or a name; 0: there is none. */
size_t dg_elf_section_of_type(const struct dg_elf *elf, uint32_t type);
size_t dg_elf_section_named(struct dg_elf *elf, const char *name);
struct dg_text dg_elf_section_name(struct dg_elf *elf, size_t section);

/* Its bytes in the file; none of a section that has none there. */
struct dg_bytes dg_elf_bytes(const struct dg_elf *elf, size_t section);
Elf_Data *dg_elf_data(const struct dg_elf *elf, size_t section);

/* A string of the section that `section` links to, at `index` of it. */
struct dg_text dg_elf_string(struct dg_elf *elf, size_t section, uint64_t index);

/* Where text is in the file that is read. */
struct dg_library_place dg_elf_place(const struct dg_elf *elf, struct dg_text text);

#endif
