/* Which sizes XNNPACK's runtime does not compute inside of delegates, next to those
 * that it does. */
#include "unit/small_blob.h"
#include "unit/suite.h"

static void given_shapes(const char *y, const char *z)
{
    given_format("UPDATE delegate_value SET shape = '%s' WHERE id = 4;"
                 "UPDATE delegate_value SET shape = '%s' WHERE id = 5;"
                 "DELETE FROM delegate_operand WHERE node_id = 1",
                 y, z);
}

START_TEST(blob_shape_reports_what_has_no_dimension)
{
    given_other("Sigmoid", "{}");
    given_shapes("[]", "[]");
    expect("blob/shape", "");
    given("UPDATE delegate_node SET op = 'Softmax' WHERE id = 2");
    expect("blob/shape", "error delegate_0: Sigmoid_1: it takes at least one dimension,"
                         " its input is []\n");
    given("UPDATE delegate_node SET op = 'StaticTranspose', args = '{\"perm\":[]}'"
          " WHERE id = 2");
    expect("blob/shape", "error delegate_0: Sigmoid_1: it takes at least one dimension,"
                         " its input is []\n");
    given("UPDATE delegate_node SET op = 'StaticSlice', args ="
          " '{\"offsets\":[],\"sizes\":[]}' WHERE id = 2");
    expect("blob/shape", "error delegate_0: Sigmoid_1: it takes at least one dimension,"
                         " its input is []\n");
    given_shapes("[1]", "[1]");
    given("UPDATE delegate_node SET args = '{\"offsets\":[0],\"sizes\":[1]}'"
          " WHERE id = 2");
    expect("blob/shape", "");
}

START_TEST(blob_shape_reports_rows_of_nothing)
{
    given_other("Softmax", "{}");
    given_shapes("[0,4]", "[0,4]");
    expect("blob/shape", "");
    given_shapes("[4,0]", "[4,0]");
    expect("blob/shape",
           "error delegate_0: Softmax_1: its rows are empty, its input is [4,0]\n");
}

START_TEST(blob_shape_reports_products_of_nothing)
{
    given_product("BatchMatrixMultiply", "[0,3,5]");
    given_shapes("[0,2,3]", "[0,2,5]");
    expect("blob/shape", "");
    given("UPDATE delegate_value SET shape = '[4,3,5]' WHERE id = 2");
    given_shapes("[4,0,3]", "[4,0,5]");
    expect("blob/shape", "error delegate_0: BatchMatrixMultiply_1: its matrices are"
                         " empty, its operands are [4,0,3] and [4,3,5]\n");
}

START_TEST(blob_shape_reports_layers_without_weights)
{
    given_product("FullyConnected", "[5,3]");
    given_shapes("[0,3]", "[0,5]");
    expect("blob/shape", "");
    given("UPDATE delegate_value SET shape = '[5,0]' WHERE id = 2");
    given_shapes("[4,0]", "[4,5]");
    expect("blob/shape", "error delegate_0: FullyConnected_1: it has no weights, its"
                         " filter is [5,0]\n");
}

START_TEST(blob_shape_reports_images_without_pixels)
{
    static const char resize[] = "{\"new_height\":2,\"new_width\":2}";

    given_other("StaticResizeBilinear2D", resize);
    given_shapes("[0,1,1,4]", "[0,2,2,4]");
    expect("blob/shape", "");
    given_shapes("[1,0,1,4]", "[1,2,2,4]");
    expect("blob/shape", "error delegate_0: StaticResizeBilinear2D_1: it takes at least"
                         " one pixel, its input is [1,0,1,4]\n");
    given("UPDATE delegate_node SET op = 'MaxPooling2d', args = '{\"pooling_height\":1,"
          "\"pooling_width\":2,\"stride_height\":1,\"stride_width\":1}' WHERE id = 2");
    given_shapes("[0,1,2,4]", "[0,1,1,4]");
    expect("blob/shape", "error delegate_0: StaticResizeBilinear2D_1: it takes at least"
                         " one pixel, its input is [0,1,2,4]\n");
    given("UPDATE delegate_node SET op = 'GlobalAvgPooling2d' WHERE id = 2");
    given_shapes("[1,0,1,4]", "[1,4]");
    expect("blob/shape", "");
}

