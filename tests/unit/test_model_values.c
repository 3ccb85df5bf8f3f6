/* Values of a store as columns of numbers. */
#include "unit/rules.h"

#include "graph/model_values.h"

static const struct dg_model_values *read_values(void)
{
    const struct dg_model_values *values;

    ck_assert_msg(!dg_model_values_read(&values, rules_store, &rules_err), "%s",
                  rules_err.text);
    return values;
}

static void expect_numbers(const struct dg_model_values *values, size_t row,
                           const int64_t *numbers, int64_t n)
{
    struct dg_numbers content = values->types[values->type_of[row - 1]].content;

    ck_assert_int_eq(content.n, n);
    for (int64_t i = 0; i < n; i++)
        ck_assert_int_eq(values->numbers[content.first + (size_t)i], numbers[i]);
}

START_TEST(values_of_one_dtype_and_shape_have_one_type)
{
    const struct dg_model_values *values;

    given_pt2();
    given("INSERT INTO value (graph_id, idx, kind, dtype, shape, nbytes) VALUES"
          " (1, 0, 'tensor', 'f32', '[2,3]', 24), (1, 1, 'tensor', 'f16', '[2,3]', 12),"
          " (1, 2, 'tensor', 'f32', '[2,3]', NULL), (1, 3, 'tensor', 'f32', '[]', 4),"
          " (1, 4, 'tensor', 'f32', NULL, NULL), (1, 5, 'sym_int', NULL, NULL, NULL)");
    values = read_values();
    ck_assert_uint_eq(values->n_rows, 6);
    ck_assert_uint_eq(values->n_types, 5);
    ck_assert_uint_eq(values->type_of[0], values->type_of[2]);
    ck_assert_int_eq(values->nbytes[0], 24);
    ck_assert_int_eq(values->nbytes[2], DG_NONE);
    expect_numbers(values, 1, (int64_t[]){2, 3}, 2);
    expect_numbers(values, 4, NULL, 0);
    expect_numbers(values, 5, NULL, -1);
    ck_assert_int_eq(values->types[values->type_of[5]].kind, DG_VALUE_SYM_INT);
    ck_assert_str_eq(values->types[values->type_of[1]].dtype->name, "f16");
    ck_assert_ptr_null(values->items);
}
END_TEST

START_TEST(symbolic_sizes_are_told_apart_and_are_no_numbers)
{
    const struct dg_model_values *values;

    given_pt2();
    given("INSERT INTO value (graph_id, idx, kind, dtype, shape) VALUES"
          " (1, 0, 'tensor', 'f32', '[2,\"Max(1, s0)\",\"2*s1\",5]'),"
          " (1, 1, 'tensor', 'f32', '[2,\"s0\",\"2*s1\",5]')");
    values = read_values();
    ck_assert_uint_eq(values->n_types, 2);
    ck_assert(values->types[0].symbolic);
    expect_numbers(values, 1, (int64_t[]){2, -1, -1, 5}, 4);
    expect_numbers(values, 2, (int64_t[]){2, -1, -1, 5}, 4);
}
END_TEST

START_TEST(a_pte_beside_a_pt2_has_items_of_its_own_values_only)
{
    const struct dg_model_values *values;

    given_pt2();
    given("INSERT INTO method (id, artifact_id, idx, name, ir) VALUES"
          " (2, 1, 1, 'other', 'pte');"
          "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
          "INSERT INTO value (graph_id, idx, kind, dtype, shape) VALUES"
          " (1, 0, 'tensor', 'f32', '[7]');"
          "INSERT INTO value (graph_id, idx, kind, dtype, shape, dim_order, items)"
          " VALUES (2, 0, 'tensor', 'f32', '[7]', '[0]', NULL),"
          " (2, 1, 'int_list', NULL, NULL, NULL, '[0,-1]'),"
          " (2, 2, 'double_list', NULL, NULL, NULL, '[\"inf\",1.5]')");
    values = read_values();
    ck_assert_ptr_null(dg_value_graph_of(values, 1));
    ck_assert_ptr_null(dg_value_graph_of(values, 3));
    ck_assert_uint_eq(dg_value_graph_of(values, 2)->first, 1);
    ck_assert_uint_eq(dg_value_graph_of(values, 2)->n, 3);
    ck_assert_uint_eq(values->type_of[0], values->type_of[1]);
    ck_assert_int_eq(values->items[0].id, 0);
    ck_assert_int_eq(values->items[1].id, 2);
    ck_assert_int_eq(values->items[1].order.n, 1);
    expect_numbers(values, 3, (int64_t[]){0, -1}, 2);
    ck_assert_int_eq(values->items[3].content.n, 2);
}
END_TEST

START_TEST(lists_that_are_no_lists_of_numbers_end)
{
    const struct dg_model_values *values;

    given_pt2();
    given("INSERT INTO value (graph_id, idx, kind, dtype, shape) VALUES"
          " (1, 0, 'tensor', 'f32', '[[1],[2]]'), (1, 1, 'tensor', 'f32', '[]]'),"
          " (1, 2, 'tensor', 'f32', '[\"s0\\\"]\",7]'),"
          " (1, 3, 'tensor', 'f32', '[\"s0]'), (1, 4, 'tensor', 'f32', '[,,]'),"
          " (1, 5, 'tensor', 'f32', '[\"\\]'), (1, 6, 'tensor', 'f32', '[ 3 , 4 ]')");
    values = read_values();
    expect_numbers(values, 2, NULL, 0);
    expect_numbers(values, 3, (int64_t[]){-1, 7}, 2);
    expect_numbers(values, 4, (int64_t[]){-1}, 1);
    expect_numbers(values, 7, (int64_t[]){3, 4}, 2);
    ck_assert_int_lt(values->n_numbers, 20);
}
END_TEST

START_TEST(ids_of_values_with_gaps_are_refused)
{
    const struct dg_model_values *values;

    given_pt2();
    given("INSERT INTO value (id, graph_id, idx, kind) VALUES (9000000000, 1, 0,"
          " 'int')");
    ck_assert_int_eq(dg_model_values_read(&values, rules_store, &rules_err),
                     DG_ERR_FORMAT);
}
END_TEST

Suite *model_values_suite(void)
{
    Suite *suite = suite_create("model_values");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, rules_open, rules_close);
    tcase_add_test(tcase, lists_that_are_no_lists_of_numbers_end);
    tcase_add_test(tcase, values_of_one_dtype_and_shape_have_one_type);
    tcase_add_test(tcase, symbolic_sizes_are_told_apart_and_are_no_numbers);
    tcase_add_test(tcase, a_pte_beside_a_pt2_has_items_of_its_own_values_only);
    tcase_add_test(tcase, ids_of_values_with_gaps_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
