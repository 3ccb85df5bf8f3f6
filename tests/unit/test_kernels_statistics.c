/* Statistics, signals and what else torch.export leaves whole, in the corners. */
#include "unit/kernel_case.h"

#define V(n, ...) TENSOR(F32, DIMS(n), __VA_ARGS__)

START_TEST(the_last_bin_has_its_right_edge_and_what_is_outside_does_not_count)
{
    EXPECT("aten::histc", ARGS(V(5, 0, 1, 2, 3, NAN), INT(2), INT(1), INT(3)),
           V(2, 1, 2));
    EXPECT_ALL("aten::histogram.bins_tensor",
               ARGS(V(6, -1, 0, 0.5, 1, 4, 5), V(3, 0, 1, 4)),
               ARGS(V(2, 2, 2), V(3, 0, 1, 4)));
    EXPECT("aten::histc", ARGS(V(2, 7, 7), INT(2)), V(2, 0, 2));
    EXPECT("aten::histc", ARGS(V(0, ), INT(3)), V(3, 0));
}
END_TEST

START_TEST(a_density_is_over_the_volume_of_each_bin)
{
    EXPECT_ALL("aten::histogram.bin_ct",
               ARGS(V(4, 0, 1, 1, 2), INT(2), NOTHING, V(4, 1, 2, 2, 3), TRUTH(true)),
               ARGS(V(2, 0.125, 0.875), V(3, 0, 1, 2)));
    EXPECT("aten::_histogramdd_from_bin_cts",
           ARGS(TENSOR(F32, DIMS(2, 2), 0, 0, 1, 4), INTS(1, 2)),
           TENSOR(F32, DIMS(1, 2), 1, 1));
    EXPECT_ALL("aten::_histogramdd_bin_edges",
               ARGS(TENSOR(F32, DIMS(2, 2), 0, 0, 1, 4), INTS(1, 2)),
               ARGS(V(2, 0, 1), V(3, 0, 2, 4)));
}
END_TEST

START_TEST(histograms_refuse_bins_that_cannot_be)
{
    EXPECT_REFUSED("aten::histc", ARGS(V(2, 1, 2), INT(0)), DG_ERR_FORMAT, "0 bins");
    EXPECT_REFUSED("aten::histc", ARGS(V(2, 1, NAN), INT(3)), DG_ERR_FORMAT, "nan");
    EXPECT_REFUSED("aten::histc", ARGS(V(2, 1, 2), INT(3), INT(2), INT(1)),
                   DG_ERR_FORMAT, "bins from 2 to 1");
    EXPECT_REFUSED("aten::histc", ARGS(V(2, 1, 2), INT(INT64_MAX / 2)), DG_ERR_FORMAT,
                   "");
    EXPECT_REFUSED("aten::histogram.bins_tensor", ARGS(V(2, 1, 2), V(0, )),
                   DG_ERR_FORMAT, "-1 bins");
    EXPECT_REFUSED("aten::histogram.bin_ct",
                   ARGS(V(2, 1, 2), INT(2), NOTHING, V(3, 1, 2, 3)), DG_ERR_FORMAT,
                   "3 weights");
    EXPECT_REFUSED("aten::histogramdd",
                   ARGS(TENSOR(F32, DIMS(1, 2), 1), INTS(1 << 30, 1 << 30)),
                   DG_ERR_FORMAT, "");
    EXPECT_REFUSED("aten::histogramdd", ARGS(TENSOR(F32, DIMS(1, 2), 1), INTS(1)),
                   DG_ERR_FORMAT, "1 of 2 dimensions");
}
END_TEST

