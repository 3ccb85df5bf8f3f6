/* Operators that torch composes of others: what each is made of, and its corners. */
#include "unit/kernel_case.h"

#define F32S(dims, ...) TENSOR(F32, DIMS dims, __VA_ARGS__)
#define I64S(dims, ...) TENSOR(I64, DIMS dims, __VA_ARGS__)
#define EMPTY(type, ...) TENSOR(type, DIMS(__VA_ARGS__), 0)

START_TEST(addr_ignores_what_beta_0_is_multiplied_with)
{
    EXPECT("aten::addr",
           ARGS(F32S((2, 2), 1, 2, 3, 4), F32S((2), 1, 2), F32S((2), 3, 4), INT(2),
                INT(10)),
           F32S((2, 2), 32, 44, 66, 88));
    EXPECT("aten::addr",
           ARGS(F32S((), NAN), F32S((2), 1, 2), F32S((1), 3), INT(0), INT(1)),
           F32S((2, 1), 3, 6));
    EXPECT("aten::addr",
           ARGS(TENSOR(BOOL, DIMS(1), 0), TENSOR(BOOL, DIMS(2), 1, 0),
                TENSOR(BOOL, DIMS(1), 1), INT(1), INT(1)),
           TENSOR(BOOL, DIMS(2, 1), 1, 0));
    EXPECT("aten::addr",
           ARGS(TENSOR(F64, DIMS(), 9), F32S((1), 3), F32S((1), 0x1.000002p0), INT(0)),
           TENSOR(F64, DIMS(1, 1), 3 * 0x1.000002p0));
    EXPECT_REFUSED("aten::addr", ARGS(F32S((), 0), F32S((1, 1), 1), F32S((1), 1)),
                   DG_ERR_FORMAT, "do not fit");
}
END_TEST

START_TEST(kron_spreads_one_operand_over_the_elements_of_the_other)
{
    EXPECT("aten::kron", ARGS(I64S((2), 1, 10), I64S((2, 2), 1, 2, 3, 4)),
           I64S((2, 4), 1, 2, 10, 20, 3, 4, 30, 40));
    EXPECT("aten::kron",
           ARGS(swapped(I64S((1, 2), 1, 10), 0, 1), TENSOR(I8, DIMS(1, 2), 1, 2)),
           I64S((2, 2), 1, 2, 10, 20));
    EXPECT("aten::kron", ARGS(F32S((), 2), F32S((), 3)), F32S((), 6));
    EXPECT_REFUSED("aten::kron",
                   ARGS(F32S((1, 1, 1, 1, 1, 1, 1, 1, 1), 2), F32S((), 3)),
                   DG_ERR_DEVICE, "rank 9");
}
END_TEST

START_TEST(tensordot_sums_what_meets_a_size_of_1)
{
    struct dg_arg grid = F32S((2, 3), 1, 2, 3, 4, 5, 6);

    EXPECT("aten::tensordot",
           ARGS(grid, F32S((3, 2), 1, 0, 0, 1, 1, 1), INTS(1, 0), INTS(0, 1)),
           F32S((), 15));
    EXPECT("aten::tensordot",
           ARGS(F32S((2, 3), 1, 2, 3, 4, 5, 6), F32S((1, 2), 1, 10), INTS(-2), INTS(0)),
           F32S((3, 2), 5, 50, 7, 70, 9, 90));
    EXPECT("aten::tensordot",
           ARGS(TENSOR(I32, DIMS(2), 1, 2), TENSOR(I32, DIMS(1), 3), INTS(0), INTS(0)),
           TENSOR(I32, DIMS(), 9));
    EXPECT("aten::tensordot", ARGS(F32S((2), 1, 2), F32S((2), 3, 4), INTS(), INTS()),
           F32S((2, 2), 3, 4, 6, 8));
    EXPECT_REFUSED("aten::tensordot",
                   ARGS(F32S((2), 1, 2), F32S((3), 3, 4, 5), INTS(0), INTS(0)),
                   DG_ERR_FORMAT, "of size 2 and 0 of size 3");
    EXPECT_REFUSED("aten::tensordot",
                   ARGS(F32S((2, 2), 1), F32S((2, 2), 1), INTS(0, 0), INTS(0, 1)),
                   DG_ERR_FORMAT, "twice");
    EXPECT_REFUSED("aten::tensordot",
                   ARGS(F32S((2, 2), 1), F32S((2, 2), 1), INTS(0), INTS(0, 1)),
                   DG_ERR_FORMAT, "1 dimensions are contracted with 2");
}
END_TEST

