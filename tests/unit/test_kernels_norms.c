/* Norms over batches and instances, the statistics that they keep, and losses. */
#include "unit/kernel_case.h"

#define V(n, ...) TENSOR(F32, DIMS(n), __VA_ARGS__)

START_TEST(running_statistics_are_written_where_they_lie)
{
    static const char *const ops[] = {"aten::_native_batch_norm_legit",
                                      "aten::batch_norm"};

    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        struct case_args args =
            ARGS(TENSOR(F32, DIMS(2, 1), 1, 3), NOTHING, NOTHING, V(1, 0), V(1, 1),
                 TRUTH(true), FLOAT(0.5), FLOAT(0));
        struct case_run run = case_run(ops[i], args);

        ck_assert_int_eq(run.status, DG_OK);
        ck_assert_double_eq(*(float *)dg_tensor_data(args.items[3].as.tensor), 1);
        ck_assert_double_eq(*(float *)dg_tensor_data(args.items[4].as.tensor), 1.5);
        case_drop(&run);
        case_drop_args(args);
    }
}
END_TEST

START_TEST(running_statistics_of_instances_are_means_over_the_samples)
{
    struct case_args args =
        ARGS(TENSOR(F32, DIMS(2, 1, 2), 1, 3, 4, 8), V(1, 2), V(1, 1), V(1, 10),
             V(1, 100), TRUTH(true), FLOAT(0.5), FLOAT(0));
    struct case_run run = case_run("aten::instance_norm", args);
    const float *values;

    ck_assert_msg(run.status == DG_OK, "%s", run.err.text);
    values = dg_tensor_data(run.results[0].as.tensor);
    ck_assert_float_eq(values[0], -1);
    ck_assert_float_eq(values[3], 3);
    ck_assert_float_eq(*(float *)dg_tensor_data(args.items[3].as.tensor), 7);
    ck_assert_float_eq(*(float *)dg_tensor_data(args.items[4].as.tensor), 52.5F);
    case_drop(&run);
    case_drop_args(args);
    EXPECT("aten::instance_norm",
           ARGS(TENSOR(F32, DIMS(0, 2, 1), ), NOTHING, NOTHING, V(2, 0), V(2, 1),
                TRUTH(true), FLOAT(0.5), FLOAT(0)),
           TENSOR(F32, DIMS(0, 2, 1), ));
    EXPECT_REFUSED("aten::instance_norm",
                   ARGS(TENSOR(F32, DIMS(2, 1, 2), 1), NOTHING, NOTHING, V(2, 0),
                        V(2, 1), TRUTH(true)),
                   DG_ERR_FORMAT, "not one of each channel");
    EXPECT_REFUSED("aten::instance_norm",
                   ARGS(TENSOR(F32, DIMS(2, 1, 2), 1), NOTHING, NOTHING, V(1, 0),
                        NOTHING, TRUTH(true)),
                   DG_ERR_FORMAT, "");
}
END_TEST

START_TEST(nothing_is_normalized_in_any_shape)
{
    EXPECT("aten::batch_norm",
           ARGS(V(0, ), NOTHING, NOTHING, NOTHING, NOTHING, TRUTH(true)), V(0, ));
    EXPECT_REFUSED("aten::batch_norm",
                   ARGS(V(1, 1), NOTHING, NOTHING, NOTHING, NOTHING, TRUTH(true)),
                   DG_ERR_FORMAT, "a batch norm of rank 1");
}
END_TEST

/* With gradients by the weight and the bias, or without. */
#define LINEAR_LOSS(targets, smoothing, gradients)                                     \
    ARGS(TENSOR(F64, DIMS(2, 1), 1, 2), TENSOR(F64, DIMS(2, 1), 0, 0), targets,        \
         NOTHING, NOTHING, TEXT("mean"), INT(-100), FLOAT(smoothing), INT(1),          \
         TEXT("compact"), DTYPE(F64), TRUTH(true), TRUTH(false), TRUTH(gradients),     \
         TRUTH(gradients))

/* Rows of equal elements: 1e-5 is all that the deviation is. */
START_TEST(own_sums_leave_an_ulp_of_what_a_norm_cancels)
{
    static const double ulp = 8 * 0x1p-23 * 316.22776601683796;

    EXPECT("aten::layer_norm", ARGS(V(2, 8, 8), INTS(2)), V(2, 0, 0));
    case_precision = DG_PRECISION_OWN_SUMS;
    EXPECT_NEAR("aten::layer_norm", ARGS(V(2, 8, 8), INTS(2)), 1e-9, V(2, -ulp, -ulp));
    EXPECT_NEAR("aten::batch_norm",
                ARGS(TENSOR(F32, DIMS(1, 1, 1), 8), NOTHING, NOTHING, V(1, 8), V(1, 0),
                     TRUTH(false), FLOAT(0), FLOAT(1e-5)),
                1e-9, TENSOR(F32, DIMS(1, 1, 1), -ulp));
    EXPECT("aten::rms_norm", ARGS(V(2, 8, 8), INTS(2), NOTHING, FLOAT(0)), V(2, 1, 1));
    case_precision = DG_PRECISION_EXACT_SUMS;
}
END_TEST

