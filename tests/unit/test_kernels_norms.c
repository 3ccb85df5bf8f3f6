/* Norms over batches and instances, and the statistics that they keep. */
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

Suite *kernels_norms_suite(void)
{
    Suite *suite = suite_create("kernels_norms");
    TCase *all = tcase_create("all");

    tcase_add_test(all, running_statistics_are_written_where_they_lie);
    tcase_add_test(all, running_statistics_of_instances_are_means_over_the_samples);
    tcase_add_test(all, nothing_is_normalized_in_any_shape);
    suite_add_tcase(suite, all);
    return suite;
}
