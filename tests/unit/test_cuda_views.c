/* Copies of views: which could be views, and which a backend must not make views of. */
#include <stdio.h>

#include "unit/small_plan.h"

/* Copies of views are known by a flag of their operators. */
static void end_program(const char *outputs)
{
    plan_output(outputs);
    given("UPDATE op SET flags = 1 << 8 WHERE name LIKE '%copy.%'"
          " AND name NOT LIKE 'aten::copy%'");
}

static void given_slice_of(const char *spec)
{
    plan_input("base", spec);
    plan_input("x", "user_input");
    plan_call("aten::slice_copy.Tensor", "slice", "base", NULL);
}

static void expect_possible(const char *message)
{
    expect("cuda/view-unsafe", "");
    expect("cuda/view-copy-elidable", message);
}

#define ONE_POSSIBLE                                                                   \
    "note 1 of 1 copies of views could be views; that saves at least 0 bytes per run," \
    " most of them for slice\n"

START_TEST(view_copy_elidable_names_what_is_only_read)
{
    given_slice_of("parameter");
    plan_call("aten::mul.Tensor", "mul", "slice base", NULL);
    end_program("mul");
    expect_possible(ONE_POSSIBLE);
    expect_witness("[\"slice\"]");
}

START_TEST(view_copy_elidable_counts_a_returned_part_of_what_nobody_writes)
{
    given_slice_of("parameter");
    end_program("slice");
    expect_possible(ONE_POSSIBLE);
}

START_TEST(view_copy_elidable_adds_up_what_may_be_views_at_once)
{
    plan_input("base", "user_input");
    plan_input("x", "user_input");
    plan_call("aten::alias_copy.default", "a", "base", NULL);
    plan_call("aten::alias_copy.default", "b", "base", NULL);
    plan_call("aten::relu.default", "relu", "base", NULL);
    plan_call("aten::alias_copy.default", "c", "relu", NULL);
    plan_call("aten::alias_copy.default", "d", "relu", NULL);
    plan_call("aten::add_.Tensor", "add_", "c x", NULL);
    plan_call("aten::mul.Tensor", "mul", "a b", NULL);
    end_program("mul add_ d");
    given(
        "INSERT INTO value (id, graph_id, idx, kind, nbytes) VALUES (50, 1, 50, "
        "'tensor', 16), (51, 1, 51, 'tensor', 100);UPDATE node SET value_id = 50 WHERE "
        "name IN ('a', 'b', 'd');UPDATE node SET value_id = 51 WHERE name = 'c'");
    expect_possible("note 4 of 4 copies of views could be views, 3 of them at once; "
                    "that saves 48 bytes per run, most of them for c (100)\n");
    expect_witness("[\"a\",\"b\",\"d\",\"c\"]");
}

START_TEST(view_copy_elidable_accepts_a_copy_that_is_written)
{
    given_slice_of("parameter");
    plan_call("aten::add_.Tensor", "add_", "slice x", NULL);
    end_program("add_");
    expect("cuda/view-copy-elidable", "");
    expect("cuda/view-unsafe", "");
}

START_TEST(view_copy_elidable_names_a_written_copy_of_what_nobody_reads_again)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::slice_copy.Tensor", "slice", "relu", NULL);
    plan_call("aten::add_.Tensor", "add_", "slice x", NULL);
    end_program("add_");
    expect_possible(ONE_POSSIBLE);
}

START_TEST(view_copy_elidable_accepts_a_written_copy_with_elements_in_several_places)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::expand_copy.default", "expand", "relu", NULL);
    plan_call("aten::add_.Tensor", "add_", "expand x", NULL);
    end_program("add_");
    expect("cuda/view-copy-elidable", "");
}

