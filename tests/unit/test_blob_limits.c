/* What XNNPACK's runtime does not compute inside of delegates, next to what it does. */
#include "unit/small_blob.h"
#include "unit/suite.h"

static void given_types(const char *datatype)
{
    given_format("UPDATE delegate_value SET datatype = '%s' WHERE id IN (4, 5)",
                 datatype);
}

/* It gives places as value 5, too, whose row is 6. */
static void given_places(void)
{
    given_other("ArgMaxPooling2d", "{\"pooling_height\":1,\"pooling_width\":1,"
                                   "\"padding_top\":0,\"padding_bottom\":0,"
                                   "\"padding_left\":0,\"padding_right\":0}");
    given(
        "INSERT INTO delegate_value (id, graph_id, idx, dtype, datatype, shape, nbytes,"
        "  flags, external_id, node_id) VALUES"
        " (6, 1, 5, 'i32', 'int32', '[1,8,8,4]', 1024, 2, 2, 2);"
        "UPDATE delegate_operand SET name = 'output_value' WHERE node_id = 2"
        "  AND access = 'write';"
        "INSERT INTO " DELEGATE_OPERAND
        " VALUES (2, 2, 'output_index', 5, 6, 'write')");
}

START_TEST(blob_unread_result_accepts_what_the_call_takes_or_a_node_reads)
{
    given_places();
    expect("blob/unread-result", "");
    given("UPDATE delegate_value SET flags = 0 WHERE id = 6;"
          "INSERT INTO " DELEGATE_OPERAND " VALUES (1, 4, 'input2', 5, 6, 'read')");
    expect("blob/unread-result", "");
}

START_TEST(blob_unread_result_reports_places_that_nobody_reads)
{
    given_places();
    given("UPDATE delegate_value SET flags = 0 WHERE id = 6");
    expect("blob/unread-result", "error delegate_0: nobody reads value 5, the"
                                 " output_index of ArgMaxPooling2d_1\n");
    expect_witness("[\"ArgMaxPooling2d_1\"]");
}

/* What nobody reads of others is not computed. */
START_TEST(blob_unread_result_accepts_a_node_whose_only_result_is_unread)
{
    given_blob();
    given("UPDATE delegate_value SET flags = 0 WHERE id = 5");
    expect("blob/unread-result", "");
}

START_TEST(blob_datatype_reports_places_of_codes)
{
    given_places();
    expect("blob/datatype", "");
    given_types("qint8");
    given("DELETE FROM delegate_operand WHERE node_id = 1");
    expect("blob/datatype", "error delegate_0: ArgMaxPooling2d_1 takes qint8\n");
}

START_TEST(blob_datatype_knows_what_takes_integers)
{
    given_other("Abs", "{}");
    given("DELETE FROM delegate_operand WHERE node_id = 1");
    given_types("int32");
    expect("blob/datatype", "");
    given("UPDATE delegate_node SET op = 'Sigmoid' WHERE id = 2");
    expect("blob/datatype", "error delegate_0: Abs_1 takes int32\n");
}

START_TEST(blob_datatype_knows_what_takes_bfloats)
{
    given_other("Sigmoid", "{}");
    given("DELETE FROM delegate_operand WHERE node_id = 1");
    given_types("bf16");
    expect("blob/datatype", "");
    given("UPDATE delegate_node SET op = 'Softmax' WHERE id = 2");
    expect("blob/datatype", "error delegate_0: Sigmoid_1 takes bf16\n");
}

START_TEST(blob_datatype_knows_what_moves_any_bytes)
{
    given_other("StaticReshape", "{\"new_shape\":[1,8,8,4]}");
    given("DELETE FROM delegate_operand WHERE node_id = 1");
    given_types("qcint8");
    expect("blob/datatype", "");
    given_types("qcint4");
    expect("blob/datatype", "error delegate_0: StaticReshape_1 takes qcint4\n");
    given("UPDATE delegate_node SET op = 'Concatenate2' WHERE id = 2");
    expect("blob/datatype", "");
}

/* A newer type may be one that it takes. */
START_TEST(blob_datatype_leaves_a_type_that_is_not_known_to_another_rule)
{
    given_blob();
    given("DELETE FROM delegate_operand WHERE node_id = 1");
    given_types("datatype<15>");
    expect("blob/datatype", "");
}

