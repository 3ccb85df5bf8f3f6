/* Packages that torch makes of libraries. */
#include "unit/damaged_library.h"

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

/* The name of the entry that ends in `old` ends in `new`, in both headers; where its
 * content is. */
static size_t change_end(const char *old, const char *new)
{
    size_t entry = entry_of(old), local = dg_u32(pte.bytes + entry + 42);
    size_t end = entry + 46 + dg_u16(pte.bytes + entry + 28);
    size_t local_end = local + 30 + dg_u16(pte.bytes + local + 26);

    memcpy(pte.bytes + end - strlen(new), new, strlen(new));
    memcpy(pte.bytes + local_end - strlen(new), new, strlen(new));
    return local_end + dg_u16(pte.bytes + local + 28);
}

static void expect_format(size_t n, const char *what)
{
    size_t found = 0;

    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    for (size_t i = 0; i < pte.program.n_remarks; i++) {
        const struct dg_remark_row *remark = &pte.program.remarks[i];

        found += !strcmp(remark->rule, "library/format") &&
                 strstr(remark->text.data, what) != NULL;
    }
    ck_assert_uint_eq(found, n);
    pte_close();
}

/* Torch opens it where there is no *.wrapper.so. */
START_TEST(library_format_reports_a_model_of_any_name_that_is_no_shared_object)
{
    size_t content;

    pte_open("data/aoti_package.pt2");
    content = change_end(".wrapper.so", "-wrapper.so");
    pte.bytes[content] = 0;
    expect_format(1, "-wrapper.so: it is no shared object; it has ");
}

START_TEST(library_format_accepts_anything_beside_a_wrapper)
{
    pte_open("data/aoti_package.pt2");
    change_end("kernel.cpp", "l.so");
    expect_format(0, "it is no shared object");
}

START_TEST(library_format_reports_gpu_files_that_are_no_gpu_code)
{
    pte_open("data/aoti_package.pt2");
    change_end("kernel.cpp", ".ptx");
    expect_format(1, "kernel.ptx: it is no GPU code; it has ");
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

Suite *packages_suite(void)
{
    Suite *suite = suite_create("packages");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_package_of_torch_lists_constants_by_name_and_size);
    tcase_add_test(all, library_package_reports_metadata_that_torch_refuses);
    tcase_add_test(all, library_package_reports_metadata_that_is_not_there);
    tcase_add_test(all, library_unread_reports_what_torch_goes_on_without);
    tcase_add_test(all, library_unknown_need_reports_a_device_without_a_runner);
    tcase_add_test(all,
                   library_format_reports_a_model_of_any_name_that_is_no_shared_object);
    tcase_add_test(all, library_format_accepts_anything_beside_a_wrapper);
    tcase_add_test(all, library_format_reports_gpu_files_that_are_no_gpu_code);
    tcase_add_test(all, a_delegate_of_cuda_lists_constants_by_name_and_size);
    suite_add_tcase(suite, all);
    return suite;
}
