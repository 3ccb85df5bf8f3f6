/* Groups of calls that a support list takes as one, and what they keep. */
#include "unit/support_case.h"

START_TEST(a_call_that_names_other_nodes_than_its_inputs_keeps_its_words)
{
    given_calls();
    given("UPDATE node SET op_id = 1, args = '[{\"name\":\"self\",\"tensor\":\"a\"},"
          "{\"name\":\"other\",\"tensor\":\"y\"}]' WHERE id = 4;"
          "INSERT INTO edge VALUES (4, 1, 1, NULL)");
    expect_of(RULES("{\"ops\":[\"aten::add.*\"],\"args\":{\"other\":{\"in\":[1]}}},"
                    "{\"ops\":[\"aten::m*\",\"_*\"]}"),
              "taken: m g\na attribute: other is p_w; it takes 1\n"
              "s attribute: other is y; it takes 1\n");
}

START_TEST(a_weight_must_be_constant_where_a_rule_says_so)
{
    given_calls();
    expect_of(RULES("{\"ops\":[\"*\"],\"args\":{\"other\":{\"constant\":true}}}"),
              "taken: a s m g\n");
    given("UPDATE signature SET spec = 'user_input'");
    expect_of(
        RULES("{\"ops\":[\"*\"],\"args\":{\"other\":{\"constant\":true}}}"),
        "taken: s m g\na attribute: other is computed; it needs a parameter, buffer "
        "or constant\n");
}

START_TEST(a_node_can_depend_on_what_made_its_input)
{
    given_calls();
    expect_of(RULES("{\"ops\":[\"*\"],\"inputs\":{\"producer\":{\"ops\":[\"aten::max."
                    "dim\"]}}}"),
              "taken: g\n"
              "a attribute: input 0 is not made as it needs it, by aten::max.dim\n"
              "s attribute: input 0 is not made as it needs it, by aten::max.dim\n"
              "m attribute: input 0 is not made as it needs it, by aten::max.dim\n");
    expect_of(RULES("{\"ops\":[\"_operator.getitem\"],\"inputs\":{\"producer\":"
                    "{\"taken\":true}}},{\"ops\":[\"aten::*\"]}"),
              "taken: a s m g\n");
}

START_TEST(a_node_can_depend_on_its_users)
{
    given_calls();
    expect_of(RULES("{\"ops\":[\"aten::add.Tensor\"],\"users\":{\"some\":["
                    "{\"ops\":[\"aten::_softmax\"],\"taken\":true}]}},"
                    "{\"ops\":[\"aten::_softmax\"],\"users\":{\"some\":["
                    "{\"ops\":[\"aten::max.dim\"],\"taken\":true}]}},"
                    "{\"ops\":[\"aten::max.dim\"]}"),
              "taken: a s m\ng op: it does not take _operator.getitem\n");
    expect_of(RULES("{\"ops\":[\"*\"],\"users\":{\"max\":1,\"all\":["
                    "{\"ops\":[\"aten::*\"]}]}}"),
              "taken: a s\nm attribute: g uses its result; it takes no such user\n"
              "g attribute: output uses its result; it takes no such user\n");
}

START_TEST(all_reasons_of_the_nearest_rule_are_told)
{
    given_calls();
    given("UPDATE value SET dtype = 'i64', shape = '[\"s0\",3,4]' WHERE name = 'x'");
    expect_of(
        RULES(
            "{\"ops\":[\"aten::add.Tensor\"],\"name\":\"far\",\"inputs\":{\"rank\":9,"
            "\"dtypes\":[\"f16\"],\"shape\":\"static\",\"same_dtype\":true}},"
            "{\"ops\":[\"aten::add.Tensor\"],\"name\":\"near\",\"inputs\":{\"rank\":2,"
            "\"dtypes\":[\"f32\"]}},{\"ops\":[\"_*\",\"aten::_*\",\"aten::m*\"]}"),
        "taken: s m g\na dtype: near: input 0 is i64; it takes f32\n"
        "a rank: near: input 0 has rank 3; it takes rank 2\n");
}

/* "p_w a, m g": the nodes of each group. */
static void expect_groups(const char *groups_of_list, const char *want)
{
    struct dg_writer found = {0}, json = {0};
    struct dg_groups groups;

    dg_print(&json, "{\"name\":\"it\",\"rules\":[{\"ops\":[\"*\"]}],\"groups\":[%s]}",
             groups_of_list);
    ck_assert_msg(!parse(json.data), "%s", rules_err.text);
    ck_assert(dg_support_has_groups(support));
    ck_assert_msg(!dg_nodes_load(&nodes, rules_store, 1, &rules_err), "%s",
                  rules_err.text);
    ck_assert_msg(!dg_support_apply(support, &nodes, rules_store, NULL, NULL, &groups,
                                    &rules_err),
                  "%s", rules_err.text);
    for (uint32_t g = 0; g < groups.n_groups; g++) {
        const char *between = g ? ", " : "";

        for (uint32_t i = 0; i < nodes.graph.n_nodes; i++) {
            if (groups.group_of[i] != g)
                continue;
            dg_print(&found, "%s%s", between, nodes.names[i].data);
            between = " ";
        }
    }
    ck_assert_str_eq(found.size ? found.data : "", want);
    dg_writer_clear(&found);
    dg_writer_clear(&json);
    dg_nodes_clear(&nodes);
    dg_support_free(support);
    support = NULL;
}

