#include "unit/kernel_case.h"

#define ONE(type, value) TENSOR(type, DIMS(1), value)
#define POINT(type, value) TENSOR(type, DIMS(), value)

START_TEST(sums_broadcast_and_take_any_strides)
{
    EXPECT("aten::add.Tensor",
           ARGS(spread(TENSOR(F32, DIMS(2, 1), 1, 2)),
                swapped(TENSOR(F32, DIMS(2, 1), 10, 20), 0, 1)),
           TENSOR(F32, DIMS(2, 2), 11, 21, 12, 22));
    EXPECT("aten::add.Tensor",
           ARGS(TENSOR(F32, DIMS(0, 3), 0), TENSOR(F32, DIMS(1), 1)),
           TENSOR(F32, DIMS(0, 3), 0));
    EXPECT_REFUSED("aten::add.Tensor",
                   ARGS(TENSOR(F32, DIMS(2), 1), TENSOR(F32, DIMS(3), 1)),
                   DG_ERR_FORMAT, "sizes 2 and 3");
}

START_TEST(types_promote_by_category)
{
    EXPECT("aten::add.Tensor", ARGS(ONE(F16, 1), ONE(BF16, 2)), ONE(F32, 3));
    EXPECT("aten::add.Tensor", ARGS(ONE(U8, 200), ONE(I8, 100)), ONE(I16, 300));
    EXPECT("aten::add.Tensor", ARGS(ONE(F16, 1), POINT(F64, 2)), ONE(F16, 3));
    EXPECT("aten::add.Tensor", ARGS(ONE(I64, 1), POINT(F16, 2)), ONE(F16, 3));
    EXPECT("aten::add.Tensor", ARGS(ONE(I64, 1), FLOAT(2.5)), ONE(F32, 3.5));
    EXPECT("aten::add.Tensor", ARGS(POINT(U8, 1), INT(2)), POINT(U8, 3));
    EXPECT("aten::add.Tensor", ARGS(ONE(BOOL, 1), INT(2)), ONE(I64, 3));
    EXPECT("aten::where.self", ARGS(ONE(BOOL, 1), POINT(F64, 0.1), ONE(F32, 2)),
           ONE(F32, 0.1f));
}

START_TEST(integers_wrap)
{
    EXPECT("aten::add.Scalar", ARGS(ONE(U8, 5), INT(300)), ONE(U8, 49));
    EXPECT("aten::neg", ARGS(ONE(U8, 1)), ONE(U8, 255));
    EXPECT("aten::abs", ARGS(ONE(I8, -128)), ONE(I8, -128));
    EXPECT("aten::mul.Tensor",
           ARGS(BIG_INTEGERS(DIMS(1), INT64_MAX), BIG_INTEGERS(DIMS(1), 2)),
           BIG_INTEGERS(DIMS(1), -2));
    EXPECT("aten::floor_divide", ARGS(ONE(I8, -128), ONE(I8, -1)), ONE(I8, -128));
    EXPECT("aten::floor_divide",
           ARGS(BIG_INTEGERS(DIMS(1), INT64_MIN), BIG_INTEGERS(DIMS(1), -1)),
           BIG_INTEGERS(DIMS(1), INT64_MIN));
    EXPECT("aten::pow.Tensor_Scalar", ARGS(ONE(U8, 3), INT(6)), ONE(U8, 217));
}

