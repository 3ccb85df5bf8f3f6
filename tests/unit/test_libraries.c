/* What is read of native code: of a real library of CUDA and a real package of torch,
 * and of damaged ones. */
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#include "formats/library.h"
#include "formats/library_facts.h"
#include "unit/pte_file.h"

enum { START_OF_LIBRARY = 2048, BYTES_OF_LIBRARY = 26720 };

/* The library of aoti_blobs.pte, to damage. */
static struct dg_bytes code;
static uint8_t *at; /* its bytes, writable */
static struct dg_program program;

static void given_library(void)
{
    pte_open("data/aoti_blobs.pte");
    at = pte.bytes + START_OF_LIBRARY;
    code = (struct dg_bytes){at, BYTES_OF_LIBRARY};
}

static void read_library(void)
{
    struct dg_libraries libraries = {&program, .effort = 1 << 20};

    dg_libraries_add(&libraries, dg_text("lib"), code, 0);
    ck_assert_int_eq(dg_libraries_read(&libraries, NULL), DG_OK);
}

static void close_library(void)
{
    dg_program_clear(&program);
    pte_close();
}

static void put(size_t offset, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[offset + i] = (uint8_t)(value >> 8 * i);
}

/* With a list of constants that need `listed` bytes, and `aligned` in the host's
 * memory. */
static void read_listed(int64_t listed, int64_t aligned)
{
    struct dg_libraries libraries = {&program, .effort = 1 << 20};

    dg_libraries_add(&libraries, dg_text("lib"), code, 0);
    libraries.files[0].listed = listed;
    libraries.files[0].listed_aligned = aligned;
    ck_assert_int_eq(dg_libraries_read(&libraries, NULL), DG_OK);
}

/* The first remark, after `size` bytes at `offset` became `value`. */
static void expect_remark(const char *rule, size_t offset, uint64_t value, size_t size,
                          const char *want)
{
    given_library();
    put(offset, value, size);
    read_library();
    ck_assert_uint_ge(program.n_remarks, 1);
    ck_assert_str_eq(program.remarks[0].rule, rule);
    ck_assert_str_eq(program.remarks[0].text.data, want);
    close_library();
}

static void expect_refused(size_t offset, uint64_t value, size_t size, const char *want)
{
    expect_remark("library/format", offset, value, size, want);
}

static void expect_unread_sections(size_t offset, uint64_t value, size_t size,
                                   const char *want)
{
    expect_remark("library/unread", offset, value, size, want);
}

static void expect_accepted(size_t offset, uint64_t value, size_t size)
{
    given_library();
    put(offset, value, size);
    read_library();
    ck_assert_msg(!program.n_remarks, "%s", program.remarks[0].text.data);
    ck_assert_uint_eq(program.n_library_symbols, 27);
    close_library();
}

/* Where the header of section `index` is, and of the first of a type. */
static size_t section(size_t index)
{
    return (size_t)dg_u64(at + 40) + 64 * index;
}

static size_t section_of_type(uint32_t type)
{
    for (size_t i = 1; i < dg_u16(at + 60); i++) {
        if (dg_u32(at + section(i) + 4) == type)
            return i;
    }
    ck_abort_msg("no section of type %u", type);
}

static void expect_text(struct dg_text text, const char *want)
{
    ck_assert_msg(dg_text_is(text, want), "%.*s", (int)text.size, text.data);
}

START_TEST(a_library_has_a_machine_a_build_id_and_versions_that_it_needs)
{
    given_library();
    read_library();
    ck_assert_uint_eq(program.n_libraries, 1);
    ck_assert_str_eq(program.libraries[0].format, "elf");
    expect_text(program.libraries[0].machine, "x86_64");
    ck_assert_uint_eq(program.libraries[0].build_id.size, 40);
    ck_assert_uint_eq(program.n_library_needs, 1);
    expect_text(program.library_needs[0].name, "libc.so.6");
    ck_assert_uint_eq(program.n_library_versions, 2);
    expect_text(program.library_versions[0].name, "GLIBC_2.14");
    expect_text(program.library_versions[0].file, "libc.so.6");
    ck_assert_uint_eq(program.n_remarks, 0);
    close_library();
}

static const struct dg_library_symbol_row *symbol(const char *name)
{
    for (size_t i = 0; i < program.n_library_symbols; i++) {
        if (dg_text_is(program.library_symbols[i].name, name))
            return &program.library_symbols[i];
    }
    ck_abort_msg("no symbol %s", name);
}

