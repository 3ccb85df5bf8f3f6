/* Rules on types and orders of dimensions that do not follow from operands. */
#include "unit/infer_case.h"

START_TEST(plan_op_dtypes_reports_types_that_kernels_do_not_take_or_give)
{
    static const struct sample samples[] = {
        {"aten::abs.out", "f32[2] i64[2]",
         "error aten::abs.out of f32 does not give i64, which value 1 is declared "
         "as\n"},
        {"aten::add.out", "f32[2] i64[2] 1 i64[2]",
         "error aten::add.out of f32 does not give i64, which value 3 is declared "
         "as\n"},
        {"aten::add.out", "f32[2] f32[2] bool:1 f32[2]",
         "error aten::add.out of f32 does not take a bool as alpha\n"},
        {"aten::sub.out", "i64[2] i32[2] double:1.5 i64[2]",
         "error aten::sub.out of i64 does not take a float as alpha\n"},
        {"aten::add.Scalar_out", "i64[2] 3 double:1.5 i64[2]",
         "error aten::add.Scalar_out of i64 does not take a float as alpha\n"},
        {"aten::add.out", "f32[2] i64[2] double:1.5 f32[2]", ""},
        {"aten::add.out", "bool[2] bool[2] bool:1 bool[2]", ""},
        {"aten::sum.IntList_out", "f32[2,3] {1} bool:1 -7 f32[2,1]",
         "error aten::sum.IntList_out asks for dtype -7, which there is not\n"},
        {"aten::mul.out", "c64[2] f32[2] f32[2]",
         "error aten::mul.out of c64 does not give f32, which value 2 is declared "
         "as\n"},
        {"aten::add.out", "f32[0] c128[0] 1 f64[0]",
         "error aten::add.out of c128 does not give f64, which value 3 is declared "
         "as\n"},
        {"aten::mul.out", "f32[2] f32[2] c64[2]", ""},
        {"aten::abs.out", "c64[2] f32[2]", ""},
        {"aten::relu.out", "u16[2] u16[2]",
         "error aten::relu.out does not take value 0 of type u16\n"},
        {"aten::mm.out", "f32[2,3] f64[3,4] f32[2,4]",
         "error aten::mm.out does not take value 1 of type f64\n"},
        {"aten::index_select.out", "f32[2,3] 0 f32[2] f32[2,3]",
         "error aten::index_select.out does not take value 2 of type f32\n"},
        {"aten::argmax.out", "f32[2,3] 0 bool:0 f32[3]",
         "error aten::argmax.out of f32 does not give f32, which value 3 is declared "
         "as\n"},
        {"aten::any.out", "bool[2,3] 1 bool:1 f32[2,1]",
         "error aten::any.out of bool does not give f32, which value 3 is declared "
         "as\n"},
        {"aten::any.out", "f32[2,3] 1 bool:1 u8[2,1]", ""},
        {"aten::any.all_out", "f32[2,3] i64[]",
         "error aten::any.all_out of f32 does not give i64, which value 1 is declared "
         "as\n"},
    };

    HOLD("plan/op-dtypes", samples)
}

#define COPY "dim_order_ops::_to_dim_order_copy.out"

START_TEST(plan_op_dtypes_reports_copies_between_complex_types_that_kernels_lack)
{
    static const struct sample samples[] = {
        {COPY, "i64[2] bool:0 none c64[2]",
         "error " COPY " of i64 does not give c64, which value 3 is declared as\n"},
        {COPY, "bf16[2] bool:0 none c128[2]",
         "error " COPY " of bf16 does not give c128, which value 3 is declared as\n"},
        {COPY, "c64[2] bool:0 none i64[2]",
         "error " COPY " of c64 does not give i64, which value 3 is declared as\n"},
        {COPY, "c64[2] bool:0 none bf16[2]",
         "error " COPY " of c64 does not give bf16, which value 3 is declared as\n"},
        {COPY, "c64[2] bool:0 none c128[2]",
         "error " COPY " of c64 does not give c128, which value 3 is declared as\n"},
        {COPY, "u16[2] bool:0 none c64[2]",
         "error " COPY " does not take value 0 of type u16\n"},
    };

    HOLD("plan/op-dtypes", samples)
}

START_TEST(plan_op_dtypes_accepts_complex_numbers_of_three_floats)
{
    static const struct sample samples[] = {
        {COPY, "f16[2] bool:0 none c64[2]", ""},
        {COPY, "f32[2] bool:0 none c32[2]", ""},
        {COPY, "f64[2] bool:0 none c128[2]", ""},
        {COPY, "c128[2] bool:0 none f16[2]", ""},
        {COPY, "c64[2] bool:0 none c64[2]", ""},
        {COPY, "i64[0] bool:0 none c64[0]", ""}, /* ends before it looks */
        {COPY, "i64[2] bool:0 none bf16[2]", ""},
    };

    HOLD("plan/op-dtypes", samples)
}

