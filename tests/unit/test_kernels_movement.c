/* Views, copies, cat, pad, flip: what torch gives, and what cannot be. */
#include "unit/kernel_case.h"

#define GRID TENSOR(F32, DIMS(2, 3), 1, 2, 3, 4, 5, 6)

/* Whether the result of a call lies in the storage of its first argument. */
static bool shares_storage(const char *op, struct case_args args)
{
    struct dg_tensor *self = args.items[0].as.tensor;
    struct case_run run = case_run(op, args);
    bool shares;

    ck_assert_msg(run.status == DG_OK, "%s: %s", op, run.err.text);
    shares = run.results[0].as.tensor->storage == self->storage;
    case_drop(&run);
    case_drop_args(args);
    return shares;
}

START_TEST(a_view_infers_a_size_and_shares_storage)
{
    EXPECT("aten::view", ARGS(GRID, INTS(3, -1)),
           TENSOR(F32, DIMS(3, 2), 1, 2, 3, 4, 5, 6));
    ck_assert(shares_storage("aten::view", ARGS(GRID, INTS(-1))));
    ck_assert(
        shares_storage("aten::reshape", ARGS(swapped(GRID, 0, 1), INTS(3, 1, 2))));
    ck_assert(!shares_storage("aten::reshape", ARGS(swapped(GRID, 0, 1), INTS(6))));
    EXPECT("aten::reshape", ARGS(swapped(GRID, 0, 1), INTS(6)),
           TENSOR(F32, DIMS(6), 1, 4, 2, 5, 3, 6));
}
END_TEST

START_TEST(a_view_of_another_size_is_refused)
{
    EXPECT_REFUSED("aten::view", ARGS(GRID, INTS(4, 2)), DG_ERR_FORMAT,
                   "shape [4,2] is invalid for input of shape [2,3]");
    EXPECT_REFUSED("aten::view", ARGS(GRID, INTS(-1, -1)), DG_ERR_FORMAT, "only one");
    EXPECT_REFUSED("aten::view", ARGS(GRID, INTS(-1, 0)), DG_ERR_FORMAT, "invalid");
    EXPECT_REFUSED("aten::view", ARGS(GRID, INTS(-2, -3)), DG_ERR_FORMAT, "invalid");
    EXPECT_REFUSED("aten::view", ARGS(NOTHING, INTS(6)), DG_ERR_FORMAT,
                   "argument 0 is no tensor");
}
END_TEST

START_TEST(flatten_and_unflatten_undo_each_other)
{
    EXPECT("aten::flatten.using_ints", ARGS(GRID),
           TENSOR(F32, DIMS(6), 1, 2, 3, 4, 5, 6));
    EXPECT("aten::unflatten.int",
           ARGS(TENSOR(F32, DIMS(6), 1, 2, 3, 4, 5, 6), INT(-1), INTS(2, -1)), GRID);
    EXPECT("aten::flatten.using_ints", ARGS(TENSOR(F32, DIMS(), 7)),
           TENSOR(F32, DIMS(1), 7));
    EXPECT_REFUSED("aten::unflatten.int", ARGS(GRID, INT(1), INTS(2, 2)), DG_ERR_FORMAT,
                   "shape [2,2]");
}
END_TEST

START_TEST(bits_can_be_seen_as_another_type_of_any_width)
{
    EXPECT("aten::view.dtype", ARGS(TENSOR(F32, DIMS(2), 1, -2), DTYPE(I32)),
           TENSOR(I32, DIMS(2), 0x3f800000, -1073741824.0));
    EXPECT("aten::view.dtype", ARGS(TENSOR(I16, DIMS(1, 2), 1, 2), DTYPE(I32)),
           TENSOR(I32, DIMS(1, 1), 0x20001));
    EXPECT("aten::view.dtype", ARGS(TENSOR(I16, DIMS(2), 1, 2), DTYPE(U8)),
           TENSOR(U8, DIMS(4), 1, 0, 2, 0));
    EXPECT_REFUSED("aten::view.dtype", ARGS(TENSOR(I16, DIMS(3), 1, 2, 3), DTYPE(I32)),
                   DG_ERR_FORMAT, "no multiple of 2");
    case_precision = DG_PRECISION_WIDE;
    EXPECT_REFUSED("aten::view.dtype", ARGS(TENSOR(F64, DIMS(2), 1, 2), DTYPE(I32)),
                   DG_ERR_DEVICE, "bits of a float");
    case_precision = DG_PRECISION_EXACT_SUMS;
}
END_TEST