START_TEST(a_symbol_is_defined_or_undefined_or_weak_and_has_its_version)
{
    given_library();
    read_library();
    ck_assert_uint_eq(program.n_library_symbols, 27);
    ck_assert_str_eq(symbol("memcpy")->kind, "undefined");
    expect_text(symbol("memcpy")->version, "GLIBC_2.14");
    ck_assert_str_eq(symbol("aoti_torch_get_sizes")->kind, "undefined");
    ck_assert_ptr_null(symbol("aoti_torch_get_sizes")->version.data);
    ck_assert_str_eq(symbol("__cxa_finalize")->kind, "weak");
    ck_assert_str_eq(symbol("AOTInductorModelContainerRun")->kind, "defined");
    close_library();
}

START_TEST(weights_beside_a_library_are_as_many_bytes_as_it_says)
{
    given_library();
    read_library();
    ck_assert_str_eq(program.libraries[0].weights, "beside");
    ck_assert_int_eq(program.libraries[0].constants_bytes, 8);
    ck_assert_int_eq(program.libraries[0].weights_bytes, 384);
    close_library();
}

/* On CUDA constants are not aligned: a bias of two numbers has as many bytes. */
START_TEST(eight_bytes_of_constants_are_no_size_where_the_list_needs_no_more)
{
    given_library();
    read_listed(8, 64);
    ck_assert_str_eq(program.libraries[0].weights, "inside");
    ck_assert_int_eq(program.libraries[0].weights_bytes, DG_NONE);
    close_library();
}

START_TEST(eight_bytes_of_constants_are_a_size_where_the_list_needs_that_size)
{
    given_library();
    read_listed(384, 384);
    ck_assert_str_eq(program.libraries[0].weights, "beside");
    ck_assert_int_eq(program.libraries[0].weights_bytes, 384);
    close_library();
    given_library();
    read_listed(8, 384);
    ck_assert_str_eq(program.libraries[0].weights, "beside");
    close_library();
}

START_TEST(a_version_is_weak_where_the_loader_goes_on_without)
{
    size_t needs;

    given_library();
    needs = (size_t)dg_u64(at + section(section_of_type(0x6ffffffe)) + 24);
    put(needs + 16 + 4, 2, 2); /* of the first version of the first library */
    read_library();
    ck_assert_int_eq(program.library_versions[0].weak, 1);
    ck_assert_int_eq(program.library_versions[1].weak, 0);
    close_library();
}

START_TEST(gpu_code_inside_has_targets_and_kernels_as_ptxas_says)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_80"};

    given_library();
    read_library();
    ck_assert_uint_eq(program.n_gpu_codes, 6);
    for (size_t i = 0; i < 6; i++) {
        const struct dg_gpu_code_row *row = &program.gpu_codes[i];

        expect_text(row->name,
                    i < 3 ? "triton_poi_fused_add_0" : "triton_red_fused_sum_1");
        expect_text(row->target, targets[i % 3]);
        ck_assert_str_eq(row->format, i % 3 == 2 ? "ptx" : "cubin");
        ck_assert_int_eq(row->compressed, i % 3 == 2);
    }
    expect_text(program.gpu_codes[2].ptx, "9.0");
    ck_assert_uint_eq(program.n_gpu_kernels, 4);
    expect_text(program.gpu_kernels[3].name, "triton_red_fused_sum_1");
    ck_assert_int_eq(program.gpu_kernels[3].registers, 11);
    ck_assert_int_eq(program.gpu_kernels[3].shared_bytes, 512);
    ck_assert_int_eq(program.gpu_kernels[3].stack_bytes, 0);
    close_library();
}

/* Where the cubin of sm_80 begins. */
static size_t first_cubin(void)
{
    for (size_t i = 0; i + 4 < code.size; i++) {
        if (dg_u32(at + i) == 0xba55ed50)
            return i + 16 + dg_u32(at + i + 16 + 4);
    }
    ck_abort_msg("no fat binary");
}

START_TEST(a_cubin_from_before_cuda_13_has_its_target_in_the_low_byte)
{
    size_t cubin;

    given_library();
    cubin = first_cubin();
    put(cubin + 7, 0x33, 1);
    put(cubin + 8, 7, 1);
    put(cubin + 48, 0x5a0800 | 90, 4);
    read_library();
    expect_text(program.gpu_codes[0].target, "sm_90a");
    close_library();
}