START_TEST(bilinear_has_a_form_for_each_output)
{
    EXPECT("aten::bilinear",
           ARGS(F32S((1, 2), 1, 2), F32S((1, 2), 3, 4),
                F32S((2, 2, 2), 1, 0, 0, 1, 0, 1, 1, 0), F32S((2), 100, 200)),
           F32S((1, 2), 111, 210));
    EXPECT_REFUSED("aten::bilinear",
                   ARGS(F32S((1, 2), 1), F32S((1, 2), 1), F32S((1, 3, 2), 1)),
                   DG_ERR_FORMAT, "");
}
END_TEST

START_TEST(cross_takes_the_first_dimension_of_size_3)
{
    EXPECT("aten::cross", ARGS(I64S((3, 1), 1, 0, 0), I64S((3, 1), 0, 1, 0)),
           I64S((3, 1), 0, 0, 1));
    EXPECT("aten::linalg_cross",
           ARGS(I64S((1, 3), 1, 2, 3), I64S((2, 3), 4, 5, 6, 1, 2, 3)),
           I64S((2, 3), -3, 6, -3, 0, 0, 0));
    EXPECT_REFUSED("aten::cross", ARGS(I64S((2), 1, 0), I64S((2), 0, 1)), DG_ERR_FORMAT,
                   "not of size 3");
    EXPECT_REFUSED("aten::cross", ARGS(I64S((), 1), I64S((), 0)), DG_ERR_FORMAT,
                   "rank 0");
}
END_TEST

START_TEST(vander_falls_unless_told_to_rise)
{
    EXPECT("aten::vander", ARGS(TENSOR(I32, DIMS(3), 1, 2, 3)),
           I64S((3, 3), 1, 1, 1, 4, 2, 1, 9, 3, 1));
    EXPECT("aten::vander", ARGS(F32S((2), 2, 3), INT(4), TRUTH(true)),
           F32S((2, 4), 1, 2, 4, 8, 1, 3, 9, 27));
    EXPECT("aten::vander", ARGS(F32S((2), 2, 3), INT(0)), EMPTY(F32, 2, 0));
    EXPECT("aten::linalg_vander", ARGS(F32S((), 2), INT(3)), F32S((1, 3), 1, 2, 4));
    EXPECT_REFUSED("aten::linalg_vander", ARGS(F32S((1), 2)), DG_ERR_FORMAT,
                   "2 or more");
    EXPECT_REFUSED("aten::vander", ARGS(F32S((2), 2, 3), INT(-1)), DG_ERR_FORMAT,
                   "-1 powers");
    EXPECT_REFUSED("aten::vander", ARGS(F32S((2), 2, 3), INT(INT64_MAX)), DG_ERR_FORMAT,
                   "too large");
}
END_TEST

START_TEST(blocks_on_a_diagonal_have_a_common_type)
{
    EXPECT("aten::block_diag",
           ARGS(LIST(I64S((), 7), F32S((2), 1, 2), swapped(F32S((1, 2), 3, 4), 0, 1))),
           F32S((4, 4), 7, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 3, 0, 0, 0, 4));
    EXPECT_REFUSED("aten::block_diag", ARGS(LIST(F32S((1, 1, 1), 1))), DG_ERR_FORMAT,
                   "item 0");
}
END_TEST

START_TEST(a_cartesian_product_of_one_vector_is_that_vector)
{
    EXPECT("aten::cartesian_prod", ARGS(LIST(I64S((2), 1, 2), I64S((3), 4, 5, 6))),
           I64S((6, 2), 1, 4, 1, 5, 1, 6, 2, 4, 2, 5, 2, 6));
    EXPECT("aten::cartesian_prod", ARGS(LIST(I64S((2), 1, 2))), I64S((2), 1, 2));
    EXPECT_REFUSED("aten::cartesian_prod", ARGS(LIST(I64S((2), 1, 2), F32S((1), 4))),
                   DG_ERR_FORMAT, "item 1");
}
END_TEST