START_TEST(plan_op_dtypes_accepts_what_can_be_cast)
{
    static const struct sample samples[] = {
        {"aten::add.out", "i32[2] i64[2] 1 f32[2]", ""},
        {"aten::eq.Tensor_out", "f32[2] f32[2] bool[2]", ""},
        {"aten::exp.out", "i64[2] f32[2]", ""},
        {"aten::cat.out", "t{3,4} 0 f32[5] i32[2] f32[3]", ""},
        {"aten::add.out", "c64[2] c64[2] 1 c64[2]", ""},
        {"aten::sum.IntList_out", "f32[2,3] {1} bool:1 7 f64[2,1]", ""},
    };

    HOLD("plan/op-dtypes", samples)
}

START_TEST(plan_op_dtypes_accepts_a_clamp_to_what_its_bounds_amount_to)
{
    static const struct sample samples[] = {
        {"aten::clamp.out", "i64[2] double:0.5 none f32[2]", ""},
        {"aten::clamp.out", "i64[2] 1 double:2.5 f32[2]", ""},
        {"aten::clamp.out", "i32[2] none 3 i32[2]", ""},
        {"aten::clamp.out", "f16[2] double:0.5 none f16[2]", ""},
        {"aten::clamp.out", "bool[2] 0 none i64[2]", ""},
    };

    HOLD("plan/op-dtypes", samples)
}

START_TEST(plan_op_dtypes_reports_a_clamp_to_another_type)
{
    static const struct sample samples[] = {
        {"aten::clamp.out", "i64[2] double:0.5 none i64[2]",
         "error aten::clamp.out of i64 does not give i64, which value 3 is declared"
         " as\n"},
        {"aten::clamp.out", "i64[2] 0 none f32[2]",
         "error aten::clamp.out of i64 does not give f32, which value 3 is declared"
         " as\n"},
    };

    HOLD("plan/op-dtypes", samples)
}

START_TEST(graph_dim_order_propagates_accepts_one_order)
{
    static const struct sample samples[] = {
        {"aten::clone.out", "f32[2,3,4,5]c 0 f32[2,3,4,5]c", ""},
        {"aten::add.out", "f32[2,3,4,5]c f32[2,3,4,5]c 1 f32[2,3,4,5]c", ""},
        {"aten::mean.out", "f32[2,3,4,5] {2,3} bool:1 none f32[2,3,1,1]", ""},
    };

    HOLD("graph/dim-order-propagates", samples)
}

START_TEST(graph_dim_order_propagates_reports_mixed_orders_and_wrong_ones)
{
    static const struct sample samples[] = {
        {"aten::clone.out", "f32[2,3,4,5] 0 f32[2,3,4,5]c",
         "error aten::clone.out refuses value 2 with dim order [0,2,3,1] beside value 0"
         " with dim order [0,1,2,3]\n"},
        {"aten::mul.out", "f32[2,3,4,5]c f32[] f32[2,3,4,5]c",
         "error aten::mul.out refuses value 0 with dim order [0,2,3,1] beside value 1"
         " with dim order []\n"},
        {"aten::_native_batch_norm_legit_no_training.out",
         "f32[2,3,4,5]c f32[3] f32[3] f32[3] f32[3] none none f32[2,3,4,5]c f32[0]"
         " f32[0]",
         "error aten::_native_batch_norm_legit_no_training.out refuses value 0 with dim"
         " order [0,2,3,1]\n"},
    };

    HOLD("graph/dim-order-propagates", samples)
}

Suite *infer_types_suite(void)
{
    Suite *suite = suite_create("infer types");
    TCase *all = tcase_create("all");
    tcase_add_test(all, plan_op_dtypes_reports_types_that_kernels_do_not_take_or_give);
    tcase_add_test(
        all, plan_op_dtypes_reports_copies_between_complex_types_that_kernels_lack);
    tcase_add_test(all, plan_op_dtypes_accepts_complex_numbers_of_three_floats);
    tcase_add_test(all, plan_op_dtypes_accepts_what_can_be_cast);
    tcase_add_test(all, plan_op_dtypes_accepts_a_clamp_to_what_its_bounds_amount_to);
    tcase_add_test(all, plan_op_dtypes_reports_a_clamp_to_another_type);
    tcase_add_test(all, graph_dim_order_propagates_accepts_one_order);
    tcase_add_test(all, graph_dim_order_propagates_reports_mixed_orders_and_wrong_ones);
    suite_add_tcase(suite, all);
    return suite;
}
