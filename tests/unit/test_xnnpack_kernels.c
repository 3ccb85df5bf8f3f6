/* Nodes of XNNPACK: what its models of floats and codes give, and what is refused. */
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

START_TEST(a_tie_is_quantized_to_the_even_code)
{
    begin("Convert");
    codes_out(0.5f, 3);
    input(DG_TYPE_F32, SHAPE(6), VALUES(0.25, 0.75, -0.25, NAN, 1000, -INFINITY));
    EXPECT(SHAPE(6), 3, 5, 3, 127, 127, -128);
}

START_TEST(codes_become_floats)
{
    begin("Convert");
    by_tensor(input(DG_TYPE_U8, SHAPE(2), VALUES(200, 0)), 0.25f, 100);
    EXPECT(SHAPE(2), 25, -25);
}

/* 1.5 * 256 is 384: (128 + 384) >> 8 is 2, (128 - 384) >> 8 is -1. */
START_TEST(codes_are_rescaled_by_eight_bits)
{
    begin("Convert");
    codes_out(1, 0);
    by_tensor(input(DG_TYPE_I8, SHAPE(2), VALUES(1, -1)), 1.5f, 0);
    EXPECT(SHAPE(2), 2, -1);
}

START_TEST(the_sum_of_codes_rounds_ties_up)
{
    begin("Add");
    codes_out(1, 10);
    by_tensor(input(DG_TYPE_I8, SHAPE(3), VALUES(1, -1, 100)), 0.5f, 0);
    by_tensor(input(DG_TYPE_I8, SHAPE(3), VALUES(2, -2, 100)), 0.5f, 0);
    EXPECT(SHAPE(3), 12, 9, 110);
}

START_TEST(the_product_of_codes_rounds_ties_to_even)
{
    begin("Multiply");
    codes_out(1, 0);
    by_tensor(input(DG_TYPE_I8, SHAPE(3), VALUES(1, 3, 5)), 0.5f, 0);
    by_tensor(input(DG_TYPE_I8, SHAPE(3), VALUES(1, 1, 1)), 1, 0);
    EXPECT(SHAPE(3), 0, 2, 2);
}

/* 1 / 2 is a tie: 0.5 + 3 is nearer to 4, which is even, and 1.5 + 3, too. */
START_TEST(an_average_of_codes_rounds_with_its_zero_point)
{
    begin("GlobalAvgPooling2d");
    node.step.node.flags = 0x40;
    codes_out(1, 3);
    by_tensor(input(DG_TYPE_I8, SHAPE(1, 1, 2, 2), VALUES(0, 1, 1, 2)), 1, 0);
    EXPECT(SHAPE(1, 1, 1, 2), 4, 4);
}

static void on_other_grid(bool other)
{
    node.other_grid = other;
    node.wider = other ? 0.03125 : 0;
}

/* Of few codes 120 / 254 of a step is near a tie, and 90 / 254 is not. */
START_TEST(on_another_grid_what_is_near_a_tie_goes_to_the_other_side)
{
    for (int other = 0; other < 2; other++) {
        begin("Convert");
        on_other_grid(other);
        codes_out(1, 0);
        input(DG_TYPE_F32, SHAPE(4), VALUES(120 / 254.0, 90 / 254.0, -0.499, 3));
        EXPECT(SHAPE(4), other, 0, -other, 3);
    }
}

/* Sums of 4 bits have steps as long as half a step of the result. */
START_TEST(on_another_grid_the_scales_of_a_sum_say_what_is_near)
{
    for (int other = 0; other < 2; other++) {
        begin("FullyConnected");
        on_other_grid(other);
        codes_out(1, 0);
        by_tensor(input(DG_TYPE_I8, SHAPE(1, 1), VALUES(1)), 0.4f, 0);
        by_tensor(input(DG_TYPE_I8, SHAPE(2, 1), VALUES(1, 3)), 1, 0);
        EXPECT(SHAPE(1, 2), other, 1);
    }
}

START_TEST(functions_of_codes_are_tables)
{
    begin("Square");
    codes_out(0.5f, -10);
    by_tensor(input(DG_TYPE_I8, SHAPE(3), VALUES(2, -4, 127)), 0.5f, 0);
    EXPECT(SHAPE(3), -8, -2, 127);
}