START_TEST(a_cubin_and_ptx_stand_alone_too)
{
    static const char ptx[] =
        "//\n// made by hand\n//\n\n.version 8.4\n"
        ".target\tsm_90a, debug\n.address_size 64\n\n"
        ".visible .entry scale(\n\t.param .u64 x\n)\n{\n\tret;\n}\n"
        ".weak .entry shift()\n{\n}\n";
    struct dg_bytes cubin;
    size_t start;

    given_library();
    start = first_cubin();
    cubin = dg_slice(code, start, (size_t)dg_u64(at + start - 64 + 8));
    code = cubin;
    read_library();
    ck_assert_uint_eq(program.n_libraries, 0);
    expect_text(program.gpu_codes[0].name, "lib");
    ck_assert_int_eq(program.gpu_codes[0].library, -1);
    ck_assert_uint_eq(program.n_gpu_kernels, 1);
    code = (struct dg_bytes){(const uint8_t *)ptx, sizeof(ptx) - 1};
    read_library();
    expect_text(program.gpu_codes[1].target, "sm_90a");
    expect_text(program.gpu_codes[1].ptx, "8.4");
    ck_assert_uint_eq(program.n_gpu_kernels, 3);
    expect_text(program.gpu_kernels[1].name, "scale");
    expect_text(program.gpu_kernels[2].name, "shift");
    ck_assert_int_eq(program.gpu_kernels[2].registers, -1);
    close_library();
}

START_TEST(library_format_reports_what_is_no_shared_object)
{
    expect_refused(16, 1, 2, "lib: it is of type 1; a shared object is of type 3");
    expect_refused(16, 2, 2, "lib: it is of type 2; a shared object is of type 3");
}

/* The header of the first segment of a type. */
static size_t segment_of_type(uint32_t type)
{
    size_t header = (size_t)dg_u64(at + 32);

    for (size_t i = 0; i < dg_u16(at + 56); i++, header += 56) {
        if (dg_u32(at + header) == type)
            return header;
    }
    ck_abort_msg("no segment of type %u", type);
}

START_TEST(library_format_reports_segments_that_a_loader_misses)
{
    size_t dynamic, first, unwind;

    given_library();
    dynamic = segment_of_type(2);
    first = segment_of_type(1);
    unwind = segment_of_type(0x6474e550);
    close_library();
    expect_refused(56, 0, 2, "lib: none of its 0 segments is to be loaded");
    expect_refused(dynamic, 0, 4, "lib: none of its 8 segments is its dynamic section");
    expect_refused(dynamic + 32, 0, 8,
                   "lib: none of its 8 segments is its dynamic section");
    expect_refused(dynamic + 16, 0x7000, 8,
                   "lib: its dynamic section has no DT_SYMTAB");
    expect_refused(dynamic + 16, 0x9000, 8,
                   "lib: its dynamic section, at address 0x9000, is in no segment that"
                   " is loaded");
    expect_refused(unwind + 16, 1 << 20, 8,
                   "lib: segment 5, of type 0x6474e550 at address 0x100000, is in none"
                   " that is loaded");
    expect_refused(first + 16, 0x10, 8,
                   "lib: segment 0 is loaded to 0x10 from byte 0x0, which are not"
                   " aligned alike to 0x1000");
}

START_TEST(library_format_reports_another_version_of_elf)
{
    expect_refused(20, 2, 4, "lib: it is of version 2 of ELF; expected 1");
}

/* What lies where the loader puts it, aligned to less or to nothing. */
START_TEST(library_format_accepts_segments_of_any_alignment)
{
    size_t first;

    given_library();
    first = segment_of_type(1);
    put(first + 48, 0, 8);
    put(first + 56 + 48, 1, 8);
    read_library();
    ck_assert_uint_eq(program.n_remarks, 0);
    close_library();
}

START_TEST(a_library_without_segments_has_code_in_its_sections_alone)
{
    given_library();
    put(56, 0, 2);
    read_library();
    ck_assert_uint_eq(program.n_remarks, 1);
    ck_assert_uint_eq(program.n_library_symbols, 0);
    ck_assert_int_eq(program.libraries[0].has_symbols, 0);
    ck_assert_uint_eq(program.n_gpu_codes, 6);
    close_library();
}

/* Linkers write sections for other tools: without them a loader sees what it saw. */
START_TEST(a_library_without_sections_has_the_symbols_of_its_dynamic_section)
{
    given_library();
    put(40, 0, 8);
    put(60, 0, 4);
    read_library();
    ck_assert_uint_eq(program.n_remarks, 0);
    ck_assert_uint_eq(program.n_library_symbols, 27);
    ck_assert_uint_eq(program.n_library_versions, 2);
    ck_assert_int_eq(program.libraries[0].has_symbols, 1);
    ck_assert_uint_eq(program.n_gpu_codes, 0);
    close_library();
}

START_TEST(library_format_reports_first_bytes_that_a_loader_does_not_know)
{
    expect_refused(6, 2, 1, "lib: byte 6: version 2 of ELF; expected 1");
    expect_refused(7, 9, 1, "lib: byte 7: it is for system 9; expected 0 or 3");
    expect_refused(8, 1, 1, "lib: byte 8: version 1 of its ABI; expected 0");
    expect_refused(9, 1, 1, "lib: byte 9: 1; expected 0, as nothing is there");
    expect_refused(15, 255, 1, "lib: byte 15: 255; expected 0, as nothing is there");
}

