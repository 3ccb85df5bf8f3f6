/* Rules about quantization and constants inside of delegates. */
#include "unit/small_blob.h"
#include "unit/suite.h"

/* y is a matrix with a scale for each group of a row. */
static void given_groups(void)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'qbint4', shape = '[8,64]',"
          " quantization = '{\"type\":\"per_channel_group\",\"channel_dim\":0,"
          "\"group_size\":32,\"scales\":[],\"scale_constant\":3,\"num_scales\":16}'"
          " WHERE id = 4;"
          "INSERT INTO delegate_constant VALUES (1, 3, 's', NULL, NULL, 32)");
}

static void given_scale(const char *scale, int zero_point)
{
    given_blob();
    given_format("UPDATE delegate_value SET datatype = 'qint8', quantization ="
                 " '{\"type\":\"per_tensor\",\"scale\":%s,\"zero_point\":%d}'"
                 " WHERE id = 4",
                 scale, zero_point);
}

START_TEST(blob_quantization_accepts_a_scale_and_the_least_zero_point)
{
    given_scale("1.17549435e-38", -128);
    expect("blob/quantization", "");
}

START_TEST(blob_quantization_reports_a_scale_that_is_not_positive)
{
    given_scale("0.0", 0);
    expect("blob/quantization", "error delegate_0: value 3 has a scale of 0.0\n");
}

START_TEST(blob_quantization_reports_a_scale_that_is_no_number)
{
    given_scale("\"NaN\"", 0);
    expect("blob/quantization", "error delegate_0: value 3 has a scale of NaN\n");
}

START_TEST(blob_quantization_reports_a_zero_point_that_is_no_code)
{
    given_scale("0.5", 128);
    expect("blob/quantization",
           "error delegate_0: value 3 has zero point 128, outside of -128 to 127\n");
}

START_TEST(blob_quantization_reports_too_few_scales)
{
    given_channels();
    expect("blob/quantization", "");
    given("UPDATE delegate_value SET quantization = replace(quantization,"
          " '\"num_scales\":4', '\"num_scales\":3')");
    expect("blob/quantization",
           "warning delegate_0: value 1 has 3 scales for 4 channels\n");
    given("UPDATE delegate_constant SET nbytes = 12 WHERE idx = 3");
    expect("blob/quantization",
           "error delegate_0: value 1 has 3 scales for 4 channels\n");
}

START_TEST(blob_quantization_reports_a_constant_that_is_too_short)
{
    given_channels();
    given("INSERT INTO named_data (artifact_id, idx, key, segment_idx, size_bytes)"
          " VALUES (1, 0, 's', 0, 12)");
    expect("blob/quantization",
           "error delegate_0: value 1 has 4 scales in a constant of 12 bytes\n");
    given("DELETE FROM delegate_constant WHERE idx = 3");
    expect("blob/quantization",
           "error delegate_0: value 1 has its scales in constant 3,"
           " which there is none\n");
}

START_TEST(blob_quantization_reports_scales_outside_of_the_blob)
{
    given_channels();
    given("UPDATE delegate_value SET quantization = '{\"type\":\"per_channel\","
          "\"channel_dim\":0,\"scale_constant\":1,\"num_scales\":4}' WHERE id = 2;"
          "UPDATE delegate_graph SET meta = '{\"constant_bytes\":64}';"
          "UPDATE delegate_constant SET key = NULL, offset = 48, nbytes = 16"
          " WHERE idx = 1");
    expect("blob/quantization", "");
    given("UPDATE delegate_constant SET offset = 9223372036854775807 WHERE idx = 1");
    expect("blob/quantization",
           "error delegate_0: value 1 has its scales in constant 1,"
           " which lies outside of the blob\n");
}

START_TEST(blob_quantization_reports_channels_of_no_dimension)
{
    given_channels();
    given("UPDATE delegate_value SET quantization = replace(quantization,"
          " '\"channel_dim\":0', '\"channel_dim\":4')");
    expect("blob/quantization", "error delegate_0: value 1 has a scale for each of"
                                " dimension 4, and 4 dimensions\n");
}

START_TEST(blob_quantization_reports_a_list_of_scales_that_is_missing)
{
    given_channels();
    given("UPDATE delegate_value SET quantization = replace(quantization,"
          " '\"scales\":[],\"scale_constant\":3,\"num_scales\":4', '\"x\":0')");
    expect("blob/quantization", "error delegate_0: value 1 has no scales\n");
}

START_TEST(blob_quantization_reports_a_scale_of_one_channel)
{
    given_channels();
    given("UPDATE delegate_value SET quantization = '{\"type\":\"per_channel\","
          "\"channel_dim\":0,\"scales\":[0.5,0.5,-0.5,0.5]}' WHERE id = 2");
    expect("blob/quantization",
           "error delegate_0: value 1 has a scale that is not positive\n");
}

