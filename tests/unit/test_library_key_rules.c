/* Rules about native code that AOTInductor compiled, as delegates of a .pte look it up.
 */
#include "unit/rules.h"
#include "unit/suite.h"

/* A delegate whose code and weights lie under keys of the program itself. */
static void given_delegate(const char *backend)
{
    given_format(
        "UPDATE artifact SET size_bytes = 8192;"
        "INSERT INTO delegate (id, method_id, idx, backend) VALUES (1, 1, 0, '%s');"
        "INSERT INTO delegate_key VALUES (1, 0, 'so_blob', 'library', NULL),"
        "  (1, 1, 'w_weights_blob', 'weights', NULL);"
        "INSERT INTO segment (artifact_id, idx, kind, offset, file_offset, size_bytes,"
        "  stored_bytes) VALUES (1, 0, 'named_data', 0, 4096, 4096, 4096);"
        "INSERT INTO named_data (artifact_id, idx, key, segment_idx, size_bytes)"
        "  VALUES (1, 0, 'so_blob', 0, 4096);"
        "INSERT INTO library (id, artifact_id, name, format, nbytes, has_symbols,"
        "  constants_bytes, weights_bytes, weights) VALUES (1, 1, 'so_blob', 'elf',"
        "  4096, 1, 8, 512, 'beside');"
        "INSERT INTO library_symbol VALUES"
        " (1, 1, 'AOTInductorModelContainerCreateWithDevice', NULL, 'defined'),"
        " (1, 2, 'AOTInductorModelContainerDelete', NULL, 'defined'),"
        " (1, 3, 'AOTInductorModelContainerGetNumInputs', NULL, 'defined'),"
        " (1, 4, 'AOTInductorModelContainerGetNumOutputs', NULL, 'defined'),"
        " (1, 5, 'AOTInductorModelContainerRun', NULL, 'defined'),"
        " (1, 6, 'AOTInductorModelUpdateConstantsFromBlob', NULL, 'defined')",
        backend);
}

static const char not_shared[] =
    "error the code of delegate 0 (CudaBackend), so_blob, is no shared object; it has"
    " 4096 bytes\n";

START_TEST(library_format_accepts_code_that_is_a_library)
{
    given_delegate("CudaBackend");
    expect("library/format", "");
}

START_TEST(library_format_reports_code_that_is_no_library)
{
    given_delegate("CudaBackend");
    given("DELETE FROM library_symbol; DELETE FROM library");
    expect("library/format", not_shared);
}

/* A library under another key is none of the delegate's. */
START_TEST(library_format_reports_code_beside_a_library)
{
    given_delegate("CudaBackend");
    given("UPDATE library SET name = 'other_so_blob'");
    expect("library/format", not_shared);
}

START_TEST(library_format_reports_code_in_a_data_file)
{
    given_delegate("CudaBackend");
    given(
        "UPDATE library SET name = 'other_so_blob';"
        "INSERT INTO artifact (id, kind, path, size_bytes, version, role, companion_of)"
        "  VALUES (2, 'ptd', 'x/cuda.ptd', 8192, '{}', 'data', 1);"
        "UPDATE segment SET artifact_id = 2; UPDATE named_data SET artifact_id = 2");
    expect("library/format", "error the code of delegate 0 (CudaBackend), so_blob of"
                             " cuda.ptd, is no shared object; it has 4096 bytes\n");
}

/* What was not looked at is not judged. */
START_TEST(library_format_accepts_code_that_was_not_read)
{
    given_delegate("CudaBackend");
    given("UPDATE library SET name = 'other_so_blob'; UPDATE artifact SET size_bytes = "
          "8191");
    expect("library/format", "");
    given("UPDATE artifact SET size_bytes = 8192");
    expect("library/format", not_shared);
    given("INSERT INTO remark (artifact_id, rule, text)"
          "  VALUES (1, 'format/lists-repeated', 'libraries overlap')");
    expect("library/format", "");
}

START_TEST(library_format_accepts_code_of_backends_that_open_no_library)
{
    given_delegate("XnnpackBackend");
    given("DELETE FROM library_symbol; DELETE FROM library");
    expect("library/format", "");
}