START_TEST(combinations_come_in_the_order_of_the_alphabet)
{
    EXPECT("aten::combinations", ARGS(spread(I64S((4), 1, 2, 3, 4)), INT(3)),
           I64S((4, 3), 1, 2, 3, 1, 2, 4, 1, 3, 4, 2, 3, 4));
    EXPECT("aten::combinations", ARGS(I64S((2), 1, 2), INT(3), TRUTH(true)),
           I64S((4, 3), 1, 1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 2));
    EXPECT("aten::combinations", ARGS(I64S((2), 1, 2), INT(3)), EMPTY(I64, 0, 3));
    EXPECT("aten::combinations", ARGS(I64S((2), 1, 2), INT(0)), EMPTY(I64, 0));
    EXPECT("aten::combinations", ARGS(EMPTY(I64, 0), INT(2), TRUTH(true)),
           EMPTY(I64, 0, 2));
}
END_TEST

START_TEST(combinations_beyond_memory_are_refused)
{
    EXPECT_REFUSED("aten::combinations", ARGS(I64S((1000), 1), INT(500)), DG_ERR_FORMAT,
                   "too many");
    EXPECT_REFUSED("aten::combinations",
                   ARGS(I64S((2), 1, 2), INT(INT64_MAX), TRUTH(true)), DG_ERR_FORMAT,
                   "too many");
    EXPECT_REFUSED("aten::combinations",
                   ARGS(I64S((1), 1), INT(INT64_MAX / 4), TRUTH(true)), DG_ERR_FORMAT,
                   "");
    EXPECT_REFUSED("aten::combinations", ARGS(I64S((1), 1), INT(-1)), DG_ERR_FORMAT,
                   "-1 elements");
}
END_TEST

START_TEST(all_elements_go_onto_a_diagonal)
{
    EXPECT("aten::diagflat", ARGS(I64S((1, 2), 1, 2), INT(-1)),
           I64S((3, 3), 0, 0, 0, 1, 0, 0, 0, 2, 0));
}
END_TEST

START_TEST(common_divisors_are_not_negative)
{
    EXPECT("aten::gcd", ARGS(I64S((4), 12, -18, 0, 0), I64S((4), 18, 12, -5, 0)),
           I64S((4), 6, 6, 5, 0));
    EXPECT("aten::lcm", ARGS(I64S((3), 4, -4, 0), I64S((1), 6)), I64S((3), 12, 12, 0));
    EXPECT("aten::gcd", ARGS(BIG_INTEGERS(DIMS(1), INT64_MIN), I64S((1), 0)),
           BIG_INTEGERS(DIMS(1), INT64_MIN));
    EXPECT("aten::lcm", ARGS(BIG_INTEGERS(DIMS(1), INT64_MIN), I64S((1), -1)),
           BIG_INTEGERS(DIMS(1), INT64_MIN));
    EXPECT("aten::gcd", ARGS(TENSOR(I8, DIMS(1), -128), TENSOR(I8, DIMS(1), -128)),
           TENSOR(I8, DIMS(1), -128));
}
END_TEST

START_TEST(convolutions_of_integers_wrap)
{
    EXPECT("aten::conv1d",
           ARGS(I64S((1, 1, 3), 1, 2, 3), I64S((2, 1, 2), 1, 10, 100, 0),
                I64S((2), 5, 7), INTS(1), INTS(1)),
           I64S((1, 2, 4), 15, 26, 37, 8, 7, 107, 207, 307));
    EXPECT("aten::conv1d",
           ARGS(BIG_INTEGERS(DIMS(1, 1, 1), INT64_MAX), I64S((1, 1, 1), 2)),
           I64S((1, 1, 1), -2));
    EXPECT("aten::conv_transpose1d",
           ARGS(TENSOR(U8, DIMS(1, 1, 2), 1, 200), TENSOR(U8, DIMS(1, 1, 2), 1, 2)),
           TENSOR(U8, DIMS(1, 1, 3), 1, 202, 144));
    EXPECT_REFUSED("aten::convolution_backward",
                   ARGS(I64S((1, 1, 1), 1), I64S((1, 1, 1), 1), I64S((1, 1, 1), 1),
                        NOTHING, INTS(1), INTS(0), INTS(1), TRUTH(false), INTS(0),
                        INT(1), LIST(TRUTH(true), TRUTH(true), TRUTH(true))),
                   DG_ERR_DEVICE, "integers");
}
END_TEST

