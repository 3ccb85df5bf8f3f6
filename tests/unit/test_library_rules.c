/* Rules about native code that AOTInductor compiled. */
#include "graph/library_sql.h"
#include "unit/rules.h"
#include "unit/suite.h"

#define MODEL "archive/data/aotinductor/model/model.wrapper.so"

/* A package with a library that torch loads: what it exports, calls and needs. */
static void given_package(void)
{
    given(
        "UPDATE artifact SET kind = 'pt2';"
        "INSERT INTO library (id, artifact_id, name, format, machine, nbytes,"
        "  has_symbols, meta) VALUES (1, 1, '" MODEL "', 'elf', 'x86_64', 4096, 1,"
        "  '{\"AOTI_MACHINE\":\"x86_64\"}');"
        "INSERT INTO library_version VALUES (1, 0, 'GLIBC_2.2.5', 'libc.so.6', 0),"
        " (1, 1, 'GLIBC_2.34', 'libc.so.6', 0),"
        " (1, 2, 'CXXABI_1.3.9', 'libstdc++.so.6', 0),"
        " (1, 3, 'GLIBC_PRIVATE', 'libc.so.6', 0);"
        "INSERT INTO library_symbol VALUES"
        " (1, 1, 'AOTInductorModelContainerCreateWithDevice', NULL, 'defined'),"
        " (1, 2, 'AOTInductorModelContainerDelete', NULL, 'defined'),"
        " (1, 3, 'AOTInductorModelContainerGetNumOutputs', NULL, 'defined'),"
        " (1, 4, 'AOTInductorModelContainerRun', NULL, 'defined'),"
        " (1, 11, 'AOTInductorModelContainerGetCallSpec', NULL, 'defined'),"
        " (1, 12, 'AOTInductorModelContainerGetConstantDtype', NULL, 'defined'),"
        " (1, 13, 'AOTInductorModelContainerGetConstantName', NULL, 'defined'),"
        " (1, 14, 'AOTInductorModelContainerGetConstantOriginalFQN', NULL, 'defined'),"
        " (1, 15, 'AOTInductorModelContainerGetNumConstants', NULL, 'defined'),"
        " (1, 16, 'AOTInductorModelContainerRunConstantFolding', NULL, 'defined'),"
        " (1, 17, 'AOTInductorModelContainerSwapConstantBuffer', NULL, 'defined'),"
        " (1, 18, 'AOTInductorModelContainerUpdateConstantBuffer', NULL, 'defined'),"
        " (1, 19, 'AOTInductorModelContainerUpdateInactiveConstantBuffer', NULL,"
        "  'defined'),"
        " (1, 5, 'aoti_torch_get_sizes', NULL, 'undefined'),"
        " (1, 6, 'pthread_rwlock_rdlock', 'GLIBC_2.34', 'undefined'),"
        " (1, 7, '_ZSt9terminatev', NULL, 'undefined'),"
        " (1, 8, '__gmon_start__', NULL, 'weak')");
}

static void given_wrapper(const char *name)
{
    given_format(
        "INSERT INTO segment (artifact_id, idx, name, kind, offset, size_bytes,"
        "  stored_bytes) VALUES (1, 90, '%s', 'aotinductor', 0, 0, 0)",
        name);
}

/* An image of kernel k. */
static void given_image(const char *format, const char *target)
{
    given_format(
        "INSERT INTO gpu_code (artifact_id, library_id, binary, name, format,"
        " target, nbytes, compressed) VALUES (1, 1, 0, 'k', '%s', '%s', 100, 0)",
        format, target);
}

START_TEST(library_rules_accept_a_package_and_a_target_that_fits)
{
    static const char *const rules[] = {"library/machine", "library/entry-point",
                                        "library/shim",    "library/glibc",
                                        "library/gpu",     "library/constants"};

    given_package();
    given_image("cubin", "sm_80");
    given("INSERT INTO setting VALUES ('shim', 'aoti_torch_get_sizes'),"
          " ('glibc', '2.34'), ('gpu', '86')");
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        expect(rules[i], "");
}