START_TEST(quantiles_lie_between_two_elements)
{
    EXPECT("aten::quantile.scalar", ARGS(V(4, 4, 1, 3, 2), FLOAT(0.5)),
           TENSOR(F32, DIMS(), 2.5));
    EXPECT("aten::quantile",
           ARGS(TENSOR(F32, DIMS(2, 3), 3, 1, 2, 6, NAN, 4), V(2, 0, 1), INT(1)),
           TENSOR(F32, DIMS(2, 2), 1, NAN, 3, NAN));
    EXPECT("aten::nanquantile",
           ARGS(TENSOR(F32, DIMS(2, 3), 3, 1, 2, 6, NAN, 4), V(2, 0, 1), INT(1),
                TRUTH(true)),
           TENSOR(F32, DIMS(2, 2, 1), 1, 4, 3, 6));
    EXPECT("aten::nanquantile.scalar", ARGS(V(2, NAN, NAN), FLOAT(0.5)),
           TENSOR(F32, DIMS(), NAN));
    EXPECT("aten::quantile.scalar",
           ARGS(V(3, 1, 2, 4), FLOAT(0.6), NOTHING, NOTHING, TEXT("higher")),
           TENSOR(F32, DIMS(), 4));
    EXPECT("aten::quantile.scalar",
           ARGS(V(3, 1, 2, 4), FLOAT(0.6), NOTHING, NOTHING, TEXT("midpoint")),
           TENSOR(F32, DIMS(), 3));
}
END_TEST

START_TEST(quantiles_refuse_what_is_none)
{
    EXPECT_REFUSED("aten::quantile.scalar", ARGS(V(2, 1, 2), FLOAT(1.5)), DG_ERR_FORMAT,
                   "a quantile of 1.5");
    EXPECT_REFUSED("aten::quantile.scalar", ARGS(V(2, 1, 2), FLOAT(NAN)), DG_ERR_FORMAT,
                   "a quantile of");
    EXPECT_REFUSED("aten::quantile.scalar", ARGS(V(0, ), FLOAT(0.5)), DG_ERR_FORMAT,
                   "0 elements");
    EXPECT_REFUSED("aten::quantile.scalar",
                   ARGS(TENSOR(I64, DIMS(2), 1, 2), FLOAT(0.5)), DG_ERR_FORMAT, "i64");
    EXPECT_REFUSED("aten::quantile.scalar",
                   ARGS(V(2, 1, 2), FLOAT(0.5), NOTHING, NOTHING, TEXT("cubic")),
                   DG_ERR_FORMAT, "cubic");
    EXPECT_REFUSED("aten::quantile.scalar", ARGS(V(2, 1, 2), FLOAT(0.5), INT(1)),
                   DG_ERR_FORMAT, "dimension 1");
}
END_TEST

START_TEST(integrals_wrap_as_the_integers_of_their_steps_do)
{
    EXPECT("aten::trapezoid.dx", ARGS(TENSOR(U8, DIMS(2), 200, 100), INT(2)),
           TENSOR(F32, DIMS(), 556)); /* the sum is i64, of both ends u8 */
    EXPECT("aten::trapezoid.x",
           ARGS(TENSOR(U8, DIMS(2), 200, 100), TENSOR(U8, DIMS(2), 200, 100)),
           TENSOR(F32, DIMS(), 104));
    EXPECT("aten::cumulative_trapezoid.x", ARGS(V(3, 1, 2, 4), V(3, 0, 1, 3)),
           V(2, 1.5, 7.5));
    EXPECT("aten::trapezoid.dx", ARGS(TENSOR(F32, DIMS(2, 0), )), V(2, 0));
    EXPECT_REFUSED("aten::trapezoid.x", ARGS(V(3, 1, 2, 4), V(2, 0, 1)), DG_ERR_FORMAT,
                   "2 points of x for 3");
    EXPECT_REFUSED("aten::trapezoid.dx", ARGS(TENSOR(F32, DIMS(), 1)), DG_ERR_FORMAT,
                   "single");
}
END_TEST

