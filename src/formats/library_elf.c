/* ELF files through libelf. */
#include "formats/library_elf.h"

enum { LEAST_EFFORT = 1 << 20 };

static bool refuse(struct dg_elf *elf, const char *what)
{
    struct dg_error err = {0};

    dg_fail(&err, DG_ERR_FORMAT, "%s: %s", what, elf_errmsg(-1));
    dg_fact_write_fault(elf->facts, &err, elf->fault);
    return false;
}

static bool read_sections(struct dg_elf *elf)
{
    if (elf_getshdrnum(elf->elf, &elf->n_sections) ||
        (elf->n_sections && elf_getshdrstrndx(elf->elf, &elf->names)))
        return refuse(elf, "sections");
    elf->sections = dg_alloc(&elf->memory, elf->n_sections, sizeof(*elf->sections));
    for (size_t i = 1; i < elf->n_sections; i++) {
        Elf_Scn *section = elf_getscn(elf->elf, i);

        if (!section || !gelf_getshdr(section, &elf->sections[i]))
            return refuse(elf, "a section");
    }
    return true;
}

bool dg_elf_open(struct dg_elf *elf, struct dg_bytes file, uint64_t base,
                 enum dg_fault fault, struct dg_writer *facts)
{
    struct dg_error err = {0};

    *elf = (struct dg_elf){.file = file,
                           .base = base,
                           .effort = 4 * (uint64_t)file.size + LEAST_EFFORT,
                           .fault = fault,
                           .facts = facts};
    if (dg_elf_check_sections(file, &err)) {
        dg_fact_write_fault(facts, &err, fault);
        return false;
    }
    elf_version(EV_CURRENT);
    elf->elf = elf_memory((char *)file.data, file.size);
    if (!elf->elf || !gelf_getehdr(elf->elf, &elf->header))
        return refuse(elf, "its header");
    return read_sections(elf);
}

void dg_elf_close(struct dg_elf *elf)
{
    struct dg_error err = {0};

    if (elf->exhausted) {
        dg_fail(&err, DG_ERR_FORMAT,
                "its entries share strings so often that some were not read");
        dg_fact_write_fault(elf->facts, &err, elf->fault);
    }
    elf_end(elf->elf);
    dg_arena_clear(&elf->memory);
}

size_t dg_elf_section_of_type(const struct dg_elf *elf, uint32_t type)
{
    for (size_t i = 1; i < elf->n_sections; i++) {
        if (elf->sections[i].sh_type == type)
            return i;
    }
    return 0;
}

size_t dg_elf_section_named(struct dg_elf *elf, const char *name)
{
    for (size_t i = 1; i < elf->n_sections; i++) {
        if (dg_text_is(dg_elf_section_name(elf, i), name))
            return i;
    }
    return 0;
}

struct dg_bytes dg_elf_bytes(const struct dg_elf *elf, size_t section)
{
    const GElf_Shdr *header = &elf->sections[section];

    if (!section || header->sh_type == SHT_NOBITS || header->sh_type == SHT_NULL)
        return (struct dg_bytes){0};
    return dg_slice(elf->file, header->sh_offset, header->sh_size);
}

/* A string ends with NUL, as the bounds check saw of the last one of its section. */
static struct dg_text string_at(struct dg_elf *elf, size_t section, uint64_t index)
{
    struct dg_bytes strings = dg_elf_bytes(elf, section);
    struct dg_text text;

    if (index >= strings.size || elf->sections[section].sh_type != SHT_STRTAB ||
        elf->exhausted)
        return dg_text("");
    text = dg_text((const char *)strings.data + index);
    elf->exhausted = text.size > elf->effort;
    elf->effort -= elf->exhausted ? 0 : text.size;
    return elf->exhausted ? dg_text("") : text;
}

struct dg_text dg_elf_section_name(struct dg_elf *elf, size_t section)
{
    return string_at(elf, elf->names, elf->sections[section].sh_name);
}

Elf_Data *dg_elf_data(const struct dg_elf *elf, size_t section)
{
    return elf_getdata(elf_getscn(elf->elf, section), NULL);
}

struct dg_text dg_elf_string(struct dg_elf *elf, size_t section, uint64_t index)
{
    size_t link = elf->sections[section].sh_link;

    return link < elf->n_sections ? string_at(elf, link, index) : dg_text("");
}

struct dg_library_place dg_elf_place(const struct dg_elf *elf, struct dg_text text)
{
    if (!text.size)
        return (struct dg_library_place){0};
    return (struct dg_library_place){
        elf->base + (uint64_t)((const uint8_t *)text.data - elf->file.data), text.size};
}
