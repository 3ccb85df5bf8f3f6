/* Rules about what is inside of delegates, against one small blob. */
#include "unit/small_blob.h"
#include "unit/suite.h"

/* Its filter has a scale for each channel. */
static void given_channels(void)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'qcint8', quantization ="
          " '{\"type\":\"per_channel\",\"channel_dim\":0,\"scales\":[],"
          "\"scale_constant\":3,\"num_scales\":4}' WHERE id = 2;"
          "INSERT INTO delegate_constant VALUES (1, 3, 's', NULL, NULL, 16)");
}

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

START_TEST(a_sound_blob_breaks_no_rule)
{
    given_blob();
    expect("blob/value-unique", "");
    expect("blob/value-defined", "");
    expect("blob/value-written", "");
    expect("blob/acyclic", "");
    expect("blob/external-id", "");
    expect("blob/value-type", "");
    expect("blob/quantization", "");
    expect("blob/constant", "");
    expect("blob/node-kind", "");
    expect("blob/output-range", "");
    expect("blob/window", "");
    expect("blob/weights", "");
    expect("blob/flags", "");
    expect("blob/datatype", "");
    expect("blob/rescale", "");
    expect("blob/odd-row", "");
    expect("blob/merged-clamp", "");
    expect("blob/shape", "");
}

/* What XNNPACK's runtime asks for is no fault of others. */
START_TEST(rules_about_xnnpack_leave_other_formats_alone)
{
    static const char *const rules[] = {
        "blob/value-unique",   "blob/value-defined", "blob/value-written",
        "blob/external-id",    "blob/value-type",    "blob/quantization",
        "blob/constant",       "blob/node-kind",     "blob/output-range",
        "blob/window",         "blob/weights",       "blob/flags",
        "blob/datatype",       "blob/rescale",       "blob/odd-row",
        "blob/shape",          "blob/merged-clamp",  "blob/long-chain",
        "blob/copy-read-twice", "blob/pixel-scales"};

    given_blob();
    given("UPDATE delegate_graph SET format = 'tosa';"
          "UPDATE delegate_value SET idx = 3, datatype = 'datatype<9>' WHERE id = 5;"
          "UPDATE delegate_node SET flags = 4095, op = 'node<200>', output_min = 2,"
          "  output_max = 1;"
          "UPDATE delegate_value SET shape = NULL, nbytes = 431 WHERE id = 2;"
          "UPDATE delegate_value SET constant_idx = 2, nbytes = 16 WHERE id = 5");
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        expect(rules[i], "");
}

START_TEST(blob_value_defined_holds_for_every_format)
{
    given_blob();
    given("UPDATE delegate_graph SET format = 'tosa';"
          "UPDATE delegate_operand SET value_idx = 9, value_id = NULL"
          " WHERE name = 'bias'");
    expect("blob/value-defined", "error delegate_0: Conv2d_0 names value 9 as its bias,"
                                 " and the blob defines none of that number\n");
}

START_TEST(blob_value_defined_says_the_name_where_the_format_names_values)
{
    given_blob();
    given("UPDATE delegate_graph SET format = 'tosa';"
          "UPDATE delegate_operand SET value_idx = 9, value_id = NULL,"
          "  missing = 'conv_bias' WHERE name = 'bias'");
    expect("blob/value-defined",
           "error delegate_0: Conv2d_0 names value conv_bias as its bias, and the blob"
           " defines none of that name\n");
}

START_TEST(blob_value_unique_reports_two_of_one_number)
{
    given_blob();
    given("UPDATE delegate_value SET idx = 3 WHERE id = 5");
    expect("blob/value-unique", "error delegate_0: value 3 is defined 2 times\n");
}

START_TEST(blob_value_unique_warns_of_the_same_twice)
{
    given_blob();
    given("INSERT INTO delegate_value SELECT 6, graph_id, idx, dtype, datatype, shape,"
          "  nbytes, flags, external_id, constant_idx, NULL, quantization, name"
          "  FROM delegate_value WHERE id = 5");
    expect("blob/value-unique", "warning delegate_0: value 4 is defined 2 times\n");
    expect("blob/value-written", "");
    expect("blob/external-id", "");
}