/* 1.0078125^2 is 1.0156860..., and 1.015625 as a bf16. */
START_TEST(own_sums_of_16_bits_round_the_scaled_operand_first)
{
    EXPECT("aten::add.Tensor",
           ARGS(ONE(BF16, -1.015625), ONE(BF16, 1.0078125), FLOAT(1.0078125)),
           ONE(BF16, 6.103515625e-05));
    case_precision = DG_PRECISION_OWN_SUMS;
    EXPECT("aten::add.Tensor",
           ARGS(ONE(BF16, -1.015625), ONE(BF16, 1.0078125), FLOAT(1.0078125)),
           ONE(BF16, 0));
    EXPECT("aten::sub.Tensor",
           ARGS(ONE(F16, 1.001953125), ONE(F16, 1.0009765625), FLOAT(1.0009765625)),
           ONE(F16, 0));
    EXPECT("aten::add.Tensor",
           ARGS(ONE(F32, -1.015625), ONE(F32, 1.0078125), FLOAT(1.0078125)),
           ONE(F32, 6.103515625e-05));
    case_precision = DG_PRECISION_EXACT_SUMS;
}
END_TEST

START_TEST(numbers_are_rounded_to_the_type_they_stand_beside)
{
    EXPECT("aten::eq.Scalar", ARGS(ONE(U8, 255), INT(-1)), ONE(BOOL, 1));
    EXPECT("aten::gt.Scalar", ARGS(ONE(U8, 5), INT(-1)), ONE(BOOL, 0));
    EXPECT("aten::eq.Scalar", ARGS(ONE(BF16, 0.3), FLOAT(0.3)), ONE(BOOL, 1));
    EXPECT("aten::eq.Tensor", ARGS(ONE(I64, 16777217), ONE(F32, 16777216)),
           ONE(BOOL, 1));
    /* add rounds 0.3 to bf16 first, mul does not. */
    EXPECT("aten::add.Scalar", ARGS(ONE(BF16, 0), FLOAT(0.3)), ONE(BF16, 0.30078125));
    EXPECT("aten::mul.Scalar", ARGS(ONE(BF16, 3), FLOAT(0.301)), ONE(BF16, 0.90234375));
}

START_TEST(remainders_take_the_sign_of_the_divisor)
{
    EXPECT("aten::remainder.Scalar", ARGS(TENSOR(F32, DIMS(3), -4, -5, 5), INT(2)),
           TENSOR(F32, DIMS(3), -0.0, 1, 1));
    EXPECT("aten::remainder.Scalar", ARGS(TENSOR(I64, DIMS(2), -5, 5), INT(-3)),
           TENSOR(I64, DIMS(2), -2, -1));
    EXPECT("aten::remainder.Scalar", ARGS(TENSOR(F32, DIMS(2), 5, -5), FLOAT(INFINITY)),
           TENSOR(F32, DIMS(2), 5, INFINITY));
    EXPECT("aten::fmod.Scalar", ARGS(TENSOR(I64, DIMS(2), -5, 5), INT(-3)),
           TENSOR(I64, DIMS(2), -2, 2));
}

START_TEST(floor_division_goes_through_fmod)
{
    EXPECT("aten::floor_divide",
           ARGS(TENSOR(F32, DIMS(5), 0.9, 1, INFINITY, -1, 1),
                TENSOR(F32, DIMS(5), 0.3, 0.1, 2, INFINITY, 0)),
           TENSOR(F32, DIMS(5), 2, 9, NAN, -1, INFINITY));
    EXPECT("aten::div.Tensor_mode",
           ARGS(TENSOR(I32, DIMS(2), -7, 7), ONE(I32, 2), TEXT("floor")),
           TENSOR(I32, DIMS(2), -4, 3));
    EXPECT("aten::div.Tensor_mode",
           ARGS(TENSOR(I32, DIMS(2), -7, 7), ONE(I32, 2), TEXT("trunc")),
           TENSOR(I32, DIMS(2), -3, 3));
    EXPECT("aten::div.Tensor", ARGS(ONE(I32, 1), ONE(I32, 0)), ONE(F32, INFINITY));
}