START_TEST(library_format_accepts_what_no_loader_goes_by)
{
    expect_accepted(7, 3, 1);
    expect_accepted(52, 63, 2);
}

/* Where the value of an entry of the dynamic section is. */
static size_t dynamic_value(uint64_t tag)
{
    size_t entry, end;

    given_library();
    entry = (size_t)dg_u64(at + segment_of_type(2) + 8);
    end = entry + (size_t)dg_u64(at + segment_of_type(2) + 32);
    while (entry < end && dg_u64(at + entry) != tag)
        entry += 16;
    close_library();
    ck_assert_msg(entry < end, "no tag %u", (unsigned)tag);
    return entry + 8;
}

static uint64_t value_of(uint64_t tag)
{
    size_t value = dynamic_value(tag);
    uint64_t found;

    given_library();
    found = dg_u64(at + value);
    close_library();
    return found;
}

enum {
    NEEDED = 1,
    STRTAB = 5,
    SYMTAB = 6,
    RELA = 7,
    RELASZ = 8,
    RELAENT = 9,
    STRSZ = 10,
    SYMENT = 11,
    INIT = 12,
    PLTREL = 20,
    JMPREL = 23,
    INIT_ARRAY = 25,
    INIT_ARRAYSZ = 27,
    GNU_HASH = 0x6ffffef5,
    VERSYM = 0x6ffffff0,
    RELACOUNT = 0x6ffffff9,
    VERNEED = 0x6ffffffe,
};

START_TEST(library_format_reports_tables_that_no_segment_has)
{
    expect_refused(dynamic_value(SYMTAB), 1 << 20, 8,
                   "lib: DT_SYMTAB is in no segment that is loaded");
    expect_refused(dynamic_value(STRTAB), UINT64_MAX, 8,
                   "lib: the name of a library that it needs is to be at byte 699 of"
                   " its strings, where no name is");
    expect_refused(dynamic_value(GNU_HASH), UINT64_MAX - 8, 8,
                   "lib: its hash table, at address 0xfffffffffffffff7, is in no"
                   " segment that is loaded");
    expect_refused(dynamic_value(VERSYM), 1 << 20, 8,
                   "lib: the version of symbol 1 is in no segment that is loaded");
    expect_refused(dynamic_value(VERNEED), 1 << 20, 8,
                   "lib: its list of versions leads out of its segment");
    expect_refused(dynamic_value(RELA), UINT64_MAX - 23, 8,
                   "lib: DT_RELA, of 216 bytes at address 0xffffffffffffffe8, is in no"
                   " segment that is loaded");
    expect_refused(dynamic_value(INIT), 1 << 20, 8,
                   "lib: DT_INIT is address 0x100000, where no code is");
}

START_TEST(library_format_reports_sizes_that_a_loader_does_not_take)
{
    expect_refused(dynamic_value(RELASZ), 23, 8,
                   "lib: DT_RELASZ is 23, and each entry has 24 bytes");
    expect_refused(dynamic_value(RELAENT), 16, 8, "lib: DT_RELAENT is 16; expected 24");
    expect_refused(dynamic_value(PLTREL), 17, 8, "lib: DT_PLTREL is 17; expected 7");
    expect_refused(dynamic_value(RELACOUNT), 99, 8,
                   "lib: DT_RELA: entry 3 is not of those without a symbol, of which"
                   " there are 99");
}

/* Sizes of strings, symbols and half addresses are no loader's concern. */
START_TEST(library_format_accepts_sizes_that_a_loader_does_not_read)
{
    expect_accepted(dynamic_value(STRSZ), UINT64_MAX, 8);
    expect_accepted(dynamic_value(SYMENT), 0, 8);
    expect_accepted(dynamic_value(RELACOUNT), 0, 8);
    expect_accepted(dynamic_value(INIT_ARRAYSZ), 15, 8);
}

START_TEST(library_format_reports_entries_that_lead_elsewhere)
{
    size_t relocation = (size_t)value_of(RELA);

    expect_refused(relocation, 0, 8,
                   "lib: DT_RELA: entry 0 writes to address 0x0, which is in no segment"
                   " that may be written to");
    expect_refused((size_t)value_of(JMPREL) + 12, UINT32_MAX, 4,
                   "lib: DT_JMPREL: entry 0 is of symbol 4294967295, which is in no"
                   " segment that is loaded");
    expect_refused(relocation, value_of(INIT_ARRAY) + 64, 8,
                   "lib: DT_INIT_ARRAY has 1 addresses, of which 0 are relocated");
    expect_refused((size_t)value_of(VERNEED) + 16, 1, 4,
                   "lib: version GLIBC_2.14 has hash 0x1; expected 0x6969194");
    expect_refused((size_t)value_of(VERNEED), 2, 2,
                   "lib: its list of versions is of version 2; expected 1");
}