START_TEST(angles_of_integers_are_f32)
{
    EXPECT_NEAR("aten::deg2rad", ARGS(I64S((2), 180, -90)), 1e-7,
                F32S((2), 3.14159265, -1.57079633));
    EXPECT_NEAR("aten::rad2deg", ARGS(TENSOR(F64, DIMS(1), 1)), 1e-15,
                TENSOR(F64, DIMS(1), 57.29577951308232));
    EXPECT("aten::isreal", ARGS(F32S((2), 1, NAN)), TENSOR(BOOL, DIMS(2), 1, 1));
}
END_TEST

START_TEST(renorm_leaves_slices_that_are_short_enough)
{
    EXPECT_NEAR("aten::renorm",
                ARGS(F32S((2, 2), 3, 4, 0.5, 0), FLOAT(2), INT(0), FLOAT(1)), 1e-6,
                F32S((2, 2), 0.6, 0.8, 0.5, 0));
    EXPECT_NEAR("aten::renorm",
                ARGS(F32S((2, 2), 3, 4, 1, 0), FLOAT(1), INT(-1), FLOAT(4)), 1e-6,
                F32S((2, 2), 3, 4, 1, 0));
    EXPECT_REFUSED("aten::renorm", ARGS(F32S((2), 1, 2), FLOAT(2), INT(0), FLOAT(1)),
                   DG_ERR_FORMAT, "rank 1");
}
END_TEST

START_TEST(sums_to_a_size_keep_what_broadcasting_made)
{
    struct dg_arg grid = F32S((2, 3), 1, 2, 3, 4, 5, 6);

    EXPECT("aten::sum_to_size", ARGS(grid, INTS(2, 1)), F32S((2, 1), 6, 15));
    EXPECT("aten::sum_to_size", ARGS(F32S((2, 3), 1, 2, 3, 4, 5, 6), INTS(3)),
           F32S((3), 5, 7, 9));
    EXPECT("aten::sum_to_size", ARGS(TENSOR(BOOL, DIMS(), 1), INTS()), I64S((), 1));
    EXPECT("aten::sum_to_size", ARGS(TENSOR(BOOL, DIMS(1), 1), INTS(1)),
           TENSOR(BOOL, DIMS(1), 1));
    EXPECT_REFUSED("aten::sum_to_size", ARGS(F32S((2, 3), 1), INTS(2)), DG_ERR_FORMAT,
                   "do not expand");
    EXPECT_REFUSED("aten::sum_to_size", ARGS(F32S((3), 1), INTS(1, 3)), DG_ERR_FORMAT,
                   "do not expand");
}
END_TEST

START_TEST(resizing_shows_memory_that_is_there)
{
    EXPECT("aten::resize", ARGS(swapped(I64S((2, 2), 1, 2, 3, 4), 0, 1), INTS(3)),
           I64S((3), 1, 2, 3));
    EXPECT("aten::resize_as", ARGS(I64S((2, 2), 1, 2, 3, 4), F32S((1, 2), 0)),
           I64S((1, 2), 1, 2));
    EXPECT_REFUSED("aten::resize", ARGS(I64S((2), 1, 2), INTS(1000)), DG_ERR_DEVICE,
                   "unset");
    EXPECT_REFUSED("aten::resize", ARGS(I64S((2), 1, 2), INTS(-1)), DG_ERR_FORMAT,
                   "too large");
}
END_TEST

START_TEST(rrelu_has_the_middle_slope_when_it_does_not_train)
{
    EXPECT("aten::rrelu", ARGS(F32S((2), -2, 3), FLOAT(0.25), FLOAT(0.75)),
           F32S((2), -1, 3));
    EXPECT("aten::rrelu_with_noise",
           ARGS(F32S((2), -2, 3), F32S((2), 0), FLOAT(0.25), FLOAT(0.75)),
           F32S((2), -1, 3));
    EXPECT_REFUSED("aten::rrelu",
                   ARGS(F32S((1), -2), FLOAT(0.25), FLOAT(0.75), TRUTH(true)),
                   DG_ERR_DEVICE, "random");
}
END_TEST

