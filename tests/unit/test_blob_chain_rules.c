/* Rules about nodes inside of delegates that XNNPACK makes one, or runs otherwise. */
#include "unit/small_blob.h"
#include "unit/suite.h"

START_TEST(blob_rescale_looks_at_the_largest_scale_of_a_filter)
{
    given_channels();
    given("UPDATE delegate_value SET quantization = '{\"scale\":2.0}' WHERE id = 1;"
          "UPDATE delegate_value SET quantization = '{\"scale\":1.0}' WHERE id = 4;"
          "UPDATE delegate_value SET quantization = json_set(quantization,"
          " '$.most_scale', 127.0) WHERE id = 2");
    expect("blob/rescale", "");
    given("UPDATE delegate_value SET quantization = json_set(quantization,"
          " '$.most_scale', 128.0) WHERE id = 2");
    expect("blob/rescale", "error delegate_0: Conv2d_0 turns a sum into codes with 256;"
                           " less than 256 is possible\n");
    given("UPDATE delegate_value SET quantization = json_remove(json_set(quantization,"
          " '$.scales', json('[1.0,128.0]')), '$.most_scale') WHERE id = 2");
    expect("blob/rescale", "error delegate_0: Conv2d_0 turns a sum into codes with 256;"
                           " less than 256 is possible\n");
}

START_TEST(blob_rescale_reports_scales_that_are_too_far_apart)
{
    given_blob();
    given("UPDATE delegate_value SET quantization ="
          " '{\"type\":\"per_tensor\",\"scale\":16.0,\"zero_point\":0}'"
          " WHERE id IN (1, 2);"
          "UPDATE delegate_value SET quantization ="
          " '{\"type\":\"per_tensor\",\"scale\":1.0,\"zero_point\":0}' WHERE id = 4");
    expect("blob/rescale", "error delegate_0: Conv2d_0 turns a sum into codes with 256;"
                           " less than 256 is possible\n");
    given("UPDATE delegate_value SET quantization = replace(quantization, '16.0', "
          "'15.9')");
    expect("blob/rescale", "");
}

/* A pool of codes and a clamp behind it. */
static void given_pool(const char *scale)
{
    rules_close();
    rules_open();
    given_blob();
    given_format(
        "UPDATE delegate_node SET op = 'MaxPooling2d', name = 'MaxPooling2d_0' WHERE"
        " id = 1; UPDATE delegate_value SET quantization = '{\"type\":\"per_tensor\","
        "\"scale\":0.5,\"zero_point\":0}', datatype = 'qint8' WHERE id = 4; UPDATE"
        " delegate_value SET datatype = 'qint8', quantization = "
        "'{\"type\":\"per_tensor\",\"scale\":%s,\"zero_point\":0}' "
        "WHERE"
        " id = 5",
        scale);
}

START_TEST(blob_merged_clamp_reports_a_pool_whose_codes_are_taken_for_others)
{
    given_pool("0.25");
    expect("blob/merged-clamp",
           "error delegate_0: Clamp_1 clamps what MaxPooling2d_0 gives, from scale 0.5"
           " and zero point 0 to 0.25 and 0\n");
}

START_TEST(blob_merged_clamp_accepts_what_is_not_merged)
{
    given_pool("0.5");
    expect("blob/merged-clamp", "");
    given_pool("0.25");
    given("UPDATE delegate_node SET op = 'Conv2d' WHERE id = 1");
    expect("blob/merged-clamp", "");
    given_pool("0.25");
    given("UPDATE delegate_value SET flags = 2 WHERE id = 4");
    expect("blob/merged-clamp", "");
    given_pool("0.25");
    given("INSERT INTO delegate_node SELECT 3, graph_id, 2, 'Copy_2', 'Copy', args,"
          " flags, NULL, NULL, NULL FROM delegate_node WHERE id = 2;"
          "INSERT INTO delegate_value SELECT 6, graph_id, 6, dtype, datatype, shape,"
          " nbytes, 2, 2, NULL, 3, quantization, NULL FROM delegate_value WHERE id = 4;"
          "INSERT INTO " DELEGATE_OPERAND " VALUES (3, 0, 'input', 3, 4, 'read'),"
          " (3, 1, 'output', 6, 6, 'write')");
    expect("blob/merged-clamp", "");
}