START_TEST(integer_division_by_zero_is_an_error)
{
    EXPECT_REFUSED("aten::floor_divide", ARGS(ONE(I64, 1), TENSOR(I64, DIMS(2), 1, 0)),
                   DG_ERR_FORMAT, "divided by zero");
    EXPECT_REFUSED("aten::remainder.Scalar", ARGS(ONE(I64, 1), INT(0)), DG_ERR_FORMAT,
                   "divided by zero");
    /* 256 becomes 0 in u8. */
    EXPECT_REFUSED("aten::fmod.Tensor", ARGS(ONE(U8, 1), POINT(I64, 256)),
                   DG_ERR_FORMAT, "divided by zero");
    EXPECT_REFUSED("aten::pow.Tensor_Scalar", ARGS(ONE(I64, 2), INT(-1)), DG_ERR_FORMAT,
                   "negative power");
}

START_TEST(nan_and_signed_zero_are_as_in_torch)
{
    EXPECT("aten::maximum",
           ARGS(TENSOR(F32, DIMS(3), NAN, 0.0, 1), TENSOR(F32, DIMS(3), 1, -0.0, NAN)),
           TENSOR(F32, DIMS(3), NAN, -0.0, NAN));
    EXPECT("aten::sign", ARGS(TENSOR(F32, DIMS(3), NAN, -0.0, -2)),
           TENSOR(F32, DIMS(3), 0, 0, -1));
    EXPECT("aten::relu", ARGS(TENSOR(F32, DIMS(3), NAN, -0.0, -2)),
           TENSOR(F32, DIMS(3), NAN, -0.0, 0));
    EXPECT("aten::clamp", ARGS(TENSOR(F32, DIMS(2), NAN, -0.0), INT(0), INT(1)),
           TENSOR(F32, DIMS(2), NAN, -0.0));
    EXPECT("aten::clamp", ARGS(ONE(F32, 0), FLOAT(3), FLOAT(1)), ONE(F32, 1));
    EXPECT("aten::clamp", ARGS(ONE(I64, 7), NOTHING, FLOAT(1.5)), ONE(F32, 1.5));
    EXPECT("aten::logical_not", ARGS(TENSOR(F32, DIMS(3), NAN, -0.0, 2)),
           TENSOR(BOOL, DIMS(3), 0, 1, 0));
    EXPECT("aten::hypot", ARGS(ONE(F32, INFINITY), ONE(F32, NAN)), ONE(F32, INFINITY));
}

START_TEST(activations_of_infinity_are_as_in_torch)
{
    static const char *const ops[] = {"aten::gelu", "aten::silu", "aten::mish",
                                      "aten::hardswish"};

    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
        EXPECT(ops[i], ARGS(TENSOR(F32, DIMS(3), -INFINITY, INFINITY, 0)),
               TENSOR(F32, DIMS(3), NAN, INFINITY, 0));
    EXPECT("aten::gelu", ARGS(ONE(F32, -INFINITY), TEXT("tanh")), ONE(F32, NAN));
}

START_TEST(powers_of_a_half_are_roots)
{
    EXPECT("aten::pow.Tensor_Scalar",
           ARGS(TENSOR(F32, DIMS(3), -0.0, -INFINITY, 4), FLOAT(0.5)),
           TENSOR(F32, DIMS(3), -0.0, NAN, 2));
    EXPECT("aten::pow.Tensor_Scalar", ARGS(ONE(F32, -0.0), FLOAT(-0.5)),
           ONE(F32, -INFINITY));
    EXPECT("aten::pow.Tensor_Tensor",
           ARGS(TENSOR(I32, DIMS(3), 2, 1, -1), ONE(I32, -3)),
           TENSOR(I32, DIMS(3), 0, 1, -1));
    EXPECT("aten::pow.Tensor_Scalar", ARGS(ONE(F32, 1), FLOAT(NAN)), ONE(F32, 1));
    EXPECT("aten::pow.Tensor_Scalar", ARGS(ONE(I64, 2), FLOAT(0.5)),
           ONE(F32, sqrtf(2)));
}

START_TEST(halves_round_to_even)
{
    EXPECT("aten::round", ARGS(TENSOR(F32, DIMS(4), 0.5, 1.5, 2.5, -0.5)),
           TENSOR(F32, DIMS(4), 0, 2, 2, -0.0));
}