START_TEST(library_rules_about_a_target_need_one)
{
    given_package();
    expect_not_checked("library/shim", "no list of symbols is given (--shims FILE)");
    expect_not_checked("library/glibc",
                       "no version of glibc is given (--glibc VERSION)");
    expect_not_checked("library/gpu", "no GPU is given (--gpu NAME)");
}

/* Who asks for what is not seen is told; who does not is not. */
START_TEST(library_shim_and_glibc_report_that_symbols_are_not_seen)
{
    static const char want[] = "warning model/model.wrapper.so has no symbols that a"
                               " loader finds: what it calls and needs is not seen\n";

    given_package();
    given("UPDATE library SET has_symbols = 0; DELETE FROM library_symbol;"
          "DELETE FROM library_version;"
          "INSERT INTO setting VALUES ('shim', 'aoti_torch_get_sizes'),"
          " ('glibc', '2.31')");
    expect("library/entry-point", "");
    expect("library/shim", want);
    expect("library/glibc", want);
}

START_TEST(library_machine_reports_code_for_another_one)
{
    given_package();
    given("UPDATE library SET machine = 'aarch64'");
    expect("library/machine",
           "error model/model.wrapper.so is code for aarch64, and its"
           " metadata says x86_64\n");
}

/* Torch opens it by any name, but where there is a *.wrapper.so. */
START_TEST(library_machine_reports_a_model_that_is_no_wrapper)
{
    given_package();
    given("UPDATE library SET machine = 'aarch64',"
          " name = 'archive/data/aotinductor/model/m.so'");
    expect("library/machine", "error model/m.so is code for aarch64, and its metadata"
                              " says x86_64\n");
    given_wrapper("archive/data/aotinductor/model2/m.wrapper.so");
    expect("library/machine", "error model/m.so is code for aarch64, and its metadata"
                              " says x86_64\n");
    given_wrapper(MODEL);
    expect("library/machine", "");
}

START_TEST(library_machine_accepts_the_names_of_other_systems)
{
    static const char *const names[][2] = {
        {"x86_64", "AMD64"},         {"aarch64", "arm64"}, {"ppc64", "ppc64le"},
        {"riscv", "riscv64"},        {"arm", "armv7l"},    {"x86", "i686"},
        {"loongarch", "loongarch64"}};

    given_package();
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        given_format("UPDATE library SET machine = '%s',"
                     " meta = '{\"AOTI_MACHINE\":\"%s\"}'",
                     names[i][0], names[i][1]);
        expect("library/machine", "");
    }
    given("UPDATE library SET machine = 'x86'");
    expect("library/machine", "error model/model.wrapper.so is code for x86, and its"
                              " metadata says loongarch64\n");
}

/* What users read of libraries is what rules and info say. */
START_TEST(views_of_libraries_say_what_the_shared_sql_says)
{
    int64_t differ;

    given_package();
    given("INSERT INTO library_version VALUES (1, 4, 'GLIBC_ABI_DT_RELR', 'libc.so.6', "
          "0),"
          " (1, 6, 'GLIBC_2.50', 'libc.so.6', 1),"
          " (1, 5, 'GLIBC_2.4', 'libc.so.6', 0)");
    ck_assert(!dg_store_add_views(rules_store, &rules_err));
    ck_assert(!dg_store_int(
        rules_store,
        "SELECT count(*) FROM v_library JOIN library ON library.id = library_id"
        " WHERE glibc IS NOT " DG_SQL_GLIBC(
            "library.id") " OR shims IS NOT " DG_SQL_N_SHIMS("library.id") " OR glibc "
                                                                           "IS NOT "
                                                                           "'2.36' OR "
                                                                           "shims IS "
                                                                           "NOT 1",
        -1, &differ, &rules_err));
    ck_assert_int_eq(differ, 0);
    given("UPDATE library_version SET name = 'GLIBC_ABI_DT_X86_64_PLT' WHERE pos = 4");
    ck_assert(!dg_store_int(
        rules_store,
        "SELECT count(*) FROM v_library JOIN library ON library.id = library_id"
        " WHERE glibc IS NOT " DG_SQL_GLIBC("library.id") " OR glibc <> '2.42'",
        -1, &differ, &rules_err));
    ck_assert_int_eq(differ, 0);
}