START_TEST(gradients_of_softmax_sum_along_their_line)
{
    EXPECT("aten::_softmax_backward_data",
           ARGS(F32S((2, 2), 1, 3, 2, 0), F32S((2, 2), 0.5, 0.25, 0.5, 0.75), INT(0),
                DTYPE(F32)),
           F32S((2, 2), -0.25, 0.5625, 0.25, -0.5625));
    EXPECT("aten::_log_softmax_backward_data",
           ARGS(F32S((2), 1, 3), F32S((2), 0, -INFINITY), INT(-1), DTYPE(F32)),
           F32S((2), -3, 3));
    EXPECT("aten::native_dropout_backward",
           ARGS(F32S((2), 1, 3), TENSOR(BOOL, DIMS(2), 0, 1), FLOAT(2)),
           F32S((2), 0, 6));
    EXPECT_REFUSED("aten::_softmax_backward_data",
                   ARGS(F32S((2), 1), F32S((3), 1), INT(0), DTYPE(F32)), DG_ERR_FORMAT,
                   "one shape");
}
END_TEST

START_TEST(losses_of_margins_are_0_beyond_them)
{
    EXPECT("aten::margin_ranking_loss",
           ARGS(F32S((2), 3, 1), F32S((2), 1, 2), F32S((2), 1, 1), FLOAT(0.5), INT(0)),
           F32S((2), 0, 1.5));
    EXPECT(
        "aten::hinge_embedding_loss",
        ARGS(F32S((4), 0.25, 0.25, 2, 0.25), F32S((4), 1, -1, -1, 0), FLOAT(1), INT(0)),
        F32S((4), 0.25, 0.75, 0, 1));
    EXPECT("aten::soft_margin_loss",
           ARGS(TENSOR(F16, DIMS(1), 20), TENSOR(F16, DIMS(1), -1), INT(0)),
           TENSOR(F16, DIMS(1), INFINITY));
    EXPECT_NEAR("aten::triplet_margin_loss",
                ARGS(F32S((1, 2), 0, 0), F32S((1, 2), 3, 4), F32S((1, 2), 6, 8),
                     FLOAT(7), FLOAT(2), FLOAT(0), TRUTH(true), INT(2)),
                1e-6, F32S((), 7));
}
END_TEST

START_TEST(distances_of_integers_wrap_before_they_are_shifted)
{
    EXPECT_NEAR("aten::pairwise_distance",
                ARGS(TENSOR(U8, DIMS(2, 1), 1, 5), TENSOR(U8, DIMS(2, 1), 2, 3),
                     FLOAT(2), FLOAT(0.5), TRUTH(true)),
                1e-6, F32S((2, 1), 255.5, 2.5));
}
END_TEST

START_TEST(cosine_embedding_loss_looks_at_the_sign_of_its_target)
{
    EXPECT_NEAR("aten::cosine_embedding_loss",
                ARGS(F32S((3, 2), 1, 0, 1, 0, 0, 2), F32S((3, 2), 0, 1, 3, 0, 0, 1),
                     F32S((3), 1, -1, 1), FLOAT(0.25), INT(0)),
                1e-6, F32S((3), 1, 0.75, 0));
    EXPECT_REFUSED("aten::cosine_embedding_loss",
                   ARGS(F32S((1, 2), 1), F32S((1, 2), 1), F32S((1, 1), 1)),
                   DG_ERR_FORMAT, "rank 0 or 1");
}
END_TEST

START_TEST(poisson_nll_loss_corrects_targets_above_1)
{
    EXPECT("aten::poisson_nll_loss",
           ARGS(F32S((2), 0, 0), F32S((2), 1, 2), TRUTH(true), TRUTH(false), FLOAT(0),
                INT(2)),
           F32S((), 2));
    EXPECT_NEAR("aten::poisson_nll_loss",
                ARGS(F32S((2), 1, 1), F32S((2), 1, 2), TRUTH(false), TRUTH(true),
                     FLOAT(0), INT(0)),
                1e-6, F32S((2), 1, 1.6518065));
}
END_TEST