START_TEST(blob_quantization_reports_groups_that_do_not_fit)
{
    given_groups();
    expect("blob/quantization", "");
    given("UPDATE delegate_value SET quantization = replace(quantization,"
          " '\"group_size\":32', '\"group_size\":48')");
    expect("blob/quantization",
           "error delegate_0: value 3 has groups of 48 in rows of 64\n");
    given("UPDATE delegate_value SET quantization = replace(quantization,"
          " '\"group_size\":48', '\"group_size\":64')");
    expect("blob/quantization",
           "error delegate_0: value 3 has 16 scales for 8 groups\n");
}

START_TEST(blob_quantization_reports_scales_of_tokens_from_outside)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'qdint8', quantization ="
          " '{\"type\":\"per_token\",\"num_nonbatch_dims\":1}' WHERE id = 4");
    expect("blob/quantization", "");
    given("UPDATE delegate_value SET datatype = 'qdint8', quantization ="
          " '{\"type\":\"per_token\",\"num_nonbatch_dims\":1}' WHERE id = 1;"
          "UPDATE delegate_value SET quantization = replace(quantization, '1}', '5}')"
          " WHERE id = 4");
    expect("blob/quantization",
           "error delegate_0: value 0 has scales that are known when it runs, and it"
           " comes from outside\n"
           "error delegate_0: value 3 has a scale for each 5 dimensions of 4\n");
}

START_TEST(blob_constant_reports_one_that_is_not_there)
{
    given_blob();
    given("UPDATE delegate_value SET constant_idx = 3 WHERE id = 3");
    expect("blob/constant",
           "error delegate_0: value 2 has its bytes in constant 3, which"
           " there is none\n");
}

START_TEST(blob_constant_reports_too_few_bytes)
{
    given_blob();
    given("UPDATE delegate_constant SET nbytes = 428 WHERE idx = 1");
    expect("blob/constant", "error delegate_0: value 1 is fp32[4,3,3,3], 432 bytes;"
                            " constant 1 has 428\n");
}

START_TEST(blob_constant_warns_of_more_bytes_than_a_type_has)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'fp16', nbytes = 216 WHERE id = 2");
    expect("blob/constant", "warning delegate_0: value 1 is fp16[4,3,3,3], 216 bytes;"
                            " constant 1 has 432\n");
}

START_TEST(blob_constant_reports_bytes_outside_of_the_blob)
{
    given_blob();
    given("UPDATE delegate_constant SET offset = 436 WHERE idx = 2");
    expect("blob/constant", "error delegate_0: value 2 has its bytes at 436..452 of the"
                            " constants of the blob, which has 448 bytes of them\n");
}

START_TEST(blob_constant_accepts_bytes_that_are_looked_up)
{
    given_blob();
    given("UPDATE delegate_constant SET offset = NULL, file_offset = NULL,"
          " key = iif(idx = 1, 'w', 'b')");
    expect("blob/constant", "");
    given("INSERT INTO named_data (artifact_id, idx, key, segment_idx, size_bytes)"
          " VALUES (1, 0, 'w', 0, 432)");
    expect("blob/constant", "");
    given("UPDATE named_data SET size_bytes = 16");
    expect("blob/constant", "error delegate_0: value 1 is fp32[4,3,3,3], 432 bytes;"
                            " constant 1 has 16\n");
    given("UPDATE delegate_constant SET key = '' WHERE idx = 1");
    expect("blob/constant",
           "error delegate_0: constant 1 is looked up under an empty key\n");
}

START_TEST(blob_constant_reports_an_input_that_is_one)
{
    given_blob();
    given("UPDATE delegate_value SET flags = 1 WHERE id = 3");
    expect("blob/constant",
           "error delegate_0: value 2 is a constant, and an input or output\n");
}

START_TEST(blob_constant_asks_of_every_format_for_bytes_and_enough_of_them)
{
    static const char *const others[] = {"vulkan", "tosa", "native", "mlx"};

    given_blob();
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        given_format("UPDATE delegate_graph SET format = '%s'", others[i]);
        expect("blob/constant", "");
        given("UPDATE delegate_value SET constant_idx = 3 WHERE id = 3;"
              "UPDATE delegate_value SET nbytes = 433 WHERE id = 2");
        expect("blob/constant",
               "error delegate_0: value 1 is fp32[4,3,3,3], 433 bytes; constant 1 has"
               " 432\n"
               "error delegate_0: value 2 has its bytes in constant 3, which there is"
               " none\n");
        given("UPDATE delegate_value SET constant_idx = 2 WHERE id = 3;"
              "UPDATE delegate_value SET nbytes = 431 WHERE id = 2");
        expect("blob/constant", "");
        given("UPDATE delegate_constant SET offset = 433 WHERE idx = 2");
        expect("blob/constant",
               "error delegate_0: value 2 has its bytes at 433..449 of the constants of"
               " the blob, which has 448 bytes of them\n");
        given("UPDATE delegate_constant SET offset = 432 WHERE idx = 2");
    }
}

