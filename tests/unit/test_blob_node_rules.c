/* Rules about nodes inside of delegates: kinds, ranges, windows, weights. */
#include "unit/small_blob.h"
#include "unit/suite.h"

START_TEST(blob_node_kind_reports_attention)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'ScaledDotProductAttention', name ="
          " 'ScaledDotProductAttention_1' WHERE id = 2");
    expect("blob/node-kind",
           "error delegate_0: ScaledDotProductAttention_1 is of a kind"
           " that no runtime can run\n");
}

START_TEST(blob_node_kind_warns_of_one_that_is_newer)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'node<48>', name = 'node<48>_1' WHERE id = 2");
    expect("blob/node-kind",
           "warning delegate_0: node<48>_1 is of a kind that is not known\n");
    given("DELETE FROM delegate_operand WHERE node_id = 2");
    expect("blob/value-written", ""); /* it may write z */
    expect("blob/output-range", "");
}

START_TEST(blob_node_kind_reports_what_has_none)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'node<0>', name = 'node<0>_1' WHERE id = 2");
    expect("blob/node-kind", "error delegate_0: node<0>_1 is empty\n");
}

START_TEST(blob_output_range_reports_one_that_is_empty)
{
    given_blob();
    given("UPDATE delegate_node SET output_min = 7.0 WHERE id = 2");
    expect("blob/output-range",
           "error delegate_0: Clamp_1 clamps its result to 7.0..6.0\n");
    given("UPDATE delegate_node SET output_min = 'NaN' WHERE id = 2");
    expect("blob/output-range",
           "error delegate_0: Clamp_1 clamps its result to NaN..6.0\n");
    given("UPDATE delegate_node SET output_min = 6.0 WHERE id = 2");
    expect("blob/output-range", "");
}

START_TEST(blob_output_range_reports_one_that_half_precision_closes)
{
    given_blob();
    given("UPDATE delegate_node SET output_min = 2048.0, output_max = 2048.9"
          " WHERE id = 1;"
          "UPDATE delegate_value SET datatype = 'fp16'");
    expect("blob/output-range", "error delegate_0: Conv2d_0 clamps its result to"
                                " 2048.0..2048.9, which are one number in half"
                                " precision\n");
    given("UPDATE delegate_node SET output_max = 2049.1 WHERE id = 1");
    expect("blob/output-range", "");
    given("UPDATE delegate_node SET output_min = 65520.0, output_max = 9e999"
          " WHERE id = 1");
    expect("blob/output-range", "error delegate_0: Conv2d_0 clamps its result to"
                                " 65520.0..Inf, which are one number in half"
                                " precision\n");
}

START_TEST(blob_output_range_accepts_one_number_of_kinds_that_do_not_round)
{
    given_blob();
    given("UPDATE delegate_node SET output_min = 2048.0, output_max = 2048.9");
    expect("blob/output-range", "");
    given("UPDATE delegate_value SET datatype = 'fp16';"
          "UPDATE delegate_node SET op = 'FullyConnected'");
    expect("blob/output-range", "");
}

START_TEST(blob_output_range_warns_of_a_kind_that_never_clamps)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'Tanh', name = 'Tanh_1' WHERE id = 2");
    expect("blob/output-range", "warning delegate_0: Tanh_1 is to clamp its result to"
                                " 0.0..6.0, and this kind never does\n");
    given("UPDATE delegate_node SET output_min = -9e999, output_max = 9e999"
          " WHERE id = 2");
    expect("blob/output-range", "");
}

START_TEST(blob_window_reports_one_that_never_moves)
{
    given_args("\"subsampling_height\":1", "\"subsampling_height\":0");
    expect("blob/window", "error delegate_0: Conv2d_0 has a stride of 0, 1\n");
}

START_TEST(blob_window_reports_an_empty_one)
{
    given_args("\"kernel_width\":3", "\"kernel_width\":0");
    expect("blob/window", "error delegate_0: Conv2d_0 has a window of 3, 0\n");
}

START_TEST(blob_window_reports_a_dilation_of_nothing)
{
    given_args("\"dilation_height\":1", "\"dilation_height\":0");
    expect("blob/window", "error delegate_0: Conv2d_0 has a dilation of 0, 1\n");
}

START_TEST(blob_window_reports_groups_of_no_channels)
{
    given_args("\"group_input_channels\":3", "\"group_input_channels\":0");
    expect("blob/window",
           "error delegate_0: Conv2d_0 has 1 groups of 0 channels that make 4\n");
}

START_TEST(blob_window_reports_paddings_beside_the_flag_that_finds_them)
{
    given_blob();
    given("UPDATE delegate_node SET flags = 4 WHERE id = 1");
    expect("blob/window", "error delegate_0: Conv2d_0 has paddings, and is to pad as"
                          " much as it takes\n");
}

