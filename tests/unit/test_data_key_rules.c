/* Each rule about keys against files that keep it, and that break it. */
#include "unit/data_files.h"

START_TEST(data_named_segment_index_accepts_the_last_segment)
{
    given_ptd();
    expect("data/named-segment-index", "");
}

START_TEST(data_named_segment_index_reports_the_one_behind_it)
{
    given_ptd();
    given("UPDATE named_data SET segment_idx = 1 WHERE key = 'w'");
    expect("data/named-segment-index", "error key w is in segment 1; the file has 1\n");
}

START_TEST(data_named_key_null_reports_an_entry_without_a_key)
{
    given_ptd();
    expect("data/named-key-null", "");
    given("UPDATE named_data SET key = '' WHERE key = 'w'");
    expect("data/named-key-null", "error entry 0 of the named data has no key\n");
}

START_TEST(data_named_key_unique_accepts_two_keys_of_one_segment)
{
    given_ptd();
    given("INSERT INTO named_data SELECT 1, 1, 'c', 0, 64, NULL, NULL, NULL, NULL");
    expect("data/named-key-unique", "");
}

START_TEST(data_named_key_unique_reports_a_key_that_comes_twice)
{
    given_ptd();
    given("INSERT INTO segment (id, artifact_id, idx, kind, offset, size_bytes,"
          "  stored_bytes, xxh3) VALUES (3, 1, 2, 'named_data', 64, 64, 64, 'cc');"
          "INSERT INTO named_data VALUES (1, 1, 'a', 2, 64, NULL, NULL, NULL, NULL)");
    expect("data/named-key-unique",
           "error 2 entries have key a, with different bytes\n");
    given("UPDATE segment SET xxh3 = NULL");
    expect("data/named-key-unique",
           "warning 2 entries have key a, whose bytes were not compared\n");
    given("UPDATE segment SET xxh3 = 'aa'");
    expect("data/named-key-unique",
           "warning 2 entries have key a, with the same bytes\n");
}

START_TEST(data_named_key_unique_reports_equal_bytes_in_a_ptd)
{
    given_ptd();
    given("INSERT INTO named_data SELECT 2, 1, 'w', 0, 128, NULL, NULL, NULL, NULL");
    expect("data/named-key-unique",
           "error 2 entries have key w, with the same bytes\n");
}

START_TEST(data_named_key_collision_accepts_equal_bytes_in_program_and_ptd)
{
    given_ptd();
    given("UPDATE named_data SET key = 'w', size_bytes = 128;"
          "UPDATE segment SET xxh3 = 'bb'");
    expect("data/named-key-collision", "");
}

START_TEST(data_named_key_collision_reports_different_bytes)
{
    given_ptd();
    given("UPDATE named_data SET key = 'w'");
    expect("data/named-key-collision",
           "error a.pte (64 bytes) and b.ptd (128 bytes) have key w, with different"
           " bytes\n");
}

START_TEST(data_named_key_collision_reports_two_ptd_files_with_one_key)
{
    given_ptd();
    given("INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of,"
          "  role) VALUES (3, 'c.ptd', 'ptd', 400, '{}', 1, 'data');"
          "INSERT INTO segment (id, artifact_id, idx, kind, offset, size_bytes,"
          "  stored_bytes, xxh3) VALUES (3, 3, 0, 'named_data', 0, 128, 128, 'bb');"
          "INSERT INTO named_data VALUES (3, 0, 'w', 0, 128, 'f32', '[8,4]', '[0,1]',"
          "  128)");
    expect("data/named-key-collision",
           "error b.ptd (128 bytes) and c.ptd (128 bytes) have key w, with the same"
           " bytes\n");
}

START_TEST(data_named_key_missing_accepts_keys_of_program_and_ptd)
{
    given_ptd();
    given_key_reader();
    expect("data/named-key-missing", "");
    expect("delegate/named-key-resolves", "");
    expect("data/ptd-required", "");
}

START_TEST(data_named_key_missing_warns_while_no_ptd_is_given)
{
    given_ptd();
    without_ptd();
    expect("data/named-key-missing", "warning no file at hand holds w\n");
}

START_TEST(data_named_key_missing_reports_what_no_file_has)
{
    given_ptd();
    given_key_reader();
    given("UPDATE named_data SET key = 'v'");
    expect("data/named-key-missing",
           "error value 0 looks up key w, which neither the program nor its .ptd has\n"
           "error delegate 0 (XnnpackBackend) looks up key a, which neither the program"
           " nor its .ptd has\n");
}

START_TEST(data_named_key_missing_reports_a_tensor_that_only_the_program_has)
{
    given_ptd();
    given("UPDATE named_data SET key = iif(key = 'a', 'w', 'v')");
    expect("data/named-key-missing", "error value 0 looks up key w, which only the"
                                     " program has; tensors are looked up in a .ptd\n");
}

