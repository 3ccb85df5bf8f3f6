/* Each rule about keys of AOTInductor against files that keep it, and that break it. */
#include "unit/data_files.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SO HEX "_so_blob"
#define WEIGHTS HEX "_weights_blob"
#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* Delegate 0 of CUDA with its code in a.pte and its weights in b.ptd. */
static void given_aoti(void)
{
    given_ptd();
    given("DELETE FROM value;"
          "UPDATE named_data SET key = '" SO "' WHERE artifact_id = 1;"
          "UPDATE named_data SET key = '" WEIGHTS "' WHERE artifact_id = 2;"
          "UPDATE segment SET sha256 = '" HEX "';"
          "INSERT INTO delegate (id, method_id, idx, backend, blob_bytes) VALUES"
          " (1, 1, 0, 'CudaBackend', 150);"
          "INSERT INTO delegate_key VALUES (1, 0, '" SO "', 'library', NULL),"
          " (1, 1, '" WEIGHTS "', 'weights', NULL)");
}

/* The same of before there were payloads. */
static void given_named_by_method(void)
{
    given_aoti();
    given("UPDATE delegate SET blob_bytes = 0;"
          "UPDATE delegate_key SET key = replace(key, '" HEX "', 'forward');"
          "UPDATE named_data SET key = replace(key, '" HEX "', 'forward')");
}

START_TEST(cuda_key_collision_accepts_delegates_that_share_digests)
{
    given_aoti();
    given("INSERT INTO delegate (id, method_id, idx, backend, blob_bytes) VALUES"
          " (2, 1, 1, 'CudaBackend', 150);"
          "INSERT INTO delegate_key SELECT 2, pos, key, kind, nbytes FROM"
          "  delegate_key");
    expect("cuda/key-collision", "");
}

START_TEST(cuda_key_collision_reports_one_key_for_different_data)
{
    given_aoti();
    given("UPDATE named_data SET key = '" SO "'");
    expect("cuda/key-collision", "error key 0123456789abcdef...89abcdef_so_blob leads"
                                 " to different bytes: 64 in a.pte,128 in b.ptd\n");
}

START_TEST(cuda_key_collision_warns_of_partitions_that_share_a_name)
{
    given_named_by_method();
    expect("cuda/key-collision", "");
    given("INSERT INTO delegate (id, method_id, idx, backend, blob_bytes) VALUES"
          " (2, 1, 1, 'CudaBackend', 0);"
          "INSERT INTO delegate_key SELECT 2, pos, key, kind, nbytes FROM"
          "  delegate_key WHERE pos = 0");
    expect("cuda/key-collision", "warning 2 delegates have key forward_so_blob\n");
}

START_TEST(cuda_key_collision_reports_weights_of_two_sizes)
{
    given_aoti();
    given("UPDATE delegate_key SET nbytes = 128 WHERE pos = 1;"
          "INSERT INTO delegate (id, method_id, idx, backend, blob_bytes) VALUES"
          " (2, 1, 1, 'CudaBackend', 150);"
          "INSERT INTO delegate_key SELECT 2, pos, key, kind, 64 FROM delegate_key"
          "  WHERE pos = 1");
    expect("cuda/key-collision", "error delegates read 64 and 128 bytes of key"
                                 " 0123456789abcdef...def_weights_blob\n");
}

START_TEST(cuda_key_missing_accepts_code_in_the_program)
{
    given_aoti();
    expect("cuda/key-missing", "");
}

START_TEST(cuda_key_missing_reports_code_that_no_file_has)
{
    given_aoti();
    given("UPDATE named_data SET key = 'a' WHERE artifact_id = 1");
    expect(
        "cuda/key-missing",
        "error no file at hand holds 0123456789abcdef...89abcdef_so_blob, the code of"
        " delegate 0 (CudaBackend)\n");
    without_ptd();
    expect("cuda/key-missing",
           "warning no file at hand holds 0123456789abcdef...89abcdef_so_blob, the code"
           " of delegate 0 (CudaBackend)\n");
}

START_TEST(cuda_weights_missing_accepts_weights_in_the_ptd)
{
    given_aoti();
    expect("cuda/weights-missing", "");
    expect("data/named-key-missing", "");
}

START_TEST(cuda_weights_missing_accepts_a_partition_without_weights)
{
    given_aoti();
    given("UPDATE delegate_key SET key = '" EMPTY "_weights_blob' WHERE pos = 1");
    expect("cuda/weights-missing", "");
    expect("data/named-key-missing", "");
    expect("delegate/named-key-resolves", "");
}

