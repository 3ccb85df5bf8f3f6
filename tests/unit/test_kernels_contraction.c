/* Matrix products, convolutions, attention, norms, losses, recurrent nets. */
#include "unit/kernel_case.h"

START_TEST(products_sum_over_k)
{
    EXPECT("aten::mm",
           ARGS(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4), TENSOR(F32, DIMS(2, 1), 10, 100)),
           TENSOR(F32, DIMS(2, 1), 210, 430));
    EXPECT("aten::mm",
           ARGS(swapped(TENSOR(F32, DIMS(2, 2), 1, 3, 2, 4), 0, 1),
                spread(TENSOR(F32, DIMS(2, 1), 10, 100))),
           TENSOR(F32, DIMS(2, 1), 210, 430));
    EXPECT("aten::mm", ARGS(TENSOR(F32, DIMS(2, 0)), TENSOR(F32, DIMS(0, 2))),
           TENSOR(F32, DIMS(2, 2), 0));
    EXPECT("aten::mm", ARGS(TENSOR(U8, DIMS(1, 1), 16), TENSOR(U8, DIMS(1, 1), 17)),
           TENSOR(U8, DIMS(1, 1), 16));
    EXPECT("aten::matmul", ARGS(TENSOR(F32, DIMS(2), 1, 2), TENSOR(F32, DIMS(2), 3, 4)),
           TENSOR(F32, DIMS(), 11));
    EXPECT("aten::linear",
           ARGS(TENSOR(F32, DIMS(1, 2), 1, 2), TENSOR(F32, DIMS(2, 2), 1, 0, 0, 1),
                TENSOR(F32, DIMS(2), 5, 6)),
           TENSOR(F32, DIMS(1, 2), 6, 8));
    EXPECT("aten::einsum",
           ARGS(TEXT("ij,jk->ki"), LIST(TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4),
                                        TENSOR(F32, DIMS(2, 1), 10, 100))),
           TENSOR(F32, DIMS(1, 2), 210, 430));
}

START_TEST(einsum_sums_a_lone_subscript_of_integers_in_i64)
{
    EXPECT("aten::einsum",
           ARGS(TEXT("ij->i"), LIST(TENSOR(I16, DIMS(2, 2), 1, 2, 30000, 30000))),
           TENSOR(I64, DIMS(2), 3, 60000));
    EXPECT("aten::einsum",
           ARGS(TEXT("i,i->"),
                LIST(TENSOR(I16, DIMS(2), 1, 2), TENSOR(I16, DIMS(2), 3, 4))),
           TENSOR(I16, DIMS(), 11));
}
END_TEST

START_TEST(factors_of_zero_hide_nan)
{
    EXPECT("aten::addmm",
           ARGS(TENSOR(F32, DIMS(1), NAN), TENSOR(F32, DIMS(1, 1), 2),
                TENSOR(F32, DIMS(1, 1), 3), FLOAT(0), FLOAT(2)),
           TENSOR(F32, DIMS(1, 1), 12));
    EXPECT("aten::addmm",
           ARGS(TENSOR(F32, DIMS(1), 7), TENSOR(F32, DIMS(1, 1), NAN),
                TENSOR(F32, DIMS(1, 1), 3), FLOAT(1), FLOAT(0)),
           TENSOR(F32, DIMS(1, 1), 7));
}

START_TEST(sums_are_made_as_the_run_asks_for)
{
    /* 1 is lost beside 2^24 in f32, not in f64. */
    EXPECT("aten::dot",
           ARGS(TENSOR(F32, DIMS(3), 16777216, 1, 1), TENSOR(F32, DIMS(3), 1)),
           TENSOR(F32, DIMS(), 16777218));
    case_precision = DG_PRECISION_OWN_SUMS;
    EXPECT("aten::dot",
           ARGS(TENSOR(F32, DIMS(3), 16777216, 1, 1), TENSOR(F32, DIMS(3), 1)),
           TENSOR(F32, DIMS(), 16777216));
    case_precision = DG_PRECISION_EXACT_SUMS;
}

