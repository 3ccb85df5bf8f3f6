/* GPU code: cubins (ELF) and fat binaries of NVIDIA, code objects of AMD. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/library_elf.h"

/* Machines of ELF, and what e_flags and st_other say for EM_CUDA: as LLVM's
 * BinaryFormat/ELF.h has them, and as nvcc 13.0 writes them. */
enum {
    MACHINE_CUDA = 190,
    MACHINE_AMD = 224,
    ABI_VERSION_AT = 8,
    ABI_OF_WIDE_FLAGS = 8, /* CUDA 13: the architecture is in bits 8 to 15 */
    FLAG_ACCELERATED = 0x800,
    SYMBOL_IS_ENTRY = 0x10,
};

/* Attributes of .nv.info: a format, a number, and two bytes, which are the size of what
 * follows for one of the formats. */
enum {
    INFO_SIZED = 4,
    INFO_REGISTERS = 0x2f,
    INFO_FRAME_BYTES = 0x11,
};

enum { RESERVED_BYTES = 1024 };

struct kernel {
    int64_t registers, shared, stack;
};

struct cubin {
    struct dg_elf elf;
    struct kernel *kernels; /* by symbol */
    size_t n_symbols;
};

/* What its compiler was told: "-arch sm_90a"; the letter is nowhere else in each
 * generation of the format. */
static uint32_t letter_in_note(struct dg_elf *elf, int64_t arch)
{
    struct dg_bytes note =
        dg_elf_bytes(elf, dg_elf_section_named(elf, ".note.nv.tkinfo"));
    char wanted[32];
    size_t size = (size_t)snprintf(wanted, sizeof(wanted), "sm_%" PRId64, arch);

    for (size_t i = 0; i + size < note.size; i++) {
        uint8_t letter = note.data[i + size];

        if (!memcmp(note.data + i, wanted, size) && (letter == 'a' || letter == 'f'))
            return letter;
    }
    return 0;
}

static struct dg_library_fact describe_cubin(struct dg_elf *elf,
                                             struct dg_library_place place,
                                             struct dg_library_place name)
{
    uint32_t flags = elf->header.e_flags, letter;
    bool wide = elf->header.e_ident[ABI_VERSION_AT] >= ABI_OF_WIDE_FLAGS;
    int64_t arch = wide ? flags >> 8 & 0xff : flags & 0xff;

    letter = letter_in_note(elf, arch);
    if (!letter && !wide && flags & FLAG_ACCELERATED)
        letter = 'a';
    return (struct dg_library_fact){
        DG_FACT_CODE,
        DG_GPU_CUBIN | letter << 8,
        {arch, (int64_t)place.offset, (int64_t)place.size, -1},
        {name}};
}

static void read_info(struct cubin *cubin)
{
    struct dg_bytes info =
        dg_elf_bytes(&cubin->elf, dg_elf_section_named(&cubin->elf, ".nv.info"));

    for (size_t at = 0; dg_inside(at, 4, info.size);) {
        const uint8_t *entry = info.data + at;
        size_t size = entry[0] == INFO_SIZED ? dg_u16(entry + 2) : 0;

        at += 4 + size;
        if (size < 8 || at > info.size || dg_u32(entry + 4) >= cubin->n_symbols)
            continue;
        if (entry[1] == INFO_REGISTERS)
            cubin->kernels[dg_u32(entry + 4)].registers = dg_u32(entry + 8);
        else if (entry[1] == INFO_FRAME_BYTES)
            cubin->kernels[dg_u32(entry + 4)].stack = dg_u32(entry + 8);
    }
}

/* Sections of shared memory say which section has the code that uses it. From sm_90 on
 * they begin with what the system keeps of each block, which ptxas does not count. */
static void read_shared(struct dg_elf *elf, int64_t *shared)
{
    bool reserved = dg_elf_section_named(elf, ".nv.shared.reserved.0") != 0;

    for (size_t i = 1; i < elf->n_sections; i++) {
        size_t code = elf->sections[i].sh_info;

        if (code && code < elf->n_sections && elf->sections[i].sh_size <= INT64_MAX &&
            dg_text_begins(dg_elf_section_name(elf, i), ".nv.shared."))
            shared[code] =
                (int64_t)elf->sections[i].sh_size -
                (reserved && elf->sections[i].sh_size >= RESERVED_BYTES ? RESERVED_BYTES
                                                                        : 0);
    }
}

