/* Views of a few nodes: calls in a column, one node, one finding. */
#include <stdio.h>

#include "unit/small_plan.h"
#include "unit/view_case.h"

static size_t n_drawn(void)
{
    size_t n = 0;

    for (size_t i = 0; i < view_picture.n_boxes; i++)
        n += view_picture.boxes[i].drawn;
    return n;
}

/* x -> relu -> sin -> cos -> add, which reads relu, too */
static void given_loop(void)
{
    plan_open();
    plan_program_loop();
}

START_TEST(calls_are_a_column_in_the_order_in_which_they_run)
{
    given_loop();
    draw_view(&dg_view_calls);
    ck_assert_int_eq(link_between("relu", "sin")->kind, DG_LINK_NEXT);
    ck_assert_int_eq(link_between("sin", "cos")->kind, DG_LINK_NEXT);
    ck_assert_int_eq(link_between("cos", "add")->kind, DG_LINK_NEXT);
    ck_assert_uint_eq(count_drawn(DG_BOX_CALL), 4);
    ck_assert_uint_eq(count_drawn(DG_BOX_INPUT), 1);
    ck_assert_uint_eq(count_drawn(DG_BOX_OUTPUT), 1);
    erase_view();
}

START_TEST(a_jump_leads_to_the_instruction_that_it_names)
{
    rules_open_pte();
    for (int i = 0; i < 3; i++)
        tensor(i, 16 * i, 16);
    goes_in(0);
    jump(0, 3);
    call_op("aten::mm.out", "0", "", "1");
    move(1, 2);
    call_op("aten::relu.out", "0", "", "2");
    comes_out(2);
    draw_view(&dg_view_calls);
    ck_assert_uint_eq(count_drawn(DG_BOX_JUMP), 1);
    ck_assert_uint_eq(count_drawn(DG_BOX_MOVE), 1);
    ck_assert_str_eq(link_between("op_0", "op_3")->label.data, "false");
    ck_assert_str_eq(link_between("op_0", "op_1")->label.data, "true");
    erase_view();
}

START_TEST(a_jump_out_of_the_method_leads_nowhere)
{
    rules_open_pte();
    tensor(0, 0, 16);
    goes_in(0);
    jump(0, 99);
    call_op("aten::relu.out", "0", "", "0");
    draw_view(&dg_view_calls);
    for (size_t i = 0; i < view_picture.n_links; i++)
        ck_assert(!dg_text_is(view_picture.links[i].label, "false"));
    erase_view();
}

START_TEST(a_long_column_of_calls_fits_into_the_boxes_asked_for)
{
    rules_open_pte();
    tensor(0, 0, 16);
    goes_in(0);
    comes_out(0);
    for (int i = 0; i < 500; i++) {
        char op[32];

        snprintf(op, sizeof(op), "aten::op%d.out", i * i % 97);
        call_op(op, "0", "", "0");
    }
    draw_view_with(&dg_view_calls, &(struct dg_view_options){.max_boxes = 40});
    ck_assert_uint_le(n_drawn(), 40);
    ck_assert_uint_ge(view_picture.n_hints, 1);
    erase_view();
}

START_TEST(calls_of_a_method_that_is_not_there_are_refused)
{
    given_loop();
    refuse_view(&dg_view_calls, &(struct dg_view_options){.method = "backward"},
                "no method 'backward'");
    erase_view();
}

START_TEST(the_view_around_needs_a_node)
{
    given_loop();
    refuse_view(&dg_view_around, &(struct dg_view_options){0},
                "this view is of the neighbourhood of a node");
    erase_view();
}

static void given_finding(const char *node, const char *value, const char *witness)
{
    given_format("INSERT INTO finding VALUES (NULL, 1, 'partition/convex', 'error', 1,"
                 " 1, %s, %s, 'goes out and comes back', '%s', 'f')",
                 node, value, witness);
}

static const struct dg_view_options first_finding = {.finding = 1};

START_TEST(a_finding_shows_its_path_and_nothing_else)
{
    given_loop();
    given_finding("NULL", "NULL", "[\"relu\", \"sin\", \"cos\"]");
    draw_view_with(&dg_view_finding, &first_finding);
    ck_assert_uint_eq(n_drawn(), 3);
    ck_assert(link_between("relu", "sin")->highlighted);
    ck_assert(link_between("sin", "cos")->highlighted);
    ck_assert(view_picture.boxes[box_called("relu")].highlighted);
    ck_assert(box_says("relu", "partition/convex"));
    ck_assert(caption_says("error[partition/convex]: goes out and comes back"));
    erase_view();
}

START_TEST(a_finding_whose_steps_are_gone_is_told_of_its_node)
{
    given_loop();
    given_finding("(SELECT id FROM node WHERE name = 'sin')", "NULL",
                  "[\"no such node\", 7, null]");
    draw_view_with(&dg_view_finding, &first_finding);
    ck_assert_uint_eq(n_drawn(), 3);
    ck_assert(view_picture.boxes[box_called("sin")].highlighted);
    link_between("relu", "sin");
    link_between("sin", "cos");
    erase_view();
}

START_TEST(a_witness_that_is_no_list_is_none)
{
    given_loop();
    given_finding("NULL", "NULL", "not JSON");
    draw_view_with(&dg_view_finding, &first_finding);
    ck_assert_uint_eq(n_drawn(), 1);
    erase_view();
}

START_TEST(a_finding_about_planned_bytes_shows_what_lies_there)
{
    rules_open_pte();
    tensor(0, 0, 16);
    tensor(1, 8, 16);
    goes_in(0);
    call_op("aten::relu.out", "0", "", "1");
    comes_out(1);
    given_finding("NULL", "2", "[]");
    given("UPDATE finding SET rule = 'memory/overlap'");
    draw_view_with(&dg_view_finding, &first_finding);
    ck_assert_uint_eq(count_drawn(DG_BOX_VALUE), 2);
    erase_view();
}

START_TEST(a_finding_that_is_not_there_is_refused_with_their_number)
{
    given_loop();
    refuse_view(&dg_view_finding, &first_finding,
                "no finding 1: `check` finds nothing");
    given_finding("NULL", "NULL", "[]");
    refuse_view(&dg_view_finding, &(struct dg_view_options){.finding = 7},
                "no finding 7; there is 1: `check` tells of it");
    erase_view();
}

Suite *views_node_rows_suite(void)
{
    Suite *suite = suite_create("views_node_rows");
    TCase *tests = tcase_create("views_node_rows");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, calls_are_a_column_in_the_order_in_which_they_run);
    tcase_add_test(tests, a_jump_leads_to_the_instruction_that_it_names);
    tcase_add_test(tests, a_jump_out_of_the_method_leads_nowhere);
    tcase_add_test(tests, a_long_column_of_calls_fits_into_the_boxes_asked_for);
    tcase_add_test(tests, calls_of_a_method_that_is_not_there_are_refused);
    tcase_add_test(tests, the_view_around_needs_a_node);
    tcase_add_test(tests, a_finding_shows_its_path_and_nothing_else);
    tcase_add_test(tests, a_finding_whose_steps_are_gone_is_told_of_its_node);
    tcase_add_test(tests, a_witness_that_is_no_list_is_none);
    tcase_add_test(tests, a_finding_about_planned_bytes_shows_what_lies_there);
    tcase_add_test(tests, a_finding_that_is_not_there_is_refused_with_their_number);
    suite_add_tcase(suite, tests);
    return suite;
}
