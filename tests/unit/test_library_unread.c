/* What is passed over in a library, and what costs no effort twice. */
#include "unit/damaged_library.h"

static void expect_unread_sections(size_t offset, uint64_t value, size_t size,
                                   const char *want)
{
    expect_remark("library/unread", offset, value, size, want);
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

START_TEST(library_format_accepts_what_no_loader_goes_by)
{
    expect_accepted(7, 3, 1);
    expect_accepted(52, 63, 2);
}

/* Sizes of strings, symbols and half addresses are no loader's concern. */
START_TEST(library_format_accepts_sizes_that_a_loader_does_not_read)
{
    expect_accepted(dynamic_value(STRSZ), UINT64_MAX, 8);
    expect_accepted(dynamic_value(SYMENT), 0, 8);
    expect_accepted(dynamic_value(RELACOUNT), 0, 8);
    expect_accepted(dynamic_value(INIT_ARRAYSZ), 15, 8);
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

START_TEST(library_package_accepts_strings_that_say_anything)
{
    static const char rule[] = "library/package";

    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "x86_64", "vax-11"), 0);
    ck_assert_uint_eq(remarks_after(rule, KERNEL_META, "\"cpu\"", "\"mps\""), 0);
    ck_assert_uint_eq(remarks_after(rule, WRAPPER_META, "\"cpu\"", "\"\"   "), 0);
}

Suite *library_unread_suite(void)
{
    Suite *suite = suite_create("library_unread");
    TCase *all = tcase_create("all");
    tcase_add_test(all, library_format_accepts_segments_of_any_alignment);
    tcase_add_test(all, a_library_without_segments_has_code_in_its_sections_alone);
    tcase_add_test(all,
                   a_library_without_sections_has_the_symbols_of_its_dynamic_section);
    tcase_add_test(all, library_format_accepts_what_no_loader_goes_by);
    tcase_add_test(all, library_format_accepts_sizes_that_a_loader_does_not_read);
    tcase_add_test(all, a_symbol_that_its_hash_table_misses_is_not_defined);
    tcase_add_test(all, library_format_reports_hash_tables_that_lead_astray);
    tcase_add_test(all, library_unread_reports_section_headers_outside_of_the_file);
    tcase_add_test(all, library_unread_reports_sections_that_libelf_may_not_see);
    tcase_add_test(all, symbols_in_a_section_of_no_type_lead_nowhere);
    tcase_add_test(all, code_that_overlaps_is_read_a_few_times_only);
    tcase_add_test(all, names_that_symbols_share_are_read_a_few_times_only);
    tcase_add_test(all, library_package_accepts_strings_that_say_anything);
    suite_add_tcase(suite, all);
    return suite;
}
