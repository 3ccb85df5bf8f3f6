/* Costs of calls, and bounds of symbolic sizes. */
#include "unit/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ops.h"
#include "graph/cost.h"
#include "graph/cost_formula.h"
#include "graph/cost_inside.h"
#include "graph/size_bound.h"

/* A call of `op` on placeholders of these shapes, separated by spaces; f32. */
static struct dg_cost cost_of(const char *op, const char *shapes, const char *result,
                              const char *args)
{
    const struct dg_op *schema = dg_op_find(op, strlen(op));
    const struct dg_costs *costs;
    struct dg_cost cost;
    char sql[2048], *rest = NULL, *copy = strdup(shapes);
    int n = 0;

    given_pt2();
    for (char *shape = strtok_r(copy, " ", &rest); shape;
         shape = strtok_r(NULL, " ", &rest)) {
        n++;
        snprintf(sql, sizeof(sql),
                 "INSERT INTO value (id, graph_id, idx, kind, dtype, shape) VALUES"
                 " (%d, 1, %d, 'tensor', 'f32', '%s');"
                 "INSERT INTO node (id, graph_id, idx, name, kind, value_id) VALUES"
                 " (%d, 1, %d, 'x%d', 'placeholder', %d);"
                 "INSERT INTO edge VALUES (100, %d, %d, %d)",
                 n, n, shape, n, n, n, n, n - 1, n, n);
        given(sql);
    }
    snprintf(sql, sizeof(sql),
             "INSERT INTO value (id, graph_id, idx, kind, dtype, shape) VALUES"
             " (%d, 1, %d, 'tensor', 'f32', '%s');"
             "INSERT INTO op VALUES (1, '%s', 'aten', NULL, NULL, %u);"
             "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id, args)"
             " VALUES (%d, 1, %d, 'call', 'call_function', 1, %d, '%s');"
             "UPDATE edge SET dst = %d",
             n + 1, n + 1, result, op, schema ? schema->flags : 0, n + 1, n + 1, n + 1,
             args, n + 1);
    given(sql);
    ck_assert_msg(!dg_costs_read(&costs, rules_store, &rules_err), "%s",
                  rules_err.text);
    ck_assert_int_eq(costs->n_nodes, n + 1);
    cost = costs->nodes[n];
    free(copy);
    return cost;
}

START_TEST(a_linear_costs_two_flops_for_each_product)
{
    struct dg_cost cost =
        cost_of("aten::linear.default", "[2,3,4] [5,4] [5]", "[2,3,5]", "");

    ck_assert(dg_cost_counts(&cost));
    ck_assert_int_eq(cost.flops, 2 * 2 * 3 * 4 * 5);
    ck_assert_int_eq(cost.bytes, 4 * (24 + 20 + 5 + 30));
}

START_TEST(addmm_multiplies_its_second_and_third_operand)
{
    ck_assert_int_eq(
        cost_of("aten::addmm.default", "[7] [2,3] [3,7]", "[2,7]", "").flops,
        2 * 2 * 3 * 7);
}

START_TEST(a_grouped_convolution_meets_its_filter_at_each_output_place)
{
    ck_assert_int_eq(
        cost_of("aten::conv2d.default", "[2,4,8,8] [6,2,3,3]", "[2,6,6,6]", "").flops,
        2LL * 2 * (6 * 2 * 9) * (6 * 6));
}

START_TEST(a_transposed_convolution_meets_its_filter_at_each_input_place)
{
    ck_assert_int_eq(cost_of("aten::convolution.default", "[1,2,5] [2,3,4]", "[1,3,8]",
                             "[{\"name\":\"transposed\",\"bool\":true}]")
                         .flops,
                     2LL * (2 * 3 * 4) * 5);
}

START_TEST(a_convolution_of_the_edge_dialect_has_no_names_of_arguments)
{
    struct dg_cost cost =
        cost_of("aten::convolution.default", "[2,3,8,8] [8,3,3,3] [8]", "[2,8,8,8]",
                "[{\"name\":\"\"},{\"name\":\"\"},{\"name\":\"\"},{\"name\":\"\"},"
                "{\"name\":\"\"},{\"name\":\"\"},{\"name\":\"\",\"bool\":false}]");

    ck_assert_int_eq(cost.flops, 2 * 2 * 8 * 3 * 3 * 3 * 8 * 8);
}