START_TEST(blob_value_defined_reports_an_operand_that_is_none)
{
    given_blob();
    given("UPDATE delegate_operand SET value_idx = 9, value_id = NULL"
          " WHERE name = 'bias'");
    expect("blob/value-defined", "error delegate_0: Conv2d_0 names value 9 as its bias,"
                                 " and the blob defines none of that number\n");
    expect_witness("[\"Conv2d_0\"]");
}

START_TEST(blob_value_written_reports_what_is_read_and_never_written)
{
    given_blob();
    given("DELETE FROM delegate_operand WHERE node_id = 1 AND access = 'write'");
    expect("blob/value-written",
           "error delegate_0: value 3 is read, and nothing writes it\n");
}

START_TEST(blob_value_written_reports_an_output_that_nobody_writes)
{
    given_blob();
    given("UPDATE delegate_operand SET value_idx = 3, value_id = 4"
          " WHERE node_id = 2 AND access = 'write'");
    expect("blob/value-written",
           "error delegate_0: value 3 is written by 2 nodes\n"
           "error delegate_0: value 4 is an output of the delegate, and no node writes"
           " it\n");
}

START_TEST(blob_value_written_reports_inputs_and_constants_that_are_written)
{
    given_blob();
    given("UPDATE delegate_operand SET value_id = 1 WHERE node_id = 1 AND pos = 3;"
          "UPDATE delegate_operand SET value_id = 3 WHERE node_id = 2 AND pos = 1;"
          "UPDATE delegate_operand SET value_id = 1 WHERE node_id = 2 AND pos = 0;"
          "UPDATE delegate_value SET flags = 0 WHERE id = 5");
    expect("blob/value-written",
           "warning delegate_0: value 0 is an input of the delegate, and a node writes"
           " it\n"
           "error delegate_0: value 2 is a constant, and a node writes it\n");
}

/* The runtime takes it for an input. */
START_TEST(blob_value_written_warns_of_an_output_that_is_only_read)
{
    given_blob();
    given("UPDATE delegate_value SET flags = 2 WHERE id = 1");
    expect("blob/value-written", "warning delegate_0: value 0 is an output of the"
                                 " delegate, and nodes only read it\n");
}

START_TEST(blob_value_written_accepts_a_value_that_nothing_reads)
{
    given_blob();
    given("INSERT INTO delegate_value (id, graph_id, idx, datatype, shape, flags)"
          " VALUES (6, 1, 5, 'fp32', '[4]', 0)");
    expect("blob/value-written", "");
}

START_TEST(blob_acyclic_reports_a_node_that_needs_its_own_result)
{
    given_blob();
    given("UPDATE delegate_operand SET value_id = 5 WHERE name = 'input1'");
    expect("blob/acyclic", "error delegate_0: a cycle of 2 nodes\n");
    expect_witness("[\"Conv2d_0\",\"Clamp_1\"]");
}

/* The runtime brings nodes into order. */
START_TEST(blob_acyclic_accepts_nodes_in_any_order)
{
    given_blob();
    given("UPDATE delegate_operand SET node_id = 3 - node_id + 10;"
          "UPDATE delegate_operand SET node_id = node_id - 10;"
          "UPDATE delegate_value SET node_id = 3 - node_id");
    expect("blob/acyclic", "");
}

START_TEST(blob_external_id_reports_what_is_no_operand)
{
    given_blob();
    given("UPDATE delegate_value SET external_id = NULL WHERE id = 1;"
          "UPDATE delegate_value SET external_id = 2 WHERE id = 5");
    expect(
        "blob/external-id",
        "warning delegate_0: 2 of its operands 0 to 2 are no values of it\n"
        "error delegate_0: value 0 is an input or output, and no operand of the call\n"
        "error delegate_0: value 4 is operand 2 of 2\n");
}

