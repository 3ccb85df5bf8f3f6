/* Calls that no program of torch makes: sizes without end where there are no elements,
 * lists that are too long, arguments of other kinds. */
#include "unit/kernel_case.h"

/* Neither read beyond what there is, nor counted one by one. */
START_TEST(matrices_without_elements_are_not_counted)
{
    EXPECT_REFUSED("aten::linalg_inv", ARGS(TENSOR(F32, DIMS(20000, 0))), DG_ERR_DEVICE,
                   "at most 16384 by 16384");
    EXPECT("aten::linalg_svdvals",
           ARGS(TENSOR(F32, DIMS(INT64_MAX / 64, 0, 0)), NOTHING),
           TENSOR(F32, DIMS(INT64_MAX / 64, 0)));
    EXPECT_ALL(
        "aten::linalg_qr", ARGS(TENSOR(F32, DIMS(1LL << 50, 5, 0)), TEXT("reduced")),
        ARGS(TENSOR(F32, DIMS(1LL << 50, 5, 0)), TENSOR(F32, DIMS(1LL << 50, 0, 0))));
}
END_TEST

/* One number for each of them is more than there is memory, which no allocator is
 * asked for. */
START_TEST(results_of_each_matrix_are_held_to_the_memory_that_is_left)
{
    dg_host_memory.limit = dg_host_memory.used + (1 << 20);
    EXPECT_REFUSED("aten::linalg_inv", ARGS(TENSOR(F32, DIMS(INT64_MAX / 64, 0, 0))),
                   DG_ERR_FORMAT, "");
    EXPECT_REFUSED("aten::linalg_matrix_norm",
                   ARGS(TENSOR(F32, DIMS(INT64_MAX / 64, 0, 0)), FLOAT(1)),
                   DG_ERR_FORMAT, "");
    dg_host_memory.limit = 0;
}
END_TEST

START_TEST(rows_without_segments_are_not_counted)
{
    EXPECT("aten::segment_reduce",
           ARGS(TENSOR(F32, DIMS(1LL << 50, 0)), TEXT("sum"),
                TENSOR(I64, DIMS(1LL << 50, 0)), NOTHING, NOTHING, INT(1), TRUTH(true)),
           TENSOR(F32, DIMS(1LL << 50, 0)));
}
END_TEST

START_TEST(more_dimensions_than_a_tensor_has_are_refused)
{
    EXPECT_REFUSED("aten::linalg_tensorsolve",
                   ARGS(TENSOR(F32, DIMS(2, 2), 1), TENSOR(F32, DIMS(2), 1),
                        INTS(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
                   DG_ERR_FORMAT, "16 of 2 dimensions");
    EXPECT_REFUSED("aten::linalg_tensorsolve",
                   ARGS(TENSOR(F32, DIMS(), 1), TENSOR(F32, DIMS(), 1), INTS(0)),
                   DG_ERR_FORMAT, "1 of 0 dimensions");
}
END_TEST

START_TEST(elements_among_what_is_no_number_are_refused)
{
    EXPECT_REFUSED("aten::isin.Tensor_Tensor",
                   ARGS(TENSOR(I64, DIMS(2), 1, 2), TEXT("1")), DG_ERR_FORMAT,
                   "among others");
    EXPECT_REFUSED("aten::isin.Tensor_Tensor",
                   ARGS(NOTHING, TENSOR(I64, DIMS(2), 1, 2)), DG_ERR_FORMAT,
                   "among others");
}
END_TEST

START_TEST(factors_that_integers_do_not_hold_are_refused)
{
    EXPECT_REFUSED("aten::addmm",
                   ARGS(TENSOR(I64, DIMS(1, 1), 1), TENSOR(I64, DIMS(1, 1), 1),
                        TENSOR(I64, DIMS(1, 1), 1), INT(1), FLOAT(NAN)),
                   DG_ERR_FORMAT, "argument 4 does not fit i64");
    EXPECT_REFUSED("aten::addmv",
                   ARGS(TENSOR(I32, DIMS(1), 1), TENSOR(I32, DIMS(1, 1), 1),
                        TENSOR(I32, DIMS(1), 1), FLOAT(0x1p31), INT(1)),
                   DG_ERR_FORMAT, "argument 3 does not fit i32");
}
END_TEST

/* Types that can be stored only have no common one with others. */
START_TEST(types_without_a_common_one_are_refused)
{
    EXPECT_REFUSED("aten::stft.center",
                   ARGS(TENSOR(F32, DIMS(8), 1), INT(4), INT(1), INT(4),
                        TENSOR(F8E5M2, DIMS(4), 1), TRUTH(true), TEXT("reflect"),
                        TRUTH(false), NOTHING, TRUTH(true)),
                   DG_ERR_DEVICE, "a window of f8e5m2");
    EXPECT_REFUSED(
        "aten::block_diag",
        ARGS(LIST(TENSOR(F32, DIMS(1, 1), 1), TENSOR(F8E5M2, DIMS(1, 1), 1))),
        DG_ERR_DEVICE, "");
}
END_TEST

Suite *kernels_hostile_suite(void)
{
    Suite *suite = suite_create("kernels_hostile");
    TCase *all = tcase_create("all");

    tcase_add_test(all, matrices_without_elements_are_not_counted);
    tcase_add_test(all, results_of_each_matrix_are_held_to_the_memory_that_is_left);
    tcase_add_test(all, rows_without_segments_are_not_counted);
    tcase_add_test(all, more_dimensions_than_a_tensor_has_are_refused);
    tcase_add_test(all, elements_among_what_is_no_number_are_refused);
    tcase_add_test(all, factors_that_integers_do_not_hold_are_refused);
    tcase_add_test(all, types_without_a_common_one_are_refused);
    suite_add_tcase(suite, all);
    return suite;
}