START_TEST(gradients_know_uneven_points)
{
    /* of x^2 at 0, 1, 3 */
    EXPECT("aten::gradient.tensorarrayint",
           ARGS(V(3, 0, 1, 9), LIST(V(3, 0, 1, 3)), NOTHING, INT(2)), V(3, 0, 2, 6));
    EXPECT("aten::gradient.scalarint", ARGS(V(3, 0, 1, 9), FLOAT(0.5)), V(3, 2, 9, 16));
    EXPECT("aten::gradient.scalarint", ARGS(V(2, 1, 4)), V(2, 3, 3));
    EXPECT_REFUSED("aten::gradient.scalarint", ARGS(V(2, 1, 4), INT(1), INT(0), INT(2)),
                   DG_ERR_FORMAT, "2 points");
    EXPECT_REFUSED("aten::gradient.array", ARGS(V(3, 1, 4, 5), INTS(0, 0)),
                   DG_ERR_FORMAT, "more than once");
    EXPECT_REFUSED("aten::gradient.tensorarrayint",
                   ARGS(V(3, 0, 1, 9), LIST(V(2, 0, 1))), DG_ERR_FORMAT, "coordinates");
    EXPECT_REFUSED("aten::gradient.scalarrayint",
                   ARGS(V(3, 0, 1, 9), LIST(INT(1), INT(2))), DG_ERR_FORMAT,
                   "spacing of 2 of 1");
}
END_TEST

START_TEST(segments_may_be_empty_and_lie_within_the_data)
{
    EXPECT("aten::segment_reduce",
           ARGS(V(4, 1, 2, 3, 4), TEXT("mean"), TENSOR(I64, DIMS(3), 3, 0, 1)),
           V(3, 2, NAN, 4));
    EXPECT("aten::segment_reduce",
           ARGS(V(3, 1, NAN, 3), TEXT("max"), NOTHING, NOTHING,
                TENSOR(I32, DIMS(3), 0, 1, 3), INT(0), TRUTH(false), INT(2)),
           V(2, 2, NAN));
    EXPECT("aten::segment_reduce",
           ARGS(V(3, 2, 3, 4), TEXT("prod"), TENSOR(I64, DIMS(2), 2, 0), NOTHING,
                NOTHING, INT(0), TRUTH(true)),
           V(2, 6, 1));
    EXPECT_REFUSED("aten::segment_reduce",
                   ARGS(V(3, 2, 3, 4), TEXT("sum"), TENSOR(I64, DIMS(2), 2, 2)),
                   DG_ERR_FORMAT, "from 2 to 4 of 3");
    EXPECT_REFUSED("aten::segment_reduce",
                   ARGS(V(3, 2, 3, 4), TEXT("sum"), TENSOR(I64, DIMS(2), 4, -1)),
                   DG_ERR_FORMAT, "from 0 to 4 of 3");
    EXPECT_REFUSED(
        "aten::segment_reduce",
        ARGS(V(3, 2, 3, 4), TEXT("sum"), BIG_INTEGERS(DIMS(2), 2, INT64_MAX)),
        DG_ERR_FORMAT, "segment 1");
    EXPECT_REFUSED("aten::segment_reduce",
                   ARGS(V(3, 2, 3, 4), TEXT("sum"), TENSOR(I64, DIMS(1), 2)),
                   DG_ERR_FORMAT, "2 elements together, of 3");
    EXPECT_REFUSED("aten::segment_reduce", ARGS(V(3, 2, 3, 4), TEXT("sum")),
                   DG_ERR_FORMAT, "lengths or offsets");
}
END_TEST

START_TEST(nan_is_in_no_set)
{
    EXPECT("aten::isin.Tensor_Tensor", ARGS(V(3, NAN, 1, -0.0), V(3, NAN, 0, 5)),
           TENSOR(BOOL, DIMS(3), 0, 0, 1));
    EXPECT("aten::isin.Tensor_Tensor",
           ARGS(BIG_INTEGERS(DIMS(2), INT64_MAX, INT64_MAX - 1),
                BIG_INTEGERS(DIMS(1), INT64_MAX), TRUTH(false), TRUTH(true)),
           TENSOR(BOOL, DIMS(2), 0, 1));
    EXPECT("aten::isin.Scalar_Tensor", ARGS(INT(3), TENSOR(I64, DIMS(2), 3, 4)),
           TENSOR(BOOL, DIMS(), 1));
    EXPECT("aten::isin.Tensor_Tensor", ARGS(V(2, 1, 2), V(0, )),
           TENSOR(BOOL, DIMS(2), 0, 0));
    EXPECT_REFUSED("aten::isin.Tensor_Tensor",
                   ARGS(TENSOR(BOOL, DIMS(1), 1), TENSOR(BOOL, DIMS(1), 1)),
                   DG_ERR_FORMAT, "bool");
}
END_TEST

