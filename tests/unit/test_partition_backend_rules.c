/* What the backends of a plan can do with it. */
#include "unit/small_plan.h"

START_TEST(support_respected_warns_of_an_operator_that_the_backend_has_not)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::cumsum.default", "cumsum", "relu", NULL);
    plan_output("cumsum");
    plan_tag("A", "cumsum");
    given("UPDATE partition SET backend = 'VulkanBackend'");
    expect("partition/support-respected",
           "warning A is for VulkanBackend: vulkan does not take"
           " aten::cumsum.default\n");
}
END_TEST

START_TEST(support_respected_accepts_what_the_backend_takes)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_call("aten::cumsum.default", "cumsum", "relu", NULL);
    plan_output("cumsum");
    plan_tag("A", "relu");
    given("UPDATE partition SET backend = 'VulkanBackend';"
          "UPDATE value SET dtype = 'f32', shape = '[3]', kind = 'tensor'");
    expect("partition/support-respected", "");
}
END_TEST

START_TEST(support_respected_leaves_backends_without_a_list_alone)
{
    plan_program_loop();
    plan_tag("A", "relu");
    given("UPDATE partition SET backend = 'MyBackend'");
    expect("partition/support-respected", "");
}
END_TEST

/* A relu for XNNPACK, and a cond on the host whose branch has a linear. */
static void given_linear_in_a_branch(void)
{
    plan_input("x", "user_input");
    plan_input("w", "parameter");
    plan_call("aten::relu.default", "relu", "x", NULL);
    plan_attr("branch");
    plan_call("higher_order::cond", "cond", "relu branch w", NULL);
    plan_output("cond");
    plan_tag("A", "relu");
    plan_graph(2, "branch");
    plan_input("y", NULL);
    plan_input("w", NULL);
    plan_call("aten::linear.default", "linear", "y w", NULL);
    plan_output("linear");
    given("UPDATE partition SET backend = 'XnnpackBackend';"
          "UPDATE \"graph\" SET kind = 'branch' WHERE id = 2;"
          "UPDATE method SET ir = 'aten'; INSERT INTO setting VALUES ('for', "
          "'executorch');"
          "INSERT INTO value (id, graph_id, idx, name, kind) VALUES"
          " (99, 2, 9, 'linear', 'tensor');"
          "UPDATE node SET value_id = 99 WHERE name = 'linear';"
          "UPDATE value SET dtype = 'f32', shape = '[3]', kind = 'tensor'");
}

START_TEST(preserved_op_delegated_reports_a_linear_that_stays_whole_in_a_branch)
{
    given_linear_in_a_branch();
    expect("partition/preserved-op-delegated",
           "error XnnpackBackend keeps aten::linear.default from being decomposed, and"
           " takes nothing in a branch: 1 call is there\n");
}
END_TEST

START_TEST(preserved_op_delegated_accepts_a_branch_that_is_delegated_as_a_whole)
{
    given_linear_in_a_branch();
    given("INSERT INTO partition_node SELECT 1, 10 + id, id FROM node"
          " WHERE graph_id = 1 AND name IN ('cond', 'branch')");
    expect("partition/preserved-op-delegated", "");
}
END_TEST

START_TEST(preserved_op_delegated_accepts_what_the_filter_of_xnnpack_leaves_out)
{
    given_linear_in_a_branch();
    given("UPDATE value SET dtype = 'f64'");
    expect("partition/preserved-op-delegated", "");
    given("UPDATE value SET dtype = 'f16'; UPDATE node SET name = 'v' WHERE name = 'w'"
          " AND graph_id = 2");
    expect("partition/preserved-op-delegated", "");
}
END_TEST

START_TEST(preserved_op_delegated_accepts_a_program_for_another_backend)
{
    given_linear_in_a_branch();
    given("UPDATE partition SET backend = 'VulkanBackend'");
    expect("partition/preserved-op-delegated", "");
}
END_TEST

START_TEST(output_used_inside_notes_what_a_neutron_partition_gives_and_reads)
{
    plan_program_loop();
    plan_tag("A", "relu sin");
    given("UPDATE partition SET backend = 'NeutronBackend'");
    expect("partition/output-used-inside", "note A gives it and reads it\n");
}
END_TEST

START_TEST(output_used_inside_accepts_values_with_one_side)
{
    plan_program_loop();
    plan_tag("A", "relu sin cos add");
    given("UPDATE partition SET backend = 'NeutronBackend'");
    expect("partition/output-used-inside", "");
}
END_TEST

static void given_returns(const char *second)
{
    given("INSERT INTO \"graph\" VALUES (2, 1, 'lowered_module_0', 'lowered');"
          "INSERT INTO signature (graph_id, direction, pos, name, kind, spec) VALUES"
          " (2, 'output', 0, 'add', 'tensor', 'user_output'),"
          " (2, 'output', 1, 'mul', 'tensor', 'user_output')");
    if (*second == 'a')
        given("UPDATE signature SET name = 'add' WHERE pos = 1");
}

START_TEST(duplicate_return_accepts_two_values)
{
    given_returns("mul");
    expect("partition/duplicate-return", "");
}
END_TEST

START_TEST(duplicate_return_warns_of_one_value_twice)
{
    given_returns("add");
    expect("partition/duplicate-return", "warning add is output 0 and 1\n");
}
END_TEST

Suite *partition_backend_rules_suite(void)
{
    Suite *suite = suite_create("partition_backend_rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all,
                   support_respected_warns_of_an_operator_that_the_backend_has_not);
    tcase_add_test(all, support_respected_accepts_what_the_backend_takes);
    tcase_add_test(all, support_respected_leaves_backends_without_a_list_alone);
    tcase_add_test(all,
                   output_used_inside_notes_what_a_neutron_partition_gives_and_reads);
    tcase_add_test(all, output_used_inside_accepts_values_with_one_side);
    tcase_add_test(all, duplicate_return_accepts_two_values);
    tcase_add_test(all, duplicate_return_warns_of_one_value_twice);
    tcase_add_test(
        all, preserved_op_delegated_reports_a_linear_that_stays_whole_in_a_branch);
    tcase_add_test(
        all, preserved_op_delegated_accepts_a_branch_that_is_delegated_as_a_whole);
    tcase_add_test(
        all, preserved_op_delegated_accepts_what_the_filter_of_xnnpack_leaves_out);
    tcase_add_test(all, preserved_op_delegated_accepts_a_program_for_another_backend);
    suite_add_tcase(suite, all);
    return suite;
}