START_TEST(blob_constant_leaves_to_another_rule_what_a_format_reads_of_a_key)
{
    given_blob();
    given("UPDATE delegate_graph SET format = 'vulkan';"
          "UPDATE delegate_constant SET offset = NULL, file_offset = NULL,"
          "  nbytes = iif(idx = 1, 432, 16), key = iif(idx = 1, 'w', 'b');"
          "INSERT INTO named_data (artifact_id, idx, key, segment_idx, size_bytes)"
          " VALUES (1, 0, 'w', 0, 431)");
    expect("blob/constant", "");
    given("UPDATE delegate_constant SET nbytes = 431 WHERE idx = 1");
    expect("blob/constant", "error delegate_0: value 1 is fp32[4,3,3,3], 432 bytes;"
                            " constant 1 has 431\n");
}

START_TEST(blob_constant_reports_sizes_that_overflow)
{
    given_blob();
    given("UPDATE delegate_graph SET format = 'vulkan';"
          "UPDATE delegate_value SET shape = '[4294967295,4294967295]', nbytes = NULL"
          " WHERE id = 2");
    expect(
        "blob/constant",
        "error delegate_0: value 1 is fp32[4294967295,4294967295], more bytes than can"
        " be counted; constant 1 has 432\n");
    given("UPDATE delegate_value SET shape = '[4294967295,-1]' WHERE id = 2");
    expect("blob/constant", "");
    given("UPDATE delegate_value SET shape = '[4]', quantization = '{}' WHERE id = 2");
    expect("blob/constant", "");
    given("UPDATE delegate_value SET dtype = NULL, quantization = NULL WHERE id = 2");
    expect("blob/constant", "");
}

START_TEST(blob_quantization_reports_what_is_no_scale_in_a_constant)
{
    given_channels();
    given("UPDATE delegate_value SET quantization = json_set(quantization,"
          " '$.least_scale', 0.5, '$.most_scale', 2.0, '$.wrong_scales', 0)"
          " WHERE id = 2");
    expect("blob/quantization", "");
    given("UPDATE delegate_value SET quantization = json_set(quantization,"
          " '$.wrong_scales', 2) WHERE id = 2");
    expect("blob/quantization",
           "error delegate_0: value 1 has 2 of 4 scales that are not positive\n");
}

Suite *blob_value_rules_suite(void)
{
    Suite *suite = suite_create("blob value rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, blob_quantization_accepts_a_scale_and_the_least_zero_point);
    tcase_add_test(all, blob_quantization_reports_a_scale_that_is_not_positive);
    tcase_add_test(all, blob_quantization_reports_a_scale_that_is_no_number);
    tcase_add_test(all, blob_quantization_reports_a_zero_point_that_is_no_code);
    tcase_add_test(all, blob_quantization_reports_too_few_scales);
    tcase_add_test(all, blob_quantization_reports_a_constant_that_is_too_short);
    tcase_add_test(all, blob_quantization_reports_scales_outside_of_the_blob);
    tcase_add_test(all, blob_quantization_reports_channels_of_no_dimension);
    tcase_add_test(all, blob_quantization_reports_a_list_of_scales_that_is_missing);
    tcase_add_test(all, blob_quantization_reports_a_scale_of_one_channel);
    tcase_add_test(all, blob_quantization_reports_groups_that_do_not_fit);
    tcase_add_test(all, blob_quantization_reports_scales_of_tokens_from_outside);
    tcase_add_test(all, blob_constant_reports_one_that_is_not_there);
    tcase_add_test(all, blob_constant_reports_too_few_bytes);
    tcase_add_test(all, blob_constant_warns_of_more_bytes_than_a_type_has);
    tcase_add_test(all, blob_constant_reports_bytes_outside_of_the_blob);
    tcase_add_test(all, blob_constant_accepts_bytes_that_are_looked_up);
    tcase_add_test(all, blob_constant_reports_an_input_that_is_one);
    tcase_add_test(all,
                   blob_constant_asks_of_every_format_for_bytes_and_enough_of_them);
    tcase_add_test(all,
                   blob_constant_leaves_to_another_rule_what_a_format_reads_of_a_key);
    tcase_add_test(all, blob_constant_reports_sizes_that_overflow);
    tcase_add_test(all, blob_quantization_reports_what_is_no_scale_in_a_constant);
    suite_add_tcase(suite, all);
    return suite;
}