START_TEST(view_copy_elidable_accepts_a_copy_that_a_view_needs_in_row_major_order)
{
    plan_input("x", "user_input");
    plan_call("aten::permute_copy.default", "permute", "x", NULL);
    plan_call("aten::relu.default", "relu", "permute", NULL);
    plan_call("aten::view.default", "view", "relu", NULL);
    end_program("view");
    expect("cuda/view-copy-elidable", "");
}

START_TEST(view_copy_elidable_accepts_what_an_unknown_operator_reads)
{
    given_slice_of("parameter");
    plan_call("demo::mystery.default", "mystery", "slice", NULL);
    plan_call("aten::mul.Tensor", "mul", "slice base", NULL);
    end_program("mul mystery");
    expect("cuda/view-copy-elidable", "");
    expect("cuda/view-unsafe", "note this copy would become a view of base: an "
                               "operator without schema may write either\n");
}

static void given_later_write(void)
{
    given_slice_of("buffer");
    plan_call("aten::add_.Tensor", "add_", "base x", NULL);
    plan_call("aten::mul.Tensor", "mul", "slice x", NULL);
    end_program("mul");
}

START_TEST(view_unsafe_reports_a_base_that_is_written_before_the_copy_is_read)
{
    given_later_write();
    expect("cuda/view-unsafe", "note this copy would become a view of base: add_ "
                               "writes base, and mul reads the view afterwards\n");
    expect_witness("[\"base\",\"slice\",\"add_\",\"mul\"]");
    expect("cuda/view-copy-elidable", "");
}

START_TEST(view_unsafe_is_an_error_in_a_partition_of_the_backend)
{
    given_later_write();
    plan_tag("aoti_0", "base slice add_ mul");
    expect("cuda/view-unsafe", "error this copy becomes a view of base in aoti_0: add_ "
                               "writes base, and mul reads the view afterwards\n");
}

START_TEST(view_unsafe_accepts_a_write_outside_of_the_partition)
{
    given_later_write();
    plan_tag("aoti_0", "slice mul");
    expect_possible("note 1 of 1 copies of views in aoti_0 could be views; that saves "
                    "at least 0 bytes per run, most of them for slice\n");
}

START_TEST(view_unsafe_reports_a_write_through_another_view)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::select_copy.int", "select", "relu", NULL);
    plan_call("aten::transpose.int", "t", "relu", NULL);
    plan_call("aten::copy_.default", "copy_", "t x", NULL);
    plan_call("aten::mul.Tensor", "mul", "select x", NULL);
    end_program("mul");
    expect("cuda/view-unsafe", "note this copy would become a view of relu: copy_ "
                               "writes relu, and mul reads the view afterwards\n");
}

/* Rows of the base, which has 4 of 6 elements: one copied, another written. */
static void given_rows(int copied)
{
    char sql[512];

    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::select_copy.int", "select", "relu", NULL);
    plan_call("aten::select.int", "row", "relu", NULL);
    plan_call("aten::add_.Tensor", "add_", "row x", NULL);
    end_program("select");
    snprintf(
        sql, sizeof(sql),
        "INSERT INTO value (id, graph_id, idx, kind, shape, strides, storage_offset)"
        " VALUES (60, 1, 60, 'tensor', '[4,6]', '[6,1]', 0),"
        "        (61, 1, 61, 'tensor', '[6]', '[1]', 12);"
        "UPDATE node SET value_id = 60 WHERE name = 'relu';"
        "UPDATE node SET value_id = 61 WHERE name = 'row';"
        "UPDATE node SET args = '[{\"name\":\"self\",\"tensor\":\"relu\"},"
        "{\"name\":\"dim\",\"int\":0},{\"name\":\"index\",\"int\":%d}]'"
        " WHERE name = 'select'",
        copied);
    given(sql);
}

START_TEST(view_unsafe_reports_a_write_to_the_same_row)
{
    given_rows(-2);
    expect(
        "cuda/view-unsafe",
        "note this copy would become a view of relu: add_ writes relu, and the caller"
        " reads the view afterwards\n");
}

