/* gather, scatter, index, embedding, nonzero: what torch gives, and what cannot be. */
#include "unit/kernel_case.h"

#define GRID TENSOR(F32, DIMS(2, 3), 1, 2, 3, 4, 5, 6)
#define LIST_OF(...) TENSOR(I64, DIMS(CASE_COUNT(int64_t, __VA_ARGS__)), __VA_ARGS__)

START_TEST(gather_follows_indices_along_one_dimension)
{
    EXPECT("aten::gather", ARGS(GRID, INT(1), TENSOR(I64, DIMS(1, 2), 2, 0)),
           TENSOR(F32, DIMS(1, 2), 3, 1));
    EXPECT("aten::gather",
           ARGS(swapped(GRID, 0, 1), INT(0), TENSOR(I32, DIMS(1, 2), 2, 0)),
           TENSOR(F32, DIMS(1, 2), 3, 4));
    EXPECT_REFUSED("aten::gather", ARGS(GRID, INT(1), TENSOR(I64, DIMS(1, 1), -1)),
                   DG_ERR_FORMAT, "index -1 is out of range for dimension 1 of size 3");
    EXPECT_REFUSED("aten::gather", ARGS(GRID, INT(1), TENSOR(I64, DIMS(3, 1), 0)),
                   DG_ERR_FORMAT,
                   "indices of shape [3,1] do not fit a tensor of shape "
                   "[2,3] along dimension 1");
    EXPECT_REFUSED("aten::gather", ARGS(GRID, INT(1), TENSOR(F32, DIMS(1, 1), 0)),
                   DG_ERR_FORMAT, "indices are f32");
}
END_TEST

START_TEST(rows_are_taken_by_number)
{
    EXPECT("aten::index_select", ARGS(GRID, INT(1), LIST_OF(2, 2, 0)),
           TENSOR(F32, DIMS(2, 3), 3, 3, 1, 6, 6, 4));
    EXPECT("aten::embedding", ARGS(GRID, TENSOR(I64, DIMS(1, 2), 1, 0)),
           TENSOR(F32, DIMS(1, 2, 3), 4, 5, 6, 1, 2, 3));
    EXPECT("aten::take", ARGS(GRID, LIST_OF(-1, 1)), TENSOR(F32, DIMS(2), 6, 2));
    EXPECT("aten::take_along_dim", ARGS(GRID, TENSOR(I64, DIMS(2, 1), -4, 5), INT(1)),
           TENSOR(F32, DIMS(2, 1), 3, 6));
    EXPECT_REFUSED("aten::embedding", ARGS(GRID, LIST_OF(2)), DG_ERR_FORMAT,
                   "index 2 is out of range for dimension 0 of size 2");
}
END_TEST

