/* Floats of 8 bits, weights of 4 and 8, and the products of them with their scales. */
#include "unit/kernel_case.h"

#define SIXTEEN(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x

START_TEST(what_is_too_large_for_8_bits_is_the_largest_number_infinite_or_nan)
{
    EXPECT("aten::_to_copy",
           ARGS(TENSOR(F32, DIMS(6), 464, 465, 512, -1e30, INFINITY, NAN),
                DTYPE(F8E4M3FN)),
           TENSOR(F8E4M3FN, DIMS(6), 448, 448, 448, -448, 448, NAN));
    EXPECT("aten::_to_copy",
           ARGS(TENSOR(F32, DIMS(4), 57344, 61440, 1e30, -INFINITY), DTYPE(F8E5M2)),
           TENSOR(F8E5M2, DIMS(4), 57344, INFINITY, INFINITY, -INFINITY));
    EXPECT("aten::_to_copy",
           ARGS(TENSOR(F32, DIMS(4), 240, 248, 256, 1e30), DTYPE(F8E4M3FNUZ)),
           TENSOR(F8E4M3FNUZ, DIMS(4), 240, NAN, NAN, NAN));
    EXPECT("aten::_to_copy",
           ARGS(TENSOR(F32, DIMS(3), 57344, 65536, 1e30), DTYPE(F8E5M2FNUZ)),
           TENSOR(F8E5M2FNUZ, DIMS(3), 57344, NAN, NAN));
}

START_TEST(f8_has_no_type_in_common_with_others)
{
    static const char *const ops[] = {"aten::mul.Tensor",         "aten::add.Tensor",
                                      "aten::eq.Tensor",          "aten::maximum",
                                      "aten::pow.Tensor_Tensor",  "aten::atan2",
                                      "aten::bitwise_and.Tensor", "aten::floor_divide"};

    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        struct case_args args =
            ARGS(TENSOR(F8E4M3FN, DIMS(2), 1), TENSOR(F32, DIMS(2), 1));
        struct case_run run = case_run(ops[i], args);

        ck_assert_msg(run.status != DG_OK, "%s", ops[i]);
        case_drop(&run);
        case_drop_args(args);
    }
    EXPECT_REFUSED("aten::where.self",
                   ARGS(TENSOR(BOOL, DIMS(2), 1), TENSOR(F8E4M3FN, DIMS(2), 1),
                        TENSOR(F32, DIMS(2), 1)),
                   DG_ERR_DEVICE, "no common type");
    EXPECT_REFUSED("aten::cat",
                   ARGS(LIST(TENSOR(F8E4M3FN, DIMS(1), 1), TENSOR(F32, DIMS(1), 1),
                             TENSOR(F32, DIMS(1), 1))),
                   DG_ERR_DEVICE, "no common one holds");
    EXPECT("aten::cat",
           ARGS(LIST(TENSOR(F8E4M3FN, DIMS(1), 3), TENSOR(F8E4M3FN, DIMS(1), 2))),
           TENSOR(F8E4M3FN, DIMS(2), 3, 2));
}

#define F8(rows, columns, ...) TENSOR(F8E4M3FN, DIMS(rows, columns), __VA_ARGS__)
#define ONE(value) TENSOR(F32, DIMS(), value)

START_TEST(products_of_8_bits_are_scaled_before_they_are_rounded)
{
    EXPECT("aten::_scaled_mm",
           ARGS(F8(1, 2, 448, 448), F8(2, 1, 448, 448), ONE(0x1p-10), ONE(1)),
           F8(1, 1, 384)); /* 392 lies between 384 and 416 */
    EXPECT("aten::_scaled_mm",
           ARGS(F8(2, 2, 1, 2, 3, 4), F8(2, 1, 1, 1), TENSOR(F32, DIMS(2, 1), 1, 10),
                ONE(0.5), TENSOR(F32, DIMS(1), 100), NOTHING, DTYPE(F32)),
           TENSOR(F32, DIMS(2, 1), 101.5, 135));
    EXPECT("aten::_scaled_mm",
           ARGS(F8(1, 1, 2), F8(1, 1, 2), ONE(1), ONE(1), NOTHING, ONE(8)),
           F8(1, 1, 0.5));
    EXPECT("aten::_scaled_mm_v2",
           ARGS(F8(1, 2, 1, 2), F8(2, 2, 1, 2, 3, 4), LIST(ONE(2)), INTS(0), INTS(0),
                LIST(TENSOR(F32, DIMS(1, 2), 1, 0.5)), INTS(1), INTS(0), NOTHING,
                DTYPE(BF16)),
           TENSOR(BF16, DIMS(1, 2), 14, 10));
}

START_TEST(scales_of_blocks_are_left_alone)
{
    EXPECT_REFUSED("aten::_scaled_mm",
                   ARGS(F8(2, 2, 1), F8(2, 2, 1), TENSOR(F32, DIMS(2, 2), 1), ONE(1)),
                   DG_ERR_DEVICE, "scales that are not one");
    EXPECT_REFUSED("aten::_scaled_mm",
                   ARGS(F8(2, 2, 1), F8(2, 2, 1), TENSOR(F32, DIMS(1, 2), 1), ONE(1)),
                   DG_ERR_DEVICE, "scales that are not one");
    EXPECT_REFUSED("aten::_scaled_mm_v2",
                   ARGS(F8(2, 2, 1), F8(2, 2, 1), LIST(ONE(1), ONE(1)), INTS(0, 0),
                        INTS(0), LIST(ONE(1)), INTS(0), INTS(0)),
                   DG_ERR_DEVICE, "scales of blocks");
    EXPECT_REFUSED("aten::_scaled_mm", ARGS(F8(2, 2, 1), F8(3, 2, 1), ONE(1), ONE(1)),
                   DG_ERR_FORMAT, "2 columns and the second 3 rows");
    EXPECT_REFUSED("aten::_scaled_mm",
                   ARGS(TENSOR(F8E4M3FN, DIMS(2), 1), F8(2, 2, 1), ONE(1), ONE(1)),
                   DG_ERR_FORMAT, "rank 1");
}