START_TEST(a_convolution_that_does_not_say_which_it_is_has_unknown_flops)
{
    ck_assert_int_eq(
        cost_of("aten::convolution.default", "[1,2,5] [2,3,4]", "[1,3,8]", "not JSON")
            .flops,
        -1);
}

START_TEST(attention_is_two_products_of_matrices)
{
    ck_assert_int_eq(cost_of("aten::scaled_dot_product_attention.default",
                             "[2,6,5,8] [2,3,7,8] [2,3,7,9]", "[2,6,5,9]", "")
                         .flops,
                     2LL * 2 * 6 * 5 * 7 * (8 + 9));
}

START_TEST(pooling_costs_one_for_each_place_of_its_window)
{
    ck_assert_int_eq(cost_of("aten::max_pool2d.default", "[1,2,6,6]", "[1,2,2,2]",
                             "[{\"name\":\"kernel_size\",\"ints\":[3,2]}]")
                         .flops,
                     8 * 6);
}

START_TEST(operators_tagged_pointwise_cost_one_for_each_element_of_their_result)
{
    ck_assert_int_eq(cost_of("aten::add.Tensor", "[3,1] [1,4]", "[3,4]", "").flops, 12);
}

START_TEST(views_cost_nothing)
{
    ck_assert_int_eq(cost_of("aten::view.default", "[3,4]", "[12]", "").flops, 0);
}

START_TEST(an_operator_without_formula_has_unknown_flops)
{
    struct dg_cost cost = cost_of("demo::twice.default", "[3,4]", "[3,4]", "");

    ck_assert(dg_cost_counts(&cost));
    ck_assert_int_eq(cost.flops, -1);
    ck_assert_int_eq(cost.bytes, 96);
}

START_TEST(symbolic_sizes_count_with_their_upper_bounds)
{
    given("INSERT INTO range_constraint VALUES (1, 's0', 2, 10)");
    ck_assert_int_eq(
        cost_of("aten::relu.default", "[\"s0\",3]", "[\"2*s0 - 1\",3]", "").flops, 57);
}

START_TEST(symbolic_sizes_without_a_bound_are_unknown)
{
    struct dg_cost cost = cost_of("aten::relu.default", "[\"s0\"]", "[\"s0\"]", "");

    ck_assert_int_eq(cost.flops, -1);
    ck_assert_int_eq(cost.bytes, -1);
}

START_TEST(sizes_whose_product_does_not_fit_are_unknown)
{
    ck_assert_int_eq(cost_of("aten::relu.default", "[4294967296,4294967296]",
                             "[4294967296,4294967296]", "")
                         .flops,
                     -1);
}

START_TEST(a_tensor_that_is_read_twice_is_one_transfer)
{
    int64_t bytes;

    given_pt2();
    given("INSERT INTO op VALUES (1, 'aten::mul.Tensor', 'aten', NULL, NULL, 4);"
          "INSERT INTO value (id, graph_id, idx, kind, dtype, shape) VALUES"
          " (1, 1, 0, 'tensor', 'f32', '[8]'), (2, 1, 1, 'tensor', 'f32', '[8]');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id) VALUES"
          " (1, 1, 0, 'x', 'placeholder', NULL, 1), (2, 1, 1, 'm', 'call_function', 1, "
          "2);"
          "INSERT INTO edge VALUES (2, 0, 1, 1), (2, 1, 1, 1)");
    ck_assert(!dg_costs_store(rules_store, &rules_err));
    ck_assert(
        !dg_store_int(rules_store, "SELECT bytes FROM cost", -1, &bytes, &rules_err));
    ck_assert_int_eq(bytes, 64);
}

START_TEST(costs_that_are_stored_are_read_and_not_found_again)
{
    const struct dg_costs *costs;

    given_pte();
    given("INSERT INTO op VALUES (1, 'aten::bmm.out', 'aten', NULL, NULL, 0);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (1, 1, 0, 'op_0', 'kernel_call', 1), (2, 1, 1, 'op_1', 'kernel_call', 1);"
          "INSERT INTO cost VALUES (2, 7, NULL), (5, 1, 1)");
    ck_assert(!dg_costs_read(&costs, rules_store, &rules_err));
    ck_assert_int_eq(costs->n_nodes, 2);
    ck_assert(!dg_cost_counts(&costs->nodes[0]));
    ck_assert(dg_cost_counts(&costs->nodes[1]));
    ck_assert_int_eq(costs->nodes[1].flops, 7);
    ck_assert_int_eq(costs->nodes[1].bytes, -1);
}