START_TEST(view_unsafe_accepts_a_write_to_another_row)
{
    given_rows(1);
    expect("cuda/view-unsafe", "");
}

START_TEST(view_unsafe_accepts_a_write_before_the_copy)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::add_.Tensor", "add_", "relu x", NULL);
    plan_call("aten::slice_copy.Tensor", "slice", "relu", NULL);
    end_program("slice");
    expect_possible(ONE_POSSIBLE);
}

START_TEST(view_unsafe_reports_a_write_through_a_list)
{
    given_slice_of("parameter");
    plan_call("aten::_foreach_add_.Scalar", "each", "", "slice");
    plan_call("aten::mul.Tensor", "mul", "base x", NULL);
    end_program("slice mul");
    expect("cuda/view-unsafe",
           "note this copy would become a view of base: each writes the view, and the "
           "caller reads base afterwards\n");
}

START_TEST(view_unsafe_accepts_a_copy_that_the_pass_keeps)
{
    given_slice_of("parameter");
    plan_call("aten::add_.Tensor", "add_", "slice x", NULL);
    plan_call("aten::mul.Tensor", "mul", "base x", NULL);
    end_program("add_ mul");
    expect("cuda/view-unsafe", "");
    expect("cuda/view-copy-elidable", "");
}

START_TEST(view_unsafe_reports_a_returned_part_of_an_updated_buffer)
{
    given_slice_of("buffer");
    plan_call("aten::add.Tensor", "add", "base x", NULL);
    end_program("buffer=add slice");
    expect("cuda/view-unsafe",
           "note this copy would become a view of base: base gets its new value at the "
           "end, and the caller reads the view afterwards\n");
}

START_TEST(view_unsafe_accepts_a_part_of_an_updated_buffer_that_is_read_at_once)
{
    given_slice_of("buffer");
    plan_call("aten::add.Tensor", "add", "base x", NULL);
    plan_call("aten::mul.Tensor", "mul", "slice x", NULL);
    end_program("buffer=add mul");
    expect_possible(ONE_POSSIBLE);
}

static void given_updated_buffer(void)
{
    given_slice_of("buffer");
    plan_call("aten::add.Tensor", "add", "base x", NULL);
    end_program("buffer=add slice");
}

START_TEST(view_unsafe_reports_a_buffer_that_the_delegate_updates)
{
    given_updated_buffer();
    plan_tag("aoti_0", "base slice add");
    expect(
        "cuda/view-unsafe",
        "error this copy becomes a view of base in aoti_0: base gets its new value at"
        " the end, and the caller reads the view afterwards\n");
}

START_TEST(view_unsafe_accepts_a_buffer_that_the_host_updates)
{
    given_updated_buffer();
    plan_tag("aoti_0", "slice add");
    expect("cuda/view-unsafe", "");
}

START_TEST(view_unsafe_reports_a_returned_part_of_what_the_next_run_writes)
{
    plan_input("base", "buffer");
    plan_input("x", "user_input");
    plan_call("aten::add_.Tensor", "add_", "base x", NULL);
    plan_call("aten::slice_copy.Tensor", "slice", "base", NULL);
    end_program("slice");
    expect("cuda/view-unsafe", "note this copy would become a view of base: it is "
                               "returned, and the next run writes base\n");
}

START_TEST(view_unsafe_looks_at_the_items_of_a_list_of_copies)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::split_copy.Tensor", "split", "relu", NULL);
    plan_call("_operator.getitem", "item", "split", NULL);
    plan_call("aten::add_.Tensor", "add_", "item x", NULL);
    plan_call("aten::mul.Tensor", "mul", "relu x", NULL);
    end_program("mul add_");
    expect("cuda/view-unsafe", "note this copy would become a view of relu: add_ "
                               "writes the view, and mul reads relu afterwards\n");
}