START_TEST(shifts_beyond_the_width_leave_nothing)
{
    EXPECT("aten::bitwise_left_shift.Tensor",
           ARGS(ONE(I32, 1), TENSOR(I32, DIMS(4), 3, 31, 32, -1)),
           TENSOR(I32, DIMS(4), 8, INT32_MIN, 0, 0));
    EXPECT("aten::bitwise_right_shift.Tensor",
           ARGS(ONE(I32, -8), TENSOR(I32, DIMS(3), 1, 40, -1)),
           TENSOR(I32, DIMS(3), -4, -1, -1));
    EXPECT("aten::bitwise_not", ARGS(TENSOR(BOOL, DIMS(2), 0, 1)),
           TENSOR(BOOL, DIMS(2), 1, 0));
}

START_TEST(casts_to_16_bits_round_by_way_of_f32)
{
    /* Just above the middle of two f16 numbers: f32 takes it to the middle. */
    EXPECT("aten::_to_copy", ARGS(ONE(F64, 1 + 0x1p-11 + 0x1p-40), DTYPE(F16)),
           ONE(F16, 1));
    EXPECT("aten::to.dtype", ARGS(ONE(I32, 65520), DTYPE(F16)), ONE(F16, INFINITY));
    EXPECT("aten::to.dtype", ARGS(ONE(F32, NAN), DTYPE(BOOL)), ONE(BOOL, 1));
    EXPECT("aten::type_as", ARGS(ONE(F32, -2.7), ONE(I8, 0)), ONE(I8, -2));
}

START_TEST(a_cast_to_the_same_type_is_the_tensor_itself)
{
    struct case_args args = ARGS(ONE(F32, 1), DTYPE(F32));
    struct case_run same = case_run("aten::to.dtype", args);
    struct case_run copy = case_run("aten::_to_copy", args);

    ck_assert_ptr_eq(same.results[0].as.tensor, args.items[0].as.tensor);
    ck_assert_ptr_ne(copy.results[0].as.tensor->storage,
                     args.items[0].as.tensor->storage);
    case_drop(&same);
    case_drop(&copy);
    case_drop_args(args);
}

START_TEST(wide_runs_round_nothing)
{
    case_precision = DG_PRECISION_WIDE;
    EXPECT("aten::add.Scalar", ARGS(ONE(F64, 0), FLOAT(0.3)), ONE(F64, 0.3));
    EXPECT("aten::to.dtype", ARGS(ONE(F64, 0.3), DTYPE(BF16)), ONE(F64, 0.3));
    EXPECT("aten::full", ARGS(INTS(1), FLOAT(0.1), DTYPE(F16)), ONE(F64, 0.1));
    EXPECT("aten::mul.Scalar", ARGS(ONE(I64, 3), FLOAT(0.1)), ONE(F64, 0.1 * 3));
    EXPECT("aten::add.Scalar", ARGS(ONE(U8, 5), INT(300)), ONE(U8, 49));
    EXPECT("aten::eq.Scalar", ARGS(ONE(F64, 0.3f), FLOAT(0.3)), ONE(BOOL, 0));
    case_precision = DG_PRECISION_EXACT_SUMS;
}

START_TEST(dropout_of_training_is_not_compared)
{
    EXPECT("aten::dropout", ARGS(ONE(F32, 2), FLOAT(0.5), TRUTH(false)), ONE(F32, 2));
    EXPECT_REFUSED("aten::dropout", ARGS(ONE(F32, 2), FLOAT(0.5), TRUTH(true)),
                   DG_ERR_DEVICE, "random");
    EXPECT_REFUSED("aten::rand", ARGS(INTS(2)), DG_ERR_DEVICE, "random");
}