START_TEST(library_entry_point_reports_a_model_that_cannot_be_run)
{
    given_package();
    given("UPDATE library_symbol SET kind = 'undefined'"
          " WHERE name = 'AOTInductorModelContainerRun'");
    expect(
        "library/entry-point",
        "error model/model.wrapper.so does not export AOTInductorModelContainerRun\n");
}

START_TEST(library_entry_point_accepts_a_library_that_is_no_model)
{
    given_package();
    given_wrapper(MODEL);
    given("UPDATE library SET name = 'archive/data/aotinductor/model/custom_ops.so';"
          "DELETE FROM library_symbol");
    expect("library/entry-point", "");
}

START_TEST(library_unknown_need_accepts_libraries_of_torch_compilers_and_systems)
{
    given_package();
    given(
        "INSERT INTO library_need VALUES (1, 0, 'libtorch_cpu.so'), (1, 1, "
        "'libc.so.6'),"
        " (1, 2, 'ld-linux-x86-64.so.2'), (1, 3, 'libgomp-a34b3233.so.1'),"
        " (1, 4, 'libcudart.so.12'), (1, 5, 'libstdc++.so.6'), (1, 6, 'libcuda.so.1');"
        "UPDATE library_symbol SET name = 'Sleef_expf16_u10'"
        " WHERE name = 'aoti_torch_get_sizes'");
    expect("library/unknown-need", "");
}

START_TEST(library_unknown_need_reports_a_library_that_nobody_brings)
{
    given_package();
    given("INSERT INTO library_need VALUES (1, 0, 'libtOrch.so'), (1, 1, 'libc.so.6')");
    expect("library/unknown-need",
           "warning model/model.wrapper.so needs libtOrch.so, which is no library of"
           " torch, of a compiler or of a system\n");
    expect_witness("[\"libtOrch.so\"]");
}

START_TEST(library_unknown_need_reports_a_function_of_nobody)
{
    given_package();
    given("UPDATE library_symbol SET name = 'oti_torch_get_sizes'"
          " WHERE name = 'aoti_torch_get_sizes'");
    expect(
        "library/unknown-need",
        "warning model/model.wrapper.so calls oti_torch_get_sizes, which has no version"
        " and is no function of torch, of a compiler or of a system\n");
    given("DELETE FROM library_version");
    expect("library/unknown-need", "");
}

START_TEST(library_entry_point_reports_what_torch_alone_looks_up)
{
    given_package();
    given("DELETE FROM library_symbol WHERE name LIKE '%GetCallSpec'");
    expect("library/entry-point", "error model/model.wrapper.so does not export"
                                  " AOTInductorModelContainerGetCallSpec\n");
}

START_TEST(library_shim_reports_what_the_runtime_does_not_export)
{
    given_package();
    given("INSERT INTO setting VALUES ('shim', 'aoti_torch_get_strides')");
    expect("library/shim",
           "error model/model.wrapper.so calls aoti_torch_get_sizes, which the"
           " runtime does not export\n");
    expect_witness("[\"aoti_torch_get_sizes\"]");
}

START_TEST(library_shim_accepts_what_libraries_and_compilers_bring)
{
    given_package();
    given("INSERT INTO library_symbol VALUES (1, 9, 'aoti_torch_cpu_cat', 'TORCH_2',"
          "  'undefined'), (1, 10, 'aoti_torch_may_lack', NULL, 'weak');"
          "INSERT INTO setting VALUES ('shim', 'aoti_torch_get_sizes')");
    expect("library/shim", "");
}

START_TEST(library_glibc_reports_an_older_target_and_the_symbols)
{
    given_package();
    given("INSERT INTO setting VALUES ('glibc', '2.31')");
    expect("library/glibc",
           "error model/model.wrapper.so needs glibc 2.34, and the target has"
           " 2.31: pthread_rwlock_rdlock\n");
}

START_TEST(library_glibc_accepts_a_version_that_the_loader_goes_on_without)
{
    given_package();
    given("INSERT INTO library_version VALUES (1, 4, 'GLIBC_2.40', 'libc.so.6', 1);"
          "INSERT INTO setting VALUES ('glibc', '2.34')");
    expect("library/glibc", "");
}