/* Two rows of a buffer of four are returned; those from `start` on get a new value. */
static void given_returned_rows(int item, int start)
{
    plan_input("base", "buffer");
    plan_input("x", "user_input");
    plan_call("aten::split_copy.Tensor", "split", "base", NULL);
    plan_call("_operator.getitem", "item", "split", NULL);
    plan_call("aten::slice_scatter.default", "scatter", "base x", NULL);
    end_program("buffer=scatter item");
    given("UPDATE value SET shape = '[4,6]', strides = '[6,1]', storage_offset = 0"
          " WHERE name = 'base';"
          "UPDATE node SET args = '[{\"name\":\"self\",\"tensor\":\"base\"},"
          "{\"name\":\"split_size\",\"int\":2}]' WHERE name = 'split'");
    given_format("UPDATE node SET args = '[{\"name\":\"\",\"tensor\":\"split\"},"
                 "{\"name\":\"\",\"int\":%d}]' WHERE name = 'item';"
                 "UPDATE node SET args = '[{\"name\":\"self\",\"tensor\":\"base\"},"
                 "{\"name\":\"src\",\"tensor\":\"x\"},{\"name\":\"dim\",\"int\":0},"
                 "{\"name\":\"start\",\"int\":%d}]' WHERE name = 'scatter'",
                 item, start);
}

START_TEST(view_unsafe_reports_an_item_that_is_written_and_never_read)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::split_copy.Tensor", "split", "relu", NULL);
    plan_call("_operator.getitem", "item", "split", NULL);
    plan_call("aten::add_.Tensor", "add_", "item x", NULL);
    end_program("relu");
    given("UPDATE value SET shape = '[4,6]', strides = '[6,1]', storage_offset = 0"
          " WHERE name = 'relu';"
          "UPDATE node SET args = '[{\"name\":\"self\",\"tensor\":\"relu\"},"
          "{\"name\":\"split_size\",\"int\":2}]' WHERE name = 'split';"
          "UPDATE node SET args = '[{\"name\":\"\",\"tensor\":\"split\"},"
          "{\"name\":\"\",\"int\":0}]' WHERE name = 'item'");
    expect("cuda/view-unsafe",
           "note this copy would become a view of relu: add_ "
           "writes the view, and the caller reads relu afterwards\n");
}

START_TEST(view_unsafe_accepts_returned_rows_of_which_none_is_written)
{
    given_returned_rows(0, 2);
    expect("cuda/view-unsafe", "");
}

START_TEST(view_unsafe_reports_a_returned_row_that_is_written)
{
    static const char *written =
        "note this copy would become a view of base: base gets its new value at the"
        " end, and the caller reads the view afterwards\n";

    given_returned_rows(1, 2);
    expect("cuda/view-unsafe", written);
    rules_close();
    plan_open();
    given_returned_rows(0, 1);
    expect("cuda/view-unsafe", written);
}

/* The buffer gets its own value, which spares all rows: each is held to all links of
 * the program. */
START_TEST(view_unsafe_gives_up_on_too_many_returned_rows)
{
    plan_input("base", "buffer");
    plan_input("x", "user_input");
    plan_call("aten::split_copy.Tensor", "split", "base", NULL);
    plan_call("_operator.getitem", "item", "split", NULL);
    end_program("buffer=base item");
    given(
        "UPDATE value SET shape = '[4,6]', strides = '[6,1]', storage_offset = 0"
        " WHERE name = 'base';"
        "UPDATE node SET id = 100005, idx = 100004 WHERE kind = 'output';"
        "UPDATE edge SET dst = 100005 WHERE dst = 5;"
        "WITH RECURSIVE item(id) AS (VALUES (5) UNION ALL SELECT id + 1 FROM item"
        "  WHERE id < 100004) INSERT INTO node (id, graph_id, idx, name, kind, op_id,"
        "  args) SELECT item.id, 1, item.id - 1, 'item_' || item.id, kind, op_id, args"
        "  FROM item, node WHERE name = 'item';"
        "INSERT INTO edge SELECT id, 0, 3, NULL FROM node WHERE id BETWEEN 5 AND"
        " 100004;"
        "INSERT INTO edge SELECT 100005, id, id, NULL FROM node WHERE id BETWEEN 5 AND"
        " 100004");
    expect("cuda/view-unsafe",
           "note this copy would become a view of base: base gets its new value at the"
           " end, and the caller reads the view afterwards\n");
}