START_TEST(kernels_of_a_pte_cost_what_their_operands_say)
{
    const struct dg_costs *costs;

    given_pte();
    given("INSERT INTO op VALUES (1, 'aten::bmm.out', 'aten', NULL, NULL, 0);"
          "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, nbytes) VALUES"
          " (1, 1, 0, 'tensor', 'f32', '[2,3,4]', 96),"
          " (2, 1, 1, 'tensor', 'f32', '[2,4,5]', 160),"
          " (3, 1, 2, 'tensor', 'f32', '[2,3,5]', 120);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (1, 1, 0, 'op_0', 'kernel_call', 1), (2, 1, 1, 'op_1', 'delegate_call', "
          "NULL);"
          "INSERT INTO operand VALUES (1, 0, 0, 1, 'read'), (1, 1, 1, 2, 'read'),"
          " (1, 2, 2, 3, 'write'), (2, 0, 2, 3, 'read')");
    ck_assert(!dg_costs_read(&costs, rules_store, &rules_err));
    ck_assert_int_eq(costs->nodes[0].flops, 2 * 2 * 3 * 4 * 5);
    ck_assert_int_eq(costs->nodes[0].bytes, 96 + 160 + 120);
    ck_assert(dg_cost_counts(&costs->nodes[1]));
    ck_assert_int_eq(costs->nodes[1].flops, -1);
}

START_TEST(the_table_is_sorted_and_names_operators_that_exist)
{
    static const char *const ops[] = {
#define COST(op, formula, n, argument, source) op,
#include "graph/cost.def"
#undef COST
    };

    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        const struct dg_cost_rule *rule = dg_cost_rule(dg_text(ops[i]), 0);

        ck_assert_msg(!i || strcmp(ops[i - 1], ops[i]) < 0, "%s", ops[i]);
        ck_assert_msg(rule && !strcmp(rule->op, ops[i]), "%s", ops[i]);
        ck_assert_msg(*rule->source, "%s", ops[i]);
    }
}

START_TEST(in_place_and_out_variants_cost_what_the_plain_one_does)
{
    ck_assert_str_eq(dg_cost_rule(dg_text("aten::index_put_"), 0)->op,
                     "aten::index_put");
    ck_assert_str_eq(dg_cost_rule(dg_text("aten::addmm.out"), 0)->op, "aten::addmm");
    ck_assert_ptr_null(dg_cost_rule(dg_text("aten::sort.stable"), 0));
    ck_assert_ptr_null(dg_cost_rule(dg_text("aten::mm_of_mine"), 0));
    ck_assert_ptr_null(dg_cost_rule((struct dg_text){"aten::mm\0, and far on", 21}, 0));
}