START_TEST(library_glibc_compares_numbers_and_not_letters)
{
    given_package();
    given("UPDATE library_version SET name = 'GLIBC_2.4' WHERE pos = 1;"
          "INSERT INTO setting VALUES ('glibc', '2.31')");
    expect("library/glibc", "");
}

START_TEST(library_glibc_reports_relocations_that_an_older_loader_does_not_know)
{
    given_package();
    given("UPDATE library_version SET name = 'GLIBC_ABI_DT_RELR' WHERE pos = 1;"
          "INSERT INTO setting VALUES ('glibc', '2.35')");
    expect("library/glibc",
           "error model/model.wrapper.so needs glibc 2.36, and the target has 2.35\n");
    given("UPDATE library_version SET name = 'GLIBC_ABI_GNU2_TLS' WHERE pos = 1");
    expect("library/glibc",
           "error model/model.wrapper.so needs glibc 2.42, and the target has 2.35\n");
}

START_TEST(library_gpu_accepts_code_that_is_older_and_of_the_same_generation)
{
    given_package();
    given_image("cubin", "sm_80");
    given("INSERT INTO setting VALUES ('gpu', '80'), ('gpu', '86'), ('gpu', '89')");
    expect("library/gpu", "");
}

START_TEST(library_gpu_accepts_ptx_that_is_older)
{
    given_package();
    given_image("cubin", "sm_90a");
    given_image("ptx", "sm_80");
    given("INSERT INTO setting VALUES ('gpu', '120')");
    expect("library/gpu", "");
}

START_TEST(library_gpu_accepts_code_of_a_family_within_it)
{
    given_package();
    given_image("cubin", "sm_100f");
    given("INSERT INTO setting VALUES ('gpu', '103')");
    expect("library/gpu", "");
}

START_TEST(library_gpu_notes_a_program_without_any_code)
{
    given("INSERT INTO setting VALUES ('gpu', '86')");
    expect("library/gpu",
           "note there is no GPU code in it, so that no GPU was judged\n");
    given_package();
    expect("library/gpu",
           "note there is no GPU code in it, so that no GPU was judged\n");
    given_image("cubin", "sm_80");
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        "  VALUES (2, 'a.ptd', 'ptd', 1, '{}', 1, 'data');"
        "UPDATE gpu_code SET artifact_id = 2, library_id = NULL");
    expect("library/gpu", "");
}

/* It stands in a section of each library that nvcc links; any other one is launched. */
START_TEST(library_gpu_accepts_an_image_of_nvcc_without_kernels)
{
    given_package();
    given_image("cubin", "sm_86");
    given("INSERT INTO setting VALUES ('gpu', '90');"
          "UPDATE gpu_code SET name = '.nv_fatbin'");
    expect("library/gpu", "");
    given("UPDATE gpu_code SET compressed = 1");
    expect("library/gpu", "error no code for sm_90 in model/model.wrapper.so:"
                          " .nv_fatbin; there is sm_86\n");
    given("INSERT INTO gpu_kernel (code_id, pos, name) SELECT id, 0, 'k' FROM gpu_code;"
          "UPDATE gpu_code SET compressed = 0");
    expect("library/gpu",
           "error no code for sm_90 in model/model.wrapper.so: k; there is sm_86\n");
}

/* `format` of `target` is of no use to a GPU. */
static void expect_lacking(const char *format, const char *target, const char *gpu,
                           const char *want)
{
    rules_close();
    rules_open_pte();
    given_package();
    given_image(format, target);
    given_format("INSERT INTO setting VALUES ('gpu', '%s')", gpu);
    expect("library/gpu", want);
}

START_TEST(library_gpu_reports_code_of_other_generations)
{
    expect_lacking(
        "cubin", "sm_90", "86",
        "error no code for sm_86 in model/model.wrapper.so: k; there is sm_90\n");
    expect_lacking(
        "cubin", "sm_80", "90",
        "error no code for sm_90 in model/model.wrapper.so: k; there is sm_80\n");
    expect_lacking(
        "cubin", "sm_89", "86",
        "error no code for sm_86 in model/model.wrapper.so: k; there is sm_89\n");
    expect_lacking("ptx", "sm_90", "86",
                   "error no code for sm_86 in model/model.wrapper.so: k; there is PTX "
                   "of sm_90\n");
}

