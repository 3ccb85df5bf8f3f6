/* Each rule about partitions against plans that keep it, and that break it. */
#include <stdio.h>

#include "unit/small_plan.h"

#define CYCLES "lowering fails with \"Invalid partition, found dependency cycles\"\n"

static void expect_all(const char *want)
{
    for (const struct dg_rule *rule = dg_verifier_partition.rules; rule->name; rule++) {
        char id[64];

        snprintf(id, sizeof(id), "partition/%s", rule->name);
        expect(id, want);
    }
}

START_TEST(a_plan_of_one_tag_breaks_no_rule)
{
    plan_program_loop();
    plan_tag("A", "w relu sin cos add");
    given("INSERT INTO partition_spec VALUES (1, 0, 'method_name', 'forward');"
          "INSERT INTO setting VALUES ('for', 'executorch')");
    expect_all("");
}

START_TEST(convex_reports_the_shortest_detour)
{
    plan_program_loop();
    plan_tag("A", "relu sin add");
    expect("partition/convex",
           "error A is left and entered again: sin -> cos -> add; " CYCLES);
    expect_witness("[\"sin\",\"cos\",\"add\"]");
    expect("partition/no-mutual-cycle", "");
}

START_TEST(convex_accepts_two_partitions_in_a_row)
{
    plan_program_loop();
    plan_tag("A", "relu sin");
    plan_tag("B", "cos add");
    expect("partition/convex", "");
    expect("partition/no-mutual-cycle", "");
    expect("partition/lowering-order", "");
}

START_TEST(a_shared_constant_closes_no_cycle)
{
    plan_program_loop();
    given("INSERT INTO edge SELECT n.id, 9, w.id, NULL FROM node AS n, node AS w"
          " WHERE n.name = 'relu' AND w.name = 'w'");
    plan_tag("A", "relu");
    plan_tag("B", "w sin cos add");
    expect("partition/convex", "");
    expect("partition/no-mutual-cycle", "");
    expect("partition/lowering-order", "");
}

START_TEST(no_mutual_cycle_reports_convex_partitions_that_wait_for_each_other)
{
    plan_program_chains();
    plan_tag("A", "a d");
    plan_tag("B", "c b");
    expect("partition/convex", "");
    expect(
        "partition/no-mutual-cycle",
        "error A and B wait for each other: a (A) -> b (B), c (B) -> d (A); " CYCLES);
    expect_witness("[\"a\",\"b\",\"c\",\"d\"]");
}

START_TEST(no_mutual_cycle_accepts_chains_that_go_one_way)
{
    plan_program_chains();
    plan_tag("A", "a c");
    plan_tag("B", "b d");
    expect("partition/no-mutual-cycle", "");
    expect("partition/lowering-order", "");
}

START_TEST(lowering_order_names_the_tag_that_closes_the_cycle)
{
    plan_program_chains();
    plan_tag("A", "a d");
    plan_tag("B", "c b");
    expect("partition/lowering-order",
           "error lowering the tags in their order fails at B, number 2 of 2, with"
           " \"Invalid partition, found dependency cycles\"\n");
}

START_TEST(lowering_order_leaves_cycles_of_the_program_to_another_rule)
{
    plan_program_loop();
    given("INSERT INTO edge SELECT n.id, 9, w.id, NULL FROM node AS n, node AS w"
          " WHERE n.name = 'relu' AND w.name = 'add'");
    plan_tag("A", "sin");
    expect("partition/lowering-order", "");
}

START_TEST(nodes_with_a_tag_that_has_no_delegate_stay_on_the_host)
{
    plan_program_loop();
    plan_tag("A", "relu sin add");
    given("UPDATE partition SET declared = 0");
    expect("partition/convex", "");
    expect("partition/lowering-order", "");
}

START_TEST(output_untagged_reports_a_tagged_output)
{
    plan_program_loop();
    plan_tag("A", "relu sin cos add output");
    expect("partition/output-untagged",
           "error output is tagged A; lowering fails with \"output node output should"
           " not be tagged\"\n");
    expect("partition/convex", "");
}

START_TEST(user_input_untagged_reports_an_input_but_no_weight)
{
    plan_program_loop();
    plan_tag("A", "w relu sin cos add");
    expect("partition/user-input-untagged", "");
    plan_tag("A", "x");
    expect("partition/user-input-untagged",
           "error x is an input of the program, and tagged A; lowering fails with"
           " \"placeholder node for non-params, non-buffer, and non-tensor constants"
           " should not be tagged\"\n");
}