START_TEST(blob_external_id_reports_flags_that_there_are_not)
{
    given_blob();
    given("UPDATE delegate_value SET flags = 5 WHERE id = 1");
    expect("blob/external-id", "error delegate_0: value 0 has flags 5; there are 1"
                               " (input) and 2 (output)\n");
}

START_TEST(blob_external_id_reports_a_result_that_is_written_over_another)
{
    given_blob();
    given("UPDATE delegate_value SET external_id = 0 WHERE id = 5");
    expect("blob/external-id",
           "warning delegate_0: it has 1 operands, and says 2\n"
           "error delegate_0: value 4 is an output, as operand 0, and so is another"
           " value\n");
}

START_TEST(blob_external_id_reports_what_is_inside_and_an_operand)
{
    given_blob();
    given("UPDATE delegate_value SET external_id = 1 WHERE id = 4");
    expect("blob/external-id", "error delegate_0: value 3 is operand 1, and neither"
                               " input nor output\n");
}

START_TEST(blob_external_id_reports_more_than_are_possible)
{
    given_blob();
    given("UPDATE delegate_graph SET meta = replace(meta, ':2}', ':4097}')");
    expect("blob/external-id",
           "error delegate_0: it says it has 4097 operands; 4096 are possible\n");
    given("UPDATE delegate_graph SET meta = replace(meta, ':4097}', ':3}')");
    expect("blob/external-id", "warning delegate_0: it has 2 operands, and says 3\n");
}

START_TEST(blob_external_id_accepts_an_operand_that_is_read_as_two_values)
{
    given_blob();
    given("INSERT INTO delegate_value (id, graph_id, idx, datatype, shape, flags,"
          "  external_id) VALUES (6, 1, 5, 'fp32', '[4]', 1, 0)");
    expect("blob/external-id", "");
}

START_TEST(blob_value_type_reports_what_has_none)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'datatype<0>' WHERE id = 4");
    expect("blob/value-type", "error delegate_0: value 3 has no type\n");
}

START_TEST(blob_value_type_warns_of_one_that_is_newer)
{
    given_blob();
    given("UPDATE delegate_value SET datatype = 'datatype<15>' WHERE id = 4");
    expect("blob/value-type",
           "warning delegate_0: value 3 has a type that is not known: datatype<15>\n");
}

START_TEST(blob_value_type_reports_a_seventh_dimension)
{
    given_blob();
    given("UPDATE delegate_value SET shape = '[1,1,1,1,8,8,4]' WHERE id = 4");
    expect("blob/value-type",
           "error delegate_0: value 3 has 7 dimensions, XNNPACK at most 6\n");
}

START_TEST(blob_value_type_reports_more_bytes_than_can_be_counted)
{
    given_blob();
    given("UPDATE delegate_value SET shape = '[4294967295,4294967295,1,4]',"
          " nbytes = NULL WHERE id = 4");
    expect("blob/value-type", "error delegate_0: value 3 is"
                              " fp32[4294967295,4294967295,1,4]: more bytes than can"
                              " be counted\n");
}

