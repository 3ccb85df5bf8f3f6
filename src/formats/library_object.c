/* Shared objects as AOTInductor links them: what they need, their symbols, the
 * constants and the GPU code inside of them. */
#include <stdlib.h>

#include "base/sorted.h"
#include "formats/library_elf.h"

enum { VERSIONS = 0x7fff }; /* a symbol's number of its version has so many bits */

struct object {
    struct dg_elf elf;
    struct dg_text *versions; /* by number */
};

static void read_needs(struct object *object, struct dg_library_fact *about)
{
    struct dg_elf *elf = &object->elf;
    size_t section = dg_elf_section_of_type(elf, SHT_DYNAMIC);
    Elf_Data *data = section ? dg_elf_data(elf, section) : NULL;
    GElf_Dyn entry;

    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL;
         i++) {
        struct dg_text name = dg_elf_string(elf, section, entry.d_un.d_val);

        if (entry.d_tag == DT_NEEDED)
            dg_fact_write(elf->facts,
                          &(struct dg_library_fact){
                              DG_FACT_NEED, .texts[0] = dg_elf_place(elf, name)});
        else if (entry.d_tag == DT_SONAME)
            about->texts[0] = dg_elf_place(elf, name);
    }
}

/* The versions that one needed library must have; how many were seen. */
static size_t read_versions_of(struct object *object, size_t section, Elf_Data *data,
                               size_t at, const GElf_Verneed *need, size_t most)
{
    struct dg_elf *elf = &object->elf;
    struct dg_text file = dg_elf_string(elf, section, need->vn_file);
    size_t n = 0;

    at += need->vn_aux;
    for (; n < need->vn_cnt && n < most && at < data->d_size; n++) {
        GElf_Vernaux version;
        struct dg_text name;

        if (!gelf_getvernaux(data, (int)at, &version))
            break;
        name = dg_elf_string(elf, section, version.vna_name);
        object->versions[version.vna_other & VERSIONS] = name;
        dg_fact_write(elf->facts,
                      &(struct dg_library_fact){
                          DG_FACT_VERSION,
                          version.vna_flags & VER_FLG_WEAK ? DG_SYMBOL_WEAK : 0,
                          .texts = {dg_elf_place(elf, name), dg_elf_place(elf, file)}});
        if (!version.vna_next)
            return n + 1;
        at += version.vna_next;
    }
    return n;
}

/* Entries may overlap: there are no more than have room side by side. */
static void read_versions(struct object *object)
{
    size_t section = dg_elf_section_of_type(&object->elf, SHT_GNU_verneed);
    Elf_Data *data = section ? dg_elf_data(&object->elf, section) : NULL;
    size_t at = 0, left = data ? data->d_size / sizeof(Elf64_Vernaux) : 0;
    GElf_Verneed need;

    while (left && at < data->d_size && gelf_getverneed(data, (int)at, &need)) {
        size_t seen = read_versions_of(object, section, data, at, &need, left);

        left -= seen < left ? seen : left;
        left -= left > 0;
        if (!need.vn_next)
            break;
        at += need.vn_next;
    }
}

static void read_build_id(struct object *object, struct dg_library_fact *about)
{
    struct dg_elf *elf = &object->elf;
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

static struct dg_text version_of(struct object *object, Elf_Data *numbers,
                                 size_t symbol)
{
    GElf_Versym number;

    if (!numbers || !gelf_getversym(numbers, (int)symbol, &number))
        return (struct dg_text){0};
    return object->versions[number & VERSIONS];
}

/* What the dynamic linker sees. */
static void read_symbols(struct object *object, struct dg_library_fact *about)
{
    struct dg_elf *elf = &object->elf;
    size_t section = dg_elf_section_of_type(elf, SHT_DYNSYM);
    size_t numbers = dg_elf_section_of_type(elf, SHT_GNU_versym);
    Elf_Data *data = section ? dg_elf_data(elf, section) : NULL;
    Elf_Data *versions = numbers ? dg_elf_data(elf, numbers) : NULL;
    GElf_Sym symbol;

    about->flags |= data ? DG_OBJECT_HAS_SYMBOLS : 0;
    for (size_t i = 1; data && gelf_getsym(data, (int)i, &symbol); i++) {
        struct dg_text name = dg_elf_string(elf, section, symbol.st_name);
        uint32_t flags = symbol.st_shndx == SHN_UNDEF ? DG_SYMBOL_UNDEFINED : 0;

        if (!name.size)
            continue;
        flags |= GELF_ST_BIND(symbol.st_info) == STB_WEAK ? DG_SYMBOL_WEAK : 0;
        dg_fact_write(
            elf->facts,
            &(struct dg_library_fact){
                DG_FACT_SYMBOL, flags,
                .texts = {dg_elf_place(elf, name),
                          dg_elf_place(elf, version_of(object, versions, i))}});
    }
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
        dg_fact_write_fault(elf->facts, &err);
    *effort = 0;
}

static void read_labels(struct object *object, struct dg_library_fact *about)
{
    struct dg_elf *elf = &object->elf;
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
static void read_fat_section(struct object *object, const char *name)
{
    struct dg_elf *elf = &object->elf;
    size_t section = dg_elf_section_named(elf, name);
    struct dg_bytes bytes = dg_elf_bytes(elf, section);

    if (bytes.size)
        dg_gpu_facts(elf->file,
                     (struct dg_library_place){(uint64_t)(bytes.data - elf->file.data),
                                               bytes.size},
                     dg_elf_place(elf, dg_elf_section_name(elf, section)), elf->facts);
}

static bool is_shared(struct dg_elf *elf)
{
    struct dg_error err = {0};

    if (elf->header.e_type == ET_DYN)
        return true;
    dg_fail(&err, DG_ERR_FORMAT, "it is of type %d; a shared object is of type %d",
            elf->header.e_type, ET_DYN);
    dg_fact_write_fault(elf->facts, &err);
    return false;
}

static void read_object(struct dg_bytes file, struct dg_writer *facts)
{
    struct object object = {0};
    struct dg_library_fact about = {DG_FACT_OBJECT, 0, {0, -1, -1, -1}, {{0}}};

    if (dg_elf_open(&object.elf, file, 0, facts) && is_shared(&object.elf)) {
        object.versions =
            dg_alloc(&object.elf.memory, VERSIONS + 1, sizeof(*object.versions));
        about.numbers[0] = object.elf.header.e_machine;
        read_needs(&object, &about);
        read_versions(&object);
        read_build_id(&object, &about);
        read_symbols(&object, &about);
        read_labels(&object, &about);
        read_fat_section(&object, ".nv_fatbin");
        read_fat_section(&object, "__nv_relfatbin"); /* of nvcc -rdc=true */
        dg_fact_write(facts, &about);
    }
    dg_elf_close(&object.elf);
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

void dg_fact_write_fault(struct dg_writer *facts, const struct dg_error *err)
{
    static const char padding[sizeof(struct dg_library_fact)];
    size_t size = strlen(err->text);
    struct dg_library_fact fault = {DG_FACT_FAULT, .numbers[0] = (int64_t)size};

    dg_fact_write(facts, &fault);
    dg_write(facts, err->text, size);
    dg_write(facts, padding, (sizeof(fault) - size % sizeof(fault)) % sizeof(fault));
}