START_TEST(blob_datatype_knows_what_is_converted)
{
    given_other("Convert", "{}");
    given("UPDATE delegate_value SET datatype = 'int32' WHERE id = 4;"
          "DELETE FROM delegate_operand WHERE node_id = 1");
    expect("blob/datatype", "");
    given("UPDATE delegate_value SET datatype = 'qdint8' WHERE id = 5");
    expect("blob/datatype", "error delegate_0: Convert_1 makes qdint8 of int32\n");
    given("UPDATE delegate_value SET datatype = 'fp16' WHERE id = 4");
    expect("blob/datatype", "");
}

static void given_factors(const char *op, const char *first, const char *second,
                          const char *result)
{
    given_product(op, "[4,4]");
    given_format("UPDATE delegate_value SET datatype = '%s' WHERE id = 4;"
                 "UPDATE delegate_value SET datatype = '%s' WHERE id = 2;"
                 "UPDATE delegate_value SET datatype = '%s' WHERE id = 5",
                 first, second, result);
}

START_TEST(blob_datatype_knows_the_factors_of_products)
{
    given_factors("BatchMatrixMultiply", "bf16", "bf16", "fp32");
    expect("blob/datatype", "");
    given_types("bf16");
    expect("blob/datatype", "error delegate_0: BatchMatrixMultiply_1 takes bf16, and"
                            " its output is bf16\n");
    given("UPDATE delegate_value SET datatype = 'quint8' WHERE id IN (2, 4, 5)");
    expect("blob/datatype", "error delegate_0: BatchMatrixMultiply_1 takes quint8\n");
}

START_TEST(blob_datatype_knows_which_filter_a_layer_takes)
{
    given_factors("FullyConnected", "fp32", "qcint8", "fp32");
    expect("blob/datatype", "");
    given("UPDATE delegate_node SET op = 'Conv2d' WHERE id = 2");
    expect("blob/datatype", "error delegate_0: FullyConnected_1 takes fp32, and its"
                            " filter is qcint8\n");
    given("UPDATE delegate_node SET op = 'Softmax' WHERE id = 2;"
          "UPDATE delegate_value SET datatype = 'fp32' WHERE id = 2");
    expect("blob/datatype", "");
}

START_TEST(blob_datatype_reports_packed_codes_in_rows_of_outputs)
{
    given_factors("FullyConnected", "fp32", "qcint4", "fp32");
    expect("blob/datatype", "");
    given("UPDATE delegate_node SET flags = 1 WHERE id = 2");
    expect("blob/datatype", "error delegate_0: FullyConnected_1 takes fp32, and its"
                            " filter is qcint4, with rows of outputs\n");
    given("UPDATE delegate_value SET datatype = 'qdint8' WHERE id = 4");
    expect("blob/datatype", "");
}

START_TEST(blob_value_type_reports_what_only_the_runtime_makes)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'pfp32' WHERE id = 4");
    expect("blob/value-type", "");
    given("UPDATE delegate_value SET datatype = 'qpint8' WHERE id = 4");
    expect("blob/value-type", "error delegate_0: value 3 is qpint8, which only the"
                              " runtime makes of others\n");
}

START_TEST(blob_external_id_warns_of_an_input_that_is_no_value)
{
    given_blob();
    given("UPDATE delegate_value SET external_id = 2 WHERE id = 5;"
          "UPDATE delegate_graph SET meta = replace(meta, ':2}', ':3}');"
          "INSERT INTO delegate (id, method_id, idx, backend, inside_id)"
          " VALUES (1, 1, 0, 'XnnpackBackend', 1);"
          "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id)"
          " VALUES (1, 1, 0, 'op_0', 'delegate_call', 1);"
          "INSERT INTO operand VALUES (1, 0, 0, NULL, 'read'),"
          " (1, 1, 1, NULL, 'read'), (1, 2, 2, NULL, 'write')");
    expect("blob/external-id",
           "warning delegate_0: 1 of its operands 0 to 2 are no values of it\n");
    given("UPDATE operand SET access = 'write' WHERE pos = 1");
    expect("blob/external-id",
           "error delegate_0: 1 of its operands 0 to 2 are no values of it\n");
}

START_TEST(blob_external_id_warns_of_an_operand_that_no_node_uses)
{
    given_blob();
    given("INSERT INTO delegate_value (id, graph_id, idx, datatype, shape, flags,"
          "  external_id) VALUES (6, 1, 5, 'fp32', '[4]', 0, 0)");
    expect("blob/external-id", "warning delegate_0: value 5 is operand 0, and neither"
                               " input nor output\n");
    given("INSERT INTO " DELEGATE_OPERAND " VALUES (2, 2, 'input2', 5, 6, 'read')");
    expect("blob/external-id",
           "error delegate_0: value 5 is operand 0, and neither input nor output\n");
}