START_TEST(elements_repeat_as_often_as_told)
{
    EXPECT("aten::repeat_interleave.self_Tensor",
           ARGS(TENSOR(F32, DIMS(2), 7, 8), LIST_OF(2, 1)),
           TENSOR(F32, DIMS(3), 7, 7, 8));
    EXPECT("aten::repeat_interleave.self_int", ARGS(GRID, INT(2), INT(0)),
           TENSOR(F32, DIMS(4, 3), 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
    EXPECT("aten::repeat_interleave.Tensor", ARGS(LIST_OF(0, 2, 1)), LIST_OF(1, 1, 2));
    EXPECT("aten::repeat_interleave.self_int",
           ARGS(TENSOR(F32, DIMS((int64_t)1 << 40, 0)), INT(0), INT(0)),
           TENSOR(F32, DIMS(0, 0)));
    EXPECT_REFUSED("aten::repeat_interleave.Tensor", ARGS(LIST_OF(1, -2)),
                   DG_ERR_FORMAT, "element 1 repeated -2 times");
    EXPECT_REFUSED("aten::repeat_interleave.self_Tensor",
                   ARGS(GRID, LIST_OF(1, 2), INT(1)), DG_ERR_FORMAT,
                   "2 repeats for dimension 1 of size 3");
}
END_TEST

START_TEST(several_index_tensors_broadcast)
{
    EXPECT("aten::index.Tensor",
           ARGS(GRID, LIST(TENSOR(I64, DIMS(2, 1), 0, -1), LIST_OF(2, 0))),
           TENSOR(F32, DIMS(2, 2), 3, 1, 6, 4));
    EXPECT("aten::index.Tensor", ARGS(GRID, LIST(NOTHING, LIST_OF(1))),
           TENSOR(F32, DIMS(2, 1), 2, 5));
    EXPECT_REFUSED("aten::index.Tensor", ARGS(GRID, LIST(NOTHING, LIST_OF(1, -4))),
                   DG_ERR_FORMAT, "index -4 is out of range for dimension 1 of size 3");
    EXPECT_REFUSED("aten::index.Tensor",
                   ARGS(GRID, LIST(LIST_OF(0), LIST_OF(0), LIST_OF(0))), DG_ERR_FORMAT,
                   "too many indices for a tensor of rank 2");
}
END_TEST

START_TEST(indices_apart_put_their_positions_in_front)
{
    struct dg_arg cube =
        TENSOR(I8, DIMS(2, 3, 2), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);

    EXPECT("aten::index.Tensor",
           ARGS(cube, LIST(LIST_OF(0, 1), NOTHING, LIST_OF(1, 0))),
           TENSOR(I8, DIMS(2, 3), 1, 3, 5, 6, 8, 10));
}
END_TEST

START_TEST(a_mask_names_the_places_where_it_is_true)
{
    EXPECT("aten::index.Tensor",
           ARGS(GRID, LIST(TENSOR(BOOL, DIMS(2, 3), 1, 0, 0, 0, 1, 1))),
           TENSOR(F32, DIMS(3), 1, 5, 6));
    EXPECT_REFUSED("aten::index.Tensor", ARGS(GRID, LIST(TENSOR(BOOL, DIMS(3), 1))),
                   DG_ERR_FORMAT,
                   "a mask of size 3 in dimension 0, where the input has 2");
}
END_TEST

START_TEST(the_last_of_several_values_stays_unless_they_add_up)
{
    struct case_dims two = DIMS(2);

    EXPECT("aten::index_put",
           ARGS(TENSOR(F32, two, 1, 2), LIST(LIST_OF(1, 1)), TENSOR(F32, two, 5, 6)),
           TENSOR(F32, two, 1, 6));
    EXPECT("aten::index_put",
           ARGS(TENSOR(F32, two, 1, 2), LIST(LIST_OF(1, 1)), TENSOR(F32, two, 5, 6),
                TRUTH(true)),
           TENSOR(F32, two, 1, 13));
    EXPECT("aten::scatter.src",
           ARGS(TENSOR(I64, two, 1, 2), INT(0), LIST_OF(1, 1), LIST_OF(5, 6)),
           LIST_OF(1, 6));
    EXPECT_REFUSED(
        "aten::index_put", ARGS(GRID, LIST(LIST_OF(0)), TENSOR(F32, DIMS(2, 3), 0)),
        DG_ERR_FORMAT, "values of shape [2,3] do not fit indices of shape [1,3]");
    EXPECT_REFUSED("aten::index_put", ARGS(GRID, LIST(LIST_OF(0)), LIST_OF(1)),
                   DG_ERR_FORMAT, "values of i64 go into f32");
}
END_TEST

START_TEST(values_are_put_into_a_cache_at_positions)
{
    EXPECT("aten::index_put",
           ARGS(TENSOR(F32, DIMS(1, 3, 2), 0), LIST(NOTHING, LIST_OF(-1, 0)),
                TENSOR(F32, DIMS(1, 2, 2), 1, 2, 3, 4)),
           TENSOR(F32, DIMS(1, 3, 2), 3, 4, 0, 0, 1, 2));
    EXPECT("aten::index_copy",
           ARGS(TENSOR(F32, DIMS(1, 3, 2), 0), INT(1), LIST_OF(2),
                TENSOR(F32, DIMS(1, 1, 2), 1, 2)),
           TENSOR(F32, DIMS(1, 3, 2), 0, 0, 0, 0, 1, 2));
}
END_TEST

START_TEST(sums_of_scattered_values_round_once)
{
    struct case_dims one = DIMS(1), many = DIMS(600);

    EXPECT(
        "aten::scatter_add",
        ARGS(TENSOR(BF16, one, 0), INT(0), TENSOR(I64, many, 0), TENSOR(BF16, many, 1)),
        TENSOR(BF16, one, 600));
    EXPECT(
        "aten::index_add",
        ARGS(TENSOR(BF16, one, 0), INT(0), TENSOR(I64, many, 0), TENSOR(BF16, many, 1)),
        TENSOR(BF16, one, 600));
}
END_TEST

START_TEST(sums_of_their_own_dtype_stop_where_torch_stops)
{
    struct case_dims one = DIMS(1), many = DIMS(600);

    case_precision = DG_PRECISION_OWN_SUMS;
    EXPECT(
        "aten::scatter_add",
        ARGS(TENSOR(BF16, one, 0), INT(0), TENSOR(I64, many, 0), TENSOR(BF16, many, 1)),
        TENSOR(BF16, one, 600));
    EXPECT(
        "aten::index_add",
        ARGS(TENSOR(BF16, one, 0), INT(0), TENSOR(I64, many, 0), TENSOR(BF16, many, 1)),
        TENSOR(BF16, one, 256));
    EXPECT("aten::index_put",
           ARGS(TENSOR(BF16, one, 0), LIST(TENSOR(I64, many, 0)), TENSOR(BF16, many, 1),
                TRUTH(true)),
           TENSOR(BF16, one, 256));
    case_precision = DG_PRECISION_EXACT_SUMS;
}
END_TEST

START_TEST(scatter_reduce_may_leave_out_what_was_there)
{
    struct case_dims three = DIMS(3);

    EXPECT("aten::scatter_reduce.two",
           ARGS(TENSOR(I64, three, 9, 9, 9), INT(0), LIST_OF(0, 0, 2),
                LIST_OF(-3, -4, 5), TEXT("mean"), TRUTH(false)),
           TENSOR(I64, three, -4, 9, 5));
    EXPECT("aten::scatter_reduce.two",
           ARGS(TENSOR(F32, three, 1, 2, 3), INT(0), LIST_OF(0, 1, 1),
                TENSOR(F32, three, 5, NAN, 7), TEXT("amax")),
           TENSOR(F32, three, 5, NAN, 3));
    EXPECT_REFUSED("aten::scatter_reduce.two",
                   ARGS(GRID, INT(0), TENSOR(I64, DIMS(1, 1), 0), GRID, TEXT("median")),
                   DG_ERR_FORMAT, "reduction \"median\" is not known");
}
END_TEST

START_TEST(what_is_not_0_is_found_in_order)
{
    EXPECT("aten::nonzero",
           ARGS(swapped(TENSOR(F32, DIMS(2, 2), 0, NAN, -0.0, 3), 0, 1)),
           TENSOR(I64, DIMS(2, 2), 1, 0, 1, 1));
    EXPECT("aten::nonzero", ARGS(TENSOR(F32, DIMS(), 3)), TENSOR(I64, DIMS(1, 0)));
    EXPECT("aten::nonzero_static", ARGS(LIST_OF(0, 5, 6), INT(3), INT(-7)),
           TENSOR(I64, DIMS(3, 1), 1, 2, -7));
    EXPECT_ALL("aten::where", ARGS(TENSOR(I8, DIMS(2, 2), 0, 1, 1, 0)),
               ARGS(LIST_OF(0, 1), LIST_OF(1, 0)));
}
END_TEST

START_TEST(masks_select_and_scatter_in_order)
{
    struct case_dims grid = DIMS(2, 3);

    EXPECT("aten::masked_select", ARGS(GRID, TENSOR(BOOL, DIMS(3), 0, 1, 1)),
           TENSOR(F32, DIMS(4), 2, 3, 5, 6));
    EXPECT(
        "aten::masked_scatter",
        ARGS(GRID, TENSOR(BOOL, DIMS(2, 1), 0, 1), TENSOR(F32, DIMS(4), 7, 8, 9, 10)),
        TENSOR(F32, grid, 1, 2, 3, 7, 8, 9));
    EXPECT_REFUSED("aten::masked_scatter",
                   ARGS(GRID, TENSOR(BOOL, DIMS(2, 1), 0, 1), TENSOR(F32, DIMS(2), 0)),
                   DG_ERR_FORMAT, "2 values for 3 places");
}
END_TEST

START_TEST(bags_of_embeddings_are_summed_averaged_or_maximal)
{
    struct dg_arg rows = LIST_OF(0, 1, 1), starts = LIST_OF(0, 1);

    EXPECT_ALL("aten::_embedding_bag", ARGS(GRID, rows, starts, TRUTH(false), INT(1)),
               ARGS(TENSOR(F32, DIMS(2, 3), 1, 2, 3, 4, 5, 6), LIST_OF(0, 1, 1),
                    LIST_OF(1, 2), LIST_OF(1, 2)));
    EXPECT_REFUSED("aten::_embedding_bag", ARGS(GRID, LIST_OF(0, 1), LIST_OF(0, 3)),
                   DG_ERR_FORMAT, "offset 3 of bag 1 among 2 indices");
}
END_TEST

/* To embedding_bag() -1 is the last row, to _embedding_bag() none. */
START_TEST(rows_that_do_not_count_are_said_from_the_end_too)
{
    struct dg_arg none = {0};

#define BAGS(padding)                                                                  \
    ARGS(GRID, LIST_OF(0, 1, 1), LIST_OF(0, 1), TRUTH(false), INT(1), TRUTH(false),    \
         none, TRUTH(false), padding)
    EXPECT_ALL("aten::embedding_bag.padding_idx", BAGS(INT(-1)),
               ARGS(TENSOR(F32, DIMS(2, 3), 1, 2, 3, 0, 0, 0), LIST_OF(0, 1, 1),
                    LIST_OF(1, 0), LIST_OF(1, 0)));
    EXPECT_ALL("aten::embedding_bag.padding_idx", BAGS(none),
               ARGS(TENSOR(F32, DIMS(2, 3), 1, 2, 3, 4, 5, 6), LIST_OF(0, 1, 1),
                    LIST_OF(1, 2), LIST_OF(1, 2)));
    EXPECT_ALL("aten::_embedding_bag", BAGS(INT(-1)),
               ARGS(TENSOR(F32, DIMS(2, 3), 1, 2, 3, 4, 5, 6), LIST_OF(0, 1, 1),
                    LIST_OF(1, 2), LIST_OF(1, 2)));
#undef BAGS
}
END_TEST

START_TEST(values_are_searched_from_the_left_or_the_right)
{
    struct case_dims four = DIMS(4);

    EXPECT("aten::searchsorted.Tensor",
           ARGS(TENSOR(F32, four, 1, 2, 2, 3), TENSOR(F32, DIMS(3), 2, 0, NAN)),
           LIST_OF(1, 0, 4));
    EXPECT("aten::bucketize.Tensor",
           ARGS(TENSOR(F32, DIMS(2), 2, 3), TENSOR(F32, four, 1, 2, 2, 3), TRUTH(true),
                TRUTH(true)),
           TENSOR(I32, DIMS(2), 3, 4));
}
END_TEST

START_TEST(repetitions_are_counted_and_numbered)
{
    EXPECT_ALL("aten::_unique2",
               ARGS(LIST_OF(5, 1, 5, 5), TRUTH(true), TRUTH(true), TRUTH(true)),
               ARGS(LIST_OF(1, 5), LIST_OF(1, 0, 1, 1), LIST_OF(1, 3)));
    EXPECT_ALL("aten::unique_consecutive",
               ARGS(LIST_OF(5, 1, 5, 5), TRUTH(false), TRUTH(true)),
               ARGS(LIST_OF(5, 1, 5), TENSOR(I64, DIMS(0)), LIST_OF(1, 1, 2)));
    EXPECT("aten::bincount", ARGS(LIST_OF(2, 0, 2), NOTHING, INT(4)),
           LIST_OF(1, 0, 2, 0));
    EXPECT_REFUSED("aten::bincount", ARGS(LIST_OF(2, -1)), DG_ERR_FORMAT, "negative");
}
END_TEST

START_TEST(windows_become_columns_and_sum_up_again)
{
    EXPECT("aten::im2col",
           ARGS(TENSOR(F32, DIMS(1, 2, 2), 1, 2, 3, 4), INTS(2, 1), INTS(1, 1),
                INTS(0, 0), INTS(1, 1)),
           TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4));
    EXPECT("aten::col2im",
           ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4), INTS(1, 3), INTS(1, 2), INTS(1, 1),
                INTS(0, 0), INTS(1, 1)),
           TENSOR(F32, DIMS(1, 1, 3), 1, 5, 4));
    EXPECT_REFUSED("aten::im2col",
                   ARGS(TENSOR(F32, DIMS(1, 2, 2), 0), INTS(3, 1), INTS(1, 1),
                        INTS(0, 0), INTS(1, 1)),
                   DG_ERR_FORMAT, "windows of 3");
}
END_TEST

