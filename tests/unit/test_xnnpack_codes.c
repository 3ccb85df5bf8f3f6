/* Nodes of XNNPACK that give or take codes: how they round, and whose scales they take.
 */
#include <stdlib.h>

#include "unit/xnnpack_node.h"

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

START_TEST(floats_times_codes_are_not_run)
{
    begin("FullyConnected");
    input(DG_TYPE_F32, SHAPE(1, 2), VALUES(1, 2));
    by_tensor(input(DG_TYPE_I8, SHAPE(1, 2), VALUES(1, 2)), 1, 0);
    ck_assert_int_eq(run(), DG_ERR_DEVICE);
    drop();
}

Suite *xnnpack_codes_suite(void)
{
    Suite *suite = suite_create("xnnpack codes");
    TCase *all = tcase_create("all");
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
    tcase_add_test(all, floats_times_codes_are_not_run);
    tcase_add_test(all,
                   four_bits_are_only_read_where_the_node_multiplies_by_a_constant);
    tcase_add_test(all, four_bits_that_are_fewer_than_their_shape_are_refused);
    tcase_add_test(all, slices_that_do_not_fit_what_reads_them_are_refused);
    tcase_add_test(all, a_convolution_of_1x1_takes_scales_of_pixels);
    tcase_add_test(all, other_convolutions_take_scales_of_images);
    suite_add_tcase(suite, all);
    return suite;
}