START_TEST(blob_value_type_reports_the_quantization_of_another_type)
{
    given_channels();
    expect("blob/value-type", "");
    given("UPDATE delegate_value SET datatype = 'qint8' WHERE id = 2");
    expect("blob/value-type", "error delegate_0: value 1 is qint8, and its quantization"
                              " is per_channel; it takes per_tensor\n");
    given("UPDATE delegate_value SET datatype = 'fp32' WHERE id = 2");
    expect("blob/value-type",
           "error delegate_0: value 1 is fp32, and has quantization per_channel\n");
    given("UPDATE delegate_value SET datatype = 'qint8', quantization = NULL"
          " WHERE id = 2");
    expect("blob/value-type", "error delegate_0: value 1 is qint8, and its quantization"
                              " is missing; it takes per_tensor\n");
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

static void given_args(const char *from, const char *to)
{
    given_blob();
    given_format("UPDATE delegate_node SET args = replace(args, '%s', '%s')", from, to);
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

START_TEST(blob_shape_reports_channels_that_nobody_passes)
{
    given_blob();
    given("UPDATE delegate_value SET shape = '[1,8,8,5]' WHERE id = 1");
    expect("blob/shape", "error delegate_0: Conv2d_0: it takes 3 channels, its input is"
                         " [1,8,8,5]\n");
    expect_witness("[\"Conv2d_0\"]");
}

START_TEST(blob_shape_warns_of_a_shape_that_does_not_follow)
{
    given_blob();
    given("UPDATE delegate_value SET shape = '[1,7,8,4]' WHERE id = 4");
    expect("blob/shape",
           "warning delegate_0: Conv2d_0: its result is [1,8,8,4], the blob"
           " says [1,7,8,4]\n");
}

START_TEST(blob_shape_accepts_one_element_for_no_dimensions)
{
    given_blob();
    given("UPDATE delegate_node SET op = 'Tanh' WHERE id = 1;"
          "UPDATE delegate_value SET shape = '[]' WHERE id = 1;"
          "UPDATE delegate_value SET shape = '[1]' WHERE id IN (4, 5)");
    expect("blob/shape", "");
    given("UPDATE delegate_value SET shape = '[2]' WHERE id = 4");
    expect("blob/shape", "warning delegate_0: Conv2d_0: its result is [], the blob says"
                         " [2]\n");
}

/* A call that passes x and takes z. */
static void given_call(const char *x, const char *z, const char *dynamism)
{
    given_blob();
    given_format(
        "INSERT INTO delegate (id, method_id, idx, backend, inside_id)"
        " VALUES (1, 1, 0, 'XnnpackBackend', 1);"
        "INSERT INTO node (id, graph_id, idx, name, kind, delegate_id)"
        " VALUES (1, 1, 0, 'op_0', 'delegate_call', 1);"
        "INSERT INTO value (id, graph_id, idx, kind, shape, dim_order, dynamism)"
        " VALUES (1, 1, 0, 'tensor', '%s', '[0,1,2,3]', '%s'),"
        " (2, 1, 1, 'tensor', '%s', '[0,2,3,1]', 'static');"
        "INSERT INTO operand VALUES (1, 0, 0, 1, 'read'), (1, 1, 1, 2, 'write')",
        x, dynamism, z);
}

/* A result lies in the order of its dimensions. */
START_TEST(blob_shape_accepts_what_the_call_passes_and_takes)
{
    given_call("[1,8,8,3]", "[1,4,8,8]", "static");
    expect("blob/shape", "");
}

START_TEST(blob_shape_reports_a_result_that_the_call_does_not_take)
{
    given_call("[1,8,8,3]", "[1,8,8,4]", "static");
    expect("blob/shape", "error delegate_0: Clamp_1: its result is [1,8,8,4], and the"
                         " call takes [1,8,4,8]\n");
}

/* The largest sizes need not be reached together. */
START_TEST(blob_shape_accepts_less_than_the_largest_inputs_lead_to)
{
    given_call("[1,9,9,3]", "[1,4,8,8]", "bounded");
    expect("blob/shape", "");
}

START_TEST(blob_shape_warns_of_more_than_the_largest_inputs_lead_to)
{
    given_call("[1,8,8,3]", "[1,4,8,8]", "bounded");
    expect("blob/shape", "");
    given("UPDATE delegate_value SET shape = '[70000,8,8,4]' WHERE id = 4");
    expect("blob/shape",
           "warning delegate_0: Conv2d_0: with the largest inputs its result is"
           " [1,8,8,4], the blob says [70000,8,8,4]\n");
}

START_TEST(blob_shape_warns_of_what_does_not_go_with_the_largest_inputs)
{
    given_call("[1,8,8,5]", "[1,4,8,8]", "bounded");
    expect("blob/shape",
           "warning delegate_0: Conv2d_0: with the largest inputs it takes"
           " 3 channels, its input is [1,8,8,5]\n");
}

/* An order is one whatever the sizes are. */
START_TEST(blob_shape_reports_an_order_of_other_dimensions_of_any_size)
{
    given_call("[1,8,8,3]", "[1,4,8,8]", "bounded");
    given("UPDATE delegate_node SET op = 'StaticTranspose', args = '{\"perm\":"
          "[0,1,1,2]}' WHERE id = 2");
    expect("blob/shape", "error delegate_0: Clamp_1: with the largest inputs its order"
                         " and its input are [0,1,1,2] and [1,8,8,4]\n");
}

/* Clamp_1 becomes another kind; y is [1,8,8,4]. */
static void given_kind(const char *op, const char *args)
{
    given_blob();
    given_format("UPDATE delegate_node SET op = '%s', args = '%s' WHERE id = 2", op,
                 args);
}

START_TEST(blob_shape_knows_what_transposes_and_reshapes_give)
{
    given_kind("StaticTranspose", "{\"perm\":[0,1,2,3]}");
    expect("blob/shape", "");
    given("UPDATE delegate_node SET args = '{\"perm\":[0,1,1,3]}' WHERE id = 2");
    expect("blob/shape", "error delegate_0: Clamp_1: its order and its input are"
                         " [0,1,1,3] and [1,8,8,4]\n");
    given("UPDATE delegate_node SET op = 'StaticReshape', args ="
          " '{\"new_shape\":[1,8,0,4]}' WHERE id = 2");
    expect("blob/shape", "");
    given("UPDATE delegate_node SET args = '{\"new_shape\":[0,8,0,4]}' WHERE id = 2");
    expect("blob/shape", "error delegate_0: Clamp_1: its input and new shape are"
                         " [1,8,8,4] and [0,8,0,4]\n");
    given("UPDATE delegate_node SET args = '{\"new_shape\":[1,8,8,5]}' WHERE id = 2");
    expect("blob/shape", "error delegate_0: Clamp_1: its input and new shape are"
                         " [1,8,8,4] and [1,8,8,5]\n");
    given("UPDATE delegate_node SET args = '{\"new_shape\":[1,4294967295]}'"
          " WHERE id = 2");
    expect("blob/shape", "error delegate_0: Clamp_1: it has numbers that are too large,"
                         " or too many\n");
}

START_TEST(blob_shape_knows_what_slices_and_pads_give)
{
    given_kind("StaticSlice", "{\"offsets\":[0,2,0,0],\"sizes\":[1,9,0,4]}");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,6,8,4], the blob"
           " says [1,8,8,4]\n");
    given("UPDATE delegate_node SET op = 'StaticConstantPad', args ="
          " '{\"pre_paddings\":[0,1,0,0],\"post_paddings\":[0,0,0,2]}' WHERE id = 2");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,9,8,6], the blob"
           " says [1,8,8,4]\n");
    given("UPDATE delegate_node SET args = '{\"pre_paddings\":[0,1]}' WHERE id = 2");
    expect("blob/shape",
           "error delegate_0: Clamp_1: its paddings and input are [0,1] and"
           " [1,8,8,4]\n");
}

