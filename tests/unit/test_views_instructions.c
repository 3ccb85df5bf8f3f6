/* What pictures tell of the instructions of a .pte: weights, state, outputs. */
#include "unit/view_case.h"

static void value(int idx, const char *columns, const char *values)
{
    given_format("INSERT INTO value (id, graph_id, idx, device, name, %s)"
                 " VALUES (%d, 1, %d, 'cpu', 'v%d', %s)",
                 columns, idx + 1, idx, idx, values);
}

static void stored(int idx, const char *values)
{
    value(idx, "kind, dtype, shape, nbytes, storage", values);
}

static size_t n_links_to(const char *name)
{
    size_t box = box_called(name), n = 0;

    for (size_t i = 0; i < view_picture.n_links; i++)
        n += view_picture.links[i].to == box;
    return n;
}

static void begin(void)
{
    rules_open_pte();
    tensor(0, 0, 16);
    goes_in(0);
}

START_TEST(weights_of_another_file_are_lines_of_what_reads_them)
{
    begin();
    stored(1, "'tensor', 'f32', '[4]', 16, 'external'");
    tensor(2, 16, 16);
    comes_out(2);
    call("0 1", "2");
    draw_view(&dg_view_graph);
    ck_assert(box_says("op_0", "v1 f32[4]"));
    link_between("input 0", "op_0");
    link_between("op_0", "output 0");
    erase_view();
}

START_TEST(state_that_is_written_in_place_is_told)
{
    begin();
    stored(1, "'tensor', 'f32', '[4]', 16, 'mutable'");
    call_op("aten::copy_", "0", "1", "");
    given("UPDATE node SET value_id = 2");
    draw_view(&dg_view_graph);
    ck_assert(box_says("op_0", "v1 f32[4]"));
    erase_view();
}

START_TEST(state_that_is_written_in_place_is_a_weight)
{
    begin();
    stored(1, "'tensor', 'f32', '[4]', 16, 'mutable'");
    call_op("aten::copy_", "0", "1", "");
    given("UPDATE node SET value_id = 2");
    draw_view(&dg_view_partitions);
    ck_assert(box_says("host", "weights 16 B"));
    erase_view();
}

START_TEST(an_output_in_a_list_comes_from_what_fills_the_list)
{
    begin();
    value(1, "kind, items", "'tensor_list', '[2,3]'");
    tensor(2, 16, 16);
    tensor(3, 32, 16);
    comes_out(2);
    comes_out(3);
    call("0", "1");
    draw_view(&dg_view_graph);
    link_between("op_0", "output 0");
    link_between("op_0", "output 1");
    erase_view();
}

START_TEST(branches_give_an_output_side_by_side)
{
    begin();
    for (int i = 1; i < 4; i++)
        tensor(i, 16 * i, 16);
    comes_out(3);
    call("0", "3");
    jump(0, 4);
    move(1, 3);
    jump(0, 5);
    move(2, 3);
    draw_view(&dg_view_graph);
    link_between("op_0", "output 0");
    link_between("op_2", "output 0");
    link_between("op_4", "output 0");
    ck_assert_uint_eq(n_links_to("output 0"), 3);
    erase_view();
}

START_TEST(a_write_replaces_what_was_written_to_an_output)
{
    begin();
    tensor(1, 16, 16);
    tensor(2, 16, 16);
    comes_out(2);
    call("0", "1");
    call("0", "2");
    draw_view(&dg_view_graph);
    link_between("op_1", "output 0");
    ck_assert_uint_eq(n_links_to("output 0"), 1);
    erase_view();
}

START_TEST(an_output_shows_its_number_where_nothing_makes_it)
{
    begin();
    value(1, "kind, scalar", "'int', 7");
    value(2, "kind, scalar", "'int', 0");
    comes_out(1);
    comes_out(2);
    call("0", "2");
    draw_view(&dg_view_graph);
    ck_assert_str_eq(view_picture.boxes[box_called("output 0")].value.data, "7");
    ck_assert_ptr_null(view_picture.boxes[box_called("output 1")].value.data);
    erase_view();
}

Suite *views_instructions_suite(void)
{
    Suite *suite = suite_create("views_instructions");
    TCase *tests = tcase_create("tests");

    tcase_add_test(tests, weights_of_another_file_are_lines_of_what_reads_them);
    tcase_add_test(tests, state_that_is_written_in_place_is_told);
    tcase_add_test(tests, state_that_is_written_in_place_is_a_weight);
    tcase_add_test(tests, an_output_in_a_list_comes_from_what_fills_the_list);
    tcase_add_test(tests, branches_give_an_output_side_by_side);
    tcase_add_test(tests, a_write_replaces_what_was_written_to_an_output);
    tcase_add_test(tests, an_output_shows_its_number_where_nothing_makes_it);
    suite_add_tcase(suite, tests);
    return suite;
}