static void read_kernels(struct cubin *cubin)
{
    struct dg_elf *elf = &cubin->elf;
    size_t section = dg_elf_section_of_type(elf, SHT_SYMTAB);
    Elf_Data *data = section ? dg_elf_data(elf, section) : NULL;
    int64_t *shared =
        dg_alloc(&cubin->elf.memory, elf->n_sections + 1, sizeof(*shared));
    GElf_Sym symbol;

    cubin->n_symbols = data ? data->d_size / elf->sections[section].sh_entsize : 0;
    cubin->kernels =
        dg_alloc(&cubin->elf.memory, cubin->n_symbols + 1, sizeof(*cubin->kernels));
    for (size_t i = 0; i < cubin->n_symbols; i++)
        cubin->kernels[i] = (struct kernel){-1, 0, -1};
    read_info(cubin);
    read_shared(elf, shared);
    for (size_t i = 1; i < cubin->n_symbols; i++) {
        const struct kernel *kernel = &cubin->kernels[i];

        if (!gelf_getsym(data, (int)i, &symbol) || !symbol.st_shndx ||
            symbol.st_shndx >= elf->n_sections ||
            GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            !(symbol.st_other & SYMBOL_IS_ENTRY))
            continue;
        dg_fact_write(
            elf->facts,
            &(struct dg_library_fact){
                DG_FACT_KERNEL,
                0,
                {kernel->registers, shared[symbol.st_shndx], kernel->stack},
                {dg_elf_place(elf, dg_elf_string(elf, section, symbol.st_name))}});
    }
}

static void read_cubin(struct dg_bytes file, struct dg_library_place place,
                       struct dg_library_place name, struct dg_writer *facts)
{
    struct dg_bytes code = dg_slice(file, place.offset, place.size);
    struct cubin cubin = {{{0}}};
    struct dg_library_fact fact;
    struct dg_error err = {0};

    if (dg_elf_check_segments(code, &err)) {
        dg_fact_write_fault(facts, &err, DG_FAULT_REFUSED);
        return;
    }
    if (dg_elf_open(&cubin.elf, code, place.offset, DG_FAULT_REFUSED, facts)) {
        fact = describe_cubin(&cubin.elf, place, name);
        dg_fact_write(facts, &fact);
        read_kernels(&cubin);
    }
    dg_elf_close(&cubin.elf);
}

/* A fat binary: a header of 16 bytes, then images, each with a header of its own. As
 * fatbinary of CUDA 13.0 writes them. */
enum {
    FAT_MAGIC = 0xba55ed50u,
    FAT_BYTES = 16,
    IMAGE_BYTES = 64,
    IMAGE_IS_PTX = 1,
    IMAGE_IS_ELF = 2,
    IMAGE_FLAG_LZ4 = 0x2000,
    IMAGE_FLAG_ZSTD = 0x8000,
    IMAGE_FLAG_ACCELERATED = 0x100000, /* sm_90a */
    IMAGE_FLAG_FAMILY = 0x200000,      /* sm_100f */
};

static bool is_fat(struct dg_bytes code)
{
    return code.size >= FAT_BYTES && dg_u32(code.data) == FAT_MAGIC;
}

/* The header alone tells of an image that is compressed. */
static void describe_image(const uint8_t *image, struct dg_library_place place,
                           struct dg_library_place name, struct dg_writer *facts)
{
    uint64_t flags = dg_u64(image + 40);
    uint32_t letter = flags & IMAGE_FLAG_ACCELERATED ? 'a'
                      : flags & IMAGE_FLAG_FAMILY    ? 'f'
                                                     : 0;
    uint32_t format = dg_u16(image) == IMAGE_IS_PTX ? DG_GPU_PTX : DG_GPU_CUBIN;

    dg_fact_write(facts,
                  &(struct dg_library_fact){
                      DG_FACT_CODE,
                      format | letter << 8 | DG_CODE_COMPRESSED,
                      {dg_u32(image + 28), (int64_t)place.offset, (int64_t)place.size,
                       format == DG_GPU_PTX ? (int64_t)dg_u32(image + 24) : -1},
                      {name}});
}

