/* Nodes of XNNPACK: what its models of floats give, and what is refused. */
#include <stdlib.h>

#include "unit/xnnpack_node.h"

START_TEST(every_kind_that_the_writer_emits_has_a_kernel)
{
    static const char *const kinds[] = {
        "Add",         "FullyConnected",  "Softmax", "Sigmoid",
        "Conv2d",      "DepthwiseConv2d", "Clamp",   "StaticTranspose",
        "Convert",     "ConvTranspose2d", "Copy",    "BatchMatrixMultiply",
        "Hardswish",   "ArgMaxPooling2d", "PReLU",   "ReciprocalSquareRoot",
        "Concatenate5"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        ck_assert_ptr_nonnull(dg_xnn_kernel(dg_text(kinds[i])));
    ck_assert_ptr_null(dg_xnn_kernel(dg_text("ScaledDotProductAttention")));
    ck_assert_ptr_null(dg_xnn_kernel(dg_text("node<48>")));
}

START_TEST(elements_are_broadcast_and_clamped)
{
    begin("Add");
    node.step.least = 0;
    node.step.most = 6;
    input(DG_TYPE_F32, SHAPE(2, 2), VALUES(-5, 1, 2, 9));
    input(DG_TYPE_F32, SHAPE(2), VALUES(1, 2));
    EXPECT(SHAPE(2, 2), 0, 3, 3, 6);
}

START_TEST(the_second_operand_wins_against_nan_unless_it_is_a_known_number)
{
    begin("Maximum");
    input(DG_TYPE_F32, SHAPE(3), VALUES(NAN, 1, 5));
    input(DG_TYPE_F32, SHAPE(3), VALUES(1, NAN, 2));
    EXPECT(SHAPE(3), 1, NAN, 5);
    begin("Maximum");
    input(DG_TYPE_F32, SHAPE(3), VALUES(NAN, -1, 5));
    input(DG_TYPE_F32, SHAPE(1), VALUES(0))->constant = true;
    EXPECT(SHAPE(3), NAN, 0, 5);
}

START_TEST(an_upper_bound_below_the_lower_one_holds)
{
    begin("Clamp");
    node.step.least = 3;
    node.step.most = 1;
    input(DG_TYPE_F32, SHAPE(3), VALUES(0, 2, NAN));
    EXPECT(SHAPE(3), 1, 1, NAN);
}

START_TEST(images_are_nhwc_and_may_be_padded_unevenly)
{
    begin("Conv2d");
    node.step.node.height = node.step.node.width = 2;
    node.step.node.down = node.step.node.across = 1;
    node.step.node.apart = node.step.node.aside = 1;
    node.step.node.groups = node.step.node.group_outputs = 1;
    node.step.node.group_inputs = 2;
    node.step.node.pad_bottom = 1;
    input(DG_TYPE_F32, SHAPE(1, 2, 2, 2), VALUES(1, 10, 2, 20, 3, 30, 4, 40));
    input(DG_TYPE_F32, SHAPE(1, 2, 2, 2), VALUES(1, 0, 1, 0, 0, 1, 0, 1));
    input(DG_TYPE_F32, SHAPE(1), VALUES(0.5));
    EXPECT(SHAPE(1, 2, 1, 1), 73.5, 7.5);
}

START_TEST(a_depthwise_filter_has_its_channels_last)
{
    begin("DepthwiseConv2d");
    node.step.node.height = node.step.node.width = 1;
    node.step.node.down = node.step.node.across = 1;
    node.step.node.groups = 2;
    node.step.node.group_inputs = 1;
    node.step.node.group_outputs = 2;
    input(DG_TYPE_F32, SHAPE(1, 1, 1, 2), VALUES(1, 10));
    input(DG_TYPE_F32, SHAPE(1, 1, 1, 4), VALUES(1, 2, 3, 4));
    EXPECT(SHAPE(1, 1, 1, 4), 1, 2, 30, 40);
}

START_TEST(a_transposed_convolution_cuts_its_paddings_off)
{
    begin("ConvTranspose2d");
    node.step.node.height = 1;
    node.step.node.width = 3;
    node.step.node.down = 1;
    node.step.node.across = 2;
    node.step.node.apart = node.step.node.aside = 1;
    node.step.node.groups = node.step.node.group_outputs = 1;
    node.step.node.group_inputs = 1;
    node.step.node.pad_left = 1;
    input(DG_TYPE_F32, SHAPE(1, 1, 2, 1), VALUES(1, 10));
    input(DG_TYPE_F32, SHAPE(1, 1, 3, 1), VALUES(1, 2, 3));
    EXPECT(SHAPE(1, 1, 4, 1), 2, 13, 20, 30);
}

START_TEST(padding_is_no_pixel_of_an_average)
{
    begin("AvgPooling2d");
    node.step.node.height = 1;
    node.step.node.width = 2;
    node.step.node.down = 1;
    node.step.node.across = 2;
    node.step.node.pad_left = 1;
    input(DG_TYPE_F32, SHAPE(1, 1, 3, 1), VALUES(4, 6, 8));
    EXPECT(SHAPE(1, 1, 2, 1), 4, 7);
}

START_TEST(the_first_of_equal_pixels_is_the_largest)
{
    begin("ArgMaxPooling2d");
    node.step.n_outputs = 2;
    node.out[1].type = DG_TYPE_I32;
    node.step.node.height = 1;
    node.step.node.width = 3;
    input(DG_TYPE_F32, SHAPE(1, 1, 3, 1), VALUES(1, 7, 7));
    ck_assert_int_eq(run(), DG_OK);
    expect_result(__LINE__, 0, SHAPE(1, 1, 1, 1), VALUES(7));
    expect_result(__LINE__, 1, SHAPE(1, 1, 1, 1), VALUES(1));
    drop();
}

START_TEST(images_grow_from_the_middle_of_pixels_or_from_corners)
{
    begin("StaticResizeBilinear2D");
    node.step.node.new_height = 1;
    node.step.node.new_width = 4;
    input(DG_TYPE_F32, SHAPE(1, 1, 2, 1), VALUES(0, 4));
    EXPECT(SHAPE(1, 1, 4, 1), 0, 1, 3, 4);
    begin("StaticResizeBilinear2D");
    node.step.node.flags = 8;
    node.step.node.new_height = 1;
    node.step.node.new_width = 5;
    input(DG_TYPE_F32, SHAPE(1, 1, 2, 1), VALUES(0, 4));
    EXPECT(SHAPE(1, 1, 5, 1), 0, 1, 2, 3, 4);
}

START_TEST(moves_cut_pad_join_and_turn)
{
    begin("StaticSlice");
    node.step.node.offsets = SHAPE(1, 0);
    node.step.node.sizes = SHAPE(9, 2);
    input(DG_TYPE_F32, SHAPE(3, 3), VALUES(1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT(SHAPE(2, 2), 4, 5, 7, 8);
    begin("StaticConstantPad");
    node.step.node.before = SHAPE(0, 1);
    node.step.node.behind = SHAPE(1, 0);
    node.step.real = -1;
    input(DG_TYPE_F32, SHAPE(1, 2), VALUES(1, 2));
    EXPECT(SHAPE(2, 3), -1, 1, 2, -1, -1, -1);
    begin("Concatenate2");
    node.step.node.axis = UINT32_MAX; /* the last */
    input(DG_TYPE_F32, SHAPE(2, 1), VALUES(1, 2));
    input(DG_TYPE_F32, SHAPE(2, 2), VALUES(3, 4, 5, 6));
    EXPECT(SHAPE(2, 3), 1, 3, 4, 2, 5, 6);
    begin("StaticTranspose");
    node.step.node.perm = SHAPE(1, 0);
    input(DG_TYPE_F32, SHAPE(1, 3), VALUES(1, 2, 3));
    EXPECT(SHAPE(3, 1), 1, 2, 3);
    begin("StaticReshape");
    node.step.node.new_shape = SHAPE(0, 2);
    input(DG_TYPE_F32, SHAPE(4), VALUES(1, 2, 3, 4));
    EXPECT(SHAPE(2, 2), 1, 2, 3, 4);
}

START_TEST(a_bias_has_an_element_for_each_channel)
{
    begin("FullyConnected");
    input(DG_TYPE_F32, SHAPE(1, 2), VALUES(1, 2));
    input(DG_TYPE_F32, SHAPE(2, 2), VALUES(1, 0, 0, 1));
    input(DG_TYPE_F32, SHAPE(1), VALUES(1));
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

START_TEST(nodes_of_too_many_operands_are_refused)
{
    begin("Abs");
    input(DG_TYPE_F32, SHAPE(1), VALUES(1));
    input(DG_TYPE_F32, SHAPE(1), VALUES(1));
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

START_TEST(images_of_more_elements_than_can_be_are_refused)
{
    begin("StaticResizeBilinear2D");
    node.step.node.new_height = node.step.node.new_width = INT64_C(1) << 30;
    input(DG_TYPE_F32, SHAPE(1, 2, 2, 16), (double[64]){0});
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

START_TEST(windows_larger_than_images_see_all_of_them_at_once)
{
    begin("MaxPooling2d");
    node.step.node.height = node.step.node.width = INT32_MAX;
    node.step.node.down = node.step.node.across = 1;
    node.step.node.apart = node.step.node.aside = 1;
    node.step.node.pad_top = node.step.node.pad_left = INT32_MAX - 1;
    input(DG_TYPE_F32, SHAPE(1, 2, 2, 1), VALUES(3, 1, 4, 1));
    EXPECT(SHAPE(1, 2, 2, 1), 3, 3, 4, 4);
}

START_TEST(elements_of_a_kernel_far_outside_of_the_image_see_padding)
{
    enum { TALL = 1 << 13, WIDE = 1 << 20 };
    double *ones = dg_zeroed(WIDE, sizeof(*ones));

    for (int i = 0; i < WIDE; i++)
        ones[i] = 1;
    begin("Conv2d");
    node.precision = DG_PRECISION_OWN_SUMS;
    node.out[0].type = DG_TYPE_F16;
    node.step.node.height = TALL;
    node.step.node.width = 1;
    node.step.node.down = INT32_MAX;
    node.step.node.across = WIDE;
    node.step.node.apart = INT32_MAX / TALL;
    node.step.node.pad_bottom = INT32_MAX;
    node.step.node.aside = 1;
    node.step.node.groups = node.step.node.group_outputs = 1;
    node.step.node.group_inputs = 1;
    input(DG_TYPE_F16, SHAPE(1, 1, WIDE, 1), ones);
    input(DG_TYPE_F16, SHAPE(1, TALL, 1, 1), ones);
    free(ones);
    EXPECT(SHAPE(1, 1, 1, 1), 1);
}

START_TEST(sums_of_halves_round_at_each_term_in_the_evaluation_of_own_sums)
{
    begin("FullyConnected");
    node.out[0].type = DG_TYPE_F16;
    node.precision = DG_PRECISION_OWN_SUMS;
    input(DG_TYPE_F16, SHAPE(1, 3), VALUES(2048, 1, 1));
    input(DG_TYPE_F16, SHAPE(1, 3), VALUES(1, 1, 1));
    EXPECT(SHAPE(1, 1), 2048);
    begin("FullyConnected");
    node.out[0].type = DG_TYPE_F16;
    input(DG_TYPE_F16, SHAPE(1, 3), VALUES(2048, 1, 1));
    input(DG_TYPE_F16, SHAPE(1, 3), VALUES(1, 1, 1));
    EXPECT(SHAPE(1, 1), 2050);
}

START_TEST(shapes_that_the_runtime_refuses_are_named)
{
    begin("Add");
    input(DG_TYPE_F32, SHAPE(2), VALUES(1, 2));
    input(DG_TYPE_F32, SHAPE(3), VALUES(1, 2, 3));
    ck_assert_int_eq(run(), DG_ERR_FORMAT);
    ck_assert_msg(strstr(node.err.text, "[2]") && strstr(node.err.text, "[3]"), "%s",
                  node.err.text);
    drop();
}

Suite *xnnpack_kernels_suite(void)
{
    Suite *suite = suite_create("xnnpack kernels");
    TCase *all = tcase_create("all");

    tcase_add_test(all, every_kind_that_the_writer_emits_has_a_kernel);
    tcase_add_test(all, elements_are_broadcast_and_clamped);
    tcase_add_test(all,
                   the_second_operand_wins_against_nan_unless_it_is_a_known_number);
    tcase_add_test(all, an_upper_bound_below_the_lower_one_holds);
    tcase_add_test(all, images_are_nhwc_and_may_be_padded_unevenly);
    tcase_add_test(all, a_depthwise_filter_has_its_channels_last);
    tcase_add_test(all, a_transposed_convolution_cuts_its_paddings_off);
    tcase_add_test(all, padding_is_no_pixel_of_an_average);
    tcase_add_test(all, the_first_of_equal_pixels_is_the_largest);
    tcase_add_test(all, images_grow_from_the_middle_of_pixels_or_from_corners);
    tcase_add_test(all, moves_cut_pad_join_and_turn);
    tcase_add_test(all,
                   sums_of_halves_round_at_each_term_in_the_evaluation_of_own_sums);
    tcase_add_test(all, elements_of_a_kernel_far_outside_of_the_image_see_padding);
    tcase_add_test(all, shapes_that_the_runtime_refuses_are_named);
    tcase_add_test(all, a_bias_has_an_element_for_each_channel);
    tcase_add_test(all, nodes_of_too_many_operands_are_refused);
    tcase_add_test(all, images_of_more_elements_than_can_be_are_refused);
    tcase_add_test(all, windows_larger_than_images_see_all_of_them_at_once);
    suite_add_tcase(suite, all);
    return suite;
}
