/* Rules about calls that kernels refuse: by sizes, types and dim orders. */
#include "unit/infer_case.h"

START_TEST(plan_op_sizes_accepts_what_operators_give)
{
    static const struct sample samples[] = {
        {"aten::relu.out", "f32[2,3] f32[2,3]", ""},
        {"aten::relu.out", "f32[2,3] f32[3,3]<", ""},
        {"aten::add.out", "f32[2,1] f32[3] 1 f32[2,3]", ""},
        {"aten::mm.out", "f32[2,3] f32[3,4] f32[2,4]", ""},
        {"aten::linear.out", "f32[5,3] f32[4,3] none f32[5,4]", ""},
        {"aten::sum.IntList_out", "f32[2,3] {1} bool:1 none f32[2,1]", ""},
        {"aten::sum.IntList_out", "f32[2,3] none bool:0 none f32[]", ""},
        {"aten::cat.out", "t{4,5} 1 f32[2,5] none f32[2,2] f32[2,3]", ""},
        {"aten::permute_copy.out", "f32[2,3,4] {2,0,1} f32[4,2,3]", ""},
        {"aten::view_copy.out", "f32[2,3] {6} f32[6]", ""},
        {"aten::slice_copy.Tensor_out", "f32[5,2] 0 1 4 2 f32[2,2]", ""},
        {"aten::select_copy.int_out", "f32[5,2] 0 -5 f32[2]", ""},
        {"aten::expand_copy.out", "f32[1,2] {3,2} bool:0 f32[3,2]", ""},
        {"aten::embedding.out", "f32[8,4] i64[2,3] 0 bool:0 bool:0 f32[2,3,4]", ""},
        {"aten::convolution.out",
         "f32[1,3,8,8] f32[4,3,3,3] none {2,2} {1,1} {1,1} bool:0 {0,0} 1 f32[1,4,4,4]",
         ""},
        {"aten::unsqueeze_copy.out", "f32[2,3] 1 f32[2,1,3]", ""},
    };

    HOLD("plan/op-sizes", samples)
    HOLD("plan/op-operands", samples)
    HOLD("plan/op-dtypes", samples)
    HOLD("graph/dim-order-propagates", samples)
}

START_TEST(plan_op_sizes_reports_a_result_declared_with_others)
{
    static const struct sample samples[] = {
        {"aten::relu.out", "f32[2,3] f32[3,2]",
         "error aten::relu.out gives sizes [2,3]; value 1 is declared as [3,2]\n"},
        {"aten::add.out", "f32[2,1] f32[3] 1 f32[2,4]",
         "error aten::add.out gives sizes [2,3]; value 3 is declared as [2,4]\n"},
        {"aten::mm.out", "f32[2,3] f32[3,4] f32[2,3]",
         "error aten::mm.out gives sizes [2,4]; value 2 is declared as [2,3]\n"},
        {"aten::sum.IntList_out", "f32[2,3] {1} bool:0 none f32[2,1]",
         "error aten::sum.IntList_out gives sizes [2]; value 4 is declared as [2,1]\n"},
        {"aten::relu.out", "f32[2,3] f32[2,2]<",
         "error aten::relu.out gives sizes [2,3]; value 1 is declared as [2,2]\n"},
    };

    HOLD("plan/op-sizes", samples)
}

START_TEST(plan_op_sizes_accepts_sizes_that_may_become_less)
{
    static const struct sample samples[] = {
        {"aten::add.out", "f32[8,4]< f32[16,4]< 1 f32[5,4]<", ""},
        {"aten::slice_copy.Tensor_out", "f32[8,4]< 0 1 9 1 f32[7,4]<", ""},
        {"aten::relu.out", "f32[8,4]< f32[5,4]", ""},
    };

    HOLD("plan/op-sizes", samples)
    HOLD("plan/op-operands", samples)
}

START_TEST(plan_op_sizes_counts_on_nothing_that_is_written)
{
    rules_open_pte();
    given("INSERT INTO value (id, graph_id, idx, kind, dtype, shape, dynamism) VALUES"
          " (1, 1, 0, 'tensor', 'f32', '[2]', 'static'),"
          " (2, 1, 1, 'tensor', 'f32', '[3]', 'static'),"
          " (3, 1, 2, 'tensor', 'f32', '[3]', 'static')");
    move(2, 0);
    call_op("aten::relu.out", "0", "", "1 1");
    expect("plan/op-sizes", "");
    rules_close();
}

START_TEST(plan_op_sizes_takes_no_second_tensor_for_a_first_that_is_moved)
{
    static const struct sample samples[] = {
        {"aten::fill.Tensor_out", "f32[3,4] f32[] f32[3,4]", "", true},
        {"aten::copy.out", "f32[3,4] f32[4] bool:0 f32[3,4]", "", true},
        {"aten::slice_scatter.out", "f32[3,4] f32[2,4] 0 0 2 1 f32[3,4]", "", true},
        {"aten::select_scatter.out", "f32[3,4] f32[4] 0 1 f32[3,4]", "", true},
        {"aten::pow.Scalar_out", "2 f32[3,4] f32[3,4]", "", true},
    };

    HOLD("plan/op-sizes", samples)
    HOLD("plan/op-operands", samples)
    HOLD("plan/op-dtypes", samples)
}

