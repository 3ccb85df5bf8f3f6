/* What a loader refuses in a library. */
#include "unit/damaged_library.h"

START_TEST(library_format_reports_what_is_no_shared_object)
{
    expect_refused(16, 1, 2, "lib: it is of type 1; a shared object is of type 3");
    expect_refused(16, 2, 2, "lib: it is of type 2; a shared object is of type 3");
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

START_TEST(library_format_reports_first_bytes_that_a_loader_does_not_know)
{
    expect_refused(6, 2, 1, "lib: byte 6: version 2 of ELF; expected 1");
    expect_refused(7, 9, 1, "lib: byte 7: it is for system 9; expected 0 or 3");
    expect_refused(8, 1, 1, "lib: byte 8: version 1 of its ABI; expected 0");
    expect_refused(7, 0x0903, 2,
                   "lib: byte 8: version 9 of its ABI; expected at most 3");
    expect_refused(9, 1, 1, "lib: byte 9: 1; expected 0, as nothing is there");
    expect_refused(15, 255, 1, "lib: byte 15: 255; expected 0, as nothing is there");
}

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

START_TEST(library_format_reports_types_of_relocations_that_no_loader_takes)
{
    size_t relocation = (size_t)value_of(RELA), call = (size_t)value_of(JMPREL);

    expect_refused(relocation + 3 * 24 + 8, 99, 4,
                   "lib: DT_RELA: entry 3 is of type 99, which no loader takes there");
    expect_refused(call + 8, 1, 4,
                   "lib: DT_JMPREL: entry 0 is of type 1, which no loader takes there");
    expect_refused(relocation + 8, 1, 4,
                   "lib: DT_RELA: entry 0 is of type 1; expected 8, as of the first 3");
}

/* Calls of a library that says so are bound before it runs, as other places are. */
START_TEST(library_format_accepts_what_is_bound_at_once)
{
    size_t tag = dynamic_value(STRSZ) - 8, place = dynamic_value(PLTGOT);
    size_t call = (size_t)value_of(JMPREL);

    given_library();
    put(tag, 24, 8); /* DT_BIND_NOW */
    put(place, 0, 8);
    put(call + 8, 6, 4); /* R_X86_64_GLOB_DAT */
    read_library();
    ck_assert_msg(!program.n_remarks, "%s", program.remarks[0].text.data);
    close_library();
}

START_TEST(library_format_reports_a_loader_without_a_place)
{
    expect_refused(dynamic_value(PLTGOT) - 8, 0x60000000, 8,
                   "lib: its dynamic section has DT_JMPREL and no DT_PLTGOT");
    expect_refused(dynamic_value(PLTGOT), 64, 8,
                   "lib: DT_PLTGOT is address 0x40, where no 3 words may be written"
                   " to");
}

START_TEST(library_format_reports_two_versions_of_one_number)
{
    size_t version = (size_t)value_of(VERNEED) + 16;

    given_library();
    put(version + 16 + 6, dg_u16(at + version + 6), 2);
    read_library();
    ck_assert_uint_ge(program.n_remarks, 1);
    ck_assert_ptr_nonnull(
        strstr(program.remarks[0].text.data, "two of its versions have number "));
    close_library();
}

START_TEST(library_format_reports_tags_that_need_another)
{
    expect_refused(dynamic_value(RELASZ) - 8, 0x60000000, 8,
                   "lib: its dynamic section has DT_RELA and no DT_RELASZ");
    expect_refused(dynamic_value(VERSYM) - 8, 0x60000000, 8,
                   "lib: its dynamic section has DT_VERNEED and no DT_VERSYM");
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

START_TEST(library_format_reports_a_fat_binary_without_an_image)
{
    static const uint8_t empty[16] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16};

    given_library();
    code = (struct dg_bytes){empty, sizeof(empty)};
    read_library();
    ck_assert_uint_eq(program.n_remarks, 1);
    ck_assert_str_eq(program.remarks[0].text.data,
                     "lib: byte 0: a fat binary: it has no image");
    close_library();
}

Suite *library_format_suite(void)
{
    Suite *suite = suite_create("library_format");
    TCase *all = tcase_create("all");
    tcase_add_test(all, library_format_reports_headers_and_tables_outside_of_the_file);
    tcase_add_test(all, library_format_reports_what_is_no_shared_object);
    tcase_add_test(all, library_format_reports_segments_that_a_loader_misses);
    tcase_add_test(all, library_format_reports_another_version_of_elf);
    tcase_add_test(all, library_format_reports_first_bytes_that_a_loader_does_not_know);
    tcase_add_test(all, library_format_reports_tables_that_no_segment_has);
    tcase_add_test(all, library_format_reports_sizes_that_a_loader_does_not_take);
    tcase_add_test(all, library_format_reports_entries_that_lead_elsewhere);
    tcase_add_test(all,
                   library_format_reports_types_of_relocations_that_no_loader_takes);
    tcase_add_test(all, library_format_accepts_what_is_bound_at_once);
    tcase_add_test(all, library_format_reports_a_loader_without_a_place);
    tcase_add_test(all, library_format_reports_two_versions_of_one_number);
    tcase_add_test(all, library_format_reports_tags_that_need_another);
    tcase_add_test(all, library_format_reports_a_symbol_that_no_compiler_names);
    tcase_add_test(all,
                   library_format_reports_an_image_that_ends_behind_its_fat_binary);
    tcase_add_test(all, library_format_reports_a_fat_binary_without_an_image);
    suite_add_tcase(suite, all);
    return suite;
}