START_TEST(library_format_reports_tags_that_need_another)
{
    expect_refused(dynamic_value(RELASZ) - 8, 0x60000000, 8,
                   "lib: its dynamic section has DT_RELA and no DT_RELASZ");
    expect_refused(dynamic_value(VERSYM) - 8, 0x60000000, 8,
                   "lib: its dynamic section has DT_VERNEED and no DT_VERSYM");
}

static size_t name_of(const char *name)
{
    for (size_t i = 0; i + strlen(name) < code.size; i++) {
        if (!memcmp(at + i, name, strlen(name) + 1))
            return i;
    }
    ck_abort_msg("no string %s", name);
}

START_TEST(library_format_reports_a_symbol_that_no_compiler_names)
{
    size_t name;

    given_library();
    name = name_of("aoti_torch_get_sizes");
    close_library();
    given_library();
    put(name + 4, ']', 1);
    read_library();
    ck_assert_uint_eq(program.n_remarks, 1);
    ck_assert_ptr_nonnull(strstr(program.remarks[0].text.data,
                                 "\"aoti]torch_get_sizes\", as nothing is named"));
    close_library();
    expect_accepted(name + 4, '$', 1);
}

/* Whoever looks it up by name does not find it. */
START_TEST(a_symbol_that_its_hash_table_misses_is_not_defined)
{
    given_library();
    put(name_of("AOTInductorModelContainerRun") + 5, 'X', 1);
    read_library();
    ck_assert_uint_eq(program.n_library_symbols, 26);
    ck_assert_uint_eq(program.n_remarks, 0);
    close_library();
}

START_TEST(library_format_reports_hash_tables_that_lead_astray)
{
    size_t table = (size_t)value_of(GNU_HASH);

    expect_refused(
        table + 8, 3, 4,
        "lib: its hash table has 3 words of a filter; expected a power of 2");
    expect_refused(
        table, UINT32_MAX, 4,
        "lib: its hash table, of 4294967295 buckets, is in no segment that is"
        " loaded");
    expect_refused(table + 4, UINT32_MAX, 4,
                   "lib: its hash table leads to symbol 13, of which it has no value");
}

START_TEST(library_format_reports_headers_and_tables_outside_of_the_file)
{
    expect_refused(4, 3, 1,
                   "lib: byte 4: class 3 and encoding 1; expected 1 or 2 of both");
    expect_refused(32, 1 << 20, 8,
                   "lib: 8 program headers at byte 1048576 end behind its 26720 bytes");
    expect_refused(64 + 32, 1 << 20, 8,
                   "lib: segment 0, of 1048576 bytes at byte 0, ends behind its 26720"
                   " bytes");
}

START_TEST(library_unread_reports_section_headers_outside_of_the_file)
{
    expect_unread_sections(58, 40, 2,
                           "lib: its section headers have 40 bytes each; expected 64");
    expect_unread_sections(
        40, 1 << 20, 8,
        "lib: 27 section headers at byte 1048576 end behind its 26720 bytes");
    expect_unread_sections(62, 27, 2,
                           "lib: section 27 is to have the names of its 27 sections");
}

/* The message, after a field of the header of the first section of that type is
 * changed. */
static void expect_section_unread(uint32_t type, size_t field, uint64_t value,
                                  size_t size, const char *want)
{
    char message[200];
    size_t index;

    given_library();
    index = section_of_type(type);
    snprintf(message, sizeof(message), "lib: section %zu%s", index, want);
    close_library();
    given_library();
    index = section(index) + field;
    close_library();
    expect_unread_sections(index, value, size, message);
}

START_TEST(library_unread_reports_sections_that_libelf_may_not_see)
{
    expect_section_unread(
        11, 24, 1 << 20, 8,
        ", of 672 bytes at byte 1048576, ends behind its 26720 bytes");
    expect_section_unread(11, 56, 23, 8, ": its entries have 23 bytes; expected 24");
    expect_section_unread(11, 40, 1, 4,
                          ": its names are to be in section 1, which has no strings");
    expect_section_unread(6, 56, 0, 8, ": its entries have 0 bytes; expected 16");
    expect_section_unread(3, 32, 5, 8, ": its last string does not end");
}

START_TEST(library_format_reports_an_image_that_ends_behind_its_fat_binary)
{
    size_t cubin;

    given_library();
    cubin = first_cubin();
    put(cubin - 64 + 8, 1 << 20, 8);
    read_library();
    ck_assert_uint_eq(program.n_remarks, 1);
    ck_assert_ptr_nonnull(
        strstr(program.remarks[0].text.data, "a fat binary: an image ends behind it"));
    ck_assert_uint_eq(program.n_gpu_codes, 3); /* the other kernel's */
    close_library();
}

