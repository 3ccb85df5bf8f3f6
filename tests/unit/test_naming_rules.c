/* Rules about names of tags, constants and nodes, against small programs. */
#include "unit/small_plan.h"

/* w is read by a (tag0) and b (tag1): lowering makes one copy, for b. */
static void given_shared_weight(const char *other)
{
    plan_input("w", "parameter");
    plan_input(other, "user_input");
    plan_call("aten::add.Tensor", "a", "w", NULL);
    plan_call("aten::mul.Tensor", "b", "w", NULL);
    plan_output("a b");
    plan_tag("tag0", "w a");
    plan_tag("tag1", "b");
}

START_TEST(naming_tag_charset_accepts_plain_words)
{
    given_shared_weight("x");
    expect("naming/tag-charset", "");
}

START_TEST(naming_tag_charset_reports_a_slash_and_an_empty_tag)
{
    given_shared_weight("x");
    given("UPDATE partition SET tag = 'conv/1' WHERE tag = 'tag0';"
          "UPDATE partition SET tag = '' WHERE tag = 'tag1'");
    expect("naming/tag-charset",
           "warning a tag is empty\n"
           "warning tag \"conv/1\" has other characters than letters, digits, \"_\","
           " \"-\" and \".\"\n");
}

START_TEST(naming_tag_charset_reports_a_tag_of_two_backends)
{
    given_shared_weight("x");
    plan_graph(2, "true_graph_0");
    plan_call("aten::sin.default", "c", "", NULL);
    plan_tag("tag0", "c");
    given("UPDATE partition SET backend = 'XnnpackBackend' WHERE graph_id = 2");
    expect("naming/tag-charset",
           "warning tag tag0 stands for 2 backends: CudaBackend,XnnpackBackend\n");
}

START_TEST(naming_tag_charset_needs_a_plan)
{
    given("DELETE FROM part_run");
    expect_not_checked("naming/tag-charset", "there is no plan");
    expect_not_checked("naming/placeholder-collision", "there is no plan");
}

START_TEST(naming_placeholder_collision_accepts_other_numbers)
{
    given_shared_weight("w_copy_1");
    expect("naming/placeholder-collision", "");
}

START_TEST(naming_placeholder_collision_reports_a_node_with_the_name_of_a_copy)
{
    given_shared_weight("w_copy_0");
    expect("naming/placeholder-collision",
           "error w is copied 1 time, and w_copy_0 is there already\n");
    expect_witness("[\"w\",\"w_copy_0\"]");
}

/* Two models of one archive with a weight each. */
static void given_models(void)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'other', 'aten', NULL, NULL);"
          "INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, nbytes,"
          "  xxh3) VALUES (1, 1, 1, 0, 'linear.weight', 'parameter', 4, 'aa'),"
          "  (2, 1, 2, 0, 'linear.weight', 'parameter', 4, 'aa')");
}

START_TEST(naming_fqn_shadow_accepts_a_weight_of_two_models)
{
    given_models();
    expect("naming/fqn-shadow", "");
}

START_TEST(naming_fqn_shadow_reports_another_weight_of_that_name)
{
    given_models();
    given("UPDATE constant SET xxh3 = 'bb' WHERE id = 2");
    expect("naming/fqn-shadow",
           "note linear.weight has 2 different contents: in methods forward,other\n");
}

START_TEST(naming_fqn_shadow_reports_constants_of_a_program)
{
    rules_close();
    rules_open_pte();
    given("INSERT INTO constant (id, artifact_id, idx, fqn, kind, nbytes, xxh3) VALUES"
          " (1, 1, 1, 'w', 'constant', 4, 'aa'), (2, 1, 2, 'w', 'constant', 4, 'bb'),"
          " (3, 1, 1, 'c', 'mutable', 4, 'aa'), (4, 1, 2, 'c', 'mutable', 4, 'bb')");
    expect("naming/fqn-shadow", "warning c has 2 different contents: constants 1, 2\n"
                                "error w has 2 different contents: constants 1, 2\n");
    given("UPDATE constant SET xxh3 = 'aa'");
    expect("naming/fqn-shadow", "");
}

START_TEST(naming_fqn_shadow_needs_digests)
{
    given_models();
    given("UPDATE constant SET xxh3 = NULL");
    expect_not_checked("naming/fqn-shadow", "constants have no digests");
}

/* Two calls on the host, with debug handles of their own. */
static void given_edge_calls(void)
{
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "a", "x", NULL);
    plan_call("aten::sin.default", "b", "a", NULL);
    plan_output("b");
    given("UPDATE method SET ir = 'edge';"
          "UPDATE node SET debug_handle = id WHERE kind = 'call_function'");
}

START_TEST(naming_debug_handle_accepts_a_handle_for_each_call)
{
    given_edge_calls();
    expect("naming/debug-handle", "");
}

START_TEST(naming_debug_handle_reports_missing_and_shared_handles)
{
    given_edge_calls();
    given("UPDATE node SET debug_handle = NULL WHERE name = 'a'");
    expect("naming/debug-handle", "note 1 of 2 calls have no debug handle\n");
    given("UPDATE node SET debug_handle = 1");
    expect("naming/debug-handle", "note 2 calls have 1 debug handle between them\n");
}

Suite *naming_rules_suite(void)
{
    Suite *suite = suite_create("naming rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, naming_tag_charset_accepts_plain_words);
    tcase_add_test(all, naming_tag_charset_reports_a_slash_and_an_empty_tag);
    tcase_add_test(all, naming_tag_charset_reports_a_tag_of_two_backends);
    tcase_add_test(all, naming_tag_charset_needs_a_plan);
    tcase_add_test(all, naming_placeholder_collision_accepts_other_numbers);
    tcase_add_test(all,
                   naming_placeholder_collision_reports_a_node_with_the_name_of_a_copy);
    tcase_add_test(all, naming_fqn_shadow_accepts_a_weight_of_two_models);
    tcase_add_test(all, naming_fqn_shadow_reports_another_weight_of_that_name);
    tcase_add_test(all, naming_fqn_shadow_reports_constants_of_a_program);
    tcase_add_test(all, naming_fqn_shadow_needs_digests);
    tcase_add_test(all, naming_debug_handle_accepts_a_handle_for_each_call);
    tcase_add_test(all, naming_debug_handle_reports_missing_and_shared_handles);
    suite_add_tcase(suite, all);
    return suite;
}