START_TEST(products_that_do_not_fit_name_both_sizes)
{
    EXPECT_REFUSED("aten::mm",
                   ARGS(TENSOR(F32, DIMS(2, 3), 1), TENSOR(F32, DIMS(4, 2), 1)),
                   DG_ERR_FORMAT, "3 columns and the second 4 rows");
    EXPECT_REFUSED("aten::mm",
                   ARGS(TENSOR(F32, DIMS(2, 3), 1), TENSOR(F16, DIMS(3, 2), 1)),
                   DG_ERR_FORMAT, "f32 and f16");
    EXPECT_REFUSED("aten::mm", ARGS(TENSOR(F32, DIMS(2, 3), 1), NOTHING), DG_ERR_FORMAT,
                   "missing");
    EXPECT_REFUSED("aten::bmm",
                   ARGS(TENSOR(F32, DIMS(2, 1, 3), 1), TENSOR(F32, DIMS(4, 3, 2), 1)),
                   DG_ERR_FORMAT, "batches of 2 and 4");
    EXPECT_REFUSED("aten::einsum",
                   ARGS(TEXT("ij,j(->i"),
                        LIST(TENSOR(F32, DIMS(1, 1), 1), TENSOR(F32, DIMS(1, 1), 1))),
                   DG_ERR_FORMAT, "equation");
}

START_TEST(convolutions_pad_stride_and_group)
{
    EXPECT("aten::conv1d",
           ARGS(TENSOR(F32, DIMS(1, 1, 4), 1, 2, 3, 4),
                TENSOR(F32, DIMS(1, 1, 3), 1, 10, 100), TENSOR(F32, DIMS(1), 0.5),
                INTS(2), INTS(1), INTS(1), INT(1)),
           TENSOR(F32, DIMS(1, 1, 2), 210.5, 432.5));
    EXPECT("aten::convolution",
           ARGS(TENSOR(F32, DIMS(1, 1, 2), 1, 2), TENSOR(F32, DIMS(1, 1, 2), 1, 10),
                NOTHING, INTS(2), INTS(0), INTS(1), TRUTH(1), INTS(1), INT(1)),
           TENSOR(F32, DIMS(1, 1, 5), 1, 10, 2, 20, 0));
    EXPECT("aten::conv1d",
           ARGS(TENSOR(F32, DIMS(1, 2, 2), 1, 2, 3, 4),
                TENSOR(F32, DIMS(2, 1, 1), 10, 100), NOTHING, INTS(1), INTS(0), INTS(1),
                INT(2)),
           TENSOR(F32, DIMS(1, 2, 2), 10, 20, 300, 400));
    EXPECT_REFUSED("aten::conv1d",
                   ARGS(TENSOR(F32, DIMS(1, 2, 2), 1), TENSOR(F32, DIMS(1, 3, 1), 1)),
                   DG_ERR_FORMAT, "2 channels");
    EXPECT_REFUSED("aten::conv1d",
                   ARGS(TENSOR(F32, DIMS(1, 1, 2), 1), TENSOR(F32, DIMS(1, 1, 3), 1)),
                   DG_ERR_FORMAT, "a kernel of 3 does not fit an image of size 2");
    EXPECT_REFUSED("aten::conv1d",
                   ARGS(TENSOR(F32, DIMS(1, 1, 2), 1), TENSOR(F32, DIMS(1, 1, 1), 1),
                        NOTHING, INTS(0)),
                   DG_ERR_FORMAT, "holds 0");
}

START_TEST(attention_that_sees_nothing_gives_zero)
{
    EXPECT("aten::scaled_dot_product_attention",
           ARGS(TENSOR(F32, DIMS(2, 1), 1, 1), TENSOR(F32, DIMS(2, 1), 1, 1),
                TENSOR(F32, DIMS(2, 1), 5, 7), TENSOR(BOOL, DIMS(2, 2), 0, 0, 1, 1)),
           TENSOR(F32, DIMS(2, 1), 0, 6));
    EXPECT("aten::scaled_dot_product_attention",
           ARGS(TENSOR(F32, DIMS(2, 1), 1, 1), TENSOR(F32, DIMS(2, 1), 1, 1),
                TENSOR(F32, DIMS(2, 1), 5, 7), NOTHING, FLOAT(0), TRUTH(1)),
           TENSOR(F32, DIMS(2, 1), 5, 6));
}