START_TEST(results_do_not_depend_on_threads)
{
    struct case_args args = ARGS(TENSOR(F32, DIMS(300, 301), 0.7));
    struct case_run one = case_run("aten::tanh", args), three;

    case_threads = 3;
    three = case_run("aten::tanh", args);
    case_threads = 1;
    ck_assert_mem_eq(dg_tensor_data(one.results[0].as.tensor),
                     dg_tensor_data(three.results[0].as.tensor), 300 * 301 * 4);
    case_drop(&one);
    case_drop(&three);
    case_drop_args(args);
}

START_TEST(the_type_of_full_is_that_of_its_value)
{
    EXPECT("aten::full", ARGS(INTS(2), INT(3)), TENSOR(I64, DIMS(2), 3));
    EXPECT("aten::full", ARGS(INTS(), TRUTH(true)), POINT(BOOL, 1));
    EXPECT("aten::full", ARGS(INTS(1), FLOAT(1e5), DTYPE(F16)), ONE(F16, INFINITY));
    EXPECT("aten::scalar_tensor", ARGS(INT(3)), POINT(F32, 3));
    EXPECT("aten::new_full", ARGS(ONE(I8, 0), INTS(1), INT(-5)), ONE(I8, -5));
    EXPECT_REFUSED("aten::full", ARGS(INTS(1), INT(300), DTYPE(U8)), DG_ERR_FORMAT,
                   "300 does not fit u8");
    EXPECT_REFUSED("aten::zeros", ARGS(INTS(-1)), DG_ERR_FORMAT, "[-1]");
}

START_TEST(steps_of_integer_ranges_are_cast_first)
{
    EXPECT("aten::arange.start_step", ARGS(INT(1), INT(6), FLOAT(2.5), DTYPE(I64)),
           TENSOR(I64, DIMS(3), 1, 3, 5));
    EXPECT("aten::arange", ARGS(FLOAT(2.5)), TENSOR(F32, DIMS(3), 0, 1, 2));
    EXPECT("aten::arange.start_step", ARGS(INT(5), INT(0), INT(-2)),
           TENSOR(I64, DIMS(3), 5, 3, 1));
    EXPECT("aten::linspace", ARGS(INT(0), INT(1), INT(3)),
           TENSOR(F32, DIMS(3), 0, 0.5, 1));
    EXPECT_REFUSED("aten::arange.start_step", ARGS(INT(0), INT(5), INT(0)),
                   DG_ERR_FORMAT, "no range from 0 to 5 by 0");
}

START_TEST(triangles_and_grids_are_cut_at_the_diagonal)
{
    EXPECT("aten::tril", ARGS(TENSOR(I32, DIMS(2, 3), 1), INT(1)),
           TENSOR(I32, DIMS(2, 3), 1, 1, 0, 1, 1, 1));
    EXPECT("aten::triu", ARGS(TENSOR(I32, DIMS(2, 3), 1), INT(INT64_MIN)),
           TENSOR(I32, DIMS(2, 3), 1));
    EXPECT("aten::triu_indices", ARGS(INT(2), INT(2)),
           TENSOR(I64, DIMS(2, 3), 0, 0, 1, 0, 1, 1));
    EXPECT_ALL("aten::meshgrid.indexing",
               ARGS(LIST(TENSOR(I64, DIMS(2), 1, 2), TENSOR(I64, DIMS(3), 3, 4, 5)),
                    TEXT("xy")),
               ARGS(TENSOR(I64, DIMS(3, 2), 1, 2, 1, 2, 1, 2),
                    TENSOR(I64, DIMS(3, 2), 3, 3, 4, 4, 5, 5)));
    EXPECT_REFUSED("aten::one_hot", ARGS(TENSOR(I64, DIMS(2), 0, 4), INT(4)),
                   DG_ERR_FORMAT, "class 4 is out of range for 4 classes");
}