START_TEST(dimensions_are_permuted_without_copying)
{
    struct case_dims turned = DIMS(3, 2);

    EXPECT("aten::permute", ARGS(GRID, INTS(-1, 0)),
           TENSOR(F32, turned, 1, 4, 2, 5, 3, 6));
    EXPECT("aten::t", ARGS(GRID), TENSOR(F32, turned, 1, 4, 2, 5, 3, 6));
    EXPECT("aten::movedim.int", ARGS(GRID, INT(0), INT(-1)),
           TENSOR(F32, turned, 1, 4, 2, 5, 3, 6));
    ck_assert(shares_storage("aten::transpose.int", ARGS(GRID, INT(0), INT(1))));
    EXPECT_REFUSED("aten::permute", ARGS(GRID, INTS(0, 0)), DG_ERR_FORMAT, "twice");
    EXPECT_REFUSED("aten::permute", ARGS(GRID, INTS(0)), DG_ERR_FORMAT,
                   "1 dimensions permute a tensor of rank 2");
    EXPECT_REFUSED("aten::transpose.int", ARGS(GRID, INT(0), INT(2)), DG_ERR_FORMAT,
                   "dimension 2 of a tensor of rank 2");
}
END_TEST

START_TEST(squeeze_takes_only_dimensions_of_size_1)
{
    EXPECT("aten::squeeze.dims", ARGS(TENSOR(I8, DIMS(1, 2, 1), 1, 2), INTS(0, 1)),
           TENSOR(I8, DIMS(2, 1), 1, 2));
    EXPECT("aten::squeeze", ARGS(TENSOR(I8, DIMS(1, 2, 1), 1, 2)),
           TENSOR(I8, DIMS(2), 1, 2));
    EXPECT("aten::unsqueeze", ARGS(TENSOR(I8, DIMS(2), 1, 2), INT(-1)),
           TENSOR(I8, DIMS(2, 1), 1, 2));
}
END_TEST

START_TEST(expand_repeats_by_a_stride_of_0)
{
    EXPECT("aten::expand", ARGS(TENSOR(F32, DIMS(2, 1), 1, 2), INTS(2, -1, 3)),
           TENSOR(F32, DIMS(2, 2, 3), 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2));
    EXPECT_REFUSED("aten::expand", ARGS(GRID, INTS(2, 4)), DG_ERR_FORMAT,
                   "size 3 of dimension 1 cannot expand to 4");
    EXPECT_REFUSED("aten::expand", ARGS(GRID, INTS(-1, 2, 3)), DG_ERR_FORMAT, "-1");
    EXPECT_REFUSED("aten::expand", ARGS(GRID, INTS(3)), DG_ERR_FORMAT, "rank 2");
}
END_TEST

START_TEST(slices_clamp_as_python_does)
{
    struct dg_arg five = TENSOR(I64, DIMS(5), 0, 1, 2, 3, 4);

    EXPECT("aten::slice.Tensor", ARGS(five, INT(0), INT(-3), INT(INT64_MAX), INT(2)),
           TENSOR(I64, DIMS(2), 2, 4));
    EXPECT("aten::slice.Tensor", ARGS(GRID, INT(1), INT(9), NOTHING),
           TENSOR(F32, DIMS(2, 0)));
    EXPECT("aten::slice.Tensor", ARGS(GRID, INT(1), INT(INT64_MIN), INT(1)),
           TENSOR(F32, DIMS(2, 1), 1, 4));
    EXPECT_REFUSED("aten::slice.Tensor", ARGS(GRID, INT(1), INT(0), INT(1), INT(0)),
                   DG_ERR_FORMAT, "step of 0");
}
END_TEST

START_TEST(an_index_outside_of_a_dimension_is_refused)
{
    EXPECT("aten::select.int", ARGS(GRID, INT(1), INT(-1)), TENSOR(F32, DIMS(2), 3, 6));
    EXPECT_REFUSED("aten::select.int", ARGS(GRID, INT(1), INT(3)), DG_ERR_FORMAT,
                   "index 3 is out of range for dimension 1 of size 3");
    EXPECT_REFUSED("aten::narrow", ARGS(GRID, INT(1), INT(2), INT(2)), DG_ERR_FORMAT,
                   "start 2 and length 2 are out of range for dimension 1 of size 3");
    EXPECT_REFUSED("aten::narrow", ARGS(GRID, INT(1), INT(1), INT(INT64_MAX)),
                   DG_ERR_FORMAT, "out of range");
}
END_TEST