START_TEST(softmax_of_minus_infinity_alone_is_nan_unless_safe)
{
    EXPECT("aten::_softmax", ARGS(TENSOR(F32, DIMS(2), -INFINITY), INT(0), TRUTH(0)),
           TENSOR(F32, DIMS(2), NAN));
    EXPECT("aten::_safe_softmax", ARGS(TENSOR(F32, DIMS(2), -INFINITY), INT(0)),
           TENSOR(F32, DIMS(2), 0));
    EXPECT("aten::softmax.int",
           ARGS(swapped(TENSOR(F32, DIMS(2, 2), 1, 1, 5, 5), 0, 1), INT(0)),
           TENSOR(F32, DIMS(2, 2), 0.5));
}

START_TEST(norms_give_their_statistics)
{
    EXPECT_ALL("aten::native_layer_norm",
               ARGS(TENSOR(F64, DIMS(1, 2), 1, 3), INTS(2), TENSOR(F64, DIMS(2), 2),
                    TENSOR(F64, DIMS(2), 10), FLOAT(0)),
               ARGS(TENSOR(F64, DIMS(1, 2), 8, 12), TENSOR(F64, DIMS(1, 1), 2),
                    TENSOR(F64, DIMS(1, 1), 1)));
    EXPECT("aten::batch_norm",
           ARGS(TENSOR(F32, DIMS(1, 2, 1), 5, 9), NOTHING, NOTHING,
                TENSOR(F32, DIMS(2), 1, 5), TENSOR(F32, DIMS(2), 4, 16), TRUTH(0),
                FLOAT(0.1), FLOAT(0)),
           TENSOR(F32, DIMS(1, 2, 1), 2, 1));
    EXPECT_REFUSED("aten::layer_norm", ARGS(TENSOR(F32, DIMS(1, 2), 1), INTS(3)),
                   DG_ERR_FORMAT, "dimension 1 has size 2, normalized is 3");
}

START_TEST(targets_outside_of_the_classes_are_refused)
{
    EXPECT_ALL("aten::nll_loss_forward",
               ARGS(TENSOR(F32, DIMS(2, 2), -1, -2, -3, -4),
                    TENSOR(I64, DIMS(2), 1, -100), NOTHING, INT(1), INT(-100)),
               ARGS(TENSOR(F32, DIMS(), 2), TENSOR(F32, DIMS(), 1)));
    EXPECT_REFUSED("aten::nll_loss",
                   ARGS(TENSOR(F32, DIMS(1, 2), 0), TENSOR(I64, DIMS(1), 2), NOTHING,
                        INT(1), INT(-100)),
                   DG_ERR_FORMAT, "target 2 is out of range for 2 classes");
}

START_TEST(recurrent_nets_check_their_weights)
{
    EXPECT("aten::rnn_relu_cell",
           ARGS(TENSOR(F32, DIMS(1, 1), 2), TENSOR(F32, DIMS(1, 1), 3),
                TENSOR(F32, DIMS(1, 1), 10), TENSOR(F32, DIMS(1, 1), 100)),
           TENSOR(F32, DIMS(1, 1), 320));
    EXPECT_REFUSED("aten::rnn_relu_cell",
                   ARGS(TENSOR(F32, DIMS(1, 1), 2), TENSOR(F32, DIMS(1, 1), 3),
                        TENSOR(F32, DIMS(1, 2), 1), TENSOR(F32, DIMS(1, 1), 1)),
                   DG_ERR_FORMAT, "the input weight has shape [1,2], not 1 x 1");
}

static struct dg_arg numbers(struct case_dims dims)
{
    static double values[40000];
    size_t n = 1;