/* Node 2 is a Clamp of value 4 to value 5; node 3 reads that. */
static void given_reader(const char *op, const char *scale)
{
    given_format(
        "INSERT INTO delegate_node SELECT 3, graph_id, 2, '%s_2', '%s', args, flags,"
        " NULL, NULL, NULL FROM delegate_node WHERE id = 2;"
        "INSERT INTO delegate_value SELECT 6, graph_id, 6, dtype, datatype, shape,"
        " nbytes, 2, 1, NULL, 3, '{\"type\":\"per_tensor\",\"scale\":%s,"
        "\"zero_point\":0}', NULL FROM delegate_value WHERE id = 5;"
        "UPDATE delegate_value SET flags = 0, external_id = NULL, datatype = 'qint8'"
        " WHERE id = 5;"
        "INSERT INTO " DELEGATE_OPERAND " VALUES (3, 0, 'input', 5, 5, 'read'),"
        " (3, 1, 'output', 6, 6, 'write')",
        op, op, scale);
}

/* A chain of functions on codes is a table, and its clamp is none. */
START_TEST(blob_merged_clamp_knows_tables)
{
    given_pool("0.25");
    given_reader("Tanh", "0.0078125");
    expect("blob/merged-clamp", "");
    given_pool("0.25");
    given_reader("MaxPooling2d", "0.25");
    expect("blob/merged-clamp",
           "error delegate_0: Clamp_1 clamps what MaxPooling2d_0 gives, from scale 0.5"
           " and zero point 0 to 0.25 and 0\n");
}

START_TEST(blob_merged_clamp_takes_a_maximum_with_a_number_for_a_clamp)
{
    static const char *const shapes[] = {"[1]", "[2]"};

    for (int i = 0; i < 2; i++) {
        given_pool("0.25");
        given_format("UPDATE delegate_node SET op = 'Maximum', name = 'Maximum_1' WHERE"
                     " id = 2; INSERT INTO delegate_value SELECT 7, graph_id, 7, dtype,"
                     " datatype, '%s', 1, 0, NULL, 1, NULL, quantization, NULL FROM"
                     " delegate_value WHERE id = 4;"
                     "INSERT INTO " DELEGATE_OPERAND
                     " VALUES (2, 5, 'input2', 7, 7, 'read')",
                     shapes[i]);
        expect("blob/merged-clamp",
               i ? ""
                 : "error delegate_0: Maximum_1 clamps what MaxPooling2d_0 gives, from"
                   " scale 0.5 and zero point 0 to 0.25 and 0\n");
    }
}

/* Node 2 and `n` behind it are functions on codes. */
static void given_functions(int n)
{
    given_pool("0.25");
    for (int i = 0; i < n; i++)
        given_format(
            "INSERT INTO delegate_node SELECT %d, graph_id, %d, 'Tanh_%d', 'Tanh', "
            "args,"
            " flags, NULL, NULL, NULL FROM delegate_node WHERE id = 2;"
            "INSERT INTO delegate_value SELECT %d, graph_id, %d, dtype, 'qint8', shape,"
            " nbytes, %d, NULL, NULL, %d, quantization, NULL FROM delegate_value WHERE"
            " id = 5; UPDATE delegate_value SET flags = 0, datatype = 'qint8' WHERE"
            " id = %d; INSERT INTO " DELEGATE_OPERAND " VALUES (%d, 0, 'input', %d, %d,"
            " 'read'), (%d, 1, 'output', %d, %d, 'write')",
            i + 3, i + 2, i + 2, i + 6, i + 6, 2 * (i == n - 1), i + 3, i + 5, i + 3,
            i + 5, i + 5, i + 3, i + 6, i + 6);
}

START_TEST(blob_long_chain_reports_ten_functions_on_codes)
{
    given_functions(9);
    expect("blob/long-chain", "error delegate_0: ten functions of codes follow one"
                              " another, from Clamp_1 to Tanh_10\n");
}

START_TEST(blob_long_chain_accepts_nine_and_what_others_read)
{
    given_functions(8);
    expect("blob/long-chain", "");
    given_functions(9);
    given("UPDATE delegate_value SET flags = 2 WHERE id = 9");
    expect("blob/long-chain", "");
}

START_TEST(blob_long_chain_sees_through_copies)
{
    given_functions(9);
    given("UPDATE delegate_node SET op = 'Copy' WHERE id = 1;"
          "DELETE FROM delegate_operand WHERE node_id = 1 AND pos IN (1, 2);"
          "UPDATE delegate_node SET op = 'Maximum' WHERE id = 3;"
          "INSERT INTO " DELEGATE_OPERAND " VALUES (3, 2, 'input2', 0, 1, 'read')");
    expect("blob/long-chain", "error delegate_0: ten functions of codes follow one"
                              " another, from Clamp_1 to Tanh_10\n");
    given("UPDATE delegate_value SET flags = 2 WHERE id = 4");
    expect("blob/long-chain", "");
}

