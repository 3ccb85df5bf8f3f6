/* Shared objects as AOTInductor links them: what they need, their symbols, the
 * constants and the GPU code inside of them. */
#include <stdlib.h>

#include "base/sorted.h"
#include "formats/library_elf.h"
#include "formats/library_image.h"

static void read_build_id(struct dg_elf *elf, struct dg_library_fact *about)
{
    size_t section = dg_elf_section_named(elf, ".note.gnu.build-id");
    Elf_Data *data = section ? dg_elf_data(elf, section) : NULL;
    struct dg_bytes bytes = dg_elf_bytes(elf, section);
    size_t name, content;
    GElf_Nhdr note;

    if (data && gelf_getnote(data, 0, &note, &name, &content) &&
        note.n_type == NT_GNU_BUILD_ID && dg_inside(content, note.n_descsz, bytes.size))
        about->texts[1] = dg_elf_place(
            elf, (struct dg_text){(const char *)bytes.data + content, note.n_descsz});
}

/* A label at the start or at the end of bytes that were linked in. */
struct label {
    struct dg_text stem; /* "__triton_poi_0" of "__triton_poi_0_start" */
    bool end;
    uint64_t offset; /* in the file */
};

struct labels {
    struct label *labels;
    size_t n;
};

static int compare_labels(const void *a, const void *b)
{
    const struct label *one = a, *other = b;
    int order = dg_text_compare(one->stem, other->stem);

    return order ? order : (int)one->end - (int)other->end;
}

/* Where in the file the address of a symbol is. */
static bool locate(struct dg_elf *elf, const GElf_Sym *symbol, uint64_t *offset)
{
    size_t index = symbol->st_shndx;
    const GElf_Shdr *section;

    if (!index || index >= elf->n_sections)
        return false;
    section = &elf->sections[index];
    *offset = symbol->st_value - section->sh_addr;
    if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL ||
        *offset > section->sh_size)
        return false;
    *offset += section->sh_offset;
    return true;
}

static void add_label(struct dg_elf *elf, struct labels *labels, const GElf_Sym *symbol,
                      struct dg_text name)
{
    static const char *const ends[] = {"_start", "_end"};

    for (int end = 0; end < 2; end++) {
        size_t size = strlen(ends[end]);
        struct label label = {.end = end};

        if (name.size <= size || memcmp(name.data + name.size - size, ends[end], size))
            continue;
        label.stem = (struct dg_text){name.data, name.size - size};
        if (locate(elf, symbol, &label.offset))
            *DG_APPEND(labels->labels, labels->n) = label;
    }
}

static struct labels find_labels(struct dg_elf *elf)
{
    size_t all = dg_elf_section_of_type(elf, SHT_SYMTAB);
    size_t section = all ? all : dg_elf_section_of_type(elf, SHT_DYNSYM);
    Elf_Data *data = section ? dg_elf_data(elf, section) : NULL;
    struct labels labels = {0};
    GElf_Sym symbol;

    for (size_t i = 1; data && gelf_getsym(data, (int)i, &symbol); i++) {
        struct dg_text name = dg_elf_string(elf, section, symbol.st_name);

        if (name.size && name.data[0] == '_')
            add_label(elf, &labels, &symbol, name);
    }
    dg_sort(labels.labels, labels.n, sizeof(*labels.labels), compare_labels);
    return labels;
}

/* The constants, or in their place how many bytes of them there are elsewhere: behind
 * the shared object, where a number that follows is repeated at the end of the file, or
 * in a file of their own (torch/csrc/inductor/aoti_runtime/model_base.h). */
static void measure_constants(struct dg_elf *elf, struct dg_library_fact *about,
                              uint64_t offset, uint64_t size)
{
    const uint8_t *at = elf->file.data + offset;
    const uint8_t *end = elf->file.data + elf->file.size;

    about->numbers[1] = (int64_t)size;
    if ((size != 8 && size != 16) || dg_u64(at) > INT64_MAX)
        return;
    about->numbers[2] = (int64_t)dg_u64(at);
    if (size == 16 && dg_u64(at + 8) == dg_u64(end - 8))
        about->flags |= DG_OBJECT_WEIGHTS_APPENDED;
}

