/* Each rule about .ptd files and stored bytes against files that keep it, and that
 * break it. */
#include "unit/data_files.h"

START_TEST(data_layout_match_accepts_what_the_program_declares)
{
    given_ptd();
    expect("data/layout-match", "");
}

START_TEST(data_layout_match_reports_another_type_or_order)
{
    given_ptd();
    given("UPDATE named_data SET dtype = 'f16' WHERE key = 'w'");
    expect("data/layout-match", "error value 0 (w) is f32 [8,4], dim order [0,1]; b.ptd"
                                " holds f16 [8,4], dim order [0,1]\n");
    given("UPDATE named_data SET dtype = 'f32', dim_order = '[1,0]' WHERE key = 'w'");
    expect("data/layout-match", "error value 0 (w) is f32 [8,4], dim order [0,1]; b.ptd"
                                " holds f32 [8,4], dim order [1,0]\n");
}

START_TEST(data_layout_missing_reports_a_tensor_without_layout)
{
    given_ptd();
    expect("data/layout-missing", "");
    given("UPDATE named_data SET dtype = NULL, shape = NULL, dim_order = NULL");
    expect("data/layout-missing",
           "error value 0 looks up key w, which has no tensor layout in b.ptd\n");
    expect("data/layout-match", "");
}

START_TEST(data_layout_nbytes_accepts_as_many_as_are_read)
{
    given_ptd();
    given_key_reader();
    expect("data/layout-nbytes", "");
}

START_TEST(data_layout_nbytes_reports_too_few)
{
    given_ptd();
    given("UPDATE named_data SET size_bytes = 124 WHERE key = 'w'");
    expect("data/layout-nbytes",
           "error key w has 124 bytes, its layout f32 [8,4] needs 128\n");
}

START_TEST(data_layout_nbytes_warns_of_too_many)
{
    given_ptd();
    given("UPDATE named_data SET size_bytes = 132 WHERE key = 'w'");
    expect("data/layout-nbytes",
           "warning key w has 132 bytes, its layout f32 [8,4] needs 128\n");
}

START_TEST(data_layout_nbytes_reports_too_few_for_a_delegate)
{
    given_ptd();
    given_key_reader();
    given("UPDATE delegate_key SET nbytes = 65; UPDATE delegate SET backend = 'Mine'");
    expect("data/layout-nbytes",
           "error delegate 0 (Mine) reads 65 bytes of key a, which has 64\n");
}

/* It reads as many as its values need. */
START_TEST(data_layout_nbytes_warns_of_what_a_delegate_says_and_does_not_do)
{
    given_ptd();
    given_key_reader();
    given("UPDATE delegate_key SET nbytes = 65");
    expect("data/layout-nbytes", "warning delegate 0 (XnnpackBackend) says it reads 65"
                                 " bytes of key a, which has 64\n");
}

START_TEST(data_ptd_magic_reports_versions_that_no_runtime_reads)
{
    given_ptd();
    given("UPDATE artifact SET companion_of = NULL, role = NULL WHERE id = 2");
    expect("data/ptd-magic", "");
    given("UPDATE artifact SET version = '{\"flat_tensor\":3,\"header_bytes\":40}',"
          " container = 'flat tensor' WHERE id = 2");
    expect("data/ptd-magic", "error its schema version is 3, the runtime knows 0\n");
    given("UPDATE artifact SET container = 'flat tensor of ExecuTorch 0.5 or 0.6'"
          " WHERE id = 2");
    expect("data/ptd-magic", "error its tables are those of ExecuTorch 0.5 and 0.6\n");
    given("UPDATE artifact SET version = '{\"flat_tensor\":0,\"header_bytes\":null}'"
          " WHERE id = 2");
    expect("data/ptd-magic", "error bytes 8..11 are not FH01\n");
}

START_TEST(data_ptd_bounds_accepts_a_file_of_the_promised_size)
{
    given_ptd();
    expect("data/ptd-bounds", "");
}