START_TEST(blob_shape_reports_a_slice_of_more_sizes_than_offsets)
{
    given_kind("StaticSlice", "{\"offsets\":[0,2,0,0],\"sizes\":[1,6,8,4,4294967295]}");
    expect("blob/shape",
           "error delegate_0: Clamp_1: its offsets and sizes are [0,2,0,0]"
           " and [1,6,8,4,4294967295]\n");
}

START_TEST(blob_shape_reports_a_pad_whose_input_is_said_to_have_other_dimensions)
{
    given_kind("StaticConstantPad",
               "{\"pre_paddings\":[0,0,0,0],\"post_paddings\":[0,0,0,0]}");
    expect("blob/shape", "");
    given("UPDATE delegate_value SET shape = '[]' WHERE id = 4");
    expect("blob/shape",
           "warning delegate_0: Conv2d_0: its result is [1,8,8,4], the blob says []\n"
           "error delegate_0: Clamp_1: its input is [1,8,8,4], the blob says [], and it"
           " pads no other dimensions\n");
}

START_TEST(blob_shape_knows_what_pools_and_resizing_give)
{
    given_kind("MaxPooling2d", "{\"pooling_height\":2,\"pooling_width\":2,"
                               "\"stride_height\":2,\"stride_width\":2,"
                               "\"padding_top\":1}");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,4,4,4], the blob"
           " says [1,8,8,4]\n");
    given("UPDATE delegate_node SET op = 'GlobalAvgPooling2d' WHERE id = 2");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,4], the blob says"
           " [1,8,8,4]\n");
    given("UPDATE delegate_node SET op = 'StaticResizeBilinear2D', args ="
          " '{\"new_height\":5,\"new_width\":6}' WHERE id = 2");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,5,6,4], the blob"
           " says [1,8,8,4]\n");
}