/* Such sections may lie anywhere: nobody holds them to the file. */
START_TEST(symbols_in_a_section_of_no_type_lead_nowhere)
{
    given_library();
    for (size_t i = 1; i < dg_u16(at + 60); i++) {
        if (dg_u32(at + section(i) + 4) == 1) {
            put(section(i) + 4, 0, 4);
            put(section(i) + 24, (uint64_t)1 << 40, 8);
        }
    }
    read_library();
    ck_assert_uint_eq(program.n_remarks, 0);
    ck_assert_uint_eq(program.n_gpu_codes, 0);
    ck_assert_int_eq(program.libraries[0].constants_bytes, DG_NONE);
    ck_assert_int_eq(program.libraries[0].has_symbols, 1);
    close_library();
}

START_TEST(code_that_overlaps_is_read_a_few_times_only)
{
    struct dg_libraries libraries = {&program, .effort = 3 * BYTES_OF_LIBRARY};

    given_library();
    for (int i = 0; i < 100; i++)
        dg_libraries_add(&libraries, dg_text("lib"), code, 0);
    ck_assert_int_eq(dg_libraries_read(&libraries, NULL), DG_OK);
    ck_assert_uint_eq(program.n_libraries, 3);
    ck_assert_uint_eq(program.n_remarks, 1);
    ck_assert_str_eq(program.remarks[0].rule, "format/lists-repeated");
    close_library();
}

/* A library of `n` symbols that are all named by one string of `letters`: one segment,
 * and a hash table that tells how many there are. */
static struct dg_bytes library_of_one_name(uint8_t *bytes, size_t n, size_t letters)
{
    static const uint64_t dynamic[] = {4, 5, 6};
    size_t entries = 64 + 2 * 56, hash = entries + 64, symbols = hash + 12 + 4 * n;
    size_t strings = symbols + 24 * n, end = strings + letters + 2;
    uint64_t values[] = {hash, strings, symbols};

    memset(bytes, 0, end);
    memcpy(bytes, "\177ELF\2\1\1", 7);
    at = bytes;
    put(16, 3, 2);
    put(18, 62, 2);
    put(20, 1, 4);
    put(32, 64, 8);
    put(54, 56, 2);
    put(56, 2, 2);
    put(64, 1, 4);
    put(64 + 32, end, 8);
    put(64 + 40, end, 8);
    put(120, 2, 4);
    put(120 + 16, entries, 8);
    put(120 + 32, 64, 8);
    for (size_t i = 0; i < 3; i++) {
        put(entries + 16 * i, dynamic[i], 8);
        put(entries + 16 * i + 8, values[i], 8);
    }
    put(hash, 1, 4);
    put(hash + 4, n, 4);
    for (size_t i = 0; i < n; i++)
        put(symbols + 24 * i, 1, 4);
    memset(bytes + strings + 1, 'x', letters);
    return (struct dg_bytes){bytes, end};
}

START_TEST(names_that_symbols_share_are_read_a_few_times_only)
{
    static uint8_t bytes[1 << 20];

    pte_open("data/aoti_blobs.pte");
    code = library_of_one_name(bytes, 100, 1000);
    read_library();
    ck_assert_uint_eq(program.n_remarks, 0);
    ck_assert_uint_eq(program.n_library_symbols, 99);
    dg_program_clear(&program);
    program = (struct dg_program){0};
    code = library_of_one_name(bytes, 1000, 20000);
    read_library();
    ck_assert_uint_eq(program.n_remarks, 1);
    ck_assert_str_eq(program.remarks[0].text.data,
                     "lib: its entries share strings so often that some were not read");
    ck_assert_uint_lt(program.n_library_symbols, 999);
    close_library();
}

START_TEST(libraries_of_other_systems_are_told_and_left_unread)
{
    static const uint8_t macho[64] = {0xcf, 0xfa, 0xed, 0xfe}, pe[64] = "MZ";

    given_library();
    code = (struct dg_bytes){macho, sizeof(macho)};
    read_library();
    code = (struct dg_bytes){pe, sizeof(pe)};
    read_library();
    ck_assert_uint_eq(program.n_libraries, 2);
    ck_assert_str_eq(program.libraries[0].format, "macho");
    ck_assert_str_eq(program.libraries[1].format, "pe");
    ck_assert_ptr_null(program.libraries[0].machine.data);
    close_library();
}