START_TEST(data_ptd_bounds_reports_a_file_that_was_cut_off)
{
    given_ptd();
    given("UPDATE artifact SET size_bytes = 399 WHERE id = 2");
    expect("data/ptd-bounds", "error the header promises 400 bytes (segments at 256,"
                              " 144 long), the file has 399\n");
}

START_TEST(data_ptd_bounds_reports_a_segment_outside)
{
    given_ptd();
    given("UPDATE segment SET offset = 32, file_offset = NULL WHERE id = 2");
    expect("data/ptd-bounds",
           "error segment 0 spans 32..160 behind byte 256; 144 bytes are there\n");
}

START_TEST(data_ptd_bounds_reports_segments_inside_of_the_flatbuffer)
{
    given_ptd();
    given("UPDATE artifact SET version = json_set(version, '$.flatbuffer_offset', 48,"
          " '$.flatbuffer_size', 208) WHERE id = 2");
    expect("data/ptd-bounds", "");
    given("UPDATE artifact SET version = json_set(version, '$.flatbuffer_size', 209)"
          " WHERE id = 2");
    expect("data/ptd-bounds", "error the segments start at byte 256; the FlatBuffer"
                              " before them ends at 257\n");
}

START_TEST(data_duplicate_bytes_accepts_two_keys_of_one_segment)
{
    given_ptd();
    given("INSERT INTO named_data VALUES (1, 1, 'c', 0, 64, NULL, NULL, NULL, NULL)");
    expect("data/duplicate-bytes", "");
}

START_TEST(data_duplicate_bytes_reports_bytes_that_are_stored_twice)
{
    given_ptd();
    given("UPDATE segment SET size_bytes = 2048, xxh3 = 'aa'");
    expect("data/duplicate-bytes", "warning 2048 bytes are stored 2 times: segment 0 of"
                                   " a.pte, segment 0 of b.ptd\n");
}

START_TEST(data_duplicate_bytes_accepts_a_kilobyte_in_all)
{
    given_ptd();
    given("UPDATE segment SET size_bytes = 1023, xxh3 = 'aa'");
    expect("data/duplicate-bytes", "");
}

START_TEST(data_duplicate_bytes_is_not_checked_without_digests)
{
    given_ptd();
    given("UPDATE segment SET xxh3 = NULL");
    expect_not_checked(
        "data/duplicate-bytes",
        "the store has no digests of bytes: load the program without --no-hash");
}

Suite *data_layout_rules_suite(void)
{
    Suite *suite = suite_create("data layout rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, data_layout_match_accepts_what_the_program_declares);
    tcase_add_test(all, data_layout_match_reports_another_type_or_order);
    tcase_add_test(all, data_layout_missing_reports_a_tensor_without_layout);
    tcase_add_test(all, data_layout_nbytes_accepts_as_many_as_are_read);
    tcase_add_test(all, data_layout_nbytes_reports_too_few);
    tcase_add_test(all, data_layout_nbytes_warns_of_too_many);
    tcase_add_test(all, data_layout_nbytes_reports_too_few_for_a_delegate);
    tcase_add_test(all,
                   data_layout_nbytes_warns_of_what_a_delegate_says_and_does_not_do);
    tcase_add_test(all, data_ptd_magic_reports_versions_that_no_runtime_reads);
    tcase_add_test(all, data_ptd_bounds_accepts_a_file_of_the_promised_size);
    tcase_add_test(all, data_ptd_bounds_reports_a_file_that_was_cut_off);
    tcase_add_test(all, data_ptd_bounds_reports_a_segment_outside);
    tcase_add_test(all, data_ptd_bounds_reports_segments_inside_of_the_flatbuffer);
    tcase_add_test(all, data_duplicate_bytes_accepts_two_keys_of_one_segment);
    tcase_add_test(all, data_duplicate_bytes_reports_bytes_that_are_stored_twice);
    tcase_add_test(all, data_duplicate_bytes_accepts_a_kilobyte_in_all);
    tcase_add_test(all, data_duplicate_bytes_is_not_checked_without_digests);
    suite_add_tcase(suite, all);
    return suite;
}