START_TEST(both_ends_of_a_space_are_exact)
{
    EXPECT("aten::linspace", ARGS(FLOAT(0.5), FLOAT(10.5), INT(5), DTYPE(I64)),
           TENSOR(I64, DIMS(5), 0, 2, 5, 7, 10));
    EXPECT("aten::linspace.Tensor_Scalar", ARGS(TENSOR(I64, DIMS(), 1), INT(2), INT(3)),
           V(3, 1, 1.5, 2));
    EXPECT("aten::logspace", ARGS(INT(0), INT(2), INT(3), FLOAT(2)), V(3, 1, 2, 4));
    EXPECT("aten::logspace", ARGS(INT(3), INT(9), INT(1)), V(1, 1000));
    EXPECT_REFUSED("aten::linspace.Tensor_Tensor",
                   ARGS(V(1, 0), TENSOR(F32, DIMS(), 1), INT(2)), DG_ERR_FORMAT,
                   "rank 1");
    EXPECT_REFUSED("aten::linspace", ARGS(INT(0), INT(300), INT(2), DTYPE(I8)),
                   DG_ERR_FORMAT, "300 does not fit i8");
    EXPECT_REFUSED("aten::logspace", ARGS(INT(0), INT(1), INT(-1)), DG_ERR_FORMAT,
                   "-1 points");
}
END_TEST

START_TEST(windows_of_one_point_are_flat)
{
    EXPECT("aten::hann_window", ARGS(INT(1)), V(1, 1));
    EXPECT("aten::kaiser_window", ARGS(INT(0), DTYPE(F64)), TENSOR(F64, DIMS(0), ));
    EXPECT("aten::bartlett_window.periodic", ARGS(INT(5), TRUTH(false)),
           V(5, 0, 0.5, 1, 0.5, 0));
    EXPECT_NEAR("aten::hann_window", ARGS(INT(4)), 1e-6, V(4, 0, 0.5, 1, 0.5));
    EXPECT_REFUSED("aten::hann_window", ARGS(INT(-1)), DG_ERR_FORMAT, "-1 numbers");
    EXPECT_REFUSED("aten::hann_window", ARGS(INT(4), DTYPE(I32)), DG_ERR_FORMAT, "i32");
}
END_TEST

START_TEST(a_signal_comes_back_from_its_frames)
{
    struct case_args args =
        ARGS(V(6, 1, 2, 3, 4, 5, 6), INT(4), INT(2), NOTHING, NOTHING, TRUTH(true),
             TEXT("reflect"), TRUTH(false), NOTHING, TRUTH(true));
    struct case_run run = case_run("aten::stft.center", args);

    ck_assert_int_eq(run.status, DG_OK);
    EXPECT_NEAR("aten::istft", ARGS(run.results[0], INT(4), INT(2)), 1e-5,
                V(6, 1, 2, 3, 4, 5, 6));
    case_drop_args(args);
}
END_TEST