START_TEST(library_gpu_reports_code_for_one_gpu_alone)
{
    expect_lacking(
        "cubin", "sm_90a", "100",
        "error no code for sm_100 in model/model.wrapper.so: k; there is sm_90a\n");
    expect_lacking("ptx", "sm_90a", "100",
                   "error no code for sm_100 in model/model.wrapper.so: k; there is "
                   "PTX of sm_90a\n");
    expect_lacking(
        "cubin", "sm_100f", "120",
        "error no code for sm_120 in model/model.wrapper.so: k; there is sm_100f\n");
}

START_TEST(library_gpu_reports_code_of_desktops_for_jetson)
{
    expect_lacking(
        "cubin", "sm_80", "87",
        "error no code for sm_87 in model/model.wrapper.so: k; there is sm_80\n");
    expect_lacking(
        "cubin", "sm_87", "89",
        "error no code for sm_89 in model/model.wrapper.so: k; there is sm_87\n");
}

/* Two fat binaries under one name, as in .nv_fatbin. */
START_TEST(library_gpu_holds_each_fat_binary_to_the_target)
{
    given_package();
    given_image("cubin", "sm_80");
    given_image("cubin", "sm_90");
    given("UPDATE gpu_code SET binary = id;"
          "INSERT INTO gpu_kernel (code_id, pos, name) VALUES (1, 0, 'one'),"
          " (2, 0, 'other');"
          "INSERT INTO setting VALUES ('gpu', '80')");
    expect("library/gpu",
           "error no code for sm_80 in model/model.wrapper.so: other; there"
           " is sm_90\n");
}

/* One image of a fat binary has a kernel more. */
START_TEST(library_gpu_reports_a_kernel_that_only_code_for_others_has)
{
    given_package();
    given_image("cubin", "sm_80");
    given_image("cubin", "sm_90");
    given("INSERT INTO gpu_kernel (code_id, pos, name) VALUES (1, 0, 'one'),"
          " (2, 0, 'one'), (2, 1, 'other');"
          "INSERT INTO setting VALUES ('gpu', '80')");
    expect("library/gpu",
           "error no code for sm_80 in model/model.wrapper.so: other; there"
           " are sm_80, sm_90\n");
    given("UPDATE gpu_code SET format = 'ptx' WHERE id = 1;"
          "DELETE FROM gpu_kernel WHERE code_id = 1");
    expect("library/gpu", "");
}

/* The weights of the package lie beside the library. */
static void given_weights(int nbytes)
{
    given_package();
    given("UPDATE library SET weights = 'beside', constants_bytes = 8,"
          " weights_bytes = 512");
    given_format(
        "INSERT INTO segment (artifact_id, idx, name, kind, offset, size_bytes,"
        " stored_bytes) VALUES (1, 3, 'archive/data/aotinductor/model/"
        "model.wrapper_weights.blob', 'aotinductor', 0, %d, %d)",
        nbytes, nbytes);
}

START_TEST(library_constants_accepts_as_many_weights_as_are_expected)
{
    given_weights(512);
    given("INSERT INTO library_constant (library_id, idx, name, nbytes, folded) VALUES"
          " (1, 0, 'w', 448, 0), (1, 1, 'folded', 4096, 1)");
    expect("library/constants", "");
}

START_TEST(library_constants_reports_weights_of_another_size)
{
    given_weights(448);
    expect("library/constants",
           "error model/model.wrapper.so expects 512 bytes of weights,"
           " and its file of weights has 448\n");
}

START_TEST(library_constants_reports_more_constants_than_have_room)
{
    given_weights(512);
    given("INSERT INTO library_constant (library_id, idx, name, nbytes, folded) VALUES"
          " (1, 0, 'w', 448, 0), (1, 1, 'v', 128, 0)");
    expect("library/constants",
           "error model/model.wrapper.so has 512 bytes of constants"
           " beside, and its 2 constants need 576\n");
}