START_TEST(cuda_weights_missing_warns_while_no_ptd_is_given)
{
    given_aoti();
    without_ptd();
    expect("cuda/weights-missing",
           "warning no file at hand holds the weights of delegate 0 (CudaBackend):"
           " 0123456789abcdef...def_weights_blob\n");
    expect("data/named-key-missing", "");
    expect("data/ptd-required",
           "note a .ptd must hold 0123456789abcdef...def_weights_blob\n");
}

START_TEST(cuda_weights_missing_reports_a_ptd_without_them)
{
    given_aoti();
    given("UPDATE named_data SET key = 'w' WHERE artifact_id = 2");
    expect("cuda/weights-missing",
           "error no file at hand holds the weights of delegate 0 (CudaBackend):"
           " 0123456789abcdef...def_weights_blob\n");
}

START_TEST(cuda_weights_missing_only_warns_where_code_was_let_pass_without)
{
    given_named_by_method();
    expect("cuda/weights-missing", "");
    given("UPDATE named_data SET key = 'w' WHERE artifact_id = 2");
    expect("cuda/weights-missing", "warning no file at hand holds the weights of"
                                   " delegate 0 (CudaBackend): forward_weights_blob\n");
}

START_TEST(data_aoti_key_format_accepts_digests_and_names_of_methods)
{
    given_aoti();
    expect("data/aoti-key-format", "");
    rules_close();
    rules_open();
    given_named_by_method();
    expect("data/aoti-key-format", "");
}

START_TEST(data_aoti_key_format_accepts_weights_by_name)
{
    given_aoti();
    given("UPDATE delegate_key SET key = 'cuda_fqn_weight:cuda:w' WHERE pos = 1");
    expect("data/aoti-key-format", "");
}

START_TEST(data_aoti_key_format_reports_other_bytes)
{
    given_aoti();
    given("UPDATE segment SET sha256 = 'fedcba9876543210" HEX "' WHERE id = 1");
    expect("data/aoti-key-format",
           "error the SHA-256 of what key 0123456789abcdef...89abcdef_so_blob leads to"
           " begins with fedcba9876543210\n");
}

START_TEST(data_aoti_key_format_reports_keys_in_the_wrong_order)
{
    given_aoti();
    given("UPDATE delegate_key SET kind = iif(kind = 'library', 'weights', 'library')");
    expect("data/aoti-key-format",
           "error delegate 0 (CudaBackend) has key 0123456789abcdef...89abcdef_so_blob"
           " where that of its weights belongs\n"
           "error delegate 0 (CudaBackend) has key 0123456789abcdef...def_weights_blob"
           " where that of its code belongs\n");
}

START_TEST(data_aoti_key_format_warns_of_other_keys)
{
    given_aoti();
    given("UPDATE delegate_key SET key = 'my_so_blob' WHERE pos = 0");
    expect("data/aoti-key-format",
           "warning delegate 0 (CudaBackend) has key my_so_blob,"
           " which is no digest and _so_blob\n");
}

START_TEST(data_aoti_key_format_is_not_checked_without_digests)
{
    given_aoti();
    given("UPDATE segment SET sha256 = NULL");
    expect_not_checked(
        "data/aoti-key-format",
        "the store has no SHA-256 of blobs: load the program without --no-hash");
}

Suite *cuda_key_rules_suite(void)
{
    Suite *suite = suite_create("cuda key rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, cuda_key_collision_accepts_delegates_that_share_digests);
    tcase_add_test(all, cuda_key_collision_reports_one_key_for_different_data);
    tcase_add_test(all, cuda_key_collision_warns_of_partitions_that_share_a_name);
    tcase_add_test(all, cuda_key_collision_reports_weights_of_two_sizes);
    tcase_add_test(all, cuda_key_missing_accepts_code_in_the_program);
    tcase_add_test(all, cuda_key_missing_reports_code_that_no_file_has);
    tcase_add_test(all, cuda_weights_missing_accepts_weights_in_the_ptd);
    tcase_add_test(all, cuda_weights_missing_accepts_a_partition_without_weights);
    tcase_add_test(all, cuda_weights_missing_warns_while_no_ptd_is_given);
    tcase_add_test(all, cuda_weights_missing_reports_a_ptd_without_them);
    tcase_add_test(all,
                   cuda_weights_missing_only_warns_where_code_was_let_pass_without);
    tcase_add_test(all, data_aoti_key_format_accepts_digests_and_names_of_methods);
    tcase_add_test(all, data_aoti_key_format_accepts_weights_by_name);
    tcase_add_test(all, data_aoti_key_format_reports_other_bytes);
    tcase_add_test(all, data_aoti_key_format_reports_keys_in_the_wrong_order);
    tcase_add_test(all, data_aoti_key_format_warns_of_other_keys);
    tcase_add_test(all, data_aoti_key_format_is_not_checked_without_digests);
    suite_add_tcase(suite, all);
    return suite;
}