START_TEST(diagonals_may_lie_beside_the_main_one_or_be_empty)
{
    EXPECT("aten::diagonal", ARGS(GRID, INT(1)), TENSOR(F32, DIMS(2), 2, 6));
    EXPECT("aten::diagonal", ARGS(GRID, INT(-1)), TENSOR(F32, DIMS(1), 4));
    EXPECT("aten::diagonal", ARGS(GRID, INT(INT64_MIN)), TENSOR(F32, DIMS(0)));
    EXPECT_REFUSED("aten::diagonal", ARGS(GRID, INT(0), INT(1), INT(-1)), DG_ERR_FORMAT,
                   "dimension");
}
END_TEST

START_TEST(windows_of_unfold_overlap)
{
    EXPECT("aten::unfold", ARGS(GRID, INT(1), INT(2), INT(1)),
           TENSOR(F32, DIMS(2, 2, 2), 1, 2, 2, 3, 4, 5, 5, 6));
    EXPECT_REFUSED("aten::unfold", ARGS(GRID, INT(1), INT(4), INT(1)), DG_ERR_FORMAT,
                   "windows of size 4");
}
END_TEST

START_TEST(as_strided_stays_inside_the_storage)
{
    EXPECT("aten::as_strided", ARGS(GRID, INTS(2, 2), INTS(1, 2), INT(1)),
           TENSOR(F32, DIMS(2, 2), 2, 4, 3, 5));
    EXPECT_REFUSED("aten::as_strided", ARGS(GRID, INTS(2, 2), INTS(1, 5)),
                   DG_ERR_FORMAT, "outside of the input's storage of 24 bytes");
    EXPECT_REFUSED("aten::as_strided", ARGS(GRID, INTS(1), INTS(1), INT(6)),
                   DG_ERR_FORMAT, "outside");
    EXPECT_REFUSED("aten::as_strided", ARGS(GRID, INTS(3), INTS(INT64_MAX)),
                   DG_ERR_FORMAT, "outside");
    EXPECT_REFUSED("aten::as_strided", ARGS(GRID, INTS(2), INTS(-1), INT(5)),
                   DG_ERR_FORMAT, "negative");
}
END_TEST

START_TEST(splits_give_lists_of_views)
{
    EXPECT_ALL(
        "aten::split.Tensor", ARGS(GRID, INT(2), INT(1)),
        ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 4, 5), TENSOR(F32, DIMS(2, 1), 3, 6)));
    EXPECT_ALL("aten::unbind.int", ARGS(GRID),
               ARGS(TENSOR(F32, DIMS(3), 1, 2, 3), TENSOR(F32, DIMS(3), 4, 5, 6)));
    EXPECT_ALL("aten::chunk", ARGS(TENSOR(I8, DIMS(5), 0, 1, 2, 3, 4), INT(4)),
               ARGS(TENSOR(I8, DIMS(2), 0, 1), TENSOR(I8, DIMS(2), 2, 3),
                    TENSOR(I8, DIMS(1), 4)));
    EXPECT_ALL("aten::tensor_split.sections",
               ARGS(TENSOR(I8, DIMS(5), 0, 1, 2, 3, 4), INT(3)),
               ARGS(TENSOR(I8, DIMS(2), 0, 1), TENSOR(I8, DIMS(2), 2, 3),
                    TENSOR(I8, DIMS(1), 4)));
    EXPECT_REFUSED("aten::split_with_sizes", ARGS(GRID, INTS(1, 1), INT(1)),
                   DG_ERR_FORMAT, "2 in all split dimension 1 of size 3");
    EXPECT_REFUSED("aten::split.Tensor", ARGS(GRID, INT(0), INT(1)), DG_ERR_FORMAT,
                   "pieces of 0");
}
END_TEST

START_TEST(a_split_into_a_million_pieces_and_more_is_not_made)
{
    struct dg_arg wide = TENSOR(I8, DIMS(1), 1);

    wide.as.tensor->sizes[0] = INT64_C(1) << 40;
    wide.as.tensor->strides[0] = 0;
    EXPECT_REFUSED("aten::split.Tensor", ARGS(wide, INT(1)), DG_ERR_DEVICE,
                   "1099511627776 pieces");
}
END_TEST