/* All results are torch's; of 16 bits that are rounded once they are those behind
 * "exact". */
START_TEST(own_sums_use_the_statistics_of_a_batch_as_torch_keeps_them)
{
    const struct dg_arg exact =
        TENSOR(BF16, DIMS(4, 1), -0.255859375, 1.25, 0.4765625, -1.46875);
    const struct dg_arg kept =
        TENSOR(BF16, DIMS(4, 1), -0.263671875, 1.2421875, 0.470703125, -1.4765625);

    for (int own = 0; own < 2; own++) {
        case_precision = own ? DG_PRECISION_OWN_SUMS : DG_PRECISION_EXACT_SUMS;
        EXPECT_ALL("aten::native_batch_norm",
                   ARGS(TENSOR(BF16, DIMS(4, 1), 5.03125, 7.53125, 6.25, 3.015625),
                        NOTHING, NOTHING, NOTHING, NOTHING, TRUTH(true), FLOAT(0),
                        FLOAT(1e-5)),
                   ARGS(own ? kept : exact, TENSOR(BF16, DIMS(1), 5.46875),
                        TENSOR(BF16, DIMS(1), 0.6015625)));
    }
    EXPECT(
        "aten::instance_norm",
        ARGS(TENSOR(BF16, DIMS(1, 1, 4), 5.03125, 7.53125, 6.25, 3.015625), NOTHING,
             NOTHING, NOTHING, NOTHING, TRUTH(true), FLOAT(0), FLOAT(1e-5)),
        TENSOR(BF16, DIMS(1, 1, 4), -0.263671875, 1.2421875, 0.470703125, -1.4765625));
    case_precision = DG_PRECISION_EXACT_SUMS;
}
END_TEST

/* Where rounding once is half an ulp off, and the steps of torch are more. */
START_TEST(own_sums_of_16_bits_take_the_steps_of_torch)
{
    for (int own = 0; own < 2; own++) {
        case_precision = own ? DG_PRECISION_OWN_SUMS : DG_PRECISION_EXACT_SUMS;
        EXPECT("aten::logit",
               ARGS(TENSOR(BF16, DIMS(3), 0.447265625, 0.5546875, 0.3125)),
               TENSOR(BF16, DIMS(3), own ? -0.2177734375 : -0.2119140625,
                      own ? 0.216796875 : 0.2197265625, -0.7890625));
        EXPECT("aten::logit",
               ARGS(TENSOR(BF16, DIMS(2), 0.05, 0.447265625), FLOAT(0.1)),
               TENSOR(BF16, DIMS(2), own ? -2.1875 : -2.203125,
                      own ? -0.2177734375 : -0.2119140625));
        EXPECT("aten::prod",
               ARGS(TENSOR(BF16, DIMS(4), 1.0390625, 1.0703125, 0.9609375, 1.1171875)),
               TENSOR(BF16, DIMS(), own ? 1.1875 : 1.1953125));
        EXPECT("aten::binary_cross_entropy_with_logits",
               ARGS(TENSOR(F16, DIMS(1), -7.44921875),
                    TENSOR(F16, DIMS(1), 0.01027679443359375), NOTHING, NOTHING,
                    INT(0)),
               TENSOR(F16, DIMS(1), own ? 0.078125 : 0.0771484375));
        EXPECT("aten::cdist",
               ARGS(TENSOR(BF16, DIMS(1, 3), 0.66015625, 0.267578125, 0.061767578125),
                    TENSOR(BF16, DIMS(1, 3), 0.66015625, 0.267578125, 0.061767578125),
                    FLOAT(2), INT(1)),
               TENSOR(BF16, DIMS(1, 1), own ? 0.031494140625 : 0));
        EXPECT("aten::gru_cell",
               ARGS(TENSOR(F16, DIMS(1, 1), -0.73779296875),
                    TENSOR(F16, DIMS(1, 1), 2.279296875),
                    TENSOR(F16, DIMS(3, 1), 0.37109375, -0.174072265625, 1.138671875),
                    TENSOR(F16, DIMS(3, 1), -1.4326171875, 0.26220703125, 1.296875)),
               TENSOR(F16, DIMS(1, 1), own ? 1.326171875 : 1.328125));
    }
    case_precision = DG_PRECISION_EXACT_SUMS;
}
END_TEST