Suite *kernels_index_suite(void)
{
    Suite *suite = suite_create("kernels_index");
    TCase *reads = tcase_create("reads"), *writes = tcase_create("writes");
    TCase *found = tcase_create("found");

    tcase_add_test(reads, gather_follows_indices_along_one_dimension);
    tcase_add_test(reads, rows_are_taken_by_number);
    tcase_add_test(reads, elements_repeat_as_often_as_told);
    tcase_add_test(reads, several_index_tensors_broadcast);
    tcase_add_test(reads, indices_apart_put_their_positions_in_front);
    tcase_add_test(reads, a_mask_names_the_places_where_it_is_true);
    suite_add_tcase(suite, reads);
    tcase_add_test(writes, the_last_of_several_values_stays_unless_they_add_up);
    tcase_add_test(writes, values_are_put_into_a_cache_at_positions);
    tcase_add_test(writes, sums_of_scattered_values_round_once);
    tcase_add_test(writes, sums_of_their_own_dtype_stop_where_torch_stops);
    tcase_add_test(writes, scatter_reduce_may_leave_out_what_was_there);
    suite_add_tcase(suite, writes);
    tcase_add_test(found, what_is_not_0_is_found_in_order);
    tcase_add_test(found, masks_select_and_scatter_in_order);
    tcase_add_test(found, bags_of_embeddings_are_summed_averaged_or_maximal);
    tcase_add_test(found, rows_that_do_not_count_are_said_from_the_end_too);
    tcase_add_test(found, values_are_searched_from_the_left_or_the_right);
    tcase_add_test(found, repetitions_are_counted_and_numbered);
    tcase_add_test(found, windows_become_columns_and_sum_up_again);
    suite_add_tcase(suite, found);
    return suite;
}