START_TEST(multi_margin_loss_weighs_by_the_right_class)
{
    EXPECT("aten::multi_margin_loss",
           ARGS(F32S((2, 2), 1, 0.5, 0, 4), I64S((2), 0, 0), INT(2), INT(1),
                F32S((2), 2, 9), INT(0)),
           F32S((2), 0.25, 25));
    EXPECT("aten::multi_margin_loss", ARGS(F32S((2), 1, 0.5), I64S((), 1)),
           F32S((), 0.75));
    EXPECT_REFUSED("aten::multi_margin_loss", ARGS(F32S((1, 2), 1), I64S((1), 2)),
                   DG_ERR_FORMAT, "target 2 is out of range for 2 classes");
    EXPECT_REFUSED("aten::multi_margin_loss",
                   ARGS(F32S((1, 2), 1), I64S((1), 0), INT(3)), DG_ERR_FORMAT,
                   "the power 3");
    EXPECT_REFUSED("aten::multi_margin_loss", ARGS(F32S((1, 2), 1), I64S((1), -1)),
                   DG_ERR_FORMAT, "out of range");
    EXPECT_REFUSED("aten::multi_margin_loss", ARGS(F32S((2, 2), 1), I64S((1), 0)),
                   DG_ERR_FORMAT, "1 targets where 2 are needed");
}
END_TEST

START_TEST(multilabel_targets_end_at_the_first_negative_one)
{
    EXPECT_ALL("aten::multilabel_margin_loss_forward",
               ARGS(F32S((1, 4), 0.5, 1, 0, 2), I64S((1, 4), 3, 0, -1, 1), INT(1)),
               ARGS(F32S((), 0.5), F32S((1, 4), 1, 0, 0, 1)));
    EXPECT_REFUSED("aten::multilabel_margin_loss", ARGS(F32S((2), 1), I64S((2), 0, 2)),
                   DG_ERR_FORMAT, "out of range");
}
END_TEST

Suite *kernels_whole_suite(void)
{
    Suite *suite = suite_create("kernels_whole");
    TCase *tests = tcase_create("kernels_whole");

    tcase_add_test(tests, addr_ignores_what_beta_0_is_multiplied_with);
    tcase_add_test(tests, kron_spreads_one_operand_over_the_elements_of_the_other);
    tcase_add_test(tests, tensordot_sums_what_meets_a_size_of_1);
    tcase_add_test(tests, bilinear_has_a_form_for_each_output);
    tcase_add_test(tests, cross_takes_the_first_dimension_of_size_3);
    tcase_add_test(tests, vander_falls_unless_told_to_rise);
    tcase_add_test(tests, blocks_on_a_diagonal_have_a_common_type);
    tcase_add_test(tests, a_cartesian_product_of_one_vector_is_that_vector);
    tcase_add_test(tests, combinations_come_in_the_order_of_the_alphabet);
    tcase_add_test(tests, combinations_beyond_memory_are_refused);
    tcase_add_test(tests, all_elements_go_onto_a_diagonal);
    tcase_add_test(tests, common_divisors_are_not_negative);
    tcase_add_test(tests, convolutions_of_integers_wrap);
    tcase_add_test(tests, angles_of_integers_are_f32);
    tcase_add_test(tests, renorm_leaves_slices_that_are_short_enough);
    tcase_add_test(tests, sums_to_a_size_keep_what_broadcasting_made);
    tcase_add_test(tests, resizing_shows_memory_that_is_there);
    tcase_add_test(tests, rrelu_has_the_middle_slope_when_it_does_not_train);
    tcase_add_test(tests, gradients_of_softmax_sum_along_their_line);
    tcase_add_test(tests, losses_of_margins_are_0_beyond_them);
    tcase_add_test(tests, distances_of_integers_wrap_before_they_are_shifted);
    tcase_add_test(tests, cosine_embedding_loss_looks_at_the_sign_of_its_target);
    tcase_add_test(tests, poisson_nll_loss_corrects_targets_above_1);
    tcase_add_test(tests, multi_margin_loss_weighs_by_the_right_class);
    tcase_add_test(tests, multilabel_targets_end_at_the_first_negative_one);
    suite_add_tcase(suite, tests);
    return suite;
}