/* One that would be 0.1 is above it. */
START_TEST(thresholds_of_16_bits_are_not_rounded)
{
    EXPECT("aten::threshold",
           ARGS(TENSOR(BF16, DIMS(2), 0.10009765625, 0.0996), FLOAT(0.1), FLOAT(20)),
           TENSOR(BF16, DIMS(2), 0.10009765625, 20));
}
END_TEST

/* As torch computes them; rounded once they were 0.578125, 12.25, 26.125, 0.30590820.
 */
START_TEST(losses_of_16_bits_round_each_step_where_torch_does)
{
    EXPECT("aten::huber_loss",
           ARGS(TENSOR(BF16, DIMS(2), 1.125, 6.125),
                TENSOR(BF16, DIMS(2), 0.05078125, 0.296875), INT(0), FLOAT(2.75)),
           TENSOR(BF16, DIMS(2), 0.58203125, 12.1875));
    EXPECT("aten::mse_loss",
           ARGS(TENSOR(BF16, DIMS(1), 5.125), TENSOR(BF16, DIMS(1), 0.0078125), INT(0)),
           TENSOR(BF16, DIMS(1), 26.25));
    EXPECT("aten::smooth_l1_loss",
           ARGS(TENSOR(F16, DIMS(1), 1.375), TENSOR(F16, DIMS(1), 0.078125), INT(0),
                FLOAT(2.75)),
           TENSOR(F16, DIMS(1), 0.3056640625));
}
END_TEST

START_TEST(the_loss_of_a_linear_layer_has_its_gradients)
{
    const char *op = "torch_nn::_linear_cross_entropy_batch_chunked";

    case_expect(__LINE__, op, LINEAR_LOSS(TENSOR(I64, DIMS(2), 0, -100), 0, true),
                ARGS(TENSOR(F64, DIMS(), 0.6931471805599453), TENSOR(F64, DIMS(0, 0), ),
                     TENSOR(F64, DIMS(2, 1), -0.5, 0.5),
                     TENSOR(F64, DIMS(2), -0.5, 0.5)),
                1e-15);
    case_expect(__LINE__, op, LINEAR_LOSS(TENSOR(I64, DIMS(2), 0, 1), 0, false),
                ARGS(TENSOR(F64, DIMS(), 0.6931471805599453), TENSOR(F64, DIMS(0, 0), ),
                     TENSOR(F64, DIMS(0, 0), ), TENSOR(F64, DIMS(0), )),
                1e-15);
    EXPECT_REFUSED("torch_nn::_linear_cross_entropy_batch_chunked",
                   LINEAR_LOSS(TENSOR(I64, DIMS(2), 0, 2), 0, true), DG_ERR_FORMAT,
                   "target 2 is out of range");
    EXPECT_REFUSED("torch_nn::_linear_cross_entropy_batch_chunked",
                   LINEAR_LOSS(TENSOR(F64, DIMS(2, 2), 0.5), 0, true), DG_ERR_FORMAT,
                   "rows and classes are needed");
    EXPECT_REFUSED("torch_nn::_linear_cross_entropy_batch_chunked",
                   LINEAR_LOSS(TENSOR(I64, DIMS(2), 0), 0.5, true), DG_ERR_DEVICE,
                   "label smoothing");
    EXPECT_REFUSED(op, ARGS(TENSOR(F64, DIMS(2, 1), 1)), DG_ERR_FORMAT,
                   "a tensor is missing");
    EXPECT_NEAR("torch_nn::_linear_cross_entropy_batch_chunked_no_reduction",
                ARGS(TENSOR(F64, DIMS(2, 1), 1, 2), TENSOR(F64, DIMS(2, 1), 0, 0),
                     TENSOR(I64, DIMS(2), 0, 1), NOTHING, TENSOR(F64, DIMS(2), 1, 2),
                     INT(-100)),
                1e-15, TENSOR(F64, DIMS(2), 0.6931471805599453, 1.3862943611198906));
}
END_TEST

Suite *kernels_norms_suite(void)
{
    Suite *suite = suite_create("kernels_norms");
    TCase *all = tcase_create("all");

    tcase_add_test(all, running_statistics_are_written_where_they_lie);
    tcase_add_test(all, running_statistics_of_instances_are_means_over_the_samples);
    tcase_add_test(all, nothing_is_normalized_in_any_shape);
    tcase_add_test(all, own_sums_leave_an_ulp_of_what_a_norm_cancels);
    tcase_add_test(all, own_sums_use_the_statistics_of_a_batch_as_torch_keeps_them);
    tcase_add_test(all, own_sums_of_16_bits_take_the_steps_of_torch);
    tcase_add_test(all, thresholds_of_16_bits_are_not_rounded);
    tcase_add_test(all, losses_of_16_bits_round_each_step_where_torch_does);
    tcase_add_test(all, the_loss_of_a_linear_layer_has_its_gradients);
    suite_add_tcase(suite, all);
    return suite;
}