/* Pools average over what is near. */
START_TEST(blob_window_accepts_a_pool_that_says_no_dilation)
{
    given_args("\"dilation_height\":1", "\"dilation_height\":0");
    given("UPDATE delegate_node SET op = 'AvgPooling2d' WHERE id = 1");
    expect("blob/window", "");
}

START_TEST(blob_weights_reports_a_filter_of_other_channels)
{
    given_args("\"group_output_channels\":4", "\"group_output_channels\":8");
    expect("blob/weights", "error delegate_0: Conv2d_0 has a filter of [4,3,3,3], and"
                           " makes [8,3,3,3] of it\n");
}

START_TEST(blob_weights_reports_a_bias_of_other_channels)
{
    given_blob();
    given("UPDATE delegate_value SET shape = '[3]' WHERE id = 3");
    expect("blob/weights",
           "warning delegate_0: Conv2d_0 has a bias of [3] for 4 channels\n");
}

START_TEST(blob_weights_accepts_filters_of_depthwise_convolutions)
{
    given_args("\"group_input_channels\":3,\"group_output_channels\":4,\"groups\":1",
               "\"group_input_channels\":1,\"group_output_channels\":2,\"groups\":3");
    given("UPDATE delegate_node SET op = 'DepthwiseConv2d' WHERE id = 1;"
          "UPDATE delegate_value SET shape = '[1,3,3,6]' WHERE id = 2;"
          "UPDATE delegate_value SET shape = '[6]' WHERE id = 3");
    expect("blob/weights", "");
    given("UPDATE delegate_value SET shape = '[1,3,3,3]' WHERE id = 2");
    expect("blob/weights", "error delegate_0: Conv2d_0 has a filter of [1,3,3,3], and"
                           " makes [1,3,3,6] of it\n");
}

/* Scales of a filter go with the channels that are made. */
START_TEST(blob_weights_reports_scales_of_another_dimension)
{
    given_blob();
    given("UPDATE delegate_value SET quantization = '{\"type\":\"per_channel\","
          "\"channel_dim\":0,\"scales\":[1,1,1,1]}' WHERE id = 2");
    expect("blob/weights", "");
    given("UPDATE delegate_value SET quantization = replace(quantization,"
          " 'dim\":0', 'dim\":3')");
    expect("blob/weights",
           "error delegate_0: Conv2d_0 has a scale for each of dimension 3"
           " of its filter, and takes them for dimension 0\n");
}

START_TEST(blob_weights_takes_scales_where_the_channels_of_a_matrix_are)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'FullyConnected' WHERE id = 1;"
          "UPDATE delegate_value SET shape = '[4,4]',"
          " quantization = '{\"type\":\"per_channel\",\"channel_dim\":0,"
          "\"scales\":[1,1,1,1]}' WHERE id = 2;"
          "UPDATE delegate_value SET shape = '[4]' WHERE id = 3");
    expect("blob/weights", "");
    given("UPDATE delegate_node SET flags = 1 WHERE id = 1");
    expect("blob/weights",
           "error delegate_0: Conv2d_0 has a scale for each of dimension 0"
           " of its filter, and takes them for dimension 1\n");
}

START_TEST(blob_weights_accepts_a_matrix_either_way)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'FullyConnected' WHERE id = 1;"
          "UPDATE delegate_value SET shape = '[4,3]' WHERE id = 2");
    expect("blob/weights", "");
    given("UPDATE delegate_node SET flags = 1 WHERE id = 1");
    expect("blob/weights",
           "warning delegate_0: Conv2d_0 has a bias of [4] for 3 channels\n");
    given("UPDATE delegate_value SET shape = '[3,4]' WHERE id = 2");
    expect("blob/weights", "");
}

START_TEST(blob_window_reports_numbers_that_nobody_means)
{
    given_args("\"dilation_height\":1", "\"dilation_height\":4294967295");
    expect("blob/window", "error delegate_0: Conv2d_0 has a number of 4294967295\n");
}

START_TEST(blob_output_range_reports_a_pool_with_one_result)
{
    given_blob();
    given(
        "UPDATE delegate_node SET op = 'MaxPooling2d', output_max = 0.0 WHERE id = 2");
    expect("blob/output-range",
           "error delegate_0: Clamp_1 clamps its result to 0.0..0.0\n");
}

START_TEST(blob_flags_reports_those_that_a_convolution_refuses)
{
    given_blob();
    given("UPDATE delegate_node SET flags = 5 WHERE id = 1");
    expect("blob/flags",
           "error delegate_0: Conv2d_0 has flags 5, of which 1 mean nothing\n");
}