/* The same as a delegate looks it up: two keys, and a .ptd for one of them. */
START_TEST(library_constants_reports_weights_of_another_size_in_a_data_file)
{
    given(
        "INSERT INTO delegate (id, method_id, idx, backend) VALUES"
        "  (1, 1, 0, 'CudaBackend');"
        "INSERT INTO delegate_key VALUES (1, 0, 's_so_blob', 'library', NULL),"
        "  (1, 1, 'w_weights_blob', 'weights', NULL);"
        "INSERT INTO library (id, artifact_id, name, format, nbytes, has_symbols,"
        "  constants_bytes, weights_bytes, weights) VALUES (1, 1, 's_so_blob', 'elf',"
        "  4096, 0, 8, 512, 'beside');"
        "INSERT INTO artifact (id, kind, path, size_bytes, version, role, companion_of)"
        "  VALUES (2, 'ptd', 'x/cuda.ptd', 1, '{}', 'data', 1);"
        "INSERT INTO named_data (artifact_id, idx, key, segment_idx, size_bytes)"
        "  VALUES (2, 0, 'w_weights_blob', 0, 512)");
    expect("library/constants", "");
    given("UPDATE named_data SET size_bytes = 448");
    expect("library/constants", "error s_so_blob expects 512 bytes of weights, and"
                                " cuda.ptd under w_weights_blob has 448\n");
}

Suite *library_rules_suite(void)
{
    Suite *suite = suite_create("library rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open_pte, rules_close);
    tcase_add_test(all, library_rules_accept_a_package_and_a_target_that_fits);
    tcase_add_test(all, library_rules_about_a_target_need_one);
    tcase_add_test(all, library_shim_and_glibc_report_that_symbols_are_not_seen);
    tcase_add_test(all, library_machine_reports_code_for_another_one);
    tcase_add_test(all, library_machine_reports_a_model_that_is_no_wrapper);
    tcase_add_test(all, library_machine_accepts_the_names_of_other_systems);
    tcase_add_test(all, views_of_libraries_say_what_the_shared_sql_says);
    tcase_add_test(all, library_entry_point_reports_a_model_that_cannot_be_run);
    tcase_add_test(all, library_entry_point_accepts_a_library_that_is_no_model);
    tcase_add_test(
        all, library_unknown_need_accepts_libraries_of_torch_compilers_and_systems);
    tcase_add_test(all, library_unknown_need_reports_a_library_that_nobody_brings);
    tcase_add_test(all, library_unknown_need_reports_a_function_of_nobody);
    tcase_add_test(all, library_entry_point_reports_what_torch_alone_looks_up);
    tcase_add_test(all, library_shim_reports_what_the_runtime_does_not_export);
    tcase_add_test(all, library_shim_accepts_what_libraries_and_compilers_bring);
    tcase_add_test(all, library_glibc_reports_an_older_target_and_the_symbols);
    tcase_add_test(all,
                   library_glibc_accepts_a_version_that_the_loader_goes_on_without);
    tcase_add_test(all, library_glibc_compares_numbers_and_not_letters);
    tcase_add_test(
        all, library_glibc_reports_relocations_that_an_older_loader_does_not_know);
    tcase_add_test(all,
                   library_gpu_accepts_code_that_is_older_and_of_the_same_generation);
    tcase_add_test(all, library_gpu_accepts_ptx_that_is_older);
    tcase_add_test(all, library_gpu_accepts_code_of_a_family_within_it);
    tcase_add_test(all, library_gpu_notes_a_program_without_any_code);
    tcase_add_test(all, library_gpu_accepts_an_image_of_nvcc_without_kernels);
    tcase_add_test(all, library_gpu_reports_code_of_other_generations);
    tcase_add_test(all, library_gpu_reports_code_for_one_gpu_alone);
    tcase_add_test(all, library_gpu_reports_code_of_desktops_for_jetson);
    tcase_add_test(all, library_gpu_holds_each_fat_binary_to_the_target);
    tcase_add_test(all, library_gpu_reports_a_kernel_that_only_code_for_others_has);
    tcase_add_test(all, library_constants_accepts_as_many_weights_as_are_expected);
    tcase_add_test(all, library_constants_reports_weights_of_another_size);
    tcase_add_test(all, library_constants_reports_more_constants_than_have_room);
    tcase_add_test(all,
                   library_constants_reports_weights_of_another_size_in_a_data_file);
    suite_add_tcase(suite, all);
    return suite;
}