START_TEST(scales_that_leave_no_bits_are_not_run)
{
    begin("Add");
    codes_out(1, 0);
    by_tensor(input(DG_TYPE_I8, SHAPE(1), VALUES(1)), 300, 0);
    by_tensor(input(DG_TYPE_I8, SHAPE(1), VALUES(1)), 1, 0);
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

/* 2 * (3 - 1) + 4 * (5 - 1) + 7 = 27; times 0.5 * 0.25 / 1 is 3.375; and 0.125 * -4. */
START_TEST(a_product_of_codes_has_a_scale_for_each_channel)
{
    static const float scales[] = {0.25f, 2};

    begin("FullyConnected");
    codes_out(1, -1);
    by_tensor(input(DG_TYPE_I8, SHAPE(1, 2), VALUES(3, 5)), 0.5f, 1);
    *input(DG_TYPE_I8, SHAPE(2, 2), VALUES(2, 4, -1, 0)) =
        (struct dg_xnn_operand){.type = DG_TYPE_I8,
                                .shape = SHAPE(2, 2),
                                .quantized = DG_XNN_BY_CHANNEL,
                                .scales = scales,
                                .n_scales = 2};
    input(DG_TYPE_I32, SHAPE(2), VALUES(7, 0));
    EXPECT(SHAPE(1, 2), 2, -3);
}

/* Codes of 0 and 3 are -128 and 127, by a scale of 1/85. */
static void quantize_rows(struct dg_xnn_shape shape)
{
    begin("Convert");
    node.out[0] = (struct dg_xnn_operand){
        .type = DG_TYPE_I8, .quantized = DG_XNN_BY_SLICE, .n_inner = 1};
    input(DG_TYPE_F32, shape, VALUES(0, 3, -1, 0));
    ck_assert_int_eq(run(), DG_OK);
    ck_assert_int_eq(node.results[0].kind, DG_ARG_LIST);
}

START_TEST(each_row_is_quantized_by_its_own_range)
{
    const struct dg_arg *items;

    quantize_rows(SHAPE(2, 2));
    items = node.results[0].as.list.items;
    ck_assert_int_eq(dg_get_i64(items[0].as.tensor, 0), -128);
    ck_assert_int_eq(dg_get_i64(items[0].as.tensor, 1), 127);
    ck_assert_int_eq(dg_get_i64(items[0].as.tensor, 2), -128);
    ck_assert_int_eq(dg_get_i64(items[0].as.tensor, 3), 127);
    ck_assert_int_eq(dg_get_i64(items[2].as.tensor, 0), -128);
    ck_assert_int_eq(dg_get_i64(items[2].as.tensor, 1), 127);
    ck_assert(dg_get_f64(items[1].as.tensor, 0) == 1 / 85.f);
    drop();
}

/* The code of 0.4995 / 85, where 3 has the last one. */
static int64_t code_near_a_tie(bool other_grid, double wider)
{
    int64_t code;

    begin("Convert");
    node.other_grid = other_grid;
    node.wider = wider;
    node.out[0] = (struct dg_xnn_operand){
        .type = DG_TYPE_I8, .quantized = DG_XNN_BY_SLICE, .n_inner = 1};
    input(DG_TYPE_F32, SHAPE(1, 3), VALUES(0, 3, 0.4995 / 85));
    ck_assert_int_eq(run(), DG_OK);
    code = dg_get_i64(node.results[0].as.list.items[0].as.tensor, 2);
    drop();
    return code;
}

START_TEST(what_is_near_a_tie_of_a_row_goes_to_the_other_side_in_the_same_range)
{
    ck_assert_int_eq(code_near_a_tie(false, 0), -128);
    ck_assert_int_eq(code_near_a_tie(true, 0), -127);
    ck_assert_int_eq(code_near_a_tie(true, 0.03125), -128);
}

static const float group_scales[] = {1, 0.5f};

/* Four bits: codes 9 and 6 are 1 and -2, the first one low; two blocks of one column.
 */
static void linear_of_rows(bool grouped, int64_t n)
{
    struct dg_arg row;
    struct dg_xnn_operand *filter;

    quantize_rows(SHAPE(2, n));
    row = node.results[0];
    begin("FullyConnected");
    input(DG_TYPE_I8, SHAPE(1), VALUES(0));
    dg_arg_drop(&node.args[0]);
    node.args[0] = row;
    node.in[0].quantized = DG_XNN_BY_SLICE;
    node.in[0].n_inner = 1;
    filter = input(DG_TYPE_U8, SHAPE(1, 1), VALUES(0x69));
    filter->four_bits = filter->constant = true;
    filter->shape = SHAPE(1, n);
    filter->quantized = grouped ? DG_XNN_BY_GROUP : DG_XNN_BY_CHANNEL;
    filter->scales = group_scales;
    filter->n_scales = grouped ? 2 : 1;
    filter->group_size = 1;
    input(DG_TYPE_F32, SHAPE(1), VALUES(0.25));
}

START_TEST(weights_of_four_bits_lie_two_to_a_byte)
{
    float scale = 1 / 85.f;

    linear_of_rows(false, 2);
    EXPECT(SHAPE(2, 1), fmaf(-510 * scale, 1, 0.25f),
           fmaf(-255 * (1 / 255.f), 1, 0.25f));
}

START_TEST(blocks_of_weights_have_scales_of_their_own)
{
    float scale = 1 / 85.f;

    linear_of_rows(true, 2);
    EXPECT(SHAPE(2, 1), -255 * scale + 0.25f, -255 * (1 / 255.f) + 0.25f);
}

START_TEST(odd_rows_of_four_bits_are_not_run_where_the_runtime_has_its_own_way)
{
    linear_of_rows(false, 1);
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

START_TEST(four_bits_are_only_read_where_the_node_multiplies_by_a_constant)
{
    linear_of_rows(false, 2);
    node.in[1].constant = false;
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
    begin("Square");
    input(DG_TYPE_U8, SHAPE(1), VALUES(0x69))->four_bits = true;
    node.in[0].shape = SHAPE(1000);
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

START_TEST(four_bits_that_are_fewer_than_their_shape_are_refused)
{
    linear_of_rows(false, 2);
    node.in[1].shape = SHAPE(4, 2);
    node.in[1].n_scales = 2;
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

START_TEST(slices_that_do_not_fit_what_reads_them_are_refused)
{
    for (int n_inner = 0; n_inner < 4; n_inner++) {
        linear_of_rows(false, 2);
        node.in[0].n_inner = n_inner;
        ck_assert_int_eq(run(), n_inner == 1 ? DG_OK : DG_ERR_DEVICE);
        drop();
    }
}

/* An image of two pixels of two channels; those of `quantize_rows`, with a scale for
 * each. */
static void convolution_of_pixels(int64_t stride)
{
    static const float scales[] = {1};
    struct dg_arg pixels;
    struct dg_xnn_operand *filter;

    quantize_rows(SHAPE(1, 1, 2, 2));
    pixels = node.results[0];
    begin("Conv2d");
    node.step.node.height = node.step.node.width = 1;
    node.step.node.down = node.step.node.across = stride;
    node.step.node.apart = node.step.node.aside = 1;
    node.step.node.groups = node.step.node.group_outputs = 1;
    node.step.node.group_inputs = 2;
    input(DG_TYPE_I8, SHAPE(1), VALUES(0));
    dg_arg_drop(&node.args[0]);
    node.args[0] = pixels;
    node.in[0].quantized = DG_XNN_BY_SLICE;
    node.in[0].n_inner = 1;
    filter = input(DG_TYPE_I8, SHAPE(1, 1, 1, 2), VALUES(1, -2));
    filter->quantized = DG_XNN_BY_CHANNEL;
    filter->scales = scales;
    filter->n_scales = 1;
    input(DG_TYPE_F32, SHAPE(1), VALUES(0.25));
}

START_TEST(a_convolution_of_1x1_takes_scales_of_pixels)
{
    float scale = 1 / 85.f;

    convolution_of_pixels(1);
    EXPECT(SHAPE(1, 1, 2, 1), fmaf(-510 * scale, 1, 0.25f),
           fmaf(-255 * (1 / 255.f), 1, 0.25f));
}

START_TEST(other_convolutions_take_scales_of_images)
{
    convolution_of_pixels(2);
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
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

START_TEST(floats_times_codes_are_not_run)
{
    begin("FullyConnected");
    input(DG_TYPE_F32, SHAPE(1, 2), VALUES(1, 2));
    by_tensor(input(DG_TYPE_I8, SHAPE(1, 2), VALUES(1, 2)), 1, 0);
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

static int64_t any_size(void)
{
    return rand() % 5 ? rand() % 4 : rand() % 2 ? 0 : (int64_t)rand() << (rand() % 20);
}

static struct dg_xnn_shape any_shape(int64_t most)
{
    struct dg_xnn_shape shape = {.rank = rand() % 3 ? 4 : rand() % (DG_XNN_RANK + 1)};

    for (int i = 0; i < shape.rank; i++)
        shape.sizes[i] = most ? rand() % most : any_size();
    return shape;
}

static void any_quantization(struct dg_xnn_operand *operand)
{
    static const float scales[] = {1, 0.5f, 0.25f, 1e-9f, 1e9f, 0};

    operand->quantized = rand() % 2 ? 0 : rand() % 5;
    operand->scale = scales[rand() % 6];
    operand->zero_point = rand() % 3 ? 0 : rand() % 256 - 128;
    operand->scales = scales;
    operand->n_scales = rand() % 7;
    operand->group_size = rand() % 4;
    operand->n_inner = rand() % 4;
    operand->four_bits = operand->type == DG_TYPE_U8 && rand() % 2;
    operand->constant = rand() % 2;
}

static void any_numbers(void)
{
#define NUMBER(field, name, other) node.step.node.field = any_size();
    DG_XNN_NUMBERS(NUMBER)
#undef NUMBER
#define LIST(field, name) node.step.node.field = any_shape(0);
    DG_XNN_LISTS(LIST)
#undef LIST
    node.step.node.flags = (uint32_t)rand() % 16;
    node.step.real = rand() % 3;
    if (rand() % 2)
        node.step.least = rand() % 2;
}

static void any_call(const char *kind)
{
    static const enum dg_type types[] = {DG_TYPE_F32, DG_TYPE_F32, DG_TYPE_I8,
                                         DG_TYPE_U8,  DG_TYPE_F16, DG_TYPE_I32};
    double values[6 * 6 * 6 * 6 * 6 * 6 / 8] = {0};
    enum dg_type type = types[rand() % 6];

    begin(kind);
    any_numbers();
    for (size_t i = 0; i < 64; i++)
        values[i] = rand() % 7 - 3;
    for (int n = rand() % (DG_XNN_INPUTS + 1); n > 0; n--)
        any_quantization(
            input(rand() % 4 ? type : types[rand() % 6], any_shape(4), values));
    node.out[0].type = rand() % 4 ? type : types[rand() % 6];
    node.out[1].type = DG_TYPE_I32;
    node.step.n_outputs = 1 + rand() % 2;
    any_quantization(&node.out[0]);
    node.precision = (enum dg_precision)(rand() % 2);
    run();
    drop();
}

START_TEST(nodes_survive_any_arguments)
{
    dg_host_memory.limit = 1 << 24;
    srand(1);
    for (int round = 0; round < 300; round++) {
        for (const struct dg_xnn_kernel *row = dg_xnn_kernels; row->kernel.op; row++)
            any_call(row->kernel.op + strlen("xnnpack::"));
    }
    dg_host_memory.limit = 0;
    ck_assert_uint_eq(dg_host_memory.used, 0);
}

/* One thing of a right node becomes anything. */
static void spoil_node(void)
{
    struct dg_xnn_operand *operand = &node.in[rand() % DG_XNN_INPUTS];
    int64_t *const numbers[] = {
#define NUMBER(field, name, other) &node.step.node.field,
        DG_XNN_NUMBERS(NUMBER)
#undef NUMBER
    };

    switch (rand() % 4) {
    case 0:
        *numbers[(size_t)rand() % (sizeof(numbers) / sizeof(*numbers))] = any_size();
        break;
    case 1:
        any_quantization(operand);
        break;
    case 2:
        operand->shape = any_shape(4);
        break;
    default:
        operand = &node.in[rand() % node.step.node.n_inputs];
        dg_arg_drop(&node.args[operand - node.in]);
        node.args[operand - node.in] = (struct dg_arg){
            DG_ARG_TENSOR,
            {.tensor = tensor(operand->type, any_shape(4), (double[256]){0})}};
    }
}

static void right_convolution(const char *kind, enum dg_type type)
{
    begin(kind);
    node.step.node.height = node.step.node.width = 2;
    node.step.node.down = node.step.node.across = 1;
    node.step.node.apart = node.step.node.aside = 1;
    node.step.node.groups = node.step.node.group_outputs = 1;
    node.step.node.group_inputs = 1;
    node.out[0].type = type;
    input(type, SHAPE(1, 2, 2, 1), VALUES(1, 2, 3, 4));
    input(type, SHAPE(1, 2, 2, 1), VALUES(1, 0, 1, 0));
    input(type, SHAPE(1), VALUES(1));
    node.precision = (enum dg_precision)(rand() % 2 ? DG_PRECISION_OWN_SUMS : 0);
}

START_TEST(nodes_with_one_fault_survive)
{
    static const char *const kinds[] = {"Conv2d", "DepthwiseConv2d", "ConvTranspose2d",
                                        "AvgPooling2d", "MaxPooling2d"};

    srand(2);
    for (int round = 0; round < 4000; round++) {
        if (rand() % 2) {
            linear_of_rows(rand() % 2, 2);
        } else {
            right_convolution(kinds[rand() % 5],
                              rand() % 2 ? DG_TYPE_F32 : DG_TYPE_F16);
            if (strstr(node.step.node.op.data, "Pool"))
                node.step.node.n_inputs = 1;
        }
        dg_host_memory.limit = 1 << 24;
        spoil_node();
        run();
        dg_host_memory.limit = 0;
        drop();
    }
    ck_assert_uint_eq(dg_host_memory.used, 0);
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
    tcase_add_test(all, a_tie_is_quantized_to_the_even_code);
    tcase_add_test(all, codes_become_floats);
    tcase_add_test(all, codes_are_rescaled_by_eight_bits);
    tcase_add_test(all, the_sum_of_codes_rounds_ties_up);
    tcase_add_test(all, the_product_of_codes_rounds_ties_to_even);
    tcase_add_test(all, an_average_of_codes_rounds_with_its_zero_point);
    tcase_add_test(all, on_another_grid_what_is_near_a_tie_goes_to_the_other_side);
    tcase_add_test(all, on_another_grid_the_scales_of_a_sum_say_what_is_near);
    tcase_add_test(all, functions_of_codes_are_tables);
    tcase_add_test(all, scales_that_leave_no_bits_are_not_run);
    tcase_add_test(all, a_product_of_codes_has_a_scale_for_each_channel);
    tcase_add_test(all, each_row_is_quantized_by_its_own_range);
    tcase_add_test(
        all, what_is_near_a_tie_of_a_row_goes_to_the_other_side_in_the_same_range);
    tcase_add_test(all, weights_of_four_bits_lie_two_to_a_byte);
    tcase_add_test(all, blocks_of_weights_have_scales_of_their_own);
    tcase_add_test(all,
                   odd_rows_of_four_bits_are_not_run_where_the_runtime_has_its_own_way);
    tcase_add_test(all,
                   sums_of_halves_round_at_each_term_in_the_evaluation_of_own_sums);
    tcase_add_test(all, elements_of_a_kernel_far_outside_of_the_image_see_padding);
    tcase_add_test(all, shapes_that_the_runtime_refuses_are_named);
    tcase_add_test(all, floats_times_codes_are_not_run);
    tcase_add_test(all,
                   four_bits_are_only_read_where_the_node_multiplies_by_a_constant);
    tcase_add_test(all, four_bits_that_are_fewer_than_their_shape_are_refused);
    tcase_add_test(all, slices_that_do_not_fit_what_reads_them_are_refused);
    tcase_add_test(all, a_convolution_of_1x1_takes_scales_of_pixels);
    tcase_add_test(all, other_convolutions_take_scales_of_images);
    tcase_add_test(all, a_bias_has_an_element_for_each_channel);
    tcase_add_test(all, nodes_of_too_many_operands_are_refused);
    tcase_add_test(all, images_of_more_elements_than_can_be_are_refused);
    tcase_add_test(all, windows_larger_than_images_see_all_of_them_at_once);
    tcase_add_test(all, nodes_with_one_fault_survive);
    tcase_add_test(all, nodes_survive_any_arguments);
    suite_add_tcase(suite, all);
    return suite;
}
