#include "unit/support_case.h"

static void expect_spelling(const char *name, const char *want)
{
    struct dg_arena memory = {0};
    struct dg_text spelling = dg_op_spelling(&memory, dg_text(name));

    ck_assert_msg(dg_text_is(spelling, want), "%s: %.*s", name, (int)spelling.size,
                  spelling.data);
    dg_arena_clear(&memory);
}

START_TEST(an_operator_has_many_spellings)
{
    expect_spelling("aten::linear", "aten::linear.default");
    expect_spelling("aten.linear", "aten::linear.default");
    expect_spelling("aten.linear.default", "aten::linear.default");
    expect_spelling("torch.ops.aten.linear.default", "aten::linear.default");
    expect_spelling("torch.ops.aten.linear", "aten::linear.default");
    expect_spelling("exir_ops.edge.aten.add.Tensor", "aten::add.Tensor");
    expect_spelling("executorch.exir.dialects.edge._ops.aten.relu.default",
                    "aten::relu.default");
    expect_spelling("aten::add*", "aten::add*");
    expect_spelling("aten.*", "aten::*");
    expect_spelling("*", "*");
    expect_spelling("operator.getitem", "_operator.getitem");
    expect_spelling("_operator.getitem", "_operator.getitem");
    expect_spelling("torch.sym_max", "torch.sym_max");
    expect_spelling("math.ceil", "math.ceil");
    expect_spelling("torch.ops.higher_order.cond", "higher_order::cond");
    expect_spelling("mylib::twice", "mylib::twice.default");
    expect_spelling("", "");
}

START_TEST(a_list_takes_its_operators_and_no_others)
{
    given_calls();
    ck_assert(!dg_support_from_list(&support, "aten.add.Tensor, operator.getitem",
                                    false, &rules_err));
    expect_verdict("taken: a g\n"
                   "s op: the list does not take aten::_softmax.default\n"
                   "m op: the list does not take aten::max.dim\n");
}

START_TEST(a_list_may_name_what_is_left)
{
    given_calls();
    ck_assert(!dg_support_from_list(&support, "aten::_softmax", true, &rules_err));
    expect_verdict(
        "taken: a m g\ns op: the list does not take aten::_softmax.default\n");
    given("DELETE FROM edge; DELETE FROM node");
    ck_assert(!dg_support_from_list(&support, "", true, &rules_err));
    expect_verdict("taken:\n");
}

START_TEST(without_a_list_every_call_is_taken)
{
    given_calls();
    expect_verdict("taken: a s m g\n");
}

START_TEST(an_unknown_operator_of_a_list_has_a_near_miss)
{
    ck_assert_int_eq(
        dg_support_from_list(&support, "aten::add.Tensr", false, &rules_err),
        DG_ERR_USAGE);
    ck_assert_ptr_null(support);
    ck_assert_str_eq(rules_err.text, "unknown operator 'aten::add.Tensr'; did you mean "
                                     "'aten::add.Tensor'?");
    ck_assert_int_eq(
        dg_support_from_list(&support, "operator.getitm", false, &rules_err),
        DG_ERR_USAGE);
    ck_assert_msg(strstr(rules_err.text, "'_operator.getitem'") != NULL, "%s",
                  rules_err.text);
    ck_assert(!dg_support_from_list(&support, "mylib::what", false, &rules_err));
    dg_support_free(support);
}

START_TEST(an_unknown_backend_has_a_near_miss)
{
    ck_assert_int_eq(dg_support_from_backend(&support, "xnpack", &rules_err),
                     DG_ERR_USAGE);
    ck_assert_str_eq(rules_err.text,
                     "unknown backend 'xnpack'; did you mean 'xnnpack'?");
    ck_assert_int_eq(dg_support_from_backend(&support, "zzzzzzzz", &rules_err),
                     DG_ERR_USAGE);
    ck_assert_str_eq(rules_err.text,
                     "unknown backend 'zzzzzzzz'; there are aoti, vulkan and xnnpack");
}