/* x -> Conv2d_0, which is a Copy, -> Clamp_1, which reads it twice. */
static void given_copy(void)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'Copy', name = 'Copy_0' WHERE id = 1;"
          "DELETE FROM delegate_operand WHERE node_id = 1 AND pos IN (1, 2);"
          "UPDATE delegate_node SET op = 'Multiply', name = 'Multiply_1' WHERE id = 2;"
          "INSERT INTO " DELEGATE_OPERAND " VALUES (2, 2, 'input2', 3, 4, 'read')");
}

START_TEST(blob_copy_read_twice_reports_a_copy_of_what_a_call_passes)
{
    given_copy();
    expect("blob/copy-read-twice",
           "error delegate_0: Multiply_1 reads what Copy_0 gives more than once\n");
    expect_witness("[\"Multiply_1\",\"Copy_0\"]");
}

START_TEST(blob_copy_read_twice_accepts_what_is_read_once_and_what_gives_way)
{
    given_copy();
    given("DELETE FROM delegate_operand WHERE name = 'input2'");
    expect("blob/copy-read-twice", "");
    rules_close();
    rules_open();
    given_blob(); /* another node gives what is copied, and nobody else reads it */
    given("UPDATE delegate_node SET op = 'Abs' WHERE id = 1;"
          "DELETE FROM delegate_operand WHERE node_id = 1 AND pos IN (1, 2);"
          "UPDATE delegate_node SET op = 'Copy', name = 'Copy_0' WHERE id = 2;"
          "INSERT INTO delegate_node SELECT 3, graph_id, 2, 'Multiply_1', 'Multiply',"
          "  args, flags, NULL, NULL, NULL FROM delegate_node WHERE id = 2;"
          "INSERT INTO delegate_value SELECT 6, graph_id, 5, dtype, datatype, shape,"
          "  nbytes, 2, 1, NULL, 3, NULL, NULL FROM delegate_value WHERE id = 5;"
          "UPDATE delegate_value SET flags = 0, external_id = NULL WHERE id = 5;"
          "INSERT INTO " DELEGATE_OPERAND " VALUES (3, 0, 'input1', 4, 5, 'read'),"
          " (3, 1, 'output', 5, 6, 'write'), (3, 2, 'input2', 4, 5, 'read')");
    expect("blob/copy-read-twice", "");
    given("UPDATE delegate_value SET flags = 2 WHERE id = 4");
    expect("blob/copy-read-twice",
           "error delegate_0: Multiply_1 reads what Copy_0 gives more than once\n");
}

START_TEST(blob_odd_row_reports_what_the_runtime_reads_elsewhere)
{
    given_blob();
    given(
        "UPDATE delegate_node SET op = 'FullyConnected' WHERE id = 1;"
        "UPDATE delegate_value SET datatype = 'qcint4', dtype = 'i4', shape = '[4,8]',"
        " quantization = '{\"type\":\"per_channel\"}' WHERE id = 2");
    expect("blob/odd-row", "");
    given("UPDATE delegate_value SET shape = '[1,9]' WHERE id = 2");
    expect("blob/odd-row", "");
    given("UPDATE delegate_value SET shape = '[4,9]' WHERE id = 2");
    expect("blob/odd-row",
           "error delegate_0: Conv2d_0 has rows of 9 weights of 4 bits: the"
           " runtime reads one directly behind the other, and each is"
           " written from a whole byte on\n");
    expect_witness("[\"Conv2d_0\"]");
}

Suite *blob_chain_rules_suite(void)
{
    Suite *suite = suite_create("blob chain rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, blob_rescale_looks_at_the_largest_scale_of_a_filter);
    tcase_add_test(all, blob_rescale_reports_scales_that_are_too_far_apart);
    tcase_add_test(all,
                   blob_merged_clamp_reports_a_pool_whose_codes_are_taken_for_others);
    tcase_add_test(all, blob_merged_clamp_accepts_what_is_not_merged);
    tcase_add_test(all, blob_merged_clamp_knows_tables);
    tcase_add_test(all, blob_long_chain_reports_ten_functions_on_codes);
    tcase_add_test(all, blob_long_chain_accepts_nine_and_what_others_read);
    tcase_add_test(all, blob_long_chain_sees_through_copies);
    tcase_add_test(all, blob_copy_read_twice_reports_a_copy_of_what_a_call_passes);
    tcase_add_test(all,
                   blob_copy_read_twice_accepts_what_is_read_once_and_what_gives_way);
    tcase_add_test(all, blob_merged_clamp_takes_a_maximum_with_a_number_for_a_clamp);
    tcase_add_test(all, blob_odd_row_reports_what_the_runtime_reads_elsewhere);
    suite_add_tcase(suite, all);
    return suite;
}