START_TEST(view_unsafe_accepts_a_write_to_the_other_result_of_a_tuple)
{
    plan_input("x", "user_input");
    plan_call("aten::max.dim", "max", "x", NULL);
    plan_call("_operator.getitem", "values", "max", NULL);
    plan_call("_operator.getitem", "indices", "max", NULL);
    plan_call("aten::slice_copy.Tensor", "slice", "values", NULL);
    plan_call("aten::add_.Tensor", "add_", "indices x", NULL);
    end_program("slice add_");
    expect_possible(ONE_POSSIBLE);
}

Suite *cuda_views_suite(void)
{
    Suite *suite = suite_create("cuda views");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, view_copy_elidable_names_what_is_only_read);
    tcase_add_test(all,
                   view_copy_elidable_counts_a_returned_part_of_what_nobody_writes);
    tcase_add_test(all, view_copy_elidable_adds_up_what_may_be_views_at_once);
    tcase_add_test(all, view_copy_elidable_accepts_a_copy_that_is_written);
    tcase_add_test(all,
                   view_copy_elidable_names_a_written_copy_of_what_nobody_reads_again);
    tcase_add_test(
        all, view_copy_elidable_accepts_a_written_copy_with_elements_in_several_places);
    tcase_add_test(
        all, view_copy_elidable_accepts_a_copy_that_a_view_needs_in_row_major_order);
    tcase_add_test(all, view_copy_elidable_accepts_what_an_unknown_operator_reads);
    tcase_add_test(all,
                   view_unsafe_reports_a_base_that_is_written_before_the_copy_is_read);
    tcase_add_test(all, view_unsafe_is_an_error_in_a_partition_of_the_backend);
    tcase_add_test(all, view_unsafe_accepts_a_write_outside_of_the_partition);
    tcase_add_test(all, view_unsafe_reports_a_write_through_another_view);
    tcase_add_test(all, view_unsafe_reports_a_write_to_the_same_row);
    tcase_add_test(all, view_unsafe_accepts_a_write_to_another_row);
    tcase_add_test(all, view_unsafe_accepts_a_write_before_the_copy);
    tcase_add_test(all, view_unsafe_reports_a_write_through_a_list);
    tcase_add_test(all, view_unsafe_accepts_a_copy_that_the_pass_keeps);
    tcase_add_test(all, view_unsafe_reports_a_returned_part_of_an_updated_buffer);
    tcase_add_test(
        all, view_unsafe_accepts_a_part_of_an_updated_buffer_that_is_read_at_once);
    tcase_add_test(all, view_unsafe_reports_a_buffer_that_the_delegate_updates);
    tcase_add_test(all, view_unsafe_accepts_a_buffer_that_the_host_updates);
    tcase_add_test(all,
                   view_unsafe_reports_a_returned_part_of_what_the_next_run_writes);
    tcase_add_test(all, view_unsafe_looks_at_the_items_of_a_list_of_copies);
    tcase_add_test(all, view_unsafe_reports_an_item_that_is_written_and_never_read);
    tcase_add_test(all, view_unsafe_accepts_returned_rows_of_which_none_is_written);
    tcase_add_test(all, view_unsafe_reports_a_returned_row_that_is_written);
    tcase_add_test(all, view_unsafe_gives_up_on_too_many_returned_rows);
    tcase_add_test(all, view_unsafe_accepts_a_write_to_the_other_result_of_a_tuple);
    suite_add_tcase(suite, all);
    return suite;
}