START_TEST(a_package_of_torch_lists_constants_by_name_and_size)
{
    pte_load("data/aoti_package.pt2");
    ck_assert_uint_eq(pte.program.n_libraries, 1);
    ck_assert_uint_eq(pte.program.n_library_constants, 2);
    expect_text(pte.program.library_constants[0].name, "up_weight");
    expect_text(pte.program.library_constants[0].fqn, "up.weight");
    expect_text(pte.program.library_constants[0].shape, "[8,4]");
    ck_assert_str_eq(pte.program.library_constants[0].dtype, "f32");
    ck_assert_int_eq(pte.program.library_constants[0].nbytes, 128);
    ck_assert_ptr_nonnull(strstr(pte.program.libraries[0].meta.data, "AOTI_CPU_ISA"));
    ck_assert_uint_eq(pte.program.n_remarks, 0);
    pte_close();
}

/* Of the record of the archive's directory that names it. */
static size_t entry_of(const char *end)
{
    struct dg_text name = dg_text(end);

    for (size_t i = pte.size - name.size; i--;) {
        size_t size = dg_u16(pte.bytes + i + 28);

        if (!memcmp(pte.bytes + i, "PK\1\2", 4) && i + 46 + size <= pte.size &&
            size >= name.size &&
            !memcmp(pte.bytes + i + 46 + size - name.size, end, name.size))
            return i;
    }
    ck_abort_msg("no entry %s", end);
}

static void expect_unread(const char *end, size_t n_libraries, size_t n_constants)
{
    size_t entry;

    pte_open("data/aoti_package.pt2");
    entry = entry_of(end);
    pte.bytes[entry + 10] = 99; /* how it is compressed, told twice */
    pte.bytes[dg_u32(pte.bytes + entry + 42) + 8] = 99;
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte.program.n_libraries, n_libraries);
    ck_assert_uint_eq(pte.program.n_library_constants, n_constants);
    ck_assert_uint_ge(pte_count_remarks("library/format"), 1);
    pte_close();
}

START_TEST(an_entry_that_cannot_be_read_is_told_and_takes_no_other_with_it)
{
    expect_unread(".wrapper.so", 0, 0);
    expect_unread(".wrapper.cpp", 1, 0);
    expect_unread(".wrapper_metadata.json", 1, 2);
}

/* How many remarks of a rule there are, after `old` in the content of an entry became
 * `new`, which is as long. */
static size_t remarks_after(const char *rule, const char *end, const char *old,
                            const char *new)
{
    size_t local, n;
    uint8_t *content;

    pte_open("data/aoti_package.pt2");
    local = dg_u32(pte.bytes + entry_of(end) + 42);
    content = pte.bytes + local + 30 + dg_u16(pte.bytes + local + 26) +
              dg_u16(pte.bytes + local + 28);
    while (memcmp(content, old, strlen(old)) != 0)
        content++;
    memcpy(content, new, strlen(old));
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("library/format"), 0);
    n = pte_count_remarks(rule);
    pte_close();
    return n;
}

#define KERNEL_META "kernel_metadata.json"
#define WRAPPER_META "wrapper_metadata.json"

/* That of the last source. */
START_TEST(library_package_reports_metadata_that_torch_refuses)
{
    static const char rule[] = "library/package";

    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "\"cpu\"", "17   "), 1);
    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "\"cpu\"", "\"\"   "), 1);
    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "DEVICE", "DEVISE"), 1);
    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "\"x86_64\"", "null    "), 1);
    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "{", "["), 1);
    ck_assert_uint_eq(remarks_after(rule, WRAPPER_META, "DEVICE", "DEVISE"), 1);
}

START_TEST(library_package_reports_metadata_that_is_not_there)
{
    size_t entry;

    pte_open("data/aoti_package.pt2");
    entry = entry_of(KERNEL_META);
    pte.bytes[entry + 46 + dg_u16(pte.bytes + entry + 28) - 1] = '_';
    entry = dg_u32(pte.bytes + entry + 42);
    pte.bytes[entry + 30 + dg_u16(pte.bytes + entry + 26) - 1] = '_';
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("library/package"), 1);
    pte_close();
}

START_TEST(library_package_accepts_strings_that_say_anything)
{
    static const char rule[] = "library/package";

    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "x86_64", "vax-11"), 0);
    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "\"cpu\"", "\"mps\""), 0);
    ck_assert_uint_eq(remarks_after(rule, WRAPPER_META, "\"cpu\"", "\"\"   "), 0);
}

START_TEST(library_unread_reports_what_torch_goes_on_without)
{
    static const char rule[] = "library/unread";

    ck_assert_uint_eq(remarks_after(rule, WRAPPER_META, "\"cpu\"", "17   "), 1);
    ck_assert_uint_eq(remarks_after(rule, WRAPPER_META, "{", "["), 1);
    ck_assert_uint_eq(remarks_after(rule, "weights_config.json", "{", "["), 1);
    ck_assert_uint_eq(remarks_after(rule, WRAPPER_META, "x86_64", "vax-11"), 0);
}