START_TEST(frames_refuse_what_they_cannot_be_of)
{
    EXPECT_REFUSED("aten::stft", ARGS(V(4, 1), INT(5), INT(1)), DG_ERR_FORMAT,
                   "5 points of 4");
    EXPECT_REFUSED("aten::stft", ARGS(V(4, 1), INT(4), INT(0)), DG_ERR_FORMAT,
                   "0 apart");
    EXPECT_REFUSED("aten::stft", ARGS(V(4, 1), INT(4), INT(1), INT(5)), DG_ERR_FORMAT,
                   "windows of 5");
    EXPECT_REFUSED("aten::stft.center",
                   ARGS(V(3, 1), INT(INT64_MAX / 8), INT(1), INT(1), NOTHING,
                        TRUTH(true), TEXT("constant")),
                   DG_ERR_FORMAT, "");
    EXPECT_REFUSED("aten::stft.center", ARGS(V(2, 1), INT(4), INT(1)), DG_ERR_FORMAT,
                   "cannot be padded");
    EXPECT_REFUSED("aten::istft", ARGS(TENSOR(C64, DIMS(3, 2), 1), INT(4), INT(5)),
                   DG_ERR_FORMAT, "5 apart");
    EXPECT_REFUSED("aten::istft",
                   ARGS(TENSOR(C64, DIMS(3, 2), 1), INT(4), INT(4), INT(4),
                        V(4, 0, 1, 1, 0), TRUTH(false)),
                   DG_ERR_FORMAT, "no window covers point 0");
    EXPECT_REFUSED("aten::istft", ARGS(TENSOR(F32, DIMS(3, 2), 1), INT(4)),
                   DG_ERR_FORMAT, "f32");
}
END_TEST

START_TEST(pools_are_undone_where_their_indices_say)
{
    EXPECT("aten::max_unpool2d",
           ARGS(TENSOR(F32, DIMS(1, 1, 2), 5, 6), TENSOR(I64, DIMS(1, 1, 2), 3, 0),
                INTS(2, 2)),
           TENSOR(F32, DIMS(1, 2, 2), 6, 0, 0, 5));
    EXPECT_REFUSED(
        "aten::max_unpool2d",
        ARGS(TENSOR(F32, DIMS(1, 1, 1), 5), TENSOR(I64, DIMS(1, 1, 1), 4), INTS(2, 2)),
        DG_ERR_FORMAT, "index 4");
    EXPECT_REFUSED(
        "aten::max_unpool2d",
        ARGS(TENSOR(F32, DIMS(1, 1, 1), 5), TENSOR(I64, DIMS(1, 1, 1), -1), INTS(2, 2)),
        DG_ERR_FORMAT, "index -1");
    EXPECT_ALL(
        "aten::fractional_max_pool2d",
        ARGS(TENSOR(F32, DIMS(1, 1, 4), 1, 4, 3, 2), INTS(1, 2), INTS(1, 2),
             TENSOR(F32, DIMS(1, 1, 2), 0.5)),
        ARGS(TENSOR(F32, DIMS(1, 1, 2), 4, 3), TENSOR(I64, DIMS(1, 1, 2), 1, 2)));
    EXPECT_REFUSED("aten::fractional_max_pool2d",
                   ARGS(TENSOR(F32, DIMS(1, 1, 4), 1), INTS(1, 2), INTS(1, 2),
                        TENSOR(F32, DIMS(1, 1, 2), NAN)),
                   DG_ERR_FORMAT, "sample nan");
    EXPECT_REFUSED("aten::fractional_max_pool2d",
                   ARGS(TENSOR(F32, DIMS(1, 1, 4), 1), INTS(1, 2), INTS(1, 4),
                        TENSOR(F32, DIMS(1, 1, 2), 0)),
                   DG_ERR_FORMAT, "4 windows of 2");
}
END_TEST

START_TEST(what_a_mask_leaves_out_may_be_out_of_range)
{
    EXPECT("aten::_unsafe_masked_index",
           ARGS(V(3, 1, 2, 3), TENSOR(BOOL, DIMS(2), 1, 0),
                LIST(TENSOR(I64, DIMS(2), -1, 99)), INT(7)),
           V(2, 3, 7));
    EXPECT("aten::_unsafe_masked_index_put_accumulate",
           ARGS(V(3, 1, 2, 3), TENSOR(BOOL, DIMS(3), 1, 0, 1),
                LIST(TENSOR(I64, DIMS(3), 0, 99, 0)), V(3, 10, 20, 30)),
           V(3, 41, 2, 3));
    EXPECT_REFUSED("aten::_unsafe_masked_index",
                   ARGS(V(3, 1, 2, 3), TENSOR(BOOL, DIMS(1), 1),
                        LIST(TENSOR(I64, DIMS(1), 0), TENSOR(I64, DIMS(1), 0)), INT(7)),
                   DG_ERR_FORMAT, "too many indices");
}
END_TEST

