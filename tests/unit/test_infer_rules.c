/* Rules about calls that kernels refuse: by sizes, types and dim orders. */
#include "unit/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_values;

static void int_value(long number)
{
    given_format("INSERT INTO value (id, graph_id, idx, kind, scalar)"
                 " VALUES (%d, 1, %d, 'int', %ld)",
                 n_values + 1, n_values, number);
    n_values++;
}

/* "f32[2,3]"; "f32[2,3]<" of sizes that may become less; "f32[1,2,3,4]c" channels last;
 * "bool:1"; "double:0.5"; "none" */
static void value(const char *text, size_t length)
{
    size_t at = strcspn(text, "[:");
    size_t end = strcspn(text, "]") + 1;

    given_format(
        "INSERT INTO value (id, graph_id, idx, kind) VALUES (%d, 1, %d, 'null')",
        n_values + 1, n_values);
    if (text[at] == '[' && at < length)
        given_format("UPDATE value SET kind = 'tensor', dtype = '%.*s', shape = '%.*s',"
                     " dynamism = '%s', dim_order = iif('%c' = 'c', '[0,2,3,1]', NULL)"
                     " WHERE id = %d",
                     (int)at, text, (int)(end - at), text + at,
                     text[end] == '<' ? "bounded" : "static",
                     end < length ? text[end] : ' ', n_values + 1);
    else if (text[at] == ':' && at < length)
        given_format("UPDATE value SET kind = '%.*s', scalar = %.*s WHERE id = %d",
                     (int)at, text, (int)(length - at - 1), text + at + 1,
                     n_values + 1);
    n_values++;
}

static void list(const char *kind, const char *items, size_t length)
{
    given_format("INSERT INTO value (id, graph_id, idx, kind, items)"
                 " VALUES (%d, 1, %d, '%s', '[%.*s]')",
                 n_values + 1, n_values, kind, (int)length, items);
    n_values++;
}

enum { FIRST_INT = 60, LAST_INT = 80 };

/* "{2,3}": value FIRST_INT + n is the int n. */
static void int_list(const char *at)
{
    char items[100] = "";

    while (*at != '}' && at[1] != '}') {
        long number = strtol(at + 1, (char **)&at, 10);

        sprintf(items + strlen(items), "%s%ld", *items ? "," : "", FIRST_INT + number);
    }
    list("int_list", items, strlen(items));
}

/* Words of a call: tensors, "3" an int, "bool:0", "none", "{2,3}" a list of ints,
 * "t{0,1}" a list of the values of these numbers, "d{0.5}" a list of doubles. */
static void operands(const char *words, char *reads)
{
    const char *at = words;

    *reads = '\0';
    for (int i = 0; *at; i++) {
        size_t length = strcspn(at, " ");

        if (*at == '{')
            int_list(at);
        else if (*at == 't' && at[1] == '{')
            list("tensor_list", at + 2, length - 3);
        else if (*at == 'd' && at[1] == '{')
            list("double_list", at + 2, length - 3);
        else if (strchr("-0123456789", *at))
            int_value(atol(at));
        else
            value(at, length);
        sprintf(reads + strlen(reads), "%s%d", i ? " " : "", i);
        at += length + (at[length] == ' ');
    }
    while (n_values < LAST_INT)
        int_value(n_values - FIRST_INT);
}

struct sample {
    const char *op, *operands, *want;
    bool first_is_moved;
};

static void hold(const char *rule, const struct sample *sample)
{
    char reads[100], *last;

    rules_open_pte();
    n_values = 0;
    operands(sample->operands, reads);
    last = strrchr(reads, ' ') + 1;
    if (sample->first_is_moved)
        move(FIRST_INT, 0);
    call_op(sample->op, reads, "", last);
    expect(rule, sample->want);
    rules_close();
}

#define HOLD(rule, samples)                                                            \
    for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)                    \
        hold(rule, &samples[i]);

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
    n_values = 0;
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
