/* The order of nodes that share memory, in plans that keep it and plans that do not. */
#include "unit/small_plan.h"

/* relu reads x, add_ writes it, sin reads it, and mul comes last. */
static void given_program(void)
{
    plan_input("x", "user_input");
    plan_input("y", "user_input");
    plan_call("aten::view.default", "view", "x", NULL);
    plan_call("aten::relu.default", "relu", "view", NULL);
    plan_call("aten::add_.Tensor", "add_", "x y", NULL);
    plan_call("aten::sin.default", "sin", "view", NULL);
    plan_call("aten::mul.Tensor", "mul", "y y", NULL);
    plan_output("relu sin mul");
    given("UPDATE op SET flags = 1 << 5 WHERE name = 'aten::add_.Tensor'");
}

START_TEST(a_plan_that_keeps_the_order_is_sound)
{
    given_program();
    plan_tag("A", "relu add_ sin mul");
    expect("partition/alias-order", "");
}

START_TEST(partitions_that_stand_apart_keep_the_order)
{
    given_program();
    plan_tag("A", "relu add_");
    plan_tag("B", "sin mul");
    expect("partition/alias-order", "");
}

START_TEST(a_write_that_moves_behind_a_read_is_a_warning)
{
    given_program();
    plan_tag("A", "add_ mul");
    expect("partition/alias-order",
           "warning add_ (A) writes x before sin (no tag) reads it, and nothing else"
           " keeps them in order: A runs where its last node stands, mul, which is"
           " later\n");
    expect_witness("[\"x\",\"add_\",\"sin\"]");
}

START_TEST(a_read_that_moves_behind_a_write_is_a_warning)
{
    given_program();
    plan_tag("A", "relu mul");
    expect("partition/alias-order",
           "warning relu (A) reads x before add_ (no tag) writes it, and nothing else"
           " keeps them in order: A runs where its last node stands, mul, which is"
           " later\n");
}

START_TEST(an_edge_keeps_the_order)
{
    plan_input("x", "user_input");
    plan_input("y", "user_input");
    plan_call("aten::add_.Tensor", "add_", "x y", NULL);
    plan_call("aten::sin.default", "sin", "add_", NULL);
    plan_call("aten::mul.Tensor", "mul", "y y", NULL);
    plan_output("sin mul");
    given("UPDATE op SET flags = 1 << 5 WHERE name = 'aten::add_.Tensor'");
    plan_tag("A", "add_ mul");
    expect("partition/alias-order", "");
}

START_TEST(a_tag_without_a_delegate_moves_nothing)
{
    given_program();
    plan_tag("A", "add_ mul");
    given("UPDATE partition SET declared = 0");
    expect("partition/alias-order", "");
}

Suite *alias_rules_suite(void)
{
    Suite *suite = suite_create("alias rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, a_plan_that_keeps_the_order_is_sound);
    tcase_add_test(all, partitions_that_stand_apart_keep_the_order);
    tcase_add_test(all, a_write_that_moves_behind_a_read_is_a_warning);
    tcase_add_test(all, a_read_that_moves_behind_a_write_is_a_warning);
    tcase_add_test(all, an_edge_keeps_the_order);
    tcase_add_test(all, a_tag_without_a_delegate_moves_nothing);
    suite_add_tcase(suite, all);
    return suite;
}