static void given_pool(const char *op, int stride, int top, int bottom, int dilation)
{
    given_format("UPDATE delegate_node SET op = '%s', args = '{\"pooling_height\":2,"
                 "\"pooling_width\":2,\"stride_height\":%d,\"stride_width\":1,"
                 "\"dilation_height\":%d,\"dilation_width\":1,\"padding_top\":%d,"
                 "\"padding_bottom\":%d,\"padding_left\":0,\"padding_right\":0}'"
                 " WHERE id = 2",
                 op, stride, dilation, top, bottom);
}

START_TEST(blob_window_accepts_a_pool_that_reaches_into_its_image)
{
    given_blob();
    given_pool("MaxPooling2d", 1, 1, 1, 1);
    expect("blob/window", "");
    given_pool("MaxPooling2d", 1, 2, 2, 2);
    expect("blob/window", "");
}

START_TEST(blob_window_reports_a_pool_that_begins_in_its_padding)
{
    given_blob();
    given_pool("MaxPooling2d", 1, 2, 0, 1);
    expect("blob/window", "error delegate_0: Clamp_1 has windows of 2, 2 that lie in"
                          " its paddings of 2, 0, 0, 0\n");
    given_pool("AvgPooling2d", 1, 2, 0, 2); /* it has no dilation */
    expect("blob/window", "error delegate_0: Clamp_1 has windows of 2, 2 that lie in"
                          " its paddings of 2, 0, 0, 0\n");
}

/* Eight rows and two of padding: windows begin at 0, 3 and 6, or at 0, 2, 4, 6 and 8.
 */
START_TEST(blob_window_reports_a_pool_that_ends_in_its_padding)
{
    given_blob();
    given_pool("MaxPooling2d", 3, 0, 2, 1);
    expect("blob/window", "");
    given_pool("MaxPooling2d", 2, 0, 2, 1);
    expect("blob/window", "error delegate_0: Clamp_1 has windows of 2, 2 that lie in"
                          " its paddings of 0, 0, 2, 0\n");
}

START_TEST(blob_window_reports_an_adjustment_of_a_whole_stride)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'ConvTranspose2d', args = replace(args,"
          "  '\"subsampling_height\":1', '\"subsampling_height\":2,"
          "\"adjustment_height\":1,\"adjustment_width\":0') WHERE id = 1");
    expect("blob/window", "");
    given("UPDATE delegate_node SET args = replace(args, '\"adjustment_height\":1',"
          "  '\"adjustment_height\":2') WHERE id = 1");
    expect("blob/window", "error delegate_0: Conv2d_0 has an adjustment of 2, 0, which"
                          " is no less than its stride of 2, 1\n");
}

Suite *blob_limits_suite(void)
{
    Suite *suite = suite_create("blob limits");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, blob_unread_result_accepts_what_the_call_takes_or_a_node_reads);
    tcase_add_test(all, blob_unread_result_reports_places_that_nobody_reads);
    tcase_add_test(all, blob_unread_result_accepts_a_node_whose_only_result_is_unread);
    tcase_add_test(all, blob_datatype_reports_places_of_codes);
    tcase_add_test(all, blob_datatype_knows_what_takes_integers);
    tcase_add_test(all, blob_datatype_knows_what_takes_bfloats);
    tcase_add_test(all, blob_datatype_knows_what_moves_any_bytes);
    tcase_add_test(all, blob_datatype_leaves_a_type_that_is_not_known_to_another_rule);
    tcase_add_test(all, blob_datatype_knows_what_is_converted);
    tcase_add_test(all, blob_datatype_knows_the_factors_of_products);
    tcase_add_test(all, blob_datatype_knows_which_filter_a_layer_takes);
    tcase_add_test(all, blob_datatype_reports_packed_codes_in_rows_of_outputs);
    tcase_add_test(all, blob_value_type_reports_what_only_the_runtime_makes);
    tcase_add_test(all, blob_external_id_warns_of_an_input_that_is_no_value);
    tcase_add_test(all, blob_external_id_warns_of_an_operand_that_no_node_uses);
    tcase_add_test(all, blob_window_accepts_a_pool_that_reaches_into_its_image);
    tcase_add_test(all, blob_window_reports_a_pool_that_begins_in_its_padding);
    tcase_add_test(all, blob_window_reports_a_pool_that_ends_in_its_padding);
    tcase_add_test(all, blob_window_reports_an_adjustment_of_a_whole_stride);
    suite_add_tcase(suite, all);
    return suite;
}