START_TEST(quantizing_rounds_half_to_even_and_clamps)
{
    EXPECT("quantized_decomposed::quantize_per_tensor",
           ARGS(TENSOR(F32, DIMS(5), 0.15, 0.35, NAN, 1e6, -1e6), FLOAT(0.1), INT(3),
                INT(-128), INT(127), DTYPE(I8)),
           TENSOR(I8, DIMS(5), 5, 7, 0, 127, -128));
    EXPECT("quantized_decomposed::dequantize_per_tensor",
           ARGS(TENSOR(U8, DIMS(2), 0, 255), FLOAT(0.5), INT(5), INT(0), INT(255),
                DTYPE(U8)),
           TENSOR(F32, DIMS(2), -2.5, 125));
    EXPECT("quantized_decomposed::quantize_per_channel",
           ARGS(TENSOR(F32, DIMS(2, 2), 1, 1, 1, 1), TENSOR(F32, DIMS(2), 1, 0.5),
                TENSOR(I64, DIMS(2), 0, 1), INT(1), INT(-8), INT(7), DTYPE(I8)),
           TENSOR(I8, DIMS(2, 2), 1, 3, 1, 3));
    EXPECT_REFUSED(
        "quantized_decomposed::quantize_per_channel",
        ARGS(ONE(F32, 1), ONE(F32, 1), ONE(I64, 0), INT(3), INT(-8), INT(7), DTYPE(I8)),
        DG_ERR_FORMAT, "dimension 3 of a tensor of rank 1");
}

START_TEST(blocks_share_a_scale_along_each_dimension)
{
    EXPECT("torchao::quantize_affine",
           ARGS(TENSOR(F32, DIMS(2, 4), 1, 2, 3, 4, -1, -2, -3, 9), INTS(1, 2),
                TENSOR(F32, DIMS(2, 2), 0.5, 1, 2, 1),
                TENSOR(I8, DIMS(2, 2), 0, 1, 0, -1), DTYPE(I8), INT(-8), INT(7)),
           TENSOR(I8, DIMS(2, 4), 2, 4, 4, 5, 0, -1, -4, 7));
    EXPECT("torchao::dequantize_affine",
           ARGS(TENSOR(I8, DIMS(2, 2), 1, 2, 3, 4), INTS(2, 1),
                TENSOR(F32, DIMS(1, 2), 0.5, 2), TENSOR(I32, DIMS(1, 2), 1, 0),
                DTYPE(I8), INT(-8), INT(7), DTYPE(F32)),
           TENSOR(F32, DIMS(2, 2), 0, 4, 1, 8));
    EXPECT_REFUSED("torchao::quantize_affine",
                   ARGS(TENSOR(F32, DIMS(1, 4), 1), INTS(1, 3), ONE(F32, 1), ONE(I8, 0),
                        DTYPE(I8)),
                   DG_ERR_FORMAT, "4 elements do not make blocks of 3");
    EXPECT_REFUSED(
        "torchao::quantize_affine",
        ARGS(TENSOR(F32, DIMS(1, 4), 1), INTS(4), ONE(F32, 1), ONE(I8, 0), DTYPE(I8)),
        DG_ERR_FORMAT, "there are not as many sizes of blocks as dimensions");
}

START_TEST(ranges_of_blocks_hold_zero)
{
    EXPECT_ALL("torchao::choose_qparams_affine",
               ARGS(TENSOR(F32, DIMS(2, 2), 1, 3, -4, 1), TEXT("ASYMMETRIC"),
                    INTS(1, 2), DTYPE(I8), INT(-8), INT(7), FLOAT(1e-6), NOTHING,
                    DTYPE(I8)),
               ARGS(TENSOR(F32, DIMS(2), 0.2F, 1 / 3.0F), TENSOR(I8, DIMS(2), -8, 4)));
    EXPECT_ALL("torchao::choose_qparams_affine",
               ARGS(TENSOR(F32, DIMS(1, 2), -4, 7), TEXT("SYMMETRIC_NO_CLIPPING_ERR"),
                    INTS(1, 2), DTYPE(I8), INT(-8), INT(7), NOTHING, NOTHING,
                    DTYPE(I32), TRUTH(true)),
               ARGS(TENSOR(F32, DIMS(1, 1), 1), TENSOR(I32, DIMS(1, 1), 0)));
    EXPECT_ALL("torchao::choose_qparams_affine",
               ARGS(TENSOR(F32, DIMS(1, 2), -3, 1), TEXT("SYMMETRIC"), INTS(1, 2),
                    DTYPE(U8), NOTHING, NOTHING, NOTHING, NOTHING, DTYPE(I32)),
               ARGS(TENSOR(F32, DIMS(1), 3 / 127.5F), TENSOR(I32, DIMS(1), 128)));
}