START_TEST(rules_are_gone_through_in_order)
{
    given_calls();
    expect_of(
        RULES("{\"ops\":[\"aten::_soft*\"],\"take\":false,\"why\":\"too soft\"},"
              "{\"ops\":[\"aten::*\"]},{\"ops\":[\"aten::max.*\"],\"take\":false}"),
        "taken: a m\ns op: too soft\ng op: it does not take _operator.getitem\n");
}

START_TEST(a_dtype_that_is_not_listed_is_refused)
{
    given_calls();
    given("UPDATE value SET dtype = 'i64' WHERE name = 'x'");
    expect_of(RULES("{\"ops\":[\"*\"],\"inputs\":{\"dtypes\":[\"f32\",\"f16\"]},"
                    "\"outputs\":{\"dtypes\":[\"f32\"]}}"),
              "taken: s m g\na dtype: input 0 is i64; it takes f32, f16\n");
    expect_of(
        RULES("{\"ops\":[\"*\"],\"inputs\":{\"same_dtype\":true}}"),
        "taken: s m g\na dtype: its inputs are i64 and f32; it takes one dtype\n");
    expect_of(RULES("{\"ops\":[\"*\"],\"outputs\":{\"same_dtype\":true}}"),
              "taken: s m g\na dtype: it turns i64 into f32; it keeps the dtype\n");
}

START_TEST(ranks_have_limits)
{
    given_calls();
    expect_of(RULES("{\"ops\":[\"*\"],\"outputs\":{\"rank\":2}}"),
              "taken: a s\nm rank: one of its results has rank 1; it takes rank 2\n"
              "g rank: its result has rank 1; it takes rank 2\n");
    expect_of(RULES("{\"ops\":[\"*\"],\"inputs\":{\"rank\":{\"max\":1}}}"),
              "taken: g\na rank: input 0 has rank 2; it takes rank 1 and less\n"
              "s rank: input 0 has rank 2; it takes rank 1 and less\n"
              "m rank: input 0 has rank 2; it takes rank 1 and less\n");
}

START_TEST(dynamic_shapes_can_be_refused)
{
    given_calls();
    given("UPDATE value SET shape = '[\"s0*2\",3]' WHERE name = 'a';"
          "UPDATE value SET shape = '[\"4*u0\"]' WHERE name = 'g'");
    expect_of(
        RULES("{\"ops\":[\"*\"],\"outputs\":{\"shape\":\"static\"}}"),
        "taken: s\n"
        "a dynamic-shape: dimension 0 of its result is symbolic; it needs a static "
        "shape\n"
        "m dynamic-shape: the shape of one of its results depends on data; it needs "
        "one that does not\n"
        "g dynamic-shape: the shape of its result depends on data; it needs one that "
        "does not\n");
    expect_of(
        RULES("{\"ops\":[\"aten::*\"],\"outputs\":{\"shape\":\"backed\"}},"
              "{\"ops\":[\"_operator.*\"]}"),
        "taken: a s g\n"
        "m dynamic-shape: the shape of one of its results depends on data; it needs "
        "one that does not\n");
}

START_TEST(an_argument_is_held_to_its_values)
{
    given_calls();
    expect_of(RULES("{\"ops\":[\"aten::*\"],\"args\":{\"dim\":{\"in\":[1]},"
                    "\"alpha\":{\"in\":[2,2.0]}}}"),
              "taken: m\na attribute: alpha is 1; it takes 2, 2.0\n"
              "s attribute: dim is -1; it takes 1\n"
              "g op: it does not take _operator.getitem\n");
    expect_of(RULES("{\"ops\":[\"*\"],\"args\":{\"dim\":{\"not_in\":[1],"
                    "\"range\":{\"max\":0}}}}"),
              "taken: a s g\nm attribute: dim is 1; it takes no 1\n"
              "m attribute: dim is 1; it takes 0 and less\n");
    expect_of(RULES("{\"ops\":[\"*\"],\"args\":{\"dim\":{\"dims\":[-1]}}}"),
              "taken: a s m g\n");
    expect_of(RULES("{\"ops\":[\"aten::_softmax\"],\"args\":{\"1\":{\"dims\":[0]}}},"
                    "{\"ops\":[\"_operator.getitem\"],\"args\":{\"1\":{\"in\":[0]}}}"),
              "taken: g\na op: it does not take aten::add.Tensor\n"
              "s attribute: dim is -1; it takes 0 of 2 dimensions\n"
              "m op: it does not take aten::max.dim\n");
}