/* Clamp_1 takes y, and value 2 as its other operand. */
static void given_pair(const char *op, const char *args, const char *shape)
{
    given_kind(op, args);
    given_format("UPDATE delegate_operand SET pos = 2 WHERE node_id = 2 AND pos = 1;"
                 "INSERT INTO " DELEGATE_OPERAND
                 " VALUES (2, 1, 'input2', 1, 2, 'read');"
                 "UPDATE delegate_value SET shape = '%s' WHERE id = 2",
                 shape);
}

START_TEST(blob_shape_knows_what_goes_together_by_elements)
{
    given_pair("Add", "{}", "[8,1]");
    expect("blob/shape", "");
    given("UPDATE delegate_value SET shape = '[3,1]' WHERE id = 2");
    expect("blob/shape", "error delegate_0: Clamp_1: its operands are [1,8,8,4] and"
                         " [3,1]\n");
}

START_TEST(blob_shape_knows_what_products_give)
{
    given_pair("BatchMatrixMultiply", "{}", "[8,4,5]");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,8,8,5], the blob"
           " says [1,8,8,4]\n");
    given("UPDATE delegate_node SET flags = 1 WHERE id = 2");
    expect("blob/shape", "error delegate_0: Clamp_1: its operands are [1,8,8,4] and"
                         " [8,4,5]\n");
    given("UPDATE delegate_node SET flags = 0, op = 'FullyConnected' WHERE id = 2;"
          "UPDATE delegate_value SET shape = '[7,4]' WHERE id = 2");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,8,8,7], the blob"
           " says [1,8,8,4]\n");
}

START_TEST(blob_shape_knows_what_goes_side_by_side)
{
    given_pair("Concatenate2", "{\"axis\":4294967295}", "[1,8,8,2]");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,8,8,6], the blob"
           " says [1,8,8,4]\n");
    given("UPDATE delegate_node SET args = '{\"axis\":1}' WHERE id = 2");
    expect("blob/shape", "error delegate_0: Clamp_1: its inputs are [1,8,8,4] and"
                         " [1,8,8,2]\n");
    given("UPDATE delegate_node SET args = '{\"axis\":4}' WHERE id = 2");
    expect("blob/shape",
           "error delegate_0: Clamp_1: its axis is 4, its first input [1,8,8,4]\n");
}

START_TEST(blob_shape_knows_what_transposed_convolutions_give)
{
    given_args("\"groups\":1", "\"groups\":1,\"adjustment_height\":1");
    given("UPDATE delegate_node SET op = 'ConvTranspose2d', args = replace(args,"
          " '\"subsampling_height\":1', '\"subsampling_height\":2') WHERE id = 1");
    expect("blob/shape",
           "warning delegate_0: Conv2d_0: its result is [1,16,8,4], the"
           " blob says [1,8,8,4]\n"
           "warning delegate_0: Clamp_1: its result is [1,16,8,4], the blob"
           " says [1,8,8,4]\n");
}