START_TEST(packed_tables_begin_with_the_upper_half)
{
    EXPECT("quantized_decomposed::embedding_4bit",
           ARGS(TENSOR(U8, DIMS(2, 1), 0x9f, 0x80), TENSOR(F32, DIMS(2), 1, 2), NOTHING,
                INT(-8), INT(7), TENSOR(I64, DIMS(2), 1, 0)),
           TENSOR(F32, DIMS(2, 2), 0, -16, 1, 7));
}

#define NUMBERS(op, a, b, result) EXPECT("_operator." op, ARGS(a, b), result)

START_TEST(numbers_follow_python)
{
    NUMBERS("floordiv", INT(-7), INT(2), INT(-4));
    NUMBERS("mod", INT(-7), INT(2), INT(1));
    NUMBERS("mod", INT(7), INT(-2), INT(-1));
    NUMBERS("mod", FLOAT(-4), INT(2), FLOAT(0));
    NUMBERS("truediv", INT(7), INT(2), FLOAT(3.5));
    NUMBERS("pow", INT(2), INT(10), INT(1024));
    NUMBERS("pow", INT(2), INT(-1), FLOAT(0.5));
    NUMBERS("add", TRUTH(true), TRUTH(true), INT(2));
    NUMBERS("and_", TRUTH(true), TRUTH(false), TRUTH(false));
    NUMBERS("lt", INT(INT64_MAX - 1), INT(INT64_MAX), TRUTH(true));
    EXPECT("math.ceil", ARGS(FLOAT(2.1)), INT(3));
    EXPECT("torch.sym_max", ARGS(INT(2), INT(5)), INT(5));
    EXPECT("torch.sym_ite", ARGS(TRUTH(false), INT(2), INT(5)), INT(5));
    EXPECT("executorch_prim::floordiv.Scalar", ARGS(INT(-7), INT(2)), INT(-4));
}

START_TEST(numbers_beyond_64_bits_and_quotients_by_zero_are_errors)
{
    EXPECT_REFUSED("_operator.mul", ARGS(INT(INT64_MAX), INT(2)), DG_ERR_FORMAT,
                   "does not fit 64 bits");
    EXPECT_REFUSED("_operator.pow", ARGS(INT(10), INT(19)), DG_ERR_FORMAT,
                   "does not fit 64 bits");
    EXPECT_REFUSED("_operator.mod", ARGS(INT(1), INT(0)), DG_ERR_FORMAT,
                   "divided by zero");
    EXPECT_REFUSED("math.floor", ARGS(FLOAT(1e300)), DG_ERR_FORMAT,
                   "does not fit 64 bits");
}

START_TEST(numbers_are_read_off_tensors)
{
    EXPECT("aten::sym_size.int", ARGS(TENSOR(F32, DIMS(2, 3), 0), INT(-1)), INT(3));
    EXPECT("aten::item", ARGS(ONE(I8, -3)), INT(-3));
    EXPECT("aten::item", ARGS(POINT(BOOL, 1)), TRUTH(true));
    EXPECT("aten::item", ARGS(POINT(F32, 0.5)), FLOAT(0.5));
    EXPECT_REFUSED("aten::item", ARGS(TENSOR(F32, DIMS(2), 0)), DG_ERR_FORMAT,
                   "2 elements");
    EXPECT_REFUSED("aten::sym_size.int", ARGS(ONE(F32, 0), INT(1)), DG_ERR_FORMAT,
                   "dimension 1 of a tensor of rank 1");
}