START_TEST(data_named_key_missing_looks_at_states_under_a_key)
{
    given_ptd();
    given("UPDATE value SET storage = 'mutable', data_index = NULL, name = 'v'");
    expect(
        "data/named-key-missing",
        "error value 0 looks up key v, which neither the program nor its .ptd has\n");
}

START_TEST(delegate_named_key_resolves_reports_what_no_file_has)
{
    given_ptd();
    given_key_reader();
    given("UPDATE delegate_key SET key = 'b';"
          "INSERT INTO delegate_key VALUES (1, 2, 'c', 'weights', 64)");
    expect("delegate/named-key-resolves", "error delegate 0 (XnnpackBackend) looks up"
                                          " what no file at hand holds: b, c\n");
    without_ptd();
    expect("data/named-key-missing", "warning no file at hand holds w\n");
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          "  (2, 1, 1, 'XnnpackBackend');"
          "INSERT INTO delegate_key VALUES (2, 0, 'b', 'weights', 64)");
    expect("delegate/named-key-resolves",
           "warning delegates look up what no file at hand holds: b, c\n");
    given("DELETE FROM delegate_key WHERE delegate_id = 2");
    expect("delegate/named-key-resolves", "warning delegate 0 (XnnpackBackend) looks up"
                                          " what no file at hand holds: b, c\n");
}

START_TEST(data_ptd_required_notes_the_keys_that_are_elsewhere)
{
    given_ptd();
    given_key_reader();
    without_ptd();
    given("UPDATE delegate_key SET key = 'b';"
          "INSERT INTO delegate_key VALUES (1, 2, 'c', 'weights', 64)");
    expect("data/ptd-required", "note a .ptd must hold b, c\n");
}

START_TEST(data_ptd_required_accepts_what_data_named_key_missing_says)
{
    given_ptd();
    without_ptd();
    expect("data/named-key-missing", "warning no file at hand holds w\n");
    expect("data/ptd-required", "");
}

START_TEST(data_named_unused_accepts_keys_that_are_looked_up)
{
    given_ptd();
    given_key_reader();
    given("INSERT INTO delegate_graph (id, method_id, path, kind, format)"
          " VALUES (9, 1, 'delegate_0', 'delegate', 'xnnpack');"
          "UPDATE delegate SET inside_id = 9");
    expect("data/named-unused", "");
}

START_TEST(data_named_unused_notes_keys_that_nothing_looks_up)
{
    given_ptd();
    expect("data/named-unused", "note nothing looks up a\n");
}

START_TEST(data_named_unused_is_not_checked_beside_opaque_blobs)
{
    given_ptd();
    given_key_reader();
    given("UPDATE delegate SET backend = 'QnnBackend'");
    expect_not_checked("data/named-unused",
                       "delegates of QnnBackend may look up any key");
}

START_TEST(data_named_unused_is_not_checked_beside_blobs_that_cannot_be_read)
{
    given_ptd();
    given_key_reader();
    expect_not_checked("data/named-unused",
                       "delegates of XnnpackBackend may look up any key");
}

START_TEST(data_named_unused_is_not_checked_without_a_program)
{
    given_ptd();
    given("DELETE FROM value; DELETE FROM \"graph\"; DELETE FROM method;"
          "DELETE FROM named_data WHERE artifact_id = 1; DELETE FROM artifact WHERE"
          " id = 1; UPDATE artifact SET companion_of = NULL, role = NULL");
    expect_not_checked("data/named-unused", "no program was given with the .ptd");
}

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

/* Keys of a delegate's weights and scales that are the digests of them. */
static void given_keys_of_digests(void)
{
    given_ptd();
    given_key_reader();
    given(
        "UPDATE named_data SET key = '" DIGEST "' WHERE key = 'a';"
        "UPDATE named_data SET key = 'scale_" OTHER "' WHERE key = 'w';"
        "UPDATE segment SET sha256 = iif(id = 1, '" DIGEST "', '" OTHER "');"
        "INSERT INTO delegate_graph VALUES (1, 1, 'delegate_0', 'delegate', 'xnnpack',"
        "  '{}');"
        "INSERT INTO delegate_constant VALUES (1, 1, '" DIGEST "', NULL, NULL, 64),"
        " (1, 2, 'scale_" OTHER "', NULL, NULL, 128);"
        "INSERT INTO delegate_value (id, graph_id, idx, dtype, datatype, shape, nbytes,"
        "  flags, constant_idx) VALUES (1, 1, 0, 'f32', 'fp32', '[16]', 64, 0, 1);"
        "INSERT INTO delegate_node VALUES (1, 1, 0, 'Abs_0', 'Abs', '{}', 0, NULL, "
        "NULL,"
        "  NULL);"
        "INSERT INTO " DELEGATE_OPERAND " VALUES (1, 0, 'input', 0, 1, 'read')");
}