START_TEST(plan_op_sizes_reports_what_does_not_follow_the_first_tensor)
{
    static const struct sample samples[] = {
        {"aten::fill.Tensor_out", "f32[3,4] f32[] f32[4]",
         "error aten::fill.Tensor_out gives sizes [3,4]; value 2 is declared as [4]\n"},
        {"aten::slice_scatter.out", "f32[3,4] f32[2,4] 0 0 2 1 f32[2,4]",
         "error aten::slice_scatter.out gives sizes [3,4]; value 6 is declared as"
         " [2,4]\n"},
        {"aten::pow.Scalar_out", "2 f32[3,4] f32[4]",
         "error aten::pow.Scalar_out gives sizes [3,4]; value 2 is declared as [4]\n",
         true},
    };

    HOLD("plan/op-sizes", samples)
}

START_TEST(plan_op_sizes_accepts_any_over_no_dimension_and_over_all)
{
    static const struct sample samples[] = {
        {"aten::any.dims_out", "bool[2,3] {} bool:0 bool[2,3]", ""},
        {"aten::any.dims_out", "bool[2,3] {} bool:1 bool[2,3]", ""},
        {"aten::any.dims_out", "bool[2,3] {1} bool:0 bool[2]", ""},
        {"aten::any.dims_out", "bool[2,3] none bool:0 bool[]", ""},
        {"aten::sum.IntList_out", "f32[2,3] {} bool:0 none f32[]", ""},
    };

    HOLD("plan/op-sizes", samples)
}

START_TEST(plan_op_sizes_reports_any_over_no_dimension_declared_as_over_all)
{
    static const struct sample samples[] = {
        {"aten::any.dims_out", "bool[2,3] {} bool:0 bool[]",
         "error aten::any.dims_out gives sizes [2,3]; value 3 is declared as []\n"},
        {"aten::any.dims_out", "bool[2,3] none bool:0 bool[2,3]",
         "error aten::any.dims_out gives sizes []; value 3 is declared as [2,3]\n"},
    };

    HOLD("plan/op-sizes", samples)
}

/* Each of them was run. */
START_TEST(plan_op_sizes_counts_items_without_elements_as_the_runtime_does)
{
    static const struct sample samples[] = {
        {"aten::cat.out", "t{4,5} 1 f32[0,0] none f32[0,3] f32[0,5]", ""},
        {"aten::cat.out", "t{4,5} 1 f32[2,5] none f32[0,3] f32[2,5]", ""},
        {"aten::cat.out", "t{4,5} 1 f32[2,5] none f32[0,3,2] f32[2,5]", ""},
        {"aten::cat.out", "t{4,5} 1 f32[2,5] none f32[0] f32[2,5]", ""},
        {"aten::cat.out", "t{4,5} 0 f32[0,3] none f32[0,5] f32[0,3]", ""},
        {"aten::cat.out", "t{4,5} 1 f32[0,8] none f32[0,3] f32[0,5]",
         "error aten::cat.out gives sizes [0,0]; value 2 is declared as [0,8]\n"},
        {"aten::cat.out", "t{4,5} 1 f32[2,5] none f32[2,5] f32[0,3]",
         "error aten::cat.out gives sizes [0,5]; value 2 is declared as [2,5]\n"},
    };

    HOLD("plan/op-sizes", samples)
}

START_TEST(plan_op_operands_reports_what_does_not_go_together)
{
    static const struct sample samples[] = {
        {"aten::mm.out", "f32[2,3] f32[4,5] f32[2,5]",
         "error aten::mm.out refuses operands of sizes [2,3], [4,5]\n"},
        {"aten::add.out", "f32[2] f32[3] 1 f32[3]",
         "error aten::add.out refuses operands of sizes [2], [3]\n"},
        {"aten::select_copy.int_out", "f32[5,2] 0 5 f32[2]",
         "error aten::select_copy.int_out refuses index 5 of 5\n"},
        {"aten::select_copy.int_out", "f32[5,2] 2 0 f32[5]",
         "error aten::select_copy.int_out refuses dim 2 of 2 dimensions\n"},
        {"dim_order_ops::_to_dim_order_copy.out", "i64[] bool:0 {3,14} f32[]",
         "error dim_order_ops::_to_dim_order_copy.out refuses operands of sizes []\n"},
        {"aten::convolution_backward.out",
         "f32[1,1,2,2] f32[1,1,2,2] f32[1,1,1,1] none {1,1} {0,0} {1,1} bool:1 {0,0} 1"
         " none f32[1,1,2,2] f32[1,1,1,1] f32[1]",
         "error aten::convolution_backward.out refuses to be transposed\n"},
        {"aten::sym_size.int", "f32[5,2] 1 7", ""},
        {"aten::sym_size.int", "f32[5,2] -1 7",
         "error aten::sym_size.int refuses dim -1 of 2 dimensions\n"},
        {"aten::view_copy.out", "f32[2,3] {7} f32[7]",
         "error aten::view_copy.out refuses to view 6 elements as 7\n"},
        {"aten::expand_copy.out", "f32[1,2] {3,2} bool:1 f32[3,2]",
         "error aten::expand_copy.out refuses to be implicit\n"},
        {"aten::convolution.out",
         "f32[1,2,8,8] f32[4,3,3,3] none {2,2} {1,1} {1,1} bool:0 {0,0} 1 f32[1,4,4,4]",
         "error aten::convolution.out refuses operands of sizes [1,2,8,8], "
         "[4,3,3,3]\n"},
    };

    HOLD("plan/op-operands", samples)
}