    for (int dim = 0; dim < dims.rank; dim++)
        n *= (size_t)dims.sizes[dim];
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i * i % 1009) / 1009 - 0.4;
    return case_tensor(DG_TYPE_F32, dims, n, values);
}

/* The bytes of the first result, by one thread and by others. */
static void expect_the_same(const char *op, struct case_args args)
{
    struct case_run one = case_run(op, args), several;
    const struct dg_tensor *a = one.results[0].as.tensor, *b;

    ck_assert_int_eq(one.status, DG_OK);
    for (case_threads = 2; case_threads < 4; case_threads++) {
        several = case_run(op, args);
        b = several.results[0].as.tensor;
        ck_assert_mem_eq(dg_tensor_data(a), dg_tensor_data(b),
                         (size_t)dg_tensor_count(a) * dg_type_bytes(a->type));
        case_drop(&several);
    }
    case_threads = 1;
    case_drop(&one);
    case_drop_args(args);
}

START_TEST(results_do_not_depend_on_the_number_of_threads)
{
    expect_the_same("aten::mm", ARGS(numbers(DIMS(130, 270)), numbers(DIMS(270, 140))));
    expect_the_same("aten::conv2d",
                    ARGS(numbers(DIMS(1, 16, 40, 41)), numbers(DIMS(24, 16, 3, 3)),
                         NOTHING, INTS(1), INTS(1)));
    expect_the_same("aten::conv2d",
                    ARGS(numbers(DIMS(1, 16, 40, 41)), numbers(DIMS(16, 1, 3, 3)),
                         NOTHING, INTS(1), INTS(1), INTS(1), INT(16)));
    expect_the_same("aten::scaled_dot_product_attention",
                    ARGS(numbers(DIMS(4, 140, 32)), numbers(DIMS(4, 150, 32)),
                         numbers(DIMS(4, 150, 32))));
    expect_the_same("aten::layer_norm", ARGS(numbers(DIMS(200, 200)), INTS(200)));
    expect_the_same("aten::softmax.int", ARGS(numbers(DIMS(200, 200)), INT(0)));
}

/* What every compiler, option and processor gives: the sum of the bits of a product. */
START_TEST(products_have_the_same_bits_everywhere)
{
    struct case_args args = ARGS(numbers(DIMS(65, 300)), numbers(DIMS(300, 67)));
    struct case_run run = case_run("aten::mm", args);
    const struct dg_tensor *result = run.results[0].as.tensor;
    const unsigned char *bytes = dg_tensor_data(result);
    uint32_t sum = 0;

    for (int64_t i = 0; i < dg_tensor_count(result) * 4; i++)
        sum = sum * 31 + bytes[i];
    ck_assert_uint_eq(sum, 2989446803u);
    case_drop(&run);
    case_drop_args(args);
}

Suite *kernels_contraction_suite(void)
{
    Suite *suite = suite_create("kernels_contraction");
    TCase *one = tcase_create("one thread"), *several = tcase_create("several threads");

    tcase_add_test(one, products_sum_over_k);
    tcase_add_test(one, einsum_sums_a_lone_subscript_of_integers_in_i64);
    tcase_add_test(one, factors_of_zero_hide_nan);
    tcase_add_test(one, sums_are_made_as_the_run_asks_for);
    tcase_add_test(one, products_that_do_not_fit_name_both_sizes);
    tcase_add_test(one, convolutions_pad_stride_and_group);
    tcase_add_test(one, attention_that_sees_nothing_gives_zero);
    tcase_add_test(one, softmax_of_minus_infinity_alone_is_nan_unless_safe);
    tcase_add_test(one, norms_give_their_statistics);
    tcase_add_test(one, targets_outside_of_the_classes_are_refused);
    tcase_add_test(one, recurrent_nets_check_their_weights);
    tcase_add_test(several, results_do_not_depend_on_the_number_of_threads);
    tcase_add_test(several, products_have_the_same_bits_everywhere);
    suite_add_tcase(suite, one);
    suite_add_tcase(suite, several);
    return suite;
}