START_TEST(chunks_are_padded_to_one_size)
{
    EXPECT("aten::_chunk_cat", ARGS(LIST(V(3, 1, 2, 3), V(1, 9)), INT(0), INT(2)),
           TENSOR(F32, DIMS(2, 3), 1, 2, 9, 3, 0, 0));
    EXPECT_REFUSED("aten::_chunk_cat", ARGS(LIST(V(3, 1)), INT(0), INT(0)),
                   DG_ERR_FORMAT, "0 chunks");
    EXPECT_REFUSED("aten::_chunk_cat", ARGS(LIST(V(0, )), INT(0), INT(2)),
                   DG_ERR_FORMAT, "empty");
    EXPECT_REFUSED("aten::_chunk_cat", ARGS(LIST(V(1, 1)), INT(0), INT(INT64_MAX / 2)),
                   DG_ERR_FORMAT, "");
}
END_TEST

START_TEST(a_hash_has_the_bits_of_f64)
{
    EXPECT("aten::hash_tensor", ARGS(V(3, 1.5, 2, 2)),
           TENSOR(U64, DIMS(), 4609434218613702656.0));
    EXPECT("aten::hash_tensor", ARGS(TENSOR(U8, DIMS(2), 200, 7), INTS(0), TRUTH(true)),
           TENSOR(U64, DIMS(1), 207));
    EXPECT_REFUSED("aten::hash_tensor", ARGS(V(0, )), DG_ERR_FORMAT, "0 elements");
    EXPECT_REFUSED("aten::hash_tensor", ARGS(V(1, 1), INTS(), TRUTH(false), INT(1)),
                   DG_ERR_FORMAT, "mode 1");
}
END_TEST

START_TEST(bytes_are_interpolated_in_whole_numbers)
{
    EXPECT("aten::upsample_bilinear2d",
           ARGS(TENSOR(U8, DIMS(1, 1, 1, 2), 0, 255), INTS(1, 4), TRUTH(false)),
           TENSOR(U8, DIMS(1, 1, 1, 4), 0, 64, 191, 255));
    EXPECT("aten::_upsample_bilinear2d_aa",
           ARGS(TENSOR(U8, DIMS(1, 1, 2, 2), 1, 2, 3, 4), INTS(1, 1), TRUTH(false)),
           TENSOR(U8, DIMS(1, 1, 1, 1), 3)); /* of 2.5: 1.5 and 3.5 are rounded first */
}
END_TEST

Suite *kernels_statistics_suite(void)
{
    Suite *suite = suite_create("kernels_statistics");
    TCase *all = tcase_create("all");

    tcase_add_test(all,
                   the_last_bin_has_its_right_edge_and_what_is_outside_does_not_count);
    tcase_add_test(all, a_density_is_over_the_volume_of_each_bin);
    tcase_add_test(all, histograms_refuse_bins_that_cannot_be);
    tcase_add_test(all, quantiles_lie_between_two_elements);
    tcase_add_test(all, quantiles_refuse_what_is_none);
    tcase_add_test(all, integrals_wrap_as_the_integers_of_their_steps_do);
    tcase_add_test(all, gradients_know_uneven_points);
    tcase_add_test(all, segments_may_be_empty_and_lie_within_the_data);
    tcase_add_test(all, nan_is_in_no_set);
    tcase_add_test(all, both_ends_of_a_space_are_exact);
    tcase_add_test(all, windows_of_one_point_are_flat);
    tcase_add_test(all, a_signal_comes_back_from_its_frames);
    tcase_add_test(all, frames_refuse_what_they_cannot_be_of);
    tcase_add_test(all, pools_are_undone_where_their_indices_say);
    tcase_add_test(all, what_a_mask_leaves_out_may_be_out_of_range);
    tcase_add_test(all, chunks_are_padded_to_one_size);
    tcase_add_test(all, a_hash_has_the_bits_of_f64);
    tcase_add_test(all, bytes_are_interpolated_in_whole_numbers);
    suite_add_tcase(suite, all);
    return suite;
}
