/* Rules about lists, sizes and dim orders of values, against small tables of values. */
#include "unit/rules.h"

#include <stdio.h>

/* A tensor, an int, null, and a list of each kind. */
static void given_values(void)
{
    rules_open_pte();
    tensor(0, 0, 24);
    given("UPDATE value SET shape = '[2,3]', dim_order = '[0,1]', dynamism = 'static',"
          " layout = 'strided', storage_offset = 0;"
          "INSERT INTO value (id, graph_id, idx, kind, scalar, items) VALUES"
          " (2, 1, 1, 'int', 5, NULL), (3, 1, 2, 'null', NULL, NULL),"
          " (4, 1, 3, 'int_list', NULL, '[1,1]'),"
          " (5, 1, 4, 'tensor_list', NULL, '[0]'),"
          " (6, 1, 5, 'optional_tensor_list', NULL, '[-1,2,0]'),"
          " (7, 1, 6, 'double_list', NULL, '[0.5,99.0]'),"
          " (8, 1, 7, 'string', '', NULL), (9, 1, 8, 'tensor_list', NULL, '[]')");
}

static void given_tensor(const char *shape, const char *dim_order)
{
    char sql[160];

    snprintf(sql, sizeof(sql),
             "UPDATE value SET shape = '%s', dim_order = %s WHERE id = 1", shape,
             dim_order);
    given(sql);
}

START_TEST(value_rules_accept_sound_lists_and_tensors)
{
    expect("value/list-present", "");
    expect("value/int-list-item", "");
    expect("value/tensor-list-item", "");
    expect("value/optional-list-item", "");
    expect("value/list-forward-ref", "");
    expect("value/rank", "");
    expect("value/dim-order-length", "");
    expect("value/dim-order-permutation", "");
    expect("value/dim-order-canonical", "");
    expect("value/storage-offset", "");
    expect("value/dynamism", "");
    expect("value/layout-strided", "");
}

START_TEST(value_list_present_reports_lists_and_strings_without_content)
{
    given("UPDATE value SET items = NULL, scalar = NULL WHERE idx IN (3, 6, 7)");
    expect("value/list-present", "error value 3 is an int list without items\n"
                                 "error value 6 is a double list without items\n"
                                 "error value 7 is a string without text\n");
}

START_TEST(value_int_list_item_reports_what_is_no_int)
{
    given("UPDATE value SET items = '[1,0,9,-1]' WHERE idx = 3");
    expect("value/int-list-item",
           "error item 1 of value 3, an int list, is value 0, a tensor; expected an"
           " int\n"
           "error item 2 of value 3, an int list, is value 9; the method has 9 values\n"
           "error item 3 of value 3, an int list, is value -1; the method has 9"
           " values\n");
    expect("value/tensor-list-item", "");
}

START_TEST(value_int_list_item_accepts_ints_behind_the_list)
{
    given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
          " (10, 1, 9, 'int', 5);"
          "UPDATE value SET items = '[9]' WHERE idx = 3");
    expect("value/int-list-item", "");
    expect("value/list-forward-ref", "");
}

START_TEST(value_tensor_list_item_reports_what_is_no_tensor)
{
    given("UPDATE value SET items = '[0,2]' WHERE idx = 4;"
          "UPDATE value SET items = '[8]' WHERE idx = 8");
    expect("value/tensor-list-item",
           "error item 1 of value 4, a tensor list, is value 2, a null; expected a"
           " tensor\n"
           "error item 0 of value 8, a tensor list, is value 8, a tensor list; expected"
           " a tensor\n");
}

START_TEST(value_optional_list_item_reports_what_is_no_tensor)
{
    given("UPDATE value SET items = '[-2,1]' WHERE idx = 5");
    expect("value/optional-list-item",
           "error item 0 of value 5, an optional tensor list, is value -2; the method"
           " has 9 values\n"
           "error item 1 of value 5, an optional tensor list, is value 1, an int;"
           " expected a tensor, null or -1\n");
}

START_TEST(value_list_forward_ref_reports_a_tensor_behind_its_list)
{
    tensor(9, 0, 24);
    given("UPDATE value SET items = '[0,9]' WHERE idx = 4");
    expect("value/list-forward-ref",
           "error item 1 of value 4, a tensor list, is value 9, which is set up after"
           " it\n");
    expect("value/tensor-list-item", "");
}

START_TEST(value_rank_accepts_16_dimensions)
{
    given_tensor("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
                 "'[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]'");
    expect("value/rank", "");
    expect("value/dim-order-permutation", "");
    expect("value/dim-order-canonical", "");
}

START_TEST(value_rank_reports_17_dimensions)
{
    given_tensor("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
                 "'[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]'");
    expect("value/rank", "error value 0 has 17 dimensions; at most 16 are possible\n");
}

START_TEST(value_dim_order_length_accepts_a_scalar)
{
    given_tensor("[]", "'[]'");
    expect("value/dim-order-length", "");
}