/* Without the function that takes weights. */
static void given_unfilled(const char *backend)
{
    rules_close();
    rules_open_pte();
    given_delegate(backend);
    expect("library/entry-point", "");
    given("DELETE FROM library_symbol WHERE pos = 6");
}

START_TEST(library_entry_point_reports_weights_that_cannot_be_given_to_a_library)
{
    static const char want[] =
        "error so_blob does not export AOTInductorModelUpdateConstantsFromBlob\n";

    given_unfilled("CudaBackend");
    expect("library/entry-point", want);
    given_unfilled("MetalBackend");
    given("UPDATE library SET weights = NULL, weights_bytes = NULL");
    expect("library/entry-point", want);
}

START_TEST(library_entry_point_accepts_a_library_that_takes_no_weights)
{
    given_unfilled("CudaBackend");
    given("UPDATE library SET weights = 'inside', weights_bytes = NULL");
    expect("library/entry-point", "");
    given("UPDATE library SET weights = 'beside'; UPDATE delegate_key SET nbytes = 512"
          " WHERE kind = 'weights'");
    expect("library/entry-point", "");
    given("UPDATE delegate_key SET nbytes = NULL; DELETE FROM delegate_key WHERE pos = "
          "1");
    expect("library/entry-point", "");
}

START_TEST(library_entry_point_reports_a_library_in_a_data_file)
{
    given_delegate("CudaBackend");
    given(
        "INSERT INTO artifact (id, kind, path, size_bytes, version, role, companion_of)"
        "  VALUES (2, 'ptd', 'x/cuda.ptd', 8192, '{}', 'data', 1);"
        "UPDATE library SET artifact_id = 2");
    expect("library/entry-point", "");
    given("DELETE FROM library_symbol WHERE pos = 3");
    expect("library/entry-point",
           "error so_blob does not export AOTInductorModelContainerGetNumInputs\n");
}

/* Another method's code, for another machine or for the same. */
static void given_second_library(const char *machine)
{
    given_delegate("CudaBackend");
    given_format(
        "UPDATE library SET machine = 'x86_64';"
        "INSERT INTO delegate (id, method_id, idx, backend) VALUES (2, 1, 1, "
        "'CudaBackend');"
        "INSERT INTO delegate_key VALUES (2, 0, 'other_so_blob', 'library', NULL);"
        "INSERT INTO library (id, artifact_id, name, format, machine, nbytes)"
        "  VALUES (2, 1, 'other_so_blob', 'elf', '%s', 4096)",
        machine);
}

START_TEST(library_machine_reports_libraries_for_several_machines)
{
    given_second_library("aarch64");
    expect("library/machine", "warning its libraries are code for 2 machines: aarch64"
                              " (other_so_blob), x86_64 (so_blob)\n");
}

START_TEST(library_machine_accepts_libraries_for_one_machine)
{
    given_second_library("x86_64");
    expect("library/machine", "");
    given("UPDATE library SET machine = NULL WHERE id = 2");
    expect("library/machine", "");
    given("UPDATE library SET machine = 'aarch64', name = 'spare' WHERE id = 2");
    expect("library/machine", "");
}

Suite *library_key_rules_suite(void)
{
    Suite *suite = suite_create("library key rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open_pte, rules_close);
    tcase_add_test(all, library_format_accepts_code_that_is_a_library);
    tcase_add_test(all, library_format_reports_code_that_is_no_library);
    tcase_add_test(all, library_format_reports_code_beside_a_library);
    tcase_add_test(all, library_format_reports_code_in_a_data_file);
    tcase_add_test(all, library_format_accepts_code_that_was_not_read);
    tcase_add_test(all, library_format_accepts_code_of_backends_that_open_no_library);
    tcase_add_test(
        all, library_entry_point_reports_weights_that_cannot_be_given_to_a_library);
    tcase_add_test(all, library_entry_point_accepts_a_library_that_takes_no_weights);
    tcase_add_test(all, library_entry_point_reports_a_library_in_a_data_file);
    tcase_add_test(all, library_machine_reports_libraries_for_several_machines);
    tcase_add_test(all, library_machine_accepts_libraries_for_one_machine);
    suite_add_tcase(suite, all);
    return suite;
}