START_TEST(bounds_follow_the_arithmetic_of_intervals)
{
    const struct dg_range items[] = {
        {{"s0", 2}, 2, 10}, {{"s1", 2}, 0, INFINITY}, {{"s2 + s3", 7}, 0, 7}};
    const struct dg_ranges ranges = {items, 3};
    static const struct {
        const char *text;
        int64_t most;
    } cases[] = {
        {"12", 12},
        {"s0", 10},
        {"s1", -1},
        {"s9", -1},
        {"2*s0 + 1", 21},
        {"s0 - 1", 9},
        {"100 - s0", 98},
        {"(((s0 + 5))//2) + 1", 8},
        {"s0**2", 100},
        {"Max(3, s0, 12)", 12},
        {"Min(3, s1)", 3},
        {"Mod(s1, 4)", 3},
        {"s0 % 3", 2},
        {"-s0 + 12", 10},
        {"s2 + s3", 7},
        {"s0 - 20", -1},
        {"s0 / 0", -1},
        {"s0 +", -1},
        {"(s0", -1},
        {"s0)", -1},
        {"s0 s0", -1},
        {"Foo(s0)", -1},
        {"(s0, 1)", -1},
        {"", -1},
        {"s0**s0**s0**s0", -1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        ck_assert_msg(dg_upper_bound(&ranges, dg_text(cases[i].text)) == cases[i].most,
                      "%s", cases[i].text);
}

START_TEST(an_expression_that_is_too_deep_has_no_bound)
{
    char deep[1001];

    memset(deep, '(', 1000);
    deep[1000] = '\0';
    ck_assert_int_eq(dg_upper_bound(&(struct dg_ranges){0}, dg_text(deep)), -1);
}

/* A node of a delegate's graph, with its operands as "[1,4] [3,4]". */
static int64_t flops_inside(const char *format, const char *op, const char *args,
                            const char *shapes, const char *result)
{
    struct dg_arena memory = {0};
    struct dg_inside_cost *costs;
    char *rest = NULL, *copy = strdup(shapes);
    int64_t flops;
    size_t n;
    int i = 1;

    rules_close();
    rules_open_pte();
    given_format(
        "INSERT INTO delegate_graph VALUES (1, 1, 'delegate_0', 'delegate',"
        " '%s', '{}');"
        "INSERT INTO delegate_node VALUES (1, 1, 0, 'n', '%s', '%s', 0, NULL,"
        " NULL, NULL);"
        "INSERT INTO delegate_value (id, graph_id, idx, datatype, shape, flags)"
        " VALUES (1, 1, 0, 'x', '%s', 0);"
        "INSERT INTO " DELEGATE_OPERAND " VALUES (1, 99, 'out', 0, 1, 'write')",
        format, op, args, result);
    for (char *shape = strtok_r(copy, " ", &rest); shape;
         shape = strtok_r(NULL, " ", &rest)) {
        i++;
        given_format("INSERT INTO delegate_value (id, graph_id, idx, datatype, shape,"
                     " flags) VALUES (%d, 1, %d, 'x', '%s', 0);"
                     "INSERT INTO " DELEGATE_OPERAND
                     " VALUES (1, %d, 'in', %d, %d, 'read')",
                     i, i, shape, i, i, i);
    }
    ck_assert_msg(!dg_inside_costs(&costs, &n, &memory, rules_store, &rules_err), "%s",
                  rules_err.text);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(costs[1].nodes, 1);
    flops = costs[1].flops;
    dg_arena_clear(&memory);
    free(copy);
    return flops;
}

START_TEST(a_node_inside_costs_what_the_operator_costs_that_it_stands_for)
{
    ck_assert_int_eq(
        flops_inside("xnnpack", "FullyConnected", "{}", "[2,4] [5,4] [5]", "[2,5]"),
        2 * 2 * 4 * 5);
    ck_assert_int_eq(flops_inside("xnnpack", "MaxPooling2d",
                                  "{\"pooling_height\":3,\"pooling_width\":2}",
                                  "[1,8,8,4]", "[1,4,4,4]"),
                     3 * 2 * 4 * 4 * 4);
    ck_assert_int_eq(
        flops_inside("native", "aten::mul.Tensor", "{}", "[2,3] [3]", "[2,3]"), 6);
}

#define KIND(name, ...) #name,
static const char *const kinds_of_nodes[] = {
#include "kernels/xnnpack/list.h"
};

START_TEST(the_flops_of_every_kind_of_xnnpack_node_are_known)
{
    for (size_t i = 0; i < sizeof(kinds_of_nodes) / sizeof(*kinds_of_nodes); i++)
        ck_assert_msg(flops_inside("xnnpack", kinds_of_nodes[i],
                                   "{\"pooling_height\":1,\"pooling_width\":1}",
                                   "[1,4,4,4] [4,1,1,4] [4]", "[1,4,4,4]") >= 0,
                      "%s", kinds_of_nodes[i]);
}

START_TEST(a_node_of_vulkan_has_its_arguments_by_position)
{
    ck_assert_int_eq(
        flops_inside("vulkan", "aten.convolution.default",
                     "{\"arg3\":[1,1],\"arg6\":false,\"arg7\":[0,0],\"arg8\":1}",
                     "[1,3,4,4] [6,3,3,3] [6]", "[1,6,4,4]"),
        2 * 6 * 3 * 3 * 3 * 4 * 4);
    ck_assert_int_eq(flops_inside("vulkan", "aten.convolution.default",
                                  "{\"arg6\":true}", "[1,3,4,4] [3,6,2,2]",
                                  "[1,6,8,8]"),
                     2 * 3 * 6 * 2 * 2 * 4 * 4);
    ck_assert_int_eq(flops_inside("vulkan", "aten.max_pool2d.default",
                                  "{\"arg1\":[3,2],\"arg2\":[2,2]}", "[1,3,8,8]",
                                  "[1,3,4,4]"),
                     3 * 2 * 3 * 4 * 4);
}

START_TEST(a_node_of_tosa_has_images_whose_channels_are_last)
{
    ck_assert_int_eq(
        flops_inside("tosa", "CONV2D", "{}", "[1,5,7,3] [6,2,2,3] [6]", "[1,4,6,6]"),
        2 * 6 * 2 * 2 * 3 * 4 * 6);
    ck_assert_int_eq(flops_inside("tosa", "DEPTHWISE_CONV2D", "{}",
                                  "[1,5,7,3] [2,2,3,1] [3]", "[1,4,6,3]"),
                     2 * 2 * 2 * 3 * 4 * 6);
    ck_assert_int_eq(flops_inside("tosa", "AVG_POOL2D", "{\"kernel\":[2,3]}",
                                  "[1,4,6,5]", "[1,2,2,5]"),
                     2 * 3 * 2 * 2 * 5);
    ck_assert_int_eq(flops_inside("tosa", "MATMUL", "{}", "[2,3,4] [2,4,5]", "[2,3,5]"),
                     2 * 2 * 3 * 4 * 5);
    ck_assert_int_eq(flops_inside("tosa", "CONST", "{}", "", "[5]"), 0);
}

START_TEST(what_a_node_inside_costs_is_not_known_where_its_kind_is_not)
{
    ck_assert_int_eq(flops_inside("tosa", "FFT2D", "{}", "[1,4,4]", "[1,4,4]"), -1);
    ck_assert_int_eq(flops_inside("mlx", "AddNode", "{}", "[1,4]", "[1,4]"), -1);
    ck_assert_int_eq(flops_inside("tosa", "AVG_POOL2D", "{\"kernel\":\"x\"}",
                                  "[1,4,6,5]", "[1,2,2,5]"),
                     -1);
    ck_assert_int_eq(flops_inside("vulkan", "", "{}", "[1]", "[1]"), -1);
}

Suite *cost_suite(void)
{
    Suite *suite = suite_create("cost");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, a_linear_costs_two_flops_for_each_product);
    tcase_add_test(all, addmm_multiplies_its_second_and_third_operand);
    tcase_add_test(all, a_convolution_of_the_edge_dialect_has_no_names_of_arguments);
    tcase_add_test(all, a_grouped_convolution_meets_its_filter_at_each_output_place);
    tcase_add_test(all, a_transposed_convolution_meets_its_filter_at_each_input_place);
    tcase_add_test(all, a_convolution_that_does_not_say_which_it_is_has_unknown_flops);
    tcase_add_test(all, attention_is_two_products_of_matrices);
    tcase_add_test(all, pooling_costs_one_for_each_place_of_its_window);
    tcase_add_test(
        all, operators_tagged_pointwise_cost_one_for_each_element_of_their_result);
    tcase_add_test(all, views_cost_nothing);
    tcase_add_test(all, an_operator_without_formula_has_unknown_flops);
    tcase_add_test(all, symbolic_sizes_count_with_their_upper_bounds);
    tcase_add_test(all, symbolic_sizes_without_a_bound_are_unknown);
    tcase_add_test(all, sizes_whose_product_does_not_fit_are_unknown);
    tcase_add_test(all, a_tensor_that_is_read_twice_is_one_transfer);
    tcase_add_test(all, costs_that_are_stored_are_read_and_not_found_again);
    tcase_add_test(all, kernels_of_a_pte_cost_what_their_operands_say);
    tcase_add_test(all, the_table_is_sorted_and_names_operators_that_exist);
    tcase_add_test(all, in_place_and_out_variants_cost_what_the_plain_one_does);
    tcase_add_test(all, bounds_follow_the_arithmetic_of_intervals);
    tcase_add_test(all, an_expression_that_is_too_deep_has_no_bound);
    tcase_add_test(all, a_node_inside_costs_what_the_operator_costs_that_it_stands_for);
    tcase_add_test(all, the_flops_of_every_kind_of_xnnpack_node_are_known);
    tcase_add_test(all, a_node_of_vulkan_has_its_arguments_by_position);
    tcase_add_test(all, a_node_of_tosa_has_images_whose_channels_are_last);
    tcase_add_test(all, what_a_node_inside_costs_is_not_known_where_its_kind_is_not);
    suite_add_tcase(suite, all);
    return suite;
}