START_TEST(user_input_untagged_reports_every_placeholder_of_a_branch)
{
    plan_program_loop();
    plan_graph(2, "true_graph_0");
    plan_input("w_1", NULL);
    plan_call("aten::relu.default", "relu_1", "w_1", NULL);
    plan_output("relu_1");
    plan_tag("A", "relu_1");
    expect("partition/user-input-untagged", "");
    plan_tag("A", "w_1");
    expect("partition/user-input-untagged",
           "error w_1 is what a branch is given, and tagged A; lowering fails, or emits"
           " a delegate without it\n");
}

START_TEST(branches_that_go_to_a_delegate_as_a_whole_are_not_looked_at)
{
    plan_input("x", "user_input");
    plan_attr("true_graph_0");
    plan_call("higher_order::cond", "cond", "x true_graph_0", NULL);
    plan_output("cond");
    plan_tag("B", "x");
    plan_graph(2, "true_graph_0");
    plan_program_loop();
    plan_tag("A", "relu sin add");
    expect("partition/convex",
           "error A is left and entered again: sin -> cos -> add; " CYCLES);
    given("INSERT INTO partition_node SELECT id, 9, 3 FROM partition WHERE tag = 'B'");
    expect("partition/convex", "");
}

START_TEST(no_delegate_inside_accepts_a_tag_behind_a_delegate)
{
    plan_program_delegate();
    plan_tag("A", "relu");
    expect("partition/no-delegate-inside", "");
    expect("partition/getitem-with-producer", "");
}

START_TEST(no_delegate_inside_reports_call_module_and_result)
{
    plan_program_delegate();
    plan_tag("A", "lowered_module_0 call getitem relu");
    expect(
        "partition/no-delegate-inside",
        "error lowered_module_0 is the module of a delegate, and tagged A: one"
        " delegate would go into another\n"
        "error call is the call of a delegate, and tagged A: one delegate would go"
        " into another\n"
        "error getitem is a result of a delegate, and tagged A: one delegate would go"
        " into another\n");
}

START_TEST(getitem_with_producer_accepts_equal_tags_and_none)
{
    plan_program_tuple();
    plan_tag("A", "max getitem");
    expect("partition/getitem-with-producer", "");
    given("DELETE FROM partition_node");
    plan_tag("A", "relu");
    expect("partition/getitem-with-producer", "");
}

START_TEST(getitem_with_producer_reports_a_tuple_that_crosses)
{
    plan_program_tuple();
    plan_tag("A", "getitem relu");
    expect("partition/getitem-with-producer",
           "error getitem (A) takes apart the tuple of max (no tag): tuples do not go"
           " into or out of delegates, and to_executorch() fails\n");
    expect_witness("[\"max\",\"getitem\"]");
}

START_TEST(getitem_with_producer_only_warns_where_nothing_reads_the_item)
{
    plan_program_tuple();
    plan_call("_operator.getitem", "getitem_1", "max", NULL);
    plan_tag("A", "max getitem");
    expect("partition/getitem-with-producer",
           "warning getitem_1 (no tag) takes apart the tuple of max (A): tuples do not"
           " go into or out of delegates, and to_executorch() may fail, though nothing"
           " reads it\n");
}

Suite *partition_rules_suite(void)
{
    Suite *suite = suite_create("partition rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, a_plan_of_one_tag_breaks_no_rule);
    tcase_add_test(all, convex_reports_the_shortest_detour);
    tcase_add_test(all, convex_accepts_two_partitions_in_a_row);
    tcase_add_test(all, a_shared_constant_closes_no_cycle);
    tcase_add_test(all,
                   no_mutual_cycle_reports_convex_partitions_that_wait_for_each_other);
    tcase_add_test(all, no_mutual_cycle_accepts_chains_that_go_one_way);
    tcase_add_test(all, lowering_order_names_the_tag_that_closes_the_cycle);
    tcase_add_test(all, lowering_order_leaves_cycles_of_the_program_to_another_rule);
    tcase_add_test(all, nodes_with_a_tag_that_has_no_delegate_stay_on_the_host);
    tcase_add_test(all, output_untagged_reports_a_tagged_output);
    tcase_add_test(all, user_input_untagged_reports_an_input_but_no_weight);
    tcase_add_test(all, user_input_untagged_reports_every_placeholder_of_a_branch);
    tcase_add_test(all, branches_that_go_to_a_delegate_as_a_whole_are_not_looked_at);
    tcase_add_test(all, no_delegate_inside_accepts_a_tag_behind_a_delegate);
    tcase_add_test(all, no_delegate_inside_reports_call_module_and_result);
    tcase_add_test(all, getitem_with_producer_accepts_equal_tags_and_none);
    tcase_add_test(all, getitem_with_producer_reports_a_tuple_that_crosses);
    tcase_add_test(all, getitem_with_producer_only_warns_where_nothing_reads_the_item);
    suite_add_tcase(suite, all);
    return suite;
}
