#include "unit/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "partition/support.h"

static struct dg_support *support;
static struct dg_nodes nodes;
static struct dg_writer told;

/* x f32 [2,3] -> a = add(x, p_w) -> s = softmax(a, dim) -> g = getitem(m = max.dim(s))
 */
static void given_calls(void)
{
    given_pt2();
    given(
        "INSERT INTO op (id, name, namespace, flags) VALUES"
        " (1, 'aten::add.Tensor', 'aten', 0), (2, 'aten::_softmax.default', 'aten', 0),"
        " (3, 'aten::max.dim', 'aten', 0), (4, '_operator.getitem', '_operator', 0);"
        "INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape, strides) "
        "VALUES"
        " (1, 1, 0, 'x', 'tensor', 'f32', '[2,3]', '[3,1]'),"
        " (2, 1, 1, 'p_w', 'tensor', 'f32', '[3]', '[1]'),"
        " (3, 1, 2, 'a', 'tensor', 'f32', '[2,3]', '[3,1]'),"
        " (4, 1, 3, 's', 'tensor', 'f32', '[2,3]', '[1,2]'),"
        " (5, 1, 4, 'g', 'tensor', 'f32', '[2]', '[1]');"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id, args) VALUES"
        " (1, 1, 0, 'x', 'placeholder', NULL, 1, NULL),"
        " (2, 1, 1, 'p_w', 'placeholder', NULL, 2, NULL),"
        " (3, 1, 2, 'a', 'call_function', 1, 3,"
        "  "
        "'[{\"name\":\"self\",\"tensor\":\"x\"},{\"name\":\"other\",\"tensor\":\"p_w\"}"
        "]'),"
        " (4, 1, 3, 's', 'call_function', 2, 4,"
        "  '[{\"name\":\"self\",\"tensor\":\"a\"},{\"name\":\"dim\",\"int\":-1},"
        "    {\"name\":\"half_to_float\",\"bool\":false}]'),"
        " (5, 1, 4, 'm', 'call_function', 3, NULL,"
        "  '[{\"name\":\"self\",\"tensor\":\"s\"},{\"name\":\"dim\",\"int\":1}]'),"
        " (6, 1, 5, 'g', 'call_function', 4, 5,"
        "  '[{\"name\":\"\",\"tensor\":\"m\"},{\"name\":\"\",\"int\":0}]'),"
        " (7, 1, 6, 'output', 'output', NULL, NULL, NULL);"
        "INSERT INTO edge VALUES (3, 0, 1, NULL), (3, 1, 2, NULL), (4, 0, 3, NULL),"
        " (5, 0, 4, NULL), (6, 0, 5, NULL), (7, 0, 6, NULL);"
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target)"
        " VALUES (1, 'input', 0, 'x', 'tensor', 'user_input', NULL),"
        " (1, 'input', 1, 'p_w', 'tensor', 'parameter', 'w'),"
        " (1, 'output', 0, 'g', 'tensor', 'user_output', NULL)");
}

static enum dg_status parse(const char *json)
{
    char path[] = "/tmp/support-XXXXXX";
    int file = mkstemp(path);
    enum dg_status status;

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, json, strlen(json)), (ssize_t)strlen(json));
    close(file);
    status = dg_support_from_file(&support, path, &rules_err);
    unlink(path);
    return status;
}

static enum dg_status note(void *context, uint32_t node, const char *reason,
                           struct dg_text text, struct dg_error *err)
{
    (void)context;
    (void)err;
    dg_write_text(&told, nodes.names[node]);
    dg_print(&told, " %s: %.*s\n", reason, (int)text.size, text.data);
    return DG_OK;
}

/* "taken: a s\n" and the reasons of the others. */
static void expect_verdict(const char *want)
{
    struct dg_writer found = {0};

    told = (struct dg_writer){0};
    ck_assert_msg(!dg_nodes_load(&nodes, rules_store, 1, &rules_err), "%s",
                  rules_err.text);
    ck_assert_msg(
        !dg_support_apply(support, &nodes, rules_store, note, NULL, NULL, &rules_err),
        "%s", rules_err.text);
    dg_print(&found, "taken:");
    for (uint32_t i = 0; i < nodes.graph.n_nodes; i++) {
        if (nodes.marks[i] & DG_MARK_SUPPORTED)
            dg_print(&found, " %.*s", (int)nodes.names[i].size, nodes.names[i].data);
    }
    dg_print(&found, "\n%s", told.data ? told.data : "");
    ck_assert_str_eq(found.data, want);
    dg_writer_clear(&found);
    dg_writer_clear(&told);
    dg_nodes_clear(&nodes);
    dg_support_free(support);
    support = NULL;
}

#define RULES(text) "{\"name\":\"it\",\"rules\":[" text "]}"

static void expect_of(const char *json, const char *want)
{
    ck_assert_msg(!parse(json), "%s", rules_err.text);
    expect_verdict(want);
}

static void expect_refused(const char *json, const char *want)
{
    ck_assert_int_eq(parse(json), DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, want) != NULL, "%s", rules_err.text);
}

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
    tcase_add_test(tests,
                   a_call_that_names_other_nodes_than_its_inputs_keeps_its_words);
    tcase_add_test(tests, an_argument_that_is_left_out_has_the_default_of_its_schema);
    tcase_add_test(tests, a_weight_must_be_constant_where_a_rule_says_so);
    tcase_add_test(tests, a_node_can_depend_on_what_made_its_input);
    tcase_add_test(tests, a_node_can_depend_on_its_users);
    tcase_add_test(tests, all_reasons_of_the_nearest_rule_are_told);
    tcase_add_test(tests, sizes_elements_and_order_in_memory_are_conditions);
    tcase_add_test(tests, what_a_file_says_wrong_has_a_line_and_a_near_miss);
    tcase_add_test(tests, a_list_keeps_weights_and_users_with_their_call);
    tcase_add_test(tests, groups_that_share_a_call_are_one);
    tcase_add_test(tests, a_constant_is_of_the_first_call_that_wants_it);
    tcase_add_test(tests, what_a_condition_kept_before_it_failed_is_not_kept);
    tcase_add_test(tests, an_input_of_the_program_is_in_no_group);
    tcase_add_test(tests, a_group_that_keeps_nothing_is_refused);
    tcase_add_test(tests, matches_within_matches_have_a_limit);
    tcase_add_test(tests, every_shipped_list_takes_something_and_refuses_something);
    suite_add_tcase(suite, tests);
    return suite;
}