START_TEST(calls_that_differ_in_the_nodes_they_name_are_told_apart)
{
    given_calls();
    given("UPDATE node SET op_id = 1, args = '[{\"name\":\"self\",\"tensor\":\"a\"},"
          "{\"name\":\"other\",\"tensor\":\"x\"}]' WHERE id = 4;"
          "INSERT INTO edge VALUES (4, 1, 1, NULL)");
    expect_of(RULES("{\"ops\":[\"aten::add.*\"],\"args\":{\"other\":{\"in\":[1]}}},"
                    "{\"ops\":[\"aten::m*\",\"_*\"]}"),
              "taken: m g\na attribute: other is p_w; it takes 1\n"
              "s attribute: other is x; it takes 1\n");
    expect_of(RULES("{\"ops\":[\"*\"],\"args\":{\"other\":{\"constant\":true}}}"),
              "taken: a m g\ns attribute: other is computed; it needs a parameter, "
              "buffer or constant\n");
}

START_TEST(an_argument_that_is_left_out_has_the_default_of_its_schema)
{
    given_calls();
    given("UPDATE op SET name = 'aten::max_pool2d.default' WHERE id = 1;"
          "UPDATE node SET args = '[{\"name\":\"self\",\"tensor\":\"x\"},"
          " {\"name\":\"kernel_size\",\"ints\":[2]}]' WHERE id = 3;"
          "DELETE FROM edge WHERE dst = 3 AND pos = 1");
    expect_of(
        RULES("{\"ops\":[\"*\"],\"args\":{\"stride\":{\"at_most\":\"kernel_size\","
              "\"count\":0},\"padding\":{\"in\":[0]},\"dilation\":{\"range\":1},"
              "\"ceil_mode\":{\"in\":[false]}}}"),
        "taken: a s m g\n");
    expect_of(
        RULES("{\"ops\":[\"aten::max_pool2d\"],\"args\":{\"stride\":{\"count\":2},"
              "\"ceil_mode\":{\"in\":[true]}}},{\"ops\":[\"aten::_*\",\"aten::max.*\","
              "\"_*\"]}"),
        "taken: s m g\na attribute: stride is []; it takes 2 and more of them\n"
        "a attribute: ceil_mode is false; it takes true\n");
}

START_TEST(sizes_elements_and_order_in_memory_are_conditions)
{
    given_calls();
    expect_of(RULES("{\"ops\":[\"aten::*\"],\"outputs\":{\"same_order\":true}},"
                    "{\"ops\":[\"_*\"],\"outputs\":{\"elements\":{\"max\":1}}}"),
              "taken: a m\n"
              "s attribute: it reorders dimensions in memory; it keeps their order\n"
              "g attribute: its result has 2 elements; it takes 1 and less\n");
    expect_of(
        RULES("{\"ops\":[\"*\"],\"outputs\":{\"sizes\":{\"-1\":[3]},"
              "\"image\":{\"packed\":[\"width\"],\"limits\":[1,2,1]}}}"),
        "taken: a s\nm attribute: dimension 0 of one of its results is 2; it takes 3\n"
        "g attribute: dimension 0 of its result is 2; it takes 3\n");
    expect_of(RULES("{\"ops\":[\"*\"],\"outputs\":"
                    "{\"image\":{\"packed\":[\"height\"],\"limits\":[2,2,1]}}}"),
              "taken: m g\n"
              "a attribute: its result fits no image of 2 x 2 x 1, which it needs\n"
              "s attribute: its result fits no image of 2 x 2 x 1, which it needs\n");
}