/* x is an image of three channels, the filter has 3x3 pixels. */
static void given_image(const char *x, const char *y)
{
    given_blob();
    given_format("UPDATE delegate_value SET shape = '%s' WHERE id = 1;"
                 "UPDATE delegate_value SET shape = '%s' WHERE id IN (4, 5)",
                 x, y);
}

START_TEST(blob_shape_reports_a_filter_that_is_larger_than_its_image)
{
    given_image("[1,1,1,3]", "[1,1,1,4]");
    expect("blob/shape", "");
    given("UPDATE delegate_node SET args = replace(args, '\"padding_top\":1',"
          "  '\"padding_top\":0') WHERE id = 1");
    expect("blob/shape", "error delegate_0: Conv2d_0: its window is larger than its"
                         " image with paddings, its input is [1,1,1,3]\n");
}

/* A filter of one pixel is a matrix. */
START_TEST(blob_shape_accepts_a_convolution_of_no_pixels_that_is_a_product)
{
    given_image("[1,0,8,3]", "[1,0,8,4]");
    expect("blob/shape", "error delegate_0: Conv2d_0: it takes at least one pixel, its"
                         " input is [1,0,8,3]\n");
    given("UPDATE delegate_node SET args = replace(replace(args, ':3,\"k', ':1,\"k'),"
          "  '\"kernel_width\":3', '\"kernel_width\":1');"
          "UPDATE delegate_node SET args = json_set(args, '$.padding_top', 0,"
          "  '$.padding_bottom', 0, '$.padding_left', 0, '$.padding_right', 0)"
          " WHERE id = 1");
    expect("blob/shape", "");
}

START_TEST(blob_shape_reports_room_that_nobody_has)
{
    given_blob();
    given("UPDATE delegate_value SET shape = '[1,8,8,400]', nbytes = 102400"
          " WHERE id = 4");
    expect("blob/shape",
           "warning delegate_0: Conv2d_0: its result is [1,8,8,4], the blob says"
           " [1,8,8,400]\n");
    given("UPDATE delegate_value SET shape = '[1,8,8,40000000]', nbytes = 10240000000"
          " WHERE id = 4");
    expect("blob/shape",
           "error delegate_0: Conv2d_0: its result is [1,8,8,4], the blob says"
           " [1,8,8,40000000], and the runtime makes room for 10240000000 bytes\n");
}

/* The call has room for what it takes. */
START_TEST(blob_shape_warns_of_an_output_that_is_declared_larger)
{
    given_blob();
    given("UPDATE delegate_value SET shape = '[1,8,8,40000000]', nbytes = 10240000000"
          " WHERE id = 5");
    expect("blob/shape",
           "warning delegate_0: Clamp_1: its result is [1,8,8,4], the blob says"
           " [1,8,8,40000000]\n");
}

Suite *blob_sizes_suite(void)
{
    Suite *suite = suite_create("blob sizes");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, blob_shape_reports_what_has_no_dimension);
    tcase_add_test(all, blob_shape_reports_rows_of_nothing);
    tcase_add_test(all, blob_shape_reports_products_of_nothing);
    tcase_add_test(all, blob_shape_reports_layers_without_weights);
    tcase_add_test(all, blob_shape_reports_images_without_pixels);
    tcase_add_test(all, blob_shape_reports_a_filter_that_is_larger_than_its_image);
    tcase_add_test(all,
                   blob_shape_accepts_a_convolution_of_no_pixels_that_is_a_product);
    tcase_add_test(all, blob_shape_reports_room_that_nobody_has);
    tcase_add_test(all, blob_shape_warns_of_an_output_that_is_declared_larger);
    suite_add_tcase(suite, all);
    return suite;
}