START_TEST(assertions_fail_with_their_message)
{
    EXPECT_ALL("aten::_assert_scalar", ARGS(TRUTH(true), TEXT("u0 >= 0")),
               ARGS(NOTHING));
    EXPECT_REFUSED("aten::_assert_scalar", ARGS(TRUTH(false), TEXT("u0 >= 0")),
                   DG_ERR_FORMAT, "u0 >= 0");
    EXPECT_REFUSED("aten::_assert_tensor_metadata",
                   ARGS(ONE(F32, 0), NOTHING, NOTHING, DTYPE(F16)), DG_ERR_FORMAT,
                   "f32, asserted to be f16");
    EXPECT_REFUSED("aten::sym_constrain_range", ARGS(INT(9), INT(2), INT(8)),
                   DG_ERR_FORMAT, "9 is not between 2 and 8");
}

Suite *kernels_elementwise_suite(void)
{
    Suite *suite = suite_create("kernels_elementwise");
    TCase *arithmetic = tcase_create("arithmetic"), *makers = tcase_create("makers");
    TCase *grid = tcase_create("quantize"), *numbers = tcase_create("numbers");

    tcase_add_test(arithmetic, sums_broadcast_and_take_any_strides);
    tcase_add_test(arithmetic, types_promote_by_category);
    tcase_add_test(arithmetic, integers_wrap);
    tcase_add_test(arithmetic, own_sums_of_16_bits_round_the_scaled_operand_first);
    tcase_add_test(arithmetic, numbers_are_rounded_to_the_type_they_stand_beside);
    tcase_add_test(arithmetic, remainders_take_the_sign_of_the_divisor);
    tcase_add_test(arithmetic, floor_division_goes_through_fmod);
    tcase_add_test(arithmetic, integer_division_by_zero_is_an_error);
    tcase_add_test(arithmetic, nan_and_signed_zero_are_as_in_torch);
    tcase_add_test(arithmetic, activations_of_infinity_are_as_in_torch);
    tcase_add_test(arithmetic, powers_of_a_half_are_roots);
    tcase_add_test(arithmetic, halves_round_to_even);
    tcase_add_test(arithmetic, shifts_beyond_the_width_leave_nothing);
    tcase_add_test(arithmetic, casts_to_16_bits_round_by_way_of_f32);
    tcase_add_test(arithmetic, a_cast_to_the_same_type_is_the_tensor_itself);
    tcase_add_test(arithmetic, wide_runs_round_nothing);
    tcase_add_test(arithmetic, dropout_of_training_is_not_compared);
    tcase_add_test(arithmetic, results_do_not_depend_on_threads);
    tcase_add_test(makers, the_type_of_full_is_that_of_its_value);
    tcase_add_test(makers, steps_of_integer_ranges_are_cast_first);
    tcase_add_test(makers, triangles_and_grids_are_cut_at_the_diagonal);
    tcase_add_test(grid, quantizing_rounds_half_to_even_and_clamps);
    tcase_add_test(grid, blocks_share_a_scale_along_each_dimension);
    tcase_add_test(grid, ranges_of_blocks_hold_zero);
    tcase_add_test(grid, packed_tables_begin_with_the_upper_half);
    tcase_add_test(numbers, numbers_follow_python);
    tcase_add_test(numbers, numbers_beyond_64_bits_and_quotients_by_zero_are_errors);
    tcase_add_test(numbers, numbers_are_read_off_tensors);
    tcase_add_test(numbers, assertions_fail_with_their_message);
    suite_add_tcase(suite, arithmetic);
    suite_add_tcase(suite, makers);
    suite_add_tcase(suite, grid);
    suite_add_tcase(suite, numbers);
    return suite;
}