START_TEST(library_unknown_need_reports_a_device_without_a_runner)
{
    static const char rule[] = "library/unknown-need";

    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "\"cpu\"", "\"vax\""), 1);
    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "\"cpu\"", "\"xpu\""), 0);
}

START_TEST(a_delegate_of_cuda_lists_constants_by_name_and_size)
{
    pte_load("data/aoti_by_name.pte");
    ck_assert_uint_eq(pte.program.n_library_constants, 4);
    expect_text(pte.program.library_constants[1].name, "down.weight");
    expect_text(pte.program.library_constants[1].shape, "[4,8]");
    expect_text(pte.program.library_constants[1].strides, "[8,1]");
    ck_assert_str_eq(pte.program.library_constants[1].dtype, "f32");
    ck_assert_int_eq(pte.program.library_constants[1].nbytes, 128);
    ck_assert_int_eq(pte.program.library_constants[1].library, 0);
    ck_assert_ptr_null(pte.program.libraries[0].weights);
    pte_close();
}

Suite *libraries_suite(void)
{
    Suite *suite = suite_create("libraries");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_library_has_a_machine_a_build_id_and_versions_that_it_needs);
    tcase_add_test(all, a_symbol_is_defined_or_undefined_or_weak_and_has_its_version);
    tcase_add_test(all, weights_beside_a_library_are_as_many_bytes_as_it_says);
    tcase_add_test(all,
                   eight_bytes_of_constants_are_no_size_where_the_list_needs_no_more);
    tcase_add_test(all,
                   eight_bytes_of_constants_are_a_size_where_the_list_needs_that_size);
    tcase_add_test(all, a_version_is_weak_where_the_loader_goes_on_without);
    tcase_add_test(all,
                   an_entry_that_cannot_be_read_is_told_and_takes_no_other_with_it);
    tcase_add_test(all, gpu_code_inside_has_targets_and_kernels_as_ptxas_says);
    tcase_add_test(all, a_cubin_from_before_cuda_13_has_its_target_in_the_low_byte);
    tcase_add_test(all, a_cubin_and_ptx_stand_alone_too);
    tcase_add_test(all, library_format_reports_headers_and_tables_outside_of_the_file);
    tcase_add_test(all, library_format_reports_what_is_no_shared_object);
    tcase_add_test(all, library_format_reports_segments_that_a_loader_misses);
    tcase_add_test(all, library_format_reports_another_version_of_elf);
    tcase_add_test(all, library_format_accepts_segments_of_any_alignment);
    tcase_add_test(all, a_library_without_segments_has_code_in_its_sections_alone);
    tcase_add_test(all,
                   a_library_without_sections_has_the_symbols_of_its_dynamic_section);
    tcase_add_test(all, library_format_reports_first_bytes_that_a_loader_does_not_know);
    tcase_add_test(all, library_format_accepts_what_no_loader_goes_by);
    tcase_add_test(all, library_format_reports_tables_that_no_segment_has);
    tcase_add_test(all, library_format_reports_sizes_that_a_loader_does_not_take);
    tcase_add_test(all, library_format_accepts_sizes_that_a_loader_does_not_read);
    tcase_add_test(all, library_format_reports_entries_that_lead_elsewhere);
    tcase_add_test(all, library_format_reports_tags_that_need_another);
    tcase_add_test(all, library_format_reports_a_symbol_that_no_compiler_names);
    tcase_add_test(all, a_symbol_that_its_hash_table_misses_is_not_defined);
    tcase_add_test(all, library_format_reports_hash_tables_that_lead_astray);
    tcase_add_test(all, library_unread_reports_section_headers_outside_of_the_file);
    tcase_add_test(all, library_unread_reports_sections_that_libelf_may_not_see);
    tcase_add_test(all,
                   library_format_reports_an_image_that_ends_behind_its_fat_binary);
    tcase_add_test(all, symbols_in_a_section_of_no_type_lead_nowhere);
    tcase_add_test(all, code_that_overlaps_is_read_a_few_times_only);
    tcase_add_test(all, names_that_symbols_share_are_read_a_few_times_only);
    tcase_add_test(all, libraries_of_other_systems_are_told_and_left_unread);
    tcase_add_test(all, a_package_of_torch_lists_constants_by_name_and_size);
    tcase_add_test(all, library_package_reports_metadata_that_torch_refuses);
    tcase_add_test(all, library_package_reports_metadata_that_is_not_there);
    tcase_add_test(all, library_package_accepts_strings_that_say_anything);
    tcase_add_test(all, library_unread_reports_what_torch_goes_on_without);
    tcase_add_test(all, library_unknown_need_reports_a_device_without_a_runner);
    tcase_add_test(all, a_delegate_of_cuda_lists_constants_by_name_and_size);
    suite_add_tcase(suite, all);
    return suite;
}