#define ADD_WEIGHT "{\"ops\":[\"*::add.Tensor\"],\"args\":{\"other\":{\"keep\":true}}}"

#define MAX_ITEMS                                                                      \
    "{\"ops\":[\"*::max.dim\"],\"users\":{\"all\":[{\"ops\":[\"_operator.getitem\"],"  \
    "\"keep\":true}]}}"

START_TEST(a_list_keeps_weights_and_users_with_their_call)
{
    given_calls();
    expect_groups(ADD_WEIGHT "," MAX_ITEMS, "p_w a, m g");
}

START_TEST(groups_that_share_a_call_are_one)
{
    given_calls();
    expect_groups(ADD_WEIGHT
                  ",{\"ops\":[\"*::_softmax.default\"],\"inputs\":{\"producer\":"
                  "{\"ops\":[\"*::add.Tensor\"],\"keep\":true}}}",
                  "p_w a s");
}

START_TEST(a_constant_is_of_the_first_call_that_wants_it)
{
    given_calls();
    given("UPDATE node SET op_id = 1, args = '[{\"name\":\"self\",\"tensor\":\"a\"},"
          "{\"name\":\"other\",\"tensor\":\"p_w\"}]' WHERE id = 4;"
          "INSERT INTO edge VALUES (4, 1, 2, NULL)");
    expect_groups(ADD_WEIGHT, "p_w a");
}

START_TEST(what_a_condition_kept_before_it_failed_is_not_kept)
{
    given_calls();
    expect_groups("{\"ops\":[\"*::add.Tensor\"],\"args\":{\"other\":{\"keep\":true}},"
                  "\"users\":{\"all\":[{\"ops\":[\"aten::relu.default\"]}]}}",
                  "");
}

START_TEST(an_input_of_the_program_is_in_no_group)
{
    given_calls();
    expect_groups("{\"ops\":[\"*::add.Tensor\"],\"args\":{\"self\":{\"keep\":true}}}",
                  "");
}

START_TEST(a_group_that_keeps_nothing_is_refused)
{
    given_calls();
    expect_refused("{\"rules\":[{\"ops\":[\"*\"]}],\n\"groups\":[{\"ops\":[\"*\"]}]}",
                   "line 2: a group needs \"ops\" and a \"keep\"");
    expect_refused("{\"rules\":[],\"groups\":[{\"keep\":true}]}",
                   "line 1: a group needs \"ops\" and a \"keep\"");
    expect_refused("{\"rules\":[],\"groups\":[{\"ops\":[\"*\"],\"users\":{\"all\":[{"
                   "\"keep\":false}]}}]}",
                   "line 1: a group needs \"ops\" and a \"keep\"");
    expect_refused("{\"rules\":[{\"ops\":[\"aten::add.Tensor\"],"
                   "\"args\":{\"other\":{\"keep\":true}}}]}",
                   "line 1: \"keep\" is for \"groups\"");
}

START_TEST(matches_within_matches_have_a_limit)
{
    char text[2000] = "{\"rules\":[{\"ops\":[\"*\"],\"inputs\":";

    for (int i = 0; i < 20; i++)
        strcat(text, "{\"producer\":{\"inputs\":");
    expect_refused(text, "more than 8 matches within one another");
}

Suite *support_groups_suite(void)
{
    Suite *suite = suite_create("support_groups");
    TCase *tests = tcase_create("support");

    tcase_add_checked_fixture(tests, rules_open, rules_close);
    tcase_add_test(tests,
                   a_call_that_names_other_nodes_than_its_inputs_keeps_its_words);
    tcase_add_test(tests, a_weight_must_be_constant_where_a_rule_says_so);
    tcase_add_test(tests, a_node_can_depend_on_what_made_its_input);
    tcase_add_test(tests, a_node_can_depend_on_its_users);
    tcase_add_test(tests, all_reasons_of_the_nearest_rule_are_told);
    tcase_add_test(tests, a_list_keeps_weights_and_users_with_their_call);
    tcase_add_test(tests, groups_that_share_a_call_are_one);
    tcase_add_test(tests, a_constant_is_of_the_first_call_that_wants_it);
    tcase_add_test(tests, what_a_condition_kept_before_it_failed_is_not_kept);
    tcase_add_test(tests, an_input_of_the_program_is_in_no_group);
    tcase_add_test(tests, a_group_that_keeps_nothing_is_refused);
    tcase_add_test(tests, matches_within_matches_have_a_limit);
    suite_add_tcase(suite, tests);
    return suite;
}
