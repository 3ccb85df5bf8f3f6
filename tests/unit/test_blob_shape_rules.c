/* Rules about shapes inside of delegates, against one small blob. */
#include "unit/small_blob.h"
#include "unit/suite.h"

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

Suite *blob_shape_rules_suite(void)
{
    Suite *suite = suite_create("blob shape rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
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