START_TEST(plan_op_operands_reports_sizes_that_no_number_holds)
{
    static const struct sample samples[] = {
        {"aten::upsample_nearest2d.vec_out",
         "f32[1,2,3,4] none d{1e300,2.0} f32[1,2,3,8]",
         "error aten::upsample_nearest2d.vec_out refuses operands of sizes "
         "[1,2,3,4]\n"},
        {"aten::upsample_nearest2d.vec_out",
         "f32[1,2,3,4] none d{-3.0,2.0} f32[1,2,3,8]",
         "error aten::upsample_nearest2d.vec_out refuses operands of sizes "
         "[1,2,3,4]\n"},
        {"aten::upsample_nearest2d.vec_out",
         "f32[1,2,3,4] none d{2.0,2.5} f32[1,2,6,10]", ""},
        {"aten::pixel_unshuffle.out", "f32[4611686018427387904,2,2] 2 f32[8,1,1]",
         "error aten::pixel_unshuffle.out refuses operands of sizes"
         " [4611686018427387904,2,2]\n"},
        {"aten::pixel_shuffle.out", "f32[4,4611686018427387904,2] 2 f32[1,8,4]",
         "error aten::pixel_shuffle.out refuses operands of sizes"
         " [4,4611686018427387904,2]\n"},
        {"aten::pixel_unshuffle.out", "f32[1,4,2] 2 f32[4,2,1]", ""},
    };

    HOLD("plan/op-operands", samples)
}

/* The process ends: integers have no infinity. */
START_TEST(plan_op_operands_reports_integers_that_are_divided_by_0)
{
    static const struct sample samples[] = {
        {"executorch_prim::mod.Scalar", "7 0 0",
         "error executorch_prim::mod.Scalar divides by 0\n"},
        {"executorch_prim::floordiv.int", "7 0 0",
         "error executorch_prim::floordiv.int divides by 0\n"},
        {"executorch_prim::mod.Scalar", "0 7 0", ""},
        {"executorch_prim::floordiv.Scalar", "7 0 0",
         "error executorch_prim::floordiv.Scalar divides by 0\n"},
        {"executorch_prim::floordiv.Scalar", "double:7.0 0 0", ""},
        {"executorch_prim::floordiv.Scalar", "7 double:0.0 0", ""},
        {"executorch_prim::truediv.Scalar", "7 0 0", ""},
    };

    HOLD("plan/op-operands", samples)
}

Suite *infer_rules_suite(void)
{
    Suite *suite = suite_create("infer rules");
    TCase *all = tcase_create("all");

    tcase_add_test(all, plan_op_sizes_accepts_what_operators_give);
    tcase_add_test(all, plan_op_sizes_reports_a_result_declared_with_others);
    tcase_add_test(all, plan_op_sizes_accepts_sizes_that_may_become_less);
    tcase_add_test(all, plan_op_sizes_counts_on_nothing_that_is_written);
    tcase_add_test(all, plan_op_sizes_takes_no_second_tensor_for_a_first_that_is_moved);
    tcase_add_test(all, plan_op_sizes_reports_what_does_not_follow_the_first_tensor);
    tcase_add_test(all, plan_op_sizes_accepts_any_over_no_dimension_and_over_all);
    tcase_add_test(all,
                   plan_op_sizes_reports_any_over_no_dimension_declared_as_over_all);
    tcase_add_test(all,
                   plan_op_sizes_counts_items_without_elements_as_the_runtime_does);
    tcase_add_test(all, plan_op_operands_reports_what_does_not_go_together);
    tcase_add_test(all, plan_op_operands_reports_sizes_that_no_number_holds);
    tcase_add_test(all, plan_op_operands_reports_integers_that_are_divided_by_0);
    suite_add_tcase(suite, all);
    return suite;
}