/* Code may be named many times: what all names of it cost is bounded by the file. */
static void read_code(struct dg_elf *elf, struct dg_library_place place,
                      struct dg_text name, uint64_t *effort)
{
    struct dg_error err = {0};

    if (place.size <= *effort) {
        *effort -= place.size;
        dg_gpu_facts(elf->file, place, dg_elf_place(elf, name), elf->facts);
        return;
    }
    if (*effort)
        dg_fail(&err, DG_ERR_FORMAT,
                "symbols overlap so often that some GPU code was not read");
    if (*effort)
        dg_fact_write_fault(elf->facts, &err, elf->fault);
    *effort = 0;
}

static void read_labels(struct dg_elf *elf, struct dg_library_fact *about)
{
    struct labels labels = find_labels(elf);
    uint64_t effort = elf->file.size * 4;

    for (size_t i = 0; i + 1 < labels.n; i++) {
        const struct label *start = &labels.labels[i], *end = start + 1;
        struct dg_library_place place = {start->offset, end->offset - start->offset};

        if (start->end || !end->end || !dg_text_equal(start->stem, end->stem) ||
            end->offset < start->offset)
            continue;
        if (dg_text_is(start->stem, "_binary_constants_bin"))
            measure_constants(elf, about, place.offset, place.size);
        else if (dg_text_begins(start->stem, "__"))
            read_code(elf, place,
                      (struct dg_text){start->stem.data + 2, start->stem.size - 2},
                      &effort);
    }
    free(labels.labels);
}

/* Code that nvcc compiled (CUTLASS) lies in a section, one fat binary after another. */
static void read_fat_section(struct dg_elf *elf, const char *name)
{
    size_t section = dg_elf_section_named(elf, name);
    struct dg_bytes bytes = dg_elf_bytes(elf, section);

    if (bytes.size)
        dg_gpu_facts(elf->file,
                     (struct dg_library_place){(uint64_t)(bytes.data - elf->file.data),
                                               bytes.size},
                     dg_elf_place(elf, dg_elf_section_name(elf, section)), elf->facts);
}

/* Sections are for linkers and debuggers; they alone tell where constants and code are.
 */
static void read_sections(struct dg_bytes file, struct dg_library_fact *about,
                          struct dg_writer *facts)
{
    struct dg_elf elf;

    if (dg_elf_open(&elf, file, 0, DG_FAULT_UNREAD, facts)) {
        read_build_id(&elf, about);
        read_labels(&elf, about);
        read_fat_section(&elf, ".nv_fatbin");
        read_fat_section(&elf, "__nv_relfatbin"); /* of nvcc -rdc=true */
    }
    dg_elf_close(&elf);
}

static void read_object(struct dg_bytes file, struct dg_writer *facts)
{
    struct dg_library_fact about = {DG_FACT_OBJECT, 0, {0, -1, -1, -1}, {{0}}};
    struct dg_elf_image image;

    if (dg_elf_image_open(&image, file, facts)) {
        dg_elf_image_read_needs(&image, &about);
        dg_elf_image_check_tables(&image);
        dg_elf_image_read_symbols(&image, &about);
    }
    if (image.type == ET_DYN) {
        about.numbers[0] = image.machine;
        read_sections(file, &about, facts);
        dg_fact_write(facts, &about);
    }
    dg_elf_image_close(&image);
}

void dg_library_facts(struct dg_bytes file, struct dg_writer *facts)
{
    if (dg_is_gpu_code(file))
        dg_gpu_facts(file, (struct dg_library_place){0, file.size},
                     (struct dg_library_place){0}, facts);
    else
        read_object(file, facts);
}

void dg_fact_write(struct dg_writer *facts, const struct dg_library_fact *fact)
{
    dg_write(facts, (const char *)fact, sizeof(*fact));
}

void dg_fact_write_fault(struct dg_writer *facts, const struct dg_error *err,
                         enum dg_fault fault)
{
    static const char padding[sizeof(struct dg_library_fact)];
    size_t size = strlen(err->text);
    struct dg_library_fact fact = {DG_FACT_FAULT, fault, .numbers[0] = (int64_t)size};

    dg_fact_write(facts, &fact);
    dg_write(facts, err->text, size);
    dg_write(facts, padding, (sizeof(fact) - size % sizeof(fact)) % sizeof(fact));
}
