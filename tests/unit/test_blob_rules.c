/* Rules about what is inside of delegates, against one small blob. */
#include "unit/small_blob.h"
#include "unit/suite.h"

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
        "blob/value-unique",    "blob/value-defined", "blob/value-written",
        "blob/external-id",     "blob/value-type",    "blob/quantization",
        "blob/constant",        "blob/node-kind",     "blob/output-range",
        "blob/window",          "blob/weights",       "blob/flags",
        "blob/datatype",        "blob/rescale",       "blob/odd-row",
        "blob/shape",           "blob/merged-clamp",  "blob/long-chain",
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
    suite_add_tcase(suite, all);
    return suite;
}