START_TEST(cat_promotes_and_leaves_out_empty_vectors)
{
    EXPECT(
        "aten::cat",
        ARGS(LIST(GRID, TENSOR(F32, DIMS(0)), TENSOR(I8, DIMS(2, 1), 7, 8)), INT(-1)),
        TENSOR(F32, DIMS(2, 4), 1, 2, 3, 7, 4, 5, 6, 8));
    EXPECT("aten::cat",
           ARGS(LIST(swapped(GRID, 0, 1), spread(TENSOR(F32, DIMS(1, 2), 7, 8)))),
           TENSOR(F32, DIMS(4, 2), 1, 4, 2, 5, 3, 6, 7, 8));
    EXPECT("aten::stack",
           ARGS(LIST(TENSOR(BOOL, DIMS(2), 0, 1), TENSOR(BOOL, DIMS(2), 1, 1)), INT(1)),
           TENSOR(BOOL, DIMS(2, 2), 0, 1, 1, 1));
    EXPECT_REFUSED("aten::cat", ARGS(LIST(GRID, TENSOR(F32, DIMS(3, 2), 0))),
                   DG_ERR_FORMAT, "shape [3,2] does not fit shape [2,3]");
    EXPECT_REFUSED("aten::cat", ARGS(LIST(GRID, NOTHING)), DG_ERR_FORMAT, "no tensor");
}
END_TEST

START_TEST(padding_reflects_repeats_circles_and_cuts)
{
    struct case_dims row = DIMS(1, 3), wide = DIMS(1, 6);

    EXPECT("aten::constant_pad_nd",
           ARGS(TENSOR(F16, row, 1, 2, 3), INTS(-1, 2), FLOAT(9)),
           TENSOR(F16, DIMS(1, 4), 2, 3, 9, 9));
    EXPECT("aten::reflection_pad1d", ARGS(TENSOR(F32, row, 1, 2, 3), INTS(2, 1)),
           TENSOR(F32, wide, 3, 2, 1, 2, 3, 2));
    EXPECT("aten::replication_pad1d", ARGS(TENSOR(F32, row, 1, 2, 3), INTS(2, 1)),
           TENSOR(F32, wide, 1, 1, 1, 2, 3, 3));
    EXPECT("aten::pad", ARGS(TENSOR(F32, row, 1, 2, 3), INTS(2, 1), TEXT("circular")),
           TENSOR(F32, wide, 2, 3, 1, 2, 3, 1));
    EXPECT_REFUSED("aten::reflection_pad1d",
                   ARGS(TENSOR(F32, row, 1, 2, 3), INTS(3, 0)), DG_ERR_FORMAT,
                   "padding of 3 and 0 does not fit dimension 1 of size 3");
    EXPECT_REFUSED("aten::constant_pad_nd",
                   ARGS(TENSOR(F32, row, 1, 2, 3), INTS(INT64_MIN, INT64_MAX)),
                   DG_ERR_FORMAT, "does not fit");
}
END_TEST

START_TEST(flip_roll_and_rot90_reorder)
{
    EXPECT("aten::flip", ARGS(GRID, INTS(0, 1)),
           TENSOR(F32, DIMS(2, 3), 6, 5, 4, 3, 2, 1));
    EXPECT("aten::roll", ARGS(GRID, INTS(-4), INTS()),
           TENSOR(F32, DIMS(2, 3), 5, 6, 1, 2, 3, 4));
    EXPECT("aten::roll", ARGS(GRID, INTS(1, 2), INTS(1, 1)), GRID);
    EXPECT("aten::rot90", ARGS(GRID), TENSOR(F32, DIMS(3, 2), 3, 6, 2, 5, 1, 4));
}
END_TEST