START_TEST(data_named_key_digest_accepts_keys_of_their_bytes)
{
    given_keys_of_digests();
    expect("data/named-key-digest", "");
}

START_TEST(data_named_key_digest_reports_other_bytes_and_who_reads_them)
{
    given_keys_of_digests();
    given("UPDATE segment SET sha256 = '" OTHER "' WHERE id = 1");
    expect("data/named-key-digest",
           "error the SHA-256 of what key 0123456789abcdef...0123456789abcdef leads to"
           " begins with fedcba9876543210: Abs_0 of delegate_0 reads it\n");
}

START_TEST(data_named_key_digest_reports_other_scales)
{
    given_keys_of_digests();
    given("UPDATE segment SET sha256 = '" DIGEST "' WHERE id = 2");
    expect("data/named-key-digest",
           "error the SHA-256 of what key scale_fedcba9876...fedcba9876543210 leads to"
           " begins with 0123456789abcdef\n");
}

START_TEST(data_named_key_digest_leaves_other_keys_and_other_readers_alone)
{
    given_keys_of_digests();
    given("UPDATE segment SET sha256 = '" OTHER "' WHERE id = 1;"
          "UPDATE delegate_graph SET format = 'vulkan'");
    expect("data/named-key-digest", "");
    given("UPDATE delegate_graph SET format = 'xnnpack';"
          "UPDATE named_data SET key = 'x' || substr(key, 2) WHERE artifact_id = 1;"
          "UPDATE delegate_constant SET key = 'x' || substr(key, 2) WHERE idx = 1");
    expect("data/named-key-digest", "");
}

START_TEST(data_named_key_digest_is_not_checked_without_digests)
{
    given_keys_of_digests();
    given("UPDATE segment SET sha256 = NULL, file_offset = 0");
    expect_not_checked("data/named-key-digest",
                       "the store has no SHA-256 of blobs: load"
                       " the program without --no-hash");
}

Suite *data_key_rules_suite(void)
{
    Suite *suite = suite_create("data key rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, data_named_segment_index_accepts_the_last_segment);
    tcase_add_test(all, data_named_segment_index_reports_the_one_behind_it);
    tcase_add_test(all, data_named_key_null_reports_an_entry_without_a_key);
    tcase_add_test(all, data_named_key_unique_accepts_two_keys_of_one_segment);
    tcase_add_test(all, data_named_key_unique_reports_a_key_that_comes_twice);
    tcase_add_test(all, data_named_key_unique_reports_equal_bytes_in_a_ptd);
    tcase_add_test(all,
                   data_named_key_collision_accepts_equal_bytes_in_program_and_ptd);
    tcase_add_test(all, data_named_key_collision_reports_different_bytes);
    tcase_add_test(all, data_named_key_collision_reports_two_ptd_files_with_one_key);
    tcase_add_test(all, data_named_key_missing_accepts_keys_of_program_and_ptd);
    tcase_add_test(all, data_named_key_missing_warns_while_no_ptd_is_given);
    tcase_add_test(all, data_named_key_missing_reports_what_no_file_has);
    tcase_add_test(all,
                   data_named_key_missing_reports_a_tensor_that_only_the_program_has);
    tcase_add_test(all, data_named_key_missing_looks_at_states_under_a_key);
    tcase_add_test(all, delegate_named_key_resolves_reports_what_no_file_has);
    tcase_add_test(all, data_ptd_required_notes_the_keys_that_are_elsewhere);
    tcase_add_test(all, data_ptd_required_accepts_what_data_named_key_missing_says);
    tcase_add_test(all, data_named_unused_accepts_keys_that_are_looked_up);
    tcase_add_test(all, data_named_unused_notes_keys_that_nothing_looks_up);
    tcase_add_test(all, data_named_unused_is_not_checked_beside_opaque_blobs);
    tcase_add_test(all,
                   data_named_unused_is_not_checked_beside_blobs_that_cannot_be_read);
    tcase_add_test(all, data_named_unused_is_not_checked_without_a_program);
    tcase_add_test(all, data_named_key_digest_accepts_keys_of_their_bytes);
    tcase_add_test(all, data_named_key_digest_reports_other_bytes_and_who_reads_them);
    tcase_add_test(all, data_named_key_digest_reports_other_scales);
    tcase_add_test(all,
                   data_named_key_digest_leaves_other_keys_and_other_readers_alone);
    tcase_add_test(all, data_named_key_digest_is_not_checked_without_digests);
    suite_add_tcase(suite, all);
    return suite;
}