START_TEST(blob_flags_warns_of_those_that_are_overlooked)
{
    given_blob();
    given("UPDATE delegate_node SET flags = 1 WHERE id = 2");
    expect("blob/flags",
           "warning delegate_0: Clamp_1 has flags 1, of which 1 mean nothing\n");
    given("UPDATE delegate_node SET op = 'FullyConnected' WHERE id = 2");
    expect("blob/flags", "");
}

START_TEST(blob_datatype_reports_operands_of_two_types)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'fp16' WHERE id = 5");
    expect("blob/datatype",
           "error delegate_0: Clamp_1 has operands of fp32 and fp16\n");
    expect_witness("[\"Clamp_1\"]");
    given("UPDATE delegate_node SET op = 'Convert' WHERE id = 2");
    expect("blob/datatype", "");
}

START_TEST(blob_datatype_reports_a_bias_of_codes_beside_floats)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'qint32' WHERE id = 3");
    expect("blob/datatype",
           "error delegate_0: Conv2d_0 takes fp32, and its bias is qint32\n");
}

START_TEST(blob_datatype_accepts_codes_with_a_bias_of_codes)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'qint8', quantization ="
          " '{\"type\":\"per_tensor\",\"scale\":0.5,\"zero_point\":0}';"
          "UPDATE delegate_value SET datatype = 'qint32' WHERE id = 3");
    expect("blob/datatype", "");
    given("UPDATE delegate_value SET quantization = replace(quantization, ':0}', ':3}')"
          " WHERE id = 2");
    expect("blob/datatype",
           "error delegate_0: Conv2d_0 has a filter with zero point 3\n");
}

START_TEST(blob_datatype_reports_codes_that_change_their_meaning)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'MaxPooling2d' WHERE id = 2;"
          "UPDATE delegate_value SET datatype = 'qint8', quantization = '{\"a\":1}';"
          "UPDATE delegate_value SET datatype = 'qint32' WHERE id = 3");
    expect("blob/datatype", "");
    given("UPDATE delegate_value SET quantization = '{\"a\":2}' WHERE id = 5");
    expect("blob/datatype", "error delegate_0: Clamp_1 moves codes, from {\"a\":1} to"
                            " {\"a\":2}\n");
}

Suite *blob_node_rules_suite(void)
{
    Suite *suite = suite_create("blob node rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, blob_node_kind_reports_attention);
    tcase_add_test(all, blob_node_kind_warns_of_one_that_is_newer);
    tcase_add_test(all, blob_node_kind_reports_what_has_none);
    tcase_add_test(all, blob_output_range_reports_one_that_is_empty);
    tcase_add_test(all, blob_output_range_reports_one_that_half_precision_closes);
    tcase_add_test(all,
                   blob_output_range_accepts_one_number_of_kinds_that_do_not_round);
    tcase_add_test(all, blob_output_range_warns_of_a_kind_that_never_clamps);
    tcase_add_test(all, blob_window_reports_one_that_never_moves);
    tcase_add_test(all, blob_window_reports_an_empty_one);
    tcase_add_test(all, blob_window_reports_a_dilation_of_nothing);
    tcase_add_test(all, blob_window_reports_groups_of_no_channels);
    tcase_add_test(all, blob_window_reports_paddings_beside_the_flag_that_finds_them);
    tcase_add_test(all, blob_window_accepts_a_pool_that_says_no_dilation);
    tcase_add_test(all, blob_weights_reports_a_filter_of_other_channels);
    tcase_add_test(all, blob_weights_reports_a_bias_of_other_channels);
    tcase_add_test(all, blob_weights_accepts_filters_of_depthwise_convolutions);
    tcase_add_test(all, blob_weights_accepts_a_matrix_either_way);
    tcase_add_test(all, blob_weights_reports_scales_of_another_dimension);
    tcase_add_test(all, blob_weights_takes_scales_where_the_channels_of_a_matrix_are);
    tcase_add_test(all, blob_window_reports_numbers_that_nobody_means);
    tcase_add_test(all, blob_output_range_reports_a_pool_with_one_result);
    tcase_add_test(all, blob_flags_reports_those_that_a_convolution_refuses);
    tcase_add_test(all, blob_flags_warns_of_those_that_are_overlooked);
    tcase_add_test(all, blob_datatype_reports_operands_of_two_types);
    tcase_add_test(all, blob_datatype_reports_a_bias_of_codes_beside_floats);
    tcase_add_test(all, blob_datatype_accepts_codes_with_a_bias_of_codes);
    tcase_add_test(all, blob_datatype_reports_codes_that_change_their_meaning);
    suite_add_tcase(suite, all);
    return suite;
}