static void read_image(struct dg_bytes file, const uint8_t *image,
                       struct dg_library_place place, struct dg_library_place name,
                       struct dg_writer *facts)
{
    uint16_t kind = dg_u16(image);

    if (kind != IMAGE_IS_PTX && kind != IMAGE_IS_ELF)
        return;
    if (dg_u64(image + 40) & (IMAGE_FLAG_LZ4 | IMAGE_FLAG_ZSTD))
        describe_image(image, place, name, facts);
    else if (kind == IMAGE_IS_PTX)
        dg_ptx_facts(file, place, name, facts);
    else
        read_cubin(file, place, name, facts);
}

static void refuse_fat(uint64_t at, const char *what, struct dg_writer *facts)
{
    struct dg_error err = {0};

    dg_fail(&err, DG_ERR_FORMAT, "byte %" PRIu64 ": a fat binary: %s", at, what);
    dg_fact_write_fault(facts, &err, DG_FAULT_REFUSED);
}

/* How far it goes; 0: it is not whole. A file of nothing else is there to be launched;
 * linkers leave empty ones in libraries. */
static uint64_t read_fat(struct dg_bytes file, struct dg_library_place place,
                         struct dg_library_place name, struct dg_writer *facts)
{
    const uint8_t *header = file.data + place.offset;
    uint64_t at = dg_u16(header + 6), size = dg_u64(header + 8), end;

    if (at < FAT_BYTES || size > place.size || at > place.size - size) {
        refuse_fat(place.offset, "it ends behind its bytes", facts);
        return 0;
    }
    end = at + size;
    while (at < end) {
        const uint8_t *image = header + at;
        uint64_t bytes, stored;

        if (end - at < IMAGE_BYTES || dg_u32(image + 4) < IMAGE_BYTES ||
            !dg_inside(dg_u32(image + 4), dg_u64(image + 8), end - at)) {
            refuse_fat(place.offset + at, "an image ends behind it", facts);
            return 0;
        }
        bytes = dg_u32(image + 4);
        stored = dg_u64(image + 8);
        read_image(file, image,
                   (struct dg_library_place){place.offset + at + bytes, stored}, name,
                   facts);
        at += bytes + stored;
    }
    if (!size && !name.size)
        refuse_fat(place.offset, "it has no image", facts);
    return end;
}

static void read_fats(struct dg_bytes file, struct dg_library_place place,
                      struct dg_library_place name, struct dg_writer *facts)
{
    while (place.size >= FAT_BYTES &&
           is_fat(dg_slice(file, place.offset, place.size))) {
        uint64_t size;

        dg_fact_write(facts, &(struct dg_library_fact){DG_FACT_BINARY});
        size = read_fat(file, place, name, facts);

        size = size ? (size + 7) & ~(uint64_t)7 : place.size;
        size = size < place.size ? size : place.size;
        place = (struct dg_library_place){place.offset + size, place.size - size};
    }
}

static unsigned elf_machine(struct dg_bytes code)
{
    return dg_is_elf(code) && code.size >= 20 ? dg_u16(code.data + 18) : 0;
}

bool dg_is_gpu_code(struct dg_bytes code)
{
    unsigned machine = elf_machine(code);

    return machine == MACHINE_CUDA || machine == MACHINE_AMD || is_fat(code) ||
           dg_is_ptx(code);
}

void dg_gpu_facts(struct dg_bytes file, struct dg_library_place place,
                  struct dg_library_place name, struct dg_writer *facts)
{
    struct dg_bytes code = dg_slice(file, place.offset, place.size);

    if (is_fat(code)) {
        read_fats(file, place, name, facts);
        return;
    }
    dg_fact_write(facts, &(struct dg_library_fact){DG_FACT_BINARY});
    if (elf_machine(code) == MACHINE_CUDA)
        read_cubin(file, place, name, facts);
    else if (elf_machine(code) == MACHINE_AMD)
        dg_fact_write(facts, &(struct dg_library_fact){
                                 DG_FACT_CODE,
                                 DG_GPU_AMD,
                                 {-1, (int64_t)place.offset, (int64_t)place.size, -1},
                                 {name}});
    else if (dg_is_ptx(code))
        dg_ptx_facts(file, place, name, facts);
}