START_TEST(value_dim_order_length_reports_another_number)
{
    given_tensor("[2,3]", "'[0]'");
    expect("value/dim-order-length",
           "error value 0 has 2 sizes, [2,3], and a dim_order of 1, [0]\n");
    expect("value/dim-order-permutation", "");
    given_tensor("[]", "NULL");
    expect("value/dim-order-length", "error value 0 has sizes [] and no dim_order\n");
}

START_TEST(value_dim_order_permutation_reports_a_dimension_named_twice)
{
    given_tensor("[2,3,4]", "'[0,0,1]'");
    expect("value/dim-order-permutation",
           "error value 0 has dim_order [0,0,1]; expected a permutation of 0..2\n");
    given_tensor("[2,3,4]", "'[0,1,3]'");
    expect("value/dim-order-permutation",
           "error value 0 has dim_order [0,1,3]; expected a permutation of 0..2\n");
    expect("value/dim-order-canonical", "");
}

START_TEST(value_dim_order_canonical_accepts_channels_last)
{
    given_tensor("[2,3,4,5]", "'[0,2,3,1]'");
    expect("value/dim-order-canonical", "");
    given_tensor("[2,3,4,5,6]", "'[0,2,3,4,1]'");
    expect("value/dim-order-canonical", "");
}

START_TEST(value_dim_order_canonical_reports_another_order)
{
    given_tensor("[8,1,3,3]", "'[0,2,1,3]'");
    expect("value/dim-order-canonical",
           "warning value 0, sizes [8,1,3,3], has dim_order [0,2,1,3]; expected"
           " [0,1,2,3] or [0,2,3,1]\n");
    given_tensor("[2,3]", "'[1,0]'");
    expect("value/dim-order-canonical",
           "warning value 0, sizes [2,3], has dim_order [1,0]; expected"
           " [0,1]\n");
}

START_TEST(value_dim_order_canonical_only_notes_what_a_kernel_writes)
{
    given_tensor("[5,1]", "'[1,0]'");
    call_op("aten::nonzero.out", "", "", "0");
    expect("value/dim-order-canonical",
           "note value 0, sizes [5,1], has dim_order [1,0]; expected [0,1]\n");
}

START_TEST(value_storage_offset_reports_a_view)
{
    given("UPDATE value SET storage_offset = 4 WHERE id = 1");
    expect("value/storage-offset", "error value 0 has storage_offset 4; expected 0\n");
}

START_TEST(value_dynamism_accepts_bounded_sizes)
{
    given("UPDATE value SET dynamism = 'bounded' WHERE id = 1");
    expect("value/dynamism", "");
}

START_TEST(value_dynamism_reports_unbounded_sizes)
{
    given("UPDATE value SET dynamism = 'unbounded' WHERE id = 1");
    expect("value/dynamism", "error value 0, sizes [2,3], is unbounded; expected static"
                             " or bounded sizes\n");
}

START_TEST(value_layout_strided_reports_a_sparse_tensor)
{
    given("UPDATE value SET layout = 'sparse_coo' WHERE id = 1");
    expect("value/layout-strided",
           "note value 0 has layout sparse_coo; expected strided\n");
}

START_TEST(value_rules_look_at_each_method)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'other', 'pte', NULL, NULL);"
          "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
          "INSERT INTO value (id, graph_id, idx, kind, items) VALUES"
          " (10, 2, 0, 'int', NULL), (11, 2, 1, 'int_list', '[0,3]')");
    expect("value/int-list-item",
           "error item 1 of value 1, an int list, is value 3; the method has 2"
           " values\n");
}

Suite *value_rules_lists_suite(void)
{
    Suite *suite = suite_create("value rules lists");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, given_values, rules_close);
    tcase_add_test(all, value_rules_accept_sound_lists_and_tensors);
    tcase_add_test(all, value_list_present_reports_lists_and_strings_without_content);
    tcase_add_test(all, value_int_list_item_reports_what_is_no_int);
    tcase_add_test(all, value_int_list_item_accepts_ints_behind_the_list);
    tcase_add_test(all, value_tensor_list_item_reports_what_is_no_tensor);
    tcase_add_test(all, value_optional_list_item_reports_what_is_no_tensor);
    tcase_add_test(all, value_list_forward_ref_reports_a_tensor_behind_its_list);
    tcase_add_test(all, value_rank_accepts_16_dimensions);
    tcase_add_test(all, value_rank_reports_17_dimensions);
    tcase_add_test(all, value_dim_order_length_accepts_a_scalar);
    tcase_add_test(all, value_dim_order_length_reports_another_number);
    tcase_add_test(all, value_dim_order_permutation_reports_a_dimension_named_twice);
    tcase_add_test(all, value_dim_order_canonical_accepts_channels_last);
    tcase_add_test(all, value_dim_order_canonical_reports_another_order);
    tcase_add_test(all, value_dim_order_canonical_only_notes_what_a_kernel_writes);
    tcase_add_test(all, value_storage_offset_reports_a_view);
    tcase_add_test(all, value_dynamism_accepts_bounded_sizes);
    tcase_add_test(all, value_dynamism_reports_unbounded_sizes);
    tcase_add_test(all, value_layout_strided_reports_a_sparse_tensor);
    tcase_add_test(all, value_rules_look_at_each_method);
    suite_add_tcase(suite, all);
    return suite;
}
