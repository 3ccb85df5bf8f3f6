/* What is read of native code: of a real library of CUDA and a real package of torch,
 * and of damaged ones. */
#include "unit/damaged_library.h"

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

static void read_ptx(const char *text)
{
    code = (struct dg_bytes){(const uint8_t *)text, strlen(text)};
    read_library();
}

/* Braces in comments and strings are none. */
START_TEST(ptx_is_read_in_any_lines_and_between_comments)
{
    given_library();
    read_ptx(
        "\n /* { */\t.version/**/7.8 .target debug, // {\r\n sm_80 .address_size 64"
        " .global .b8 x[2] = {1, 2};.file 1 \"a{\\\"{\""
        "  .visible.entry one(.param .u64 x) { { .entry none } }"
        "\n\t.weak\n.entry /* of */ two\n(){ret;}");
    ck_assert_uint_eq(program.n_remarks, 0);
    ck_assert_uint_eq(program.n_gpu_codes, 1);
    expect_text(program.gpu_codes[0].target, "sm_80");
    expect_text(program.gpu_codes[0].ptx, "7.8");
    ck_assert_uint_eq(program.n_gpu_kernels, 2);
    expect_text(program.gpu_kernels[0].name, "one");
    expect_text(program.gpu_kernels[1].name, "two");
    close_library();
}

START_TEST(library_format_reports_ptx_that_no_driver_compiles)
{
    static const char *const texts[][2] = {
        {".version\n.target sm_80\n", "lib: byte 0: PTX names no version"},
        {".version 8.4\n//.target sm_80\n", "lib: byte 0: PTX names no target"},
        {".version 8.4\n.target sm_8x\n", "lib: byte 0: PTX names no target"},
        {".version 8.4 .target sm_80 .entry k() { ret; /* } */",
         "lib: byte 0: PTX ends inside of a function"},
        {".version 8.4 .target sm_80 /*/", "lib: byte 0: PTX ends inside of a comment"},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        given_library();
        read_ptx(texts[i][0]);
        ck_assert_uint_eq(program.n_remarks, 1);
        ck_assert_str_eq(program.remarks[0].rule, "library/format");
        ck_assert_str_eq(program.remarks[0].text.data, texts[i][1]);
        close_library();
    }
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
    tcase_add_test(all, ptx_is_read_in_any_lines_and_between_comments);
    tcase_add_test(all, library_format_reports_ptx_that_no_driver_compiles);
    tcase_add_test(all, libraries_of_other_systems_are_told_and_left_unread);
    suite_add_tcase(suite, all);
    return suite;
}