START_TEST(what_a_file_says_wrong_has_a_line_and_a_near_miss)
{
    expect_refused("{\"rules\":[\n{\"ops\":[\"aten::ad.Tensor\"]}]}",
                   "line 2: unknown operator \"aten::ad.Tensor\": did you mean "
                   "\"aten::add.Tensor\"?");
    expect_refused("{\n\n\"ruls\":[]}",
                   "line 3: unknown field \"ruls\": did you mean \"rules\"?");
    expect_refused(RULES("{\"ops\":[\"*\"],\"inputs\":{\"dtype\":[\"f32\"]}}"),
                   "unknown field \"dtype\": did you mean \"dtypes\"?");
    expect_refused(RULES("{\"ops\":[\"*\"],\"inputs\":{\"dtypes\":[\"f23\"]}}"),
                   "unknown dtype \"f23\": did you mean \"f32\"?");
    expect_refused(RULES("{\"ops\":[\"*\"],\"inputs\":{\"shape\":\"statc\"}}"),
                   "did you mean \"static\"?");
    expect_refused(RULES("{\"ops\":[\"aten::nosuch*\"]}"), "unknown operator");
    expect_refused(RULES("{\"ops\":[]}"), "expected an operator");
    expect_refused(RULES("{\"take\":true}"), "a rule needs \"ops\"");
    expect_refused("{\"version\":2,\"rules\":[]}", "version 2; this program reads 1");
    expect_refused("{\"format\":\"delegraph-plan\"}",
                   "format \"delegraph-plan\"; expected \"delegraph-support\"");
    expect_refused(RULES("{\"args\":{\"othr\":{\"constant\":true}},"
                         "\"ops\":[\"aten::add.Tensor\"]}"),
                   "no operator of \"ops\" has an argument \"othr\"");
    expect_refused("{}", "no \"rules\"");
    expect_refused("{\"rules\":[],\"rules\":[]}", "expected each key once");
    expect_refused("[]", "expected an object");
    expect_refused("", "expected");
}

START_TEST(every_shipped_list_takes_something_and_refuses_something)
{
    given_calls();
    ck_assert(!dg_support_from_backend(&support, "xnnpack", &rules_err));
    expect_verdict(
        "taken: a s\nm rank: self has rank 2; xnnpack takes rank 4\n"
        "g attribute: of a node that is taken: input 0 is not made as xnnpack "
        "needs it, by *::max.dim or one like it\n");
    ck_assert(!dg_support_from_backend(&support, "vulkan", &rules_err));
    expect_verdict("taken: a s g\nm op: vulkan does not take aten::max.dim\n");
    given("UPDATE op SET name = 'higher_order::executorch_call_delegate' WHERE id = 3");
    ck_assert(!dg_support_from_backend(&support, "aoti", &rules_err));
    expect_verdict("taken: a s\nm op: it is a delegate already\n"
                   "g op: it belongs to another delegate\n");
}

Suite *support_suite(void)
{
    Suite *suite = suite_create("support");
    TCase *tests = tcase_create("support");

    tcase_add_checked_fixture(tests, rules_open, rules_close);
    tcase_add_test(tests, an_operator_has_many_spellings);
    tcase_add_test(tests, a_list_takes_its_operators_and_no_others);
    tcase_add_test(tests, a_list_may_name_what_is_left);
    tcase_add_test(tests, without_a_list_every_call_is_taken);
    tcase_add_test(tests, an_unknown_operator_of_a_list_has_a_near_miss);
    tcase_add_test(tests, an_unknown_backend_has_a_near_miss);
    tcase_add_test(tests, rules_are_gone_through_in_order);
    tcase_add_test(tests, a_dtype_that_is_not_listed_is_refused);
    tcase_add_test(tests, ranks_have_limits);
    tcase_add_test(tests, dynamic_shapes_can_be_refused);
    tcase_add_test(tests, an_argument_is_held_to_its_values);
    tcase_add_test(tests, calls_that_differ_in_the_nodes_they_name_are_told_apart);
    tcase_add_test(tests, an_argument_that_is_left_out_has_the_default_of_its_schema);
    tcase_add_test(tests, sizes_elements_and_order_in_memory_are_conditions);
    tcase_add_test(tests, what_a_file_says_wrong_has_a_line_and_a_near_miss);
    tcase_add_test(tests, every_shipped_list_takes_something_and_refuses_something);
    suite_add_tcase(suite, tests);
    return suite;
}