START_TEST(rows_of_a_weight_of_8_bits_have_a_scale_each)
{
    EXPECT("aten::_weight_int8pack_mm",
           ARGS(TENSOR(F32, DIMS(1, 2), 1, 2), TENSOR(I8, DIMS(2, 2), 1, 2, -3, 4),
                TENSOR(F32, DIMS(2), 1, 0.5)),
           TENSOR(F32, DIMS(1, 2), 5, 2.5));
    EXPECT_REFUSED("aten::_weight_int8pack_mm",
                   ARGS(TENSOR(F32, DIMS(1, 2), 1), TENSOR(I8, DIMS(2, 2), 1),
                        TENSOR(F32, DIMS(1), 1)),
                   DG_ERR_FORMAT, "one for each row");
}

START_TEST(codes_of_4_bits_lie_where_torch_packs_them)
{
    /* 80 rows of 2 codes: row 1, row 32 as the high bits of row 0, and of the 16 behind
     * the 64 the second one as those of the first. */
    double codes[160] = {0}, bytes[80] = {0};

    codes[2 * 1] = 1;
    codes[2 * 32 + 1] = 2;
    codes[2 * 65 + 1] = 3;
    bytes[1] = 1;
    bytes[32] = 2 << 4;
    bytes[64 + 8] = 3 << 4;
    case_expect(__LINE__, "aten::_convert_weight_to_int4pack_for_cpu",
                ARGS(case_tensor(DG_TYPE_I32, DIMS(80, 2), 160, codes), INT(1)),
                ARGS(case_tensor(DG_TYPE_U8, DIMS(80, 1), 80, bytes)), 0);
    EXPECT_REFUSED("aten::_convert_weight_to_int4pack_for_cpu",
                   ARGS(TENSOR(I32, DIMS(8, 2), 1), INT(1)), DG_ERR_FORMAT,
                   "n in sixteens");
    EXPECT_REFUSED("aten::_convert_weight_to_int4pack_for_cpu",
                   ARGS(TENSOR(I32, DIMS(16, 3), 1), INT(1)), DG_ERR_FORMAT,
                   "an even number of columns");
}

START_TEST(codes_of_4_bits_are_less_8_times_a_scale_and_a_zero)
{
    double pairs[64];

    for (int n = 0; n < 16; n++) {
        pairs[2 * n] = 1; /* columns 0 and 1 */
        pairs[2 * n + 1] = 0;
        pairs[32 + 2 * n] = 10; /* columns 2 and 3 */
        pairs[32 + 2 * n + 1] = 0.5;
    }
    case_expect(__LINE__, "aten::_weight_int4pack_mm_for_cpu",
                ARGS(TENSOR(F32, DIMS(1, 4), 1, 0, 0, 1), TENSOR(U8, DIMS(16, 2), 0x99),
                     INT(2), case_tensor(DG_TYPE_F32, DIMS(2, 16, 2), 64, pairs)),
                ARGS(TENSOR(F32, DIMS(1, 16), SIXTEEN(11.5))), 0);
    EXPECT_REFUSED("aten::_weight_int4pack_mm_for_cpu",
                   ARGS(TENSOR(F32, DIMS(1, 4), 1), TENSOR(U8, DIMS(16, 2), 0), INT(3),
                        TENSOR(F32, DIMS(1, 16, 2), 1)),
                   DG_ERR_FORMAT, "groups of 3 columns of 4");
    EXPECT_REFUSED("aten::_weight_int4pack_mm_for_cpu",
                   ARGS(TENSOR(F32, DIMS(1, 4), 1), TENSOR(U8, DIMS(12, 2), 0), INT(2),
                        TENSOR(F32, DIMS(2, 12, 2), 1)),
                   DG_ERR_FORMAT, "n in sixteens");
    EXPECT_REFUSED("aten::_weight_int4pack_mm_for_cpu",
                   ARGS(TENSOR(F32, DIMS(1, 6), 1), TENSOR(U8, DIMS(16, 2), 0), INT(2),
                        TENSOR(F32, DIMS(2, 16, 2), 1)),
                   DG_ERR_FORMAT, "6 columns and the second 4 rows");
}

Suite *kernels_scaled_suite(void)
{
    Suite *suite = suite_create("kernels_scaled");
    TCase *all = tcase_create("all");

    tcase_add_test(all,
                   what_is_too_large_for_8_bits_is_the_largest_number_infinite_or_nan);
    tcase_add_test(all, f8_has_no_type_in_common_with_others);
    tcase_add_test(all, products_of_8_bits_are_scaled_before_they_are_rounded);
    tcase_add_test(all, scales_of_blocks_are_left_alone);
    tcase_add_test(all, rows_of_a_weight_of_8_bits_have_a_scale_each);
    tcase_add_test(all, codes_of_4_bits_lie_where_torch_packs_them);
    tcase_add_test(all, codes_of_4_bits_are_less_8_times_a_scale_and_a_zero);
    suite_add_tcase(suite, all);
    return suite;
}