Suite *blob_rules_suite(void)
{
    Suite *suite = suite_create("blob rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, a_sound_blob_breaks_no_rule);
    tcase_add_test(all, blob_value_defined_says_the_name_where_the_format_names_values);
    tcase_add_test(all, blob_value_unique_reports_two_of_one_number);
    tcase_add_test(all, blob_value_unique_warns_of_the_same_twice);
    tcase_add_test(all, rules_about_xnnpack_leave_other_formats_alone);
    tcase_add_test(all, blob_value_defined_holds_for_every_format);
    tcase_add_test(all, blob_value_defined_reports_an_operand_that_is_none);
    tcase_add_test(all, blob_value_written_reports_what_is_read_and_never_written);
    tcase_add_test(all, blob_value_written_reports_an_output_that_nobody_writes);
    tcase_add_test(all,
                   blob_value_written_reports_inputs_and_constants_that_are_written);
    tcase_add_test(all, blob_value_written_warns_of_an_output_that_is_only_read);
    tcase_add_test(all, blob_value_written_accepts_a_value_that_nothing_reads);
    tcase_add_test(all, blob_acyclic_reports_a_node_that_needs_its_own_result);
    tcase_add_test(all, blob_acyclic_accepts_nodes_in_any_order);
    tcase_add_test(all, blob_external_id_reports_what_is_no_operand);
    tcase_add_test(all, blob_external_id_reports_flags_that_there_are_not);
    tcase_add_test(all, blob_external_id_reports_a_result_that_is_written_over_another);
    tcase_add_test(all, blob_external_id_reports_what_is_inside_and_an_operand);
    tcase_add_test(all, blob_external_id_reports_more_than_are_possible);
    tcase_add_test(all, blob_external_id_accepts_an_operand_that_is_read_as_two_values);
    tcase_add_test(all, blob_value_type_reports_what_has_none);
    tcase_add_test(all, blob_value_type_warns_of_one_that_is_newer);
    tcase_add_test(all, blob_value_type_reports_a_seventh_dimension);
    tcase_add_test(all, blob_value_type_reports_more_bytes_than_can_be_counted);
    tcase_add_test(all, blob_value_type_reports_the_quantization_of_another_type);
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
    tcase_add_test(all, blob_quantization_reports_what_is_no_scale_in_a_constant);
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
    tcase_add_test(all, blob_shape_reports_channels_that_nobody_passes);
    tcase_add_test(all, blob_shape_warns_of_a_shape_that_does_not_follow);
    tcase_add_test(all, blob_shape_accepts_one_element_for_no_dimensions);
    tcase_add_test(all, blob_shape_accepts_what_the_call_passes_and_takes);
    tcase_add_test(all, blob_shape_reports_a_result_that_the_call_does_not_take);
    tcase_add_test(all, blob_shape_accepts_less_than_the_largest_inputs_lead_to);
    tcase_add_test(all, blob_shape_warns_of_more_than_the_largest_inputs_lead_to);
    tcase_add_test(all, blob_shape_warns_of_what_does_not_go_with_the_largest_inputs);
    tcase_add_test(all, blob_shape_reports_an_order_of_other_dimensions_of_any_size);
    tcase_add_test(all, blob_shape_knows_what_transposes_and_reshapes_give);
    tcase_add_test(all, blob_shape_knows_what_slices_and_pads_give);
    tcase_add_test(all, blob_shape_reports_a_slice_of_more_sizes_than_offsets);
    tcase_add_test(
        all, blob_shape_reports_a_pad_whose_input_is_said_to_have_other_dimensions);
    tcase_add_test(all, blob_shape_knows_what_pools_and_resizing_give);
    tcase_add_test(all, blob_shape_knows_what_goes_together_by_elements);
    tcase_add_test(all, blob_shape_knows_what_products_give);
    tcase_add_test(all, blob_shape_knows_what_goes_side_by_side);
    tcase_add_test(all, blob_shape_knows_what_transposed_convolutions_give);
    suite_add_tcase(suite, all);
    return suite;
}