START_TEST(repeat_and_tile_copy_whole_tensors)
{
    struct dg_arg pair = TENSOR(I64, DIMS(2), 1, 2);

    EXPECT("aten::repeat", ARGS(pair, INTS(2, 2)),
           TENSOR(I64, DIMS(2, 4), 1, 2, 1, 2, 1, 2, 1, 2));
    EXPECT("aten::tile", ARGS(GRID, INTS(2)),
           TENSOR(F32, DIMS(2, 6), 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
    EXPECT_REFUSED("aten::repeat", ARGS(GRID, INTS(1, INT64_MAX)), DG_ERR_FORMAT,
                   "dimension 1 of size 3 repeated");
}
END_TEST

START_TEST(pixels_are_shuffled_between_channels_and_space)
{
    EXPECT("aten::pixel_shuffle", ARGS(TENSOR(F32, DIMS(4, 1, 1), 1, 2, 3, 4), INT(2)),
           TENSOR(F32, DIMS(1, 2, 2), 1, 2, 3, 4));
    EXPECT("aten::pixel_unshuffle",
           ARGS(TENSOR(F32, DIMS(1, 2, 2), 1, 2, 3, 4), INT(2)),
           TENSOR(F32, DIMS(4, 1, 1), 1, 2, 3, 4));
    EXPECT_REFUSED("aten::pixel_shuffle", ARGS(TENSOR(F32, DIMS(3, 1, 1), 0), INT(2)),
                   DG_ERR_FORMAT, "3 is no multiple of 4");
}
END_TEST

START_TEST(a_part_is_replaced_in_a_copy)
{
    EXPECT("aten::slice_scatter",
           ARGS(GRID, TENSOR(F32, DIMS(2, 1), 8, 9), INT(1), INT(1), INT(2)),
           TENSOR(F32, DIMS(2, 3), 1, 8, 3, 4, 9, 6));
    EXPECT("aten::select_scatter",
           ARGS(spread(GRID), TENSOR(F32, DIMS(3), 7, 8, 9), INT(0), INT(-1)),
           TENSOR(F32, DIMS(2, 3), 1, 2, 3, 7, 8, 9));
    EXPECT_REFUSED("aten::select_scatter",
                   ARGS(GRID, TENSOR(F32, DIMS(2), 7, 8), INT(0), INT(0)),
                   DG_ERR_FORMAT, "shape [2] replace a part of shape [3]");
}
END_TEST

START_TEST(a_copied_item_makes_its_list_longer)
{
    struct dg_arg list = TENSOR(F32, DIMS(1, 2), 1, 2),
                  item = TENSOR(F32, DIMS(2), 3, 4);
    struct dg_tensor *grown = dg_tensor_keep(list.as.tensor);
    struct case_args args = ARGS(list, item, INT(2));
    struct case_run run = case_run("executorch_prim::et_copy_index.tensor", args);

    ck_assert_int_eq(run.status, DG_OK);
    ck_assert_int_eq(grown->sizes[0], 3);
    ck_assert_float_eq(((float *)dg_tensor_data(grown))[0], 1);
    ck_assert_float_eq(((float *)dg_tensor_data(grown))[5], 4);
    case_drop(&run);
    case_drop_args(args);
    dg_tensor_drop(grown);
    EXPECT_REFUSED("executorch_prim::et_copy_index.tensor",
                   ARGS(GRID, TENSOR(F32, DIMS(2), 3, 4), INT(0)), DG_ERR_FORMAT,
                   "shape [2] does not fit a list of shape [2,3]");
}
END_TEST

Suite *kernels_movement_suite(void)
{
    Suite *suite = suite_create("kernels_movement");
    TCase *views = tcase_create("views"), *copies = tcase_create("copies");

    tcase_add_test(views, a_view_infers_a_size_and_shares_storage);
    tcase_add_test(views, a_view_of_another_size_is_refused);
    tcase_add_test(views, flatten_and_unflatten_undo_each_other);
    tcase_add_test(views, bits_can_be_seen_as_another_type_of_any_width);
    tcase_add_test(views, dimensions_are_permuted_without_copying);
    tcase_add_test(views, squeeze_takes_only_dimensions_of_size_1);
    tcase_add_test(views, expand_repeats_by_a_stride_of_0);
    tcase_add_test(views, slices_clamp_as_python_does);
    tcase_add_test(views, an_index_outside_of_a_dimension_is_refused);
    tcase_add_test(views, diagonals_may_lie_beside_the_main_one_or_be_empty);
    tcase_add_test(views, windows_of_unfold_overlap);
    tcase_add_test(views, as_strided_stays_inside_the_storage);
    tcase_add_test(views, splits_give_lists_of_views);
    tcase_add_test(views, a_split_into_a_million_pieces_and_more_is_not_made);
    suite_add_tcase(suite, views);
    tcase_add_test(copies, cat_promotes_and_leaves_out_empty_vectors);
    tcase_add_test(copies, padding_reflects_repeats_circles_and_cuts);
    tcase_add_test(copies, flip_roll_and_rot90_reorder);
    tcase_add_test(copies, repeat_and_tile_copy_whole_tensors);
    tcase_add_test(copies, pixels_are_shuffled_between_channels_and_space);
    tcase_add_test(copies, a_part_is_replaced_in_a_copy);
    tcase_add_test(copies, a_copied_item_makes_its_list_longer);
    suite_add_tcase(suite, copies);
    return suite;
}
